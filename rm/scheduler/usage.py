"""The books: resources used, pending, reserved and used by AMs, per partition.

One container changes many sums: application, user, leaf, every ancestor. So one module books them all: an
application holds its *path*, the usages from its own up to the root's, and `charge`, `refund` and the other
functions here update each usage of it. No other code adds or subtracts. Hadoop: ResourceUsage.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from yarnbox.yarn.compiled import trait
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, total


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
    """Is notified when books change: for example a queue, which then updates its position among its
    siblings.
    """

    __slots__ = ()

    @abstractmethod
    def books_changed(self, partition: str) -> None:
        """Something was charged, refunded, reserved or unreserved."""

    @abstractmethod
    def pending_changed(self, partition: str) -> None:
        """The pending resource has changed."""


class Usage:
    """The sums of an application, a user or a queue, by partition."""

    __slots__ = ("by_partition", "counts_reserved", "in_default", "is_told_each_ask", "watcher")

    def __init__(
        self, watcher: Watcher | None = None, *, counts_reserved: bool = True, is_told_each_ask: bool = True
    ) -> None:
        self.by_partition: dict[str, Amounts] = {}
        self.in_default: Amounts | None = None
        """The amounts of the default partition, kept for speed: nearly all bookings are there."""
        self.watcher = watcher
        self.counts_reserved = counts_reserved
        """Whether reserved resources are part of `used`: they are for a queue, but not for an application."""
        self.is_told_each_ask = is_told_each_ask
        """Whether the watcher is notified of every change of `pending`; if not, only of those before or after
        which no memory is pending: all others neither begin nor end a demand.
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
        """Takes all amounts of the other usage, which is empty afterwards."""
        self.by_partition, self.in_default = other.by_partition, other.in_default
        other.by_partition, other.in_default = {}, None

    def used(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """The resource charged in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.used

    def pending(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """The resource pending in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.pending

    def reserved(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """The resource reserved on nodes of that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.reserved

    def am_used(self, partition: str = DEFAULT_PARTITION) -> Resource:
        """The resource used by AMs in that partition."""
        amounts = self.by_partition.get(partition)
        return NONE if amounts is None else amounts.am_used

    def total_used(self) -> Resource:
        """The resource charged, over all partitions."""
        return total(amounts.used for amounts in self.by_partition.values())

    def total_pending(self) -> Resource:
        """The resource pending, over all partitions."""
        return total(amounts.pending for amounts in self.by_partition.values())

    def total_reserved(self) -> Resource:
        """The resource reserved on nodes, over all partitions."""
        return total(amounts.reserved for amounts in self.by_partition.values())

    def partitions(self) -> Iterator[str]:
        """The partitions in which something is or was booked."""
        return iter(self.by_partition)


Path = Sequence[Usage]

# `charge` and `change_pending` run for every container, once for each usage of its path. They find amounts
# and add plain resources without a call: `of` and `+` instead cost 4 % of an allocation (bench/check.py).


def charge(path: Path, partition: str, resource: Resource, containers: int = 1) -> None:
    """Books an allocated container."""
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
    """Reverts the booking of a container that has ended."""
    charge(path, partition, -resource, -containers)


def reserve(path: Path, partition: str, resource: Resource) -> None:
    """Books a container reservation: as reserved, and as used where the usage counts that."""
    for usage in path:
        amounts = usage.of(partition)
        if usage.counts_reserved:
            amounts.used = amounts.used + resource
        amounts.reserved = amounts.reserved + resource
        watcher = usage.watcher
        if watcher is not None:
            watcher.books_changed(partition)


def unreserve(path: Path, partition: str, resource: Resource) -> None:
    """Reverts the booking of a container reservation."""
    reserve(path, partition, -resource)


def change_pending(path: Path, partition: str, delta: Resource, containers: int) -> None:
    """Books a change of the pending resource."""
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
    """Books a change of what AMs use."""
    for usage in path:
        amounts = usage.of(partition)
        amounts.am_used = amounts.am_used + delta


def change_killable(path: Path, partition: str, delta: Resource) -> None:
    """Books a change of what lazy preemption may kill."""
    for usage in path:
        amounts = usage.of(partition)
        amounts.killable = amounts.killable + delta
