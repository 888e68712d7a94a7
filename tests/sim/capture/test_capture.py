"""A cluster as a directory: from our own ResourceManager over REST, from saved answers; then played."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.rm.edge.test_process import play, running
from yarnbox.sim import play as play_load
from yarnbox.sim import read_load
from yarnbox.sim.capture.applications import jobs_of
from yarnbox.sim.load.command import main
from yarnbox.sim.load.formats import LoadOptions
from yarnbox.sim.load.reading import Complaints
from yarnbox.sim.workload.command import main as sim
from yarnbox.yarn.records.master import AllocateRequest, RegisterApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

APPS = {
    "apps": {
        "app": [
            {
                "id": "application_1_0002",
                "user": "tom",
                "name": "report",
                "queue": "root.etl",
                "state": "FINISHED",
                "startedTime": 61_000,
                "launchTime": 62_000,
                "elapsedTime": 43_000,
                "memorySeconds": 1024 * 42 + 6 * 2048 * 40,
                "vcoreSeconds": 42 + 6 * 40,
                "applicationType": "SPARK",
                "applicationTags": "nightly",
                "priority": 2,
            },
            {
                "id": "application_1_0001",
                "user": "mei",
                "name": "",
                "queue": "root.default",
                "state": "FINISHED",
                "startedTime": 1000,
                "launchTime": 1500,
                "elapsedTime": 10_500,
                "memorySeconds": 10_240,
                "vcoreSeconds": 10,
                "priority": 0,
            },
            {"id": "application_1_0003", "startedTime": 2000, "memorySeconds": 0, "vcoreSeconds": 0},
        ]
    }
}
NODES = {
    "nodes": {
        "node": [
            {
                "id": f"host{number}:45454",
                "rack": f"/row{number % 2}",
                "state": "LOST" if number == 3 else "RUNNING",
                "usedMemoryMB": 1024,
                "availMemoryMB": 7168,
                "usedVirtualCores": 1,
                "availableVirtualCores": 7,
                "nodeLabels": ["gpu"] if number == 2 else [""],
            }
            for number in range(4)
        ]
    }
}
PARTS = [{"partitionName": "", "capacity": 50}, {"partitionName": "gpu", "capacity": 100, "maxCapacity": 100}]
SCHEDULER = {
    "scheduler": {
        "schedulerInfo": {
            "type": "capacityScheduler",
            "queueName": "root",
            "capacities": {"queueCapacitiesByPartition": PARTS},
            "queues": {
                "queue": [
                    {"queueName": "default", "capacity": 25.0, "maxCapacity": 100.0, "weight": -1},
                    {
                        "queueName": "etl",
                        "capacity": 75.0,
                        "maxCapacity": 100.0,
                        "userLimit": 100,
                        "userLimitFactor": 2.0,
                        "capacities": {"queueCapacitiesByPartition": PARTS},
                    },
                ]
            },
        }
    }
}


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    directory = tmp_path / "dump"
    directory.mkdir()
    for name, answer in (("apps", APPS), ("nodes", NODES), ("scheduler", SCHEDULER)):
        (directory / f"{name}.json").write_text(json.dumps(answer))
    return directory


def run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(words, out=out, err=err), out.getvalue(), err.getvalue()


def test_tasks_are_modelled_from_sums() -> None:
    complaints = Complaints()
    first, second = jobs_of(APPS["apps"]["app"], "apps.json", complaints)
    assert [(one.job_id, one.submit_ms) for one in (first, second)] == [
        ("application_1_0001", 0),
        ("application_1_0002", 60_000),
    ]
    (task,) = second.tasks
    assert (task.count, task.duration_ms, task.resource) == (6, 40_000, Resource(2048, 1))
    assert (second.priority, second.type, second.tags, second.fidelity) == (
        2,
        "SPARK",
        ("nightly",),
        "modelled",
    )
    (alone,) = first.tasks
    assert (alone.count, alone.duration_ms) == (1, 8000)
    assert complaints.warnings == ["application_1_0003: used nothing, and is left out"]


def test_an_application_of_a_second_and_a_half_is_a_few_containers() -> None:
    """Of its 1.57 s an AM of 1 GiB held 1607 MB-seconds, so that 2664 are left for tasks of 0.785 s."""
    short = {
        "id": "application_1_0007",
        "startedTime": 1000,
        "launchTime": 1000,
        "elapsedTime": 1570,
        "memorySeconds": 4271,
        "vcoreSeconds": 4,
    }
    (job,) = jobs_of([short], "apps.json", Complaints())
    (task,) = job.tasks
    assert (task.count, task.duration_ms, task.resource) == (3, 867, Resource(1024, 1))


def test_a_state_dump_becomes_a_directory_that_is_played(dump: Path, tmp_path: Path) -> None:
    place = tmp_path / "captured"
    status, out, err = run("from-state-dump", str(dump), "--out", str(place))
    assert status == 0
    assert out.startswith(f"{place}: 2 jobs (0 traced, 2 modelled from sums), 3 nodes\n")
    assert err == "application_1_0003: used nothing, and is left out\n"
    load = read_load(place / "load.jsonl", options=LoadOptions(nodes=place / "nodes.json"))
    assert [one.place for one in load.nodes.nodes] == ["/row0/host0", "/row0/host2", "/row1/host1"]
    assert load.nodes.exclusive == {"gpu": True}
    result = play_load(place / "conf", load)
    assert [(one.job, one.state, one.queue) for one in result.jobs] == [
        ("application_1_0001", "FINISHED", "root.default"),
        ("application_1_0002", "FINISHED", "root.etl"),
    ]
    response_ms = result.jobs[1].response_ms
    assert response_ms is not None
    assert 40_000 < response_ms < 60_000
    assert {one.queue: one.guarantee_mb for one in result.queues} == {"root.default": 4096, "root.etl": 12288}
    assert sim(["run", str(place)], out=io.StringIO(), err=io.StringIO()) == 0


def test_labels_that_only_nodes_have_are_enabled_too(dump: Path, tmp_path: Path) -> None:
    """Else `sim run` and `whatif` refuse what was captured."""
    unlabelled = json.loads(json.dumps(SCHEDULER).replace('"gpu"', '""'))
    (dump / "scheduler.json").write_text(json.dumps(unlabelled))
    place = tmp_path / "captured"
    assert run("from-state-dump", str(dump), "--out", str(place))[0] == 0
    assert sim(["run", str(place)], out=io.StringIO(), err=io.StringIO()) == 0


def test_nobody_is_named_in_an_anonymous_capture(dump: Path, tmp_path: Path) -> None:
    place = tmp_path / "captured"
    assert run("from-state-dump", str(dump), "--out", str(place), "--anonymize")[0] == 0
    text = "".join(file.read_text() for file in place.rglob("*") if file.is_file())
    for name in ("tom", "mei", "report", "etl", "host0", "row1", "application_1", "nightly"):
        assert name not in text
    load = read_load(place / "load.jsonl", options=LoadOptions(nodes=place / "nodes.json"))
    assert [(one.user, one.queue, one.name) for one in load.jobs()] == [
        ("user1", "root.default", "job1"),
        ("user2", "root.queue1", "job2"),
    ]
    assert [one.state for one in play_load(place / "conf", load).jobs] == ["FINISHED", "FINISHED"]


def test_settings_of_users_are_those_of_their_numbers(dump: Path, tmp_path: Path) -> None:
    names = {
        "queues": "default,etl",
        "etl.capacity": "75",
        "default.capacity": "25",
        "etl.user-settings.tom.weight": "2",
    }
    properties = [{"name": f"yarn.scheduler.capacity.root.{name}", "value": names[name]} for name in names]
    (dump / "scheduler-conf.json").write_text(json.dumps({"property": properties}))
    place = tmp_path / "captured"
    assert run("from-state-dump", str(dump), "--out", str(place), "--anonymize")[0] == 0
    text = (place / "conf" / "capacity-scheduler.xml").read_text()
    assert "<name>yarn.scheduler.capacity.root.queue1.user-settings.user2.weight</name>" in text
    assert "tom" not in text


@pytest.mark.parametrize(
    "name, answer, why",
    [
        ("nodes", {"nodes": None}, "nodes: no node runs"),
        ("nodes", None, "/nodes.json: is missing or empty; it has to hold what /ws/v1/cluster/nodes answers"),
        ("nodes", APPS, "nodes: is not an answer of /ws/v1/cluster/nodes, which begins with {'nodes': ..."),
        ("apps", [3], "/apps.json: is not an answer of /ws/v1/cluster/apps"),
        ("apps", {"apps": {"app": 2 * APPS["apps"]["app"][:1]}}, "apps: application_1_0002 is listed twice"),
        ("scheduler", {}, "scheduler: is not an answer of /ws/v1/cluster/scheduler"),
        ("apps", {"apps": None}, "apps: contains no application that used resources"),
        (
            "apps",
            {"apps": {"app": [{"id": "a", "startedTime": -4}]}},
            "apps: apps.app[0].startedTime: has to be",
        ),
    ],
)
def test_what_cannot_be_captured_is_one_line(
    dump: Path, tmp_path: Path, name: str, answer: Any, why: str
) -> None:
    (dump / f"{name}.json").write_text(json.dumps(answer))
    status, out, err = run("from-state-dump", str(dump), "--out", str(tmp_path / "captured"))
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"yarnbox: {dump}")
    assert why in line
    assert [one.name for one in tmp_path.iterdir()] == ["dump"]


def test_bad_applications_are_left_out_and_told(dump: Path, tmp_path: Path) -> None:
    words = ("from-state-dump", str(dump), "--lenient", "--out", str(tmp_path / "captured"))
    bad = {"id": "application_1_0009", "startedTime": "yesterday"}
    (dump / "apps.json").write_text(json.dumps({"apps": {"app": [bad]}}))
    status, _, err = run(*words)
    assert status == 2
    assert "; 1 bad application left out, the first: " in err
    (dump / "apps.json").write_text(json.dumps({"apps": {"app": [*APPS["apps"]["app"], bad]}}))
    status, out, err = run(*words)
    assert (status, out.startswith(f"{tmp_path}/captured: 2 jobs")) == (1, True)
    assert "apps.app[3].startedTime: has to be a whole number, not 'yesterday'" in err


def test_a_directory_that_is_there_is_left_alone(dump: Path) -> None:
    status, _, err = run("from-state-dump", str(dump), "--out", str(dump))
    assert (status, err) == (2, f"yarnbox: {dump}: exists already\n")


def test_nobody_at_the_address(tmp_path: Path) -> None:
    assert run("capture", "host:8088", "--out", str(tmp_path / "x"))[0] == 2
    status, _, err = run("capture", "http://127.0.0.1:1", "--out", str(tmp_path / "x"))
    assert status == 2
    assert err.startswith("yarnbox: http://127.0.0.1:1/ws/v1/cluster/nodes: ")


def test_our_own_resourcemanager_is_captured_and_played(tmp_path: Path) -> None:
    place = tmp_path / "captured"

    async def scene() -> None:
        async with running(tmp_path) as desk:
            await desk.register()
            application_id = await desk.submit()
            async with desk.master(await desk.token(application_id)) as master:
                await master.call(
                    "registerApplicationMaster",
                    RegisterApplicationMasterRequest(host="", rpc_port=-1, tracking_url=""),
                )
                ask = ResourceRequest(
                    priority=1, resource_name="*", capability=Resource(1024, 1), num_containers=1
                )
                await master.call("allocate", AllocateRequest(ask=(ask,), response_id=0, progress=0.0))
                await desk.beat()
                words = ("capture", f"http://{desk.web}", "--user", "ann", "--out", str(place))
                while (answer := await asyncio.to_thread(run, *words))[0] != 0:
                    assert "contains no application that used resources" in answer[2]
                first = answer[1].splitlines()[0]
                assert first == f"{place}: 1 job (0 traced, 1 modelled from sums), 1 node"

    play(scene)
    load = read_load(place / "load.jsonl", options=LoadOptions(nodes=place / "nodes.json"))
    assert [node.resource for node in load.nodes.nodes] == [Resource(8192, 8)]
    (job,) = play_load(place / "conf", load).jobs
    assert (job.state, job.fidelity) == ("FINISHED", "modelled")
