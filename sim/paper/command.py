"""`yarnbox paper`: the experiments of the literature, beside what it says.

0: done. 2: a command line that is wrong; nothing was played. 130: Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from yarnbox.sim.load.jobs import InvalidTraceError
from yarnbox.sim.paper.experiment import Case, Experiment, Findings, Scale
from yarnbox.sim.paper.experiments.day import FacebookDay, traced
from yarnbox.sim.paper.figures import Table
from yarnbox.sim.paper.files import ExperimentResult, OtherPaperError, cells, header, others, write
from yarnbox.sim.paper.register import EXPERIMENTS, play_case
from yarnbox.sim.reports.files import try_to_make
from yarnbox.sim.reports.progress import Plays
from yarnbox.sim.reports.refusal import INVALID, status_of
from yarnbox.sim.whatif.engines.pool import LostWorkersError, cores, play_each
from yarnbox.yarn.text.command_parser import CommandParser
from yarnbox.yarn.text.numbers import positive
from yarnbox.yarn.text.words import aligned, did_you_mean, refused

DONE = 0


def main(argv: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carries out the command; the answer is the exit status."""
    options = parser().parse_args(argv)
    out, err = out or sys.stdout, err or sys.stderr
    if options.list:
        for name, experiment in EXPERIMENTS.items():
            print(f"{name:12} {experiment.title}: {experiment.source}", file=out)
        return DONE
    scale = Scale.SMALL if options.small else Scale.FULL if options.full else Scale.USUAL
    wanted = [name for name in EXPERIMENTS if name in (options.experiments or EXPERIMENTS)]
    problem = _problem(options) or _misplaced(options, wanted, scale)
    if problem is not None:
        print(f"yarnbox: {problem}", file=err)
        return INVALID
    experiments = [_experiment(name, options.trace) for name in wanted]

    def carried_out() -> int:
        told = played(experiments, scale, options.seed, options.workers or cores(), err)
        for one in told:
            for line in _lines(one):
                print(line, file=out)
        if options.out is not None:
            paths = write(Path(options.out), told, scale, options.seed)
            print(f"{paths[0]}, and {len(paths) - 1} files in {paths[1].parent}", file=out)
        return DONE

    return status_of(carried_out, (LostWorkersError, OtherPaperError), err)


def parser() -> argparse.ArgumentParser:
    found = CommandParser(
        prog="yarnbox paper",
        description="Repeat experiments of the literature on fair sharing in virtual time, and print the"
        " published and the expected figures beside the measured ones.",
    )
    found.add_argument(
        "experiments", metavar="EXPERIMENT", nargs="*", help="which experiments to run (default: all)"
    )
    found.add_argument("--list", action="store_true", help="list the experiments and their sources, run none")
    found.add_argument(
        "--out",
        metavar="DIR",
        help="write paper.md into DIR, and JSON, CSV and SVG into DIR/paper; other experiments there stay",
    )
    found.add_argument(
        "--trace",
        metavar="FILE",
        help="SWIM trace for the experiment `day` (default: jobs drawn at random)",
    )
    found.add_argument("--seed", metavar="N", type=positive, default=1, help="the first seed (default: 1)")
    found.add_argument(
        "--workers",
        metavar="N",
        type=positive,
        help="number of processes (default: one for each core)",
    )
    size = found.add_mutually_exclusive_group()
    size.add_argument("--small", action="store_true", help="small sizes, for a first look: takes seconds")
    size.add_argument("--full", action="store_true", help="more seeds and larger sizes, for figures to quote")
    return found


def _problem(options: argparse.Namespace) -> str | None:
    """Why this cannot be played or written; None where it can."""
    for name in options.experiments:
        if name not in EXPERIMENTS:
            known = ", ".join(EXPERIMENTS)
            return (
                f"{name}: there is no such experiment{did_you_mean(name, [*EXPERIMENTS])}; there are {known}"
            )
    if options.trace is not None:
        if options.experiments and FacebookDay.name not in options.experiments:
            return f"--trace is for {FacebookDay.name}, which is not among {', '.join(options.experiments)}"
        try:
            traced(options.trace)
        except InvalidTraceError as error:
            return str(error)
    return None


def _misplaced(options: argparse.Namespace, wanted: Sequence[str], scale: Scale) -> str | None:
    """Why these experiments cannot be written there; None where they can."""
    if options.out is None:
        return None
    path = Path(options.out)
    if path.exists() and not path.is_dir():
        return f"--out {options.out}: is not a directory"
    try:
        others(path, wanted, scale, options.seed)
        try_to_make(path)  # before hours of plays
    except OtherPaperError as error:
        return f"--out {options.out}: {error}"
    except OSError as error:
        return refused(error)
    return None


def _experiment(name: str, trace: str | None) -> Experiment:
    """That one, of this trace if it plays traces."""
    return FacebookDay(trace) if trace is not None and name == FacebookDay.name else EXPERIMENTS[name]


def played(
    experiments: Sequence[Experiment], scale: Scale, seed: int, workers: int, err: TextIO
) -> list[ExperimentResult]:
    """These experiments, played on so many processes: long plays first, so that none is left at the end."""
    cases: list[Case] = [case for one in experiments for case in one.plays(scale, seed)]
    cases.sort(key=lambda case: not EXPERIMENTS[case.experiment].is_long)
    progress = Plays(len(cases), "1 worker" if workers == 1 else f"{workers} workers", err)
    try:
        found = play_each(play_case, cases, workers, progress.done)
    finally:
        progress.finish()
    told = []
    for one in experiments:
        findings = Findings({case: play for case, play in found.items() if case.experiment == one.name})
        told.append(ExperimentResult(experiment=one, outcome=one.outcome(findings, scale)))
    return told


def _lines(told: ExperimentResult) -> Iterator[str]:
    yield f"{told.experiment.title} ({told.experiment.source})"
    for table in told.outcome.tables:
        yield ""
        yield f"  {table.title}"
        yield from _table_lines(table)
    yield ""


def _table_lines(table: Table) -> Iterator[str]:
    yield from (f"    {line}" for line in aligned([header(table), *cells(table)], texts=1))


if __name__ == "__main__":
    sys.exit(main())
