"""OPPORTUNISTIC containers: given at once, on the least loaded nodes, at nobody's expense."""

from __future__ import annotations

import pytest

from tests.rig import PORT, Rig, ask
from yarnbox.rm.container import RMContainer
from yarnbox.rm.node import RMNode
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.request import ExecutionTypeRequest, ResourceRequest
from yarnbox.yarn.records.tracker import ContainerQueuingLimit, OpportunisticContainersStatus
from yarnbox.yarn.resources.resource import Resource

QUEUING = "yarn.resourcemanager.nm-container-queuing."
ON = {"yarn.resourcemanager.opportunistic-container-allocation.enabled": "true"}


def opportunistic(count: int, place: str = "*") -> ResourceRequest:
    """A request for such containers."""
    return ResourceRequest(
        priority=1,
        resource_name=place,
        capability=Resource(1024, 1),
        num_containers=count,
        execution_type_request=ExecutionTypeRequest(execution_type=ExecutionType.OPPORTUNISTIC),
    )


def running(rig: Rig) -> ApplicationId:
    """An unmanaged application whose AM has registered."""
    application_id = rig.submit(unmanaged_am=True)
    rig.register(application_id)
    return application_id


def live(rig: Rig, application_id: ApplicationId) -> list[RMContainer]:
    """Its containers."""
    return rig.context.scheduler.live_containers(rig.attempt(application_id).attempt_id)


def node(rig: Rig, name: str) -> RMNode:
    """The RM's node."""
    return rig.context.nodes[NodeId(name, PORT)]


def test_they_are_given_by_the_very_call_that_asks() -> None:
    rig = Rig(ON)
    for name in ("n1", "n2"):
        rig.add_node(name)
    application_id = running(rig)
    answer = rig.allocate(application_id, opportunistic(3), ask())
    given = answer.allocated_containers
    assert [one.execution_type for one in given] == [ExecutionType.OPPORTUNISTIC] * 3
    assert [one.node_id and one.node_id.host for one in given] == ["n1", "n2", "n1"]
    assert [one.state.name for one in live(rig, application_id)] == ["ACQUIRED"] * 3
    attempt = rig.context.scheduler.applications[application_id].attempt
    assert attempt is not None
    assert attempt.usage.used() == Resource(0, 0)
    assert attempt.asks.pending() == Resource(1024, 1)
    rig.heartbeat("n1", "n2")
    assert not [one for one in rig.allocate(application_id).allocated_containers if one in given]


def test_the_shortest_queues_come_first_and_places_are_honoured() -> None:
    rig = Rig({**ON, "yarn.resourcemanager.opportunistic-container-allocation.nodes-used": "2"})
    for name in ("n1", "n2", "n3"):
        rig.add_node(name)
    for name, length in (("n1", 9), ("n2", 1), ("n3", 0)):
        node(rig, name).opportunistic = OpportunisticContainersStatus(wait_queue_length=length)
    application_id = running(rig)
    answer = rig.allocate(application_id, opportunistic(1, "n2"), opportunistic(3))
    hosts = [one.node_id and one.node_id.host for one in answer.allocated_containers]
    assert hosts == ["n2", "n2", "n3"]


def test_what_no_node_could_take_is_given_later() -> None:
    rig = Rig(ON)
    application_id = running(rig)
    assert not rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.add_node("n1")
    rig.advance(1_000)
    assert len(rig.allocate(application_id).allocated_containers) == 1
    assert not rig.allocate(application_id).allocated_containers


def test_a_call_gives_so_many_at_most() -> None:
    rig = Rig({**ON, "yarn.resourcemanager.opportunistic.max.container-allocation.per.am.heartbeat": "2"})
    rig.add_node("n1")
    application_id = running(rig)
    counts = [len(rig.allocate(application_id, opportunistic(5)).allocated_containers)]
    counts += [len(rig.allocate(application_id).allocated_containers) for _ in range(2)]
    assert counts == [2, 2, 1]


def test_they_run_and_end_like_others() -> None:
    rig = Rig(ON)
    rig.add_node("n1")
    application_id = running(rig)
    (given,) = rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.heartbeat("n1")
    assert [one.state.name for one in live(rig, application_id)] == ["RUNNING"]
    rig.nodes["n1"].end(given.id, -108)
    rig.heartbeat("n1")
    (told,) = rig.allocate(application_id).completed_container_statuses
    assert told.exit_status == -108
    assert not live(rig, application_id)


def test_queues_count_neither_their_beginning_nor_their_end() -> None:
    rig = Rig(ON)
    rig.add_node("n1")
    application_id = running(rig)
    (given,) = rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.heartbeat("n1")
    assert given.id is not None
    rig.nodes["n1"].end(given.id, 0)
    rig.heartbeat("n1")
    counts = [one.total() for one in rig.context.health.queues.by_queue().values()]
    assert [(one.allocated, one.released) for one in counts] == [(0, 0)] * len(counts)


def test_nodes_are_told_how_long_their_queues_may_be() -> None:
    rig = Rig(ON)
    for name, length in (("n1", 2), ("n2", 11)):
        rig.add_node(name)
        node(rig, name).opportunistic = OpportunisticContainersStatus(wait_queue_length=length)
    limit = rig.heartbeat("n1").container_queuing_limit
    # The mean is 6, for QueueLimitCalculator counts in whole numbers; the deviation sqrt((16 + 25) / 2), 5.
    assert limit == ContainerQueuingLimit(max_queue_length=11, max_queue_wait_time_in_ms=-1)


def test_or_how_long_containers_may_wait_there() -> None:
    rig = Rig({**ON, f"{QUEUING}load-comparator": "QUEUE_WAIT_TIME"})
    for name, wait_ms in (("n1", 20), ("n2", 60)):
        rig.add_node(name)
        node(rig, name).opportunistic = OpportunisticContainersStatus(estimated_queue_wait_time=wait_ms)
    limit = rig.heartbeat("n1").container_queuing_limit
    assert limit == ContainerQueuingLimit(max_queue_length=-1, max_queue_wait_time_in_ms=60)


@pytest.mark.parametrize("lengths, allowed", [((0, 0), 5), ((40, 60), 15)])
def test_the_limit_stays_within_its_bounds(lengths: tuple[int, int], allowed: int) -> None:
    rig = Rig(ON)
    for number, length in enumerate(lengths):
        rig.add_node(f"n{number}")
        node(rig, f"n{number}").opportunistic = OpportunisticContainersStatus(wait_queue_length=length)
    limit = rig.heartbeat("n1").container_queuing_limit
    assert limit is not None
    assert limit.max_queue_length == allowed


def test_without_the_property_they_are_asked_for_like_all_others() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    assert not rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.heartbeat("n1")
    (given,) = rig.allocate(application_id).allocated_containers
    assert given.execution_type is ExecutionType.GUARANTEED
