"""What the RM writes into its state store, and what it makes of it after a restart.

An entry is plain data that JSON can hold; records stand in it as their protobuf bytes, in base 64, so that
an entry keeps its meaning as long as the contract does. Containers are not stored: nodes report them. Knows
nothing of where entries are kept. Answers for ApplicationStateData, ApplicationAttemptStateData and
RMStateStore.RMState.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from rm.scheduler.statuses import INVALID
from yarn.dispatcher import Event
from yarn.enums import FinalApplicationStatus
from yarn.ids import ApplicationAttemptId, ApplicationId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.container import Container
from yarn.records.request import ResourceRequest
from yarn.wire import from_bytes, to_bytes

if TYPE_CHECKING:
    from rm.app import RMApp
    from rm.attempt import RMAppAttempt
    from rm.context import RMContext

T = TypeVar("T")
Entries = Mapping[tuple[str, ...], Any]

APPLICATION = "application"
ATTEMPT = "attempt"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAttempt:
    """An attempt as it was written."""

    master_container: Container | None = None
    start_ms: int = 0
    finish_ms: int = 0
    final_state: str | None = None
    final_status: FinalApplicationStatus | None = None
    tracking_url: str = "N/A"
    diagnostics: str = ""
    am_exit_status: int = INVALID
    resource_seconds: Mapping[str, int] = field(default_factory=dict)
    preempted_resource_seconds: Mapping[str, int] = field(default_factory=dict)
    client_key: str | None = None
    """The secret of its clients' tokens, in hexadecimal digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredApp:
    """An application as it was written, with its attempts by number."""

    submission: ApplicationSubmissionContext
    user: str
    queue: str
    am_requests: tuple[ResourceRequest, ...]
    max_attempts: int
    app_priority: int
    submit_ms: int
    start_ms: int
    launch_ms: int = 0
    finish_ms: int | None = None
    lifetime_end_ms: int | None = None
    final_state: str | None = None
    diagnostics: str = ""
    attempts: Mapping[int, StoredAttempt] = field(default_factory=dict)


# Writing


def store_app(
    app: RMApp,
    *,
    final_state: str | None = None,
    diagnostics: str = "",
    acknowledgement: Event | None = None,
) -> None:
    """Writes the application as it is now."""
    app.context.store(
        (APPLICATION, str(app.application_id)),
        lambda: {
            "submission": _text(app.submission),
            "user": app.user,
            "queue": app.queue,
            "am_requests": [_text(request) for request in app.am_requests],
            "max_attempts": app.max_attempts,
            "app_priority": app.app_priority,
            "submit_ms": app.submit_ms,
            "start_ms": app.start_ms,
            "launch_ms": app.launch_ms,
            "finish_ms": app.stored_finish_ms,
            "lifetime_end_ms": app.lifetime_end_ms,
            "final_state": final_state,
            "diagnostics": diagnostics,
        },
        acknowledgement,
    )


def store_attempt(
    attempt: RMAppAttempt,
    *,
    final_state: str | None = None,
    diagnostics: str = "",
    am_exit_status: int = INVALID,
    tracking_url: str | None = None,
    final_status: FinalApplicationStatus | None = None,
    acknowledgement: Event | None = None,
) -> None:
    """Writes the attempt as it is now."""
    container = attempt.master_container
    attempt.context.store(
        (ATTEMPT, str(attempt.application_id), str(attempt.attempt_id)),
        lambda: {
            "master_container": None if container is None else _text(container),
            "start_ms": attempt.start_ms,
            "finish_ms": attempt.finish_ms,
            "final_state": final_state,
            "final_status": None if final_status is None else final_status.name,
            "tracking_url": attempt.original_tracking_url if tracking_url is None else tracking_url,
            "diagnostics": diagnostics,
            "am_exit_status": am_exit_status,
            "resource_seconds": dict(attempt.resource_seconds),
            "preempted_resource_seconds": dict(attempt.preempted_resource_seconds),
            "client_key": None if attempt.client_key is None else attempt.client_key.hex(),
        },
        acknowledgement,
    )


def forget_app(
    context: RMContext, application_id: ApplicationId, attempts: Iterable[ApplicationAttemptId]
) -> None:
    """Removes an application and its attempts."""
    for attempt_id in attempts:
        context.store((ATTEMPT, str(application_id), str(attempt_id)), lambda: None, None)
    context.store((APPLICATION, str(application_id)), lambda: None, None)


# Reading


def read_apps(entries: Entries) -> dict[ApplicationId, StoredApp]:
    """The applications among the entries, oldest first."""
    attempts: dict[ApplicationId, dict[int, StoredAttempt]] = {}
    for key, value in entries.items():
        if key[0] == ATTEMPT:
            attempt_id = ApplicationAttemptId.parse(key[2])
            by_number = attempts.setdefault(attempt_id.application_id, {})
            by_number[attempt_id.attempt_id] = _read_attempt(value)
    apps = {}
    for key, value in entries.items():
        if key[0] == APPLICATION:
            application_id = ApplicationId.parse(key[1])
            numbered = dict(sorted(attempts.get(application_id, {}).items()))
            apps[application_id] = _read_app(value, numbered)
    return dict(sorted(apps.items()))


def _read_app(value: Mapping[str, Any], attempts: Mapping[int, StoredAttempt]) -> StoredApp:
    rest = {name: part for name, part in value.items() if name not in ("submission", "am_requests")}
    return StoredApp(
        submission=_record(ApplicationSubmissionContext, value["submission"]),
        am_requests=tuple(_record(ResourceRequest, text) for text in value["am_requests"]),
        attempts=attempts,
        **rest,
    )


def _read_attempt(value: Mapping[str, Any]) -> StoredAttempt:
    rest = {name: part for name, part in value.items() if name not in ("master_container", "final_status")}
    container, status = value["master_container"], value["final_status"]
    return StoredAttempt(
        master_container=None if container is None else _record(Container, container),
        final_status=None if status is None else FinalApplicationStatus[status],
        **rest,
    )


def _text(record: Any) -> str:
    return b64encode(to_bytes(record)).decode("ascii")


def _record(cls: type[T], text: str) -> T:
    return from_bytes(cls, b64decode(text))
