"""A host and a port, as properties write them: `127.0.0.1:8050`, `rm.example.org:8088`, `[::1]:0`.

Does not resolve names and opens nothing. Hadoop: NetUtils.createSocketAddr.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

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
