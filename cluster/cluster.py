"""Cluster: one ResourceManager and its NodeManagers as processes, from `up` to `down`.

    cluster = Cluster(RunDirectory(path))
    cluster.up(Options(nodes=3, port=0, web_port=0))
    cluster.wait_until_ready()
    cluster.kill_node("nm2")
    cluster.wait_for_state("nm2", NodeState.LOST)
    cluster.down()

Owns what is done to processes, and the order. No process of its own watches over a cluster: the record in
the run directory is all there is, so any command, in any terminal, finds it and may change it. A node stands
for a host: what kills it, stops it or lets it go on does the same to the containers that run on it.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cluster import hadoop_site, processes, site
from cluster.directory import ClusterError, ClusterRecord, NodeRecord, RunDirectory
from cluster.processes import ProcessId
from yarn.address import Address
from yarn.enums import NodeState
from yarn.errors import YarnError
from yarn.records.client import GetClusterNodesRequest
from yarn.records.node import NodeReport
from yarn.rpc import BlockingStub, RpcError

READY_TIMEOUT_S = 60.0  # a busy machine has its time; a daemon that ends is noticed at once
CONFIGURATION_STATUS = 2  # of a daemon that does not start because of its configuration
_POLL_S = 0.05
_NODE_PATIENCE_S = 1.2  # an NM gives its containers 250 ms and says good-bye to the RM
_RM_PATIENCE_S = 0.5
_ANSWER_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a cluster is started."""

    nodes: int = 3
    racks: int = 1
    configuration: Path | None = None
    scheduler: str | None = None
    port: int | None = None
    web_port: int | None = None
    recover: bool = False
    for_hadoop: bool = False
    definitions: Mapping[str, str] = field(default_factory=dict)


class Cluster:
    """The cluster of one run directory."""

    def __init__(self, run: RunDirectory, *, stays_with_us: bool = False) -> None:
        """`stays_with_us`: what is started here ends when this process does, however that happens."""
        self.run = run
        self._stays_with_us = stays_with_us

    # Starting

    def up(self, options: Options) -> ClusterRecord:
        """Starts the processes, all at once; they are not ready yet."""
        source = (options.configuration or site.sample_configuration()).absolute()
        configuration = site.user_configuration(source, options.definitions)
        run = self.run
        self._refuse_if_running()
        port, web_port = self._ports(options)
        grpc = site.listening_address(configuration, site.GRPC_PROPERTY, "--port", port)
        web = site.listening_address(configuration, site.WEB_PROPERTY, "--web-port", web_port)
        scheduler = options.scheduler or configuration.value(site.SCHEDULER_PROPERTY) or "capacity"
        run.create()
        with run.changing():
            self._refuse_if_running()
            record = ClusterRecord(
                uuid.uuid4().hex,
                grpc,
                web,
                scheduler,
                supervisor=ProcessId.of(os.getpid()),
                for_hadoop=options.for_hadoop,
            )
            for number in range(options.nodes):
                name = record.next_node_name()
                record.nodes[name] = NodeRecord(name, f"/rack{number % options.racks + 1}")
            if run.record_file.exists():  # of a cluster that was not ended as it should have been
                self._sweep(processes.belonging_to(run.load().run_id, run.path))
            if not options.recover:
                run.forget_earlier_life()
            site.write_configuration(source, run, record, options.definitions)
            run.save(record)
            try:
                self._start_rm(record)
                for node in record.nodes.values():
                    self._start_node(record, node)
            except BaseException:
                self._sweep(record.processes())
                raise
            run.save(record)
        return record

    def _ports(self, options: Options) -> tuple[int | None, int | None]:
        """What is asked for; a cluster that goes on is, if nothing is said, where it was."""
        if not options.recover or not self.run.record_file.exists():
            return options.port, options.web_port
        record = self.run.load()
        asked = (options.port, record.rm_address), (options.web_port, record.web_address)
        port, web_port = (Address.parse(was).port if wanted is None else wanted for wanted, was in asked)
        return port, web_port

    def _refuse_if_running(self) -> None:
        run = self.run
        if run.record_file.exists() and run.load().is_running():
            raise ClusterError(
                f"a cluster is running in {run.path} already: `yarnbox status` shows it,"
                " `yarnbox down` ends it, --dir names another directory"
            )

    def wait_until_ready(
        self,
        names: Iterable[str] | None = None,
        timeout_s: float = READY_TIMEOUT_S,
        since_ms: int = 0,
        give_up: Callable[[], bool] = lambda: False,
    ) -> None:
        """Waits until the RM serves and these nodes (else all) are RUNNING and were heard of since then.
        ClusterError when a process ended instead, with the last that it said. Returns early on `give_up`.
        """
        record = self.run.load()
        wanted = list(record.nodes if names is None else names)

        def is_ready() -> bool:
            if give_up():
                return True
            self._check_alive(record, wanted)
            reports = self.nodes(record)
            return reports is not None and all(
                _is_running(latest(reports).get(name), since_ms) for name in wanted
            )

        if not wait_until(is_ready, timeout_s):
            raise ClusterError(
                f"the cluster is not ready after {timeout_s:.0f} s; look into {self.run.logs}, or try"
                " `yarnbox status`"
            )

    def _check_alive(self, record: ClusterRecord, names: Sequence[str]) -> None:
        daemons = {"rm": record.rm, **{name: record.nodes[name].process for name in names}}
        for name, process in daemons.items():
            if process is not None and not process.is_alive():
                raise self._ended(name, process.pid)

    def _ended(self, name: str, pid: int) -> ClusterError:
        """The error of a daemon that ended: with what it said, and its status if it was ours to start."""
        try:
            said = (self.run.logs / f"{name}.out").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            said = ""
        if processes.exit_status(pid) == CONFIGURATION_STATUS and said:
            return ClusterError(f"{name} does not start: {said}", CONFIGURATION_STATUS)
        last = said.rpartition("\n")[2]
        return ClusterError(f"{name} has ended: {last or f'look into {self.run.logs}'}")

    def _start_rm(self, record: ClusterRecord) -> None:
        path = str(self.run.path)
        record.rm = self._start("rm", ["rm", "--conf", path, "--dir", path], record)

    def _start_node(self, record: ClusterRecord, node: NodeRecord) -> None:
        configuration = site.write_node_configuration(self.run, node)
        directory = str(self.run.node(node.name))
        log = str(self.run.logs / f"{node.name}.log")
        arguments = ["nm", "--conf", str(configuration), "--dir", directory, "--log-file", log]
        node.process = self._start(node.name, [*arguments, "--name", node.name, "--rack", node.rack], record)

    def _start(self, name: str, arguments: Sequence[str], record: ClusterRecord) -> ProcessId:
        if self._stays_with_us:
            arguments = [*arguments, "--exit-with-parent"]
        variables = {
            **(hadoop_site.variables(os.environ) if record.for_hadoop else {}),
            processes.RUN_ID_VARIABLE: record.run_id,
            processes.RUN_DIR_VARIABLE: str(self.run.path),
            "YARN_CONF_DIR": str(self.run.path),
            "HADOOP_CONF_DIR": str(self.run.path),
        }
        pid = processes.start(arguments, self.run.path, self.run.logs / f"{name}.out", variables)
        started = ProcessId.of(pid)
        if started is None:
            raise self._ended(name, pid)
        self.run.write_pid(name, started)
        return started

    # Ending

    def down(self) -> None:
        """Ends every process: nodes first, for they end their containers and tell the RM."""
        run = self.run
        record = run.load()
        with run.changing():
            record = run.load()
            nodes = [node.process for node in record.nodes.values() if node.process is not None]
            processes.end(nodes, _NODE_PATIENCE_S)
            processes.end([record.rm] if record.rm is not None else [], _RM_PATIENCE_S)
            self._sweep(processes.belonging_to(record.run_id, run.path))
            for name in record.nodes:
                record.nodes[name].process = None
                run.write_pid(name, None)
            record.rm = None
            run.write_pid("rm", None)
            run.save(record)

    def _sweep(self, left: Sequence[ProcessId]) -> None:
        for process in left:
            process.send(signal.SIGKILL)
        processes.wait_until_gone(left, 1.0)

    # Changing

    def add_node(self, rack: str | None = None) -> NodeRecord:
        """Starts one more node."""
        with self.run.changing():
            record = self.run.load_running()
            racks = list(dict.fromkeys(node.rack for node in record.nodes.values())) or ["/rack1"]
            name = record.next_node_name()
            node = NodeRecord(name, rack or racks[len(record.nodes) % len(racks)])
            record.nodes[name] = node
            site.add_host(self.run, record, node)
            self._start_node(record, node)
            self.run.save(record)
        return node

    def kill_node(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signals a node and, but for SIGTERM, the containers on it: SIGTERM is the node's own to pass on."""
        with self.run.changing():
            node = self.run.load_running().node(name)
            if node.process is None or not node.process.send(number):
                raise ClusterError(f"{name} is not running: `yarnbox restart-node {name}` starts it")
            if number is not signal.SIGTERM:
                for container in processes.containers_of(self.run.node(name)):
                    container.send(number)
            if number is signal.SIGKILL:
                processes.wait_until_gone([node.process], 1.0)

    def restart_node(self, name: str) -> None:
        """Ends a node if it runs, with all that runs on it, and starts it again."""
        with self.run.changing():
            record = self.run.load_running()
            node = record.node(name)
            if node.process is not None:
                processes.end([node.process], _NODE_PATIENCE_S)
            self._sweep(processes.containers_of(self.run.node(name)))
            self._start_node(record, node)
            self.run.save(record)

    def restart_rm(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends the RM with a signal and starts it again; with a state store it goes on where it was."""
        with self.run.changing():
            record = self.run.load_running()
            if record.rm is not None and record.rm.send(number):
                for process in processes.wait_until_gone([record.rm], 2.0):
                    process.send(signal.SIGKILL)
                processes.wait_until_gone([record.rm], 1.0)
            self._start_rm(record)
            self.run.save(record)

    # Looking

    def nodes(self, record: ClusterRecord) -> list[NodeReport] | None:
        """What the RM knows of the nodes, those in the record only; None when it does not answer."""
        states = tuple(NodeState)
        try:
            with BlockingStub(
                record.rm_address, "ApplicationClientProtocolService", user="yarnbox", timeout_s=_ANSWER_S
            ) as stub:
                answer = stub.call("getClusterNodes", GetClusterNodesRequest(node_states=states))
        except (RpcError, YarnError):
            return None
        return [report for report in answer.node_reports if report.node_id is not None]

    def node_states(self, record: ClusterRecord) -> dict[str, NodeState] | None:
        """The state of each node by name: that of its present life where it has had several."""
        reports = self.nodes(record)
        return None if reports is None else {name: _state(one) for name, one in latest(reports).items()}

    def wait_for_state(self, name: str, state: NodeState, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Waits until the RM says so of a node."""
        record = self.run.load()
        if not wait_until(lambda: (self.node_states(record) or {}).get(name) is state, timeout_s):
            raise ClusterError(f"{name} is not {state.name} after {timeout_s:.0f} s")


def _state(report: NodeReport) -> NodeState:
    return report.node_state or NodeState.NEW


def latest(reports: Iterable[NodeReport]) -> dict[str, NodeReport]:
    """One report for each host: a live one before one that is not, else the one that was heard last."""
    found: dict[str, NodeReport] = {}
    for report in reports:
        assert report.node_id is not None
        other = found.get(report.node_id.host)
        if other is None or _freshness(report) >= _freshness(other):
            found[report.node_id.host] = report
    return found


def _is_running(report: NodeReport | None, since_ms: int) -> bool:
    if report is None or _state(report) is not NodeState.RUNNING:
        return False
    return (report.last_health_report_time or 0) >= since_ms


def _freshness(report: NodeReport) -> tuple[bool, int]:
    return (_state(report) in (NodeState.RUNNING, NodeState.UNHEALTHY), report.last_health_report_time or 0)


def wait_until(condition: Callable[[], bool], timeout_s: float, every_s: float = _POLL_S) -> bool:
    """Looks again and again until the condition holds; whether it did in time."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(every_s)
    return True
