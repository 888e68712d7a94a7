"""The CapacityScheduler: what it does with each event, and what the rest of the RM may ask of it.

The deciding is done elsewhere: admission.py lets applications in, commit.py serves nodes, changes.py moves
and refreshes, clients.py shows. Answers for CapacityScheduler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from rm.container import RMContainer, RMContainerState
from rm.events.app import AttemptAdded
from rm.events.container import ContainerKill, ContainerReleased
from rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerAsynchronousRound,
    SchedulerKillReservedContainer,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForNonkillable,
    SchedulerMarkContainerForPreemption,
    SchedulerMonitorStep,
    SchedulerMonitorTick,
    SchedulerNodeLabelsUpdate,
    SchedulerNodeResourceUpdate,
)
from rm.scheduler import requests
from rm.scheduler.allocation import Allocation
from rm.scheduler.application import Application
from rm.scheduler.autocorrect import corrected
from rm.scheduler.base import Scheduler
from rm.scheduler.calculator import DEFAULT_CALCULATOR, DOMINANT_CALCULATOR, Calculator, multiply
from rm.scheduler.capacity import (
    admission,
    changes,
    clients,
    constraints,
    mutation,
    preempting,
    priorities,
    reasons,
    rounds,
)
from rm.scheduler.capacity.activities import Activities
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.assignment import SkipReason
from rm.scheduler.capacity.checks import check_minimum, check_states
from rm.scheduler.capacity.commit import IdleWalks, serve_node
from rm.scheduler.capacity.dynamic import LiveQueues, QueueMaker
from rm.scheduler.capacity.frame import Frame
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.monitor import SchedulingMonitor
from rm.scheduler.capacity.multi_node import NodeOrders
from rm.scheduler.capacity.parallel import ParallelLimits
from rm.scheduler.capacity.plans import CapacityPlans
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.reading import FILE_NAME, Surroundings, read_settings
from rm.scheduler.capacity.settings import DEFAULT_PARTITION, CapacitySettings, QueueKind, QueueSettings
from rm.scheduler.capacity.tree import QueueTree
from rm.scheduler.node import SchedulerNode
from rm.scheduler.roll import strike_off
from rm.scheduler.statuses import UNRESERVED_CONTAINER, aborted
from rm.scheduler.views import QueueView
from yarn.configuration import Configuration
from yarn.enums import QueueACL, SchedulerResourceTypes
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.container import ContainerStatus
from yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarn.records.request import ResourceRequest, SchedulingRequest
from yarn.resource import NONE, Resource, componentwise_min

if TYPE_CHECKING:
    from rm.context import RMContext


class CapacityScheduler(Scheduler[CapacityAttempt]):
    """A tree of queues with guarantees, maxima and limits."""

    name: ClassVar[str] = "CapacityScheduler"
    has_partitions: ClassVar[bool] = True
    serves_constraints: ClassVar[bool] = True
    has_monitor: ClassVar[bool] = True

    def __init__(self, context: RMContext) -> None:
        super().__init__(context)
        self.surroundings = Surroundings(
            types=context.resource_types,
            site=context.configuration,
            max_application_priority=context.settings.max_application_priority,
            read_text=context.provider.read_text,
        )
        file = context.provider.load(FILE_NAME)
        self.mutable = mutation.seed(self, file)
        """The configuration, where it can be changed by API."""
        settings = self.read_settings(file)
        check_states(settings, {})
        settings.properties.raise_faults()
        check_minimum(self.minimum_allocation, self.configured_maximum)
        calculator = DOMINANT_CALCULATOR if settings.is_dominant else DEFAULT_CALCULATOR
        if settings.is_dominant:
            self.resource_kinds = (SchedulerResourceTypes.MEMORY, SchedulerResourceTypes.CPU)  # type: ignore[misc]
        self.frame = Frame(context, self.tracker, settings, calculator)
        self.frame.node_orders = NodeOrders(self.frame)
        self.tree = QueueTree(self.frame, settings.root)
        self.maker = QueueMaker(self.tree, self.surroundings)
        self.plan_queues = CapacityPlans(self)
        self.tree.reread = self._settings_again
        self.queues = LiveQueues(self.tree)
        self.parallel = ParallelLimits(self.frame)
        self.placed_by_rule: dict[ApplicationId, str] = {}
        """Submissions that a mapping sent to their queue, until their APP_ADDED comes."""
        self.idle = IdleWalks()
        self.reasons: dict[CapacityAttempt, SkipReason] | None = None
        """Why applications got nothing when they were last looked at; kept while somebody wants to know."""
        self.activities = Activities(self)
        self.asynchronous = settings.asynchronous
        """Fixed until the next start, as is multi-node placement."""
        self.is_multi_node = settings.is_multi_node
        self.hears_nodes = self.is_multi_node or self.asynchronous.is_enabled
        self.last_heard_ms: dict[NodeId, int] = {}
        """When each node was heard of last, where that matters."""
        self.marked_queues: list[str] = []
        """Dynamic queues that the next round of the deletion policy removes if they are still idle."""
        self.is_stale = False
        """Whether nodes came or went and the shares have not been worked out anew yet."""
        admission.check_mappings(settings, self.queues)
        settings.properties.raise_faults()
        self.handlers[SchedulerNodeLabelsUpdate] = self.update_labels
        self.handlers[SchedulerKillReservedContainer] = self.kill_reservation
        self.handlers[SchedulerAsynchronousRound] = self.run_asynchronous_round
        self.monitor = SchedulingMonitor(self)
        self.handlers[SchedulerMonitorTick] = self.run_monitor
        self.handlers[SchedulerMonitorStep] = self.continue_monitor
        self.handlers[SchedulerMarkContainerForPreemption] = lambda one: preempting.announce(self, one)
        self.handlers[SchedulerMarkContainerForKillable] = lambda one: preempting.make_killable(self, one)
        self.handlers[SchedulerMarkContainerForNonkillable] = self.make_nonkillable
        self.told: dict[str, None] = {}
        """Notices that were logged: each is told once, however often the file is read."""
        self.tell(settings)
        self.tree.root.cluster_changed(NONE)
        rounds.start(self)
        self.monitor.follow()

    def _settings_again(self, queue: CapacityQueue) -> QueueSettings:
        """The settings of a queue that no file names, after a refresh."""
        parent = queue.parent
        if parent is not None and parent.kind is QueueKind.PLAN:
            return self.plan_queues.settings_of(queue.path, parent)
        return self.maker.reread(queue)

    def tell(self, settings: CapacitySettings) -> None:
        """Logs what an operator should know of the configuration, and was not told before."""
        for notice in settings.notices:
            if notice not in self.told:
                self.told[notice] = None
                self.context.log("warning", "unknown property", text=notice)

    def read_settings(self, file: Configuration) -> CapacitySettings:
        """The settings of a file in these surroundings; ConfigurationError with every fault."""
        return read_settings(file, self.surroundings)

    # Nodes

    def allocate_on(self, node: SchedulerNode) -> None:
        """A heartbeat; with asynchronous scheduling it gives nothing by itself."""
        self.settle()
        rounds.note_heartbeat(self, node)
        if self.asynchronous.is_enabled:
            return
        if self.is_multi_node:
            rounds.serve_partition(self, node)
        else:
            serve_node(self, node)

    def run_asynchronous_round(self, event: SchedulerAsynchronousRound) -> None:
        """A round of asynchronous scheduling."""
        self.settle()
        rounds.run(self)

    def run_monitor(self, event: SchedulerMonitorTick) -> None:
        """A policy of the scheduling monitor looks around."""
        self.settle()
        self.monitor.tick(event)

    def continue_monitor(self, event: SchedulerMonitorStep) -> None:
        """A policy goes on with its pass."""
        self.settle()
        self.monitor.go_on(event.policy)

    def preempt(self) -> None:
        """One pass of every policy of the scheduling monitor, where it is on."""
        self.settle()
        self.monitor.run_all()

    def cluster_resource_changed(self) -> None:
        """Every share follows the cluster: at once if applications wait for it, else before the next look."""
        self.is_stale = True
        self.frame.version += 1
        if self.frame.pending_apps or self.frame.cluster.memory_mb == 0 or not self.tracker.nodes:
            self.settle()

    def settle(self) -> None:
        """Works the shares out anew if the cluster has changed since."""
        if self.is_stale:
            self.is_stale = False
            self.recompute()

    def recompute(self) -> None:
        """Shares, limits and activation of all queues, from the root down."""
        self.frame.cluster = self.tracker.total
        self.frame.version += 1
        self.tree.root.cluster_changed(self.tracker.total)

    def update_labels(self, event: SchedulerNodeLabelsUpdate) -> None:
        """NODE_LABELS_UPDATE."""
        self.settle()
        changes.move_nodes(self, event)

    def update_node_resource(self, event: SchedulerNodeResourceUpdate) -> None:
        """NODE_RESOURCE_UPDATE: the queues are told even where nothing changes."""
        super().update_node_resource(event)
        self.cluster_resource_changed()

    def resize_node(self, node: SchedulerNode, total: Resource) -> None:
        """Its partition's capacity is worked out anew by a NODE_LABELS_UPDATE, which drops its reservation.

        See tests/scenarios/labels/labels-resize-drops-reservation.yaml.
        """
        super().resize_node(node, total)
        if node.reserved_container is not None:
            self.drop_reservation(node.reserved_container)

    def node_removed(self, node: SchedulerNode) -> None:
        """Nothing on it can be killed for others any more."""
        self.frame.killable_on.pop(node.node_id, None)
        rounds.forget(self, node)

    # Applications

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED."""
        self.settle()
        admission.add_application(self, event)

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        self.settle()
        application = strike_off(self, event)
        self.placed_by_rule.pop(event.application_id, None)
        if application is not None:
            application.queue.remove_application(event.application_id)

    def add_attempt(self, event: SchedulerAppAttemptAdded) -> None:
        """APP_ATTEMPT_ADDED."""
        self.settle()
        application = self.applications.get(event.attempt_id.application_id)
        if application is None:
            return
        attempt = CapacityAttempt(self.context, event.attempt_id, application)
        attempt.is_recovering = event.is_recovering
        admission.prepare(self, attempt)
        leaf: LeafQueue = application.queue
        attempt.leaf = leaf
        attempt.is_runnable = self.parallel.admit(attempt, leaf)
        leaf.add_attempt(attempt)
        self.install_attempt(application, attempt, event)
        if not event.is_recovering:
            self.context.post(AttemptAdded(attempt_id=event.attempt_id))

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED."""
        self.settle()
        attempt = self.stop_attempt(event)
        if attempt is None:
            return
        self.parallel.leave(attempt, attempt.leaf)
        attempt.leaf.remove_attempt(attempt)
        self.parallel.let_in()

    def place(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue for a submission, by the mapping rules."""
        return admission.place(self, context, user)

    def allocate(
        self,
        attempt_id: ApplicationAttemptId,
        ask: Iterable[ResourceRequest],
        release: Iterable[ContainerId],
        blacklist_additions: Iterable[str] = (),
        blacklist_removals: Iterable[str] = (),
        scheduling_requests: Iterable[SchedulingRequest] = (),
    ) -> Allocation:
        """An AM's call."""
        self.settle()
        attempt = self.attempt(attempt_id)
        assert attempt is not None
        asked, further = corrected(self, attempt, ask), None
        if constrained := tuple(scheduling_requests):
            further = partial(constraints.book_all, self, attempt, asked, constrained)
        allocation = self.take_call(attempt, asked, release, blacklist_additions, blacklist_removals, further)
        rejected = constraints.rejected(self, attempt)
        return replace(allocation, rejected=rejected) if rejected else allocation

    def allocate_directly(
        self, attempt_id: ApplicationAttemptId, request: SchedulingRequest, node: SchedulerNode
    ) -> bool:
        """A container that the placement processor has placed; limits and room count as in any commit."""
        self.settle()
        return constraints.allocate_directly(self, attempt_id, request, node)

    @property
    def resource_calculator(self) -> Calculator:
        """The configured one."""
        return self.frame.calculator

    def queue_usage(self, attempt: CapacityAttempt, used: Resource) -> float:
        """By the effective capacity in the partition of its AM; where no node is there, by the default
        partition's share of the cluster.
        """
        frame, leaf = self.frame, attempt.leaf
        total, guarantee = (
            frame.partition_total(attempt.partition),
            leaf.share(attempt.partition).effective_minimum,
        )
        if not total:
            total = self.cluster_resource()
            guarantee = multiply(total, leaf.share(DEFAULT_PARTITION).capacity)
        return frame.calculator.divide(total, used, guarantee)

    def headroom(self, attempt: CapacityAttempt) -> Resource:
        """What the application may still ask for."""
        self.settle()
        return NONE if attempt.is_stopped else attempt.leaf.headroom_of(attempt)

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """By the calculator, cut to the queue's maximum allocation."""
        minimum = self.minimum_allocation
        maximum = self.queue_maximum_allocation(queue)
        return requests.normalize(request, self.frame.calculator, minimum, maximum, minimum)

    def queue_maximum_allocation(self, queue: str | None) -> Resource:
        """The queue's own maximum, never more than the cluster's."""
        found = self.tree.find(queue) if queue else None
        maximum = self.maximum_allocation()
        return componentwise_min(found.settings.maximum_allocation, maximum) if found is not None else maximum

    # Containers

    def container_completed(
        self, container: RMContainer, attempt: CapacityAttempt, status: ContainerStatus
    ) -> None:
        """A container has left the books."""
        borrowed = attempt.leaf.borrowed.get(container.partition)
        if borrowed:
            borrowed.pop(container.container_id, None)
        preempting.forget_killable(self, container, attempt.leaf)

    def kill_reservation(self, event: SchedulerKillReservedContainer) -> None:
        """KILL_RESERVED_CONTAINER."""
        container = self.container(event.container_id)
        if container is not None and container.state is RMContainerState.RESERVED:
            status = aborted(container.container_id, UNRESERVED_CONTAINER)
            self.complete_container(container, status, ContainerKill(status=status))

    def make_nonkillable(self, event: SchedulerMarkContainerForNonkillable) -> None:
        """MARK_CONTAINER_FOR_NONKILLABLE."""
        preempting.make_nonkillable(self, event)

    def drop_reservation(self, container: RMContainer) -> None:
        """A reservation that is not wanted any more."""
        status = aborted(container.container_id, UNRESERVED_CONTAINER)
        self.complete_container(container, status, ContainerReleased(status=status))

    # Changes from outside

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application with all it has to another leaf."""
        self.settle()
        return changes.move_application(self, application_id, queue)

    def application_priority(
        self, asked: int | None, user: str, queue: str, application_id: ApplicationId | None = None
    ) -> int:
        """The priority that a submission or an update gets."""
        return priorities.application_priority(self, asked, user, queue, application_id)

    def update_application_priority(self, application_id: ApplicationId, app_priority: int) -> None:
        """Takes effect at once: in the order of its leaf, active or pending."""
        application = self.applications.get(application_id)
        if application is None:
            return
        application.app_priority = app_priority
        if application.attempt is not None and not application.attempt.is_stopped:
            application.attempt.leaf.reorder(application.attempt)
            self.frame.version += 1

    def application_lifetime(self, queue: str, lifetime_s: int) -> int:
        """The lifetime that an application of that queue gets; -1 without end."""
        return admission.application_lifetime(self, queue, lifetime_s)

    def refresh(self) -> None:
        """refreshQueues: the whole file anew, or nothing."""
        self.settle()
        changes.refresh(self)

    def change_configuration(self, change: mutation.ConfigurationChange, user: str) -> None:
        """Changes the configuration by API and keeps it (`yarn schedulerconf`)."""
        self.settle()
        mutation.mutate(self, change, user)

    def validate_configuration(self, change: mutation.ConfigurationChange, user: str) -> dict[str, str]:
        """What the change would make of the configuration; YarnError when it would be refused."""
        self.settle()
        return mutation.validate(self, change, user)

    def recover_configuration(self, records: Sequence[Any]) -> None:
        """What was changed by API before a restart."""
        if records:
            mutation.restore(self, records[-1])

    def configuration_records(self) -> Sequence[Any]:
        """The configuration as it is, where it is kept."""
        return mutation.records(self)

    def check_books(self) -> None:
        """Also: what the leaves hold, the root holds."""
        super().check_books()
        clients.check_tree_books(self)

    # What clients see

    def application_queue(self, application: Application[CapacityAttempt]) -> LeafQueue:
        """The leaf of an application."""
        leaf: LeafQueue = application.queue
        return leaf

    def explain(self, application_id: ApplicationId) -> list[reasons.Explanation]:
        """Why the application gets nothing just now."""
        self.settle()
        return reasons.explain(self, application_id)

    def watch_reasons(self, *, is_on: bool) -> None:
        """Keeps in `reasons` why each application was passed over when it was last looked at."""
        self.reasons = {} if is_on else None

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """What keeps its AM from starting."""
        self.settle()
        return reasons.launch_diagnostics(self, attempt_id)

    def accessible_labels(self, queue: str) -> tuple[str, ...] | None:
        """The labels of the queue; `*` for all."""
        found = self.tree.find(queue)
        return found.settings.accessible_labels if found is not None else None

    def queue_using_label(self, label: str) -> str | None:
        """A queue whose accessible set, its own or inherited, names the label; `*` names none."""
        for queue in self.tree.walk():
            if label in queue.settings.accessible_labels:
                return queue.path
        return None

    def default_label(self, queue: str) -> str | None:
        """The label of requests that name none."""
        found = self.tree.find(queue)
        return (found.settings.default_label or None) if found is not None else None

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """What clients see of a queue."""
        self.settle()
        return clients.queue_info(self, name, include_children=include_children, recursive=recursive)

    def queue_view(self, path: str) -> QueueView | None:
        """What pages, REST and scenarios see of a queue."""
        self.settle()
        return clients.queue_view(self, path)

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """What the user may do, queue by queue."""
        return clients.queue_acls(self, user)

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Whether an ACL lets the user; for a queue not made yet, its template's or an ancestor's."""
        return admission.has_access(self, user, acl, queue)
