"""An RM behind gRPC, and nodes and AMs made by hand: who is let through, what is refused, what survives."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.rm.edge.directory import ConfigurationDirectory
from yarnbox.rm.edge.process import Process, main
from yarnbox.rm.edge.store import FILE, StateStore
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import RpcError, Stub
from yarnbox.yarn.enums import ContainerState, NodeAction, NodeState, YarnApplicationState
from yarnbox.yarn.errors import (
    AccessControlError,
    ApplicationNotFoundError,
    IllegalArgumentError,
    InvalidTokenError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.admin import RefreshQueuesRequest
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetClusterNodesRequest,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.master import (
    AllocateRequest,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
)
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.records.tracker import (
    NodeHealthStatus,
    NodeHeartbeatRequest,
    NodeStatus,
    RegisterNodeManagerRequest,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.node_secret import NodeSecret, write_node_secret
from yarnbox.yarn.security.tokens import AMRM_TOKEN, ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM

CLIENT = "ApplicationClientProtocolService"
MASTER = "ApplicationMasterProtocolService"
TRACKER = "ResourceTrackerService"
ADMIN = "ResourceManagerAdministrationProtocolService"
FINISHED = YarnApplicationState.FINISHED
NODE = NodeId("nm1", 4711)


def definitions(tmp_path: Path, **others: str) -> tuple[str, ...]:
    properties = {
        "yarnbox.resourcemanager.grpc.address": "127.0.0.1:0",
        "yarn.resourcemanager.webapp.address": "127.0.0.1:0",
        "yarn.resourcemanager.scheduler.class": "fifo",
        "yarn.resourcemanager.recovery.enabled": "true",
        "yarn.resourcemanager.fs.state-store.uri": str(tmp_path / "state"),
        "yarn.node-labels.fs-store.root-dir": str(tmp_path / "node-labels"),
        "yarn.node-attribute.fs-store.root-dir": str(tmp_path / "node-attribute"),
        "yarn.scheduler.configuration.leveldb-store.path": str(tmp_path / "confstore"),
        **{name.replace("_", "-").replace("--", "."): value for name, value in others.items()},
    }
    return tuple(f"{name}={value}" for name, value in properties.items())


class Desk:
    """A running RM, and the four who call it."""

    def __init__(self, address: str, web: str, tmp_path: Path) -> None:
        self.address = address
        self.web = web
        self.directory = tmp_path
        self.client = Stub(address, CLIENT, user="ann")
        self.tracker = Stub(address, TRACKER)
        self.container_keys = ContainerTokenSecretManagerInNM()
        self.nm_keys = NMTokenSecretManagerInNM()
        self.container_keys.node_id = self.nm_keys.node_id = NODE
        self._response_id = 0

    async def close(self) -> None:
        await self.client.close()
        await self.tracker.close()

    def know(self, secret: NodeSecret) -> None:
        """Calls as a node of the cluster from now on."""
        self.tracker.use_token(secret.token)

    async def register(self) -> Any:
        self._response_id = 0
        answer = await self.tracker.call(
            "registerNodeManager",
            RegisterNodeManagerRequest(
                node_id=NODE, http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
            ),
        )
        if answer.node_action is NodeAction.NORMAL:
            self.container_keys.set_master_key(answer.container_token_master_key)
            self.nm_keys.set_master_key(answer.nm_token_master_key)
        return answer

    async def beat(self, *statuses: ContainerStatus) -> Any:
        health = NodeHealthStatus(is_node_healthy=True, health_report="", last_health_report_time=0)
        status = NodeStatus(
            node_id=NODE,
            response_id=self._response_id,
            node_health_status=health,
            containers_statuses=statuses,
        )
        answer = await self.tracker.call("nodeHeartbeat", NodeHeartbeatRequest(node_status=status))
        if answer.node_action is NodeAction.NORMAL:
            self._response_id = answer.response_id
        return answer

    async def submit(self) -> ApplicationId:
        """An application whose AM is run by whoever submits it."""
        new = await self.client.call("getNewApplication", GetNewApplicationRequest())
        context = ApplicationSubmissionContext(
            application_id=new.application_id, application_name="test", unmanaged_am=True
        )
        await self.client.call(
            "submitApplication", SubmitApplicationRequest(application_submission_context=context)
        )
        return new.application_id  # type: ignore[no-any-return]

    async def report(self, application_id: ApplicationId) -> Any:
        request = GetApplicationReportRequest(application_id=application_id)
        return (await self.client.call("getApplicationReport", request)).application_report

    async def token(self, application_id: ApplicationId) -> Token:
        while (found := (await self.report(application_id)).am_rm_token) is None:
            await asyncio.sleep(0.01)
        return found  # type: ignore[no-any-return]

    @asynccontextmanager
    async def master(self, token: Token | None) -> AsyncIterator[Stub]:
        async with Stub(self.address, MASTER, token=token) as stub:
            yield stub


@asynccontextmanager
async def running(tmp_path: Path, **others: str) -> AsyncIterator[Desk]:
    (tmp_path / "conf").mkdir(exist_ok=True)
    directory = ConfigurationDirectory(tmp_path / "conf", Configuration(), definitions(tmp_path, **others))
    process = Process(directory, tmp_path)
    task = asyncio.ensure_future(process.run())
    starting: list[asyncio.Future[Any]] = [task, process.address]
    await asyncio.wait(starting, return_when=asyncio.FIRST_COMPLETED)
    desk = Desk(process.address.result(), str(process.web_address), tmp_path)
    try:
        yield desk
    finally:
        await desk.close()
        process.end()
        assert await task == 0


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    """A process sets its log up for itself; afterwards it is as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in list(root.handlers):
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        await asyncio.wait_for(scene(), PATIENCE_S)

    asyncio.run(limited())


def test_an_rm_in_a_process_of_others_leaves_their_garbage_to_them(tmp_path: Path) -> None:
    async def scene() -> None:
        thresholds, frozen = gc.get_threshold(), gc.get_freeze_count()
        async with running(tmp_path):
            assert gc.get_freeze_count() <= frozen
        assert gc.get_freeze_count() > 0.9 * frozen  # but for what has ended
        assert gc.get_threshold() == thresholds

    play(scene)


def test_an_rm_that_cannot_store_ends_and_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        (tmp_path / "conf").mkdir()
        directory = ConfigurationDirectory(tmp_path / "conf", Configuration(), definitions(tmp_path))
        process = Process(directory, tmp_path)
        task = asyncio.ensure_future(process.run())
        desk = Desk(await process.address, "", tmp_path)

        def write(*_: Any) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(StateStore, "write", write)
        with contextlib.suppress(YarnError, RpcError):
            while not task.done():
                await desk.submit()
        assert await task == 1
        assert process.reason == "state store: database or disk is full"
        await desk.close()

    play(scene)


def test_an_am_works_with_its_token(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path) as desk:
            await desk.register()
            application_id = await desk.submit()
            token = await desk.token(application_id)
            async with desk.master(token) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="here"))
                ask = ResourceRequest(
                    priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=1
                )
                response = await am.call("allocate", AllocateRequest(ask=(ask,), response_id=0))
                await desk.beat()
                response = await am.call("allocate", AllocateRequest(response_id=response.response_id))
                (container,) = response.allocated_containers
                assert desk.container_keys.verify(container.container_token).container_id == container.id
                (nm_token,) = response.nm_tokens
                shown = desk.nm_keys.verify(nm_token.token)
                assert shown.app_attempt_id == container.id.application_attempt_id
                running_status = ContainerStatus(container_id=container.id, state=ContainerState.RUNNING)
                await desk.beat(running_status)
                await am.call("finishApplicationMaster", FinishApplicationMasterRequest())
            while (await desk.report(application_id)).yarn_application_state is not FINISHED:
                await asyncio.sleep(0.01)

    play(scene)
    assert "AttemptRegistered" in (tmp_path / "logs" / "events.jsonl").read_text()
    assert "serving" in (tmp_path / "logs" / "rm.log").read_text()


def test_a_missing_wrong_or_forged_token_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path) as desk:
            mine, other = await desk.submit(), await desk.submit()
            token, others = await desk.token(mine), await desk.token(other)
            wrong = [
                None,
                replace(token, password=bytes(20)),
                replace(token, kind="NMToken"),
                replace(token, identifier=others.identifier),
                Token(identifier=b"\xff", password=b"", kind=AMRM_TOKEN, service=""),
            ]
            for shown in wrong:
                async with desk.master(shown) as am:
                    for rpc, request in (
                        ("registerApplicationMaster", RegisterApplicationMasterRequest(host="thief")),
                        ("allocate", AllocateRequest(response_id=0)),
                        ("finishApplicationMaster", FinishApplicationMasterRequest()),
                    ):
                        with pytest.raises(InvalidTokenError):
                            await am.call(rpc, request)
            async with desk.master(token) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="owner"))
            assert (await desk.report(mine)).host == "owner"
            assert (await desk.report(other)).host == "N/A"

    play(scene)


def test_administration_asks_who_calls(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path, yarn__admin__acl="root,boss") as desk:
            async with Stub(desk.address, ADMIN, user="ann") as ann:
                with pytest.raises(AccessControlError, match="ann"):
                    await ann.call("refreshQueues", RefreshQueuesRequest())
            async with Stub(desk.address, ADMIN, user="boss") as boss:
                await boss.call("refreshQueues", RefreshQueuesRequest())
            async with Stub(desk.address, ADMIN) as nobody:
                with pytest.raises(AccessControlError, match=r"dr\.who"):
                    await nobody.call("refreshQueues", RefreshQueuesRequest())

    play(scene)


def test_refusals_have_their_class_and_name_the_thing(tmp_path: Path) -> None:
    async def scene() -> None:
        async with running(tmp_path, ipc__maximum__data__length="100000") as desk:
            unknown = ApplicationId(1, 1)
            context = ApplicationSubmissionContext(application_name="x" * 200_000)
            too_large = SubmitApplicationRequest(application_submission_context=context)
            with pytest.raises(ApplicationNotFoundError, match="application_1_0001"):
                await desk.report(unknown)
            with pytest.raises(IllegalArgumentError, match="too large"):
                await desk.client.call("submitApplication", too_large)
            with pytest.raises(YarnError):
                await desk.tracker.call("registerNodeManager", RegisterNodeManagerRequest())
            assert (await desk.beat()).node_action is NodeAction.RESYNC

    play(scene)


def test_what_was_submitted_is_there_after_a_restart_and_its_token_still_good(tmp_path: Path) -> None:
    kept: list[Any] = []

    async def first() -> None:
        async with running(tmp_path) as desk:
            application_id = await desk.submit()
            token = await desk.token(application_id)
            async with desk.master(token) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="a"))
            kept.extend([application_id, token])

    async def second() -> None:
        application_id, token = kept
        async with running(tmp_path) as desk:
            assert (await desk.report(application_id)).user == "ann"
            async with desk.master(token) as am:
                await am.call("registerApplicationMaster", RegisterApplicationMasterRequest(host="b"))
            assert (await desk.report(application_id)).host == "b"
            assert (await desk.submit()).cluster_timestamp > application_id.cluster_timestamp

    play(first)
    play(second)
    store = StateStore(tmp_path / "state" / FILE)
    assert store.load()[("epoch",)] == 2
    store.close()


def test_a_node_that_falls_silent_is_lost(tmp_path: Path) -> None:
    quick = {"yarn__nm__liveness_monitor__expiry_interval_ms": "300",
             "yarn__resourcemanager__nodemanagers__heartbeat_interval_ms": "100"}  # fmt: skip

    async def scene() -> None:
        async with running(tmp_path, **quick) as desk:
            await desk.register()
            await desk.beat()
            request = GetClusterNodesRequest(node_states=(NodeState.LOST,))
            while not (await desk.client.call("getClusterNodes", request)).node_reports:
                await asyncio.sleep(0.02)
            assert (await desk.beat()).node_action is NodeAction.RESYNC

    play(scene)


@pytest.mark.parametrize(
    "definition, status, said",
    [
        (
            "yarn.resourcemanager.application.max-tags=no",
            2,
            "yarn.resourcemanager.application.max-tags = 'no'",
        ),
        ("yarn.resourcemanager.scheduler.class=no.such.Scheduler", 2, "there is no no.such.Scheduler"),
        ("yarnbox.resourcemanager.grpc.address=192.0.2.1:0", 2, "192.0.2.1 is not a loopback address"),
        ("yarnbox.resourcemanager.grpc.address=no..host:0", 1, "cannot listen on no..host:0"),
    ],
)
def test_what_keeps_it_from_starting_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], definition: str, status: int, said: str
) -> None:
    words = [word for one in (*definitions(tmp_path), definition) for word in ("-D", one)]
    assert main(["--conf", str(tmp_path), *words]) == status
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("rm: ")]
    assert len(lines) == 1
    assert said in lines[0]


def test_a_second_rm_on_one_state_store_does_not_start(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = StateStore(tmp_path / "state" / FILE)
    words = [word for one in definitions(tmp_path) for word in ("-D", one)]
    assert main(["--conf", str(tmp_path), *words]) == 1
    store.close()
    assert "another ResourceManager is using it" in capfd.readouterr().err


def test_only_who_knows_the_secret_is_a_node(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        write_node_secret(tmp_path / name)
    ours, theirs = (NodeSecret.of_file(str(tmp_path / name)) for name in ("ours", "theirs"))
    assert ours is not None
    assert theirs is not None

    async def scene() -> None:
        async with running(tmp_path, **{"yarnbox.node-secret-file": str(tmp_path / "ours")}) as desk:
            for call in (desk.register, desk.beat):
                with pytest.raises(AccessControlError, match="does not know the secret"):
                    await call()
            desk.know(theirs)
            with pytest.raises(AccessControlError, match="does not know the secret"):
                await desk.register()
            desk.know(ours)
            assert (await desk.register()).node_action is NodeAction.NORMAL
            assert (await desk.beat()).node_action is NodeAction.NORMAL

    play(scene)
