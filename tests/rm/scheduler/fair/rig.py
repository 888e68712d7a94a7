"""A FairScheduler by itself: its events and calls go in, what it asks of the others is swallowed.

Stands in for the ResourceManager around it: nodes report what the scheduler gave them, clients submit,
AMs ask. Time passes when a test says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from rm.container import RMContainer
from rm.context import RMContext
from rm.effects import KeepLog
from rm.events.app import AppEvent, AppManagerEvent, AppRejected, AttemptEvent
from rm.events.node import MonitorEvent, NodeEvent, NodesListEvent
from rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerEvent,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeUpdate,
)
from rm.labels import NodeLabelsManager
from rm.labels.attributes import NodeAttributesManager
from rm.scheduler.base import Allocation
from rm.scheduler.constraint import PlacementConstraints
from rm.scheduler.fair.application import FSAppAttempt
from rm.scheduler.fair.queue import FairQueue
from rm.scheduler.fair.scheduler import FairScheduler
from rm.settings import RMSettings
from yarn.configuration import Configuration
from yarn.dispatcher import Event
from yarn.enums import ContainerState
from yarn.errors import YarnError
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.container import Container, ContainerStatus
from yarn.records.request import ResourceRequest
from yarn.records.tokens import Token
from yarn.records.tracker import NMContainerStatus
from yarn.resource import Resource
from yarn.resource_types import ResourceTypeRegistry

ALLOCATION_FILE = "fair-scheduler.xml"


class Files:
    """The configuration directory: one allocation file at most."""

    def __init__(self, allocations: str | None) -> None:
        self.allocations = allocations
        self.written_ms = 0

    def load(self, *file_names: str) -> Configuration:
        """Nothing but defaults."""
        return Configuration.of({})

    def read_text(self, file_name: str) -> str | None:
        """The allocation file."""
        return self.allocations if file_name == ALLOCATION_FILE else None

    def modified_ms(self, file_name: str) -> int | None:
        """When it was written."""
        return self.written_ms if self.allocations is not None else None


class Groups:
    """Who is in which groups."""

    def __init__(self, groups: Mapping[str, Sequence[str]]) -> None:
        self._groups = groups

    def groups_of(self, user: str) -> tuple[str, ...]:
        """As the test says; each user has a group of his name otherwise."""
        return tuple(self._groups.get(user, (user,)))


class NoTokens:
    """Nobody checks tokens here."""

    def container_token(self, container: RMContainer, user: str, now_ms: int) -> Token | None:
        """None."""
        return None

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        """None."""
        return None

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        """None."""
        return None

    def new_client_key(self) -> bytes | None:
        """None."""
        return None

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """There are none."""

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """None."""
        return None

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """There are none."""

    def forget_node(self, node_id: NodeId) -> None:
        """There are none."""

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """There are none."""

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """There are none."""


class NoPages:
    """There are no pages."""

    def application(self, application_id: ApplicationId) -> str:
        """Nowhere."""
        return ""

    def proxy(self, application_id: ApplicationId) -> str:
        """Nowhere."""
        return ""

    def node(self, address: str) -> str:
        """Where a node says that its pages are."""
        return address


class Node:
    """As much of an RMNode as a scheduler looks at."""

    def __init__(self, node_id: NodeId, rack: str, capability: Resource) -> None:
        self.node_id = node_id
        self.rack = rack
        self.capability = capability
        self.http_address = ""
        self.is_decommissioning = False
        self.launched: list[ContainerStatus] = []
        self.completed: list[ContainerStatus] = []

    def take_increased(self) -> list[Container]:
        """No container grows here."""
        return []

    def take_container_updates(self) -> tuple[list[ContainerStatus], list[ContainerStatus]]:
        """What the node reported."""
        launched, self.launched = self.launched, []
        completed, self.completed = self.completed, []
        return launched, completed


class Rig:
    """A cluster of nodes, applications by the names that the test gives them."""

    def __init__(
        self,
        allocations: str | None = None,
        conf: Mapping[str, object] | None = None,
        groups: Mapping[str, Sequence[str]] | None = None,
        *,
        checks_books: bool = True,
    ) -> None:
        configuration = Configuration.of({key: _text(value) for key, value in (conf or {}).items()})
        self.checks_books = checks_books
        self.files = Files(allocations)
        self.context = RMContext(
            settings=RMSettings(),
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self.files,
            groups=Groups(groups or {}),
            tokens=NoTokens(),
            pages=NoPages(),
            rack_of=lambda host: "/default-rack",
            random=Random(1),
            start_ms=0,
        )
        self.context.labels = NodeLabelsManager(is_enabled=False)
        self.context.attributes = NodeAttributesManager()
        self.context.constraints = PlacementConstraints(self.context)
        self.scheduler = FairScheduler(self.context)
        self.context.scheduler = self.scheduler
        dispatcher = self.context.dispatcher
        dispatcher.register(SchedulerEvent, self.scheduler.handle, behind=True)
        for family in (AppEvent, AttemptEvent, AppManagerEvent, NodeEvent, NodesListEvent, MonitorEvent):
            dispatcher.register(family, self._note)
        self.nodes: dict[str, Node] = {}
        self.attempts: dict[str, ApplicationAttemptId] = {}
        self.rejected: dict[ApplicationId, str] = {}
        self._count = 0

    def _note(self, event: Event) -> None:
        if isinstance(event, AppRejected):
            self.rejected[event.application_id] = event.diagnostics

    def handle(self, event: SchedulerEvent) -> None:
        """One event, and all that it causes."""
        self.context.post(event)
        self.context.dispatcher.drain()
        if self.checks_books:
            self.scheduler.check_books()

    # Nodes

    def add_node(
        self,
        name: str,
        memory_mb: int,
        vcores: int = 8,
        rack: str = "/default-rack",
        reports: tuple[NMContainerStatus, ...] = (),
        **others: int,
    ) -> None:
        """A node registers, with the containers that it reports after a restart."""
        resource = Resource.of({"memory-mb": memory_mb, "vcores": vcores, **others})
        node = self.nodes[name] = Node(NodeId(name, 1234), rack, resource)
        self.context.nodes[node.node_id] = node  # type: ignore[assignment]
        self.handle(SchedulerNodeAdded(node_id=node.node_id, container_statuses=reports))

    def remove_node(self, name: str) -> None:
        """A node is gone."""
        node = self.nodes.pop(name)
        self.handle(SchedulerNodeRemoved(node_id=node.node_id))
        del self.context.nodes[node.node_id]

    def heartbeat(self, name: str, times: int = 1) -> None:
        """The node reports what its AMs have started, and what was taken from it."""
        node = self.nodes[name]
        for _ in range(times):
            books = self.scheduler.tracker.nodes[node.node_id]
            for container in list(books.containers.values()):
                if container.is_finished:
                    self.end(container.container_id)
                elif container.state.name == "ACQUIRED":
                    node.launched.append(_status(container.container_id, ContainerState.RUNNING))
            self.handle(SchedulerNodeUpdate(node_id=node.node_id))

    def end(self, container_id: ContainerId, exit_status: int = 0) -> None:
        """The container ends; its node says so at its next heartbeat."""
        for node in self.nodes.values():
            if container_id in self.scheduler.tracker.nodes[node.node_id].containers:
                node.completed.append(_status(container_id, ContainerState.COMPLETE, exit_status))

    # Applications

    def place(self, queue: str, user: str) -> str:
        """Where the rules put a submission."""
        return self.scheduler.place(ApplicationSubmissionContext(queue=queue), user)

    def submit(
        self, name: str, queue: str = "default", user: str = "user", am: Resource | None = None
    ) -> ApplicationId:
        """An application, unmanaged unless it is given an AM."""
        self._count += 1
        attempt_id = ApplicationAttemptId(ApplicationId(0, self._count), 1)
        context = ApplicationSubmissionContext(queue=queue, unmanaged_am=am is None, resource=am)
        placed = self.scheduler.place(context, user)
        self.handle(
            SchedulerAppAdded(
                application_id=attempt_id.application_id, queue=placed, user=user, context=context
            )
        )
        if attempt_id.application_id in self.rejected:
            return attempt_id.application_id
        self.attempts[name] = attempt_id
        self.handle(SchedulerAppAttemptAdded(attempt_id=attempt_id))
        if am is not None:
            self.ask(name, 1, am, request_priority=0)
        return attempt_id.application_id

    def app(self, name: str) -> FSAppAttempt:
        """The scheduler's own of an application."""
        attempt = self.scheduler.attempt(self.attempts[name])
        assert attempt is not None
        return attempt

    def ask(
        self,
        name: str,
        count: int,
        resource: Resource,
        request_priority: int = 1,
        at: str = "*",
        relax: bool = True,
    ) -> Allocation:
        """One request of the AM, normalized as the RM's services do it."""
        request = ResourceRequest(
            priority=request_priority,
            resource_name=at,
            capability=resource,
            num_containers=count,
            relax_locality=relax,
        )
        return self.call(name, [request])

    def call(
        self,
        name: str,
        ask: Sequence[ResourceRequest] = (),
        blacklist_additions: Sequence[str] = (),
        blacklist_removals: Sequence[str] = (),
    ) -> Allocation:
        """An allocate call."""
        queue = self.app(name).leaf.path
        normal = [self.scheduler.normalize(request, queue) for request in ask]
        allocation = self.scheduler.allocate(
            self.attempts[name], normal, (), blacklist_additions, blacklist_removals
        )
        self.context.dispatcher.drain()
        return allocation

    def finish(self, name: str) -> None:
        """The application ends."""
        attempt_id = self.attempts.pop(name)
        self.handle(SchedulerAppAttemptRemoved(attempt_id=attempt_id, final_state="FINISHED"))
        self.handle(SchedulerAppRemoved(application_id=attempt_id.application_id, final_state="FINISHED"))

    def move(self, name: str, queue: str) -> str:
        """The application goes to another queue."""
        path = self.scheduler.move_application(self.attempts[name].application_id, queue)
        self.scheduler.check_books()
        return path

    def containers(self, name: str) -> int:
        """How many live containers an application has."""
        return len(self.app(name).live) if name in self.attempts else 0

    # Queues and time

    def queue(self, path: str) -> FairQueue:
        """A queue that there is, as somebody sees it who looks."""
        self.scheduler.settle_steadily()
        found = self.scheduler.tree.queue(path)
        assert found is not None
        return found

    def update(self) -> None:
        """One run of the update."""
        self.scheduler.update_shares()
        self.scheduler.check_books()

    def refresh(self, allocations: str) -> None:
        """Another allocation file, read at once."""
        self.files.allocations = allocations
        self.scheduler.refresh()

    def advance(self, span_ms: int) -> None:
        """Time passes; timers fire in order, those due at the end included."""
        context = self.context
        end_ms = context.now_ms + span_ms
        while (due_ms := context.timers.next_due_ms()) is not None and due_ms <= end_ms:
            context.now_ms = max(context.now_ms, due_ms)
            event = context.timers.pop_due(due_ms)
            assert event is not None
            context.post(event)
            context.dispatcher.drain()
        context.now_ms = end_ms

    def logged(self) -> list[str]:
        """The names of the log lines so far."""
        return [effect.name for effect in self.context.effects if isinstance(effect, KeepLog)]


def refusal_of(rig: Rig, name: str, queue: str) -> str:
    """Why a move is refused; empty when it is not."""
    try:
        rig.move(name, queue)
    except YarnError as error:
        return error.message
    return ""


def _status(container_id: ContainerId, state: ContainerState, exit_status: int = 0) -> ContainerStatus:
    return ContainerStatus(container_id=container_id, state=state, diagnostics="", exit_status=exit_status)


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
