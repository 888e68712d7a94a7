"""Captures with history servers that answer as Hadoop 3.4.1 does; long lists; interruptions."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.sim.capture.test_capture import SCHEDULER
from yarnbox.sim import Job, Load, read_load
from yarnbox.sim import play as play_load
from yarnbox.sim.capture import source as sources
from yarnbox.sim.capture.moments import moment_ms
from yarnbox.sim.load.command import main
from yarnbox.sim.load.formats import LoadOptions
from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.yarn.resources.resource import Resource

ZERO = 1_795_391_000_000
DATE = "Sun, 22 Nov 2026 23:50:00 GMT"
NOW = 1_795_391_400_000


def app(number: int, started_ms: int, kind: str = "YARN", **more: Any) -> dict[str, Any]:
    return {
        "id": f"application_1_{number:04d}",
        "user": "mei",
        "name": "words",
        "queue": "root.etl",
        "state": "FINISHED",
        "startedTime": ZERO + started_ms,
        "launchTime": ZERO + started_ms + 500,
        "elapsedTime": 60_500,
        "memorySeconds": 200_000,
        "vcoreSeconds": 200,
        "applicationType": kind,
        **more,
    }


def task(name: str, kind: str, start_s: int, end_s: int) -> dict[str, Any]:
    times = {"startTime": ZERO + start_s * 1000, "finishTime": ZERO + end_s * 1000}
    return {"id": f"task_1_0001_{name}", "type": kind, "state": "SUCCEEDED", **times}


def attempt(state: str, start_s: int, end_s: int) -> dict[str, Any]:
    times = {"startTime": ZERO + start_s * 1000, "finishTime": ZERO + end_s * 1000}
    return {"state": state, "nodeHttpAddress": "alpha1:8042", "rack": "/row1", **times}


JOB = "/ws/v1/history/mapreduce/jobs/job_1_0001"
SPARK = "/api/v1/applications/application_1_0002"
COUNTERS = [
    {"name": "MILLIS_MAPS", "totalCounterValue": 40_000},
    {"name": "MB_MILLIS_MAPS", "totalCounterValue": 40_000 * 1536},
    {"name": "VCORES_MILLIS_MAPS", "totalCounterValue": 80_000},
]
CONF = {
    "mapreduce.reduce.memory.mb": "3072",
    "yarn.app.mapreduce.am.resource.mb": "512",
    "mapreduce.job.reduce.slowstart.completedmaps": "0.8",
}
SPARK_CONF = [
    ["spark.executor.memory", "2g"],
    ["spark.driver.memory", "1g"],
    ["spark.submit.deployMode", "cluster"],
]
NODE = {"rack": "/row1", "state": "RUNNING", "totalResource": {"memory": 8192, "vCores": 8}}
ANSWERS: dict[str, Any] = {
    "/ws/v1/cluster/nodes": {
        "nodes": {
            "node": [
                {
                    **NODE,
                    "id": f"alpha{number}:45454",
                    "nodeHTTPAddress": f"alpha{number}:8042",
                    "nodeAttributesInfo": {
                        "nodeAttributeInfo": [{"prefix": "rm.yarn.io", "name": "os", "value": "linux"}]
                    },
                }
                for number in (1, 2)
            ]
        }
    },
    "/ws/v1/cluster/scheduler": SCHEDULER,
    "/ws/v1/cluster/apps/application_1_0001/appattempts": {"appAttempts": {"appAttempt": [{}, {}]}},
    JOB: {"job": {"id": "job_1_0001", "uberized": False}},
    f"{JOB}/conf": {"conf": {"property": [{"name": one, "value": CONF[one]} for one in CONF]}},
    f"{JOB}/counters": {"jobCounters": {"counterGroup": [{"counter": COUNTERS}]}},
    f"{JOB}/tasks": {
        "tasks": {
            "task": [
                task("m_000000", "MAP", 2, 22),
                task("m_000001", "MAP", 2, 32),
                task("r_000000", "REDUCE", 12, 42),
            ]
        }
    },
    f"{JOB}/tasks/task_1_0001_m_000000/attempts": {
        "taskAttempts": {"taskAttempt": [attempt("FAILED", 2, 7), attempt("SUCCEEDED", 8, 22)]}
    },
    SPARK: {"id": "application_1_0002", "attempts": [{"attemptId": "1", "endTimeEpoch": ZERO + 70_000}]},
    f"{SPARK}/1/environment": {"sparkProperties": SPARK_CONF},
    f"{SPARK}/1/allexecutors": [
        {"id": "driver", "addTime": "2026-11-22T23:43:31.000GMT", "totalCores": 0},
        {"id": "1", "addTime": "2026-11-22T23:43:35.500GMT", "totalCores": 4},
        {
            "id": "2",
            "addTime": "2026-11-22T23:43:45.500GMT",
            "removeTime": "2026-11-22T23:44:05.500GMT",
            "totalCores": 4,
        },
    ],
}
APPS = [app(1, 0, "MAPREDUCE"), app(2, 10_000, "SPARK"), app(3, 20_000)]


class Servers:
    """All of them at one port; what was asked, in order."""

    def __init__(self, applications: list[dict[str, Any]]) -> None:
        self.asked: list[str] = []
        self.broken = ""
        servers = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                servers.asked.append(self.path)
                found = servers.answer(self.path, applications)
                status = (
                    500 if servers.broken and servers.broken in self.path else 404 if found is None else 200
                )
                body = json.dumps(found).encode() if isinstance(found, dict | list) else found or b"no"
                self.send_response_only(status)
                self.send_header("Date", DATE)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @staticmethod
    def answer(path: str, applications: list[dict[str, Any]]) -> Any:
        parts = urlsplit(path)
        if parts.path != "/ws/v1/cluster/apps":
            return ANSWERS.get(parts.path)
        query = {name: int(values[0]) for name, values in parse_qs(parts.query).items()}
        begin, end = query["startedTimeBegin"], query["startedTimeEnd"]
        found = [one for one in applications if begin <= one["startedTime"] <= end]
        text = json.dumps({"apps": {"app": found[: query.get("limit", len(found))]} if found else None})
        # Hadoop writes a map as one key that stands several times.
        return text.replace('"vcoreSeconds"', '"map": {"entry": 1, "entry": 2}, "vcoreSeconds"').encode()


@pytest.fixture
def servers(request: pytest.FixtureRequest) -> Iterator[Servers]:
    found = Servers(getattr(request, "param", APPS))
    thread = Thread(target=found.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield found
    found.server.shutdown()
    thread.join()
    found.server.server_close()


def run(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(words, out=out, err=err), out.getvalue(), err.getvalue()


def loaded(place: Path) -> tuple[Load, list[Job]]:
    load = read_load(place / "load.jsonl", options=LoadOptions(nodes=place / "nodes.json"))
    return load, list(load.jobs())


def captured(servers: Servers, place: Path, *words: str) -> tuple[Load, list[Job]]:
    url = servers.url
    words = ("capture", url, "--history", url, "--spark-history", url, "--out", str(place), *words)
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert out.startswith(f"{place}: {len(loaded(place)[1])} jobs (")
    return loaded(place)


def test_tasks_are_traced_where_a_history_server_knows_them(servers: Servers, tmp_path: Path) -> None:
    load, jobs = captured(servers, tmp_path / "captured", "--attempts")
    assert [(one.fidelity, one.submit_ms, one.model) for one in jobs] == [
        ("traced", 0, "mapreduce"),
        ("traced", 10_000, "dag"),
        ("modelled", 20_000, "mapreduce"),
    ]
    assert [dict(one.attributes) for one in load.nodes.nodes] == [{"rm.yarn.io/os": "linux"}] * 2
    first = jobs[0]
    assert (first.am_resource, first.am_attempts, first.slow_start) == (Resource(512, 1), 2, 0.8)
    one, two, reduce = first.tasks
    assert (one.duration_ms, one.failures_ms, one.places) == (14_000, (5000,), ("/row1/alpha1",))
    assert (two.duration_ms, two.failures_ms, two.places, two.resource) == (30_000, (), (), Resource(1536, 2))
    # It ended 10 s after the last map: that is two thirds of what it takes.
    assert (reduce.stage, reduce.duration_ms, reduce.resource) == ("reduce", 15_000, Resource(3072, 1))
    assert {one.state for one in play_load(tmp_path / "captured" / "conf", load).jobs} == {"FINISHED"}


def test_executors_are_containers(servers: Servers, tmp_path: Path) -> None:
    _, jobs = captured(servers, tmp_path / "captured")
    spark = jobs[1]
    assert (spark.type, spark.am_resource) == ("SPARK", Resource(1024 + 384, 1))
    assert [(one.delay_ms, one.duration_ms, one.resource) for one in spark.tasks] == [
        (5000, 54_500, Resource(2048 + 384, 4)),
        (15_000, 20_000, Resource(2048 + 384, 4)),
    ]
    assert not any("/attempts" in path for path in servers.asked)


def test_stages_stand_for_executors_that_are_not_known(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(ANSWERS, f"{SPARK}/1/allexecutors")
    times = {"submissionTime": "2026-11-22T23:43:35.500GMT", "completionTime": "2026-11-22T23:43:45.500GMT"}
    monkeypatch.setitem(
        ANSWERS, f"{SPARK}/1/stages", [{"stageId": 3, "executorRunTime": 25_000, **times}, {"stageId": 4}]
    )
    _, jobs = captured(servers, tmp_path / "captured")
    (stage,) = jobs[1].tasks
    assert jobs[1].fidelity == "modelled"
    assert (stage.stage, stage.count, stage.duration_ms, stage.delay_ms) == ("stage3", 3, 10_000, 5000)


def test_a_job_within_its_am_is_modelled(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ANSWERS, JOB, {"job": {"uberized": True}})
    _, jobs = captured(servers, tmp_path / "captured")
    assert jobs[0].fidelity == "modelled"


MANY = [app(number, number // 2 * 1000) for number in range(1, 60)]


@pytest.mark.parametrize("servers", [MANY], indirect=True)
def test_long_lists_are_read_by_ranges_of_time(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_APPLICATIONS", 5)
    _, jobs = captured(servers, tmp_path / "captured")
    assert [one.job_id for one in jobs] == [one["id"] for one in MANY]
    ranges = [path for path in servers.asked if path.startswith("/ws/v1/cluster/apps?")]
    assert len(ranges) > 12
    assert all("limit=6" in path for path in ranges)


@pytest.mark.parametrize("servers", [[app(number, 5) for number in range(9)]], indirect=True)
def test_a_moment_with_too_many_applications_is_read_whole(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_APPLICATIONS", 5)
    _, jobs = captured(servers, tmp_path / "captured")
    assert len(jobs) == 9


def test_a_capture_goes_on_where_it_was_interrupted(servers: Servers, tmp_path: Path) -> None:
    place, url = tmp_path / "captured", servers.url
    words = ("capture", url, "--history", url, "--spark-history", url, "--out", str(place))
    servers.broken = "allexecutors"
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err == (
        f"yarnbox: {url}{SPARK}/1/allexecutors: 500 Internal Server Error\n"
        f"What was answered is in {tmp_path}/.captured.answers: the same command goes on from there."
        " Remove that directory to ask anew.\n"
    )
    assert not place.exists()
    assert servers.asked.count(f"{SPARK}/1/allexecutors") == 3
    servers.broken = ""
    before = list(servers.asked)
    status, out, err = run(*words)
    assert (status, err) == (0, f"goes on with the answers in {tmp_path}/.captured.answers\n")
    again = servers.asked[len(before) :]
    assert again == [f"{SPARK}/1/allexecutors", "/ws/v1/cluster/apps/application_1_0003/appattempts"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["captured"]


def test_what_a_refused_or_empty_capture_was_answered_is_not_kept(
    servers: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("capture", servers.url, "--out", str(tmp_path / "captured"))
    monkeypatch.setitem(ANSWERS, "/ws/v1/cluster/nodes", {"nodes": {}})
    assert run(*words) == (2, "", f"yarnbox: {servers.url}: nodes: no node runs\n")
    monkeypatch.delitem(ANSWERS, "/ws/v1/cluster/nodes")
    assert run(*words) == (2, "", f"yarnbox: {servers.url}/ws/v1/cluster/nodes: 404 Not Found\n")
    assert not list(tmp_path.iterdir())


def test_a_moment_that_is_none_is_refused_before_anything_is_asked(servers: Servers, tmp_path: Path) -> None:
    words = ("capture", servers.url, "--out", str(tmp_path / "captured"), "--since", "yesterday")
    status, _, err = run(*words)
    assert (status, servers.asked) == (2, [])
    assert err.startswith("yarnbox: --since yesterday: has to be a date like")
    assert not list(tmp_path.iterdir())


def test_answers_to_another_capture_are_not_taken(servers: Servers, tmp_path: Path) -> None:
    answers = ("--answers", str(tmp_path / "answers"))
    captured(servers, tmp_path / "one", *answers)
    status, _, err = run("capture", servers.url, "--out", str(tmp_path / "two"), *answers)
    assert status == 2
    assert err == (
        f"yarnbox: {tmp_path}/answers: holds the answers of a capture with other addresses or another"
        " --since; remove it, or name another directory by --answers\n"
    )


def test_kept_answers_are_a_state_dump(servers: Servers, tmp_path: Path) -> None:
    captured(servers, tmp_path / "one", "--attempts", "--answers", str(tmp_path / "answers"))
    dump = ("from-state-dump", str(tmp_path / "answers"), "--attempts", "--out")
    assert run(*dump, str(tmp_path / "two"))[0] == 0
    for name in ("load.jsonl", "nodes.json", "conf/yarn-site.xml", "conf/capacity-scheduler.xml"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
    assert run(*dump, str(tmp_path / "three"), "--since", "377s")[0] == 2
    assert run(*dump, str(tmp_path / "three"), "--since", str(ZERO + 20_000))[0] == 0
    assert [one.job_id for one in loaded(tmp_path / "three")[1]] == ["application_1_0003"]


def test_nobody_is_named_in_an_anonymous_capture_with_history(servers: Servers, tmp_path: Path) -> None:
    place = tmp_path / "captured"
    captured(servers, place, "--attempts", "--anonymize")
    text = "".join(file.read_text() for file in place.rglob("*") if file.is_file())
    for name in ("mei", "words", "etl", "alpha", "row1", "application_1", "linux"):
        assert name not in text


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("", 0),
        ("1795391508945", 1_795_391_508_945),
        ("2026-11-22", 1_795_305_600_000),
        ("2026-11-22T01:00", 1_795_309_200_000),
        ("2026-11-22T01:00+01:00", 1_795_305_600_000),
        ("2h", NOW - 7_200_000),
        ("1d", NOW - 86_400_000),
    ],
)
def test_moments_on_the_command_line(text: str, wanted: int) -> None:
    assert moment_ms(text, NOW) == wanted


def test_a_moment_that_is_none() -> None:
    with pytest.raises(InvalidTraceError, match="--since yesterday: has to be a date like"):
        moment_ms("yesterday", NOW)
    for text in ("2026-13-01", "2026-02-30", "2026-11-22T25:00", "7x"):
        with pytest.raises(InvalidTraceError, match="has to be a date like"):
            moment_ms(text, NOW)
    with pytest.raises(InvalidTraceError, match="--since 7d: when these answers were given is not known"):
        moment_ms("7d", None)
