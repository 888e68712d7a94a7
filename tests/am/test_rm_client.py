"""The conversation with the RM: order, refusals, repeats; over gRPC with an RM made for the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from unittest.mock import patch

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.am.asks import ANY, ContainerRequest, RequestTable
from yarnbox.am.rm_client import AMRMClient, Call, Conversation, NMTokenCache, Pause
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError, Stub, add_service, listen, new_server
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationMasterNotRegisteredError,
    InvalidResourceRequestError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.master import (
    AllocateResponse,
    FinishApplicationMasterResponse,
    NMToken,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource

NODE = NodeId("nm1", 1234)
CONTAINER = ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 2)
REQUEST = ContainerRequest(capability=Resource(1024, 1), priority=1)


def token(kind: str, identifier: bytes = b"1") -> Token:
    return Token(identifier=identifier, password=b"", kind=kind, service="")


def conversation() -> Conversation:
    talk = Conversation(RequestTable(), NMTokenCache())
    steps = talk.register(RegisterApplicationMasterRequest(host="h", rpc_port=-1, tracking_url=""))
    next(steps)
    with pytest.raises(StopIteration):
        steps.send(RegisterApplicationMasterResponse())
    return talk


class TestConversation:
    def test_a_forgotten_am_registers_again_and_says_everything(self) -> None:
        talk = conversation()
        talk.asks.add(REQUEST, 3)
        steps = talk.allocate(0.5)
        next(steps)
        with pytest.raises(StopIteration):
            steps.send(AllocateResponse(response_id=7))
        steps = talk.allocate(0.5)
        said = next(steps)
        assert isinstance(said, Call)
        assert (said.request.response_id, said.request.ask) == (7, ())
        said = steps.throw(ApplicationMasterNotRegisteredError("who are you?"))
        assert isinstance(said, Call)
        assert said.rpc == "registerApplicationMaster"
        said = steps.send(RegisterApplicationMasterResponse())
        assert isinstance(said, Call)
        assert said.request.response_id == 0
        assert [(ask.resource_name, ask.num_containers) for ask in said.request.ask] == [(ANY, 3)]

    def test_a_refused_call_is_told_and_its_asks_are_kept(self) -> None:
        talk = conversation()
        talk.asks.add(REQUEST)
        steps = talk.allocate(0)
        next(steps)
        with pytest.raises(InvalidResourceRequestError):
            steps.throw(InvalidResourceRequestError("too large"))
        said = next(talk.allocate(0))
        assert isinstance(said, Call)
        assert len(said.request.ask) == 1

    def test_a_new_tracking_url_is_said_until_it_is_heard(self) -> None:
        talk = conversation()
        talk.set_tracking_url("http://there")
        steps = talk.allocate(0)
        said = next(steps)
        assert isinstance(said, Call)
        assert said.request.tracking_url == "http://there"
        with pytest.raises(ConnectionFailedError):
            steps.throw(ConnectionFailedError("gone"))
        steps = talk.allocate(0)
        said = next(steps)
        assert isinstance(said, Call)
        assert said.request.tracking_url == "http://there"
        with pytest.raises(StopIteration):
            steps.send(AllocateResponse(response_id=1))
        said = next(talk.allocate(0))
        assert isinstance(said, Call)
        assert said.request.tracking_url is None

    def test_finishing_asks_until_the_rm_has_it_in_writing(self) -> None:
        talk = conversation()
        steps = talk.finish(FinalApplicationStatus.SUCCEEDED)
        next(steps)
        assert steps.send(FinishApplicationMasterResponse()) == Pause(100)
        said = steps.send(None)
        assert isinstance(said, Call)
        said = steps.throw(ApplicationMasterNotRegisteredError("restarted"))
        assert isinstance(said, Call)
        assert said.rpc == "registerApplicationMaster"
        steps.send(RegisterApplicationMasterResponse())
        with pytest.raises(StopIteration):
            steps.send(FinishApplicationMasterResponse(is_unregistered=True))


Handler = Callable[[str, Any, Caller], Any]


def with_server(service: str, handler: Handler, use: Callable[[int], Awaitable[None]]) -> None:
    """Serves `service` on a free port while `use` runs."""

    async def run() -> None:
        server = new_server()
        add_service(server, service, handler)
        port = listen(server, "127.0.0.1:0", "a test")
        await server.start()
        try:
            await asyncio.wait_for(use(port), PATIENCE_S)
        finally:
            await server.stop(None)

    asyncio.run(run())


class TestOverTheWire:
    def test_tokens_are_kept_and_the_new_one_is_shown(self) -> None:
        shown: list[bytes] = []

        def answer(rpc: str, request: Any, caller: Caller) -> Any:
            assert caller.token is not None
            shown.append(caller.token.identifier)
            if rpc == "registerApplicationMaster":
                return RegisterApplicationMasterResponse()
            return AllocateResponse(
                response_id=request.response_id + 1,
                nm_tokens=(NMToken(node_id=NODE, token=token("NMToken")),),
                am_rm_token=token("YARN_AM_RM_TOKEN", b"2"),
            )

        async def use(port: int) -> None:
            stub = Stub(
                f"127.0.0.1:{port}", "ApplicationMasterProtocolService", token=token("YARN_AM_RM_TOKEN")
            )
            client = AMRMClient(stub)
            await client.register("h")
            await client.allocate(0)
            await client.allocate(0)
            assert client.nm_tokens.token_of(NODE) == token("NMToken")
            assert client.amrm_token == token("YARN_AM_RM_TOKEN", b"2")
            await client.close()

        with_server("ApplicationMasterProtocolService", answer, use)
        assert shown == [b"1", b"1", b"2"]

    def test_waking_makes_the_next_heartbeat_come_now(self) -> None:
        def answer(_rpc: str, request: Any, _caller: Caller) -> Any:
            return AllocateResponse(response_id=request.response_id + 1)

        async def use(port: int) -> None:
            client = AMRMClient(Stub(f"127.0.0.1:{port}", "ApplicationMasterProtocolService"))
            beats = 0
            async for _ in client.responses(3_600_000, lambda: 0.0):
                beats += 1
                if beats == 3:
                    break
                client.wake()
            await client.close()

        with_server("ApplicationMasterProtocolService", answer, use)

    def test_heartbeats_end_when_they_are_cancelled_at_the_moment_of_a_wake(self) -> None:
        async def ends_after(steps: int) -> bool:
            client, beats = AMRMClient(Stub("127.0.0.1:1", "ApplicationMasterProtocolService")), 0

            async def allocate(_progress: float) -> AllocateResponse:
                nonlocal beats
                beats += 1
                return AllocateResponse(response_id=beats)

            async def beat() -> None:
                async for _ in client.responses(3_600_000, lambda: 0.0):
                    pass

            with patch.object(client, "allocate", allocate):
                task = asyncio.create_task(beat())
                for _ in range(5):
                    await asyncio.sleep(0)
                client.wake()
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                done, _ = await asyncio.wait([task], timeout=1)
                await client.close()
            return bool(done)

        async def scene() -> list[bool]:
            return [await ends_after(steps) for steps in range(4)]

        assert asyncio.run(scene()) == [True] * 4

    def test_an_attempt_that_the_rm_does_not_serve_any_more_must_end(self) -> None:
        def answer(_rpc: str, _request: Any, _caller: Caller) -> Any:
            raise ApplicationAttemptNotFoundError("doesn't exist in ApplicationMasterService cache.")

        async def use(port: int) -> None:
            client = AMRMClient(Stub(f"127.0.0.1:{port}", "ApplicationMasterProtocolService"))
            with pytest.raises(ApplicationAttemptNotFoundError):
                await client.allocate(0)
            await client.close()

        with_server("ApplicationMasterProtocolService", answer, use)

    def test_an_rm_that_is_not_there_is_called_until_the_time_is_up(self) -> None:
        async def use(_port: int) -> None:
            stub = Stub("127.0.0.1:1", "ApplicationMasterProtocolService")
            client = AMRMClient(stub, max_wait_ms=60, retry_ms=20)
            with pytest.raises(ConnectionFailedError):
                await client.register("h")
            await client.close()

        with_server("ApplicationMasterProtocolService", lambda *_: None, use)

    def test_an_rm_that_is_away_is_told_of_now_and_then_and_its_return(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        now_s = 0.0

        async def call(rpc: str, _request: Any) -> Any:
            if now_s < 45:
                raise ConnectionFailedError(f"{rpc}: nobody is there")
            return AllocateResponse(response_id=1)

        async def sleep(seconds: float) -> None:
            nonlocal now_s
            now_s += seconds

        async def scene() -> None:
            stub = Stub("127.0.0.1:1", "ApplicationMasterProtocolService")
            client = AMRMClient(stub, retry_ms=100, now_s=lambda: now_s, sleep=sleep)
            with patch.object(stub, "call", call):
                await client.allocate(0)
            await client.close()

        with caplog.at_level("INFO", logger="am.rm_client"):
            asyncio.run(scene())
        assert [record.getMessage() for record in caplog.records] == [
            "allocate: nobody is there; trying again",
            "allocate: nobody is there; trying again",
            "allocate: answered after 45.0 s",
        ]
