"""In which queue an application is placed, and whether it, or an ask, is accepted. Hadoop:
FairScheduler.addApplication, resolveReservationQueueName and validateResourceRequests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from yarnbox.rm.events.scheduler import SchedulerAppAdded, SchedulerAppRemoved
from yarnbox.rm.scheduler.admission.submission import may_submit, place_by_tags
from yarnbox.rm.scheduler.application import Application
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.placement import Submission, place, rules_of_properties
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.errors import InvalidResourceRequestError, YarnError
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

RECOVERY = "root.recovery"

Normalize: TypeAlias = Callable[[ResourceRequest, str | None], ResourceRequest]


class Admission:
    """Places applications by the rules, and accepts or rejects them."""

    def __init__(
        self, fair: FairContext, tree: QueueTree, register: Register[FSAppAttempt], normalize: Normalize
    ) -> None:
        self._fair = fair
        self._tree = tree
        self._register = register
        self._normalize = normalize
        settings = fair.settings
        self.rules = rules_of_properties(settings.allow_undeclared_pools, settings.user_as_default_queue)
        """Replaced as a whole when the file is read."""

    def place_application(self, context: ApplicationSubmissionContext, user: str) -> str:
        """The queue by the placement rules; empty when no rule places the application: it is rejected when it
        is added.
        """
        found = place_by_tags(
            self._fair.rm.settings,
            context.application_tags,
            user,
            partial(self._place_for_user, context),
            partial(self._may_submit, user),
        )
        return found or ""

    def _place_for_user(self, context: ApplicationSubmissionContext, user: str) -> str | None:
        asked = Submission(context.queue, user, self._fair.rm.groups.groups_of(user))
        return place(self.rules, asked, self._tree)

    def _may_submit(self, user: str, queue: str) -> bool:
        """Whether the queue is there, and open to the user: for tags, one that is yet to be made is not."""
        found = self._tree.queue(queue)
        return found is not None and may_submit(self._fair.rm.settings, partial(found.allows, user))

    def add_application(self, event: SchedulerAppAdded) -> None:
        """APP_ADDED."""
        self._tree.update_cluster_resource()
        rm_app = self._fair.rm.apps.get(event.application_id)
        try:
            leaf = self._find_leaf(event)
        except YarnError as refusal:
            if rm_app is not None:
                rm_app.queue = rm_app.queue or event.context.queue
            self._register.reject(event, refusal)
            return
        self._register.accept(event, Application.submitted(event, leaf, event.app_priority))
        if rm_app is not None:
            rm_app.queue = leaf.path

    def remove_application(self, event: SchedulerAppRemoved) -> None:
        """APP_REMOVED."""
        application = self._register.remove(event)
        if application is not None:
            application.queue.assigned.pop(event.application_id, None)

    def _find_leaf(self, event: SchedulerAppAdded) -> LeafQueue:
        """The queue of an application that was placed, made if need be; YarnError when it is rejected."""
        application_id, user = event.application_id, event.user
        queue = self._resolve_plan(event)
        if not queue and not event.is_recovering:
            raise YarnError(
                f"Reject application {application_id} submitted by user {user} application rejected by "
                "placement rules. The rules are "
                f"{', '.join(rule.name for rule in self.rules)}, and none places "
                f"user {user} with queue {event.context.queue}."
            )
        leaf = self._tree.leaf(queue or RECOVERY, create=True)
        if leaf is None and event.is_recovering:
            leaf = self._tree.leaf(RECOVERY, create=True)
        if leaf is None:
            raise YarnError(f"{queue} is not a leaf queue")
        if not event.is_recovering:
            if not any(leaf.allows(user, acl) for acl in QueueACL):
                raise YarnError(
                    f"User {user} does not have permission to submit {application_id} to queue {queue}"
                )
            requests = () if event.context.unmanaged_am else _am_requests(event)
            wanted = [self._normalize(one, leaf.path).capability for one in requests if one.capability]
            impossible = [one for one in wanted if one is not None and _asks_for_missing_type(one, leaf)]
            if impossible:
                raise YarnError(
                    f"Cannot submit application {application_id} to queue {queue} because it has zero amount "
                    f"of resource for a requested resource! Invalid requested AM resources: {impossible}, "
                    f"maximum queue resources: {leaf.max_share}"
                )
        leaf.assigned[application_id] = None
        return leaf

    def _resolve_plan(self, event: SchedulerAppAdded) -> str:
        """In a plan queue: the queue of the reservation, or that of all who have none."""
        queue = event.queue
        found = self._tree.queue(queue) if queue else None
        if found is None or not self._tree.is_plan(found.path):
            return queue
        reservation_id = event.context.reservation_id
        if reservation_id is None:
            return self._tree.default_of(queue)
        reserved = f"{found.path}.{reservation_id}"
        if reserved not in self._tree.queues:
            if event.is_recovering:
                return self._tree.default_of(queue)
            raise YarnError(
                f"Application {event.application_id} submitted to a reservation which is not yet currently "
                f"active: {reserved}"
            )
        return reserved


def check_zero_maxima(request: ResourceRequest, queue: FairQueue) -> None:
    """InvalidResourceRequestError when a type is asked for of which the queue may have nothing."""
    wanted = request.capability
    if queue.has_max and wanted is not None and _asks_for_missing_type(wanted, queue):
        raise InvalidResourceRequestError(
            f"Resource request is invalid because queue {queue.path} has 0 amount of resource for a resource "
            f"type! Requested resource: {wanted}, maximum queue resources: {queue.max_share}"
        )


def _am_requests(event: SchedulerAppAdded) -> Sequence[ResourceRequest]:
    context = event.context
    return context.am_container_resource_request or (ResourceRequest(capability=context.resource),)


def _asks_for_missing_type(wanted: Resource, queue: FairQueue) -> bool:
    return any(value > 0 and queue.max_share.value(name) == 0 for name, value in wanted.items())
