"""Results: what they count, how they are written, and that they are the same from run to run."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from array import array
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring
from pyarrow import parquet

import yarnbox.sim
from yarnbox.sim import Job, Load, Result, Site, Summary, Task, play
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.sim.reports import parquet as parquet_files
from yarnbox.sim.reports import progress as telling
from yarnbox.sim.reports.collector import Alone
from yarnbox.sim.reports.parquet import parquet_file
from yarnbox.sim.reports.progress import Progress, line
from yarnbox.sim.reports.report import report
from yarnbox.sim.reports.result import Evenness, in_order, percentile
from yarnbox.sim.reports.tables import Table
from yarnbox.sim.workload.command import main
from yarnbox.yarn.resources.resource import Resource

EXPORTS = [
    "Change",
    "Comparison",
    "InvalidChangeError",
    "InvalidTraceError",
    "Job",
    "JobResult",
    "Load",
    "LoadOptions",
    "NodeLoss",
    "NodeSpec",
    "Nodes",
    "Result",
    "Row",
    "Site",
    "Summary",
    "Task",
    "compare",
    "play",
    "read_load",
    "write_load",
]


def job(name: str, submit_ms: int, *tasks: Task, queue: str = "a", user: str = "mei") -> Job:
    return Job(job_id=name, submit_ms=submit_ms, queue=queue, user=user, tasks=tasks)


JOBS = (
    job("one", 0, Task(count=12, duration_ms=5000), Task(stage=REDUCE, duration_ms=3000)),
    job("two", 2000, Task(count=4, duration_ms=5000), queue="b", user="tom"),
    job("lost", 3000, Task(duration_ms=1), queue="a.b.c"),
)


def result() -> Result:
    return play(None, Load.of(JOBS[:2]), seed=3, site=Site(nodes=3, seed=3))


def test_what_a_program_may_use() -> None:
    assert sorted(yarnbox.sim.__all__) == sorted(EXPORTS)


def test_the_figures_of_a_play() -> None:
    found = result()
    assert found.is_complete
    first, second = found.jobs
    assert (first.queue, first.containers, first.attempts, first.tasks) == ("root.a", 13, 1, 13)
    assert first.am_wait_ms is not None
    assert first.wait_ms is not None
    assert 0 < first.am_wait_ms < first.wait_ms < (first.response_ms or 0)
    assert first.slowdown == round((first.response_ms or 0) / first.alone_ms, 3)
    assert first.slowdown >= 1
    assert (first.size, second.size) == ("medium", "small")
    assert sum(one.containers for one in found.nodes) == 17
    assert list(found.by("user")) == ["mei", "tom"]
    assert found.by("queue")["root.b"]["response_ms"].mean == second.response_ms
    assert {one.queue for one in found.queues} == {"root.a", "root.b"}
    (part,) = found.partitions
    assert part.memory is not None
    assert 0 < part.memory < 1
    assert found.makespan_ms == max(first.ended_ms or 0, second.ended_ms or 0)
    assert found.data()["jobs"]["finished"] == 2


def test_what_a_queue_used_is_what_its_containers_were() -> None:
    found = result()
    held = {"root.a": 0.0, "root.b": 0.0}
    for sample, after in zip(found.samples, found.samples[1:], strict=False):
        assert sample.time_ms <= after.time_ms
    for one in found.samples:
        held[one.queue] = max(held[one.queue], one.used_mb)
        assert one.used_mb == 1024 * one.containers
    assert held["root.a"] == 13 * 1024


def test_the_same_seed_gives_the_same_results() -> None:
    assert result().data() == result().data()
    assert [one.row() for one in result().jobs] == [one.row() for one in result().jobs]


@pytest.mark.parametrize(
    "values, share, wanted",
    [([1.0, 2.0, 3.0, 4.0], 50, 2), ([1.0, 2.0, 3.0, 4.0], 90, 4), ([7.0], 50, 7), ([], 50, None)],
)
def test_percentiles_are_by_nearest_rank(values: list[float], share: int, wanted: float | None) -> None:
    assert percentile(values, share) == wanted


def test_a_summary_leaves_out_what_never_came_about() -> None:
    found = Summary.of([3, None, 1])
    assert (found.count, found.mean, found.p50, found.p99) == (2, 2.0, 1, 3)
    assert Summary.of([None]) == Summary(count=0, mean=None, p50=None, p90=None, p95=None, p99=None)


def test_many_values_are_put_in_order_part_by_part() -> None:
    values = array("q", (7 * number % 101 for number in range(100)))
    assert list(in_order(values, at_once=9)) == in_order(values) == sorted(values)
    assert list(in_order(array("d", [2.5, 0.5, 1.5]), at_once=2)) == [0.5, 1.5, 2.5]


def test_what_a_job_takes_alone() -> None:
    alone = Alone(Site(nodes=2, node_resource=Resource(4096, 4)))
    assert alone.time_ms(job("x", 0, Task(duration_ms=5000))) == 7000
    assert alone.time_ms(job("x", 0, Task(count=16, duration_ms=5000))) == 12_000
    both = job("x", 0, Task(duration_ms=5000), Task(stage=REDUCE, duration_ms=100))
    assert alone.time_ms(both) == 7100
    dag = Job(
        job_id="d",
        submit_ms=0,
        model="dag",
        tasks=(
            Task(stage="a", duration_ms=10),
            Task(stage="b", duration_ms=30),
            Task(stage="c", duration_ms=5),
        ),
        after={"c": ("a", "b")},
    )
    assert alone.time_ms(dag) == 2035


# ---- the command


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "load.jsonl"
    write_load(file, JOBS[:2])
    return file


def run(trace: Path, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(["run", "--tracelocation", str(trace), "--num-nodes", "3", *words], out=out, err=err)
    return status, out.getvalue(), err.getvalue()


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))


def test_a_table_for_people(trace: Path) -> None:
    status, out, err = run(trace)
    assert (status, err) == (0, "")
    rows = out.splitlines()
    assert rows[0].startswith("2 of 2 jobs finished within ")
    assert rows[2].split() == ["queue", "jobs", "mean", "p50", "p90", "p95", "p99"]
    assert [row.split()[:2] for row in rows[3:8]] == [
        ["root.a", "AM"],
        ["wait", "1"],
        ["response", "1"],
        ["slowdown", "1"],
        ["root.b", "AM"],
    ]
    assert "fidelity     2 jobs traced, 0 modelled" in rows
    assert any(row.startswith("fairness     between queues: ") for row in rows)
    assert "containers   17, 0 preempted, 0.0 s of work lost" in rows


def test_json_for_programs(trace: Path) -> None:
    status, out, _ = run(trace, "--json")
    found = json.loads(out)
    assert (status, found["jobs"]["count"], found["containers"]) == (0, 2, 17)
    assert [one["job"] for one in found["rows"]] == ["one", "two"]
    assert run(trace, "--json")[1] == out


def test_csv_files(trace: Path, tmp_path: Path) -> None:
    assert run(trace, "--csv", str(tmp_path / "csv"))[0] == 0
    read = {file.name: rows_of(file) for file in (tmp_path / "csv").iterdir()}
    assert set(read) == {"jobs.csv", "containers.csv", "queues.csv", "fairness.csv", "nodes.csv"}
    assert [row["time_ms"] for row in read["fairness.csv"]] == sorted(
        {row["time_ms"] for row in read["queues.csv"]} | {"0"}, key=int
    )
    assert [row["job"] for row in read["jobs.csv"]] == ["one", "two"]
    assert len(read["containers.csv"]) == 17
    assert {row["status"] for row in read["containers.csv"]} == {"0"}
    assert sum(int(row["containers"]) for row in read["nodes.csv"]) == 17


def test_parquet_files_have_the_values_of_csv_files(trace: Path, tmp_path: Path) -> None:
    csvs, there = tmp_path / "csv", tmp_path / "parquet"
    assert run(trace, "--csv", str(csvs), "--parquet", str(there))[0] == 0
    assert {one.stem for one in there.iterdir()} == {one.stem for one in csvs.iterdir()}
    for file in there.iterdir():
        read = parquet.read_table(file)
        written = rows_of(csvs / f"{file.stem}.csv")
        assert read.column_names == list(written[0])
        rows = [
            {name: "" if value is None else str(value) for name, value in row.items()}
            for row in read.to_pylist()
        ]
        assert rows == written
        group = parquet.ParquetFile(file).metadata.row_group(0)
        assert {group.column(at).compression for at in range(group.num_columns)} == {"ZSTD"}
    types = {one.name: str(one.type) for one in parquet.read_schema(there / "jobs.parquet")}
    assert (types["job"], types["wait_ms"], types["slowdown"]) == ("string", "int64", "double")


def test_parquet_files_grow_by_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_files, "ROW_GROUP", 3)
    table = Table("t", {"name": str, "much": int, "share": float})
    rows = [(f"r{number}", number or None, number / 2) for number in range(8)]
    with parquet_file(tmp_path, table) as add:
        for row in rows:
            add(row)
        assert not list(tmp_path.glob("t.parquet"))
    (file,) = tmp_path.iterdir()
    assert [tuple(row.values()) for row in parquet.read_table(file).to_pylist()] == rows
    metadata = parquet.ParquetFile(file).metadata
    assert [metadata.row_group(at).num_rows for at in range(metadata.num_row_groups)] == [3, 3, 2]
    with parquet_file(tmp_path, Table("empty", table.columns)):
        pass
    assert parquet.read_table(tmp_path / "empty.parquet").num_rows == 0


def test_parquet_without_its_package_is_one_line_before_the_run(
    trace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, out, err = run(trace, "--parquet", str(tmp_path / "tables"))
    assert (status, out) == (2, "")
    assert err == "yarnbox: --parquet needs PyArrow: pip install 'yarnbox[parquet]'\n"
    assert not (tmp_path / "tables").exists()


def test_nobody_imports_pyarrow_who_does_not_ask_for_it(trace: Path, tmp_path: Path) -> None:
    words = ["run", "--tracelocation", str(trace), "--num-nodes", "3", "--csv", str(tmp_path / "csv")]
    program = "import sys; from yarnbox.sim.workload.command import main; main(sys.argv[1:])"
    looked = f"{program}; sys.exit(any(one.startswith('pyarrow') for one in sys.modules))"
    subprocess.run([sys.executable, "-c", looked, *words], check=True, stdout=subprocess.DEVNULL)


def test_a_page_of_a_run(trace: Path, tmp_path: Path) -> None:
    place = tmp_path / "run.html"
    assert run(trace, "--report", str(place), "--name", "a <day>")[0] == 0
    text = place.read_text(encoding="utf-8")
    tree = fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    assert [one.text for one in tree.iter("h1")] == ["a <day>"]
    headings = [one.text for one in tree.iter("h2")]
    assert headings == [
        "Over time",
        "Waits and responses",
        "By queue",
        "By user",
        "By size",
        "Queues",
        "Nodes",
        "What the figures mean",
    ]
    captions = ["".join(one.itertext()) for one in tree.iter("figcaption")]
    assert captions[:3] == [
        "Memory used by queues, GiB",
        "Memory asked for and not allocated, GiB",
        "Fairness between",
    ]
    assert not re.search(r"https?:|<script|src=|@import|url\(", text)
    first = place.read_bytes()
    assert run(trace, "--report", str(place), "--name", "a <day>")[0] == 0
    assert place.read_bytes() == first


def test_a_page_says_which_jobs_did_not_finish() -> None:
    found = play(None, Load.of(JOBS), site=Site(nodes=3))
    found.jobs[0].state, found.jobs[0].why = "FAILED", "no <luck>"
    text = report(found, "run")
    assert "Jobs that did not finish" in text
    assert "no &lt;luck&gt;" in text


def test_fairness_is_the_mean_over_time() -> None:
    found = result()
    found.fairness = [
        Evenness(time_ms=0, queues=None, applications=1.0),
        Evenness(time_ms=1000, queues=1.0, applications=1.0),
        Evenness(time_ms=4000, queues=0.5, applications=None),
        Evenness(time_ms=5000, queues=0.2, applications=None),
    ]
    assert found.mean_fairness() == 0.875
    assert found.mean_fairness("applications") == 1.0
    found.fairness = []
    assert found.mean_fairness() is None


def test_one_queue_alone_is_served_evenly() -> None:
    found = play(None, Load.of(JOBS[:1]), site=Site(nodes=3))
    assert {one.queues for one in found.fairness} <= {None, 1.0}
    assert found.mean_fairness() == 1.0


def test_what_hadoops_simulator_writes(trace: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run(trace, "--output-dir", str(tmp_path / name))[0] == 0
    there = tmp_path / "a"
    track = json.loads((there / "realtimetrack.json").read_text())
    assert [one["time"] for one in track] == list(range(0, 1000 * len(track), 1000))
    assert max(one["running.containers"] for one in track) >= 13
    assert track[0]["nodes.memory.unused"] == 3
    assert max(one["queue.root.a.allocated.memory"] for one in track) == 13.0
    rows = rows_of(there / "jobruntime.csv")
    assert rows[0]["JobID"].startswith("application_")
    assert rows[1]["simulate_start_time"] == "2000"
    assert (there / "tableMapping.csv").read_text() == "node0 /rack0\nnode1 /rack0\nnode2 /rack0\n"
    metric = rows_of(there / "metrics" / "variable.running.container.csv")
    assert [int(row["value"]) for row in metric] == [one["running.containers"] for one in track]
    for file in there.rglob("*"):
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "b" / file.relative_to(there)).read_bytes()


def test_queues_and_tracked_jobs_have_metrics_of_their_own(trace: Path, tmp_path: Path) -> None:
    ids = [job.job_id for job in JOBS]
    words = ["--output-dir", str(tmp_path), "--track-jobs", ids[0], "--scheduler", "fair"]
    assert run(trace, *words)[0] == 0
    track = json.loads((tmp_path / "realtimetrack.json").read_text())

    def values(name: str, column: str) -> list[int]:
        return [int(row[column]) for row in rows_of(tmp_path / "metrics" / f"{name}.csv")]

    gigabytes = [one["queue.root.a.allocated.memory"] for one in track]
    assert [mb / 1024 for mb in values("counter.queue.root.a.allocated.memory", "count")] == gigabytes
    assert max(values("counter.queue.root.a.pending.memory", "count")) > 0
    assert values("variable.queue.root.a.usage.memory", "value")[-1] <= 13 * 1024
    assert max(values("variable.queue.root.a.demand.memory", "value")) >= 13 * 1024
    live = values(f"variable.app.{ids[0]}.live.containers", "value")
    assert max(live) == max(gigabytes) == 13  # it is alone there, with containers of 1 GB
    assert not list((tmp_path / "metrics").glob(f"variable.app.{ids[1]}.*"))


def test_a_job_to_track_that_is_not_in_the_load(trace: Path, tmp_path: Path) -> None:
    status, _, err = run(trace, "--output-dir", str(tmp_path / "sls"), "--track-jobs", "nobody")
    assert (status, err.strip()) == (2, "yarnbox: --track-jobs: there is no job nobody in the load")


def test_refused_jobs_are_counted_with_their_reasons(tmp_path: Path) -> None:
    file, conf = tmp_path / "load.jsonl", tmp_path / "conf"
    write_load(file, JOBS)
    conf.mkdir()
    (conf / "capacity-scheduler.xml").write_text(
        "<configuration>"
        "<property><name>yarn.scheduler.capacity.root.queues</name><value>a,b</value></property>"
        "<property><name>yarn.scheduler.capacity.root.a.capacity</name><value>50</value></property>"
        "<property><name>yarn.scheduler.capacity.root.b.capacity</name><value>50</value></property>"
        "</configuration>"
    )
    status, out, _ = run(file, "--conf", str(conf), "--json")
    found = json.loads(out)
    assert (status, found["jobs"]["refused"], found["jobs"]["finished"]) == (1, 1, 2)
    (why,) = [one["why"] for one in found["rows"] if one["state"] == "REFUSED"]
    assert "a.b.c" in why


def test_nothing_stands_under_its_name_where_a_run_goes_wrong(trace: Path, tmp_path: Path) -> None:
    places = [
        "--csv",
        str(tmp_path / "csv"),
        "--parquet",
        str(tmp_path / "parquet"),
        "--output-dir",
        str(tmp_path / "sls"),
        "--record",
        str(tmp_path / "r"),
    ]
    assert run(trace, "--node-mb", "1", *places)[0] == 2
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [trace]


# ---- progress


def test_progress_is_a_line() -> None:
    said = line(36_000_000, 72_000_000, 10, 40, 100.0)
    assert said == "10:00:00 of virtual time, 10 of 40 jobs, 360 times real time, about 100 s left"
    assert line(0, 0, 0, 4, 0.0) == "00:00:00 of virtual time, 0 of 4 jobs, 0 times real time"


def test_a_long_reading_says_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_LINES_S", 0.0)
    write_load(tmp_path / "load.jsonl", [job(name, 0, Task(duration_ms=10)) for name in ("a", "b")])
    err = io.StringIO()
    assert main(["run", "--tracelocation", str(tmp_path / "load.jsonl")], out=io.StringIO(), err=err) == 0
    assert err.getvalue().splitlines()[:2] == ["1 job read", "2 jobs read"]


def test_a_short_run_says_nothing_of_its_progress() -> None:
    out = io.StringIO()
    progress = Progress(2, 1000, out)
    progress.moment(1000)
    progress.finish()
    assert out.getvalue() == ""
