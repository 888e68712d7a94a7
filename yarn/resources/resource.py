"""Resource: amounts of memory, vcores and any further resource types. Immutable, made of integers.

Memory is in MiB. Further types (`yarn.io/gpu`) stand in `others`, sorted by name, zero amounts left out, so
that two equal amounts are equal objects. Knows nothing of limits, shares or units: which types exist is the
business of yarn/resources/resource_types.py, how amounts compare as shares that of
rm/scheduler/calculator.py. Hadoop: Resource and the plain arithmetic of Resources.

This is the most created object of the project: the arithmetic takes a short way when neither side has other
types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import add, sub
from typing import Final

from yarnbox.yarn.compiled import mypyc_attr

MEMORY_MB: Final = "memory-mb"
VCORES: Final = "vcores"

Others = tuple[tuple[str, int], ...]


@mypyc_attr(acyclic=True, free_list_len=1)
class Resource:
    """An amount of each resource type; a type that is not named is zero. Never changed after it was made."""

    __slots__ = ("memory_mb", "others", "vcores")

    def __init__(self, memory_mb: int = 0, vcores: int = 0, others: Others = ()) -> None:
        self.memory_mb: Final = memory_mb
        self.vcores: Final = vcores
        self.others: Final = others

    @classmethod
    def of(cls, amounts: Mapping[str, int]) -> Resource:
        """The resource with these amounts by type name (`memory-mb`, `vcores`, and others)."""
        others = _others((name, value) for name, value in amounts.items() if name not in (MEMORY_MB, VCORES))
        return cls(amounts.get(MEMORY_MB, 0), amounts.get(VCORES, 0), others)

    def value(self, name: str) -> int:
        """The amount of one type, by name; 0 for a type it does not have."""
        if name == MEMORY_MB:
            return self.memory_mb
        if name == VCORES:
            return self.vcores
        for other, value in self.others:
            if other == name:
                return value
        return 0

    def items(self) -> Iterator[tuple[str, int]]:
        """Every type and its amount, memory and vcores first."""
        yield MEMORY_MB, self.memory_mb
        yield VCORES, self.vcores
        yield from self.others

    def as_dict(self) -> dict[str, int]:
        """The amounts by type name."""
        return dict(self.items())

    def __add__(self, other: Resource) -> Resource:
        if not self.others and not other.others:
            return Resource(self.memory_mb + other.memory_mb, self.vcores + other.vcores)
        return combine(add, self, other)  # a lambda here would cost at every call when compiled

    def __sub__(self, other: Resource) -> Resource:
        if not self.others and not other.others:
            return Resource(self.memory_mb - other.memory_mb, self.vcores - other.vcores)
        return combine(sub, self, other)

    def __mul__(self, times: int) -> Resource:
        if not self.others:
            return Resource(self.memory_mb * times, self.vcores * times)
        others = tuple((name, value * times) for name, value in self.others) if times else ()
        return Resource(self.memory_mb * times, self.vcores * times, others)

    def __neg__(self) -> Resource:
        return Resource(-self.memory_mb, -self.vcores) if not self.others else self * -1

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Resource)
            and self.memory_mb == other.memory_mb
            and self.vcores == other.vcores
            and self.others == other.others
        )

    def __hash__(self) -> int:
        return hash((self.memory_mb, self.vcores, self.others))

    def __bool__(self) -> bool:
        """True unless every amount is zero."""
        return self.memory_mb != 0 or self.vcores != 0 or bool(self.others)

    def fits_in(self, larger: Resource) -> bool:
        """Whether no amount exceeds that of `larger`, whatever the type (Resources.fitsIn)."""
        if self.memory_mb > larger.memory_mb or self.vcores > larger.vcores:
            return False
        if not self.others and not larger.others:
            return True
        return all(mine <= theirs for _, mine, theirs in _pairs(self, larger))

    def is_negative(self) -> bool:
        """Whether any amount is below zero."""
        if self.memory_mb < 0 or self.vcores < 0:
            return True
        return bool(self.others) and any(value < 0 for _, value in self.others)

    def __repr__(self) -> str:
        others = "".join(f", {name}: {value}" for name, value in self.others)
        return f"<memory:{self.memory_mb}, vCores:{self.vcores}{others}>"

    def __reduce__(self) -> tuple[type[Resource], tuple[int, int, Others]]:
        return Resource, (self.memory_mb, self.vcores, self.others)


NONE: Final = Resource()
"""Nothing of anything."""


def combine(function: Callable[[int, int], int], one: Resource, two: Resource) -> Resource:
    """Applies `function` to the amounts of every type that either has."""
    if not one.others and not two.others:
        return Resource(function(one.memory_mb, two.memory_mb), function(one.vcores, two.vcores))
    others = _others((name, function(a, b)) for name, a, b in _pairs(one, two))
    return Resource(function(one.memory_mb, two.memory_mb), function(one.vcores, two.vcores), others)


def exchanged(whole: Resource, before: Resource, after: Resource) -> Resource:
    """A sum in which a part was `before` and is `after` now."""
    if not whole.others and not before.others and not after.others:
        return Resource(
            whole.memory_mb - before.memory_mb + after.memory_mb, whole.vcores - before.vcores + after.vcores
        )
    return whole - before + after


def map_values(function: Callable[[str, int], int], resource: Resource) -> Resource:
    """Applies `function` to each type's name and amount."""
    if not resource.others:
        return Resource(function(MEMORY_MB, resource.memory_mb), function(VCORES, resource.vcores))
    return Resource(
        function(MEMORY_MB, resource.memory_mb),
        function(VCORES, resource.vcores),
        _others((name, function(name, value)) for name, value in resource.others),
    )


def componentwise_min(one: Resource, two: Resource) -> Resource:
    """The smaller amount of each type."""
    if not one.others and not two.others:
        return Resource(
            one.memory_mb if one.memory_mb < two.memory_mb else two.memory_mb,
            one.vcores if one.vcores < two.vcores else two.vcores,
        )
    return combine(min, one, two)


def componentwise_max(one: Resource, two: Resource) -> Resource:
    """The larger amount of each type."""
    if not one.others and not two.others:
        return Resource(
            one.memory_mb if one.memory_mb > two.memory_mb else two.memory_mb,
            one.vcores if one.vcores > two.vcores else two.vcores,
        )
    return combine(max, one, two)


def less(one: Resource, two: Resource) -> Resource:
    """What is left of the one when the other is taken away: memory and vcores not below zero. Of further
    types there may be less than nothing, as in Hadoop (Resources.subtractNonNegative).

    See tests/scenarios/queues/headroom-of-further-types.yaml.
    """
    left = one - two
    if left.memory_mb >= 0 and left.vcores >= 0:
        return left
    return Resource(max(left.memory_mb, 0), max(left.vcores, 0), left.others)


def total(amounts: Iterable[Resource]) -> Resource:
    """The sum of all."""
    memory_mb = vcores = 0
    rare = NONE
    for one in amounts:
        if one.others:
            rare = rare + one
        else:
            memory_mb += one.memory_mb
            vcores += one.vcores
    if memory_mb == 0 and vcores == 0:
        return rare
    common = Resource(memory_mb, vcores)
    return rare + common if rare is not NONE else common


def _others(items: Iterable[tuple[str, int]]) -> Others:
    return tuple(sorted((name, value) for name, value in items if value != 0))


def _pairs(one: Resource, two: Resource) -> Iterator[tuple[str, int, int]]:
    mine, theirs = dict(one.others), dict(two.others)
    for name in sorted(mine.keys() | theirs.keys()):
        yield name, mine.get(name, 0), theirs.get(name, 0)
