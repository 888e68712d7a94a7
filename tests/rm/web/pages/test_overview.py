"""The page of the cluster: its sentence, the figures that matter, and all of them by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blocks import every, named, of_kind, paragraphs
from tests.rig import Rig
from yarnbox.rm.web.cluster import metrics, overview
from yarnbox.rm.web.pages.overview import START_A_NODE, cluster_page
from yarnbox.rm.web.values import Shapes

FULL = "the cluster is full"


@pytest.fixture
def empty() -> dict[str, Any]:
    """The metrics of a cluster without nodes."""
    context = Rig().core.context
    return metrics(context, Shapes(context.resource_types))


def with_nodes(found: dict[str, Any], **more: Any) -> dict[str, Any]:
    of_all = {"totalUsedResourcesAcrossPartition": {"memory": 3072, "vCores": 3}}
    of_all["totalClusterResourcesAcrossPartition"] = {"memory": 8192, "vCores": 8}
    counts = {"activeNodes": 2, "totalAllocatedContainersAcrossPartition": 3}
    return found | of_all | counts | {"crossPartitionMetricsAvailable": True} | more


def waiting(*reasons: tuple[str, str, int, int], vcores: bool = True) -> dict[str, Any]:
    names = ("reason", "queue", "containers", "apps")
    rows = [dict(zip(names, one, strict=True)) for one in reasons]
    return {"reason": rows, "unseen": 0, "countsVCores": vcores}


def page(found: dict[str, Any], why: dict[str, Any] | None = None, **more: Any) -> list[Any]:
    return cluster_page(found, more.pop("info", None), why, more.pop("states", {}), asked={}, **more)


def headline(found: dict[str, Any], why: dict[str, Any] | None = None) -> str:
    (said,) = paragraphs(page(found, why), "headline")
    return str(said)


def test_a_cluster_without_nodes_says_what_waits_for_them(empty: dict[str, Any]) -> None:
    assert headline(empty, waiting()) == "No nodes have registered. No applications are running."
    assert START_A_NODE in page(empty)
    assert START_A_NODE not in page(empty, is_run=True)
    assert not any(one.get("source") == "/ui/heat" for one in page(empty))
    assert START_A_NODE not in page(with_nodes(empty))
    assert any(one.get("source") == "/ui/heat" for one in page(with_nodes(empty)))
    said = headline(empty, waiting(("the cluster is empty", "root.a", 2, 2)))
    assert said == "No nodes have registered. 2 containers wait: 2 in root.a (the cluster is empty)."
    assert headline(empty | {"lostNodes": 1}).startswith("No node is active.")


def test_vcores_are_named_where_they_limit_something(empty: dict[str, Any]) -> None:
    found = with_nodes(empty, appsRunning=1)
    assert headline(found, waiting()) == "3.0 of 8.0 GiB and 3 of 8 vcores used. Nothing is waiting."
    assert headline(found, waiting(vcores=False)).startswith("3.0 of 8.0 GiB of memory used.")
    alone = found | {"crossPartitionMetricsAvailable": False, "allocatedMB": 1024, "totalMB": 4096}
    assert headline(alone, None).startswith("1.0 of 4.0 GiB and 0 of 0 vcores used.")


def test_a_reason_is_said_once_for_all_its_queues(empty: dict[str, Any]) -> None:
    found = with_nodes(empty)
    why = [(FULL, "root.a", 9, 1), ("the limit of the user.", "root.b", 30, 2), (FULL, "root.c", 12, 1)]
    said = headline(found, waiting(*why))
    assert said.endswith(
        f"51 containers wait: 30 in root.b (the limit of the user); 12 in root.c and 9 in root.a ({FULL})."
    )
    many = waiting(*((FULL, f"root.q{place}", place, 1) for place in range(1, 7)))
    assert "6 in root.q6, 5 in root.q5, 4 in root.q4 and 6 in 3 other queues" in headline(found, many)
    four = waiting(*((FULL, f"root.q{place}", place, 1) for place in range(1, 5)))
    assert "and 1 in root.q1 (" in headline(found, four)
    reasons = waiting(*((f"reason {place}", "root.a", place, 1) for place in range(1, 6)))
    assert headline(found, reasons).endswith("(reason 3); 3 for other reasons.")


def test_applications_count_where_no_container_is_asked_for(empty: dict[str, Any]) -> None:
    said = headline(with_nodes(empty), waiting((FULL, "root.a", 0, 2)))
    assert said.endswith(f" used. Waiting: 2 applications in root.a ({FULL}).")


def test_figures_lead_to_their_lists(empty: dict[str, Any]) -> None:
    found = with_nodes(empty, activeNodes=1, lostNodes=2, reservedMB=1536)
    shown = page(found, waiting(), states={"ACCEPTED": 1, "KILLED": 4})
    (figures,) = (one["items"] for one in every(shown) if one.get("kind") == "figures")
    links = [one["item"] for one in figures]
    assert [one["kind"] for one in figures] == ["", "", "", "", "", "trouble", ""]
    assert [(one["link"][0]["word"], one["link"][1].strip(), one["to"]) for one in links] == [
        (0, "applications running", "/cluster/apps/RUNNING"),
        (1, "application waiting", "/cluster/apps/ACCEPTED"),
        (3, "containers running", "/cluster/apps"),
        (0, "containers pending", "/cluster/scheduler"),
        (1, "node active", "/cluster/nodes"),
        (2, "nodes lost", "/cluster/nodes/lost"),
        ("1.5 GiB", "reserved", "/cluster/nodes"),
    ]


def test_every_figure_has_a_name(empty: dict[str, Any]) -> None:
    context = Rig().core.context
    counts = dict.fromkeys(("runningApps", "waitingApps", "runningContainers", "pendingContainers"), 1)
    names = ("resourcesUsed", "resourcesPending", "resourcesReserved")
    amounts = {name: {"memory": 1, "vCores": 1} for name in names}
    own = {"username": "a&b", **counts, **amounts}
    info = overview(context, Shapes(context.resource_types))
    (every,) = of_kind(page(empty, info=info, own=own, user="a&b"), "folded")
    parts = [one["section"] for one in every]
    groups = {head["heading"]: shown["facts"] for head, shown in parts}
    assert list(groups) == [
        "Cluster Metrics",
        "Cluster Nodes Metrics",
        "User Metrics for a&b",
        "Scheduler Metrics",
    ]
    assert groups["User Metrics for a&b"][0]["to"] == "/cluster/apps/RUNNING?user=a%26b"
    facts = {one["name"]: one["value"] for one in groups["Scheduler Metrics"]}
    assert facts["Scheduling Resource Type"] == "memory-mb (Mi), vcores"
    assert facts["Scheduler Busy %"] == "N/A"
    assert len(of_kind(page(empty, user="other"), "folded")[0]) == 2


def test_what_waits_is_listed_and_what_was_not_looked_at_is_counted(empty: dict[str, Any]) -> None:
    why = waiting((FULL, "root.a", 9, 1)) | {"unseen": 1}
    shown = page(with_nodes(empty), why)
    listed, (more,) = named(shown, "Pending by reason"), paragraphs(shown, "how")
    assert "What is waiting, and why" in of_kind(shown, "heading")
    assert [one["key"] for one in listed["columns"] if one.get("order") == "descending"] == ["containers"]
    assert listed["grid"][0]["containers"] == 9
    assert listed["grid"][0][listed["of"]] == f"root.a {FULL}"
    assert more.startswith("1 more waiting application is not listed here")
    nothing = page(with_nodes(empty), waiting())
    assert [one for one in nothing if "grid" in one] == []
    assert nothing[-2]["source"] == "/ui/apps?states=ACCEPTED,RUNNING&limit=20&list=apps"
