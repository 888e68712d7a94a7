"""Calls of one service at one peer over one connection of Hadoop's wire that stays, for any number of callers
at a time.

Owns the connection: it is made for the first call, and again for the first one after it has ended; calls that
were under way then have failed, and nothing is sent twice. Only for services that a peer answers who shows
that it knows our token. Knows no rule of YARN. Hadoop: ipc.Client, whose calls share a Connection.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

from yarnbox.yarn.connection.rpc import (
    CALL_TIMEOUT_S,
    MAX_MESSAGE_BYTES,
    ConnectionFailedError,
    RemoteDefectError,
)
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.hadoop_ipc.exchange import Conversation
from yarnbox.yarn.hadoop_ipc.framing import MalformedFrameError
from yarnbox.yarn.hadoop_ipc.stub import StubBase
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.wire import PLAIN, Wire

TOGETHER_S = 0.005
"""Between two writes, at least."""


class SharedHadoopStub(StubBase):
    """Calls with a token, for asyncio."""

    def __init__(
        self,
        address: str,
        service: str,
        *,
        token: Token,
        timeout_s: float = CALL_TIMEOUT_S,
        peer: str = "",
        wire: Wire = PLAIN,
    ) -> None:
        super().__init__(address, service, token=token, timeout_s=timeout_s, peer=peer, wire=wire)
        self._connection: _Connection | None = None
        self._connecting: asyncio.Task[_Connection] | None = None

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        super().use_token(token)
        self._drop()

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError. A call that is not
        answered in time ends the connection: its peer may be there no longer.
        """
        message, connection = self._wire.to_bytes(request), self._connection
        try:
            async with asyncio.timeout(self._timeout_s if timeout_s is None else timeout_s):
                if connection is None or connection.is_over:
                    connection = await self._connected(rpc)
                data = await connection.ask(rpc, message)
        except TimeoutError as error:
            if connection is not None:
                connection.end(ConnectionFailedError(f"{self._peer} did not answer in time"))
            raise ConnectionFailedError(f"{rpc}: no answer from {self._peer} in time") from error
        return self._wire.from_bytes(self._rpcs[rpc][1], data)

    async def _connected(self, rpc: str) -> _Connection:
        """The connection, which all who wait for one share."""
        if self._connecting is None or self._connecting.done():
            self._connecting = asyncio.get_running_loop().create_task(self._connect(self._token_for(rpc)))
        try:
            return await asyncio.shield(self._connecting)
        except OSError as error:
            raise ConnectionFailedError(f"{rpc}: cannot reach {self._peer}: {error}") from error

    async def _connect(self, token: Token) -> _Connection:
        if self._connection is not None and not self._connection.is_over:
            return self._connection
        conversation = Conversation(
            self._protocol, token, "", MAX_MESSAGE_BYTES, secrets.token_bytes, must_prove=True
        )
        _, self._connection = await asyncio.get_running_loop().create_connection(
            lambda: _Connection(conversation, self._peer), *self._address
        )
        return self._connection

    def _drop(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            self._connecting = None
        if self._connection is not None:
            self._connection.end(ConnectionFailedError(f"the connection to {self._peer} was closed"))
            self._connection = None

    async def close(self) -> None:
        """Ends the connection; the next call makes another."""
        self._drop()


class _Connection(asyncio.Protocol):
    """Moves bytes between the transport and the conversation, and answers to those who wait for them."""

    def __init__(self, conversation: Conversation, peer: str) -> None:
        self._conversation = conversation
        self._peer = peer
        self._loop = asyncio.get_running_loop()
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._transport: asyncio.Transport | None = None
        self._is_write_due = False
        self._written_s = 0.0
        self.is_over = False
        """Whether nobody is answered any more."""

    def ask(self, method: str, request: bytes) -> asyncio.Future[bytes]:
        """The response message of a call. Calls of a few milliseconds are written together, which spares both
        ends most of their work when there are thousands in a second.
        """
        answer: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting[self._conversation.ask(method, request)] = answer
        if not self._is_write_due:
            self._is_write_due = True
            self._loop.call_at(self._written_s + TOGETHER_S, self._write)
        return answer

    def end(self, why: Exception) -> None:
        """Fails what is under way, and ends the connection."""
        self.is_over = True
        waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(why)
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._write()

    def connection_lost(self, exc: Exception | None) -> None:
        said = "has ended the connection" if exc is None else f"broke the connection: {exc}"
        self.end(ConnectionFailedError(f"{self._peer} {said}"))

    def data_received(self, data: bytes) -> None:
        try:
            answers = self._conversation.receive(data)
        except MalformedFrameError as error:
            self.end(RemoteDefectError(f"{self._peer} does not speak Hadoop's wire: {error}"))
            return
        except YarnError as refused:
            self.end(refused)
            return
        for call_id, answer in answers:
            waiting = self._waiting.pop(call_id)
            if waiting.done():
                continue
            if isinstance(answer, YarnError):
                waiting.set_exception(answer)
            else:
                waiting.set_result(answer)
        self._write()

    def _write(self) -> None:
        self._is_write_due = False
        data = self._conversation.take_out()
        if data and self._transport is not None:
            self._written_s = self._loop.time()
            self._transport.write(data)
