"""What every queue has seen since the RM started: applications by their ends, containers by locality, what
preemption took.

Counted where it happens, in the one place that a container belongs to: leaf, user and partition. Sums over
users, partitions and queues are made when somebody looks, so a container costs one count. Hadoop: the
counters of QueueMetrics and PartitionQueueMetrics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from yarnbox.rm.asks import Locality
    from yarnbox.rm.container import RMContainer

K = TypeVar("K")
ROOT = "root"
_PREEMPTED = -102


class Place(NamedTuple):
    """Where a container counts."""

    queue: str
    user: str
    partition: str


class Owner(NamedTuple):
    """Where an application counts."""

    queue: str
    user: str
    is_unmanaged: bool


class Counts:
    """Counters that only rise."""

    __slots__ = (
        "allocated",
        "by_locality",
        "preempted",
        "preempted_amounts",
        "preempted_seconds",
        "released",
    )

    def __init__(self) -> None:
        self.allocated = 0
        self.released = 0
        self.by_locality: dict[Locality, int] = {}
        self.preempted = 0
        self.preempted_amounts: dict[str, int] = {}
        """By resource type."""
        self.preempted_seconds: dict[str, int] = {}
        """Amounts times the seconds that they were there, by resource type."""

    def add(self, other: Counts) -> None:
        """Counts what the other has counted, too."""
        self.allocated += other.allocated
        self.released += other.released
        self.preempted += other.preempted
        _raise(self.by_locality, other.by_locality)
        _raise(self.preempted_amounts, other.preempted_amounts)
        _raise(self.preempted_seconds, other.preempted_seconds)


class AppCounts:
    """Applications that a user submitted to a queue, and how they ended; counters that only rise."""

    __slots__ = ("completed", "failed", "killed", "submitted")

    def __init__(self) -> None:
        self.submitted = 0
        self.completed = 0
        self.killed = 0
        self.failed = 0

    def add(self, other: AppCounts) -> None:
        """Counts what the other has counted, too."""
        self.submitted += other.submitted
        self.completed += other.completed
        self.killed += other.killed
        self.failed += other.failed

    def record_end(self, final_state: str) -> None:
        """One is over."""
        if final_state == "KILLED":
            self.killed += 1
        elif final_state == "FAILED":
            self.failed += 1
        else:
            self.completed += 1


class QueueCounts:
    """The places of one queue and of those below it."""

    def __init__(self) -> None:
        self.places: dict[Place, Counts] = {}
        self.apps: dict[Owner, AppCounts] = {}

    def apps_total(self, *, user: str | None = None, unmanaged_only: bool = False) -> AppCounts:
        """The applications of one user or all; of unmanaged AMs alone, or all."""
        total = AppCounts()
        for owner, counts in self.apps.items():
            if user in (None, owner.user) and (owner.is_unmanaged or not unmanaged_only):
                total.add(counts)
        return total

    def users(self) -> dict[str, None]:
        """Everybody who was ever here."""
        return dict.fromkeys([*(one.user for one in self.apps), *(one.user for one in self.places)])

    def total(self, *, user: str | None = None, partition: str | None = None) -> Counts:
        """The sum, of one user or all, in one partition or all."""
        total = Counts()
        for place, counts in self.places.items():
            if user in (None, place.user) and partition in (None, place.partition):
                total.add(counts)
        return total


class QueueCounters:
    """The counts of all places that ever had a container."""

    __slots__ = ("_apps", "_places", "first_deliveries")

    def __init__(self) -> None:
        self._places: dict[tuple[str, str, str], Counts] = {}
        """By what makes a Place: a plain tuple is made faster, once a container."""
        self._apps: dict[Owner, AppCounts] = {}
        self.first_deliveries: dict[str, tuple[int, int]] = {}
        """How many attempts of a leaf have been given their first container, and how long (ms) all of them
        waited for it. Only the FairScheduler counts them."""

    def record_submission(self, queue: str, user: str, *, is_unmanaged: bool) -> None:
        """The scheduler has accepted an application."""
        self._apps_of(queue, user, is_unmanaged).submitted += 1

    def record_application_end(self, queue: str, user: str, final_state: str, *, is_unmanaged: bool) -> None:
        """An application that was accepted is over; it counts where it is, not where it was submitted."""
        self._apps_of(queue, user, is_unmanaged).record_end(final_state)

    def record_first_delivery(self, queue: str, waited_ms: int) -> None:
        """An attempt was given its first container."""
        count, total_ms = self.first_deliveries.get(queue, (0, 0))
        self.first_deliveries[queue] = (count + 1, total_ms + waited_ms)

    def record_allocation(self, container: RMContainer) -> None:
        """A container was given."""
        counts = self._counts(container)
        counts.allocated += 1
        locality = container.locality
        if locality is not None:
            counts.by_locality[locality] = counts.by_locality.get(locality, 0) + 1

    def record_arrival(self, container: RMContainer) -> None:
        """A container was recovered, or came with its application from elsewhere; that has no locality."""
        self._counts(container).allocated += 1

    def record_departure(self, container: RMContainer) -> None:
        """A container leaves its queue with its application."""
        self._counts(container).released += 1

    def record_end(self, container: RMContainer, exit_status: int) -> None:
        """A container has ended."""
        counts = self._counts(container)
        counts.released += 1
        if exit_status == _PREEMPTED:
            counts.preempted += 1
            _raise(counts.preempted_amounts, container.resource.as_dict())
            _raise(counts.preempted_seconds, container.resource_seconds())

    def all_apps(self) -> AppCounts:
        """The applications of all queues: those of the root."""
        total = AppCounts()
        for counts in self._apps.values():
            total.add(counts)
        return total

    def by_queue(self) -> dict[str, QueueCounts]:
        """The counts of every queue: its own, and those of all queues below it."""
        found: dict[str, QueueCounts] = defaultdict(QueueCounts)
        for key, counts in self._places.items():
            place = Place(*key)
            for queue in ancestry(place.queue):
                found[queue].places[place] = counts
        for owner, apps in self._apps.items():
            for queue in ancestry(owner.queue):
                found[queue].apps[owner] = apps
        return found

    def _apps_of(self, queue: str, user: str, is_unmanaged: bool) -> AppCounts:
        return self._apps.setdefault(Owner(queue, user, is_unmanaged), AppCounts())

    def _counts(self, container: RMContainer) -> Counts:
        place = (container.queue, container.user, container.partition)
        counts = self._places.get(place)
        if counts is None:
            self._places[place] = counts = Counts()
        return counts


def ancestry(queue: str) -> Iterator[str]:
    """The queue and all above it; the root is above a queue that has no path, too."""
    while queue and queue != ROOT:
        yield queue
        queue = queue.rpartition(".")[0]
    yield ROOT


def _raise(totals: dict[K, int], more: dict[K, int]) -> None:
    for key, value in more.items():
        totals[key] = totals.get(key, 0) + value
