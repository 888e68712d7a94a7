"""The port as clients see it: dispatch, errors by name, order, and what one cannot do to others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from tests.yarn.hadoop_ipc import peer
from yarnbox.cluster.main import main as yarnbox
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto
from yarnbox.yarn.connection.rpc import BlockingStub, Caller, add_service, listen, new_server
from yarnbox.yarn.errors import ApplicationNotFoundError
from yarnbox.yarn.hadoop_ipc.framing import read_delimited
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer, Limits
from yarnbox.yarn.hadoop_ipc.shared_port import SharedPort
from yarnbox.yarn.records.client import GetNewApplicationResponse
from yarnbox.yarn.security.tls import Tls, TlsSettings

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
        async with asyncio.timeout(PATIENCE_S):
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


def test_the_half_open_are_dropped_and_harm_nobody() -> None:
    begun = [b"", b"hr", peer.SIMPLE, peer.SIMPLE + b"\0\0", OPEN + b"\0\0\0\x40half"]

    async def is_dropped(port: int, first: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
            await reader.readexactly(1)
        writer.close()

    async def test() -> None:
        # Seconds, so that the good connection is not taken for a half-open one on a busy machine.
        async with serving(Limits(handshake_s=3, frame_s=3, check_s=0.05)) as server:
            dropped = [asyncio.create_task(is_dropped(server.port, first)) for first in begun]
            head, _ = await asked(server.port, peer.call(0, "getNewApplication"))
            assert head.status == RpcResponseHeaderProto.SUCCESS
            await asyncio.gather(*dropped)

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


def test_unfinished_frames_of_all_together_are_limited() -> None:
    async def test() -> None:
        async with serving(Limits(max_unread_bytes=100_000)) as server:
            unfinished = (1_000_000).to_bytes(4, "big")
            small = await asyncio.open_connection("127.0.0.1", server.port)
            small[1].write(OPEN + unfinished + b"x" * 40_000)
            large = await asyncio.open_connection("127.0.0.1", server.port)
            large[1].write(OPEN + unfinished + b"x" * 80_000)
            assert await large[0].read() == b"", "who keeps most is dropped"
            answer, _ = await asked(server.port, peer.call(0, "getNewApplication"))
            assert answer.status == RpcResponseHeaderProto.SUCCESS
            assert len(server.connections) >= 1
            small[1].close()
            large[1].close()

    run(test)


@pytest.mark.parametrize("has_tls", [False, True])
def test_one_port_serves_both_transports(tmp_path: Path, has_tls: bool) -> None:
    tls = tls_of_this_host(tmp_path) if has_tls else None

    async def test() -> None:
        grpc = new_server()
        add_service(grpc, SERVICE, handle)
        behind = listen(grpc, "127.0.0.1:0", "no.property", tls)
        await grpc.start()
        shared = SharedPort(HadoopServer({peer.PROTOCOL: Endpoint(SERVICE, handle)}))
        port = await shared.start("127.0.0.1", 0, "no.property")
        await shared.forward_to("127.0.0.1", behind)
        head, _ = await asked(port, peer.call(3, "getNewApplication"))
        assert head.callId == 3
        with_grpc = await asyncio.to_thread(ask_over_grpc, port, tls)
        assert isinstance(with_grpc, GetNewApplicationResponse)
        await shared.stop()
        await grpc.stop(0)

    run(test)


def tls_of_this_host(directory: Path) -> Tls | None:
    """A certificate for 127.0.0.1, of an authority of its own."""
    assert yarnbox(["certs", "ca", str(directory)]) == 0
    assert yarnbox(["certs", "host", str(directory), "127.0.0.1"]) == 0
    files = [str(directory / name) for name in ("ca.pem", "127.0.0.1.pem", "127.0.0.1.key")]
    return Tls.of(TlsSettings(authority=files[0], certificate=files[1], key=files[2]))


def ask_over_grpc(port: int, tls: Tls | None) -> Any:
    """A gRPC client of the same port."""
    from yarnbox.yarn.records.client import GetNewApplicationRequest

    with BlockingStub(f"127.0.0.1:{port}", SERVICE, user="alice", tls=tls) as stub:
        return stub.call("getNewApplication", GetNewApplicationRequest())
