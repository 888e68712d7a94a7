"""The conversation with nodes, over gRPC and over Hadoop's wire, with asyncio and without."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from yarnbox.am.blocking import BlockingNMClient
from yarnbox.am.connection import Connection
from yarnbox.am.nm_client import SERVICE, NMClient
from yarnbox.am.rm_client import NMTokenCache
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import Caller, add_service, listen, new_server
from yarnbox.yarn.errors import InvalidContainerError, InvalidTokenError
from yarnbox.yarn.hadoop_ipc.connection import Tokens
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import SerializedException
from yarnbox.yarn.records.container import Container, ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.management import (
    ContainerExceptionMap,
    ContainerUpdateResponse,
    GetContainerStatusesResponse,
    StartContainersResponse,
    StopContainersResponse,
)
from yarnbox.yarn.records.master import NMToken
from yarnbox.yarn.records.tokens import Token

NODE = NodeId("nm1", 1234)
CONTAINER = ContainerId(ApplicationAttemptId(ApplicationId(1, 1), 1), 2)
TOKEN = Token(identifier=b"1", password=b"", kind="NMToken", service="")


def answer(rpc: str, request: Any, caller: Caller) -> Any:
    """A node that starts and enlarges all, and stops nothing."""
    assert caller.token == TOKEN
    if rpc == "startContainers":
        return StartContainersResponse(services_meta_data={"mapreduce_shuffle": b"\0\0\0\1"})
    if rpc == "updateContainer":
        return ContainerUpdateResponse(succeeded_requests=(CONTAINER,))
    if rpc == "stopContainers":
        thrown = SerializedException(
            class_name="org.apache.hadoop.yarn.exceptions.InvalidContainerException", message="no"
        )
        entry = ContainerExceptionMap(container_id=CONTAINER, exception=thrown)
        return StopContainersResponse(failed_requests=(entry,))
    return GetContainerStatusesResponse(status=(ContainerStatus(container_id=CONTAINER),))


@asynccontextmanager
async def ours() -> AsyncIterator[int]:
    server = new_server()
    add_service(server, SERVICE, answer)
    port = listen(server, "127.0.0.1:0", "nothing")
    await server.start()
    yield port
    await server.stop(None)


@asynccontextmanager
async def hadoops() -> AsyncIterator[int]:
    tokens = Tokens("NMToken", lambda identifier: TOKEN.password)
    server = HadoopServer({PROTOCOLS[SERVICE]: Endpoint(SERVICE, answer)}, tokens)
    yield await server.start("127.0.0.1", 0, "nothing")
    await server.stop()


Node = Callable[[], AbstractAsyncContextManager[int]]
BOTH = pytest.mark.parametrize("node", [ours, hadoops])


def run(scene: Any) -> None:
    asyncio.run(asyncio.wait_for(scene, PATIENCE_S))


def tokens() -> NMTokenCache:
    cache = NMTokenCache()
    cache.take([NMToken(node_id=NODE, token=TOKEN)])
    return cache


@BOTH
def test_a_node_is_called_with_its_token_and_answers_per_container(node: Node) -> None:
    async def scene() -> None:
        async with node() as port:
            cache = NMTokenCache()
            client = NMClient(cache, lambda _: f"127.0.0.1:{port}", hadoop_ipc=node is hadoops)
            container = Container(id=CONTAINER, node_id=NODE, container_token=TOKEN)
            with pytest.raises(InvalidTokenError, match="No NMToken sent for nm1:1234"):
                await client.start(container, ContainerLaunchContext())
            cache.take([NMToken(node_id=NODE, token=TOKEN)])
            meta_data = await client.start(container, ContainerLaunchContext())
            assert meta_data == {"mapreduce_shuffle": b"\0\0\0\1"}
            assert (await client.status(CONTAINER, NODE)).container_id == CONTAINER
            await client.update(container)
            with pytest.raises(InvalidContainerError, match="no"):
                await client.stop(CONTAINER, NODE)
            await client.close()

    run(scene())


@BOTH
def test_a_program_without_asyncio_finds_the_same(node: Node) -> None:
    def use(port: int) -> None:
        client = BlockingNMClient(tokens(), lambda _: f"127.0.0.1:{port}", hadoop_ipc=node is hadoops)
        container = Container(id=CONTAINER, node_id=NODE)
        assert client.start(container, ContainerLaunchContext()) == {"mapreduce_shuffle": b"\0\0\0\1"}
        assert client.status(CONTAINER, NODE).container_id == CONTAINER
        with pytest.raises(InvalidContainerError, match="no"):
            client.stop(CONTAINER, NODE)
        client.close()
        with pytest.raises(InvalidTokenError, match="No NMToken sent for nm1:1234"):
            BlockingNMClient(NMTokenCache()).status(CONTAINER, NODE)

    async def scene() -> None:
        async with node() as port:
            await asyncio.to_thread(use, port)

    run(scene())


@pytest.mark.parametrize("is_served", [False, True])
def test_a_cluster_that_serves_hadoops_wire_has_it_spoken(is_served: bool) -> None:
    text = "true" if is_served else "false"
    connection = Connection.of(Configuration.of({"yarnbox.hadoop-ipc.enabled": text}))

    async def scene() -> None:
        async with hadoops() if is_served else ours() as port:
            node_id = NodeId("127.0.0.1", port)
            rm = connection.rm_client(None)
            rm.nm_tokens.take([NMToken(node_id=node_id, token=TOKEN)])
            nodes = connection.nm_client(rm)
            assert (await nodes.status(CONTAINER, node_id)).container_id == CONTAINER
            await nodes.close()
            await rm.close()

    run(scene())
