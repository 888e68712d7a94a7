"""The command: scenarios, or walks drawn from seeds, played by ours and by Hadoop's ResourceManager.

    python -m tests.hadoop.compare FILE...
    python -m tests.hadoop.compare --scheduler capacity --seed 1 --count 1000 --write DIRECTORY
    python -m tests.hadoop.compare --workloads

Results are printed in the order of files and seeds, however many workers there are. Exit status 1 where a
decision differs, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tests.hadoop import installed
from tests.hadoop.comparison import ACCIDENT, DIFFERENT, NOT_COMPARABLE, Comparison, Verdict, comparison
from tests.hadoop.drawing.features import FEATURES, PLANS
from tests.hadoop.reach import Reach, Watch
from tests.hadoop.walks import CONSTRAINTS, shortened, walk
from tests.hadoop.workers import LostWorkerError, results
from tests.hadoop.workloads import WORKLOADS, compare_workload
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, read_scenario
from yarnbox.sim.walk.shrink import write
from yarnbox.sim.whatif.engines.pool import cores

INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True, slots=True)
class Compared:
    """One verdict, and what was drawn for it: features and verbs."""

    verdict: Verdict
    drawn: Counter[str]
    reach: Reach | None = None
    """Of a walk, where that was wanted."""


Play: TypeAlias = Callable[[Comparison], Compared]


@dataclass(frozen=True, slots=True)
class FilePlay:
    """A scenario file."""

    file: Path

    def __str__(self) -> str:
        return str(self.file)

    def __call__(self, comparing: Comparison) -> Compared:
        name = str(self.file)
        try:
            scenario = read_scenario(self.file)
        except InvalidScenarioError as error:
            return Compared(Verdict(name, NOT_COMPARABLE, why=str(error)), Counter())
        return Compared(comparing.compare(scenario, name), Counter())


@dataclass(frozen=True, slots=True)
class WalkPlay:
    """A random walk; shortened, and written into the directory if it differs."""

    scheduler: str
    seed: int
    directory: Path | None
    wanted: str | None = None
    """A feature that is drawn for certain."""
    is_watched: bool = False
    """Whether it is wanted what the walk reaches."""

    def __str__(self) -> str:
        return f"walk {self.seed} of {self.scheduler}"

    def __call__(self, comparing: Comparison) -> Compared:
        reach = Reach() if self.is_watched else None
        watch = None if reach is None else Watch(reach)
        found = walk(comparing, self.seed, self.scheduler, wanted=self.wanted, watch=watch)
        if reach is not None:
            reach.add_walk(found.document, found.features)
        drawn = Counter(found.features)
        drawn.update(f"verb {verb}" for step in found.document["steps"] for verb in step)
        if found.verdict.kind == DIFFERENT and self.directory is not None:
            found = shortened(comparing, found)
            write(found.document, self.directory, found.verdict.why.splitlines()[0])
        return Compared(found.verdict, drawn, reach)


@dataclass(frozen=True, slots=True)
class WorkloadPlay:
    """A whole load, by its place in the table."""

    index: int

    def __str__(self) -> str:
        return f"workload {WORKLOADS[self.index].name}"

    def __call__(self, comparing: Comparison) -> Compared:
        return Compared(compare_workload(comparing, WORKLOADS[self.index]), Counter())


@contextmanager
def opened(log: Path, compiled: Path) -> Iterator[Callable[[Play], Compared]]:
    """What carries out plays, in virtual machines of its own."""
    with comparison(log, compiled) as comparing:
        yield lambda play: play(comparing)


class Summary:
    """What is said after the last play."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._accidents: Counter[str] = Counter()
        self._drawn: Counter[str] = Counter()
        self.reach = Reach()

    def add(self, one: Compared) -> None:
        """One play more."""
        self.counts[one.verdict.kind] += 1
        self._accidents.update(one.verdict.accidents)
        if one.verdict.kind == ACCIDENT:
            self._accidents[one.verdict.why] += 1
        self._drawn.update(one.drawn)
        if one.reach is not None:
            self.reach.add(one.reach)

    def lines(self) -> Iterator[str]:
        """Kinds of results, accidents, and what was drawn."""
        yield ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        for name, count in self._accidents.items():
            yield f"accident of Hadoop's, met by {count}: {name}"
        if self._drawn:
            yield "drawn: " + ", ".join(f"{name} {count}" for name, count in sorted(self._drawn.items()))


def main(arguments: Sequence[str]) -> int:
    """The command; its exit status."""
    given = _parser().parse_args(arguments)
    plays: list[Play] = [FilePlay(file) for file in given.files]
    if given.scheduler is not None:
        seeds = range(given.seed, given.seed + given.count)
        is_watched = given.coverage is not None
        plays = [WalkPlay(given.scheduler, seed, given.write, given.feature, is_watched) for seed in seeds]
    if given.workloads:
        plays += (WorkloadPlay(index) for index in range(len(WORKLOADS)))
    with tempfile.TemporaryDirectory(prefix="yarnbox-compare-") as directory:
        opening = partial(opened, given.log, installed.compiled(Path(directory, "classes")))
        return report(results(opening, plays, given.workers), len(plays), given.coverage)


def report(compared: Iterator[Compared], count: int, coverage: Path | None = None) -> int:
    """Prints each of so many results, and the summary; writes what walks reached. The exit status."""
    summary = Summary()
    status = None
    try:
        for one in compared:
            summary.add(one)
            print(one.verdict, flush=True)
    except KeyboardInterrupt:
        print(f"interrupted after {summary.counts.total()} of {count}", file=sys.stderr)
        status = INTERRUPTED
    except LostWorkerError as lost:
        print(f"ended after {summary.counts.total()} of {count}: {lost}", file=sys.stderr)
        status = 1
    print(*summary.lines(), sep="\n")
    if coverage is not None:
        coverage.write_text("\n".join(summary.reach.lines()) + "\n")
    if status is None:
        status = 1 if summary.counts[DIFFERENT] else 0
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.hadoop.compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--scheduler",
        choices=("fifo", "capacity", "fair", CONSTRAINTS, PLANS),
        help="walk at random under it",
    )
    parser.add_argument("--seed", type=int, default=0, help="the first walk's seed")
    parser.add_argument("--count", type=int, default=100, help="how many walks")
    parser.add_argument("--feature", choices=_features(), metavar="NAME", help="draw it in every walk")
    parser.add_argument("--write", type=Path, help="shortened walks that differ go into this directory")
    parser.add_argument(
        "--coverage", type=Path, metavar="FILE", help="what the walks drew and reached goes into this file"
    )
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where Hadoop complains")
    parser.add_argument(
        "--workloads", action="store_true", help="play whole loads, too: hours of virtual time"
    )
    parser.add_argument(
        "--workers",
        type=_at_least_one,
        default=cores(),
        metavar="N",
        help="play in so many processes, each with a virtual machine of its own (one for each core)",
    )
    return parser


def _features() -> list[str]:
    return sorted({feature.name for features in FEATURES.values() for feature in features})


def _at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least one")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
