"""The command line of `yarnbox whatif`: options of the base, and options that belong to a change."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from yarnbox.sim.load.arguments import add_format_options, load_of
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Job
from yarnbox.sim.whatif.compare import SEEDS, SPREAD
from yarnbox.sim.whatif.comparison import CONFIDENCE, matches
from yarnbox.sim.whatif.metrics import DEFAULT_METRICS, METRICS
from yarnbox.sim.whatif.variants import (
    SCHEDULERS,
    Change,
    InvalidChangeError,
    Variant,
    base_of,
    check_directory,
)
from yarnbox.sim.workload.arguments import (
    LOADS,
    add_site_options,
    placed,
    settings_of,
    site_of,
    take_directory,
)
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.text.numbers import factor, positive
from yarnbox.yarn.text.words import did_you_mean

MOST_SEEDS = 10_000


@dataclass(slots=True)
class _Asked:
    """A change as the command line spells it out."""

    conf: str | None = None
    name: str = ""
    definitions: dict[str, str] = field(default_factory=dict)
    nodes: list[str] = field(default_factory=list)
    scheduler: str | None = None
    load_factor: float = 1.0


class _OfChange(argparse.Action):
    """An option that belongs to the last --change before it, or begins a change where there is none."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        changes: list[_Asked] = getattr(namespace, "changes", None) or []
        namespace.changes = changes
        if self.dest == "change":
            changes.extend(_Asked(conf=value) for value in values or [None])
            return
        if not changes:
            changes.append(_Asked())
        last = changes[-1]
        if self.dest == "definition":
            name, equals, value = values.partition("=")
            if not equals or not name.strip():
                parser.error(f"-D {values}: it has to be of the form NAME=VALUE")
            last.definitions[name.strip()] = value
        elif self.dest == "more_nodes":
            last.nodes.append(values)
        else:
            setattr(last, self.dest, values)


def add_change_options(parser: argparse.ArgumentParser) -> None:
    """What is changed."""
    change = parser.add_argument_group("changes: the options behind a --change belong to that change")
    change.add_argument(
        "--change",
        nargs="*",
        metavar="DIR|FILE",
        action=_OfChange,
        help="a change: another configuration directory, or an XML file whose properties replace the base's;"
        " without a word, the options that follow are the change; may be given several times",
    )
    change.add_argument("--name", action=_OfChange, help="name of the change in the results")
    change.add_argument(
        "-D",
        dest="definition",
        metavar="PROPERTY=VALUE",
        action=_OfChange,
        help="set a property, over all files",
    )
    change.add_argument(
        "--nodes",
        dest="more_nodes",
        metavar="+N[:LABEL]",
        action=_OfChange,
        help="add N nodes, with that label; --nodes=-N removes the last N",
    )
    change.add_argument("--scheduler", choices=SCHEDULERS, action=_OfChange, help="play under this scheduler")
    change.add_argument(
        "--load-factor",
        metavar="X",
        type=factor,
        action=_OfChange,
        help="submit X times as many jobs in the same time",
    )


def add_base_options(parser: argparse.ArgumentParser) -> None:
    """What is played, and on what."""
    parser.add_argument(
        "--base",
        metavar="DIR",
        help="configuration directory to compare with (default: conf in the load's directory)",
    )
    parser.add_argument(
        "--load",
        metavar="DIR|FILE",
        required=True,
        help="the jobs to play: a trace, or a directory that `yarnbox load capture` wrote",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=seeds,
        default=SEEDS,
        help=f"play everything under N seeds (default: {SEEDS})",
    )
    parser.add_argument(
        "--first-seed", metavar="N", type=int, default=1, help="the first of the seeds (default: 1)"
    )
    parser.add_argument(
        "--confidence",
        metavar="X",
        type=confidence,
        default=CONFIDENCE,
        help=f"confidence level of the intervals (default: {CONFIDENCE})",
    )
    reading = parser.add_argument_group("how the load is read, as in `yarnbox sim run`")
    reading.add_argument(
        "--nodes-file",
        dest="nodes",
        metavar="FILE",
        help="the cluster's nodes, in the format of SLS's nodes file (default: the load's)",
    )
    reading.add_argument(
        "--synth-redraw",
        action="store_true",
        help="draw the jobs of a SYNTH load anew for each seed (default: once, for all)",
    )
    add_format_options(parser)
    add_site_options(parser, parser.add_argument_group("the cluster"))
    parser.set_defaults(duration_spread=SPREAD, seed=0, conf=None, scheduler=None, tracelocation=None)


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """What is printed and written."""
    results = parser.add_argument_group("results")
    results.add_argument(
        "--metrics",
        metavar="NAME[,NAME]",
        type=metrics,
        default=DEFAULT_METRICS,
        help="figures to print, also as patterns such as wait.* or * (default: "
        f"{', '.join(DEFAULT_METRICS)})",
    )
    results.add_argument(
        "--json", action="store_true", help="print every figure as JSON instead of the table"
    )


def changes_of(options: argparse.Namespace) -> list[Change]:
    """The changes, in their order."""
    found = []
    for asked in getattr(options, "changes", None) or ():
        values = {name: getattr(asked, name) for name in ("conf", "name", "definitions", "scheduler")}
        found.append(Change(**values, nodes=tuple(asked.nodes), load_factor=asked.load_factor))
    return found


def base_and_load(options: argparse.Namespace) -> tuple[Variant, Load]:
    """What is played by default: InvalidTraceError, InvalidChangeError say what is wrong."""
    path = Path(options.load)
    if not path.exists():
        raise InvalidTraceError(f"{path}: there is no such file or directory")
    if path.is_dir():
        if not any((path / name).is_file() for name in LOADS):
            raise InvalidTraceError(f"{path}: there is no {LOADS[0]} in it")
        options.directory, options.conf = str(path), options.base
        take_directory(options)
    else:
        options.tracelocation, options.conf = [path], options.base
    if options.conf is not None:
        check_directory(Path(options.conf))
    runner = settings_of(options)
    load = load_of(options, runner)
    site = site_of(options, load, runner)
    load = placed(options, load, site)
    return base_of(options.conf, site, {}), load


def drawn(options: argparse.Namespace, site: Site, seeds: Iterable[int]) -> dict[int, tuple[Job, ...]]:
    """The jobs by seed, of a load that is drawn anew under each; else nothing."""
    if not options.synth_redraw:
        return {}
    if options.tracetype != "SYNTH":
        raise InvalidChangeError("--synth-redraw: only a load of --tracetype SYNTH is drawn")
    if options.synth_seed is not None:
        raise InvalidChangeError("--synth-redraw: each seed draws its own jobs, so --synth-seed has no say")
    found = {}
    for seed in seeds:
        one = argparse.Namespace(**{**vars(options), "synth_seed": seed})
        load = placed(one, load_of(one, settings_of(one)), site)
        found[seed] = tuple(load.jobs())
    return found


def seeds(text: str) -> int:
    """How many seeds: a play of each has to be held."""
    count = positive(text)
    if count > MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is more than {MOST_SEEDS}")
    return count


def confidence(text: str) -> float:
    """A number above 0.5 and below 1."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.5 < value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0.5 and below 1, like 0.95")
    return value


def metrics(text: str) -> Sequence[str]:
    """Patterns, each of which is some metric's."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    for pattern in found or [text]:
        if not any(matches(name, (pattern,)) for name in METRICS):
            hint = did_you_mean(pattern, METRICS)
            raise argparse.ArgumentTypeError(
                f"{pattern!r} is no metric{hint}; there are {', '.join(METRICS)}"
            )
    return found
