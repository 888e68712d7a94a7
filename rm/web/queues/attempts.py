"""Where the applications of a queue stand: which wait for a first container, which run, which want more.

One look over all attempts when somebody wants the metrics; sums by queue and user; nothing is kept. Hadoop:
the gauges that QueueMetrics raises and lowers for each attempt.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.views import AmountsView, AttemptView, BookedApplicationView
from yarnbox.rm.statistics.counters import ancestry
from yarnbox.yarn.resources.resource import NONE

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

_EVERYBODY = None


class Held:
    """Sums of what attempts use and request."""

    def __init__(self) -> None:
        self.used = NONE
        self.reserved = NONE
        self.pending = NONE
        self.containers = 0
        self.pending_containers = 0

    def add(self, amounts: AmountsView) -> None:
        """Adds an attempt's amounts in one partition."""
        self.used = self.used + amounts.used
        self.reserved = self.reserved + amounts.reserved
        self.pending = self.pending + amounts.pending
        self.containers += amounts.containers
        self.pending_containers += amounts.pending_containers


class QueueAttempts:
    """The attempts of one user, or of all, in a queue and those below it."""

    def __init__(self) -> None:
        self.pending = 0
        self.unmanaged_pending = 0
        self.unmanaged_running = 0
        self.running_since_ms: list[int] = []
        """When the first container was allocated, for each attempt that has had one."""
        self.active = 0
        """Attempts with pending requests."""
        self.active_users: dict[str, None] = {}
        self._held: dict[str, Held] = defaultdict(Held)
        self._reserved: dict[str, int] = {}

    def held_in(self, partition: str) -> Held:
        """What they use and request in the partition; only known for single users."""
        return self._held.get(partition) or Held()

    def reserved_in(self, partition: str) -> int:
        """How many nodes of the partition are reserved for them."""
        return self._reserved.get(partition, 0)

    def add(self, application: BookedApplicationView, attempt: AttemptView, *, with_books: bool) -> None:
        """Adds an attempt."""
        if not attempt.is_stopped:
            self._add(application, attempt)
        for container in attempt.reserved_containers() if attempt.reserved else ():
            self._reserved[container.partition] = self._reserved.get(container.partition, 0) + 1
        if with_books:
            self._add_books(attempt)

    def _add(self, application: BookedApplicationView, attempt: AttemptView) -> None:
        if attempt.served_since_ms is None:
            self.pending += 1
            self.unmanaged_pending += application.is_unmanaged
        else:
            self.running_since_ms.append(attempt.served_since_ms)
            self.unmanaged_running += application.is_unmanaged
        if attempt.is_asking:
            self.active += 1
            self.active_users[application.user] = None

    def _add_books(self, attempt: AttemptView) -> None:
        for partition, amounts in attempt.usage.by_partition.items():
            self._held[partition].add(amounts)


class AttemptsByQueue:
    """The attempts of all queues and users at one moment."""

    def __init__(self, context: RMContext) -> None:
        self._found: dict[tuple[str, str | None], QueueAttempts] = defaultdict(QueueAttempts)
        for application in context.scheduler.views.application_books.values():
            attempt = application.attempt
            if attempt is None:
                continue
            for queue in ancestry(str(application.queue)):
                self._found[queue, _EVERYBODY].add(application, attempt, with_books=False)
                self._found[queue, application.user].add(application, attempt, with_books=True)

    def of(self, queue: str, user: str | None = _EVERYBODY) -> QueueAttempts:
        """The attempts of a queue and all below it."""
        return self._found.get((queue, user)) or QueueAttempts()
