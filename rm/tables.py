"""The laws of the ResourceManager as a page of the manual: `python -m yarnbox.rm.tables`.

One section per entity, one table of state, event and next state; a test keeps docs/state-machines.md as it is
written here. Hadoop: VisualizeStateMachine.
"""

from __future__ import annotations

import sys
from typing import Any

from yarnbox.rm.app import RM_APP
from yarnbox.rm.attempt import RM_APP_ATTEMPT
from yarnbox.rm.container import RM_CONTAINER
from yarnbox.rm.node import RM_NODE
from yarnbox.yarn.runtime.statemachine import Table, markdown

TABLES: tuple[Table[Any], ...] = (RM_APP, RM_APP_ATTEMPT, RM_CONTAINER, RM_NODE)

_HEAD = """# State machines of the ResourceManager

The tables say what each event does in each state. *unchanged*: the event is handled and the state stays;
*ignored*: the event has no effect. An event that a state does not list is invalid: it changes nothing,
and the ResourceManager logs it. Where several next states are listed, the event and the entity decide
between them. Events have the name of their entity and that of Hadoop's event type. This page is written
by `python -m yarnbox.rm.tables`.
"""


def render() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_HEAD, *(line for table in TABLES for line in markdown(table))])


if __name__ == "__main__":
    sys.stdout.write(render())
