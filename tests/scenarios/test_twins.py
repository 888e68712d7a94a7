"""Twins that must agree: a case, and the same case told in another way that means the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from yarnbox.sim.scenario.playing.player import play
from yarnbox.sim.scenario.reading.document import Scenario, read_scenario
from yarnbox.sim.scenario.reading.steps import Ask, Expect, ExpectError, Refresh, Step

HERE = Path(__file__).parent
CASES = sorted(
    case
    for area in ("fifo", "lifecycle", "capacity", "fair", "preemption", "reservation")
    for case in HERE.glob(f"{area}/*.yaml")
)


def name_of(case: Path) -> str:
    """The test id: area and rule."""
    return f"{case.parent.name}/{case.stem}"


def refreshed(scenario: Scenario) -> Iterator[Step]:
    """After every step the queues are refreshed from the file that is in force already.

    Not where a leaf orders its applications by their use: as in Hadoop a refresh forgets which of them have
    changed since the last pass (capacity/refresh-forgets-changes-of-the-order.yaml).
    """
    capacity, fair = scenario.capacity_scheduler, scenario.fair_scheduler
    if capacity is not None and any(
        name.endswith(".ordering-policy") and value == "fair" for name, value in capacity.items()
    ):
        yield from scenario.steps
        return
    for step in scenario.steps:
        yield step
        if isinstance(step, Refresh):
            capacity, fair = step.capacity_scheduler or capacity, step.fair_scheduler or fair
        if not isinstance(step, (Expect, ExpectError)):
            if capacity is not None:
                yield Refresh(line=step.line, capacity_scheduler=capacity)
            elif fair is not None:
                yield Refresh(line=step.line, fair_scheduler=fair)


def one_by_one(scenario: Scenario) -> Iterator[Step]:
    """What one allocate call asks for is asked for in as many calls."""
    for step in scenario.steps:
        if not isinstance(step, Ask) or len(step.requests) < 2:
            yield step
            continue
        first, *others = step.requests
        yield replace(step, requests=(first,))
        for request in others:
            yield Ask(line=step.line, app=step.app, requests=(request,))


TWINS: tuple[Callable[[Scenario], Iterator[Step]], ...] = (refreshed, one_by_one)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_case_told_otherwise_ends_as_it_does(case: Path) -> None:
    scenario = read_scenario(case)
    for twin in TWINS:
        steps = tuple(twin(scenario))
        if steps != scenario.steps:
            outcome = play(replace(scenario, steps=steps))
            assert outcome.is_ok, f"{twin.__name__}\n" + "\n".join(map(str, outcome.failures))


@pytest.mark.parametrize("twin", TWINS)
def test_each_twin_tells_cases_otherwise(twin: Callable[[Scenario], Iterator[Step]]) -> None:
    scenario = read_scenario(HERE / "capacity" / "request-normalized-up.yaml")
    assert tuple(twin(scenario)) != scenario.steps
