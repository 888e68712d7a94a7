"""What a queue is entitled to in each partition: capacities as ratios, effective minimum and maximum.

Worked out from the root down whenever the cluster, a label or the configuration changes; never while
containers are given away. A queue is handed its parent's share and its siblings' weights; nothing here walks
a tree. Ratios are 32-bit floats. Hadoop: QueueCapacities, QueueResourceQuotas,
AbstractCSQueue.updateEffectiveResources and CSQueueUtils.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yarnbox.rm.scheduler.calculator import Calculator, float32, multiply
from yarnbox.rm.scheduler.capacity.config.settings import (
    NO_CAPACITY,
    CapacityMode,
    CapacityValue,
    PartitionSettings,
)
from yarnbox.rm.scheduler.usage import Amounts
from yarnbox.yarn.resources.resource import NONE, Resource, map_values

NO_WEIGHT = 1e-6
"""A sum of weights up to this divides nothing."""
EMPTY = PartitionSettings(maximum=NO_CAPACITY, am_percent=0.0)
"""A partition that a queue is not configured for: it has nothing there, and may not have anything."""


class Share:
    """A queue in one partition."""

    __slots__ = (
        "absolute",
        "absolute_maximum",
        "am_limit",
        "am_percent",
        "amounts",
        "calculator",
        "capacity",
        "capacity_value",
        "configured_maximum",
        "configured_minimum",
        "down_maximum",
        "effective_maximum",
        "effective_minimum",
        "floor",
        "maximum",
        "maximum_value",
        "minimum_ratio",
        "normalized_weight",
        "tie",
        "total",
        "user_am_limit",
    )

    def __init__(self, amounts: Amounts, calculator: Calculator) -> None:
        self.amounts = amounts
        """What the queue has booked in this partition."""
        self.calculator = calculator
        self.capacity_value = NO_CAPACITY
        """As configured; a template may have given another."""
        self.maximum_value = NO_CAPACITY
        self.am_percent = 0.0
        """The fraction of it that AMs may use, as configured last."""
        self.capacity = 0.0
        """Of the parent: a ratio. A weight's share stands here, too."""
        self.normalized_weight = 0.0
        """Of the last time that a sibling had a weight: see `own_fraction`."""
        self.maximum = 0.0
        self.absolute = 0.0
        """Of the partition."""
        self.absolute_maximum = 0.0
        self.configured_minimum = NONE
        self.configured_maximum = NONE
        self.effective_minimum = NONE
        self.effective_maximum = NONE
        self.down_maximum = NONE
        """The effective maximum, rounded down to the minimum allocation."""
        self.floor = NONE
        """The effective minimum, or the minimum allocation if that is larger: what use is compared with."""
        self.minimum_ratio: Mapping[str, float] = {}
        """By how much the absolute minima of its children are scaled down, by resource type."""
        self.tie: tuple[float, ...] = (0.0,)
        """What decides between siblings that use as much of their shares: the larger one first."""
        self.total = NONE
        """The capacity of the partition itself."""
        self.am_limit = NONE
        self.user_am_limit = NONE

    @property
    def own_fraction(self) -> float:
        """Of the parent's part of the partition: the percentage, or the last share of the siblings' weights
        if that is larger. A refresh from weights to percentages does not make it forget these.

        Hadoop: CSQueueUtils.updateAbsoluteCapacitiesByNodeLabels. See
        tests/scenarios/queues/percentages-after-weights.yaml.
        """
        value = self.capacity_value
        percentage = float32(value.number / 100) if value.mode is CapacityMode.PERCENT else 0.0
        return max(percentage, self.normalized_weight)

    @property
    def maximum_fraction(self) -> float:
        """Of the parent's maximum, while the partition has no nodes from which a vector's could be worked
        out: a number for all types as it is, and all for whatever else is written.

        Hadoop: CapacitySchedulerConfiguration.getNonLabeledQueueMaximumCapacity. See
        tests/scenarios/queues/maximum-of-a-vector-without-nodes.yaml.
        """
        return float32((self.maximum_value.number or 100.0) / 100)

    @property
    def used_capacity(self) -> float:
        """Used over guaranteed; above 1 when the queue has more than its share."""
        return self.used_of(self.floor)

    @property
    def absolute_used(self) -> float:
        """Used of the whole partition."""
        return self.used_of(self.total)

    def used_of(self, whole: Resource) -> float:
        """Used of an amount; 0 while the partition has no nodes."""
        calculator, total = self.calculator, self.total
        if total.memory_mb <= 0 and not calculator.is_any_positive(total):
            return 0.0
        return calculator.divide(total, self.amounts.used, whole)

    def follow_effective(self, minimum: Resource) -> None:
        """What follows from the effective resources."""
        calculator = self.calculator
        self.down_maximum = calculator.down(self.effective_maximum, minimum)
        self.floor = calculator.max_of(self.total, self.effective_minimum, minimum)
        least = self.configured_minimum
        self.tie = (-least.memory_mb, -least.vcores) if least else (-self.absolute,)


def derive_root(share: Share, total: Resource) -> None:
    """The root has all of a partition that some queue is configured for."""
    share.total = total
    share.capacity = share.maximum = share.absolute = share.absolute_maximum = 1.0
    share.effective_minimum = share.effective_maximum = total


def derive_unconfigured(share: Share, total: Resource) -> None:
    """A queue has no share of a partition that it is not configured for.

    The effective resources, and what AMs may use of them, stay as they are: nothing, or what a refresh found
    that took the partition away.

    See tests/scenarios/labels/labels-effective-resources-outlive-a-refresh.yaml.
    """
    share.total = total
    share.normalized_weight = 0.0
    share.capacity = share.maximum = share.absolute = share.absolute_maximum = 0.0


def derive(
    share: Share, parent: Share, total: Resource, cluster: Resource, calculator: Calculator, weights: float
) -> None:
    """A child's share of a partition from its parent's; `weights` is the sum of the siblings' weights."""
    share.total = total
    capacity, maximum = share.capacity_value, share.maximum_value
    share.configured_minimum = capacity.resource
    share.configured_maximum = maximum.resource
    is_weight = capacity.mode is CapacityMode.WEIGHT
    if weights > NO_WEIGHT:
        share.normalized_weight = float32((capacity.number if is_weight else -1.0) / weights)
    share.capacity = share.normalized_weight if is_weight else float32(capacity.number / 100)
    share.maximum = float32(maximum.number / 100) if maximum.mode is CapacityMode.PERCENT else 1.0
    if capacity.mode is CapacityMode.ABSOLUTE:
        _derive_absolute(share, parent, total, cluster, calculator)
        return
    fraction = share.own_fraction
    if fraction > 0:
        share.absolute = float32(fraction * parent.absolute)
    share.absolute_maximum = float32(share.maximum * parent.absolute_maximum)
    share.effective_minimum = multiply(total, share.absolute)
    share.effective_maximum = multiply(total, share.absolute_maximum)


def withhold(share: Share) -> None:
    """What a queue has in a partition that is its parent's only: a share, and nothing to use. See
    tests/scenarios/labels/labels-of-a-queue-to-be-made.yaml.
    """
    share.effective_minimum = share.effective_maximum = NONE


def _derive_absolute(
    share: Share, parent: Share, total: Resource, cluster: Resource, calculator: Calculator
) -> None:
    ratio = parent.minimum_ratio
    share.effective_minimum = map_values(
        lambda name, value: int(float32(value * ratio[name])) if name in ratio else value,
        share.configured_minimum,
    )
    above = parent.configured_maximum or parent.effective_maximum
    own = share.configured_maximum
    share.effective_maximum = calculator.min_of(total, own, above) if own else above
    derive_ratios(share, parent, cluster, calculator)


def derive_ratios(share: Share, parent: Share, cluster: Resource, calculator: Calculator) -> None:
    """Capacities worked out from effective resources, for show and for the order of queues."""
    share.capacity = calculator.divide(cluster, share.effective_minimum, parent.effective_minimum)
    share.maximum = calculator.divide(cluster, share.effective_maximum, parent.effective_maximum)
    share.absolute = float32(share.capacity * parent.absolute)
    share.absolute_maximum = float32(share.maximum * parent.absolute_maximum)


def absolute_of(capacity: CapacityValue, parent: Share) -> float:
    """Which part of the partition a capacity below that parent is."""
    if capacity.mode is CapacityMode.ABSOLUTE:
        whole = parent.configured_minimum
        ratio = parent.calculator.divide(parent.total, capacity.resource, whole) if whole else 0.0
        return float32(ratio * parent.absolute)
    return float32(float32(capacity.number / 100) * parent.absolute)


def minimum_ratios(
    available: Resource, configured: Resource, cluster: Resource, calculator: Calculator
) -> dict[str, float]:
    """By how much children's absolute minima shrink when they need more than there is; empty: not at all."""
    if calculator.compare(cluster, available, configured) >= 0:
        return {}
    return {name: float32(available.value(name) / value) for name, value in configured.items() if value}


def weight_of(value: CapacityValue) -> float:
    """A queue's weight, 0 when it has none."""
    return value.number if value.mode is CapacityMode.WEIGHT else 0.0


def sum_of_weights(values: Sequence[CapacityValue]) -> float:
    """The weights of siblings, added as 32-bit floats."""
    found = 0.0
    for value in values:
        found = float32(found + weight_of(value))
    return found
