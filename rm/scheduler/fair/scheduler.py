"""The FairScheduler: events in, containers out; submission, calls of AMs, moves, refreshes.

It owns the queues' tree and hands each node to the root. Rules of sharing are in policies.py and shares.py,
of placing a container in application.py, of taking one away in preemption.py. Answers for FairScheduler.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from rm.events.app import AppAccepted, AppRejected, AttemptAdded
from rm.events.container import ContainerKill
from rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerCheckAllocations,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
    SchedulerPreemptContainers,
    SchedulerScheduleAll,
    SchedulerUpdateShares,
)
from rm.scheduler import releases, requests
from rm.scheduler.application import Application
from rm.scheduler.autocorrect import corrected
from rm.scheduler.base import Allocation, Scheduler
from rm.scheduler.calculator import DOMINANT_CALCULATOR, float32, multiply
from rm.scheduler.fair import locality, moving, reporting, submission
from rm.scheduler.fair.allocations import Allocations
from rm.scheduler.fair.application import FSAppAttempt
from rm.scheduler.fair.durations import OperationDurations
from rm.scheduler.fair.leaf import LeafQueue, less
from rm.scheduler.fair.loader import CHECK_INTERVAL_MS, AllocationLoader
from rm.scheduler.fair.placement import Submission, place, rules_of_properties
from rm.scheduler.fair.plans import FairPlans
from rm.scheduler.fair.preemption import Preemption
from rm.scheduler.fair.queue import ParentQueue
from rm.scheduler.fair.running import RunningApps
from rm.scheduler.fair.settings import FairConfiguration
from rm.scheduler.fair.tree import QueueTree
from rm.scheduler.node import SchedulerNode
from rm.scheduler.roll import enlist, strike_off
from rm.scheduler.statuses import UNRESERVED_CONTAINER, aborted
from rm.scheduler.tags import placement_user
from rm.scheduler.views import ApplicationView, QueueView
from yarn.enums import QueueACL, SchedulerResourceTypes
from yarn.errors import YarnError
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.queue import QueueInfo, QueueUserACLInfo
from yarn.records.request import ResourceRequest, SchedulingRequest
from yarn.resource import NONE, Resource, componentwise_min, map_values
from yarn.resource_types import RESOURCE_TYPES_FILE, ResourceTypeRegistry

if TYPE_CHECKING:
    from rm.context import RMContext

_UPDATE = "fair-update"
_CHECK = "fair-allocation-file"
_CONTINUOUS = "fair-continuous-scheduling"
STATE_DUMP = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler.statedump"
"""Hadoop's logger of the state; at its level debug the state is dumped, now and then."""
UPDATES_BETWEEN_DUMPS = 25


class FairScheduler(Scheduler[FSAppAttempt]):
    """Queues and applications share what there is."""

    name: ClassVar[str] = "FairScheduler"
    resource_kinds: ClassVar[tuple[SchedulerResourceTypes, ...]] = (
        SchedulerResourceTypes.MEMORY,
        SchedulerResourceTypes.CPU,
    )

    def __init__(self, context: RMContext) -> None:
        super().__init__(context)
        self.types = context.resource_types.names
        self.configuration = FairConfiguration.read(context.configuration, context.resource_types)
        self.settings = settings = self.configuration.settings
        for notice in self.configuration.notices:
            context.log("warning", "fair scheduler", notice=notice)
        multiple = settings.reservation_threshold_multiple
        self.reservation_threshold = map_values(
            lambda _, step: int(step * multiple), self.configuration.increment
        )
        """A node is kept only for containers of at least this size."""
        self.looks_leave_no_trace = not locality.is_delayed(settings)
        """Whether a node that is offered in vain changes nothing: so it need not be offered at all."""
        self.allocations = Allocations.without_file(self.types)
        self.rules = rules_of_properties(settings.allow_undeclared_pools, settings.user_as_default_queue)
        self._is_settled = True
        self.has_new_queues = False
        """Whether steady shares are to be worked out before anybody sees them."""
        self._attempts = 0
        self._updates_to_dump = UPDATES_BETWEEN_DUMPS
        self.durations = OperationDurations()
        self.tree = QueueTree(self)
        self.root: ParentQueue = self.tree.root
        self.running = RunningApps(self)
        self.preemption = Preemption(self)
        self.plan_queues = FairPlans(self)
        self.loader = AllocationLoader(self)
        self.handlers |= {
            SchedulerUpdateShares: self.update_in_time,
            SchedulerCheckAllocations: self.check_allocations,
            SchedulerPreemptContainers: self.preemption.kill,
            SchedulerMarkContainerForPreemption: self.preemption.announce,
            SchedulerMarkContainerForKillable: self.preemption.make_killable,
            SchedulerScheduleAll: self.schedule_all,
        }
        self.loader.start()
        self._start_timers()

    def _start_timers(self) -> None:
        context = self.context
        self._update_at(context.now_ms + self.configuration.update_interval_ms)
        if self.loader.has_file:
            context.timer_at(context.now_ms, _CHECK, SchedulerCheckAllocations())
        if self.settings.continuous_scheduling:
            context.log("warning", "continuous scheduling is deprecated, use assignmultiple")
            due_ms = context.now_ms + self.settings.continuous_sleep_ms
            context.timer_at(due_ms, _CONTINUOUS, SchedulerScheduleAll())

    def _update_at(self, due_ms: int) -> None:
        self.context.timer_at(due_ms, _UPDATE, SchedulerUpdateShares())

    # The update

    def update_in_time(self, event: SchedulerUpdateShares) -> None:
        """The update thread's turn, and then preemption's."""
        self.update_shares()
        self.preempt()
        interval_ms = self.configuration.update_interval_ms
        if interval_ms:
            self._update_at(self.context.now_ms + interval_ms)

    def update_shares(self) -> None:
        """Demand from the leaves up, shares from the root down, then who starves."""
        begun_ms = self.context.stopwatch()
        self.settle()
        self.root.update_demand()
        self.root.fair_share = self.cluster_resource()
        self.root.share_out()
        if self.preemption.is_worth_a_look():
            for leaf in self.tree.leaves:
                for app in leaf.find_starved():
                    self.preemption.add_starved(app)
        if self.context.hears(STATE_DUMP, "debug"):
            self._dump_now_and_then()
        self.durations.update_thread_run.add(self.context.stopwatch() - begun_ms)

    def _dump_now_and_then(self) -> None:
        self._updates_to_dump -= 1
        if self._updates_to_dump < 0:
            self._updates_to_dump = UPDATES_BETWEEN_DUMPS
            for line in self.dump_state().splitlines():
                self.context.dump(STATE_DUMP, "debug", line)

    def preempt(self) -> None:
        """Helps those who starve."""
        if self.settings.preemption:
            self.preemption.run()

    def settle(self) -> None:
        """Lets the queues know how large the cluster is; after many nodes came, once."""
        if self._is_settled:
            return
        self._is_settled = self.has_new_queues = True
        for queue in self.tree.queues.values():
            queue.cluster_changed()
        self.reorder()
        self.root.steady_fair_share = self.cluster_resource()

    def settle_steadily(self) -> None:
        """Works out steady shares, which nobody needs but who looks: after many queues were made, once."""
        self.settle()
        if self.has_new_queues:
            self.has_new_queues = False
            self.root.share_out_steadily()

    def reorder(self) -> None:
        """Something changed that every order may depend on."""
        for queue in self.tree.queues.values():
            if isinstance(queue, LeafQueue):
                queue.reorder()
            elif isinstance(queue, ParentQueue):
                queue.line.note_all(queue.children.values())

    def check_allocations(self, event: SchedulerCheckAllocations) -> None:
        """The loader's turn: empty ad hoc queues, queues whose kind is to change, then the file."""
        self.tree.remove_empty_dynamic()
        self.tree.change_pending_kinds()
        self.loader.check()
        self.context.timer_at(self.context.now_ms + CHECK_INTERVAL_MS, _CHECK, event)

    # Nodes

    def node_added(self, node: SchedulerNode) -> None:
        """A node joined: the update does not wait for its time."""
        self._update_at(self.context.now_ms)

    def node_removed(self, node: SchedulerNode) -> None:
        """A node left."""
        self.preemption.forget_node(node)
        self._update_at(self.context.now_ms)

    def cluster_resource_changed(self) -> None:
        """Maxima in percent, dominant shares and steady shares follow when somebody looks."""
        self._is_settled = False

    # What is given on a node

    def allocate_on(self, node: SchedulerNode) -> None:
        """Space put aside, then a reservation, then whoever is first in order. See tests/scenarios/fair/."""
        self.settle()
        if self.preemption.has_space_put_aside:
            self.preemption.hand_out(node)
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
            if not self._goes_on(count, assigned, limit):
                return

    def _goes_on(self, count: int, assigned: Resource, limit: Resource) -> bool:
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

    @staticmethod
    @cache
    def size_weight(memory_mb: int) -> float:
        """The weight of an application with so much demand, where size counts."""
        return float32(math.log1p(memory_mb) / math.log(2))

    # Applications

    def place(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue by the placement rules; the empty string when all rules are silent: the application is
        taken in and rejected then.
        """
        tagged = placement_user(self.context.settings, context.application_tags, user)
        found = self._place_as(context, tagged) if tagged is not None else None
        if found is None or not self._may_submit(user, found):
            found = self._place_as(context, user)
        return found or ""

    def _may_submit(self, user: str, queue: str) -> bool:
        """Whether the queue is there, and open to the user: for tags, one that is yet to be made is not."""
        if self.tree.queue(queue) is None:
            return False
        acls = (QueueACL.SUBMIT_APPLICATIONS, QueueACL.ADMINISTER_QUEUE)
        has_lists = self.context.settings.addresses.acl_enabled
        return not has_lists or any(self.has_access(user, acl, queue) for acl in acls)

    def _place_as(self, context: ApplicationSubmissionContext, user: str) -> str | None:
        asked = Submission(context.queue, user, self.context.groups.groups_of(user))
        return place(self.rules, asked, self.tree)

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED."""
        self.settle()
        rm_app = self.context.apps.get(event.application_id)
        try:
            leaf = submission.find_leaf(self, event)
        except YarnError as refusal:
            if rm_app is not None:
                rm_app.queue = rm_app.queue or event.context.queue
            self.context.post(AppRejected(application_id=event.application_id, diagnostics=refusal.message))
            return
        application: Application[FSAppAttempt] = Application(
            event.application_id, leaf, event.user, label=event.context.node_label_expression
        )
        application.is_unmanaged = event.context.unmanaged_am
        application.keeps_containers = event.context.keep_containers_across_application_attempts
        enlist(self, application)
        if rm_app is not None:
            rm_app.queue = leaf.path
        if not event.is_recovering:
            self.context.post(AppAccepted(application_id=event.application_id))

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        application = strike_off(self, event)
        if application is not None:
            application.queue.assigned.pop(event.application_id, None)

    def add_attempt(self, event: SchedulerAppAttemptAdded) -> None:
        """APP_ATTEMPT_ADDED: it runs, or waits for its turn."""
        application = self.applications.get(event.attempt_id.application_id)
        if application is None:
            return
        self._attempts += 1
        leaf: LeafQueue = application.queue
        attempt = FSAppAttempt(self, event.attempt_id, application, self._attempts)
        attempt.path = (attempt.usage, *(queue.usage for queue in leaf.ancestry))
        self.install_attempt(application, attempt, event)
        refusal = self.running.refusal(leaf, attempt.user)
        leaf.add(attempt, is_runnable=refusal is None)
        if refusal is None:
            self.running.started(attempt)
        else:
            self.running.waits(attempt)
            self.context.tell("FSAppAttempt", event.attempt_id, "waits", refusal)
        if not event.is_recovering:
            self.context.post(AttemptAdded(attempt_id=event.attempt_id))

    def remove_attempt(self, event: SchedulerAppAttemptRemoved) -> None:
        """APP_ATTEMPT_REMOVED: another one may run now."""
        attempt = self.stop_attempt(event)
        if attempt is None:
            return
        leaf = attempt.leaf
        if leaf.remove(attempt):
            self.running.stopped(attempt, leaf)
            self.running.let_next_run(attempt.user, leaf)
        else:
            self.running.waits_no_longer(attempt)

    def move_application(self, application_id: ApplicationId, queue: str) -> str:
        """To another leaf, if limits allow it."""
        self.settle()
        return moving.move(self, application_id, queue)

    def update_application_priority(self, application_id: ApplicationId, app_priority: int) -> None:
        """There are no priorities of applications here."""
        raise YarnError("Update application priority is not supported in Fair Scheduler")

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
        """Books the ask, which counts from the next update on, and delivers what was allocated."""
        self.settle()
        attempt = self.attempt(attempt_id)
        assert attempt is not None
        if attempt.first_call_ms is None:
            attempt.first_call_ms = self.context.now_ms
        asked = list(ask)
        submission.check_zero_maxima(attempt, asked)
        releases.release_all(self, release)
        asked = corrected(self, attempt, asked)
        with attempt.asking_for(one.capability for one in asked if one.capability and one.num_containers):
            answer = self.take_call(attempt, asked, (), blacklist_additions, blacklist_removals)
        if answer.containers and not attempt.has_been_delivered_to:
            attempt.has_been_delivered_to = True
            waited_ms = self.context.now_ms - attempt.first_call_ms
            self.context.health.queues.note_first_delivery(attempt.leaf.path, waited_ms)
        return answer

    def headroom(self, attempt: FSAppAttempt) -> Resource:
        """Of what is free in the cluster and in the queue; ancestors' limits do not enter."""
        self.settle()
        free = self.cluster_resource() - self.root.used
        barred = attempt.am_blacklist if attempt.is_waiting_for_am else attempt.blacklist
        nodes = {node.node_id: node for place in barred for node in self.tracker.nodes_at(place)}
        for node in nodes.values():
            free = less(free, node.available)
        leaf = attempt.leaf
        available = componentwise_min(free, leaf.max_share - leaf.used)
        return leaf.policy.headroom(leaf.fair_share, leaf.used, available)

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """Every type: at least the minimum, then up to the increment, then cut to the queue's largest."""
        maximum = self.queue_maximum_allocation(queue)
        step = self.configuration.increment
        return requests.normalize(request, DOMINANT_CALCULATOR, self.minimum_allocation, maximum, step)

    def queue_maximum_allocation(self, queue: str | None) -> Resource:
        """The scheduler's, and not more than maxContainerAllocation of the queue."""
        maximum = self.maximum_allocation()
        found = self.tree.queue(queue) if queue else None
        if found is None or found.max_container_allocation is None:
            return maximum
        return componentwise_min(maximum, found.max_container_allocation)

    # Reading the configuration anew

    def refresh(self) -> None:
        """Reads the allocation file and the largest container; what is bad is logged and changes nothing."""
        self.settle()
        self.loader.refresh()
        try:
            configuration = self.context.provider.load("yarn-site.xml", RESOURCE_TYPES_FILE)
            self.configured_maximum = ResourceTypeRegistry.read(configuration).maximum_allocation
        except YarnError as error:
            self.context.log("error", "failed to refresh the maximum allocation", error=error)

    # What others see

    def has_access(self, user: str, acl: QueueACL, queue: str) -> bool:
        """By the queue's list or an ancestor's; a queue that does not exist has those of its ancestors."""
        return self.tree.nearest(queue).allows(user, acl)

    def queue_info(self, name: str, *, include_children: bool, recursive: bool) -> QueueInfo:
        """What clients see of a queue."""
        self.settle_steadily()
        return reporting.queue_info(self, name, include_children, recursive)

    def queue_acls(self, user: str) -> list[QueueUserACLInfo]:
        """What the user may do, queue by queue."""
        return reporting.queue_acls(self, user)

    def queue_view(self, path: str) -> QueueView | None:
        """What the queue shows; None when there is none."""
        self.settle_steadily()
        return reporting.queue_view(self, path)

    def queue_guarantee(self, path: str) -> Resource:
        """The fair share by memory; without all that a view tells, which is asked for once an application."""
        self.settle()
        queue = self.tree.queue(path)
        return NONE if queue is None else multiply(self.cluster_resource(), reporting.capacity(self, queue))

    def queue_usage(self, attempt: FSAppAttempt, used: Resource) -> float:
        """By the queue's fair share of memory."""
        total, guarantee = self.cluster_resource(), self.queue_guarantee(str(attempt.queue))
        return self.resource_calculator.divide(total, used, guarantee)

    def application_view(self, attempt: FSAppAttempt) -> ApplicationView:
        """Share and demand as of the last update; applications have no steady share."""
        return ApplicationView(fair_share=attempt.fair_share, steady_fair_share=NONE, demand=attempt.demand)

    def launch_diagnostics(self, attempt_id: ApplicationAttemptId) -> str:
        """What keeps the attempt's AM from starting."""
        return reporting.launch_diagnostics(self, attempt_id)

    def dump_state(self) -> str:
        """All queues with their numbers, a line each."""
        self.settle_steadily()
        return reporting.dump_state(self)

    def check_books(self) -> None:
        """Recounts what queues hold from their applications."""
        super().check_books()
        reporting.check_queues(self)
