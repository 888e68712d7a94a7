"""Which attempt gets a second one, and what becomes of the two."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sim.workload.test_skipping import Story
from yarnbox.sim import Job, JobResult, Load, Nodes, NodeSpec, Site, Task, play
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.workload.speculation import Attempt, Tasks, by_hadoop, by_late
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.resources.resource import Resource

ATTEMPT = ApplicationAttemptId(ApplicationId(0, 1), 1)


def attempt(number: int, ends_ms: int, *, started_ms: int = 0, is_doubled: bool = False) -> Attempt:
    return Attempt(
        container_id=ContainerId(ATTEMPT, number),
        started_ms=started_ms,
        ends_ms=ends_ms,
        is_doubled=is_doubled,
    )


def tasks(*attempts: Attempt, done: int = 10, total: int = 20, mean_ms: int = 60_000) -> Tasks:
    return Tasks(total=total, done=done, spent_ms=done * mean_ms, attempts=attempts, containers=len(attempts))


def number(found: ContainerId | None) -> int | None:
    return None if found is None else found.id


def test_hadoop_doubles_what_a_new_attempt_of_mean_duration_would_overtake_by_most() -> None:
    """At 50 % after 100 s: it ends at 200 s, a new one at 160 s."""
    slow, slower = attempt(1, 200_000), attempt(2, 240_000)
    assert number(by_hadoop(tasks(slow), 100_000)) == 1
    assert number(by_hadoop(tasks(slow, slower), 100_000)) == 2
    assert by_hadoop(tasks(slow, mean_ms=100_000), 100_000) is None  # TOO_LATE_TO_SPECULATE


@pytest.mark.parametrize(("done", "total", "doubles"), [(0, 20, False), (1, 20, True), (1, 21, False)])
def test_hadoop_wants_a_twentieth_done(done: int, total: int, doubles: bool) -> None:
    found = by_hadoop(tasks(attempt(1, 200_000), done=done, total=total), 100_000)
    assert (found is not None) == doubles


@pytest.mark.parametrize(("running", "doubled", "doubles"), [(50, 10, False), (50, 9, True), (200, 19, True)])
def test_hadoop_doubles_so_many_at_once(running: int, doubled: int, doubles: bool) -> None:
    attempts = [attempt(place, 900_000, is_doubled=place < doubled) for place in range(running)]
    assert (by_hadoop(tasks(*attempts), 100_000) is not None) == doubles


def test_late_doubles_of_the_slowest_quarter_what_ends_last_after_a_minute() -> None:
    usual = [attempt(place, 100_000) for place in range(3)]
    assert number(by_late(tasks(*usual, attempt(9, 500_000)), 70_000)) == 9
    assert by_late(tasks(*usual, attempt(9, 500_000, started_ms=20_000)), 70_000) is None
    assert by_late(tasks(*usual, attempt(9, 500_000, is_doubled=True)), 70_000) is None


HOSTS = Nodes(
    nodes=tuple(
        NodeSpec(host=f"h{place}", rack="/r", resource=Resource(8192, 8), speed=0.1 if place == 3 else 1.0)
        for place in range(4)
    )
)


def played(speculation: str | None, **site: Any) -> tuple[JobResult, list[str]]:
    work = (Task(count=24, duration_ms=30_000), Task(stage=REDUCE, count=2, duration_ms=9000))
    job = Job(job_id="j", submit_ms=0, am_attempts=3, tasks=work)
    story = Story()
    site = {"nodes": HOSTS, "seed": 1, "speculation": speculation, **site}
    result = play(None, Load.of([job], HOSTS), site=Site(**site), watchers=[story])
    return result.jobs[0], story.lines


@pytest.mark.parametrize("speculation", ["hadoop", "late"])
def test_a_slow_node_holds_a_job_up_for_less(speculation: str) -> None:
    alone, _ = played(None)
    doubled, lines = played(speculation)
    assert alone.state == doubled.state == "FINISHED"
    assert (doubled.ended_ms or 0) < (alone.ended_ms or 0)
    assert doubled.containers > alone.containers == 26
    assert doubled.lost_ms > 0
    assert sum(line.endswith("ended 0") for line in lines) == 26


@pytest.mark.parametrize("speculation", ["hadoop", "late"])
def test_speculation_ends_every_task_once_whatever_fails(speculation: str) -> None:
    """And it skips no heartbeat that it needs."""
    chance: dict[str, Any] = {"task_failures": 0.2, "stragglers": 0.3, "node_mtbf_ms": 400_000}
    for seed in (1, 2, 3):
        some, lines = played(speculation, seed=seed, **chance)
        if some.state == "FINISHED":
            assert sum(line.endswith("ended 0") for line in lines) >= 26
        every, all_lines = played(speculation, seed=seed, every_heartbeat=True, **chance)
        assert (every, all_lines) == (some, lines)
