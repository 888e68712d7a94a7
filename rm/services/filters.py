"""The filters of getApplications: each that is given must match. Answers for ClientRMService's."""

from __future__ import annotations

from rm.app import RMApp
from rm.reports import application_state
from yarn.enums import ApplicationsRequestScope
from yarn.records.client import GetApplicationsRequest


def matches(app: RMApp, request: GetApplicationsRequest, user: str) -> bool:
    """Whether all filters but that of visibility let the application pass."""
    if request.scope is ApplicationsRequestScope.OWN and app.user != user:
        return False
    if request.queues and not any(_is_queue(app.queue, name) for name in request.queues):
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


def _is_queue(path: str, name: str) -> bool:
    """Whether the queue is meant: by its path, or by its short name."""
    return name == path or name == path.rpartition(".")[2]


def _shares(tags: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return any(tag in tags for tag in wanted)


def _within(moment_ms: int, begin_ms: int | None, end_ms: int | None) -> bool:
    return (begin_ms is None or begin_ms <= moment_ms) and (end_ms is None or moment_ms <= end_ms)
