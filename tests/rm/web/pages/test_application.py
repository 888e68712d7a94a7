"""What the pages of an application and About say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blocks import named, of_kind, paragraphs
from tests.rig import Rig
from yarnbox.rm.web.apps import application
from yarnbox.rm.web.cluster import cluster_info, kept_state
from yarnbox.rm.web.pages.about import about_cluster
from yarnbox.rm.web.pages.application import REQUESTS, Known, application_page, log_choice, log_page
from yarnbox.rm.web.values import Shapes


@pytest.fixture
def app() -> dict[str, Any]:
    """An application that waits for its AM's container, as REST answers it."""
    rig = Rig()
    rig.advance(1000)
    application_id = rig.submit(user="mei")
    shapes = Shapes(rig.context.resource_types)
    return application(rig.context, shapes, rig.app(application_id), may_view=True)


def page(app: dict[str, Any], **known: Any) -> list[Any]:
    return application_page(app, Known(**{"now_ms": app["startedTime"] + 5_000, **known}))


def facts(app: dict[str, Any]) -> dict[str, Any]:
    found = of_kind(page(app), "facts")[0]
    return {one["name"]: (one["value"], one["to"]) for one in found}


def status(app: dict[str, Any], **known: Any) -> Any:
    """The card that says the state."""
    (card,) = [one for one in page(app, **known) if one.get("label") == "State"]
    return card


def test_an_application_that_waits(app: dict[str, Any]) -> None:
    sentence = "waiting for its AM container to be allocated, launched and registered"
    card = status(app)
    assert card["kind"] == "card status is-ACCEPTED"
    assert paragraphs([card], "headline") == [[{"state": "ACCEPTED"}, f" {sentence}"]]
    (life,) = of_kind(page(app), "lifeline")
    (step,) = life
    assert (step["step"], step["time"]) == ("submitted", app["startedTime"])
    assert step["said"] == [{"duration": 5_000}, " so far"]
    found = facts(app)
    assert found["Queue"][1] == f"/cluster/scheduler?queue={app['queue']}"
    assert found["YarnApplicationState"][0] == [{"state": "ACCEPTED"}, f": {sentence}"]
    assert found["Finished"][0] == {"moment": 0}
    assert found["Tracking URL"] == ("Unassigned", "")
    assert found["Application Timeout (Remaining Time)"][0] == "Unlimited"
    assert found["Application Tags"][0] == "N/A"
    assert facts(app | {"priority": -1})["Application Priority"][0] == "N/A", "as in the list"
    assert facts(app | {"applicationType": ""})["Application Type"][0] == "N/A"
    assert found["Aggregate Resource Allocation"][0] == "0.0 GiB-seconds, 0 vcore-seconds"
    assert "Diagnostics" in found


def test_what_it_holds_and_asks_for(app: dict[str, Any]) -> None:
    why = {"reasons": ["the cluster is empty"]}
    _, holds, waits = paragraphs([status(app, why=why)])
    assert (holds[0], holds[2]) == ("0 containers, ", "; 1 more requested")
    assert waits == [{"word": "Why it waits:"}, " the cluster is empty"]
    foremost = why | {"foremost": "the queue is full"}
    assert paragraphs([status(app, why=foremost)])[-1][1] == " the queue is full"
    assert len(paragraphs([status(app | {"resourceRequests": []}, why=why)])) == 2, "it asks for nothing"
    places = [{"resourceName": name, "numContainers": 3} for name in ("*", "/rack", "n1")]
    more = {"runningContainers": 1, "allocatedMB": 1024, "resourceRequests": places}
    lost = {"numNonAMContainerPreempted": 2, "preemptedResourceMB": 2048}
    _, holds, preempted = paragraphs([status(app | more | lost)])
    assert holds == ["1 container, ", {"memory": 1024, "vCores": 0}, "; 3 more requested"]
    assert preempted == "Preempted: 2 containers, 2.0 GiB"
    recorded = {name: value for name, value in app.items() if name != "resourceRequests"}
    assert paragraphs([status({**recorded, "pendingContainers": 5})])[1][2] == "; 5 more requested"


def test_one_that_is_over(app: dict[str, Any]) -> None:
    lifetime = {"timeout": [{"type": "LIFETIME", "remainingTimeInSeconds": 90}]}
    over = {"state": "FAILED", "trackingUI": "History", "memorySeconds": 2048, "timeouts": lifetime}
    found = facts(app | over)
    assert "Diagnostics" not in found, "they stand beside its state"
    assert found["Tracking URL"] == ("History", f"/proxy/{app['id']}/")
    assert found["Application Timeout (Remaining Time)"][0] == {"duration": 90_000}
    assert found["Aggregate Resource Allocation"][0].startswith("2.0 GiB-seconds")
    card = status(app | {"state": "FINISHED", "finalStatus": "FAILED", "diagnostics": "it\nfailed"})
    assert card["kind"] == "card status is-FAILED"
    assert paragraphs([card])[1] == ["Final status reported by its AM: ", {"state": "FAILED"}]
    assert of_kind([card], "text") == ["it\nfailed"]


def test_steps_of_a_life_come_in_the_order_of_time(app: dict[str, Any]) -> None:
    steps = [{"step": step, "time": time} for step, time in (("running", 5_002), ("submitted", 2))]
    steps.append({"step": "finished", "time": 0})
    first, last = of_kind(page(app, steps=steps, now_ms=6_002), "lifeline")[0]
    assert (first["step"], first["said"]) == ("submitted", [{"duration": 5_000}, ""])
    assert (last["step"], last["said"]) == ("running", [{"duration": 1_000}, " so far"])
    assert first["weight"] > last["weight"] > 1, "what took longer is wider"
    over = page(app | {"finishedTime": 7_000}, steps=steps)
    assert of_kind(over, "lifeline")[0][-1]["said"] == {"exact": 5_002}


def test_containers_that_nobody_remembers_are_said_to_be_forgotten(app: dict[str, Any]) -> None:
    over = app | {"state": "FINISHED", "memorySeconds": 9}
    heads = of_kind(page(over), "heading")
    assert not {"Locality", "Containers", "Logs"} & set(heads)
    assert any(str(one).startswith("Its containers ended before") for one in paragraphs(page(over)))
    am = log_choice("container_1_0001_01_000001", "n1:1", is_am=True, state="RUNNING")
    known = page(over, containers=1, logs=[am])
    assert {"Locality", "Containers", "Logs"} <= set(of_kind(known, "heading"))
    sources = [one["source"] for one in known if "included" in one]
    assert sources == [f"/ui/containers/list?app={app['id']}"], "no log is read before it is asked for"


def test_the_log_of_a_container_is_followed(app: dict[str, Any]) -> None:
    first, second = (f"container_1_0001_01_00000{number}" for number in (1, 2))
    logs = [
        log_choice(first, "n1:1", is_am=True, state="RUNNING"),
        log_choice(second, "n2:1", is_am=False, state="COMPLETE"),
    ]
    (choices,) = of_kind(page(app, logs=logs), "choose")
    assert choices == [
        ["", "none"],
        [first, f"{first}, ApplicationMaster, running"],
        [second, f"{second}, complete"],
    ]
    found = page(app, logs=logs, followed=f"{second}/std err")
    tail, _ = [one for one in found if "included" in one]
    assert tail["source"].endswith(f"?container={second}&node=n2%3A1&size=32768&file=std+err")
    assert [one["present"] for one in found if "choose" in one] == [second]
    gone = page(app, logs=logs, followed="container_1_0001_01_000009")
    assert len(of_kind(gone, "included")) == 1, "its containers alone"


def test_the_end_of_a_log_stands_below_a_choice_of_logs() -> None:
    files = [{"name": "stdout", "text": "stdout, 5 B"}, {"name": "stderr", "text": "stderr, 0 B"}]
    choices, end = log_page("c1", {"file": "stderr", "text": "", "files": files})
    assert (choices["into"], choices["present"]) == ("log", "c1/stderr")
    assert choices["choose"] == [["c1/stdout", "stdout, 5 B"], ["c1/stderr", "stderr, 0 B"]]
    assert end == {"tail": "(empty)", "name": "The end of stderr of c1"}
    (none,) = log_page("c1", {"file": "", "text": "", "files": []})
    assert none["paragraph"] == "The container has written no logs yet."


def test_how_near_containers_came_to_where_they_were_asked_for(app: dict[str, Any]) -> None:
    counts = {("NODE_LOCAL", "NODE_LOCAL"): 2, ("OFF_SWITCH", "RACK_LOCAL"): 1}
    table = named(page(app, containers=4, localities=counts), "Total Allocated Containers: 3")
    assert table["columns"][1] == "Node Local Request"
    assert table["table"] == [
        ["Num Node Local Containers (satisfied by)", 2, "", ""],
        ["Num Rack Local Containers (satisfied by)", 0, 0, ""],
        ["Num Off Switch Containers (satisfied by)", 0, 1, 0],
    ]
    assert any("were allocated before" in str(one) for one in paragraphs(page(app, containers=1)))
    assert "No containers have been allocated yet." in paragraphs(page(app))


def test_about_names_what_could_not_be_read() -> None:
    info = cluster_info(Rig().context)
    none = {one["name"] for one in about_cluster(info, kept_state(Rig().context))[1]["facts"]}
    assert "State store" not in none
    aside = [{"key": "app/1", "why": "its checksum is wrong", "time": 1}]
    kept = {"enabled": True, "path": "state", "clusterId": "c1", "fault": [], "setAside": aside}
    found = {one["name"]: one["value"] for one in about_cluster(info, kept)[1]["facts"]}
    assert found["State store"] == "state, cluster c1"
    assert found["Faults of the state store"] == "none"
    assert found["Unreadable entries, set aside"] == "app/1: its checksum is wrong"


REQUEST = {
    "priority": 1,
    "allocationRequestId": 2,
    "resourceName": "n1",
    "capability": {"memory": 1024, "vCores": 1},
    "numContainers": 3,
    "relaxLocality": False,
    "executionTypeRequest": {"executionType": "GUARANTEED"},
    "allocationTags": ["a", "b"],
}


def test_attempts_and_requests_have_what_their_columns_read(app: dict[str, Any]) -> None:
    attempt = {"appAttemptId": "appattempt_1_0001_000001", "diagnosticsInfo": "", "diagnostics": "it failed"}
    told = page(app | {"resourceRequests": [REQUEST]}, attempts=[attempt])
    attempts, requests = named(told, "Attempts"), named(told, "Total Outstanding Resource Requests")
    assert attempts["grid"][0]["diagnostics"] == "it failed"
    assert attempts["calls"] == [f"/apps/{app['id']}/appattempts"]
    (row,) = requests["grid"]
    assert (row["key"], row["relax"], row["execution"], row["tags"]) == (
        "1,2,n1",
        "false",
        "GUARANTEED",
        "a, b",
    )
    unread = [one["read"] for one in REQUESTS if one["read"] not in row]
    assert unread == ["nodeLabelExpression", "placementConstraint"], "which this request has not"
    over = page(app | {"state": "FINISHED"})
    assert [one["id"] for one in over if "grid" in one] == ["attempts"], "no requests"
    assert over[-1]["source"] == f"/ui/containers/list?app={app['id']}"
