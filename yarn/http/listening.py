"""The sockets that HTTP ports listen at, and the limits of their connections; light to import."""

from __future__ import annotations

import asyncio
import errno
import socket

from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.rpc import PortTakenError

IDLE_S = 75.0
"""A connection on which nothing is asked for so long is closed."""
FIRST_REQUEST_S = 20.0
"""So long a new connection may take to ask for something."""
MAX_CONNECTIONS = 2048
"""Further ones are closed at once."""


def bind(address: Address, setting: str) -> socket.socket:
    """A socket that listens there; PortTakenError names the port and the setting when it cannot be had."""
    try:
        info = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        family, kind, _, _, name = info[0]
        listening = socket.socket(family, kind)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(name)
            listening.listen(128)
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = f"port {address.port} is already in use" if is_taken else str(error)
        raise PortTakenError(f"cannot listen on {address}: {why}; {setting} changes it") from error
    return listening


class Closing(asyncio.Protocol):
    """A connection for which there is no room."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Closes it."""
        transport.close()
