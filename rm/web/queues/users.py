"""What each user holds and asks for in a queue, whatever the scheduler.

Hadoop shows users of the CapacityScheduler's leaves alone; pages show them under every scheduler and for
parents too. The figures are sums over the applications of the queue and of all queues below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.usage import Amounts
from yarnbox.rm.web.values import Answer, Shapes
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


@dataclass(slots=True)
class _Sum:
    """One user's."""

    amounts: Amounts = field(default_factory=Amounts)
    fair_share: Resource | None = None
    running_apps: int = 0
    waiting_apps: int = 0


def queue_users(
    context: RMContext, shapes: Shapes, path: str, may_see: Callable[[ApplicationId], bool]
) -> list[Answer] | None:
    """The users by name; None when there is no such queue. Applications that may not be seen do not count."""
    view = context.scheduler.queue_view(path)
    if view is None:
        return None
    sums: dict[str, _Sum] = {}
    for application in context.scheduler.applications.values():
        attempt = application.attempt
        if _is_within(application.queue, view.path) and may_see(application.application_id):
            found = sums.setdefault(application.user, _Sum())
            is_running = attempt is not None and not attempt.is_stopped and bool(attempt.live)
            found.running_apps += is_running
            found.waiting_apps += not is_running
            if attempt is not None and not attempt.is_stopped:
                _add(context, found, attempt)
    return [_shown(context, shapes, user, sums[user]) for user in sorted(sums)]


def _is_within(queue: Any, path: str) -> bool:
    """Whether an application's queue is that one or below it; the one queue of Fifo is but a name."""
    own = queue if isinstance(queue, str) else queue.path
    return isinstance(queue, str) or own == path or own.startswith(path + ".")


def _add(context: RMContext, found: _Sum, attempt: Attempt) -> None:
    total = found.amounts
    for amounts in attempt.usage.by_partition.values():
        total.used = total.used + amounts.used
        total.reserved = total.reserved + amounts.reserved
        total.pending = total.pending + amounts.pending
        total.containers += amounts.containers
        total.pending_containers += amounts.pending_containers
    share = context.scheduler.application_view(attempt).fair_share
    if share is not None:
        found.fair_share = (found.fair_share or NONE) + share


def _shown(context: RMContext, shapes: Shapes, user: str, found: _Sum) -> Answer:
    amounts = found.amounts
    shown: Answer = {
        "username": user,
        "resourcesUsed": shapes.resource(amounts.used),
        "resourcesReserved": shapes.resource(amounts.reserved),
        "resourcesPending": shapes.resource(amounts.pending),
        "runningContainers": amounts.containers,
        "pendingContainers": amounts.pending_containers,
        "runningApps": found.running_apps,
        "waitingApps": found.waiting_apps,
    }
    if found.fair_share is not None:
        shown["fairShare"] = shapes.resource(found.fair_share)
    most = context.scheduler.max_apps_of_user(user)
    if most is not None:
        shown["maxRunningApps"] = most
    return shown
