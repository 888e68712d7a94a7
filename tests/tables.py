"""The state machines of the ResourceManager, by their cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yarnbox.rm.app import RM_APP
from yarnbox.rm.attempt import RM_APP_ATTEMPT
from yarnbox.rm.container import RM_CONTAINER
from yarnbox.rm.node import RM_NODE
from yarnbox.yarn.runtime.statemachine import Table

TABLES: tuple[Table[Any], ...] = (RM_APP, RM_APP_ATTEMPT, RM_CONTAINER, RM_NODE)


def cells() -> Iterator[str]:
    """Those that do something: `RMNode RUNNING NodeExpire`."""
    for table in TABLES:
        for state, arcs in table.rows.items():
            for event_type, arc in arcs.items():
                if arc.targets or arc.hook:
                    yield f"{table.name} {state.name} {event_type.__name__}"
