"""Jobs with a deadline reserve in their plan queue, as a cluster's users do."""

from __future__ import annotations

from typing import Any

from yarnbox.sim import Job, Load, Result, Site, Task, play
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.yarn.resources.resource import Resource

ROOT = "yarn.scheduler.capacity.root."


def played(*jobs: Job, is_enabled: bool = True) -> Result:
    conf = {
        "yarn.resourcemanager.scheduler.class": "capacity",
        "yarn.resourcemanager.reservation-system.enable": str(is_enabled).lower(),
    }
    capacity = {
        ROOT + "queues": "plain,plan",
        ROOT + "plain.capacity": "50",
        ROOT + "plan.capacity": "50",
        ROOT + "plan.reservable": str(is_enabled).lower(),
    }
    site = Site(nodes=2, node_resource=Resource(8192, 8), seed=1)
    return play(ScenarioFiles(conf, capacity, None), Load.of(jobs), site=site)


def job(name: str, **fields: Any) -> Job:
    tasks = (Task(count=4, duration_ms=10_000), Task(stage=REDUCE, count=2, duration_ms=8000))
    return Job(**{"job_id": name, "submit_ms": 0, "queue": "plan", "tasks": tasks, **fields})


def test_a_job_runs_in_the_queue_of_its_reservation() -> None:
    result = played(job("a", deadline_ms=300_000))
    (row,) = result.jobs
    assert (row.state, row.queue, row.submitted_ms) == ("FINISHED", "root.plan", 0)
    assert [one.queue for one in result.queues] == ["root.plan.reservation_0_0001"]


def test_a_reservation_that_does_not_fit_is_refused_with_its_reason() -> None:
    late, wide = played(
        job("late", deadline_ms=12_000),
        job("wide", deadline_ms=300_000, tasks=(Task(count=99, duration_ms=9),)),
    ).jobs
    assert (late.state, wide.state) == ("REFUSED", "REFUSED")
    assert "minimum resource duration" in late.why
    assert "exceed the capacity" in wide.why


def test_two_that_need_the_whole_plan_follow_one_another() -> None:
    tasks = (Task(count=8, duration_ms=60_000),)
    first, second = played(
        job("one", deadline_ms=600_000, tasks=tasks), job("two", deadline_ms=600_000, tasks=tasks)
    ).jobs
    assert (first.state, second.state) == ("FINISHED", "FINISHED")
    assert (first.ended_ms or 0) < 90_000
    assert 120_000 < (second.ended_ms or 0) < 600_000


def test_without_a_plan_a_deadline_changes_nothing() -> None:
    (row,) = played(job("a", deadline_ms=1), is_enabled=False).jobs
    assert (row.state, row.queue) == ("FINISHED", "root.plan")
    (row,) = played(job("a", deadline_ms=1, queue="plain")).jobs
    assert (row.state, row.queue) == ("FINISHED", "root.plain")
