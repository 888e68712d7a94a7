"""The CapacityScheduler: which object answers which event, and which call of the rest of the RM.

Nothing is decided here: allocation/ serves nodes, lifecycle/ lets applications in and changes queues,
preemption/ takes back, diagnostics/ explains, views.py shows. Hadoop: CapacityScheduler.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from yarnbox.rm.asks import ANY
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.scheduler import (
    SchedulerActivitiesCleanup,
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerAsynchronousRound,
    SchedulerEvent,
    SchedulerKillReservedContainer,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForNonkillable,
    SchedulerMarkContainerForPreemption,
    SchedulerMonitorStep,
    SchedulerMonitorTick,
    SchedulerNodeAdded,
    SchedulerNodeLabelsUpdate,
    SchedulerNodeRemoved,
    SchedulerNodeResourceUpdate,
)
from yarnbox.rm.scheduler.admission.autocorrect import corrected
from yarnbox.rm.scheduler.application import Application
from yarnbox.rm.scheduler.base import AllocateCall, Allocation, Scheduler
from yarnbox.rm.scheduler.calculator import DEFAULT_CALCULATOR, DOMINANT_CALCULATOR, Calculator
from yarnbox.rm.scheduler.capacity.allocation.allocator import ContainerAllocator
from yarnbox.rm.scheduler.capacity.allocation.commit import Commit
from yarnbox.rm.scheduler.capacity.allocation.heartbeat import NodeAllocator
from yarnbox.rm.scheduler.capacity.allocation.node_choice import NodeOrders
from yarnbox.rm.scheduler.capacity.allocation.offers import Offers
from yarnbox.rm.scheduler.capacity.allocation.scheduling_requests import SchedulingRequests
from yarnbox.rm.scheduler.capacity.config.properties import PREFIX
from yarnbox.rm.scheduler.capacity.config.reading import FILE_NAME, ReadingContext, read_settings
from yarnbox.rm.scheduler.capacity.config.validation import check_minimum, check_states
from yarnbox.rm.scheduler.capacity.diagnostics.activities import Activities
from yarnbox.rm.scheduler.capacity.diagnostics.explain import Explanations
from yarnbox.rm.scheduler.capacity.lifecycle.access import QueueAccess
from yarnbox.rm.scheduler.capacity.lifecycle.admission import Admission, CapacityApplication
from yarnbox.rm.scheduler.capacity.lifecycle.configuration_store import CapacityConfigurationStore
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueMaker, QueueTreeLookup
from yarnbox.rm.scheduler.capacity.lifecycle.maintenance import (
    AutoCreatedQueueDeletionPolicy,
    IdleQueues,
    ManagedTemplates,
    QueueConfigurationAutoRefreshPolicy,
    QueueManagementDynamicEditPolicy,
)
from yarnbox.rm.scheduler.capacity.lifecycle.monitor import Factory, SchedulingMonitor
from yarnbox.rm.scheduler.capacity.lifecycle.move import ApplicationMover
from yarnbox.rm.scheduler.capacity.lifecycle.node_labels import NodePartitions
from yarnbox.rm.scheduler.capacity.lifecycle.parallel_applications import ParallelLimits
from yarnbox.rm.scheduler.capacity.lifecycle.plan_leaves import PlanLeaves
from yarnbox.rm.scheduler.capacity.lifecycle.plans import CapacityPlans
from yarnbox.rm.scheduler.capacity.lifecycle.priorities import ApplicationPriorities
from yarnbox.rm.scheduler.capacity.lifecycle.refresh import Refresh
from yarnbox.rm.scheduler.capacity.lifecycle.submission import SubmissionPlacement, check_mappings
from yarnbox.rm.scheduler.capacity.preemption.capture import SnapshotCapture
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.preemption.marks import PreemptionMarks
from yarnbox.rm.scheduler.capacity.preemption.proportional import ProportionalCapacityPreemptionPolicy
from yarnbox.rm.scheduler.capacity.queue_details import QueueDetails
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.sizes import ContainerSizes
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.capacity.views import SCHEDULER_NAME, CapacityViews
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.enums import QueueACL, SchedulerResourceTypes
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.request import ResourceRequest, SchedulingRequest
from yarnbox.yarn.resources.resource import NONE, Resource

_CHANGES_OF_NODES: Final = (
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeLabelsUpdate,
    SchedulerNodeResourceUpdate,
)


@mypyc_attr(allow_interpreted_subclasses=True)
class CapacityScheduler(Scheduler[CapacityAttempt]):
    """A tree of queues with guarantees, maxima and limits."""

    name: ClassVar[str] = SCHEDULER_NAME
    own_properties: ClassVar[str] = PREFIX
    has_partitions: ClassVar[bool] = True
    serves_constraints: ClassVar[bool] = True
    has_monitor: ClassVar[bool] = True

    def __init__(self, context: SchedulerContext) -> None:
        super().__init__(context)
        reading_context = ReadingContext(
            types=context.resource_types,
            site=context.configuration,
            max_application_priority=context.settings.max_application_priority,
            read_text=context.provider.read_text,
        )
        file = context.provider.load(FILE_NAME)
        settings = read_settings(file, reading_context)
        check_states(settings, ())
        settings.properties.raise_faults()
        check_minimum(self.minimum_allocation, self.configured_maximum)
        calculator = DOMINANT_CALCULATOR if settings.is_dominant else DEFAULT_CALCULATOR
        if settings.is_dominant:
            self.resource_kinds = (SchedulerResourceTypes.MEMORY, SchedulerResourceTypes.CPU)  # type: ignore[misc]
        self.queue_context = QueueContext(context, self.tracker, settings, calculator)
        self.tree = QueueTree(self.queue_context, settings.root)
        self._build_allocation()
        self._build_lifecycle(reading_context)
        self.configuration_store = CapacityConfigurationStore(
            context, file, self.tree, self._access, self._refresh
        )
        self._build_diagnostics()
        self._register_handlers()
        check_mappings(settings, QueueTreeLookup(self.tree))
        settings.properties.raise_faults()
        self._refresh.log_notices(settings)
        self.tree.start()
        self._offers.start()
        self.monitor.follow()

    def _build_allocation(self) -> None:
        context, tree = self.queue_context, self.tree
        self._sizes = ContainerSizes(context, tree, self.maximum_allocation)
        self._killable = KillableContainers(context)
        self._marks = PreemptionMarks(context, self.register, self.completion, self._killable)
        self._allocator = ContainerAllocator(context, self._killable, NodeOrders(context))
        commit = Commit(context, self.completion)
        self.node_allocator = NodeAllocator(
            context, tree, self.register, self._killable, self._allocator, commit
        )
        self._offers = Offers(context, self.node_allocator)
        self._scheduling_requests = SchedulingRequests(context, self._sizes, commit)

    def _build_lifecycle(self, reading_context: ReadingContext) -> None:
        context, tree = self.queue_context, self.tree
        maker = QueueMaker(context, tree, reading_context)
        plan_leaves = PlanLeaves(context, tree, reading_context)
        self._access = QueueAccess(self.context, tree, maker)
        self._placement = SubmissionPlacement(context, tree, self._access)
        self._priorities = ApplicationPriorities(context, tree)
        self._admission = Admission(
            context,
            tree,
            self.register,
            self._sizes,
            maker,
            self._placement,
            plan_leaves,
            self._priorities,
        )
        self._parallel = ParallelLimits(context)
        self._mover = ApplicationMover(tree, self.register, plan_leaves, self._parallel)
        self._node_partitions = NodePartitions(context, tree, self.register, self.completion)
        self.plan_queues = CapacityPlans(context, tree, self.register, plan_leaves, self._mover)
        templates, idle = ManagedTemplates(tree), IdleQueues(context, tree)
        capture = SnapshotCapture(context, tree, self._killable)
        policies: dict[str, Factory] = {
            ProportionalCapacityPreemptionPolicy.name: lambda: ProportionalCapacityPreemptionPolicy(
                context, capture, self._marks
            ),
            QueueManagementDynamicEditPolicy.name: lambda: QueueManagementDynamicEditPolicy(
                context, templates
            ),
            AutoCreatedQueueDeletionPolicy.name: lambda: AutoCreatedQueueDeletionPolicy(context, idle),
            QueueConfigurationAutoRefreshPolicy.name: lambda: QueueConfigurationAutoRefreshPolicy(
                context, self._refresh.refresh
            ),
        }
        self.monitor = SchedulingMonitor(context, tree, policies, lambda policy: policy(self))
        self._refresh = Refresh(
            context, tree, reading_context, maker, plan_leaves, self.monitor, templates, self._parallel
        )

    def _build_diagnostics(self) -> None:
        context, tree = self.queue_context, self.tree
        self.explanations = Explanations(context, tree, self.register, self._killable, self._allocator)
        self.activities = Activities(context, self._offers, self.node_allocator)
        details = QueueDetails(context, tree, self._sizes)
        self.views = CapacityViews(context, tree, self.register, details, self.explanations, self.activities)

    def _register_handlers(self) -> None:
        self.handlers[SchedulerNodeLabelsUpdate] = self._node_partitions.update
        self.handlers[SchedulerAsynchronousRound] = self._run_asynchronous_round
        self.handlers[SchedulerMonitorTick] = self.monitor.tick
        self.handlers[SchedulerMonitorStep] = lambda event: self.monitor.resume(event.policy)
        self.handlers[SchedulerKillReservedContainer] = self._marks.kill_reservation
        self.handlers[SchedulerMarkContainerForPreemption] = self._marks.announce
        self.handlers[SchedulerMarkContainerForKillable] = self._marks.make_killable
        self.handlers[SchedulerMarkContainerForNonkillable] = self._marks.make_nonkillable
        self.handlers[SchedulerActivitiesCleanup] = self.activities.clean

    def handle(self, event: SchedulerEvent) -> None:
        """One event. Shares follow the cluster before anything else may change, as if they had at once; many
        nodes that come together share one calculation.

        See tests/scenarios/queues/limits-before-an-overcommitted-container-ends.yaml.
        """
        kind = type(event)
        if self.tree.is_stale and kind not in _CHANGES_OF_NODES:
            self.tree.update_shares()
        handler = self.handlers.get(kind)  # as the base does, without another call: heartbeats are many
        if handler is not None:
            handler(event)

    # Nodes

    def allocate_on(self, node: SchedulerNode) -> None:
        """A heartbeat; with asynchronous scheduling it gives nothing by itself."""
        self._offers.heartbeat(node)

    def _run_asynchronous_round(self, event: SchedulerAsynchronousRound) -> None:
        self._offers.run_round(self.is_waiting_for_recovery())

    def preempt(self) -> None:
        """One pass of every policy of the scheduling monitor, where it is on."""
        self.monitor.run_all()

    def cluster_resource_changed(self) -> None:
        """Every share follows the cluster."""
        self.tree.mark_cluster_changed()

    def remove_node(self, event: SchedulerNodeRemoved) -> None:
        """NODE_REMOVED: the labels manager has the queues' limits worked out anew even for a node that is no
        longer known. See tests/scenarios/queues/sick-node-leaves-again.yaml.
        """
        self.context.post(SchedulerNodeLabelsUpdate(labels_of_nodes={}))
        super().remove_node(event)

    def update_node_resource(self, event: SchedulerNodeResourceUpdate) -> None:
        """NODE_RESOURCE_UPDATE: the queues are told even where nothing changes."""
        super().update_node_resource(event)
        self.cluster_resource_changed()

    def resize_node(self, node: SchedulerNode, total: Resource) -> None:
        """To the labels manager the node goes and comes again: two events follow, of which the second drops
        its reservation. See tests/scenarios/labels/labels-resize-drops-reservation.yaml.
        """
        self.context.post(SchedulerNodeLabelsUpdate(labels_of_nodes={}))
        self._tell_labels(node)
        super().resize_node(node, total)

    def node_added(self, node: SchedulerNode) -> None:
        """Multi-node placement may offer it at once; the labels manager tells its label."""
        self._offers.join(node.node_id)
        self.context.labels.join(node.node_id.host)
        self._tell_labels(node)

    def node_removed(self, node: SchedulerNode) -> None:
        """Nothing more is offered on it."""
        self._offers.forget(node.node_id)

    def _tell_labels(self, node: SchedulerNode) -> None:
        label = self.context.labels.partition_of(node.node_id)
        labels = {node.node_id: (label,) if label else ()}
        self.context.post(SchedulerNodeLabelsUpdate(labels_of_nodes=labels))

    # Applications

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED."""
        self._admission.add_application(event)

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        self._admission.remove_application(event)

    def start_attempt(
        self, application: Application[CapacityAttempt], event: SchedulerAppAttemptAdded
    ) -> None:
        """It waits for its activation, or for its turn (max-parallel-apps)."""
        assert isinstance(application, CapacityApplication)
        attempt = self._admission.new_attempt(event.attempt_id, application)
        attempt.is_recovering = event.is_recovering
        leaf = self.tree.leaf_of(application)
        attempt.is_runnable = self._parallel.admit(attempt, leaf)
        leaf.add_attempt(attempt)
        self.install_attempt(application, attempt, event)

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED."""
        attempt = self.stop_attempt(event)
        if attempt is None:
            return
        leaf = self.tree.leaf_of(attempt.application)
        self._parallel.leave(attempt, leaf)
        leaf.remove_attempt(attempt)
        self._parallel.admit_after(attempt, leaf)

    def place_application(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue for a submission, by the mapping rules."""
        return self._placement.place_application(context, user)

    def answer(self, attempt: CapacityAttempt, call: AllocateCall) -> Allocation:
        """An AM's call, with its scheduling requests."""
        leaf = self.tree.leaf_of(attempt.application)
        call.ask, further = corrected(self, attempt, call.ask), None
        if constrained := tuple(call.scheduling_requests):
            label = leaf.settings.default_label
            further = partial(self._scheduling_requests.book_all, attempt, call.ask, constrained, label)
        allocation = self.serve_allocate(attempt, call, further)
        if constrained or any(one.resource_name in (ANY, None) for one in call.ask):
            attempt.demand_updated()
        rejected = self._scheduling_requests.rejected(attempt)
        return replace(allocation, rejected=rejected) if rejected else allocation

    def allocate_directly(
        self, attempt_id: ApplicationAttemptId, request: SchedulingRequest, node: SchedulerNode
    ) -> bool:
        """A container that the placement processor has placed; limits and room count as in any commit."""
        self.tree.update_shares()
        attempt = self.attempt(attempt_id)
        return attempt is not None and self._scheduling_requests.allocate_directly(attempt, request, node)

    @property
    def resource_calculator(self) -> Calculator:
        """The configured one."""
        return self.queue_context.calculator

    @property
    def counts_vcores(self) -> bool:
        """As the configured calculator does."""
        return self.queue_context.calculator is DOMINANT_CALCULATOR

    def headroom(self, attempt: CapacityAttempt) -> Resource:
        """What the application may still ask for: once it was moved, in its old queue until the new one has
        looked at it. See tests/scenarios/queues/headroom-after-a-move.yaml.
        """
        if attempt.is_stopped:
            return NONE
        if attempt.is_reached:
            return self.tree.leaf_of(attempt.application).headroom_of(attempt, attempt.queue_user)
        if attempt.reached_before is None:
            return NONE
        leaf, user = attempt.reached_before
        return leaf.headroom_of(attempt, user)

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """By the calculator, cut to the queue's maximum allocation."""
        return self._sizes.normalize(request, queue)

    def normalize_ask(self, request: ResourceRequest, queue: str) -> ResourceRequest:
        """Cut to the cluster's maximum alone: rounding may exceed the queue's, which the request may not. See
        tests/scenarios/lifecycle/sizes-beyond-the-queues-maximum.yaml. Hadoop: CapacityScheduler.allocate.
        """
        return self._sizes.normalize(request, None)

    def queue_maximum_allocation(self, queue: str | None) -> Resource:
        """The queue's own maximum, never more than the cluster's."""
        return self._sizes.maximum_in(queue)

    # Containers

    def container_completed(
        self, container: RMContainer, attempt: CapacityAttempt, status: ContainerStatus
    ) -> None:
        """A container was removed from the books."""
        self._killable.remove(container, attempt)

    # Changes from outside

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application with all it has to another leaf."""
        return self._mover.move(application_id, queue)

    def application_priority(
        self, asked: int | None, user: str, queue: str, application_id: ApplicationId | None = None
    ) -> int:
        """The priority that a submission or an update results in."""
        return self._priorities.check(asked, user, queue, application_id)

    def update_application_priority(self, application_id: ApplicationId, app_priority: int) -> None:
        """Takes effect at once, in the order of its leaf, for the present attempt: the next one has the
        priority of the submission again, and that one cannot be set.

        See tests/scenarios/queues/priority-of-the-next-attempt.yaml.
        """
        application = self.applications.get(application_id)
        if application is None or application.app_priority == app_priority:
            return
        attempt = application.attempt
        if attempt is None:
            application.app_priority = app_priority
            return
        attempt.app_priority = app_priority
        if not attempt.is_stopped:
            self.tree.leaf_of(application).reorder(attempt)

    def application_lifetime(self, queue: str, lifetime_s: int) -> int:
        """The lifetime that an application of that queue gets; -1 without end."""
        return self._admission.application_lifetime(queue, lifetime_s)

    def refresh(self) -> None:
        """refreshQueues: the whole file anew, or nothing."""
        self._refresh.refresh()

    def check_books(self) -> None:
        """Also: what the leaves hold, the root holds; and what may be killed lazily."""
        super().check_books()
        self.tree.check_books()
        self._killable.check_books(self.register, self.tree)

    # Labels and rights

    def accessible_labels(self, queue: str) -> tuple[str, ...] | None:
        """The labels of the queue; `*` for all."""
        found = self.tree.find(queue)
        return found.settings.accessible_labels if found is not None else None

    def queue_using_label(self, label: str) -> str | None:
        """A queue whose accessible set, its own or inherited, names the label; `*` names none."""
        for queue in self.tree.all_queues():
            if label in queue.settings.accessible_labels:
                return queue.path
        return None

    def default_label(self, queue: str) -> str | None:
        """The label of requests that name none."""
        found = self.tree.find(queue)
        return (found.settings.default_label or None) if found is not None else None

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Whether an ACL lets the user; for a queue not made yet, its template's or an ancestor's."""
        return self._access.allows(user, acl, queue)
