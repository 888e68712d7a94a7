"""The handler `scheduler`: the CapacityScheduler looks at constraints node by node; requests wait."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from tests.rig import ask
from tests.rm.scheduler.constraint.rig import ConstraintRig, again, wants
from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import RMContainerState
from yarnbox.rm.events.node import NodeExpire
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.yarn.enums import (
    AttributeMappingOperationType,
    ExecutionType,
    PlacementTargetType,
    RejectionReason,
)
from yarnbox.yarn.errors import SchedulerInvalidResourceRequestError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import NodeAttribute, NodeAttributeKey
from yarnbox.yarn.records.request import (
    ExecutionTypeRequest,
    PlacementConstraint,
    PlacementConstraintTarget,
    SchedulingRequest,
    SimplePlacementConstraint,
)
from yarnbox.yarn.resources.resource import Resource

SCHEDULER = "scheduler"
APART = "NOTIN,NODE,zk"


def lose(rig: ConstraintRig, name: str) -> None:
    """Nobody has heard of the node for too long."""
    rig.turn(lambda: rig.context.post(NodeExpire(node_id=rig.nodes[name].node_id)))


def waiting(rig: ConstraintRig, application_id: ApplicationId) -> int:
    attempt = rig.context.scheduler.attempt(rig.attempt(application_id).attempt_id)
    assert attempt is not None
    return sum(key_asks.outstanding for key_asks in attempt.asks.all_keys())


def test_anti_affinity_puts_one_on_each_node_and_the_rest_waits() -> None:
    rig = ConstraintRig(SCHEDULER)
    app = rig.start()
    rig.ask(app, wants("zk", 4, APART))
    rig.exchange(app, 6)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    assert waiting(rig, app) == 1
    rig.add_node("n4")
    rig.heartbeat("n4")
    assert rig.where(app)["n4"] == 1
    assert waiting(rig, app) == 0


def test_the_containers_bear_their_tags() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    rig.ask(app, wants("zk", 1, APART))
    (answer,) = rig.exchange(app)
    (container,) = answer.allocated_containers
    assert container.allocation_tags == ("zk",)
    assert container.allocation_request_id == 0


def test_a_registered_constraint_counts_for_its_tag() -> None:
    rig = ConstraintRig(SCHEDULER)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk", 5), wants("web", 2, number=1))
    rig.exchange(app, 4)
    zk = [one.node.host for one in rig.live(app) if one.allocation_tags == ("zk",)]
    assert sorted(zk) == ["n1", "n2", "n3"]
    assert len(rig.live(app)) == 5  # web has no constraint


def test_both_the_requests_and_the_registered_constraint_hold() -> None:
    rig = ConstraintRig(SCHEDULER, 4)
    app = rig.start({"zk": "CARDINALITY,RACK,zk,0,0"})
    rig.ask(app, wants("zk", 4, APART))
    rig.exchange(app, 4)
    assert rig.where(app) == {"n1": 1, "n2": 1}  # a node of each rack


def test_affinity_and_cardinality_wait_for_what_they_need() -> None:
    rig = ConstraintRig(SCHEDULER)
    app = rig.start()
    rig.ask(app, wants("web", 4, "CARDINALITY,NODE,db,1,1", number=1))
    rig.exchange(app, 2)
    assert rig.where(app) == {}
    rig.ask(app, wants("db", 1, number=2))
    rig.heartbeat("n2")
    rig.exchange(app, 4)
    assert rig.where(app) == {"n2": 5}


def test_a_tag_counts_until_the_node_says_that_the_container_ended() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    rig.ask(app, wants("zk", 2, APART))
    rig.exchange(app, 2)
    (first,) = rig.live(app)
    assert first.state is RMContainerState.RUNNING
    rig.allocate(app, release=(first.container_id,))
    assert rig.live(app) == []
    rig.heartbeat("n1")  # the node is told, and stops it
    assert rig.live(app) == []
    rig.heartbeat("n1")  # and now says so
    assert len(rig.live(app)) == 1


def test_a_lost_node_takes_its_tags_along() -> None:
    rig = ConstraintRig(SCHEDULER, 2)
    app = rig.start({"zk": "NOTIN,RACK,zk"})
    rig.ask(app, wants("zk", 2))
    rig.exchange(app)
    assert rig.where(app) == {"n1": 1, "n2": 1}
    lose(rig, "n1")
    assert rig.where(app) == {"n2": 1}
    assert not rig.context.constraints.tags.on_node(rig.nodes["n1"].node_id)
    rig.racks["n3"] = "/r1"
    rig.add_node("n3")
    rig.ask(app, wants("zk", 1, number=1))
    rig.heartbeat("n3")
    assert rig.where(app) == {"n2": 1, "n3": 1}


def test_a_container_that_ends_before_its_am_heard_of_it_gives_nothing_back() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    request = wants("zk", 1, APART)
    rig.ask(app, request)
    rig.heartbeat("n1")
    assert waiting(rig, app) == 0
    lose(rig, "n1")
    assert waiting(rig, app) == 0
    assert rig.live(app) == []


def test_attributes() -> None:
    rig = ConstraintRig(SCHEDULER)
    key = NodeAttributeKey(attribute_name="java")
    for host, value in (("n1", "1.8"), ("n2", "11")):
        one = NodeAttribute(attribute_key=key, attribute_value=value)
        rig.context.attributes.change(AttributeMappingOperationType.ADD, {host: [one]})
    app = rig.start()
    rig.ask(app, wants("a", 1, "java=11"), wants("b", 2, "AND(java!=11:NOTIN,NODE,b)", number=1))
    rig.exchange(app, 3)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}


# Updates


def test_an_update_changes_the_number_and_nothing_else() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    request = wants("zk", 2, "CARDINALITY,NODE,zk,0,9")
    rig.ask(app, request)
    rig.ask(app, again(request, 3))
    assert waiting(rig, app) == 3
    with pytest.raises(SchedulerInvalidResourceRequestError, match="only allows changing numAllocations"):
        rig.ask(app, wants("zk", 3, APART))
    with pytest.raises(SchedulerInvalidResourceRequestError, match="only allows changing numAllocations"):
        rig.ask(app, wants("zk", 3, "CARDINALITY,NODE,zk,0,9", memory_mb=2048))
    with pytest.raises(SchedulerInvalidResourceRequestError, match="must be >= 0"):
        rig.ask(app, again(request, -1))
    rig.exchange(app, 4)
    assert rig.where(app) == {"n1": 3}
    with pytest.raises(SchedulerInvalidResourceRequestError):
        rig.ask(app, wants("other", 1))  # the key stays bound to its request
    rig.ask(app, again(request, 1))
    rig.exchange(app, 2)
    assert rig.where(app) == {"n1": 4}


def test_a_cancelled_key_is_free() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    request = wants("zk", 2, APART)
    rig.ask(app, request)
    rig.ask(app, again(request, 0))
    assert waiting(rig, app) == 0
    rig.ask(app, wants("other", 1))
    assert waiting(rig, app) == 1


def test_tags_and_targets_are_sets() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    both = PlacementConstraintTarget(
        target_type=PlacementTargetType.ALLOCATION_TAG, target_key="self", target_values=("a", "b")
    )
    turned = replace(both, target_values=("b", "a"))

    def of(target: PlacementConstraintTarget, tags: tuple[str, ...], count: int) -> SchedulingRequest:
        simple = SimplePlacementConstraint(
            scope="node", target_expressions=(target,), min_cardinality=0, max_cardinality=3
        )
        request = again(wants("a"), count)
        return replace(
            request,
            allocation_tags=tags,
            placement_constraint=PlacementConstraint(simple_constraint=simple),
        )

    rig.ask(app, of(both, ("x", "y"), 1))
    rig.ask(app, of(turned, ("y", "x"), 2))
    assert waiting(rig, app) == 2


def test_a_key_is_for_one_kind_of_request() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    rig.ask(app, wants("zk", 1, APART, number=-1))
    with pytest.raises(SchedulerInvalidResourceRequestError, match="please send ResourceRequest with"):
        rig.allocate(app, ask(priority=1))
    rig.allocate(app, ask(priority=2))
    with pytest.raises(SchedulerInvalidResourceRequestError, match="please send SchedulingRequest with"):
        rig.ask(app, wants("zk", 1, APART, number=-1, priority=2))


def test_what_a_new_request_must_have() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    with pytest.raises(SchedulerInvalidResourceRequestError, match="No ResourceSizing found"):
        rig.ask(app, SchedulingRequest(priority=1))
    opportunistic = ExecutionTypeRequest(execution_type=ExecutionType.OPPORTUNISTIC)
    with pytest.raises(SchedulerInvalidResourceRequestError, match="Only GUARANTEED"):
        rig.ask(app, replace(wants("zk"), execution_type=opportunistic))
    partitions = PlacementConstraintTarget(
        target_type=PlacementTargetType.NODE_ATTRIBUTE,
        target_key="yarn_node_partition/",
        target_values=("x", "y"),
    )
    simple = SimplePlacementConstraint(scope="node", target_expressions=(partitions,))
    two = replace(wants("zk"), placement_constraint=PlacementConstraint(simple_constraint=simple))
    with pytest.raises(SchedulerInvalidResourceRequestError, match="at most one node partition"):
        rig.ask(app, two)


def test_a_size_is_normalized_and_cut() -> None:
    rig = ConstraintRig(SCHEDULER, 1, memory_mb=9216)
    app = rig.start()
    rig.ask(app, wants("a", memory_mb=100), wants("b", memory_mb=99_999, number=1))
    rig.exchange(app, 3)
    assert sorted(one.resource.memory_mb for one in rig.live(app)) == [1024, 8192]


def test_scheduling_requests_beside_resource_requests_are_passed_over() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    rig.allocate(app, ask(priority=5), scheduling=(wants("zk"),))
    assert waiting(rig, app) == 1


# Refusals


def test_a_constraint_that_cannot_be_looked_up_is_rejected_after_some_looks() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    request = wants("zk", 2, "NOTIN,NODE,app-id/zk")
    rig.ask(app, request)
    before, _, after = rig.exchange(app, 3)
    assert before.rejected_scheduling_requests == ()
    (rejected,) = after.rejected_scheduling_requests
    assert rejected.reason is RejectionReason.COULD_NOT_SCHEDULE_ON_NODE
    assert rejected.request == request
    assert rig.allocate(app).rejected_scheduling_requests == (rejected,)  # until it is cancelled
    assert rig.ask(app, again(request, 0)).rejected_scheduling_requests == ()


def test_after_so_many_looks_nobody_looks_again() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    app = rig.start()
    rig.ask(app, wants("zk", 1, "OR(IN,NODE,db:IN,NODE,app-id/zk)"))
    rig.exchange(app, 3)
    rig.ask(app, wants("db", 1, number=1))
    rig.exchange(app, 3)  # now the first half would hold
    assert [one.allocation_tags for one in rig.live(app)] == [("db",)]


@pytest.mark.parametrize("scheduler", ["fifo", "fair"])
def test_other_schedulers_refuse(scheduler: str) -> None:
    rig = ConstraintRig(SCHEDULER, 1, scheduler=scheduler)
    app = rig.start({"zk": APART})  # this much they take
    with pytest.raises(YarnError, match="cannot handle placement constraints, rejecting this allocate"):
        rig.ask(app, wants("zk"))


def test_disabled_refuses_both() -> None:
    rig = ConstraintRig("disabled", 1)
    app = rig.start()
    with pytest.raises(YarnError, match=r"Found non empty SchedulingRequest .* Rejecting this allocate"):
        rig.ask(app, wants("zk"))
    with pytest.raises(YarnError, match="Found non empty placement constraints map"):
        rig.start({"zk": APART})


# Reservations, reasons


def test_a_reserved_node_is_given_only_if_the_constraint_still_holds() -> None:
    rig = ConstraintRig(SCHEDULER, 2, memory_mb=4096)
    busy = rig.start()
    rig.ask(busy, wants("web", 1, memory_mb=3072))
    rig.heartbeat("n1")
    rig.allocate(busy)
    rig.heartbeat("n1")
    late = rig.start()
    request = wants("db", 1, "NOTIN,NODE,all/zk", memory_mb=2048)
    rig.allocate(late, blacklist=("n2",), scheduling=(request,))
    rig.heartbeat("n1")
    scheduler = cast(CapacityScheduler, rig.context.scheduler)
    node = scheduler.tracker.nodes[rig.nodes["n1"].node_id]
    assert node.reserved_container is not None
    # The placement processor would let a zk come between; here it is let in by hand.
    attempt = scheduler.attempt(rig.attempt(busy).attempt_id)
    assert attempt is not None
    zk = rig.turn(
        lambda: attempt.allocate_directly(
            attempt.new_container_id(), node, RequestKey(1), Resource(1024, 1), ("zk",)
        )
    )
    (web,) = [one for one in rig.live(busy) if one is not zk]
    assert rig.node(node.node_id).end(web.container_id, 0)
    rig.heartbeat("n1")
    rig.heartbeat("n1")
    assert rig.where(late) == {}
    assert node.reserved_container is not None
    rig.allocate(busy, release=(zk.container_id,))
    rig.heartbeat("n1")
    rig.heartbeat("n1")
    assert rig.where(late) == {"n1": 1}


def test_why_it_waits() -> None:
    rig = ConstraintRig(SCHEDULER)
    app = rig.start({"zk": "IN,RACK,hbase"})
    rig.ask(app, wants("zk", 1, "java=11"))
    scheduler = cast(CapacityScheduler, rig.context.scheduler)
    (waiting,) = scheduler.explanations.explain(app)
    (check,) = waiting.failing
    assert check.reason is SkipReason.CONSTRAINT
    assert (check.nodes, check.numbers) == (3, "node,EQ,java=[11]")
    key = NodeAttributeKey(attribute_name="java")
    one = NodeAttribute(attribute_key=key, attribute_value="11")
    rig.context.attributes.change(AttributeMappingOperationType.ADD, {"n2": [one]})
    (waiting,) = scheduler.explanations.explain(app)
    found = {(each.nodes, each.numbers) for each in waiting.failing}
    assert found == {(2, "node,EQ,java=[11]"), (1, "in,rack,hbase")}


def test_activities_tell_which_part_of_the_constraint_is_not_satisfied() -> None:
    rig = ConstraintRig(SCHEDULER, 1)
    application_id = rig.start()
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    scheduler.activities.record_application(application_id, 3_000)
    rig.ask(application_id, wants("zk", 2, "notin,node,zk"), wants("web", 1, "in,node,db", number=1))
    rig.exchange(application_id, 3)
    looks = scheduler.activities.of_application(application_id)
    assert looks is not None
    told = {remark.diagnostic for look in looks for remark in look.remarks if remark.diagnostic}
    start = 'Node does not match partition or placement constraints, unsatisfied PC expression="'
    assert told == {
        f'{start}notin,node,zk", target-type=ALLOCATION_TAG',
        f'{start}in,node,db", target-type=ALLOCATION_TAG',
    }
