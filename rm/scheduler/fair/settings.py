"""The fair scheduler's properties in yarn-site.xml: typed, with defaults and checks, read once.

Hadoop: FairSchedulerConfiguration and the checks of FairScheduler.validateConf. What the allocation file
says is in allocations.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from yarnbox.rm.scheduler.fair.published import PublishedSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault, values
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.resources.units import UNITS, convert
from yarnbox.yarn.settings import read, setting, settings

_FAIR = "yarn.scheduler.fair."
AM_PREEMPTION = _FAIR + "am.preemption"
DEFAULT_UPDATE_INTERVAL_MS = 500
DEFAULT_INCREMENT = Resource(1024, 1)
_TYPES = "yarn.resource-types."
_INCREMENT = re.compile(r"([0-9]+)\s*(\w*)", re.ASCII)
_SCHEMES = ("hdfs", "file", "s3a", "viewfs")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def _file_complaint(path: str) -> str | None:
    scheme = _SCHEME.match(path)
    if scheme is None or scheme.group(1).lower() in _SCHEMES:
        return None
    return "a path, or a URI of a supported filesystem (" + ", ".join(_SCHEMES) + ")"


@settings
class FairSettings:
    """The properties that begin with yarn.scheduler.fair, and what only this scheduler reads beside them."""

    allocation_file: str = setting(
        _FAIR + "allocation.file",
        "fair-scheduler.xml",
        "The allocation file: a path, or a name within the configuration directory",
        check=_file_complaint,
    )
    user_as_default_queue: bool = setting(
        _FAIR + "user-as-default-queue",
        True,
        "An application that names no queue goes to one named after its user; not with a placement policy",
    )
    allow_undeclared_pools: bool = setting(
        _FAIR + "allow-undeclared-pools",
        True,
        "Queues are made when applications name them; not with a placement policy",
    )
    preemption: bool = setting(_FAIR + "preemption", False, "Take containers for queues below their shares")
    utilization_threshold: float = setting(
        _FAIR + "preemption.cluster-utilization-threshold",
        0.8,
        "Nothing is taken while no more than this part of the cluster is used",
        parse=values.single,
    )
    wait_before_kill_ms: int = setting(
        _FAIR + "waitTimeBeforeKill", 15_000, "From the warning to the kill", unit="ms"
    )
    wait_before_next_check_ms: int = setting(
        _FAIR + "waitTimeBeforeNextStarvationCheck",
        10_000,
        "How long preempted space is held for the application it was freed for",
        unit="ms",
    )
    am_preemption: bool = setting(
        AM_PREEMPTION, True, "Whether AM containers may be taken; also per queue, with its path appended"
    )
    size_based_weight: bool = setting(
        _FAIR + "sizebasedweight", False, "Applications weigh log2(1 + demand in MiB) instead of 1"
    )
    assign_multiple: bool = setting(
        _FAIR + "assignmultiple", False, "More than one container per heartbeat of a node"
    )
    dynamic_max_assign: bool = setting(
        _FAIR + "dynamic.max.assign", True, "With assignmultiple: about half of what the node has free"
    )
    max_assign: int = setting(
        _FAIR + "max.assign", -1, "With assignmultiple and not dynamic: so many containers; -1 no limit"
    )
    node_locality_threshold: float = setting(
        _FAIR + "locality.threshold.node",
        -1.0,
        "Opportunities to miss before a rack-local place is taken, as a part of the cluster's nodes",
        parse=values.single,
    )
    rack_locality_threshold: float = setting(
        _FAIR + "locality.threshold.rack",
        -1.0,
        "Opportunities to miss before any place is taken, as a part of the cluster's nodes",
        parse=values.single,
    )
    reservable_nodes: float = setting(
        _FAIR + "reservable-nodes",
        0.05,
        "The part of the nodes that one application may have reserved",
        parse=values.single,
    )
    update_interval_ms: int = setting(
        _FAIR + "update-interval-ms",
        DEFAULT_UPDATE_INTERVAL_MS,
        "How often demand and shares are computed; a negative value means the default",
        unit="ms",
    )
    continuous_scheduling: bool = setting(
        _FAIR + "continuous-scheduling-enabled", False, "Deprecated: schedule without heartbeats too"
    )
    continuous_sleep_ms: int = setting(
        _FAIR + "continuous-scheduling-sleep-ms", 5, "Deprecated: how often", unit="ms", at_least=1
    )
    node_locality_delay_ms: int = setting(
        _FAIR + "locality-delay-node-ms",
        -1,
        "Deprecated: with continuous scheduling, the wait before a rack-local place is taken",
        unit="ms",
    )
    rack_locality_delay_ms: int = setting(
        _FAIR + "locality-delay-rack-ms",
        -1,
        "Deprecated: with continuous scheduling, the wait before any place is taken",
        unit="ms",
    )
    migration_mode: bool = setting(_FAIR + "migration.mode", False, "Set by the converter")
    skip_terminal_rule_check: bool = setting(
        _FAIR + "no-terminal-rule.check",
        False,
        "In migration mode a placement rule behind a terminal one is no more than a warning",
    )
    reservation_threshold_multiple: float = setting(
        "yarn.scheduler.reservation-threshold.increment-multiple",
        2.0,
        "A node is kept only for containers of at least so many increments",
        parse=values.single,
    )


@dataclass(frozen=True, slots=True)
class FairConfiguration:
    """The properties, the increments of the resource types, the queues with rules of their own for AMs."""

    settings: FairSettings = field(default_factory=FairSettings)
    increment: Resource = DEFAULT_INCREMENT
    am_preemption_of: Mapping[str, bool] = field(default_factory=dict)
    """By queue path; a queue that is not here follows `settings.am_preemption`."""
    notices: tuple[str, ...] = ()
    """What was passed over; worth a line of log."""
    published: PublishedSettings = field(default_factory=PublishedSettings)

    @property
    def update_interval_ms(self) -> int:
        """How often demand and shares are computed."""
        configured = self.settings.update_interval_ms
        return configured if configured >= 0 else DEFAULT_UPDATE_INTERVAL_MS

    def may_preempt_am(self, queue: str) -> bool:
        """Whether the AM containers of that queue may be taken."""
        return self.am_preemption_of.get(queue, self.settings.am_preemption)

    @classmethod
    def read(cls, configuration: Configuration, types: ResourceTypeRegistry) -> FairConfiguration:
        """What the configuration says; ConfigurationError with every fault."""
        faults: list[Fault] = []
        notices: list[str] = []
        found, published = FairSettings(), PublishedSettings()
        try:
            found = read(FairSettings, configuration)
        except ConfigurationError as error:
            faults.extend(error.faults)
        try:
            published = read(PublishedSettings, configuration)
        except ConfigurationError as error:
            faults.extend(error.faults)
        steps = {name: _increment(configuration, types, name, faults, notices) for name in types.names}
        prefix = AM_PREEMPTION + "."
        of_queues = {
            name.removeprefix(prefix): configuration.boolean(name, True)
            for name in configuration.names(prefix)
        }
        if found.update_interval_ms < 0:
            notices.append(f"{_FAIR}update-interval-ms is negative: {DEFAULT_UPDATE_INTERVAL_MS} ms instead")
        faults.extend(_limits(configuration))
        if faults:
            raise ConfigurationError(faults)
        return cls(found, Resource.of(steps), of_queues, tuple(notices), published)


def _increment(
    configuration: Configuration,
    types: ResourceTypeRegistry,
    name: str,
    faults: list[Fault],
    notices: list[str],
) -> int:
    """The step to which amounts of this type are rounded up; 0 without one."""
    key = f"{_TYPES}{name}.increment-allocation"
    old, default = _OLD_INCREMENTS.get(name, ("", 0))
    text = configuration.value(key)
    if text is None:
        step = configuration.integer(old, default) if old else 0
        key = old if old and configuration.value(old) is not None else key
    else:
        match = _INCREMENT.fullmatch(text.strip())
        unit = match.group(2) if match else ""
        if match is None or unit not in UNITS:
            allowed = "an amount and an optional unit, as in `1024` or `1Gi`"
            faults.append(Fault(str(configuration.origin(key)), key, text, allowed))
            return 1
        step = convert(int(match.group(1)), unit, types[name].units) if unit else int(match.group(1))
        if old and configuration.value(old) is not None:
            notices.append(f"{key} overrides {old}")
    if name in _OLD_INCREMENTS and step <= 0:
        faults.append(Fault(str(configuration.origin(key)), key, str(step), "more than 0"))
    return step


_OLD_INCREMENTS: Mapping[str, tuple[str, int]] = {
    MEMORY_MB: ("yarn.scheduler.increment-allocation-mb", 1024),
    VCORES: ("yarn.scheduler.increment-allocation-vcores", 1),
}


def _limits(configuration: Configuration) -> Iterable[Fault]:
    """The bounds of a request, where the minimum is not from 0 to the maximum."""
    for suffix, minimum, maximum in (("mb", 1024, 8192), ("vcores", 1, 4)):
        low_key = f"yarn.scheduler.minimum-allocation-{suffix}"
        low = configuration.integer(low_key, minimum)
        high = configuration.integer(f"yarn.scheduler.maximum-allocation-{suffix}", maximum)
        if not 0 <= low <= high:
            allowed = f"from 0 to yarn.scheduler.maximum-allocation-{suffix}, which is {high}"
            yield Fault(str(configuration.origin(low_key)), low_key, str(low), allowed)
