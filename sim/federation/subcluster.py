"""One sub-cluster: a ResourceManager and its nodes in virtual time, played from join to join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from yarnbox.sim.federation.policies import State
from yarnbox.sim.load.jobs import Job, Nodes
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.paper.cluster import fair_files, slots
from yarnbox.sim.reports.play import FILES
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.player import WorkloadPlayer
from yarnbox.sim.workload.site import Site
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId, ContainerId


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What all sub-clusters are like."""

    nodes: int = 10_000
    slots: int = 1
    nm_interval_ms: int = 10_000
    am_interval_ms: int = 5_000


class Ended(NamedTuple):
    """A part of a job that has ended."""

    job: str
    at_ms: int
    waited_ms: int
    """Until its first task ran."""


class Joined(NamedTuple):
    """What a sub-cluster says at a join."""

    state: State
    ended: list[Ended]
    busy_ms: int
    """The time that its slots have had tasks, since the beginning."""


class SubCluster(Watcher):
    """One of them."""

    def __init__(self, number: int, shape: Shape, seed: int) -> None:
        site = Site(
            nodes=Nodes(nodes=slots(shape.nodes, shape.slots)),
            nm_interval_ms=shape.nm_interval_ms,
            am_interval_ms=shape.am_interval_ms,
            is_prompt=True,
            seed=seed * 1000 + number,
        )
        self._slots = shape.nodes * shape.slots
        self._player = WorkloadPlayer((), site, fair_files(), FILES, watchers=(self,))
        self._player.begin()
        self._jobs: dict[ApplicationId, Job] = {}
        self._first_ms: dict[ApplicationId, int] = {}
        self._ended: list[Ended] = []
        self._running, self._asked = 0, 0
        self._busy_ms, self._since_ms = 0, 0

    def advance(self, jobs: Sequence[Job], until_ms: int) -> Joined:
        """These jobs come, and time passes up to that moment."""
        for job in jobs:
            self._player.expect(job)
        self._player.kernel.run_until(until_ms)
        self._note(until_ms, 0)
        ended, self._ended = self._ended, []
        free, waiting = self._slots - self._running, self._asked - self._running
        state = State(
            max(0, free), max(0, waiting)
        )  # a slot may be given anew before the AM hears of the end
        return Joined(state, ended, self._busy_ms)

    def _note(self, now_ms: int, change: int) -> None:
        self._busy_ms += self._running * (now_ms - self._since_ms)
        self._running, self._since_ms = self._running + change, now_ms

    # ---- what the play tells

    def submitted(self, application_id: ApplicationId, job: Job, now_ms: int) -> None:
        """Its tasks wait."""
        self._jobs[application_id] = job
        self._asked += job.task_count

    def task_started(
        self, application_id: ApplicationId, running: Running, node: SimNode, now_ms: int
    ) -> None:
        """A slot is taken."""
        self._note(now_ms, 1)
        self._first_ms.setdefault(application_id, now_ms)

    def task_ended(
        self,
        application_id: ApplicationId,
        container_id: ContainerId,
        running: Running,
        status: int,
        now_ms: int,
    ) -> None:
        """A slot is free."""
        self._note(now_ms, -1)
        self._asked -= 1

    def over(self, application_id: ApplicationId, state: str, why: str, now_ms: int) -> None:
        """This part of the job has ended."""
        job = self._jobs.pop(application_id)
        first_ms = self._first_ms.pop(application_id, now_ms)
        self._ended.append(Ended(job.job_id, now_ms, first_ms - job.submit_ms))
