"""Policies: which sibling is served first, how their parent's share is divided, headroom, starvation.

`fair` looks at memory alone, `drf` at the dominant share of every type, `fifo` at the start time. Functions
of amounts: a policy gets Schedulables and never sees a queue or an application. A user's own policy is a
class that derives from Policy and is named by its dotted path. Hadoop: SchedulingPolicy, FairSharePolicy,
DominantResourceFairnessPolicy and FifoPolicy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from yarnbox.rm.scheduler.calculator import (
    DOMINANT_CALCULATOR,
    Calculator,
    DefaultResourceCalculator,
    float32,
)
from yarnbox.rm.scheduler.custom import checked, object_named
from yarnbox.rm.scheduler.fair.queues.shares import Claim, compute_free_shares, compute_shares
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource, componentwise_min

_HADOOP = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.policies."
_MEMORY_CALCULATOR = DefaultResourceCalculator()

Key = tuple[float, ...]


class Schedulable(NamedTuple):
    """The present figures of one sibling, a queue or an application. Hadoop: Schedulable."""

    weight: float
    min_share: Resource
    max_share: Resource
    demand: Resource
    used: Resource
    fair_share: Resource
    """The share as it was computed last."""
    start_ms: int
    name: bytes
    """In UTF-16, as Java compares names."""
    is_active: bool = True


def capped_by_demand(schedulable: Schedulable) -> Schedulable:
    """The same for one whose share must not be larger than its demand: the published rule."""
    return schedulable._replace(
        min_share=componentwise_min(schedulable.min_share, schedulable.demand),
        max_share=componentwise_min(schedulable.max_share, schedulable.demand),
    )


@mypyc_attr(allow_interpreted_subclasses=True)
class Policy(ABC):
    """What a policy decides. It is made for the cluster's resource types."""

    name: ClassVar[str]
    calculator: ClassVar[Calculator] = _MEMORY_CALCULATOR
    is_for_leaves_only: ClassVar[bool] = False
    shares_follow_use: ClassVar[bool] = True
    """Whether shares depend on demand or use; those of the policies here follow weights and bounds alone."""

    def __init__(self, types: tuple[str, ...]) -> None:
        self.types = types

    @abstractmethod
    def compare(self, one: Schedulable, two: Schedulable, cluster: Resource) -> float:
        """Negative, zero or positive as `one` is served before `two`, alike, or after it."""

    @abstractmethod
    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """The fair share of each, in their order."""

    def steady_shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """The shares of queues if all were active; what is in `fair_share` is the steady share of before."""
        return self.shares([one._replace(is_active=True) for one in siblings], total)

    def application_shares(
        self, weights: Sequence[float], before: Sequence[Resource], total: Resource
    ) -> list[Resource] | None:
        """What `shares` gives to applications, which bring weights alone and the shares that they had before.

        None where that does not tell: then `shares` is asked.
        """
        return None

    def order_key(self, schedulable: Schedulable, cluster: Resource) -> Key | None:
        """A key that sorts as `compare` does, start time and name left out; None where there is none.

        Siblings with keys are kept in order and never sorted anew. A policy of a user need not have keys.
        """
        return None

    def allows_child(self, child: Policy) -> bool:
        """Whether a queue of this policy may have a child of that policy."""
        return True

    def headroom(self, fair_share: Resource, used: Resource, available: Resource) -> Resource:
        """What an application of the queue may still ask for, of what is available at all."""
        left = max(fair_share.memory_mb - used.memory_mb, 0)
        return Resource(min(available.memory_mb, left), available.vcores)

    def is_below(self, used: Resource, share: Resource, cluster: Resource) -> bool:
        """Whether the one is less than the other, looking at a single type."""
        return used.memory_mb < share.memory_mb


def by_start(one: Schedulable, two: Schedulable) -> int:
    """The end of every comparison: the earlier start, then the smaller name."""
    if one.start_ms != two.start_ms:
        return -1 if one.start_ms < two.start_ms else 1
    if one.name != two.name:
        return -1 if one.name < two.name else 1
    return 0


@mypyc_attr(allow_interpreted_subclasses=True)
class FairPolicy(Policy):
    """Memory per weight; queues below their minimum share go first."""

    name: ClassVar[str] = "fair"
    shares_follow_use: ClassVar[bool] = False

    def compare(self, one: Schedulable, two: Schedulable, cluster: Resource) -> float:
        """By their keys: memory alone leaves no two that cannot be compared."""
        first, second = self.order_key(one, cluster), self.order_key(two, cluster)
        if first != second:
            return -1 if first < second else 1
        return by_start(one, two)

    def order_key(self, schedulable: Schedulable, cluster: Resource) -> Key:
        """Demand at all; need; need's ratio; weight at all; use per weight."""
        demand, used, weight = schedulable.demand.memory_mb, schedulable.used.memory_mb, schedulable.weight
        asks_nothing = demand == 0
        least = schedulable.min_share.memory_mb
        if least > demand:
            least = demand
        is_content, ratio = True, 0.0
        if used < least:
            is_content, ratio = False, (used / least if least > 1 else float(used))
        if weight > 0.0:
            return (asks_nothing, is_content, ratio, False, used / weight, 0)
        # Without weight: after all others, the larger weight first, then plain use.
        return (asks_nothing, is_content, ratio, True, -weight, used)

    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """Memory is divided; of the other types everybody keeps what he had."""
        found = compute_shares([_claim(one, MEMORY_MB) for one in siblings], total.memory_mb)
        return [_with_memory(one.fair_share, memory) for one, memory in zip(siblings, found, strict=True)]

    def application_shares(
        self, weights: Sequence[float], before: Sequence[Resource], total: Resource
    ) -> list[Resource] | None:
        """The same from weights and former shares alone; None for a subclass, which may differ."""
        if type(self) is not FairPolicy:
            return None
        found = compute_free_shares(weights, total.memory_mb)
        return [_with_memory(share, memory) for share, memory in zip(before, found, strict=True)]

    def allows_child(self, child: Policy) -> bool:
        """Not drf: its vcore shares would have nothing to divide."""
        return not isinstance(child, DominantResourceFairnessPolicy)


@mypyc_attr(allow_interpreted_subclasses=True)
class FifoPolicy(Policy):
    """First come, first served; in leaves alone."""

    name: ClassVar[str] = "FIFO"
    shares_follow_use: ClassVar[bool] = False
    is_for_leaves_only: ClassVar[bool] = True

    def compare(self, one: Schedulable, two: Schedulable, cluster: Resource) -> float:
        """By start alone."""
        return by_start(one, two)

    def order_key(self, schedulable: Schedulable, cluster: Resource) -> Key:
        """Nothing but the start time, which is added to every key."""
        return ()

    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """The earliest gets all; the others keep what they had."""
        earliest = min(range(len(siblings)), key=lambda place: siblings[place].start_ms, default=-1)
        return [total if place == earliest else one.fair_share for place, one in enumerate(siblings)]

    def steady_shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """None are computed."""
        return [one.fair_share for one in siblings]

    def allows_child(self, child: Policy) -> bool:
        """A fifo queue has no children."""
        return False


@mypyc_attr(allow_interpreted_subclasses=True)
class DominantResourceFairnessPolicy(Policy):
    """The largest share of the cluster that somebody has of any type, per weight."""

    name: ClassVar[str] = "DRF"
    shares_follow_use: ClassVar[bool] = False
    calculator: ClassVar[Calculator] = DOMINANT_CALCULATOR

    def compare(self, one: Schedulable, two: Schedulable, cluster: Resource) -> float:
        """A ratio that is no number (nothing by a weight of nothing) counts as equal to any other."""
        first, second = self._ratios(one, cluster), self._ratios(two, cluster)
        if first[0] != second[0]:
            return -1 if first[0] < second[0] else 1
        for left, right in zip(first[1:], second[1:], strict=True):
            if left < right:
                return -1
            if left > right:
                return 1
        return by_start(one, two)

    def order_key(self, schedulable: Schedulable, cluster: Resource) -> Key | None:
        """Need, then the ratios; None if one of them is no number."""
        ratios = self._ratios(schedulable, cluster)
        for ratio in ratios:
            if ratio != ratio:
                return None
        return ratios

    def _ratios(self, schedulable: Schedulable, cluster: Resource) -> Key:
        """0 for the needy and 1 for others; the ratios in the order in which they are compared."""
        if len(self.types) != 2:
            return self._ratios_of_many(schedulable, cluster)
        used, least = schedulable.used, schedulable.min_share
        memory = used.memory_mb / cluster.memory_mb if cluster.memory_mb else 0.0
        vcores = used.vcores / cluster.vcores if cluster.vcores else 0.0
        weight = schedulable.weight
        if vcores > memory:
            if used.vcores < least.vcores:
                return (
                    0.0,
                    used.vcores / least.vcores,
                    _ratio(used.memory_mb, least.memory_mb, used.vcores),
                )
            first, second = vcores, memory
        else:
            if used.memory_mb < least.memory_mb:
                return (
                    0.0,
                    used.memory_mb / least.memory_mb,
                    _ratio(used.vcores, least.vcores, used.memory_mb),
                )
            first, second = memory, vcores
        if weight:
            return (1.0, first / weight, second / weight)
        return (1.0, _by_nothing(first), _by_nothing(second))

    def _ratios_of_many(self, schedulable: Schedulable, cluster: Resource) -> Key:
        """With further types: ranked by share, ratios as 32-bit floats."""
        rows = []
        for name in self.types:
            used, least, there = (
                schedulable.used.value(name),
                schedulable.min_share.value(name),
                cluster.value(name),
            )
            share = float32(used / there) if there else 0.0
            rows.append((share, used, least))
        dominant = max(rows, key=lambda row: row[0])  # the first among equals
        is_needy = dominant[1] < dominant[2]
        ranked = sorted(rows, key=lambda row: -row[0])
        if is_needy:
            anything = 1 if schedulable.used else 0
            return (0.0, *(float32(_ratio(used, least, anything)) for _, used, least in ranked))
        weight = schedulable.weight
        if weight:
            return (1.0, *(float32(share / weight) for share, _, _ in ranked))
        return (1.0, *(_by_nothing(share) for share, _, _ in ranked))

    def shares(self, siblings: Sequence[Schedulable], total: Resource) -> list[Resource]:
        """Every type by itself."""
        columns = [
            compute_shares([_claim(one, name) for one in siblings], total.value(name)) for name in self.types
        ]
        return self._rows(columns)

    def application_shares(
        self, weights: Sequence[float], before: Sequence[Resource], total: Resource
    ) -> list[Resource] | None:
        """The same from weights and former shares alone; None for a subclass, which may differ."""
        if type(self) is not DominantResourceFairnessPolicy:
            return None
        return self._rows([compute_free_shares(weights, total.value(name)) for name in self.types])

    def _rows(self, columns: Sequence[Sequence[int]]) -> list[Resource]:
        if len(self.types) == 2:
            return [Resource(memory, vcores) for memory, vcores in zip(*columns, strict=True)]
        return [Resource.of(dict(zip(self.types, row, strict=True))) for row in zip(*columns, strict=True)]

    def headroom(self, fair_share: Resource, used: Resource, available: Resource) -> Resource:
        """Memory and vcores are bounded by the share."""
        memory = max(fair_share.memory_mb - used.memory_mb, 0)
        vcores = max(fair_share.vcores - used.vcores, 0)
        return Resource(min(available.memory_mb, memory), min(available.vcores, vcores))

    def is_below(self, used: Resource, share: Resource, cluster: Resource) -> bool:
        """Largest share of the cluster against largest share."""
        if used == share:
            return False
        if not cluster:
            return DOMINANT_CALCULATOR.compare(cluster, used, share) < 0
        return _largest_share(used, cluster) < _largest_share(share, cluster)


def _with_memory(share: Resource, memory: int) -> Resource:
    return share if share.memory_mb == memory else Resource(memory, share.vcores, share.others)


def _largest_share(resource: Resource, cluster: Resource) -> float:
    return max((resource.value(name) / there for name, there in cluster.items() if there), default=0.0)


def _ratio(used: int, least: int, anything: int) -> float:
    """Of a minimum share; without one infinite, or no number at all.

    Who uses nothing has no number either, but is then equal to all others of the same ratio: 0 says so, too.
    """
    if least:
        return used / least
    if used:
        return math.inf
    return math.nan if anything else 0.0


def _by_nothing(share: float) -> float:
    return math.inf if share else math.nan


def _claim(one: Schedulable, name: str) -> Claim:
    if name == MEMORY_MB:
        return Claim(one.weight, one.min_share.memory_mb, one.max_share.memory_mb, one.is_active)
    if name == VCORES:
        return Claim(one.weight, one.min_share.vcores, one.max_share.vcores, one.is_active)
    return Claim(one.weight, one.min_share.value(name), one.max_share.value(name), one.is_active)


_BUILT_IN: dict[str, type[Policy]] = {
    "fair": FairPolicy,
    "fifo": FifoPolicy,
    "drf": DominantResourceFairnessPolicy,
    _HADOOP + "FairSharePolicy": FairPolicy,
    _HADOOP + "FifoPolicy": FifoPolicy,
    _HADOOP + "DominantResourceFairnessPolicy": DominantResourceFairnessPolicy,
}


def policy_class(text: str) -> type[Policy]:
    """The policy of that name, or the class at that dotted path. ValueError when there is none."""
    known = _BUILT_IN.get(text) or _BUILT_IN.get(text.lower())
    if known is not None:
        return known
    path = text.replace(":", ".")
    try:
        found = object_named(path)
    except LookupError as error:
        raise ValueError(f"{text} SchedulingPolicy class not found! ({error})") from error
    try:
        return checked(path, found, Policy)  # type: ignore[type-abstract]
    except LookupError as error:
        raise ValueError(f"{text} does not extend SchedulingPolicy ({error})") from error
