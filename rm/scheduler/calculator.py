"""How resources compare, divide and round: by memory alone, or by the dominant share of every type.

Functions of amounts; they know no queue. Ratios are 32-bit floats as in Hadoop, so that a rounding here is a
rounding there. Hadoop: ResourceCalculator, DefaultResourceCalculator, DominantResourceCalculator and
Resources.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from array import array
from typing import ClassVar, Final

from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.resources.resource import (
    NONE,
    Resource,
    combine,
    componentwise_max,
    componentwise_min,
    map_values,
)

_CELL: Final = array("f", [0.0])
_SPLIT: Final = 536870913.0
"""2^29 + 1: of the 53 bits of a float it parts 24 from 29."""


def float32(value: float) -> float:
    """The nearest 32-bit float, of two equally near ones the even one."""
    # Called at every booking. Veltkamp's way to split a number leaves its 24 upper bits, rounded to the
    # nearest; that all 2^23 ties of a binade end at the even one has been tried. What a 32-bit float has not
    # in full goes through a cell of an array.
    if 1e-37 < abs(value) < 1e38:
        bound = value * _SPLIT
        return bound - (bound - value)
    _CELL[0] = value  # which remembers nothing: whoever writes it reads it in the next step
    return _CELL[0]


def round_up(value: int, step: int) -> int:
    """The next multiple of `step`; the value itself when the step is 0. What is negative is divided as Java
    divides, towards zero, with all but one of a step added first.
    """
    if step == 0 or value >= 0:
        return value if step == 0 else -(-value // step) * step
    return -(max(1 - value - step, 0) // step) * step


def round_down(value: int, step: int) -> int:
    """The multiple of `step` next to `value`, towards zero; the value itself when the step is 0.

    See tests/scenarios/queues/headroom-below-nothing.yaml.
    """
    if step == 0:
        return value
    return value // step * step if value >= 0 else -(-value // step) * step


def divide_up(value: int, divisor: int) -> int:
    """Division, rounded up; 0 by a divisor of 0."""
    return 0 if divisor == 0 else -(-value // divisor)


def multiply(resource: Resource, factor: float) -> Resource:
    """Each amount times the factor, in double, cut off (Resources.multiply)."""
    if not resource.others:
        return Resource(int(resource.memory_mb * factor), int(resource.vcores * factor))
    return map_values(lambda name, value: int(value * factor), resource)


def divide_all_up(resource: Resource, divisor: int) -> Resource:
    """Each amount by an integer, rounded up (Resources.divideAndCeil)."""
    if not resource.others:
        return Resource(divide_up(resource.memory_mb, divisor), divide_up(resource.vcores, divisor))
    return map_values(lambda name, value: divide_up(value, divisor), resource)


def divide_up_float(value: int, divisor: float) -> int:
    """ceil(value / divisor) as Java computes it: in 32-bit floats; 0 by 0."""
    if not divisor:
        return 0
    return math.ceil(float32(float32(value) / divisor))


@mypyc_attr(allow_interpreted_subclasses=True)
class Calculator(ABC):
    """What the schedulers ask of a resource calculator."""

    is_multi_dimensional: ClassVar[bool]

    @abstractmethod
    def compare(self, cluster: Resource, one: Resource, two: Resource) -> int:
        """Negative, zero or positive as `one` is smaller than, equal to or larger than `two`."""

    @abstractmethod
    def fits_in(self, smaller: Resource, larger: Resource) -> bool:
        """Whether no amount that counts exceeds that of `larger`."""

    @abstractmethod
    def sum_fits_in(self, one: Resource, two: Resource, larger: Resource) -> bool:
        """Whether both together fit."""

    @abstractmethod
    def ratio(self, one: Resource, two: Resource) -> float:
        """The larger of the ratios of the amounts that count."""

    @abstractmethod
    def divide(self, cluster: Resource, numerator: Resource, denominator: Resource) -> float:
        """The ratio of the two as shares of the cluster."""

    @abstractmethod
    def container_count(self, available: Resource, required: Resource) -> int:
        """How many containers of `required` there is room for."""

    @abstractmethod
    def normalize(self, asked: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
        """At least the minimum, rounded up to a multiple of the step, then cut to the maximum."""

    @abstractmethod
    def min_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """The smaller of the two, whole; the first on a tie."""

    @abstractmethod
    def max_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """The larger of the two, whole; the first on a tie."""

    @abstractmethod
    def up(self, resource: Resource, step: Resource) -> Resource:
        """Rounded up to a multiple of the step."""

    @abstractmethod
    def down(self, resource: Resource, step: Resource) -> Resource:
        """Rounded down to a multiple of the step."""

    def sum_down(self, one: Resource, two: Resource, step: Resource) -> Resource:
        """Both together, rounded down to a multiple of the step."""
        return self.down(one + two, step)

    @abstractmethod
    def multiply_up(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Times the factor, then rounded up to a multiple of the step (multiplyAndNormalizeUp)."""

    @abstractmethod
    def multiply_down(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Times the factor, then rounded down to a multiple of the step (multiplyAndNormalizeDown)."""

    @abstractmethod
    def divide_up(self, resource: Resource, divisor: float) -> Resource:
        """By a float, rounded up; nothing by 0 (divideAndCeil)."""

    @abstractmethod
    def is_any_positive(self, resource: Resource) -> bool:
        """Whether an amount that counts is above zero (isAnyMajorResourceAboveZero)."""


@mypyc_attr(allow_interpreted_subclasses=True)
class DefaultResourceCalculator(Calculator):
    """Memory alone counts. What it makes has one vcore, and no other types."""

    is_multi_dimensional: ClassVar[bool] = False

    def compare(self, cluster: Resource, one: Resource, two: Resource) -> int:
        """By memory."""
        return one.memory_mb - two.memory_mb

    def fits_in(self, smaller: Resource, larger: Resource) -> bool:
        """By memory."""
        return smaller.memory_mb <= larger.memory_mb

    def sum_fits_in(self, one: Resource, two: Resource, larger: Resource) -> bool:
        """By memory."""
        return one.memory_mb + two.memory_mb <= larger.memory_mb

    def ratio(self, one: Resource, two: Resource) -> float:
        """Of the memories; 0 by 0."""
        if not two.memory_mb:
            return 0.0
        value = one.memory_mb / two.memory_mb
        bound = value * _SPLIT  # float32 without a call: no memory is near its bounds
        return bound - (bound - value)

    def divide(self, cluster: Resource, numerator: Resource, denominator: Resource) -> float:
        """Of the memories; 0 by 0."""
        if not denominator.memory_mb:
            return 0.0
        value = numerator.memory_mb / denominator.memory_mb
        bound = value * _SPLIT  # float32 without a call: no memory is near its bounds
        return bound - (bound - value)

    def container_count(self, available: Resource, required: Resource) -> int:
        """By memory."""
        return available.memory_mb // required.memory_mb if required.memory_mb else 0

    def normalize(self, asked: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
        """Memory is rounded; the result has exactly one vcore, whatever was asked, and no other types."""
        memory = round_up(max(asked.memory_mb, minimum.memory_mb), step.memory_mb)
        return memory_alone(min(memory, maximum.memory_mb))

    def min_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """By memory."""
        return one if one.memory_mb <= two.memory_mb else two

    def max_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """By memory."""
        return one if one.memory_mb >= two.memory_mb else two

    def up(self, resource: Resource, step: Resource) -> Resource:
        """Memory."""
        return memory_alone(round_up(resource.memory_mb, step.memory_mb))

    def down(self, resource: Resource, step: Resource) -> Resource:
        """Memory."""
        memory, multiple = resource.memory_mb, step.memory_mb
        if multiple:
            memory -= memory % multiple if memory >= 0 else -(-memory % multiple)
        return Resource(memory, 1 if memory > 0 else 0) if memory else NONE

    def sum_down(self, one: Resource, two: Resource, step: Resource) -> Resource:
        """Memory."""
        memory, multiple = one.memory_mb + two.memory_mb, step.memory_mb
        if multiple:
            memory -= memory % multiple if memory >= 0 else -(-memory % multiple)
        return Resource(memory, 1 if memory > 0 else 0) if memory else NONE

    def multiply_up(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Memory, rounded half up before the step counts."""
        return memory_alone(round_up(int(resource.memory_mb * factor + 0.5), step.memory_mb))

    def multiply_down(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Memory."""
        memory, multiple = int(resource.memory_mb * factor), step.memory_mb
        if multiple:
            memory -= memory % multiple if memory >= 0 else -(-memory % multiple)
        return Resource(memory, 1 if memory > 0 else 0) if memory else NONE

    def divide_up(self, resource: Resource, divisor: float) -> Resource:
        """Memory."""
        return memory_alone(divide_up_float(resource.memory_mb, divisor))

    def is_any_positive(self, resource: Resource) -> bool:
        """Memory."""
        return resource.memory_mb > 0


class DominantResourceCalculator(Calculator):
    """Every type counts; resources compare by their largest share of the cluster, then by the next."""

    is_multi_dimensional: ClassVar[bool] = True

    def compare(self, cluster: Resource, one: Resource, two: Resource) -> int:
        """By the shares of the cluster in descending order; without a cluster, component by component."""
        if one.memory_mb == two.memory_mb and one.vcores == two.vcores and one.others == two.others:
            return 0
        if not cluster:
            return _compare_components(one, two)
        if not cluster.others and cluster.memory_mb and cluster.vcores:
            # By far the most frequent case, and asked at every step down the tree.
            memory, vcores = cluster.memory_mb, cluster.vcores
            a, b = one.memory_mb / memory, one.vcores / vcores
            c, d = two.memory_mb / memory, two.vcores / vcores
            if a < b:
                a, b = b, a
            if c < d:
                c, d = d, c
            if a != c:
                return -1 if a < c else 1
            return 0 if b == d else -1 if b < d else 1
        for left, right in zip(_shares(cluster, one), _shares(cluster, two), strict=True):
            if left != right:
                return -1 if left < right else 1
        return 0

    def fits_in(self, smaller: Resource, larger: Resource) -> bool:
        """In every type."""
        return smaller.fits_in(larger)

    def sum_fits_in(self, one: Resource, two: Resource, larger: Resource) -> bool:
        """In every type."""
        return (one + two).fits_in(larger)

    def ratio(self, one: Resource, two: Resource) -> float:
        """The largest ratio over all types; types of which `two` has nothing do not count."""
        return max(
            (float32(value / two.value(name)) for name, value in one.items() if two.value(name)), default=0.0
        )

    def divide(self, cluster: Resource, numerator: Resource, denominator: Resource) -> float:
        """The largest share of the one by the largest share of the other."""
        above = _shares(cluster, numerator)
        below = _shares(cluster, denominator)
        return float32(above[0] / below[0]) if above and below and below[0] else 0.0

    def container_count(self, available: Resource, required: Resource) -> int:
        """The smallest count over the types that are required."""
        counts = [available.value(name) // value for name, value in required.items() if value > 0]
        return min(counts, default=0)

    def normalize(self, asked: Resource, minimum: Resource, maximum: Resource, step: Resource) -> Resource:
        """Each type by itself."""
        raised = combine(round_up, componentwise_max(asked, minimum), step)
        return componentwise_min(raised, maximum)

    def min_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """By their shares."""
        return one if self.compare(cluster, one, two) <= 0 else two

    def max_of(self, cluster: Resource, one: Resource, two: Resource) -> Resource:
        """By their shares."""
        return one if self.compare(cluster, one, two) >= 0 else two

    def up(self, resource: Resource, step: Resource) -> Resource:
        """Each type."""
        return combine(round_up, resource, step)

    def down(self, resource: Resource, step: Resource) -> Resource:
        """Each type."""
        return combine(round_down, resource, step)

    def multiply_up(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Each type, the product as a 32-bit float."""
        product = map_values(lambda name, value: math.ceil(float32(value * factor)), resource)
        return combine(round_up, product, step)

    def multiply_down(self, resource: Resource, factor: float, step: Resource) -> Resource:
        """Each type."""
        return combine(round_down, multiply(resource, factor), step)

    def divide_up(self, resource: Resource, divisor: float) -> Resource:
        """Each type."""
        return map_values(lambda name, value: divide_up_float(value, divisor), resource)

    def is_any_positive(self, resource: Resource) -> bool:
        """Any type."""
        return resource.memory_mb > 0 or resource.vcores > 0 or any(value > 0 for _, value in resource.others)


def memory_alone(memory_mb: int) -> Resource:
    """What DefaultResourceCalculator makes of an amount of memory."""
    return Resource(memory_mb, 1 if memory_mb > 0 else 0) if memory_mb else NONE


def _shares(cluster: Resource, resource: Resource) -> list[float]:
    shares = [resource.value(name) / value for name, value in cluster.items() if value]
    return sorted(shares, reverse=True)


def _compare_components(one: Resource, two: Resource) -> int:
    if one.fits_in(two):
        return -1
    if two.fits_in(one):
        return 1
    return 0


DEFAULT_CALCULATOR: Final = DefaultResourceCalculator()
DOMINANT_CALCULATOR: Final = DominantResourceCalculator()
