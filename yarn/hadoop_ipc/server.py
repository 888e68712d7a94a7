"""Connections of Hadoop's wire on asyncio: limits, patience, dispatch to handlers, answers in any order.

Owns what one client may cost the others: how many connections there are, how long a half-open, slow or silent
one is kept, how many frames of one are looked at before another's turn. Knows no rule of YARN. There is no
retry cache, for YARN has none: client id, call id and retry count are sent back and not interpreted. Hadoop:
ipc.Server's Listener, Reader, Handler and Responder.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Any

from yarnbox.yarn.connection.rpc import MAX_MESSAGE_BYTES, SERVICES, Handler, PortTakenError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.hadoop_ipc import framing
from yarnbox.yarn.hadoop_ipc.connection import Call, Connection, Impersonation, Tokens
from yarnbox.yarn.hadoop_ipc.framing import Code
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.wire import PLAIN, Wire

log = logging.getLogger("yarn.hadoop_ipc")

UNSUPPORTED = "java.lang.UnsupportedOperationException"
"""Of calls that nobody answers: a client throws it at once, while it repeats RpcNoSuchMethodException, which
is an IOException, for a quarter of an hour."""

DEFECT = "org.apache.hadoop.yarn.exceptions.YarnRuntimeException"
_FRAMES_AT_A_TIME = 8
"""Of one connection, before others have their turn. A call over gRPC takes several rounds of the event loop,
so an ApplicationMaster waits for several times as many heartbeats of the thousands that come at once.
"""
_LONGEST_MESSAGE = 64 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who answers one protocol of a port, and the service whose records it has."""

    service: str
    handler: Handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one port bears."""

    max_frame_bytes: int = MAX_MESSAGE_BYTES
    max_connections: int = 4096
    max_unread_bytes: int = 4 * MAX_MESSAGE_BYTES
    """Of unfinished frames, all connections together; beyond it the one with the most of them ends."""
    handshake_s: float = 20.0
    """From the connection to its context."""
    frame_s: float = 60.0
    """From one part of a frame to the next, and for a client to take what it was answered."""
    idle_s: float = 300.0
    """Without any frame: clients ping every minute while they wait, and close after ten seconds."""
    check_s: float = 1.0


class HadoopServer:
    """One port: its protocols, and the tokens that it demands, if any."""

    def __init__(
        self,
        protocols: Mapping[str, Endpoint],
        tokens: Tokens | None = None,
        limits: Limits | None = None,
        impersonation: Impersonation | None = None,
        wire: Wire = PLAIN,
    ) -> None:
        self.protocols = protocols
        self.tokens = tokens
        self.impersonation = impersonation
        self.limits = limits or Limits()
        self._wire = wire
        self.connections: dict[_Protocol, None] = {}
        self.port = 0
        self._unread_bytes = 0
        self._server: asyncio.Server | None = None
        self._watch: asyncio.TimerHandle | None = None

    def new_protocol(self) -> asyncio.Protocol:
        """The protocol of a connection that somebody else accepted."""
        return _Protocol(self)

    async def start(self, host: str, port: int, setting: str) -> int:
        """Listens; the port. PortTakenError names the setting that changes it."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self.new_protocol, host, port)
        except OSError as error:
            reason = f"port {port} is already in use" if error.errno == errno.EADDRINUSE else str(error)
            raise PortTakenError(f"cannot listen on {host}:{port}: {reason}; {setting} changes it") from error
        self.port = int(self._server.sockets[0].getsockname()[1])
        self.watch()
        return self.port

    def watch(self) -> None:
        """Ends connections whose patience is over, from now on."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        for connection in [one for one in self.connections if one.deadline < now]:
            connection.drop()
        self._watch = loop.call_later(self.limits.check_s, self.watch)

    async def stop(self) -> None:
        """Ends all connections."""
        if self._watch is not None:
            self._watch.cancel()
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.drop()
        if self._server is not None:
            await self._server.wait_closed()

    def count_unread(self, more: int) -> None:
        """One connection keeps so much more of unfinished frames, or less."""
        self._unread_bytes += more
        if self._unread_bytes > self.limits.max_unread_bytes:
            largest = max(self.connections, key=lambda one: one.unread_bytes, default=None)
            if largest is not None:
                log.warning("too much is unfinished: %d bytes of %s", largest.unread_bytes, largest.host)
                largest.drop()

    def answer(self, call: Call) -> bytes | Awaitable[bytes]:
        """The frame that answers a call."""
        endpoint = self.protocols.get(call.protocol)
        if endpoint is None:
            return framing.failure(
                call.header, UNSUPPORTED, f"Unknown protocol: {call.protocol}", Code.ERROR_NO_SUCH_PROTOCOL
            )
        records = SERVICES[endpoint.service].get(call.method)
        if records is None:
            said = f"Unknown method {call.method} called on {call.protocol} protocol."
            return framing.failure(call.header, UNSUPPORTED, said, Code.ERROR_NO_SUCH_METHOD)
        try:
            request: Record = self._wire.from_bytes(records[0], call.request)
            response = endpoint.handler(call.method, request, call.caller)
            if hasattr(response, "__await__"):
                return self._awaited(call, response)
            return framing.success(call.header, self._wire.to_bytes(response))
        except Exception as error:
            return _refused(call, error)

    async def _awaited(self, call: Call, response: Awaitable[Any]) -> bytes:
        try:
            return framing.success(call.header, self._wire.to_bytes(await response))
        except Exception as error:
            return _refused(call, error)


def _refused(call: Call, error: Exception) -> bytes:
    if isinstance(error, YarnError):
        said = error.message[:_LONGEST_MESSAGE]
        return framing.failure(call.header, error.java_class, said, Code.ERROR_APPLICATION)
    log.error("%s failed", call.method, exc_info=error)
    said = f"{call.method}: {type(error).__name__} in the daemon; its log has the traceback"
    return framing.failure(call.header, DEFECT, said, Code.ERROR_APPLICATION)


class _Protocol(asyncio.Protocol):
    """One connection: moves bytes between its transport and its state, and keeps its deadline."""

    def __init__(self, server: HadoopServer) -> None:
        limits = server.limits
        self._server = server
        self._limits = limits
        self._state = Connection(
            server.tokens, limits.max_frame_bytes, secrets.token_bytes, server.impersonation
        )
        self._transport: asyncio.Transport
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_turn_due = False
        self._is_choked = False
        self.unread_bytes = 0
        self._loop = asyncio.get_running_loop()
        self.deadline = self._loop.time() + limits.handshake_s

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self._state.host = peer[0] if isinstance(peer, tuple) else None
        if len(self._server.connections) >= self._limits.max_connections:
            transport.abort()
        else:
            self._server.connections[self] = None

    @property
    def host(self) -> str | None:
        """Where the client is."""
        return self._state.host

    def connection_lost(self, exc: Exception | None) -> None:
        self._count_unread(0)
        self._server.connections.pop(self, None)
        for task in self._tasks:
            task.cancel()

    def data_received(self, data: bytes) -> None:
        self._state.receive(data)
        if self._is_turn_due:
            self._count_unread(self._state.unread_bytes)
        else:
            self._turn()

    def drop(self) -> None:
        """Ends the connection without another word."""
        self._count_unread(0)
        self._transport.abort()

    # What is written is not without end

    def pause_writing(self) -> None:
        self._is_choked = True
        self._transport.pause_reading()
        self.deadline = self._loop.time() + self._limits.frame_s

    def resume_writing(self) -> None:
        self._is_choked = False
        self._postpone()
        self._transport.resume_reading()
        if not self._is_turn_due:
            self._turn()

    # A turn

    def _turn(self) -> None:
        """Some of the frames that are here; the others when everybody else had a turn."""
        self._is_turn_due = False
        state, transport = self._state, self._transport
        if transport.is_closing():
            return
        answers: list[bytes] = []
        call: Call | None = None
        for _ in range(_FRAMES_AT_A_TIME):
            call = None if self._is_choked else state.next_call()
            answers.append(state.take_out())
            if call is None:
                break
            answer = self._server.answer(call)
            if isinstance(answer, bytes):
                answers.append(answer)
            else:
                self._answer_later(answer)
        written = b"".join(answers)
        if written:
            transport.write(written)
        if state.is_over:
            transport.close()
            self.deadline = self._loop.time() + self._limits.frame_s
            return
        if call is not None:
            self._is_turn_due = True
            transport.pause_reading()
            self._loop.call_soon(self._next_turn)
        self._count_unread(state.unread_bytes)
        self._postpone()

    def _count_unread(self, count: int) -> None:
        more, self.unread_bytes = count - self.unread_bytes, count
        if more:
            self._server.count_unread(more)

    def _next_turn(self) -> None:
        if not self._transport.is_closing() and not self._is_choked:
            self._transport.resume_reading()
        self._turn()

    def _postpone(self) -> None:
        if not self._state.is_established or self._is_choked:
            return
        patience = self._limits.frame_s if self._state.is_amid_frame else self._limits.idle_s
        self.deadline = self._loop.time() + patience

    def _answer_later(self, answer: Awaitable[bytes]) -> None:
        async def write() -> None:
            frame = await answer
            if not self._transport.is_closing():
                self._transport.write(frame)

        task = self._loop.create_task(write())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
