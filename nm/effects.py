"""Everything that an NM's core may ask of the world. Each names the call of the core that answers it, if one
does.

The edge carries effects out in their order; of one container it finishes one before it begins the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.yarn.enums import ApplicationAccessType, SignalContainerCommand
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True)
class Launch:
    """All that an executor must know to start a container."""

    container_id: ContainerId
    user: str
    context: ContainerLaunchContext
    resource: Resource
    links: Mapping[str, str]
    """Path by link name."""
    localization_counters: str
    is_relaunch: bool = False


@dataclass(frozen=True, slots=True)
class LaunchContainer:
    """Start its process: `container_launched`, later `container_exited`; or `container_exited` alone."""

    launch: Launch


@dataclass(frozen=True, slots=True)
class ReacquireContainer:
    """Watch the process that outlived the NM: `container_launched`, later `container_exited`."""

    launch: Launch


@dataclass(frozen=True, slots=True)
class CleanUpContainer:
    """End its processes, SIGTERM first; `container_exited` follows, as for any other end."""

    container_id: ContainerId


@dataclass(frozen=True, slots=True)
class SignalContainer:
    """Send one signal to its processes."""

    container_id: ContainerId
    command: SignalContainerCommand


@dataclass(frozen=True, slots=True)
class PauseContainer:
    """Let its processes stand still: `container_paused`."""

    container_id: ContainerId


@dataclass(frozen=True, slots=True)
class ResumeContainer:
    """Let them run again: `container_resumed`."""

    container_id: ContainerId


@dataclass(frozen=True, slots=True)
class DeleteContainerFiles:
    """Remove its working directory and private files, its logs excepted."""

    container_id: ContainerId
    user: str


@dataclass(frozen=True, slots=True)
class FetchResource:
    """Bring it below the cache's directory: `resource_localized` or `resource_failed`."""

    cache: CacheKey
    key: ResourceKey
    directory: str
    """Relative to the cache, unused so far."""


@dataclass(frozen=True, slots=True)
class LinkResource:
    """Make it visible in the working directory of a running container."""

    container_id: ContainerId
    user: str
    links: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class DeleteResource:
    """Remove a cached resource from disk."""

    path: str


@dataclass(frozen=True, slots=True)
class DeleteApplicationFiles:
    """Remove its directories in every local directory, its logs excepted."""

    application_id: ApplicationId
    user: str


@dataclass(frozen=True, slots=True)
class StartMonitoring:
    """Hold the container to these limits, in bytes."""

    container_id: ContainerId
    physical_limit: int
    virtual_limit: int


@dataclass(frozen=True, slots=True)
class StopMonitoring:
    """Watch its memory no longer."""

    container_id: ContainerId


@dataclass(frozen=True, slots=True)
class StartAuxiliaryApplication:
    """Tell an auxiliary service of an application and hand it its data."""

    service: str
    application_id: ApplicationId
    user: str
    data: bytes


@dataclass(frozen=True, slots=True)
class StopAuxiliaryApplication:
    """Tell every auxiliary service that the application is over."""

    application_id: ApplicationId


@dataclass(frozen=True, slots=True)
class PrepareLogAggregation:
    """Make the remote directory: `log_handling_inited`."""

    application_id: ApplicationId
    user: str


@dataclass(frozen=True, slots=True)
class AggregateLogs:
    """Write the logs of these containers to the remote directory: `logs_aggregated`."""

    application_id: ApplicationId
    user: str
    containers: tuple[ContainerId, ...]
    context: LogAggregationContext
    cycle: int
    is_final: bool
    acls: Mapping[ApplicationAccessType, str]


@dataclass(frozen=True, slots=True)
class DeleteLogs:
    """Remove the local logs of an application."""

    application_id: ApplicationId


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """Remember these bytes over a restart, under this key; None: no longer."""

    key: str
    value: bytes | None


@dataclass(frozen=True, slots=True)
class Forget:
    """Remember nothing any longer whose key begins so."""

    prefix: str


@dataclass(frozen=True, slots=True)
class WriteLog:
    """A line for the operator; `logger` is who says it."""

    level: str
    text: str
    logger: str


@dataclass(frozen=True, slots=True)
class SendHeartbeat:
    """Do not wait for the next period."""


@dataclass(frozen=True, slots=True)
class RegisterAgain:
    """The RM does not know this node: register, then go on with heartbeats."""


@dataclass(frozen=True, slots=True)
class ShutDown:
    """End the NM: by order of the RM, or because it cannot go on."""

    reason: str


Effect = (
    LaunchContainer
    | ReacquireContainer
    | CleanUpContainer
    | SignalContainer
    | PauseContainer
    | ResumeContainer
    | DeleteContainerFiles
    | FetchResource
    | LinkResource
    | DeleteResource
    | DeleteApplicationFiles
    | StartMonitoring
    | StopMonitoring
    | StartAuxiliaryApplication
    | StopAuxiliaryApplication
    | PrepareLogAggregation
    | AggregateLogs
    | DeleteLogs
    | StoreEntry
    | WriteLog
    | Forget
    | SendHeartbeat
    | RegisterAgain
    | ShutDown
)
