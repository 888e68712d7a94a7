"""The command: is each fault of mutants.py noticed, by scenarios or by random walks beside Hadoop's?

    python -m tests.hadoop.mutation [NAME...]
    python -m tests.hadoop.mutation --seed 1 --walks 20

Each fault is played in a process of its own, which imports the changed module: first the scenarios of ours,
to the first that fails; then walks, to the first in which the two ResourceManagers differ although without
the fault they do not. Exit status 1 where a fault is not noticed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.hadoop.mutants import MUTANTS, SchedulerMutant
from tests.mutants import put_in

ROOT = Path(__file__).parents[2]
NOTICED, MISSED = "noticed", "NOT NOTICED"
_SAME = "same"


# ---- in the process of one fault, or of none


def _noticed_by_scenarios(mutant: SchedulerMutant) -> str:
    """The first scenario that fails, or nothing."""
    from yarnbox.sim.scenario.playing.player import Player
    from yarnbox.sim.scenario.reading.document import read_scenario

    for area in mutant.areas:
        for file in sorted((ROOT / "tests/scenarios" / area).glob("*.yaml")):
            try:
                is_ok = Player(read_scenario(file)).play().is_ok
            except Exception:  # a fault may break whatever it likes: that is noticed, too
                is_ok = False
            if not is_ok:
                return str(file.relative_to(ROOT))
    return ""


def _walks(scheduler: str, seeds: Sequence[int], *, to_the_first: bool) -> dict[int, str]:
    """How the walks from these seeds went."""
    from tests.hadoop.comparison import DIFFERENT, comparison
    from tests.hadoop.walks import walk

    found = {}
    with comparison(Path(os.devnull)) as comparing:
        for seed in seeds:
            found[seed] = walk(comparing, seed, scheduler).verdict.kind
            if to_the_first and found[seed] == DIFFERENT:
                break
    return found


def _play(mutant: SchedulerMutant, seeds: Sequence[int]) -> int:
    put_in(mutant)
    by = _noticed_by_scenarios(mutant)
    if not by and seeds:
        kinds = _walks(mutant.scheduler, seeds, to_the_first=True)
        by = next((f"walk {seed}" for seed, kind in kinds.items() if kind != _SAME), "")
    print(by)
    return 0


# ---- the command


def _ask(*arguments: str) -> str:
    line = [sys.executable, "-m", "tests.hadoop.mutation", *arguments]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.hadoop.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", help="of faults; all if none is given")
    parser.add_argument("--seed", type=int, default=1, help="the first walk's seed")
    parser.add_argument("--walks", type=int, default=20, help="how many walks may notice a fault")
    parser.add_argument("--play", help=argparse.SUPPRESS)
    parser.add_argument("--same", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    seeds = range(given.seed, given.seed + given.walks)
    if given.play:
        known = [int(seed) for seed in (given.same or "").split(",") if seed]
        return _play(next(one for one in MUTANTS if one.name == given.play), known)
    if given.same:
        kinds = _walks(given.same, seeds, to_the_first=False)
        print(",".join(str(seed) for seed, kind in kinds.items() if kind == _SAME))
        return 0
    unknown = [name for name in given.names if name not in {one.name for one in MUTANTS}]
    if unknown:
        parser.error(f"no fault is called {unknown[0]!r}; they are in tests/hadoop/mutants.py")
    return _report([one for one in MUTANTS if one.name in given.names or not given.names], seeds)


def _report(mutants: Sequence[SchedulerMutant], seeds: range) -> int:
    same: dict[str, str] = {}
    missed = 0
    for mutant in mutants:
        by = _ask("--play", mutant.name)
        if not by and seeds:
            scheduler = mutant.scheduler
            if scheduler not in same:
                same[scheduler] = _ask(
                    "--same", scheduler, "--seed", str(seeds.start), "--walks", str(len(seeds))
                )
            by = _ask("--play", mutant.name, "--same", same[scheduler])
        missed += not by
        print(f"{NOTICED if by else MISSED} {mutant.name}" + (f": {by}" if by else ""), flush=True)
    print(f"{len(mutants) - missed} of {len(mutants)} noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
