"""The command: do walks notice each fault of mutants.py?

    python -m tests.testing.walk.mutation [NAME...]
    python -m tests.testing.walk.mutation --seed 1 --walks 500

Each fault is walked with in a process of its own, which imports the changed module, from one seed after the
other to the first walk that breaks a promise. Exit status 1 where fewer than 95 of 100 faults are noticed.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
from collections.abc import Sequence

from tests.mutants import Mutant, put_in
from tests.testing.walk.mutants import MUTANTS
from tests.tree import ROOT

NOTICED, MISSED = "noticed", "NOT NOTICED"
GOAL_PERCENT = 95
NO_FAULT, CONTROL_WALKS = "", 5
"""So many walks must hold before any fault is put in."""


def _play(mutant: Mutant | None, seeds: range) -> int:
    """In a process of its own: prints the first walk that notices the fault, and how."""
    if mutant is not None:
        put_in(mutant)
    logging.disable(logging.CRITICAL)
    try:
        from yarnbox.testing.walk.command import DEFAULT_SCHEDULERS
        from yarnbox.testing.walk.journey import walk
    except Exception as error:
        print(f"at its import: {error}")
        return 0
    for seed in seeds:
        scheduler = DEFAULT_SCHEDULERS[seed % len(DEFAULT_SCHEDULERS)]
        try:
            fault = walk(seed, scheduler).fault
        except Exception as error:  # a fault may break whatever it likes: that is noticed, too
            fault = f"{type(error).__name__}: {error}"
        if fault:
            print(f"walk {seed}: {fault.splitlines()[-1][:200]}")
            return 0
    return 0


def _ask(name: str, seeds: range) -> str:
    line = [sys.executable, "-m", "tests.testing.walk.mutation", "--play", name]
    line += ["--seed", str(seeds.start), "--walks", str(len(seeds))]
    environment = {**os.environ, "YARNBOX_COMPILED": "0"}
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True, env=environment)
    return done.stdout.strip()


def main(arguments: Sequence[str]) -> int:
    """The command; its exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.testing.walk.mutation", description=__doc__)
    parser.add_argument("names", nargs="*", help="of faults; all if none is given")
    parser.add_argument("--seed", type=int, default=1, help="the first walk's seed")
    parser.add_argument("--walks", type=int, default=500, help="how many walks may notice a fault")
    parser.add_argument("--play", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    seeds = range(given.seed, given.seed + given.walks)
    if given.play is not None:
        return _play(next((one for one in MUTANTS if one.name == given.play), None), seeds)
    unknown = [name for name in given.names if name not in {one.name for one in MUTANTS}]
    if unknown:
        parser.error(f"no fault is called {unknown[0]!r}; they are in tests/testing/walk/mutants.py")
    asked = [one for one in MUTANTS if one.name in given.names or not given.names]
    without = _ask(NO_FAULT, range(given.seed, given.seed + CONTROL_WALKS))
    if without:
        print(f"without any fault: {without}")
        return 1
    missed = 0
    for mutant in asked:
        by = _ask(mutant.name, seeds)
        missed += not by
        print(f"{NOTICED if by else MISSED} {mutant.name}" + (f": {by}" if by else ""), flush=True)
    print(f"{len(asked) - missed} of {len(asked)} noticed")
    return 0 if (len(asked) - missed) * 100 >= GOAL_PERCENT * len(asked) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
