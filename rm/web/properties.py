"""What the page Configuration shows: properties with value, place and meaning, and the scheduler's file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from yarnbox.rm.scheduler.views import AllocationFile
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.pages.lists import configuration_page
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.configuration import BUILT_IN, Configuration, ConfigurationError
from yarnbox.yarn.settings import Declaration, declarations, with_defaults

_SECRETS = re.compile(r"password|secret|credential|(^|\.)key$", re.IGNORECASE)
_PACKAGES = re.compile(r"^org\.apache\.[\w.]+\.")
"""Of one of Hadoop's classes the last word tells enough."""
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


def configuration(asked: Mapping[str, str], site: Iterable[ShownProperty], own: Answer | None) -> Answer:
    """All properties that are meant as rows, the allocation file where there is one, and the page of them."""
    given = (own or {}).get("properties", {})
    found = [*site, *(ShownProperty(name, value, source) for name, (value, source) in given.items())]
    file = own if own is not None and "text" in own else None
    return configuration_page(asked, [_row(one) for one in found], file)


def _row(one: ShownProperty) -> Answer:
    is_default = one.source == BUILT_IN
    row: Answer = {"name": one.name, "value": one.value, "source": one.source, "isDefault": is_default}
    row["key"] = f"{one.name} {one.source}"
    declared = _declared().get(one.name)
    unit = declared.unit if declared is not None else ""
    row["unit"] = " ".join(word for word in (unit, "final" if one.is_final else "") if word)
    if declared is not None:
        row["meaning"] = declared.doc
        if declared.default_text and not is_default:
            row["default"] = f"(default {_PACKAGES.sub('', declared.default_text)})"
    return row


@cache
def _declared() -> dict[str, Declaration]:
    return {one.name: one for one in declarations(RMSettings)}
