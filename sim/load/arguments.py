"""What says which load is read and how: options that `yarnbox sim run` and `yarnbox load` share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TextIO

from yarnbox.sim.load.formats import FORMATS, Load, LoadOptions, read_load
from yarnbox.sim.load.rumen import BASELINES, FIRST
from yarnbox.sim.load.runner import RunnerSettings
from yarnbox.sim.load.swim import SwimOptions
from yarnbox.yarn.resources.resource import Resource


def add_load_options(parser: argparse.ArgumentParser) -> None:
    """What says which files are read, and how."""
    parser.add_argument("--tracelocation", metavar="FILE[,FILE]", type=files, help="the trace, or several")
    parser.add_argument("--nodes", metavar="FILE", help="a nodes file, as SLS has it")
    add_format_options(parser)


def add_format_options(parser: argparse.ArgumentParser) -> None:
    """What says how files are read."""
    parser.add_argument(
        "--tracetype",
        choices=tuple(FORMATS),
        help="the format (default: by name, *.tsv SWIM, *.jsonl YARNBOX)",
    )
    parser.add_argument("--jobs", metavar="N", type=positive, help="the first N jobs alone")
    parser.add_argument("--lenient", action="store_true", help="leave bad jobs out, and count them")
    parser.add_argument(
        "--rumen-baseline", choices=BASELINES, default=FIRST, help="what is 0: the first job, or each its own"
    )
    parser.add_argument(
        "--synth-time-unit", choices=("ms", "s"), help="of task times, above what the file says"
    )
    parser.add_argument("--synth-seed", metavar="N", type=int, help="instead of rand_seed")
    swim = parser.add_argument_group("what a job of a SWIM trace becomes")
    swim.add_argument("--queues", metavar="A,B", type=names, default=("default",), help="in turn (default)")
    swim.add_argument("--users", metavar="A,B", type=names, default=("default",), help="in turn (default)")
    swim.add_argument("--scale", metavar="N", type=positive, default=1, help="bytes are divided by it")
    swim.add_argument("--speedup", metavar="X", type=factor, default=1.0, help="times are divided by it")
    swim.add_argument("--max-maps", metavar="N", type=positive, help="of a job; they take longer")
    swim.add_argument("--max-reduces", metavar="N", type=positive, help="of a job; they take longer")
    swim.add_argument("--map-mb", metavar="MB", type=positive, default=1024, help="(default: 1024)")
    swim.add_argument("--reduce-mb", metavar="MB", type=positive, default=1024, help="(default: 1024)")


def load_of(options: argparse.Namespace, runner: RunnerSettings) -> Load:
    """The load that the options name."""
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


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def factor(text: str) -> float:
    """A number above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return value


def names(text: str) -> tuple[str, ...]:
    """Names, separated by commas."""
    found = tuple(name.strip() for name in text.split(",") if name.strip())
    if not found:
        raise argparse.ArgumentTypeError("expected at least one name")
    return found


def files(text: str) -> list[Path]:
    """Files, separated by commas."""
    return [Path(name) for name in names(text)]
