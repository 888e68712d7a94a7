"""Rows of jobs, in memory and outside it."""

from __future__ import annotations

import pickle
from random import Random

import pytest

from yarnbox.sim.reports import rows
from yarnbox.sim.reports.result import FINISHED, JobResult
from yarnbox.sim.reports.rows import JobRows


def row(number: int) -> JobResult:
    return JobResult(
        job=f"j{number}",
        application=f"application_0_{number:04d}",
        queue="root.a",
        user="mei",
        type="MAPREDUCE",
        fidelity="traced",
        tasks=number,
        submitted_ms=number,
        traced_start_ms=0,
        traced_end_ms=0,
        alone_ms=1,
    )


@pytest.mark.parametrize("seed", range(20))
def test_they_are_a_list_wherever_they_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_ENDED", seed % 5)
    chance = Random(seed)
    found, expected, living = JobRows(), list[JobResult](), list[JobResult]()
    for number in range(60):
        one = row(number)
        found.add(one)
        expected.append(one)
        living.append(one)
        while living and chance.random() < 0.45:
            over = living.pop(chance.randrange(len(living)))
            over.state, over.ended_ms = FINISHED, number + 7
            found.close(over)
    for one in living:
        one.containers += 1
    assert list(found) == expected
    assert len(found) == 60
    assert [found[place] for place in range(-60, 60)] == expected * 2
    assert (found[5:50:7], found[::-1]) == (expected[5:50:7], expected[::-1])
    assert pickle.loads(pickle.dumps(found)) == expected
    with pytest.raises(IndexError):
        found[60]
