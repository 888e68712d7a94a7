"""How the page of an application says why it waits."""

from __future__ import annotations

from typing import Any

from yarnbox.rm.web.pages.why import why_page

FAILS = {
    "level": "root.a",
    "checked": "the queue is at its maximum",
    "holds": False,
    "numbers": "used <memory:1024, vCores:1>",
    "change": "a higher maximum-capacity",
}
HOLDS = {"level": "nodes", "checked": "has room", "holds": True, "numbers": "", "change": ""}
MARK = {
    "container": "container_1_0001_01_000002",
    "node": "n1:1",
    "resource": "<memory:1024, vCores:1>",
    "isAM": False,
    "for": "queue root.b",
    "killAt": 0,
}


def path(*steps: Any) -> dict[str, Any]:
    return {"asked": "1 of <memory:1024, vCores:1>, priority 1", "step": list(steps)}


def test_each_check_on_the_way_says_whether_it_holds() -> None:
    (card,) = why_page({"path": [path(FAILS, HOLDS)], "reasons": ["said above"]})
    assert card["kind"] == "card why"
    head, way = card["section"]
    assert head["heading"] == "Why it waits"
    asked, steps = way["section"]
    assert asked["heading"] == "1 container of <memory:1024, vCores:1>, priority 1"
    fails, holds = steps["items"]
    assert (fails["kind"], holds["kind"], steps["kind"]) == ("fails", "holds", "path")
    assert fails["item"][0] == {"sign": "✕", "word": "fails"}
    assert fails["item"][-2:] == [
        {"word": " used <memory:1024, vCores:1>", "kind": "how"},
        {"word": "To change this: a higher maximum-capacity", "kind": "change"},
    ]
    assert len(holds["item"]) == 4, "neither numbers nor a remedy"


def test_reasons_are_listed_where_no_check_tells_them() -> None:
    (card,) = why_page({"path": [path(HOLDS)], "reasons": ["others come first"]})
    assert card["section"][-1]["items"] == ["others come first"]
    (recorded,) = why_page({"reasons": ["one", "another"]})
    assert recorded["section"][-1]["items"] == ["one", "another"]
    assert why_page({"reasons": ["one"]}) == [], "the state of the application says it already"
    assert why_page({}) == []
    head, said = why_page({"diagnostic": "It is unknown."})
    assert (head["heading"], said["paragraph"]) == ("Why it waits", "It is unknown.")


def test_marks_say_for_whom_and_until_when() -> None:
    card = why_page({"preemption": [MARK, MARK | {"isAM": True, "for": "", "killAt": 9}]})[-1]
    head, marks = card["section"]
    assert head["heading"] == "Marked for preemption"
    lazy, due = marks["items"]
    assert lazy == [
        "container_1_0001_01_000002 (<memory:1024, vCores:1> on n1:1) for queue root.b",
    ]
    assert due[0].startswith("the ApplicationMaster, container_1_0001_01_000002 (")
    assert due[1:] == ["; it is killed at ", {"clock": 9}, " or later"]
