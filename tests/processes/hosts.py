"""A cluster whose daemons are as on hosts of their own: each has an address, a configuration and a directory
that the others do not know, and nothing maps names. Loopback addresses stand for the hosts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tests.processes.conftest import ROOT, wait_until
from tests.waiting import PATIENCE_S
from yarnbox.client.session import connect
from yarnbox.cluster.ports import free_ports
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.records.node import NodeReport

T = TypeVar("T")

RM_HOST = "127.0.0.2"
NODE_HOSTS = ("127.0.0.3", "127.0.0.4")


def environment(**variables: str) -> dict[str, str]:
    """Hardly anything: no host knows what another one has."""
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src"), "HOME": "/", **variables}


@dataclass
class Hosts:
    """The cluster."""

    root: Path
    everywhere: Mapping[str, str] = field(default_factory=dict)
    """What all of its configurations say."""
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rm_port, self.web_port = free_ports(RM_HOST, 2)

    def configure(self, name: str, properties: Mapping[str, str] | None = None) -> Path:
        """The configuration directory of a host, or of a client."""
        directory = self.root / name / "conf"
        directory.mkdir(parents=True)
        given = {
            "yarn.resourcemanager.hostname": RM_HOST,
            "yarnbox.resourcemanager.grpc.address": f"${{yarn.resourcemanager.hostname}}:{self.rm_port}",
            "yarn.resourcemanager.webapp.address": f"${{yarn.resourcemanager.hostname}}:{self.web_port}",
            "yarn.resourcemanager.scheduler.class": "fifo",
            "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "50",
            "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "100",
            "yarn.app.mapreduce.am.staging-dir": str(self.root / "shared"),
            "hadoop.tmp.dir": str(self.root / name / "tmp"),
            **self.everywhere,
            **(properties or {}),
        }
        text = write((name, value, False) for name, value in given.items())
        (directory / "yarn-site.xml").write_text(text, encoding="utf-8")
        return directory

    def start_rm(self, properties: Mapping[str, str] | None = None) -> None:
        """The ResourceManager."""
        home = self.root / "rm"
        stores = {
            "yarn.node-attribute.fs-store.root-dir": str(home / "node-attribute"),
            "yarn.node-labels.fs-store.root-dir": str(home / "node-labels"),
        }
        conf = self.configure("rm", {**stores, **(properties or {})})
        self.start("rm", "yarnbox.rm", "--conf", str(conf))

    def start_node(self, name: str, properties: Mapping[str, str]) -> None:
        """A NodeManager."""
        given = {
            "yarn.nodemanager.webapp.address": "${yarn.nodemanager.hostname}:0",
            "yarn.nodemanager.aux-services": "mapreduce_shuffle",
            "yarn.nodemanager.resource.memory-mb": "4096",
            "yarn.nodemanager.resource.cpu-vcores": "8",
            "mapreduce.shuffle.port": "0",
            **properties,
        }
        conf = self.configure(name, given)
        self.start(name, "yarnbox.nm", "--conf", str(conf), "--dir", str(self.root / name))

    def start(self, name: str, module: str, *words: str) -> None:
        """A daemon; what it prints goes to a file of its name."""
        with (self.root / f"{name}.out").open("wb") as out:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *words, "--exit-with-parent"],
                cwd=self.root / name,
                env=environment(),
                stdout=out,
                stderr=out,
            )

    def nodes(self, client: Path) -> dict[str, NodeReport]:
        """The running nodes by host, as a client sees them; none while the RM does not answer."""
        with connect(client, properties={"yarn.resourcemanager.connect.max-wait.ms": "0"}) as cluster:
            try:
                reports = cluster.client.nodes([NodeState.RUNNING])
            except Exception as error:
                self.said = f"{type(error).__name__}: {error}"
                return {}
        return {report.node_id.host: report for report in reports if report.node_id is not None}

    said = ""

    def wait_for_nodes(self, client: Path, *hosts: str) -> None:
        """Until all of them run."""
        assert wait_until(lambda: set(hosts) <= set(self.nodes(client)), PATIENCE_S), self.outputs()

    def eventually(self, look: Callable[[], T | None]) -> T:
        """What is found, once there is something to be found."""
        found: T | None = None

        def has_found() -> bool:
            nonlocal found
            found = look()
            return found is not None

        assert wait_until(has_found, PATIENCE_S), self.outputs()
        assert found is not None
        return found

    def run(self, client: Path, module: str, *words: str, status: int = 0, user: str = "alice") -> str:
        """A command somewhere that has a configuration directory, and nothing else; what it printed."""
        done = subprocess.run(
            [sys.executable, "-P", "-m", module, *words],
            cwd=client.parent,
            env=environment(YARN_CONF_DIR=str(client), HADOOP_USER_NAME=user),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == status, f"{words}\n{done.stdout}\n{done.stderr}\n{self.outputs()}"
        return done.stdout + done.stderr

    def outputs(self) -> str:
        """What the daemons printed, and what the client heard last."""
        files = sorted(self.root.glob("*.out"))
        return "\n".join([self.said, *(f"--- {one.name}\n{one.read_text()[-4000:]}" for one in files)])

    def end(self) -> dict[str, Any]:
        """Ends the daemons, nodes first; their exit statuses."""
        for process in reversed(self.processes.values()):
            process.terminate()
        return {name: process.wait(PATIENCE_S) for name, process in self.processes.items()}
