"""The priority of an application: as asked, by the user's group, by the queue, or by its workflow.

Answers for CapacityScheduler.checkAndGetApplicationPriority, AppPriorityACLsManager and
WorkflowPriorityMappingsManager.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rm.scheduler.capacity.settings import ROOT, QueueSettings
from yarn.errors import AccessControlError
from yarn.ids import ApplicationId

if TYPE_CHECKING:
    from rm.events.scheduler import SchedulerAppAdded
    from rm.scheduler.capacity.queue import CapacityQueue
    from rm.scheduler.capacity.scheduler import CapacityScheduler

WorkflowPriorities = Mapping[tuple[str, str], int]


def application_priority(
    scheduler: CapacityScheduler,
    asked: int | None,
    user: str,
    queue: str,
    application_id: ApplicationId | None = None,
) -> int:
    """As given, or the default of the user's group or of the queue; never more than the cluster's maximum.

    AccessControlError when no group of the queue lets the user have that much.
    """
    found = scheduler.tree.find(queue)
    settings = found.settings if found is not None else QueueSettings(path=queue)
    has_acls = scheduler.context.settings.addresses.acl_enabled
    groups = settings.priority_groups if has_acls else None
    names = scheduler.context.groups.groups_of(user)
    if asked is None:
        asked = settings.default_priority
        # The groups stand by ascending maximum: the default is that of the highest one.
        for group in groups or ():
            if group.acl.allows(user, names):
                asked = group.default_priority
    priority = min(asked, scheduler.context.settings.max_application_priority)
    if groups is not None and not any(
        group.max_priority >= priority and group.acl.allows(user, names) for group in groups
    ):
        raise AccessControlError(
            f"User {user} does not have permission to submit/update {application_id} for {priority}"
        )
    return priority


def submitted_priority(scheduler: CapacityScheduler, event: SchedulerAppAdded, leaf: CapacityQueue) -> int:
    """What was judged when the submission came, unless the application's workflow has a priority of its own
    in the leaf or above.
    """
    if event.is_recovering or not scheduler.frame.settings.workflow_priorities_override:
        return event.app_priority
    mapped = _workflow_priority(scheduler, event.context.application_tags, leaf)
    if mapped is None:
        return event.app_priority
    return application_priority(scheduler, mapped, event.user, leaf.path, event.application_id)


def _workflow_priority(
    scheduler: CapacityScheduler, tags: tuple[str, ...], leaf: CapacityQueue
) -> int | None:
    """What the mappings give the workflow named by a tag, in the nearest queue that they name; never the
    root.
    """
    prefix = scheduler.context.settings.workflow_tag_prefix.lower()
    # Tags are lower case wherever YARN keeps them, and so are the ids in the mappings.
    workflows = [tag.strip().lower()[len(prefix) :] for tag in tags if tag.strip().lower().startswith(prefix)]
    if not workflows or not workflows[-1]:
        return None
    for queue in leaf.ancestors():
        priority = scheduler.frame.settings.workflow_priorities.get((workflows[-1], queue.path))
        if priority is not None and queue.path != ROOT:
            return priority
    return None
