"""A host and a port, as properties write them: `127.0.0.1:8050`, `rm.example.org:8088`, `[::1]:0`.

Does not resolve names and opens nothing. A host may mean all addresses of this machine; then others are told
its name. Hadoop: NetUtils.createSocketAddr and getConnectAddress, Configuration.updateConnectAddr.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace

_FORM = re.compile(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^\s:/\[\]]+))(?::([0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens or is reached; port 0 is any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str, default_port: int | None = None) -> Address:
        """`host:port`; without a port, `default_port`. ValueError tells the form."""
        match = _FORM.fullmatch(text.strip())
        port = default_port if match is None or match.group(3) is None else int(match.group(3))
        if match is None or port is None or port > 65_535:
            raise ValueError("host:port, the port from 0 to 65535")
        return cls(match.group(1) or match.group(2), port)


def with_default_port(port: int) -> Callable[[str], Address]:
    """A parser of addresses whose port may be left out, as Hadoop's getSocketAddr takes a default port."""
    return lambda text: Address.parse(text, port)


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
