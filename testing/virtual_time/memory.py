"""Connections without a wire: the clients of `yarnbox.am`, over calls within the process.

A stub here has the methods of those of `yarnbox.yarn.connection.rpc` that the clients use. Blocking ones wait
through the turnstile of their AM.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, cast

from yarnbox.am.asks import RequestTable
from yarnbox.am.blocking import BlockingAMRMClient, BlockingNMClient
from yarnbox.am.connection import CLIENT_SERVICE, Connection, ConnectionSettings
from yarnbox.am.nm_client import SERVICE as NM_SERVICE
from yarnbox.am.nm_client import NMClient
from yarnbox.am.rm_client import SERVICE as RM_SERVICE
from yarnbox.am.rm_client import AMRMClient
from yarnbox.testing.masters import AlternatingThread
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.rpc import BlockingStub, Caller, Stub
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.topology import RackResolver

TIMEOUT_S = 60.0
RETRY_MS = 1000


class CallRouter(Protocol):
    """Who carries calls within the process."""

    async def call(
        self,
        service: str,
        rpc: str,
        request: Record,
        caller: Caller,
        host: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Any:
        """One call; `host` is the node that is called."""

    @property
    def now_s(self) -> float:
        """The time, in seconds."""
        ...


class MemoryStub:
    """Calls of one service, for asyncio."""

    def __init__(
        self,
        cluster: CallRouter,
        service: str,
        *,
        user: str | None = None,
        token: Token | None = None,
        node: NodeId | None = None,
    ) -> None:
        self._cluster = cluster
        self._service = service
        self._caller = Caller(user=user, token=token, host="127.0.0.1")
        self._node = node

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on."""
        self._caller = replace(self._caller, token=token)

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        host = None if self._node is None else self._node.host
        limit_s = TIMEOUT_S if timeout_s is None else timeout_s
        return await self._cluster.call(self._service, rpc, request, self._caller, host, limit_s)

    async def close(self) -> None:
        """There is nothing to close."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class BlockingMemoryStub:
    """The same for an AM without asyncio."""

    def __init__(self, stub: MemoryStub, turnstile: AlternatingThread) -> None:
        self._stub = stub
        self._turnstile = turnstile
        self.use_token = stub.use_token

    def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        return self._turnstile.wait_for(self._stub.call(rpc, request, timeout_s))

    def close(self) -> None:
        """There is nothing to close."""


@dataclass(frozen=True, slots=True)
class MemoryConnection(Connection):
    """A cluster in virtual time, as an AM is connected with it."""

    cluster: CallRouter
    turnstile: AlternatingThread
    rack_of: Callable[[str], str]

    @classmethod
    def to(cls, cluster: CallRouter, turnstile: AlternatingThread, rack_of: Callable[[str], str]) -> Self:
        """The cluster, for one AM."""
        settings = ConnectionSettings(retry_ms=RETRY_MS)
        return cls(settings, AddressBook(), RackResolver(), False, None, (), cluster, turnstile, rack_of)

    def asks(self) -> RequestTable:
        """An empty request table that knows the racks."""
        return RequestTable(self.rack_of)

    def _rm(self, token: Token | None) -> MemoryStub:
        return MemoryStub(self.cluster, RM_SERVICE, token=token)

    def _node(self, node_id: NodeId) -> MemoryStub:
        return MemoryStub(self.cluster, NM_SERVICE, node=node_id)

    def rm_client(self, token: Token | None, asks: RequestTable | None = None) -> AMRMClient:
        """The RM for an AM with this token, with asyncio."""
        stub = cast(Stub, self._rm(token))
        return AMRMClient(stub, asks or self.asks(), max_wait_ms=self._max_wait_ms, retry_ms=self._retry_ms)

    def nm_client(self, rm: AMRMClient) -> NMClient:
        """The nodes, with asyncio."""
        return NMClient(rm.nm_tokens, connect=lambda node_id: cast(Stub, self._node(node_id)))

    def blocking_rm_client(self, token: Token | None) -> BlockingAMRMClient:
        """The RM for an AM with this token, without asyncio."""
        return BlockingAMRMClient(
            cast(BlockingStub, BlockingMemoryStub(self._rm(token), self.turnstile)),
            self.asks(),
            max_wait_ms=self._max_wait_ms,
            retry_ms=self._retry_ms,
            now_s=lambda: self.cluster.now_s,
            wait=lambda seconds: self.turnstile.wait_for(asyncio.sleep(seconds)),
        )

    def blocking_nm_client(self, rm: BlockingAMRMClient) -> BlockingNMClient:
        """The nodes, without asyncio."""

        def connect(node_id: NodeId) -> BlockingStub:
            return cast(BlockingStub, BlockingMemoryStub(self._node(node_id), self.turnstile))

        return BlockingNMClient(rm.nm_tokens, connect=connect)

    def client_stub(self, user: str) -> BlockingStub:
        """The RM for a client; for an AM without asyncio."""
        stub = MemoryStub(self.cluster, CLIENT_SERVICE, user=user)
        return cast(BlockingStub, BlockingMemoryStub(stub, self.turnstile))
