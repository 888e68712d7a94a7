"""An application goes to another queue, or may not. Answers for FairScheduler.moveApplication."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler import bookings
from rm.scheduler.fair.leaf import LeafQueue
from rm.scheduler.fair.queue import lowest_common_ancestor
from yarn.errors import YarnError
from yarn.ids import ApplicationId

if TYPE_CHECKING:
    from rm.scheduler.fair.application import FSAppAttempt
    from rm.scheduler.fair.scheduler import FairScheduler


def move(scheduler: FairScheduler, application_id: ApplicationId, queue: str) -> str:
    """Moves it; the full path of its queue is returned. YarnError when it may not be moved."""
    application = scheduler.applications.get(application_id)
    if application is None or application.attempt is None:
        raise YarnError(f"App to be moved {application_id} not found.")
    attempt = application.attempt
    target = scheduler.tree.leaf(scheduler.plan_queues.default_of(queue))
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
    refusal = scheduler.running.refusal(target, attempt.user)
    if was_runnable and refusal is not None:
        raise YarnError(
            f"Should have already verified that app {application_id} would be runnable in new queue: "
            f"{refusal}"
        )
    source.remove(attempt)
    if was_runnable:
        scheduler.running.stopped(attempt, source)
    elif refusal is None:
        scheduler.running.waits_no_longer(attempt)
    application.queue = attempt.leaf = target
    attempt.move_books((attempt.usage, *(one.usage for one in target.ancestry)))
    counters = scheduler.context.health.queues
    for container in attempt.live.values():
        counters.note_departure(container)
        bookings.move(container, queue=target.path)
        counters.note_arrival(container)
    for container in attempt.reserved_containers():
        bookings.move(container, queue=target.path)
    target.add(attempt, is_runnable=refusal is None)
    if refusal is None:
        scheduler.running.started(attempt)
    if was_runnable:
        scheduler.running.let_next_run(attempt.user, source)
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
