"""The three tables: every arc does what its row says, every absent pair is refused and changes nothing."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from tests.am.mapreduce.rig import JOB, Rig
from tests.tree import ROOT
from yarnbox.am.mapreduce.app import events
from yarnbox.am.mapreduce.app.attempt import ATTEMPT, Attempt, AttemptState
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.job import ENDED, Job
from yarnbox.am.mapreduce.app.job import JOB as JOB_TABLE
from yarnbox.am.mapreduce.app.tables import TABLES, render
from yarnbox.am.mapreduce.app.task import TASK, Task
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.runtime.statemachine import InvalidEventError, Table

MAP = TaskId(JOB, TaskType.MAP, 0)
REDUCE = TaskId(JOB, TaskType.REDUCE, 0)
FIRST = TaskAttemptId(MAP, 0)
NODE = NodeId("n1", 1)
CONTAINER = Container(
    id=ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 1), node_id=NODE, priority=20
)
VALUES: dict[str, Any] = {
    "task_id": MAP,
    "attempt_id": FIRST,
    "reduce_id": TaskAttemptId(REDUCE, 0),
    "maps": (FIRST,),
    "unusable": (NODE,),
    "node_id": NODE,
    "container": CONTAINER,
    "state": "SUCCEEDED",
    "is_alive": True,
    "status": "SUCCEEDED",
    "diagnostics": "why",
    "shuffle_port": 1,
    "counters": {},
    "started_ms": 1,
    "finished_ms": 2,
    "progress": 0.5,
    "phase": "MAP",
    "exit_status": 1,
    "after_failure": False,
    "container_id": CONTAINER.id,
    "http_port": 8042,
    "shuffle_finished_ms": 0,
}
VALUES["task"] = events.TaskRecover(
    **{name: VALUES[name] for name in events.TaskRecover.__dataclass_fields__}
)


def event_of(event_type: type[Any]) -> Any:
    return event_type(**{name: VALUES[name] for name in event_type.__dataclass_fields__})


def entity(table: Table[Any]) -> Any:
    """A fresh job, task or attempt within a fresh core."""
    context = Context(JOB, 1, JobSettings())
    task = Task(context, MAP, 4)
    if table is TASK:
        task.attempts[FIRST] = Attempt(context, FIRST, (), ())
        return task
    TASK.fire(task, events.TaskSchedule(task_id=MAP), 0, context.story)
    return Job(context, [task], []) if table is JOB_TABLE else task.attempts[FIRST]


def cells(present: bool) -> list[Any]:
    found = []
    for table in TABLES:
        for state in table.rows:
            for event_type in table.event_types():
                if (event_type in table.rows[state]) is present:
                    name = f"{table.name}-{state.name}-{event_type.__name__}"
                    found.append(pytest.param(table, state, event_type, id=name))
    return found


@pytest.mark.parametrize("table, state, event_type", cells(present=False))
def test_an_absent_pair_is_refused_and_changes_nothing(
    table: Table[Any], state: Enum, event_type: type[Any]
) -> None:
    one = entity(table)
    one.state = state
    effects = list(one.context.effects)
    with pytest.raises(InvalidEventError):
        one.handle(event_of(event_type))
    assert one.state is state
    assert one.context.effects == effects


@pytest.mark.parametrize("table, state, event_type", cells(present=True))
def test_an_arc_leads_where_its_cell_says(table: Table[Any], state: Enum, event_type: type[Any]) -> None:
    one = entity(table)
    one.state = state
    one.handle(event_of(event_type))
    assert one.state in (table.rows[state][event_type].targets or (state,))


def test_the_tables_agree_on_what_has_ended() -> None:
    for state in ENDED:
        assert all(not arc.targets and arc.hook is None for arc in JOB_TABLE.rows[state].values())
    for attempt_state in (AttemptState.FAILED, AttemptState.KILLED):
        assert all(not arc.targets for arc in ATTEMPT.rows[attempt_state].values())


def test_every_event_has_somebody_to_handle_it() -> None:
    known = {event_type for table in (JOB_TABLE, TASK, ATTEMPT) for event_type in table.event_types()}
    bases = (events.JobEvent, events.TaskEvent, events.TaskAttemptEvent, events.AttemptEvent)
    for event_type in vars(events).values():
        if isinstance(event_type, type) and issubclass(event_type, bases) and event_type not in bases:
            assert event_type in known, f"{event_type.__name__} is in no table"


def test_the_page_of_the_manual_shows_the_tables_as_they_are() -> None:
    page = ROOT / "docs" / "mapreduce-state-machines.md"
    assert page.read_text() == render(), "python -m yarnbox.am.mapreduce.app.tables writes it"


def test_an_attempt_exit_counts_unless_yarn_took_the_container_away() -> None:
    for exit_status, state in ((1, "FAILED"), (143, "FAILED"), (-100, "KILLED"), (-102, "KILLED")):
        rig = Rig(maps=1, reduces=0)
        rig.beat()
        rig.finish(FIRST, exit_status=exit_status)
        rig.beat()
        assert rig.core.job.attempt(FIRST).state.value == state
        task = rig.core.job.task(MAP)
        assert list(task.failed_attempts) == ([FIRST] if state == "FAILED" else [])
        name = " (SIGTERM)" if exit_status == 143 else ""
        assert f"exit status {exit_status}{name}: N/A" in rig.core.job.attempt(FIRST).diagnostics
