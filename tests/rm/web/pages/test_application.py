"""What the pages of an application and About say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rig import Rig
from yarnbox.rm.web.apps import application
from yarnbox.rm.web.cluster import cluster_info, kept_state
from yarnbox.rm.web.pages.about import about_cluster
from yarnbox.rm.web.pages.application import application_page
from yarnbox.rm.web.values import Shapes


@pytest.fixture
def app() -> dict[str, Any]:
    """An application that waits for its AM's container, as REST answers it."""
    rig = Rig()
    rig.advance(1000)
    application_id = rig.submit(user="mei")
    shapes = Shapes(rig.context.resource_types)
    return application(rig.context, shapes, rig.app(application_id), may_view=True)


def facts(app: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: (one["value"], one["to"]) for one in application_page(app, ())["fact"]}


def test_an_application_that_waits(app: dict[str, Any]) -> None:
    shown = application_page(app, ())
    assert shown["sentence"] == "waiting for its AM container to be allocated, launched and registered"
    assert shown["moment"] == [{"step": "submitted", "time": app["startedTime"]}]
    found = facts(app)
    assert found["Queue"][1] == f"/cluster/scheduler?queue={app['queue']}"
    assert found["YarnApplicationState"][0] == [{"state": "ACCEPTED"}, f": {shown['sentence']}"]
    assert found["Finished"][0] == {"moment": 0}
    assert found["Tracking URL"] == ("Unassigned", "")
    assert found["Application Timeout (Remaining Time)"][0] == "Unlimited"
    assert found["Application Tags"][0] == "N/A"
    assert facts(app | {"priority": -1})["Application Priority"][0] == "N/A", "as in the list"
    assert facts(app | {"applicationType": ""})["Application Type"][0] == "N/A"
    assert found["Aggregate Resource Allocation"][0] == "0.0 GiB-seconds, 0 vcore-seconds"
    assert "Diagnostics" in found


def test_what_it_holds_and_asks_for(app: dict[str, Any]) -> None:
    waiting = application_page(app, ())
    assert (waiting["holds"][0], waiting["holds"][2]) == ("0 containers, ", "; 1 more requested")
    assert waiting["isWaiting"]
    assert waiting["preempted"] == ""
    places = [{"resourceName": name, "numContainers": 3} for name in ("*", "/rack", "n1")]
    more = {"runningContainers": 1, "allocatedMB": 1024, "resourceRequests": places}
    lost = {"numNonAMContainerPreempted": 2, "preemptedResourceMB": 2048}
    shown = application_page(app | more | lost, ())
    assert shown["holds"] == ["1 container, ", {"memory": 1024, "vCores": 0}, "; 3 more requested"]
    assert shown["preempted"] == "Preempted: 2 containers, 2.0 GiB"
    recorded = {name: value for name, value in app.items() if name != "resourceRequests"}
    assert application_page({**recorded, "pendingContainers": 5}, ())["holds"][2] == "; 5 more requested"
    over = application_page(app | more | {"state": "KILLED"}, ())
    assert (over["holds"], over["isWaiting"]) == ([], False)


def test_one_that_is_over(app: dict[str, Any]) -> None:
    lifetime = {"timeout": [{"type": "LIFETIME", "remainingTimeInSeconds": 90}]}
    over = {"state": "FAILED", "trackingUI": "History", "memorySeconds": 2048, "timeouts": lifetime}
    found = facts(app | over)
    assert "Diagnostics" not in found, "they stand beside its state"
    assert found["Tracking URL"] == ("History", f"/proxy/{app['id']}/")
    assert found["Application Timeout (Remaining Time)"][0] == {"duration": 90_000}
    assert found["Aggregate Resource Allocation"][0].startswith("2.0 GiB-seconds")


def test_steps_of_a_life_come_in_the_order_of_time(app: dict[str, Any]) -> None:
    steps = [
        {"step": "running", "time": 5},
        {"step": "submitted", "time": 2},
        {"step": "finished", "time": 0},
    ]
    assert [one["step"] for one in application_page(app, steps)["moment"]] == ["submitted", "running"]


def test_about_names_what_could_not_be_read() -> None:
    info = cluster_info(Rig().context)
    none = {one["name"] for one in about_cluster(info, kept_state(Rig().context))["fact"]}
    assert "State store" not in none
    aside = [{"key": "app/1", "why": "its checksum is wrong", "time": 1}]
    kept = {"enabled": True, "path": "state", "clusterId": "c1", "fault": [], "setAside": aside}
    found = {one["name"]: one["value"] for one in about_cluster(info, kept)["fact"]}
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
    told = application_page(app | {"resourceRequests": [REQUEST]}, (), [attempt])["asked"]
    assert [one["heading"] for one in told if "heading" in one] == ["Attempts", "Outstanding requests"]
    attempts, requests = (one for one in told if "grid" in one)
    assert attempts["grid"][0]["diagnostics"] == "it failed"
    assert attempts["calls"] == [f"/apps/{app['id']}/appattempts"]
    (row,) = requests["grid"]
    assert (row["key"], row["relax"], row["execution"], row["tags"]) == (
        "1,2,n1",
        "false",
        "GUARANTEED",
        "a, b",
    )
    unread = [one["read"] for one in requests["columns"] if one["read"] not in row]
    assert unread == ["nodeLabelExpression", "placementConstraint"], "which this request has not"
    over = application_page(app | {"state": "FINISHED"}, ())["asked"]
    assert [one["heading"] for one in over if "heading" in one] == ["Attempts"]
