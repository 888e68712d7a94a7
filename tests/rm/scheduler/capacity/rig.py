"""A CapacityScheduler alone, on made-up nodes: no applications' lives, no services, time at a standstill.

For what is easier to say about the scheduler by itself: its limits, random trees, its speed. Whole stories
are told by scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from rm.container import RMContainer
from rm.context import RMContext
from rm.effects import Effect
from rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeResourceUpdate,
    SchedulerNodeUpdate,
)
from rm.labels import NodeLabelsManager
from rm.labels.attributes import NodeAttributesManager
from rm.scheduler.asks import ANY
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.leaf import LeafQueue
from rm.scheduler.capacity.scheduler import CapacityScheduler
from rm.scheduler.constraint import PlacementConstraints
from rm.settings import RMSettings
from yarn.configuration import Configuration
from yarn.enums import ContainerState
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.container import Container, ContainerStatus
from yarn.records.request import ResourceRequest
from yarn.resource import Resource
from yarn.resource_types import ResourceTypeRegistry
from yarn.settings import read

PREFIX = "yarn.scheduler.capacity."
START_MS = 1_000_000


class Provider:
    """Configuration files in memory."""

    def __init__(self, properties: Mapping[str, str]) -> None:
        self.properties = dict(properties)

    def load(self, *file_names: str) -> Configuration:
        """The properties, whatever file is asked for."""
        return Configuration(defaults={}).overlaid(self.properties, "capacity-scheduler.xml")

    def read_text(self, file_name: str) -> str | None:
        """There are no other files."""
        return None

    def modified_ms(self, file_name: str) -> int | None:
        """Nor is anything ever written."""
        return None


class Groups:
    """Who is in which group."""

    def __init__(self, groups: Mapping[str, tuple[str, ...]]) -> None:
        self.groups = groups

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups, the primary one first."""
        return self.groups.get(user, ())


class NoTokens:
    """Tokens and web addresses: nobody looks at them here."""

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **keywords: None


class Node:
    """What the scheduler sees of an RMNode."""

    def __init__(self, node_id: NodeId, rack: str, capability: Resource) -> None:
        self.node_id = node_id
        self.rack = rack
        self.capability = capability
        self.http_address = ""
        self.is_decommissioning = False
        self.launched: list[ContainerStatus] = []
        self.completed: list[ContainerStatus] = []

    def take_container_updates(self) -> tuple[list[ContainerStatus], list[ContainerStatus]]:
        """What was reported since the last time."""
        taken = self.launched, self.completed
        self.launched, self.completed = [], []
        return taken

    def take_increased(self) -> list[Container]:
        """Containers do not grow here."""
        return []


class CapacityRig:
    """A scheduler and the few things around it."""

    def __init__(
        self,
        properties: Mapping[str, object],
        *,
        site: Mapping[str, str] | None = None,
        groups: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        configuration = Configuration(defaults={}).overlaid(site or {}, "yarn-site.xml")
        self.provider = Provider({name: str(value) for name, value in properties.items()})
        self.context = RMContext(
            settings=read(RMSettings, configuration),
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self.provider,
            groups=Groups(groups or {}),
            tokens=NoTokens(),
            pages=NoTokens(),
            rack_of=lambda host: "/default-rack",
            random=Random(7),
            start_ms=START_MS,
        )
        self.context.labels = NodeLabelsManager(is_enabled=False)
        self.context.attributes = NodeAttributesManager()
        self.context.constraints = PlacementConstraints(self.context)
        self.scheduler = CapacityScheduler(self.context)
        self.context.scheduler = self.scheduler
        self.attempts: dict[str, ApplicationAttemptId] = {}
        self.effects: list[Effect] = self.context.effects

    # Nodes

    def add_node(
        self, host: str, memory_mb: int, vcores: int = 8, rack: str = "/default-rack", **others: int
    ) -> NodeId:
        """A node registers."""
        node_id = NodeId(host=host, port=1234)
        capability = Resource(memory_mb, vcores, tuple(sorted(others.items())))
        self.context.nodes[node_id] = Node(node_id, rack, capability)  # type: ignore[assignment]
        self.scheduler.handle(SchedulerNodeAdded(node_id=node_id))
        return node_id

    def node(self, host: str) -> Node:
        """The node of that host."""
        return self.context.nodes[NodeId(host=host, port=1234)]  # type: ignore[return-value]

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
        placed = self.scheduler.place(submission, user)
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
        self.context.dispatcher._queue.clear()
        return rejected

    def take_rejection(self) -> str | None:
        """The diagnostics of an AppRejected among the posted events."""
        queue = self.context.dispatcher._queue
        found = [event.diagnostics for event in queue if type(event).__name__ == "AppRejected"]  # type: ignore[attr-defined]
        queue.clear()
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
        queue = self.attempt(name).leaf.path
        return self.call(name, [self.scheduler.normalize(request, queue)], release)

    def call(
        self, name: str, ask: list[ResourceRequest], release: tuple[ContainerId, ...] = ()
    ) -> list[RMContainer]:
        """An allocate call."""
        taken = self.scheduler.allocate(self.attempts[name], ask, release).containers
        self.context.dispatcher._queue.clear()
        return taken

    def pull(self, name: str) -> list[RMContainer]:
        """Takes delivery; the containers are seen running by the next heartbeat of their nodes."""
        taken = self.call(name, [])
        for container in taken:
            node = self.context.nodes[container.node_id]
            status = ContainerStatus(container_id=container.container_id, state=ContainerState.RUNNING)
            node.launched.append(status)  # type: ignore[attr-defined]
        return taken

    def complete(self, container: RMContainer) -> None:
        """The container ends by itself; its node says so at its next heartbeat."""
        node = self.context.nodes[container.node_id]
        status = ContainerStatus(
            container_id=container.container_id, state=ContainerState.COMPLETE, exit_status=0
        )
        node.completed.append(status)  # type: ignore[attr-defined]

    def finish(self, name: str) -> None:
        """The application ends."""
        attempt_id = self.attempts[name]
        self.scheduler.handle(SchedulerAppAttemptRemoved(attempt_id=attempt_id, final_state="FINISHED"))
        self.scheduler.handle(
            SchedulerAppRemoved(application_id=attempt_id.application_id, final_state="FINISHED")
        )
        self.context.dispatcher._queue.clear()

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
