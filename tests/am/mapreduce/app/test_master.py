"""The AM's process with real tasks: right answers, failures of processes, a next AM."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.am.little_cluster import HOST, USER, LittleCluster, little_cluster
from tests.am.mapreduce.history.written import eventful, write
from tests.waiting import PATIENCE_S
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.am.job_command.command import parser
from yarnbox.am.mapreduce.app.master import Master
from yarnbox.am.mapreduce.history.files import HistoryFiles, events_file
from yarnbox.am.mapreduce.history.jhist import read_events
from yarnbox.am.mapreduce.history.parsed import parse
from yarnbox.am.mapreduce.history.rest import report as report_of
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.am.mapreduce.jobs import pi, wordcount
from yarnbox.am.mapreduce.settings import JOB_FILE
from yarnbox.am.mapreduce.splits import SPLIT_FILE, Placement, Split, input_files, make_splits, write_splits
from yarnbox.am.mapreduce.streaming.options import properties
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.shuffle import JOB_TOKEN

APPLICATION = ApplicationId(1, 1)
TEXT = b"the quick brown fox\njumps over the lazy dog\n" * 500 + b"caf\xc3\xa9 \xff\xfe bytes\n"


JOB_TOKEN_OF_TEST = Token(identifier=b"job_1_0001", password=b"secret", kind=JOB_TOKEN, service="")


def environment(root: Path, app_attempt: int = 1) -> ContainerEnvironment:
    return ContainerEnvironment(
        container_id=ContainerId(ApplicationAttemptId(APPLICATION, app_attempt), 1),
        node_id=NodeId(HOST, 1),
        user=USER,
        working_directory=root,
        local_dirs=(root / "am",),
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
        "mapreduce.jobhistory.intermediate-done-dir": str(root / "history" / "done_intermediate"),
        "mapreduce.jobhistory.done-dir": str(root / "history" / "done"),
        "yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms": "50",
        "yarnbox.mapreduce.python.path": str(root),
        "mapreduce.map.speculative": "false",  # on a busy machine any task may seem slow
        "mapreduce.reduce.speculative": "false",
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
            await asyncio.wait_for(Master(staging, environment(root)).run(), PATIENCE_S)
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


def history(root: Path) -> dict[str, Any]:
    """What the job's AM has left when it ended."""
    found = HistoryFiles(root / "history" / "done_intermediate", root / "history" / "done").find(JobId(1, 1))
    assert found is not None
    assert found.conf.exists()
    return report_of(parse(read_events(found.path)))


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
    report = history(tmp_path)
    assert report["job"]["state"] == "SUCCEEDED"
    counters = report["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["MAP_INPUT_RECORDS"] == TEXT.count(b"\n")
    assert counters["REDUCE_OUTPUT_RECORDS"] == len(set(TEXT.split()))
    nodes = {attempt["nodeHost"] for task in report["tasks"] for attempt in task["attempts"]}
    assert nodes == {HOST}


@pytest.mark.long
def test_buffers_much_smaller_than_the_data_make_the_same_answer(tmp_path: Path) -> None:
    """Maps spill and merge in passes; of the reduces one fetches into a memory that is soon full."""
    (tmp_path / "mine.py").write_text(
        "def words(key, line):\n"
        "    for word in line.split():\n"
        "        yield word.encode('utf-8', 'surrogateescape'), 1\n"
    )
    (tmp_path / "text").write_bytes(TEXT * 3)
    splits = make_splits(
        input_files([tmp_path / "text"]), Placement(), block_bytes=1 << 20, max_bytes=len(TEXT) * 3 // 2
    )
    properties = {
        "mapreduce.job.map.class": "mine.words",
        "mapreduce.job.reduce.class": "yarnbox.am.mapreduce.jobs.wordcount.SumReducer",
        "mapreduce.task.io.sort.mb": "1",
        "mapreduce.map.sort.spill.percent": "0.2",
        "mapreduce.task.io.sort.factor": "2",
        "mapreduce.map.output.compress": "true",
        "mapreduce.map.output.compress.codec": "org.apache.hadoop.io.compress.GzipCodec",
        "mapreduce.reduce.memory.totalbytes": "400000",
        "mapreduce.reduce.shuffle.memory.limit.percent": "0.6",
    }
    run_job(tmp_path, splits, properties)
    counted = Counter((TEXT * 3).split())
    assert output(tmp_path) == counted
    report = history(tmp_path)
    counters = report["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    words = counted.total()
    assert counters["MAP_OUTPUT_RECORDS"] == counters["REDUCE_INPUT_RECORDS"] == words
    assert counters["REDUCE_INPUT_GROUPS"] == len(counted)
    spilled = Counter[str]()
    for task in report["tasks"]:
        (attempt,) = task["attempts"]
        own = attempt["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
        spilled[task["type"]] += own["SPILLED_RECORDS"]
    assert spilled["MAP"] > 3 * words, "by spills, by passes, by the last merge"
    assert spilled["REDUCE"] >= words / 2, "one output was too large, or the memory was full"
    assert counters["MERGED_MAP_OUTPUTS"] == counters["SHUFFLED_MAPS"] == 2
    assert counters["MAP_OUTPUT_MATERIALIZED_BYTES"] < counters["MAP_OUTPUT_BYTES"] / 5
    assert 0 < counters["REDUCE_SHUFFLE_BYTES"] <= counters["MAP_OUTPUT_MATERIALIZED_BYTES"]


def test_commands_are_mapper_combiner_and_reducer(tmp_path: Path) -> None:
    """And a line without a tab is all key, also where no reduce follows."""
    counting = "awk -F '\\t' '{n[$1] += $2} END {for (w in n) print w \"\\t\" n[w]}'"
    splitting = "awk '{for (i = 1; i <= NF; i++) print $i \"\\t1\"}'"
    given = parser().parse_args(
        [
            "streaming", "-input", "in", "-output", "out", "-mapper", splitting,
            "-combiner", counting, "-reducer", counting, "-numReduceTasks", "2",
        ]
    )  # fmt: skip
    text = tmp_path / "text"
    text.write_bytes(b"the quick brown fox\njumps over the lazy dog\n" * 500)
    splits = make_splits(input_files([text]), Placement(), block_bytes=1 << 20, max_bytes=8000)
    inputs = ("mapreduce.input.fileinputformat.inputdir", "mapreduce.output.fileoutputformat.outputdir")
    found = {name: value for name, value in properties(given).items() if name not in inputs}
    run_job(tmp_path, splits, found)
    assert output(tmp_path) == Counter(text.read_bytes().split())
    counters = history(tmp_path)["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["COMBINE_INPUT_RECORDS"] == counters["MAP_OUTPUT_RECORDS"] == 9 * 500
    assert counters["COMBINE_OUTPUT_RECORDS"] == counters["REDUCE_INPUT_RECORDS"] < 100
    other = tmp_path / "other"
    other.mkdir()
    run_job(
        other, splits[:1], {**found, "mapreduce.job.reduces": "0", "stream.map.streamprocessor": "head+-c+9"}
    )
    assert (other / "out" / "part-m-00000").read_bytes() == b"the quick\t\n"


def test_a_process_runs_one_task_after_another(tmp_path: Path) -> None:
    """One process of all maps, of which the fourth fails once; one of all reduces."""
    (tmp_path / "mine.py").write_text(
        "import os\n"
        "SEEN = []\n"
        "def where(key, line):\n"
        "    SEEN.append(key)\n"
        "    if key == '3' and len(SEEN) == 4:\n"
        "        raise ValueError('once')\n"
        "    yield line, f'{os.getpid()}:{len(SEEN)}'\n"
        "def again(key, values):\n"
        "    yield key, ','.join(values) + f' {os.getpid()}'\n"
    )
    properties = {
        "mapreduce.job.jvm.numtasks": "-1",
        "mapreduce.job.running.map.limit": "1",
        "mapreduce.job.running.reduce.limit": "1",
        "mapreduce.job.map.class": "mine.where",
        "mapreduce.job.reduce.class": "mine.again",
        "mapreduce.job.reduces": "3",
    }
    splits = [Split(records=((str(number), f"line {number}"),)) for number in range(6)]
    run_job(tmp_path, splits, properties)
    lines = [line for part in (tmp_path / "out").glob("part-r-*") for line in part.read_text().splitlines()]
    found = [line.split("\t")[1].split() for line in sorted(lines)]
    maps = [where.partition(":")[0] for where, _ in found]
    assert len(found) == 6
    assert len({reduce for _, reduce in found}) == 1
    assert len(set(maps[:3])) == 1, "the container of the first"
    assert len(set(maps[3:])) == 2, "that of the second try, and a new one"
    assert not {*maps[:3]} & {*maps[3:]}
    report = history(tmp_path)
    ended = [
        (attempt["state"], attempt["assignedContainerId"])
        for task in report["tasks"]
        for attempt in task["attempts"]
    ]
    assert [state for state, _ in ended].count("FAILED") == 1
    assert len({container for _, container in ended}) == 4
    counters = report["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["MAP_OUTPUT_RECORDS"] == counters["REDUCE_INPUT_RECORDS"] == 6


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


@pytest.mark.long
def test_records_and_groups_that_kill_their_tasks_are_left_out(tmp_path: Path) -> None:
    """Line 7 kills its map's process; the reducer raises for one key."""
    (tmp_path / "mine.py").write_text(
        "import os\n"
        "def mapper(key, line):\n"
        "    if line == 'line 7':\n"
        "        os._exit(9)\n"
        "    yield line, 1\n"
        "def reducer(key, values):\n"
        "    if key == 'line 3':\n"
        "        raise ValueError(key)\n"
        "    yield key, sum(values)\n"
    )
    text = tmp_path / "lines"
    text.write_text("".join(f"line {number}\n" for number in range(10)))
    splits = make_splits(input_files([text]), Placement(), block_bytes=1 << 20, max_bytes=1 << 20)
    properties = {
        "mapreduce.job.map.class": "mine.mapper",
        "mapreduce.job.reduce.class": "mine.reducer",
        "mapreduce.map.skip.maxrecords": "1",
        "mapreduce.reduce.skip.maxgroups": "1",
        "mapreduce.job.maxtaskfailures.per.tracker": "100",
    }
    run_job(tmp_path, splits, properties)
    assert output(tmp_path) == {b"line %d" % number: 1 for number in range(10) if number not in (3, 7)}
    kept = sorted((tmp_path / "out" / "_logs" / "skip").iterdir())
    assert [path.read_text() for path in kept] == ["49\tline 7\n", "line 3\t1\n"]
    counters = history(tmp_path)["counters"]["org.apache.hadoop.mapreduce.TaskCounter"]
    assert counters["MAP_SKIPPED_RECORDS"] == counters["REDUCE_SKIPPED_GROUPS"] == 1


UBER = {
    "mapreduce.job.ubertask.enable": "true",
    "mapreduce.job.map.class": "mine.words",
    "mapreduce.job.reduce.class": "yarnbox.am.mapreduce.jobs.wordcount.SumReducer",
}
WORDS = (
    "import os\n"
    "def words(key, line):\n"
    "    for word in line.split():\n"
    "        yield word.encode('utf-8', 'surrogateescape'), 1\n"
)


def test_a_small_job_runs_in_its_ams_container(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WORDS)
    little = run_job(tmp_path, text_splits(tmp_path, 12_000), UBER)
    assert output(tmp_path) == Counter(TEXT.split())
    assert little.started == [], "no container was asked for"
    report = history(tmp_path)
    assert report["job"]["uberized"]
    counters = report["counters"]["org.apache.hadoop.mapreduce.JobCounter"]
    assert counters["TOTAL_LAUNCHED_UBERTASKS"] == 3
    assert (counters["NUM_UBER_SUBMAPS"], counters["NUM_UBER_SUBREDUCES"]) == (2, 1)
    one, two, last = (task["attempts"][0] for task in report["tasks"])
    assert one["finishTime"] <= two["startTime"], "one after the other"
    assert two["finishTime"] <= last["startTime"], "maps before the reduce"


def test_an_uber_task_that_dies_fails_the_job(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(WORDS.replace("    for", "    os._exit(9)\n    for"))
    little = run_job(tmp_path, text_splits(tmp_path, 12_000), UBER)
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.FAILED
    assert "exit status 9" in (little.finished.diagnostics or "")


@pytest.mark.long
def test_a_map_that_hangs_is_ended_and_tried_again(tmp_path: Path) -> None:
    """Its process reports all the time, but nothing moves. One that says that it goes on is left alone."""
    (tmp_path / "mine.py").write_text(
        "import pathlib, time\n"
        "from yarnbox.am.mapreduce.api import Mapper\n"
        "FLAG = pathlib.Path(__file__).with_name('hung')\n"
        "class HangOnce(Mapper):\n"
        "    def map(self, key, value, context):\n"
        "        try:\n"
        "            FLAG.touch(exist_ok=False)\n"
        "        except FileExistsError:\n"
        "            for _ in range(140 if key == 0 else 0):\n"
        "                time.sleep(0.05)\n"
        "                context.progress()\n"
        "        else:\n"
        "            time.sleep(300)\n"
        "        context.emit('lines', 1)\n"
        "def count(key, values):\n"
        "    yield key, sum(values)\n"
    )
    properties = {
        "mapreduce.job.map.class": "mine.HangOnce",
        "mapreduce.job.reduce.class": "mine.count",
        "mapreduce.task.timeout": "6000",
        "mapreduce.map.maxattempts": "50",  # a busy machine may not even have started one in time
        "mapreduce.reduce.maxattempts": "50",
        "mapreduce.task.progress-report.interval": "100",
    }
    run_job(tmp_path, text_splits(tmp_path, 1 << 20), properties)
    assert output(tmp_path) == {b"lines": TEXT.count(b"\n")}
    (task,) = (task for task in history(tmp_path)["tasks"] if task["type"] == "MAP")
    first, *_, last = task["attempts"]  # on a machine that is busy elsewhere there may be more
    assert (first["state"], last["state"]) == ("FAILED", "SUCCEEDED")
    assert first["diagnostics"].startswith(
        "It read, wrote and counted nothing for 6 s (mapreduce.task.timeout).\n"
        f"AttemptID:{first['id']} task timeout set: 6s, taskTimedOut: true;"
    )


@pytest.mark.long
def test_a_map_that_stands_still_is_overtaken_by_a_second_attempt(tmp_path: Path) -> None:
    """Whichever attempt opens the flag first hangs for ever; what it had written counts for nothing."""
    (tmp_path / "mine.py").write_text(
        "import os, pathlib, time\n"
        "FLAG = pathlib.Path(__file__).with_name('hung')\n"
        "def hang_once(key, line):\n"
        "    yield 'lines', 1\n"
        "    try:\n"
        "        with FLAG.open('x') as flag:\n"
        "            flag.write(str(os.getpid()))\n"
        "    except FileExistsError:\n"
        "        return\n"
        "    while True:\n"
        "        time.sleep(60)\n"
        "def count(key, values):\n"
        "    yield key, sum(values)\n"
    )
    properties = {
        "mapreduce.job.map.class": "mine.hang_once",
        "mapreduce.job.reduce.class": "mine.count",
        "mapreduce.map.speculative": "true",
        "mapreduce.job.speculative.retry-after-no-speculate": "50",
        "mapreduce.task.progress-report.interval": "50",
    }
    run_job(tmp_path, text_splits(tmp_path, 8000), properties)
    assert output(tmp_path) == {b"lines": TEXT.count(b"\n")}
    report = history(tmp_path)
    pairs = [task["attempts"] for task in report["tasks"] if len(task["attempts"]) == 2]
    lost = [(first, second) for first, second in pairs if first["state"] == "KILLED"]
    assert lost, "the one that hangs can only lose"
    for first, second in lost:
        assert second["state"] == "SUCCEEDED"
        assert first["diagnostics"] == f"Speculation: {second['id']} succeeded first!"
    assert not psutil.pid_exists(int((tmp_path / "hung").read_text()))


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


async def told(events: Path, what: str, times: int = 1) -> None:
    """Waits until a job's events tell that, so often."""
    async with asyncio.timeout(PATIENCE_S):
        while not events.exists() or events.read_text().count(what) < times:
            await asyncio.sleep(0.05)


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
            await told(events, '{"type":"TASK_FINISHED"', times=2)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            for container_id in list(little.cluster.live):
                little.kill(container_id)
            await asyncio.gather(*little.waiters.values())
            little.cluster.completed.clear()
            little.cluster.pending.clear()
            await asyncio.wait_for(Master(staging, environment(tmp_path, 2)).run(), PATIENCE_S)
            return little

    little = asyncio.run(run())
    assert little.finished is not None
    assert output(tmp_path) == Counter(TEXT.split())
    report = history(tmp_path)
    attempts = [attempt["id"] for task in report["tasks"] for attempt in task["attempts"]]
    assert sum(1 for attempt in attempts if attempt.endswith("_0")) >= 2
    assert any(attempt.endswith("_1000") for attempt in attempts)


def test_a_next_am_takes_over_reduces_that_are_done(tmp_path: Path) -> None:
    """One reduce ends under the first AM, the other waits at a gate that the second one finds open."""
    (tmp_path / "mine.py").write_text(
        "import pathlib, time\n"
        "OPEN = pathlib.Path(__file__).with_name('open')\n"
        "def letters(key, line):\n"
        "    yield 'a', 1\n"
        "    yield 'b', 1\n"
        "def by_letter(key, reduces):\n"
        "    return int(key.endswith(b'b'))\n"
        "def gated(key, values):\n"
        "    while key == 'b' and not OPEN.exists():\n"
        "        time.sleep(0.05)\n"
        "    yield key, sum(values)\n"
    )
    properties = {
        "mapreduce.job.map.class": "mine.letters",
        "mapreduce.job.reduce.class": "mine.gated",
        "mapreduce.job.partitioner.class": "mine.by_letter",
        "mapreduce.job.reduces": "2",
    }

    async def run() -> None:
        async with little_cluster(tmp_path, APPLICATION) as little:
            staging = stage(tmp_path, little, text_splits(tmp_path, 1 << 20), properties)
            first = asyncio.create_task(Master(staging, environment(tmp_path)).run())
            events = staging / "job_1_0001_1.jhist"
            await told(events, '{"type":"REDUCE_ATTEMPT_FINISHED"')
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            for container_id in list(little.cluster.live):
                little.kill(container_id)
            await asyncio.gather(*little.waiters.values())
            little.cluster.completed.clear()
            little.cluster.pending.clear()
            (tmp_path / "open").touch()
            await asyncio.wait_for(Master(staging, environment(tmp_path, 2)).run(), PATIENCE_S)

    asyncio.run(run())
    lines = TEXT.count(b"\n")
    assert output(tmp_path) == {b"a": lines, b"b": lines}
    reduces = [task for task in history(tmp_path)["tasks"] if task["type"] == "REDUCE"]
    numbers = [[attempt["id"].rpartition("_")[2] for attempt in task["attempts"]] for task in reduces]
    assert numbers[0] == ["0"], "it was not run again"
    assert numbers[1][-1] == "1000"


@pytest.mark.parametrize("wrote_the_end", [True, False])
def test_an_am_after_the_commit_tells_of_what_was_done_before_it(tmp_path: Path, wrote_the_end: bool) -> None:
    """It ran nothing itself; the one before had committed, and perhaps written so, when it died."""

    async def run() -> LittleCluster:
        async with little_cluster(tmp_path, APPLICATION) as little:
            staging = stage(tmp_path, little, text_splits(tmp_path, 8000), wordcount.properties())
            path = events_file(staging, JobId.of(APPLICATION), 1)
            write(eventful(), path)
            if not wrote_the_end:
                *lines, end, _ = path.read_text().split("\n")
                assert "JOB_FINISHED" in end
                path.write_text("\n".join([*lines, end[:20]]))
            for mark in ("COMMIT_STARTED", "COMMIT_SUCCESS"):
                (staging / mark).touch()
            await asyncio.wait_for(Master(staging, environment(tmp_path, app_attempt=2)).run(), PATIENCE_S)
            return little

    little = asyncio.run(run())
    assert little.finished is not None
    assert little.finished.final_application_status is FinalApplicationStatus.SUCCEEDED
    found = HistoryFiles(tmp_path / "history" / "done_intermediate", tmp_path / "history" / "done").find(
        JobId.of(APPLICATION)
    )
    assert found is not None
    assert (found.info.state, found.info.maps, found.info.reduces) == ("SUCCEEDED", 2, 1)
    past = parse(read_events(found.path))
    assert [one.attempt_id for one in past.ams] == [f"appattempt_1_0001_00000{number}" for number in (1, 2)]
    own = past.total_counters["org.apache.hadoop.mapreduce.JobCounter"]
    assert (own["TOTAL_LAUNCHED_MAPS"], own["NUM_FAILED_MAPS"]) == (4, 1)
