"""The transport: every service's contract, refusals across the wire, limits, and peers that are not there."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.ports import free_ports
from yarnbox.yarn.connection.rpc import (
    SERVICES,
    BlockingStub,
    Caller,
    ConnectionFailedError,
    Handler,
    PortTakenError,
    RemoteDefectError,
    Stub,
    add_service,
    listen,
    new_server,
)
from yarnbox.yarn.errors import (
    AccessControlError,
    ApplicationMasterNotRegisteredError,
    ApplicationNotFoundError,
    IllegalArgumentError,
    InvalidTokenError,
    NotReadyError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    GetNewApplicationResponse,
)
from yarnbox.yarn.records.management import RestartContainerResponse, SignalContainerRequest
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse
from yarnbox.yarn.records.tokens import GetDelegationTokenRequest, Token
from yarnbox.yarn.resources.resource import Resource

CLIENT = "ApplicationClientProtocolService"
MASTER = "ApplicationMasterProtocolService"


@asynccontextmanager
async def serving(handler: Handler, service: str = CLIENT, limit: int = 1 << 20) -> AsyncIterator[str]:
    server = new_server(max_message_bytes=limit)
    add_service(server, service, handler)
    port = listen(server, "127.0.0.1:0", "a setting")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


def run(scene: Any) -> Any:
    return asyncio.run(asyncio.wait_for(scene, PATIENCE_S))


def new_application(rpc: str, request: Any, caller: Caller) -> Any:
    assert rpc == "getNewApplication"
    assert isinstance(request, GetNewApplicationRequest)
    return GetNewApplicationResponse(application_id=ApplicationId(1, 7), maximum_capability=Resource(8192, 4))


def test_a_process_that_is_busy_turns_no_call_away() -> None:
    """Thousands of nodes report at once."""

    async def scene() -> None:
        async with serving(new_application) as address, Stub(address, CLIENT, user="ann") as stub:
            asked = (stub.call("getNewApplication", GetNewApplicationRequest()) for _ in range(6000))
            outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert not [one for one in outcomes if isinstance(one, BaseException)][:1]

    run(scene())


def test_every_rpc_of_every_service_has_records() -> None:
    counts = {service: len(rpcs) for service, rpcs in SERVICES.items()}
    assert counts == {
        "ApplicationClientProtocolService": 35,
        "ApplicationMasterProtocolService": 3,
        "ContainerManagementProtocolService": 12,
        "ResourceTrackerService": 3,
        "ResourceManagerAdministrationProtocolService": 15,
        "HAServiceProtocolService": 5,
        "MRClientProtocolService": 14,
    }
    management = SERVICES["ContainerManagementProtocolService"]
    assert management["restartContainer"] == (ContainerId, RestartContainerResponse)
    assert SERVICES[CLIENT]["signalToContainer"][0] is SignalContainerRequest
    assert SERVICES[CLIENT]["getDelegationToken"][0] is GetDelegationTokenRequest


def test_a_record_goes_and_a_record_comes_back() -> None:
    async def scene() -> None:
        async with serving(new_application) as address, Stub(address, CLIENT) as stub:
            answer = await stub.call("getNewApplication", GetNewApplicationRequest())
            assert answer.application_id == ApplicationId(1, 7)
            assert answer.maximum_capability == Resource(8192, 4)

    run(scene())


def test_a_blocking_stub_does_the_same() -> None:
    def ask(address: str) -> Any:
        with BlockingStub(address, CLIENT, user="ann") as stub:
            return stub.call("getNewApplication", GetNewApplicationRequest())

    async def scene() -> None:
        async with serving(new_application) as address:
            answer = await asyncio.to_thread(ask, address)
            assert answer.application_id == ApplicationId(1, 7)

    run(scene())


def test_an_awaitable_answer_is_awaited() -> None:
    async def handler(rpc: str, request: Any, caller: Caller) -> Any:
        await asyncio.sleep(0)
        return new_application(rpc, request, caller)

    async def scene() -> None:
        async with serving(handler) as address, Stub(address, CLIENT) as stub:
            answer = await stub.call("getNewApplication", GetNewApplicationRequest())
            assert answer.application_id == ApplicationId(1, 7)

    run(scene())


def test_the_caller_is_who_the_metadata_say() -> None:
    seen: list[Caller] = []

    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        seen.append(caller)
        return AllocateResponse(response_id=request.response_id)

    token = Token(identifier=b"\x00\xff", password=b"p", kind="YARN_AM_RM_TOKEN", service="rm:8030")
    renewed = Token(identifier=b"new", password=b"p", kind="YARN_AM_RM_TOKEN", service="rm:8030")

    async def scene() -> None:
        async with serving(handler, MASTER) as address:
            request = AllocateRequest(response_id=3, progress=0.5)
            async with Stub(address, MASTER) as stub:
                assert (await stub.call("allocate", request)).response_id == 3
            async with Stub(address, MASTER, user="ann", token=token) as stub:
                await stub.call("allocate", request)
                stub.use_token(renewed)
                await stub.call("allocate", request)

    run(scene())
    here = "127.0.0.1"
    assert seen == [Caller(host=here), Caller("ann", token, here), Caller("ann", renewed, here)]


@pytest.mark.parametrize(
    "error, code",
    [
        (ApplicationNotFoundError, grpc.StatusCode.NOT_FOUND),
        (ApplicationMasterNotRegisteredError, grpc.StatusCode.FAILED_PRECONDITION),
        (IllegalArgumentError, grpc.StatusCode.INVALID_ARGUMENT),
        (AccessControlError, grpc.StatusCode.PERMISSION_DENIED),
        (InvalidTokenError, grpc.StatusCode.UNAUTHENTICATED),
        (NotReadyError, grpc.StatusCode.UNAVAILABLE),
        (YarnError, grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
def test_a_refusal_is_raised_again_as_the_same_class(error: type[YarnError], code: grpc.StatusCode) -> None:
    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        raise error("no such thing: ä\nand a second line")

    async def scene() -> None:
        async with serving(handler) as address:
            async with Stub(address, CLIENT) as stub:
                with pytest.raises(error, match="no such thing: ä\nand a second line") as caught:
                    await stub.call("getApplicationReport", GetApplicationReportRequest())
                assert type(caught.value) is error
            async with grpc.aio.insecure_channel(address) as channel:
                bare: Any = channel.unary_unary(f"/hadoop.yarn.{CLIENT}/getApplicationReport")
                with pytest.raises(grpc.aio.AioRpcError) as status:
                    await bare(b"")
                assert status.value.code() is code
                assert status.value.details() == "no such thing: ä"

    run(scene())


def test_a_very_long_refusal_still_arrives() -> None:
    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        raise IllegalArgumentError("x" * 100_000)

    async def scene() -> None:
        async with serving(handler) as address, Stub(address, CLIENT) as stub:
            with pytest.raises(IllegalArgumentError, match=r"^x{1000}"):
                await stub.call("getNewApplication", GetNewApplicationRequest())

    run(scene())


def test_a_defect_is_logged_here_and_one_line_there(caplog: pytest.LogCaptureFixture) -> None:
    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        raise KeyError("secret detail")

    async def scene() -> None:
        async with serving(handler) as address, Stub(address, CLIENT) as stub:
            with pytest.raises(RemoteDefectError, match="KeyError") as caught:
                await stub.call("getNewApplication", GetNewApplicationRequest())
            assert "secret detail" not in str(caught.value)

    run(scene())
    assert "secret detail" in caplog.text


def test_bytes_that_are_no_message_are_an_invalid_argument() -> None:
    async def scene() -> None:
        async with serving(new_application) as address, grpc.aio.insecure_channel(address) as channel:
            bare: Any = channel.unary_unary(f"/hadoop.yarn.{CLIENT}/getApplicationReport")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await bare(b"\xff\xff\xff")
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await bare(b"", metadata=(("yarn-token-bin", b"\xff"),))
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            unknown: Any = channel.unary_unary(f"/hadoop.yarn.{CLIENT}/makeCoffee")
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await unknown(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED

    run(scene())


def test_a_message_over_the_limit_is_refused() -> None:
    async def scene() -> None:
        async with serving(new_application, limit=1000) as address, Stub(address, CLIENT) as stub:
            with pytest.raises(IllegalArgumentError, match="too large"):
                await stub.call("getDelegationToken", GetDelegationTokenRequest(renewer="r" * 2000))
            await stub.call("getNewApplication", GetNewApplicationRequest())

    run(scene())


def test_an_rpc_that_the_service_lacks_is_refused_before_it_is_sent() -> None:
    refused = pytest.raises(IllegalArgumentError, match="has no rpc allocate")
    with BlockingStub("127.0.0.1:1", CLIENT) as stub, refused:
        stub.call("allocate", AllocateRequest())


def test_nobody_there_is_a_connection_failure_that_names_the_address() -> None:
    address = f"127.0.0.1:{free_ports('127.0.0.1', 1)[0]}"

    async def scene() -> None:
        async with Stub(address, CLIENT) as stub:
            with pytest.raises(ConnectionFailedError, match=address):
                await stub.call("getNewApplication", GetNewApplicationRequest())

    run(scene())
    with BlockingStub(address, CLIENT) as stub, pytest.raises(ConnectionFailedError, match=address):
        stub.call("getNewApplication", GetNewApplicationRequest())


def test_a_stub_that_was_closed_reaches_nobody() -> None:
    blocking = BlockingStub("127.0.0.1:1", CLIENT)
    blocking.close()
    with pytest.raises(ConnectionFailedError, match="is closed"):
        blocking.call("getNewApplication", GetNewApplicationRequest())

    async def scene() -> None:
        stub = Stub("127.0.0.1:1", CLIENT)
        await stub.close()
        with pytest.raises(ConnectionFailedError, match="is closed"):
            await stub.call("getNewApplication", GetNewApplicationRequest())

    run(scene())


def test_a_peer_that_does_not_answer_is_given_up() -> None:
    async def handler(rpc: str, request: Any, caller: Caller) -> Any:
        await asyncio.Event().wait()

    async def scene() -> None:
        async with serving(handler) as address, Stub(address, CLIENT, timeout_s=0.05) as stub:
            with pytest.raises(ConnectionFailedError, match="no answer from"):
                await stub.call("getNewApplication", GetNewApplicationRequest())

    run(scene())


def test_a_daemon_waits_until_its_peer_is_there() -> None:
    (port,) = free_ports("127.0.0.1", 1)

    async def scene() -> None:
        async with Stub(f"127.0.0.1:{port}", CLIENT, wait_for_ready=True, timeout_s=PATIENCE_S) as stub:
            asked = asyncio.create_task(stub.call("getNewApplication", GetNewApplicationRequest()))
            server = new_server()
            add_service(server, CLIENT, new_application)
            assert listen(server, f"127.0.0.1:{port}", "a setting") == port
            await server.start()
            try:
                assert (await asked).application_id == ApplicationId(1, 7)
            finally:
                await server.stop(None)

    run(scene())


def test_a_taken_port_is_named_with_the_setting_that_changes_it() -> None:
    async def scene(port: int) -> None:
        with pytest.raises(
            PortTakenError, match=rf"port {port} is already in use; some\.property changes it"
        ):
            listen(new_server(), f"127.0.0.1:{port}", "some.property")

    with socket.create_server(("127.0.0.1", 0)) as taken:
        run(scene(taken.getsockname()[1]))
