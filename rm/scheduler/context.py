"""What a scheduler reaches: its turn, nodes, labels, constraints, and what is known of applications."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from yarnbox.rm.container_context import ContainerContext
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.node import RMNode
from yarnbox.rm.ports import Chance, ConfigurationProvider, GroupMapping
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.statistics.health import SchedulerHealth
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.dispatcher import Dispatcher


class SubmittedApplication(Protocol):
    """An RMApp as far as a scheduler asks; its queue is the scheduler's to say."""

    queue: str

    @property
    def submission(self) -> ApplicationSubmissionContext: ...

    @property
    def am_requests(self) -> tuple[ResourceRequest, ...]: ...

    @property
    def final_status(self) -> FinalApplicationStatus: ...

    @property
    def has_master_container(self) -> bool:
        """Whether the current attempt has a container for its AM, or had one."""
        ...

    def is_am_container(self, container_id: ContainerId) -> bool:
        """Whether the container is that of the current attempt's AM."""
        ...


class SchedulerContext(ContainerContext, Protocol):
    """The registers and services that schedulers share."""

    @property
    def apps(self) -> Mapping[ApplicationId, SubmittedApplication]: ...

    @property
    def nodes(self) -> Mapping[NodeId, RMNode]: ...

    @property
    def labels(self) -> NodeLabelsManager: ...

    @property
    def attributes(self) -> NodeAttributesManager: ...

    @property
    def constraints(self) -> PlacementConstraints: ...

    @property
    def health(self) -> SchedulerHealth: ...

    @property
    def resource_types(self) -> ResourceTypeRegistry: ...

    @property
    def configuration(self) -> Configuration: ...

    @property
    def provider(self) -> ConfigurationProvider: ...

    @property
    def groups(self) -> GroupMapping: ...

    def is_admin(self, user: str) -> bool:
        """Whether the user administers the cluster."""
        ...

    @property
    def random(self) -> Chance: ...

    @property
    def dispatcher(self) -> Dispatcher: ...

    @property
    def start_ms(self) -> int: ...

    @property
    def epoch(self) -> int: ...

    @property
    def has_recovered(self) -> bool: ...

    @property
    def is_strict(self) -> bool: ...

    @property
    def stopwatch(self) -> Callable[[], float]:
        """Milliseconds that have gone by, for measuring alone."""
        ...

    @property
    def logs_at(self) -> Callable[[str, str], bool]:
        """Whether anybody reads what that logger says at that level."""
        ...

    def mark(self, kind: str, text: str) -> None:
        """An administrative action to be marked in charts."""
        ...

    def dump(self, logger: str, level: str, line: str) -> None:
        """A line of a logger that is disabled by default."""
        ...
