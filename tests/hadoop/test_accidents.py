"""Accidents that are recognized by what Hadoop says when it breaks."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from tests.hadoop.accidents import (
    AMBIGUOUS,
    BEYOND,
    CROSSED,
    HALF,
    LISTED,
    MIXED,
    NAMELESS,
    OMITTED,
    PROMOTED,
    RELISTED,
    STUCK,
    UNLISTED,
    UNTOLD,
    Accidents,
    EndedByAccidentError,
)
from yarnbox.yarn.enums import ContainerUpdateType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.admin import ReplaceLabelsOnNodeRequest
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    UpdateContainerRequest,
    UpdatedContainer,
)
from yarnbox.yarn.records.node import NodeIdToLabels
from yarnbox.yarn.resources.resource import Resource

LOST = "preempt: YarnRuntimeException: cannot find TempQueuePerPartition for queueName="
NOWHERE = (
    'preempt: NullPointerException: Cannot invoke "org.apache.hadoop.CSQueue.getQueuePath()" because the '
    'return value of "org.apache.hadoop.CapacityScheduler.getQueue(String)" is null'
)


@pytest.mark.parametrize("crash", [LOST + "x", NOWHERE])
def test_preemption_breaks_at_a_leaf_whose_name_is_not_its_own(crash: str) -> None:
    with pytest.raises(EndedByAccidentError, match=AMBIGUOUS):
        Accidents().in_preemption(crash, ("root", "a", "x", "b", "x"))


@pytest.mark.parametrize("crash", [LOST + "x", NOWHERE, LOST + "b"])
def test_where_names_are_their_own_it_is_no_accident(crash: str) -> None:
    Accidents().in_preemption(crash, ("root", "a", "x", "b"))


def test_preemption_breaks_at_a_container_without_a_queue() -> None:
    with pytest.raises(EndedByAccidentError, match=NAMELESS):
        Accidents().in_preemption(LOST + "null", ("root", "a", "b"))


def test_another_exception_is_no_accident() -> None:
    Accidents().in_preemption("preempt: NullPointerException: null", ("root", "a", "x", "b", "x"))


@pytest.mark.parametrize(
    ("message", "increased", "is_known"),
    [('because "rhs" is null', 3, True), ('because "rhs" is null', 4, False), ('"queue" is null', 3, False)],
)
def test_a_decrease_breaks_the_call_that_takes_an_increase_of_the_same_container(
    message: str, increased: int, is_known: bool
) -> None:
    attempt = ApplicationAttemptId(ApplicationId(0, 1), 1)
    wanted = UpdateContainerRequest(
        container_version=0,
        container_id=ContainerId(attempt, 3),
        update_type=ContainerUpdateType.DECREASE_RESOURCE,
        capability=Resource(1024, 1),
    )
    taken = UpdatedContainer(
        update_type=ContainerUpdateType.INCREASE_RESOURCE,
        container=Container(id=ContainerId(attempt, increased), node_id=NodeId("n1", 1234)),
    )
    request = AllocateRequest(update_requests=(wanted,))
    with pytest.raises(EndedByAccidentError, match=CROSSED) if is_known else nullcontext():
        Accidents().in_defect(message, request, AllocateResponse(updated_containers=(taken,)))


@pytest.mark.parametrize(
    ("reason", "kind", "vcores", "is_known"),
    [
        ("RESOURCE_OUTSIDE_ALLOWED_RANGE", ContainerUpdateType.DECREASE_RESOURCE, 2, True),
        ("RESOURCE_OUTSIDE_ALLOWED_RANGE", ContainerUpdateType.DECREASE_RESOURCE, 1, False),
        ("RESOURCE_OUTSIDE_ALLOWED_RANGE", ContainerUpdateType.INCREASE_RESOURCE, 2, False),
        ("UPDATE_OUTSTANDING_ERROR", ContainerUpdateType.DECREASE_RESOURCE, 2, False),
    ],
)
def test_a_decrease_to_more_of_a_type_is_done_beyond_all_limits_in_hadoop(
    reason: str, kind: ContainerUpdateType, vcores: int, is_known: bool
) -> None:
    accidents = Accidents()
    live = [{"id": "container_0_0001_01_000003", "used": {"memory-mb": 2048, "vcores": 1}}]
    accidents.note_seen({"nodes": {}, "apps": {"a1": {"attempt": {"live": live}}}})
    wanted = {
        "container_id": {"app_attempt_id": {"application_id": {"id": 1}, "attemptId": 1}, "id": 3},
        "update_type": kind.value,
        "capability": {"memory-mb": 1024, "vcores": vcores},
    }
    refused = [{"reason": reason, "update_request": wanted}]
    with pytest.raises(EndedByAccidentError, match=BEYOND) if is_known else nullcontext():
        assert not accidents.in_answer("allocate.update_errors", refused, None, "")


def _with_update(kind: ContainerUpdateType, number: int) -> AllocateResponse:
    container_id = ContainerId(ApplicationAttemptId(ApplicationId(0, 1), 1), number)
    return AllocateResponse(
        updated_containers=(UpdatedContainer(update_type=kind, container=Container(id=container_id)),)
    )


def test_a_demoted_container_that_is_to_grow_is_promoted_in_hadoop() -> None:
    grown, promoted = ContainerUpdateType.INCREASE_RESOURCE, ContainerUpdateType.PROMOTE_EXECUTION_TYPE
    accidents = Accidents()
    with pytest.raises(EndedByAccidentError, match=PROMOTED):
        accidents.in_updates(_with_update(grown, 3), _with_update(promoted, 3))
    accidents.in_updates(_with_update(grown, 3), _with_update(promoted, 4))
    accidents.in_updates(_with_update(promoted, 3), _with_update(grown, 3))


def test_an_attempt_of_a_queue_that_may_have_nothing_waits_for_ever_in_hadoop() -> None:
    accidents, path = Accidents(), ".apps.application_0_0001.attempt-state"
    wanted = {"queue": "root.a", "attempt": {"demand": {"memory-mb": 1024, "vcores": 1}}}

    def note(most: dict[str, int]) -> None:
        accidents.note_seen(
            {
                "nodes": {},
                "apps": {"application_0_0001": wanted},
                "queues": {"root.a": {"max-share": most}},
            }
        )

    note({"memory-mb": 4096, "vcores": 4})
    assert not accidents.in_books(path, "SCHEDULED", "SUBMITTED", ())
    note({"memory-mb": 4096})
    assert not accidents.in_books(path, "ALLOCATED", "SUBMITTED", ())
    with pytest.raises(EndedByAccidentError, match=STUCK):
        accidents.in_books(path, "SCHEDULED", "SUBMITTED", ())


def test_what_a_container_gives_back_is_told_as_used_in_the_answer_that_tells_of_it() -> None:
    accidents, path = Accidents(), "allocate.updated_nodes[0].used"
    assert not accidents.in_answer(path, None, {"memory-mb": 2048}, "")
    accidents.note_changes([ContainerId(ApplicationAttemptId(ApplicationId(0, 1), 1), 3)], 0)
    assert accidents.in_answer(path, None, {"memory-mb": 2048}, "")
    assert accidents.in_answer(f"{path}.memory-mb", 1024, 2048, "")
    assert not accidents.in_answer(f"{path}.memory-mb", 2048, 1024, "")


def test_multi_node_placement_lists_a_node_that_lost_its_label_in_its_old_partition_alone() -> None:
    accidents = Accidents()
    accidents.note_queues({"yarn.scheduler.capacity.multi-node-placement-enabled": "true"})
    node = NodeIdToLabels(node_id=NodeId("n1", 1234), node_labels=())
    accidents.note_labels(ReplaceLabelsOnNodeRequest(node_to_labels=(node,)))
    with pytest.raises(EndedByAccidentError, match=LISTED):
        accidents.in_books(".nodes.n1:1234.containers", ["c1"], ["c1", "c2"], ())
    with pytest.raises(EndedByAccidentError, match=UNLISTED):
        accidents.in_books(".nodes.n1:1234.containers", ["c1", "c2"], ["c1"], ())
    assert not accidents.in_books(".nodes.n2:1234.containers", ["c1"], ["c1", "c2"], ())
    assert not accidents.in_books(".nodes.n1:1234.containers", ["c1"], ["c2"], ())


def test_what_began_and_ended_in_one_turn_may_have_been_where_multi_node_placement_lists_a_node() -> None:
    accidents, path = Accidents(), "nodeHeartbeat.containers_to_be_removed_from_nm"
    first, second = (
        {"app_attempt_id": {"application_id": {"id": 1}, "attemptId": 1}, "id": n} for n in (1, 2)
    )
    accidents.note_seen(
        {"nodes": {"n2": {"state": "RUNNING", "containers": ["container_0_0001_01_000001"]}}, "apps": {}}
    )
    assert not accidents.in_answer(path, [first], [first, second], "n2:1234")
    accidents.note_queues({"yarn.scheduler.capacity.multi-node-placement-enabled": "true"})
    node = NodeIdToLabels(node_id=NodeId("n1", 1234), node_labels=())
    accidents.note_labels(ReplaceLabelsOnNodeRequest(node_to_labels=(node,)))
    assert not accidents.in_answer(path, [second], [first, second], "n2:1234")
    for ours, hadoop in (([first], [first, second]), ([first, second], [first])):
        with pytest.raises(EndedByAccidentError, match=UNLISTED):
            accidents.in_answer(path, ours, hadoop, "n2:1234")


def test_a_priority_of_the_submission_is_not_stored_when_it_is_set_again() -> None:
    accidents, path = Accidents(), ".apps.application_0_0001.priority"
    accidents.note_restart()
    assert not accidents.in_books(path, 0, 1, ())
    accidents.note_priority("application_0_0001")
    with pytest.raises(EndedByAccidentError):
        accidents.in_books(path, 0, 1, ())


def test_queues_of_a_refused_refresh_cannot_be_deleted_by_a_later_one() -> None:
    accidents = Accidents()
    refusal = "root.n cannot be deleted from the capacity scheduler configuration"
    accidents.in_refusal(None, refusal)
    accidents.note_refused_refresh("the maximum allocation size can not be decreased!", "")
    accidents.in_refusal(None, "another")
    with pytest.raises(EndedByAccidentError, match=HALF):
        accidents.in_refusal(None, refusal)


def test_percentages_before_an_amount_are_not_seen_in_hadoop() -> None:
    mixed = (
        "Failed to re-init queues : Parent queue 'root.a' have children queue used mixed of weight mode, "
        "percentage and absolute mode, it is not allowed, please double check, details:{Queue=root.a.x, "
        "label= uses %s mode}."
    )
    Accidents().in_refusal(mixed % "weight", None)
    with pytest.raises(EndedByAccidentError, match=MIXED):
        Accidents().in_refusal(mixed % "absolute", None)


def test_a_queue_that_a_refresh_omits_leaves_at_once_in_hadoop() -> None:
    accidents = Accidents()
    left, path = {"state": "DRAINING", "apps": 1}, ".queues.root.b"
    with pytest.raises(EndedByAccidentError, match=OMITTED):
        accidents.in_books(path, left, None, ("refreshQueues",))
    assert not accidents.in_books(path, left, None, ("nodeHeartbeat",))
    assert not accidents.in_books(path, {**left, "apps": 0}, None, ("refreshQueues",))
    assert not accidents.in_books(path, {**left, "state": "RUNNING"}, None, ("refreshQueues",))
    assert not accidents.in_books(path, None, left, ("refreshQueues",))


def test_a_container_of_an_earlier_attempt_is_listed_once_more_when_it_changes_its_size() -> None:
    accidents = Accidents()
    kept = ContainerId(ApplicationAttemptId(ApplicationId(0, 1), 1), 3)
    attempt = {"application_id": {"id": 1}, "attemptId": 1}
    listed = [{"id": {"app_attempt_id": attempt, "id": 3}}]
    path = "allocate.containers_from_previous_attempts"
    assert not accidents.in_answer(path, None, listed, "")
    accidents.note_changes((kept,), 0)
    assert accidents.in_answer(path, None, listed, "")
    assert accidents.stepped_over == {RELISTED: 1}


@pytest.mark.parametrize(
    ("path", "ours", "hadoop", "is_known"),
    [
        ("allocate.limit.memory-mb", 512, 1536, True),
        ("allocate.limit.memory-mb", 512, 1024, False),
        ("allocate.limit", None, {"memory-mb": 1024, "vcores": 1}, True),
        ("allocate.limit", None, {"memory-mb": 700}, True),  # ours is cut off at 0
        ("allocate.limit", None, {"memory-mb": 1024, "vcores": 2}, False),
        ("allocate.limit", {"memory-mb": 512}, {"memory-mb": 1024, "vcores": 1}, False),
    ],
)
def test_what_fifo_deducts_twice_is_left_in_its_headroom(
    path: str, ours: object, hadoop: object, is_known: bool
) -> None:
    accidents = Accidents()
    assert not accidents.in_answer(path, ours, hadoop, "")
    accidents.note_deducted(Resource(1024, 1))
    assert accidents.in_answer(path, ours, hadoop, "") is is_known


def test_after_a_restart_a_parent_drains_on_when_its_last_application_has_ended() -> None:
    accidents, path = Accidents(), ".queues.root.a.state"
    assert not accidents.in_books(path, "STOPPED", "DRAINING", ())
    accidents.note_restart()
    assert accidents.in_books(path, "STOPPED", "DRAINING", ())
    assert not accidents.in_books(path, "DRAINING", "STOPPED", ())
    assert accidents.in_books(path, "DRAINING", "STOPPED", ("refreshQueues",))


def test_queues_of_the_fair_scheduler_do_not_tell_what_is_reserved_of_further_types() -> None:
    accidents = Accidents()
    assert accidents.in_books(".queues.root.a.reserved.yarn.io/gpu", 1, None, ())
    assert list(accidents.stepped_over) == [UNTOLD]
    for path in (".queues.root.a.reserved.vcores", ".queues.root.a.labels.x.reserved.yarn.io/gpu"):
        assert not accidents.in_books(path, 1, None, ())


def test_a_refusal_that_says_why_hadoop_cannot_go_back() -> None:
    accidents, path = Accidents(), ".queues.root.a.state"
    accidents.note_refused_refresh("the sum of weights", "the sum of weights")
    assert not accidents.in_books(path, "RUNNING", "STOPPED", ())
    kept = "root.m cannot be deleted from the capacity scheduler configuration"
    accidents.note_refused_refresh("Can not convert the leaf queue", kept)
    with pytest.raises(EndedByAccidentError, match=HALF):
        accidents.in_books(path, "RUNNING", "STOPPED", ())
