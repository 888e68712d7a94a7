"""A ResourceManager that a test scripts, over real gRPC, with its own nodes and with fake ones."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.testing.masters import REQUEST, TASK, TASKS, blocking, retrying
from yarnbox.am import Connection, ContainerEnvironment, FinalApplicationStatus
from yarnbox.testing import (
    Ends,
    FakeApplicationMaster,
    FakeNodeManager,
    FakeResourceManager,
    delay,
    drop_next,
    expire_token,
    fail_over,
    fill_disk,
    lose_node_of,
    preempt,
    restart_rm,
)
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.errors import InvalidResourceRequestError
from yarnbox.yarn.records.container import ContainerLaunchContext


def quick(_started: object) -> Ends:
    """Containers that end soon."""
    return Ends(20)


async def hasty(environment: ContainerEnvironment, connection: Connection) -> int:
    """Three tasks, each again until it ends well, with many heartbeats; 2 when an ask is refused."""
    rm = connection.rm_client(environment.amrm_token)
    nm = connection.nm_client(rm)
    await rm.register(environment.node_id.host)
    rm.asks.add(REQUEST, TASKS)
    left = TASKS
    try:
        async for answer in rm.responses(20, lambda: 0.5):
            for container in answer.allocated_containers:
                rm.asks.remove(REQUEST)
                try:
                    await nm.start(container, TASK)
                except Exception:
                    rm.asks.release(container.id)
            for status in answer.completed_container_statuses:
                left -= status.exit_status == 0
                if status.exit_status:
                    rm.asks.add(REQUEST)
            if left <= 0:
                break
    except InvalidResourceRequestError:
        return 2
    finally:
        await nm.close()
    await rm.finish(FinalApplicationStatus.SUCCEEDED)
    await rm.close()
    return 0


@pytest.fixture
def rm(fake_rm: FakeResourceManager) -> FakeResourceManager:
    """One whose containers end soon."""
    fake_rm.behaviour = quick
    return fake_rm


def statuses(rm: FakeResourceManager) -> list[int]:
    return sorted(one.exit_status for one in rm.faults.ended.values())


@pytest.mark.parametrize("master", [hasty, blocking])
def test_an_am_gets_what_it_asks_for(rm: FakeResourceManager, master: object) -> None:
    ended = rm.run(master)  # type: ignore[arg-type]
    assert (ended.status, ended.traceback) == (0, "")
    assert rm.finished is FinalApplicationStatus.SUCCEEDED


def test_only_what_is_granted_is_given() -> None:
    with FakeResourceManager(grants=False, containers=quick) as rm:
        rm.grant(2, node="nm2")
        rm.at("10th allocate", drop_next("allocate"))

        def third() -> bool:
            if len(rm.faults.granted) == 2 and len(rm.faults.ended) == 2:
                rm.grant(node="nm3")
            return len(rm.faults.granted) == 3

        environment, connection = rm.environment(), rm.connection()

        async def scene() -> int:
            run = asyncio.ensure_future(hasty(environment, connection))
            await asyncio.to_thread(rm.wait_until, third, "the third container")
            return await run

        assert asyncio.run(scene()) == 0
        assert [one.node_id.host for one in rm.faults.granted if one.node_id] == ["nm2", "nm2", "nm3"]


@pytest.mark.parametrize(
    "fault, told",
    [
        (preempt(1), [-102, 0, 0, 0]),
        (lose_node_of(1), [-100, 0, 0, 0]),
        (restart_rm(100), [0, 0, 0]),
        (fail_over(), [0, 0, 0]),
        (drop_next("allocate", answers=True), [0, 0, 0]),
        (delay("allocate", 50), [0, 0, 0]),
        (expire_token(1), [-100, 0, 0, 0]),
    ],
    ids=str,
)
def test_faults_happen_at_their_call(rm: FakeResourceManager, fault: object, told: list[int]) -> None:
    rm.behaviour = lambda _started: Ends(200)
    rm.at("first startContainers", fault)  # type: ignore[arg-type]
    assert rm.run(hasty).status == 0
    assert statuses(rm) == told
    assert rm.faults.waiting == []


def test_an_am_whose_token_expired_is_refused(rm: FakeResourceManager) -> None:
    rm.at("3rd allocate", expire_token("amrm"))
    rm.behaviour = lambda _started: None
    ended = rm.run(hasty)
    assert ended.status == 1
    assert "Invalid AMRMToken from appattempt_" in ended.traceback


def test_a_full_disk_is_told_of(rm: FakeResourceManager) -> None:
    environment, connection = rm.environment(), rm.connection()

    async def scene() -> list[object]:
        client = connection.rm_client(environment.amrm_token)
        await client.register("h")
        await asyncio.to_thread(rm.inject, fill_disk("nm2"))
        answer = await client.allocate(0)
        await client.close()
        return [(one.node_id.host, one.node_state) for one in answer.updated_nodes if one.node_id]

    assert asyncio.run(scene()) == [("nm2", NodeState.UNHEALTHY)]


def test_calls_are_refused_amended_and_forgotten(rm: FakeResourceManager) -> None:
    rm.refuse("allocate", InvalidResourceRequestError("too large"))
    assert rm.run(hasty).status == 2
    rm.amend("registerApplicationMaster", queue="root.other")
    rm.at("first allocate after 3 ended", drop_next("finishApplicationMaster"))
    assert rm.run(hasty).status == 0
    with pytest.raises(ValueError, match="there is no rpc allocte"):
        rm.refuse("allocte", InvalidResourceRequestError(""))


def test_an_am_registers_again_after_a_resync(rm: FakeResourceManager) -> None:
    environment, connection = rm.environment(), rm.connection()

    async def scene() -> None:
        client = connection.rm_client(environment.amrm_token)
        await client.register("h")
        await client.allocate(0)
        await asyncio.to_thread(rm.resync)
        await client.allocate(0)
        await client.close()

    asyncio.run(scene())
    assert len(rm.calls("registerApplicationMaster")) == 2


def test_what_is_waited_for_and_does_not_come_is_told_with_the_calls(rm: FakeResourceManager) -> None:
    rm.run(hasty)
    with pytest.raises(
        AssertionError, match=r"(?s)waited 0.1 s for call 9999 of allocate.*finishApplicationMaster"
    ):
        rm.wait_for_call("allocate", 9999, timeout_s=0.1)


def test_a_fake_node_runs_what_a_fake_rm_grants(fake_rm: FakeResourceManager, fake_nm: Any) -> None:
    """Real tokens: the node checks those that the RM has made."""
    environment, connection = fake_rm.environment(), fake_rm.connection()

    async def master() -> int:
        rm = connection.rm_client(environment.amrm_token)
        nm = connection.nm_client(rm)
        await rm.register("h")
        rm.asks.add(REQUEST)
        async for answer in rm.responses(20, lambda: 0.0):
            for container in answer.allocated_containers:
                rm.asks.remove(REQUEST)
                await nm.start(container, ContainerLaunchContext(command=("true",)))
                order = await asyncio.to_thread(fake_nm.launched)
                await asyncio.to_thread(fake_nm.complete, order.container_id, 7)
            for status in answer.completed_container_statuses:
                await nm.close()
                await rm.close()
                return status.exit_status
        return -1

    assert asyncio.run(master()) == 7


def test_a_fake_am_says_what_the_test_says(fake_am: Any) -> None:
    fake_am.register("h")
    fake_am.allocate()
    fake_am.response_id = 17
    with pytest.raises(Exception, match="Invalid responseId in AllocateRequest"):
        fake_am.allocate()


def test_all_of_them_work_with_asyncio_and_without_pytest() -> None:
    async def scene() -> None:
        with FakeResourceManager() as rm:
            token = rm.environment().amrm_token
            assert token is not None
            async with FakeNodeManager(rm.address, "nm1") as node:
                await node.heartbeat()
                master = FakeApplicationMaster(rm.address, token)
                await master.register()
                await master.finish()
                await master.close()

    asyncio.run(scene())


def test_an_am_against_a_fake_rm_runs_in_virtual_time_too(virtual_cluster: object) -> None:
    virtual_cluster.submit(retrying).succeeds()  # type: ignore[attr-defined]
