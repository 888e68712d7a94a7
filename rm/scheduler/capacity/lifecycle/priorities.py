"""The priority of an application: as asked, by the user's group, by the queue, or by its workflow.

Hadoop: CapacityScheduler.checkAndGetApplicationPriority, AppPriorityACLsManager and
WorkflowPriorityMappingsManager.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.capacity.config.settings import ROOT, QueueSettings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.ids import ApplicationId

if TYPE_CHECKING:
    from yarnbox.rm.events.scheduler import SchedulerAppAdded


class ApplicationPriorities:
    """Checks priorities."""

    def __init__(self, context: QueueContext, tree: QueueTree) -> None:
        self._context = context
        self._tree = tree

    def check(
        self, asked: int | None, user: str, queue: str, application_id: ApplicationId | None = None
    ) -> int:
        """As given, or the default of the user's group or of the queue; never more than the cluster's
        maximum. AccessControlError when no group of the queue lets the user have that much.
        """
        rm = self._context.rm
        found = self._tree.find(queue)
        settings = found.settings if found is not None else QueueSettings(path=queue)
        groups = settings.priority_groups if rm.settings.addresses.acl_enabled else None
        names = rm.groups.groups_of(user)
        if asked is None:
            asked = settings.default_priority if settings.kind.is_leaf else 0
            # The groups stand by ascending maximum: the default is that of the highest one.
            for group in groups or ():
                if group.acl.allows(user, names):
                    asked = group.default_priority
        priority = min(asked, rm.settings.max_application_priority)
        if groups is not None and not any(
            group.max_priority >= priority and group.acl.allows(user, names) for group in groups
        ):
            raise AccessControlError(
                f"User {user} does not have permission to submit/update {application_id} for {priority}"
            )
        return priority

    def of_submission(self, event: SchedulerAppAdded, leaf: CapacityQueue) -> int:
        """What was judged when the submission came, unless the application's workflow has a priority of its
        own in the leaf or above.
        """
        if event.is_recovering or not self._context.settings.workflow_priorities_override:
            return event.app_priority
        mapped = self._of_workflow(event.context.application_tags, leaf)
        if mapped is None:
            return event.app_priority
        return self.check(mapped, event.user, leaf.path, event.application_id)

    def _of_workflow(self, tags: tuple[str, ...], leaf: CapacityQueue) -> int | None:
        """What the mappings give the workflow named by a tag, in the nearest queue that they name; never the
        root.
        """
        prefix = self._context.rm.settings.workflow_tag_prefix.lower()
        # Tags are lower case wherever YARN keeps them, and so are the ids in the mappings.
        lower = [tag.strip().lower() for tag in tags]
        workflows = [tag[len(prefix) :] for tag in lower if tag.startswith(prefix)]
        if not workflows or not workflows[-1]:
            return None
        for queue in leaf.ancestors():
            priority = self._context.settings.workflow_priorities.get((workflows[-1], queue.path))
            if priority is not None and queue.path != ROOT:
                return priority
        return None
