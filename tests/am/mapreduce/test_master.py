"""The AM's process with real tasks: right answers, failures of processes, a next AM."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

from am.environment import ContainerEnvironment
from am.mapreduce.history import read_report, report_file
from am.mapreduce.ids import JobId
from am.mapreduce.jobs import pi, wordcount
from am.mapreduce.master import Master
from am.mapreduce.settings import JOB_FILE
from am.mapreduce.splits import SPLIT_FILE, Placement, Split, input_files, make_splits, write_splits
from tests.am.little_cluster import HOST, USER, LittleCluster, little_cluster
from yarn.configuration import Configuration
from yarn.credentials import Credentials
from yarn.enums import FinalApplicationStatus
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.tokens import Token
from yarn.shuffle import JOB_TOKEN

APPLICATION = ApplicationId(1, 1)
TEXT = b"the quick brown fox\njumps over the lazy dog\n" * 500 + b"caf\xc3\xa9 \xff\xfe bytes\n"


JOB_TOKEN_OF_TEST = Token(identifier=b"job_1_0001", password=b"secret", kind=JOB_TOKEN, service="")


def environment(root: Path, app_attempt: int = 1) -> ContainerEnvironment:
    return ContainerEnvironment(
        container_id=ContainerId(ApplicationAttemptId(APPLICATION, app_attempt), 1),
        node_id=NodeId(HOST, 1),
        user=USER,
        working_directory=root,
        local_dirs=(),
        log_dirs=(),
        credentials=Credentials({"JobToken": JOB_TOKEN_OF_TEST}),
        submit_time_ms=None,
    )


def stage(root: Path, little: LittleCluster, splits: list[Split], properties: dict[str, str]) -> Path:
    """What a client would leave for the AM."""
    staging = root / "staging"
    staging.mkdir(exist_ok=True)
    over = {
        "yarnbox.resourcemanager.grpc.address": f"{HOST}:{little.rm_port}",
        "mapreduce.output.fileoutputformat.outputdir": str(root / "out"),
        "mapreduce.jobhistory.done-dir": str(root / "history"),
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "50",
        "yarnbox.mapreduce.python.path": str(root),
        **properties,
    }
    (staging / JOB_FILE).write_text(Configuration.of(over).to_xml(), encoding="utf-8")
    write_splits(staging / SPLIT_FILE, splits)
    return staging


def text_splits(root: Path, max_bytes: int) -> list[Split]:
    text = root / "text"
    text.write_bytes(TEXT)
    return make_splits(input_files([text]), Placement(), block_bytes=1 << 20, max_bytes=max_bytes)


def run_job(root: Path, splits: list[Split], properties: dict[str, str]) -> LittleCluster:
    async def run() -> LittleCluster:
        async with little_cluster(root, APPLICATION) as little:
            staging = stage(root, little, splits, properties)
            await asyncio.wait_for(Master(staging, environment(root)).run(), 60)
            return little

    return asyncio.run(run())


def output(root: Path) -> dict[bytes, int]:
    found: dict[bytes, int] = {}
    for part in sorted((root / "out").glob("part-r-*")):
        for line in part.read_bytes().splitlines():
            word, _, count = line.rpartition(b"\t")
            assert word not in found
            found[word] = int(count)
    return found


def test_wordcount_counts_what_is_there(tmp_path: Path) -> None:
    properties = {**wordcount.properties(), "mapreduce.job.reduces": "2"}
    little = run_job(tmp_path, text_splits(tmp_path, 8000), properties)
    assert output(tmp_path) == Counter(TEXT.split())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "_SUCCESS", "part-r-00000", "part-r-00001",
    ]  # fmt: skip
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.SUCCEEDED
    assert not (tmp_path / "staging").exists()
    report = read_report(report_file(tmp_path / "history", JobId(1, 1)))
    assert report is not None
    assert report["job"]["state"] == "SUCCEEDED"
    counters = report["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["MAP_INPUT_RECORDS"] == TEXT.count(b"\n")
    assert counters["REDUCE_OUTPUT_RECORDS"] == len(set(TEXT.split()))
    nodes = {attempt["nodeHost"] for task in report["tasks"] for attempt in task["attempts"]}
    assert nodes == {HOST}


def test_pi_is_what_hadoop_says(tmp_path: Path) -> None:
    run_job(tmp_path, pi.splits(4, 250), pi.properties())
    assert str(pi.estimate(tmp_path / "out", 4, 250)) == "3.14800000000000000000"


def test_a_task_that_dies_is_run_again_and_one_that_raises_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import os, pathlib\n"
        "def die_once(key, line):\n"
        "    flag = pathlib.Path(__file__).with_name('died')\n"
        "    if not flag.exists():\n"
        "        flag.touch()\n"
        "        os._exit(9)\n"
        "    yield 'lines', 1\n"
        "def count(key, values):\n"
        "    yield key, sum(values)\n"
    )
    properties = {"mapreduce.job.map.class": "mine.die_once", "mapreduce.job.reduce.class": "mine.count"}
    little = run_job(tmp_path, text_splits(tmp_path, 1 << 20), properties)
    assert output(tmp_path) == {b"lines": TEXT.count(b"\n")}
    assert len(little.started) == 3


def test_a_mapper_that_raises_fails_the_job_and_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def bad(key, line):\n    yield 1 / 0, 1\n")
    properties = {"mapreduce.job.map.class": "mine.bad", "mapreduce.map.maxattempts": "2"}
    little = run_job(tmp_path, text_splits(tmp_path, 1 << 20), properties)
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.FAILED
    assert "ZeroDivisionError" in (little.finished.diagnostics or "")
    assert not (tmp_path / "out" / "_temporary").exists()


def test_a_request_above_the_maximum_ends_the_job_with_the_reason(tmp_path: Path) -> None:
    properties = {**wordcount.properties(), "mapreduce.map.memory.mb": "9000"}
    little = run_job(tmp_path, text_splits(tmp_path, 1 << 20), properties)
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.KILLED
    assert "MAP capability required is more than the supported max" in (little.finished.diagnostics or "")


def test_a_next_am_finishes_what_an_earlier_one_began(tmp_path: Path) -> None:
    """The first AM dies after its maps; the second one finds no RM that would tell which nodes run, so it
    runs the maps again, and the answer is right.
    """

    async def run() -> LittleCluster:
        async with little_cluster(tmp_path, APPLICATION) as little:
            splits = text_splits(tmp_path, 8000)
            staging = stage(tmp_path, little, splits, wordcount.properties())
            first = asyncio.create_task(Master(staging, environment(tmp_path)).run())
            events = staging / "job_1_0001_1.jhist"
            for _ in range(600):
                done = events.read_text().count('"TASK_FINISHED"') if events.exists() else 0
                if done >= 2:
                    break
                await asyncio.sleep(0.05)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            for container_id in list(little.cluster.live):
                little.kill(container_id)
            await asyncio.gather(*little.waiters.values())
            little.cluster.completed.clear()
            little.cluster.pending.clear()
            await asyncio.wait_for(Master(staging, environment(tmp_path, 2)).run(), 60)
            return little

    little = asyncio.run(run())
    assert little.finished is not None
    assert output(tmp_path) == Counter(TEXT.split())
    report = json.loads((tmp_path / "history" / "job_1_0001.json").read_text())
    attempts = [attempt["id"] for task in report["tasks"] for attempt in task["attempts"]]
    assert sum(1 for attempt in attempts if attempt.endswith("_0")) >= 2
    assert any(attempt.endswith("_1000") for attempt in attempts)
