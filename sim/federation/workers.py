"""Sub-clusters in processes. Each lives in one process from beginning to end; how many processes there are,
and which is done first, changes nothing: what a join answers is in the order of the sub-clusters.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Self

from yarnbox.sim.federation.subcluster import Joined, Shape, SubCluster
from yarnbox.sim.load.jobs import Job


class LostSubClustersError(Exception):
    """A process has died, and its sub-clusters with it."""


class Workers:
    """All sub-clusters; with one process they are in this one."""

    def __init__(self, count: int, shape: Shape, seed: int, processes: int) -> None:
        self._count = count
        self._processes = min(processes, count)
        self._here: _SubClusterGroup | None = None
        self._pipes: list[Connection] = []
        self._children: list[multiprocessing.process.BaseProcess] = []
        parts = [range(number, count, self._processes) for number in range(self._processes)]
        if self._processes == 1:
            self._here = _SubClusterGroup(parts[0], shape, seed)
            return
        context = multiprocessing.get_context("spawn")
        for part in parts:
            ours, theirs = context.Pipe()
            child = context.Process(target=_live, args=(theirs, part, shape, seed), daemon=True)
            child.start()
            theirs.close()
            self._pipes.append(ours)
            self._children.append(child)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The processes end: nobody wants anything more of them."""
        for pipe in self._pipes:
            pipe.close()
        for child in self._children:
            if kind is not None:
                child.terminate()
            child.join()

    def advance(self, jobs: Mapping[int, Sequence[Job]], until_ms: int) -> list[Joined]:
        """These jobs come to their sub-clusters, and time passes; what each says then."""
        if self._here is not None:
            found = self._here.advance(jobs, until_ms)
        else:
            found = {}
            try:
                for number, pipe in enumerate(self._pipes):
                    mine = {one: jobs[one] for one in jobs if one % self._processes == number}
                    pipe.send((mine, until_ms))
                for pipe in self._pipes:
                    found |= pipe.recv()
            except (EOFError, ConnectionError):
                raise LostSubClustersError(
                    f"a process of sub-clusters has died: is there enough memory for {self._count} of them?"
                ) from None
        return [found[number] for number in range(self._count)]


class _SubClusterGroup:
    """The sub-clusters of one process."""

    def __init__(self, numbers: Sequence[int], shape: Shape, seed: int) -> None:
        self._all = {number: SubCluster(number, shape, seed) for number in numbers}

    def advance(self, jobs: Mapping[int, Sequence[Job]], until_ms: int) -> dict[int, Joined]:
        return {number: one.advance(jobs.get(number, ()), until_ms) for number, one in self._all.items()}


def _live(pipe: Connection, numbers: Sequence[int], shape: Shape, seed: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that joins us
    some = _SubClusterGroup(numbers, shape, seed)
    while True:
        try:
            jobs, until_ms = pipe.recv()
        except EOFError:
            return
        pipe.send(some.advance(jobs, until_ms))
