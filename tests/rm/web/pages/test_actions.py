"""What may be done from a page, and what is asked and sent then."""

from __future__ import annotations

from typing import Any

from yarnbox.rm.web.pages.actions import Reader, application_actions, node_actions, queue_actions

ANN = Reader("ann", is_admin=False, is_offered=True)
ROOT = Reader("root", is_admin=True, is_offered=True)
NOBODY = Reader("root", is_admin=True, is_offered=False)
APP = {"id": "application_1_0001", "name": "sort", "user": "mei", "queue": "root.a", "priority": 3}


def of_app(reader: Reader, **more: Any) -> dict[str, dict[str, Any]]:
    usual = {"may_modify": True, "scheduler": "CapacityScheduler", "queues": ["root.a"], "most_priority": 10}
    return {one["name"]: one for one in application_actions(reader, APP, **{**usual, **more})}


def test_an_application_is_killed_moved_and_given_another_priority() -> None:
    kill, move, change = of_app(ROOT).values()
    assert kill["question"] == "Kill sort (application_1_0001)?"
    assert (kill["calls"], kill["body"]) == ([["PUT", "/apps/application_1_0001/state"]], {"state": "KILLED"})
    assert kill["isDangerous"]
    assert (move["field"]["value"], move["field"]["choices"]) == ("root.a", ["root.a"])
    assert change["consequence"] == "From 0 to 10; higher goes first."
    assert (change["field"]["name"], change["field"]["value"]) == ("priority", 3)
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
    assert (drain["field"]["value"], "changes" in drain["field"]) == (3600, False), (
        "the usual one is sent, too"
    )
    (back,) = node_actions(ROOT, {"id": "n1:1", "state": "DECOMMISSIONED", "isDrained": True})
    assert (back["name"], back["calls"]) == ("Recommission", [["POST", "/ui/nodes/n1:1/recommission"]])
    (gone,) = node_actions(ROOT, {"id": "n1:1", "state": "LOST"})
    assert gone["refusal"] == "It is LOST."
    (forbidden,) = node_actions(ANN, {"id": "n1:1", "state": "LOST"})
    assert forbidden["refusal"] == "ann is not an administrator."


def test_a_queue_is_stopped_and_started() -> None:
    stop, edit = queue_actions(ROOT, "root.a", "RUNNING", "")
    assert (stop["name"], stop["isDangerous"], edit["name"]) == ("Stop", True, "Edit capacities")
    assert [path for _, path in stop["calls"]] == ["/scheduler-conf/validate", "/scheduler-conf"]
    (update,) = stop["body"]["update-queue"]
    assert update == {"queue-name": "root.a", "params": {"entry": [{"key": "state", "value": "STOPPED"}]}}
    start, _ = queue_actions(ROOT, "root.a", "STOPPED", "")
    assert (start["question"], start["isDangerous"]) == ("Start queue root.a?", False)
    assert {one["refusal"] for one in queue_actions(ROOT, "root.a", "RUNNING", "They are in a file.")} == {
        "They are in a file."
    }
