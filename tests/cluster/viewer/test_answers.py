"""What a recording answers to the pages, at different moments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blocks import of_kind
from tests.cluster.viewer.conftest import recorded
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.refusals import RestError
from yarnbox.sim.recording.document import Recording, read, write
from yarnbox.yarn.settings import declarations

A1 = "application_0_0001"
BEGIN, SUBMITTED, THREE, RESERVED, LOST, OVER = 0, 1000, 5000, 10_000, 11_000, 12_000


@pytest.fixture
def cluster(recording: Recording) -> RecordedCluster:
    return RecordedCluster(recording)


def test_the_figures_of_the_cluster(cluster: RecordedCluster) -> None:
    def metrics(at: int | None) -> Any:
        return cluster.answer("/metrics", {}, at)["clusterMetrics"]

    assert (metrics(BEGIN)["appsSubmitted"], metrics(THREE)["appsSubmitted"]) == (0, 1)
    assert (metrics(THREE)["allocatedMB"], metrics(THREE)["totalMB"]) == (3072, 8192)
    assert metrics(None) == metrics(10**9), "without a moment it is the last one"
    assert metrics(THREE + 999) == metrics(THREE), "between two moments it is the earlier one"


def test_applications_are_found_as_on_a_living_cluster(cluster: RecordedCluster) -> None:
    def found(at: int | None, **query: str) -> list[str]:
        return [one["name"] for one in cluster.answer("/ui/apps", query, at)["found"]["app"]]

    assert found(BEGIN) == []
    assert found(SUBMITTED) == ["a1"]
    assert found(None) == ["b1", "a1"]
    assert found(None, sort="id") == ["a1", "b1"]
    assert found(None, q="user:mei") == found(None, states="FINISHED") == ["a1"]
    assert found(THREE, q="mem>3000") == ["a1"]
    assert found(None, limit="1") == ["b1"]
    facets = cluster.answer("/ui/apps", {}, None)["found"]["facets"]
    assert facets["state"] == {"FINISHED": 1, "RUNNING": 1}


def test_an_application_at_two_moments(cluster: RecordedCluster) -> None:
    then = cluster.answer(f"/apps/{A1}", {}, THREE)["app"]
    assert (then["state"], then["runningContainers"], then["pendingContainers"]) == ("RUNNING", 3, 1)
    assert (then["startedTime"], then["finishedTime"]) == (EPOCH_MS + SUBMITTED, 0)
    assert then["elapsedTime"] == THREE - SUBMITTED
    assert then["clusterUsagePercentage"] == 37.5
    assert then["resourceRequests"][0]["numContainers"] == 1
    end = cluster.answer(f"/apps/{A1}", {}, None)["app"]
    assert (end["state"], end["finishedTime"]) == ("FINISHED", EPOCH_MS + OVER)
    (attempt,) = cluster.answer(f"/apps/{A1}/appattempts", {}, None)["appAttempts"]["appAttempt"]
    assert (attempt["appAttemptState"], attempt["finishedTime"]) == ("FINISHED", EPOCH_MS + OVER)


def test_nodes_come_and_go(cluster: RecordedCluster) -> None:
    def states(at: int | None) -> dict[str, str]:
        return {one["host"]: one["state"] for one in cluster.answer("/ui/nodes", {}, at)["nodes"]["node"]}

    assert states(BEGIN) == {"n1": "RUNNING", "n2": "RUNNING"}
    assert states(LOST) == {"n1": "LOST", "n2": "RUNNING"}
    node = cluster.answer("/nodes/n2:1234", {}, THREE)["node"]
    assert (node["rack"], node["usedMemoryMB"], node["availMemoryMB"]) == ("/r2", 1024, 3072)
    assert cluster.answer("/nodes/n2%3A1234", {}, THREE)["node"] == node


def test_containers_in_their_states(cluster: RecordedCluster) -> None:
    def states(at: int | None, **query: str) -> list[str]:
        rows = cluster.answer("/ui/containers", query, at)["containers"]["container"]
        return [one["state"] for one in rows]

    assert states(BEGIN, app=A1) == []
    assert states(THREE, app=A1) == ["ALLOCATED"] * 3
    assert states(RESERVED, node="n2:1234") == ["RUNNING", "ALLOCATED", "RESERVED"]
    assert states(LOST, node="n1:1234") == ["COMPLETE"] * 2
    assert states(RESERVED, queue="root") == states(RESERVED, node="n1:1234") + states(
        RESERVED, node="n2:1234"
    )
    assert states(RESERVED, queue="roo") == []
    first = cluster.answer("/ui/containers", {"app": A1}, LOST)["containers"]["container"][0]
    assert (first["exitStatus"], first["finished"], first["isAM"]) == (-100, EPOCH_MS + LOST, False)


def test_the_containers_of_the_whole_run(cluster: RecordedCluster) -> None:
    whole = cluster.answer("/ui/containers", {}, None)["containers"]
    assert {one["app"] for one in whole["container"]} == set(whole["names"]), "those of the whole run"
    assert (whole["names"][A1], whole["now"]) == ("a1", EPOCH_MS + cluster.recording.end)
    assert (whole["isCut"], whole["known"]) == (False, len(cluster.recording.containers))
    assert {one["kind"] for one in whole["container"]} == {"lost", "ended", "reserved"}
    later = cluster.answer("/ui/containers", {"origin": "500"}, None)["containers"]
    assert later["now"] == whole["now"] - 500
    for one, shifted in zip(whole["container"], later["container"], strict=True):
        assert one["moment"] == shifted["moment"] == one["started"] - EPOCH_MS, "a moment of the run"
    moments = {
        (one[name], shifted[name])
        for one, shifted in zip(whole["container"], later["container"], strict=True)
        for name in ("reserved", "started", "allocated", "running", "finished")
    }
    assert {time and time - shifted for time, shifted in moments} == {0, 500}, "what has not been stays 0"


def test_many_containers_come_in_parts(cluster: RecordedCluster) -> None:
    def part(**query: str) -> tuple[Any, ...]:
        found = cluster.answer("/ui/containers", query, None)["containers"]
        assert (found["known"], len(found["names"])) == (len(whole), 2), "whatever is shown of them"
        return found["container"], found["isCut"]

    whole = cluster.answer("/ui/containers", {}, None)["containers"]["container"]
    assert part(limit="2") == (whole[-2:], True)
    assert part(limit="99") == (whole, False)
    assert part(**{"from": "0", "limit": "3"}) == (whole[:3], False)
    assert part(**{"from": "3", "limit": "3"}) == (whole[3:6], False)


def test_shares_over_the_whole_run_are_known_up_to_the_moment(cluster: RecordedCluster) -> None:
    history = cluster.answer("/ui/history/queues", {"parent": "root"}, THREE)["history"]
    assert [one["path"] for one in history["queue"]] == ["root.a", "root.b"]
    used = history["queue"][0]["used"]
    assert len(used) == len(history["times"]) == len(cluster.recording.moments)
    assert used[:6] == [0.0, 0.0, 0.0, 12.5, 25.0, 37.5]
    assert set(used[6:]) == {None}
    assert history["mark"][-1] == {"time": EPOCH_MS + THREE, "kind": "now", "text": ""}
    whole = cluster.answer("/ui/history/queues", {"parent": "root", "whole": "1"}, THREE)["history"]
    assert None not in whole["queue"][0]["used"]
    assert whole["mark"][-1] == history["mark"][-1]
    leaf = cluster.answer("/ui/history/queues", {"parent": "root.a"}, THREE)["history"]
    assert [one["path"] for one in leaf["queue"]] == ["root.a"]
    few = cluster.answer("/ui/history/cluster", {"points": "4"}, None)["history"]
    assert (len(few["times"]), few["times"][-1]) == (5, EPOCH_MS + cluster.recording.end)


def test_the_queues_of_the_scheduler(cluster: RecordedCluster) -> None:
    info = cluster.answer("/scheduler", {}, THREE)["scheduler"]["schedulerInfo"]
    first = info["queues"]["queue"][0]
    assert (info["type"], first["queuePath"]) == ("capacityScheduler", "root.a")
    assert first["users"]["user"][0]["username"] == "mei"


def test_what_happened_until_then(cluster: RecordedCluster) -> None:
    def events(at: int) -> list[Any]:
        found: list[Any] = cluster.answer("/ui/events", {}, at)["events"]["event"]
        return found

    assert [one["subject"] for one in events(BEGIN)] == ["n2:1234", "n1:1234"], "the newest first"
    assert any(one["isTrouble"] and one["subject"] == "n1:1234" for one in events(LOST))


def test_what_a_recording_of_a_workload_leaves_out_is_empty(workload: Recording) -> None:
    cluster = RecordedCluster(workload)
    assert cluster.answer("/scheduler-overview", {}, None) is None
    assert cluster.answer("/ui/waiting", {}, None) == {"waiting": None}
    assert cluster.counts_vcores
    assert cluster.answer("/ui/queue-users", {"queue": "root.default"}, None) == {"users": {"user": []}}
    told = cluster.answer(f"/ui/app/{A1}", {}, None)["app"]["block"]
    (life,) = of_kind(told, "lifeline")
    assert [one["step"] for one in life] == ["submitted", "AM launched", "finished"]
    (every,) = of_kind(cluster.answer("/ui/cluster", {}, None)["cluster"]["block"], "folded")
    assert [one["section"][0]["heading"] for one in every] == ["Cluster Metrics", "Cluster Nodes Metrics"]
    assert cluster.answer(f"/ui/why/{A1}", {}, None) == {"why": {}}


@pytest.mark.parametrize("path", ["/info", "/get-rm-node-labels", "/ui/conf"])
def test_what_else_pages_ask_for(cluster: RecordedCluster, path: str) -> None:
    assert cluster.answer(path, {}, None)


def test_what_is_said_about_the_run(cluster: RecordedCluster) -> None:
    info = cluster.answer("/info", {}, None)["clusterInfo"]
    assert (info["kind"], info["scheduler"]) == ("scenario", "CapacityScheduler")
    assert (info["moments"], info["end"]) == (len(cluster.recording.moments), cluster.recording.end)


def test_what_is_configured_and_what_is_not(cluster: RecordedCluster) -> None:
    rows = {
        one["name"]: one
        for one in cluster.answer("/ui/conf", {"which": "all"}, None)["configuration"]["property"]
    }
    assert rows["hadoop.tmp.dir"]["isDefault"]
    chosen = rows["yarn.resourcemanager.scheduler.class"]
    assert not chosen["isDefault"]
    assert chosen["meaning"]
    defaults = {one.name for one in declarations(RMSettings) if one.default_text is not None}
    assert defaults <= set(rows), "as the page of a cluster has them"


REFRESHED = """\
name: refreshed
conf: {yarn.resourcemanager.scheduler.class: SCHEDULER}
steps:
  - refresh: REFRESH
"""


def test_properties_of_the_queues_at_each_moment() -> None:
    root = "yarn.scheduler.capacity.root"
    tree = f"capacity-scheduler: {{{root}.queues: x, {root}.x.capacity"
    refresh = f"{{{tree}: 100, yarn.scheduler.capacity.maximum-applications: 5}}}}"
    text = REFRESHED.replace("SCHEDULER", "capacity").replace("REFRESH", refresh)
    cluster = RecordedCluster(recorded(f"{text}{tree}: 100.0}}\n"))

    def queues(at: int | None) -> dict[str, Any]:
        rows = cluster.answer("/ui/conf", {}, at)["configuration"]["property"]
        found = [one for one in rows if one["source"] == "capacity-scheduler.xml"]
        return {one["name"].removeprefix("yarn.scheduler.capacity."): one["value"] for one in found}

    assert queues(BEGIN) == {"root.queues": "x", "root.x.capacity": "100.0"}
    assert queues(None) == {"root.queues": "x", "root.x.capacity": "100", "maximum-applications": "5"}


def test_the_allocation_file_at_each_moment() -> None:
    before, after = "<allocations/>", "<allocations><queue name='x'/></allocations>"
    text = REFRESHED.replace("SCHEDULER", "fair").replace("REFRESH", f'{{fair-scheduler: "{after}"}}')
    cluster = RecordedCluster(recorded(f'{text}fair-scheduler: "{before}"\n'))
    shown = [cluster.answer("/ui/conf", {}, at)["configuration"]["block"][-1] for at in (BEGIN, None)]
    assert shown == [{"label": "fair-scheduler.xml", "text": one} for one in (before, after)]


def test_a_recording_from_before_schedulers_files_were_recorded(recording: Recording) -> None:
    kept = {name: tracks for name, tracks in recording.documents.items() if name != "/scheduler-file"}
    earlier = RecordedCluster(read(write({**recording.data, "documents": kept}), "earlier"))
    shown = earlier.answer("/ui/conf", {"which": "all"}, None)["configuration"]
    assert shown["property"]
    assert not any("capacity-scheduler" in one["source"] for one in shown["property"])


def test_what_waits_and_why(cluster: RecordedCluster) -> None:
    b1 = "application_0_0002"
    why = cluster.answer(f"/ui/why/{b1}", {}, RESERVED - 1000)["why"]
    assert (why["queue"], len(why["reasons"])) == ("root.b", 1)
    assert not cluster.counts_vcores
    (waits,) = cluster.answer("/ui/waiting", {}, RESERVED)["waiting"]["reason"]
    assert (waits["containers"], waits["example"], waits["queue"]) == (1, b1, "root.b")
    (user,) = cluster.answer("/ui/queue-users", {"queue": "root.a"}, THREE)["users"]["user"]
    assert (user["username"], user["runningContainers"], user["pendingContainers"]) == ("mei", 3, 1)
    assert cluster.answer("/scheduler-overview", {}, THREE)["schedulerType"] == "Capacity Scheduler"


def test_the_steps_of_a_life(cluster: RecordedCluster) -> None:
    (steps,) = of_kind(cluster.answer(f"/ui/app/{A1}", {}, None)["app"]["block"], "lifeline")
    assert [(one["step"], one["time"] - EPOCH_MS) for one in steps] == [
        ("submitted", SUBMITTED),
        ("accepted", SUBMITTED),
        ("running", SUBMITTED),
        ("finished", OVER),
    ]


def test_lists_as_hadoop_has_them(cluster: RecordedCluster) -> None:
    apps = cluster.answer("/apps", {"states": "FINISHED"}, None)["apps"]["app"]
    assert [(one["name"], one["trackingUI"]) for one in apps] == [("a1", "UNASSIGNED")]
    assert [one["id"] for one in cluster.answer("/nodes", {}, 0)["nodes"]["node"]] == ["n1:1234", "n2:1234"]


@pytest.mark.parametrize(
    "path", ["/apps/application_0_0009", "/nodes/n9:1", "/ui/why/x", "/jmx", "/../../x", "/apps/a/b/c"]
)
def test_what_a_recording_does_not_know(cluster: RecordedCluster, path: str) -> None:
    with pytest.raises(RestError) as refused:
        cluster.answer(path, {}, None)
    assert refused.value.status == 404
