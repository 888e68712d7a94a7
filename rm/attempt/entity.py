"""RMAppAttempt: an attempt's state, its AM, and how it ended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple, Protocol

from yarnbox.rm.attempt.blacklist import AMNodeBlacklist
from yarnbox.rm.attempt.finished import FinishedContainers
from yarnbox.rm.container_context import ContainerTokens
from yarnbox.rm.events.app import AttemptEvent
from yarnbox.rm.ports import AMSession, AttemptTokens, Pages
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.rm.scheduler.containers.statuses import (
    ABORTED,
    DISKS_FAILED,
    INVALID,
    KILLED_BY_RESOURCEMANAGER,
    PREEMPTED,
)
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.state import ATTEMPT, StoredApp, StoredAttempt
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.event import Event

NOT_AVAILABLE = "N/A"
NO_PORT = -1
UNCOUNTED = (PREEMPTED, ABORTED, DISKS_FAILED, KILLED_BY_RESOURCEMANAGER)
"""Exit statuses of an AM that are no fault of its own."""


class RMAppAttemptState(Enum):
    """The states of an attempt."""

    NEW = "NEW"
    SUBMITTED = "SUBMITTED"
    SCHEDULED = "SCHEDULED"
    ALLOCATED_SAVING = "ALLOCATED_SAVING"
    ALLOCATED = "ALLOCATED"
    LAUNCHED_UNMANAGED_SAVING = "LAUNCHED_UNMANAGED_SAVING"
    LAUNCHED = "LAUNCHED"
    RUNNING = "RUNNING"
    FINAL_SAVING = "FINAL_SAVING"
    FINISHING = "FINISHING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLED = "KILLED"


NEW, SUBMITTED, SCHEDULED, ALLOCATED_SAVING, ALLOCATED = list(RMAppAttemptState)[:5]
LAUNCHED_UNMANAGED_SAVING, LAUNCHED, RUNNING = list(RMAppAttemptState)[5:8]
FINAL_SAVING, FINISHING, FINISHED, FAILED, KILLED = list(RMAppAttemptState)[8:]

Todo = Callable[["RMAppAttempt", Any], None]


class AfterSaving(NamedTuple):
    """What follows in FINAL_SAVING when the final state is stored."""

    target: RMAppAttemptState
    todo: Todo
    cause: AttemptEvent
    """The event that `todo` is called with."""


class AttemptContext(SchedulerContext, Protocol):
    """The registers and services that an attempt uses beside its turn."""

    @property
    def scheduler(self) -> Scheduler[Any]: ...

    @property
    def tokens(self) -> AllTokens: ...

    @property
    def pages(self) -> Pages: ...

    @property
    def am_sessions(self) -> dict[ApplicationAttemptId, AMSession]: ...


class AllTokens(ContainerTokens, AttemptTokens, Protocol):
    """Issues all tokens."""


class AttemptOwner(Protocol):
    """The application as its attempts see it."""

    @property
    def application_id(self) -> ApplicationId: ...

    @property
    def submission(self) -> ApplicationSubmissionContext: ...

    @property
    def user(self) -> str: ...

    @property
    def queue(self) -> str: ...

    @property
    def submit_ms(self) -> int: ...

    @property
    def am_requests(self) -> tuple[ResourceRequest, ...]: ...

    def keep_am_requests(self, requests: tuple[ResourceRequest, ...], /) -> None: ...

    @property
    def am_blacklist(self) -> AMNodeBlacklist: ...

    @property
    def finished(self) -> FinishedContainers: ...

    @property
    def recovered(self) -> StoredApp | None: ...

    @property
    def current(self) -> RMAppAttempt | None: ...

    @property
    def is_in_final_state(self) -> bool: ...

    @property
    def is_unmanaged(self) -> bool: ...

    @property
    def keeps_containers(self) -> bool: ...

    def will_retry(self) -> bool:
        """Whether another attempt follows when this one fails."""
        ...


class RMAppAttempt:
    """An attempt as the RM sees it."""

    def __init__(self, context: AttemptContext, attempt_id: ApplicationAttemptId, app: AttemptOwner) -> None:
        self.context = context
        self.attempt_id = attempt_id
        self.app = app
        self.state = RMAppAttemptState.NEW
        self.start_ms = 0
        self.step_ms: int | None = None
        """When the wait began that it is in: for its AM's container, for its launch, for its word."""
        self.finish_ms = 0
        self.host = NOT_AVAILABLE
        self.rpc_port = NO_PORT
        self.original_tracking_url = NOT_AVAILABLE
        """The page that the AM named."""
        self.progress = 0.0
        self.final_status: FinalApplicationStatus | None = None
        """How it ended, as its AM said; None when it has not spoken."""
        self.diagnostics = Diagnostics(context.settings.diagnostics_limit_kc * 1024)
        self.launch_diagnostics = ""
        """What it waits for, until its AM has registered."""
        self.master_container: Container | None = None
        self.am_exit_status = INVALID
        self.resource_seconds: dict[str, int] = {}
        self.preempted_resource_seconds: dict[str, int] = {}
        self.preempted_resource = NONE
        """Of all containers that it lost to preemption, its AM's too."""
        self.preempted_count = 0
        """How many those were, its AM's not counted."""
        self.is_preempted = False
        """Whether its AM's container was one of them."""
        self.am_rm_token: Token | None = None
        self.client_key: bytes | None = None
        """The secret of its clients' tokens, where there are any; its AM is told."""
        self.is_am_gone = False
        """Whether nobody will pull ended containers any more."""
        self.recovered: StoredAttempt | None = None
        """What the state store knew, when an earlier RM began it."""
        self.recovered_final_state: RMAppAttemptState | None = None
        self.state_before_saving: RMAppAttemptState | None = None
        self.after_saving: AfterSaving | None = None

    @property
    def subject(self) -> ApplicationAttemptId:
        """Its id in the story."""
        return self.attempt_id

    @property
    def application_id(self) -> ApplicationId:
        """The application."""
        return self.attempt_id.application_id

    @property
    def master_container_id(self) -> ContainerId | None:
        """The container of its AM; None for an unmanaged one, and before it is allocated."""
        return self.master_container.id if self.master_container is not None else None

    def shown_diagnostics(self) -> str:
        """Its diagnostics; before the AM has registered, what it waits for."""
        said = str(self.diagnostics)
        if said or not self.launch_diagnostics:
            return said
        return self.context.scheduler.views.launch_diagnostics(self.attempt_id) or self.launch_diagnostics

    def counts_as_failure(self) -> bool:
        """Whether it counts towards its application's maximum of attempts."""
        within_ms = self.app.submission.attempt_failures_validity_interval
        has_ended = self.after_saving is not None or self.recovered_final_state is not None
        if has_ended and 0 < within_ms < self.context.now_ms - self.finish_ms:
            return False
        return self.am_exit_status not in UNCOUNTED

    def add_usage(self, resource_seconds: Mapping[str, int]) -> None:
        """Adds the resource-seconds of a completed container."""
        for name, value in resource_seconds.items():
            self.resource_seconds[name] = self.resource_seconds.get(name, 0) + value

    def add_preemption(
        self, resource: Resource, resource_seconds: Mapping[str, int], *, is_master: bool
    ) -> None:
        """Adds a preempted container."""
        self.preempted_resource = self.preempted_resource + resource
        if is_master:
            self.is_preempted = True
        else:
            self.preempted_count += 1
        for name, value in resource_seconds.items():
            before = self.preempted_resource_seconds.get(name, 0)
            self.preempted_resource_seconds[name] = before + value

    def recover(self, stored: StoredAttempt, *, is_last: bool) -> None:
        """Restores it from the state store."""
        self.recovered = stored
        self.diagnostics.append(stored.diagnostics)
        self.am_exit_status = stored.am_exit_status
        self.master_container = stored.master_container
        self.client_key = bytes.fromhex(stored.client_key) if stored.client_key else None
        self.original_tracking_url = stored.tracking_url
        self.final_status = stored.final_status
        self.start_ms = stored.start_ms
        self.finish_ms = stored.finish_ms
        self.resource_seconds = dict(stored.resource_seconds)
        self.preempted_resource_seconds = dict(stored.preempted_resource_seconds)
        if stored.final_state is not None:
            self.recovered_final_state = RMAppAttemptState[stored.final_state]
        elif not is_last:
            # Its end was not written in time, and another attempt followed.
            self.recovered_final_state = FAILED


class Diagnostics:
    """A text of limited length: its newest part is kept, and it says how much was cut.

    Hadoop: BoundedAppender.
    """

    __slots__ = ("_limit", "_text", "_total")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._text = ""
        self._total = 0

    def append(self, text: str) -> None:
        """Adds to the end; what no longer fits is cut off at the beginning."""
        self._total += len(text)
        self._text = (self._text + text)[-self._limit :]

    def __str__(self) -> str:
        if self._total <= self._limit:
            return self._text
        return (
            f"Diagnostic messages truncated, showing last {len(self._text)} chars out of {self._total}:\n"
            f"...{self._text}"
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
    """Writes the attempt as it is now to the state store; `rm/state.py` reads it."""
    container = attempt.master_container
    attempt.context.store(
        (ATTEMPT, str(attempt.application_id), str(attempt.attempt_id)),
        lambda: {
            "master_container": None if container is None else attempt.context.wire.to_text(container),
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
