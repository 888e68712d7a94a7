"""The AM's REST pages and the umbilical's door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.rig import Rig
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.app.report import AMInfo, BadQueryError, Pages
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.splits import Split
from yarnbox.am.mapreduce.umbilical import signature
from yarnbox.yarn.configuration.document import write
from yarnbox.yarn.ids import ContainerId, NodeId


def page(rig: Rig, path: str) -> Any:
    pages = Pages(rig.core, JobSettings(), "me")
    answer = pages.answer(f"/ws/v1/mapreduce{path}")
    assert answer is not None
    return json.loads(json.dumps(answer))


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
    proxied = "/jobs/job_1_0001/ws/v1/mapreduce/jobs"  # of /proxy/application_1_0001/ws/v1/mapreduce/jobs
    assert page(rig, proxied) == page(rig, "/jobs")
    tasks = page(rig, "/jobs/job_1_0001/tasks")["tasks"]["task"]
    assert [task["state"] for task in tasks] == ["SUCCEEDED", "RUNNING", "SCHEDULED"]
    (attempt,) = page(rig, f"/jobs/job_1_0001/tasks/{tasks[0]['id']}/attempts")["taskAttempts"]["taskAttempt"]
    assert (attempt["nodeHost"], attempt["state"]) == ("n1", "SUCCEEDED")
    groups = page(rig, "/jobs/job_1_0001/counters")["jobCounters"]["counterGroup"]
    counters = {c["name"]: c["totalCounterValue"] for group in groups for c in group["counter"]}
    assert counters == {
        "c": 1, "TOTAL_LAUNCHED_MAPS": 2, "DATA_LOCAL_MAPS": 2,
        "MILLIS_MAPS": 0, "SLOTS_MILLIS_MAPS": 0, "VCORES_MILLIS_MAPS": 0, "MB_MILLIS_MAPS": 0,
    }  # fmt: skip
    rig.core.status_update(rig.attempts(maps=True)[0], 0.5, "MAP", {"g": {"c": 5}})
    groups = page(rig, "/jobs/job_1_0001/counters")["jobCounters"]["counterGroup"]
    counted = {"name": "c", "totalCounterValue": 6, "mapCounterValue": 6, "reduceCounterValue": 0}
    assert counted in groups[0]["counter"], "what runs counts, too"


def test_a_job_counts_its_tasks_and_their_attempts() -> None:
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    rig.finish(rig.attempts(maps=True)[0])
    job = page(rig, "/jobs/job_1_0001")["job"]
    assert {name: job[name] for name in job if name.startswith("maps") or "Attempts" in name} == {
        "mapsTotal": 2, "mapsCompleted": 1, "mapsPending": 0, "mapsRunning": 1,
        "newMapAttempts": 0, "runningMapAttempts": 1, "successfulMapAttempts": 1,
        "failedMapAttempts": 0, "killedMapAttempts": 0,
        "newReduceAttempts": 1, "runningReduceAttempts": 0, "successfulReduceAttempts": 0,
        "failedReduceAttempts": 0, "killedReduceAttempts": 0,
    }  # fmt: skip
    assert (job["reducesPending"], job["uberized"], job["acls"]) == (1, False, [])


def test_a_task_and_an_attempt_have_pages_of_their_own() -> None:
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    done = rig.attempts(maps=True)[0]
    rig.finish(done)
    tasks = "/jobs/job_1_0001/tasks"
    listed = page(rig, tasks)["tasks"]["task"]
    assert [one["id"] for one in page(rig, f"{tasks}?type=r")["tasks"]["task"]] == [listed[2]["id"]]
    assert page(rig, f"{tasks}?type=m")["tasks"]["task"] == listed[:2]
    with pytest.raises(BadQueryError, match="tasktype must be either m or r"):
        page(rig, f"{tasks}?type=x")
    at = f"{tasks}/{listed[0]['id']}"
    assert page(rig, at)["task"] == listed[0]
    group = [{"counterGroupName": "g", "counter": [{"name": "c", "value": 1}]}]
    assert page(rig, f"{at}/counters") == {
        "jobTaskCounters": {"id": listed[0]["id"], "taskCounterGroup": group}
    }
    (attempt,) = page(rig, f"{at}/attempts")["taskAttempts"]["taskAttempt"]
    own = f"{at}/attempts/{done}"
    assert page(rig, own)["taskAttempt"] == attempt
    assert page(rig, f"{own}/state") == {"jobTaskAttemptState": {"state": "SUCCEEDED"}}
    assert page(rig, f"{own}/counters") == {
        "jobTaskAttemptCounters": {"id": str(done), "taskAttemptCounterGroup": group}
    }
    (reduce,) = page(rig, f"{tasks}/{listed[2]['id']}/attempts")["taskAttempts"]["taskAttempt"]
    assert (reduce["state"], reduce["shuffleFinishTime"], reduce["elapsedReduceTime"]) == ("STARTING", 0, 0)


def test_hosts_where_too_much_failed_are_told() -> None:
    rig = Rig(maps=4, hosts=("n1",))
    assert page(rig, "/blacklistednodes") == {"blacklistednodesinfo": {"blacklistedNodes": []}}
    rig.beat()
    for attempt in rig.attempts(maps=True)[:3]:
        assert rig.node_of(attempt) == "n1"
        rig.finish(attempt, exit_status=1)
    rig.beat()
    assert page(rig, "/blacklistednodes")["blacklistednodesinfo"]["blacklistedNodes"] == ["n1"]


def test_the_configuration_is_shown_without_what_is_secret(tmp_path: Path) -> None:
    conf = tmp_path / "job.xml"
    properties = {"mapreduce.job.redacted-properties": "b, c", "a": "1", "b": "2"}
    conf.write_text(write((name, value, False) for name, value in properties.items()))
    answer = Pages(Rig().core, JobSettings(), "me", conf=conf).answer("/ws/v1/mapreduce/jobs/job_1_0001/conf")
    assert answer is not None
    assert answer["conf"]["path"] == str(conf)
    told = {one["name"]: one["value"] for one in answer["conf"]["property"]}
    assert told == {**properties, "b": "*********(redacted)"}
    assert all(str(conf) in one["source"][0] for one in answer["conf"]["property"])


def test_the_am_tells_where_it_runs() -> None:
    container_id = ContainerId.parse("container_1_0001_02_000001")
    am = AMInfo(2, container_id, NodeId("n3", 1234), 5000, http_port=8042)
    pages = Pages(Rig().core, JobSettings(), "me", am)
    answer = pages.answer("/ws/v1/mapreduce/jobs/job_1_0001/jobattempts")
    assert answer is not None
    (told,) = answer["jobAttempts"]["jobAttempt"]
    assert told == {
        "id": 2,
        "startTime": 5000,
        "containerId": str(container_id),
        "nodeId": "n3:1234",
        "nodeHost": "n3",
        "nodeHttpAddress": "n3:8042",
        "logsLink": f"http://n3:8042/node/containerlogs/{container_id}/me",
    }


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/ws/v1/mapreduce/jobs/job_1_0002",
        "/ws/v1/mapreduce/jobs/job_1_0001/conf",
        "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_x/attempts",
        "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_m_000000/none",
        "/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_m_000000/attempts/none",
    ],
)
def test_there_are_no_other_pages(target: str) -> None:
    assert Pages(Rig().core, JobSettings(), "me").answer(target) is None


class TestUmbilical:
    def call(self, rig: Rig, name: str, secret: bytes = b"secret", **arguments: Any) -> dict[str, Any]:
        server = UmbilicalServer(
            rig.core, [Split()] * 2, JobSettings(), b"secret", "", "", rig.perform_effects
        )
        text = json.dumps({"call": name, **arguments}).encode()
        return server.answer(signature(secret, text), text)

    def test_a_call_without_the_secret_changes_nothing(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        answer = self.call(rig, "killJob", secret=b"guessed", diagnostics="")
        assert answer == {"refused": "the call is not signed with the job's secret"}
        rig.beat()
        assert rig.state is JobState.RUNNING

    def test_a_task_gets_its_plan_and_one_that_is_not_wanted_dies(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        attempt = str(rig.attempts(maps=True)[0])
        answer = self.call(rig, "getTask", attempt=attempt)["answer"]
        assert (answer["word"], answer["plan"]["maps"]) == ("run", 2)
        assert self.call(rig, "getTask", attempt=attempt[:-1] + "7") == {"answer": {"word": "die"}}
        assert self.call(rig, "juggle", attempt=attempt) == {"refused": "ValueError: there is no call juggle"}
        assert self.call(rig, "getTask") == {"refused": "KeyError: 'attempt'"}

    def test_a_client_may_end_the_job(self) -> None:
        rig = Rig(maps=2)
        rig.beat()
        assert self.call(rig, "killJob", diagnostics="enough") == {"answer": {}}
        rig.beat()
        assert rig.state is JobState.KILLED
