"""SLS, RUMEN and SYNTH: the examples of the manual, and what is wrong with a file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from yarnbox.sim.load import reading
from yarnbox.sim.load import text as text_module
from yarnbox.sim.load.command import main
from yarnbox.sim.load.fields import Fields
from yarnbox.sim.load.formats import LoadOptions, read_load
from yarnbox.sim.load.jobs import InvalidTraceError, Job, Task
from yarnbox.sim.load.synth import sample
from yarnbox.sim.load.yarnbox_format import write_load
from yarnbox.yarn.resources.resource import Resource

SLS = """{"num.nodes": 4, "num.racks": 2}
{"am.type": "mapreduce", "job.start.ms": 0, "job.queue.name": "etl", "job.id": "nightly", "job.user": "mei",
 "am.memory-mb": 512, "job.tasks": [
   {"container.host": "/rack1/node1", "container.duration.ms": 12000, "container.type": "map",
    "container.memory-mb": 2048},
   {"count": "3", "container.duration.ms": 8000, "container.type": "map"},
   {"container.start.ms": 20000, "container.end.ms": 26000, "container.type": "reduce",
    "container.priority": 10}]}
{"am.type": "dag", "job.start.ms": 5000, "job.queue.name": "lab", "job.tasks": [
   {"container.duration.ms": 4000, "container.request.delay": 0},
   {"container.duration.ms": 4000, "container.request.delay": 6000, "container.vcores": 2}]}
"""
RUMEN = """{"jobID": "job_1", "user": "mei", "queue": "etl", "submitTime": 1700000000000,
 "finishTime": 1700000042000, "mapTasks": [{"attempts": [
   {"hostName": "/rack1/node1", "startTime": 1700000001000, "finishTime": 1700000002000},
   {"hostName": "/rack1/node1", "startTime": 1700000003000, "finishTime": 1700000015000}]}],
 "reduceTasks": [{"attempts": [
   {"hostName": "/rack2/node3", "startTime": 1700000016000, "finishTime": 1700000040000}]}]}
{"jobID": "job_2", "submitTime": 1700000010000, "finishTime": 1700000011000,
 "mapTasks": [{"attempts": [{"startTime": 1700000010000, "finishTime": 1700000010500}]}]}
"""
SYNTH: dict[str, Any] = {
    "num_nodes": 8,
    "nodes_per_rack": 4,
    "num_jobs": 20,
    "rand_seed": 7,
    "workloads": [
        {
            "workload_name": "day",
            "workload_weight": 1,
            "queue_name": "etl",
            "time_distribution": [
                {"time": 0, "weight": 3},
                {"time": 60, "weight": 1},
                {"time": 120, "weight": 0},
            ],
            "job_classes": [
                {
                    "class_name": "short",
                    "user_name": "mei",
                    "class_weight": 0.75,
                    "type": "mapreduce",
                    "duration": {"val": 30},
                    "reservation": {"val": 0},
                    "tasks": [
                        {
                            "type": "map",
                            "count": {"val": 6, "std": 2},
                            "time": {"val": 9000, "std": 1500},
                            "max_memory": {"discrete": [1024, 2048], "weights": [3, 1]},
                            "max_vcores": {"val": 1},
                        }
                    ],
                },
                {
                    "class_name": "server",
                    "user_name": "tom",
                    "class_weight": 0.25,
                    "type": "stream",
                    "duration": {"val": 300},
                    "reservation": {"val": 0},
                    "tasks": [{"type": "stream", "count": {"val": 2}, "time": {"val": 60000}}],
                },
            ],
        }
    ],
}


def file_of(directory: Path, text: str) -> Path:
    file = directory / "trace.json"
    file.write_text(text)
    return file


def test_an_sls_file(tmp_path: Path) -> None:
    load = read_load(file_of(tmp_path, SLS), "SLS")
    first, second = load.jobs()
    assert (first.job_id, first.queue, first.user, first.am_resource) == (
        "nightly",
        "etl",
        "mei",
        Resource(512, 1),
    )
    assert [(one.stage, one.count, one.duration_ms, one.resource, one.places) for one in first.tasks] == [
        ("map", 1, 12000, Resource(2048, 1), ("/rack1/node1",)),
        ("map", 3, 8000, Resource(1024, 1), ()),
        ("reduce", 1, 6000, Resource(1024, 1), ()),
    ]
    assert (second.model, second.job_id, second.submit_ms) == ("dag", "1", 5000)
    assert [one.delay_ms for one in second.tasks] == [0, 6000]
    assert [one.place for one in load.nodes.nodes] == [
        "/rack0/node0",
        "/rack1/node1",
        "/rack0/node2",
        "/rack1/node3",
    ]
    array = file_of(tmp_path, "[" + ",".join(json.dumps(one) for one in _objects(SLS)) + "]")
    assert [one.job_id for one in read_load(array, "SLS").jobs()] == ["nightly", "1"]


def _objects(text: str) -> list[Any]:
    found, place = [], 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        value, place = json.JSONDecoder().raw_decode(text, place)
        found.append(value)
    return found


def test_job_count_and_count_multiply(tmp_path: Path) -> None:
    text = (
        '{"job.id": "x", "job.count": 3, "job.tasks": [{"count": 4, "duration.ms": 5}, {"duration.ms": 5}]}'
    )
    load = read_load(file_of(tmp_path, text), "SLS")
    assert [(one.job_id, one.task_count) for one in load.jobs()] == [("0", 5), ("1", 5), ("2", 5)]


def test_running_numbers_of_several_files_stay_apart(tmp_path: Path) -> None:
    file = file_of(tmp_path, '{"job.tasks": [{"duration.ms": 5}]}')
    load = read_load([file, file, file], "SLS")
    assert [one.job_id for one in load.jobs()] == ["0", "2/0", "3/0"]
    file_of(tmp_path, '{"job.id": "x", "job.tasks": [{"duration.ms": 5}]}')
    with pytest.raises(InvalidTraceError, match=":1: 'x' is the id of a job before it, too"):
        read_load([file, file], "SLS")


@pytest.mark.parametrize(
    "job, why",
    [
        ('{"job.tasks": []}', "job.tasks: No task for the job!"),
        ('{"job.tasks": [{"duration.ms": 0}]}', "Duration of a task shouldn't be less or equal to 0!"),
        ('{"job.tasks": [{"duration.ms": -4}]}', "job.tasks[0].duration.ms: Duration"),
        ('{"job.tasks": [{}]}', "job.tasks[0].container.duration.ms: is missing"),
        (
            '{"job.tasks": [{"duration.ms": 1, "container.host": "h"}]}',
            "container.host: has to be /rack/host",
        ),
        ('{"job.tasks": [{"duration.ms": 1, "container.type": "x"}]}', "task 0: is map or reduce, not 'x'"),
        (
            '{"am.type": "dag", "yarn.sls.am.type": "stream", "job.tasks": [{"duration.ms": 1}]}',
            "is 'stream', but",
        ),
        (
            '{"job.start.ms": -1, "job.tasks": [{"duration.ms": 1}]}',
            "job.start.ms: has to be at least 0, not -1",
        ),
        ('{"job.tasks": ', "the file ends in the middle of an object"),
        ('{"job.tasks": [{"duration.ms": 1 "x"}]}', "is not JSON"),
        ("3", "expected an object, found '3'"),
        ('{"num.nodes": 2, "num.racks": 3}', "num.racks: has to be at most num.nodes, which is 2, not 3"),
        ('{"num.nodes": 0}', "num.nodes: has to be at least 1, not 0"),
    ],
)
def test_a_bad_sls_file_is_refused_with_its_line(tmp_path: Path, job: str, why: str) -> None:
    file = file_of(tmp_path, '{"num.nodes": 1}\n\n' + job)
    with pytest.raises(InvalidTraceError) as told:
        read_load(file, "SLS")
    assert str(told.value).startswith(f"{file}:3: ")
    assert why in str(told.value)


@pytest.mark.parametrize("held", [1, 2, 50])
def test_times_out_of_order_in_an_sls_file_are_sorted(
    tmp_path: Path, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_JOBS", held)
    text = "".join(
        f'{{"job.id": "{name}", "job.start.ms": {start}, "job.tasks": [{{"duration.ms": 1}}]}}'
        for name, start in (("d", 9), ("a", 3), ("b", 5), ("c", 5))
    )
    load = read_load(file_of(tmp_path, text), "SLS")
    for _ in range(2):
        found = [(one.job_id, one.submit_ms) for one in load.jobs()]
        assert found == [("a", 3), ("b", 5), ("c", 5), ("d", 9)]
    first = read_load(file_of(tmp_path, text), "SLS", LoadOptions(limit=1))
    assert [one.submit_ms for one in first.jobs()] == [3]


@pytest.mark.parametrize("held", [1, 2, 50])
def test_an_id_is_known_again_however_many_there_are(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_IDS", held)
    found = reading.Identifiers()
    assert [found.add(one) for one in "bacbada"] == [True, True, True, False, False, True, False]


def test_durations_have_their_precedence(tmp_path: Path) -> None:
    task = {"container.duration.ms": 7, "duration.ms": 8, "container.start.ms": 0, "container.end.ms": 9}
    for key, wanted in (("", 7), ("container.duration.ms", 8), ("duration.ms", 9)):
        task.pop(key, None)
        load = read_load(file_of(tmp_path, json.dumps({"job.tasks": [task]})), "SLS")
        assert next(load.jobs()).tasks[0].duration_ms == wanted


def test_a_nodes_file(tmp_path: Path) -> None:
    nodes = tmp_path / "nodes.json"
    nodes.write_text(
        '{"rack": "rack1", "nodes": [{"node": "node1", "memory-mb": 16384, "vcores": 16},'
        '{"node": "node2", "labels": "gpu, ssd(exclusive=false)", "yarn.io/gpu": 2, "speed": 0.5}]}'
        '{"rack": "rack2", "nodes": [{"node": "node3"}]}'
    )
    job = '{"job.tasks": [{"duration.ms": 1}]}'
    load = read_load(file_of(tmp_path, job), "SLS", LoadOptions(nodes=nodes))
    first, second, third = load.nodes.nodes
    assert (first.place, first.resource) == ("/rack1/node1", Resource(16384, 16))
    assert second.resource == Resource.of({"memory-mb": 10240, "vcores": 10, "yarn.io/gpu": 2})
    assert (second.labels, second.speed, third.rack) == (("gpu", "ssd"), 0.5, "/rack2")
    assert load.nodes.exclusive == {"gpu": True, "ssd": False}
    assert "node2 has 2 labels" in load.warnings[0]


def test_a_rumen_file(tmp_path: Path) -> None:
    file = file_of(tmp_path, RUMEN)
    first, second = read_load(file, "RUMEN").jobs()
    assert (first.job_id, first.submit_ms, first.end_ms, second.submit_ms) == ("job_1", 0, 42000, 10000)
    assert [(one.stage, one.duration_ms, one.places) for one in first.tasks] == [
        ("map", 12000, ("/rack1/node1",)),
        ("reduce", 24000, ("/rack2/node3",)),
    ]
    assert (second.user, second.queue) == ("default", "default")
    each = read_load(file, "RUMEN", LoadOptions(rumen_baseline="job")).jobs()
    assert [one.submit_ms for one in each] == [0, 0]


def test_a_finish_before_the_submission(tmp_path: Path) -> None:
    file = file_of(tmp_path, RUMEN.replace('"finishTime": 1700000011000', '"finishTime": 1'))
    with pytest.raises(InvalidTraceError, match="finishTime: is before submitTime"):
        read_load(file, "RUMEN")
    kept = read_load(file, "RUMEN", LoadOptions(is_lenient=True))
    assert (kept.count, kept.dropped) == (1, 1)


def test_rumen2sls_makes_every_attempt_a_task(tmp_path: Path) -> None:
    trace = file_of(tmp_path, RUMEN)
    assert main(["rumen2sls", "--tracelocation", str(trace), "--output-dir", str(tmp_path / "out")]) == 0
    load = read_load(
        tmp_path / "out" / "sls-jobs.json", "SLS", LoadOptions(nodes=tmp_path / "out" / "sls-nodes.json")
    )
    assert [one.task_count for one in load.jobs()] == [3, 1]
    assert [one.place for one in load.nodes.nodes] == ["/rack1/node1", "/rack2/node3"]


def test_a_synth_file(tmp_path: Path) -> None:
    load = read_load(file_of(tmp_path, json.dumps(SYNTH)), "SYNTH")
    jobs = list(load.jobs())
    assert len(jobs) == load.count == 20
    assert [one.submit_ms for one in jobs] == sorted(one.submit_ms for one in jobs)
    assert all(one.submit_ms < 120_000 for one in jobs)
    assert {one.model for one in jobs} == {"mapreduce", "stream"}
    assert all(task.resource.memory_mb in (1024, 2048) for one in jobs for task in one.tasks)
    assert all(one.end_ms - one.submit_ms == 300_000 for one in jobs if one.model == "stream")
    assert jobs[3].job_id == f"job_mock_{'short' if jobs[3].user == 'mei' else 'server'}_000003"
    assert len(load.nodes.nodes) == 8
    assert {node.rack for node in load.nodes.nodes} == {"/rack0", "/rack1"}
    assert list(load.jobs()) == jobs


def test_a_synth_file_draws_no_job_that_memory_cannot_hold(tmp_path: Path) -> None:
    text = json.dumps(SYNTH).replace('"val": 6, "std": 2', '"val": 1000000000')
    path = file_of(tmp_path, text)
    message = f"{path}: job class short, tasks map: a job of 1000000000 tasks was drawn; at most 1000000"
    with pytest.raises(InvalidTraceError, match=message):
        list(read_load(path, "SYNTH").jobs())


def test_a_synth_file_of_the_old_form(tmp_path: Path) -> None:
    old = {
        "class_name": "x",
        "mtasks_avg": 5,
        "mtasks_stddev": 1,
        "rtasks_avg": 2,
        "mtime_avg": 3,
        "rtime_avg": 4,
    }
    workload = {**SYNTH["workloads"][0], "job_classes": [old]}
    load = read_load(file_of(tmp_path, json.dumps({**SYNTH, "workloads": [workload]})), "SYNTH")
    tasks = [task for job in load.jobs() for task in job.tasks]
    assert {(one.stage, one.duration_ms) for one in tasks} == {("map", 3000), ("reduce", 4000)}


def test_the_same_seed_gives_the_same_jobs_whatever_the_hash_seed(tmp_path: Path) -> None:
    trace = file_of(tmp_path, json.dumps(SYNTH))
    code = "import sys; from yarnbox.sim.load.command import main; sys.exit(main(sys.argv[1:]))"
    for seed in ("1", "2"):
        words = [
            "--tracetype",
            "SYNTH",
            "--tracelocation",
            str(trace),
            "--output",
            str(tmp_path / f"{seed}.jsonl"),
        ]
        subprocess.run(
            [sys.executable, "-c", code, "convert", *words],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            check=True,
            stdout=subprocess.DEVNULL,
        )
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()


def test_samples_have_the_moments_that_they_say() -> None:
    random = Random(3)
    draw = sample(Fields({"x": {"val": 60, "std": 20}}, "here"), "x")
    drawn = [draw(random) for _ in range(100_000)]
    mean = sum(drawn) / len(drawn)
    deviation = (sum((one - mean) ** 2 for one in drawn) / len(drawn)) ** 0.5
    assert abs(mean - 60) < 0.6
    assert abs(deviation - 20) < 0.4
    assert min(drawn) >= 0
    normal = sample(Fields({"x": {"val": 1, "std": 20, "dist": "NORM"}}, "here"), "x")
    assert min(normal(random) for _ in range(1000)) < 0
    assert sample(Fields({"x": {"val": -3, "std": 2}}, "here"), "x")(random) == 0


@pytest.mark.parametrize(
    "value, why",
    [
        ({}, "x.val: is missing"),
        ({"val": 1, "dist": "NORM"}, "x.dist: needs `std`"),
        ({"val": 1, "discrete": [1]}, "x.val: does not go with `discrete`"),
        ({"discrete": [1, 2], "weights": [1]}, "x.weights: has 1 numbers, `discrete` has 2"),
        ({"discrete": [1], "weights": [0]}, "x.weights: all weights are 0"),
        ({"val": 1, "std": 2, "dist": "X"}, "x.dist: has to be one of LOGNORM, NORM"),
    ],
)
def test_a_sample_that_is_none(value: object, why: str) -> None:
    with pytest.raises(InvalidTraceError) as told:
        sample(Fields({"x": value}, "here"), "x")
    assert str(told.value).startswith(f"here: {why}")


def test_all_weights_zero_is_an_error(tmp_path: Path) -> None:
    workload = {**SYNTH["workloads"][0], "time_distribution": [{"time": 0, "weight": 0}]}
    file = file_of(tmp_path, json.dumps({**SYNTH, "workloads": [workload]}))
    with pytest.raises(InvalidTraceError, match=r"workloads\[0\].time_distribution: all weights are 0"):
        read_load(file, "SYNTH")


def test_conversion_keeps_the_jobs(tmp_path: Path) -> None:
    trace, nodes = file_of(tmp_path, SLS), "--tracetype SLS --tracelocation"
    there = tmp_path / "there.jsonl"
    assert main(["convert", *nodes.split(), str(trace), "--output", str(there)]) == 0
    assert list(read_load(there).jobs()) == list(read_load(trace, "SLS").jobs())
    back = tmp_path / "back.json"
    assert main(["convert", "--to", "SLS", "--tracelocation", str(there), "--output", str(back)]) == 0
    assert list(read_load(back, "SLS").jobs()) == list(read_load(trace, "SLS").jobs())


def test_conversion_tells_what_is_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = (Task(duration_ms=5, places=("/r/a", "/r/b"), failures_ms=(3,), label="gpu"),)
    jobs = [
        Job(job_id="a", submit_ms=0, groups=("g",), model="service", type="SERVICE", end_ms=9, tasks=tasks),
        Job(job_id="b", submit_ms=1, groups=("g",), am_attempts=2, slow_start=0.5, tasks=tasks),
    ]
    load, back = tmp_path / "load.jsonl", tmp_path / "back.json"
    write_load(load, jobs)
    assert main(["convert", "--to", "SLS", "--tracelocation", str(load), "--output", str(back)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == f"{back}: 2 jobs"
    assert told[1:] == [
        "  not kept, as SLS has no model service: in 1 job",
        "  not kept, as SLS has no groups: in 2 jobs",
        "  not kept, as SLS has no tasks.label: in 2 jobs",
        "  not kept, as SLS has no tasks.failuresMs: in 2 jobs",
        "  not kept, as SLS has no second place of a task: in 2 jobs",
        "  not kept, as SLS has no slowStart: in 1 job",
        "  not kept, as SLS has no am.attempts: in 1 job",
    ]


def test_conversion_keeps_nodes_that_no_task_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = file_of(tmp_path, SLS)
    load, nodes = tmp_path / "load.jsonl", tmp_path / "nodes.json"
    words = ["convert", "--tracetype", "SLS", "--tracelocation", str(trace), "--output", str(load)]
    assert main(words) == 0
    assert " that no task names: --nodes-output writes the nodes" in capsys.readouterr().out
    assert main([*words, "--nodes-output", str(nodes)]) == 0
    assert " that no task names" not in capsys.readouterr().out
    again = read_load(load, options=LoadOptions(nodes=nodes)).nodes.nodes
    wanted = [one.place for one in read_load(trace, "SLS").nodes.nodes]
    assert sorted(one.place for one in again) == sorted(wanted)


def test_a_bad_file_converts_to_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = file_of(tmp_path, SLS + '{"job.tasks": []}')
    words = [
        "convert",
        "--tracetype",
        "SLS",
        "--tracelocation",
        str(trace),
        "--output",
        str(tmp_path / "o.jsonl"),
    ]
    assert main(words) == 2
    assert not (tmp_path / "o.jsonl").exists()
    assert "job.tasks: No task for the job!" in capsys.readouterr().err
    assert main([*words, "--lenient"]) == 1
    assert read_load(tmp_path / "o.jsonl").count == 2
    file_of(tmp_path, '{"job.tasks": [{"duration.ms": 5}]}')
    assert main([*words, "--nodes-output", str(tmp_path / "nodes.json")]) == 2
    assert not (tmp_path / "nodes.json").exists()
    assert "--nodes-output: the load names no node" in capsys.readouterr().err


TOO_LONG = " " * 30 + "x" * 100


@pytest.mark.parametrize(
    "name, text, where",
    [
        ("a.jsonl", '{"format": "yarnbox-load", "version": 1}\n{"job": "' + TOO_LONG, ":2: the line is"),
        ("a.tsv", TOO_LONG, ":1: the line is"),
        ("a.json", '\n{"am.type": "' + TOO_LONG, ":2: the object is"),
        ("rumen.json", '{"jobID": "' + TOO_LONG, ":1: the object is"),
        ("synth.json", '{"num_jobs": "' + TOO_LONG, ": is"),
    ],
)
def test_what_is_too_long_for_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, where: str
) -> None:
    monkeypatch.setattr(text_module, "LARGEST", 99)
    monkeypatch.setattr(text_module, "_PIECE", 60)
    file = tmp_path / name
    file.write_text(text)
    trace_type = {"rumen.json": "RUMEN", "synth.json": "SYNTH", "a.json": "SLS"}.get(name)
    with pytest.raises(InvalidTraceError) as told:
        read_load(file, trace_type)
    assert str(told.value) == f"{file}{where} longer than 99 characters"
