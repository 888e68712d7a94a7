"""Whose containers an allocation tag in a constraint means.

Written before the tag: nothing or `self`, `not-self`, `all`, `app-id/<application id>`, `app-tag/<tag of an
application>`. Hadoop: TargetApplicationsNamespace, AllocationTagNamespaceType and
InvalidAllocationTagsQueryException.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from yarnbox.yarn.ids import ApplicationId


class InvalidAllocationTagsQueryError(Exception):
    """A constraint that nobody can look up: its namespace says nothing, or its kind is not supported."""


class NamespaceKind(Enum):
    """Whose containers count."""

    SELF = "self"
    NOT_SELF = "not-self"
    APP_ID = "app-id"
    APP_TAG = "app-tag"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Namespace:
    """One namespace; with APP_ID or APP_TAG the application or the tag that is meant."""

    kind: NamespaceKind
    application_id: ApplicationId | None = None
    application_tag: str = ""


SELF = Namespace(NamespaceKind.SELF)
_KINDS = {kind.value: kind for kind in NamespaceKind}
_PARTS = 2


def parse_namespace(text: str | None) -> Namespace:
    """Reads the key of a tag's target; InvalidAllocationTagsQueryError when it means nobody."""
    if not text or text == "self":
        return SELF
    parts = [part for part in text.split("/") if part]
    if not 1 <= len(parts) <= _PARTS:
        raise InvalidAllocationTagsQueryError(
            f"Invalid namespace string: {text}, the syntax is <namespace_prefix> or "
            "<namespace_prefix>/<namespace_value>"
        )
    kind = _KINDS.get(parts[0])
    if kind is None:
        raise InvalidAllocationTagsQueryError(
            f"Invalid namespace prefix: {parts[0]}, valid values are: {','.join(_KINDS)}"
        )
    if kind not in (NamespaceKind.APP_ID, NamespaceKind.APP_TAG):
        return Namespace(kind)
    if len(parts) != _PARTS:
        what = "ID" if kind is NamespaceKind.APP_ID else "tag"
        raise InvalidAllocationTagsQueryError(
            f"Missing the application {what} in the namespace string: {text}"
        )
    if kind is NamespaceKind.APP_TAG:
        return Namespace(kind, application_tag=parts[1])
    try:
        return Namespace(kind, ApplicationId.parse(parts[1]))
    except ValueError:
        raise InvalidAllocationTagsQueryError(f"Invalid application ID for app-id: {parts[1]}") from None
