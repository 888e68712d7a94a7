"""Where the data of a load lies, for loads that do not say: files of blocks with replicas on nodes.

Each MapReduce job reads one file; map number i reads its block i. How often a file is read falls with its
number as 1 / number ** skew, so that a few files, and the nodes that hold them, are read by many jobs. A
block's replicas lie as HDFS puts them for a writer outside of the cluster: the first anywhere, the second in
another rack, the third beside the second on another node, further ones anywhere. The same seed gives the same
places.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import MAP, MAPREDUCE, Job, NodeSpec, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class DataOptions:
    """The files."""

    replication: int = 3
    files: int = 1000
    skew: float = 0.0
    """0: all are read equally often; 1: Zipf's law."""


def with_data(load: Load, nodes: Sequence[NodeSpec], options: DataOptions, seed: int) -> Load:
    """The load, whose maps without places read the blocks of files on these nodes."""

    def jobs() -> Iterator[Job]:
        files = _Files(nodes, options, seed)
        for job in load.jobs():
            yield files.read_by(job)

    return replace(load, jobs=jobs)


class _Files:
    def __init__(self, nodes: Sequence[NodeSpec], options: DataOptions, seed: int) -> None:
        self._nodes, self._options, self._seed = nodes, options, seed
        self._racks: dict[str, list[NodeSpec]] = {}
        for node in nodes:
            self._racks.setdefault(node.rack, []).append(node)
        self._chance = Random(f"{seed}/files")
        self._popularity = list(accumulate((number + 1) ** -options.skew for number in range(options.files)))

    def read_by(self, job: Job) -> Job:
        """The job, reading a file; as it is where its maps have places, or where it has none."""
        if job.model != MAPREDUCE or any(task.places for task in job.tasks):
            return job
        drawn = self._chance.random() * self._popularity[-1]
        file = min(bisect_right(self._popularity, drawn), self._options.files - 1)
        return replace(job, tasks=tuple(self._tasks(job, file)))

    def _tasks(self, job: Job, file: int) -> Iterator[Task]:
        block = 0
        for task in job.tasks:
            if task.stage != MAP:
                yield task
                continue
            for _ in range(task.count):
                yield replace(task, count=1, places=self.replicas(file, block))
                block += 1

    def replicas(self, file: int, block: int) -> tuple[str, ...]:
        """Where the replicas of a block lie."""
        chance = Random(f"{self._seed}/{file}/{block}")
        chosen: list[NodeSpec] = []
        while len(chosen) < min(self._options.replication, len(self._nodes)):
            chosen.append(self._next(chosen, chance))
        return tuple(node.place for node in chosen)

    def _next(self, chosen: Sequence[NodeSpec], chance: Random) -> NodeSpec:
        pool: Sequence[NodeSpec] = self._nodes
        avoided = ""
        if len(chosen) == 1 and len(self._racks) > 1:
            avoided = chosen[0].rack
        elif len(chosen) == 2:
            beside = self._racks[chosen[1].rack]
            pool = beside if any(node not in chosen for node in beside) else pool
        while True:
            node = pool[int(chance.random() * len(pool))]
            if node not in chosen and node.rack != avoided:
                return node
