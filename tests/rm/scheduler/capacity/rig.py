"""A CapacityScheduler alone, on made-up nodes: no applications' lives, no services, time at a standstill.

For what is easier to say about the scheduler by itself: its limits, random trees, its speed. Whole stories
are told by scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from tests.surroundings import Files, Groups, NoTokens, Pages, PostedEvents, report, reporting_node
from yarnbox.rm.asks import ANY
from yarnbox.rm.container import RMContainer
from yarnbox.rm.context import RMContext
from yarnbox.rm.effects import LOGGER, Effect
from yarnbox.rm.events.app import AppRejected
from yarnbox.rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerEvent,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeResourceUpdate,
    SchedulerNodeUpdate,
)
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.node import RMNode
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.settings import read

PREFIX = "yarn.scheduler.capacity."
START_MS = 1_000_000


class CapacityRig:
    """A scheduler and the few things around it."""

    def __init__(
        self,
        properties: Mapping[str, object],
        *,
        site: Mapping[str, str] | None = None,
        groups: Mapping[str, tuple[str, ...]] | None = None,
        handles_posted: bool = False,
    ) -> None:
        """With `handles_posted` the scheduler handles the events that it posts for itself."""
        configuration = Configuration(defaults={}).overlaid(site or {}, "yarn-site.xml")
        self.provider = Files(
            {name: str(value) for name, value in properties.items()},
            base=Configuration(defaults={}),
            source="capacity-scheduler.xml",
        )
        self.context = RMContext(
            settings=read(RMSettings, configuration),
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self.provider,
            groups=Groups(groups),
            tokens=NoTokens(),
            pages=Pages(),
            rack_of=lambda host: "/default-rack",
            random=Random(7),
            start_ms=START_MS,
        )
        self.context.logs_at = lambda logger, level: logger == LOGGER
        self.context.labels = NodeLabelsManager(is_enabled=False)
        self.context.attributes = NodeAttributesManager()
        self.context.constraints = PlacementConstraints(self.context)
        self.scheduler = CapacityScheduler(self.context)
        self.context.scheduler = self.scheduler
        self.posted = PostedEvents(self.context)
        if handles_posted:
            self.context.dispatcher.register(SchedulerEvent, self.scheduler.handle, behind=True)
        else:
            self.posted.receive(SchedulerEvent)
        self.attempts: dict[str, ApplicationAttemptId] = {}
        self.effects: list[Effect] = self.context.effects

    # Nodes

    def add_node(
        self, host: str, memory_mb: int, vcores: int = 8, rack: str = "/default-rack", **others: int
    ) -> NodeId:
        """A node registers."""
        node_id = NodeId(host=host, port=1234)
        capability = Resource(memory_mb, vcores, tuple(sorted(others.items())))
        self.context.nodes[node_id] = reporting_node(self.context, node_id, rack, capability)
        self.scheduler.handle(SchedulerNodeAdded(node_id=node_id))
        return node_id

    def node(self, host: str) -> RMNode:
        """The node of that host."""
        return self.context.nodes[NodeId(host=host, port=1234)]

    def remove_node(self, host: str) -> None:
        """A node is lost."""
        node_id = NodeId(host=host, port=1234)
        self.scheduler.handle(SchedulerNodeRemoved(node_id=node_id))
        del self.context.nodes[node_id]

    def resize_node(self, host: str, capability: Resource) -> None:
        """A node gets another size."""
        node_id = NodeId(host=host, port=1234)
        self.node(host).capability = capability
        self.scheduler.handle(SchedulerNodeResourceUpdate(node_id=node_id, capability=capability))

    def heartbeat(self, *hosts: str) -> None:
        """Each node reports what runs and ended on it, and is offered."""
        for host in hosts:
            self.scheduler.handle(SchedulerNodeUpdate(node_id=NodeId(host=host, port=1234)))

    # Applications

    def submit(self, name: str, queue: str, user: str = "user", **context: Any) -> str | None:
        """An unmanaged application with its first attempt; what it was rejected for, or None."""
        application_id = ApplicationId(cluster_timestamp=START_MS, id=len(self.attempts) + 1)
        context.setdefault("unmanaged_am", True)
        submission = ApplicationSubmissionContext(application_id=application_id, queue=queue, **context)
        self.attempts[name] = attempt_id = ApplicationAttemptId(application_id=application_id, attempt_id=1)
        placed = self.scheduler.place_application(submission, user)
        self.scheduler.handle(
            SchedulerAppAdded(
                application_id=application_id,
                queue=placed,
                user=user,
                context=submission,
                app_priority=self.scheduler.application_priority(submission.priority, user, placed),
            )
        )
        rejected = self.take_rejection()
        if rejected is None:
            self.scheduler.handle(SchedulerAppAttemptAdded(attempt_id=attempt_id))
        self.posted.take()
        return rejected

    def take_rejection(self) -> str | None:
        """The diagnostics of an AppRejected among the posted events."""
        found = [event.diagnostics for event in self.posted.take() if isinstance(event, AppRejected)]
        return found[0] if found else None

    def attempt(self, name: str) -> CapacityAttempt:
        """The attempt of that application."""
        found = self.scheduler.attempt(self.attempts[name])
        assert found is not None
        return found

    def ask(
        self,
        name: str,
        count: int = 1,
        memory_mb: int = 1024,
        vcores: int = 1,
        *,
        priority: int = 1,
        at: str = ANY,
        relax: bool = True,
        release: tuple[ContainerId, ...] = (),
        label: str | None = None,
        others: Mapping[str, int] | None = None,
    ) -> list[RMContainer]:
        """One request, normalized; what was allocated since the last call."""
        capability = Resource(memory_mb, vcores, tuple(sorted((others or {}).items())))
        request = ResourceRequest(
            priority=priority,
            resource_name=at,
            capability=capability,
            num_containers=count,
            relax_locality=relax,
            node_label_expression=label,
        )
        queue = str(self.attempt(name).queue)
        return self.call(name, [self.scheduler.normalize(request, queue)], release)

    def call(
        self, name: str, ask: list[ResourceRequest], release: tuple[ContainerId, ...] = ()
    ) -> list[RMContainer]:
        """An allocate call."""
        taken = self.scheduler.allocate(self.attempts[name], ask, release).containers
        self.posted.take()
        return taken

    def pull(self, name: str) -> list[RMContainer]:
        """Takes delivery; the containers are seen running by the next heartbeat of their nodes."""
        taken = self.call(name, [])
        for container in taken:
            node = self.context.nodes[container.node_id]
            status = ContainerStatus(container_id=container.container_id, state=ContainerState.RUNNING)
            report(node, status)
        return taken

    def complete(self, container: RMContainer) -> None:
        """The container ends by itself; its node says so at its next heartbeat."""
        node = self.context.nodes[container.node_id]
        status = ContainerStatus(
            container_id=container.container_id, state=ContainerState.COMPLETE, exit_status=0
        )
        report(node, status)

    def finish(self, name: str) -> None:
        """The application ends."""
        attempt_id = self.attempts[name]
        self.scheduler.handle(SchedulerAppAttemptRemoved(attempt_id=attempt_id, final_state="FINISHED"))
        self.scheduler.handle(
            SchedulerAppRemoved(application_id=attempt_id.application_id, final_state="FINISHED")
        )
        self.posted.take()

    # Looking

    def leaf(self, path: str) -> LeafQueue:
        """The leaf of that path."""
        found = self.scheduler.tree.at(path)
        assert isinstance(found, LeafQueue)
        return found

    def used_mb(self, path: str, partition: str = "") -> int:
        """Memory used in a queue, reservations included."""
        queue = self.scheduler.tree.at(path)
        assert queue is not None
        return queue.usage.used(partition).memory_mb

    def containers(self, name: str) -> int:
        """Live containers of an application."""
        return len(self.attempt(name).live)
