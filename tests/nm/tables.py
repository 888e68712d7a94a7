"""What every table is held to: each cell can happen and leads where it says; each other pair raises and
changes nothing.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from yarnbox.yarn.runtime.statemachine import InvalidEventError, Table
from yarnbox.yarn.runtime.story import Story


def pairs(table: Table[Any]) -> list[tuple[Enum, type, bool]]:
    """(state, event type, whether the table lists it), for all of both."""
    return [
        (state, event_type, event_type in cells)
        for state, cells in table.rows.items()
        for event_type in table.event_types()
    ]


def name_of(pair: tuple[Enum, type, bool]) -> str:
    """The name of a pair, for the list of tests."""
    state, event_type, is_listed = pair
    return f"{state.name}-{event_type.__name__}{'' if is_listed else '-invalid'}"


def check_pair(table: Table[Any], entity: Any, event: Any, snapshot: Any) -> None:
    """Lets one event happen to one entity that was put into its state; `snapshot()` is all that may have
    changed.
    """
    before = entity.state
    arc = table.rows[before].get(type(event))
    seen_before = snapshot()
    if arc is None:
        with pytest.raises(InvalidEventError):
            table.fire(entity, event, 0, Story())
        assert entity.state is before
        assert snapshot() == seen_before
        return
    table.fire(entity, event, 0, Story())
    assert entity.state in (arc.targets or (before,))
    if arc.hook is None:
        assert snapshot()[1:] == seen_before[1:], "a cell without a hook does nothing"
