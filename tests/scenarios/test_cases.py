"""The fidelity cases: facts about Hadoop's behaviour, one rule a file, one test id a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.scenario.document import read_scenario

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.yaml"))


def name_of(case: Path) -> str:
    """The test id: area and rule."""
    return f"{case.parent.name}/{case.stem}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_case_is_a_valid_scenario(case: Path) -> None:
    assert read_scenario(case).steps
