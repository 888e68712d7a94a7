"""Events of applications, of attempts, and of the memory of completed applications."""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.yarn.enums import FinalApplicationStatus, NodeUpdateType
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event, event


@event
class AppEvent(Event):
    """To an application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


AppEvent.family = AppEvent


@event
class AppStart(AppEvent):
    """The application was submitted."""


@event
class AppRecover(AppEvent):
    """The application was found in the state store; what was stored is in `rm.state.RMState`."""


@event
class AppKill(AppEvent):
    """The application is to be killed: by a user, or because its lifetime has ended."""

    diagnostics: str = ""


@event
class AppRejected(AppEvent):
    """The scheduler or the state store refused the application."""

    constant = "APP_REJECTED"

    diagnostics: str


@event
class AppNewSaved(AppEvent):
    """The state store holds the new application."""

    constant = "APP_NEW_SAVED"


@event
class AppSaveFailed(AppEvent):
    """The state store could not take the new application."""

    constant = "APP_SAVE_FAILED"

    diagnostics: str


@event
class AppUpdateSaved(AppEvent):
    """The state store holds the final state."""

    constant = "APP_UPDATE_SAVED"


@event
class AppAccepted(AppEvent):
    """The scheduler accepted the application into its queue."""

    constant = "APP_ACCEPTED"

    app_priority: int | None = None
    """The priority that the scheduler gave it instead of the one judged at submission."""


@event
class AppAttemptLaunched(AppEvent):
    """The AM of the current attempt was started."""


@event
class AppAttemptRegistered(AppEvent):
    """The AM of the current attempt registered."""


@event
class AppAttemptUnregistered(AppEvent):
    """The AM of the current attempt unregistered."""


@event
class AppAttemptFinished(AppEvent):
    """The current attempt finished."""

    diagnostics: str = ""


@event
class AppAttemptFailed(AppEvent):
    """The current attempt failed. `transfer_state`: its running containers may live on."""

    diagnostics: str = ""
    transfer_state: bool = False


@event
class AppAttemptKilled(AppEvent):
    """The current attempt was killed."""

    diagnostics: str = ""


@event
class AppNodeUpdate(AppEvent):
    """A node has become usable, unusable, or is being decommissioned."""

    node_id: NodeId
    update_type: NodeUpdateType


@event
class AppRunningOnNode(AppEvent):
    """A container of the application was allocated on this node: the application has to be cleaned up there.

    `is_reported`: the node itself has said so, and will have logs of it.
    """

    constant = "APP_RUNNING_ON_NODE"

    node_id: NodeId
    is_reported: bool = False


# RMAppAttempt


@event
class AttemptEvent(Event):
    """To an attempt."""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        return self.attempt_id


AttemptEvent.family = AttemptEvent


@event
class AttemptStart(AttemptEvent):
    """The attempt starts. `transfer_state`: it takes over the running containers of the attempt before it."""

    transfer_state: bool = False


@event
class AttemptRecover(AttemptEvent):
    """The attempt was found in the state store."""


@event
class AttemptKill(AttemptEvent):
    """The application is being killed."""

    diagnostics: str = ""


@event
class AttemptFail(AttemptEvent):
    """A user asked to fail the attempt."""

    diagnostics: str = ""


@event
class AttemptAdded(AttemptEvent):
    """The scheduler has added the attempt."""

    constant = "ATTEMPT_ADDED"


@event
class AttemptContainerAllocated(AttemptEvent):
    """A container was allocated to the attempt; before the AM runs it is the AM's own."""

    container_id: ContainerId


@event
class AttemptRetryAllocate(AttemptEvent):
    """The AM's container could not be acquired yet; the attempt tries again."""

    constant = "CONTAINER_ALLOCATED"


@event
class AttemptNewSaved(AttemptEvent):
    """The state store holds the new attempt."""

    constant = "ATTEMPT_NEW_SAVED"


@event
class AttemptUpdateSaved(AttemptEvent):
    """The state store holds the final state."""

    constant = "ATTEMPT_UPDATE_SAVED"


@event
class AttemptLaunched(AttemptEvent):
    """The node has started the AM's container."""


@event
class AttemptLaunchFailed(AttemptEvent):
    """The node refused to start the AM's container, or could not be reached."""

    diagnostics: str


@event
class AttemptRegistered(AttemptEvent):
    """The AM registered."""

    host: str
    rpc_port: int
    tracking_url: str


@event
class AttemptStatusUpdate(AttemptEvent):
    """The AM called: its progress from 0 to 1, and its tracking URL when that changed."""

    progress: float
    tracking_url: str | None = None


@event
class AttemptUnregistered(AttemptEvent):
    """The AM unregistered, with the application's final status."""

    final_status: FinalApplicationStatus
    diagnostics: str = ""
    tracking_url: str = ""


@event
class AttemptContainerFinished(AttemptEvent):
    """A container of the attempt completed: the AM's own, or one that is reported to the AM."""

    status: ContainerStatus
    node_id: NodeId
    resource: Resource
    resource_seconds: Mapping[str, int]
    """Its size times the whole seconds that it was there, by resource type."""


@event
class AttemptExpire(AttemptEvent):
    """The AM did not call for longer than its expiry interval."""


@event
class AppManagerEvent(Event):
    """To the memory of applications."""


AppManagerEvent.family = AppManagerEvent


@event
class AppManagerAppCompleted(AppManagerEvent):
    """An application has completed; it is kept in the list of completed applications."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id
