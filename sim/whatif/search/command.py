"""`yarnbox whatif search`: settings that serve a goal best. 0: done, 1: no trial keeps all constraints."""

from __future__ import annotations

import argparse
import csv
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from random import Random
from typing import TextIO

from yarnbox.sim.load.arguments import warn
from yarnbox.sim.reports.files import replacing
from yarnbox.sim.reports.progress import Plays
from yarnbox.sim.whatif.arguments import add_base_options, base_and_load, drawn
from yarnbox.sim.whatif.conditions import read_condition
from yarnbox.sim.whatif.engines.arguments import add_engine_options, engine_of
from yarnbox.sim.whatif.metrics import shown
from yarnbox.sim.whatif.search.methods import METHODS
from yarnbox.sim.whatif.search.running import Search, digest
from yarnbox.sim.whatif.search.space import read_space
from yarnbox.sim.whatif.search.trials import (
    BASE_FILE,
    FILE,
    BaseFile,
    Goal,
    Trial,
    TrialFile,
    front,
    read_goal,
)
from yarnbox.sim.whatif.study import Study, check
from yarnbox.sim.whatif.variants import without_effect
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.numbers import positive
from yarnbox.yarn.text.words import aligned, counted

FOUND, NOT_FOUND = 0, 1
_MOST_SHOWN = 20


def parser() -> argparse.ArgumentParser:
    found = CommandParser(
        prog="yarnbox whatif search",
        description="Play a load under many settings and show the best ones. A search that was stopped"
        " continues when it is started again with the same --out.",
    )
    add_base_options(found)
    space = found.add_argument_group("what to search")
    space.add_argument(
        "--vary",
        metavar="PROPERTY=VALUES",
        action="append",
        required=True,
        help="a property and the values to try: LOW..HIGH/STEP, LOW..HIGH or A|B; a name that begins with"
        " root. is a property of that queue, as in root.etl.capacity=20..60/5; may be given several times",
    )
    space.add_argument(
        "--rest",
        metavar="QUEUE",
        action="append",
        default=[],
        help="a queue whose capacity is what its siblings leave of 100",
    )
    space.add_argument(
        "--goal",
        metavar="GOAL",
        action="append",
        required=True,
        help="figure to minimize or maximize: 'min queue:root.etl wait.p95'; may be given several times",
    )
    space.add_argument(
        "--subject-to",
        metavar="CONDITION",
        action="append",
        default=[],
        help="condition that a setting must meet, compared with the base:"
        " 'queue:root.adhoc wait.p95 <= +10%%'; may be given several times",
    )
    space.add_argument(
        "--method", choices=tuple(METHODS), default="grid", help="how points are chosen (default: grid)"
    )
    space.add_argument(
        "--trials", metavar="N", type=positive, default=100, help="try at most N settings (default: 100)"
    )
    space.add_argument(
        "--out",
        metavar="DIR",
        required=True,
        help=f"directory for the trials: {FILE}, which a later search continues, and trials.csv",
    )
    space.add_argument("--json", action="store_true", help="print the best trials as JSON instead of a table")
    add_engine_options(found)
    return found


def run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """The command; what is wrong is raised."""
    constraints = [(text, read_condition(text)) for text in options.subject_to]
    goals = [read_goal(text) for text in options.goal]
    space = read_space(options.vary, options.rest)
    method = METHODS[options.method](space, goals, options.first_seed)
    base, load = base_and_load(options)
    warn(load, err)
    seeds = tuple(range(options.first_seed, options.first_seed + options.seeds))
    anew = drawn(options, base.site, seeds)
    study = Study(jobs=tuple(load.jobs()), variants=(base,), seeds=seeds, drawn=anew)
    check(study)
    varied = replace(base, definitions={**base.definitions, **space.drawn(Random(0))})
    for sentence in without_effect(varied, base):
        print(f"warning: --vary {sentence}", file=err)
    directory = Path(options.out)
    heading = {
        "load": digest(study),
        "vary": options.vary,
        "rest": options.rest,
        "goals": options.goal,
        "subjectTo": options.subject_to,
    }
    file = TrialFile(directory / FILE, heading)
    base_file = BaseFile(directory / BASE_FILE, {"load": heading["load"]})
    known = len(file.known)
    trials = options.trials if space.size is None else min(options.trials, space.size)
    left = len(seeds) * (1 + max(0, trials - known)) - len(base_file.known)
    with engine_of(options) as engine:
        progress = Plays(left, engine.where, err)
        search = Search(
            study=study,
            space=space,
            goals=goals,
            constraints=constraints,
            confidence=options.confidence,
            engine=engine,
            done=progress.done,
            base=base_file,
        )
        try:
            search.run(method, file, options.trials)
            unchanged = search.base_goals()
        except KeyboardInterrupt:
            print(f"{counted(len(file.known), 'trial')} in {directory}: the same command goes on", file=err)
            raise
        finally:
            progress.finish()
    _write_csv(directory, file.known, goals)
    best = sorted(front(file.known, goals), key=lambda one: one.goals or ())
    if options.json:
        print(json.dumps({"base": unchanged, "front": [one.data() for one in best]}, indent=2), file=out)
        return FOUND if best else NOT_FOUND
    for line in _lines(file.known, best, goals, unchanged, known):
        print(line, file=out)
    if best:
        words = search.definitions(best[0].point).items()
        change = " ".join(shlex.quote(f"-D{name}={value}") for name, value in words)
        print(f"to see what else it changes: yarnbox whatif ... --change {change}", file=out)
    return FOUND if best else NOT_FOUND


def _lines(
    trials: Sequence[Trial], best: Sequence[Trial], goals: Sequence[Goal], base: Sequence[float], known: int
) -> Iterator[str]:
    again = f", {known} of them of an earlier run" if known else ""
    yield f"{counted(len(trials), 'trial')}{again}"
    refused = [one for one in trials if one.goals is None]
    if refused:
        yield f"  {len(refused)} cannot be played, the first because {refused[0].why}"
    broken = sum(one.goals is not None and not one.is_feasible for one in trials)
    if broken:
        yield f"  {broken} break a constraint"
    if not best:
        yield "no trial keeps all constraints"
        return
    names = list(best[0].point)
    short = [name.removeprefix("yarn.scheduler.capacity.") for name in names]
    rows = [
        ("trial", *(goal.text for goal in goals), *short),
        ("base", *_goals(base, goals), *[""] * len(names)),
    ]
    rows += [
        (str(one.number), *_goals(one.goals or (), goals), *(one.point[name] for name in names))
        for one in best[:_MOST_SHOWN]
    ]
    yield ("the best trial" if len(goals) == 1 else "the Pareto front: none is better in every goal")
    yield from (f"  {line}" for line in aligned(rows))


def _goals(values: Sequence[float], goals: Sequence[Goal]) -> Iterator[str]:
    return (
        shown(value, goal.target.metric.unit) if isfinite(value) else "none"
        for value, goal in zip(values, goals, strict=True)
    )


def _write_csv(directory: Path, trials: Sequence[Trial], goals: Sequence[Goal]) -> None:
    on_front = {one.number: None for one in front(trials, goals)}
    names = list(dict.fromkeys(name for one in trials for name in one.point))
    with replacing(directory / "trials.csv") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("trial", *names, *(goal.text for goal in goals), "feasible", "front", "why"))
        for one in trials:
            values = [value if isfinite(value) else None for value in one.goals or (inf,) * len(goals)]
            point = (one.point.get(name) for name in names)
            rows.writerow((one.number, *point, *values, one.is_feasible, one.number in on_front, one.why))
