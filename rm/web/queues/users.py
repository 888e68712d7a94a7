"""What each user holds and asks for in a queue, whatever the scheduler.

Hadoop shows users of the CapacityScheduler's leaves alone; pages show them under every scheduler and for
parents too. The figures are sums over the applications of the queue and of all queues below it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.views import AttemptView
from yarnbox.rm.web.queues.attempts import Held
from yarnbox.rm.web.values import Answer, Shapes
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, Resource

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


@dataclass(slots=True)
class _Sum:
    """The sums of one user."""

    held: Held = field(default_factory=Held)
    fair_share: Resource | None = None
    running_apps: int = 0
    waiting_apps: int = 0


def queue_users(
    context: RMContext, shapes: Shapes, path: str, may_see: Callable[[ApplicationId], bool]
) -> list[Answer] | None:
    """The users by name; None when there is no such queue. Applications that may not be seen do not count."""
    view = context.scheduler.views.queue_view(path)
    if view is None:
        return None
    sums: dict[str, _Sum] = {}
    for application in context.scheduler.views.application_books.values():
        attempt = application.attempt
        if context.scheduler.views.is_within(str(application.queue), view.path) and may_see(
            application.application_id
        ):
            found = sums.setdefault(application.user, _Sum())
            is_running = attempt is not None and not attempt.is_stopped and bool(attempt.live)
            found.running_apps += is_running
            found.waiting_apps += not is_running
            if attempt is not None and not attempt.is_stopped:
                _add(context, found, attempt)
    return [_shown(context, shapes, user, sums[user]) for user in sorted(sums)]


def _add(context: RMContext, found: _Sum, attempt: AttemptView) -> None:
    for amounts in attempt.usage.by_partition.values():
        found.held.add(amounts)
    share = context.scheduler.views.application_view(attempt).fair_share
    if share is not None:
        found.fair_share = (found.fair_share or NONE) + share


def _shown(context: RMContext, shapes: Shapes, user: str, found: _Sum) -> Answer:
    held = found.held
    shown: Answer = {
        "username": user,
        "resourcesUsed": shapes.resource(held.used),
        "resourcesReserved": shapes.resource(held.reserved),
        "resourcesPending": shapes.resource(held.pending),
        "runningContainers": held.containers,
        "pendingContainers": held.pending_containers,
        "runningApps": found.running_apps,
        "waitingApps": found.waiting_apps,
    }
    if found.fair_share is not None:
        shown["fairShare"] = shapes.resource(found.fair_share)
    most = context.scheduler.views.max_apps_of_user(user)
    if most is not None:
        shown["maxRunningApps"] = most
    return shown
