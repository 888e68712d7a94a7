"""What is left out, what is announced, and what the AM learns from an attempt that failed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.am.mapreduce.rig import JOB, Rig
from yarnbox.am.mapreduce.api import TASK_COUNTERS, Tally
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.ids import TaskAttemptId, TaskId, TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.am.mapreduce.skipping import Skipping, kept_at, skip_plan
from yarnbox.am.mapreduce.splits import Split


@pytest.mark.parametrize(
    ("bad", "at_once", "passed", "announced"),
    [
        ([], 3, [0, 1, 2, 3, 4, 5, 6], [(0, 3), (3, 3), (6, 3), (7, 0)]),
        ([(2, 1)], 3, [0, 1, 3, 4, 5, 6], [(0, 2), (3, 3), (6, 3), (7, 0)]),
        ([(5, 2), (0, 2)], 2, [2, 3, 4], [(2, 2), (4, 1), (7, 0)]),
        ([(2, 2), (4, 1)], 9, [0, 1, 5, 6], [(0, 2), (5, 9), (7, 0)]),
        ([(6, 5)], 9, [0, 1, 2, 3, 4, 5], [(0, 6), (7, 0)]),
    ],
)
def test_what_is_bad_is_left_out_and_the_rest_announced(
    bad: Sequence[tuple[int, int]], at_once: int, passed: list[int], announced: list[tuple[int, int]]
) -> None:
    told: list[tuple[int, int]] = []
    left_out: list[int] = []
    skipping = Skipping(skip_plan(at_once, bad), lambda *one: told.append(one), Tally(), None)
    assert list(skipping.passing(range(7), left_out.append)) == passed
    assert told == announced
    assert sorted([*passed, *left_out]) == list(range(7))


def test_an_item_is_announced_before_it_is_handed_out() -> None:
    told: list[int] = []
    skipping = Skipping(skip_plan(1, []), lambda start, _count: told.append(start), Tally(), None)
    for item in skipping.passing(range(3), print):
        assert told == list(range(item + 1))


def test_what_is_left_out_is_kept(tmp_path: Path) -> None:
    tally = Tally()
    file = kept_at("", str(tmp_path), "attempt_1")
    assert file == str(tmp_path / "_logs" / "skip" / "attempt_1")
    skipping = Skipping(skip_plan(1, []), lambda *_: None, tally, file)
    skipping.finish()
    assert not Path(file).parent.exists(), "nothing was"
    skipping.keep_record((7, "a line"))
    skipping.keep_group(("key", iter([1, 2])))
    skipping.finish()
    assert Path(file).read_text() == "7\ta line\nkey\t1\nkey\t2\n"
    assert tally.groups[TASK_COUNTERS] == {
        "MAP_SKIPPED_RECORDS": 1, "REDUCE_SKIPPED_GROUPS": 1, "REDUCE_SKIPPED_RECORDS": 2,
    }  # fmt: skip
    assert kept_at("none", str(tmp_path), "attempt_1") is None


def test_the_third_attempt_tells_and_the_fourth_leaves_out() -> None:
    settings = JobSettings(skip_map_records=5)
    rig = Rig(maps=1, reduces=0, is_blacklisting=False, skip_map_records=5)
    server = UmbilicalServer(rig.core, [Split()], settings, b"", "", "", rig.perform_effects)
    plans = []
    for number in range(4):
        rig.beat(2)
        attempt = TaskAttemptId(TaskId(JOB, TaskType.MAP, 0), number)
        plans.append(server.plan(attempt).skip)
        if number < 3:
            if plans[-1] is not None:
                assert rig.core.next_records(attempt, 10, 5)
                assert rig.core.next_records(attempt, 15, 5)
            rig.finish(attempt, exit_status=1)
    assert plans == [None, None, {"at_once": 5, "ranges": []}, {"at_once": 5, "ranges": [[15, 5]]}]
    rig.run()
    assert rig.state is JobState.SUCCEEDED


def test_who_has_read_all_did_not_die_of_a_record() -> None:
    rig = Rig(maps=1, reduces=0, is_blacklisting=False, skip_map_records=5)
    rig.beat()
    attempt = TaskAttemptId(TaskId(JOB, TaskType.MAP, 0), 0)
    rig.core.next_records(attempt, 10, 5)
    rig.core.next_records(attempt, 12, 0)
    rig.finish(attempt, exit_status=1)
    assert rig.core.job.task(attempt.task_id).bad_records == []
