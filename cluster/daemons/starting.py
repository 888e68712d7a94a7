"""The daemons of one run directory: the arguments, environment and host of each; whether they run; their end.

Processes of daemons are noted in the record that is handed in; who changes a cluster keeps and saves it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from yarnbox.cluster import hadoop_site, processes, site
from yarnbox.cluster.daemons import zookeeper
from yarnbox.cluster.directory import (
    ClusterError,
    ClusterRecord,
    FleetRecord,
    NodeRecord,
    RMRecord,
    RunDirectory,
)
from yarnbox.cluster.hosts.dask import DaskWorkers
from yarnbox.cluster.hosts.host import NodeHosts, ThisMachine
from yarnbox.cluster.hosts.launching import HISTORY, Launcher
from yarnbox.cluster.ports import free_ports
from yarnbox.cluster.processes import ProcessId
from yarnbox.yarn.connection.dask import DaskAddress

_RM_PATIENCE_S = 0.5


class Daemons:
    """Starts and ends them. A connection to an engine is made when it is needed."""

    def __init__(self, run: RunDirectory, *, stays_with_us: bool) -> None:
        self._run = run
        self._launcher = Launcher(run, stays_with_us=stays_with_us)
        self._workers: DaskWorkers | None = None

    def close(self) -> None:
        """Lets go of what was started, and of an engine. Daemons that stay with us end, others go on."""
        self._launcher.close()
        if self._workers is not None:
            self._workers.close()
            self._workers = None

    # Hosts

    def hosts(self, record: ClusterRecord) -> NodeHosts:
        """Where the nodes of the cluster run."""
        return (
            ThisMachine(self._run, self._launcher) if record.fleet is None else self._at(record.fleet.address)
        )

    def fleet(self, address: DaskAddress, nodes: int | None) -> tuple[FleetRecord, int]:
        """How so many nodes are shared out among an engine's workers, and how many they are."""
        return self._at(address).fleet(nodes)

    def _at(self, address: DaskAddress) -> DaskWorkers:
        if self._workers is None or self._workers.address != address:
            if self._workers is not None:
                self._workers.close()
            self._workers = DaskWorkers(self._run, address)
        return self._workers

    # Starting

    def get_ready(self, record: ClusterRecord) -> None:
        """Imports on the side what daemons need, while other things are done."""
        self._launcher.get_ready(self._variables(record))

    def start_zookeeper(self, record: ClusterRecord) -> None:
        """One of the cluster's own, where several RMs need it."""
        if not record.rms or record.zookeeper_address is not None:
            return
        path, (port,) = zookeeper.class_path(), free_ports(site.LOOPBACK, 1)
        output = self._run.logs / "zookeeper.out"
        pid = zookeeper.start(
            path,
            self._run.zookeeper,
            port,
            output,
            self._variables(record),
            stays=self._launcher.stays_with_us,
        )
        record.zookeeper_address = f"{site.LOOPBACK}:{port}"
        record.zookeeper = process = ProcessId.of(pid)
        zookeeper.wait_until_well(port, lambda: process is not None and process.is_alive())

    def start_rms(self, record: ClusterRecord) -> None:
        """The only one, or all of several."""
        for rm in record.rms.values():
            self.start_rm(record, rm)
        if not record.rms:
            self.start_rm(record)

    def start_rm(self, record: ClusterRecord, rm: RMRecord | None = None) -> None:
        """One of several, or the only one."""
        arguments = ["yarnbox.rm", "--conf", record.configuration or str(self._run.path)]
        if record.configuration is not None:
            for name, value in site.overrides(self._run, record).items():
                arguments += ["-D", f"{name}={value}"]
        if rm is None:
            record.rm = self._start("rm", [*arguments, "--dir", str(self._run.path)], record)
            return
        directory = self._run.rms / rm.name
        directory.mkdir(parents=True, exist_ok=True)
        log = self._run.logs / f"{rm.name}.log"
        if not log.is_symlink():
            log.symlink_to(directory / "logs" / "rm.log")
        own = ["-D", f"yarn.resourcemanager.ha.id={rm.name}", "--dir", str(directory)]
        rm.process = self._start(rm.name, [*arguments, *own], record)

    def start_history(self, record: ClusterRecord) -> None:
        """The MapReduce history server, where the cluster has one."""
        if record.history_address is None:
            return
        log = str(self._run.logs / f"{HISTORY}.log")
        arguments = ["yarnbox.am.mapreduce.history.server", "--conf", str(self._run.path), "--log-file", log]
        record.history = self._start(HISTORY, arguments, record)

    def start_node(self, record: ClusterRecord, node: NodeRecord) -> None:
        """On its host."""
        configuration = site.write_node_configuration(self._run, node)
        directory = site.node_directory(self._run, node)
        log = str(self._run.logs / f"{node.name}.log")
        arguments = ["yarnbox.nm", "--conf", str(configuration), "--dir", str(directory), "--log-file", log]
        if node.virtual:
            arguments += ["--virtual", str(node.virtual), "--name", f"{node.name}-"]
        else:
            arguments += ["--name", node.name, "--rack", node.rack]
        self.hosts(record).start(node, arguments, self._variables(record))

    def start_nodes(self, record: ClusterRecord) -> None:
        """All of them, each on its host."""
        hosts, nodes = self.hosts(record), record.nodes.values()
        hosts.start_all(nodes, lambda node: self.start_node(record, node))

    def start_node_again(self, record: ClusterRecord, node: NodeRecord) -> None:
        """Ends a node if it runs, and starts it: elsewhere, if its host is gone."""
        hosts = self.hosts(record)
        hosts.end([node])
        hosts.collect([node])
        if hosts.place(record, [node]):
            self.make_known(record, node)
        self.start_node(record, node)

    def make_known(self, record: ClusterRecord, node: NodeRecord) -> None:
        """Tells all daemons where a node is now."""
        site.add_host(self._run, record, node)
        self.hosts(record).share(record.nodes.values())

    def read_configuration_again(self, record: ClusterRecord) -> None:
        """For a daemon that starts later: what the user has changed, if a daemon can start with it."""
        if record.configuration is not None:
            source = Path(record.configuration)
            site.user_configuration(source, record.definitions)
            site.write_site_files(source, self._run, record)

    def _start(self, name: str, arguments: Sequence[str], record: ClusterRecord) -> ProcessId:
        return self._launcher.start(name, arguments, self._variables(record))

    def _variables(self, record: ClusterRecord) -> Mapping[str, str]:
        """What every daemon has in its environment."""
        return {
            **(hadoop_site.variables(os.environ) if record.for_hadoop else {}),
            processes.RUN_ID_VARIABLE: record.run_id,
            processes.RUN_DIR_VARIABLE: str(self._run.path),
            "YARN_CONF_DIR": str(self._run.path),
            "HADOOP_CONF_DIR": str(self._run.path),
        }

    # Running

    def are_running(self, record: ClusterRecord) -> bool:
        """Whether any daemon of it runs, wherever it is."""
        return record.is_running() or bool(self.hosts(record).running(record.nodes.values()))

    def check_alive(self, record: ClusterRecord, names: Sequence[str]) -> None:
        """ClusterError for the first of all RMs, of the history server and of the nodes of these names that
        was started and has ended, with the last that it said.
        """
        for name, process in {**record.managers(), HISTORY: record.history}.items():
            if process is not None and not process.is_alive():
                raise self.ended(name, process)
        nodes = [record.nodes[name] for name in names if record.nodes[name].process is not None]
        running = self.hosts(record).running(nodes)
        for node in nodes:
            if node.name not in running and node.process is not None:
                self.hosts(record).collect([node])
                raise self.ended(node.name, node.process)

    def ended(self, name: str, process: ProcessId) -> ClusterError:
        """Why a daemon has ended, by what it has said."""
        return self._launcher.ended(name, process.pid)

    def exit_reason(self, name: str) -> str:
        """Why a daemon that was started has ended, in one line."""
        return self._launcher.exit_reason(name)

    # Ending

    def end(self, record: ClusterRecord) -> ClusterError | None:
        """Ends every daemon: nodes first, for they end their containers and tell the RM. Why nodes could not
        be ended where they are.
        """
        run, trouble = self._run, self.end_nodes(record)
        managers = record.managers()
        started = [one for one in (*managers.values(), record.history) if one is not None]
        processes.end(started, _RM_PATIENCE_S)
        processes.kill(processes.belonging_to(record.run_id, run.path))
        for node in record.nodes.values():
            node.process = None
        record.rm = record.history = record.zookeeper = None
        for rm in record.rms.values():
            rm.process = None
        for name in (*record.nodes, *managers, HISTORY):
            run.write_pid(name, None)
        return trouble

    def end_nodes(self, record: ClusterRecord) -> ClusterError | None:
        """Ends nodes wherever they are, and removes what would stay there; why that could not be done."""
        hosts, nodes = self.hosts(record), list(record.nodes.values())
        try:
            hosts.end(nodes)
            hosts.collect(nodes)
            hosts.forget(nodes)
        except ClusterError as error:
            return error
        return None

    def end_leftovers(self, record: ClusterRecord) -> None:
        """Ends what is left of a cluster that was not ended as it should have been."""
        self.end_nodes(record)  # an engine that has ended has ended its workers' nodes
        processes.kill(processes.belonging_to(record.run_id, self._run.path))

    def abandon(self, record: ClusterRecord) -> None:
        """Ends what was started so far of a cluster that cannot be started."""
        self.end_nodes(record)
        processes.kill(record.processes())
        self.close()
