"""Which jobs are small enough for their AM's container, and in which order their tasks get it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.am.mapreduce.rig import ATTEMPT, JOB
from yarnbox.am.asks import RequestTable
from yarnbox.am.mapreduce.allocation.uber import is_small, one_by_one
from yarnbox.am.mapreduce.app.core import Core, Places
from yarnbox.am.mapreduce.app.effects import LaunchTask, StopTask
from yarnbox.am.mapreduce.app.events import (
    AttemptContainerCleaned,
    AttemptContainerCompleted,
    AttemptContainerLaunched,
    JobSetupCompleted,
)
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.app.job_counters import of_job
from yarnbox.am.mapreduce.counters import JOB_COUNTERS
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import VirtualClock

OWN = Container(id=ContainerId(ATTEMPT, 1), node_id=NodeId("n1", 1), resource=Resource(1536, 1))


@pytest.mark.parametrize(
    "properties, maps, size, is_it",
    [
        ({"uber_enabled": False}, 2, 100, False),
        ({}, 2, 100, True),
        ({}, 9, 100, True),
        ({}, 10, 100, False),
        ({"uber_maps": 1}, 2, 100, False),
        ({"reduces": 2}, 2, 100, False),
        ({"uber_reduces": 0}, 2, 100, False),
        ({"block_bytes": 1024}, 2, 1024, True),
        ({"block_bytes": 1024}, 2, 1025, False),
        ({"uber_bytes": 50}, 2, 100, False),
        ({"map_memory_mb": 2048}, 2, 100, False),
        ({"reduce_memory_mb": 2048, "reduce_vcores": 10}, 2, 100, False),
        ({"reduces": 0, "reduce_memory_mb": 2048, "reduce_vcores": 10}, 2, 100, True),
        ({"cache_archives": ("a.zip",)}, 2, 100, False),
    ],
)
def test_a_job_is_small_or_not(properties: dict[str, object], maps: int, size: int, is_it: bool) -> None:
    given: dict[str, object] = {"uber_enabled": True, **properties}
    assert is_small(replace(JobSettings(), **given), maps, size) is is_it  # type: ignore[arg-type]


class Uber:
    """A job of two maps and a reduce, whose tasks the test runs."""

    def __init__(self) -> None:
        settings = one_by_one(JobSettings())
        asks = RequestTable(lambda host: "/r1")
        self.core = Core(VirtualClock(1000), JOB, 1, settings, [Places(), Places()], asks, own=OWN)
        self.core.start()
        self.core.tell(JobSetupCompleted())
        self.asks = asks

    def launched(self) -> TaskAttemptId:
        """The one that is launched now."""
        (launch,) = [one for one in self.core.take_effects() if isinstance(one, LaunchTask)]
        assert launch.container is OWN
        self.core.tell(AttemptContainerLaunched(attempt_id=launch.attempt_id, shuffle_port=0))
        return launch.attempt_id

    def end(self, attempt_id: TaskAttemptId, status: int = 0) -> None:
        self.core.tell(AttemptContainerCompleted(attempt_id=attempt_id, exit_status=status, diagnostics=""))


def test_maps_run_one_by_one_then_the_reduce() -> None:
    uber = Uber()
    order = []
    for _ in range(3):
        attempt_id = uber.launched()
        order.append(str(attempt_id.task_id)[-8:])
        uber.core.done(attempt_id, {})
        uber.end(attempt_id)
    assert order == ["m_000000", "m_000001", "r_000000"]
    assert uber.core.job.state is JobState.COMMITTING
    assert uber.asks.asks() == []


def test_a_task_that_fails_fails_the_job_and_stops_the_next() -> None:
    uber = Uber()
    uber.end(uber.launched(), 1)
    effects = uber.core.take_effects()
    (launched,) = [one.attempt_id for one in effects if isinstance(one, LaunchTask)]
    assert launched in [one.attempt_id for one in effects if isinstance(one, StopTask)]
    uber.core.tell(AttemptContainerCleaned(attempt_id=launched))
    assert uber.core.job.state is JobState.FAIL_ABORT
    assert of_job(uber.core.job.tasks)[JOB_COUNTERS]["NUM_FAILED_UBERTASKS"] == 1
