"""The comparisons and roundings of the preemption policy, for memory alone or for every type.

`compare`, `lesser` and `greater` look at two amounts as shares of a third, the base; the latter two return
one of the two whole. With the default calculator memory alone decides, but whole vectors are carried along.
Hadoop: Resources and ResourceCalculator as PreemptableResourceCalculator and the selectors use them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, inf
from typing import Final

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.yarn.resources.resource import (
    MEMORY_MB,
    NONE,
    VCORES,
    Resource,
    componentwise_max,
    componentwise_min,
)

MANDATORY: Final = (MEMORY_MB, VCORES)


class Arithmetic:
    """How amounts compare under one of the two calculators."""

    __slots__ = ("is_dominant", "is_plain", "types")

    def __init__(self, *, is_dominant: bool, types: Sequence[str] = MANDATORY) -> None:
        self.is_dominant = is_dominant
        self.types = tuple(types)
        """The resource types of the cluster."""
        self.is_plain = self.types == MANDATORY

    def compare(self, base: Resource, one: Resource, two: Resource) -> int:
        """-1, 0 or 1 as `one` is smaller than, equal to or larger than `two`, as shares of `base`."""
        if not self.is_dominant:
            return _sign(one.memory_mb - two.memory_mb)
        if one == two:
            return 0
        if not base:
            return _compare_componentwise(one, two)
        if self.is_plain and base.memory_mb and base.vcores:
            return _compare_plain(base, one, two)
        mine, theirs = self._shares(base, one), self._shares(base, two)
        return (mine > theirs) - (mine < theirs)

    def is_positive(self, base: Resource, amount: Resource) -> bool:
        """Whether the amount is above nothing."""
        if self.is_plain and (not self.is_dominant or (base.memory_mb > 0 and base.vcores > 0)):
            return self.is_above_zero(amount)
        return self.compare(base, amount, NONE) > 0

    def lesser(self, base: Resource, one: Resource, two: Resource) -> Resource:
        """The smaller of the two, whole; the first on a tie."""
        return one if self.compare(base, one, two) <= 0 else two

    def greater(self, base: Resource, one: Resource, two: Resource) -> Resource:
        """The larger of the two, whole; the first on a tie."""
        return one if self.compare(base, one, two) >= 0 else two

    def divide(self, base: Resource, one: Resource, two: Resource) -> float:
        """The ratio of the memories, or of the largest shares of `base`; a 32-bit float."""
        if not self.is_dominant:
            return _ratio(one.memory_mb, two.memory_mb)
        return _ratio(self._largest_share(base, one), self._largest_share(base, two))

    def ratio(self, one: Resource, two: Resource) -> float:
        """The ratio of the memories, or the largest ratio over all types: a 32-bit float, infinite for an
        amount over nothing.
        """
        if not self.is_dominant:
            return _ratio(one.memory_mb, two.memory_mb)
        return max(_ratio(one.value(name), two.value(name)) for name in self.types)

    def share(self, amount: Resource, weights: Mapping[str, float]) -> Resource:
        """Each type's amount times its weight, rounded: memory half up, or every type up."""
        if not self.is_dominant:
            return _of_memory(amount.memory_mb * weights.get(MEMORY_MB, 0.0))
        if self.is_plain:
            memory, vcores = weights.get(MEMORY_MB, 0.0), weights.get(VCORES, 0.0)
            return Resource(ceil(amount.memory_mb * memory), ceil(amount.vcores * vcores))
        return Resource.of({name: ceil(amount.value(name) * weights.get(name, 0.0)) for name in self.types})

    def scale(self, amount: Resource, factor: float) -> Resource:
        """Every type times one factor, rounded in the same way, but to a 32-bit float first, as Hadoop
        does not with weights.
        """
        if not self.is_dominant:
            return _of_memory(amount.memory_mb * factor)
        return Resource.of({name: ceil(float32(amount.value(name) * factor)) for name in self.types})

    def is_lowered(self, base: Resource, amount: Resource, by: Resource) -> bool:
        """Whether the amount counts for less without `by`, neither taken below nothing."""
        if self.is_plain and by.memory_mb >= 0 and by.vcores >= 0:
            # No type is larger afterwards: then one that is smaller decides.
            is_less = amount.memory_mb > 0 and by.memory_mb > 0
            if not self.is_dominant:
                return is_less
            if base.memory_mb > 0 and base.vcores > 0:
                return is_less or (amount.vcores > 0 and by.vcores > 0)
        return self.compare(base, not_below_zero(amount - by), not_below_zero(amount)) < 0

    def fits(self, smaller: Resource, larger: Resource) -> bool:
        """By memory, or in every type."""
        return smaller.fits_in(larger) if self.is_dominant else smaller.memory_mb <= larger.memory_mb

    def is_above_zero(self, amount: Resource) -> bool:
        """Whether any type that counts is above zero."""
        if not self.is_dominant:
            return amount.memory_mb > 0
        if self.is_plain:
            return amount.memory_mb > 0 or amount.vcores > 0
        return any(amount.value(name) > 0 for name in self.types)

    def is_any_zero_or_negative(self, amount: Resource) -> bool:
        """Whether any type that counts is at or below zero."""
        if not self.is_dominant:
            return amount.memory_mb <= 0
        if self.is_plain:
            return amount.memory_mb <= 0 or amount.vcores <= 0
        return any(amount.value(name) <= 0 for name in self.types)

    def _shares(self, base: Resource, amount: Resource) -> list[float]:
        """The largest share first; a type that the base lacks has a share of nothing and counts for neither
        side.
        """
        shares = [amount.value(name) / whole for name in self.types if (whole := base.value(name))]
        shares.sort(reverse=True)
        return shares

    def _largest_share(self, base: Resource, amount: Resource) -> float:
        if self.is_plain and base.memory_mb and base.vcores:
            memory, vcores = amount.memory_mb / base.memory_mb, amount.vcores / base.vcores
            larger = memory if memory >= vcores else vcores
            return larger if larger > 0.0 else 0.0
        return max([0.0, *self._shares(base, amount)])


def truncate(amount: Resource, factor: float) -> Resource:
    """Every type times the factor, cut off towards zero."""
    if not amount.others:
        return Resource(int(amount.memory_mb * factor), int(amount.vcores * factor))
    return Resource.of({name: int(value * factor) for name, value in amount.items()})


def not_below_zero(amount: Resource) -> Resource:
    """Every type, at least zero."""
    if amount.memory_mb >= 0 and amount.vcores >= 0 and not amount.others:
        return amount
    return componentwise_max(amount, NONE)


def without_zeros(amount: Resource, types: Sequence[str]) -> Resource:
    """The amount, with -1 for every type that is exactly zero."""
    if not amount.others and len(types) == len(MANDATORY):
        if amount.memory_mb and amount.vcores:
            return amount
        return Resource(amount.memory_mb or -1, amount.vcores or -1)
    return Resource.of({name: amount.value(name) or -1 for name in types})


def componentwise(one: Resource, two: Resource) -> Resource:
    """The smaller amount of each type."""
    return componentwise_min(one, two)


def _of_memory(memory_mb: float) -> Resource:
    memory = floor(memory_mb + 0.5)
    return Resource(memory, 1 if memory > 0 else 0)


def _ratio(one: float, two: float) -> float:
    if two:
        return float32(one / two)
    return inf if one else 0.0


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _compare_plain(base: Resource, one: Resource, two: Resource) -> int:
    """With memory and vcores alone: the larger share decides, else the smaller one."""
    memory, vcores = one.memory_mb / base.memory_mb, one.vcores / base.vcores
    its_memory, its_vcores = two.memory_mb / base.memory_mb, two.vcores / base.vcores
    more, less = (memory, vcores) if memory >= vcores else (vcores, memory)
    its_more, its_less = (its_memory, its_vcores) if its_memory >= its_vcores else (its_vcores, its_memory)
    if more != its_more:
        return 1 if more > its_more else -1
    return (less > its_less) - (less < its_less)


def _compare_componentwise(one: Resource, two: Resource) -> int:
    if one.fits_in(two):
        return -1
    return 1 if two.fits_in(one) else 0
