"""The run directory: everything that a local cluster is made of, and the record by which it is found again.

    cluster.json      the record: id, addresses, processes
    *-site.xml ...    the generated configuration directory, for YARN_CONF_DIR or `yarn --config`
    nodes.secret      by which the RM knows its nodes
    topology.table    racks of the emulated hosts        addresses.json   where they really listen
    logs/             a log for each daemon, events.jsonl
    nodes/nm1/ ...    configuration, local and log directories of each node
    rms/rm1/ ...      logs of each of several RMs        zookeeper/       what they share
    state/            the RM's state store               pids/            a file for each daemon

Owns the layout and the record's file, which one command at a time may change. Knows nothing of starting or
stopping.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from yarnbox.cluster import hadoop_site
from yarnbox.cluster.processes import ProcessId
from yarnbox.nm.edge.naming import virtual_names
from yarnbox.yarn.connection.dask import DaskAddress
from yarnbox.yarn.storage.event_log import FILE as EVENTS_FILE
from yarnbox.yarn.text.words import did_you_mean

DEFAULT_DIRECTORY = ".yarnbox"
DIRECTORY_VARIABLE = "YARNBOX_DIR"
RECORD = "cluster.json"
EXCLUDED = "nodes.excluded"
"""The hosts that `yarnbox decommission-node` lets go, one a line."""
NODE_SECRET = "nodes.secret"
"""What the nodes of this cluster know, and nobody else."""
_VERSION = 1
_PLAIN_PATH = re.compile(r"[\w/.,:=@%+-]+")


class ClusterError(Exception):
    """What was asked cannot be done; the message is one line that names the thing and the remedy."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
        """The exit status of a command that fails because of it."""


@dataclass(frozen=True)
class Place:
    """Where a node runs if not on this machine: with a worker of an engine."""

    worker: str
    """The worker's address, by which the engine knows it."""
    host: str
    """Where the node listens."""
    directory: str
    """What is the node's alone."""
    memory_mb: int | None = None
    """What the worker has for it; None: as the configuration says."""
    vcores: int | None = None
    copy: str = ""
    """Where its host has a copy of the run directory; empty: it shares ours."""


@dataclass
class NodeRecord:
    """A node as the supervisor knows it; `process` is None while it is stopped."""

    name: str
    rack: str
    process: ProcessId | None = None
    """A process of the machine on which it was placed."""
    virtual: int = 0
    """How many simulated nodes it is instead of one."""
    place: Place | None = None

    @property
    def hosts(self) -> tuple[str, ...]:
        """What the ResourceManager calls it, or each of the nodes that it is."""
        return virtual_names(f"{self.name}-", self.virtual) if self.virtual else (self.name,)


@dataclass(frozen=True)
class FleetRecord:
    """The engine whose workers host the nodes: how it is reached, and how they are shared out."""

    address: DaskAddress
    host: str
    """This machine, as the workers reach it."""
    share: int = 1
    """Among how many nodes the size of a worker is divided."""
    shares_the_run: bool = True
    """Whether all workers see the run directory; else each host has a copy of it."""


@dataclass
class RMRecord:
    """One of several ResourceManagers; `process` is None while it is stopped."""

    name: str
    address: str
    web_address: str
    process: ProcessId | None = None


@dataclass
class ClusterRecord:
    """A cluster: its id, where its RM listens, and its processes."""

    run_id: str
    rm_address: str
    web_address: str
    scheduler: str
    rm: ProcessId | None = None
    supervisor: ProcessId | None = None
    nodes: dict[str, NodeRecord] = field(default_factory=dict)
    for_hadoop: bool = False
    """Whether Hadoop's own clients are served, and nodes are named by addresses."""
    configuration: str | None = None
    """The user's directory, which the RM reads in place; None: the sample, copied to the run directory."""
    definitions: dict[str, str] = field(default_factory=dict)
    """The user's -D."""
    history_address: str | None = None
    """Where the pages of the MapReduce history server are, if there is one."""
    history: ProcessId | None = None
    rms: dict[str, RMRecord] = field(default_factory=dict)
    """By their ids, where there are several: then `rm` is None, and the two addresses are the first one's."""
    shared_name: str = ""
    """What several of them call the cluster in ZooKeeper."""
    zookeeper_address: str | None = None
    zookeeper: ProcessId | None = None
    """Where it is the cluster's own."""
    fleet: FleetRecord | None = None
    """None: the nodes are processes of this machine."""

    @property
    def rm_addresses(self) -> tuple[str, ...]:
        """Where all ResourceManagers serve."""
        return tuple(rm.address for rm in self.rms.values()) or (self.rm_address,)

    def managers(self) -> dict[str, ProcessId | None]:
        """The process of each ResourceManager by its name: `rm` is the only one's."""
        return {"rm": self.rm, **{rm.name: rm.process for rm in self.rms.values()}}

    def processes(self) -> list[ProcessId]:
        """Every daemon of this machine that was started and not known to have ended."""
        known = [*self.managers().values(), self.history, self.zookeeper]
        known += [node.process for node in self.nodes.values() if node.place is None]
        return [process for process in known if process is not None]

    def is_running(self) -> bool:
        """Whether any of those runs."""
        return any(process.is_alive() for process in self.processes())

    def simulates_containers(self) -> bool:
        """Whether an ApplicationMaster may get a container in which no program runs."""
        return any(node.virtual for node in self.nodes.values())

    def node(self, name: str) -> NodeRecord:
        """The node of that name; ClusterError names those there are."""
        if name not in self.nodes:
            hint = did_you_mean(name, self.nodes)
            names = ", ".join(self.nodes) or "none"
            raise ClusterError(f"there is no node {name}{hint}; the nodes are {names}")
        return self.nodes[name]

    def next_node_name(self) -> str:
        """nm1, nm2 and so on, or addresses; a name is never used twice."""
        if self.for_hadoop:
            return hadoop_site.next_host(self.nodes)
        numbers = [int(name[2:]) for name in self.nodes if name[2:].isdigit()]
        return f"nm{max(numbers, default=0) + 1}"


def is_plain_path(path: str) -> bool:
    """Whether launch scripts can name it as it is."""
    return _PLAIN_PATH.fullmatch(path) is not None


class RunDirectory:
    """Paths below one directory, and the record in it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self.pids = self.path / "pids"
        self.state = self.path / "state"
        self.nodes = self.path / "nodes"
        self.rms = self.path / "rms"
        self.zookeeper = self.path / "zookeeper"
        self.record_file = self.path / RECORD
        self.lock_file = self.path / "cluster.lock"

    @classmethod
    def chosen(cls, given: str | None) -> RunDirectory:
        """--dir, else YARNBOX_DIR, else .yarnbox here."""
        return cls(Path(given or os.environ.get(DIRECTORY_VARIABLE) or DEFAULT_DIRECTORY))

    def event_logs(self, record: ClusterRecord) -> list[Path]:
        """The logs of events: one of each ResourceManager."""
        return [self.rms / name / "logs" / EVENTS_FILE for name in record.rms] or [self.logs / EVENTS_FILE]

    def node(self, name: str) -> Path:
        """Everything of one node."""
        return self.nodes / name

    def create(self) -> None:
        """Makes it; refuses a directory that holds something else, or that launch scripts cannot name."""
        if not is_plain_path(str(self.path)):
            raise ClusterError(
                f"{self.path} has blanks or other characters that mean something to a shell, and containers"
                " are launched by shell scripts that name it, as in Hadoop; choose another one with --dir"
            )
        if self.path.exists() and not self.path.is_dir():
            raise ClusterError(f"{self.path} is not a directory; choose another one with --dir")
        try:
            if self.path.is_dir() and any(self.path.iterdir()) and not self.lock_file.exists():
                raise ClusterError(
                    f"{self.path} is not empty and holds no cluster; choose another directory with --dir"
                )
            for each in (self.path, self.logs, self.pids, self.nodes):
                each.mkdir(parents=True, exist_ok=True)
            self.lock_file.touch()  # from now on it is known to be ours
        except OSError as error:
            reason = error.strerror or error
            raise ClusterError(
                f"{self.path} cannot be used: {reason}; choose another one with --dir"
            ) from error

    def forget_earlier_life(self) -> None:
        """Removes what an earlier cluster in this directory left: state, nodes, tables; its logs stay."""
        for tree in (self.state, self.nodes, self.rms, self.zookeeper, self.pids, self.path / "tmp"):
            shutil.rmtree(tree, ignore_errors=True)
        for file in (*self.path.glob("*.xml"), *self.path.glob(EXCLUDED), *self.path.glob(NODE_SECRET)):
            file.unlink()
        self.create()

    def load(self) -> ClusterRecord:
        """The record; ClusterError when there is no cluster here."""
        try:
            return _from_json(json.loads(self.record_file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            raise ClusterError(
                f"there is no cluster in {self.path}: start one with `yarnbox up`,"
                " or name its directory with --dir"
            ) from None
        except OSError as error:
            raise ClusterError(f"{self.record_file} cannot be read: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise ClusterError(
                f"{self.record_file} cannot be read: {error}; remove it, or name another directory with --dir"
            ) from error

    def save(self, record: ClusterRecord) -> None:
        """Replaces the record in one step."""
        draft = self.record_file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(_to_json(record), indent=2) + "\n", encoding="utf-8")
        draft.replace(self.record_file)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Keeps other commands from changing the cluster meanwhile."""
        if not self.path.is_dir():
            self.load()  # says what is missing
        with self.lock_file.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def write_pid(self, name: str, process: ProcessId | None) -> None:
        """Leaves the pid of a daemon for people and scripts; None takes it away."""
        file = self.pids / f"{name}.pid"
        if process is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(f"{process.pid}\n", encoding="utf-8")


def _to_json(record: ClusterRecord) -> dict[str, Any]:
    return {"version": _VERSION, **asdict(record)}


def _from_json(data: dict[str, Any]) -> ClusterRecord:
    if data["version"] != _VERSION:
        raise ValueError(f"it was written by another version ({data['version']})")
    return ClusterRecord(
        run_id=data["run_id"],
        rm_address=data["rm_address"],
        web_address=data["web_address"],
        scheduler=data["scheduler"],
        rm=_process(data["rm"]),
        supervisor=_process(data["supervisor"]),
        nodes={
            name: NodeRecord(
                node["name"],
                node["rack"],
                _process(node["process"]),
                node.get("virtual", 0),
                Place(**node["place"]) if node.get("place") else None,
            )
            for name, node in data["nodes"].items()
        },
        for_hadoop=data.get("for_hadoop", False),
        configuration=data.get("configuration"),
        definitions=data.get("definitions", {}),
        history_address=data.get("history_address"),
        history=_process(data.get("history")),
        rms={
            name: RMRecord(rm["name"], rm["address"], rm["web_address"], _process(rm["process"]))
            for name, rm in data.get("rms", {}).items()
        },
        shared_name=data.get("shared_name", ""),
        zookeeper_address=data.get("zookeeper_address"),
        zookeeper=_process(data.get("zookeeper")),
        fleet=_fleet(data.get("fleet")),
    )


def _process(data: dict[str, Any] | None) -> ProcessId | None:
    return None if data is None else ProcessId(int(data["pid"]), float(data["started"]))


def _fleet(data: dict[str, Any] | None) -> FleetRecord | None:
    if data is None:
        return None
    return FleetRecord(**{**data, "address": DaskAddress(**data["address"])})
