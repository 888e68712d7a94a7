"""The history server's port: REST and pages over real connections, and what is refused."""

from __future__ import annotations

import asyncio
import http.client
import json
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.history.written import attempt, changed, eventful, published, some_info
from tests.am.mapreduce.rig import JOB
from tests.waiting import PATIENCE_S
from yarnbox.am.job_command.output import OutputSettings
from yarnbox.am.mapreduce.history import rest
from yarnbox.am.mapreduce.history.catalog import Catalog, ContainerLogs
from yarnbox.am.mapreduce.history.web import HistoryWeb
from yarnbox.am.mapreduce.ids import TaskType
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.http.server import HttpServer
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.storage.aggregated_logs import AggregatedLogWriter, LogLayout

JOBS = "/ws/v1/history/mapreduce/jobs"
MAP = f"{JOBS}/{JOB}/tasks/{attempt(0).task_id}"
REDUCE = attempt(0, type_=TaskType.REDUCE)


class Server:
    """A server of one job's history; each question is a connection."""

    def __init__(self, root: Path) -> None:
        self._root = root
        catalog = Catalog(published(root, eventful()), listed=100, loaded=1)
        logs = ContainerLogs(OutputSettings(directory=str(root / "logs")))
        self._web = HistoryWeb(catalog, logs, 1, "rm:8088", "history:19888")

    def ask(self, *targets: str, accept: str = "") -> list[tuple[int, str]]:
        """Status and text of each answer."""

        async def whole() -> list[tuple[int, str]]:
            server = HttpServer(self._web.application(HttpAccess(HttpAccessSettings())))
            await server.start(bind(Address("127.0.0.1", 0), "a free port"))
            try:
                return await asyncio.to_thread(self._all, server.port, targets, accept)
            finally:
                await server.stop()

        return asyncio.run(whole())

    def _all(self, port: int, targets: tuple[str, ...], accept: str) -> list[tuple[int, str]]:
        answers = []
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        for target in targets:
            connection.request("GET", target, headers={"Accept": accept} if accept else {})
            response = connection.getresponse()
            answers.append((response.status, response.read().decode()))
        connection.close()
        return answers

    def value(self, target: str) -> Any:
        """What a question is answered, without its outermost name."""
        ((status, text),) = self.ask(target)
        assert status == 200, text
        ((_, value),) = json.loads(text).items()
        return value


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Server:
    root = tmp_path_factory.mktemp("history")
    container_id = ContainerId.parse("container_1_0001_01_000001")
    path = LogLayout.of(str(root / "logs")).node_file("ann", JOB.application_id, NodeId("first-host", 1))
    (root / "stderr").write_text("why & <why>\n")
    with AggregatedLogWriter(path, "mei") as writer, (root / "stderr").open("rb") as stream:
        writer.append(container_id, [("stderr", stream)])
    return Server(root)


class TestRest:
    def test_a_job_is_told_as_hadoop_does(self, server: Server) -> None:
        (listed,) = server.value(JOBS)["job"]
        assert (listed["id"], listed["name"], listed["user"], listed["state"]) == (
            str(JOB), "a-job of mine", "ann", "SUCCEEDED",
        )  # fmt: skip
        job = server.value(f"{JOBS}/{JOB}")
        assert (job["mapsTotal"], job["mapsCompleted"], job["reducesTotal"], job["queue"]) == (
            2, 2, 1, "root.a",
        )  # fmt: skip
        assert (job["failedMapAttempts"], job["killedMapAttempts"], job["successfulMapAttempts"]) == (1, 1, 2)
        (am,) = server.value(f"{JOBS}/{JOB}/jobattempts")["jobAttempt"]
        assert (am["id"], am["nodeId"], am["nodeHttpAddress"]) == (1, "first-host:1", "first-host:8042")

    def test_tasks_attempts_and_counters(self, server: Server) -> None:
        assert len(server.value(f"{JOBS}/{JOB}/tasks")["task"]) == 3
        (reduce,) = server.value(f"{JOBS}/{JOB}/tasks?type=r")["task"]
        assert (reduce["state"], reduce["successfulAttempt"]) == ("SUCCEEDED", str(REDUCE))
        first, second = server.value(f"{MAP}/attempts")["taskAttempt"]
        assert (first["state"], second["state"]) == ("FAILED", "SUCCEEDED")
        assert server.value(f"{MAP}/attempts/{second['id']}") == second
        counted = server.value(f"{MAP}/attempts/{second['id']}/counters")["taskAttemptCounterGroup"]
        assert counted == [{"counterGroupName": "g", "counter": [{"name": "c", "value": 1}]}]
        groups = server.value(f"{JOBS}/{JOB}/counters")["counterGroup"]
        (one,) = next(group for group in groups if group["counterGroupName"] == "g")["counter"]
        assert (one["totalCounterValue"], one["mapCounterValue"], one["reduceCounterValue"]) == (3, 2, 1)
        assert server.value(f"{JOBS}/{JOB}/conf")["property"][0]["value"] == "a-job of mine"

    def test_as_xml(self, server: Server) -> None:
        ((status, text),) = server.ask(f"{JOBS}/{JOB}", accept="application/xml")
        assert status == 200
        assert "<job><submitTime>" in text

    @pytest.mark.parametrize(
        ("target", "status", "said"),
        [
            (f"{JOBS}/job_1_0002", 404, "job, job_1_0002, is not found"),
            (f"{JOBS}/jobber", 404, "Invalid JobId: jobber"),
            (f"{JOBS}/{JOB}/tasks?type=x", 400, "tasktype must be either m or r"),
            (f"{MAP}9", 404, "task not found with id"),
            (f"{JOBS}/{JOB}/tasks/t", 404, "taskid t not found or invalid"),
            (f"{MAP}/attempts/none", 404, "none"),
            (f"{JOBS}?limit=0", 400, "limit value must be greater then 0"),
        ],
    )
    def test_what_is_not_there_is_refused(self, server: Server, target: str, status: int, said: str) -> None:
        ((found, text),) = server.ask(target)
        assert found == status
        assert said in json.loads(text)["RemoteException"]["message"]


class TestPages:
    def test_every_link_leads_somewhere(self, server: Server) -> None:
        wanted, seen = ["/jobhistory"], {}
        while wanted:
            target = wanted.pop()
            ((status, text),) = server.ask(target)
            assert status == 200, target
            seen[target] = text
            links = (part.partition('"')[0] for part in text.split('href="')[1:])
            wanted += [
                link for link in dict.fromkeys(links)
                if link.startswith("/") and link not in seen and link not in wanted
            ]  # fmt: skip
        assert len(seen) > 12
        assert "division &lt;by&gt; zero" in seen[f"/jobhistory/attempts/{JOB}/m/FAILED"]
        assert any("why &amp; &lt;why&gt;" in text for text in seen.values())

    def test_what_is_not_there_is_said(self, server: Server) -> None:
        answers = server.ask(
            "/jobhistory/job/nonsense", f"/jobhistory/tasks/{JOB}/x", "/jobhistory/logs/n/c/e/u"
        )
        assert [status for status, _ in answers] == [404, 400, 404]
        assert "Invalid JobId: nonsense" in answers[0][1]


class TestFilters:
    INFOS = (
        some_info(1, user="ann", start_ms=10, finish_ms=100),
        some_info(2, user="bob", start_ms=20, finish_ms=200, state="FAILED", queue="q"),
        some_info(3, user="ann", start_ms=30, finish_ms=300),
    )

    @pytest.mark.parametrize(
        ("query", "left"),
        [
            ({}, [1, 2, 3]),
            ({"user": "ann"}, [1, 3]),
            ({"user": "ann", "limit": "1"}, [1]),
            ({"state": "FAILED"}, [2]),
            ({"queue": "nowhere"}, []),
            ({"startedTimeBegin": "20"}, [2, 3]),
            ({"startedTimeEnd": "20", "finishedTimeBegin": "200"}, [2]),
            ({"finishedTimeEnd": "0"}, []),
        ],
    )
    def test_leave_what_they_say(self, query: dict[str, str], left: list[int]) -> None:
        assert [one.job_id.id for one in rest.chosen(self.INFOS, query)] == left

    @pytest.mark.parametrize(
        "query",
        [
            {"limit": "-1"},
            {"limit": "many"},
            {"state": "DONE"},
            {"startedTimeBegin": "-5"},
            {"finishedTimeEnd": "noon"},
            {"startedTimeBegin": "9", "startedTimeEnd": "8"},
        ],
    )
    def test_that_cannot_be_read_are_refused(self, query: dict[str, str]) -> None:
        with pytest.raises(rest.BadQueryError):
            rest.chosen(self.INFOS, query)


def test_a_job_that_cannot_be_read_is_refused_and_the_others_are_told(tmp_path: Path) -> None:
    server = Server(tmp_path)
    (tmp_path / "torn").write_bytes(b"Avro-Binary\n")
    files = published(tmp_path, eventful())
    files.publish(changed(some_info(7)), tmp_path / "torn", tmp_path / "torn")
    listed, page = server.ask(JOBS, "/jobhistory/job/job_1_0007")
    assert len(json.loads(listed[1])["jobs"]["job"]) == 2
    assert page[0] == 404
    assert "set mapreduce.jobhistory.jhist.format to json" in page[1]
