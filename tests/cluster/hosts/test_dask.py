"""Workers of Dask as hosts, without any: which worker gets which node, how large, and what is refused."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox import __version__
from yarnbox.cluster.directory import ClusterError, ClusterRecord, NodeRecord, RunDirectory
from yarnbox.cluster.hosts import dask, mirror, worker
from yarnbox.cluster.hosts.dask import DaskWorkers
from yarnbox.cluster.hosts.worker import Facts
from yarnbox.cluster.main import main
from yarnbox.cluster.processes import ProcessId
from yarnbox.yarn.connection.dask import DaskAddress

GB = 1000**3


@dataclass
class Client:
    """A `distributed.Client` of workers that are not there; what they are asked for is noted."""

    workers: dict[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    is_gone: bool = False
    scheduler: Any = field(default_factory=lambda: SimpleNamespace(address="tcp://127.0.0.1:1"))

    def nthreads(self) -> dict[str, int]:
        if self.is_gone:
            raise OSError("nobody listens")
        return {name: one.state.nthreads for name, one in self.workers.items()}

    def run(
        self, function: Callable[..., Any], *given: Any, workers: Sequence[str], on_error: str
    ) -> dict[str, Any]:
        assert on_error == "return"
        self.calls += [(function.__name__, name) for name in workers]
        return {name: self._run(function, given, self.workers[name]) for name in workers}

    def _run(self, function: Callable[..., Any], given: Sequence[Any], at: Any) -> Any:
        more = {"dask_worker": at} if "dask_worker" in inspect.signature(function).parameters else {}
        try:
            return at.answers.get(function.__name__, function)(*given, **more)
        except Exception as error:
            return error

    def close(self) -> None:
        self.workers.clear()


def a_worker(address: str, threads: int = 4, memory_bytes: int | None = 4 * GB, **answers: Any) -> Any:
    return SimpleNamespace(
        address=address,
        local_directory=f"/scratch/{address.rpartition(':')[2]}",
        memory_manager=SimpleNamespace(memory_limit=memory_bytes),
        state=SimpleNamespace(nthreads=threads),
        answers={"start": lambda *given: ProcessId(1, 1.0), **answers},
    )


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    found = Client()
    for number in (1, 2):
        address = f"tcp://10.0.0.{number}:400{number}"
        found.workers[address] = a_worker(address)
    monkeypatch.setattr(dask, "connect", lambda address, timeout_s: found)
    return found


@pytest.fixture
def run(tmp_path: Path) -> RunDirectory:
    found = RunDirectory(tmp_path / "run")
    found.create()
    return found


def made(
    run: RunDirectory, nodes: int | None = None, virtual: int = 0, **others: Any
) -> tuple[DaskWorkers, ClusterRecord]:
    """A cluster whose nodes are placed."""
    hosts = DaskWorkers(run, DaskAddress("tcp://127.0.0.1:1"))
    fleet, count = hosts.fleet(nodes)
    record = ClusterRecord("id", "127.0.0.1:2", "127.0.0.1:3", "fifo", fleet=fleet, **others)
    for number in range(1, count + 1):
        record.nodes[f"nm{number}"] = NodeRecord(f"nm{number}", "/r", virtual=virtual)
    assert hosts.place(record, record.nodes.values()) == [*record.nodes.values()]
    return hosts, record


def places(record: ClusterRecord) -> list[tuple[str, int | None, int | None]]:
    """Host and size of each node."""
    found = [node.place for node in record.nodes.values()]
    return [(place.host, place.memory_mb, place.vcores) for place in found if place is not None]


def test_each_worker_has_a_node_of_its_size(run: RunDirectory, client: Client) -> None:
    _, record = made(run)
    assert record.fleet is not None
    assert (record.fleet.host, record.fleet.share) == ("127.0.0.1", 1)
    assert places(record) == [("10.0.0.1", 3814, 4), ("10.0.0.2", 3814, 4)]
    run.save(record)
    assert run.load() == record
    assert record.processes() == []  # their pids are other machines'


def test_a_worker_with_several_nodes_is_divided_among_them(run: RunDirectory, client: Client) -> None:
    assert places(made(run, nodes=3)[1]) == [
        ("10.0.0.1", 1907, 2),
        ("10.0.0.2", 1907, 2),
        ("10.0.0.1", 1907, 2),
    ]


def test_what_the_configuration_says_of_sizes_holds(run: RunDirectory, client: Client) -> None:
    told = {"yarn.nodemanager.resource.cpu-vcores": "2"}
    assert places(made(run, definitions=told)[1])[0] == ("10.0.0.1", None, None)
    assert places(made(run, virtual=5)[1])[0] == ("10.0.0.1", None, None)
    for one in client.workers.values():
        one.memory_manager.memory_limit = None
    assert places(made(run)[1])[0] == ("10.0.0.1", None, 4)


def test_a_node_whose_worker_is_gone_goes_to_another(run: RunDirectory, client: Client) -> None:
    hosts, record = made(run)
    for node in record.nodes.values():
        hosts.start(node, [], {})
    del client.workers["tcp://10.0.0.2:4002"]
    lost = record.nodes["nm2"]
    client.calls.clear()
    assert not hosts.send(lost, signal.SIGKILL)
    hosts.end([lost])
    hosts.forget([lost])
    assert hosts.running([lost]) == set()
    assert client.calls == []  # nobody is asked who is not there
    assert hosts.place(record, record.nodes.values()) == [lost]
    assert lost.place is not None
    assert (lost.place.host, lost.process) == ("10.0.0.1", None)
    hosts.start(lost, [], {})
    assert client.calls[-1] == ("start", "tcp://10.0.0.1:4001")


def test_what_a_lost_worker_has_left_is_removed_by_another_one_of_its_host(
    run: RunDirectory, client: Client
) -> None:
    removed: list[str] = []
    address = "tcp://10.0.0.2:4003"

    def forget(asked: dict[str, dict[str, ProcessId]], dask_worker: Any) -> None:
        removed.extend(asked[address])

    hosts, record = made(run)
    for node in record.nodes.values():
        hosts.start(node, [], {})
    lost = record.nodes["nm2"]
    del client.workers["tcp://10.0.0.2:4002"]
    client.workers[address] = a_worker(address, forget=forget)
    hosts.forget([lost])
    assert removed == ["/scratch/yarnbox-id/nm2"]


def test_workers_that_cannot_be_hosts_are_named(run: RunDirectory, client: Client) -> None:
    good = Facts(__version__, "/scratch", GB, 1, sees_the_run=True)
    bad = {
        "has yarnbox 0.0.1, and this is": Facts("0.0.1", "/scratch", GB, 1, sees_the_run=True),
        "launch scripts cannot name": Facts(__version__, "/my scratch", GB, 1, sees_the_run=True),
        "cannot run NodeManagers of yarnbox: No module": ModuleNotFoundError("No module named 'yarnbox'"),
    }
    first, second = client.workers.values()
    first.answers["facts"] = lambda *given, **more: good
    for why, found in bad.items():
        second.answers["facts"] = lambda *given, found=found, **more: found
        with pytest.raises(ClusterError, match=f"worker tcp://10.0.0.2:4002 .*{why}"):
            made(run)
    assert [file.name for file in run.path.iterdir() if "seen" in file.name] == []


def test_hosts_that_do_not_see_the_run_get_a_copy(run: RunDirectory, client: Client, tmp_path: Path) -> None:
    book, log, started = run.path / "addresses.json", run.logs / "nm1.log", []
    (run.node("nm1") / "conf").mkdir(parents=True)
    (run.node("nm1") / "conf" / "yarn-site.xml").write_text(f"<value>{run.path}/nodes.secret</value>")
    book.write_text("{}")

    def start(*given: Any) -> ProcessId:
        started.append(given)
        mirror.write(*given[4:])
        return ProcessId(1, 1.0)

    def ends_meanwhile(*given: Any) -> None:
        raise OSError("the connection was closed")

    for number, one in enumerate(client.workers.values()):
        scratch = tmp_path / f"host{number}" / "worker"
        found = Facts(__version__, str(scratch), GB, 1, sees_the_run=False)
        one.answers["facts"] = lambda *given, found=found, **more: found
        one.answers["start"] = start
        one.answers["write"], one.answers["written"] = mirror.write, mirror.written
    hosts, record = made(run)
    assert record.fleet is not None
    assert not record.fleet.shares_the_run
    nm1, nm2 = record.nodes.values()
    for node in (nm1, nm2):
        hosts.start(node, ["yarnbox.nm", "--log-file", str(log)], {"RUN": str(run.path)})
    copy = tmp_path / "host0" / "yarnbox-id" / "run"
    assert nm1.place is not None
    assert nm1.place.copy == str(copy)
    words, directory, output, variables, *_ = started[0]
    assert (directory, output) == (str(copy.parent / "nm1"), copy / "logs" / "nm1.out")
    assert (words, variables) == (["yarnbox.nm", "--log-file", f"{copy}/logs/nm1.log"], {"RUN": str(copy)})
    assert (copy / "nodes/nm1/conf/yarn-site.xml").read_text() == f"<value>{copy}/nodes.secret</value>"

    book.write_text('{"nm3": "10.0.0.3"}')
    hosts.share(record.nodes.values())
    assert (copy / book.name).read_text() == book.read_text()
    (copy / "logs").mkdir()
    (copy / "logs" / "nm1.log").write_text("what it said")
    hosts.collect(record.nodes.values())
    assert log.read_text() == "what it said"

    ending = client.workers["tcp://10.0.0.2:4002"]
    ending.answers |= {"write": ends_meanwhile, "written": ends_meanwhile}
    hosts.share([nm2])
    hosts.collect([nm2])
    del client.workers["tcp://10.0.0.2:4002"]
    hosts.collect([nm2])  # nobody is there who could know
    client.calls.clear()
    nm1.process = None
    hosts.share([nm1])
    assert client.calls == []


def test_a_worker_that_joins_must_see_the_run_as_the_others_do(run: RunDirectory, client: Client) -> None:
    seen = Facts(__version__, "/scratch", GB, 1, sees_the_run=True)
    for one in client.workers.values():
        one.answers["facts"] = lambda *given, **more: seen
    hosts, record = made(run)
    address = "tcp://10.0.0.3:4003"
    unseen = Facts(__version__, "/scratch", GB, 1, sees_the_run=False)
    client.workers[address] = a_worker(address, facts=lambda *given, **more: unseen)
    late = record.nodes["nm3"] = NodeRecord("nm3", "/r")
    with pytest.raises(ClusterError, match=r"worker tcp://10\.0\.0\.3:4003 does not see .*as the others do"):
        hosts.place(record, [late])


def test_all_nodes_start_at_once_and_what_goes_wrong_with_one_is_told(
    run: RunDirectory, client: Client
) -> None:
    hosts, record = made(run)
    both = threading.Barrier(2, timeout=PATIENCE_S)

    def start(*_given: Any) -> ProcessId:
        both.wait()
        return ProcessId(1, 1.0)

    for one in client.workers.values():
        one.answers["start"] = start
    nodes = list(record.nodes.values())
    hosts.start_all(nodes, lambda node: hosts.start(node, [], {}))
    assert [node.process for node in nodes] == [ProcessId(1, 1.0)] * 2
    client.workers["tcp://10.0.0.1:4001"].answers["start"] = lambda *given: None
    client.workers["tcp://10.0.0.2:4002"].answers["start"] = lambda *given: ProcessId(2, 2.0)
    with pytest.raises(ClusterError, match="nm1 has ended at once"):
        hosts.start_all(nodes, lambda node: hosts.start(node, [], {}))
    assert [node.process for node in nodes] == [None, ProcessId(2, 2.0)]  # the others are known, to be ended


def test_what_goes_wrong_at_a_worker_is_told(run: RunDirectory, client: Client) -> None:
    hosts, record = made(run)
    node = record.nodes["nm1"]
    client.workers["tcp://10.0.0.1:4001"].answers["start"] = lambda *given: None
    with pytest.raises(ClusterError, match=r"nm1 has ended at once; see .*nm1\.out"):
        hosts.start(node, [], {})
    client.workers["tcp://10.0.0.1:4001"].answers["start"] = lambda *given: 1 / 0
    with pytest.raises(ClusterError, match=r"worker tcp://10\.0\.0\.1:4001: division by zero"):
        hosts.start(node, [], {})
    node.process = ProcessId(1, 1.0)
    client.is_gone = True
    with pytest.raises(
        ClusterError, match=r"Dask's scheduler at tcp://127\.0\.0\.1:1 does not answer: nobody"
    ):
        hosts.running([node])
    client.is_gone = False
    client.workers.clear()
    with pytest.raises(ClusterError, match="has no workers"):
        hosts.fleet(None)


def test_a_worker_asks_its_own_processes(run: RunDirectory, client: Client) -> None:
    at = client.workers["tcp://10.0.0.1:4001"]
    gone = ProcessId(2**22 + 1, 0.0)  # above the largest pid there can be
    assert worker.facts(str(run.lock_file), at).sees_the_run
    assert worker.running({at.address: {"nm1": gone}, "tcp://other:1": {"nm2": gone}}, at) == []


@pytest.mark.parametrize(
    "words, why",
    [
        (["--engine", "dask"], "--scheduler-address says where its scheduler is"),
        (["--scheduler-address", "tcp://h:1"], "--scheduler-address: goes with --engine dask"),
        (["--engine", "dask", "--scheduler-address", "tcp://h:1", "--hadoop"], "--hadoop: Hadoop's wire is"),
        (["--engine", "dask", "--scheduler-address", "tcp://h:1"], "pip install 'yarnbox[dask]'"),
    ],
)
def test_an_engine_that_cannot_be_used_is_one_line(
    words: list[str],
    why: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert main(["up", "--dir", str(tmp_path / "run"), "--port", "0", "--web-port", "0", *words]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
    assert not (tmp_path / "run").exists()
