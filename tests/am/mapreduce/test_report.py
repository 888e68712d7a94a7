"""The AM's REST pages and the umbilical's door."""

from __future__ import annotations

import json
from typing import Any

import pytest

from am.mapreduce.http import Request
from am.mapreduce.job import JobState
from am.mapreduce.report import AMInfo, Pages
from am.mapreduce.settings import JobSettings
from am.mapreduce.splits import Split
from am.mapreduce.umbilical import HASH_HEADER, signature
from am.mapreduce.umbilical_server import UmbilicalServer
from tests.am.mapreduce.rig import Rig
from yarn.ids import ContainerId, NodeId


def page(rig: Rig, path: str) -> Any:
    pages = Pages(rig.core, JobSettings(), "me", lambda _host: "/r1")
    answer = pages.answer(Request("GET", f"/ws/v1/mapreduce{path}", {}, b""))
    assert answer.status == 200, answer.body
    return json.loads(answer.body)


def test_the_pages_have_the_shapes_of_hadoops() -> None:
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    rig.finish(rig.attempts(maps=True)[0])
    job = page(rig, "/jobs/job_1_0001")["job"]
    assert (job["state"], job["mapsTotal"], job["mapsCompleted"], job["mapProgress"]) == (
        "RUNNING",
        2,
        1,
        50.0,
    )
    assert page(rig, "/jobs")["jobs"]["job"] == [job]
    assert page(rig, "/info")["info"]["appId"] == "application_1_0001"
    tasks = page(rig, "/jobs/job_1_0001/tasks")["tasks"]["task"]
    assert [task["state"] for task in tasks] == ["SUCCEEDED", "RUNNING", "SCHEDULED"]
    (attempt,) = page(rig, f"/jobs/job_1_0001/tasks/{tasks[0]['id']}/attempts")["taskAttempts"]["taskAttempt"]
    assert (attempt["nodeHost"], attempt["state"]) == ("n1", "SUCCESS_FINISHING_CONTAINER")
    groups = page(rig, "/jobs/job_1_0001/counters")["jobCounters"]["counterGroup"]
    counters = {c["name"]: c["totalCounterValue"] for group in groups for c in group["counter"]}
    assert counters == {"c": 1, "TOTAL_LAUNCHED_MAPS": 2, "DATA_LOCAL_MAPS": 2}


def test_the_am_tells_where_it_runs() -> None:
    container_id = ContainerId.parse("container_1_0001_02_000001")
    am = AMInfo(2, container_id, NodeId("n3", 1234), 5000)
    pages = Pages(Rig().core, JobSettings(), "me", lambda _host: "/r1", am)
    answer = pages.answer(Request("GET", "/ws/v1/mapreduce/jobs/job_1_0001/jobattempts", {}, b""))
    (told,) = json.loads(answer.body)["jobAttempts"]["jobAttempt"]
    assert told == {
        "id": 2,
        "startTime": 5000,
        "containerId": str(container_id),
        "nodeId": "n3:1234",
        "nodeHost": "n3",
    }
    assert pages.report()["jobAttempts"] == [told]


@pytest.mark.parametrize(
    "method, target, status",
    [
        ("GET", "/", 404),
        ("GET", "/ws/v1/mapreduce/jobs/job_1_0002", 404),
        ("GET", "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_x/attempts", 404),
        ("PUT", "/ws/v1/mapreduce/info", 405),
    ],
)
def test_there_are_no_other_pages(method: str, target: str, status: int) -> None:
    pages = Pages(Rig().core, JobSettings(), "me", lambda _host: "/r1")
    assert pages.answer(Request(method, target, {}, b"")).status == status


class TestUmbilical:
    def call(self, rig: Rig, name: str, secret: bytes = b"secret", **arguments: Any) -> tuple[int, Any]:
        server = UmbilicalServer(rig.core, [Split()] * 2, JobSettings(), b"secret", "", rig.settle)
        body = json.dumps(arguments).encode()
        target = f"/umbilical/{name}"
        headers = {HASH_HEADER.lower(): signature(secret, target, body)}
        answer = server.answer(Request("POST", target, headers, body))
        return answer.status, json.loads(answer.body)

    def test_a_call_without_the_secret_changes_nothing(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        status, _ = self.call(rig, "killJob", secret=b"guessed")
        assert status == 401
        assert rig.state is JobState.RUNNING

    def test_a_task_gets_its_plan_and_one_that_is_not_wanted_dies(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        attempt = str(rig.attempts(maps=True)[0])
        status, answer = self.call(rig, "getTask", attempt=attempt)
        assert (status, answer["word"], answer["plan"]["maps"]) == (200, "run", 2)
        assert self.call(rig, "getTask", attempt=attempt[:-1] + "7") == (200, {"word": "die"})
        assert self.call(rig, "juggle", attempt=attempt)[0] == 404

    def test_a_client_may_end_the_job(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        assert self.call(rig, "killJob", diagnostics="enough") == (200, {})
        rig.beat()
        assert rig.state is JobState.KILLED
