"""User limits and AM limits of a leaf: functions of amounts.

No queue, no user object, no clock. Hadoop: UsersManager.computeUserLimit,
AbstractLeafQueue.calculateAndGetAMResourceLimitPerPartition, getUserAMResourceLimitPerPartition, getHeadroom
and updateMaximumApplications.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from yarnbox.rm.scheduler.calculator import (
    Calculator,
    divide_all_up,
    divide_up_float,
    float32,
    memory_alone,
    multiply,
)
from yarnbox.yarn.resources.resource import Resource, componentwise_min, less


class UserLimitInputs:
    """What the user limit of one leaf in one partition depends on."""

    __slots__ = (
        "active_weight",
        "all_weight",
        "consumed_ratio",
        "down_maximum",
        "effective_minimum",
        "factor",
        "minimum",
        "percent",
        "total",
        "used_by_active",
    )

    def __init__(
        self,
        *,
        total: Resource,
        effective_minimum: Resource,
        down_maximum: Resource,
        minimum: Resource,
        consumed_ratio: float,
        used_by_active: Resource,
        active_weight: float,
        all_weight: float,
        percent: float,
        factor: float,
    ) -> None:
        self.total = total
        """The partition's capacity."""
        self.effective_minimum = effective_minimum
        self.down_maximum = down_maximum
        self.minimum = minimum
        """The minimum allocation: the step in which users grow."""
        self.consumed_ratio = consumed_ratio
        """The sum of what each user has of the partition, as ratios."""
        self.used_by_active = used_by_active
        self.active_weight = active_weight
        self.all_weight = all_weight
        self.percent = percent
        self.factor = factor


def user_limit(
    inputs: UserLimitInputs,
    calculator: Calculator,
    *,
    ignores_exclusivity: bool = False,
    for_all: bool = False,
) -> Resource:
    """The user limit of a user of weight 1. See tests/scenarios/capacity/two-active- users.yaml.

    `for_all` counts all users alike, active or not: what preemption within a queue goes by.
    """
    if not calculator.is_multi_dimensional:
        memory_mb, step_mb = _user_limit_mb(inputs, ignores_exclusivity, for_all), inputs.minimum.memory_mb
        return memory_alone(-(-memory_mb // step_mb) * step_mb if step_mb else memory_mb)
    total, minimum = inputs.total, inputs.minimum
    capacity = calculator.max_of(total, inputs.effective_minimum, minimum)
    consumed = calculator.multiply_up(total, inputs.consumed_ratio, minimum)
    # Below its guarantee a leaf shares the guarantee; above it, what it has and one step more.
    current = capacity if calculator.compare(total, consumed, capacity) < 0 else consumed + minimum
    shared, weight = inputs.used_by_active + minimum, inputs.active_weight
    if for_all:
        shared, weight = current, inputs.all_weight
    limit = calculator.max_of(
        total,
        calculator.divide_up(shared, weight),
        divide_all_up(multiply(current, inputs.percent), 100),
    )
    if ignores_exclusivity:
        cap = total
    elif inputs.factor == -1 or not inputs.effective_minimum:
        cap = inputs.down_maximum
    else:
        cap = multiply(capacity, inputs.factor)
    return calculator.up(calculator.min_of(total, limit, cap), minimum)


def _user_limit_mb(inputs: UserLimitInputs, ignores_exclusivity: bool, for_all: bool) -> int:
    """`user_limit` where memory alone counts, in plain numbers: it is worked out for each container."""
    total, minimum = inputs.total.memory_mb, inputs.minimum.memory_mb
    guaranteed = inputs.effective_minimum.memory_mb
    capacity = guaranteed if guaranteed > minimum else minimum
    consumed = int(total * inputs.consumed_ratio + 0.5)
    if minimum:
        consumed = -(-consumed // minimum) * minimum
    current = capacity if consumed < capacity else consumed + minimum
    if for_all:
        shared = divide_up_float(current, inputs.all_weight)
    else:
        shared = divide_up_float(inputs.used_by_active.memory_mb + minimum, inputs.active_weight)
    limit = -(-int(current * inputs.percent) // 100)
    if shared > limit:
        limit = shared
    if ignores_exclusivity:
        cap = total
    elif inputs.factor == -1 or not inputs.effective_minimum:
        cap = inputs.down_maximum.memory_mb
    else:
        cap = int(capacity * inputs.factor)
    return limit if limit <= cap else cap


def am_limit(
    effective_minimum: Resource,
    current_limit: Resource,
    percent: float,
    minimum: Resource,
    calculator: Calculator,
) -> Resource:
    """What the AMs of a leaf may use together; `current_limit` counts in the default partition alone."""
    fits = calculator.fits_in(effective_minimum, current_limit)
    usable = current_limit if fits else effective_minimum
    return calculator.multiply_up(usable, percent, minimum)


def user_am_limit(
    effective_minimum: Resource,
    queue_limit: Resource,
    am_percent: float,
    user_percent: float,
    factor: float,
    active_users: int,
    weight: float,
    minimum: Resource,
    cluster: Resource,
    calculator: Calculator,
) -> Resource:
    """What the AMs of one user may use: it follows the guarantee, where the leaf's own limit follows the
    maximum.
    """
    share = max(float32(user_percent / 100), float32(1.0 / max(active_users, 1)))
    share = min(float32(share * weight), 1.0)
    ratio = float32(float32(am_percent * share) * factor) if factor != -1 else am_percent
    return calculator.min_of(cluster, calculator.multiply_up(effective_minimum, ratio, minimum), queue_limit)


def headroom(
    user_limit: Resource,
    user_used: Resource,
    queue_limit: Resource,
    queue_used: Resource,
    total: Resource,
    all_used: Resource,
    minimum: Resource,
    calculator: Calculator,
) -> Resource:
    """The headroom in one partition."""
    own = componentwise_min(less(user_limit, user_used), less(queue_limit, queue_used))
    return calculator.min_of(total, total - all_used, calculator.down(own, minimum))


class ApplicationsRule(Enum):
    """What says how many applications a leaf takes."""

    QUEUE = "queue"
    """Its own maximum-applications."""
    EVERY_QUEUE = "every-queue"
    """global-queue-max-application, but no more than the scheduler takes."""
    SHARE = "share"
    """Its absolute capacity."""
    SCHEDULER = "scheduler"
    """As many as the scheduler takes, where there is no absolute capacity."""


@dataclass(frozen=True, slots=True)
class ApplicationsLimit:
    """How many applications a leaf takes, pending and active together, and why so many."""

    most: int
    rule: ApplicationsRule
    base: int
    """What the share is of."""
    share: float = 1.0


def maximum_applications(
    configured: int | None,
    scheduler_maximum: int,
    global_maximum: int | None,
    absolute_capacity: float | None,
    *,
    is_absolute: bool,
) -> ApplicationsLimit:
    """The limit of a leaf; without an absolute capacity it is that of the scheduler.

    See tests/scenarios/queues/vectors-without-nodes.yaml.
    """
    if configured is not None:
        return ApplicationsLimit(configured, ApplicationsRule.QUEUE, configured)
    base = scheduler_maximum
    if global_maximum is not None and global_maximum > 0:
        base = min(global_maximum, scheduler_maximum)
        if not is_absolute:
            return ApplicationsLimit(base, ApplicationsRule.EVERY_QUEUE, base)
    if absolute_capacity is None:
        return ApplicationsLimit(base, ApplicationsRule.SCHEDULER, base)
    most = int(float32(base * absolute_capacity))
    return ApplicationsLimit(most, ApplicationsRule.SHARE, base, absolute_capacity)


def maximum_applications_per_user(maximum: int, percent: float, factor: float) -> int:
    """How many applications one user may have in a leaf."""
    if factor == -1:
        return maximum
    return min(maximum, int(float32(float32(maximum * float32(percent / 100)) * factor)))
