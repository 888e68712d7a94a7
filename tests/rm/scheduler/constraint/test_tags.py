"""Counting tags by node, rack and application."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.constraint.namespaces import parse_namespace
from yarnbox.rm.scheduler.constraint.tags import AllocationTags, Counts, extremes
from yarnbox.yarn.ids import ApplicationId, NodeId

A, B, C = (ApplicationId(0, number) for number in (1, 2, 3))
N1, N2 = NodeId("n1", 1), NodeId("n2", 1)
APPLICATION_TAGS = {A: ("blue",), B: ("blue", "red"), C: ()}


def tags() -> AllocationTags:
    return AllocationTags(lambda application_id: APPLICATION_TAGS[application_id])


def test_a_node_and_its_rack_count() -> None:
    counted = tags()
    counted.add(N1, "/r", A, ("zk", "db"))
    counted.add(N2, "/r", A, ("zk",))
    namespace = parse_namespace("self")
    assert counted.counts_on_node(N1, namespace, A) == [{"zk": 1, "db": 1}]
    assert counted.counts_on_rack("/r", namespace, A) == [{"zk": 2, "db": 1}]
    counted.remove(N1, "/r", A, ("zk", "db"))
    assert counted.counts_on_node(N1, namespace, A) == [{}]
    assert counted.counts_on_rack("/r", namespace, A) == [{"zk": 1}]
    counted.remove(N2, "/r", A, ("zk",))
    assert counted.counts_on_rack("/r", namespace, A) == []
    assert counted.on_node(N2) == {}


def test_the_same_tag_twice_is_one() -> None:
    counted = tags()
    counted.add(N1, "/r", A, ("zk", "zk"))
    assert counted.on_node(N1) == {"zk": 1}
    counted.remove(N1, "/r", A, ("zk", "zk"))
    assert counted.on_node(N1) == {}


@pytest.mark.parametrize(
    ("namespace", "expected"),
    [
        ("self", 1),
        ("not-self", 2 + 4),
        ("all", 1 + 2 + 4),
        (f"app-id/{B}", 2),
        ("app-id/application_9_9999", 0),
        ("app-tag/blue", 1 + 2),
        ("app-tag/red", 2),
        ("app-tag/green", 0),
    ],
)
def test_whose_containers_count(namespace: str, expected: int) -> None:
    counted = tags()
    for application_id, count in ((A, 1), (B, 2), (C, 4)):
        for _ in range(count):
            counted.add(N1, "/r", application_id, ("zk",))
    found = counted.counts_on_node(N1, parse_namespace(namespace), A)
    assert extremes(found, ("zk",)) == (expected, expected)


def test_the_smallest_and_the_largest_of_several_tags() -> None:
    counts: list[Counts] = [{"a": 1, "b": 5}, {"a": 2}]
    assert extremes(counts, ("a", "b")) == (3, 5)
    assert extremes(counts, ("a", "c")) == (0, 3)
    assert extremes(counts, ()) == (3, 5)  # no tag named: whatever is there
    assert extremes([], ()) == (0, 0)
