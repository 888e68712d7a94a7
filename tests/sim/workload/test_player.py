"""A workload in virtual time: maps before reduces, each as long as it should be, until all jobs end."""

from __future__ import annotations

from typing import Any

import pytest

from yarnbox.sim.load.jobs import REDUCE, Job, Task
from yarnbox.sim.recording.document import read, write
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.workload.files import equal_queues
from yarnbox.sim.workload.player import WorkloadPlayer
from yarnbox.sim.workload.running import WorkloadOutcome
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.resources.resource import Resource

TASK = Resource(1024, 1)
FILES = ("yarn-site.xml",)


def job(name: str, submit_ms: int, maps: int, reduces: int = 0, queue: str = "a") -> Job:
    return Job(
        job_id=name,
        submit_ms=submit_ms,
        queue=queue,
        am_resource=TASK,
        tasks=(
            Task(count=maps, duration_ms=5000, resource=TASK),
            *([Task(stage=REDUCE, count=reduces, duration_ms=3000, resource=TASK)] if reduces else []),
        ),
    )


def played(
    jobs: list[Job], scheduler: str = "capacity", nodes: int = 2, **site: Any
) -> tuple[WorkloadOutcome, dict[str, Any]]:
    files = equal_queues(scheduler, ("a", "b"), site.pop("conf", {}))
    player = WorkloadPlayer(
        jobs,
        Site(nodes=nodes, node_resource=Resource(4096, 4), **site),
        files,
        FILES,
        Title(name="w", kind="workload"),
    )
    outcome = player.play()
    return outcome, dict(player.recording())


def rows(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**one} for one in read(write(data), "w").containers]


@pytest.mark.parametrize("scheduler", ["fifo", "capacity", "fair"])
def test_every_job_ends_under_every_scheduler(scheduler: str) -> None:
    jobs = [job("one", 0, 6, 2), job("two", 3000, 4, 1, "b"), job("three", 60_000, 1, queue="b")]
    outcome, data = played(jobs, scheduler)
    assert (outcome.jobs, outcome.finished, outcome.refused) == (3, 3, [])
    found = rows(data)
    assert len([one for one in found if not one["isAM"]]) == sum(each.task_count for each in jobs)
    assert {one["exitStatus"] for one in found} == {0}
    assert data["figures"]["isComplete"]


def test_reduces_begin_when_all_maps_have_ended() -> None:
    _, data = played([job("one", 0, 6, 2)])
    maps = [one for one in rows(data) if one["priority"] == 20]
    reduces = [one for one in rows(data) if one["priority"] == 10]
    assert (len(maps), len(reduces)) == (6, 2)
    assert min(one["started"] for one in reduces) > max(one["finished"] for one in maps)


def test_a_task_takes_its_time_and_until_the_next_heartbeat() -> None:
    _, data = played([job("one", 0, 3)])
    for one in rows(data):
        if not one["isAM"]:
            # From its allocation: the AM hears of it at its next heartbeat and acts a heartbeat later.
            assert 5000 <= one["finished"] - one["started"] <= 5000 + 3000


def test_a_cluster_that_is_too_small_takes_longer() -> None:
    jobs = [job("one", 0, 30)]
    quick, _ = played(jobs, nodes=10)
    slow, _ = played(jobs, nodes=2)
    assert quick.finished == slow.finished == 1
    assert slow.end_ms > 2 * quick.end_ms


def test_nobody_is_taken_for_lost_while_nothing_happens() -> None:
    outcome, data = played([job("early", 0, 1), job("late", 7_200_000, 1)])
    assert outcome.finished == 2
    assert 7_200_000 < outcome.end_ms < 7_230_000
    assert [kind for _, kind, _ in data["marks"] if kind == "node lost"] == []


def test_a_job_that_is_refused_is_told() -> None:
    outcome, _ = played([job("one", 0, 1), job("two", 0, 1, queue="nowhere")])
    assert outcome.finished == 1
    (why,) = outcome.refused
    assert why.startswith("two: ")
    assert "nowhere" in why


def test_the_seed_is_all_the_chance_there_is() -> None:
    jobs = [job("one", 0, 6, 2), job("two", 3000, 4, 1, "b")]
    first, again, other = (write(played(jobs, seed=seed)[1]) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_play_has_an_end() -> None:
    outcome, _ = played([job("one", 0, 1)], nodes=1, longest_ms=3000)
    assert (outcome.finished, outcome.jobs) == (0, 1)


def test_preemption_takes_from_one_job_for_another_and_all_end() -> None:
    prefix = "yarn.resourcemanager.monitor.capacity.preemption."
    conf = {
        "yarn.resourcemanager.scheduler.monitor.enable": "true",
        prefix + "max_wait_before_kill": "2000",
        prefix + "monitoring_interval": "1000",
        prefix + "total_preemption_per_round": "1.0",
        prefix + "natural_termination_factor": "1.0",
    }
    long = Job(
        job_id="long",
        submit_ms=0,
        queue="a",
        am_resource=TASK,
        tasks=(Task(count=7, duration_ms=60_000, resource=TASK),),
    )
    outcome, data = played([long, job("short", 20_000, 3, queue="b")], conf=conf)
    assert outcome.finished == 2
    assert data["figures"]["queues"]["root.a"]["preempted"] >= 3
    assert data["figures"]["queues"]["root.b"]["wait"] < 20_000
