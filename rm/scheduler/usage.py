"""The books: what is used, pending, reserved and used by AMs, per partition.

One container changes many sums: application, user, leaf, every ancestor. So there is one door: an application
holds its *path*, the usages from itself up to the root, and `charge`, `refund` and their kin walk it. Nobody
else adds or subtracts. Hadoop: ResourceUsage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from yarnbox.yarn.compiled import trait
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource


class Amounts:
    """The sums of one partition."""

    __slots__ = ("am_used", "containers", "killable", "pending", "pending_containers", "reserved", "used")

    def __init__(self) -> None:
        self.used = NONE
        self.pending = NONE
        self.reserved = NONE
        self.am_used = NONE
        self.killable = NONE
        """What lazy preemption could free at once, part of `used`."""
        self.containers = 0
        """Live containers, reserved ones not counted."""
        self.pending_containers = 0


@trait
class Watcher(ABC):
    """Who has to know when books change: a queue that keeps its place among its siblings, for one."""

    __slots__ = ()

    @abstractmethod
    def books_changed(self, partition: str) -> None:
        """Something was charged, refunded, reserved or given up."""

    @abstractmethod
    def pending_changed(self, partition: str) -> None:
        """More or less is asked for."""


class Usage:
    """The sums of an application, a user or a queue, by partition."""

    __slots__ = ("by_partition", "counts_reserved", "in_default", "is_told_each_ask", "watcher")

    def __init__(
        self, watcher: Watcher | None = None, *, counts_reserved: bool = True, is_told_each_ask: bool = True
    ) -> None:
        self.by_partition: dict[str, Amounts] = {}
        self.in_default: Amounts | None = None
        """Those of the default partition at hand: nearly all bookings are there."""
        self.watcher = watcher
        self.counts_reserved = counts_reserved
        """Whether what is kept on nodes is part of `used`: so for a queue, but not for an application."""
        self.is_told_each_ask = is_told_each_ask
        """Whether the watcher is told whenever more or less is asked for; if not, not where memory was and is
        wanted, so that nobody begins or ceases to ask, whatever resource types count.
        """

    def of(self, partition: str = DEFAULT_PARTITION) -> Amounts:
        """The amounts of one partition; they are made when first asked for."""
        amounts = self.by_partition.get(partition)
        if amounts is None:
            self.by_partition[partition] = amounts = Amounts()
            if not partition:
                self.in_default = amounts
        return amounts

    def find(self, partition: str) -> Amounts | None:
        """The amounts of one partition; None where nothing was ever booked."""
        return self.by_partition.get(partition) if partition else self.in_default

    def take_over(self, other: Usage) -> None:
        """Has the amounts of the other, which has none from now on."""
        self.by_partition, self.in_default = other.by_partition, other.in_default
        other.by_partition, other.in_default = {}, None

    def used(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """What is charged in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.used

    def pending(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """What is asked and not given in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.pending

    def reserved(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """What is kept on nodes of that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.reserved

    def am_used(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """What AMs use in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.am_used

    def total_used(self) -> Resource:
        """What is charged, over all partitions."""
        return sum((amounts.used for amounts in self.by_partition.values()), NONE)

    def total_pending(self) -> Resource:
        """What is asked and not given, over all partitions."""
        return sum((amounts.pending for amounts in self.by_partition.values()), NONE)

    def total_reserved(self) -> Resource:
        """What is kept on nodes, over all partitions."""
        return sum((amounts.reserved for amounts in self.by_partition.values()), NONE)

    def partitions(self) -> Iterator[str]:
        """The partitions in which something is or was booked."""
        return iter(self.by_partition)


Path = Sequence[Usage]

# `charge`, `refund` and `change_pending` are called for every container, once for each usage of its path:
# they find the amounts, and add plain resources, without a call.


def charge(path: Path, partition: str, resource: Resource, containers: int = 1) -> None:
    """Books a container that was given."""
    memory_mb, vcores, is_plain = resource.memory_mb, resource.vcores, not resource.others
    for usage in path:
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        if amounts is None:
            amounts = usage.of(partition)
        used = amounts.used
        if is_plain and not used.others:
            amounts.used = Resource(used.memory_mb + memory_mb, used.vcores + vcores)
        else:
            amounts.used = used + resource
        amounts.containers += containers
        watcher = usage.watcher
        if watcher is not None:
            watcher.books_changed(partition)


def refund(path: Path, partition: str, resource: Resource, containers: int = 1) -> None:
    """Takes back the booking of a container that ended."""
    for usage in path:
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        if amounts is None:
            amounts = usage.of(partition)
        amounts.used = amounts.used - resource
        amounts.containers -= containers
        watcher = usage.watcher
        if watcher is not None:
            watcher.books_changed(partition)


def reserve(path: Path, partition: str, resource: Resource) -> None:
    """Books a node that is kept for a container: reserved, and charged as used where that counts."""
    for usage in path:
        amounts = usage.of(partition)
        if usage.counts_reserved:
            amounts.used = amounts.used + resource
        amounts.reserved = amounts.reserved + resource
        watcher = usage.watcher
        if watcher is not None:
            watcher.books_changed(partition)


def unreserve(path: Path, partition: str, resource: Resource) -> None:
    """Takes back the booking of a container reservation."""
    for usage in path:
        amounts = usage.of(partition)
        if usage.counts_reserved:
            amounts.used = amounts.used - resource
        amounts.reserved = amounts.reserved - resource
        watcher = usage.watcher
        if watcher is not None:
            watcher.books_changed(partition)


def change_pending(path: Path, partition: str, delta: Resource, containers: int) -> None:
    """Books that more (or less) is asked for."""
    memory_mb, vcores, is_plain = delta.memory_mb, delta.vcores, not delta.others
    for usage in path:
        amounts = usage.by_partition.get(partition) if partition else usage.in_default
        if amounts is None:
            amounts = usage.of(partition)
        before = amounts.pending
        if is_plain and not before.others:
            after = Resource(before.memory_mb + memory_mb, before.vcores + vcores)
        else:
            after = before + delta
        amounts.pending = after
        amounts.pending_containers += containers
        watcher = usage.watcher
        if watcher is not None:
            if usage.is_told_each_ask or before.memory_mb <= 0 or after.memory_mb <= 0:
                watcher.pending_changed(partition)


def change_am_used(path: Path, partition: str, delta: Resource) -> None:
    """Books what an AM uses, or no longer uses."""
    for usage in path:
        amounts = usage.of(partition)
        amounts.am_used = amounts.am_used + delta


def change_killable(path: Path, partition: str, delta: Resource) -> None:
    """Books what lazy preemption may kill, or may kill no longer."""
    for usage in path:
        amounts = usage.of(partition)
        amounts.killable = amounts.killable + delta
