"""A container on this node: its state, what it is made of, and what is told of it. Its law is in
nm/containers/container.py.

Hadoop: the fields and the reports of ContainerImpl.
"""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum, auto
from typing import NamedTuple

from yarnbox.nm.containers.retry import Retries
from yarnbox.nm.localization.resources import ResourceSet
from yarnbox.nm.state import store_container_state
from yarnbox.nm.turn import NMTurn
from yarnbox.yarn.enums import ContainerState as ReportedState
from yarnbox.yarn.enums import ContainerSubState, ExecutionType
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerStatus
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import NONE, Resource

KILLED_BY_APPMASTER = -105
INVALID_EXIT_CODE = -1000
"""ContainerExitStatus.INVALID: not finished yet."""


class ContainerState(Enum):
    """ContainerState of the NM, finer than what it reports."""

    NEW = auto()
    LOCALIZING = auto()
    LOCALIZATION_FAILED = auto()
    SCHEDULED = auto()
    RUNNING = auto()
    RELAUNCHING = auto()
    REINITIALIZING = auto()
    REINITIALIZING_AWAITING_KILL = auto()
    EXITED_WITH_SUCCESS = auto()
    EXITED_WITH_FAILURE = auto()
    KILLING = auto()
    CONTAINER_CLEANEDUP_AFTER_KILL = auto()
    DONE = auto()
    PAUSING = auto()
    PAUSED = auto()
    RESUMING = auto()


_SUB_STATES = {
    ContainerState.NEW: ContainerSubState.SCHEDULED,
    ContainerState.LOCALIZING: ContainerSubState.SCHEDULED,
    ContainerState.SCHEDULED: ContainerSubState.SCHEDULED,
    ContainerState.RELAUNCHING: ContainerSubState.SCHEDULED,
    ContainerState.REINITIALIZING_AWAITING_KILL: ContainerSubState.SCHEDULED,
    ContainerState.RUNNING: ContainerSubState.RUNNING,
    ContainerState.REINITIALIZING: ContainerSubState.RUNNING,
    ContainerState.PAUSING: ContainerSubState.RUNNING,
    ContainerState.KILLING: ContainerSubState.RUNNING,
    ContainerState.PAUSED: ContainerSubState.PAUSED,
    ContainerState.RESUMING: ContainerSubState.PAUSED,
    ContainerState.LOCALIZATION_FAILED: ContainerSubState.COMPLETING,
    ContainerState.EXITED_WITH_SUCCESS: ContainerSubState.COMPLETING,
    ContainerState.EXITED_WITH_FAILURE: ContainerSubState.COMPLETING,
    ContainerState.CONTAINER_CLEANEDUP_AFTER_KILL: ContainerSubState.COMPLETING,
    ContainerState.DONE: ContainerSubState.DONE,
}


class Recovered(Enum):
    """How far a container was when the NM ended, if that was before it was started again."""

    NO = auto()
    """It is new, or had not been launched: it takes the way of a new one."""
    LAUNCHED = auto()
    """Its process has to be found again."""
    COMPLETED = auto()
    """Only its end is to be told."""


class Launchable(NamedTuple):
    """What a container can be launched with."""

    context: ContainerLaunchContext
    resources: ResourceSet


class Reinitialization:
    """A container on its way to another launch context, and perhaps back."""

    __slots__ = ("is_rollback", "new_context", "new_resources", "previous")

    def __init__(
        self,
        new_context: ContainerLaunchContext,
        new_resources: ResourceSet,
        previous: Launchable | None = None,
        *,
        is_rollback: bool = False,
    ) -> None:
        self.new_context = new_context
        self.new_resources = new_resources
        self.previous = previous
        """What it can go back to."""
        self.is_rollback = is_rollback

    @property
    def can_rollback(self) -> bool:
        """Whether there is something to go back to."""
        return self.previous is not None

    def merged(self, current: ResourceSet) -> ResourceSet:
        """The resources of the container once the new context runs."""
        if self.is_rollback or current is self.new_resources:
            return self.new_resources
        return current.merged_with(self.new_resources)

    def rollback(self) -> Reinitialization:
        """The re-initialization that restores the old launch context and resources."""
        assert self.previous is not None
        return Reinitialization(self.previous.context, self.previous.resources, is_rollback=True)


class Container:
    """One container, from startContainers to the moment the RM has taken note of its end."""

    def __init__(
        self,
        context: NMTurn,
        token: ContainerTokenIdentifier,
        launch_context: ContainerLaunchContext,
    ) -> None:
        assert token.container_id is not None
        self.context = context
        self.container_id: ContainerId = token.container_id
        self.application_id: ApplicationId = token.container_id.application_id
        self.user = token.app_submitter or ""
        self.token = token
        self.launch_context = launch_context
        self.state = ContainerState.NEW
        self.exit_code = INVALID_EXIT_CODE
        self.diagnostics = ""
        self.start_ms = context.now_ms
        self.resources = ResourceSet()
        self.retries = Retries(
            launch_context.container_retry_context, context.settings.retry_minimum_interval_ms
        )
        self.reinitialization: Reinitialization | None = None
        self.has_process = False
        """Between the order to launch and the news of the end."""
        self.was_launched = False
        self.is_reinitializing = False
        self.recovered = Recovered.NO
        self.is_recovered_as_killed = False
        """Somebody had ordered its end before the NM ended."""
        self.localization_started_ms = 0
        self.bytes_missed = self.files_missed = self.bytes_cached = self.files_cached = 0
        self.localization_ms = 0

    @property
    def subject(self) -> ContainerId:
        """Its id, for the story."""
        return self.container_id

    @property
    def resource(self) -> Resource:
        """The size to enforce."""
        return self.token.resource or NONE

    @property
    def execution_type(self) -> ExecutionType:
        """Guaranteed or opportunistic."""
        return self.token.execution_type

    @property
    def is_guaranteed(self) -> bool:
        """Whether it is guaranteed: opportunistic containers are killed for it."""
        return self.token.execution_type is ExecutionType.GUARANTEED

    @property
    def can_rollback(self) -> bool:
        """Whether its last re-initialization can be undone."""
        return self.reinitialization is not None and self.reinitialization.can_rollback

    @property
    def is_done(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state is ContainerState.DONE

    @property
    def localization_counters(self) -> str:
        """LOCALIZATION_COUNTERS: bytes missed, bytes cached, files missed, files cached, milliseconds."""
        counts = (self.bytes_missed, self.bytes_cached, self.files_missed, self.files_cached)
        return ",".join(str(count) for count in (*counts, self.localization_ms))

    def ended_before_restart(self) -> bool:
        """Whether the NM found it, after its own restart, with nothing left to run."""
        if self.is_recovered_as_killed and self.recovered is Recovered.NO:
            self.exit_code = KILLED_BY_APPMASTER
            return True
        return self.recovered is Recovered.COMPLETED

    def say(self, *remarks: str) -> None:
        """Appends to the diagnostics; the oldest text is dropped when they are too long."""
        moment = datetime.fromtimestamp(self.context.now_ms / 1000, UTC)
        stamp = f"[{moment:%Y-%m-%d %H:%M:%S}.{self.context.now_ms % 1000:03d}]"
        text = self.diagnostics + "".join(stamp + remark for remark in remarks)
        self.diagnostics = text[-self.context.settings.diagnostics_maximum_size :]
        store_container_state(self.context, self.container_id, "diagnostics", self.diagnostics)

    def status(self) -> ContainerStatus:
        """The status for heartbeats and getContainerStatuses."""
        attributes = {"HOST": self.context.node_id.host} if self.was_launched else {}
        return ContainerStatus(
            container_id=self.container_id,
            state=ReportedState.COMPLETE if self.is_done else ReportedState.RUNNING,
            diagnostics=self.diagnostics,
            exit_status=self.exit_code,
            capability=self.resource,
            execution_type=self.execution_type,
            container_attributes=attributes,
            container_sub_state=_SUB_STATES[self.state],
        )

    def registration_status(self) -> NMContainerStatus:
        """The status for a registration."""
        return NMContainerStatus(
            container_id=self.container_id,
            container_state=ReportedState.COMPLETE if self.is_done else ReportedState.RUNNING,
            resource=self.resource,
            priority=self.token.priority,
            diagnostics=self.diagnostics,
            container_exit_status=self.exit_code,
            creation_time=self.token.creation_time,
            node_label_expression=self.token.node_label_expression,
            version=self.token.version,
            execution_type=self.execution_type,
            allocation_request_id=self.token.allocation_request_id,
            allocation_tags=self.token.allocation_tags,
        )
