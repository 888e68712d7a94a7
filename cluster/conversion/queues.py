"""From fair-scheduler.xml to capacity-scheduler.xml: the nearest equivalents, and what has none.

Pure: allocations, rules and settings in, properties and sentences out. Queues become queues with weights (or
percentages), placement rules become JSON mapping rules. Hadoop: FSConfigToCSConfigConverter and its helpers,
known as `yarn fs2cs`.

Two things are reported instead of written: locality thresholds, which Hadoop writes as fractions into
properties that take whole numbers, and a user's own policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from yarnbox.cluster.conversion.outcome import (
    DYNAMIC_MAX_ASSIGN,
    FAIR_AS_DRF,
    MAX_CHILD_CAPACITY,
    MAX_RESOURCES,
    MIN_RESOURCES,
    RESERVATION_SYSTEM,
    Conversion,
    ConversionOptions,
)
from yarnbox.cluster.conversion.placement import PlacementConverter
from yarnbox.rm.scheduler.fair.allocation_file.allocations import UNLIMITED_APPS, Allocations, QueueAllocation
from yarnbox.rm.scheduler.fair.queues.placement import ROOT, Rule
from yarnbox.rm.scheduler.fair.queues.policies import DominantResourceFairnessPolicy, FairPolicy, FifoPolicy
from yarnbox.rm.scheduler.fair.settings import FairConfiguration
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.resources.resource import NONE, Resource

_CAPACITY = "yarn.scheduler.capacity."
_MONITOR = "yarn.resourcemanager.scheduler.monitor."
_PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
_SCHEDULER = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity."
_PREEMPTION_POLICY = (
    "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
)
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_HUNDRED = Decimal("100.000")
_NO_AM_LIMIT = -1.0
_ACLS = {
    QueueACL.SUBMIT_APPLICATIONS: "acl_submit_applications",
    QueueACL.ADMINISTER_QUEUE: "acl_administer_queue",
}


def convert(
    allocations: Allocations,
    rules: tuple[Rule, ...],
    configuration: FairConfiguration,
    site: Mapping[str, str],
    options: ConversionOptions | None = None,
) -> Conversion:
    """The whole conversion; `site` are the properties of the present yarn-site.xml."""
    result = Conversion(options or ConversionOptions())
    converter = _Converter(allocations, configuration, result, result.options.percentages)
    converter.convert_site(site)
    converter.convert_defaults()
    converter.convert_queue(ROOT, None)
    if result.options.converts_placement:
        placement = PlacementConverter(result, lambda path: bool(converter.children(path)))
        placement.convert(rules)
    return result


@dataclass(slots=True)
class _Inherited:
    """What a queue takes over from the queues above it."""

    max_container: Resource | None = None
    is_preemptable: bool = True


@dataclass(slots=True)
class _Converter:
    allocations: Allocations
    configuration: FairConfiguration
    result: Conversion
    percentages: bool

    # yarn-site.xml

    def convert_site(self, site: Mapping[str, str]) -> None:
        """The scheduler's class and what goes with it."""
        settings, result, out = self.configuration.settings, self.result, self.result.site
        out["yarn.resourcemanager.scheduler.class"] = _SCHEDULER + "CapacityScheduler"
        out[_MONITOR + "enable"] = "true"
        policies = []
        if settings.continuous_scheduling:
            out[_CAPACITY + "schedule-asynchronously.enable"] = "true"
            interval = str(settings.continuous_sleep_ms)
            out[_CAPACITY + "schedule-asynchronously.scheduling-interval-ms"] = interval
        if result.options.is_asynchronous:
            out[_CAPACITY + "schedule-asynchronously.enable"] = "true"
        if settings.preemption and result.options.has_preemption:
            policies.append(_PREEMPTION_POLICY)
            out[_PREEMPTION + "max_wait_before_kill"] = str(settings.wait_before_kill_ms)
            out[_PREEMPTION + "monitoring_interval"] = str(settings.wait_before_next_check_ms)
        if not self.percentages:
            policies.append(_SCHEDULER + "AutoCreatedQueueDeletionPolicy")
            out[_CAPACITY + "auto-queue-creation-v2.queue-expiration-time"] = "10"
        policies.append(_SCHEDULER + "QueueConfigurationAutoRefreshPolicy")
        out[_MONITOR + "policies"] = ",".join(policies)
        per_heartbeat = _CAPACITY + "per-node-heartbeat."
        out[per_heartbeat + "multiple-assignments-enabled"] = str(settings.assign_multiple).lower()
        if settings.max_assign != -1:
            out[per_heartbeat + "maximum-container-assignments"] = str(settings.max_assign)
        if self._uses_drf():
            out[_CAPACITY + "resource-calculator"] = _DOMINANT
        result.site_removed = tuple(name for name in site if name.startswith("yarn.scheduler.fair."))
        self._tell_of_site(site)

    def _tell_of_site(self, site: Mapping[str, str]) -> None:
        settings, tell = self.configuration.settings, self.result.tell
        fair = "yarn.scheduler.fair."
        if settings.assign_multiple and settings.dynamic_max_assign:
            tell(
                f"{fair}dynamic.max.assign: how much one heartbeat gives is a number of containers there",
                DYNAMIC_MAX_ASSIGN,
            )
        if settings.node_locality_threshold >= 0 or settings.rack_locality_threshold >= 0:
            tell(
                f"{fair}locality.threshold.node and .rack are parts of the cluster; set the whole numbers of "
                f"opportunities {_CAPACITY}node-locality-delay and rack-locality-additional-delay by hand"
            )
        if settings.preemption:
            tell(
                "preemption goes by guaranteed capacities of queues there, not by minimum and fair shares: "
                "timeouts, thresholds and the cluster utilization threshold have no equivalent"
            )
        if not settings.am_preemption or self.configuration.am_preemption_of:
            tell(f"{fair}am.preemption: AM containers are taken last there, and cannot be spared per queue")
        if site.get("yarn.resourcemanager.reservation-system.enable", "").lower() == "true":
            tell("plan queues: the conversion of the reservation system is not supported", RESERVATION_SYSTEM)

    # Defaults

    def convert_defaults(self) -> None:
        """What holds for every queue and user that says nothing else."""
        allocations, out = self.allocations, self.result.capacity
        if self.result.options.only_observes:
            out[_PREEMPTION + "observe_only"] = "true"
        if allocations.queue_max_apps_default != UNLIMITED_APPS:
            out[_CAPACITY + "max-parallel-apps"] = str(allocations.queue_max_apps_default)
        if allocations.user_max_apps_default != UNLIMITED_APPS:
            out[_CAPACITY + "user.max-parallel-apps"] = str(allocations.user_max_apps_default)
        for user, count in allocations.user_max_apps.items():
            out[f"{_CAPACITY}user.{user}.max-parallel-apps"] = str(count)
        share = allocations.queue_max_am_share_default
        out[_CAPACITY + "maximum-am-resource-percent"] = str(1.0 if share == _NO_AM_LIMIT else _short(share))
        if allocations.queue_max_resources_default.is_relative or not allocations.unbounded.fits_in(
            allocations.queue_max_resources_default.absolute
        ):
            self.result.tell(
                "<queueMaxResourcesDefault>: maxima are not converted, every queue may grow to 100%",
                MAX_RESOURCES,
            )

    # Queues

    def convert_queue(self, path: str, above: _Inherited | None) -> None:
        """One queue, and all below it."""
        said = self.allocations.queue(path)
        children = self.children(path)
        self.result.count_children(path, len(children))
        out = self.result.capacity
        prefix = f"{_CAPACITY}{path}."
        here = _Inherited(
            said.max_container_allocation or (above.max_container if above else None),
            said.is_preemptable and (above is None or above.is_preemptable),
        )
        if children:
            out[prefix + "queues"] = ",".join(child.rpartition(".")[2] for child in children)
        self._convert_limits(path, said, here, above)
        self._convert_weights(path, children)
        out[prefix + "maximum-capacity"] = "100.0"
        if self.configuration.settings.size_based_weight:
            out[prefix + "ordering-policy.fair.enable-size-based-weight"] = "true"
        is_parent = path in self.allocations.parents or path == ROOT
        if not is_parent:
            self._convert_policy(path)
        if not children and not (is_parent and not self.percentages):
            out[prefix + "user-limit-factor"] = "-1.0"
        self._convert_acls(path)
        self._tell_of_queue(path, said)
        for child in children:
            self.convert_queue(child, here)

    def _convert_limits(
        self, path: str, said: QueueAllocation, here: _Inherited, above: _Inherited | None
    ) -> None:
        out, prefix = self.result.capacity, f"{_CAPACITY}{path}."
        share = said.max_am_share
        default = self.allocations.queue_max_am_share_default
        if share is not None and share not in (0.0, default):
            percent = 1.0 if share == _NO_AM_LIMIT else _short(share)
            out[prefix + "maximum-am-resource-percent"] = str(percent)
        count = said.max_running_apps
        if count is not None and count not in (UNLIMITED_APPS, self.allocations.queue_max_apps_default):
            out[prefix + "max-parallel-apps"] = str(count)
        largest = here.max_container
        if largest is not None and (above is None or largest != above.max_container):
            out[prefix + "maximum-allocation-mb"] = str(min(largest.memory_mb, UNLIMITED_APPS))
            out[prefix + "maximum-allocation-vcores"] = str(min(largest.vcores, UNLIMITED_APPS))
        if self.configuration.settings.preemption and not here.is_preemptable:
            out[prefix + "disable_preemption"] = "true"

    def _convert_weights(self, path: str, children: list[str]) -> None:
        out = self.result.capacity
        weights = {child: self.allocations.queue(child).weight for child in children}
        if not self.percentages:
            if path == ROOT:
                out[f"{_CAPACITY}{ROOT}.capacity"] = f"{_short(self.allocations.queue(ROOT).weight)}w"
            for child, weight in weights.items():
                out[f"{_CAPACITY}{child}.capacity"] = f"{_short(weight)}w"
            if children or path in self.allocations.parents or path == ROOT:
                out[f"{_CAPACITY}{path}.auto-queue-creation-v2.enabled"] = "true"
            return
        if path == ROOT:
            out[f"{_CAPACITY}{ROOT}.capacity"] = "100.000"
        capacities = _percentages(weights)
        for child, percent in capacities.items():
            out[f"{_CAPACITY}{child}.capacity"] = str(percent)
        if len(capacities) > 1 and not any(capacities.values()):
            out[f"{_CAPACITY}{path}.allow-zero-capacity-sum"] = "true"

    def _convert_policy(self, path: str) -> None:
        policy = self.allocations.policy_of(path)
        key = f"{_CAPACITY}{path}.ordering-policy"
        if isinstance(policy, FifoPolicy):
            self.result.capacity[key] = "fifo"
        elif isinstance(policy, DominantResourceFairnessPolicy | FairPolicy):
            self.result.capacity[key] = "fair"
            if isinstance(policy, FairPolicy) and self._uses_drf():
                self.result.tell(f"Queue {path} will use DRF policy instead of Fair", FAIR_AS_DRF)
        else:
            self.result.tell(f"Queue {path}: the policy {policy.name} is a class of its own and is left out")

    def _convert_acls(self, path: str) -> None:
        for acl, name in _ACLS.items():
            found = self.allocations.acl(path, acl) if path in self.allocations.queues else None
            if found is not None and (found.everybody or found.users or found.groups):
                self.result.capacity[f"{_CAPACITY}{path}.{name}"] = str(found)

    def _tell_of_queue(self, path: str, said: QueueAllocation) -> None:
        tell = self.result.tell
        if said.min_resources != NONE:
            tell(f"Queue {path}: <minResources> is not supported, ignoring conversion", MIN_RESOURCES)
        if said.max_resources is not None:
            tell(f"Queue {path}: <maxResources> is not supported, the queue may grow to 100%", MAX_RESOURCES)
        if said.max_child_resources is not None:
            tell(
                f"Queue {path}: <maxChildResources> is not supported, ignoring conversion", MAX_CHILD_CAPACITY
            )
        if said.is_plan:
            tell(
                f"Queue {path}: <reservation> is not converted, make it a plan queue by hand",
                RESERVATION_SYSTEM,
            )
        timeouts = (said.min_share_timeout_ms, said.fair_share_timeout_ms, said.fair_share_threshold)
        if any(one is not None for one in timeouts):
            tell(f"Queue {path}: timeouts and thresholds of preemption are not supported there")

    def children(self, path: str) -> list[str]:
        """The declared queues right below it, in the order of the file."""
        depth = path.count(".") + 1
        return [
            one for one in self.allocations.queues if one.startswith(path + ".") and one.count(".") == depth
        ]

    def _uses_drf(self) -> bool:
        allocations = self.allocations
        policies = [allocations.default_policy, *(one.policy for one in allocations.queues.values())]
        return any(isinstance(policy, DominantResourceFairnessPolicy) for policy in policies)


def _percentages(weights: Mapping[str, float]) -> dict[str, Decimal]:
    """Percentages of three digits that sum to 100; the largest takes what rounding leaves over."""
    if len(weights) == 1:
        return dict.fromkeys(weights, _HUNDRED)
    total = sum(Decimal(weight) for weight in weights.values())
    if not total:
        return dict.fromkeys(weights, Decimal("0.000"))
    thousandth = Decimal("0.001")
    found = {
        path: (Decimal(weight) * 100 / total).quantize(thousandth, ROUND_HALF_UP)
        for path, weight in weights.items()
    }
    if found:
        largest = max(found, key=lambda path: found[path])
        found[largest] += _HUNDRED - sum(found.values())
    return found


def _short(value: float) -> float:
    """A 32-bit float as the shortest number that means it: Java prints 0.2, not 0.20000000298."""
    for digits in range(1, 10):
        rounded = float(f"{value:.{digits}g}")
        if abs(rounded - value) <= abs(value) * 6e-8:
            return rounded
    return value
