"""Accidents that are recognized by what Hadoop says when it breaks."""

from __future__ import annotations

import pytest

from tests.hadoop.accidents import AMBIGUOUS, LISTED, UNLISTED, Accidents, EndedByAccidentError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import ReplaceLabelsOnNodeRequest
from yarnbox.yarn.records.node import NodeIdToLabels

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


def test_another_exception_is_no_accident() -> None:
    Accidents().in_preemption("preempt: NullPointerException: null", ("root", "a", "x", "b", "x"))


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
