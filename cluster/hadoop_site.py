"""The part of a local cluster's configuration that only Hadoop's own clients need.

Owns the choice of ports, the place of Java, and names of nodes that every program can resolve: addresses of
the loopback network, because Java asks the machine's resolver and knows no address book.
"""

from __future__ import annotations

import ipaddress
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from yarnbox.cluster.ports import free_ports
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address

_FIRST_HOST = ipaddress.IPv4Address("127.0.1.1")
_RM = "yarn.resourcemanager."
HISTORY_PROPERTY = "mapreduce.jobhistory.address"
_PORTS = (_RM + "address", _RM + "scheduler.address", _RM + "resource-tracker.address", _RM + "admin.address")


def next_host(taken: Iterable[str]) -> str:
    """An address that no node has had."""
    return str(max((ipaddress.IPv4Address(name) + 1 for name in taken), default=_FIRST_HOST))


def yarn_properties(host: str, earlier: Configuration | None = None) -> dict[str, str]:
    """For yarn-site.xml: Hadoop's wire, on the ports of the cluster's earlier life, else on free ones."""
    found = {"yarnbox.hadoop-ipc.enabled": "true"}
    for name, port in zip(_PORTS, free_ports(host, len(_PORTS)), strict=True):
        known = earlier.value(name) if earlier is not None else None
        found[name] = known or str(Address(host, port))
    return found


def variables(environment: Mapping[str, str]) -> dict[str, str]:
    """For the daemons: where Java is, unless it is told. Programs of Hadoop's start `$JAVA_HOME/bin/java`."""
    java = shutil.which("java", path=environment.get("PATH"))
    if java is None or environment.get("JAVA_HOME"):
        return {}
    return {"JAVA_HOME": str(Path(java).resolve().parents[1])}


def mapred_properties(run: Path) -> dict[str, str]:
    """For mapred-site.xml: where jobs of Hadoop's own MapReduce wait, that they say what Java from
    17 on has to be told, and that their histories can be read here.
    """
    return {
        "yarn.app.mapreduce.am.staging-dir": str(run / "staging"),
        "mapreduce.jvm.add-opens-as-default": "true",
        "mapreduce.jobhistory.jhist.format": "json",
    }


def history_properties(host: str, earlier: Configuration) -> dict[str, str]:
    """For mapred-site.xml, where there is a history server: where it answers Hadoop's job clients."""
    known = earlier.read(HISTORY_PROPERTY, Address.parse, None)  # or the user's, of another cluster
    return {
        HISTORY_PROPERTY: str(
            known if known and known.host == host else Address(host, free_ports(host, 1)[0])
        )
    }


def core_properties() -> dict[str, str]:
    """For core-site.xml: there is no file system but the machine's."""
    return {"fs.defaultFS": "file:///"}
