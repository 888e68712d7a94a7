"""The port as clients see it: dispatch, errors by name, order, and what one cannot do to others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from protos.RpcHeader_pb2 import RpcResponseHeaderProto
from tests.yarn.hadoop_ipc import peer
from yarn.errors import ApplicationNotFoundError
from yarn.hadoop_ipc.framing import read_delimited
from yarn.hadoop_ipc.server import Endpoint, HadoopServer, Limits
from yarn.hadoop_ipc.shared_port import SharedPort
from yarn.records.client import GetNewApplicationResponse
from yarn.rpc import BlockingStub, Caller, add_service, listen, new_server

SERVICE = "ApplicationClientProtocolService"
OPEN = peer.SIMPLE + peer.context()
Answer = tuple[RpcResponseHeaderProto, bytes]


def handle(rpc: str, request: Any, caller: Caller) -> Any:
    """A service with one method that answers, one that refuses and one that breaks."""
    if rpc == "getNewApplication":
        return GetNewApplicationResponse()
    if rpc == "getApplicationReport":
        raise ApplicationNotFoundError("no such application")
    raise RuntimeError("a defect")


@asynccontextmanager
async def serving(limits: Limits | None = None, handler: Any = handle) -> AsyncIterator[HadoopServer]:
    server = HadoopServer({peer.PROTOCOL: Endpoint(SERVICE, handler)}, None, limits)
    await server.start("127.0.0.1", 0, "no.property")
    try:
        yield server
    finally:
        await server.stop()


async def answer_of(reader: asyncio.StreamReader) -> Answer:
    payload = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big"))
    head, at = read_delimited(payload, 0)
    message = read_delimited(payload, at)[0] if at < len(payload) else b""
    return RpcResponseHeaderProto.FromString(head), message


async def asked(port: int, frame: bytes) -> Answer:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(OPEN + frame)
        return await answer_of(reader)
    finally:
        writer.close()


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(20):
            await test()

    asyncio.run(limited())


@pytest.mark.parametrize(
    "method, protocol, java_class, detail",
    [
        (
            "getApplicationReport",
            peer.PROTOCOL,
            "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException",
            RpcResponseHeaderProto.ERROR_APPLICATION,
        ),
        (
            "getApplications",
            peer.PROTOCOL,
            "org.apache.hadoop.yarn.exceptions.YarnRuntimeException",
            RpcResponseHeaderProto.ERROR_APPLICATION,
        ),
        (
            "nonsense",
            peer.PROTOCOL,
            "java.lang.UnsupportedOperationException",
            RpcResponseHeaderProto.ERROR_NO_SUCH_METHOD,
        ),
        (
            "getNewApplication",
            "NoProtocol",
            "java.lang.UnsupportedOperationException",
            RpcResponseHeaderProto.ERROR_NO_SUCH_PROTOCOL,
        ),
    ],
)
def test_errors_go_by_their_names(method: str, protocol: str, java_class: str, detail: int) -> None:
    async def test() -> None:
        async with serving() as server:
            head, message = await asked(server.port, peer.call(4, method, protocol=protocol))
            assert head.status == RpcResponseHeaderProto.ERROR
            assert (head.callId, head.exceptionClassName, head.errorDetail) == (4, java_class, detail)
            assert not message

    run(test)


def test_many_calls_at_once_are_all_answered() -> None:
    async def test() -> None:
        async with serving() as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(OPEN + b"".join(peer.call(number, "getNewApplication") for number in range(500)))
            heads = [(await answer_of(reader))[0] for _ in range(500)]
            assert [head.callId for head in heads] == list(range(500))
            writer.close()

    run(test)


def test_a_slow_answer_keeps_nobody_waiting() -> None:
    async def test() -> None:
        gate = asyncio.Event()

        async def slow() -> GetNewApplicationResponse:
            await gate.wait()
            return GetNewApplicationResponse()

        def one_slow(rpc: str, request: Any, caller: Caller) -> Any:
            return slow() if rpc == "getNewApplication" else handle(rpc, request, caller)

        async with serving(handler=one_slow) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(OPEN + peer.call(1, "getNewApplication") + peer.call(2, "getApplicationReport"))
            assert (await answer_of(reader))[0].callId == 2
            gate.set()
            assert (await answer_of(reader))[0].callId == 1
            writer.close()

    run(test)


@pytest.mark.parametrize("first", [b"", b"hr", peer.SIMPLE, peer.SIMPLE + b"\0\0", OPEN + b"\0\0\0\x40half"])
def test_the_half_open_are_dropped_and_harm_nobody(first: bytes) -> None:
    async def test() -> None:
        async with serving(Limits(handshake_s=0.2, frame_s=0.2, check_s=0.05)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(first)
            head, _ = await asked(server.port, peer.call(0, "getNewApplication"))
            assert head.status == RpcResponseHeaderProto.SUCCESS
            with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
                await reader.readexactly(1)
            writer.close()

    run(test)


def test_there_are_no_more_connections_than_allowed() -> None:
    async def test() -> None:
        async with serving(Limits(max_connections=1)) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(OPEN + peer.call(0, "getNewApplication"))
            await answer_of(reader)
            with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                await asked(server.port, peer.call(0, "getNewApplication"))
            writer.close()

    run(test)


def test_one_port_serves_both_transports() -> None:
    async def test() -> None:
        grpc = new_server()
        add_service(grpc, SERVICE, handle)
        behind = listen(grpc, "127.0.0.1:0", "no.property")
        await grpc.start()
        shared = SharedPort(HadoopServer({peer.PROTOCOL: Endpoint(SERVICE, handle)}))
        port = await shared.start("127.0.0.1", 0, "no.property")
        await shared.forward_to("127.0.0.1", behind)
        head, _ = await asked(port, peer.call(3, "getNewApplication"))
        assert head.callId == 3
        with_grpc = await asyncio.to_thread(ask_over_grpc, port)
        assert isinstance(with_grpc, GetNewApplicationResponse)
        await shared.stop()
        await grpc.stop(0)

    run(test)


def ask_over_grpc(port: int) -> Any:
    """A gRPC client of the same port."""
    from yarn.records.client import GetNewApplicationRequest

    with BlockingStub(f"127.0.0.1:{port}", SERVICE, user="alice") as stub:
        return stub.call("getNewApplication", GetNewApplicationRequest())
