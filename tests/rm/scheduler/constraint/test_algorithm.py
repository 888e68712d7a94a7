"""The order in which requests are served, and the way round the nodes."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.constraint.rig import ConstraintRig, wants
from yarnbox.rm.scheduler.constraint.algorithm import (
    POPULAR_TAGS,
    SERIAL,
    Batch,
    DefaultPlacementAlgorithm,
    PlacementResult,
    in_order,
)
from yarnbox.rm.scheduler.constraint.asking import number_of
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.request import SchedulingRequest

APP = ApplicationId(0, 1)


def place(
    *requests: SchedulingRequest,
    nodes: int = 3,
    barred: tuple[str, str] | None = None,
    iterator: str = SERIAL,
) -> tuple[list[list[str]], list[int]]:
    """The nodes of each request placed, and the numbers that were rejected."""
    rig = ConstraintRig("placement-processor", nodes)
    batch = Batch(APP, requests)
    if barred is not None:
        tag, host = barred
        batch.blacklist(wants(tag), rig.nodes[host].node_id)
    algorithm = DefaultPlacementAlgorithm(rig.context.constraints, iterator)
    outcome: PlacementResult = algorithm.place(batch, list(rig.context.scheduler.tracker.nodes.values()))
    assert all(not rig.context.constraints.tags.on_node(one.node_id) for one in rig.nodes.values())
    return [[node.host for node in placed.nodes] for placed in outcome.placed], [
        number_of(request) for request in outcome.rejected
    ]


def test_serial_and_popular_order() -> None:
    requests = [wants("a"), wants("b"), wants("c"), wants("b"), wants("c"), wants("c")]
    assert in_order(requests, SERIAL) == [0, 1, 2, 3, 4, 5]
    assert in_order(requests, POPULAR_TAGS) == [2, 4, 5, 1, 3, 0]


def test_a_request_visits_each_node_once_in_a_pass_and_there_are_two() -> None:
    assert place(wants("a", 2)) == ([["n1", "n2"]], [])
    # The second pass starts anew.
    assert place(wants("a", 5)) == ([["n1", "n2", "n3"], ["n1", "n2"]], [])
    assert place(wants("a", 7)) == ([["n1", "n2", "n3"], ["n1", "n2", "n3"]], [1])


def test_the_next_request_tries_the_last_node_first_and_goes_on_behind_it() -> None:
    # After n1 somebody has looked ahead to n2: the third request begins with n1, again the last one.
    placed, _ = place(wants("a"), wants("b"), wants("c"), nodes=4)
    assert placed == [["n1"], ["n1"], ["n1"]]
    apart = [wants("a", 1, "NOTIN,NODE,a") for _ in range(4)]
    placed, rejected = place(*apart, nodes=4)
    assert sorted(host for hosts in placed for host in hosts) == ["n1", "n2", "n3", "n4"]
    assert placed[:2] == [["n1"], ["n3"]]
    assert rejected == []


def test_a_later_placement_may_break_an_earlier_one() -> None:
    # b follows a to n1, and a finds another node in the second pass.
    assert place(wants("a", 1, "NOTIN,NODE,b"), wants("b"), nodes=2) == ([["n1"], ["n2"]], [])
    # When b is there only because of a, both go.
    assert place(wants("a", 1, "NOTIN,NODE,b"), wants("b", 1, "IN,NODE,a"), nodes=2) == ([], [1, 1])


def test_a_request_may_wait_for_a_later_one_of_the_batch() -> None:
    placed, rejected = place(wants("a", 2, "IN,NODE,b"), wants("b"), nodes=2)
    assert (placed, rejected) == ([["n1"], ["n1"]], [1])


def test_affinity_to_itself_needs_somebody_to_begin() -> None:
    assert place(wants("a", 3, "IN,NODE,a")) == ([], [3])


def test_barred_nodes_are_barred_in_the_first_pass_alone() -> None:
    assert place(wants("a", 3), barred=("a", "n1")) == ([["n2", "n3"], ["n1"]], [])


def test_a_node_never_fills_within_a_batch() -> None:
    # As Hadoop counts: see DefaultPlacementAlgorithm.doPlacement.
    assert place(wants("a", 2, memory_mb=8192), nodes=1) == ([["n1"], ["n1"]], [])
    rig = ConstraintRig("placement-processor", 1, memory_mb=2048)
    algorithm = DefaultPlacementAlgorithm(rig.context.constraints, SERIAL)
    nodes = list(rig.context.scheduler.tracker.nodes.values())
    assert algorithm.place(Batch(APP, [wants("a", 1, memory_mb=4096)]), nodes).placed == []


def test_without_nodes_all_is_rejected() -> None:
    assert place(wants("a", 2), wants("b"), nodes=0) == ([], [2, 1])


@pytest.mark.parametrize(("iterator", "left"), [(SERIAL, [7, 1, 4]), (POPULAR_TAGS, [5, 1, 6])])
def test_what_is_rejected_keeps_the_order_of_the_batch(iterator: str, left: list[int]) -> None:
    # Whoever is not first visits the node twice in a pass: as the last one that did, and on its round.
    requests = [wants("a", 9), wants("b", 1, "IN,NODE,x"), wants("b", 8)]
    assert place(*requests, nodes=1, iterator=iterator)[1] == left
