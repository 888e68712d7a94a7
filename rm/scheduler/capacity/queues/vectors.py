"""Capacity vectors: a unit for each resource type, siblings as they please (legacy-queue-mode.enabled=false).

Per type, from the parent down: absolute children first, all scaled by one ratio when they need more than
there is; then percents of what the parent has after those; then weights share the rest. Nothing is refused:
what is too much is cut. Hadoop: CapacitySchedulerQueueCapacityHandler and its calculators.
"""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.rm.scheduler.capacity.config.settings import CapacityValue, Unit
from yarnbox.rm.scheduler.capacity.queues.shares import Share, derive_ratios
from yarnbox.yarn.resources.resource import Resource


def derive_children(
    parent: Share, children: Sequence[Share], total: Resource, cluster: Resource, calculator: Calculator
) -> None:
    """The effective resources of all children of one parent in one partition."""
    names = [name for name, _ in total.items()]
    minima: list[dict[str, int]] = [{} for _ in children]
    maxima: list[dict[str, int]] = [{} for _ in children]
    for name in names:
        ceiling = parent.effective_maximum.value(name)
        for child, amounts in zip(children, maxima, strict=True):
            unit, number = _entry(child.maximum_value, name)
            wanted = ceiling * number / 100 if unit is Unit.PERCENT else number
            amounts[name] = min(int(wanted), ceiling) if wanted else ceiling
        found = _minima(
            parent.effective_minimum.value(name), [_entry(child.capacity_value, name) for child in children]
        )
        left = parent.effective_minimum.value(name)
        for amounts, limits, value in zip(minima, maxima, found, strict=True):
            amounts[name] = max(0, min(value, limits[name], left))
            left -= amounts[name]
    for child, least, most in zip(children, minima, maxima, strict=True):
        child.total = total
        child.effective_minimum = Resource.of(least)
        child.effective_maximum = Resource.of(most)
        derive_ratios(child, parent, cluster, calculator)


def _minima(available: int, entries: Sequence[tuple[Unit, float]]) -> list[int]:
    """What the siblings get of one type."""
    absolute = sum(number for unit, number in entries if unit is Unit.ABSOLUTE)
    ratio = available / absolute if absolute > available else 1.0
    found = [int(number * ratio) if unit is Unit.ABSOLUTE else 0 for unit, number in entries]
    after_absolute = available - sum(found)
    for place, (unit, number) in enumerate(entries):
        if unit is Unit.PERCENT:
            found[place] = int(after_absolute * number / 100)
    rest = max(0, available - sum(found))
    weights = sum(number for unit, number in entries if unit is Unit.WEIGHT)
    for place, (unit, number) in enumerate(entries):
        if unit is Unit.WEIGHT and weights > 0:
            found[place] = rest if number == weights else int(rest * number / weights)
    return found


def _entry(value: CapacityValue, name: str) -> tuple[Unit, float]:
    for known, unit, number in value.vector:
        if known == name:
            return unit, number
    return Unit.ABSOLUTE, 0.0
