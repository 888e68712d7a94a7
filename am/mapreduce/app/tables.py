"""The laws of a MapReduce job as a page of the manual: `python -m yarnbox.am.mapreduce.app.tables`.

A test keeps docs/mapreduce-state-machines.md as it is written here. Hadoop: VisualizeStateMachine.
"""

from __future__ import annotations

import sys
from typing import Any

from yarnbox.am.mapreduce.app.attempt import ATTEMPT
from yarnbox.am.mapreduce.app.job import JOB
from yarnbox.am.mapreduce.app.task import TASK
from yarnbox.yarn.runtime.statemachine import Table, markdown

TABLES: tuple[Table[Any], ...] = (JOB, TASK, ATTEMPT)

_HEAD = """# State machines of a MapReduce job

The tables say what each event does in each state. *unchanged*: the event is handled and the state stays;
*ignored*: the event has no effect. An event that a state does not list is invalid: it changes nothing,
and the ApplicationMaster logs it. Where several next states are listed, the event and the entity decide
between them. Events have the name of their entity and that of Hadoop's event type. This page is written
by `python -m yarnbox.am.mapreduce.app.tables`.
"""


def render() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_HEAD, *(line for table in TABLES for line in markdown(table))])


if __name__ == "__main__":
    sys.stdout.write(render())
