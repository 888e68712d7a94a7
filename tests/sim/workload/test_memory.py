"""Memory is bounded by the jobs that live, not by the load."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest

from yarnbox.rm.app import RMApp
from yarnbox.rm.container import RMContainer
from yarnbox.sim import Job, JobResult, Load, Site, Task, play
from yarnbox.sim.recording.document import pieces
from yarnbox.sim.recording.recorder import Title
from yarnbox.sim.recording.tracks import OpenDocument
from yarnbox.sim.reports import rows
from yarnbox.sim.reports.files import json_pieces
from yarnbox.sim.reports.play import Play
from yarnbox.sim.workload.files import equal_queues
from yarnbox.sim.workload.master import JobMaster
from yarnbox.sim.workload.watching import Watcher

pytestmark = pytest.mark.long

COUNT = 200


class Census(Watcher):
    """How many jobs and masters there are at some moments of a play."""

    def __init__(self, *kinds: type) -> None:
        gc.freeze()  # what tests before this one have left is not looked through, it may be millions
        self.kinds = kinds
        self.ended = 0
        self.found: list[tuple[int, ...]] = []

    def over(self, application_id: Any, state: str, why: str, now_ms: int) -> None:
        self.ended += 1
        if self.ended in (COUNT // 4, COUNT // 2, COUNT - 10):
            gc.collect()
            alive = gc.get_objects()
            self.found.append(tuple(sum(type(one) is kind for one in alive) for kind in self.kinds))


def stream() -> Iterator[Job]:
    for number in range(COUNT):
        yield Job(job_id=f"j{number}", submit_ms=number * 4000, tasks=(Task(count=2, duration_ms=3000),))


LOAD = Load(jobs=stream, count=COUNT, last_submit_ms=4000 * (COUNT - 1), queues=("default",))


def test_jobs_that_are_over_are_forgotten() -> None:
    census = Census(Job, JobMaster)
    result = play(None, LOAD, site=Site(nodes=3, task_failures=0.1), watchers=[census])
    assert result.is_complete
    assert max(max(pair) for pair in census.found) < COUNT // 4


def test_a_recording_holds_no_more_applications_than_the_resource_manager() -> None:
    census = Census(Job, JobMaster, RMApp, RMContainer, OpenDocument)
    files = equal_queues("capacity", ("default",), {"yarn.resourcemanager.max-completed-applications": "10"})
    play = Play(files, LOAD, Site(nodes=3), title=Title(name="long"), watchers=[census])
    assert play.run().is_complete
    assert max(map(max, census.found)) < COUNT // 4
    recording = play.player.recording()
    assert recording["figures"]["apps"] == recording["figures"]["queues"]["root.default"]["finished"] == COUNT
    assert "".join(pieces(recording)).count('"/apps/application_') == COUNT


def test_rows_of_jobs_that_are_over_leave_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = play(None, LOAD, site=Site(nodes=3))
    monkeypatch.setattr(rows, "MOST_ENDED", 20)
    census = Census(JobResult)
    found = play(None, LOAD, site=Site(nodes=3), watchers=[census])
    assert max(map(max, census.found)) < COUNT // 4
    assert "".join(json_pieces(found)) == "".join(json_pieces(expected))
    shown = json.loads("".join(json_pieces(found)))
    assert [one["job"] for one in shown["rows"]] == [f"j{number}" for number in range(COUNT)]
