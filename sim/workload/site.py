"""The cluster on which a workload is played, and what the model assumes about tasks and nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, log1p, sqrt
from random import Random
from typing import NamedTuple

from yarnbox.sim.load.jobs import Nodes, NodeSpec
from yarnbox.sim.load.reading import NODE_RESOURCE
from yarnbox.sim.load.sls import numbered_nodes
from yarnbox.sim.workload.requests import OFF, RACK
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLoss:
    """A node that dies, and comes back with nothing on it."""

    host: str
    at_ms: int
    for_ms: int | None = None
    """None: for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The cluster, and what is assumed of it."""

    nodes: int | Nodes = 10
    """So many equal ones, or these."""
    racks: int = 1
    node_resource: Resource = NODE_RESOURCE
    nm_interval_ms: int = 1000
    am_interval_ms: int = 1000
    am_launch_ms: int = 0
    """From the allocation of an AM's container to its launch."""
    am_start_ms: int | None = None
    """From an AM's launch to its registration; None: as long as its interval."""
    am_end_ms: int = 0
    """From its unregistration to the end of its container."""
    task_overhead_ms: int = 0
    """What a container takes beside its task: to be started, and until its node has seen the end."""
    is_prompt: bool = False
    """AMs process an answer as it comes, like those of Hadoop's client library; else with their next call, as
    in SLS.
    """
    has_prompt_nodes: bool = False
    """Nodes heartbeat as soon as a container has ended, as NodeManagers do; else in time, as in SLS."""
    seed: int = 0
    longest_ms: int = 7 * 24 * 3600 * 1000
    """The play ends so long after the last submission, whatever still waits."""
    every_heartbeat: bool = False
    """Also those heartbeats are made that can change nothing; for comparisons, for it takes long."""
    in_order: bool = False
    """Containers go to tasks in the tasks' order, as in SLS; else to a task with data there first."""
    rack_slowdown: float = 1.0
    """A task whose data lies on another node of the rack takes so many times as long."""
    remote_slowdown: float = 1.0
    """One whose data lies in another rack."""
    block_mb: int = 128
    """What a task reads from its place."""
    disk_mb_s: float | None = None
    """How fast a task reads data of its own node; None: places cost what the slowdowns say."""
    rack_mb_s: float = 100.0
    """Data of another node of the rack."""
    remote_mb_s: float = 50.0
    """Data of another rack."""
    feedback: bool = False
    """Closed submission: users go on after what has ended (sim.workload.arrivals)."""
    task_failures: float = 0.0
    """The share of attempts that fail, each at a chance moment of its duration."""
    stragglers: float = 0.0
    """The share of attempts that take longer."""
    straggler_slowdown: float = 3.0
    reduce_split: bool = False
    """A reduce copies in a container of a quarter of its size, and computes in a full one afterwards."""
    speculation: str | None = None
    """Who chooses attempts of MapReduce that get a second one: `hadoop` or `late`; None: nobody."""
    duration_spread: float = 0.0
    """Standard deviation over mean of the time that each attempt takes, log-normally distributed around the
    load's; 0: exactly the load's.
    """
    node_losses: tuple[NodeLoss, ...] = ()
    node_mtbf_ms: int | None = None
    """Mean time to a node's next death, exponentially distributed; None: nodes live."""
    node_repair_ms: int = 600_000
    """Mean time until it is back, exponentially distributed."""

    def specs(self) -> tuple[NodeSpec, ...]:
        return self.known().nodes

    def known(self) -> Nodes:
        """The nodes with their labels."""
        return numbered_nodes(self.nodes, self.racks) if isinstance(self.nodes, int) else self.nodes


class AttemptDraws(NamedTuple):
    """What is drawn for one attempt of a task, used or not: from 0 to below 1; `spread` of a standard normal
    distribution.
    """

    straggles: float
    fails: float
    fails_at: float
    spread: float


class Timing:
    """How long tasks take, and which fail.

    The n-th attempt that begins of a job's equal tasks has its own stream of chance, out of the seed: another
    order in which jobs get their containers changes nobody's luck, and neither does another kind of chance.
    """

    def __init__(self, site: Site) -> None:
        self._site = site
        self._is_plain = not (site.task_failures or site.stragglers or site.duration_spread)
        self._begun: dict[str, dict[int, int]] = {}
        """Attempts that have begun, by batch of each living job."""
        self._sigma = sqrt(log1p(site.duration_spread**2))

    def luck(self, job_id: str, batch: int) -> AttemptDraws | None:
        """That of the next attempt in this batch of the job's; None where nothing is left to chance."""
        if self._is_plain:
            return None
        begun = self._begun.setdefault(job_id, {})
        number = begun.get(batch, 0)
        begun[batch] = number + 1
        chance = Random(f"{self._site.seed}/tasks/{job_id}/{batch}/{number}")
        return AttemptDraws(chance.random(), chance.random(), chance.random(), chance.gauss(0.0, 1.0))

    def forget(self, job_id: str) -> None:
        """The job is over."""
        self._begun.pop(job_id, None)

    def duration_ms(self, duration_ms: int, locality: str, speed: float, luck: AttemptDraws | None) -> int:
        """The time that a task takes there."""
        factor = 1.0
        if locality == RACK:
            factor = self._site.rack_slowdown
        elif locality == OFF:
            factor = self._site.remote_slowdown
        if luck is not None:
            if luck.straggles < self._site.stragglers:
                factor *= self._site.straggler_slowdown
            if self._sigma:
                factor *= exp(self._sigma * (luck.spread - self._sigma / 2))
        factor /= speed
        found_ms = duration_ms if factor == 1.0 else max(1, round(duration_ms * factor))
        return found_ms + self._transfer_ms(locality)

    def _transfer_ms(self, locality: str) -> int:
        """How much longer it takes to read a block there than on the node that has it."""
        site = self._site
        if site.disk_mb_s is None or locality not in (RACK, OFF):
            return 0
        link_mb_s = site.rack_mb_s if locality == RACK else site.remote_mb_s
        slowest_mb_s = min(link_mb_s, site.disk_mb_s)
        return round(1000 * site.block_mb * (1 / slowest_mb_s - 1 / site.disk_mb_s))

    def fails_after_ms(self, duration_ms: int, luck: AttemptDraws | None) -> int | None:
        """After how long an attempt of that duration fails; None where it does not."""
        if luck is None or luck.fails >= self._site.task_failures:
            return None
        return max(1, int(luck.fails_at * duration_ms))


def deaths(site: Site, host: str) -> Iterator[NodeLoss]:
    """The deaths of a node that are drawn, without end."""
    if site.node_mtbf_ms is None:
        return
    chance = Random(f"{site.seed}/{host}")
    now_ms = 0
    while True:
        now_ms += round(chance.expovariate(1 / site.node_mtbf_ms))
        repair_ms = max(1, round(chance.expovariate(1 / site.node_repair_ms)))
        yield NodeLoss(host=host, at_ms=now_ms, for_ms=repair_ms)
        now_ms += repair_ms
