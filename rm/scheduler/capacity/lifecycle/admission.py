"""Admission of applications: the checks of APP_ADDED in Hadoop's order, and the amount that an attempt's AM
counts for.

Hadoop: CapacityScheduler.addApplication, getOrCreateQueueFromPlacementContext and
checkAndGetApplicationLifetime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.asks import ANY
from yarnbox.rm.events.app import AppKill
from yarnbox.rm.scheduler.application import Application
from yarnbox.rm.scheduler.capacity.config.settings import QueueKind
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueMaker
from yarnbox.rm.scheduler.capacity.lifecycle.plan_leaves import PlanLeaves
from yarnbox.rm.scheduler.capacity.lifecycle.priorities import ApplicationPriorities
from yarnbox.rm.scheduler.capacity.lifecycle.submission import SubmissionPlacement
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.sizes import ContainerSizes
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree, drain_again
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.events.scheduler import SchedulerAppAdded, SchedulerAppRemoved


class CapacityApplication(Application[CapacityAttempt]):
    """An application and its AM's request, which counts against AM limits before there is an AM."""

    __slots__ = ("am_label", "am_request")

    am_label: str | None
    am_request: Resource


class Admission:
    """Adds and removes applications."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        sizes: ContainerSizes,
        maker: QueueMaker,
        placement: SubmissionPlacement,
        plan_leaves: PlanLeaves,
        priorities: ApplicationPriorities,
    ) -> None:
        self._context = context
        self._tree = tree
        self._register = register
        self._sizes = sizes
        self._maker = maker
        self._placement = placement
        self._plan_leaves = plan_leaves
        self._priorities = priorities

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED: the first check that fails rejects it."""
        is_placed = self._placement.take(event.application_id)
        try:
            leaf, app_priority = self._admit(event, is_placed=is_placed)
        except YarnError as error:
            if event.is_recovering:
                self._refuse_recovery(event)
            else:
                self._register.reject(event, error)
            return
        application = CapacityApplication.submitted(event, leaf, app_priority)
        application.am_label, application.am_request = _am_request(event.context)
        self._register.accept(event, application)
        leaf.add_application(event.application_id, event.user)

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        application = self._register.remove(event)
        self._placement.take(event.application_id)
        if application is not None:
            self._tree.leaf_of(application).remove_application(event.application_id)

    def _admit(self, event: SchedulerAppAdded, *, is_placed: bool) -> tuple[LeafQueue, int]:
        """The application's leaf, and its priority there; YarnError when it is refused."""
        application_id, user = event.application_id, event.user
        limit = self._context.settings.maximum_applications
        if not event.is_recovering and self._tree.root.app_count >= limit:
            raise YarnError(
                "Maximum system application limit reached,cannot accept submission of application: "
                f"{application_id}"
            )
        leaf = self._find_leaf(event, is_placed=is_placed)
        if event.is_recovering:
            drain_again(leaf)
            return leaf, event.app_priority
        try:
            app_priority = self._priorities.of_submission(event, leaf)
            leaf.check_submission(application_id, user)
        except YarnError as error:
            raise YarnError(
                f"Failed to submit application {application_id} submitted by user {user} reason: "
                f"{error.message}"
            ) from None
        return leaf, app_priority

    def _find_leaf(self, event: SchedulerAppAdded, *, is_placed: bool) -> LeafQueue:
        tree, name, user = self._tree, event.queue, event.user
        queue: CapacityQueue | None = tree.find(name)
        start = f"Application {event.application_id} submitted by user"
        if queue is None and tree.is_ambiguous(name):
            raise YarnError(f"{start} {user} to ambiguous queue: {name} please use full queue path instead.")
        if queue is None:
            queue = self._create(event, is_placed=is_placed)
        # A leaf of a managed parent, made just now or not, is for those whom a mapping sends there.
        if queue.kind is QueueKind.AUTO_LEAF and not is_placed and not event.is_recovering:
            raise YarnError(
                f"Application {event.application_id} submission by user : {user} to specified queue : {name}"
                "  is prohibited. Verify automatic queue mapping for user exists in queue-mappings"
            )
        if queue.kind is QueueKind.PLAN:
            wanted = event.context.reservation_id
            queue = self._plan_leaves.leaf_for(
                queue, event.application_id, wanted, is_recovering=event.is_recovering
            )
        if not isinstance(queue, LeafQueue):
            raise YarnError(f"{start} : {user} to non-leaf queue : {name}")
        return queue

    def _create(self, event: SchedulerAppAdded, *, is_placed: bool) -> CapacityQueue:
        """Creates a missing queue if its parent allows it; YarnError if not."""
        name, user = event.queue, event.user
        try:
            return self._maker.create(name)
        except YarnError as error:
            if not is_placed:
                raise YarnError(
                    f"Application {event.application_id} submitted by user {user} to unknown queue: {name}"
                ) from None
            raise YarnError(
                f"Application {event.application_id} submission by user : {user} to  queue : {name} failed : "
                f"{error.message}"
            ) from None

    def _refuse_recovery(self, event: SchedulerAppAdded) -> None:
        """The queue of a recovered application does not exist: the RM stops, or the application is killed."""
        reason = (
            f"Application {event.application_id} was recovered, but its queue {event.queue} is not there any "
            "more"
        )
        if self._context.settings.fails_fast:
            raise RuntimeError(reason)
        self._context.rm.post(AppKill(application_id=event.application_id, diagnostics=reason))

    # Attempts

    def new_attempt(
        self, attempt_id: ApplicationAttemptId, application: CapacityApplication
    ) -> CapacityAttempt:
        """An attempt with the amount that its AM counts for in AM limits, and the partition in which
        it does.
        """
        context = self._context
        attempt = CapacityAttempt(context.rm, attempt_id, application)
        leaf = self._tree.leaf_of(application)
        attempt.leaf = leaf
        if application.is_unmanaged:
            attempt.am_resource = context.minimum
            return attempt
        app = context.rm.apps.get(application.application_id)
        if app is not None and app.am_requests:
            attempt.am_resource = app.am_requests[0].capability or NONE
        else:
            maximum = self._sizes.maximum_in(leaf.path)
            attempt.am_resource = context.calculator.normalize(
                application.am_request, context.minimum, maximum, context.minimum
            )
        attempt.partition = self._am_partition(application, leaf)
        return attempt

    def _am_partition(self, application: CapacityApplication, leaf: LeafQueue) -> str:
        """The label of its AM's request as the submission was normalized. Where the queue was still to be
        made, that named none, and the first attempt counts in the default partition. See
        tests/scenarios/labels/am-of-a-queue-to-be-made.yaml.
        """
        rm = self._context.rm
        app = rm.apps.get(application.application_id)
        if app is not None and app.am_requests:
            return app.am_requests[0].node_label_expression or DEFAULT_PARTITION
        label = application.am_label or rm.settings.labels.am_default_expression or application.label
        return leaf.settings.default_label if label is None else label

    # Lifetime

    def application_lifetime(self, queue: str, lifetime_s: int) -> int:
        """Seconds; -1 without end."""
        found = self._tree.find(queue)
        if found is not None:
            settings = found.settings
        else:
            try:
                # The first application of a queue that is made for it is judged before it is made.
                settings = self._maker.settings_if_made(queue)[1][-1]
            except YarnError:
                return lifetime_s
        maximum, default = settings.maximum_lifetime_s, settings.default_lifetime_s
        if maximum <= 0:
            chosen = lifetime_s if lifetime_s > 0 else default
        elif lifetime_s <= 0:
            chosen = default
        else:
            chosen = min(lifetime_s, maximum)
        return chosen if chosen > 0 else -1


def _am_request(submission: ApplicationSubmissionContext) -> tuple[str | None, Resource]:
    for request in submission.am_container_resource_request:
        if (request.resource_name or ANY) == ANY:
            return request.node_label_expression, request.capability or NONE
    return None, submission.resource or NONE
