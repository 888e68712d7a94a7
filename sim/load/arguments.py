"""What says which load is read and how: options that `yarnbox sim run` and `yarnbox load` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from yarnbox.sim.load.formats import FORMATS, Load, LoadOptions, read_load
from yarnbox.sim.load.rumen import BASELINES, FIRST
from yarnbox.sim.load.runner import RunnerSettings
from yarnbox.sim.load.swim import SwimOptions
from yarnbox.sim.reports.progress import Ticker
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.numbers import factor, positive
from yarnbox.yarn.text.words import counted


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """What says which files are read, and how."""
    parser.add_argument(
        "--tracelocation",
        metavar="FILE[,FILE]",
        type=files,
        help="the trace; several files are merged; .gz files are decompressed",
    )
    parser.add_argument(
        "--nodes", metavar="FILE", help="the cluster's nodes, in the format of SLS's nodes file"
    )
    add_format_options(parser)


def add_format_options(parser: argparse.ArgumentParser) -> None:
    """What says how files are read."""
    parser.add_argument(
        "--tracetype",
        choices=tuple(FORMATS),
        help="format of the trace (default, by its name: *.tsv is SWIM, *.jsonl YARNBOX)",
    )
    parser.add_argument("--jobs", metavar="N", type=positive, help="only the first N jobs (default: all)")
    parser.add_argument(
        "--lenient",
        action="store_true",
        help="skip and count bad jobs (default: refuse a file that has one)",
    )
    parser.add_argument(
        "--rumen-baseline",
        choices=BASELINES,
        default=FIRST,
        help="RUMEN: time 0 is the start of the first job, or of each job its own start (default: first)",
    )
    parser.add_argument(
        "--synth-time-unit",
        choices=("ms", "s"),
        help="SYNTH: unit of task durations (default: ms; s for the old form of the file)",
    )
    parser.add_argument(
        "--synth-seed", metavar="N", type=int, help="SYNTH: seed of the jobs (default: the file's rand_seed)"
    )
    _add_swim_options(parser.add_argument_group("SWIM: what its jobs become"))


def _add_swim_options(swim: argparse._ArgumentGroup) -> None:
    swim.add_argument(
        "--queues",
        metavar="A,B",
        type=names,
        default=("default",),
        help="queues, to which jobs are submitted in turn (default: default)",
    )
    swim.add_argument(
        "--users",
        metavar="A,B",
        type=names,
        default=("default",),
        help="users, who submit jobs in turn (default: default)",
    )
    swim.add_argument(
        "--scale",
        metavar="N",
        type=positive,
        default=1,
        help="divide amounts of data by N: fewer tasks (default: 1)",
    )
    swim.add_argument(
        "--speedup",
        metavar="X",
        type=factor,
        default=1.0,
        help="divide times of submission by X (default: 1)",
    )
    swim.add_argument(
        "--max-maps", metavar="N", type=positive, help="at most N maps a job, which then take longer"
    )
    swim.add_argument(
        "--max-reduces", metavar="N", type=positive, help="at most N reduces a job, which then take longer"
    )
    swim.add_argument(
        "--map-mb", metavar="MIB", type=positive, default=1024, help="memory of a map (default: 1024)"
    )
    swim.add_argument(
        "--reduce-mb", metavar="MIB", type=positive, default=1024, help="memory of a reduce (default: 1024)"
    )


def load_of(options: argparse.Namespace, runner: RunnerSettings, err: TextIO | None = None) -> Load:
    """The load that the options name. What takes long is told on `err`."""
    ticker = None if err is None else Ticker(err)

    def tell(count: int) -> None:
        if ticker is not None and ticker.is_due():
            ticker.tell(f"{counted(count, 'job')} read")

    try:
        return _read(options, runner, tell)
    finally:
        if ticker is not None:
            ticker.finish()


def _read(options: argparse.Namespace, runner: RunnerSettings, tell: Callable[[int], None]) -> Load:
    small = runner.defaults.task
    swim = SwimOptions(
        scale=options.scale,
        speedup=options.speedup,
        max_maps=options.max_maps,
        max_reduces=options.max_reduces,
        map_resource=Resource(options.map_mb, small.vcores),
        reduce_resource=Resource(options.reduce_mb, small.vcores),
        queues=options.queues,
        users=options.users,
    )
    return read_load(
        options.tracelocation,
        options.tracetype,
        LoadOptions(
            defaults=runner.defaults,
            swim=swim,
            rumen_baseline=options.rumen_baseline,
            synth_time_unit=options.synth_time_unit,
            synth_seed=options.synth_seed,
            every_attempt=getattr(options, "every_attempt", False),
            is_lenient=options.lenient,
            nodes=None if options.nodes is None else Path(options.nodes),
            limit=options.jobs,
            tell=tell,
        ),
    )


def warn(load: Load, err: TextIO) -> None:
    """Tells what was odd in the files, and which jobs were left out."""
    for text in load.warnings:
        print(text, file=err)
    if load.warned > len(load.warnings):
        print(f"and {load.warned - len(load.warnings)} more warnings", file=err)
    for text in load.faults:
        print(f"left out: {text}", file=err)
    if load.dropped > len(load.faults):
        print(f"and {load.dropped - len(load.faults)} more jobs were left out", file=err)


# ---- values


def names(text: str) -> tuple[str, ...]:
    """Names, separated by commas."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise argparse.ArgumentTypeError("expected at least one name")
    return found


def files(text: str) -> list[Path]:
    """Files, separated by commas."""
    return [Path(name) for name in names(text)]
