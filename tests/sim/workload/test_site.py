"""Chance of a play: each purpose has its own stream, so that a change elsewhere leaves it alone."""

from __future__ import annotations

from statistics import fmean

import pytest

from yarnbox.sim import play
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import Job, Nodes, Task
from yarnbox.sim.load.sls import numbered_nodes
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.reports.play import Play
from yarnbox.sim.workload.files import equal_queues
from yarnbox.sim.workload.fleet import WorkloadNode
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.requests import NODE
from yarnbox.sim.workload.site import Site, Timing
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import Resource


def test_the_luck_of_a_job_does_not_depend_on_who_begins_first() -> None:
    site = Site(duration_spread=0.3, seed=4)
    one, other = Timing(site), Timing(site)
    first = [one.luck("a", 0), one.luck("a", 0), one.luck("b", 0)]
    b, *a = [other.luck("b", 0), other.luck("a", 0), other.luck("a", 0)]
    assert first == [*a, b]
    assert len(dict.fromkeys(first)) == 3
    assert Timing(Site(duration_spread=0.3, seed=5)).luck("a", 0) != first[0]


def test_another_kind_of_chance_changes_nothing_of_the_first() -> None:
    def durations(site: Site) -> list[int]:
        timing = Timing(site)
        return [timing.duration_ms(10_000, NODE, 1.0, timing.luck("a", 0)) for _ in range(50)]

    assert durations(Site(duration_spread=0.2)) == durations(Site(duration_spread=0.2, task_failures=0.5))


def test_attempts_spread_around_what_the_load_says() -> None:
    timing = Timing(Site(duration_spread=0.5))
    times = [timing.duration_ms(10_000, NODE, 1.0, timing.luck("a", 0)) for _ in range(2000)]
    assert fmean(times) == pytest.approx(10_000, rel=0.05)
    assert fmean((one - 10_000) ** 2 for one in times) ** 0.5 == pytest.approx(5_000, rel=0.15)
    plain = Timing(Site())
    assert plain.duration_ms(10_000, NODE, 1.0, plain.luck("a", 0)) == 10_000


def test_a_node_heartbeats_at_its_own_offset_whatever_other_nodes_there_are() -> None:
    def offsets(nodes: Nodes) -> dict[str, int]:
        load = Load.of([Job(job_id="a", submit_ms=0, tasks=(Task(duration_ms=1000),))])
        run = Play(equal_queues("fifo", ("default",), {}), load, Site(nodes=nodes, seed=3))
        run.run()
        nodes_of_play = run.player.rm.nodes.values()
        return {one.node_id.host: one.offset_ms for one in nodes_of_play if isinstance(one, WorkloadNode)}

    many = numbered_nodes(4, 1)
    few = Nodes(nodes=many.nodes[2:])
    all_offsets = offsets(many)
    assert offsets(few) == {one.host: all_offsets[one.host] for one in few.nodes}


def test_an_am_registers_when_it_has_started() -> None:
    def response(am_start_ms: int | None) -> int | None:
        load = Load.of([Job(job_id="a", submit_ms=0, tasks=(Task(duration_ms=1000),))])
        site = Site(nodes=1, am_start_ms=am_start_ms)
        return Play(equal_queues("fifo", ("default",), {}), load, site).run().jobs[0].response_ms

    usual = response(None)
    assert usual is not None
    assert response(1000) == usual
    assert response(4000) == usual + 3000


def test_prompt_nodes_report_the_ends_of_tasks_and_of_ams_at_once() -> None:
    def makespan(has_prompt_nodes: bool, every_heartbeat: bool = False) -> int:
        tasks = (Task(duration_ms=9500),)
        load = Load.of([Job(job_id=str(ms), submit_ms=ms, tasks=tasks) for ms in range(0, 50_000, 5000)])
        site = Site(
            nodes=1,
            node_resource=Resource(2048, 2),  # of one job at a time
            is_prompt=True,
            has_prompt_nodes=has_prompt_nodes,
            every_heartbeat=every_heartbeat,
        )
        return Play(equal_queues("capacity", ("default",), {}), load, site).run().makespan_ms

    slow, prompt = makespan(False), makespan(True)
    assert 4000 < slow - prompt < 20_000  # twice half a second a job, more or less
    assert makespan(True, every_heartbeat=True) == prompt


class Moments(Watcher):
    """When AMs and tasks began."""

    def __init__(self) -> None:
        self.ams: list[int] = []
        self.tasks: list[int] = []

    def am_started(self, application_id: ApplicationId, now_ms: int) -> None:
        self.ams.append(now_ms)

    def task_started(
        self, application_id: ApplicationId, running: Running, node: SimNode, now_ms: int
    ) -> None:
        self.tasks.append(now_ms)


@pytest.mark.parametrize("every_heartbeat", [False, True])
def test_a_heartbeat_out_of_turn_begins_the_interval_anew(every_heartbeat: bool) -> None:
    tasks = (Task(duration_ms=9370), Task(duration_ms=60_000))
    later = [Job(job_id=str(ms), submit_ms=ms, tasks=(Task(duration_ms=60_000),)) for ms in (15_000, 21_500)]
    load = Load.of([Job(job_id="a", submit_ms=0, tasks=tasks), *later])
    site = Site(nodes=1, is_prompt=True, has_prompt_nodes=True, every_heartbeat=every_heartbeat)
    moments = Moments()
    play(equal_queues("fifo", ("default",), {}), load, site=site, watchers=[moments])
    told_ms = moments.tasks[0] + 9370
    assert moments.ams[0] % 1000 != told_ms % 1000
    assert {moment_ms % 1000 for moment_ms in moments.ams[1:]} == {told_ms % 1000}


@pytest.mark.parametrize("fails", [False, True])
def test_a_task_takes_its_overhead_besides(fails: bool) -> None:
    def response(overhead_ms: int) -> int | None:
        failures_ms = (2500,) if fails else ()
        load = Load.of(
            [Job(job_id="a", submit_ms=0, tasks=(Task(duration_ms=9500, failures_ms=failures_ms),))]
        )
        site = Site(nodes=1, task_overhead_ms=overhead_ms, is_prompt=True, has_prompt_nodes=True)
        return Play(equal_queues("fifo", ("default",), {}), load, site).run().jobs[0].response_ms

    usual = response(0)
    assert usual is not None
    assert response(3000) == usual + 3000 * (2 if fails else 1)


def test_a_job_waits_for_the_launch_of_its_am() -> None:
    def times(am_launch_ms: int) -> tuple[int | None, int | None]:
        load = Load.of([Job(job_id="a", submit_ms=0, tasks=(Task(duration_ms=1000),))])
        site = Site(nodes=1, am_launch_ms=am_launch_ms)
        row = Play(equal_queues("fifo", ("default",), {}), load, site).run().jobs[0]
        return row.am_wait_ms, row.response_ms

    wait_ms, response_ms = times(0)
    assert wait_ms is not None
    assert response_ms is not None
    assert times(3000) == (wait_ms + 3000, response_ms + 3000)


def test_an_am_holds_its_container_until_it_has_ended() -> None:
    def wait(am_end_ms: int) -> int | None:
        jobs = [Job(job_id=name, submit_ms=0, tasks=(Task(duration_ms=9500),)) for name in "ab"]
        one_job_at_a_time = Resource(2048, 2)
        site = Site(nodes=1, node_resource=one_job_at_a_time, am_end_ms=am_end_ms)
        rows = Play(equal_queues("capacity", ("default",), {}), Load.of(jobs), site).run().jobs
        assert all(row.state == "FINISHED" for row in rows)
        return rows[1].am_wait_ms

    usual = wait(0)
    assert usual is not None
    assert wait(4000) == usual + 4000


def test_a_prompt_am_wins_a_call_at_each_end_of_its_tasks() -> None:
    def response(is_prompt: bool) -> int | None:
        load = Load.of([Job(job_id="a", submit_ms=0, tasks=(Task(duration_ms=9500),))])
        site = Site(nodes=1, is_prompt=is_prompt)
        return Play(equal_queues("fifo", ("default",), {}), load, site).run().jobs[0].response_ms

    slow, prompt = response(False), response(True)
    assert slow is not None
    assert prompt == slow - 2000
