"""What waits in the cluster, by queue and reason: pending containers and applications, with one of each to
look at.

The scheduler says why; where it names no reason, only what is plain is said: no AM yet, or containers asked
for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from yarnbox.rm.app import RMAppState
from yarnbox.rm.scheduler.views import AttemptView
from yarnbox.rm.web.finding import pending_containers
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.ids import ApplicationId

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

_NO_MASTER = "its ApplicationMaster has no container yet"
_UNREGISTERED = "its ApplicationMaster has not registered yet"
_ASKED = "it asked for containers and has not got them"


@dataclass(slots=True)
class _Sum:
    example: str
    containers: int = 0
    apps: int = 0


def waiting(
    context: RMContext, may_see: Callable[[ApplicationId], bool], has_time: Callable[[], bool]
) -> Answer:
    """The reasons; applications that come when there is no time left are counted and not looked into."""
    sums: dict[tuple[str, str], _Sum] = {}
    unseen = 0
    for application in context.scheduler.views.application_books.values():
        attempt, application_id = application.attempt, application.application_id
        if attempt is None or attempt.is_stopped or not may_see(application_id):
            continue
        count = pending_containers(attempt)
        if not count and attempt.live:
            continue
        if not has_time():
            unseen += 1
            continue
        reason = _reason(context, attempt, count)
        if not reason:
            continue
        key = (context.apps[application_id].queue, reason)
        found = sums.setdefault(key, _Sum(str(application_id)))
        found.containers += count
        found.apps += 1
    shown = [
        {
            "reason": reason,
            "queue": queue,
            "containers": one.containers,
            "apps": one.apps,
            "example": one.example,
        }
        for (queue, reason), one in sums.items()
    ]
    return {"reason": shown, "unseen": unseen, "countsVCores": context.scheduler.counts_vcores}


def _reason(context: RMContext, attempt: AttemptView, count: int) -> str:
    """The first reason that its scheduler has; else what is plain, of so many containers. Empty where it
    waits for nothing: an ApplicationMaster that is not in a container may have none.
    """
    reason = context.scheduler.views.foremost_reason(attempt.application_id)
    if reason is not None:
        return str(reason.value)
    if attempt.is_waiting_for_am:
        return _NO_MASTER
    if count:
        return _ASKED
    return "" if context.apps[attempt.application_id].state is RMAppState.RUNNING else _UNREGISTERED
