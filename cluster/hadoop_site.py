"""What the configuration of a local cluster says more when Hadoop's own clients are to use it.

Owns the choice of ports, and names of nodes that every program can resolve: addresses of the loopback
network, for Java asks the machine's resolver and knows no address book.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from collections.abc import Iterable

from yarn.address import Address

_FIRST_HOST = ipaddress.IPv4Address("127.0.1.1")
_RM = "yarn.resourcemanager."
_PORTS = (_RM + "address", _RM + "scheduler.address", _RM + "resource-tracker.address", _RM + "admin.address")


def next_host(taken: Iterable[str]) -> str:
    """An address that no node has had."""
    return str(max((ipaddress.IPv4Address(name) + 1 for name in taken), default=_FIRST_HOST))


def yarn_properties(host: str) -> dict[str, str]:
    """For yarn-site.xml: Hadoop's wire on ports that are free now."""
    with contextlib.ExitStack() as stack:
        probes = {name: stack.enter_context(socket.socket()) for name in _PORTS}
        for probe in probes.values():
            probe.bind((host, 0))
        found = {name: str(Address(host, int(probe.getsockname()[1]))) for name, probe in probes.items()}
    return {"yarnbox.hadoop-ipc.enabled": "true", **found}


def core_properties() -> dict[str, str]:
    """For core-site.xml: there is no file system but the machine's."""
    return {"fs.defaultFS": "file:///"}
