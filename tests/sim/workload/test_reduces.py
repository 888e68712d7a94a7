"""Reduces that begin before the maps have ended: how they make room, and how they are split."""

from __future__ import annotations

from typing import Any

from yarnbox.sim import Job, Load, Nodes, NodeSpec, Site, Task, play
from yarnbox.sim.load.jobs import REDUCE
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.workload.master import COPY, JobMaster, Moment, Running
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.resources.resource import Resource

APPLICATION = ApplicationId(0, 1)
ATTEMPT = ApplicationAttemptId(APPLICATION, 1)


def master(maps: int, reduces: int, map_mb: int, reduce_mb: int) -> JobMaster:
    tasks = (
        Task(count=maps, duration_ms=10_000, resource=Resource(map_mb, 1)),
        Task(stage=REDUCE, count=reduces, duration_ms=10_000, resource=Resource(reduce_mb, 1)),
    )
    job = Job(job_id="j", submit_ms=0, tasks=tasks, slow_start=0.0)
    return JobMaster(job, SimMaster(APPLICATION, is_managed=True))


def give_reduces(one: JobMaster, count: int) -> list[ContainerId]:
    """It asks for reduces, and gets them before it asks for maps."""
    for batch in one.batches:
        if batch.task.stage == REDUCE:
            one.ask_for(batch, count)
    given = [ContainerId(ATTEMPT, number) for number in range(count)]
    for number, container_id in enumerate(given):
        assert one.take(Container(id=container_id, priority=10), NodeId("h", 1), "/r", number) is not None
    return given


def test_the_youngest_reduces_make_room_for_the_maps_that_wait() -> None:
    """R = 100 GB, r = 4 GB, m = 2 GB and 30 maps: 13 reduces go."""
    one = master(maps=30, reduces=25, map_mb=2048, reduce_mb=4096)
    given = give_reduces(one, 25)
    one.next_ask(Moment(30_000, 0, 0))
    assert one.next_release() == tuple(reversed(given[-13:]))
    one.next_ask(Moment(31_000, 0, 0))
    assert one.next_release() == ()  # those that go are room enough


def test_one_map_takes_one_reduce_and_none_where_there_is_room() -> None:
    roomy = master(maps=1, reduces=5, map_mb=2048, reduce_mb=4096)
    give_reduces(roomy, 5)
    roomy.next_ask(Moment(1000, 0, 2048))
    assert roomy.next_release() == ()
    tight = master(maps=1, reduces=5, map_mb=2048, reduce_mb=4096)
    given = give_reduces(tight, 5)
    tight.next_ask(Moment(1000, 0, 2047))
    assert tight.next_release() == (given[-1],)


def test_maps_that_wait_for_five_minutes_are_made_room_for_whatever_the_headroom_says() -> None:
    one = master(maps=1, reduces=5, map_mb=2048, reduce_mb=4096)
    given = give_reduces(one, 5)
    one.next_ask(Moment(0, 0, 8192))
    one.next_ask(Moment(300_000, 0, 8192))
    assert one.next_release() == ()
    one.next_ask(Moment(300_001, 0, 8192))
    assert one.next_release() == (given[-1],)


class Stages(Watcher):
    """When tasks of each stage of the first job began, and how large their containers were."""

    def __init__(self) -> None:
        self.begun: dict[str, list[int]] = {}
        self.sizes: dict[str, int] = {}

    def task_started(self, application_id: Any, running: Running, node: Any, now_ms: int) -> None:
        if application_id.id != 1:
            return
        stage = running.batch.task.stage
        self.begun.setdefault(stage, []).append(now_ms)
        assert running.container.resource is not None
        self.sizes[stage] = running.container.resource.memory_mb


def played(*, reduce_split: bool) -> tuple[list[int], Stages]:
    """A long job of three waves of maps, and short ones that come when its reduces have begun."""
    nodes = Nodes(
        nodes=tuple(NodeSpec(host=f"h{n}", rack="/r", resource=Resource(8192, 8)) for n in range(4))
    )
    long = (
        Task(count=80, duration_ms=20_000),
        Task(stage=REDUCE, count=8, duration_ms=12_000, resource=Resource(2048, 1)),
    )
    jobs = [Job(job_id="long", submit_ms=0, tasks=long, slow_start=0.05)]
    for number in range(4):
        submit_ms = 30_000 + number * 1000
        jobs.append(Job(job_id=str(number), submit_ms=submit_ms, tasks=(Task(count=4, duration_ms=5000),)))
    stages = Stages()
    site = Site(nodes=nodes, seed=1, reduce_split=reduce_split)
    result = play(None, Load.of(jobs, nodes), site=site, watchers=[stages])
    assert [row.state for row in result.jobs] == ["FINISHED"] * 5
    return [row.ended_ms or 0 for row in result.jobs], stages


def test_split_reduces_copy_small_while_maps_run_and_compute_when_they_have_copied() -> None:
    _, whole = played(reduce_split=False)
    _, split = played(reduce_split=True)
    assert (whole.sizes[REDUCE], split.sizes[REDUCE], split.sizes[COPY]) == (2048, 2048, 1024)
    assert COPY not in whole.begun
    assert min(whole.begun[REDUCE]) < max(whole.begun["map"])
    assert min(split.begun[COPY]) < max(split.begun["map"])
    assert max(split.begun["map"]) + 20_000 <= min(split.begun[REDUCE])
    assert len(split.begun[COPY]) == len(split.begun[REDUCE]) == 8
