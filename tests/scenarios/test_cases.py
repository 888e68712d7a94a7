"""The fidelity cases: facts about Hadoop's behaviour, one rule a file, one test id a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.scenario.document import read_scenario
from sim.scenario.player import play

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.yaml"))
EXAMPLES = HERE.parents[1] / "examples" / "scenarios"

AREAS = (
    *("fifo", "lifecycle", "fair", "capacity", "queues", "requests", "preemption", "labels", "reservation"),
    "constraints",
)
"""The areas whose rules the ResourceManager has."""
SCHEDULERS = ("fifo", "fair", "capacity")
"""The schedulers that it has."""

SCHEDULER = "yarn.resourcemanager.scheduler.class"


def name_of(case: Path) -> str:
    """The test id: area and rule."""
    return f"{case.parent.name}/{case.stem}"


def is_played(case: Path) -> bool:
    """Whether the case is about what is there."""
    return case.parent.name in AREAS and read_scenario(case).conf.get(SCHEDULER, "capacity") in SCHEDULERS


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_case_is_a_valid_scenario(case: Path) -> None:
    assert read_scenario(case).steps


@pytest.mark.parametrize("case", [case for case in CASES if is_played(case)], ids=name_of)
def test_the_case_holds(case: Path) -> None:
    outcome = play(read_scenario(case))
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


@pytest.mark.parametrize("area", AREAS)
def test_no_area_is_empty(area: str) -> None:
    assert any(case.parent.name == area and is_played(case) for case in CASES)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda example: example.stem)
def test_the_example_that_the_manual_shows_holds(example: Path) -> None:
    scenario = read_scenario(example)
    assert scenario.name == example.stem
    outcome = play(scenario)
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))
