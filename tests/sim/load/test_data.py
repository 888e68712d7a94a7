"""Where data lies: replicas in two racks, a few files that are read by many, and the seed alone decides."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

from yarnbox.sim import Job, Load, NodeSpec, Task, write_load
from yarnbox.sim.load.data import DataOptions, with_data
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.workload.command import main

NODES = [NodeSpec(host=f"h{number}", rack=f"/r{number % 4}") for number in range(20)]


def jobs(count: int = 200) -> Load:
    tasks = (Task(count=3, duration_ms=5), Task(stage=REDUCE, duration_ms=5))
    return Load.of(Job(job_id=str(number), submit_ms=number, tasks=tasks) for number in range(count))


def test_replicas_lie_in_two_racks_on_three_nodes() -> None:
    for job in with_data(jobs(), NODES, DataOptions(), 1).jobs():
        *maps, reduce = job.tasks
        assert reduce.places == ()
        assert [task.count for task in maps] == [1, 1, 1]
        for task in maps:
            first, second, third = (place.rpartition("/")[0] for place in task.places)
            assert first != second == third
            assert len(set(task.places)) == 3


def test_with_fewer_nodes_or_racks_than_wanted_there_are_as_many_as_can_be() -> None:
    one_rack = [NodeSpec(host=name, rack="/r") for name in ("a", "b")]
    for job in with_data(jobs(3), one_rack, DataOptions(replication=5), 1).jobs():
        assert sorted(job.tasks[0].places) == ["/r/a", "/r/b"]


def test_a_skewed_popularity_has_hot_files() -> None:
    def most_read(skew: float) -> int:
        read = with_data(jobs(), NODES, DataOptions(files=50, skew=skew), 1).jobs()
        return Counter(job.tasks[0].places for job in read).most_common(1)[0][1]

    assert most_read(1.5) > 4 * most_read(0.0)


def test_the_seed_alone_decides() -> None:
    def places(seed: int) -> list[tuple[str, ...]]:
        return [job.tasks[0].places for job in with_data(jobs(20), NODES, DataOptions(), seed).jobs()]

    assert places(1) == places(1)
    assert places(1) != places(2)


def test_a_job_that_says_where_its_data_lies_is_left_alone() -> None:
    job = Job(job_id="x", submit_ms=0, tasks=(Task(duration_ms=5, places=("/r0/h0",)),))
    assert list(with_data(Load.of([job]), NODES, DataOptions(), 1).jobs()) == [job]


def test_more_replicas_make_more_tasks_local(tmp_path: Path) -> None:
    file = tmp_path / "load.jsonl"
    tasks = (Task(count=30, duration_ms=8000),)
    write_load(file, [Job(job_id=str(number), submit_ms=500 * number, tasks=tasks) for number in range(4)])

    def node_local(replication: int) -> float:
        out = io.StringIO()
        words = ["--num-nodes", "12", "--num-racks", "4", "--replication", str(replication), "--json"]
        assert main(["run", "--tracelocation", str(file), *words], out=out) == 0
        locality = json.loads(out.getvalue())["locality"]
        assert sum(locality.values()) == 120
        return float(locality["node_local"])

    assert node_local(6) > node_local(1)
