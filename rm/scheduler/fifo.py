"""The FIFO scheduler: one queue, applications in the order of their ids, memory alone. The smallest; read it
first.

Each application in turn gets all that fits, node-local, then rack-local, then anywhere; there is no delay, no
reservation and no limit. Answers for FifoScheduler.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from rm.events.app import AppAccepted, AttemptAdded
from rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
)
from rm.scheduler import requests
from rm.scheduler.application import Application, Attempt
from rm.scheduler.asks import ANY, KeyAsks, Locality
from rm.scheduler.base import Allocation, Scheduler
from rm.scheduler.calculator import DEFAULT_CALCULATOR
from rm.scheduler.node import SchedulerNode
from rm.scheduler.roll import enlist, strike_off
from rm.scheduler.usage import DEFAULT_PARTITION, Usage
from rm.scheduler.views import PartitionView, QueueView
from yarn.enums import QueueACL, QueueState
from yarn.errors import YarnError
from yarn.ids import ApplicationAttemptId, ContainerId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarn.records.request import ResourceRequest, SchedulingRequest
from yarn.resource import NONE, Resource, componentwise_max

if TYPE_CHECKING:
    from rm.context import RMContext

QUEUE = "default"


class FifoScheduler(Scheduler[Attempt]):
    """One queue for all."""

    name: ClassVar[str] = "FifoScheduler"
    serves_updates: ClassVar[bool] = False

    def __init__(self, context: RMContext) -> None:
        super().__init__(context)
        self.usage = Usage()
        """The books of the one queue."""
        self._headroom = NONE
        self._passes = 0
        """Allocation passes so far; an attempt that came after the last one has no headroom yet."""
        self._joined: dict[ApplicationAttemptId, int] = {}
        self._asking: list[Application[Attempt]] = []
        """The applications that want containers, by id: no heartbeat looks at another one."""

    # What is given on a node

    def allocate_on(self, node: SchedulerNode) -> None:
        """All that fits, application by application. See tests/scenarios/fifo/."""
        minimum_mb = self.minimum_allocation.memory_mb
        if node.available.memory_mb < minimum_mb:
            return
        for application in list(self._asking):
            attempt = application.attempt
            if attempt is None or attempt.is_blacklisted(node):
                continue
            self._serve(attempt, node)
            if node.available.memory_mb < minimum_mb:
                break
        self._headroom = componentwise_max(self.cluster_resource() - self.usage.used(), NONE)
        self._passes += 1

    def _serve(self, attempt: Attempt, node: SchedulerNode) -> None:
        for key in list(attempt.asks.active_keys):
            key_asks = attempt.asks.key_asks(key)
            assert key_asks is not None
            given = 0
            for locality in Locality:
                given += self._give(attempt, node, key_asks, locality)
            if given == 0:
                # A less important key never overtakes a more important one of the same application.
                return

    def _give(self, attempt: Attempt, node: SchedulerNode, key_asks: KeyAsks, locality: Locality) -> int:
        """As many containers as are asked and fit; relax_locality is ignored, as in Hadoop."""
        wanted = key_asks.outstanding
        request = key_asks.at(ANY)
        if locality is not Locality.OFF_SWITCH:
            at_rack = key_asks.at(node.rack)
            request = key_asks.at(node.host) if locality is Locality.NODE_LOCAL else at_rack
            if at_rack is None:
                return 0
        if request is None or wanted == 0:
            return 0
        required = request.capability
        fitting = DEFAULT_CALCULATOR.container_count(node.available, required)
        count = max(0, min(wanted, request.count, fitting))
        for _ in range(count):
            attempt.allocate(node, key_asks.key, locality, required)
        return count

    def asking_changed(self, attempt: Attempt) -> None:
        """Keeps the list of those who want something."""
        application = attempt.application
        if attempt.is_asking:
            insort(self._asking, application, key=lambda one: one.application_id)
        else:
            self._asking.remove(application)

    # Applications

    def add_application(self, event: SchedulerAppAdded) -> None:
        """Everything is accepted into the one queue, whatever queue was named."""
        application: Application[Attempt] = Application(
            event.application_id, QUEUE, event.user, label=event.context.node_label_expression
        )
        application.is_unmanaged = event.context.unmanaged_am
        application.keeps_containers = event.context.keep_containers_across_application_attempts
        enlist(self, application)
        if not event.is_recovering:
            self.context.post(AppAccepted(application_id=event.application_id))

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        strike_off(self, event)

    def add_attempt(self, event: SchedulerAppAttemptAdded) -> None:
        """APP_ATTEMPT_ADDED."""
        application = self.applications.get(event.attempt_id.application_id)
        if application is None:
            return
        attempt = Attempt(self.context, event.attempt_id, application)
        attempt.path = (attempt.usage, self.usage)
        attempt.queue_side = self
        self._joined[event.attempt_id] = self._passes
        self.install_attempt(application, attempt, event)
        if not event.is_recovering:
            self.context.post(AttemptAdded(attempt_id=event.attempt_id))

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED."""
        if self.stop_attempt(event) is not None:
            self._joined.pop(event.attempt_id, None)

    def place(self, context: ApplicationSubmissionContext, user: str) -> str:
        """There is but one queue; the name that was given is kept for show."""
        return context.queue

    # The AM's call

    def allocate(
        self,
        attempt_id: ApplicationAttemptId,
        ask: Iterable[ResourceRequest],
        release: Iterable[ContainerId],
        blacklist_additions: Iterable[str] = (),
        blacklist_removals: Iterable[str] = (),
        scheduling_requests: Iterable[SchedulingRequest] = (),
    ) -> Allocation:
        """Books the ask, delivers what was allocated. Headroom is that of the last allocation pass, for all
        alike.
        """
        attempt = self.attempt(attempt_id)
        assert attempt is not None
        return self.take_call(attempt, ask, release, blacklist_additions, blacklist_removals)

    def headroom(self, attempt: Attempt) -> Resource:
        """Cluster less used by all, as the last allocation pass left it: the same for every application.

        See tests/scenarios/fifo/headroom-is-shared.yaml.
        """
        return self._headroom if self._passes > self._joined.get(attempt.attempt_id, 0) else NONE

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """Memory alone."""
        minimum = self.minimum_allocation
        return requests.normalize(request, DEFAULT_CALCULATOR, minimum, self.maximum_allocation(), minimum)

    # What clients see

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """The one queue: all of the cluster."""
        if name not in (QUEUE, "root", f"root.{QUEUE}"):
            raise YarnError(f"Unknown queue: {name}")
        total = self.cluster_resource().memory_mb
        return QueueInfo(
            queue_name=QUEUE,
            queue_path=QUEUE,
            capacity=1.0,
            maximum_capacity=1.0,
            current_capacity=self.usage.used().memory_mb / total if total else 0.0,
            state=QueueState.RUNNING,
            scheduler_type=self.name,
        )

    def queue_view(self, path: str) -> QueueView | None:
        """The one queue; `root` is another name of it."""
        if path not in (QUEUE, "root", f"root.{QUEUE}"):
            return None
        amounts, total = self.usage.of(), self.cluster_resource().memory_mb
        share = amounts.used.memory_mb / total if total else 0.0
        partition = PartitionView(
            used=amounts.used,
            pending=amounts.pending,
            reserved=amounts.reserved,
            containers=amounts.containers,
            pending_containers=amounts.pending_containers,
            capacity=1.0,
            max_capacity=1.0,
            absolute_capacity=1.0,
            absolute_max_capacity=1.0,
            used_capacity=share,
            absolute_used_capacity=share,
        )
        return QueueView(
            path=path,
            apps=len(self.applications),
            active_apps=len(self.applications),
            containers=amounts.containers,
            partitions={DEFAULT_PARTITION: partition},
        )

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """Everybody may do everything."""
        return [QueueUserACLInfo(queue_name=QUEUE, user_acls=tuple(QueueACL))]

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Everybody may do everything."""
        return True
