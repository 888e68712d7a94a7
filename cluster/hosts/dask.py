"""The workers of a Dask cluster as hosts: each has NodeManagers as children of its process.

Owns which worker has which node, and how a worker's size is divided among its nodes. When a worker ends, its
nodes end with it, as when a host is lost; a node that is started again goes to a worker that runs. The files
of a node lie beside the worker's own directory, because Dask removes that as soon as the worker has ended.
Where a worker does not see the run directory, every host gets a copy of it.
"""

from __future__ import annotations

import math
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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
from yarnbox.cluster.hosts.mirror import FOLDER, Mirror, SharedFile, coming_back, known_files, take_in
from yarnbox.cluster.hosts.worker import Facts
from yarnbox.cluster.processes import ProcessId
from yarnbox.cluster.site import tells_sizes
from yarnbox.yarn.connection.dask import DaskAddress, DaskUnusableError, connect, distributed

_MB = 1024 * 1024
_CONNECT_S = 10.0
_STARTS_AT_ONCE = 16

Asked = dict[str, dict[str, ProcessId]]
"""For each worker the processes that are meant, by their nodes' names or directories."""


class DaskWorkers:
    """The hosts of a cluster on Dask. A connection is made when it is needed."""

    def __init__(self, run: RunDirectory, address: DaskAddress) -> None:
        self.address = address
        self._run = run
        self._connection: Any = None
        self._collecting = threading.Lock()

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
        assert record.fleet is not None
        if all(node.place is None for node in record.nodes.values()):
            shares_the_run = all(found.sees_the_run for found in facts.values())
            record.fleet = replace(record.fleet, shares_the_run=shares_the_run)
        elif record.fleet.shares_the_run:
            self._check_that_all_see_the_run(facts)
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
        place, output = node.place, self._run.logs / f"{node.name}.out"
        files: dict[str, SharedFile] = {}
        there_output = output
        if place.copy:
            mirror = Mirror(self._run, place.copy)
            files = {**mirror.shared_files(), **mirror.node_files(node.name)}
            arguments = [mirror.text(one) for one in arguments]
            variables = {name: mirror.text(value) for name, value in variables.items()}
            there_output = Path(mirror.text(str(output)))
        given = (arguments, place.directory, there_output, variables, place.copy, files)
        node.process = self._one(place.worker, there.start, *given)
        if node.process is None:
            with self._collecting:
                self.collect([node])
            raise ClusterError(f"{node.name} has ended at once; see {output}")

    def start_all(self, nodes: Iterable[NodeRecord], start: Callable[[NodeRecord], None]) -> None:
        """Many at once: each call of a worker takes its time."""
        with ThreadPoolExecutor(_STARTS_AT_ONCE) as pool:
            begun = [pool.submit(start, node) for node in nodes]
        for one in begun:
            one.result()

    def share(self, nodes: Iterable[NodeRecord]) -> None:
        """Where hosts have copies of the run directory, these are brought up to date."""
        copies = self._copies(nodes)
        if not copies:
            return
        for (_, path), worker in copies.items():
            self._if_there(worker, there.write, path, Mirror(self._run, path).shared_files())

    def collect(self, nodes: Iterable[NodeRecord]) -> None:
        """Brings here what nodes have written into copies of the run directory."""
        copies = self._copies(nodes)
        if not copies:
            return
        folders = coming_back(self._run)
        known = known_files(self._run, folders)
        for (_, path), worker in copies.items():
            while pieces := self._if_there(worker, there.written, path, folders, known):
                known |= take_in(self._run, pieces)

    def _copies(self, nodes: Iterable[NodeRecord]) -> dict[tuple[str, str], str]:
        """A living worker for each copy of the run directory that started nodes have, by host and path."""
        places = [one.place for one in nodes if one.process and one.place and one.place.copy]
        living = {_host_of(worker): worker for worker in self._workers()} if places else {}
        wanted = {(place.host, place.copy): living.get(place.host) for place in places}
        return {copy: worker for copy, worker in wanted.items() if worker is not None}

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
            if not is_plain_path(found.directory):
                raise ClusterError(
                    f"worker {worker} keeps its files in {found.directory}, which launch scripts cannot name;"
                    " choose another one with --local-directory of `dask worker`"
                )
        return dict(answers)

    def _check_that_all_see_the_run(self, facts: Mapping[str, Facts]) -> None:
        """One that has joined a cluster whose other workers do must, too."""
        for worker, found in facts.items():
            if not found.sees_the_run:
                raise ClusterError(
                    f"worker {worker} does not see {self._run.path}, as the others do: let it share that"
                    " directory, or start the cluster again, with a copy for each host"
                )

    def _place(self, record: ClusterRecord, node: NodeRecord, worker: str, found: Facts) -> Place:
        assert record.fleet is not None
        top = Path(found.directory).parent / f"yarnbox-{record.run_id}"
        place = Place(worker, _host_of(worker), str(top / node.name))
        if not record.fleet.shares_the_run:
            place = replace(place, copy=str(top / FOLDER))
        if tells_sizes(record) or node.virtual:
            return place
        share = record.fleet.share
        memory_mb = found.memory_bytes // _MB // share if found.memory_bytes else None
        return replace(place, memory_mb=memory_mb, vcores=max(1, found.threads // share))

    def _one(self, worker: str, function: Callable[..., Any], *given: Any) -> Any:
        """What one worker answers."""
        answer = self._run_on([worker], function, *given).get(worker)
        if isinstance(answer, BaseException):
            raise ClusterError(f"worker {worker}: {_line(answer)}")
        return answer

    def _if_there(self, worker: str, function: Callable[..., Any], *given: Any) -> Any:
        """What one worker answers; None if it has ended meanwhile."""
        answer = self._run_on([worker], function, *given).get(worker)
        if isinstance(answer, BaseException) and not isinstance(answer, OSError):
            raise ClusterError(f"worker {worker}: {_line(answer)}")
        return None if isinstance(answer, OSError) else answer

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
