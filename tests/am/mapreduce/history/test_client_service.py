"""What the history server answers Hadoop's own MapReduce clients, and that it does so over their wire."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.am.mapreduce.history.written import attempt, eventful, published
from tests.am.mapreduce.rig import ATTEMPT, JOB, Rig
from tests.waiting import PATIENCE_S
from tests.yarn.hadoop_ipc import peer
from yarnbox.am.job_command.output import OutputSettings
from yarnbox.am.mapreduce.app.events import JobKill
from yarnbox.am.mapreduce.client_protocol import HISTORY_PROTOCOL, attempt_record, job_record, task_record
from yarnbox.am.mapreduce.history.catalog import Catalog
from yarnbox.am.mapreduce.history.client_service import HistoryClientService
from yarnbox.am.mapreduce.history.files import HistoryFiles
from yarnbox.am.mapreduce.history.server import HistoryServer
from yarnbox.am.mapreduce.history.settings import HistoryServerSettings
from yarnbox.am.mapreduce.ids import JobId, TaskType
from yarnbox.cluster.ports import free_ports
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records import mapreduce as records
from yarnbox.yarn.settings import read
from yarnbox.yarn.wire import from_bytes, to_bytes

ANN = Caller(user="ann", host="127.0.0.1")
OTHER = job_record(JobId(1, 99))
REDUCE = attempt(0, type_=TaskType.REDUCE)


def service(root: Path, rig: Rig) -> HistoryClientService:
    return HistoryClientService(Catalog(published(root, rig), listed=9, loaded=1), "http://history:19888")


def ask(asked: HistoryClientService, rpc: str, request: Any) -> Any:
    answer = asked.handle(rpc, request, ANN)
    assert from_bytes(type(answer), to_bytes(answer)) == answer
    return answer


def report_of(asked: HistoryClientService) -> Any:
    return ask(asked, "getJobReport", records.GetJobReportRequest(job_id=job_record(JOB))).job_report


def killed() -> Rig:
    """A job that is killed while one of two maps runs."""
    rig = Rig(maps=2, reduces=1, hosts=("n1",))
    rig.beat()
    rig.finish(rig.attempts(maps=True)[0])
    rig.core.tell(JobKill(diagnostics="no more wanted"))
    rig.run()
    return rig


def test_the_report_of_a_job(tmp_path: Path) -> None:
    report = report_of(service(tmp_path, eventful()))
    assert (report.job_state, report.user, report.job_name) == (
        records.JobState.SUCCEEDED,
        "ann",
        "a-job of mine",
    )
    assert (report.map_progress, report.reduce_progress, report.is_uber) == (1.0, 1.0, False)
    assert 0 < report.start_time < report.finish_time
    assert report.tracking_url == f"http://history:19888/jobhistory/job/{JOB}"
    (am,) = report.am_infos
    assert (am.application_attempt_id, am.node_manager_host, am.node_manager_http_port) == (
        ATTEMPT,
        "first-host",
        8042,
    )
    assert Path(report.job_file).read_text().startswith("<configuration>")
    assert report.history_file.endswith(".jhist")
    assert Path(report.history_file).exists()


def test_a_job_that_was_killed(tmp_path: Path) -> None:
    asked = service(tmp_path, killed())
    report = report_of(asked)
    assert (report.job_state, report.diagnostics) == (records.JobState.KILLED, "no more wanted")
    assert report.map_progress == 1.0  # one is done, one was killed
    counters = ask(asked, "getCounters", records.GetCountersRequest(job_id=job_record(JOB)))
    assert counters.counters is None  # as in Hadoop: clients say that they are not available


def test_a_job_that_is_not_known(tmp_path: Path) -> None:
    asked = service(tmp_path, eventful())
    empty = ask(asked, "getJobReport", records.GetJobReportRequest(job_id=OTHER))
    assert empty.job_report is None


def test_counters_are_those_of_the_history(tmp_path: Path) -> None:
    request = records.GetCountersRequest(job_id=job_record(JOB))
    counters = ask(service(tmp_path, eventful()), "getCounters", request).counters
    group = counters.counter_groups["org.apache.hadoop.mapreduce.JobCounter"]
    assert group.display_name == "JobCounter"
    assert group.counters["NUM_FAILED_MAPS"].value == 1


def test_tasks_and_their_attempts(tmp_path: Path) -> None:
    asked = service(tmp_path, eventful())
    request = records.GetTaskReportsRequest(job_id=job_record(JOB), task_type=records.TaskType.MAP)
    first, second = ask(asked, "getTaskReports", request).task_reports
    assert first.task_state is second.task_state is records.TaskState.SUCCEEDED
    assert first.successful_attempt == attempt_record(attempt(1))
    assert first.running_attempts == (attempt_record(attempt(0)), attempt_record(attempt(1)))
    assert first.diagnostics == ("Error: division <by> zero",)
    one = records.GetTaskReportRequest(task_id=task_record(attempt(0).task_id))
    assert ask(asked, "getTaskReport", one).task_report == first
    failed = records.GetTaskAttemptReportRequest(task_attempt_id=attempt_record(attempt(0)))
    report = ask(asked, "getTaskAttemptReport", failed).task_attempt_report
    assert report.task_attempt_state is records.TaskAttemptState.FAILED
    assert (report.diagnostic_info, report.container_id is None) == ("Error: division <by> zero", False)
    assert report.node_manager_host in ("first-host", "second-host", "third-host")
    asked_of = records.GetDiagnosticsRequest(task_attempt_id=attempt_record(attempt(0)))
    assert ask(asked, "getDiagnostics", asked_of).diagnostics == ("Error: division <by> zero",)


def test_events_come_in_the_order_of_the_ends(tmp_path: Path) -> None:
    asked = service(tmp_path, eventful())

    def events(start: int, most: int) -> list[tuple[int, records.TaskAttemptId, str]]:
        request = records.GetTaskAttemptCompletionEventsRequest(
            job_id=job_record(JOB), from_event_id=start, max_events=most
        )
        found = ask(asked, "getTaskAttemptCompletionEvents", request).completion_events
        return [(one.event_id, one.attempt_id, one.status.name) for one in found]

    every = events(0, 100)
    assert [number for number, _, _ in every] == [0, 1, 2, 3, 4]
    assert every[0] == (0, attempt_record(attempt(0)), "FAILED")
    assert every[-1] == (4, attempt_record(REDUCE), "SUCCEEDED")
    assert events(3, 1) == every[3:4]
    assert events(7, 9) == []


@pytest.mark.parametrize(
    "rpc, request_, java_class, said",
    [
        (
            "getCounters",
            records.GetCountersRequest(job_id=OTHER),
            "java.io.IOException",
            "Unknown Job job_1_0099",
        ),
        ("getJobReport", records.GetJobReportRequest(), "java.io.IOException", "Unknown job null"),
        (
            "getTaskReport",
            records.GetTaskReportRequest(task_id=task_record(attempt(0, of=7).task_id)),
            "java.io.IOException",
            "Unknown task task_1_0001_m_000007",
        ),
        (
            "getDiagnostics",
            records.GetDiagnosticsRequest(task_attempt_id=attempt_record(attempt(9))),
            "java.io.IOException",
            "Unknown TaskAttempt attempt_1_0001_m_000000_9",
        ),
        (
            "killJob",
            records.KillJobRequest(job_id=job_record(JOB)),
            "java.io.IOException",
            "Invalid operation on completed job",
        ),
        (
            "failTaskAttempt",
            records.FailTaskAttemptRequest(),
            "java.io.IOException",
            "Invalid operation on completed job",
        ),
        ("getDelegationToken", None, "java.lang.UnsupportedOperationException", "no delegation tokens"),
    ],
)
def test_what_is_refused(tmp_path: Path, rpc: str, request_: Any, java_class: str, said: str) -> None:
    with pytest.raises(YarnError, match=said) as refusal:
        service(tmp_path, eventful()).handle(rpc, request_, ANN)
    assert refusal.value.java_class == java_class


# The process


async def exchange(port: int, method: str, request: bytes) -> tuple[RpcResponseHeaderProto, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(peer.SIMPLE + peer.context("ann") + peer.call(1, method, request, HISTORY_PROTOCOL))
    size = await reader.readexactly(4)
    (answer,) = peer.answers(size + await reader.readexactly(int.from_bytes(size, "big")))
    writer.close()
    return answer


def serve_and_ask(root: Path, properties: dict[str, str], port: int) -> tuple[RpcResponseHeaderProto, bytes]:
    """One call of a server's clients' port."""
    web, _ = free_ports("127.0.0.1", 2)
    written = {
        "mapreduce.jobhistory.webapp.address": f"127.0.0.1:{web}",
        "mapreduce.jobhistory.address": f"127.0.0.1:{port}",
        "mapreduce.jobhistory.intermediate-done-dir": str(root / "done_intermediate"),
        "mapreduce.jobhistory.done-dir": str(root / "done"),
        "mapreduce.jobhistory.cleaner.enable": "false",  # the job ended when virtual time began
    }
    configuration = Configuration().overlaid({**written, **properties})

    async def body() -> tuple[RpcResponseHeaderProto, bytes]:
        server = HistoryServer(read(HistoryServerSettings, configuration), OutputSettings(), "")
        life = asyncio.create_task(server.run())
        while not _listens(web):
            await asyncio.sleep(0.01)
        request = to_bytes(records.GetJobReportRequest(job_id=job_record(JOB)))
        try:
            return await exchange(port, "getJobReport", request)
        finally:
            server.end()
            await life

    return asyncio.run(asyncio.wait_for(body(), PATIENCE_S))


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_hadoops_clients_are_served_where_their_wire_is_enabled(tmp_path: Path) -> None:
    published(tmp_path, eventful())
    (port,) = free_ports("127.0.0.1", 1)
    head, body = serve_and_ask(tmp_path, {"yarnbox.hadoop-ipc.enabled": "true"}, port)
    assert head.status == RpcResponseHeaderProto.SUCCESS, head
    report = from_bytes(records.GetJobReportResponse, body).job_report
    assert report is not None
    moved = HistoryFiles(tmp_path / "done_intermediate", tmp_path / "done").find(JOB)
    assert moved is not None
    assert report.history_file == str(moved.path)
    with pytest.raises(ConnectionRefusedError):
        serve_and_ask(tmp_path, {}, port)
