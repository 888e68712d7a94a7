"""The proportional capacity preemption policy: one pass after another over snapshots, with marks that have an
age.

Hadoop: ProportionalCapacityPreemptionPolicy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from yarnbox.rm.container import RMContainer
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import truncate
from yarnbox.rm.scheduler.capacity.preemption.intra import select_within_queues
from yarnbox.rm.scheduler.capacity.preemption.precedence import select_by_queue_priority
from yarnbox.rm.scheduler.capacity.preemption.selection import (
    AT_ONCE,
    Decisions,
    Round,
    Selector,
    select_balance,
    select_fifo,
    select_for_reservations,
)
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.capacity.preemption.snapshot import Snapshot, Steps, whole
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.java_order import attempt_hash, hash_order_of_containers, in_hash_order


@dataclass(frozen=True, slots=True)
class PassReport:
    """What one pass found and did, for the event log: amounts per queue and partition."""

    allowed: Resource
    """What the pass was allowed to select."""
    selected: tuple[RMContainer, ...]
    marked: tuple[RMContainer, ...]
    killed: tuple[RMContainer, ...]


class PreemptionPolicy:
    """Remembers what it has marked, and since when."""

    def __init__(self, settings: PreemptionSettings) -> None:
        self.settings = settings
        self.marked: dict[ContainerId, int] = {}
        """Containers whose AM was asked for them, and when (ms)."""

    def run(self, snapshot: Snapshot, decisions: Decisions) -> PassReport:
        """One pass. The snapshot's queues hold the figures afterwards."""
        return whole(self.steps(snapshot, decisions))

    def steps(self, snapshot: Snapshot, decisions: Decisions) -> Steps[PassReport]:
        """One pass, in steps."""
        settings = self.settings
        allowed = truncate(snapshot.cluster, settings.round_fraction)
        round_ = Round(snapshot, settings, decisions, allowed)
        ends: list[tuple[int, int]] = []
        """For each selector, how long its containers wait, and where they end among the selected."""
        for selector in self._selectors():
            yield from selector(round_)
            ends.append((self._wait_ms(selector), len(round_.selected)))
        selected = list(round_.selected)
        marked: list[RMContainer] = []
        killed: list[RMContainer] = []
        if not settings.observe_only:
            begin = 0
            for wait_ms, end in ends:
                for index, container in enumerate(_in_order(selected[begin:end])):
                    if index % AT_ONCE == 0:
                        yield
                    self._mark_or_kill(container, wait_ms, snapshot.now_ms, decisions, marked, killed)
                begin = end
            self._drop_stale_marks(snapshot.now_ms)
        return PassReport(allowed, tuple(selected), tuple(marked), tuple(killed))

    def _selectors(self) -> list[Selector]:
        settings = self.settings
        selectors: list[Selector] = []
        if settings.by_queue_priority:
            selectors.append(select_by_queue_priority)
        if settings.by_reserved_containers:
            selectors.append(select_for_reservations)
        selectors.append(select_fifo)
        if settings.balances_satisfied:
            selectors.append(select_balance)
        if settings.intra_enabled:
            selectors.append(select_within_queues)
        return selectors

    def _wait_ms(self, selector: Selector) -> int:
        if selector is select_balance and self.settings.balance_wait_ms > 0:
            return self.settings.balance_wait_ms
        return self.settings.max_wait_before_kill_ms

    def _mark_or_kill(
        self,
        container: RMContainer,
        wait_ms: int,
        now_ms: int,
        decisions: Decisions,
        marked: list[RMContainer],
        killed: list[RMContainer],
    ) -> None:
        """A container is killed only when it is selected again after its wait."""
        known = len(self.marked)
        since_ms = self.marked.setdefault(container.container_id, now_ms)
        if len(self.marked) > known:
            marked.append(container)
            decisions.mark(container, now_ms + wait_ms)
        elif since_ms + wait_ms <= now_ms:
            del self.marked[container.container_id]
            killed.append(container)
            decisions.kill(container)

    def _drop_stale_marks(self, now_ms: int) -> None:
        oldest_ms = now_ms - 2 * self.settings.max_wait_before_kill_ms
        stale = [container_id for container_id, since_ms in self.marked.items() if since_ms < oldest_ms]
        for container_id in stale:
            del self.marked[container_id]


def _in_order(selected: Sequence[RMContainer]) -> list[RMContainer]:
    """By application, then container, as Hadoop's maps have them: the sums of fractions that user limits go
    by depend on who loses a container first.
    """
    by_attempt: dict[ApplicationAttemptId, list[RMContainer]] = {}
    last: list[RMContainer] = []
    attempt_id: ApplicationAttemptId | None = None
    for container in selected:
        its_attempt = container.container_id.application_attempt_id
        if its_attempt is not attempt_id:  # those of an attempt mostly come together
            attempt_id = its_attempt
            last = by_attempt.setdefault(attempt_id, [])
        last.append(container)
    ordered: list[RMContainer] = []
    for attempt_id in in_hash_order(by_attempt, attempt_hash):
        found = by_attempt[attempt_id]
        places = hash_order_of_containers(attempt_id, [one.container_id for one in found])
        ordered.extend([found[place] for place in places])
    return ordered
