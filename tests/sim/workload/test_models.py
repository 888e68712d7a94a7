"""What jobs do with their tasks, where tasks run, and what becomes of what fails."""

from __future__ import annotations

from typing import Any

from yarnbox.sim import Job, JobResult, Load, NodeLoss, Nodes, NodeSpec, Result, Site, Task, play
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.resources.resource import Resource

HOSTS = Nodes(
    nodes=tuple(
        NodeSpec(host=f"h{number}", rack=f"/r{number % 2}", resource=Resource(8192, 8)) for number in range(4)
    )
)


class Seen(Watcher):
    """Every task's stage, host, locality, start and end."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, str, int]] = []
        self.ended: list[tuple[str, int, int]] = []

    def task_started(self, application_id: Any, running: Running, node: Any, now_ms: int) -> None:
        stage = running.batch.task.stage
        self.started.append((stage, node.node_id.host, running.locality, now_ms))

    def task_ended(
        self, application_id: Any, container_id: Any, running: Running, status: int, now_ms: int
    ) -> None:
        self.ended.append((running.batch.task.stage, status, now_ms - running.started_ms))


def played(*jobs: Job, conf: Any = None, **site: Any) -> tuple[Result, Seen]:
    seen = Seen()
    result = play(
        conf, Load.of(jobs, HOSTS), site=Site(**{"nodes": HOSTS, "seed": 1, **site}), watchers=[seen]
    )
    return result, seen


def job(*tasks: Task, **fields: Any) -> Job:
    return Job(**{"job_id": "j", "submit_ms": 0, "tasks": tasks, **fields})


def only(result: Result) -> JobResult:
    (found,) = result.jobs
    return found


def test_tasks_run_where_their_data_lies() -> None:
    tasks = [Task(duration_ms=5000, places=(f"/r{host % 2}/h{host}",)) for host in (0, 1, 2, 3, 0, 1)]
    result, seen = played(job(*tasks))
    assert only(result).node_local == 6
    assert sorted(host for _, host, _, _ in seen.started) == ["h0", "h0", "h1", "h1", "h2", "h3"]
    assert result.locality == {"node_local": 6, "rack_local": 0, "off_switch": 0}


def test_a_task_far_from_its_data_takes_longer() -> None:
    """h0 has room for 8 containers of 1024 MB: the AM or a task has to go elsewhere."""
    task = Task(count=40, duration_ms=10_000, places=("/r0/h0",))
    result, seen = played(job(task), rack_slowdown=2.0, remote_slowdown=3.0)
    found = only(result)
    assert found.state == "FINISHED"
    assert found.node_local + found.rack_local + found.off_switch == 40
    assert found.rack_local
    assert found.off_switch
    spans = sorted({round(span / 10_000) for _, _, span in seen.ended})
    assert spans == [1, 2, 3]


def test_containers_in_order_go_to_the_next_task() -> None:
    tasks = [Task(duration_ms=5000, places=(f"/r{host % 2}/h{host}",)) for host in (3, 2, 1, 0) * 4]
    local, _ = played(job(*tasks))
    ordered, _ = played(job(*tasks), in_order=True)
    assert only(ordered).node_local < only(local).node_local


def test_a_slow_node_takes_longer() -> None:
    slow = Nodes(nodes=(NodeSpec(host="h0", rack="/r0", resource=Resource(8192, 8), speed=0.5),))
    _, seen = played(job(Task(duration_ms=10_000)), nodes=slow)
    ((_, status, span_ms),) = seen.ended
    assert status == 0
    assert 20_000 <= span_ms <= 23_000


def test_reduces_with_slow_start_begin_before_the_last_map_and_end_after_it() -> None:
    tasks = (Task(count=120, duration_ms=10_000), Task(stage=REDUCE, count=4, duration_ms=9_000))
    result, seen = played(job(*tasks, slow_start=0.05))
    assert only(result).state == "FINISHED"
    starts = {stage: [at for kind, _, _, at in seen.started if kind == stage] for stage in ("map", REDUCE)}
    assert min(starts[REDUCE]) < max(starts["map"])
    last_map_ms = max(starts["map"]) + 10_000
    assert only(result).ended_ms is not None
    assert (only(result).ended_ms or 0) >= last_map_ms + 6_000
    _, plain = played(job(*tasks))
    begun = [at for kind, _, _, at in plain.started if kind == REDUCE]
    assert min(begun) > max(at for kind, _, _, at in plain.started if kind == "map")


def test_reduces_give_way_to_maps_that_were_lost() -> None:
    """One node of 4 containers: maps fail when reduces hold the rest, and all end nevertheless."""
    small = Nodes(nodes=(NodeSpec(host="h0", rack="/r0", resource=Resource(4096, 4)),))
    tasks = (Task(count=6, duration_ms=20_000), Task(stage=REDUCE, count=6, duration_ms=9_000))
    result, _ = played(job(*tasks, slow_start=0.0), nodes=small, task_failures=0.3)
    assert only(result).state == "FINISHED"


def test_stages_of_a_dag_wait_for_one_another() -> None:
    tasks = (
        Task(stage="join", count=2, duration_ms=3000),
        Task(stage="left", count=2, duration_ms=5000),
        Task(stage="right", duration_ms=5000, delay_ms=8000),
    )
    result, seen = played(job(*tasks, model="dag", after={"join": ("left", "right")}))
    assert only(result).state == "FINISHED"
    at = {
        stage: [moment for kind, _, _, moment in seen.started if kind == stage]
        for stage in ("join", "left", "right")
    }
    assert max(at["left"]) < min(at["right"]) - 5000
    assert min(at["join"]) >= max(at["right"]) + 5000


def test_a_stream_begins_its_tasks_anew_until_its_time_has_passed() -> None:
    result, seen = played(job(Task(stage="s", count=2, duration_ms=10_000), model="stream", end_ms=60_000))
    found = only(result)
    assert found.state == "FINISHED"
    assert 60_000 <= (found.ended_ms or 0) <= 62_000
    assert len(seen.started) >= 6


def test_a_service_runs_until_its_time_has_passed_and_outlives_the_patience() -> None:
    hour_ms = 3_600_000
    result, seen = played(job(Task(stage="s", count=2, duration_ms=1), model="service", end_ms=hour_ms))
    assert only(result).state == "FINISHED"
    assert (only(result).ended_ms or 0) >= hour_ms
    assert len(seen.started) == 2


def test_attempts_that_the_load_lets_fail() -> None:
    result, seen = played(job(Task(count=2, duration_ms=5000, failures_ms=(1000, 2000))))
    assert [status for _, status, _ in seen.ended] == [1, 1, 1, 1, 0, 0]
    found = only(result)
    assert (found.containers, found.state) == (6, "FINISHED")
    assert found.lost_ms >= 2 * 3000


def test_failures_and_stragglers_by_chance_are_the_seeds() -> None:
    task = Task(count=60, duration_ms=5000)
    first, seen = played(job(task), task_failures=0.3, stragglers=0.2)
    again, _ = played(job(task), task_failures=0.3, stragglers=0.2)
    other, _ = played(job(task), task_failures=0.3, stragglers=0.2, seed=2)
    assert only(first).row() == only(again).row()
    assert only(first).row() != only(other).row()
    assert any(status == 1 for _, status, _ in seen.ended)
    assert any(span > 14_000 for _, _, span in seen.ended)


def test_a_node_that_dies_takes_its_tasks_along_and_they_begin_anew() -> None:
    task = Task(count=20, duration_ms=30_000)
    for host in HOSTS.nodes:
        loss = NodeLoss(host=host.host, at_ms=15_000, for_ms=5_000)
        result, seen = played(job(task, am_attempts=2), node_losses=(loss,))
        found = only(result)
        assert found.state == "FINISHED"
        lost = [status for _, status, _ in seen.ended if status]
        assert found.containers == 20 + len(lost) or found.attempts == 2
    assert len(seen.started) > 20


def test_a_node_that_dies_for_good_is_noticed_by_its_silence() -> None:
    loss = NodeLoss(host="h1", at_ms=15_000)
    result, _ = played(job(Task(count=24, duration_ms=30_000), am_attempts=2), node_losses=(loss,))
    assert only(result).state == "FINISHED"
    assert result.end_ms > 600_000


def test_an_application_whose_only_am_is_lost_has_failed() -> None:
    one = Nodes(nodes=HOSTS.nodes[:1])
    loss = NodeLoss(host="h0", at_ms=15_000, for_ms=5_000)
    result, _ = played(job(Task(count=2, duration_ms=30_000)), nodes=one, node_losses=(loss,))
    found = only(result)
    assert (found.state, found.attempts) == ("FAILED", 1)
    assert "failed 1 times" in found.why


def test_a_node_with_a_label_is_for_those_who_ask_for_it(tmp_path: Any) -> None:
    (tmp_path / "yarn-site.xml").write_text(
        "<configuration><property><name>yarn.node-labels.enabled</name><value>true</value></property>"
        "</configuration>"
    )
    queues = {
        "root.queues": "default",
        "root.default.capacity": "100",
        "root.accessible-node-labels": "gpu",
        "root.accessible-node-labels.gpu.capacity": "100",
        "root.default.accessible-node-labels": "gpu",
        "root.default.accessible-node-labels.gpu.capacity": "100",
    }
    (tmp_path / "capacity-scheduler.xml").write_text(
        "<configuration>"
        + "".join(
            f"<property><name>yarn.scheduler.capacity.{name}</name><value>{value}</value></property>"
            for name, value in queues.items()
        )
        + "</configuration>"
    )
    labelled = NodeSpec(host="g", rack="/r0", resource=Resource(8192, 8), labels=("gpu",))
    nodes = Nodes(nodes=(*HOSTS.nodes, labelled), exclusive={"gpu": True})
    tasks = (Task(count=3, duration_ms=5000, label="gpu"), Task(stage=REDUCE, duration_ms=5000))
    result, seen = played(job(*tasks), conf=tmp_path, nodes=nodes)
    assert only(result).state == "FINISHED"
    assert {host for stage, host, _, _ in seen.started if stage == "map"} == {"g"}
    assert {host for stage, host, _, _ in seen.started if stage == REDUCE} <= {"h0", "h1", "h2", "h3"}
    assert [one.partition for one in result.partitions] == ["", "gpu"]
