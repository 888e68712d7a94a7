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
from yarnbox.yarn.runtime.event import Event

# Applications


class ApplicationEvent(Event, frozen=True, kw_only=True):
    """Something that concerns an application on this node."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


class ApplicationInit(ApplicationEvent, frozen=True, kw_only=True):
    """INIT_APPLICATION: its first container is here."""

    application_acls: Mapping[ApplicationAccessType, str]
    log_aggregation_context: LogAggregationContext | None


class ApplicationInitContainer(ApplicationEvent, frozen=True, kw_only=True):
    """INIT_CONTAINER: a container of it is to be started."""

    container_id: ContainerId


class ApplicationLogHandlingInited(ApplicationEvent, frozen=True, kw_only=True):
    """The log handler is ready for it."""


class ApplicationLogHandlingFailed(ApplicationEvent, frozen=True, kw_only=True):
    """The log handler will keep none of its logs."""


class ApplicationInited(ApplicationEvent, frozen=True, kw_only=True):
    """Its containers may go on."""


class ApplicationContainerFinished(ApplicationEvent, frozen=True, kw_only=True):
    """A container of it is done."""

    container_id: ContainerId


class ApplicationFinish(ApplicationEvent, frozen=True, kw_only=True):
    """FINISH_APPLICATION: the RM, or the end of this NM, wants it gone."""

    diagnostics: str


class ApplicationResourcesCleanedUp(ApplicationEvent, frozen=True, kw_only=True):
    """Its directories are on their way out."""


class ApplicationLogHandlingFinished(ApplicationEvent, frozen=True, kw_only=True):
    """Its logs are where they belong."""


# Containers


class ContainerEvent(Event, frozen=True, kw_only=True):
    """Something that concerns a container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


class ContainerInit(ContainerEvent, frozen=True, kw_only=True):
    """INIT_CONTAINER: the application lets it go on."""


class ContainerKill(ContainerEvent, frozen=True, kw_only=True):
    """KILL_CONTAINER: somebody wants it gone; the status says who."""

    exit_status: int
    diagnostics: str


class ContainerUpdateDiagnostics(ContainerEvent, frozen=True, kw_only=True):
    """UPDATE_DIAGNOSTICS_MSG: a remark to keep."""

    diagnostics: str


class ContainerUpdateToken(ContainerEvent, frozen=True, kw_only=True):
    """UPDATE_CONTAINER_TOKEN: a newer version, with another size or execution type."""

    token: ContainerTokenIdentifier
    is_resource_change: bool
    is_execution_type_update: bool
    is_increase: bool


class ContainerResourceLocalized(ContainerEvent, frozen=True, kw_only=True):
    """RESOURCE_LOCALIZED: one of its resources is on disk."""

    key: ResourceKey
    path: str
    size: int
    was_cached: bool


class ContainerResourceFailed(ContainerEvent, frozen=True, kw_only=True):
    """RESOURCE_FAILED: one of its resources cannot be had."""

    key: ResourceKey
    diagnostics: str


class ContainerLaunched(ContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_LAUNCHED: its process runs."""


class ContainerExitedWithSuccess(ContainerEvent, frozen=True, kw_only=True):
    """The process ended with 0."""


class ContainerExitedWithFailure(ContainerEvent, frozen=True, kw_only=True):
    """The process ended with another code, or there never was one."""

    exit_code: int
    diagnostics: str


class ContainerKilledOnRequest(ContainerEvent, frozen=True, kw_only=True):
    """The process ended by SIGTERM or SIGKILL (143, 137)."""

    exit_code: int
    diagnostics: str


class ContainerReinitialize(ContainerEvent, frozen=True, kw_only=True):
    """REINITIALIZE_CONTAINER: run another context in the same container; None: the same once more."""

    launch_context: ContainerLaunchContext | None
    auto_commit: bool


class ContainerRollbackReinit(ContainerEvent, frozen=True, kw_only=True):
    """ROLLBACK_REINIT: back to the context before the last one."""


class ContainerPause(ContainerEvent, frozen=True, kw_only=True):
    """PAUSE_CONTAINER: make room without dying."""

    diagnostics: str


class ContainerPaused(ContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_PAUSED: the processes stand still."""


class ContainerResume(ContainerEvent, frozen=True, kw_only=True):
    """RESUME_CONTAINER: there is room again."""

    diagnostics: str


class ContainerResumed(ContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_RESUMED: the processes run again."""


class ContainerRecoverPaused(ContainerEvent, frozen=True, kw_only=True):
    """RECOVER_PAUSED_CONTAINER: found paused after a restart of the NM."""


class ContainerResourcesCleanedUp(ContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_RESOURCES_CLEANEDUP: its resources are given back."""


# Resources


class ResourceEvent(Event, frozen=True, kw_only=True):
    """Something that concerns one entry of a cache."""

    cache: CacheKey
    key: ResourceKey

    @property
    def subject(self) -> ResourceKey:
        """The resource."""
        return self.key


class ResourceRequested(ResourceEvent, frozen=True, kw_only=True):
    """REQUEST: a container needs it."""

    container_id: ContainerId


class ResourceLocalized(ResourceEvent, frozen=True, kw_only=True):
    """LOCALIZED: it is on disk."""

    path: str
    size: int


class ResourceReleased(ResourceEvent, frozen=True, kw_only=True):
    """RELEASE: a container needs it no longer."""

    container_id: ContainerId


class ResourceLocalizationFailed(ResourceEvent, frozen=True, kw_only=True):
    """LOCALIZATION_FAILED: it cannot be had."""

    diagnostics: str


class ResourceRecovered(ResourceEvent, frozen=True, kw_only=True):
    """RECOVERED: known from before a restart of the NM."""

    path: str
    size: int
    directory: str


# The parts of the NM


class LocalizationEvent(Event, frozen=True, kw_only=True):
    """Something for the localization service, on behalf of a container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


class LocalizationRequestContainer(LocalizationEvent, frozen=True, kw_only=True):
    """LOCALIZE_CONTAINER_RESOURCES: fetch these."""

    wanted: tuple[tuple[CacheKey, ResourceKey], ...]


class LocalizationCleanupContainer(LocalizationEvent, frozen=True, kw_only=True):
    """CLEANUP_CONTAINER_RESOURCES: it needs none of them any longer."""

    wanted: tuple[tuple[CacheKey, ResourceKey], ...]


class LocalizationApplicationEvent(Event, frozen=True, kw_only=True):
    """Something for the localization service, on behalf of an application."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


class LocalizationInitApplication(LocalizationApplicationEvent, frozen=True, kw_only=True):
    """INIT_APPLICATION_RESOURCES: make ready for it."""


class LocalizationDestroyApplication(LocalizationApplicationEvent, frozen=True, kw_only=True):
    """DESTROY_APPLICATION_RESOURCES: remove its directories."""


class SchedulerEvent(Event, frozen=True, kw_only=True):
    """Something for the container scheduler."""


class SchedulerContainerEvent(SchedulerEvent, frozen=True, kw_only=True):
    """Something for the container scheduler that concerns one container."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


class SchedulerScheduleContainer(SchedulerContainerEvent, frozen=True, kw_only=True):
    """SCHEDULE_CONTAINER: it has what it needs and may start."""


class SchedulerContainerCompleted(SchedulerContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_COMPLETED: it needs no room any longer."""


class SchedulerContainerPaused(SchedulerContainerEvent, frozen=True, kw_only=True):
    """CONTAINER_PAUSED: it left its room for now."""


class SchedulerUpdateContainer(SchedulerContainerEvent, frozen=True, kw_only=True):
    """UPDATE_CONTAINER: it has another size or execution type."""

    original: ContainerTokenIdentifier
    is_resource_change: bool
    is_execution_type_update: bool
    is_increase: bool


class SchedulerShedQueuedContainers(SchedulerEvent, frozen=True, kw_only=True):
    """SHED_QUEUED_CONTAINERS: the RM allows a shorter queue."""


class LauncherEvent(Event, frozen=True, kw_only=True):
    """Something for the launcher."""

    container_id: ContainerId

    @property
    def subject(self) -> ContainerId:
        """The container."""
        return self.container_id


class LauncherRelaunchContainer(LauncherEvent, frozen=True, kw_only=True):
    """RELAUNCH_CONTAINER: the retry interval is over."""


class LogEvent(Event, frozen=True, kw_only=True):
    """Something for the log handler."""

    application_id: ApplicationId

    @property
    def subject(self) -> ApplicationId:
        """The application."""
        return self.application_id


class LogApplicationStarted(LogEvent, frozen=True, kw_only=True):
    """APPLICATION_STARTED: its logs will come."""

    application_acls: Mapping[ApplicationAccessType, str]
    log_aggregation_context: LogAggregationContext | None


class LogContainerFinished(LogEvent, frozen=True, kw_only=True):
    """CONTAINER_FINISHED: its logs are complete."""

    container_id: ContainerId
    container_type: ContainerType
    exit_code: int


class LogApplicationFinished(LogEvent, frozen=True, kw_only=True):
    """APPLICATION_FINISHED: no more logs will come."""


class LogRetentionOver(LogEvent, frozen=True, kw_only=True):
    """The logs of an application that ended were kept long enough."""


class LogRollingDue(LogEvent, frozen=True, kw_only=True):
    """The time for a cycle of rolling aggregation."""


# Timers of the node itself


class NodeEvent(Event, frozen=True, kw_only=True):
    """Something that concerns the node as a whole."""


class NodeCacheCleanup(NodeEvent, frozen=True, kw_only=True):
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
