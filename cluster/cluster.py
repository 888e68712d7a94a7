"""Cluster: one ResourceManager and its NodeManagers as processes, from `up` to `down`.

    cluster = Cluster(RunDirectory(path))
    cluster.up(Options(nodes=3, port=0, web_port=0))
    cluster.wait_until_ready()
    cluster.kill_node("nm2")
    cluster.wait_for_state("nm2", NodeState.LOST)
    cluster.down()

Owns what is done to a cluster, and the order; daemons/ knows how each daemon is started and ended. No process
of its own watches over a cluster: the record in the run directory is all there is, so any command, in any
terminal, finds it and may change it. A node stands for a host: what kills it, stops it or lets it go on does
the same to the containers that run on it.
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
from types import TracebackType
from typing import Self

from yarnbox.client import admin_client
from yarnbox.client.admin_client import AdminClient
from yarnbox.cluster import hadoop_site, processes, site
from yarnbox.cluster.daemons import several
from yarnbox.cluster.daemons.reports import is_running, latest, node_reports, state_of
from yarnbox.cluster.daemons.starting import Daemons
from yarnbox.cluster.directory import (
    EXCLUDED,
    ClusterError,
    ClusterRecord,
    FleetRecord,
    NodeRecord,
    RMRecord,
    RunDirectory,
)
from yarnbox.cluster.hosts.host import NODES
from yarnbox.cluster.ports import free_ports
from yarnbox.cluster.processes import ProcessId
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.dask import DaskAddress
from yarnbox.yarn.connection.failover import blocking_stub_of
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import DecommissionType, NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.ha import HAServiceState
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.security.tls import Tls, TlsSettings
from yarnbox.yarn.settings import read

READY_TIMEOUT_S = 180.0  # a busy machine has its time; a daemon that ends is noticed at once
_POLL_S = 0.05
_ANSWER_S = 2.0


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a cluster is started."""

    nodes: int | None = None
    """None: three, or one for each worker of the engine."""
    virtual: int = 0
    """How many simulated nodes each of them is; none: it is a real one."""
    dask: DaskAddress | None = None
    """The engine whose workers host the nodes; None: they are processes of this machine."""
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
    """Of a MapReduce history server; None: there is one for Hadoop's job client alone, at any free port,
    unless the configuration names another.
    """
    definitions: Mapping[str, str] = field(default_factory=dict)


class Cluster:
    """The cluster of one run directory."""

    def __init__(self, run: RunDirectory, *, stays_with_us: bool = False) -> None:
        """`stays_with_us`: what is started here ends when this process does, however that happens."""
        self.run = run
        self._daemons = Daemons(run, stays_with_us=stays_with_us)
        self._run_id: str | None = None  # of the cluster that `up` has started

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Starting

    def up(self, options: Options) -> ClusterRecord:
        """Starts the processes, all at once; they are not ready yet."""
        source = (options.configuration or site.sample_configuration()).absolute()
        configuration = site.user_configuration(source, options.definitions)
        run = self.run
        self._refuse_if_running()
        fleet, count = self._fleet(options)
        host = site.host_of(fleet)
        port, web_port = self._ports(options)
        grpc = site.listening_address(configuration, site.GRPC_PROPERTY, "--port", port, host)
        web = site.listening_address(configuration, site.WEB_PROPERTY, "--web-port", web_port, host)
        history, history_port = None, self._history_port(options, configuration)
        if history_port is not None:
            history = site.listening_address(
                configuration, site.HISTORY_PROPERTY, "--history-server", history_port, host
            )
        scheduler = options.scheduler or configuration.value(site.SCHEDULER_PROPERTY) or "capacity"
        run.create()
        rms = self._several(options, grpc, web, host)
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
                fleet=fleet,
            )
            record.shared_name = self._shared_name(options, record)
            self._run_id = record.run_id
            self._daemons.get_ready(record)  # while the files are written
            if run.record_file.exists():
                self._daemons.end_leftovers(run.load())
            self._place_nodes(record, count, options)
            if not options.recover:
                run.forget_earlier_life()
            self._daemons.start_zookeeper(record)
            site.write_configuration(source, run, record)
            run.save(record)
            try:
                self._daemons.start_rms(record)
                self._daemons.start_history(record)
                self._daemons.start_nodes(record)
            except BaseException:
                self._daemons.abandon(record)
                raise
            run.save(record)
        return record

    def _place_nodes(self, record: ClusterRecord, count: int, options: Options) -> None:
        """Names the nodes, and chooses their hosts."""
        for number in range(count):
            name = record.next_node_name()
            rack = f"/rack{number % options.racks + 1}"
            record.nodes[name] = NodeRecord(name, rack, virtual=options.virtual)
        self._daemons.hosts(record).place(record, record.nodes.values())
        if record.history_address is None or record.fleet is None or record.fleet.shares_the_run:
            return
        source = (options.configuration or site.sample_configuration()).absolute()
        if site.history_url(source, options.definitions) is None:
            raise ClusterError(
                "--history-server reads what jobs leave in a directory of all hosts, and the workers do not"
                f" see {self.run.path}: name a directory that they share with --dir, or a URL with"
                " -D mapreduce.jobhistory.intermediate-done-dir=URL"
            )

    def not_used(self, options: Options) -> list[str]:
        """A sentence for each store that the configuration puts elsewhere than into the run directory, for
        auxiliary services that there are not, and for each definition that nodes have values of their own
        for.
        """
        source = (options.configuration or site.sample_configuration()).absolute()
        moved = site.moved_stores(source, self.run, options.definitions)
        services = site.left_out_services(source, options.definitions)
        return moved + services + site.overridden(options.definitions)

    def _fleet(self, options: Options) -> tuple[FleetRecord | None, int]:
        """The engine as the record has it, and how many nodes there are to be."""
        if options.dask is None:
            return None, NODES if options.nodes is None else options.nodes
        if options.for_hadoop:
            raise ClusterError("--hadoop: Hadoop's wire is for one machine, not for --engine dask", status=2)
        return self._daemons.fleet(options.dask, options.nodes)

    @staticmethod
    def _several(options: Options, grpc: str, web: str, host: str) -> dict[str, RMRecord]:
        """The RMs where there is more than one: the first where the only one would be."""
        if options.rms == 1:
            if options.zookeeper is not None:
                raise ClusterError("--zookeeper is for several ResourceManagers: add --rms 2", status=2)
            return {}
        ports = iter(free_ports(host, 2 * (options.rms - 1)))
        found = {"rm1": RMRecord("rm1", grpc, web)}
        for number in range(2, options.rms + 1):
            address, web_address = (str(Address(host, next(ports))) for _ in range(2))
            found[f"rm{number}"] = RMRecord(f"rm{number}", address, web_address)
        return found

    def _shared_name(self, options: Options, record: ClusterRecord) -> str:
        """That of the last cluster here, if this one goes on with its applications."""
        if options.recover and self.run.record_file.exists():
            return self.run.load().shared_name or record.run_id
        return record.run_id

    def _ports(self, options: Options) -> tuple[int | None, int | None]:
        """What is asked for; a cluster that goes on is, if nothing is said, where it was."""
        if not options.recover or not self.run.record_file.exists():
            return options.port, options.web_port
        record = self.run.load()
        asked = (options.port, record.rm_address), (options.web_port, record.web_address)
        port, web_port = (Address.parse(was).port if wanted is None else wanted for wanted, was in asked)
        return port, web_port

    def _history_port(self, options: Options, configuration: Configuration) -> int | None:
        """What is asked for. Hadoop's job client asks nobody else about jobs that have ended, and tries for
        half a minute.
        """
        if options.history_port is not None or not options.for_hadoop:
            return options.history_port
        if configuration.value(hadoop_site.HISTORY_PROPERTY) is not None:
            return None
        if options.recover and self.run.record_file.exists():
            was = self.run.load().history_address
            return Address.parse(was).port if was is not None else 0
        return 0

    def _refuse_if_running(self) -> None:
        run = self.run
        if run.record_file.exists() and self._daemons.are_running(run.load()):
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
        """Waits until the RM serves and these nodes are RUNNING and were heard of since then; without names
        all nodes, and until each of several RMs is active or standby. ClusterError when a process ended
        instead, with the last that it said. Returns early on `give_up`.
        """
        record = self.run.load()
        wanted = list(record.nodes if names is None else names)

        def is_ready() -> bool:
            if give_up():
                return True
            self._daemons.check_alive(record, wanted)
            if record.history is not None and not _listens(record.history_address):
                return False
            if names is None and not all(self._has_role(rm, record) for rm in record.rms.values()):
                return False
            hosts = [host for name in wanted for host in record.nodes[name].hosts]
            reports = self.nodes(record, at_least=len(hosts))
            if reports is None:
                return False
            by_host = latest(reports)
            return all(is_running(by_host.get(host), since_ms) for host in hosts)

        if not wait_until(is_ready, timeout_s):
            raise ClusterError(
                f"the cluster is not ready after {timeout_s:.0f} s; look into {self.run.logs}, or try"
                " `yarnbox status`"
            )

    def exit_reason(self, name: str, process: ProcessId | None) -> str:
        """Why a daemon that was started has ended, in one line; empty for one that was ended by a command."""
        return "" if process is None else self._daemons.exit_reason(name)

    def close(self) -> None:
        """Lets go of what was started, and of an engine. Daemons that stay with us end, others go on."""
        self._daemons.close()

    # Ending

    def down(self) -> None:
        """Ends every process. Where a cluster was started here, ends that one alone, not one that has begun
        in its directory since.
        """
        self.run.load()  # there may be no cluster, and then nothing is made
        with self.run.changing():
            record = self.run.load()
            trouble = None
            if self._is_meant(record):
                trouble = self._daemons.end(record)
                self.run.save(record)
        self.close()
        if trouble is not None:
            raise ClusterError(f"{trouble}; all but the nodes is stopped")

    def is_running(self, record: ClusterRecord) -> bool:
        """Whether the cluster of the record runs and is, where one was started here, that one."""
        return self._is_meant(record) and self._daemons.are_running(record)

    def load_running(self) -> ClusterRecord:
        """The record of a cluster that runs."""
        record = self.run.load()
        if not self._daemons.are_running(record):
            raise ClusterError(f"the cluster in {self.run.path} is not running: start it with `yarnbox up`")
        return record

    def _is_meant(self, record: ClusterRecord) -> bool:
        return self._run_id in (None, record.run_id)

    # Changing

    def add_node(self, rack: str | None = None) -> NodeRecord:
        """Starts one more node."""
        with self.run.changing():
            record = self.load_running()
            self._daemons.read_configuration_again(record)
            racks = list(dict.fromkeys(node.rack for node in record.nodes.values())) or ["/rack1"]
            name = record.next_node_name()
            virtual = max((node.virtual for node in record.nodes.values()), default=0)
            node = NodeRecord(name, rack or racks[len(record.nodes) % len(racks)], virtual=virtual)
            record.nodes[name] = node
            self._daemons.hosts(record).place(record, [node])
            self._daemons.make_known(record, node)
            self._daemons.start_node(record, node)
            self.run.save(record)
        return node

    def kill_node(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signals a node and, but for SIGTERM, the containers on it: SIGTERM is the node's own to pass on."""
        with self.run.changing():
            record = self.load_running()
            if not self._daemons.hosts(record).send(record.node(name), number):
                raise ClusterError(f"{name} is not running: `yarnbox restart-node {name}` starts it")

    def restart_node(self, name: str) -> None:
        """Ends a node if it runs, with all that runs on it, and starts it again."""
        with self.run.changing():
            record = self.load_running()
            node = record.node(name)
            self._daemons.read_configuration_again(record)
            self._daemons.start_node_again(record, node)
            self.run.save(record)

    def decommission_node(self, name: str, timeout_s: int | None = None) -> None:
        """Lets a node leave: at once, or when what runs there has ended, at the latest after the timeout."""
        with self.run.changing():
            record = self.load_running()
            own = record.node(name).hosts
            graceful = "" if timeout_s is None else f" -g {timeout_s} -server"
            hosts = self._excluded_hosts(record, f"add {_in_short(own)} to it", f"-refreshNodes{graceful}`")
            if own[0] in hosts:
                raise ClusterError(f"{name} is decommissioned already")
            kind = DecommissionType.NORMAL if timeout_s is None else DecommissionType.GRACEFUL
            self._exclude(record, hosts, [*hosts, *own], kind, timeout_s)

    def recommission_node(self, name: str) -> None:
        """Lets a node that has left, or is about to, be part of the cluster again."""
        with self.run.changing():
            record = self.load_running()
            node = record.node(name)
            hosts = self._excluded_hosts(
                record,
                f"remove {_in_short(node.hosts)} from it",
                f"-refreshNodes` and, when it has left, `yarnbox restart-node {name}`",
            )
            if node.hosts[0] not in hosts:
                raise ClusterError(f"{name} is not decommissioned")
            is_leaving = (self.node_states(record) or {}).get(node.hosts[0]) is NodeState.DECOMMISSIONING
            self._exclude(record, hosts, [host for host in hosts if host not in node.hosts])
            if is_leaving:
                return
            self._daemons.start_node_again(record, node)
            self.run.save(record)

    def _excluded_hosts(self, record: ClusterRecord, edit: str, refresh: str) -> list[str]:
        """Those that were decommissioned here. ClusterError when the user keeps a list, which only he
        changes: it may be that of his real cluster. The error says what to do instead.
        """
        file = self.run.path / EXCLUDED
        configuration = Configuration.load(self.run.path, ["yarn-site.xml"])
        path = configuration.value(site.EXCLUDED_PROPERTY)
        if path != str(file):
            mine = Path(record.configuration or self.run.path) / str(path)
            raise ClusterError(
                f"{mine} is your own list of hosts to exclude ({site.EXCLUDED_PROPERTY}):"
                f" {edit}, then `yarnbox yarn rmadmin {refresh}"
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
            rms, tls = record.rm_addresses, self.tls(record)
            with blocking_stub_of(rms, admin_client.SERVICE, user=user, tls=tls) as stub:
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
            record = self.load_running()
            if record.rms and name is None:
                raise ClusterError(f"there are several ResourceManagers, name one: {', '.join(record.rms)}")
            rm = several.rm_of(record, name) if name is not None else None
            self._daemons.read_configuration_again(record)
            process = rm.process if rm is not None else record.rm
            if process is not None and process.send(number):
                for one in processes.wait_until_gone([process], 2.0):
                    one.send(signal.SIGKILL)
                processes.wait_until_gone([process], 1.0)
            self._daemons.start_rm(record, rm)
            self.run.save(record)

    def kill_rm(self, name: str, number: signal.Signals = signal.SIGKILL) -> None:
        """Signals one of several RMs."""
        with self.run.changing():
            rm = several.rm_of(self.load_running(), name)
            if rm.process is None or not rm.process.send(number):
                raise ClusterError(f"{name} is not running: `yarnbox restart-rm {name}` starts it")
            if number is signal.SIGKILL:
                processes.wait_until_gone([rm.process], 1.0)

    def wait_for_rm(self, name: str, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Waits until one of several RMs says what it is."""
        record = self.run.load()
        rm = several.rm_of(record, name)

        def is_there() -> bool:
            if rm.process is not None and not rm.process.is_alive():
                raise self._daemons.ended(name, rm.process)
            return self._has_role(rm, record)

        if not wait_until(is_there, timeout_s):
            raise ClusterError(f"{name} does not answer after {timeout_s:.0f} s; see {self.run.logs}")

    def _has_role(self, rm: RMRecord, record: ClusterRecord) -> bool:
        return several.state_of(rm, self.tls(record)) in (HAServiceState.ACTIVE, HAServiceState.STANDBY)

    def fail_over(self, timeout_s: float = READY_TIMEOUT_S) -> tuple[str, str]:
        """Has another RM be active; which one was, and which is."""
        record = self.load_running()
        if not record.rms:
            raise ClusterError("there is one ResourceManager: start several with `yarnbox up --rms 2`")
        before = several.ask_to_step_down(record, self.tls(record))
        now: list[str] = []

        def is_over() -> bool:
            active = several.active_of(record, self.tls(record))
            if active is not None and active is not before:
                now.append(active.name)
            return bool(now)

        if not wait_until(is_over, timeout_s):
            raise ClusterError(f"no other ResourceManager is active after {timeout_s:.0f} s")
        return before.name, now[0]

    # Looking

    def collect(self, record: ClusterRecord) -> None:
        """Brings logs here from hosts that do not share the run directory."""
        self._daemons.hosts(record).collect(record.nodes.values())

    def tls(self, record: ClusterRecord) -> Tls | None:
        """What this machine shows and whom it believes, where the cluster has TLS."""
        if record.fleet is None:  # on one machine there is none
            return None
        return Tls.of(read(TlsSettings, Configuration.load(self.run.path)))

    def nodes(self, record: ClusterRecord, at_least: int = 0) -> list[NodeReport] | None:
        """What the RM knows of the nodes, those in the record only; None when it does not answer, or when
        fewer than `at_least` are RUNNING.
        """
        return node_reports(record, self.tls(record), at_least)

    def running_nodes(self, record: ClusterRecord) -> tuple[set[str], str]:
        """The nodes whose processes run, and why that cannot be known, if it cannot."""
        try:
            hosts, nodes = self._daemons.hosts(record), record.nodes.values()
            hosts.collect(nodes)
            return hosts.running(nodes), ""
        except ClusterError as error:
            return set(), str(error)

    def node_states(self, record: ClusterRecord) -> dict[str, NodeState] | None:
        """The state of each node by its host: that of its present life where it has had several."""
        reports = self.nodes(record)
        return None if reports is None else {name: state_of(one) for name, one in latest(reports).items()}

    def wait_for_state(self, name: str, state: NodeState, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Waits until the RM says so of a node."""
        record = self.run.load()
        hosts = record.node(name).hosts

        def is_there() -> bool:
            states = self.node_states(record) or {}
            return all(states.get(host) is state for host in hosts)

        if not wait_until(is_there, timeout_s):
            raise ClusterError(f"{name} is not {state.name} after {timeout_s:.0f} s")


def _in_short(hosts: Sequence[str]) -> str:
    return hosts[0] if len(hosts) == 1 else f"{hosts[0]} to {hosts[-1]}"


def wait_until(condition: Callable[[], bool], timeout_s: float, every_s: float = _POLL_S) -> bool:
    """Looks again and again until the condition holds; whether it did in time. A look that takes long,
    because whoever is asked has much to do, is followed by a pause of that length.
    """
    begun = time.monotonic()
    deadline = begun + timeout_s
    while not condition():
        now = time.monotonic()
        if now >= deadline:
            return False
        time.sleep(max(every_s, now - begun))
        begun = time.monotonic()
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
