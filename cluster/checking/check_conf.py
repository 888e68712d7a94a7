"""`yarnbox check-conf DIR`: what the queues of a configuration directory come to on a cluster of a given
size.

Reads the directory as the RM would, prints the tree with every derived quantity, then errors and what looks
wrong. Starts nothing. Working it out is rm.scheduler.capacity.diagnostics.configuration_check's business.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yarnbox.cluster.checking.site_findings import Line, line_of, site_findings
from yarnbox.cluster.checking.sizes import OPTION, read_sizes
from yarnbox.cluster.directory import ClusterError
from yarnbox.rm.context import RMContext
from yarnbox.rm.edge.directory import ConfigurationDirectory
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.scheduler.capacity.config.properties import MONITOR, PREFIX
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_check import (
    ACTIVE_USERS,
    ConfigurationCheck,
    Finding,
    QueueNumbers,
)
from yarnbox.rm.scheduler.capacity.diagnostics.configuration_difference import (
    differences,
    exact,
    exact_amounts,
)
from yarnbox.rm.scheduler.capacity.preemption.settings import read_settings as read_preemption
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import SITE_FILES, Configuration, ConfigurationError, Fault
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry
from yarnbox.yarn.settings import read
from yarnbox.yarn.text.words import counted, refused

if TYPE_CHECKING:
    from rich.table import Table


CAPACITY_FILE = "capacity-scheduler.xml"
MONITOR_ENABLED = "yarn.resourcemanager.scheduler.monitor.enable"


@dataclass(frozen=True, slots=True)
class Checked:
    """One directory."""

    path: Path
    sizes: Mapping[str, Resource]
    """Of the default partition, "", and of those that the queues name."""
    assumed: tuple[str, ...]
    """The partitions of which nobody said how large they are: as large as the default one."""
    queues: list[QueueNumbers]
    findings: list[Line]


class _Nobody:
    """Groups, tokens, pages: nothing that a configuration depends on."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: ()


def run(options: argparse.Namespace) -> int:
    """The command; 2 when a configuration cannot be used."""
    if options.active:
        raise ClusterError("--active is for the fair scheduler: add --scheduler fair", status=2)
    try:
        directories = [Path(name) for name in (options.conf, options.diff) if name]
        for directory in directories:
            if directory.is_dir() and not (directory / CAPACITY_FILE).exists():
                raise ConfigurationError.of(directory / CAPACITY_FILE, "there is no such file")
        checked = check_all(directories, options.cluster)
    except ConfigurationError as error:
        print(f"yarnbox: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        raise ClusterError(refused(error), status=2) from None
    if options.diff:
        _print_difference(*checked)
        print()
    for one in checked:
        _print_tree(one)
    for one in checked:
        _print_findings(one, is_one_of_two=bool(options.diff))
    return 0


def check(path: Path, cluster: Sequence[str] = ()) -> Checked:
    """All numbers of a directory, on a cluster of the sizes that are given as `memory=...,vcores=...` and
    `LABEL:memory=...`. ConfigurationError with every fault.
    """
    return check_all([path], cluster)[0]


def check_all(paths: Sequence[Path], cluster: Sequence[str] = ()) -> list[Checked]:
    """The same of several directories on one cluster: each partition has to be named by one of them."""
    configurations = [_Configuration(path) for path in paths]
    given = [one.sizes(cluster) for one in configurations]
    partitions = dict.fromkeys(label for one in configurations for label in one.check.partitions())
    for label in dict.fromkeys(label for sizes in given for label in sizes):
        if label and label not in partitions:
            known = f"one of {', '.join(partitions)}" if partitions else "none: no queue names a partition"
            raise ConfigurationError.of(OPTION, known, name="partition", value=label)
    return [one.checked(sizes) for one, sizes in zip(configurations, given, strict=True)]


class _Configuration:
    """One directory as the ResourceManager would read it."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise ClusterError(f"{path} is not a directory", status=2)
        base = Configuration(environment={"YARNBOX_TMP": "/tmp"}, system_properties={"user.name": "yarn"})
        provider = ConfigurationDirectory(path, base)
        present = [name for name in (*SITE_FILES, RESOURCE_TYPES_FILE) if (path / name).exists()]
        self._path = path
        self._site = provider.load(*present)
        self._queues = provider.load(CAPACITY_FILE)
        self._check_site(provider)
        self._types = ResourceTypeRegistry.read(self._site)
        self._context = _context(self._site, self._types, provider)
        self.check = ConfigurationCheck.of(self._context)

    def _check_site(self, provider: ConfigurationDirectory) -> None:
        """ConfigurationError with the faults of yarn-site.xml and, if there are any, of the queues."""
        faults: dict[tuple[str, str | None], Fault] = {}

        def read_parts(site: Configuration) -> None:
            ConfigurationCheck.of(_context(site, ResourceTypeRegistry.read(site), provider))

        def note(part: Callable[[Configuration], object], site: Configuration) -> None:
            try:
                part(site)
            except ConfigurationError as error:
                for fault in error.faults:
                    faults.setdefault((fault.source, fault.property), fault)

        for part in (partial(read, RMSettings), _read_preemption, ResourceTypeRegistry.read):
            note(part, self._site)
        if faults:
            note(read_parts, self._site.without([one.property or "" for one in faults.values()]))
            raise ConfigurationError(faults.values())

    def sizes(self, cluster: Sequence[str]) -> Mapping[str, Resource]:
        """What is given for the default partition, "", and for others by their names."""
        return read_sizes(cluster, self._types, self._site)

    def checked(self, given: Mapping[str, Resource]) -> Checked:
        """All numbers; a partition of no given size is as large as the default one."""
        partitions = self.check.partitions()
        sizes = {"": given[""], **{label: given.get(label, given[""]) for label in partitions}}
        self.check.assume(sizes)
        found = self.check.findings()
        if partitions and not self._context.labels.is_enabled:
            text = f"it is false: what the queues say of {', '.join(partitions)} has no effect"
            found.insert(0, Finding("yarn.node-labels.enabled", text))
        lines = [self._line(one) for one in found]
        lines += [*site_findings(self._queues), *site_findings(self._site)]
        assumed = tuple(label for label in partitions if label not in given)
        return Checked(self._path, sizes, assumed, self.check.numbers(), lines)

    def _line(self, finding: Finding) -> Line:
        """With the place where the property stands, or should stand."""
        name, text = finding.property, exact_amounts(finding.text)
        of_queues = name.startswith((PREFIX, MONITOR))
        place = self._path / (CAPACITY_FILE if of_queues else "yarn-site.xml")
        unset = Line(str(place), name, f"{name} is not set: {text}")
        return line_of(self._queues, name, text) or line_of(self._site, name, text) or unset


def _read_preemption(site: Configuration) -> None:
    if site.value(MONITOR_ENABLED) == "true":
        read_preemption(site)


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


WIDEST = 1000


def cells(queue: QueueNumbers) -> tuple[str, ...]:
    depth = queue.path.count(".")
    label = f" [{queue.partition}]" if queue.partition else ""
    leaf = queue.leaf
    of_leaf = (
        (
            str(leaf.maximum_applications),
            str(leaf.maximum_applications_per_user),
            f"{leaf.am_limit.memory_mb} MiB",
            *(f"{limit.memory_mb} MiB" for limit in leaf.user_limits),
        )
        if leaf is not None
        else ("",) * (3 + len(ACTIVE_USERS))
    )
    return (
        "  " * depth + queue.path.rpartition(".")[2] + label,
        queue.configured,
        f"{queue.absolute:.2%}",
        f"{queue.absolute_maximum:.2%}",
        exact(queue.effective_minimum),
        exact(queue.effective_maximum),
        *of_leaf,
    )


def _print_tree(checked: Checked) -> None:
    from rich.table import Table

    print(f"{checked.path} on {_cluster(checked)}")
    table = Table(box=None)
    for place, heading in enumerate(HEADINGS):
        table.add_column(heading, justify="left" if place < 2 else "right", no_wrap=True)
    for queue in checked.queues:
        table.add_row(*cells(queue))
    _print(table)


def _cluster(checked: Checked) -> str:
    """The sizes in words."""
    parts = [f"a cluster of {exact(checked.sizes[''])}"]
    for label, size in checked.sizes.items():
        if label:
            note = f", assumed: {OPTION} {label}:... says how large it is" if label in checked.assumed else ""
            parts.append(f"partition {label} of {exact(size)}{note}")
    return "; ".join(parts)


def _print_difference(one: Checked, two: Checked) -> None:
    from rich.table import Table

    found = differences(one.queues, two.queues)
    if not found:
        print("No differences")
        return
    table = Table(title="Differences", title_justify="left", box=None)
    for heading in ("QUEUE", "", str(one.path), str(two.path), "CHANGE"):
        table.add_column(heading, no_wrap=True)
    queue = ""
    for each in found:
        shown = each.queue if each.queue != queue else ""
        queue = each.queue
        table.add_row(shown, each.quantity, each.before, each.after, each.change)
    _print(table)


def _print(table: Table) -> None:
    """As it is: `[gpu]` is a partition and no markup."""
    from rich.console import Console

    console = Console(markup=False, emoji=False, highlight=False)
    # A terminal that is too narrow wraps the lines; cut off, the figures would be of no use.
    console.width = max(
        console.width, console.measure(table, options=console.options.update(width=WIDEST)).maximum
    )
    console.print(table)


def _print_findings(checked: Checked, *, is_one_of_two: bool) -> None:
    start = f"{checked.path}: " if is_one_of_two else ""
    if not checked.findings:
        print(f"{start}Nothing looks wrong.")
        return
    some = counted(len(checked.findings), "setting")
    print(f"{start}{some} {'looks' if len(checked.findings) == 1 else 'look'} suspicious:")
    for finding in checked.findings:
        print(f"  {finding}")
