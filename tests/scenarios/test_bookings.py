"""What the event log is told of containers adds up to what the applications of each queue hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from yarnbox.rm.booking import Booking
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_scenario
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import NONE, Resource

HERE = Path(__file__).parent
CASES = sorted(HERE.glob("*/*.yaml"))


class Auditor(Player):
    """Plays a scenario and keeps its own books."""

    def begin(self) -> None:
        super().begin()
        self.held: dict[tuple[str, str], Resource] = {}
        self.world.rm.core.context.bookings.append(self.note)

    def note(self, booking: Booking) -> None:
        """More or less of a queue in a partition."""
        key = (booking.queue, booking.partition)
        self.held[key] = self.held.get(key, NONE) + booking.resource
        assert not self.held[key].is_negative(), booking

    def carry_out(self, step: object) -> None:
        try:
            super().carry_out(step)  # type: ignore[arg-type]
        except YarnError:
            return
        found: dict[tuple[str, str], Resource] = {}
        for application in self.world.rm.core.context.scheduler.applications.values():
            attempt = application.attempt
            for one in (*attempt.live.values(), *attempt.reserved_containers()) if attempt else ():
                key = (one.queue, one.partition)
                found[key] = found.get(key, NONE) + one.charged
        assert {k: v for k, v in self.held.items() if v} == {k: v for k, v in found.items() if v}, step


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.stem}")
def test_bookings_add_up(case: Path) -> None:
    Auditor(read_scenario(case)).play()
