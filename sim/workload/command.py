"""`yarnbox sim run`: a trace in virtual time, under the names of Hadoop's Scheduler Load Simulator.

0: every job has finished. 1: some did not. 2: a trace, a configuration or a command line that is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TextIO

from rm.context import ConfigurationProvider
from sim.recording.document import write
from sim.recording.recorder import Title
from sim.workload.files import CLASS, DirectoryFiles, equal_queues
from sim.workload.jobs import InvalidTraceError, Job
from sim.workload.player import PATIENCE_MS, Site, WorkloadOutcome, WorkloadPlayer
from sim.workload.swim import SwimOptions, read_swim
from yarn.configuration import ConfigurationError
from yarn.errors import YarnError
from yarn.resource import Resource

FINISHED, UNFINISHED, INVALID = 0, 1, 2
SCHEDULERS = ("fifo", "capacity", "fair")
_FILES = ("yarn-site.xml",)
_SHOWN_REFUSALS = 5
MOST_NODES = 100_000


def main(argv: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carries out the command; the answer is the exit status."""
    options = _parser().parse_args(argv)
    out, err = out or sys.stdout, err or sys.stderr
    try:
        jobs = _jobs(options, err)
        player = _player(options, jobs)
        if options.record is not None:
            Path(options.record).open("a", encoding="utf-8").close()  # not only when all has been played
        outcome = player.play()
        if options.record is not None:
            Path(options.record).write_text(write(player.recording()), encoding="utf-8")
    except (InvalidTraceError, ConfigurationError, YarnError) as error:
        print(f"yarnbox: {error}", file=err)
        return INVALID
    except OSError as error:
        print(f"yarnbox: {error.filename}: {error.strerror or error}", file=err)
        return INVALID
    _show(outcome, out)
    return FINISHED if outcome.finished == outcome.jobs else UNFINISHED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="yarnbox sim", description="Plays workloads in virtual time.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="play a trace until all of its jobs have ended")
    run.add_argument("--tracetype", choices=("SWIM",), default="SWIM", help="the format (default: SWIM)")
    run.add_argument("--tracelocation", metavar="FILE", required=True, help="the trace")
    run.add_argument("--record", metavar="RECORDING", help="write down what happens, for `yarnbox view`")
    run.add_argument("--jobs", metavar="N", type=_positive, help="the first N jobs alone")
    cluster = run.add_argument_group("the cluster")
    cluster.add_argument("--conf", metavar="DIR", help="yarn-site.xml and the scheduler's file")
    cluster.add_argument("--scheduler", choices=SCHEDULERS, help="instead of the configured one (capacity)")
    cluster.add_argument("--num-nodes", metavar="N", type=_nodes, default=10, help="(default: 10)")
    cluster.add_argument("--num-racks", metavar="N", type=_positive, default=1, help="(default: 1)")
    cluster.add_argument("--node-mb", metavar="MB", type=_positive, default=10240, help="(default: 10240)")
    cluster.add_argument("--node-vcores", metavar="N", type=_positive, default=10, help="(default: 10)")
    cluster.add_argument("--seed", type=int, default=0, help="of the first heartbeats (default: 0)")
    swim = run.add_argument_group("what a job of the trace becomes")
    swim.add_argument("--queues", metavar="A,B", type=_names, default=("default",), help="in turn (default)")
    swim.add_argument("--users", metavar="A,B", type=_names, default=("default",), help="in turn (default)")
    swim.add_argument("--scale", metavar="N", type=_positive, default=1, help="bytes are divided by it")
    swim.add_argument("--speedup", metavar="X", type=_factor, default=1.0, help="times are divided by it")
    swim.add_argument("--max-maps", metavar="N", type=_positive, help="of a job; they take longer")
    swim.add_argument("--max-reduces", metavar="N", type=_positive, help="of a job; they take longer")
    swim.add_argument("--map-mb", metavar="MB", type=_positive, default=1024, help="(default: 1024)")
    swim.add_argument("--reduce-mb", metavar="MB", type=_positive, default=1024, help="(default: 1024)")
    return parser


def _jobs(options: argparse.Namespace, err: TextIO) -> list[Job]:
    file = Path(options.tracelocation)
    swim = SwimOptions(
        scale=options.scale,
        speedup=options.speedup,
        max_maps=options.max_maps,
        max_reduces=options.max_reduces,
        map_resource=Resource(options.map_mb, 1),
        reduce_resource=Resource(options.reduce_mb, 1),
        queues=options.queues,
        users=options.users,
    )

    def warn(text: str) -> None:
        print(text, file=err)

    try:
        with file.open(encoding="utf-8") as lines:
            jobs = list(islice(read_swim(lines, str(file), swim, warn), options.jobs))
    except UnicodeDecodeError:
        raise InvalidTraceError(f"{file}: is no text in UTF-8") from None
    if not jobs:
        raise InvalidTraceError(f"{file}: there is no job in it")
    return jobs


def _player(options: argparse.Namespace, jobs: list[Job]) -> WorkloadPlayer:
    files: ConfigurationProvider
    if options.conf is not None:
        directory = Path(options.conf)
        if not directory.is_dir():
            raise InvalidTraceError(f"{directory}: is no directory")
        files = DirectoryFiles(directory, {CLASS: options.scheduler} if options.scheduler else {})
    else:
        files = equal_queues(options.scheduler or "capacity", options.queues, {})
    site = Site(
        nodes=options.num_nodes,
        racks=options.num_racks,
        node_resource=Resource(options.node_mb, options.node_vcores),
        seed=options.seed,
    )
    title = None
    if options.record is not None:
        about = f"{len(jobs)} jobs on {options.num_nodes} nodes"
        title = Title(name=Path(options.tracelocation).stem, about=about, kind="workload")
    return WorkloadPlayer(jobs, site, files, _FILES, title)


def _show(outcome: WorkloadOutcome, out: TextIO) -> None:
    print(
        f"{outcome.finished} of {outcome.jobs} jobs finished within {outcome.end_ms / 1000:.1f} s", file=out
    )
    if outcome.stuck:
        minutes = PATIENCE_MS // 60_000
        why = f"for {minutes} minutes no container was allocated to any of them"
        print(f"  given up: {outcome.stuck} jobs wait, and {why}", file=out)
    for refusal in outcome.refused[:_SHOWN_REFUSALS]:
        print(f"  {refusal}", file=out)
    if len(outcome.refused) > _SHOWN_REFUSALS:
        print(f"  and {len(outcome.refused) - _SHOWN_REFUSALS} more were refused", file=out)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _nodes(text: str) -> int:
    count = _positive(text)
    if count > MOST_NODES:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST_NODES}")
    return count


def _factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    if not names:
        raise argparse.ArgumentTypeError("at least one name is wanted")
    return names


if __name__ == "__main__":
    sys.exit(main())
