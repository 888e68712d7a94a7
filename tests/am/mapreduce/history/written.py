"""Histories for tests: whole jobs in virtual time, written as their AM writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.am.mapreduce.rig import ATTEMPT, JOB, Cluster, Rig
from yarnbox.am.mapreduce.history.files import HistoryFiles, IndexInfo
from yarnbox.am.mapreduce.history.jhist import HistoryWriter, read_events
from yarnbox.am.mapreduce.history.parsed import parse
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId, TaskId, TaskType


def attempt(number: int, of: int = 0, type_: TaskType = TaskType.MAP) -> TaskAttemptId:
    """An attempt of the job of tests."""
    return TaskAttemptId(TaskId(JOB, type_, of), number)


def eventful() -> Rig:
    """A job of two maps and a reduce: one map failed once, the other lost its output with its node."""
    cluster = Cluster(memory_mb=2048, nodes={"first-host": "/r1", "second-host": "/r1", "third-host": "/r2"})
    rig = Rig(maps=2, reduces=1, cluster=cluster, hosts=("first-host",))
    rig.beat()
    rig.core.failed(attempt(0), "division <by> zero")
    rig.perform_effects()
    rig.beat(2)
    rig.finish(attempt(0, of=1))
    rig.beat()
    rig.cluster.lose(rig.node_of(attempt(0, of=1)))
    rig.run()
    return rig


def write(rig: Rig, path: Path, **fields: Any) -> None:
    """The history of a job, from its AM's first event on."""
    writer = HistoryWriter(path)
    writer.write(
        "AM_STARTED",
        {
            "applicationAttemptId": str(ATTEMPT),
            "startTime": 500,
            "containerId": "container_1_0001_01_000001",
            "nodeManagerHost": "first-host",
            "nodeManagerPort": 1,
            "nodeManagerHttpPort": 8042,
        },
    )
    submitted = {
        "jobid": str(JOB),
        "jobName": "a-job of mine",
        "userName": "ann",
        "submitTime": 400,
        "jobConfPath": "job.xml",
        "jobQueueName": "root.a",
    }
    writer.write("JOB_SUBMITTED", {**submitted, **fields})
    for one in rig.records:
        writer.write(one.type, one.fields)
    writer.close()


def published(root: Path, rig: Rig, finish_ms: int | None = None, *, url: str = "") -> HistoryFiles:
    """The history where a history server looks for it: in a directory, or at a URL."""
    files = HistoryFiles(url or root / "done_intermediate", root / "done")
    events, conf = root / "events", root / "job.xml"
    write(rig, events)
    conf.write_text(
        "<configuration><property><name>mapreduce.job.name</name><value>a-job of mine</value></property>"
        "</configuration>"
    )
    info = IndexInfo.of(parse(read_events(events)))
    if finish_ms is not None:
        info = changed(info, finish_ms=finish_ms)
    files.publish(info, events, conf)
    return files


def changed(info: IndexInfo, **fields: Any) -> IndexInfo:
    """The same with other values."""
    return IndexInfo(**{name: fields.get(name, getattr(info, name)) for name in IndexInfo.__slots__})


def some_info(number: int = 1, **fields: Any) -> IndexInfo:
    """What a file name tells of some job."""
    info = IndexInfo(
        job_id=JobId(1, number), submit_ms=1, user="ann", job_name="n", finish_ms=3, maps=1, reduces=0,
        state="SUCCEEDED", queue="default", start_ms=2,
    )  # fmt: skip
    return changed(info, **fields)
