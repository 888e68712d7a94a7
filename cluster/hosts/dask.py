"""The workers of a Dask cluster as hosts: each has NodeManagers as children of its process.

Owns which worker has which node, and how a worker's size is shared out. A worker that has ended is a host
that is gone: its nodes end with it, and one that is started again goes to a worker that lives. The run
directory has to be on a filesystem that this machine and the workers share; what is a node's alone lies where
workers have their own files, beside them: Dask removes those as soon as a worker has ended.
"""

from __future__ import annotations

import math
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from yarnbox import __version__
from yarnbox.cluster.directory import (
    ClusterError,
    ClusterRecord,
    FleetRecord,
    NodeRecord,
    Place,
    RunDirectory,
    is_plain_path,
)
from yarnbox.cluster.hosts import worker as there
from yarnbox.cluster.hosts.worker import Facts
from yarnbox.cluster.processes import ProcessId
from yarnbox.cluster.site import tells_sizes
from yarnbox.yarn.connection.dask import DaskAddress, DaskUnusableError, connect, distributed

_MB = 1024 * 1024
_CONNECT_S = 10.0

Asked = dict[str, dict[str, ProcessId]]
"""For each worker the processes that are meant, by their nodes' names or directories."""


class DaskWorkers:
    """The hosts of a cluster on Dask. A connection is made when it is needed."""

    def __init__(self, run: RunDirectory, address: DaskAddress) -> None:
        self.address = address
        self._run = run
        self._connection: Any = None

    def fleet(self, nodes: int | None) -> tuple[FleetRecord, int]:
        """How so many nodes are shared out, one for each worker if nobody says; and how many they are."""
        count = len(self._workers())
        if count == 0:
            raise ClusterError(f"{self.address.scheduler} has no workers; start some with `dask worker`")
        wanted = count if nodes is None else nodes
        share = max(1, math.ceil(wanted / count))
        scheduler = self._client.scheduler.address
        host = _host_of(distributed().comm.get_local_address_for(scheduler))
        return FleetRecord(self.address, host, share), wanted

    def place(self, record: ClusterRecord, nodes: Iterable[NodeRecord]) -> list[NodeRecord]:
        """Each goes to the worker that has the fewest."""
        living, wanted = self._workers(), list(nodes)
        moved = [node for node in wanted if node.place is None or node.place.worker not in living]
        if not moved:
            return []
        facts = self._facts(living)
        placed = [node.place.worker for node in record.nodes.values() if node.place and node not in moved]
        count = Counter(placed)
        for node in moved:
            worker = min(facts, key=lambda one: count[one])
            count[worker] += 1
            node.place = self._place(record, node, worker, facts[worker])
            node.process = None
        return moved

    def start(self, node: NodeRecord, arguments: Sequence[str], variables: Mapping[str, str]) -> None:
        """As a child of its worker's process."""
        assert node.place is not None
        output = self._run.logs / f"{node.name}.out"
        given = (arguments, node.place.directory, output, variables)
        node.process = self._one(node.place.worker, there.start, *given)
        if node.process is None:
            raise ClusterError(f"{node.name} has ended at once; see {output}")

    def running(self, nodes: Iterable[NodeRecord]) -> set[str]:
        """Those that their workers know; a worker that does not answer has none."""
        asked = _by_worker(nodes, lambda node, place: node.name)
        answers = self._all(there.running, asked)
        return {name for names in answers.values() if isinstance(names, list) for name in names}

    def send(self, node: NodeRecord, number: signal.Signals) -> bool:
        """By its worker, if that is still there."""
        place = node.place
        if place is None or node.process is None or place.worker not in self._workers():
            return False
        return bool(self._one(place.worker, there.send, node.process, place.directory, number))

    def end(self, nodes: Iterable[NodeRecord]) -> None:
        """All at once, by the workers that are still there."""
        self._all(there.end, _by_worker(nodes, lambda node, place: place.directory))

    def forget(self, nodes: Iterable[NodeRecord]) -> None:
        """Nothing stays on their hosts; what the node of a worker that is gone has left, another one of the
        host removes.
        """
        by_worker = _by_worker(nodes, lambda node, place: place.directory)
        if not by_worker:
            return
        living = self._workers()
        neighbours = {_host_of(one): one for one in living}
        asked: Asked = {}
        for worker, directories in by_worker.items():
            remover = worker if worker in living else neighbours.get(_host_of(worker), worker)
            asked.setdefault(remover, {}).update(directories)
        self._all(there.forget, asked)

    def close(self) -> None:
        """Lets go of the scheduler."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def _client(self) -> Any:
        if self._connection is None:
            try:
                self._connection = connect(self.address, _CONNECT_S)
            except DaskUnusableError as error:
                raise ClusterError(str(error)) from None
        return self._connection

    def _workers(self) -> list[str]:
        """The addresses of all that live, as far as the scheduler knows."""
        return list(self._asked(self._client.nthreads))

    def _facts(self, workers: Sequence[str]) -> dict[str, Facts]:
        """Of each worker; ClusterError for one that cannot be a host."""
        mark = self._run.path / f".seen-by-workers-{os.getpid()}"
        mark.touch()
        try:
            answers = self._asked(
                self._client.run, there.facts, str(mark), workers=workers, on_error="return"
            )
        finally:
            mark.unlink()
        for worker, found in answers.items():
            if not isinstance(found, Facts):
                raise ClusterError(f"worker {worker} cannot run NodeManagers of yarnbox: {_line(found)}")
            if found.version != __version__:
                raise ClusterError(f"worker {worker} has yarnbox {found.version}, and this is {__version__}")
            if not found.sees_the_run:
                raise ClusterError(
                    f"worker {worker} does not see {self._run.path}: name a directory that all workers and"
                    " this machine share with --dir"
                )
            if not is_plain_path(found.directory):
                raise ClusterError(
                    f"worker {worker} keeps its files in {found.directory}, which launch scripts cannot name;"
                    " choose another one with --local-directory of `dask worker`"
                )
        return dict(answers)

    def _place(self, record: ClusterRecord, node: NodeRecord, worker: str, found: Facts) -> Place:
        assert record.fleet is not None
        directory = str(Path(found.directory).parent / f"yarnbox-{record.run_id}" / node.name)
        if tells_sizes(record) or node.virtual:
            return Place(worker, _host_of(worker), directory)
        share = record.fleet.share
        memory_mb = found.memory_bytes // _MB // share if found.memory_bytes else None
        return Place(worker, _host_of(worker), directory, memory_mb, max(1, found.threads // share))

    def _one(self, worker: str, function: Callable[..., Any], *given: Any) -> Any:
        """What one worker answers."""
        answer = self._run_on([worker], function, *given).get(worker)
        if isinstance(answer, BaseException):
            raise ClusterError(f"worker {worker}: {_line(answer)}")
        return answer

    def _all(self, function: Callable[..., Any], asked: Asked) -> Mapping[str, Any]:
        """What all workers that are asked for something answer, those left out that are gone."""
        workers = [one for one in self._workers() if one in asked] if asked else []
        answers = self._run_on(workers, function, asked) if workers else {}
        for worker, answer in answers.items():
            if isinstance(answer, BaseException) and not isinstance(answer, OSError):
                raise ClusterError(f"worker {worker}: {_line(answer)}")
        return answers

    def _run_on(self, workers: Sequence[str], function: Callable[..., Any], *given: Any) -> Mapping[str, Any]:
        """The answer of each worker, or the exception that it has raised."""
        options = {"workers": list(workers), "on_error": "return"}
        answers: Mapping[str, Any] = self._asked(self._client.run, function, *given, **options)
        return answers

    def _asked(self, call: Callable[..., Any], *given: Any, **options: Any) -> Any:
        try:
            return call(*given, **options)
        except (OSError, TimeoutError, ValueError) as error:
            raise ClusterError(
                f"Dask's scheduler at {self.address.scheduler} does not answer: {_line(error)}"
            ) from None


def _by_worker(nodes: Iterable[NodeRecord], key: Callable[[NodeRecord, Place], str]) -> Asked:
    """The processes that were started, of each worker."""
    found: Asked = {}
    for node in nodes:
        if node.place is not None and node.process is not None:
            found.setdefault(node.place.worker, {})[key(node, node.place)] = node.process
    return found


def _host_of(address: str) -> str:
    """The host in an address of Dask's: tcp://10.0.0.5:40123."""
    return urlsplit(address).hostname or address


def _line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__
