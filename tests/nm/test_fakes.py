"""Nodes without a machine: FakeNodeManager and virtual nodes, against an RM that answers."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.nm.fake_rm import FakeRM, command, start_nm, until
from tests.nm.rig import APPLICATION, container_id
from yarnbox.nm.edge.naming import NamingFiles
from yarnbox.nm.edge.virtual import VirtualNodes, VirtualOptions
from yarnbox.nm.settings import NMSettings
from yarnbox.testing import FakeNodeManager
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.resource import Resource


def test_a_fake_node_in_the_hands_of_a_test() -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            async with FakeNodeManager(f"127.0.0.1:{rm.port}", "host7", Resource(512, 2)) as node:
                registration = await rm.registered()
                assert (registration.node_id, registration.resource) == (node.node_id, Resource(512, 2))
                await rm.start(node.node_id, 1, command("whatever", A="b"))
                order = await node.launched()
                assert order.context.environment == {"A": "b"}
                await node.heartbeat()
                assert rm.completed == {}
                node.complete(order.container_id, 6, "said")
                await node.heartbeat()
                assert rm.completed[container_id(1)].exit_status == 6
                await rm.start(node.node_id, 2, command("x"))
                await node.launched()
                rm.answers.append({"containers_to_cleanup": (container_id(2),)})
                await node.heartbeat()
                await node.ended(container_id(2))
                await node.heartbeat()
                assert rm.completed[container_id(2)].exit_status == -106
                rm.answers.append({"node_action": NodeAction.RESYNC})
                await node.heartbeat()
                assert (await rm.registered()).node_id == node.node_id
            assert rm.unregistered.get_nowait() == node.node_id

    asyncio.run(body())


def test_a_fake_node_that_beats_by_itself_and_is_lost() -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            async with FakeNodeManager(f"127.0.0.1:{rm.port}", beats=True) as node:
                await rm.start(node.node_id, 1, command("x"))
                node.complete((await node.launched()).container_id)
                assert (await rm.ended(1)).exit_status == 0
                node.lose()
            assert rm.unregistered.empty()

    asyncio.run(body())


def test_virtual_nodes_run_containers_that_take_time(tmp_path: Path) -> None:
    book, table = tmp_path / "addresses.json", tmp_path / "topology.table"
    table.write_text("real1 /rack9\n")

    async def body() -> None:
        async with FakeRM() as rm:
            settings = NMSettings(rm_address=Address("127.0.0.1", rm.port), address=Address("127.0.0.1", 0))
            options = VirtualOptions(
                count=5,
                racks=2,
                memory_mb=1000,
                prefix="v",
                naming=NamingFiles(book, table),
            )
            nodes = VirtualNodes(settings, Resource(8192, 8), options)
            await nodes.start()
            found = [(await rm.registered()) for _ in range(5)]
            assert sorted(one.node_id.host for one in found if one.node_id) == [
                f"v{n:05d}" for n in range(1, 6)
            ]
            assert {one.resource for one in found} == {Resource(1000, 8)}
            first, second = found[0].node_id, found[1].node_id
            assert first is not None
            assert second is not None
            await rm.start(first, 1, ContainerLaunchContext(environment={"YARNBOX_SIMULATED_MS": "50"}))
            await rm.start(second, 2, command("sleep 0.01; exit 3"))
            await rm.start(second, 3, command("run for ever"))
            assert (await rm.ended(1)).exit_status == 0
            assert (await rm.ended(2)).exit_status == 3
            await rm.stop(second, 3)
            assert (await rm.ended(3)).exit_status == -105
            with pytest.raises(InvalidTokenError, match="is not a node of this process"):
                await rm.start(NodeId("v99999", first.port), 4, command("x"))
            assert nodes.beats > 0
            nodes.shut_down()
            assert await nodes.run() == 0
            await until(lambda: rm.unregistered.qsize() == 5)
        assert json.loads(book.read_text())["v00001"] == "127.0.0.1"
        lines = table.read_text().splitlines()
        assert lines[0] == "real1 /rack9"
        assert lines[1:3] == ["v00001 /rack1", "v00002 /rack2"]

    asyncio.run(body())


def test_the_command_line_of_virtual_nodes(tmp_path: Path) -> None:
    async def body() -> None:
        async with FakeRM() as rm:
            arguments = ("--virtual", "3", "--memory", "2048", "--vcores", "2", "--name", "sim")
            node = start_nm(rm.port, tmp_path, *arguments)
            found = [await rm.registered() for _ in range(3)]
            assert {one.resource for one in found} == {Resource(2048, 2)}
            rm.answers.append({"applications_to_cleanup": (APPLICATION,)})
            node.terminate()
            assert await node.ended() == 0

    asyncio.run(body())
