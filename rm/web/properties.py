"""What the page Configuration shows: properties with value, place and meaning, and the scheduler's file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from yarnbox.rm.scheduler.views import AllocationFile
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.configuration import BUILT_IN, Configuration, ConfigurationError
from yarnbox.yarn.settings import Declaration, declarations, with_defaults

_SECRETS = re.compile(r"password|secret|credential|(^|\.)key$", re.IGNORECASE)
_FOLDERS = re.compile(r"^.*/")


class ShownProperty(NamedTuple):
    """A property with its value, and the file and line that say so."""

    name: str
    value: str
    source: str
    is_final: bool = False


def site_properties(configuration: Configuration) -> list[ShownProperty]:
    """Those of the site's files, and the defaults of all others that the ResourceManager reads."""
    return shown_properties(with_defaults(configuration, RMSettings))


def shown_properties(configuration: Configuration) -> list[ShownProperty]:
    """All of them, in the order of their names; the values of secrets are hidden."""
    return [
        ShownProperty(
            one.name,
            "(hidden)" if _SECRETS.search(one.name) else _value_of(configuration, one.name),
            _FOLDERS.sub("", str(one.origin)),
            one.final,
        )
        for one in configuration
    ]


def _value_of(configuration: Configuration, name: str) -> str:
    try:
        return configuration.value(name) or ""
    except ConfigurationError:  # a variable that leads to itself
        return configuration.raw(name) or ""


def scheduler_file(
    own: Configuration | AllocationFile | None, site: Iterable[ShownProperty]
) -> dict[str, Any] | None:
    """The scheduler's own file: its properties that `site` has not, by name, or the text of an allocation
    file.
    """
    if own is None:
        return None
    if isinstance(own, AllocationFile):
        return {"name": _FOLDERS.sub("", own.name), "text": own.text}
    known = dict.fromkeys(site)
    return {
        "properties": {one.name: [one.value, one.source] for one in shown_properties(own) if one not in known}
    }


def configuration_page(site: Iterable[ShownProperty], own: Mapping[str, Any] | None) -> Answer:
    """All properties as rows, and the allocation file where there is one."""
    found = list(site)
    given = (own or {}).get("properties", {})
    found.extend(ShownProperty(name, value, source) for name, (value, source) in given.items())
    answer: Answer = {"property": [_row(one) for one in found]}
    if own is not None and "text" in own:
        answer["file"] = {"name": own["name"], "text": own["text"]}
    return answer


def _row(one: ShownProperty) -> Answer:
    is_default = one.source == BUILT_IN
    row: Answer = {"name": one.name, "value": one.value, "source": one.source, "isDefault": is_default}
    declared = _declared().get(one.name)
    if declared is not None:
        row["meaning"] = declared.doc
        if declared.unit:
            row["unit"] = declared.unit
        if declared.default_text and not is_default:
            row["default"] = declared.default_text
    return {**row, "final": True} if one.is_final else row


@cache
def _declared() -> dict[str, Declaration]:
    return {one.name: one for one in declarations(RMSettings)}
