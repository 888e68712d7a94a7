"""Plays of ours and of Hadoop's ResourceManager side by side, and the verdict on each."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sim.resourcemanager import SimulatedRM
from sim.scenario.document import Scenario
from sim.scenario.player import Player
from tests.hadoop import installed
from tests.hadoop.mirror import DifferenceError, MirroredRM, NotComparableError
from tests.hadoop.twin import Twin, TwinCrashedError

SAME, DIFFERENT, NOT_COMPARABLE = "same", "DIFFERENT", "not comparable"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a play of both went."""

    name: str
    kind: str
    step: int = 0
    line: int = 0
    why: str = ""

    def __str__(self) -> str:
        place = f" step {self.step} (line {self.line}):" if self.line else ""
        return f"{self.kind} {self.name}{place} {self.why}".rstrip()


class MirroredPlayer(Player):
    """Plays a scenario with the twin beside our ResourceManager."""

    def __init__(self, scenario: Scenario, twin: Twin, scratch: Path) -> None:
        super().__init__(scenario)
        self._twin = twin
        self._scratch = scratch

    def start_rm(self) -> SimulatedRM:
        """Both."""
        return MirroredRM(self.files, self.scenario.groups, self._twin, self._scratch)


class Comparison:
    """Plays scenarios, one after the other, in one virtual machine."""

    def __init__(self, twin: Twin, scratch: Path) -> None:
        self._twin = twin
        self._scratch = scratch

    def compare(self, scenario: Scenario, name: str) -> Verdict:
        """Plays it to its end, or to the first difference."""
        return self.judge(scenario, name, MirroredPlayer.play)

    def judge(self, scenario: Scenario, name: str, go: Callable[[MirroredPlayer], object]) -> Verdict:
        """Lets somebody play, to the end or to the first difference."""
        player = MirroredPlayer(scenario, self._twin, self._scratch)
        try:
            go(player)
        except DifferenceError as difference:
            return self._verdict(player, name, DIFFERENT, str(difference))
        except NotComparableError as reason:
            return self._verdict(player, name, NOT_COMPARABLE, str(reason))
        except TwinCrashedError as crash:
            return self._verdict(player, name, NOT_COMPARABLE, f"Hadoop crashed: {crash}")
        except Exception:
            return self._verdict(player, name, DIFFERENT, f"ours broke: {traceback.format_exc(limit=-3)}")
        outcome = player.outcome()
        if not outcome.is_ok:
            return self._verdict(player, name, SAME, f"expectations failed: {outcome.failures[0]}")
        return Verdict(name, SAME)

    def _verdict(self, player: Player, name: str, kind: str, why: str) -> Verdict:
        step = player.recorder.step
        steps = player.scenario.steps
        line = steps[step - 1].line if 0 < step <= len(steps) else 1
        return Verdict(name, kind, step, line, why)


@contextmanager
def comparison(log: Path) -> Iterator[Comparison]:
    """A virtual machine with the twin, for a while; `log` gets what Hadoop complains of."""
    with tempfile.TemporaryDirectory(prefix="yarnbox-twin-") as scratch:
        classes = installed.compiled(Path(scratch, "classes"))
        twin = Twin(classes, installed.jars(), log)
        try:
            yield Comparison(twin, Path(scratch))
        finally:
            twin.close()
