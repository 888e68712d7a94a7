"""Calls of one service at one peer over Hadoop's wire, with asyncio: what yarn.rpc.Stub is over gRPC.

Owns the connection of each call, its time limit, and the waiting for a peer that is not there yet. Knows no
rule of YARN. Answers for ipc.Client and NMProxy's retries of connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Mapping
from typing import Any

from yarn.errors import IllegalArgumentError
from yarn.hadoop_ipc.exchange import Exchange, Question
from yarn.hadoop_ipc.framing import MalformedFrameError
from yarn.records.tokens import Token
from yarn.rpc import CALL_TIMEOUT_S, MAX_MESSAGE_BYTES, SERVICES, ConnectionFailedError, RemoteDefectError
from yarn.wire import from_bytes, to_bytes

PROTOCOLS: Mapping[str, str] = {
    "ContainerManagementProtocolService": "org.apache.hadoop.yarn.api.ContainerManagementProtocolPB",
}
"""What a service that we call is called on this wire."""

_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 1.0
_READ_BYTES = 64 * 1024


class HadoopStub:
    """Calls with a token. With `wait_for_ready` a call waits within its time limit until the peer can be
    connected to; what was sent is never sent again.
    """

    def __init__(
        self,
        address: str,
        service: str,
        *,
        user: str,
        token: Token,
        timeout_s: float = CALL_TIMEOUT_S,
        wait_for_ready: bool = False,
        peer: str = "",
    ) -> None:
        host, _, port = address.rpartition(":")
        self._host, self._port = host.strip("[]"), int(port)
        self._peer = peer or address
        self._protocol = PROTOCOLS[service]
        self._rpcs = SERVICES[service]
        self._user = user
        self._token = token
        self._timeout_s = timeout_s
        self._wait_for_ready = wait_for_ready

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        self._token = token

    async def call(self, rpc: str, request: Any, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        if rpc not in self._rpcs:
            raise IllegalArgumentError(f"{self._protocol} has no method {rpc}")
        question = Question(self._protocol, rpc, to_bytes(request))
        exchange = Exchange(question, self._token, self._user, MAX_MESSAGE_BYTES, secrets.token_bytes)
        try:
            async with asyncio.timeout(self._timeout_s if timeout_s is None else timeout_s):
                data = await self._play(exchange, rpc)
        except TimeoutError as error:
            raise ConnectionFailedError(f"{rpc}: no answer from {self._peer} in time") from error
        except MalformedFrameError as error:
            raise RemoteDefectError(f"{rpc}: {self._peer} does not speak Hadoop's wire: {error}") from error
        return from_bytes(self._rpcs[rpc][1], data)

    async def _play(self, exchange: Exchange, rpc: str) -> bytes:
        reader, writer = await self._connected(rpc)
        try:
            while exchange.answer is None:
                writer.write(exchange.take_out())
                await writer.drain()
                data = await reader.read(_READ_BYTES)
                if not data:
                    raise ConnectionFailedError(f"{rpc}: {self._peer} has ended the connection")
                exchange.receive(data)
            return exchange.answer
        except OSError as error:
            raise ConnectionFailedError(f"{rpc}: the connection to {self._peer} broke: {error}") from error
        finally:
            writer.transport.abort()  # there is nothing left to be said
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _connected(self, rpc: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await asyncio.open_connection(self._host, self._port)
            except OSError as error:
                if not self._wait_for_ready:
                    raise ConnectionFailedError(f"{rpc}: cannot reach {self._peer}: {error}") from error
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def close(self) -> None:
        """Nothing is kept open between two calls."""

    async def __aenter__(self) -> HadoopStub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
