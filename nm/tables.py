"""The laws of the NodeManager as a page of the manual: `python -m yarnbox.nm.tables`.

One section per entity, one table of state, event and next state; a test keeps docs/nodemanager-states.md as
it is written here. Hadoop: VisualizeStateMachine.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from yarnbox.nm.application import APPLICATION
from yarnbox.nm.containers.container import CONTAINER
from yarnbox.nm.localization.localized import LOCALIZED_RESOURCE
from yarnbox.yarn.runtime.statemachine import Arc, Table

TABLES: tuple[Table[Any], ...] = (APPLICATION, CONTAINER, LOCALIZED_RESOURCE)

_HEAD = """# State machines of the NodeManager

The tables say what each event does in each state. *unchanged*: the event is handled and the state stays;
*ignored*: the event has no effect. An event that a state does not list is invalid: it changes nothing, and
the NodeManager logs it. Where several next states are listed, the event and the entity decide between them.
Events have the name of their entity and that of Hadoop's event type. This page is written by
`python -m yarnbox.nm.tables`.
"""


def render() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_HEAD, *(line for table in TABLES for line in _section(table))])


def _section(table: Table[Any]) -> Iterator[str]:
    yield from (f"## {table.name}", "", f"Begins as {table.initial.name}.", "")
    yield from ("| state | event | next |", "| --- | --- | --- |")
    for state, cells in table.rows.items():
        silent = [event_type.__name__ for event_type, arc in cells.items() if _is_silent(arc)]
        for event_type, arc in cells.items():
            if not _is_silent(arc):
                targets = " or ".join(target.name for target in arc.targets) or "unchanged"
                yield f"| {state.name} | {event_type.__name__} | {targets} |"
        if silent:
            yield f"| {state.name} | {', '.join(silent)} | ignored |"
    yield ""


def _is_silent(arc: Arc) -> bool:
    return not arc.targets and arc.hook is None


if __name__ == "__main__":
    sys.stdout.write(render())
