"""What the RM writes into its state store, and what it makes of it after a restart.

An entry is plain data that JSON can hold; records stand in it as their protobuf bytes, in base 64, so that
an entry keeps its meaning as long as the contract does. Containers are not stored: nodes report them. Knows
nothing of where entries are kept. Hadoop: ApplicationStateData, ApplicationAttemptStateData and
RMStateStore.RMState.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from yarnbox.rm.ports import RMTurn
from yarnbox.rm.scheduler.containers.statuses import INVALID
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.wire import Wire

Entries = Mapping[tuple[str, ...], Any]

APPLICATION = "application"
ATTEMPT = "attempt"
_INT64 = 1 << 63


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


def forget_app(
    context: RMTurn, application_id: ApplicationId, attempts: Iterable[ApplicationAttemptId]
) -> None:
    """Removes an application and its attempts."""
    for attempt_id in attempts:
        context.store((ATTEMPT, str(application_id), str(attempt_id)), lambda: None, None)
    context.store((APPLICATION, str(application_id)), lambda: None, None)


def keys_of(application_id: ApplicationId, stored: StoredApp) -> list[tuple[str, ...]]:
    """The entries of an application and of its attempts."""
    attempts = [ApplicationAttemptId(application_id, number) for number in stored.attempts]
    return [
        (APPLICATION, str(application_id)),
        *((ATTEMPT, str(application_id), str(attempt_id)) for attempt_id in attempts),
    ]


# Reading


def read_apps(
    entries: Entries, wire: Wire, set_aside: Callable[[tuple[str, ...], Exception], None]
) -> dict[ApplicationId, StoredApp]:
    """The applications among the entries, oldest first; what cannot be read is told to `set_aside`."""
    attempts: dict[ApplicationId, dict[int, StoredAttempt]] = {}
    apps: dict[ApplicationId, StoredApp] = {}
    for key, value in entries.items():
        try:
            if key[0] == ATTEMPT:
                attempt_id = ApplicationAttemptId.parse(key[2])
                by_number = attempts.setdefault(attempt_id.application_id, {})
                by_number[attempt_id.attempt_id] = _read_attempt(value, wire)
            elif key[0] == APPLICATION:
                application_id = ApplicationId.parse(key[1])
                apps[application_id] = _read_app(value, application_id, wire)
        except _UNREADABLE as error:
            set_aside(key, error)
    for application_id, numbered in attempts.items():
        if application_id in apps:
            in_order = dict(sorted(numbered.items()))
            apps[application_id] = replace(apps[application_id], attempts=in_order)
    return dict(sorted(apps.items()))


_UNREADABLE = (YarnError, ValueError, TypeError, KeyError, IndexError, AttributeError)
"""What reading an entry raises that is not what it should be."""


def _read_app(value: Mapping[str, Any], application_id: ApplicationId, wire: Wire) -> StoredApp:
    rest = {name: part for name, part in value.items() if name not in ("submission", "am_requests")}
    submission = wire.from_text(ApplicationSubmissionContext, value["submission"])
    if submission.application_id != application_id:
        raise ValueError(f"it is the submission of {submission.application_id}")
    _check_types(StoredApp, rest)
    if not isinstance(value["am_requests"], list) or bool(value["am_requests"]) is submission.unmanaged_am:
        raise ValueError(f"am_requests cannot be {value['am_requests']!r}")
    return StoredApp(
        submission=submission,
        am_requests=tuple(wire.from_text(ResourceRequest, text) for text in value["am_requests"]),
        **rest,
    )


def _read_attempt(value: Mapping[str, Any], wire: Wire) -> StoredAttempt:
    rest = {name: part for name, part in value.items() if name not in ("master_container", "final_status")}
    container, status = value["master_container"], value["final_status"]
    _check_types(StoredAttempt, rest)
    return StoredAttempt(
        master_container=None if container is None else wire.from_text(Container, container),
        final_status=None if status is None else FinalApplicationStatus[status],
        **rest,
    )


def _check_types(cls: type, parts: Mapping[str, object]) -> None:
    """ValueError where a plain part is not of the field's type."""
    allowed = _plain_types(cls)
    for name, part in parts.items():
        numbers = [one for one in (part.values() if isinstance(part, dict) else [part]) if type(one) is int]
        is_sound = type(part) in allowed.get(name, ())
        if isinstance(part, dict):
            is_sound = is_sound and len(numbers) == len(part)
        is_sound = is_sound and all(-_INT64 <= number < _INT64 for number in numbers)
        if not is_sound:
            raise ValueError(f"{name} cannot be {part!r}")


@cache
def _plain_types(cls: type) -> Mapping[str, tuple[object, ...]]:
    """By field, what JSON may have there; mappings in the state are of whole numbers by name."""
    return {
        name: (dict,) if get_origin(hint) is Mapping else get_args(hint) or (hint,)
        for name, hint in get_type_hints(cls).items()
    }
