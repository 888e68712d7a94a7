"""Our own nodes over Hadoop's wire, at an RM in this process: who is let in, and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_hadoop import Client
from tests.rm.edge.test_process import Desk, play, running
from yarnbox.cluster.hadoop_site import yarn_properties
from yarnbox.nm.edge.naming import NamingFiles
from yarnbox.nm.edge.tracker import addresses_of_rms, stub_of_rm
from yarnbox.nm.edge.virtual import VirtualNodes, VirtualOptions
from yarnbox.nm.settings import NMSettings
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto
from yarnbox.rm.edge.hadoop import TRACKER_PROTOCOL
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetClusterMetricsRequest,
    GetNewApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.tracker import RegisterNodeManagerRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.node_secret import PROPERTY, write_node_secret
from yarnbox.yarn.security.tls import ExposedError
from yarnbox.yarn.settings import read
from yarnbox.yarn.wire import PLAIN

TRACKER = "yarn.resourcemanager.resource-tracker.address"
REGISTRATION = RegisterNodeManagerRequest(
    node_id=NodeId("stranger", 1), http_port=1, resource=Resource(8192, 8), nm_version="3.4.1"
)


def settings_of(properties: dict[str, str], **more: str) -> NMSettings:
    given = {**properties, "yarnbox.hadoop-ipc.heartbeats.enabled": "true", **more}
    return read(NMSettings, Configuration.of(given))


async def counts(desk: Desk) -> tuple[int, int]:
    """How many nodes are active, and how many have said good-bye."""
    metrics = (await desk.client.call("getClusterMetrics", GetClusterMetricsRequest())).cluster_metrics
    return metrics.num_active_nms, metrics.num_shutdown_nms


async def until(holds: Callable[[], Any]) -> None:
    while not await holds():
        await asyncio.sleep(0.01)


async def launch(desk: Desk) -> None:
    """An application whose AM is a container on one of the nodes."""
    new = await desk.client.call("getNewApplication", GetNewApplicationRequest())
    context = ApplicationSubmissionContext(
        application_id=new.application_id,
        am_container_spec=ContainerLaunchContext(command=("am",)),
        resource=Resource(1024, 1),
    )
    await desk.client.call(
        "submitApplication", SubmitApplicationRequest(application_submission_context=context)
    )


async def is_let_in(settings: NMSettings) -> bool:
    stub = stub_of_rm(settings, addresses_of_rms(settings, None), None, PLAIN)
    try:
        await stub.call("registerNodeManager", REGISTRATION)
    except YarnError:
        return False
    finally:
        await stub.close()
    return True


def test_nodes_register_report_and_come_back_to_an_rm_that_was_started_again(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        write_node_secret(tmp_path / name)
    properties = {
        **yarn_properties("127.0.0.1"),
        PROPERTY: str(tmp_path / "ours"),
        "yarnbox.address-book": str(tmp_path / "addresses"),
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "20",
    }
    settings = settings_of(properties, **{"yarn.nodemanager.address": "127.0.0.1:0"})
    options = VirtualOptions(count=3, naming=NamingFiles.of(Configuration.of(properties)))

    async def scene() -> None:
        nodes = VirtualNodes(settings, Resource(4096, 4), options)
        async with running(tmp_path, **properties) as desk:
            await nodes.start()
            living = asyncio.ensure_future(nodes.run())

            async def has_all() -> bool:
                return await counts(desk) == (3, 0)

            async def is_called() -> bool:
                return any(node.core.context.containers for node in nodes.nodes.values())

            await until(has_all)
            await launch(desk)
            await until(is_called)
            assert not await is_let_in(settings_of(properties, **{PROPERTY: str(tmp_path / "theirs")}))
            head, _ = await Client(properties[TRACKER], TRACKER_PROTOCOL).ask(
                "registerNodeManager", REGISTRATION
            )
            assert head.status == RpcResponseHeaderProto.ERROR
            assert "does not know the secret of this cluster's nodes" in head.errorMsg
            assert await counts(desk) == (3, 0)
        async with running(tmp_path, **properties) as desk:
            await until(has_all)
            before = nodes.beats

            async def beats() -> bool:
                return nodes.beats > before + 3

            await until(beats)
            nodes.shut_down()
            assert await living == 0
            assert await counts(desk) == (0, 3)

    play(scene)


def test_a_node_shows_its_secret_only_where_it_may(tmp_path: Path) -> None:
    write_node_secret(tmp_path / "secret")
    ours = {PROPERTY: str(tmp_path / "secret")}

    def stub(properties: dict[str, str]) -> object:
        settings = settings_of(properties)
        return stub_of_rm(settings, addresses_of_rms(settings, Configuration.of(properties)), None, PLAIN)

    with pytest.raises(ConfigurationError, match=r"yarnbox\.node-secret-file"):
        stub({})
    with pytest.raises(ExposedError, match=r"10\.0\.0\.1 is not a loopback address"):
        stub({**ours, TRACKER: "10.0.0.1:8031"})
    assert stub({**ours, TRACKER: "10.0.0.1:8031", "yarnbox.hadoop-ipc.remote.enabled": "true"})
