"""Who may use which queue. Hadoop: CapacityScheduler.checkAccess."""

from __future__ import annotations

from yarnbox.rm.scheduler.admission.submission import may_submit
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueMaker
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.errors import YarnError


class QueueAccess:
    """Asks the ACLs of queues, also of those that are not made yet."""

    def __init__(self, rm: SchedulerContext, tree: QueueTree, maker: QueueMaker) -> None:
        self._rm = rm
        self._tree = tree
        self._maker = maker

    def allows(self, user: str, acl: QueueACL, queue: str) -> bool:
        """Whether an ACL of the queue, or of one above it, lets the user; for a queue that is not made yet,
        its template's or an ancestor's.
        """
        groups = self._rm.groups.groups_of(user)
        found = self._tree.find(queue)
        if found is not None:
            return found.allows(user, groups, acl)
        above = self._tree.at(queue.rpartition(".")[0])
        try:
            if above is not None:
                made = [self._maker.settings_of(queue, above.settings, is_leaf=True)]
            else:
                above, made = self._maker.settings_if_made(queue)
        except ConfigurationError:
            return False
        except YarnError:
            return True  # Whether there is such a queue is judged when the application is admitted.
        return above.allows(user, groups, acl) or any(
            (each.submit_acl if acl is QueueACL.SUBMIT_APPLICATIONS else each.administer_acl).allows(
                user, groups
            )
            for each in made
        )

    def may_submit(self, user: str, queue: str) -> bool:
        """Whether the user may submit to the queue."""
        return may_submit(self._rm.settings, lambda acl: self.allows(user, acl, queue))
