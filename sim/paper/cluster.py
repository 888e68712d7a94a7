"""Clusters of slots, the files of the schedulers on them, and a play.

A slot is a container of 1 GB and one vcore. Beside its slots a node has a little memory for
ApplicationMasters of 1 MB, which take no slot: the published clusters had none. Each job is in a queue of its
own unless it names one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import STREAM, Job, Nodes, NodeSpec, Task
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.reports.play import Play
from yarnbox.sim.reports.result import Result
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.sim.workload.files import CLASS
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.requests import ANYWHERE, NODE, OFF, RACK
from yarnbox.sim.workload.site import Site
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.resources.resource import Resource

REPLICAS = 3
SLOT = Resource(1024, 1)
AM = Resource(1, 0)
ROOM_FOR_AMS_MB = 128
THRESHOLD = "yarn.scheduler.fair.locality.threshold."
PUBLISHED_DELAY = {
    "yarnbox.fair.locality.count-free-places-only": "true",
    "yarnbox.fair.locality.reset-after-node-local": "true",
}
"""Delay scheduling as the paper has it, where Hadoop 3.4 differs."""
_SIZES = {
    "yarn.scheduler.minimum-allocation-mb": "1",
    "yarn.resource-types.memory-mb.increment-allocation": "1",
    "yarn.scheduler.reservation-threshold.increment-multiple": "8192",
    "yarn.scheduler.maximum-allocation-mb": "1048576",
    "yarn.scheduler.maximum-allocation-vcores": "1024",
}


def fair_files(queues: str = "", properties: Mapping[str, str] | None = None) -> ScenarioFiles:
    """The FairScheduler with these queues; AMs take no part of a share."""
    text = f"<allocations><queueMaxAMShareDefault>-1</queueMaxAMShareDefault>{queues}</allocations>"
    sizes = {**_SIZES, "yarn.scheduler.minimum-allocation-vcores": "0"}
    return ScenarioFiles({CLASS: "fair", **sizes, **(properties or {})}, None, text)


def capacity_files(queues: Mapping[str, str], properties: Mapping[str, str] | None = None) -> ScenarioFiles:
    """The CapacityScheduler; `queues` are properties behind `yarn.scheduler.capacity.`."""
    ours = {"maximum-am-resource-percent": "1", "node-locality-delay": "-1", **queues}
    prefixed = {f"yarn.scheduler.capacity.{name}": value for name, value in ours.items()}
    sizes = {**_SIZES, "yarn.scheduler.minimum-allocation-vcores": "1"}
    return ScenarioFiles({CLASS: "capacity", **sizes, **(properties or {})}, prefixed, None)


def fifo_files(properties: Mapping[str, str] | None = None) -> ScenarioFiles:
    """The FIFO scheduler and its one queue."""
    sizes = {**_SIZES, "yarn.scheduler.minimum-allocation-vcores": "1"}
    return ScenarioFiles({CLASS: "fifo", **sizes, **(properties or {})}, None, None)


def slots(nodes: int, each: int = 1, racks: int = 1, room_mb: int = ROOM_FOR_AMS_MB) -> tuple[NodeSpec, ...]:
    """Nodes of so many slots, in racks of equal size, with so much more memory for ApplicationMasters."""
    per_rack = -(-nodes // racks)
    resource = Resource(each * SLOT.memory_mb + room_mb, each * SLOT.vcores)
    return tuple(
        NodeSpec(host=f"n{number:03d}", rack=f"/r{number // per_rack}", resource=resource)
        for number in range(nodes)
    )


def patience(node: float, rack: float | None = None) -> dict[str, str]:
    """Thresholds of the delay, as parts of the cluster; negative: no delay."""
    return {f"{THRESHOLD}node": str(node), f"{THRESHOLD}rack": str(node if rack is None else rack)}


def maps(
    count: int, duration_ms: int, nodes: Sequence[NodeSpec], chance: Random, resource: Resource = SLOT
) -> tuple[Task, ...]:
    """Maps whose blocks have replicas on distinct random nodes."""
    return tuple(
        Task(
            duration_ms=duration_ms,
            resource=resource,
            places=tuple(node.place for node in chance.sample(nodes, min(REPLICAS, len(nodes)))),
        )
        for _ in range(count)
    )


def job(name: str, tasks: tuple[Task, ...], *, at_ms: int = 0, queue: str | None = None) -> Job:
    """A job in a queue of its own, or in that one."""
    return Job(
        job_id=name, submit_ms=at_ms, queue=queue or f"root.{name}", user=name, tasks=tasks, am_resource=AM
    )


def hog(count: int, duration_ms: int, end_ms: int, *, name: str = "hog", queue: str | None = None) -> Job:
    """Somebody who wants so many slots until that moment, wherever they are."""
    task = Task(stage="task", count=count, duration_ms=duration_ms)
    return replace(job(name, (task,), queue=queue), model=STREAM, end_ms=end_ms)


class Start(NamedTuple):
    """A task that began."""

    at_ms: int
    job: str
    locality: str
    host: str


class Span(NamedTuple):
    """A task's container, from its start to its end."""

    job: str
    from_ms: int
    to_ms: int


class Starts(Watcher):
    """All tasks that began, and those that ended, in order."""

    def __init__(self) -> None:
        self.all: list[Start] = []
        self.spans: list[Span] = []
        self._names: dict[ApplicationId, str] = {}

    def submitted(self, application_id: ApplicationId, job: Job, now_ms: int) -> None:
        """A job has an id now."""
        self._names[application_id] = job.job_id

    def task_started(
        self, application_id: ApplicationId, running: Running, node: SimNode, now_ms: int
    ) -> None:
        name = self._names[application_id]
        self.all.append(Start(now_ms, name, running.locality, node.node_id.host))

    def task_ended(
        self,
        application_id: ApplicationId,
        container_id: ContainerId,
        running: Running,
        status: int,
        now_ms: int,
    ) -> None:
        self.spans.append(Span(self._names[application_id], running.started_ms, now_ms))


@dataclass(frozen=True, slots=True)
class Played:
    """A play, and what began in it."""

    result: Result
    starts: Sequence[Start]
    spans: Sequence[Span]


def played(
    files: ScenarioFiles, jobs: Iterable[Job], nodes: Sequence[NodeSpec] | Nodes, site: Site
) -> Played:
    """The jobs on these nodes, until all have ended."""
    known = nodes if isinstance(nodes, Nodes) else Nodes(nodes=tuple(nodes))
    starts = Starts()
    play = Play(files, Load.of(jobs), replace(site, nodes=known), watchers=(starts,), samples=False)
    return Played(play.run(), starts.all, starts.spans)


def first_waits_s(run: Played, am_start_ms: int) -> dict[str, float]:
    """By job, from its first asking to the start of its first task with data."""
    firsts = {start.job: start.at_ms for start in reversed(with_data(run.starts))}
    waits = {}
    for row in run.result.jobs:
        if row.job in firsts and row.am_wait_ms is not None:
            asked_ms = row.submitted_ms + row.am_wait_ms + am_start_ms
            waits[row.job] = (firsts[row.job] - asked_ms) / 1000
    return waits


def with_data(starts: Iterable[Start]) -> list[Start]:
    """Those of tasks that have data somewhere."""
    return [start for start in starts if start.locality != ANYWHERE]


def localities(starts: Iterable[Start]) -> dict[str, float]:
    """Of tasks with data, the parts that ran on a node with it, in a rack with it, elsewhere."""
    counts = dict.fromkeys((NODE, RACK, OFF), 0)
    for start in starts:
        if start.locality in counts:
            counts[start.locality] += 1
    total = max(1, sum(counts.values()))
    return {name: count / total for name, count in counts.items()}
