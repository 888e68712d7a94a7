"""SWIM's traces: how bytes become tasks, and what is wrong with a line."""

from __future__ import annotations

import pytest

from yarnbox.sim.load.jobs import InvalidTraceError, Job, work_ms
from yarnbox.sim.load.swim import SwimOptions, read_swim

EXAMPLE = ["job0\t0\t0\t1073741825\t300000000\t1200000000\n", "job1\t40\t40\t0\t0\t5000000000\tinput\t\n"]


def jobs(lines: list[str], **options: object) -> tuple[list[Job], list[str]]:
    warnings: list[str] = []
    read = read_swim(lines, "t.tsv", SwimOptions(**options), warnings.append)  # type: ignore[arg-type]
    return list(read), warnings


def test_the_worked_example() -> None:
    (first, second), warnings = jobs(EXAMPLE)
    assert [(one.count, one.duration_ms) for one in first.tasks] == [(9, 4275), (2, 13176)]
    assert [(one.stage, one.count, one.duration_ms) for one in second.tasks] == [("map", 5, 16902)]
    assert (second.submit_ms, warnings) == (40_000, [])
    assert work_ms([first, second]) == 9 * 4275 + 2 * 13176 + 5 * 16902


def test_options() -> None:
    (first, second), _ = jobs(EXAMPLE, scale=10, speedup=2.0, max_maps=1, queues=("a", "b"), users=("x",))
    assert (first.tasks[0].count, first.queue, second.queue, second.user) == (1, "a", "b", "x")
    assert second.submit_ms == 20_000
    assert first.tasks[0].duration_ms == 2000 + -(-1000 * (107374183 + 30000000) // 67108864)


def test_the_second_column_holds_against_the_third() -> None:
    (_, second), warnings = jobs([EXAMPLE[0], "job1\t40\t39\t0\t0\t1\n"])
    assert second.submit_ms == 40_000
    assert warnings == ["t.tsv:2: job1 comes 40 s after the one before, not 39 s"]


@pytest.mark.parametrize(
    "line, why",
    [
        ("job0\t0\t0\t1\t1\n", "t.tsv:1: expected 6 columns, found 5"),
        ("job0\t0\t0\t-1\t1\t1\n", "t.tsv:1: column 4 has to be a whole number of at least 0, not '-1'"),
        ("job0\tx\t0\t1\t1\t1\n", "t.tsv:1: column 2 has to be a whole number of at least 0, not 'x'"),
    ],
)
def test_a_bad_line_is_named(line: str, why: str) -> None:
    with pytest.raises(InvalidTraceError, match="^" + why.replace("'", ".") + "$"):
        jobs([line])
