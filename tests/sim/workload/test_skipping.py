"""Heartbeats that are left out change nothing: a play with all of them comes to the same."""

from __future__ import annotations

from dataclasses import asdict
from random import Random
from typing import Any

import pytest

from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim import Job, Load, NodeLoss, Nodes, NodeSpec, Site, Task, play
from yarnbox.sim.load.jobs import DAG, REDUCE, SERVICE, STREAM
from yarnbox.sim.workload.files import equal_queues
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.resources.resource import Resource

HOSTS = Nodes(
    nodes=tuple(
        NodeSpec(host=f"h{number}", rack=f"/r{number % 3}", resource=Resource(6144, 6)) for number in range(9)
    )
)
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
EXPIRY = {
    "yarn.nm.liveness-monitor.expiry-interval-ms": "30000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "40000",
}
PREEMPTING = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    PREEMPTION + "max_wait_before_kill": "2000",
    PREEMPTION + "monitoring_interval": "1000",
    PREEMPTION + "total_preemption_per_round": "1.0",
    PREEMPTION + "natural_termination_factor": "1.0",
}


class Story(Watcher):
    """All that happens to jobs and tasks, with its moment."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def am_started(self, application_id: Any, now_ms: int) -> None:
        self.lines.append(f"{now_ms} {application_id} AM")

    def task_started(self, application_id: Any, running: Running, node: Any, now_ms: int) -> None:
        self.lines.append(f"{now_ms} {running.container.id} at {node.node_id.host}: {running.locality}")

    def task_ended(
        self, application_id: Any, container_id: Any, running: Running, status: int, now_ms: int
    ) -> None:
        self.lines.append(f"{now_ms} {container_id} ended {status}")

    def over(self, application_id: Any, state: str, why: str, now_ms: int) -> None:
        self.lines.append(f"{now_ms} {application_id} {state}")


def mixed(seed: int) -> list[Job]:
    """Jobs of every model, with places and failures, more than the cluster has room for."""
    chance = Random(seed)
    jobs = []
    for number in range(13):
        submit_ms = chance.randrange(120_000)
        common: dict[str, Any] = {
            "submit_ms": submit_ms,
            "queue": chance.choice("ab"),
            "am_attempts": 2,
            "user": chance.choice(("mei", "tom")),
        }
        host = chance.randrange(9)
        place = (f"/r{host % 3}/h{host}",)
        task = Task(count=chance.randint(1, 30), duration_ms=chance.randint(500, 25_000), places=place)
        reduce_ = Task(stage=REDUCE, count=chance.randint(1, 6), duration_ms=7000)
        match number % 7:
            case 0:
                tasks: tuple[Task, ...] = (
                    Task(stage="x", count=3, duration_ms=4000),
                    Task(stage="y", duration_ms=100, delay_ms=chance.randrange(20_000)),
                )
                jobs.append(Job(job_id=f"dag{number}", tasks=tasks, model=DAG, after={"x": ("y",)}, **common))
            case 1:
                tasks = (Task(stage="s", count=2, duration_ms=9000),)
                end_ms = submit_ms + 50_000
                jobs.append(Job(job_id=f"str{number}", tasks=tasks, model=STREAM, end_ms=end_ms, **common))
            case 2:
                tasks = (Task(stage="s", count=2, duration_ms=60_500),)
                jobs.append(Job(job_id=f"svc{number}", tasks=tasks, model=SERVICE, **common))
            case 3 | 4:
                jobs.append(Job(job_id=f"slow{number}", tasks=(task, reduce_), slow_start=0.1, **common))
            case _:
                jobs.append(Job(job_id=f"mr{number}", tasks=(task, reduce_), **common))
    return sorted(jobs, key=lambda job: job.submit_ms)


def played(conf: ConfigurationProvider, load: Load, **site: Any) -> tuple[list[str], dict[str, Any]]:
    story = Story()
    result = play(conf, load, site=Site(**{"nodes": HOSTS, **site}), watchers=[story])
    assert len(result.jobs) == 13
    return story.lines, {**result.data(), "rows": [asdict(row) for row in result.jobs]}


@pytest.mark.parametrize("is_prompt", [False, True])
@pytest.mark.parametrize("scheduler", ["fifo", "capacity", "fair"])
def test_heartbeats_that_are_left_out_change_nothing(scheduler: str, is_prompt: bool) -> None:
    seed = 1
    conf = equal_queues(scheduler, ("a", "b"), {**EXPIRY, **(PREEMPTING if scheduler == "capacity" else {})})
    load = Load.of(mixed(seed), HOSTS)
    site: dict[str, Any] = {
        "seed": seed,
        "is_prompt": is_prompt,
        "has_prompt_nodes": is_prompt,
        "task_failures": 0.05,
        "node_losses": (
            NodeLoss(host="h3", at_ms=40_000, for_ms=5000),
            NodeLoss(host="h5", at_ms=70_000, for_ms=90_000),
            NodeLoss(host="h7", at_ms=110_500),
        ),
    }
    some, every = (played(conf, load, every_heartbeat=flag, **site) for flag in (False, True))
    assert some[0] == every[0]
    assert some[1] == every[1]
