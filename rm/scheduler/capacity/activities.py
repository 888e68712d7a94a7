"""What the scheduler thought at one node, or about one application, for those who asked to be told.

Costs nothing while nobody asks. Owns who asked, until when, and what is kept of the records; how a walk is
written down is `recording`'s. Answers for ActivitiesManager.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from rm.events.scheduler import SchedulerActivitiesCleanup
from rm.scheduler.capacity.recording import AppAllocation, NodeAllocation, QueueActivity, Recorder
from yarn.enums import FinalApplicationStatus
from yarn.ids import ApplicationId, NodeId

if TYPE_CHECKING:
    from rm.container import RMContainer
    from rm.scheduler.capacity.assignment import Assignment, Pass
    from rm.scheduler.capacity.queue import CapacityQueue
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode

TIMER = "activities cleanup"
_NODES_FACTOR = 1.2


class Bulk:
    """So many passes, whichever nodes they are for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.passes: list[tuple[NodeId, list[NodeAllocation]]] = []

    @property
    def is_complete(self) -> bool:
        """Whether all of them were recorded."""
        return len(self.passes) >= self.count


class Activities:
    """What is recorded of one scheduler, and kept."""

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        self._context = scheduler.context
        self.is_on = False
        """Whether anything is to be recorded."""
        self._wants_next = False
        self._wanted: dict[NodeId, None] = {}
        self._bulks: list[Bulk] = []
        self._until_ms: dict[ApplicationId, int] = {}
        self._last: list[NodeAllocation] | None = None
        self._nodes: dict[NodeId, list[NodeAllocation]] = {}
        self._applications: dict[ApplicationId, deque[AppAllocation]] = {}
        self._is_armed = False
        scheduler.handlers[SchedulerActivitiesCleanup] = lambda one: self.clean()

    # Asking

    def record_node(self, node_id: NodeId | None) -> None:
        """The next pass for a node is to be recorded, or for any."""
        if node_id is None:
            self._wants_next = True
        else:
            self._wanted[node_id] = None
        self._turn_on()

    def record_many(self, count: int) -> Bulk:
        """The next passes, whichever nodes they are for."""
        bulk = Bulk(count)
        self._bulks.append(bulk)
        self._turn_on()
        return bulk

    def forget_many(self, bulk: Bulk) -> None:
        """Nobody waits for these any more."""
        self._bulks = [one for one in self._bulks if one is not bulk]
        self._settle()

    def record_application(self, application_id: ApplicationId, span_ms: int) -> None:
        """Every look at a living application from now on, for so long."""
        if self.is_living(application_id):
            self._until_ms[application_id] = self._context.now_ms + span_ms
            self._turn_on()

    def is_living(self, application_id: ApplicationId) -> bool:
        """Whether the application is known, and its end is not."""
        app = self._context.apps.get(application_id)
        return app is not None and app.final_status is FinalApplicationStatus.UNDEFINED

    def of_node(self, node_id: NodeId | None) -> list[NodeAllocation] | None:
        """The last recorded pass for a node, or for any; None when there is none yet."""
        return self._last if node_id is None else self._nodes.get(node_id)

    def of_application(self, application_id: ApplicationId) -> list[AppAllocation] | None:
        """Every look that is kept, oldest first; None when there is none."""
        kept = self._applications.get(application_id)
        return list(kept) if kept else None

    def _turn_on(self) -> None:
        self.is_on = True
        if not self._is_armed:
            self._arm()

    def _arm(self) -> None:
        self._is_armed = True
        due_ms = self._context.now_ms + self._context.settings.web.activities_cleanup_interval_ms
        self._context.timer_at(due_ms, TIMER, SchedulerActivitiesCleanup())

    # Recording

    def begin(self, node: SchedulerNode) -> Recording:
        """A pass begins."""
        now_ms = self._context.now_ms
        self._until_ms = {one: until for one, until in self._until_ms.items() if until > now_ms}
        is_wanted = self._wants_next or bool(self._bulks) or node.node_id in self._wanted
        self._wanted.pop(node.node_id, None)
        return Recording(self, node, is_wanted=is_wanted)

    def end(self, recording: Recording) -> None:
        """A pass has ended."""
        found, node_id = recording.walks, recording.node.node_id
        if recording.is_wanted:
            self._nodes[node_id] = found
        if recording.is_wanted and found:
            self._last, self._wants_next = found, False
            for bulk in self._bulks:
                bulk.passes.append((node_id, found))
            self._bulks = [bulk for bulk in self._bulks if not bulk.is_complete]
        self._settle()

    def keep(self, seen: AppAllocation) -> None:
        """A look at an application, if somebody asked for it."""
        if seen.application_id not in self._until_ms:
            return
        kept = self._applications.setdefault(seen.application_id, deque())
        kept.append(seen)
        while len(kept) > self._most_looks:
            kept.popleft()

    def recorder(self, walk: Pass, recording: Recording) -> Recorder | None:
        """Who is told of a walk."""
        if not recording.is_wanted and not self._until_ms:
            return None
        return Recorder(walk, self._context.now_ms)

    def refused(self, node: SchedulerNode, diagnostic: str) -> NodeAllocation:
        """A pass that came to no walk."""
        root = self._scheduler.tree.root.path
        return NodeAllocation(
            node_id=node.node_id,
            now_ms=self._context.now_ms,
            partition=node.partition,
            root=QueueActivity(path=root, state="REJECTED", diagnostic=diagnostic),
        )

    def _settle(self) -> None:
        self.is_on = bool(self._wants_next or self._wanted or self._bulks or self._until_ms)

    @property
    def _most_looks(self) -> int:
        """At least one on every node, unless nodes are looked at together."""
        configured = self._context.settings.web.app_activities_maximum
        scheduler, nodes = self._scheduler, len(self._context.nodes)
        if scheduler.is_multi_node:
            return configured
        if scheduler.asynchronous.is_enabled:
            return max(configured, nodes * scheduler.asynchronous.threads)
        return max(configured, int(nodes * _NODES_FACTOR))

    # Forgetting

    def clean(self) -> None:
        """Drops what is too old, and what nobody can ask for; again later while there is anything."""
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
        tracked = self._scheduler.tracker.nodes
        self._wanted = {node_id: None for node_id in self._wanted if node_id in tracked}
        self._until_ms = {one: until for one, until in self._until_ms.items() if until > now_ms}
        self._settle()
        if self.is_on or any(self._nodes.values()) or self._applications:
            self._arm()


class Recording:
    """One pass: what its walks came to."""

    __slots__ = ("_activities", "is_wanted", "node", "walks")

    def __init__(self, activities: Activities, node: SchedulerNode, *, is_wanted: bool) -> None:
        self._activities = activities
        self.node = node
        self.is_wanted = is_wanted
        """Whether the whole pass was asked for, and not only applications."""
        self.walks: list[NodeAllocation] = []

    def attach(self, walk: Pass) -> None:
        """A walk begins."""
        walk.recorder = self._activities.recorder(walk, self)

    def refuse(self, diagnostic: str) -> None:
        """The node is not looked at."""
        if self.is_wanted:
            self.walks.append(self._activities.refused(self.node, diagnostic))

    def draw(self, walk: Pass, root: CapacityQueue, assignment: Assignment) -> NodeAllocation | None:
        """A walk has ended, and nothing is booked yet."""
        if walk.recorder is None:
            return None
        drawn = walk.recorder.draw(root, assignment)
        if self.is_wanted:
            self.walks.append(drawn)
        for seen in walk.recorder.applications.values():
            self._activities.keep(seen)
        return drawn

    def settle(
        self, walk: Pass, drawn: NodeAllocation | None, assignment: Assignment, container: RMContainer | None
    ) -> None:
        """What the walk proposed is booked, with this container."""
        if walk.recorder is not None and drawn is not None:
            walk.recorder.settle(drawn, assignment, container)
