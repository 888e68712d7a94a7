"""`yarnbox sim federation`: one load on the sub-clusters of a federation, routed in several ways.

0: done. 2: a command line that is wrong, or processes that died. 130: Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TextIO

from yarnbox.sim.federation.load import Demand, drawn
from yarnbox.sim.federation.play import Federation, PolicyVariant, StuckError, play
from yarnbox.sim.federation.policies import POLICIES
from yarnbox.sim.federation.report import data, lines, write
from yarnbox.sim.federation.subcluster import Shape
from yarnbox.sim.federation.workers import LostSubClustersError
from yarnbox.sim.reports.refusal import INVALID, status_of
from yarnbox.sim.whatif.engines.pool import cores
from yarnbox.yarn.text.numbers import positive
from yarnbox.yarn.text.words import did_you_mean

DONE = 0
INTERVAL_S, RARE_S = 10, 60
WAYS = (
    *(PolicyVariant(policy, INTERVAL_S) for policy in ("home", "uniform", "load")),
    PolicyVariant("load", RARE_S),
    PolicyVariant("multicast", INTERVAL_S),
)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What can be said about a federation."""
    parser.description = (
        "Play one load in virtual time on the sub-clusters of a federation, each with a ResourceManager of"
        " its own. Every few seconds the sub-clusters report their free slots, and jobs are routed by the"
        " latest report."
    )
    known = ", ".join(POLICIES)
    parser.add_argument(
        "--way",
        metavar="POLICY[:SECONDS]",
        type=_way,
        action="append",
        help="policy, and seconds between two reports; may be given several times. Policies: "
        + known
        + " (default: "
        + " ".join(f"{way.policy}:{way.interval_s}" for way in WAYS)
        + ")",
    )
    parser.add_argument(
        "--subclusters", metavar="N", type=positive, default=10, help="number of sub-clusters (default: 10)"
    )
    parser.add_argument(
        "--nodes",
        metavar="N",
        type=positive,
        default=10_000,
        help="nodes of each sub-cluster (default: 10000)",
    )
    parser.add_argument(
        "--slots", metavar="N", type=positive, default=1, help="slots of each node (default: 1)"
    )
    _add_load(parser)
    parser.add_argument(
        "--processes",
        metavar="N",
        type=positive,
        help="number of processes (default: one for each core, at most one for each sub-cluster)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--out", metavar="DIR", help="write federation.json and federation.svg there")


def _add_load(parser: argparse.ArgumentParser) -> None:
    """What is said of the jobs."""
    parser.add_argument(
        "--minutes",
        metavar="N",
        type=positive,
        default=15,
        help="minutes in which jobs are submitted (default: 15)",
    )
    parser.add_argument(
        "--busy",
        metavar="SHARE",
        type=_share,
        default=0.75,
        help="share of all slots that the load needs (default: 0.75)",
    )
    parser.add_argument(
        "--task-s", metavar="S", type=positive, default=600, help="mean duration of a task (default: 600)"
    )
    parser.add_argument(
        "--most-tasks",
        metavar="N",
        type=positive,
        help="largest number of tasks of a job (default: half of a sub-cluster's slots)",
    )
    parser.add_argument("--seed", metavar="N", type=positive, default=1, help="seed of the load (default: 1)")


def carried_out(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    """The exit status."""
    if options.out is not None and Path(options.out).exists() and not Path(options.out).is_dir():
        print(f"yarnbox: --out {options.out}: is not a directory", file=err)
        return INVALID
    shape = Shape(nodes=options.nodes, slots=options.slots)
    slots = shape.nodes * shape.slots
    demand = Demand(
        slots=slots * options.subclusters,
        busy=options.busy,
        minutes=options.minutes,
        most_tasks=options.most_tasks or max(1, slots // 2),
        task_s=options.task_s,
    )
    federation = Federation(subclusters=options.subclusters, shape=shape, demand=demand, seed=options.seed)
    if not drawn(demand, options.seed):
        print("yarnbox: no job comes: give more --minutes, more --nodes or shorter tasks", file=err)
        return INVALID
    return status_of(lambda: _compare(federation, options, out, err), (LostSubClustersError, StuckError), err)


def _compare(federation: Federation, options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    processes = options.processes or cores()
    played = []
    for way in options.way or WAYS:
        if not err.isatty():
            print(f"playing {way} between reports", file=err, flush=True)
        played.append(play(federation, way, processes, lambda text: _tell(text, err)))
    _tell("", err)
    if options.json:
        print(json.dumps(data(federation, played), indent=1), file=out)
    else:
        for line in lines(federation, played):
            print(line, file=out)
    if options.out is not None:
        for path in write(Path(options.out), federation, played):
            print(path, file=err)
    return DONE


def _tell(text: str, err: TextIO) -> None:
    if err.isatty():
        print(f"\r\x1b[K{text}", end="", file=err, flush=True)


def _way(text: str) -> PolicyVariant:
    policy, colon, seconds = text.partition(":")
    if policy not in POLICIES:
        hint = did_you_mean(policy, [*POLICIES])
        raise argparse.ArgumentTypeError(
            f"there is no policy {policy}{hint}; there are {', '.join(POLICIES)}"
        )
    return PolicyVariant(policy, positive(seconds) if colon else INTERVAL_S)


def _share(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 < found <= 10:
        raise argparse.ArgumentTypeError(f"{text}: a part of the slots, more than 0")
    return found
