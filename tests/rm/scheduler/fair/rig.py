"""A FairScheduler by itself: its events and calls go in, what it asks of the others is swallowed.

Stands in for the ResourceManager around it: nodes report what the scheduler gave them, clients submit,
AMs ask. Time passes when a test says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from tests.surroundings import Files, Groups, NoTokens, Pages, report, reporting_node
from yarnbox.rm.context import RMContext
from yarnbox.rm.effects import LOGGER, WriteLog
from yarnbox.rm.events.app import AppEvent, AppManagerEvent, AppRejected, AttemptEvent
from yarnbox.rm.events.node import MonitorEvent, NodeEvent, NodesListEvent
from yarnbox.rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerAppRemoved,
    SchedulerEvent,
    SchedulerNodeAdded,
    SchedulerNodeRemoved,
    SchedulerNodeUpdate,
)
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.node import RMNode
from yarnbox.rm.scheduler.base import Allocation
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue
from yarnbox.rm.scheduler.fair.scheduler import FairScheduler
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.event import Event

ALLOCATION_FILE = "fair-scheduler.xml"


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
        self.files = Files({}, {} if allocations is None else {ALLOCATION_FILE: allocations})
        self.context = RMContext(
            settings=RMSettings(),
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self.files,
            groups=Groups(groups, default=lambda user: (user,)),
            tokens=NoTokens(),
            pages=Pages(),
            rack_of=lambda host: "/default-rack",
            random=Random(1),
            start_ms=0,
        )
        self.context.logs_at = lambda logger, level: logger == LOGGER
        self.context.labels = NodeLabelsManager(is_enabled=False)
        self.context.attributes = NodeAttributesManager()
        self.context.constraints = PlacementConstraints(self.context)
        self.scheduler = FairScheduler(self.context)
        self.context.scheduler = self.scheduler
        dispatcher = self.context.dispatcher
        dispatcher.register(SchedulerEvent, self.scheduler.handle, behind=True)
        for family in (AppEvent, AttemptEvent, AppManagerEvent, NodeEvent, NodesListEvent, MonitorEvent):
            dispatcher.register(family, self._note)
        self.nodes: dict[str, RMNode] = {}
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
        node = self.nodes[name] = reporting_node(self.context, NodeId(name, 1234), rack, resource)
        self.context.nodes[node.node_id] = node
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
                    report(node, _status(container.container_id, ContainerState.RUNNING))
            self.handle(SchedulerNodeUpdate(node_id=node.node_id))

    def end(self, container_id: ContainerId, exit_status: int = 0) -> None:
        """The container ends; its node says so at its next heartbeat."""
        for node in self.nodes.values():
            if container_id in self.scheduler.tracker.nodes[node.node_id].containers:
                report(node, _status(container_id, ContainerState.COMPLETE, exit_status))

    # Applications

    def place(self, queue: str, user: str) -> str:
        """Where the rules put a submission."""
        return self.scheduler.place_application(ApplicationSubmissionContext(queue=queue), user)

    def submit(
        self, name: str, queue: str = "default", user: str = "user", am: Resource | None = None
    ) -> ApplicationId:
        """An application, unmanaged unless it is given an AM."""
        self._count += 1
        attempt_id = ApplicationAttemptId(ApplicationId(0, self._count), 1)
        context = ApplicationSubmissionContext(queue=queue, unmanaged_am=am is None, resource=am)
        placed = self.scheduler.place_application(context, user)
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
        self.scheduler.tree.update_steady_shares()
        found = self.scheduler.tree.queue(path)
        assert found is not None
        return found

    def update(self) -> None:
        """One run of the update."""
        self.scheduler.update_shares()
        self.scheduler.check_books()

    def refresh(self, allocations: str) -> None:
        """Another allocation file, read at once."""
        self.files.texts[ALLOCATION_FILE] = allocations
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
        return [effect.name for effect in self.context.effects if isinstance(effect, WriteLog)]


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
