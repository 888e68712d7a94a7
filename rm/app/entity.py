"""RMApp: an application's state, its attempts, the nodes it ran on and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from yarnbox.rm.attempt import RMAppAttempt
from yarnbox.rm.attempt.blacklist import AMNodeBlacklist
from yarnbox.rm.attempt.entity import AttemptContext
from yarnbox.rm.attempt.finished import FinishedContainers
from yarnbox.rm.events.app import (
    AppEvent,
)
from yarnbox.rm.log_aggregation import LogAggregation
from yarnbox.rm.state import APPLICATION
from yarnbox.yarn.enums import FinalApplicationStatus, NodeUpdateType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.ordered import OrderedSet

if TYPE_CHECKING:
    from yarnbox.rm.node import RMNode
    from yarnbox.rm.state import StoredApp


class RMAppState(Enum):
    """The states of an application."""

    NEW = "NEW"
    NEW_SAVING = "NEW_SAVING"
    SUBMITTED = "SUBMITTED"
    ACCEPTED = "ACCEPTED"
    RUNNING = "RUNNING"
    FINAL_SAVING = "FINAL_SAVING"
    FINISHING = "FINISHING"
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    KILLING = "KILLING"
    KILLED = "KILLED"


NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINAL_SAVING = list(RMAppState)[:6]
FINISHING, FINISHED, FAILED, KILLING, KILLED = list(RMAppState)[6:]
COMPLETED_STATES = (FINISHING, FINISHED, FAILED, KILLED)
"""Final for its client: the final state is stored."""
FINAL_STATES = (FINISHED, FAILED, KILLED)

_FINAL_STATUS = {
    FINISHING: FinalApplicationStatus.FAILED,  # finished without a word of the AM is as good as failed
    FINISHED: FinalApplicationStatus.FAILED,
    FAILED: FinalApplicationStatus.FAILED,
    KILLED: FinalApplicationStatus.KILLED,
}

Todo = Callable[["RMApp", Any], None]


class AfterSaving(NamedTuple):
    """What follows in FINAL_SAVING when the final state is stored."""

    target: RMAppState
    todo: Todo
    cause: AppEvent
    """The event that `todo` is called with."""


class AppContext(AttemptContext, Protocol):
    """The registers and services that an application uses beside its turn."""

    def find_node(self, node_id: NodeId) -> RMNode | None:
        """The node, active or not."""
        ...


class RMApp:
    """An application as the RM sees it."""

    def __init__(
        self,
        context: AppContext,
        submission: ApplicationSubmissionContext,
        user: str,
        queue: str,
        am_requests: tuple[ResourceRequest, ...],
        max_attempts: int,
        app_priority: int = 0,
    ) -> None:
        assert submission.application_id is not None
        self.context = context
        self.application_id = submission.application_id
        self.submission = submission
        """As the client sent it, with what admission made of it."""
        self.user = user
        self.queue = queue
        """As it was placed; changed by a move."""
        self.am_requests = am_requests
        """What the next attempt asks for its AM; nothing for an unmanaged one."""
        self.max_attempts = max_attempts
        self.app_priority = app_priority
        self.state = RMAppState.NEW
        self.submit_ms = context.now_ms
        self.start_ms = context.now_ms
        self.launch_ms = 0
        self.finish_ms = 0
        self.stored_finish_ms: int | None = None
        """When its final state was written."""
        self.diagnostics = ""
        self.lifetime_end_ms: int | None = None
        """When it is killed for having lived too long."""
        self.attempts: dict[ApplicationAttemptId, RMAppAttempt] = {}
        self.current: RMAppAttempt | None = None
        self.finished = FinishedContainers(context)
        self.logs = LogAggregation(context)
        self.ran_nodes: OrderedSet[NodeId] = OrderedSet()
        self.updated_nodes: dict[RMNode, NodeUpdateType] = {}
        """What the AM has to hear of nodes, the latest kind each."""
        self.state_before_saving: RMAppState | None = None
        self.state_before_killing: RMAppState | None = None
        self.recovered: StoredApp | None = None
        """What the state store knew, when this RM did not see the submission."""
        self.next_attempt = 1
        self.after_saving: AfterSaving | None = None
        settings = context.settings
        self.am_blacklist = AMNodeBlacklist(
            is_enabled=settings.am_blacklisting_enabled and not submission.unmanaged_am,
            threshold=settings.am_blacklisting_disable_threshold,
        )

    @property
    def subject(self) -> ApplicationId:
        """Its id in the story."""
        return self.application_id

    @property
    def name(self) -> str:
        """What its user calls it."""
        return self.submission.application_name

    @property
    def is_unmanaged(self) -> bool:
        """Whether its AM is not started by the RM."""
        return self.submission.unmanaged_am

    @property
    def keeps_containers(self) -> bool:
        """Whether running containers outlive an attempt that another one follows."""
        return self.submission.keep_containers_across_application_attempts

    @property
    def is_final_state_stored(self) -> bool:
        """Whether its final state is stored."""
        return self.state in COMPLETED_STATES

    @property
    def is_in_final_state(self) -> bool:
        """Whether it has ended, under this RM or, by the state store, under an earlier one."""
        stored = self.recovered.final_state if self.recovered is not None else None
        return stored is not None or self.state in FINAL_STATES

    @property
    def final_status(self) -> FinalApplicationStatus:
        """How it ended: as its AM said, else as its state says."""
        if self.current is not None and self.current.final_status is not None:
            return self.current.final_status
        return _FINAL_STATUS.get(self.state, FinalApplicationStatus.UNDEFINED)

    def attempt(self, attempt_id: ApplicationAttemptId) -> RMAppAttempt | None:
        """One of its attempts."""
        return self.attempts.get(attempt_id)

    @property
    def has_master_container(self) -> bool:
        """Whether its current attempt has a container for the AM, or had one."""
        return self.current is not None and self.current.master_container is not None

    def keep_am_requests(self, requests: tuple[ResourceRequest, ...]) -> None:
        """An attempt has asked for its AM so: in this size and with this label the next ones ask, too.

        See tests/scenarios/capacity/am-stays-cut.yaml.
        """
        self.am_requests = requests

    def is_am_container(self, container_id: ContainerId) -> bool:
        """Whether this is the container of its current AM."""
        return self.current is not None and self.current.master_container_id == container_id

    def shown_diagnostics(self) -> str:
        """Its diagnostics; those of the current attempt while it has none."""
        if not self.diagnostics and self.current is not None:
            return self.current.shown_diagnostics()
        return self.diagnostics

    def counted_failures(self) -> int:
        """How many attempts have failed by their own fault, within the validity interval."""
        return sum(1 for attempt in self.attempts.values() if attempt.counts_as_failure())

    def will_retry(self) -> bool:
        """Whether another attempt follows if the current one fails."""
        return not self.is_unmanaged and self.max_attempts > 1 and self.counted_failures() < self.max_attempts

    def pull_node_updates(self) -> dict[RMNode, NodeUpdateType]:
        """The node updates for the AM, each returned once. A node that left and joined again is two
        updates.
        """
        updates, self.updated_nodes = self.updated_nodes, {}
        return updates

    def create_attempt(self, number: int) -> RMAppAttempt:
        """The next attempt, which becomes the current one."""
        attempt = RMAppAttempt(self.context, ApplicationAttemptId(self.application_id, number), self)
        self.attempts[attempt.attempt_id] = attempt
        self.current = attempt
        self.next_attempt = number + 1
        return attempt


def store_app(
    app: RMApp,
    *,
    final_state: str | None = None,
    diagnostics: str = "",
    acknowledgement: Event | None = None,
) -> None:
    """Writes the application as it is now to the state store; `rm/state.py` reads it."""
    to_text = app.context.wire.to_text
    app.context.store(
        (APPLICATION, str(app.application_id)),
        lambda: {
            "submission": to_text(app.submission),
            "user": app.user,
            "queue": app.queue,
            "am_requests": [to_text(request) for request in app.am_requests],
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
