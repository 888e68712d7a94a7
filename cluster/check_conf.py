"""`yarnbox check-conf DIR`: what the queues of a configuration directory come to on a cluster of a given
size.

Reads the directory as the RM would, prints the tree with every derived quantity, then errors and what looks
wrong. Starts nothing. Working it out is rm.scheduler.capacity.check's business.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cluster.directory import ClusterError
from rm.context import RMContext
from rm.edge.directory import ConfigurationDirectory
from rm.labels import NodeLabelsManager
from rm.labels.attributes import NodeAttributesManager
from rm.scheduler.capacity.check import ACTIVE_USERS, Finding, QueueNumbers, findings, numbers, pretend
from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.scheduler.constraint import PlacementConstraints
from rm.settings import RMSettings
from yarn.configuration import SITE_FILES, Configuration, ConfigurationError
from yarn.errors import YarnError
from yarn.node_resources import node_resource
from yarn.resource import Resource
from yarn.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry
from yarn.settings import read

if TYPE_CHECKING:
    from rich.table import Table

DEFAULT_NODES = 3
"""Without --cluster: as many nodes as `yarnbox up` starts, of the size that the directory says."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One directory."""

    path: Path
    cluster: Resource
    queues: list[QueueNumbers]
    findings: list[Finding]


class _Nobody:
    """Groups, tokens, pages: nothing that a configuration depends on."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **keywords: ()


def run(options: argparse.Namespace) -> int:
    """The command; 2 when a configuration cannot be used."""
    if options.active:
        raise ClusterError("--active is for the fair scheduler: add --scheduler fair", status=2)
    try:
        checked = [check(Path(name), options.cluster) for name in filter(None, (options.conf, options.diff))]
    except ConfigurationError as error:
        print(f"yarnbox: {error}", file=sys.stderr)
        return 2
    for one in checked:
        _print_tree(one)
    if options.diff:
        _print_difference(*checked)
    for one in checked:
        _print_findings(one, is_one_of_two=bool(options.diff))
    return 0


def check(path: Path, cluster: str | None) -> Checked:
    """All numbers of a directory; ConfigurationError with every fault."""
    if not path.is_dir():
        raise ClusterError(f"{path} is no directory", status=2)
    base = Configuration(environment={"YARNBOX_TMP": "/tmp"}, system_properties={"user.name": "yarn"})
    provider = ConfigurationDirectory(path, base)
    present = [name for name in (*SITE_FILES, RESOURCE_TYPES_FILE) if (path / name).exists()]
    site = provider.load(*present)
    types = ResourceTypeRegistry.read(site)
    size = cluster_size(cluster, types, site)
    scheduler = CapacityScheduler(_context(site, types, provider))
    pretend(scheduler, size)
    return Checked(path, size, numbers(scheduler), findings(scheduler))


def cluster_size(text: str | None, types: ResourceTypeRegistry, site: Configuration) -> Resource:
    """The size that was named; without one, that of a few nodes as the directory describes them."""
    if text is None:
        return node_resource(site, types) * DEFAULT_NODES
    try:
        return types.parse(text)
    except ValueError as error:
        raise ConfigurationError.of("--cluster", str(error), name="--cluster", value=text) from None


def _context(site: Configuration, types: ResourceTypeRegistry, provider: ConfigurationDirectory) -> RMContext:
    settings = read(RMSettings, site)
    nobody = _Nobody()
    context = RMContext(
        settings=settings,
        configuration=site,
        resource_types=types,
        provider=provider,
        groups=nobody,
        tokens=nobody,
        pages=nobody,
        rack_of=lambda host: "/default-rack",
        random=random.Random(0),
        start_ms=int(time.time() * 1000),
    )
    context.labels = NodeLabelsManager(is_enabled=settings.labels.enabled)
    context.attributes = NodeAttributesManager()
    try:
        context.constraints = PlacementConstraints(context)
    except YarnError as error:
        raise ConfigurationError.of("yarn-site.xml", error.message) from None
    return context


# Printing


def amount(resource: Resource) -> str:
    """Memory and vcores, and whatever else there is."""
    others = "".join(f" {name.rpartition('/')[2]}={value}" for name, value in resource.others)
    return f"{resource.memory_mb} MB {resource.vcores} vc{others}"


HEADINGS = (
    "QUEUE",
    "CONFIGURED",
    "ABSOLUTE",
    "ABS MAX",
    "EFFECTIVE",
    "EFFECTIVE MAX",
    "APPS",
    "PER USER",
    "AM LIMIT",
    *(f"USER OF {users}" for users in ACTIVE_USERS),
)


def cells(queue: QueueNumbers) -> tuple[str, ...]:
    """One row."""
    depth = queue.path.count(".")
    label = f" [{queue.partition}]" if queue.partition else ""
    leaf = queue.leaf
    of_leaf = (
        (
            str(leaf.maximum_applications),
            str(leaf.maximum_applications_per_user),
            f"{leaf.am_limit.memory_mb} MB",
            *(f"{limit.memory_mb} MB" for limit in leaf.user_limits),
        )
        if leaf is not None
        else ("",) * (3 + len(ACTIVE_USERS))
    )
    return (
        "  " * depth + queue.path.rpartition(".")[2] + label,
        queue.configured,
        f"{queue.absolute:.2%}",
        f"{queue.absolute_maximum:.2%}",
        amount(queue.effective_minimum),
        amount(queue.effective_maximum),
        *of_leaf,
    )


def _print_tree(checked: Checked) -> None:
    from rich.table import Table

    table = Table(
        title=f"{checked.path} on a cluster of {amount(checked.cluster)}", title_justify="left", box=None
    )
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if place < 2 else "right", no_wrap=True)
    for queue in checked.queues:
        table.add_row(*cells(queue))
    _print(table)


def difference(one: Checked, two: Checked) -> list[tuple[str, str, str, str]]:
    """Queue, quantity, here and there, of all that is not the same."""
    left = {(queue.path, queue.partition): cells(queue) for queue in one.queues}
    right = {(queue.path, queue.partition): cells(queue) for queue in two.queues}
    found = []
    for key in dict.fromkeys([*left, *right]):
        name = key[0] + (f" [{key[1]}]" if key[1] else "")
        mine, theirs = left.get(key), right.get(key)
        if mine is None or theirs is None:
            found.append((name, "queue", "there" if mine else "-", "there" if theirs else "-"))
            continue
        found.extend(
            (name, heading, before, after)
            for heading, before, after in zip(HEADINGS[1:], mine[1:], theirs[1:], strict=True)
            if before != after
        )
    return found


def _print_difference(one: Checked, two: Checked) -> None:
    from rich.table import Table

    rows = difference(one, two)
    table = Table(title="Differences" if rows else "No differences", title_justify="left", box=None)
    for heading in ("QUEUE", "", str(one.path), str(two.path)):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    _print(table)


def _print(table: Table) -> None:
    """As it is: `[gpu]` is a partition and no markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 220
    Console(width=width, markup=False, emoji=False, highlight=False).print(table)


def _print_findings(checked: Checked, *, is_one_of_two: bool) -> None:
    start = f"{checked.path}: " if is_one_of_two else ""
    if not checked.findings:
        print(f"{start}Nothing looks wrong.")
        return
    print(f"{start}{len(checked.findings)} settings look suspicious:")
    for finding in checked.findings:
        print(f"  {finding}")
