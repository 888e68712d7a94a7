"""Moves an application to another leaf with all its containers and requests; everything is checked before
anything changes.

Hadoop: CapacityScheduler.moveApplication.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.settings import ALL_LABELS, QueueKind
from yarnbox.rm.scheduler.capacity.lifecycle.parallel_applications import ParallelLimits
from yarnbox.rm.scheduler.capacity.lifecycle.plan_leaves import PlanLeaves
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId


class ApplicationMover:
    """Moves applications between leaves."""

    def __init__(
        self,
        tree: QueueTree,
        register: Register[CapacityAttempt],
        plan_leaves: PlanLeaves,
        parallel: ParallelLimits,
    ) -> None:
        self._tree = tree
        self._register = register
        self._plan_leaves = plan_leaves
        self._parallel = parallel

    def move(self, application_id: ApplicationId, queue: str) -> str:
        """Moves an application with containers, reservations and requests to another leaf; returns the leaf's
        path.
        """
        application = self._register.applications.get(application_id)
        if application is None:
            raise YarnError(f"App to be moved {application_id} not found.")
        found = self._tree.find(queue)
        if found is None:
            raise YarnError(f"The specified Queue: {queue} doesn't exist")
        if found.kind is QueueKind.PLAN:
            found = self._plan_leaves.leaf_for(found, application_id, None)
        if not isinstance(found, LeafQueue):
            raise YarnError(f"The specified Queue: {queue} is not a Leaf Queue!")
        source = self._tree.leaf_of(application)
        if found is source:
            return found.path
        attempt = application.attempt
        if attempt is not None:
            attempt.asks.forget_default_partition()
            _check_labels(found, attempt)
        try:
            found.check_submission(application_id, application.user)
        except YarnError as error:
            raise YarnError(
                f"Move application {application_id} to queue {found.path} refused: {error.message}"
            ) from None
        if attempt is None:
            application.queue = found
        elif attempt.is_stopped:
            found.take_over_containers(attempt)
        else:
            self._move_attempt(attempt, source, found)
        source.remove_application(application_id)
        found.add_application(application_id, application.user)
        self._parallel.admit_waiting()
        return found.path

    def _move_attempt(self, attempt: CapacityAttempt, source: LeafQueue, target: LeafQueue) -> None:
        if attempt.is_reached:
            attempt.reached_before = (source, attempt.queue_user)
            attempt.is_reached = False
        self._parallel.leave(attempt, source)
        source.users.remove_asking(attempt.user, attempt.application_id)
        source.remove_attempt(attempt)
        attempt.is_runnable = self._parallel.admit(attempt, target)
        target.add_attempt(attempt)
        source.users.forget_if_idle(attempt.user)


def _check_labels(leaf: LeafQueue, attempt: CapacityAttempt) -> None:
    if leaf.settings.accessible_labels == ALL_LABELS:
        return
    missing = [label for label in attempt.asks.partitions if not leaf.can_access(label)]
    if missing:
        raise YarnError(
            f"Specified queue={leaf.path} can't satisfy following apps label expressions "
            f"=[{', '.join(missing)}] "
            f"accessible node labels =[{', '.join(leaf.settings.accessible_labels)}]"
        )
