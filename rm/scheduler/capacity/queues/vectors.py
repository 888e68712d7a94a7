"""Capacity vectors: a unit for each resource type, siblings as they please (legacy-queue-mode.enabled=false).

Per type, from the parent down: absolute children first, all scaled by one ratio when they need more than
there is; then percents of what the parent has after those; then weights share the rest. Nothing is refused:
what is too much is cut. What is worked out is rounded as Hadoop's numbers are, in its order of operations:
see tests/scenarios/queues/vectors-round-as-doubles.yaml. Hadoop: ResourceCalculationDriver and the
descendants of AbstractQueueCapacityCalculator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from yarnbox.rm.scheduler.calculator import Calculator, float32
from yarnbox.rm.scheduler.capacity.config.settings import CapacityValue, Unit
from yarnbox.rm.scheduler.capacity.queues.shares import Share, derive_ratios
from yarnbox.yarn.resources.resource import MEMORY_MB, Resource

_PHASES = (Unit.ABSOLUTE, Unit.PERCENT, Unit.WEIGHT)


@dataclass(frozen=True, slots=True)
class _Amounts:
    """What of one type there is for the children of a parent."""

    whole: int
    """In the partition."""
    minimum: int
    """The parent's, as its maximum is."""
    maximum: int


def derive_children(
    parent: Share, children: Sequence[Share], total: Resource, calculator: Calculator
) -> None:
    """The effective resources of all children of one parent in a partition that has so much. Those of a child
    without a capacity there stay as they are: see
    tests/scenarios/labels/vectors-without-a-capacity-in-a-partition.yaml.
    """
    minima: list[dict[str, int]] = [{} for _ in children]
    maxima: list[dict[str, int]] = [{} for _ in children]
    for name, whole in total.items():
        there = _Amounts(whole, parent.effective_minimum.value(name), parent.effective_maximum.value(name))
        limits = [_maximum(there, _entry(child.maximum_value, name)) for child in children]
        # Memory is the first type: who has none of it has nothing.
        bounds = [
            limit if name == MEMORY_MB or least[MEMORY_MB] else 0
            for limit, least in zip(limits, minima, strict=True)
        ]
        found = _minima(there, [_entry(child.capacity_value, name) for child in children], bounds)
        for least, most, value, limit in zip(minima, maxima, found, limits, strict=True):
            least[name], most[name] = value, limit
    for child, least, most in zip(children, minima, maxima, strict=True):
        child.total = total
        if child.capacity_value.vector:
            child.effective_minimum = Resource.of(least)
            child.effective_maximum = Resource.of(most)
        before = child.absolute_maximum
        derive_ratios(child, parent, total, calculator)
        if not child.maximum:  # as in Hadoop: without nodes what was known stays
            child.absolute_maximum = before


def _maximum(there: _Amounts, entry: tuple[Unit, float]) -> int:
    unit, number = entry
    if unit is Unit.PERCENT and there.whole:
        number = there.whole * (there.maximum / there.whole * number / 100)
    return min(floor(number), there.maximum) or there.maximum


def _minima(there: _Amounts, entries: Sequence[tuple[Unit, float]], bounds: Sequence[int]) -> list[int]:
    """What the siblings get of one type, each at most as much as it may have, and as is left."""
    found = [0] * len(entries)
    if not there.minimum or not there.whole:
        return found
    absolute = sum(int(number) for unit, number in entries if unit is Unit.ABSOLUTE)
    weights = sum(number for unit, number in entries if unit is Unit.WEIGHT)
    left = there.minimum
    for phase in _PHASES:
        before = left  # decremented for siblings of the next unit, not for those of the same
        part = there.minimum / there.whole * (before / there.minimum)
        for place, (unit, number) in enumerate(entries):
            if unit is not phase:
                continue
            if unit is Unit.ABSOLUTE:
                wanted = floor(_ratio(there.minimum, absolute) * number)
            elif unit is Unit.PERCENT:
                wanted = floor(there.whole * (part * number / 100))
            elif not weights:
                wanted = 0
            elif number == weights:
                wanted = before
            else:
                wanted = floor(there.whole * (part * (number / weights)) + 0.5)
            found[place] = min(wanted, bounds[place], left)
            left -= found[place]
    return found


def _ratio(available: int, absolute: int) -> float:
    """By how much absolute amounts shrink, a 32-bit float."""
    return float32(float32(available) / float32(absolute)) if absolute > available else 1.0


def _entry(value: CapacityValue, name: str) -> tuple[Unit, float]:
    for known, unit, number in value.vector:
        if known == name:
            return unit, number
    return Unit.ABSOLUTE, 0.0
