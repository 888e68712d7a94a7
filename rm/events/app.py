"""Events of applications, of attempts, and of the memory of completed applications."""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.yarn.enums import FinalApplicationStatus, NodeUpdateType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event


class AppEvent(Event, frozen=True, kw_only=True):
    """To an application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


AppEvent.family = AppEvent


class AppStart(AppEvent, frozen=True, kw_only=True):
    """The application was submitted."""


class AppRecover(AppEvent, frozen=True, kw_only=True):
    """The application was found in the state store; what was stored is in `rm.state.RMState`."""


class AppKill(AppEvent, frozen=True, kw_only=True):
    """The application is to be killed: by a user, or because its lifetime has ended."""

    diagnostics: str = ""


class AppRejected(AppEvent, frozen=True, kw_only=True):
    """The scheduler or the state store refused the application."""

    constant = "APP_REJECTED"

    diagnostics: str


class AppNewSaved(AppEvent, frozen=True, kw_only=True):
    """The state store holds the new application."""

    constant = "APP_NEW_SAVED"


class AppSaveFailed(AppEvent, frozen=True, kw_only=True):
    """The state store could not take the new application."""

    constant = "APP_SAVE_FAILED"

    diagnostics: str


class AppUpdateSaved(AppEvent, frozen=True, kw_only=True):
    """The state store holds the final state."""

    constant = "APP_UPDATE_SAVED"


class AppAccepted(AppEvent, frozen=True, kw_only=True):
    """The scheduler accepted the application into its queue."""

    constant = "APP_ACCEPTED"

    app_priority: int | None = None
    """The priority that the scheduler gave it instead of the one judged at submission."""


class AppAttemptLaunched(AppEvent, frozen=True, kw_only=True):
    """The AM of the current attempt was started."""


class AppAttemptRegistered(AppEvent, frozen=True, kw_only=True):
    """The AM of the current attempt registered."""


class AppAttemptUnregistered(AppEvent, frozen=True, kw_only=True):
    """The AM of the current attempt unregistered."""


class AppAttemptFinished(AppEvent, frozen=True, kw_only=True):
    """The current attempt finished."""

    diagnostics: str = ""


class AppAttemptFailed(AppEvent, frozen=True, kw_only=True):
    """The current attempt failed. `transfer_state`: its running containers may live on."""

    diagnostics: str = ""
    transfer_state: bool = False


class AppAttemptKilled(AppEvent, frozen=True, kw_only=True):
    """The current attempt was killed."""

    diagnostics: str = ""


class AppNodeUpdate(AppEvent, frozen=True, kw_only=True):
    """A node has become usable, unusable, or is being decommissioned."""

    node_id: NodeId
    update_type: NodeUpdateType


class AppRunningOnNode(AppEvent, frozen=True, kw_only=True):
    """A container of the application was allocated on this node: the application has to be cleaned up there.

    `is_reported`: the node itself has said so, and will have logs of it.
    """

    constant = "APP_RUNNING_ON_NODE"

    node_id: NodeId
    is_reported: bool = False


# RMAppAttempt


class AttemptEvent(Event, frozen=True, kw_only=True):
    """To an attempt."""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        return self.attempt_id


AttemptEvent.family = AttemptEvent


class AttemptStart(AttemptEvent, frozen=True, kw_only=True):
    """The attempt starts. `transfer_state`: it takes over the running containers of the attempt before it."""

    transfer_state: bool = False


class AttemptRecover(AttemptEvent, frozen=True, kw_only=True):
    """The attempt was found in the state store."""


class AttemptKill(AttemptEvent, frozen=True, kw_only=True):
    """The application is being killed."""

    diagnostics: str = ""


class AttemptFail(AttemptEvent, frozen=True, kw_only=True):
    """A user asked to fail the attempt."""

    diagnostics: str = ""


class AttemptAdded(AttemptEvent, frozen=True, kw_only=True):
    """The scheduler has added the attempt."""

    constant = "ATTEMPT_ADDED"


class AttemptContainerAllocated(AttemptEvent, frozen=True, kw_only=True):
    """A container was allocated to the attempt; before the AM runs it is the AM's own."""

    container_id: ContainerId


class AttemptRetryAllocate(AttemptEvent, frozen=True, kw_only=True):
    """The AM's container could not be acquired yet; the attempt tries again."""

    constant = "CONTAINER_ALLOCATED"


class AttemptNewSaved(AttemptEvent, frozen=True, kw_only=True):
    """The state store holds the new attempt."""

    constant = "ATTEMPT_NEW_SAVED"


class AttemptUpdateSaved(AttemptEvent, frozen=True, kw_only=True):
    """The state store holds the final state."""

    constant = "ATTEMPT_UPDATE_SAVED"


class AttemptLaunched(AttemptEvent, frozen=True, kw_only=True):
    """The node has started the AM's container."""


class AttemptLaunchFailed(AttemptEvent, frozen=True, kw_only=True):
    """The node refused to start the AM's container, or could not be reached."""

    diagnostics: str


class AttemptRegistered(AttemptEvent, frozen=True, kw_only=True):
    """The AM registered."""

    host: str
    rpc_port: int
    tracking_url: str


class AttemptStatusUpdate(AttemptEvent, frozen=True, kw_only=True):
    """The AM called: its progress from 0 to 1, and its tracking URL when that changed."""

    progress: float
    tracking_url: str | None = None


class AttemptUnregistered(AttemptEvent, frozen=True, kw_only=True):
    """The AM unregistered, with the application's final status."""

    final_status: FinalApplicationStatus
    diagnostics: str = ""
    tracking_url: str = ""


class AttemptContainerFinished(AttemptEvent, frozen=True, kw_only=True):
    """A container of the attempt completed: the AM's own, or one that is reported to the AM."""

    status: ContainerStatus
    node_id: NodeId
    resource: Resource
    resource_seconds: Mapping[str, int]
    """Its size times the whole seconds that it was there, by resource type."""


class AttemptExpire(AttemptEvent, frozen=True, kw_only=True):
    """The AM did not call for longer than its expiry interval."""


class AppManagerEvent(Event, frozen=True, kw_only=True):
    """To the memory of applications."""


AppManagerEvent.family = AppManagerEvent


class AppManagerAppCompleted(AppManagerEvent, frozen=True, kw_only=True):
    """An application has completed; it is kept in the list of completed applications."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id
