"""Hand-made nodes and a hand-made AM against a real ResourceManager: tokens, launches, losses over gRPC."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.daemons import Daemon
from tests.nm.fake_rm import command
from tests.waiting import MISSED_MS, PATIENCE_S
from yarnbox.cluster.ports import free_ports
from yarnbox.testing import FakeApplicationMaster, FakeNodeManager
from yarnbox.yarn.connection.rpc import ConnectionFailedError, Stub
from yarnbox.yarn.enums import ContainerState, FinalApplicationStatus, YarnApplicationState
from yarnbox.yarn.errors import InvalidTokenError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.management import StartContainerRequest, StartContainersRequest
from yarnbox.yarn.records.master import (
    AllocateResponse,
)
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.security.tokens import AMRM_TOKEN

CLIENT, MASTER = "ApplicationClientProtocolService", "ApplicationMasterProtocolService"
NODE = "ContainerManagementProtocolService"


@asynccontextmanager
async def resource_manager(tmp_path: Path, **properties: str) -> AsyncIterator[str]:
    """A `python -m yarnbox.rm` with the FIFO scheduler; its address."""
    address = f"127.0.0.1:{free_ports('127.0.0.1', 1)[0]}"
    given = {
        "yarnbox.resourcemanager.grpc.address": address,
        "yarn.resourcemanager.webapp.address": "127.0.0.1:0",
        "yarn.resourcemanager.scheduler.class": "fifo",
        "yarn.node-attribute.fs-store.root-dir": str(tmp_path / "node-attribute"),
        "yarn.node-labels.fs-store.root-dir": str(tmp_path / "node-labels"),
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "50",
        **{name.replace("_", "."): value for name, value in properties.items()},
    }
    conf = tmp_path / "conf"
    conf.mkdir()
    lines = [f"<property><name>{n}</name><value>{v}</value></property>" for n, v in given.items()]
    (conf / "yarn-site.xml").write_text(f"<configuration>{''.join(lines)}</configuration>")
    said = tmp_path / "rm.log"
    process = Daemon("yarnbox.rm", ["--conf", str(conf)], said)
    try:
        assert await _answers(address, process), said.read_text()
        yield address
    finally:
        process.terminate()
        await process.ended()


async def _answers(address: str, process: Daemon) -> bool:
    """Waits until the RM answers; False when it does not, or ended."""
    async with Stub(address, CLIENT, user="alice") as stub:
        deadline = time.monotonic() + PATIENCE_S
        while process.poll() is None and time.monotonic() < deadline:
            try:
                await stub.call("getNewApplication", GetNewApplicationRequest())
                return True
            except (ConnectionFailedError, YarnError):
                await asyncio.sleep(0.1)
    return False


async def submit(address: str) -> ApplicationId:
    """Submits an application of one small AM."""
    async with Stub(address, CLIENT, user="alice") as stub:
        new = await stub.call("getNewApplication", GetNewApplicationRequest())
        context = ApplicationSubmissionContext(
            application_id=new.application_id,
            application_name="hand-made",
            am_container_spec=command("the AM"),
            resource=Resource(1024, 1),
        )
        await stub.call("submitApplication", SubmitApplicationRequest(application_submission_context=context))
        assert isinstance(new.application_id, ApplicationId)
        return new.application_id


async def report(address: str, application_id: ApplicationId) -> Any:
    """What the RM tells of an application."""
    async with Stub(address, CLIENT, user="alice") as stub:
        request = GetApplicationReportRequest(application_id=application_id)
        return (await stub.call("getApplicationReport", request)).application_report


async def launched_master(address: str, node: FakeNodeManager) -> FakeApplicationMaster:
    """The AM whose container the RM launches on the node."""
    async with asyncio.timeout(PATIENCE_S):
        while not node.running:
            await node.heartbeat()
            await asyncio.sleep(0.01)
    order = await node.launched()
    assert order.context.command == ("the AM",)
    assert "APPLICATION_WEB_PROXY_BASE" in order.context.environment
    token = Credentials.from_bytes(order.context.tokens).token_of_kind(AMRM_TOKEN)
    assert token is not None
    master = FakeApplicationMaster(address, token)
    await master.register()
    return master


ASK = ResourceRequest(priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=1)


def test_an_application_from_submission_to_success(tmp_path: Path) -> None:
    async def body() -> None:
        async with (
            resource_manager(tmp_path) as address,
            FakeNodeManager(address, "127.0.0.1", Resource(4096, 4)) as node,
        ):
            application_id = await submit(address)
            master = await launched_master(address, node)
            await master.allocate(ASK)
            granted = (
                await master.until(lambda answer: answer.allocated_containers, node.heartbeat)
            ).allocated_containers[0]
            assert granted.node_id == node.node_id
            assert granted.container_token is not None
            start = StartContainerRequest(
                container_token=granted.container_token, container_launch_context=command("work")
            )
            forged = replace(granted.container_token, password=b"x" * 20)
            async with Stub(node.address, NODE, token=master.nm_tokens[node.node_id]) as stub:
                with pytest.raises(InvalidTokenError):
                    await stub.call(
                        "startContainers",
                        StartContainersRequest(
                            start_container_request=(replace(start, container_token=forged),)
                        ),
                    )
                answer = await stub.call(
                    "startContainers", StartContainersRequest(start_container_request=(start,))
                )
            assert answer.succeeded_requests == (granted.id,)
            order = await node.launched()
            assert order.context.command == ("work",)
            await node.heartbeat()
            node.complete(order.container_id, 5, "five")
            await node.heartbeat()
            done = await master.until(lambda answer: answer.completed_container_statuses, node.heartbeat)
            (status,) = done.completed_container_statuses
            assert (status.container_id, status.exit_status) == (granted.id, 5)
            assert status.state is ContainerState.COMPLETE
            await master.finish()
            for container_id in list(node.running):
                node.complete(container_id)
            await node.heartbeat()
            async with asyncio.timeout(PATIENCE_S):
                while (await report(address, application_id)).yarn_application_state is not (
                    YarnApplicationState.FINISHED
                ):
                    await node.heartbeat()
            found = await report(address, application_id)
            assert found.final_application_status is FinalApplicationStatus.SUCCEEDED
            async with asyncio.timeout(PATIENCE_S):
                while node.core.context.applications:
                    await node.heartbeat()
                    await asyncio.sleep(0.01)
            await master.close()

    asyncio.run(body())


def test_a_silent_node_is_lost_and_its_container_with_it(tmp_path: Path) -> None:
    expiry = {"yarn_nm_liveness-monitor_expiry-interval-ms": str(MISSED_MS)}

    async def body() -> None:
        async with (
            resource_manager(tmp_path, **expiry) as address,
            FakeNodeManager(address, "127.0.0.1", Resource(1024, 1)) as node,
        ):
            await submit(address)
            master = await launched_master(address, node)
            await master.allocate(ASK)
            async with FakeNodeManager(address, "localhost", Resource(1024, 1)) as other:
                asked = await _beating(master, node, other, lambda one: one.allocated_containers)
                (granted,) = asked.allocated_containers
                assert granted.node_id == other.node_id
                other.lose()
            told = await master.until(lambda answer: answer.completed_container_statuses, node.heartbeat)
            (status,) = told.completed_container_statuses
            assert (status.container_id, status.exit_status) == (granted.id, -100)
            await master.close()

    asyncio.run(body())


async def _beating(
    master: FakeApplicationMaster, one: FakeNodeManager, two: FakeNodeManager, condition: Any
) -> AllocateResponse:
    async with asyncio.timeout(PATIENCE_S):
        while not condition(response := await master.allocate()):
            await one.heartbeat()
            await two.heartbeat()
            await asyncio.sleep(0.01)
    return response
