"""Who holds which nodes for how long, and what the slots there are used for.

A cluster that is held has a ResourceManager of its own and is played by itself; who gets nodes when is
decided outside, first come, first served. Times are milliseconds of the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import chain
from operator import attrgetter

from yarnbox.sim.load.jobs import Job, NodeSpec
from yarnbox.sim.paper.cluster import PUBLISHED_DELAY, Played, fair_files, patience, played
from yarnbox.sim.workload.site import Site


class Use(Enum):
    """What becomes of a slot that somebody holds."""

    WORK = "at work"
    TAIL = "idle, the last tasks of a job run"
    WAITING = "idle, maps wait"
    NOTHING = "idle, held without a job"


class NodesTakenError(Exception):
    """More nodes are wanted than there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A cluster that somebody held, and what was played on it; in the play it begins at 0."""

    from_ms: int
    to_ms: int
    slots: int
    jobs: Sequence[Job]
    """With the moments at which they came to this cluster."""
    run: Played

    def ends_ms(self) -> dict[str, int]:
        """When each of these jobs ended."""
        mine = {one.job_id for one in self.jobs}
        return {
            row.job: self.from_ms + row.ended_ms
            for row in self.run.result.jobs
            if row.job in mine and row.ended_ms is not None
        }

    def spans_ms(self) -> Iterator[tuple[int, int]]:
        """When each of their tasks ran."""
        mine = {one.job_id for one in self.jobs}
        for span in self.run.spans:
            if span.job in mine:
                yield self.from_ms + span.from_ms, self.from_ms + span.to_ms

    def uses_ms(self, until_ms: int) -> dict[Use, int]:
        """How much of its slots' time until then went where."""
        found = dict.fromkeys(Use, 0)
        running = waiting = living = 0
        now_ms = self.from_ms
        for at_ms, started, asked, came in sorted(chain(self._changes(), [(until_ms, 0, 0, 0)])):
            passed_ms = min(at_ms, until_ms) - now_ms
            if passed_ms > 0:
                found[Use.WORK] += running * passed_ms
                idle = Use.WAITING if waiting else Use.TAIL if living else Use.NOTHING
                found[idle] += (self.slots - running) * passed_ms
                now_ms += passed_ms
            running, waiting, living = running + started, waiting + asked, living + came
        return found

    def _changes(self) -> Iterator[tuple[int, int, int, int]]:
        """Moments at which tasks start or end, wait, and jobs come or end."""
        for from_ms, to_ms in self.spans_ms():
            yield (from_ms, 1, -1, 0)
            yield (to_ms, -1, 0, 0)
        ends_ms = self.ends_ms()
        for one in self.jobs:
            yield (self.from_ms + one.submit_ms, 0, one.task_count, 1)
            yield (ends_ms[one.job_id], 0, 0, -1)


def shared(jobs: Sequence[Job], nodes: Sequence[NodeSpec], seed: int) -> list[Held]:
    """All jobs on all nodes."""
    run = _played(jobs, nodes, seed)
    return [_held(run, jobs, nodes, 0, _last_ms(run))]


def for_good(loads: Sequence[Sequence[Job]], nodes: Sequence[NodeSpec], each: int, seed: int) -> list[Held]:
    """The jobs of each user on so many nodes of his own, which he holds until everybody is done."""
    parts = [nodes[number * each : (number + 1) * each] for number in range(len(loads))]
    runs = [_played(jobs, part, seed) for jobs, part in zip(loads, parts, strict=True)]
    until_ms = max(map(_last_ms, runs))
    return [_held(run, jobs, part, 0, until_ms) for run, jobs, part in zip(runs, loads, parts, strict=True)]


def for_each_job(
    jobs: Iterable[Job], nodes: Sequence[NodeSpec], each: int, most: int, seed: int
) -> list[Held]:
    """A cluster for each job: a node for `each` tasks, so many nodes at most."""
    line = _Line(nodes)
    for one in sorted(jobs, key=attrgetter("submit_ms", "job_id")):
        wanted = min(most, -(-one.task_count // each))
        from_ms, mine = line.take(one.submit_ms, wanted)
        come = replace(one, submit_ms=0)
        run = _played([come], mine, seed)
        line.give_back(_held(run, [come], mine, from_ms, from_ms + _last_ms(run)), mine)
    return line.held


def for_each_user(
    loads: Sequence[Sequence[Job]], nodes: Sequence[NodeSpec], each: int, seed: int
) -> list[Held]:
    """A cluster of so many nodes for each user, from a job of his until none is left."""
    line = _Line(nodes)
    left = {number: list(jobs) for number, jobs in enumerate(loads) if jobs}
    wants_ms = {number: jobs[0].submit_ms for number, jobs in left.items()}
    while left:
        user = min(left, key=lambda number: (wants_ms[number], number))
        from_ms, mine = line.take(wants_ms[user], each)
        come = [replace(one, submit_ms=max(0, one.submit_ms - from_ms)) for one in left[user]]
        run = _played(come, mine, seed)
        served, ended_ms = _until_none_is_left(run, come)
        line.give_back(_held(run, come[:served], mine, from_ms, from_ms + ended_ms), mine)
        left[user] = left[user][served:]
        if left[user]:
            wants_ms[user] = left[user][0].submit_ms
        else:
            del left[user]
    return line.held


class _Line:
    """Nodes that are given to whoever comes first, and come back."""

    def __init__(self, nodes: Sequence[NodeSpec]) -> None:
        self._nodes = list(nodes)
        self._free_from_ms = {node.host: 0 for node in nodes}
        self._served_ms = 0
        self.held: list[Held] = []

    def take(self, at_ms: int, count: int) -> tuple[int, list[NodeSpec]]:
        """From when on whoever comes then has which nodes; nobody overtakes."""
        if count > len(self._nodes):
            raise NodesTakenError(f"{count} nodes of {len(self._nodes)}")
        free_ms = sorted(self._free_from_ms.values())[count - 1]
        from_ms = self._served_ms = max(at_ms, free_ms, self._served_ms)
        free = [node for node in self._nodes if self._free_from_ms[node.host] <= from_ms]
        return from_ms, free[:count]

    def give_back(self, held: Held, nodes: Iterable[NodeSpec]) -> None:
        """They are free again when that cluster has ended."""
        self.held.append(held)
        for node in nodes:
            self._free_from_ms[node.host] = held.to_ms


def _played(jobs: Sequence[Job], nodes: Sequence[NodeSpec], seed: int) -> Played:
    site = Site(seed=seed, is_prompt=True, duration_spread=0.1, rack_slowdown=1.5, remote_slowdown=2.0)
    return played(fair_files(properties={**patience(0.5), **PUBLISHED_DELAY}), jobs, nodes, site)


def _held(run: Played, jobs: Sequence[Job], nodes: Sequence[NodeSpec], from_ms: int, to_ms: int) -> Held:
    slots = sum(node.resource.vcores for node in nodes if node.resource is not None)
    return Held(from_ms=from_ms, to_ms=to_ms, slots=slots, jobs=jobs, run=run)


def _last_ms(run: Played) -> int:
    return max(row.ended_ms or 0 for row in run.result.jobs)


def _until_none_is_left(run: Played, jobs: Sequence[Job]) -> tuple[int, int]:
    """How many of these jobs were done when for the first time none was left, and when that was."""
    ends_ms = {row.job: row.ended_ms or 0 for row in run.result.jobs}
    until_ms = 0
    for number, one in enumerate(jobs):
        if number and one.submit_ms > until_ms:
            return number, until_ms
        until_ms = max(until_ms, ends_ms[one.job_id])
    return len(jobs), until_ms
