"""What placement constraints reach: their turn, tags of applications, attributes of nodes, the scheduler."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.ports import RMTurn
from yarnbox.rm.scheduler.calculator import Calculator
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ResourceRequest, SchedulingRequest


class TaggedApplication(Protocol):
    """An application as far as its tags go."""

    @property
    def submission(self) -> ApplicationSubmissionContext: ...


class NodeRegister(Protocol):
    """The nodes that the scheduler uses."""

    @property
    def nodes(self) -> Mapping[NodeId, SchedulerNode]: ...


class PlacedInQueue(Protocol):
    """An application as the scheduler has it."""

    @property
    def queue(self) -> object:
        """Its queue; the text of it is the queue's path."""
        ...


class PlacingScheduler(Protocol):
    """The scheduler as far as it serves scheduling requests."""

    @property
    def tracker(self) -> NodeRegister: ...

    @property
    def applications(self) -> Mapping[ApplicationId, PlacedInQueue]: ...

    @property
    def resource_calculator(self) -> Calculator: ...

    def normalize(self, request: ResourceRequest, queue: str | None, /) -> ResourceRequest:
        """The request with a size that the scheduler gives in that queue, or in any."""
        ...

    def allocate_directly(
        self, attempt_id: ApplicationAttemptId, request: SchedulingRequest, node: SchedulerNode, /
    ) -> bool:
        """Allocates one container of the request on the node; False when the scheduler refuses."""
        ...


class ConstraintContext(RMTurn, Protocol):
    """What placement constraints reach beside their turn."""

    @property
    def apps(self) -> Mapping[ApplicationId, TaggedApplication]: ...

    @property
    def attributes(self) -> NodeAttributesManager: ...

    @property
    def scheduler(self) -> PlacingScheduler: ...
