"""Shares of one partition by hand, from a parent to its children: percentages, weights, absolute amounts."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, float32
from yarnbox.rm.scheduler.capacity.config.settings import CapacityMode, CapacityValue
from yarnbox.rm.scheduler.capacity.queues.shares import (
    Share,
    absolute_of,
    derive,
    derive_root,
    derive_unconfigured,
    minimum_ratios,
    sum_of_weights,
)
from yarnbox.rm.scheduler.usage import Amounts
from yarnbox.yarn.resources.resource import NONE, Resource

CLUSTER = Resource(100 * 1024, 100)
STEP = Resource(1024, 1)


def percent(number: float) -> CapacityValue:
    return CapacityValue(CapacityMode.PERCENT, number)


def weight(number: float) -> CapacityValue:
    return CapacityValue(CapacityMode.WEIGHT, number)


def absolute(memory_mb: int) -> CapacityValue:
    return CapacityValue(CapacityMode.ABSOLUTE, resource=Resource(memory_mb, memory_mb // 1024))


def share(capacity: CapacityValue | None = None, maximum: CapacityValue | None = None) -> Share:
    made = Share(Amounts(), DEFAULT_CALCULATOR)
    made.capacity_value = capacity or percent(0)
    made.maximum_value = maximum or percent(100)
    return made


def root() -> Share:
    made = share()
    derive_root(made, CLUSTER)
    return made


def derived(child: Share, parent: Share, weights: float = 0.0) -> Share:
    derive(child, parent, CLUSTER, CLUSTER, DEFAULT_CALCULATOR, weights)
    child.follow_effective(STEP)
    return child


def test_a_percentage_is_of_the_parent() -> None:
    above = derived(share(percent(40), percent(50)), root())
    below = derived(share(percent(25), percent(50)), above)
    assert (below.capacity, below.absolute) == (0.25, float32(0.1))
    assert below.effective_minimum.memory_mb == 10 * 1024
    assert (below.absolute_maximum, below.effective_maximum.memory_mb) == (0.25, 25 * 1024)


def test_a_weight_is_of_the_siblings_weights() -> None:
    weights = sum_of_weights([weight(1), weight(3), percent(50)])
    assert weights == 4
    child = derived(share(weight(3)), root(), weights)
    assert (child.normalized_weight, child.capacity) == (0.75, 0.75)
    assert child.effective_minimum.memory_mb == 75 * 1024


def test_weights_that_add_up_to_nothing_give_nothing() -> None:
    child = derived(share(weight(0)), root(), 0.0)
    assert (child.capacity, child.effective_minimum) == (0.0, NONE)


def test_absolute_amounts_give_the_ratios() -> None:
    child = derived(share(absolute(20 * 1024), absolute(50 * 1024)), root())
    assert child.effective_minimum == Resource(20 * 1024, 20)
    assert child.effective_maximum == Resource(50 * 1024, 50)
    assert child.absolute == float32(0.2)
    assert child.absolute_maximum == 0.5


def test_an_absolute_maximum_ends_at_the_parents() -> None:
    above = derived(share(absolute(40 * 1024), absolute(60 * 1024)), root())
    assert (
        derived(share(absolute(10 * 1024), absolute(80 * 1024)), above).effective_maximum.memory_mb
        == 60 * 1024
    )


@pytest.mark.parametrize(
    ("available", "configured", "expected"),
    [
        (Resource(100, 10), Resource(80, 8), {}),
        (Resource(100, 10), Resource(100, 20), {}),  # by memory alone it is enough
        (Resource(50, 10), Resource(100, 20), {"memory-mb": 0.5, "vcores": 0.5}),
        (Resource(50, 10), Resource(100, 0), {"memory-mb": 0.5}),
    ],
)
def test_absolute_minima_shrink_together(
    available: Resource, configured: Resource, expected: dict[str, float]
) -> None:
    """Hadoop: AbstractParentQueue.getEffectiveMinRatioPerResource, when the cluster is too small."""
    assert minimum_ratios(available, configured, CLUSTER, DEFAULT_CALCULATOR) == expected


def test_shrunk_minima_reach_the_child() -> None:
    above = root()
    above.minimum_ratio = {"memory-mb": 0.5, "vcores": 0.25}
    assert derived(share(absolute(20 * 1024)), above).effective_minimum == Resource(10 * 1024, 5)


def test_use_is_compared_with_the_minimum_allocation_at_least() -> None:
    """A queue without capacity that holds one container of the minimum uses all of its share."""
    child = derived(share(percent(0)), root())
    assert child.floor == STEP
    child.amounts.used = STEP
    assert (child.used_capacity, child.absolute_used) == (1.0, float32(0.01))


def test_a_partition_that_is_not_configured_gives_nothing() -> None:
    child = derived(share(percent(50)), root())
    derive_unconfigured(child, CLUSTER)
    assert (child.capacity, child.maximum, child.absolute, child.absolute_maximum) == (0.0, 0.0, 0.0, 0.0)


def test_the_larger_share_wins_a_tie() -> None:
    small, large = derived(share(percent(10)), root()), derived(share(percent(20)), root())
    assert large.tie < small.tie
    few, many = derived(share(absolute(1024)), root()), derived(share(absolute(2048)), root())
    assert many.tie < few.tie


def test_which_part_of_the_partition_a_capacity_is() -> None:
    above = derived(share(percent(40)), root())
    assert absolute_of(percent(50), above) == float32(0.2)
    of_amounts = derived(share(absolute(40 * 1024)), root())
    assert absolute_of(absolute(10 * 1024), of_amounts) == float32(0.1)
