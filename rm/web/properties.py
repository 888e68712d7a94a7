"""A property as the page Configuration shows it: value, place, and what the declaration says of it."""

from __future__ import annotations

from functools import cache

from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.configuration import BUILT_IN
from yarnbox.yarn.settings import Declaration, declarations


def property_row(name: str, value: str, source: str) -> Answer:
    """Of a property that is set in `source`, or by default."""
    row: Answer = {"name": name, "value": value, "source": source, "isDefault": source == BUILT_IN}
    declared = _declared().get(name)
    if declared is not None:
        row["meaning"] = declared.doc
        if declared.unit:
            row["unit"] = declared.unit
        if declared.default_text and not row["isDefault"]:
            row["default"] = declared.default_text
    return row


@cache
def _declared() -> dict[str, Declaration]:
    return {one.name: one for one in declarations(RMSettings)}
