"""`yarnbox walk`: so many walks, or as many as fit into so many minutes; the first that fails is made short.

    yarnbox walk --seeds 100 --scheduler fair
    yarnbox walk --minutes 60
    yarnbox walk --seed 4711
    yarnbox walk --replay walk-4711.json

A failure is told with its seed, which walks again in the same way. The steps that are needed for it are
printed and written to a file, which can be replayed when the drawing of steps has changed.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from random import SystemRandom

from yarnbox.cluster.arguments import SCHEDULERS
from yarnbox.cluster.commands.walk import PROGRAM, parser
from yarnbox.testing.walk.journey import VERBS, Outcome, Step, draw, shorten, walk
from yarnbox.yarn.text.words import counted

DEFAULT_SCHEDULERS = ("capacity", "fifo", "fair")
_LARGEST_SEED = 10**9


def main(arguments: Sequence[str] | None = None) -> int:
    """Walks; 1 when a promise was broken."""
    options = parser().parse_args(arguments)
    logging.disable(logging.CRITICAL)  # what goes wrong is what is looked for
    if options.replay is not None:
        return _replay(options.replay)
    schedulers = [options.scheduler] if options.scheduler else list(DEFAULT_SCHEDULERS)
    begun, walked, virtual_s = time.monotonic(), 0, 0.0
    coverage: Counter[str] = Counter()
    first = options.seed if options.seed is not None else SystemRandom().randrange(_LARGEST_SEED)
    print(f"walk: seeds from {first}", flush=True)
    for seed in _seeds(options, first, begun):
        scheduler = schedulers[seed % len(schedulers)]
        outcome = walk(seed, scheduler)
        walked += 1
        virtual_s += outcome.virtual_s
        coverage += outcome.coverage
        if options.verbose:
            print(f"seed {seed} {scheduler}: {outcome.events} events, digest {outcome.digest}", flush=True)
        if outcome.fault:
            _tell(seed, scheduler, outcome, is_shortened=not options.no_shrink)
            return 1
    spent_s = time.monotonic() - begun
    verbs = ", ".join(f"{verb} {times}" for verb, times in coverage.most_common())
    print(
        f"walk: {counted(walked, 'walk')}, {virtual_s / 3600:.1f} hours of a cluster in {spent_s:.0f} s; "
        f"all checks passed\n  {verbs}"
    )
    return 0


def _seeds(options: argparse.Namespace, first: int, begun: float) -> Iterator[int]:
    if options.minutes is not None:
        for seed in count(first):
            if time.monotonic() - begun >= options.minutes * 60:
                return
            yield seed
    yield from range(first, first + options.seeds)


def _tell(seed: int, scheduler: str, outcome: Outcome, *, is_shortened: bool) -> None:
    print(
        f"walk: seed {seed} with the scheduler {scheduler} broke a promise:\n{outcome.fault}", file=sys.stderr
    )
    print(f"again: {PROGRAM} --seed {seed} --scheduler {scheduler}", file=sys.stderr, flush=True)
    if is_shortened:
        steps = shorten(seed, scheduler, draw(seed), outcome.kind)
        print("the steps that are needed for it:", file=sys.stderr)
        for step in steps:
            print(f"  {step}", file=sys.stderr)
        file = Path(f"walk-{seed}.json")
        walked = {"seed": seed, "scheduler": scheduler, "steps": [asdict(step) for step in steps]}
        file.write_text(json.dumps(walked, indent=1) + "\n", encoding="utf-8")
        print(f"again: {PROGRAM} --replay {file}", file=sys.stderr)


def _replay(file: Path) -> int:
    """Walks the steps of a file."""
    try:
        walked = json.loads(file.read_text(encoding="utf-8"))
        seed, scheduler = int(walked["seed"]), str(walked["scheduler"])
        steps = [
            Step(int(one["after_ms"]), str(one["verb"]), tuple(map(int, one["numbers"])))
            for one in walked["steps"]
        ]
        unknown = [one.verb for one in steps if one.verb not in VERBS]
        if unknown or scheduler not in SCHEDULERS:
            raise ValueError(f"nobody knows {(unknown or [scheduler])[0]!r}")
    except OSError as error:
        print(f"yarnbox: {file}: cannot be read: {error.strerror or error}", file=sys.stderr)
        return 2
    except (ValueError, KeyError, TypeError) as error:
        print(f"yarnbox: {file} is not a walk: {error}", file=sys.stderr)
        return 2
    outcome = walk(seed, scheduler, steps)
    if outcome.fault:
        _tell(seed, scheduler, outcome, is_shortened=False)
        return 1
    print(f"walk: {len(steps)} steps, {outcome.events} events; all checks passed")
    return 0
