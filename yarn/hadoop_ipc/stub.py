"""Calls of one service at one peer over Hadoop's wire, with asyncio and without: what the stubs of yarn.rpc
are over gRPC.

Owns the connection of each call, its time limit, and the waiting for a peer that is not there yet. Knows no
rule of YARN. Hadoop: ipc.Client and NMProxy's retries of connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import time
from collections.abc import Mapping
from typing import Any

from yarnbox.yarn.connection.rpc import (
    CALL_TIMEOUT_S,
    MAX_MESSAGE_BYTES,
    SERVICES,
    ConnectionFailedError,
    RemoteDefectError,
)
from yarnbox.yarn.errors import IllegalArgumentError, InvalidTokenError
from yarnbox.yarn.hadoop_ipc.exchange import Exchange, Question
from yarnbox.yarn.hadoop_ipc.framing import MalformedFrameError
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.wire import PLAIN, Wire

PROTOCOLS: Mapping[str, str] = {
    "ContainerManagementProtocolService": "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB",
    "ResourceTrackerService": "org.apache.hadoop.yarn.server.api.ResourceTrackerPB",
}
"""What a service that we call is called on this wire."""

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 1.0
_READ_BYTES = 64 * 1024


class StubBase:
    """What all stubs know: the peer, the credentials, and what an exchange that failed means."""

    def __init__(
        self,
        address: str,
        service: str,
        *,
        user: str = "",
        token: Token | None = None,
        timeout_s: float = CALL_TIMEOUT_S,
        peer: str = "",
        wire: Wire = PLAIN,
    ) -> None:
        host, _, port = address.rpartition(":")
        self._address = (host.strip("[]"), int(port))
        self._peer = peer or address
        self._protocol = PROTOCOLS[service]
        self._rpcs = SERVICES[service]
        self._user = user
        self._wire = wire
        self._token = token
        self._timeout_s = timeout_s

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        self._token = token

    def _token_for(self, rpc: str) -> Token:
        if self._token is None:
            raise InvalidTokenError(f"{rpc}: no token was given for {self._peer}")
        return self._token

    def _exchange(self, rpc: str, request: Record) -> Exchange:
        if rpc not in self._rpcs:
            raise IllegalArgumentError(f"{self._protocol} has no method {rpc}")
        token = self._token_for(rpc)
        question = Question(self._protocol, rpc, self._wire.to_bytes(request))
        return Exchange(question, token, self._user, MAX_MESSAGE_BYTES, secrets.token_bytes)

    def _receive(self, rpc: str, exchange: Exchange, data: bytes) -> None:
        if not data:
            raise ConnectionFailedError(f"{rpc}: {self._peer} has ended the connection")
        try:
            exchange.receive(data)
        except MalformedFrameError as error:
            raise RemoteDefectError(f"{rpc}: {self._peer} does not speak Hadoop's wire: {error}") from error

    def _response(self, rpc: str, data: bytes) -> Any:
        return self._wire.from_bytes(self._rpcs[rpc][1], data)

    def _late(self, rpc: str) -> ConnectionFailedError:
        return ConnectionFailedError(f"{rpc}: no answer from {self._peer} in time")

    def _unreached(self, rpc: str, error: OSError) -> ConnectionFailedError:
        return ConnectionFailedError(f"{rpc}: cannot reach {self._peer}: {error}")

    def _broken(self, rpc: str, error: OSError) -> ConnectionFailedError:
        return ConnectionFailedError(f"{rpc}: the connection to {self._peer} broke: {error}")


class HadoopStub(StubBase):
    """Calls with a token, for asyncio. With `wait_for_ready` a call waits within its time limit until the
    peer can be connected to; what was sent is never sent again.
    """

    def __init__(
        self,
        address: str,
        service: str,
        *,
        user: str = "",
        token: Token | None = None,
        timeout_s: float = CALL_TIMEOUT_S,
        wait_for_ready: bool = False,
        peer: str = "",
        wire: Wire = PLAIN,
    ) -> None:
        super().__init__(address, service, user=user, token=token, timeout_s=timeout_s, peer=peer, wire=wire)
        self._wait_for_ready = wait_for_ready

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        exchange = self._exchange(rpc, request)
        try:
            async with asyncio.timeout(self._timeout_s if timeout_s is None else timeout_s):
                return self._response(rpc, await self._play(rpc, exchange))
        except TimeoutError as error:
            raise self._late(rpc) from error

    async def _play(self, rpc: str, exchange: Exchange) -> bytes:
        reader, writer = await self._connected(rpc)
        try:
            while exchange.answer is None:
                writer.write(exchange.take_out())
                await writer.drain()
                self._receive(rpc, exchange, await reader.read(_READ_BYTES))
            return exchange.answer
        except OSError as error:
            raise self._broken(rpc, error) from error
        finally:
            writer.transport.abort()  # there is nothing left to be said
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _connected(self, rpc: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await asyncio.open_connection(*self._address)
            except OSError as error:
                if not self._wait_for_ready:
                    raise self._unreached(rpc, error) from error
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def close(self) -> None:
        """Nothing is kept open between two calls."""

    async def __aenter__(self) -> HadoopStub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class BlockingHadoopStub(StubBase):
    """Calls with a token, for simple programs without an event loop."""

    def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        exchange = self._exchange(rpc, request)
        end_s = time.monotonic() + (self._timeout_s if timeout_s is None else timeout_s)
        try:
            connection = socket.create_connection(self._address, self._left_s(rpc, end_s))
        except OSError as error:
            raise self._unreached(rpc, error) from error
        with connection:
            return self._response(rpc, self._play(rpc, exchange, connection, end_s))

    def _play(self, rpc: str, exchange: Exchange, connection: socket.socket, end_s: float) -> bytes:
        try:
            while exchange.answer is None:
                connection.settimeout(self._left_s(rpc, end_s))
                connection.sendall(exchange.take_out())
                connection.settimeout(self._left_s(rpc, end_s))
                self._receive(rpc, exchange, connection.recv(_READ_BYTES))
            return exchange.answer
        except TimeoutError as error:
            raise self._late(rpc) from error
        except OSError as error:
            raise self._broken(rpc, error) from error

    def _left_s(self, rpc: str, end_s: float) -> float:
        left_s = end_s - time.monotonic()
        if left_s <= 0:
            raise self._late(rpc)
        return left_s

    def close(self) -> None:
        """Nothing is kept open between two calls."""
