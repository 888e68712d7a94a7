"""Memory is bounded by the jobs that live, not by the load."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

from yarnbox.sim import Job, Load, Site, Task, play
from yarnbox.sim.workload.master import JobMaster
from yarnbox.sim.workload.watching import Watcher

COUNT = 200


class Census(Watcher):
    """How many jobs and masters there are at some moments of a play."""

    def __init__(self) -> None:
        self.ended = 0
        self.found: list[tuple[int, int]] = []

    def over(self, application_id: Any, state: str, why: str, now_ms: int) -> None:
        self.ended += 1
        if self.ended in (COUNT // 4, COUNT // 2, COUNT - 10):
            gc.collect()
            alive = gc.get_objects()
            kinds = (Job, JobMaster)
            jobs, masters = (sum(type(one) is kind for one in alive) for kind in kinds)
            self.found.append((jobs, masters))


def test_jobs_that_are_over_are_forgotten() -> None:
    def stream() -> Iterator[Job]:
        for number in range(COUNT):
            yield Job(job_id=f"j{number}", submit_ms=number * 4000, tasks=(Task(count=2, duration_ms=3000),))

    census = Census()
    load = Load(jobs=stream, count=COUNT, last_submit_ms=4000 * (COUNT - 1), queues=("default",))
    result = play(None, load, site=Site(nodes=3, task_failures=0.1), watchers=[census])
    assert result.is_complete
    assert max(max(pair) for pair in census.found) < COUNT // 4
