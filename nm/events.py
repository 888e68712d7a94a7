"""Everything that can happen in a NodeManager. The base class says who handles it; ids and values, never
entities.

Names are entity plus Hadoop's constant (`ContainerEventType.KILL_CONTAINER` is `ContainerKill`). Hadoop:
ApplicationEventType, ContainerEventType, ResourceEventType, LocalizationEventType,
ContainerSchedulerEventType, ContainersLauncherEventType and LogHandlerEventType.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.yarn.enums import ApplicationAccessType, ContainerType
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier
from yarnbox.yarn.runtime.event import Event, event

# Applications


@event
class ApplicationEvent(Event):
    """Something that concerns an application on this node."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


@event
class ApplicationInit(ApplicationEvent):
    """INIT_APPLICATION: its first container is here."""

    application_acls: Mapping[ApplicationAccessType, str]
    log_aggregation_context: LogAggregationContext | None


@event
class ApplicationInitContainer(ApplicationEvent):
    """INIT_CONTAINER: a container of it is to be started."""

    container_id: ContainerId


@event
class ApplicationLogHandlingInited(ApplicationEvent):
    """The log handler is ready for it."""


@event
class ApplicationLogHandlingFailed(ApplicationEvent):
    """The log handler will keep none of its logs."""


@event
class ApplicationInited(ApplicationEvent):
    """Its containers may go on."""


@event
class ApplicationContainerFinished(ApplicationEvent):
    """A container of it is done."""

    container_id: ContainerId


@event
class ApplicationFinish(ApplicationEvent):
    """FINISH_APPLICATION: the RM, or the end of this NM, wants it gone."""

    diagnostics: str


@event
class ApplicationResourcesCleanedUp(ApplicationEvent):
    """Its directories are on their way out."""


@event
class ApplicationLogHandlingFinished(ApplicationEvent):
    """Its logs are where they belong."""


# Containers


@event
class ContainerEvent(Event):
    """Something that concerns a container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


@event
class ContainerInit(ContainerEvent):
    """INIT_CONTAINER: the application lets it go on."""


@event
class ContainerKill(ContainerEvent):
    """KILL_CONTAINER: somebody wants it gone; the status says who."""

    exit_status: int
    diagnostics: str


@event
class ContainerUpdateDiagnostics(ContainerEvent):
    """UPDATE_DIAGNOSTICS_MSG: a remark to keep."""

    diagnostics: str


@event
class ContainerUpdateToken(ContainerEvent):
    """UPDATE_CONTAINER_TOKEN: a newer version, with another size or execution type."""

    token: ContainerTokenIdentifier
    is_resource_change: bool
    is_execution_type_update: bool
    is_increase: bool


@event
class ContainerResourceLocalized(ContainerEvent):
    """RESOURCE_LOCALIZED: one of its resources is on disk."""

    key: ResourceKey
    path: str
    size: int
    was_cached: bool


@event
class ContainerResourceFailed(ContainerEvent):
    """RESOURCE_FAILED: one of its resources cannot be had."""

    key: ResourceKey
    diagnostics: str


@event
class ContainerLaunched(ContainerEvent):
    """CONTAINER_LAUNCHED: its process runs."""


@event
class ContainerExitedWithSuccess(ContainerEvent):
    """The process ended with 0."""


@event
class ContainerExitedWithFailure(ContainerEvent):
    """The process ended with another code, or there never was one."""

    exit_code: int
    diagnostics: str


@event
class ContainerKilledOnRequest(ContainerEvent):
    """The process ended by SIGTERM or SIGKILL (143, 137)."""

    exit_code: int
    diagnostics: str


@event
class ContainerReinitialize(ContainerEvent):
    """REINITIALIZE_CONTAINER: run another context in the same container; None: the same once more."""

    launch_context: ContainerLaunchContext | None
    auto_commit: bool


@event
class ContainerRollbackReinit(ContainerEvent):
    """ROLLBACK_REINIT: back to the context before the last one."""


@event
class ContainerPause(ContainerEvent):
    """PAUSE_CONTAINER: make room without dying."""

    diagnostics: str


@event
class ContainerPaused(ContainerEvent):
    """CONTAINER_PAUSED: the processes stand still."""


@event
class ContainerResume(ContainerEvent):
    """RESUME_CONTAINER: there is room again."""

    diagnostics: str


@event
class ContainerResumed(ContainerEvent):
    """CONTAINER_RESUMED: the processes run again."""


@event
class ContainerRecoverPaused(ContainerEvent):
    """RECOVER_PAUSED_CONTAINER: found paused after a restart of the NM."""


@event
class ContainerResourcesCleanedUp(ContainerEvent):
    """CONTAINER_RESOURCES_CLEANEDUP: its resources are given back."""


# Resources


@event
class ResourceEvent(Event):
    """Something that concerns one entry of a cache."""

    cache: CacheKey
    key: ResourceKey

    @property
    def subject(self) -> ResourceKey:
        """The resource."""
        return self.key


@event
class ResourceRequested(ResourceEvent):
    """REQUEST: a container needs it."""

    container_id: ContainerId


@event
class ResourceLocalized(ResourceEvent):
    """LOCALIZED: it is on disk."""

    path: str
    size: int


@event
class ResourceReleased(ResourceEvent):
    """RELEASE: a container needs it no longer."""

    container_id: ContainerId


@event
class ResourceLocalizationFailed(ResourceEvent):
    """LOCALIZATION_FAILED: it cannot be had."""

    diagnostics: str


@event
class ResourceRecovered(ResourceEvent):
    """RECOVERED: known from before a restart of the NM."""

    path: str
    size: int
    directory: str


# The parts of the NM


@event
class LocalizationEvent(Event):
    """Something for the localization service, on behalf of a container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


@event
class LocalizationRequestContainer(LocalizationEvent):
    """LOCALIZE_CONTAINER_RESOURCES: fetch these."""

    wanted: tuple[tuple[CacheKey, ResourceKey], ...]


@event
class LocalizationCleanupContainer(LocalizationEvent):
    """CLEANUP_CONTAINER_RESOURCES: it needs none of them any longer."""

    wanted: tuple[tuple[CacheKey, ResourceKey], ...]


@event
class LocalizationApplicationEvent(Event):
    """Something for the localization service, on behalf of an application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


@event
class LocalizationInitApplication(LocalizationApplicationEvent):
    """INIT_APPLICATION_RESOURCES: make ready for it."""


@event
class LocalizationDestroyApplication(LocalizationApplicationEvent):
    """DESTROY_APPLICATION_RESOURCES: remove its directories."""


@event
class SchedulerEvent(Event):
    """Something for the container scheduler."""


@event
class SchedulerContainerEvent(SchedulerEvent):
    """Something for the container scheduler that concerns one container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


@event
class SchedulerScheduleContainer(SchedulerContainerEvent):
    """SCHEDULE_CONTAINER: it has what it needs and may start."""


@event
class SchedulerContainerCompleted(SchedulerContainerEvent):
    """CONTAINER_COMPLETED: it needs no room any longer."""


@event
class SchedulerContainerPaused(SchedulerContainerEvent):
    """CONTAINER_PAUSED: it left its room for now."""


@event
class SchedulerUpdateContainer(SchedulerContainerEvent):
    """UPDATE_CONTAINER: it has another size or execution type."""

    original: ContainerTokenIdentifier
    is_resource_change: bool
    is_execution_type_update: bool
    is_increase: bool


@event
class SchedulerShedQueuedContainers(SchedulerEvent):
    """SHED_QUEUED_CONTAINERS: the RM allows a shorter queue."""


@event
class LauncherEvent(Event):
    """Something for the launcher."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


@event
class LauncherRelaunchContainer(LauncherEvent):
    """RELAUNCH_CONTAINER: the retry interval is over."""


@event
class LogEvent(Event):
    """Something for the log handler."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


@event
class LogApplicationStarted(LogEvent):
    """APPLICATION_STARTED: its logs will come."""

    application_acls: Mapping[ApplicationAccessType, str]
    log_aggregation_context: LogAggregationContext | None


@event
class LogContainerFinished(LogEvent):
    """CONTAINER_FINISHED: its logs are complete."""

    container_id: ContainerId
    container_type: ContainerType
    exit_code: int


@event
class LogApplicationFinished(LogEvent):
    """APPLICATION_FINISHED: no more logs will come."""


@event
class LogRetentionOver(LogEvent):
    """The logs of an application that ended were kept long enough."""


@event
class LogRollingDue(LogEvent):
    """The time for a cycle of rolling aggregation."""


# Timers of the node itself


@event
class NodeEvent(Event):
    """Something that concerns the node as a whole."""


@event
class NodeCacheCleanup(NodeEvent):
    """Time to look at the size of the caches."""


for _family in (
    ApplicationEvent,
    ContainerEvent,
    ResourceEvent,
    LocalizationEvent,
    LocalizationApplicationEvent,
    SchedulerEvent,
    LauncherEvent,
    LogEvent,
    NodeEvent,
):
    _family.family = _family
