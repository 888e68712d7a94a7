"""Letting applications in: placement, lifetime, and the checks of APP_ADDED in Hadoop's order.

Answers for CapacityScheduler.addApplication, getOrCreateQueueFromPlacementContext
and checkAndGetApplicationLifetime, and for the placement part of RMAppManager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.events.app import AppAccepted, AppKill, AppRejected
from rm.scheduler.application import Application
from rm.scheduler.asks import ANY
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.mappings import FORMAT, JSON_FILE, JSON_TEXT, QUEUE_MAPPINGS
from rm.scheduler.capacity.placement import UNNAMED, QueueLookup, Submission, check_rules
from rm.scheduler.capacity.placement import place as place_by_rules
from rm.scheduler.capacity.plans import leaf_for
from rm.scheduler.capacity.priorities import submitted_priority
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import CapacitySettings, QueueKind
from rm.scheduler.roll import enlist
from rm.scheduler.tags import placement_user
from yarn.configuration import ConfigurationError
from yarn.enums import QueueACL
from yarn.errors import YarnError
from yarn.records.application import ApplicationSubmissionContext
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.events.scheduler import SchedulerAppAdded
    from rm.scheduler.capacity.scheduler import CapacityScheduler


class CapacityApplication(Application[CapacityAttempt]):
    """An application, and what its AM asks for: that counts before there is an AM."""

    __slots__ = ("am_label", "am_request", "start_ms")

    am_label: str | None
    am_request: Resource
    start_ms: int


# Placement


def place(scheduler: CapacityScheduler, context: ApplicationSubmissionContext, user: str) -> str:
    """The queue for a submission: that of the first rule that places it, else the one it names; by its full
    path, if there is such a queue.
    """
    settings = scheduler.frame.settings
    asked = context.queue or UNNAMED
    named = scheduler.tree.find(asked)
    path = named.path if named is not None else asked
    if asked != UNNAMED and not settings.overrides_with_mappings:
        return path
    found = None
    tagged = placement_user(scheduler.context.settings, context.application_tags, user)
    if tagged is not None:
        found = _place_as(scheduler, context, tagged)
        if found is not None and not _may_submit(scheduler, user, found):
            found = None
    if found is None:
        found = _place_as(scheduler, context, user)
    if found is None:
        return path
    if context.application_id is not None:
        scheduler.placed_by_rule[context.application_id] = found
    return found


def _place_as(scheduler: CapacityScheduler, context: ApplicationSubmissionContext, user: str) -> str | None:
    submission = Submission(
        user=user,
        groups=scheduler.context.groups.groups_of(user),
        application=context.application_name,
        queue=context.queue or UNNAMED,
    )
    return place_by_rules(scheduler.frame.settings.mappings, submission, scheduler.queues)


def _may_submit(scheduler: CapacityScheduler, user: str, queue: str) -> bool:
    if not scheduler.context.settings.addresses.acl_enabled:
        return True
    acls = (QueueACL.SUBMIT_APPLICATIONS, QueueACL.ADMINISTER_QUEUE)
    return any(has_access(scheduler, user, acl, queue) for acl in acls)


def check_mappings(settings: CapacitySettings, queues: QueueLookup) -> None:
    """Collects the rules that can never place anything."""
    p = settings.properties
    form = p.text(FORMAT) or "legacy"
    name = QUEUE_MAPPINGS if form == "legacy" else JSON_TEXT if p.text(JSON_TEXT) else JSON_FILE
    for rule, complaint in check_rules(settings.mappings.rules, queues):
        p.fault(name, f"{complaint} (mapping {rule.text})")


def has_access(scheduler: CapacityScheduler, user: str, acl: QueueACL, queue: str) -> bool:
    """Whether an ACL of the queue, or of one above it, lets the user."""
    groups = scheduler.context.groups.groups_of(user)
    found = scheduler.tree.find(queue)
    if found is not None:
        return found.allows(user, groups, acl)
    above = scheduler.tree.at(queue.rpartition(".")[0])
    try:
        if above is not None:
            made = [scheduler.maker.settings_of(queue, above.settings, is_leaf=True)]
        else:
            above, made = scheduler.maker.settings_if_made(queue)
    except ConfigurationError:
        return False
    except YarnError:
        return True  # Whether there is such a queue is judged later: see `_find_leaf`.
    return above.allows(user, groups, acl) or any(
        (each.submit_acl if acl is QueueACL.SUBMIT_APPLICATIONS else each.administer_acl).allows(user, groups)
        for each in made
    )


# Admission


def add_application(scheduler: CapacityScheduler, event: SchedulerAppAdded) -> None:
    """APP_ADDED: the first check that fails rejects it."""
    application_id, user = event.application_id, event.user
    placed = scheduler.placed_by_rule.pop(application_id, None)
    try:
        leaf, app_priority = _admit(scheduler, event, is_placed=placed is not None)
    except YarnError as error:
        if event.is_recovering:
            _refuse_recovery(scheduler, event)
        else:
            scheduler.context.post(AppRejected(application_id=application_id, diagnostics=error.message))
        return
    context = event.context
    application = CapacityApplication(
        application_id,
        leaf,
        user,
        app_priority,
        context.node_label_expression,
    )
    application.is_unmanaged = context.unmanaged_am
    application.keeps_containers = context.keep_containers_across_application_attempts
    application.start_ms = scheduler.context.now_ms
    application.am_label, application.am_request = _am_request(context)
    enlist(scheduler, application)
    leaf.add_application(application_id, user)
    if not event.is_recovering:
        changed = app_priority if app_priority != event.app_priority else None
        scheduler.context.post(AppAccepted(application_id=application_id, app_priority=changed))


def _am_request(context: ApplicationSubmissionContext) -> tuple[str | None, Resource]:
    for request in context.am_container_resource_request:
        if (request.resource_name or ANY) == ANY:
            return request.node_label_expression, request.capability or NONE
    return None, context.resource or NONE


def _admit(
    scheduler: CapacityScheduler, event: SchedulerAppAdded, *, is_placed: bool
) -> tuple[LeafQueue, int]:
    """The leaf and the priority that it gets there; YarnError when it is refused."""
    application_id, user = event.application_id, event.user
    limit = scheduler.frame.settings.maximum_applications
    if not event.is_recovering and scheduler.tree.root.app_count >= limit:
        raise YarnError(
            "Maximum system application limit reached,cannot accept submission of application: "
            f"{application_id}"
        )
    leaf = _find_leaf(scheduler, event, is_placed=is_placed)
    if event.is_recovering:
        return leaf, event.app_priority
    try:
        app_priority = submitted_priority(scheduler, event, leaf)
        leaf.check_submission(application_id, user)
    except YarnError as error:
        raise YarnError(
            f"Failed to submit application {application_id} submitted by user {user} reason: {error.message}"
        ) from None
    return leaf, app_priority


def _find_leaf(scheduler: CapacityScheduler, event: SchedulerAppAdded, *, is_placed: bool) -> LeafQueue:
    tree, name, user = scheduler.tree, event.queue, event.user
    queue: CapacityQueue | None = tree.find(name)
    start = f"Application {event.application_id} submitted by user"
    if queue is None and tree.is_ambiguous(name):
        raise YarnError(f"{start} {user} to ambiguous queue: {name} please use full queue path instead.")
    if queue is None:
        queue = _create(scheduler, event, is_placed=is_placed)
    # A leaf of a managed parent, made just now or not, is for those whom a mapping sends there.
    if queue.kind is QueueKind.AUTO_LEAF and not is_placed and not event.is_recovering:
        raise YarnError(
            f"Application {event.application_id} submission by user : {user} to specified queue : {name}  is "
            "prohibited. Verify automatic queue mapping for user exists in queue-mappings"
        )
    if queue.kind is QueueKind.PLAN:
        wanted = event.context.reservation_id
        queue = leaf_for(scheduler, queue, event.application_id, wanted, is_recovering=event.is_recovering)
    if not isinstance(queue, LeafQueue):
        raise YarnError(f"{start} : {user} to non-leaf queue : {name}")
    return queue


def _create(scheduler: CapacityScheduler, event: SchedulerAppAdded, *, is_placed: bool) -> CapacityQueue:
    """A queue that is not there: made if its parent allows, else unknown."""
    name, user = event.queue, event.user
    try:
        queue = scheduler.maker.create(name)
    except YarnError as error:
        if not is_placed:
            raise YarnError(
                f"Application {event.application_id} submitted by user {user} to unknown queue: {name}"
            ) from None
        raise YarnError(
            f"Application {event.application_id} submission by user : {user} to  queue : {name} failed : "
            f"{error.message}"
        ) from None
    scheduler.recompute()
    return queue


def _refuse_recovery(scheduler: CapacityScheduler, event: SchedulerAppAdded) -> None:
    """The queue of a recovered application is gone: the RM stops, or the application is killed."""
    reason = (
        f"Application {event.application_id} was recovered, but its queue {event.queue} is not there any more"
    )
    if scheduler.frame.settings.fails_fast:
        raise RuntimeError(reason)
    scheduler.context.post(AppKill(application_id=event.application_id, diagnostics=reason))


def prepare(scheduler: CapacityScheduler, attempt: CapacityAttempt) -> None:
    """What the attempt's AM counts for in AM limits, and in which partition."""
    application = attempt.application
    assert isinstance(application, CapacityApplication)
    frame = scheduler.frame
    leaf: LeafQueue = application.queue
    attempt.start_ms = application.start_ms
    if application.is_unmanaged:
        attempt.am_resource = frame.minimum
        return
    maximum = scheduler.queue_maximum_allocation(leaf.path)
    attempt.am_resource = frame.calculator.normalize(
        application.am_request, frame.minimum, maximum, frame.minimum
    )
    label = _am_label(scheduler, application)
    attempt.partition = leaf.settings.default_label if label is None else label


def _am_label(scheduler: CapacityScheduler, application: CapacityApplication) -> str | None:
    """The label of its AM's request as the submission was normalized; None: its queue decides."""
    app = scheduler.context.apps.get(application.application_id)
    if app is not None and app.am_requests:
        return app.am_requests[0].node_label_expression
    default = scheduler.context.settings.labels.am_default_expression
    return application.am_label or default or application.label


# Lifetime


def application_lifetime(scheduler: CapacityScheduler, queue: str, lifetime_s: int) -> int:
    """Seconds; -1 without end."""
    found = scheduler.tree.find(queue)
    if found is not None:
        settings = found.settings
    else:
        try:
            # The first application of a queue that is made for it is judged before it is made.
            settings = scheduler.maker.settings_if_made(queue)[1][-1]
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
