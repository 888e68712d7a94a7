"""The command: scenarios, or walks drawn from seeds, played by ours and by Hadoop's ResourceManager.

    python -m tests.hadoop.compare FILE...
    python -m tests.hadoop.compare --scheduler capacity --seed 1 --count 1000 --write DIRECTORY
    python -m tests.hadoop.compare --workloads

Exit status 1 where a decision differs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from tests.hadoop.comparison import ACCIDENT, DIFFERENT, NOT_COMPARABLE, Comparison, Verdict, comparison
from tests.hadoop.walks import CONSTRAINTS, PLANS, shortened, walk
from tests.hadoop.workloads import WORKLOADS, compare_workload
from yarnbox.sim.scenario.reading.document import InvalidScenarioError, read_scenario
from yarnbox.sim.walk.shrink import write


def compare_files(comparing: Comparison, files: Sequence[Path]) -> Iterator[Verdict]:
    """The verdict on each file."""
    for file in files:
        try:
            scenario = read_scenario(file)
        except InvalidScenarioError as error:
            yield Verdict(str(file), NOT_COMPARABLE, why=str(error))
            continue
        yield comparing.compare(scenario, str(file))


def compare_walks(
    comparing: Comparison, scheduler: str, seeds: Sequence[int], directory: Path | None, drawn: Counter[str]
) -> Iterator[Verdict]:
    """The verdict on the walk from each seed; `drawn` counts features and verbs."""
    for seed in seeds:
        found = walk(comparing, seed, scheduler)
        drawn.update(found.features)
        drawn.update(f"verb {verb}" for step in found.document["steps"] for verb in step)
        if found.verdict.kind == DIFFERENT and directory is not None:
            found = shortened(comparing, found)
            write(found.document, directory, found.verdict.why.splitlines()[0])
        yield found.verdict


def main(arguments: Sequence[str]) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.hadoop.compare", description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--scheduler",
        choices=("fifo", "capacity", "fair", CONSTRAINTS, PLANS),
        help="walk at random under it",
    )
    parser.add_argument("--seed", type=int, default=0, help="the first walk's seed")
    parser.add_argument("--count", type=int, default=100, help="how many walks")
    parser.add_argument("--write", type=Path, help="shortened walks that differ go into this directory")
    parser.add_argument("--log", type=Path, default=Path(os.devnull), help="where Hadoop complains")
    parser.add_argument(
        "--workloads", action="store_true", help="play whole loads, too: hours of virtual time"
    )
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    accidents: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    with comparison(given.log) as comparing:
        verdicts = compare_files(comparing, given.files)
        if given.scheduler is not None:
            seeds = range(given.seed, given.seed + given.count)
            verdicts = compare_walks(comparing, given.scheduler, seeds, given.write, drawn)
        if given.workloads:
            verdicts = chain(verdicts, (compare_workload(comparing, each) for each in WORKLOADS))
        for verdict in verdicts:
            counts[verdict.kind] += 1
            accidents.update(verdict.accidents)
            if verdict.kind == ACCIDENT:
                accidents[verdict.why] += 1
            print(verdict, flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    for name, count in accidents.items():
        print(f"accident of Hadoop's, met by {count}: {name}")
    if drawn:
        print("drawn: " + ", ".join(f"{name} {count}" for name, count in sorted(drawn.items())))
    return 1 if counts[DIFFERENT] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
