"""Plays scenarios against Hadoop's ResourceManager: `python -m tests.hadoop.compare FILE...`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sim.resourcemanager import SimulatedRM
from sim.scenario.document import InvalidScenarioError, Scenario, read_scenario
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
        player = MirroredPlayer(scenario, self._twin, self._scratch)
        try:
            outcome = player.play()
        except DifferenceError as difference:
            return self._verdict(player, name, DIFFERENT, str(difference))
        except NotComparableError as reason:
            return self._verdict(player, name, NOT_COMPARABLE, str(reason))
        except TwinCrashedError as crash:
            return self._verdict(player, name, NOT_COMPARABLE, f"Hadoop crashed: {crash}")
        except Exception:
            return self._verdict(player, name, DIFFERENT, f"ours broke: {traceback.format_exc(limit=-3)}")
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


def compare_files(files: Iterable[Path], log: Path) -> Iterator[Verdict]:
    """The verdict on each file."""
    with comparison(log) as comparing:
        for file in files:
            try:
                scenario = read_scenario(file)
            except InvalidScenarioError as error:
                yield Verdict(str(file), NOT_COMPARABLE, why=str(error))
                continue
            yield comparing.compare(scenario, str(file))


def main(arguments: Sequence[str]) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.hadoop.compare", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--log", type=Path, default=Path(os.devnull), help="what Hadoop complains of goes here"
    )
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    for verdict in compare_files(given.files, given.log):
        counts[verdict.kind] += 1
        print(verdict, flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts[DIFFERENT] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
