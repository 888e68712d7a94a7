"""What may be done from a page, and what is asked and sent then."""

from __future__ import annotations

from typing import Any

from tests.blocks import named, of_kind, paragraphs
from yarnbox.rm.web.pages.actions import (
    Reader,
    Siblings,
    agree_to_effect,
    application_actions,
    node_actions,
    queue_actions,
)
from yarnbox.rm.web.pages.blocks import actions

ANN = Reader("ann", is_admin=False, is_offered=True)
ROOT = Reader("root", is_admin=True, is_offered=True)
NOBODY = Reader("root", is_admin=True, is_offered=False)
APP = {"id": "application_1_0001", "name": "sort", "user": "mei", "queue": "root.a", "priority": 3}


def of_app(reader: Reader, **more: Any) -> dict[str, dict[str, Any]]:
    usual = {"may_modify": True, "scheduler": "CapacityScheduler", "queues": ["root.a"], "most_priority": 10}
    return {one["name"]: one for one in application_actions(reader, APP, **{**usual, **more})}


def test_why_something_may_not_be_done_is_said_once_where_it_is_the_same_for_all() -> None:
    def reasons(reader: Reader, **more: Any) -> Any:
        return actions([*of_app(reader, **more).values()])["reasons"]

    assert reasons(ROOT) == []
    assert reasons(NOBODY) == ["yarn.resourcemanager.webapp.ui-actions.enabled is false."]
    assert reasons(ROOT, scheduler="FifoScheduler") == [
        "Move to another queue: The FifoScheduler cannot move applications."
    ]


def test_an_application_is_killed_moved_and_given_another_priority() -> None:
    kill, move, change = of_app(ROOT).values()
    assert kill["question"] == "Kill sort (application_1_0001)?"
    assert (kill["calls"], kill["body"]) == ([["PUT", "/apps/application_1_0001/state"]], {"state": "KILLED"})
    assert kill["isDangerous"]
    (queue,) = move["fields"]
    assert (queue["value"], queue["choices"], queue["changes"]) == ("root.a", [["root.a", "root.a"]], True)
    (priority,) = change["fields"]
    assert (priority["label"], priority["value"]) == ("Priority", "3")
    assert paragraphs(change["parts"]) == ["From 0 to 10; higher goes first."]
    assert not any(one["refusal"] for one in (kill, move, change))


def test_what_may_not_be_done_says_why() -> None:
    foreign = of_app(ANN, may_modify=False)
    why = "ann administers neither the cluster nor the queue (acl_administer_queue)."
    assert {one["refusal"] for one in foreign.values()} == {f"The application belongs to mei. {why}"}
    fifo = of_app(ROOT, scheduler="FifoScheduler")
    assert fifo["Move to another queue"]["refusal"] == "The FifoScheduler cannot move applications."
    assert not fifo["Kill Application"]["refusal"]
    for one in of_app(NOBODY).values():
        assert one["refusal"] == "yarn.resourcemanager.webapp.ui-actions.enabled is false."


def test_a_node_is_let_go_and_taken_back() -> None:
    (drain,) = node_actions(ROOT, {"id": "n1:1", "state": "RUNNING"})
    assert (drain["name"], drain["refusal"]) == ("Decommission", "")
    assert drain["calls"] == [["POST", "/ui/nodes/n1:1/drain"]]
    (timeout,) = drain["fields"]
    assert (timeout["name"], timeout["value"]) == ("timeout", "3600")
    assert "changes" not in timeout, "the usual one is sent, too"
    (back,) = node_actions(ROOT, {"id": "n1:1", "state": "DECOMMISSIONED", "isDrained": True})
    assert (back["name"], back["calls"]) == ("Recommission", [["POST", "/ui/nodes/n1:1/recommission"]])
    (gone,) = node_actions(ROOT, {"id": "n1:1", "state": "LOST"})
    assert gone["refusal"] == "It is LOST."
    (forbidden,) = node_actions(ANN, {"id": "n1:1", "state": "LOST"})
    assert forbidden["refusal"] == "ann is not an administrator."


PROPERTIES = {
    "yarn.scheduler.capacity.root.a.capacity": "60",
    "yarn.scheduler.capacity.root.a.accessible-node-labels.gpu.capacity": "20",
}


def of_queue(state: str, *, fixed: str = "", partition: str = "") -> list[dict[str, Any]]:
    siblings = Siblings(["root.a", "root.b"], partition, PROPERTIES)
    return queue_actions(ROOT, "root.a", state, fixed, siblings)


def test_a_queue_is_stopped_and_started() -> None:
    stop, edit = of_queue("RUNNING")
    assert (stop["name"], stop["isDangerous"], edit["name"]) == ("Stop", True, "Edit capacities")
    assert [path for _, path in stop["calls"]] == ["/scheduler-conf/validate", "/scheduler-conf"]
    (update,) = stop["body"]["update-queue"]
    assert update == {"queue-name": "root.a", "params": {"entry": [{"key": "state", "value": "STOPPED"}]}}
    start, _ = of_queue("STOPPED")
    assert (start["question"], start["isDangerous"]) == ("Start queue root.a?", False)
    assert {one["refusal"] for one in of_queue("RUNNING", fixed="They are in a file.")} == {
        "They are in a file."
    }


def test_capacities_of_siblings_are_asked_for_together() -> None:
    _, edit = of_queue("RUNNING")
    assert edit["question"] == "Capacities below root"
    assert [(one["name"], one["value"]) for one in edit["fields"]] == [
        ("root.a capacity", "60"),
        ("root.a maximum-capacity", ""),
        ("root.b capacity", ""),
        ("root.b maximum-capacity", ""),
    ]
    _, labelled = of_queue("RUNNING", partition="gpu")
    assert labelled["question"] == "Capacities below root in partition gpu"
    first = labelled["fields"][0]
    assert (first["name"], first["value"]) == ("root.a accessible-node-labels.gpu.capacity", "20")


def test_an_effect_is_shown_before_it_is_had() -> None:
    effect: dict[str, Any] = {"difference": [], "finding": []}
    nothing = agree_to_effect(effect, {"update-queue": []})
    assert named(nothing["parts"], "Effect")["none"] == "No quantity changes."
    assert of_kind(nothing["parts"], "items") == []
    row = {"queue": "root.a", "quantity": "capacity", "before": "1", "after": "2", "change": "+1"}
    wrong = {"property": "root.a.capacity", "text": "more than there is"}
    asked = agree_to_effect({"difference": [row], "finding": [wrong]}, {"update-queue": []})
    assert named(asked["parts"], "Effect")["table"] == [["root.a", "capacity", "1", "2", "+1"]]
    assert of_kind(asked["parts"], "items")[0][0]["item"] == [
        {"code": "root.a.capacity"},
        ": more than there is",
    ]
    assert (asked["calls"], asked["back"]) == ([["PUT", "/scheduler-conf"]], "Back")
