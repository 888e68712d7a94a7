"""OPPORTUNISTIC containers: given at once, on the least loaded nodes, at nobody's expense."""

from __future__ import annotations

import pytest

from tests.rig import PORT, Rig, ask
from yarnbox.rm.container import RMContainer
from yarnbox.yarn.enums import ExecutionType, NodeState
from yarnbox.yarn.errors import InvalidResourceRequestError
from yarnbox.yarn.frozen import replace
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import ExecutionTypeRequest, ResourceRequest
from yarnbox.yarn.records.tracker import ContainerQueuingLimit, OpportunisticContainersStatus
from yarnbox.yarn.resources.resource import Resource

QUEUING = "yarn.resourcemanager.nm-container-queuing."
NODES_USED = "yarn.resourcemanager.opportunistic-container-allocation.nodes-used"
MOST = "yarn.resourcemanager.opportunistic.max.container-allocation.per.am.heartbeat"
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


def report(rig: Rig, name: str, *, capacity: int = 10, length: int = 0, wait_ms: int = -1) -> None:
    """A node says that much of its queue with a heartbeat; it is there first, if it was not."""
    if name not in rig.nodes:
        rig.add_node(name)
    rig.nodes[name].queue = OpportunisticContainersStatus(
        wait_queue_length=length, estimated_queue_wait_time=wait_ms, opport_queue_capacity=capacity
    )
    rig.heartbeat(name)


def rank(rig: Rig) -> None:
    """An interval ends."""
    rig.advance(1_000)


def hosts(answer: AllocateResponse) -> list[str | None]:
    """The nodes of the containers that were given."""
    return [one.node_id and one.node_id.host for one in answer.allocated_containers]


def test_they_are_given_by_the_very_call_that_asks() -> None:
    rig = Rig(ON)
    for name in ("n2", "n1"):
        report(rig, name)
        rank(rig)
    application_id = running(rig)
    answer = rig.allocate(application_id, opportunistic(3), ask())
    given = answer.allocated_containers
    assert [one.execution_type for one in given] == [ExecutionType.OPPORTUNISTIC] * 3
    assert hosts(answer) == ["n1", "n2", "n1"], "the one first that was heard of last"
    assert [one.state.name for one in live(rig, application_id)] == ["ACQUIRED"] * 3
    attempt = rig.context.scheduler.applications[application_id].attempt
    assert attempt is not None
    assert attempt.usage.used() == Resource(0, 0)
    assert attempt.asks.pending() == Resource(1024, 1)
    rig.heartbeat("n1", "n2")
    assert not [one for one in rig.allocate(application_id).allocated_containers if one in given]


def test_the_shortest_queues_come_first_and_places_are_honoured() -> None:
    rig = Rig({**ON, NODES_USED: "2"})
    for name, length in (("n1", 9), ("n2", 1), ("n3", 0)):
        report(rig, name, length=length)
    rank(rig)
    application_id = running(rig)
    answer = rig.allocate(application_id, opportunistic(1, "n1"), opportunistic(4))
    assert hosts(answer) == ["n1", "n3", "n2", "n3"]


def test_a_full_queue_gets_nothing_until_its_node_reports_a_shorter_one() -> None:
    rig = Rig(ON)
    report(rig, "n1", capacity=2)
    rank(rig)
    application_id = running(rig)
    assert hosts(rig.allocate(application_id, opportunistic(3))) == ["n1", "n1"]
    rank(rig)
    assert hosts(rig.allocate(application_id)) == []
    report(rig, "n1", length=1, capacity=9)
    rank(rig)
    assert hosts(rig.allocate(application_id, opportunistic(5))) == ["n1"], "the first capacity counts"


def test_by_wait_no_queue_is_full_but_the_wait_must_be_known() -> None:
    rig = Rig({**ON, f"{QUEUING}load-comparator": "QUEUE_WAIT_TIME"})
    report(rig, "n1", capacity=0, wait_ms=50)
    report(rig, "n2", capacity=9)
    report(rig, "n3", capacity=0, wait_ms=20)
    rank(rig)
    assert hosts(rig.allocate(running(rig), opportunistic(3))) == ["n3", "n1", "n3"]


def test_by_resources_room_is_used_before_the_queue() -> None:
    rig = Rig({**ON, f"{QUEUING}load-comparator": "QUEUE_LENGTH_THEN_RESOURCES"})
    rig.add_node("n1", memory_mb=2048)
    rig.add_node("n2", memory_mb=4096)
    for name in ("n1", "n2"):
        report(rig, name, capacity=1)
    rank(rig)
    application_id = running(rig)
    answer = rig.allocate(application_id, opportunistic(9))
    # Two at n1 and four at n2 by their memory, and one in the queue of each; n2 has more of the cluster.
    assert hosts(answer) == ["n2", "n1", "n2", "n1", "n2", "n1", "n2", "n2"]
    rig.heartbeat("n2", "n2")
    rank(rig)
    assert hosts(rig.allocate(application_id)) == ["n2"], "its queue is empty, by what it reported"


def test_a_rack_is_searched_in_the_order_of_registration() -> None:
    rig = Rig(ON)
    for name in ("n1", "n2"):
        report(rig, name, capacity=1)
    answer = rig.allocate(running(rig), opportunistic(3, "/default-rack"), opportunistic(3))
    assert hosts(answer) == ["n1", "n2"]


def test_a_blacklisted_host_gets_none_and_racks_do_not_count() -> None:
    rig = Rig(ON)
    for name in ("n1", "n2"):
        report(rig, name)
    rank(rig)
    application_id = running(rig)
    assert (
        hosts(rig.allocate(application_id, opportunistic(2), blacklist=("n2", "/default-rack"))) == ["n1"] * 2
    )


def test_a_draining_node_gets_none() -> None:
    rig = Rig(ON)
    for name in ("n1", "n2"):
        report(rig, name)
    rig.context.nodes[NodeId("n1", PORT)].state = NodeState.DECOMMISSIONING
    rig.context.nodes[NodeId("n1", PORT)].running_apps.add(ApplicationId(0, 7))
    rig.heartbeat("n1")
    rank(rig)
    assert hosts(rig.allocate(running(rig), opportunistic(2))) == ["n2", "n2"]


def test_the_last_key_comes_first() -> None:
    rig = Rig({**ON, MOST: "1"})
    report(rig, "n1")
    rank(rig)
    application_id = running(rig)
    given = [rig.allocate(application_id, opportunistic(1), replace(opportunistic(1), priority=5))]
    given.append(rig.allocate(application_id))
    assert [one.priority for answer in given for one in answer.allocated_containers] == [5, 1]


def test_they_stay_given_where_the_rest_of_the_call_is_refused() -> None:
    rig = Rig(ON)
    report(rig, "n1")
    rank(rig)
    application_id = running(rig)
    with pytest.raises(InvalidResourceRequestError):
        rig.allocate(application_id, opportunistic(1), ask(memory_mb=1 << 30))
    assert len(live(rig, application_id)) == 1


def test_what_no_node_could_take_is_given_later() -> None:
    rig = Rig(ON)
    application_id = running(rig)
    assert not rig.allocate(application_id, opportunistic(1)).allocated_containers
    report(rig, "n1")
    rank(rig)
    assert len(rig.allocate(application_id).allocated_containers) == 1
    assert not rig.allocate(application_id).allocated_containers


@pytest.mark.parametrize("most, wanted", [("2", [2, 2, 1]), ("0", [5, 0, 0])])
def test_a_call_gives_so_many_at_most(most: str, wanted: list[int]) -> None:
    rig = Rig({**ON, MOST: most})
    report(rig, "n1")
    rank(rig)
    application_id = running(rig)
    counts = [len(rig.allocate(application_id, opportunistic(5)).allocated_containers)]
    counts += [len(rig.allocate(application_id).allocated_containers) for _ in range(2)]
    assert counts == wanted


def test_they_run_and_end_like_others() -> None:
    rig = Rig(ON)
    report(rig, "n1")
    rank(rig)
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
    report(rig, "n1")
    rank(rig)
    application_id = running(rig)
    (given,) = rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.heartbeat("n1")
    assert given.id is not None
    rig.nodes["n1"].end(given.id, 0)
    rig.heartbeat("n1")
    counts = [one.total() for one in rig.context.health.queues.by_queue().values()]
    assert [(one.allocated, one.released) for one in counts] == [(0, 0)] * len(counts)


def limit(rig: Rig) -> ContainerQueuingLimit | None:
    """What a node is told when an interval has ended."""
    rank(rig)
    return rig.heartbeat("n0").container_queuing_limit


def test_nodes_are_told_how_long_their_queues_may_be() -> None:
    rig = Rig(ON)
    for number, length in enumerate((2, 11)):
        report(rig, f"n{number}", length=length, capacity=20)
    # The mean is 6, for QueueLimitCalculator counts in whole numbers; the deviation sqrt((16 + 25) / 2), 5.
    assert limit(rig) == ContainerQueuingLimit(max_queue_length=11, max_queue_wait_time_in_ms=-1)


def test_full_queues_do_not_count_for_the_limit() -> None:
    rig = Rig(ON)
    for number, length in enumerate((7, 14)):
        report(rig, f"n{number}", length=length, capacity=14)
    assert limit(rig) == ContainerQueuingLimit(max_queue_length=7, max_queue_wait_time_in_ms=-1)


def test_or_how_long_containers_may_wait_there() -> None:
    rig = Rig({**ON, f"{QUEUING}load-comparator": "QUEUE_WAIT_TIME"})
    for number, wait_ms in enumerate((20, 60)):
        report(rig, f"n{number}", wait_ms=wait_ms)
    assert limit(rig) == ContainerQueuingLimit(max_queue_length=-1, max_queue_wait_time_in_ms=60)


@pytest.mark.parametrize("lengths, allowed", [((0, 0), 5), ((40, 60), 15)])
def test_the_limit_stays_within_its_bounds(lengths: tuple[int, int], allowed: int) -> None:
    rig = Rig(ON)
    for number, length in enumerate(lengths):
        report(rig, f"n{number}", length=length, capacity=99)
    found = limit(rig)
    assert found is not None
    assert found.max_queue_length == allowed


def test_without_the_property_they_are_asked_for_like_all_others() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    assert not rig.allocate(application_id, opportunistic(1)).allocated_containers
    rig.heartbeat("n1")
    (given,) = rig.allocate(application_id).allocated_containers
    assert given.execution_type is ExecutionType.GUARANTEED
