"""`yarnbox check-conf` for the fair scheduler: is the file valid, what does it give, who may submit?

A ResourceManager in virtual time is started with the directory on a cluster of a given size, and asked.
Shares are those while given queues are active, worked out as the scheduler works them out. Where the file has
faults the rest of it is looked at all the same, so that one call says all that is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from yarnbox.cluster.checking.dry_run import DryRun, summary
from yarnbox.cluster.checking.fair_file import SITE, FairFiles, read_fair_files
from yarnbox.cluster.checking.site_findings import site_findings
from yarnbox.cluster.checking.sizes import cluster_size
from yarnbox.cluster.directory import ClusterError
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_difference import exact_amounts
from yarnbox.rm.scheduler.fair.allocation_file.allocations import NEVER, UNLIMITED_APPS
from yarnbox.rm.scheduler.fair.allocation_file.configuration_check import FairCheck, Finding
from yarnbox.rm.scheduler.fair.allocation_file.forecast import Share, forecast, refused
from yarnbox.rm.scheduler.fair.queues.placement import ROOT, Rule
from yarnbox.rm.scheduler.views import FairQueueView
from yarnbox.rm.settings import FAIR_SCHEDULER, SCHEDULERS
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import Scenario
from yarnbox.sim.scenario.reading.production import read_directory
from yarnbox.sim.scenario.reading.steps import NodeSpec
from yarnbox.yarn.configuration import BUILT_IN, Configuration, Fault
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.text.words import aligned

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

SHARES = ("queue", "policy", "weight", "minimum", "maximum", "active", "fair share", "steady fair share")
LIMITS = (
    "queue",
    "running apps",
    "AM share",
    "largest container",
    "min share timeout",
    "fair share timeout",
    "threshold",
    "preemptable",
    "may submit",
    "may administer",
)
TRIALS = ("asks for", "user", "goes to", "what happens")


@dataclass(frozen=True, slots=True)
class Report:
    """What is printed, and whether the ResourceManager would start."""

    text: str
    is_valid: bool


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
        report = check_fair(Path(options.conf), options.cluster, active)
    except YarnError as error:
        print(f"yarnbox: {error}", file=sys.stderr)
        return 2
    print(report.text)
    return 0 if report.is_valid else 2


def check_fair(directory: Path, cluster: Sequence[str], active: Sequence[str] | None) -> Report:
    """The report; `cluster` has at most one size, `memory-mb=40960,vcores=40`. YarnError when nothing can be
    read.
    """
    faults: list[Fault] = []
    files = read_fair_files(directory, faults=faults)
    size = cluster_size(cluster, files.types, files.site)
    checked = _Checked(directory, files, size)
    path = directory / files.configuration.settings.allocation_file
    lines = [
        f"{path}: {'not valid: the ResourceManager does not start with it' if faults else 'valid'}",
        *(f"error: {fault}" for fault in faults),
        *(f"notice: {notice}" for notice in (*files.configuration.notices, *files.allocations.notices)),
        *(f"error: the queue {path} is not made: {why}" for path, why in refused(files.allocations).items()),
        *(f"warning: {exact_amounts(str(finding))}" for finding in checked.findings()),
        *(f"warning: {line}" for line in site_findings(files.site)),
        "",
        "placement rules:" if files.has_policy else "placement rules, as the properties say:",
        *(f"  {number}. {_rule(rule)}" for number, rule in enumerate(files.rules, 1)),
        "",
        f"shares of a cluster of {_amount(size)}:",
        *_table(SHARES, [_share_row(share) for share in forecast(files.allocations, size, active)]),
        "",
        "limits:",
        *_table(LIMITS, list(checked.limits())),
        "",
        *checked.submissions(),
    ]
    if faults:
        lines.insert(1 + len(faults), "Without what is faulty, this is what the rest of the file says:")
    return Report("\n".join(lines), not faults)


class _Checked:
    """A ResourceManager with the directory's files, on a cluster of one node."""

    def __init__(self, directory: Path, files: FairFiles, size: Resource) -> None:
        self._files = files
        self._size = size
        production = read_directory(directory)
        self._scenario = Scenario(
            file=str(directory),
            name="check-conf",
            about="",
            conf={**production.conf, "yarn.resourcemanager.scheduler.class": "fair"},
            capacity_scheduler=None,
            fair_scheduler=files.text,
            groups=production.groups,
            labels={},
            nodes=(NodeSpec(name="node:1", resource=dict(size.items())),),
            steps=(),
            texts=production.texts,
        )
        player = Player(self._scenario)
        player.begin()
        context = player.world.rm.context
        self._queues = list(_queues(context))
        self._types: ResourceTypeRegistry = context.resource_types

    def findings(self) -> list[Finding]:
        files, site = self._files, self._files.site
        return FairCheck(
            allocations=files.allocations,
            rules=files.rules,
            has_policy=files.has_policy,
            queues=self._queues,
            settings=files.configuration.settings,
            given=frozenset(one.name for one in site if one.origin.source != BUILT_IN),
            minimum=self._types.minimum_allocation,
            maximum=self._types.maximum_allocation,
            cluster=self._size,
        ).findings()

    def limits(self) -> Iterator[tuple[str, ...]]:
        """A row for each queue."""
        acls = self._files.allocations
        for queue in self._queues:
            path = queue.path
            yield (
                path,
                _count(queue.max_apps),
                _am_share(queue),
                _largest(queue.max_container_allocation),
                _seconds(queue.min_share_timeout_ms),
                _seconds(queue.fair_share_timeout_ms),
                f"{queue.fair_share_threshold:g}",
                "yes" if queue.is_preemptable else "no",
                _people(str(acls.acl(path, QueueACL.SUBMIT_APPLICATIONS))),
                _people(str(acls.acl(path, QueueACL.ADMINISTER_QUEUE))),
            )

    def submissions(self) -> Iterator[str]:
        """What becomes of applications, each alone in the cluster."""
        am = self._types.minimum_allocation
        trial = DryRun(self._scenario, self._files.allocations, self._size, am)
        yield f"submissions, each to an empty cluster, with an ApplicationMaster of {_amount(am)}:"
        rows = [
            (one.asked.replace("default", "no queue"), one.user, one.queue or "-", one.outcome)
            for one in summary(trial.trials(), self._files.allocations.queues)
        ]
        yield from _table(TRIALS, rows)
        if trial.left_out:
            yield f"  ... and {trial.left_out} more that were not tried"


def _queues(context: RMContext, path: str = ROOT) -> Iterator[FairQueueView]:
    """The queue and all below it, parents first."""
    view = context.scheduler.views.fair_queue_view(path)
    if view is not None:
        yield view
        for child in view.children:
            yield from _queues(context, child)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in aligned([headings, *rows])]


def _share_row(share: Share) -> tuple[str, ...]:
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
    return f"{resource.memory_mb} MiB, {resource.vcores} vcores{others}"


def _count(apps: int) -> str:
    return "unlimited" if apps == UNLIMITED_APPS else str(apps)


def _am_share(queue: FairQueueView) -> str:
    if queue.am_share is None:
        return ""
    return "unlimited" if queue.am_share < 0 else f"{queue.am_share:g}"


def _largest(resource: Resource | None) -> str:
    named = [] if resource is None else [(name, value) for name, value in resource.items() if value < NEVER]
    return ", ".join(f"{value} {name}" for name, value in named) or "the scheduler's"


def _seconds(span_ms: int) -> str:
    return "never" if span_ms < 0 or span_ms == NEVER else f"{span_ms / 1000:g} s"


def _people(acl: str) -> str:
    return "as above" if acl == "None" else "everybody" if acl == "*" else acl.strip() or "as above"


def _rule(rule: Rule) -> str:
    queue = f" ({rule.queue})" if rule.name == "default" else ""
    inner = f" in {_rule(rule.inner)}" if rule.inner is not None else ""
    return f"{rule.name}{queue}{'' if rule.create else ', declared queues only'}{inner}"
