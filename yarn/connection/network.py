"""What a host in an address means: all addresses of this machine, or one; and what others are told of it.

Hadoop: NetUtils.getConnectAddress and Configuration.updateConnectAddr.
"""

from __future__ import annotations

import socket
from dataclasses import replace

from yarnbox.yarn.connection.address import Address

_WILDCARDS = ("0.0.0.0", "::")
_LOOPBACK = "127.0.0.1"


def is_wildcard(host: str) -> bool:
    """Whether a server with this host listens on all addresses of its machine."""
    return host in _WILDCARDS


def announced(host: str) -> str:
    """The host that others are told: the machine's name for a server that listens on all its addresses."""
    return socket.gethostname() if is_wildcard(host) else host


def connectable(address: Address) -> Address:
    """The address to connect to, for one that a server listens at: the loopback, if it listens everywhere."""
    return replace(address, host=_LOOPBACK) if is_wildcard(address.host) else address
