"""The FairScheduler: events in, containers out; submission, calls of AMs, moves, refreshes.

It owns the queues' tree and hands each node to the root. Rules of sharing are in policies.py and shares.py,
of placing a container in application.py, of taking one away in preemption.py. Hadoop: FairScheduler.
"""

from __future__ import annotations

from typing import ClassVar

from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.events.container import ContainerKill
from yarnbox.rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerCheckAllocations,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
    SchedulerNodeResourceUpdate,
    SchedulerPreemptContainers,
    SchedulerScheduleAll,
    SchedulerUpdateShares,
)
from yarnbox.rm.scheduler.admission import requests
from yarnbox.rm.scheduler.admission.autocorrect import corrected
from yarnbox.rm.scheduler.application import Application
from yarnbox.rm.scheduler.base import AllocateCall, Allocation, Scheduler
from yarnbox.rm.scheduler.calculator import DOMINANT_CALCULATOR
from yarnbox.rm.scheduler.containers.statuses import UNRESERVED_CONTAINER, aborted
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.fair.allocation_file.allocations import Allocations
from yarnbox.rm.scheduler.fair.allocation_file.loader import RELOAD_INTERVAL_MS, AllocationLoader
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.explanations import Explanations
from yarnbox.rm.scheduler.fair.moving import Mover
from yarnbox.rm.scheduler.fair.preemption import Preemption
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.plans import FairPlans
from yarnbox.rm.scheduler.fair.queues.queue import ParentQueue
from yarnbox.rm.scheduler.fair.queues.running import RunningApps
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.fair.submission import Admission, check_zero_maxima
from yarnbox.rm.scheduler.fair.views import FairViews, OperationDurations
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.enums import QueueACL, SchedulerResourceTypes
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_min, less, map_values
from yarnbox.yarn.resources.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry

_UPDATE = "fair-update"
_CHECK = "fair-allocation-file"
_CONTINUOUS = "fair-continuous-scheduling"
STATE_DUMP = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler.statedump"
"""Hadoop's logger of the state; at its level debug the state is dumped, now and then."""
UPDATES_BETWEEN_DUMPS = 25


@mypyc_attr(allow_interpreted_subclasses=True)
class FairScheduler(Scheduler[FSAppAttempt]):
    """Queues and applications share what there is."""

    name: ClassVar[str] = "FairScheduler"
    own_properties: ClassVar[str] = "yarn.scheduler.fair."
    resource_kinds: ClassVar[tuple[SchedulerResourceTypes, ...]] = (
        SchedulerResourceTypes.MEMORY,
        SchedulerResourceTypes.CPU,
    )

    def __init__(self, context: SchedulerContext) -> None:
        super().__init__(context)
        self._fair = fair = FairContext(context, self.tracker)
        self.settings = fair.settings
        for notice in fair.configuration.notices:
            context.log("warning", "fair scheduler", notice=notice)
        self._attempts = 0
        self._updates_to_dump = UPDATES_BETWEEN_DUMPS
        self.durations = OperationDurations()
        self.tree = tree = QueueTree(fair)
        self.root: ParentQueue = tree.root
        self._running = running = RunningApps(fair, tree.root)
        self.preemption = Preemption(fair, tree.root, self.register, self.completion)
        self._mover = Mover(tree, self.register, running)
        self.plan_queues = FairPlans(fair, tree, self.register, self._mover)
        self._admission = Admission(fair, tree, self.register, self.normalize)
        self._loader = AllocationLoader(fair, tree, running, self._admission, self.plan_queues)
        explanations = Explanations(self.register, self.tracker.nodes, running, self.is_waiting_for_recovery)
        self.views = self._views = FairViews(
            fair, tree, self.register, running, explanations, self.durations, self.name
        )
        self.handlers |= {
            SchedulerUpdateShares: self.update_in_time,
            SchedulerCheckAllocations: self.check_allocations,
            SchedulerPreemptContainers: self.preemption.kill,
            SchedulerMarkContainerForPreemption: self.preemption.announce,
            SchedulerMarkContainerForKillable: self.preemption.make_killable,
            SchedulerScheduleAll: self.schedule_all,
        }
        self._loader.start()
        self._start_timers()

    @property
    def allocations(self) -> Allocations:
        """What the allocation file says now."""
        return self._fair.allocations

    def _start_timers(self) -> None:
        context = self.context
        self._update_at(context.now_ms + self._fair.configuration.update_interval_ms)
        if self._loader.has_file:
            context.timer_at(context.now_ms, _CHECK, SchedulerCheckAllocations())
        if self.settings.continuous_scheduling:
            context.log("warning", "continuous scheduling is deprecated, use assignmultiple")
            due_ms = context.now_ms + self.settings.continuous_sleep_ms
            context.timer_at(due_ms, _CONTINUOUS, SchedulerScheduleAll())

    def _update_at(self, due_ms: int) -> None:
        self.context.timer_at(due_ms, _UPDATE, SchedulerUpdateShares())

    # The update

    def update_in_time(self, event: SchedulerUpdateShares) -> None:
        """Runs the update, then preemption."""
        self.update_shares()
        self.preempt()
        interval_ms = self._fair.configuration.update_interval_ms
        if interval_ms:
            self._update_at(self.context.now_ms + interval_ms)

    def update_shares(self) -> None:
        """Demand from the leaves up, shares from the root down, then who starves."""
        begun_ms = self.context.stopwatch()
        self.tree.update_cluster_resource()
        self.root.update_demand()
        self.root.fair_share = self.root.uncapped_share = self.cluster_resource()
        self.root.recompute_shares()
        self._record_free()
        if self.preemption.should_attempt_preemption():
            for leaf in self.tree.leaves:
                for app in leaf.find_starved():
                    self.preemption.add_starved(app)
        if self.context.logs_at(STATE_DUMP, "debug"):
            self._dump_periodically()
        self.durations.update_thread_run.add(self.context.stopwatch() - begun_ms)

    def _dump_periodically(self) -> None:
        self._updates_to_dump -= 1
        if self._updates_to_dump < 0:
            self._updates_to_dump = UPDATES_BETWEEN_DUMPS
            for line in self._views.dump_state().splitlines():
                self.context.dump(STATE_DUMP, "debug", line)

    def preempt(self) -> None:
        """Preempts for starved applications."""
        if self.settings.preemption:
            self.preemption.run()

    def check_allocations(self, event: SchedulerCheckAllocations) -> None:
        """Checks empty ad hoc queues, queues whose kind is to change, then the allocation file."""
        self.tree.remove_empty_dynamic()
        self.tree.change_pending_kinds()
        self._loader.reload_if_changed()
        self.context.timer_at(self.context.now_ms + RELOAD_INTERVAL_MS, _CHECK, event)

    # Nodes

    def node_added(self, node: SchedulerNode) -> None:
        """A node joined: the update does not wait for its time."""
        self._update_at(self.context.now_ms)

    def node_removed(self, node: SchedulerNode) -> None:
        """A node left."""
        self.preemption.forget_node(node)
        self._update_at(self.context.now_ms)

    def update_node_resource(self, event: SchedulerNodeResourceUpdate) -> None:
        """NODE_RESOURCE_UPDATE: steady shares are worked out anew even where nothing changes."""
        super().update_node_resource(event)
        self.tree.mark_steady_shares()

    def cluster_resource_changed(self) -> None:
        """Maxima in percent, dominant shares and steady shares follow when somebody looks."""
        self.tree.mark_cluster_changed()
        self._record_free()

    def container_recovered(self, container: RMContainer, attempt: FSAppAttempt) -> None:
        """A container was recovered after a restart of the RM: see
        tests/scenarios/restart/fair-am-share-without-what-comes-back.yaml.
        """
        attempt.count_am(container)
        self._record_free()

    def container_completed(
        self, container: RMContainer, attempt: FSAppAttempt, status: ContainerStatus
    ) -> None:
        """A container was removed from the books."""
        self._record_free()

    def _record_free(self) -> None:
        """Notes what is free as Hadoop does: not at each allocation, but when a heartbeat has been served."""
        self._fair.noted_free = self.cluster_resource() - self.root.used

    # What is given on a node

    def allocate_on(self, node: SchedulerNode) -> None:
        """Serves preempted space first, then a reservation, then the first application in order. See
        tests/scenarios/fair/.
        """
        self.tree.update_cluster_resource()
        self._serve(node)
        self._record_free()

    def _serve(self, node: SchedulerNode) -> None:
        if self.preemption.holds_preempted_space:
            self.preemption.assign_preempted_containers(node)
        if node.reserved_container is not None and self._serve_reservation(node):
            return
        count, assigned, limit = 0, NONE, NONE
        if self.settings.assign_multiple:
            limit = map_values(lambda _, value: int(value * 0.5), node.available)
        while node.reserved_container is None:
            given = self.root.assign(node)
            if given is None:
                return
            count += 1
            assigned = assigned + given
            if not self._should_continue_assigning(count, assigned, limit):
                return

    def _should_continue_assigning(self, count: int, assigned: Resource, limit: Resource) -> bool:
        settings = self.settings
        if not settings.assign_multiple:
            return False
        if settings.dynamic_max_assign:
            return assigned.fits_in(limit)
        return settings.max_assign <= 0 or count < settings.max_assign

    def _serve_reservation(self, node: SchedulerNode) -> bool:
        """Whether the reservation is valid, which ends the heartbeat; an invalid one is dropped."""
        reserved = node.reserved_container
        assert reserved is not None
        app = self.attempt(reserved.attempt_id)
        if app is not None and app.assign_reserved(node, reserved):
            return True
        status = aborted(reserved.container_id, UNRESERVED_CONTAINER)
        self.complete_container(reserved, status, ContainerKill(status=status))
        return False

    def schedule_all(self, event: SchedulerScheduleAll) -> None:
        """Continuous scheduling: the emptiest node first."""
        begun_ms = self.context.stopwatch()
        nodes = sorted(self.tracker.nodes.values(), key=lambda node: -node.available.memory_mb)
        if not self.is_waiting_for_recovery():
            for node in nodes:
                if node.is_schedulable and self.minimum_allocation.fits_in(node.available):
                    self.allocate_on(node)
        self.durations.continuous_scheduling_run.add(self.context.stopwatch() - begun_ms)
        self.context.timer_at(self.context.now_ms + self.settings.continuous_sleep_ms, _CONTINUOUS, event)

    # Applications

    def place_application(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue by the placement rules; empty when no rule places the application: it is rejected when it
        is added.
        """
        return self._admission.place_application(context, user)

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED."""
        self._admission.add_application(event)

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        self._admission.remove_application(event)

    def start_attempt(self, application: Application[FSAppAttempt], event: SchedulerAppAttemptAdded) -> None:
        """It becomes runnable, or waits for limits."""
        self._attempts += 1
        leaf: LeafQueue = application.queue
        attempt = FSAppAttempt(self._fair, self.preemption, event.attempt_id, application, self._attempts)
        attempt.path = (attempt.usage, *(queue.usage for queue in leaf.ancestry))
        self.install_attempt(application, attempt, event)
        refusal = self._running.refusal(leaf, attempt.user)
        leaf.add(attempt, is_runnable=refusal is None)
        if refusal is None:
            self._running.track_runnable(attempt)
        else:
            self._running.track_non_runnable(attempt)
            self.context.tell("FSAppAttempt", event.attempt_id, "waits", refusal)

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED: another one may run now."""
        attempt = self.stop_attempt(event)
        if attempt is None:
            return
        leaf: LeafQueue = attempt.queue
        if leaf.remove(attempt):
            self._running.untrack_runnable(attempt, leaf)
            self._running.update_runnability_on_removal(attempt.user, leaf)
        else:
            self._running.untrack_non_runnable(attempt)

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """To another leaf, if limits allow it."""
        return self._mover.move(application_id, queue)

    def application_priority(
        self, asked: int | None, user: str, queue: str, application_id: ApplicationId | None = None
    ) -> int:
        """0, unless priorities are weights."""
        return max(asked or 0, 0) if self._fair.published.priority_as_weight else 0

    def update_application_priority(self, application_id: ApplicationId, app_priority: int) -> None:
        """Refused, unless priorities are weights: then it counts from the next update on."""
        if not self._fair.published.priority_as_weight:
            raise YarnError("Update application priority is not supported in Fair Scheduler")
        application = self.applications.get(application_id)
        if application is not None:
            application.app_priority = app_priority

    # The AM's call

    def answer(self, attempt: FSAppAttempt, call: AllocateCall) -> Allocation:
        """Books the ask, which counts from the next update on, and delivers what was allocated."""
        self.tree.update_cluster_resource()
        if attempt.first_call_ms is None:
            attempt.first_call_ms = self.context.now_ms
        asked = list(call.ask)
        self.releases.release_all(call.release)
        call.release = ()
        call.ask = asked = corrected(self, attempt, asked)
        with attempt.asking_for(one.capability for one in asked if one.capability and one.num_containers):
            answer = self.serve_allocate(attempt, call)
        if answer.containers and not attempt.has_been_delivered_to:
            attempt.has_been_delivered_to = True
            waited_ms = self.context.now_ms - attempt.first_call_ms
            self.context.health.queues.record_first_delivery(attempt.leaf.path, waited_ms)
        return answer

    def headroom(self, attempt: FSAppAttempt) -> Resource:
        """Of what is free in the cluster and in the queue; ancestors' limits do not enter."""
        self.tree.update_cluster_resource()
        free = self.cluster_resource() - self.root.used
        for node in attempt.blacklisted_nodes():
            free = less(free, node.available)
        leaf: LeafQueue = attempt.queue
        available = componentwise_min(free, leaf.max_share - leaf.used)
        return leaf.policy.headroom(leaf.uncapped_share, leaf.used, available)

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """Every type: at least the minimum, then up to the increment, then cut to the queue's largest."""
        maximum = self.queue_maximum_allocation(queue)
        step = self._fair.configuration.increment
        return requests.normalize(request, DOMINANT_CALCULATOR, self.minimum_allocation, maximum, step)

    def normalize_ask(self, request: ResourceRequest, queue: str) -> ResourceRequest:
        """Checked before it is raised to the minimum. See
        tests/scenarios/fair/fair-minimum-of-a-type-the-queue-lacks.yaml.
        """
        found = self.tree.queue(queue)
        if found is not None:
            check_zero_maxima(request, found)
        return self.normalize(request, queue)

    def queue_maximum_allocation(self, queue: str | None) -> Resource:
        """The scheduler's, and not more than maxContainerAllocation of the queue."""
        maximum = self.maximum_allocation()
        found = self.tree.queue(queue) if queue else None
        if found is None or found.max_container_allocation is None:
            return maximum
        return componentwise_min(maximum, found.max_container_allocation)

    def accessible_labels(self, queue: str) -> tuple[str, ...] | None:
        """No label; None for a queue that is made by a submission."""
        return () if self.tree.queue(queue) is not None else None

    # Reading the configuration anew

    def refresh(self) -> None:
        """Reads the allocation file and the largest container; what is bad is logged and changes nothing."""
        self.tree.update_cluster_resource()
        self._loader.refresh()
        try:
            configuration = self.context.provider.load("yarn-site.xml", RESOURCE_TYPES_FILE)
            self.configured_maximum = ResourceTypeRegistry.read(configuration).maximum_allocation
        except YarnError as error:
            self.context.log("error", "failed to refresh the maximum allocation", error=error)

    # Rights and books

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """By the queue's list or an ancestor's; a queue that does not exist has those of its ancestors."""
        return self.tree.nearest(queue).allows(user, acl)

    @property
    def counts_vcores(self) -> bool:
        """Under every policy: what does not fit a node is not allocated there."""
        return True

    def check_books(self) -> None:
        """Recounts what queues hold from their applications."""
        super().check_books()
        self.tree.check_books()
