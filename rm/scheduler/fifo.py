"""The FIFO scheduler: one queue, applications in the order of their ids, memory alone. The smallest; read it
first.

Each application in turn gets all that fits, node-local, then rack-local, then anywhere; there is no delay, no
reservation and no limit. Hadoop: FifoScheduler.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator
from typing import ClassVar

from yarnbox.rm.asks import ANY, KeyAsks, Locality, RequestKey
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
)
from yarnbox.rm.scheduler.admission import requests
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR
from yarnbox.rm.scheduler.checks import Check, Reason, RequestChecks, asked, node_checks
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.rm.scheduler.register import Register
from yarnbox.rm.scheduler.showing import SchedulerViews
from yarnbox.rm.scheduler.usage import Usage
from yarnbox.rm.scheduler.views import PartitionView, QueueView
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.enums import QueueACL, QueueState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max

NAME = "FifoScheduler"
QUEUE = "default"
_NAMES = (QUEUE, "root", f"root.{QUEUE}")
"""What clients may call the one queue."""


class FifoReason(Reason):
    """Why a request is refused, in the order in which the allocator comes upon it."""

    RECOVERING = (
        "the ResourceManager has restarted and waits for nodes and applications to come back",
        "the ResourceManager has not just restarted",
        "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms is over",
    )
    NODE_BUSY = (
        "the node has too little free for the smallest container",
        "the node has enough free for the smallest container",
        "containers on the node end, or nodes are added",
    )
    BLACKLIST = (
        "the application has blacklisted the node or its rack",
        "the application has not blacklisted the node",
        "the application takes the node off its blacklist",
    )
    NODE_TOO_SMALL = (
        "the request is larger than the node's total resources",
        "the node is large enough",
        "a smaller container is asked for, or larger nodes are added",
    )
    NODE_FULL = (
        "the node has too little free",
        "the node has enough free for the request",
        "containers on the node end, or nodes are added",
    )
    DECOMMISSIONING = (
        "the node is being decommissioned and has room for no more containers",
        "the node is not being decommissioned",
        "nodes are added, or the node is recommissioned",
    )
    EARLIER_REQUEST = (
        "a more urgent request of the application cannot be served on the node",
        "no more urgent request of the application is stopped on the node",
        "the more urgent request is served or withdrawn",
    )
    NOTHING_ASKED = ("it has no pending requests", "it has pending requests")
    NO_NODE = ("no node takes it", "a node takes it", "see the lines below")
    OTHERS_FIRST = (
        "earlier applications are served first",
        "no earlier application asks",
        "the earlier applications get what they ask for, or end",
    )
    HEARTBEAT = (
        "no node that can take it has sent a heartbeat since",
        "a node has sent its heartbeat",
        "the next heartbeat of such a node",
    )


_WITHOUT_ROOM = (FifoReason.NODE_BUSY, FifoReason.NODE_TOO_SMALL, FifoReason.NODE_FULL)


def _is_busy(node: SchedulerNode, minimum: Resource) -> bool:
    return node.available.memory_mb < minimum.memory_mb


def _fitting(node: SchedulerNode, key_asks: KeyAsks, locality: Locality) -> tuple[int, Resource]:
    """As many containers as are asked and fit; relax_locality is ignored, as in Hadoop."""
    wanted = key_asks.outstanding
    request = key_asks.at(ANY)
    if locality is not Locality.OFF_SWITCH:
        at_rack = key_asks.at(node.rack)
        request = key_asks.at(node.host) if locality is Locality.NODE_LOCAL else at_rack
        if at_rack is None:
            return 0, NONE
    if request is None or wanted == 0:
        return 0, NONE
    required = request.capability
    fitting = DEFAULT_CALCULATOR.container_count(node.available, required)
    return max(0, min(wanted, request.count, fitting)), required


@mypyc_attr(allow_interpreted_subclasses=True)
class FifoScheduler(Scheduler[Attempt]):
    """One queue for all."""

    name: ClassVar[str] = NAME
    serves_updates: ClassVar[bool] = False

    def __init__(self, context: SchedulerContext) -> None:
        super().__init__(context)
        self.usage = Usage()
        """The books of the one queue."""
        self._headroom = NONE
        self._passes = 0
        """Allocation passes so far; an attempt that came after the last one has no headroom yet."""
        self._joined: dict[ApplicationAttemptId, int] = {}
        self._recovered: dict[ApplicationAttemptId, Resource] = {}
        """The headroom of attempts of which a container was recovered after the last pass."""
        self._asking: list[Application[Attempt]] = []
        """The applications that want containers, by id: no heartbeat looks at another one."""
        self.views = FifoViews(
            self.register,
            self.tracker,
            self.usage,
            self._asking,
            self.minimum_allocation,
            self.is_waiting_for_recovery,
        )

    # What is given on a node

    def allocate_on(self, node: SchedulerNode) -> None:
        """All that fits, application by application. See tests/scenarios/fifo/."""
        if _is_busy(node, self.minimum_allocation):
            return
        for application in list(self._asking):
            attempt = application.attempt
            if attempt is None or attempt.is_blacklisted(node):
                continue
            self._serve(attempt, node)
            if _is_busy(node, self.minimum_allocation):
                break
        self._headroom = self._left()
        self._passes += 1
        self._recovered.clear()

    def container_recovered(self, container: RMContainer, attempt: Attempt) -> None:
        """The headroom of its attempt is what is left now."""
        self._recovered[attempt.attempt_id] = self._left()

    def _left(self) -> Resource:
        return componentwise_max(self.cluster_resource() - self.usage.used(), NONE)

    def _serve(self, attempt: Attempt, node: SchedulerNode) -> None:
        for key in list(attempt.asks.active_keys):
            if self._serve_key(attempt, node, attempt.asks[key]) == 0:
                # A less important key never overtakes a more important one of the same application.
                return

    def _serve_key(self, attempt: Attempt, node: SchedulerNode, key_asks: KeyAsks) -> int:
        """The nearest first; how many it got. Of most that wait nothing fits, which is quick to say."""
        requests = (key_asks.at(node.host), key_asks.at(node.rack), key_asks.at(ANY))
        sizes = [one.capability for one in requests if one is not None]
        if all(DEFAULT_CALCULATOR.container_count(node.available, size) <= 0 for size in sizes):
            return 0
        return sum([self._give(attempt, node, key_asks, locality) for locality in Locality])

    def _give(self, attempt: Attempt, node: SchedulerNode, key_asks: KeyAsks, locality: Locality) -> int:
        count, required = _fitting(node, key_asks, locality)
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
        self.register.accept(event, Application.submitted(event, QUEUE))

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        self.register.remove(event)

    def start_attempt(self, application: Application[Attempt], event: SchedulerAppAttemptAdded) -> None:
        """It counts in the one queue."""
        attempt = Attempt(self.context, event.attempt_id, application)
        attempt.path = (attempt.usage, self.usage)
        attempt.queue_side = self
        self._joined[event.attempt_id] = self._passes
        self.install_attempt(application, attempt, event)

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED."""
        if self.stop_attempt(event) is not None:
            self._joined.pop(event.attempt_id, None)
            self._recovered.pop(event.attempt_id, None)

    def place_application(self, context: ApplicationSubmissionContext, user: str) -> str:
        """There is but one queue; the name that was given is kept for show."""
        return context.queue

    # The AM's call

    def headroom(self, attempt: Attempt) -> Resource:
        """Cluster less used by all, as the last allocation pass left it: the same for every application but
        those that have got containers back since.

        See tests/scenarios/fifo/headroom-is-shared.yaml.
        """
        recovered = self._recovered.get(attempt.attempt_id)
        if recovered is not None:
            return recovered
        return self._headroom if self._passes > self._joined.get(attempt.attempt_id, 0) else NONE

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """Memory alone."""
        minimum = self.minimum_allocation
        return requests.normalize(request, DEFAULT_CALCULATOR, minimum, self.maximum_allocation(), minimum)

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Everybody may do everything."""
        return True


@mypyc_attr(allow_interpreted_subclasses=True)
class FifoViews(SchedulerViews[Attempt]):
    """The one queue, and why applications wait in it."""

    root_queue: ClassVar[str] = QUEUE

    def __init__(
        self,
        register: Register[Attempt],
        tracker: NodeTracker,
        usage: Usage,
        asking: list[Application[Attempt]],
        minimum: Resource,
        is_waiting_for_recovery: Callable[[], bool],
    ) -> None:
        super().__init__(register, tracker)
        self._usage, self._asking, self._minimum = usage, asking, minimum
        self._is_waiting_for_recovery = is_waiting_for_recovery

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """The one queue: all of the cluster."""
        if name not in _NAMES:
            raise YarnError(f"Unknown queue: {name}")
        total = self.tracker.total.memory_mb
        return QueueInfo(
            queue_name=QUEUE,
            queue_path=QUEUE,
            capacity=1.0,
            maximum_capacity=1.0,
            current_capacity=self._usage.used().memory_mb / total if total else 0.0,
            state=QueueState.RUNNING,
            scheduler_type=NAME,
        )

    def is_within(self, queue: str, path: str) -> bool:
        """All applications are in the one queue, whatever queue they name."""
        return path in _NAMES

    def queue_view(self, path: str) -> QueueView | None:
        """The one queue; `root` is another name of it."""
        if path not in _NAMES:
            return None
        amounts, total = self._usage.of(), self.tracker.total.memory_mb
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
            apps=len(self.register.applications),
            active_apps=len(self.register.applications),
            containers=amounts.containers,
            partitions={DEFAULT_PARTITION: partition},
        )

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """Everybody may do everything."""
        return [QueueUserACLInfo(queue_name=QUEUE, user_acls=tuple(QueueACL))]

    # Why an application waits

    def request_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """Each open request on each node, and whose turn it is."""
        application = self.register.applications.get(application_id)
        attempt = application.attempt if application is not None else None
        if attempt is None or attempt.is_stopped:
            return []
        return [
            RequestChecks(asked=asked(attempt.asks[key]), checks=tuple(self._checks(attempt, key)), key=key)
            for key in attempt.asks.active_keys
        ]

    def _checks(self, attempt: Attempt, key: RequestKey) -> Iterator[Check]:
        is_back = not self._is_waiting_for_recovery()
        yield Check(reason=FifoReason.RECOVERING, holds=is_back, level="cluster")

        def on_node(node: SchedulerNode) -> tuple[Reason, str] | None:
            found = self.refusal_on(attempt, key, node)
            return None if found is None else (found, "")

        on_nodes = list(node_checks(self.tracker.nodes.values(), on_node, FifoReason.NO_NODE))
        yield from on_nodes
        if is_back and on_nodes[0].holds:
            ids = [str(one.application_id) for one in self._asking]
            before = ids[: ids.index(str(attempt.application_id))]
            reason = FifoReason.OTHERS_FIRST if before else FifoReason.HEARTBEAT
            yield Check(reason=reason, holds=False, numbers=", ".join(before[:5]), level=QUEUE)

    def refusal_on(self, attempt: Attempt, key: RequestKey, node: SchedulerNode) -> FifoReason | None:
        """Why the allocator would refuse the request on the node, were it the application's turn. A node that
        has no room because it is being decommissioned is said to be.
        """
        found = self._refusal_on(attempt, key, node)
        is_draining = found in _WITHOUT_ROOM and not node.is_schedulable
        return FifoReason.DECOMMISSIONING if is_draining else found

    def _refusal_on(self, attempt: Attempt, key: RequestKey, node: SchedulerNode) -> FifoReason | None:
        if _is_busy(node, self._minimum):
            return FifoReason.NODE_BUSY
        if attempt.is_blacklisted(node):
            return FifoReason.BLACKLIST
        for one in attempt.asks.active_keys:
            key_asks = attempt.asks[one]
            serves = any(_fitting(node, key_asks, locality)[0] for locality in Locality)
            if one == key:
                return None if serves else _no_room(key_asks, node)
            if not serves:
                return FifoReason.EARLIER_REQUEST
        return FifoReason.NOTHING_ASKED


def _no_room(key_asks: KeyAsks, node: SchedulerNode) -> FifoReason:
    is_large = DEFAULT_CALCULATOR.container_count(node.total, key_asks.any.capability) > 0
    return FifoReason.NODE_FULL if is_large else FifoReason.NODE_TOO_SMALL
