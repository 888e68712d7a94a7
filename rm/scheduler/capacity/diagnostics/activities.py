"""Records what the scheduler decides at one node, or for one application, on request.

An observer of the allocation, which costs nothing without requests. Owns the requests, their expiry, and the
stored records; recording.py makes the record of a pass. Hadoop: ActivitiesManager.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from yarnbox.rm.events.scheduler import SchedulerActivitiesCleanup
from yarnbox.rm.scheduler.activities import AppAllocation, BulkActivities, NodeAllocation, QueueActivity
from yarnbox.rm.scheduler.capacity.allocation.assignment import AllocationPass, Assignment, Kind
from yarnbox.rm.scheduler.capacity.allocation.heartbeat import (
    UNOBSERVED,
    AllocationObserver,
    NodeAllocator,
    NodeObserver,
)
from yarnbox.rm.scheduler.capacity.allocation.offers import Offers
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.settings import ROOT
from yarnbox.rm.scheduler.capacity.diagnostics.recording import (
    NODE_TOO_FULL,
    Recorder,
)
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationId, NodeId

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode
    from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue

TIMER = "activities cleanup"
_NODES_FACTOR = 1.2


class Activities(AllocationObserver):
    """The requests to record, and the stored records."""

    def __init__(self, context: QueueContext, offers: Offers, allocator: NodeAllocator) -> None:
        self._context = context.rm
        self._tracker = context.tracker
        self._offers = offers
        self._allocator = allocator
        self.is_on = False
        """Whether anything is to be recorded."""
        self._wants_next = False
        self._wanted: dict[NodeId, None] = {}
        self._bulks: list[BulkActivities] = []
        self._until_ms: dict[ApplicationId, int] = {}
        self._last: list[NodeAllocation] | None = None
        self._nodes: dict[NodeId, list[NodeAllocation]] = {}
        self._applications: dict[ApplicationId, deque[AppAllocation]] = {}
        self._is_armed = False

    # Asking

    def record_node(self, node_id: NodeId | None) -> None:
        """Records the next pass for that node, or for any node."""
        if node_id is None:
            self._wants_next = True
        else:
            self._wanted[node_id] = None
        self._turn_on()

    def record_many(self, count: int) -> BulkActivities:
        """Records the next `count` passes, for whichever nodes."""
        bulk = BulkActivities(count)
        self._bulks.append(bulk)
        self._turn_on()
        return bulk

    def forget_many(self, bulk: BulkActivities) -> None:
        """Stops the recording: its client has gone away."""
        self._bulks = [one for one in self._bulks if one is not bulk]
        self._update_is_on()

    def record_application(self, application_id: ApplicationId, span_ms: int) -> None:
        """Records every scheduling attempt for a running application, for `span_ms`."""
        if self.is_living(application_id):
            self._until_ms[application_id] = self._context.now_ms + span_ms
            self._turn_on()

    def is_living(self, application_id: ApplicationId) -> bool:
        """Whether the application is known and has not ended."""
        app = self._context.apps.get(application_id)
        return app is not None and app.final_status is FinalApplicationStatus.UNDEFINED

    def of_node(self, node_id: NodeId | None) -> list[NodeAllocation] | None:
        """The last recorded pass for a node, or for any; None when there is none yet."""
        return self._last if node_id is None else self._nodes.get(node_id)

    def of_application(self, application_id: ApplicationId) -> list[AppAllocation] | None:
        """All stored scheduling attempts for it, oldest first; None when there are none."""
        kept = self._applications.get(application_id)
        return list(kept) if kept else None

    def _turn_on(self) -> None:
        self.is_on = True
        self._allocator.observe(self)
        if not self._is_armed:
            self._arm()

    def _arm(self) -> None:
        self._is_armed = True
        due_ms = self._context.now_ms + self._context.settings.web.activities_cleanup_interval_ms
        self._context.timer_at(due_ms, TIMER, SchedulerActivitiesCleanup())

    # Recording

    def begin(self, node: SchedulerNode) -> Recording:
        """A node is offered."""
        now_ms = self._context.now_ms
        self._until_ms = {one: until for one, until in self._until_ms.items() if until > now_ms}
        is_wanted = self._wants_next or bool(self._bulks) or node.node_id in self._wanted
        self._wanted.pop(node.node_id, None)
        return Recording(self, node, now_ms, is_wanted=is_wanted)

    def refuse(self, node: SchedulerNode, reason: SkipReason) -> None:
        """A node is not offered to any queue."""
        recording = self.begin(node)
        recording.refuse()
        recording.end()

    def end(self, recording: Recording) -> None:
        """No pass follows for the node."""
        found, node_id = recording.passes, recording.node.node_id
        if recording.is_wanted:
            self._nodes[node_id] = found
        if recording.is_wanted and found:
            self._last, self._wants_next = found, False
            for bulk in self._bulks:
                bulk.passes.append((node_id, found))
            self._bulks = [bulk for bulk in self._bulks if not bulk.is_complete]
        self._update_is_on()

    def keep(self, seen: AppAllocation) -> None:
        """Stores a scheduling attempt of an application, if a client has requested it."""
        if seen.application_id not in self._until_ms:
            return
        kept = self._applications.setdefault(seen.application_id, deque())
        kept.append(seen)
        while len(kept) > self._most_looks:
            kept.popleft()

    def has_applications(self) -> bool:
        """Whether a client has requested an application."""
        return bool(self._until_ms)

    def _update_is_on(self) -> None:
        self.is_on = bool(self._wants_next or self._wanted or self._bulks or self._until_ms)
        self._allocator.observe(self if self.is_on else UNOBSERVED)

    @property
    def _most_looks(self) -> int:
        """At least one on every node, unless nodes are looked at together."""
        configured = self._context.settings.web.app_activities_maximum
        offers, nodes = self._offers, len(self._context.nodes)
        if offers.is_multi_node:
            return configured
        if offers.asynchronous.is_enabled:
            return max(configured, nodes * offers.asynchronous.threads)
        return max(configured, int(nodes * _NODES_FACTOR))

    # Forgetting

    def clean(self, event: SchedulerActivitiesCleanup | None = None) -> None:
        """Drops records that are too old or cannot be requested any more; repeats while there are any."""
        web, now_ms = self._context.settings.web, self._context.now_ms
        self._is_armed = False
        for node_id, found in list(self._nodes.items()):
            if found and now_ms - found[0].now_ms > web.scheduler_activities_ttl_ms:
                del self._nodes[node_id]
        for application_id, kept in list(self._applications.items()):
            while kept and now_ms - kept[0].now_ms > web.app_activities_ttl_ms:
                kept.popleft()
            if not kept or not self.is_living(application_id):
                del self._applications[application_id]
        tracked = self._tracker.nodes
        self._wanted = {node_id: None for node_id in self._wanted if node_id in tracked}
        self._until_ms = {one: until for one, until in self._until_ms.items() if until > now_ms}
        self._update_is_on()
        if self.is_on or any(self._nodes.values()) or self._applications:
            self._arm()


class Recording(NodeObserver):
    """The record of the passes for one node at one moment."""

    __slots__ = ("_activities", "_drawn", "_now_ms", "is_wanted", "node", "passes")

    def __init__(self, activities: Activities, node: SchedulerNode, now_ms: int, *, is_wanted: bool) -> None:
        self._activities = activities
        self._now_ms = now_ms
        self.node = node
        self.is_wanted = is_wanted
        """Whether all of it was asked for, and not only applications."""
        self.passes: list[NodeAllocation] = []
        self._drawn: NodeAllocation | None = None

    def refuse(self) -> None:
        """The node is not offered to any queue."""
        if self.is_wanted:
            refused = QueueActivity(path=ROOT, state="REJECTED", diagnostic=NODE_TOO_FULL)
            self.passes.append(
                NodeAllocation(
                    node_id=self.node.node_id,
                    now_ms=self._now_ms,
                    partition=self.node.partition,
                    root=refused,
                )
            )

    def observe(self, pass_: AllocationPass) -> None:
        """A pass begins."""
        if self.is_wanted or self._activities.has_applications():
            pass_.observer = Recorder(pass_, self._now_ms)

    def decided(self, pass_: AllocationPass, start: CapacityQueue, assignment: Assignment) -> None:
        """A pass has ended, and nothing is booked yet."""
        recorder = pass_.observer
        if not isinstance(recorder, Recorder):
            return
        self._drawn = recorder.draw(start, assignment)
        if self.is_wanted:
            self.passes.append(self._drawn)
        for seen in recorder.applications.values():
            self._activities.keep(seen)

    def committed(self, pass_: AllocationPass, assignment: Assignment) -> None:
        """What the pass proposed is booked."""
        if isinstance(pass_.observer, Recorder) and self._drawn is not None:
            pass_.observer.book(self._drawn, assignment, _container_of(assignment))

    def end(self) -> None:
        """No pass follows."""
        self._activities.end(self)


def _container_of(assignment: Assignment) -> RMContainer | None:
    """The container of a booked proposal."""
    attempt, node = assignment.attempt, assignment.node
    if attempt is None or node is None or assignment.kind is Kind.DROP:
        return None
    if assignment.is_reservation:
        return node.reserved_container
    return next(reversed(attempt.live.values()), None)
