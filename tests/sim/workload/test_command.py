"""`yarnbox sim run`: what is printed, what is refused, and the exit status."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from yarnbox.sim.recording.document import read_file
from yarnbox.sim.workload.command import main

TRACE = "job0\t0\t0\t1000\t0\t10\njob1\t5\t5\t1000\t500\t10\n"


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    file = tmp_path / "small.tsv"
    file.write_text(TRACE)
    return file


def run(trace: Path, *words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(["run", "--tracelocation", str(trace), "--num-nodes", "2", *words], out=out, err=err)
    return status, out.getvalue(), err.getvalue()


def test_a_trace_is_played_and_recorded(trace: Path, tmp_path: Path) -> None:
    status, out, err = run(trace, "--queues", "a,b", "--scheduler", "fair", "--record", str(tmp_path / "r"))
    assert (status, err) == (0, "")
    assert out.startswith("2 of 2 jobs finished within ")
    recording = read_file(tmp_path / "r")
    assert (recording.name, recording.scheduler, recording.data["kind"]) == (
        "small",
        "FairScheduler",
        "workload",
    )
    assert recording.data["figures"]["containers"] == 3
    assert run(trace, "--jobs", "1")[1].startswith("1 of 1 job")


def test_a_configuration_directory(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "yarn-site.xml").write_text(
        "<configuration><property><name>yarn.resourcemanager.scheduler.class</name><value>fifo</value></property>"
        "</configuration>"
    )
    assert run(trace, "--conf", str(tmp_path / "conf"))[0] == 0


def test_a_file_of_the_configuration_that_is_no_text_is_one_line(trace: Path, tmp_path: Path) -> None:
    allocations = tmp_path / "fair-scheduler.xml"
    allocations.write_bytes(b"\xff\xfe")
    status, out, err = run(trace, "--conf", str(tmp_path), "--scheduler", "fair")
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"yarnbox: {allocations}: cannot be read: ")


def test_jobs_that_never_fit_are_given_up(trace: Path) -> None:
    status, out, _ = run(trace, "--num-nodes", "1", "--node-mb", "1024")
    assert status == 1
    first, second = out.splitlines()[:2]
    assert first.startswith("0 of 2 jobs finished within 120")
    assert second == "  given up: 2 jobs wait, and for 20 minutes no container was allocated to any of them"


def test_a_file_in_the_place_of_a_directory_is_told_how_it_is_named(trace: Path) -> None:
    err = io.StringIO()
    assert main(["run", str(trace)], out=io.StringIO(), err=err) == 2
    assert err.getvalue() == f"yarnbox: {trace}: is not a directory; --tracelocation names a trace\n"


def test_a_directory_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    for name, why in (("nowhere", "there is no such directory"), ("", "there is no load.jsonl in it")):
        err = io.StringIO()
        assert main(["run", str(tmp_path / name)], out=io.StringIO(), err=err) == 2
        assert err.getvalue() == f"yarnbox: {tmp_path / name}: {why}\n"


def test_no_node_that_the_resourcemanager_takes_is_one_line_and_status_2(trace: Path) -> None:
    status, out, err = run(trace, "--node-mb", "512")
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith("yarnbox: there is no node in the cluster: node0: ")


def test_jobs_that_are_refused_are_status_1(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        "<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>x</value></property>"
        "<property><name>yarn.scheduler.capacity.root.x.capacity</name><value>100</value></property></configuration>"
    )
    status, out, _ = run(trace, "--conf", str(tmp_path / "conf"))
    assert status == 1
    assert out.splitlines()[0].startswith("0 of 2 jobs finished")
    assert "job0: " in out


@pytest.mark.parametrize(
    "text, why",
    [
        ("job0\t1\n", ":1: expected 6 columns, found 2"),
        ("", ": contains no jobs"),
        (None, "No such file"),
    ],
)
def test_a_bad_trace_is_one_line_and_status_2(trace: Path, text: str | None, why: str) -> None:
    if text is None:
        trace.unlink()
    else:
        trace.write_text(text)
    status, out, err = run(trace)
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"yarnbox: {trace}")
    assert why in line


@pytest.mark.parametrize(
    "words",
    [
        ["--num-nodes", "0"],
        ["--num-nodes", "100001"],
        ["--speedup", "-1"],
        ["--tracetype", "NONE"],
        ["--lose-node", "node0"],
        ["--stragglers", "1.5"],
        ["somewhere"],
        ["--queues", ","],
    ],
)
def test_a_wrong_command_line_is_status_2(trace: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(trace, *words)
    assert ended.value.code == 2


def test_jobs_that_are_refused_are_counted(trace: Path, tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "capacity-scheduler.xml").write_text(
        "<configuration><property><name>yarn.scheduler.capacity.root.queues</name><value>x</value></property>"
        "<property><name>yarn.scheduler.capacity.root.x.capacity</name><value>100</value></property></configuration>"
    )
    trace.write_text("".join(f"job{number}\t0\t0\t1000\t0\t10\n" for number in range(8)))
    _, out, _ = run(trace, "--conf", str(tmp_path / "conf"), "--queues", "x,nowhere")
    head = out.splitlines()[:6]
    assert head[0].startswith("4 of 8 jobs finished within ")
    assert head[1] == "  4 refused"
    assert head[2].startswith("  job1: ")


@pytest.mark.parametrize("words", [["--track-jobs", "nobody"], ["--report", "nowhere/page.html"]])
def test_what_is_refused_leaves_nothing_behind(trace: Path, tmp_path: Path, words: list[str]) -> None:
    option, value = words
    found = [option, str(tmp_path / value) if "/" in value else value]
    results = ["--csv", str(tmp_path / "csv"), "--output-dir", str(tmp_path / "sls")]
    assert run(trace, *results, *found)[0] == 2
    assert list(tmp_path.iterdir()) == [trace]


@pytest.mark.parametrize("scheduler", ["capacity", "fair", "fifo"])
def test_labelled_nodes_need_no_configuration(tmp_path: Path, scheduler: str) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text('{"rack": "r", "nodes": [{"node": "n1"}, {"node": "n2", "labels": "gpu"}]}')
    load = tmp_path / "load.jsonl"
    label = '"label": "gpu", ' if scheduler == "capacity" else ""
    load.write_text(
        '{"format": "yarnbox-load", "version": 1}\n'
        '{"job": "plain", "submitMs": 0, "queue": "root.a", "tasks": [{"durationMs": 5000}]}\n'
        f'{{"job": "other", "submitMs": 0, "queue": "root.b.c", "tasks": [{{{label}"durationMs": 5000}}]}}\n'
    )
    directory = tmp_path / "csv"
    words = ["--nodes", str(nodes), "--scheduler", scheduler, "--csv", str(directory)]
    out, err = io.StringIO(), io.StringIO()
    assert main(["run", "--tracelocation", str(load), *words], out=out, err=err) == 0
    assert err.getvalue() == ""
    if scheduler == "capacity":
        rows = (directory / "containers.csv").read_text().splitlines()[1:]
        assert {row.split(",")[0]: row.split(",")[3] for row in rows} == {"plain": "n1", "other": "n2"}


def test_the_size_of_nodes_that_a_nodes_file_gives_none(trace: Path, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text('{"rack": "r", "nodes": [{"node": "n1"}, {"node": "n2", "memory-mb": 4096}]}')
    out = io.StringIO()
    words = ["--nodes", str(nodes), "--node-mb", "2048", "--json"]
    assert main(["run", "--tracelocation", str(trace), *words], out=out, err=io.StringIO()) == 0
    assert json.loads(out.getvalue())["queues"][0]["guarantee_mb"] == 6144
