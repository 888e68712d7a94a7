"""Reasons, checks, and the lines and counts that are made of them."""

from __future__ import annotations

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.scheduler.checks import Check, Reason, RequestChecks, node_checks


class Why(Reason):
    FULL = "the node has too little free", "has room for the request", "containers on the node end"
    SMALL = "the node is too small", "is large enough"
    NOBODY = "no node can take it", "one can take it"


def test_a_reason_has_its_text_as_value_and_says_what_is_checked_and_what_would_help() -> None:
    assert Why("the node has too little free") is Why.FULL
    assert (Why.FULL.checked, Why.FULL.remedy) == ("has room for the request", "containers on the node end")
    assert Why.SMALL.remedy == ""


def test_only_failing_checks_become_lines() -> None:
    holds = Check(reason=Why.SMALL, holds=True, level="root")
    fails = Check(reason=Why.FULL, holds=False, numbers="1 GB free, 2 GB asked", level="nodes", nodes=3)
    one = Check(reason=Why.SMALL, holds=False, nodes=1)
    request = RequestChecks(asked="1 of 2 GB", checks=(holds, fails, one), key=RequestKey(7))
    assert request.failing == (fails, one)
    assert request.lines == [
        "priority 7: 3 nodes: the node has too little free (1 GB free, 2 GB asked)",
        "priority 7: 1 node: the node is too small",
    ]
    assert RequestChecks(asked="", checks=(one,)).lines == ["1 node: the node is too small"]


def test_nodes_are_counted_by_reason_and_numbers() -> None:
    room = {"n1": 0, "n2": 4, "n3": 1, "n4": 0}

    def refusal(node: str) -> tuple[Reason, str] | None:
        return None if room[node] > 2 else (Why.FULL, f"{room[node]} free")

    first, *rest = node_checks(room, refusal, Why.NOBODY)
    assert (first.holds, first.numbers) == (True, "1 of 4 nodes can")
    assert [(one.numbers, one.nodes) for one in rest] == [("0 free", 2), ("1 free", 1)]
    assert not next(node_checks([], refusal, Why.NOBODY)).holds


def test_nodes_that_refuse_do_not_count_where_another_one_takes_it() -> None:
    nobody = Check(reason=Why.NOBODY, holds=False, level="nodes")
    few = Check(reason=Why.SMALL, holds=False, level="nodes", nodes=1)
    many = Check(reason=Why.FULL, holds=False, level="nodes", nodes=3)
    queue = Check(reason=Why.FULL, holds=False, level="root.a")
    assert RequestChecks(asked="", checks=(nobody, few, many)).foremost is many
    assert RequestChecks(asked="", checks=(queue, nobody, few)).foremost is queue
    assert RequestChecks(asked="", checks=(nobody,)).foremost is nobody
    somebody = Check(reason=Why.NOBODY, holds=True, level="nodes")
    request = RequestChecks(asked="", checks=(somebody, few, many))
    assert (request.failing, request.foremost) == ((), None)
