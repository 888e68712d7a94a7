"""Moves applications to another queue. Hadoop: FairScheduler.moveApplication."""

from __future__ import annotations

from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import lowest_common_ancestor
from yarnbox.rm.scheduler.fair.queues.running import RunningApps
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId


class Mover:
    """Moves applications with all their containers and requests."""

    def __init__(
        self,
        tree: QueueTree,
        register: Register[FSAppAttempt],
        running: RunningApps,
    ) -> None:
        self._tree = tree
        self._register = register
        self._running = running

    def move(self, application_id: ApplicationId, queue: str) -> str:
        """Moves it; the full path of its queue is returned. YarnError when it may not be moved."""
        self._tree.update_cluster_resource()
        application = self._register.applications.get(application_id)
        if application is None or application.attempt is None:
            raise YarnError(f"App to be moved {application_id} not found.")
        attempt = application.attempt
        target = self._tree.leaf(self._tree.default_of(queue))
        if target is None:
            raise YarnError(f"Target queue {queue} not found or is not a leaf queue.")
        if attempt.is_stopped:
            raise YarnError(f"Application {application_id} is stopped and can't be moved!")
        source: LeafQueue = application.queue
        if target is source:
            return source.path
        was_runnable = attempt in source.runnable
        if was_runnable:
            _check_limits(attempt, source, target)
        refusal = self._running.refusal(target, attempt.user)
        if was_runnable and refusal is not None:
            raise YarnError(
                f"Should have already verified that app {application_id} would be runnable in new queue: "
                f"{refusal}"
            )
        source.remove(attempt)
        if was_runnable:
            self._running.untrack_runnable(attempt, source)
        elif refusal is None:
            self._running.untrack_non_runnable(attempt)
        attempt.leaf = target
        attempt.move_to(target, (attempt.usage, *(one.usage for one in target.ancestry)))
        target.add(attempt, is_runnable=refusal is None)
        if refusal is None:
            self._running.track_runnable(attempt)
        if was_runnable:
            self._running.update_runnability_on_removal(attempt.user, source)
        return target.path


def _check_limits(attempt: FSAppAttempt, source: LeafQueue, target: LeafQueue) -> None:
    """The target and its ancestors that the source is not below."""
    common = lowest_common_ancestor(source, target)
    for queue in target.ancestry:
        if queue is common:
            return
        moving = f"Moving app attempt {attempt.attempt_id} to queue {target.path} would violate queue"
        if queue.runnable_count == queue.max_running_apps:
            raise YarnError(f"{moving} maxRunningApps constraints on queue {queue.path}")
        if not (queue.used + attempt.used).fits_in(queue.max_share):
            raise YarnError(f"{moving} maxShare constraints on queue {queue.path}")
