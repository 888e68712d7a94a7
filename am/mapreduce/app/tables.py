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

What may happen to a job, its tasks and their attempts in which state, and where that leads. An event that a
state does not list is invalid: it changes nothing, and the AM says so. Where several next states stand, what
has happened decides. This page is written by `python -m yarnbox.am.mapreduce.app.tables`; the names of the
events are those of Hadoop's event types, behind the name of the entity.
"""


def render() -> str:
    """The whole page, in Markdown."""
    return "\n".join([_HEAD, *(line for table in TABLES for line in markdown(table))])


if __name__ == "__main__":
    sys.stdout.write(render())
