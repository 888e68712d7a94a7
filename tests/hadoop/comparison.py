"""Plays of ours and of Hadoop's ResourceManager side by side, and the verdict on each."""

from __future__ import annotations

import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.hadoop import installed
from tests.hadoop.accidents import CRASHES, EndedByAccidentError
from tests.hadoop.mirror import DifferenceError, MirroredRM, NotComparableError
from tests.hadoop.twin import Twin, TwinCrashedError
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import Scenario

SAME, DIFFERENT, NOT_COMPARABLE = "same", "DIFFERENT", "not comparable"
ACCIDENT = "ended by an accident"
"""Of Hadoop's, by its name: accidents.py."""
MOST_PLAYS = 250
"""Of one virtual machine; after about 450 its heap is full."""
OURS_ALONE = "yarnbox.fair."
MOST_MACHINES = 2
"""At a time."""
RESOURCE_TYPES = "yarn.resource-types"


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a play of both went."""

    name: str
    kind: str
    step: int = 0
    line: int = 0
    why: str = ""
    accidents: tuple[str, ...] = ()
    """Those of Hadoop's that were stepped over."""

    def __str__(self) -> str:
        place = f" step {self.step} (line {self.line}):" if self.line else ""
        over = f" [stepped over: {', '.join(self.accidents)}]" if self.accidents else ""
        return f"{self.kind} {self.name}{place} {self.why}".rstrip() + over


class MirroredPlayer(Player):
    """Plays a scenario with the twin beside our ResourceManager."""

    def __init__(self, scenario: Scenario, twin: Twin, scratch: Path) -> None:
        super().__init__(scenario)
        self._twin = twin
        self._scratch = scratch
        self.stepped_over: Counter[str] = Counter()
        """Accidents of Hadoop's that were met, by name."""

    def start_rm(self) -> SimulatedRM:
        """Both."""
        mirrored = MirroredRM(self.files, self.scenario.groups, self._twin, self._scratch)
        mirrored.accidents.stepped_over = self.stepped_over
        return mirrored


def how_it_ends(go: Callable[[], object]) -> tuple[str, str] | None:
    """Why a play of both ended early: the kind of the verdict, and what is to be said. None: it did not."""
    try:
        go()
    except DifferenceError as difference:
        return DIFFERENT, str(difference)
    except EndedByAccidentError as accident:
        return ACCIDENT, str(accident)
    except NotComparableError as reason:
        return NOT_COMPARABLE, str(reason)
    except TwinCrashedError as crash:
        for name, places in CRASHES.items():
            if all(place in str(crash) for place in places):
                return ACCIDENT, name
        return NOT_COMPARABLE, f"Hadoop crashed: {crash}"
    except Exception:
        return DIFFERENT, f"ours broke: {traceback.format_exc(limit=-3)}"
    return None


@dataclass(slots=True)
class _Machine:
    twin: Twin
    plays: int = 0


class Comparison:
    """Plays scenarios, one after the other. A virtual machine is replaced from time to time: Hadoop's classes
    keep some of each cluster that they have served, until the heap is full. For as long as it lives some of
    them keep to the resource types that they have found first, too, so other types get another machine.
    """

    def __init__(self, start: Callable[[], Twin], scratch: Path, most_plays: int = MOST_PLAYS) -> None:
        self._start = start
        self._scratch = scratch
        self._most_plays = most_plays
        self._machines: dict[str, _Machine] = {}
        """By the further resource types; the one that was used last is last."""

    def close(self) -> None:
        """Ends the virtual machines."""
        for types in list(self._machines):
            self._end(types)

    @property
    def scratch(self) -> Path:
        """A directory for files of a play."""
        return self._scratch

    def take_twin(self, types: str = "") -> Twin:
        """For one play more with these further resource types: a new one when it is time, or when the last
        one has ended.
        """
        machine = self._machines.get(types)
        if machine is None or machine.plays >= self._most_plays or not machine.twin.is_alive:
            self._end(types)
            while len(self._machines) >= MOST_MACHINES:
                self._end(next(iter(self._machines)))
            machine = _Machine(self._start())
        else:
            del self._machines[types]
        self._machines[types] = machine
        machine.plays += 1
        return machine.twin

    def _end(self, types: str) -> None:
        machine = self._machines.pop(types, None)
        if machine is not None:
            machine.twin.close()

    def compare(self, scenario: Scenario, name: str) -> Verdict:
        """Plays it to its end, or to the first difference."""
        return self.judge(scenario, name, MirroredPlayer.play)

    def judge(self, scenario: Scenario, name: str, go: Callable[[MirroredPlayer], object]) -> Verdict:
        """Lets somebody play, to the end or to the first difference."""
        if any(key.startswith(OURS_ALONE) for key in scenario.conf):
            return Verdict(name, NOT_COMPARABLE, why=f"Hadoop has no {OURS_ALONE}*")
        twin = self.take_twin(_further_types(scenario.conf))
        player = MirroredPlayer(scenario, twin, self._scratch)
        end = how_it_ends(lambda: go(player))
        if end is not None:
            return self._verdict(player, name, *end)
        outcome = player.outcome()
        if not outcome.is_ok:
            return self._verdict(player, name, SAME, f"expectations failed: {outcome.failures[0]}")
        return Verdict(name, SAME, accidents=tuple(player.stepped_over))

    def _verdict(self, player: MirroredPlayer, name: str, kind: str, why: str) -> Verdict:
        step = player.recorder.step
        steps = player.scenario.steps
        line = steps[step - 1].line if 0 < step <= len(steps) else 1
        return Verdict(name, kind, step, line, why, tuple(player.stepped_over))


def _further_types(conf: Mapping[str, str]) -> str:
    """Their names and units."""
    units = [name for name in conf if name.startswith(f"{RESOURCE_TYPES}.") and name.endswith(".units")]
    return " ".join([conf.get(RESOURCE_TYPES, ""), *(f"{name}={conf[name]}" for name in sorted(units))])


@contextmanager
def comparison(log: Path, compiled: Path | None = None) -> Iterator[Comparison]:
    """Virtual machines with the twin; `log` gets what Hadoop complains of. The classes of our Java are
    compiled, unless they are in that directory already; files of a play then go beside it.
    """
    place = compiled and compiled.parent
    with tempfile.TemporaryDirectory(prefix="yarnbox-twin-", dir=place) as scratch:
        classes = compiled or installed.compiled(Path(scratch, "classes"))
        jars = installed.jars()
        comparing = Comparison(lambda: Twin(classes, jars, log), Path(scratch))
        try:
            yield comparing
        finally:
            comparing.close()
