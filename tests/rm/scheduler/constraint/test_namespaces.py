"""Whose containers a tag means, read from its target's key."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.constraint.namespaces import (
    InvalidAllocationTagsQueryError,
    Namespace,
    NamespaceKind,
    parse_namespace,
)
from yarnbox.yarn.ids import ApplicationId


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (None, NamespaceKind.SELF),
        ("", NamespaceKind.SELF),
        ("self", NamespaceKind.SELF),
        ("not-self", NamespaceKind.NOT_SELF),
        ("all", NamespaceKind.ALL),
        ("/all/", NamespaceKind.ALL),
        ("all/whatever", NamespaceKind.ALL),
    ],
)
def test_words_by_themselves(text: str | None, kind: NamespaceKind) -> None:
    assert parse_namespace(text) == Namespace(kind)


def test_an_application_by_id_and_by_tag() -> None:
    wanted = ApplicationId(17, 3)
    assert parse_namespace(f"app-id/{wanted}") == Namespace(NamespaceKind.APP_ID, wanted)
    assert parse_namespace("app-tag/blue") == Namespace(NamespaceKind.APP_TAG, application_tag="blue")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mine", "Invalid namespace prefix: mine, valid values are: self,not-self,app-id,app-tag,all"),
        ("app-id", "Missing the application ID in the namespace string: app-id"),
        ("app-tag", "Missing the application tag in the namespace string: app-tag"),
        ("app-id/17", "Invalid application ID for app-id: 17"),
        ("app-id/a/b", "the syntax is <namespace_prefix> or <namespace_prefix>/<namespace_value>"),
        ("/", "the syntax is <namespace_prefix>"),
    ],
)
def test_what_means_nobody(text: str, message: str) -> None:
    with pytest.raises(InvalidAllocationTagsQueryError) as caught:
        parse_namespace(text)
    assert message in str(caught.value)
