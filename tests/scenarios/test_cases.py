"""The fidelity cases: facts about Hadoop's behaviour, one rule a file, one test id a file.

Those in `published` are about `yarnbox.fair.*`, which Hadoop has not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import read_scenario

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.yaml"))
EXAMPLES = HERE.parents[1] / "examples" / "scenarios"

AREAS = (
    *("fifo", "lifecycle", "fair", "capacity", "queues", "requests", "preemption", "labels", "reservation"),
    *("constraints", "published"),
)


def name_of(case: Path) -> str:
    """The test id: area and rule."""
    return f"{case.parent.name}/{case.stem}"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_case_holds(case: Path) -> None:
    scenario = read_scenario(case)
    assert scenario.steps
    outcome = play(scenario)
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_every_area_has_cases() -> None:
    assert {case.parent.name for case in CASES} == set(AREAS)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda example: example.stem)
def test_the_example_that_the_manual_shows_holds(example: Path) -> None:
    scenario = read_scenario(example)
    assert scenario.name == example.stem
    outcome = play(scenario)
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))
