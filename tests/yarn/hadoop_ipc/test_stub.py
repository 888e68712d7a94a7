"""Calls over a real port: answers, refusals, and peers that are late, silent, gone or something else."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.ports import free_ports
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError, RemoteDefectError
from yarnbox.yarn.errors import ContainerNotFoundError, IllegalArgumentError, InvalidTokenError, YarnError
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.shared_stub import SharedHadoopStub
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS, BlockingHadoopStub, HadoopStub
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.management import StopContainersRequest, StopContainersResponse
from yarnbox.yarn.records.tokens import Token

SERVICE = "ContainerManagementProtocolService"
CONTAINER = ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 1)
TOKEN = Token(identifier=b"identifier", password=b"password", kind="NMToken", service="")
STOP = StopContainersRequest(container_id=(CONTAINER,))


def handle(rpc: str, request: Any, caller: Caller) -> Any:
    """Stops all; knows no statuses; breaks at a start."""
    assert caller.token is not None
    if rpc == "stopContainers":
        return StopContainersResponse(succeeded_requests=request.container_id)
    if rpc == "getContainerStatuses":
        raise ContainerNotFoundError("no such container")
    raise RuntimeError("a defect")


def passwords(identifier: bytes) -> bytes:
    if identifier != TOKEN.identifier:
        raise InvalidTokenError("not found")
    return TOKEN.password


@contextlib.asynccontextmanager
async def serving(port: int = 0) -> AsyncIterator[HadoopServer]:
    server = HadoopServer({PROTOCOLS[SERVICE]: Endpoint(SERVICE, handle)}, Tokens("NMToken", passwords))
    await server.start("127.0.0.1", port, "no.property")
    try:
        yield server
    finally:
        await server.stop()


def stub(port: int, *, timeout_s: float = PATIENCE_S, wait_for_ready: bool = False) -> HadoopStub:
    return HadoopStub(
        f"127.0.0.1:{port}",
        SERVICE,
        user="appattempt_1_0001_000001",
        token=TOKEN,
        timeout_s=timeout_s,
        wait_for_ready=wait_for_ready,
        peer="the node",
    )


def shared(port: int, timeout_s: float = PATIENCE_S) -> SharedHadoopStub:
    return SharedHadoopStub(f"127.0.0.1:{port}", SERVICE, token=TOKEN, timeout_s=timeout_s, peer="the node")


def run(scene: Any) -> None:
    asyncio.run(asyncio.wait_for(scene, PATIENCE_S))


@contextlib.asynccontextmanager
async def a_peer(told: Callable[[asyncio.StreamWriter], None]) -> AsyncIterator[int]:
    """The port of somebody who reads what comes first, and then does that."""

    met: list[asyncio.StreamWriter] = []

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(writer)
        await reader.read(100)
        told(writer)

    async with await asyncio.start_server(meet, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        for writer in met:
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


def test_calls_are_answered_and_refused() -> None:
    async def scene() -> None:
        async with serving() as server, stub(server.port) as calls:
            answer = await calls.call("stopContainers", STOP)
            assert answer == StopContainersResponse(succeeded_requests=(CONTAINER,))
            with pytest.raises(ContainerNotFoundError, match="no such container"):
                await calls.call("getContainerStatuses", STOP)
            with pytest.raises(IllegalArgumentError, match="has no method sing"):
                await calls.call("sing", STOP)
            calls.use_token(Token(identifier=b"another", password=b"", kind="NMToken", service=""))
            with pytest.raises(InvalidTokenError, match="not found"):
                await calls.call("stopContainers", STOP)

    run(scene())


def test_a_peer_that_is_not_there_is_waited_for_or_not() -> None:
    (port,) = free_ports("127.0.0.1", 1)

    async def scene() -> None:
        with pytest.raises(ConnectionFailedError, match="stopContainers: cannot reach the node: "):
            await stub(port).call("stopContainers", STOP)
        with pytest.raises(ConnectionFailedError, match="no answer from the node in time"):
            await stub(port, timeout_s=0.2, wait_for_ready=True).call("stopContainers", STOP)
        waiting = asyncio.ensure_future(stub(port, wait_for_ready=True).call("stopContainers", STOP))
        async with serving(port):
            assert (await waiting).succeeded_requests == (CONTAINER,)

    run(scene())


def test_a_peer_that_hangs_up_breaks_or_keeps_silent_is_a_failed_connection() -> None:
    async def scene() -> None:
        async with a_peer(lambda writer: writer.close()) as port:
            with pytest.raises(ConnectionFailedError, match="has ended the connection"):
                await stub(port).call("stopContainers", STOP)
        async with a_peer(lambda writer: writer.transport.abort()) as port:
            with pytest.raises(ConnectionFailedError, match="the node"):
                await stub(port).call("stopContainers", STOP)
        async with a_peer(lambda writer: None) as port:
            with pytest.raises(ConnectionFailedError, match="no answer from the node in time"):
                await stub(port, timeout_s=0.2).call("stopContainers", STOP)

    run(scene())


def test_a_peer_that_speaks_something_else_is_told_so() -> None:
    async def scene() -> None:
        async with a_peer(lambda writer: writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
            with pytest.raises(RemoteDefectError, match="the node does not speak Hadoop's wire"):
                await stub(port).call("stopContainers", STOP)

    run(scene())


def test_calls_share_a_connection_that_is_made_again_when_it_has_ended() -> None:
    (port,) = free_ports("127.0.0.1", 1)

    async def scene() -> None:
        calls = shared(port)
        with pytest.raises(ConnectionFailedError, match="stopContainers: cannot reach the node: "):
            await calls.call("stopContainers", STOP)
        for _ in range(2):
            async with serving(port) as server:
                both = await asyncio.gather(*(calls.call("stopContainers", STOP) for _ in range(2)))
                with pytest.raises(ContainerNotFoundError, match="no such container"):
                    await calls.call("getContainerStatuses", STOP)
                assert [one.succeeded_requests for one in both] == [(CONTAINER,)] * 2
                assert len(server.connections) == 1
        await calls.close()

    run(scene())


def test_what_ends_a_shared_connection_is_told_to_all_who_wait() -> None:
    async def told(port: int, timeout_s: float = PATIENCE_S) -> list[Any]:
        calls = shared(port, timeout_s)
        both = [calls.call("stopContainers", STOP) for _ in range(2)]
        found = await asyncio.gather(*both, return_exceptions=True)
        await calls.close()
        return found

    async def scene() -> None:
        async with a_peer(lambda writer: writer.close()) as port:
            for error in await told(port):
                assert isinstance(error, ConnectionFailedError)
                assert "the node has ended the connection" in str(error)
        async with a_peer(lambda writer: None) as port:
            for error in await told(port, timeout_s=0.2):
                assert isinstance(error, ConnectionFailedError)
        async with a_peer(lambda writer: writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as port:
            assert [type(error) for error in await told(port)] == [RemoteDefectError] * 2
        async with serving() as server:
            server.tokens = Tokens("NMToken", lambda identifier: b"another")
            for error in await told(server.port):
                assert isinstance(error, YarnError)
                assert "Mismatched response" in error.message

    run(scene())


def test_without_asyncio_calls_are_answered_refused_and_end_in_time() -> None:
    (nobodys,) = free_ports("127.0.0.1", 1)

    def blocking(port: int, timeout_s: float = PATIENCE_S) -> BlockingHadoopStub:
        return BlockingHadoopStub(
            f"127.0.0.1:{port}", SERVICE, token=TOKEN, timeout_s=timeout_s, peer="the node"
        )

    def use(port: int) -> None:
        calls = blocking(port)
        assert calls.call("stopContainers", STOP) == StopContainersResponse(succeeded_requests=(CONTAINER,))
        with pytest.raises(ContainerNotFoundError, match="no such container"):
            calls.call("getContainerStatuses", STOP)
        with pytest.raises(ConnectionFailedError, match="no answer from the node in time"):
            calls.call("stopContainers", STOP, timeout_s=0)
        with pytest.raises(ConnectionFailedError, match="stopContainers: cannot reach the node: "):
            blocking(nobodys).call("stopContainers", STOP)
        with pytest.raises(InvalidTokenError, match="no token was given for the node"):
            BlockingHadoopStub("127.0.0.1:1", SERVICE, peer="the node").call("stopContainers", STOP)

    def wait_for(port: int) -> None:
        with pytest.raises(ConnectionFailedError, match="no answer from the node in time"):
            blocking(port, timeout_s=0.2).call("stopContainers", STOP)

    def be_left_by(port: int) -> None:
        with pytest.raises(ConnectionFailedError, match="has ended the connection"):
            blocking(port).call("stopContainers", STOP)

    async def scene() -> None:
        async with serving() as server:
            await asyncio.to_thread(use, server.port)
        async with a_peer(lambda writer: None) as port:
            await asyncio.to_thread(wait_for, port)
        async with a_peer(lambda writer: writer.close()) as port:
            await asyncio.to_thread(be_left_by, port)

    run(scene())
