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

import getpass
import os
import signal
import socket
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from yarnbox.client import admin_client
from yarnbox.client.admin_client import AdminClient
from yarnbox.cluster import hadoop_site, processes, several, site, zookeeper
from yarnbox.cluster.directory import (
    EXCLUDED,
    ClusterError,
    ClusterRecord,
    NodeRecord,
    RMRecord,
    RunDirectory,
)
from yarnbox.cluster.forkserver import ForkServer
from yarnbox.cluster.ports import free_ports
from yarnbox.cluster.processes import ProcessId
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.failover import blocking_stub_of
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import DecommissionType, NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.client import GetClusterNodesRequest
from yarnbox.yarn.records.ha import HAServiceState
from yarnbox.yarn.records.node import NodeReport

HISTORY = "historyserver"
"""What the MapReduce history server is called among the daemons."""

READY_TIMEOUT_S = 180.0  # a busy machine has its time; a daemon that ends is noticed at once
CONFIGURATION_STATUS = 2  # of a daemon that does not start because of its configuration
_POLL_S = 0.05
_NODE_PATIENCE_S = 1.2  # an NM gives its containers 250 ms and says good-bye to the RM
_RM_PATIENCE_S = 0.5
_ANSWER_S = 2.0
_CLIENT = "ApplicationClientProtocolService"


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a cluster is started."""

    nodes: int = 3
    racks: int = 1
    configuration: Path | None = None
    scheduler: str | None = None
    port: int | None = None
    web_port: int | None = None
    rms: int = 1
    zookeeper: str | None = None
    """Where several RMs find a ZooKeeper; None: they get one of their own."""
    recover: bool = False
    for_hadoop: bool = False
    history_port: int | None = None
    """Of a MapReduce history server; None: there is none."""
    definitions: Mapping[str, str] = field(default_factory=dict)


class Cluster:
    """The cluster of one run directory."""

    def __init__(self, run: RunDirectory, *, stays_with_us: bool = False) -> None:
        """`stays_with_us`: what is started here ends when this process does, however that happens."""
        self.run = run
        self._stays_with_us = stays_with_us
        self._fork_server: ForkServer | None = None  # from `up` to `close`
        self._run_id: str | None = None  # of the cluster that `up` has started

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
        history = None
        if options.history_port is not None:
            history = site.listening_address(
                configuration, site.HISTORY_PROPERTY, "--history-server", options.history_port
            )
        scheduler = options.scheduler or configuration.value(site.SCHEDULER_PROPERTY) or "capacity"
        run.create()
        rms = self._several(options, grpc, web)
        with run.changing():
            self._refuse_if_running()
            record = ClusterRecord(
                uuid.uuid4().hex,
                grpc,
                web,
                scheduler,
                supervisor=ProcessId.of(os.getpid()),
                for_hadoop=options.for_hadoop,
                configuration=str(source) if options.configuration else None,
                definitions=dict(options.definitions),
                history_address=history,
                rms=rms,
                zookeeper_address=options.zookeeper,
            )
            record.shared_name = self._shared_name(options, record)
            self._run_id = record.run_id
            self._fork_server = ForkServer(self._variables(record))  # gets ready while the files are written
            for number in range(options.nodes):
                name = record.next_node_name()
                record.nodes[name] = NodeRecord(name, f"/rack{number % options.racks + 1}")
            if run.record_file.exists():  # of a cluster that was not ended as it should have been
                self._sweep(processes.belonging_to(run.load().run_id, run.path))
            if not options.recover:
                run.forget_earlier_life()
            self._start_zookeeper(record)
            site.write_configuration(source, run, record)
            run.save(record)
            try:
                self._start_rms(record)
                self._start_history(record)
                for node in record.nodes.values():
                    self._start_node(record, node)
            except BaseException:
                self._sweep(record.processes())
                self.close()
                raise
            run.save(record)
        return record

    def moved_stores(self, options: Options) -> list[str]:
        """A sentence for each store that the configuration puts elsewhere than into the run directory."""
        source = (options.configuration or site.sample_configuration()).absolute()
        return site.moved_stores(source, self.run, options.definitions)

    @staticmethod
    def _several(options: Options, grpc: str, web: str) -> dict[str, RMRecord]:
        """The RMs where there is more than one: the first where the only one would be."""
        if options.rms == 1:
            if options.zookeeper is not None:
                raise ClusterError("--zookeeper is for several ResourceManagers: add --rms 2", status=2)
            return {}
        ports = iter(free_ports(site.LOOPBACK, 2 * (options.rms - 1)))
        found = {"rm1": RMRecord("rm1", grpc, web)}
        for number in range(2, options.rms + 1):
            address, web_address = (str(Address(site.LOOPBACK, next(ports))) for _ in range(2))
            found[f"rm{number}"] = RMRecord(f"rm{number}", address, web_address)
        return found

    def _shared_name(self, options: Options, record: ClusterRecord) -> str:
        """That of the last cluster here, if this one goes on with its applications."""
        if options.recover and self.run.record_file.exists():
            return self.run.load().shared_name or record.run_id
        return record.run_id

    def _start_zookeeper(self, record: ClusterRecord) -> None:
        """One of the cluster's own, where several RMs need it."""
        if not record.rms or record.zookeeper_address is not None:
            return
        path, (port,) = zookeeper.class_path(), free_ports(site.LOOPBACK, 1)
        output = self.run.logs / "zookeeper.out"
        pid = zookeeper.start(
            path, self.run.zookeeper, port, output, self._variables(record), stays=self._stays_with_us
        )
        record.zookeeper_address = f"{site.LOOPBACK}:{port}"
        record.zookeeper = process = ProcessId.of(pid)
        zookeeper.wait_until_well(port, lambda: process is not None and process.is_alive())

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
            if record.history is not None and not _listens(record.history_address):
                return False
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
        daemons = {
            "rm": record.rm,
            **{rm.name: rm.process for rm in record.rms.values()},
            HISTORY: record.history,
            **{name: record.nodes[name].process for name in names},
        }
        for name, process in daemons.items():
            if process is not None and not process.is_alive():
                raise self._ended(name, process.pid)

    def _ended(self, name: str, pid: int) -> ClusterError:
        """The error of a daemon that ended: with what it said, and its status if it was ours to start."""
        said = self._said(name)
        if self._exit_status(pid) == CONFIGURATION_STATUS and said:
            return ClusterError(f"{name} does not start: {said}", CONFIGURATION_STATUS)
        last = said.rpartition("\n")[2]
        return ClusterError(f"{name} has ended: {last or f'look into {self.run.logs}'}")

    def _said(self, name: str) -> str:
        """All that a daemon has printed."""
        try:
            return (self.run.logs / f"{name}.out").read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    def last_words(self, name: str, process: ProcessId | None) -> str:
        """Why a daemon that was started has ended, in one line; empty for one that was ended by a command."""
        if process is None:
            return ""
        last = self._said(name).rpartition("\n")[2].strip()
        role = name if name == HISTORY else "rm" if name.startswith("rm") else "nm"
        return (
            last.removeprefix(f"{role}: ")
            or f"killed, or the machine stopped; see {self.run.logs}/{name}.log"
        )

    def _start_rms(self, record: ClusterRecord) -> None:
        for rm in record.rms.values():
            rm.process = self._start_one_of_several(record, rm)
        if not record.rms:
            self._start_rm(record)

    def _start_one_of_several(self, record: ClusterRecord, rm: RMRecord) -> ProcessId:
        directory = self.run.rms / rm.name
        directory.mkdir(parents=True, exist_ok=True)
        log = self.run.logs / f"{rm.name}.log"
        if not log.is_symlink():
            log.symlink_to(directory / "logs" / "rm.log")
        own = ["-D", f"yarn.resourcemanager.ha.id={rm.name}", "--dir", str(directory)]
        return self._start(rm.name, [*self._rm_arguments(record), *own], record)

    def _start_rm(self, record: ClusterRecord) -> None:
        arguments = [*self._rm_arguments(record), "--dir", str(self.run.path)]
        record.rm = self._start("rm", arguments, record)

    def _rm_arguments(self, record: ClusterRecord) -> list[str]:
        arguments = ["yarnbox.rm", "--conf", record.configuration or str(self.run.path)]
        if record.configuration is not None:
            for name, value in site.overrides(self.run, record).items():
                arguments += ["-D", f"{name}={value}"]
        return arguments

    def _start_history(self, record: ClusterRecord) -> None:
        if record.history_address is None:
            return
        log = str(self.run.logs / f"{HISTORY}.log")
        arguments = ["yarnbox.am.mapreduce.history.server", "--conf", str(self.run.path), "--log-file", log]
        record.history = self._start(HISTORY, arguments, record)

    def _read_configuration_again(self, record: ClusterRecord) -> None:
        """For a daemon that starts later: what the user has changed, if a daemon can start with it."""
        if record.configuration is not None:
            source = Path(record.configuration)
            site.user_configuration(source, record.definitions)
            site.write_site_files(source, self.run, record)

    def _start_node(self, record: ClusterRecord, node: NodeRecord) -> None:
        configuration = site.write_node_configuration(self.run, node)
        directory = str(self.run.node(node.name))
        log = str(self.run.logs / f"{node.name}.log")
        arguments = ["yarnbox.nm", "--conf", str(configuration), "--dir", directory, "--log-file", log]
        node.process = self._start(node.name, [*arguments, "--name", node.name, "--rack", node.rack], record)

    def _start(self, name: str, arguments: Sequence[str], record: ClusterRecord) -> ProcessId:
        if self._stays_with_us:
            arguments = [*arguments, "--exit-with-parent"]
        output = self.run.logs / f"{name}.out"
        if self._fork_server is None or name == HISTORY:  # which the fork server has not imported
            pid = processes.start(arguments, self.run.path, output, self._variables(record))
        else:
            pid = self._fork_server.start(arguments, self.run.path, output)
        started = ProcessId.of(pid)
        if started is None:
            raise self._ended(name, pid)
        self.run.write_pid(name, started)
        return started

    def _variables(self, record: ClusterRecord) -> dict[str, str]:
        """What every daemon has in its environment."""
        return {
            **(hadoop_site.variables(os.environ) if record.for_hadoop else {}),
            processes.RUN_ID_VARIABLE: record.run_id,
            processes.RUN_DIR_VARIABLE: str(self.run.path),
            "YARN_CONF_DIR": str(self.run.path),
            "HADOOP_CONF_DIR": str(self.run.path),
        }

    def _exit_status(self, pid: int) -> int | None:
        status = self._fork_server.exit_status(pid) if self._fork_server is not None else None
        return processes.exit_status(pid) if status is None else status

    def close(self) -> None:
        """Lets go of what `up` has started: daemons that stay with us end, others go on."""
        if self._fork_server is not None:
            self._fork_server.close()
            self._fork_server = None

    # Ending

    def down(self) -> None:
        """Ends every process: nodes first, for they end their containers and tell the RM. Where a cluster was
        started here, ends that one alone, not one that has begun in its directory since.
        """
        self._end_processes()
        self.close()

    def is_running(self, record: ClusterRecord) -> bool:
        """Whether the cluster of the record runs and is, where one was started here, that one."""
        return self._is_meant(record) and record.is_running()

    def _is_meant(self, record: ClusterRecord) -> bool:
        return self._run_id in (None, record.run_id)

    def _end_processes(self) -> None:
        run = self.run
        run.load()  # there may be no cluster, and then nothing is made
        with run.changing():
            record = run.load()
            if not self._is_meant(record):
                return
            nodes = [node.process for node in record.nodes.values() if node.process is not None]
            processes.end(nodes, _NODE_PATIENCE_S)
            rms = [record.rm, *(rm.process for rm in record.rms.values())]
            processes.end([one for one in (*rms, record.history) if one is not None], _RM_PATIENCE_S)
            self._sweep(processes.belonging_to(record.run_id, run.path))
            for name in record.nodes:
                record.nodes[name].process = None
                run.write_pid(name, None)
            record.rm = record.history = record.zookeeper = None
            for rm in record.rms.values():
                rm.process = None
            for name in ("rm", *record.rms):
                run.write_pid(name, None)
            run.write_pid(HISTORY, None)
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
            self._read_configuration_again(record)
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
            self._read_configuration_again(record)
            if node.process is not None:
                processes.end([node.process], _NODE_PATIENCE_S)
            self._sweep(processes.containers_of(self.run.node(name)))
            self._start_node(record, node)
            self.run.save(record)

    def decommission_node(self, name: str, timeout_s: int | None = None) -> None:
        """Lets a node leave: at once, or when what runs there has ended, at the latest after the timeout."""
        with self.run.changing():
            record = self.run.load_running()
            record.node(name)
            hosts = self._excluded_hosts()
            if name in hosts:
                raise ClusterError(f"{name} is decommissioned already")
            kind = DecommissionType.NORMAL if timeout_s is None else DecommissionType.GRACEFUL
            self._exclude(record, hosts, [*hosts, name], kind, timeout_s)

    def recommission_node(self, name: str) -> None:
        """Lets a node that has left, or is about to, be part of the cluster again."""
        with self.run.changing():
            record = self.run.load_running()
            node = record.node(name)
            hosts = self._excluded_hosts()
            if name not in hosts:
                raise ClusterError(f"{name} is not decommissioned")
            is_leaving = (self.node_states(record) or {}).get(name) is NodeState.DECOMMISSIONING
            self._exclude(record, hosts, [host for host in hosts if host != name])
            if is_leaving:
                return
            if node.process is not None:
                processes.end([node.process], _NODE_PATIENCE_S)
            self._start_node(record, node)
            self.run.save(record)

    def _excluded_hosts(self) -> list[str]:
        """Those that were decommissioned here; ClusterError when the user keeps a list."""
        file = self.run.path / EXCLUDED
        configuration = Configuration.load(self.run.path, ["yarn-site.xml"])
        path = configuration.value(site.EXCLUDED_PROPERTY)
        if path != str(file):
            raise ClusterError(
                f"{path}, named by {site.EXCLUDED_PROPERTY}, lists the hosts to exclude: "
                "change that file, and run"
                " `yarn rmadmin -refreshNodes`"
            )
        return file.read_text(encoding="utf-8").split()

    def _exclude(
        self,
        record: ClusterRecord,
        before: Sequence[str],
        hosts: Sequence[str],
        kind: DecommissionType = DecommissionType.NORMAL,
        timeout_s: int | None = None,
    ) -> None:
        """Writes the list and has the RM read it; as before, if the RM refuses."""
        file = self.run.path / EXCLUDED
        file.write_text("".join(f"{host}\n" for host in hosts), encoding="utf-8")
        user = os.environ.get("HADOOP_USER_NAME") or getpass.getuser()
        try:
            with blocking_stub_of(record.rm_addresses, admin_client.SERVICE, user=user) as stub:
                AdminClient(stub).refresh_nodes(kind, timeout_s)
        except (RpcError, YarnError) as error:
            file.write_text("".join(f"{host}\n" for host in before), encoding="utf-8")
            reason = error.message if isinstance(error, YarnError) else str(error)
            raise ClusterError(" ".join(reason.split())) from None

    def restart_rm(self, number: signal.Signals = signal.SIGTERM, name: str | None = None) -> None:
        """Ends the RM with a signal and starts it again; with a state store it goes on where it was. Of
        several, `name` says which one.
        """
        with self.run.changing():
            record = self.run.load_running()
            if record.rms and name is None:
                raise ClusterError(f"there are several ResourceManagers, name one: {', '.join(record.rms)}")
            rm = several.rm_of(record, name) if name is not None else None
            self._read_configuration_again(record)
            process = rm.process if rm is not None else record.rm
            if process is not None and process.send(number):
                for one in processes.wait_until_gone([process], 2.0):
                    one.send(signal.SIGKILL)
                processes.wait_until_gone([process], 1.0)
            if rm is not None:
                rm.process = self._start_one_of_several(record, rm)
            else:
                self._start_rm(record)
            self.run.save(record)

    def kill_rm(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signals one of several RMs."""
        with self.run.changing():
            rm = several.rm_of(self.run.load_running(), name)
            if rm.process is None or not rm.process.send(number):
                raise ClusterError(f"{name} is not running: `yarnbox restart-rm {name}` starts it")
            if number is signal.SIGKILL:
                processes.wait_until_gone([rm.process], 1.0)

    def wait_for_rm(self, name: str, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Waits until one of several RMs says what it is."""
        rm = several.rm_of(self.run.load(), name)

        def is_there() -> bool:
            if rm.process is not None and not rm.process.is_alive():
                raise self._ended(name, rm.process.pid)
            return several.state_of(rm) in (HAServiceState.ACTIVE, HAServiceState.STANDBY)

        if not wait_until(is_there, timeout_s):
            raise ClusterError(f"{name} does not answer after {timeout_s:.0f} s; see {self.run.logs}")

    def fail_over(self, timeout_s: float = READY_TIMEOUT_S) -> tuple[str, str]:
        """Has another RM be active; which one was, and which is."""
        record = self.run.load_running()
        if not record.rms:
            raise ClusterError("there is one ResourceManager: start several with `yarnbox up --rms 2`")
        before = several.ask_to_step_down(record)
        now: list[str] = []

        def is_over() -> bool:
            active = several.active_of(record)
            if active is not None and active is not before:
                now.append(active.name)
            return bool(now)

        if not wait_until(is_over, timeout_s):
            raise ClusterError(f"no other ResourceManager is active after {timeout_s:.0f} s")
        return before.name, now[0]

    # Looking

    def nodes(self, record: ClusterRecord) -> list[NodeReport] | None:
        """What the RM knows of the nodes, those in the record only; None when it does not answer."""
        states = tuple(NodeState)
        listening = [one for one in record.rm_addresses if several.is_listening(one)]
        if not listening:
            return None
        try:
            with blocking_stub_of(listening, _CLIENT, user="yarnbox") as stub:
                answer = stub.call("getClusterNodes", GetClusterNodesRequest(node_states=states), _ANSWER_S)
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


def _listens(address: str | None) -> bool:
    if address is None:
        return False
    where = Address.parse(address)
    try:
        with socket.create_connection((where.host, where.port), timeout=_ANSWER_S):
            return True
    except OSError:
        return False
