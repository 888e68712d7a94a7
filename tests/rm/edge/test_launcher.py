"""AM launches against a node made by hand, over either wire: what it is given, and what becomes of its
answers.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.cluster.ports import free_ports
from yarnbox.rm.edge.launcher import Launcher
from yarnbox.rm.edge.node_protocols import SERVICE, NodeProtocols
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.rm.effects import LaunchContainer, StopContainer
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.rpc import NOBODY, Caller, Handler, add_service, listen, new_server
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.errors import NMNotYetReadyError
from yarnbox.yarn.hadoop_ipc.connection import Tokens as Demanded
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import SerializedException
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.records.management import (
    ContainerExceptionMap,
    StartContainersResponse,
    StopContainersResponse,
)
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.records.tracker import RegisterNodeManagerRequest, RegisterNodeManagerResponse
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.security.tokens import AMRM_TOKEN, NM_TOKEN, NMTokenSecretManagerInNM, new_key

ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
CONTAINER = ContainerId(ATTEMPT, 1)
PROOF = Token(identifier=b"i", password=b"p", kind="ContainerToken", service="nm1:1")
USERS_TOKEN = Token(identifier=b"u", password=b"p", kind="HDFS", service="nn:8020")


class Scene:
    """A node, a launcher, and what they said."""

    def __init__(self, port: int, patience_s: float = 10) -> None:
        self.tokens = Tokens(
            new_key(random.Random(1).randbytes), rm_identifier=1, container_expiry_ms=1, service="rm:1"
        )
        self.node_id = NodeId("127.0.0.1", port)
        self.protocols = NodeProtocols(AddressBook())
        self.outcome: asyncio.Future[tuple[ApplicationAttemptId, str]] = asyncio.Future()
        self.launcher = Launcher(
            self.tokens,
            self.protocols,
            lambda attempt_id: self.outcome.set_result((attempt_id, "")),
            lambda attempt_id, why: self.outcome.set_result((attempt_id, why)),
            patience_s=patience_s,
            at_a_time=2,
        )

    def order(self, tokens: bytes | None = None) -> LaunchContainer:
        return LaunchContainer(
            attempt_id=ATTEMPT,
            node_id=self.node_id,
            container=Container(id=CONTAINER, node_id=self.node_id, container_token=PROOF),
            launch_context=ContainerLaunchContext(command=("am",), environment={"MINE": "1"}, tokens=tokens),
            user="ann",
            submit_time_ms=12,
        )


@asynccontextmanager
async def node_of_ours(handler: Handler) -> AsyncIterator[Scene]:
    server = new_server()
    add_service(server, SERVICE, handler)
    port = listen(server, "127.0.0.1:0", "nothing")
    await server.start()
    scene = Scene(port)
    try:
        yield scene
    finally:
        await scene.launcher.close()
        await server.stop(None)


@asynccontextmanager
async def node_of_hadoop(handler: Handler) -> AsyncIterator[Scene]:
    """A node that registered at Hadoop's port and speaks nothing else; it checks tokens by the key it got."""
    checker = NMTokenSecretManagerInNM()
    server = HadoopServer(
        {PROTOCOLS[SERVICE]: Endpoint(SERVICE, handler)}, Demanded(NM_TOKEN, checker.password)
    )
    scene = Scene(await server.start("127.0.0.1", 0, "nothing"))
    checker.node_id = scene.node_id
    checker.set_master_key(scene.tokens.nm.keys.current)
    registered(scene.protocols.of_hadoop, scene.node_id)
    try:
        yield scene
    finally:
        await scene.launcher.close()
        await server.stop()


def registered(port: Callable[[Handler], Handler], node_id: NodeId) -> None:
    """The node registers at that port."""

    def tracker(rpc: str, request: Any, caller: Caller) -> Any:
        return RegisterNodeManagerResponse(node_action=NodeAction.NORMAL)

    port(tracker)("registerNodeManager", RegisterNodeManagerRequest(node_id=node_id), NOBODY)


BOTH = pytest.mark.parametrize("node", [node_of_ours, node_of_hadoop])
Node = Callable[[Handler], AbstractAsyncContextManager[Scene]]


def run(scene: Any) -> Any:
    return asyncio.run(asyncio.wait_for(scene, PATIENCE_S))


@BOTH
def test_an_am_is_given_its_token_beside_the_users_and_its_variables(node: Node) -> None:
    calls: list[tuple[str, Any, Caller]] = []

    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        calls.append((rpc, request, caller))
        return StartContainersResponse(succeeded_requests=(CONTAINER,))

    async def scene() -> Tokens:
        async with node(handler) as here:
            here.launcher.launch(here.order(Credentials({"hdfs": USERS_TOKEN}).to_bytes()))
            assert await here.outcome == (ATTEMPT, "")
            checker = NMTokenSecretManagerInNM()
            checker.node_id = here.node_id
            checker.set_master_key(here.tokens.nm.keys.current)
            assert checker.verify(calls[0][2].token).app_attempt_id == ATTEMPT
            return here.tokens

    tokens = run(scene())
    (rpc, request, caller) = calls[0]
    (start,) = request.start_container_request
    assert (rpc, start.container_token) == ("startContainers", PROOF)
    assert caller.user == ("ann" if node is node_of_ours else None)
    context = start.container_launch_context
    assert context.command == ("am",)
    assert context.environment == {
        "MINE": "1",
        "APPLICATION_WEB_PROXY_BASE": "/proxy/application_1_0001",
        "APP_SUBMIT_TIME_ENV": "12",
    }
    held = Credentials.from_bytes(context.tokens)
    assert held.tokens["hdfs"] == USERS_TOKEN
    assert tokens.check_master(held.token_of_kind(AMRM_TOKEN)).app_attempt_id == ATTEMPT


@BOTH
def test_a_node_that_refuses_the_container_or_the_call_fails_the_launch(node: Node) -> None:
    refusal = SerializedException(message="This token is expired.", class_name="any")

    def refuse(rpc: str, request: Any, caller: Caller) -> Any:
        return StartContainersResponse(
            failed_requests=(ContainerExceptionMap(container_id=CONTAINER, exception=refusal),)
        )

    def not_yet(rpc: str, request: Any, caller: Caller) -> Any:
        raise NMNotYetReadyError("recovering")

    async def outcome(handler: Handler) -> str:
        async with node(handler) as here:
            here.launcher.launch(here.order())
            return (await here.outcome)[1]

    beginning = "Error launching appattempt_1_0001_000001. Got exception: org.apache.hadoop.yarn.exceptions."
    assert run(outcome(refuse)) == beginning + "YarnException: This token is expired."
    assert run(outcome(not_yet)) == beginning + "NMNotYetReadyException: recovering"


def test_credentials_that_cannot_be_read_fail_the_launch() -> None:
    async def scene() -> str:
        here = Scene(1)
        here.launcher.launch(here.order(tokens=b"nonsense"))
        return (await here.outcome)[1]

    assert "IllegalArgumentException: these are not credentials" in run(scene())


@pytest.mark.parametrize("is_hadoop", [False, True])
def test_a_node_that_is_not_there_fails_the_launch_when_patience_ends(is_hadoop: bool) -> None:
    (nobodys,) = free_ports("127.0.0.1", 1)

    async def scene() -> str:
        here = Scene(nobodys, patience_s=0.2)
        if is_hadoop:
            registered(here.protocols.of_hadoop, here.node_id)
        here.launcher.launch(here.order())
        return (await here.outcome)[1]

    assert "java.net.ConnectException" in run(scene())


@BOTH
def test_a_stop_is_delivered_once_and_its_failure_hurts_nobody(node: Node) -> None:
    stopped: asyncio.Queue[Any] = asyncio.Queue()

    def handler(rpc: str, request: Any, caller: Caller) -> Any:
        stopped.put_nowait((rpc, request.container_id))
        return StopContainersResponse()

    async def scene() -> None:
        order: dict[str, Any] = dict(attempt_id=ATTEMPT, container_id=CONTAINER)
        async with node(handler) as here:
            here.launcher.stop(StopContainer(node_id=here.node_id, **order))
            assert await stopped.get() == ("stopContainers", (CONTAINER,))
        away = Scene(1, patience_s=0.1)
        away.launcher.stop(StopContainer(node_id=away.node_id, **order))
        await away.launcher.close()

    run(scene())
