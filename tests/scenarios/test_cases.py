"""The fidelity cases: facts about Hadoop's behaviour, one rule a file, one test id a file.

Those in `published` are about `yarnbox.fair.*`, which Hadoop has not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.rm.booking import Booking
from yarnbox.sim.scenario.playing.player import Player, play
from yarnbox.sim.scenario.reading.document import read_scenario
from yarnbox.sim.scenario.reading.steps import RestartRM, Step
from yarnbox.yarn.resources.resource import NONE, Resource

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.yaml"))
EXAMPLES = HERE.parents[1] / "examples" / "scenarios"

AREAS = (
    *("fifo", "lifecycle", "fair", "capacity", "queues", "requests", "preemption", "labels", "reservation"),
    "opportunistic",
    *("constraints", "published", "restart"),
)


def name_of(case: Path) -> str:
    """The test id: area and rule."""
    return f"{case.parent.name}/{case.stem}"


class Auditor(Player):
    """Plays a scenario and keeps its own books: what the event log is told of containers adds up, after each
    step, to what the applications of each queue hold.
    """

    def begin(self) -> None:
        super().begin()
        self.held: dict[tuple[str, str], Resource] = {}
        self.world.rm.core.context.bookings.append(self.note)

    def note(self, booking: Booking) -> None:
        """More or less of a queue in a partition."""
        key = (booking.queue, booking.partition)
        self.held[key] = self.held.get(key, NONE) + booking.resource
        assert not self.held[key].is_negative(), booking

    def carry_out(self, step: Step) -> None:
        if isinstance(step, RestartRM):
            self.held.clear()  # another ResourceManager begins, with nothing
        super().carry_out(step)
        found: dict[tuple[str, str], Resource] = {}
        for application in self.world.rm.core.context.scheduler.applications.values():
            attempt = application.attempt
            for one in (*attempt.live.values(), *attempt.reserved_containers()) if attempt else ():
                key = (one.queue, one.partition)
                found[key] = found.get(key, NONE) + one.charged
        assert {k: v for k, v in self.held.items() if v} == {k: v for k, v in found.items() if v}, step


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_the_case_holds_and_its_bookings_add_up(case: Path) -> None:
    scenario = read_scenario(case)
    assert scenario.steps
    outcome = Auditor(scenario).play()
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))


def test_every_area_has_cases() -> None:
    assert {case.parent.name for case in CASES} == set(AREAS)


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.yaml")), ids=lambda example: example.stem)
def test_the_example_that_the_manual_shows_holds(example: Path) -> None:
    scenario = read_scenario(example)
    assert scenario.name == example.stem
    outcome = play(scenario)
    assert outcome.is_ok, "\n".join(map(str, outcome.failures))
