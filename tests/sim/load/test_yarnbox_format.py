"""yarnbox's own format: what is written is read again; what is wrong is told with file, position and key."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.tree import ROOT
from yarnbox.sim.load.formats import Load, LoadOptions, read_load
from yarnbox.sim.load.jobs import InvalidTraceError, Job, Task
from yarnbox.sim.load.yarnbox_format import as_object, write_load
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import Resource

SCHEMA = json.loads((ROOT / "docs" / "load.schema.json").read_text())
BEYOND_A_SCHEMA = ("is map or reduce under the model", "these stages wait", "there is no task of a stage")
HEADER = {"format": "yarnbox-load", "version": 1}
LEAST = {"job": "a", "submitMs": 0, "tasks": [{"durationMs": 5}]}

FULL = Job(
    job_id="full",
    submit_ms=7,
    end_ms=90,
    queue="root.etl",
    user="mei",
    groups=("etl", "staff"),
    name="nightly",
    type="TEZ",
    tags=("x",),
    priority=3,
    label="gpu",
    am_label="",
    am_resource=Resource.of({"memory-mb": 512, "vcores": 2, "yarn.io/gpu": 1}),
    am_attempts=2,
    model="dag",
    tasks=(
        Task(stage="scan", count=3, duration_ms=100, places=("/r1/h1", "/r2/h2"), failures_ms=(10, 20)),
        Task(
            stage="join",
            duration_ms=50,
            resource=Resource(2048, 2),
            priority=5,
            label="",
            execution_type=ExecutionType.OPPORTUNISTIC,
            allocation_id=4,
            delay_ms=9,
        ),
    ),
    after={"join": ("scan",)},
    slow_start=0.5,
    deadline_ms=1000,
    fidelity="modelled",
)


@cache
def validator() -> Any:
    """Of the schema, when a test asks for it: it is slow to import, and every worker collects."""
    return import_module("jsonschema").Draft202012Validator(SCHEMA)


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("name", ["l.jsonl", "l.jsonl.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    least = Job(job_id="later", submit_ms=8, tasks=(Task(duration_ms=1),))
    assert write_load(tmp_path / name, [FULL, least]) == 2
    load = read_load(tmp_path / name)
    read = list(load.jobs())
    assert read[0] == FULL
    assert (read[1].job_id, read[1].name, read[1].tasks) == ("later", "later", least.tasks)
    assert (load.count, load.last_submit_ms, load.queues) == (2, 8, ("root.etl", "default"))
    assert load.groups == {"mei": ("etl", "staff")}
    assert [node.place for node in load.nodes.nodes] == ["/r1/h1", "/r2/h2"]


def test_the_same_jobs_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_load(tmp_path / name, [FULL])
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_nothing_half_written_stands_under_the_name(tmp_path: Path) -> None:
    def jobs() -> Any:
        yield FULL
        raise InvalidTraceError("no more")

    with pytest.raises(InvalidTraceError):
        write_load(tmp_path / "l.jsonl", jobs())
    assert list(tmp_path.iterdir()) == []


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_is_written_is_valid_by_the_schema() -> None:
    example = lines(ROOT / "examples" / "loads" / "three-tenants.jsonl")
    for one in (HEADER, LEAST, as_object(FULL), *example):
        validator().validate(one)


def test_the_schema_knows_every_key_and_no_more() -> None:
    shown = as_object(FULL)
    job = SCHEMA["$defs"]["job"]
    assert set(job["properties"]) == set(shown)
    assert set(job["properties"]["am"]["properties"]) == set(shown["am"])
    keys = {key for task in shown["tasks"] for key in task}
    assert set(SCHEMA["$defs"]["task"]["properties"]) == keys


@pytest.mark.parametrize(
    "change, why",
    [
        ({"submitMs": -1}, "submitMs: has to be at least 0, not -1"),
        ({"submitMs": "3"}, "submitMs: has to be a whole number, not '3'"),
        ({"submitMs": None}, "submitMs: is missing"),
        ({"tasks": []}, "tasks: the job has none"),
        ({"tasks": 3}, "tasks: has to be a list, not 3"),
        ({"tasks": [{"durationMs": 0}]}, "tasks[0].durationMs: has to be at least 1, not 0"),
        ({"tasks": [{"durationMs": 1}, {}]}, "tasks[1].durationMs: is missing"),
        ({"tasks": [{"durationMs": 1, "host": "x"}]}, "tasks[0].host: is not a key of a task"),
        ({"tasks": [{"durationMs": 1, "places": ["h"]}]}, "tasks[0].places: has to be a list of /rack/host"),
        (
            {"tasks": [{"durationMs": 1, "resource": {"vcores": -1}}]},
            "tasks[0].resource.vcores: has to be at least 0, not -1",
        ),
        (
            {"tasks": [{"durationMs": 1, "stage": "x"}]},
            "tasks[0].stage: is map or reduce under the model mapreduce",
        ),
        ({"model": "loop"}, "model: has to be one of mapreduce, dag, stream, service, not 'loop'"),
        ({"slowStart": 2}, "slowStart: has to be at most 1, not 2"),
        ({"am": {"memory": 3}}, "am.memory: is not a key of am"),
        (
            {"model": "dag", "after": {"map": ["map"]}},
            "after: these stages wait for one another: map",
        ),
        ({"model": "dag", "after": {"map": ["x"]}}, "after.map: there is no task of a stage 'x'"),
    ],
)
def test_what_is_wrong_is_told_with_file_line_and_key(tmp_path: Path, change: Any, why: str) -> None:
    file = written(tmp_path / "l.jsonl", HEADER, LEAST, {**LEAST, **change})
    with pytest.raises(InvalidTraceError) as told:
        read_load(file)
    assert str(told.value).startswith(f"{file}:3: {why}")
    assert validator().is_valid({**LEAST, **change}) == any(words in why for words in BEYOND_A_SCHEMA)
    kept = read_load(file, options=LoadOptions(is_lenient=True))
    assert (kept.count, kept.dropped, list(kept.faults)) == (1, 1, [str(told.value)])
    assert len(list(kept.jobs())) == 1


def test_times_out_of_order_are_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "l.jsonl", HEADER, {**LEAST, "submitMs": 9}, LEAST)
    with pytest.raises(InvalidTraceError, match=":3: submitMs: 0 is before 9"):
        read_load(file)


def test_an_id_that_two_jobs_have_is_refused(tmp_path: Path) -> None:
    other, later = {**LEAST, "job": "b"}, {**LEAST, "submitMs": 5}
    file = written(tmp_path / "l.jsonl", HEADER, LEAST, other, later)
    second = written(tmp_path / "m.jsonl", HEADER, {**LEAST, "job": "c"}, {**other, "submitMs": 3})
    with pytest.raises(InvalidTraceError) as told:
        read_load(file)
    assert str(told.value) == f"{file}:4: 'a' is the id of a job before it, too"
    with pytest.raises(InvalidTraceError):
        Load.of(2 * [FULL])
    with pytest.raises(InvalidTraceError, match="is a directory; a load is a file"):
        read_load(tmp_path)
    kept = read_load([file, second], options=LoadOptions(is_lenient=True))
    assert (kept.count, kept.dropped) == (3, 2)
    assert [(job.job_id, job.submit_ms) for job in kept.jobs()] == [("a", 0), ("b", 0), ("c", 0)]


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "is empty"),
        ('{"format": "other"}\n', ":1: format: the first line has to be"),
        ('{"format": "yarnbox-load", "version": 2}\n', ":1: version: 2 is not known; this reads 1"),
        (
            '{"format": "yarnbox-load", "version": 1}\n{"job": "a", "job": "b"}\n',
            ":2: is not JSON: 'job' occurs twice",
        ),
        ('{"format": "yarnbox-load", "version": 1}\n{"job": NaN}\n', ":2: is not JSON: NaN"),
        ('{"format": "yarnbox-load", "version": 1}\n{"job": \n', ":2: is not JSON"),
        ('{"format": "yarnbox-load", "version": 1}\n', "contains no jobs"),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "l.jsonl"
    file.write_text(text)
    with pytest.raises(InvalidTraceError) as told:
        read_load(file)
    assert str(told.value).startswith(str(file))
    assert why in str(told.value)
    assert "\n" not in str(told.value)


def test_a_gzip_file_that_is_cut_off(tmp_path: Path) -> None:
    jobs = [{**LEAST, "job": str(number)} for number in range(50)]
    whole = gzip.compress(b"".join(json.dumps(one).encode() + b"\n" for one in (HEADER, *jobs)))
    file = tmp_path / "l.jsonl.gz"
    file.write_bytes(whole[:-9])
    with pytest.raises(InvalidTraceError, match="is cut off: the gzip stream has no end"):
        read_load(file)


def test_a_host_that_is_no_node(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text('{"rack": "r", "nodes": [{"node": "h"}]}')
    task = {"durationMs": 1, "places": ["/r/other"]}
    file = written(tmp_path / "l.jsonl", HEADER, {**LEAST, "tasks": [task]})
    with pytest.raises(InvalidTraceError) as told:
        read_load(file, options=LoadOptions(nodes=nodes))
    assert str(told.value) == f"{file}:2: a: task 0: /r/other is not a node of {nodes}"
