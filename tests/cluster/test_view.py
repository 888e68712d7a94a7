"""The daemons as a table for a terminal."""

from __future__ import annotations

import io
import os
import socket
from pathlib import Path
from threading import Thread

import pytest
from rich.console import Console

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.directory import ClusterRecord, NodeRecord, RunDirectory
from yarnbox.cluster.processes import ProcessId
from yarnbox.cluster.view import Row, as_table, as_text, look
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.resources.resource import Resource


def test_what_is_in_a_row_is_no_markup() -> None:
    row = Row("nm1", "RUNNING", 7, "nm1:1", "/r[bold]1[/x]", 0, 1, 2, 3, 4)
    out = io.StringIO()
    Console(file=out, width=120).print(as_table([row]))
    assert out.getvalue().splitlines()[-1].split() == [
        "nm1",
        "RUNNING",
        "7",
        "nm1:1",
        "/r[bold]1[/x]",
        "0",
        "1/2",
        "MiB",
        "3/4",
    ]


class Known(Cluster):
    """A cluster whose RM knows these nodes, or does not answer."""

    def __init__(self, run: RunDirectory, reports: list[NodeReport] | None) -> None:
        super().__init__(run)
        self._reports = reports

    def nodes(self, record: ClusterRecord, at_least: int = 0) -> list[NodeReport] | None:
        return self._reports


def ourselves() -> ProcessId:
    """A process that runs."""
    found = ProcessId.of(os.getpid())
    assert found is not None
    return found


ENDED = ProcessId(2**22 + 1, 0.0)  # above the largest pid there can be


def shown(
    tmp_path: Path,
    *,
    rm: ProcessId | None,
    nm: ProcessId | None,
    reports: list[NodeReport] | None = None,
    said: dict[str, str] | None = None,
) -> list[str]:
    """What status prints below the table, with the state of each daemon where it prints nothing."""
    run = RunDirectory(tmp_path / "run")
    run.create()
    for name, text in (said or {}).items():
        (run.logs / f"{name}.out").write_text(text)
    nodes = {"nm1": NodeRecord("nm1", "/r", nm)}
    run.save(ClusterRecord("id", "127.0.0.1:1", "127.0.0.1:2", "fifo", rm=rm, nodes=nodes))
    _, rows = look(Known(run, reports))
    told = as_text(rows).splitlines()[3:]
    return told or [f"{row.name}: {row.state}" for row in rows]


def test_a_daemon_that_died_is_shown_with_its_reason(tmp_path: Path) -> None:
    said = {"rm": "a warning\nrm: state store: database or disk is full\n", "nm1": ""}
    assert shown(tmp_path, rm=ENDED, nm=ENDED, said=said) == [
        "rm: STOPPED: state store: database or disk is full",
        f"nm1: STOPPED: killed, or the machine stopped; see {tmp_path}/run/logs/nm1.log",
    ]


def test_a_cluster_that_was_ended_by_a_command_needs_no_reason(tmp_path: Path) -> None:
    said = {"rm": "rm: ended by SIGTERM\n"}
    assert shown(tmp_path, rm=None, nm=None, said=said) == ["rm: STOPPED", "nm1: STOPPED"]


def test_a_node_without_an_rm_waits(tmp_path: Path) -> None:
    assert shown(tmp_path, rm=ENDED, nm=ourselves(), said={"rm": "rm: ended by SIGTERM"}) == [
        "rm: STOPPED: ended by SIGTERM",
        "nm1: WAITING: the ResourceManager does not answer it",
    ]


def test_who_starts_for_too_long_does_not_start_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yarnbox.cluster.view.STARTING_S", 1e9)
    assert shown(tmp_path, rm=ourselves(), nm=ourselves()) == ["rm: STARTING", "nm1: STARTING"]
    assert shown(tmp_path, rm=ourselves(), nm=ourselves(), reports=[]) == ["rm: RUNNING", "nm1: STARTING"]
    monkeypatch.setattr("yarnbox.cluster.view.STARTING_S", 0)
    (late,) = shown(tmp_path, rm=ourselves(), nm=ourselves(), reports=[])
    assert late.startswith("nm1: WAITING: it has not registered with the ResourceManager; see ")
    rm, node = shown(tmp_path, rm=ourselves(), nm=ourselves())
    assert rm.startswith("rm: NOT ANSWERING: its process runs, but does not answer; see ")
    assert node.startswith("nm1: WAITING: ")


@pytest.mark.parametrize("answer, state", [(b"imok", "RUNNING"), (b"", "NOT ANSWERING")])
def test_a_zookeeper_that_does_not_answer_does_not_run(tmp_path: Path, answer: bytes, state: str) -> None:
    run = RunDirectory(tmp_path / "run")
    run.create()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        record = ClusterRecord("id", "127.0.0.1:1", "127.0.0.1:2", "fifo", zookeeper=ourselves())
        record.zookeeper_address = address
        run.save(record)

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(4)
                connection.sendall(answer)

        thread = Thread(target=serve)
        thread.start()
        _, (_, row) = look(Known(run, None))
        thread.join()
    assert (row.name, row.state, row.address) == ("zookeeper", state, address)


def test_a_process_of_many_nodes_is_one_row(tmp_path: Path) -> None:
    def report(number: int, state: NodeState) -> NodeReport:
        size = Resource(1024, 2)
        node_id = NodeId(f"nm1-0000{number}", 1)
        return NodeReport(node_id=node_id, node_state=state, capability=size, used=size, num_containers=1)

    run = RunDirectory(tmp_path / "run")
    run.create()
    nodes = {"nm1": NodeRecord("nm1", "/r", ourselves(), virtual=3)}
    run.save(ClusterRecord("id", "127.0.0.1:1", "127.0.0.1:2", "fifo", rm=ourselves(), nodes=nodes))
    reports = [report(1, NodeState.RUNNING), report(2, NodeState.RUNNING)]
    _, (_, row) = look(Known(run, reports))
    assert (row.state, row.address, row.containers, row.total_mb) == (
        "RUNNING",
        "nm1-00001:1 and 1 more",
        2,
        2048,
    )
    _, (_, row) = look(Known(run, [*reports, report(3, NodeState.LOST)]))
    assert row.state == "2 RUNNING, 1 LOST"


def test_a_node_that_was_killed_is_shown_with_its_reason(tmp_path: Path) -> None:
    def report(state: NodeState) -> NodeReport:
        return NodeReport(node_id=NodeId("nm1", 1), node_state=state)

    said = {"nm1": "nm: ended by SIGTERM"}
    assert shown(tmp_path, rm=ourselves(), nm=ENDED, reports=[report(NodeState.SHUTDOWN)], said=said) == [
        "nm1: SHUTDOWN: ended by SIGTERM"
    ]
    states = shown(tmp_path, rm=ourselves(), nm=ourselves(), reports=[report(NodeState.RUNNING)], said=said)
    assert states == ["rm: RUNNING", "nm1: RUNNING"]
