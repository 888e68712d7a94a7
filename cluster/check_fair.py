"""`yarnbox check-conf` for the fair scheduler: is the allocation file valid, and what shares does it give?

The shares are those of a cluster of a given size while given queues are active, worked out as the scheduler
works them out. What is passed over in the file is told.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from cluster.check_conf import cluster_size
from cluster.directory import ClusterError
from cluster.fair_file import SITE, read_fair_files
from rm.scheduler.fair.forecast import Share, forecast, refused
from rm.scheduler.fair.placement import Rule
from rm.settings import FAIR_SCHEDULER, SCHEDULERS
from yarn.configuration import Configuration, ConfigurationError
from yarn.resource import Resource

HEADINGS = ("queue", "policy", "weight", "minimum", "maximum", "active", "fair share", "steady fair share")


def is_fair(options: argparse.Namespace) -> bool:
    """Whether the fair scheduler's file is meant: by the option, else by the directory's own choice."""
    if options.scheduler is not None:
        return bool(options.scheduler == "fair")
    directory = Path(options.conf)
    if not directory.is_dir():
        return False
    name = Configuration.load(directory, SITE).value("yarn.resourcemanager.scheduler.class") or ""
    return SCHEDULERS.get(name.lower(), name) == FAIR_SCHEDULER


def run(options: argparse.Namespace) -> int:
    """The command; 2 when a configuration cannot be used."""
    if options.diff:
        raise ClusterError("--diff compares directories of the capacity scheduler", status=2)
    active = [name.strip() for name in options.active.split(",")] if options.active else None
    try:
        print(check_fair(Path(options.conf), options.cluster, active))
    except ConfigurationError as error:
        print(f"yarnbox: {error}", file=sys.stderr)
        return 2
    return 0


def check_fair(directory: Path, cluster: str | None, active: Sequence[str] | None) -> str:
    """The report; `cluster` as in `memory-mb=40960,vcores=40`. ConfigurationError when a file is bad."""
    files = read_fair_files(directory)
    size = cluster_size(cluster, files.types, files.site)
    shares = forecast(files.allocations, size, active)
    notices = (*files.configuration.notices, *files.allocations.notices)
    rules = (f"  {number}. {_rule(rule)}" for number, rule in enumerate(files.rules, 1))
    lines = [
        f"{directory / files.configuration.settings.allocation_file}: valid",
        *(f"notice: {notice}" for notice in notices),
        *(f"error: the queue {path} is not made: {why}" for path, why in refused(files.allocations).items()),
        "",
        "placement rules:",
        *rules,
        "",
        f"shares of a cluster of {_amount(size)}:",
        *_table(shares),
    ]
    return "\n".join(lines)


def _table(shares: Sequence[Share]) -> list[str]:
    rows = [HEADINGS, *(_row(share) for share in shares)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADINGS))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _row(share: Share) -> tuple[str, ...]:
    return (
        share.path,
        share.policy.lower(),
        f"{share.weight:g}",
        _amount(share.minimum),
        _amount(share.maximum),
        "yes" if share.is_active else "no",
        _amount(share.fair_share),
        _amount(share.steady_fair_share),
    )


def _amount(resource: Resource) -> str:
    others = "".join(f", {value} {name}" for name, value in resource.others)
    return f"{resource.memory_mb} MB, {resource.vcores} vcores{others}"


def _rule(rule: Rule) -> str:
    queue = f" ({rule.queue})" if rule.name == "default" else ""
    inner = f" in {_rule(rule.inner)}" if rule.inner is not None else ""
    return f"{rule.name}{queue}{'' if rule.create else ', declared queues only'}{inner}"
