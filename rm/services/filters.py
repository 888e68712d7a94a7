"""The filters of getApplications: each that is given must match. Hadoop: ClientRMService's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from yarnbox.rm.app import RMApp
from yarnbox.rm.reports import application_state
from yarnbox.yarn.enums import ApplicationsRequestScope
from yarnbox.yarn.records.client import GetApplicationsRequest

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext


class QueueFilter:
    """Applications of a queue: those that the scheduler has in it or below it, and those that bear its name,
    over or not.
    """

    def __init__(self, context: RMContext, queue: str) -> None:
        scheduler = context.scheduler
        found = scheduler.views.queue_view(queue)
        self._applications = scheduler.views.application_books
        self._is_within = scheduler.views.is_within
        self._path = found.path if found is not None else None
        knows_paths = scheduler.name == "CapacityScheduler" and found is not None
        self._names = (queue, found.path) if knows_paths and found is not None else (queue,)

    def holds(self, app: RMApp) -> bool:
        """Whether the filter matches the application."""
        if app.queue in self._names:
            return True
        booked = self._applications.get(app.application_id)
        if booked is None or booked.attempt is None or booked.attempt.is_stopped or self._path is None:
            return False
        return self._is_within(str(booked.queue), self._path)


def matches(
    app: RMApp, request: GetApplicationsRequest, user: str, queues: Sequence[QueueFilter] = ()
) -> bool:
    """Whether all filters but that of visibility let the application pass."""
    if request.scope is ApplicationsRequestScope.OWN and app.user != user:
        return False
    if queues and not any(queue.holds(app) for queue in queues):
        return False
    types = [name.lower() for name in request.application_types]
    if types and app.submission.application_type.lower() not in types:
        return False
    if request.application_states and application_state(app) not in request.application_states:
        return False
    if request.users and app.user not in request.users:
        return False
    if request.application_tags and not _shares(app.submission.application_tags, request.application_tags):
        return False
    if request.name is not None and request.name != app.name:
        return False
    return _within(app.start_ms, request.start_begin, request.start_end) and _within(
        app.finish_ms, request.finish_begin, request.finish_end
    )


def _shares(tags: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return any(tag in tags for tag in wanted)


def _within(moment_ms: int, begin_ms: int | None, end_ms: int | None) -> bool:
    return (begin_ms is None or begin_ms <= moment_ms) and (end_ms is None or moment_ms <= end_ms)
