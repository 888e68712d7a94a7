"""The order of Java's HashMap, held against what a Java virtual machine printed for Hadoop's ids."""

from __future__ import annotations

from random import Random

from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId, ReservationId
from yarnbox.yarn.runtime.java_order import (
    JavaHeap,
    attempt_hash,
    container_hash,
    hash_order_of_containers,
    in_hash_order,
    node_hash,
    reservation_hash,
    text_hash,
)

ATTEMPT = ApplicationAttemptId(ApplicationId(1700000000123, 7), 2)


def test_hashes_are_javas() -> None:
    assert text_hash("") == 0
    assert text_hash("n1") == 31 * ord("n") + ord("1")
    assert node_hash(NodeId("hé", 1)) == 1036933015
    assert attempt_hash(ATTEMPT) == 3670637127
    assert reservation_hash(ReservationId(1700000000123, 7)) == 751294424
    assert container_hash(ContainerId.build(ATTEMPT, 9, epoch=3)) == 3670661214


def test_thirty_nodes_stand_as_in_a_table_of_sixty_four() -> None:
    nodes = [NodeId(f"n{number}", 1234) for number in range(1, 31)]
    expected = (
        *(3, 12, 8, 17, 26, 24, 29, 30, 6, 21, 22, 5, 15, 18, 10),
        *(27, 20, 11, 13, 9, 2, 16, 25, 19, 28, 1, 7, 4, 14, 23),
    )
    assert [int(node.host[1:]) for node in in_hash_order(nodes, node_hash)] == list(expected)


def test_a_table_that_has_grown_stays_large() -> None:
    left = [ContainerId.build(ATTEMPT, number) for number in range(1, 15) if number not in (3, 4, 5)]
    expected = [6, 7, 2, 1, 14, 12, 13, 10, 11, 8, 9]
    assert [one.sequence for one in in_hash_order(left, container_hash, most=14)] == expected
    assert [one.sequence for one in in_hash_order(left, container_hash)] != expected


def test_containers_of_an_attempt_stand_as_by_their_own_hashes() -> None:
    attempt_id = ApplicationAttemptId(ApplicationId(1_700_000_000_000, 7), 2)
    for count in (1, 12, 13, 500):
        containers = [ContainerId(attempt_id, number << 40 | number) for number in range(count, 0, -1)]
        places = hash_order_of_containers(attempt_id, containers)
        assert [containers[place] for place in places] == in_hash_order(containers, container_hash)


def drained(heap: JavaHeap[int]) -> list[int]:
    return [heap.take() for _ in range(len(heap))]


def test_an_order_is_kept() -> None:
    numbers = Random(1).sample(range(1000), 50)
    heap = JavaHeap[int](lambda one, other: one - other)
    for number in numbers:
        heap.add(number)
    assert drained(heap) == sorted(numbers)


def test_equals_come_out_as_java_moves_them() -> None:
    heap = JavaHeap[int](lambda one, other: 0)
    for number in range(5):
        heap.add(number)
    assert drained(heap) == [0, 4, 3, 2, 1]


def test_of_two_that_are_each_before_the_other_the_last_one_comes_first() -> None:
    heap = JavaHeap[int](lambda one, other: -1)
    for number in range(4):
        heap.add(number)
    assert heap.take() == 3
