"""One port for two transports: a node is known by one port, and AMs of both kinds dial it.

The first four bytes tell them apart: Hadoop's connections begin with `hrpc` and are served here, everything
else (gRPC's HTTP/2, or its TLS) goes on to the port behind as it came. Who says nothing within the
handshake's time is dropped.
"""

from __future__ import annotations

import asyncio
import errno

from yarnbox.yarn.connection.rpc import PortTakenError
from yarnbox.yarn.hadoop_ipc.framing import MAGIC
from yarnbox.yarn.hadoop_ipc.server import HadoopServer

_GRPC = (b"PRI ", b"\x16\x03")
"""How gRPC begins: with HTTP/2, or with TLS."""


class SharedPort:
    """Listens before a HadoopServer and the port of a gRPC server."""

    def __init__(self, hadoop: HadoopServer) -> None:
        self._hadoop = hadoop
        self._behind = ("127.0.0.1", 0)
        self._server: asyncio.Server | None = None
        self._open: dict[_Front, None] = {}

    async def start(self, host: str, port: int, setting: str) -> int:
        """Listens; the port. Connections wait until `forward_to` says where the others go."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: _Front(self), host, port, start_serving=False)
        except OSError as error:
            reason = f"port {port} is already in use" if error.errno == errno.EADDRINUSE else str(error)
            raise PortTakenError(f"cannot listen on {host}:{port}: {reason}; {setting} changes it") from error
        return int(self._server.sockets[0].getsockname()[1])

    async def forward_to(self, host: str, port: int) -> None:
        """Serves from now on; what is not Hadoop's goes there."""
        assert self._server is not None
        self._behind = (host, port)
        await self._server.start_serving()
        self._hadoop.watch()

    async def stop(self) -> None:
        """Ends all connections."""
        if self._server is not None:
            self._server.close()
        for front in list(self._open):
            front.drop()
        await self._hadoop.stop()
        if self._server is not None:
            await self._server.wait_closed()

    # What connections need

    def hadoop_protocol(self) -> asyncio.Protocol:
        """For a connection that turned out to be Hadoop's."""
        return self._hadoop.new_protocol()

    @property
    def behind(self) -> tuple[str, int]:
        """Where the others go."""
        return self._behind

    @property
    def patience_s(self) -> float:
        """How long to wait for the first bytes."""
        return self._hadoop.limits.handshake_s

    def opened(self, front: _Front) -> bool:
        """Whether there is room for one more connection."""
        if len(self._open) >= self._hadoop.limits.max_connections:
            return False
        self._open[front] = None
        return True

    def closed(self, front: _Front) -> None:
        """It has ended, or is somebody else's now."""
        self._open.pop(front, None)


class _Pipe(asyncio.Protocol):
    """One direction's end: writes what it gets to the other end, as fast as that takes it."""

    other: _Pipe | None = None
    transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.transport.write(data)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            self.other.transport.close()

    def pause_writing(self) -> None:
        if self.other is not None:
            self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        if self.other is not None:
            self.other.transport.resume_reading()


class _Front(_Pipe):
    """A connection of which nobody knows yet what it is, and then the front end of a pipe."""

    def __init__(self, port: SharedPort) -> None:
        self._port = port
        self._first = b""
        self._timer: asyncio.TimerHandle | None = None
        self._connecting: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        if not self._port.opened(self):
            self.transport.abort()
            return
        self._timer = asyncio.get_running_loop().call_later(self._port.patience_s, self.drop)

    def drop(self) -> None:
        """Ends the connection."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.other is not None:
            self.other.transport.write(data)
            return
        self._first += data
        if self._connecting is not None or (len(self._first) < 4 and _may_become(self._first)):
            return
        if self._timer is not None:
            self._timer.cancel()
        if self._first.startswith(MAGIC) or not self._first.startswith(_GRPC):
            self._hand_over()
        else:
            self.transport.pause_reading()
            self._connecting = asyncio.get_running_loop().create_task(self._connect())

    def _hand_over(self) -> None:
        protocol = self._port.hadoop_protocol()
        self._port.closed(self)
        self.transport.set_protocol(protocol)
        protocol.connection_made(self.transport)
        protocol.data_received(self._first)

    async def _connect(self) -> None:
        back = _Pipe()
        try:
            await asyncio.get_running_loop().create_connection(lambda: back, *self._port.behind)
        except OSError:
            self.drop()
            return
        if self.transport.is_closing():
            back.transport.abort()
            return
        back.other, self.other = self, back
        back.transport.write(self._first)
        self._first = b""
        self.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._port.closed(self)
        super().connection_lost(exc)


def _may_become(first: bytes) -> bool:
    return any(known.startswith(first) for known in (MAGIC, *_GRPC)) and not first.startswith(_GRPC)
