"""`make bench-hadoop` in small: its Java fits the comparison's, and both sides do their work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bench.hadoop.cases import CASES, Case
from bench.hadoop.machine import Side, hadoop, ours

SMALL = {"nodes": 100, "applications": 100, "users": 10, "parents": 2, "leaves": 2}
WORK = [case for case in CASES if case.name in ("capacity-1000", "capacity-calls", "fair-update")]
_SECONDS = 0.02


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Side]]:
    """Hadoop's schedulers, and ours."""
    draft = tmp_path_factory.mktemp("bench")
    with (draft / "errors.log").open("w+b") as errors:
        started = [hadoop(draft / "classes", errors), ours(is_compiled=False, errors=errors)]
        yield started
        for side in started:
            side.close()


@pytest.mark.parametrize("case", WORK, ids=lambda case: case.name)
def test_both_sides_do_the_work(sides: list[Side], case: Case) -> None:
    small = replace(case, differences={**case.differences, **SMALL})
    answers = {side.name: side.take(small, _SECONDS) for side in sides}
    assert [name for name, answer in answers.items() if answer.rate <= 0] == []
