"""A ResourceManager's core with a virtual clock, honest nodes and honest AMs: what tests of rm/ enter by.

Nodes and AMs are the simulator's; they speak by records and obey. Effects are carried out after every turn,
unless a test holds the state store back to look at what happens meanwhile. Whatever happens is kept as a
story.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, TypeVar

from tests.surroundings import Files, Groups, Pages, Tokens
from yarnbox.rm.app import RMApp
from yarnbox.rm.attempt import RMAppAttempt
from yarnbox.rm.core import Core
from yarnbox.rm.effects import (
    AppendRecord,
    Effect,
    LaunchContainer,
    SetEntryAside,
    StopContainer,
    StoreState,
    WriteLog,
)
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.settings import RMSettings
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.nodes import SimNode
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetNewApplicationRequest,
    KillApplicationRequest,
    KillApplicationResponse,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
    UpdateContainerRequest,
)
from yarnbox.yarn.records.request import ResourceBlacklistRequest, ResourceRequest, SchedulingRequest
from yarnbox.yarn.records.tracker import NodeHeartbeatResponse
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import VirtualClock
from yarnbox.yarn.runtime.story import Line
from yarnbox.yarn.settings import read

T = TypeVar("T")

FIFO = {"yarn.resourcemanager.scheduler.class": "fifo"}
PORT = 1234
KILLED_BY_APPMASTER = -105


class Rig:
    """One RM and its little world."""

    def __init__(
        self,
        properties: Mapping[str, str] | None = None,
        *,
        start_ms: int = 0,
        stored: Mapping[tuple[str, ...], Any] | None = None,
        journals: Mapping[str, list[Mapping[str, Any]]] | None = None,
        epoch: int = 0,
        checks_books: bool | None = None,
    ) -> None:
        properties = {**FIFO, **(properties or {})}
        configuration = Configuration.of(properties)
        self.clock = VirtualClock(start_ms)
        self.files = Files(properties)
        self.groups = Groups()
        self.tokens = Tokens()
        self.racks: dict[str, str] = {}
        self.core = Core(
            settings=read(RMSettings, configuration),
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self.files,
            groups=self.groups,
            tokens=self.tokens,
            pages=Pages(),
            rack_of=lambda host: self.racks.get(host, "/default-rack"),
            random=Random(7),
            clock=self.clock,
            start_ms=start_ms,
            epoch=epoch,
            checks_books=checks_books,
        )
        self.context = self.core.context
        self.story: list[Line] = []
        self.context.story.listeners.append(self.story.append)
        self.nodes: dict[str, SimNode] = {}
        self.masters: dict[ApplicationId, SimMaster] = {}
        self.stored = dict(stored or {})
        self.set_aside: dict[tuple[str, ...], Any] = {}
        self.journals = {name: list(records) for name, records in (journals or {}).items()}
        """The records of each journal, in the order in which they were kept."""
        self.holds_store = False
        """Whether the state store keeps its answers to itself."""
        self.unanswered: list[StoreState] = []
        self.starts_masters = True
        self.unstarted: list[LaunchContainer] = []
        self.turn(lambda: self.core.start(self.stored, self.journals))

    # Turns

    def turn(self, call: Callable[[], T]) -> T:
        """One turn and all that it wants done."""
        try:
            return self.core.turn(call)
        finally:
            self.perform_effects()

    def perform_effects(self) -> None:
        """Carries out effects until there are none."""
        while effects := self.core.take_effects():
            for effect in effects:
                self._perform(effect)

    def advance(self, ms: int) -> None:
        """Time passes; every timer due on the way happens at its moment."""
        end_ms = self.clock.now_ms() + ms
        while (due_ms := self.core.next_due_ms()) is not None and due_ms <= end_ms:
            self.clock.move_to(max(due_ms, self.clock.now_ms()))
            self.core.advance()
            self.perform_effects()
        self.clock.move_to(end_ms)

    def release_store(self) -> None:
        """The state store answers everything that it was given."""
        self.holds_store = False
        orders, self.unanswered = self.unanswered, []
        for order in orders:
            self._perform(order)
        self.perform_effects()

    def _perform(self, effect: Effect) -> None:
        match effect:
            case StoreState():
                if self.holds_store:
                    self.unanswered.append(effect)
                    return
                self.stored[effect.key] = effect.value
                if effect.value is None:
                    del self.stored[effect.key]
                if effect.acknowledgement is not None:
                    self.core.stored(effect.acknowledgement)
            case LaunchContainer():
                if not self.starts_masters:
                    self.unstarted.append(effect)
                    return
                self.node(effect.node_id).start(effect.container)
                self.core.am_launched(effect.attempt_id)
            case StopContainer():
                self.node(effect.node_id).end(effect.container_id, KILLED_BY_APPMASTER)
            case AppendRecord():
                self.journals.setdefault(effect.journal, []).append(effect.record)
            case SetEntryAside():
                self.set_aside[effect.key] = self.stored.pop(effect.key)
            case _:
                assert isinstance(effect, WriteLog) or type(effect).__name__ == "ApplicationForgotten"

    # Nodes

    def node(self, node_id: NodeId) -> SimNode:
        """The node of that id."""
        return next(node for node in self.nodes.values() if node.node_id == node_id)

    def add_node(self, name: str, memory_mb: int = 8192, vcores: int = 8, *, keep: bool = False) -> str:
        """A node registers; why it may not, or nothing."""
        node = self.nodes.get(name)
        if node is None:
            rack = self.racks.get(name, "/default-rack")
            self.nodes[name] = node = SimNode(NodeId(name, PORT), rack, Resource(memory_mb, vcores))
        node.resource = Resource(memory_mb, vcores)
        registering = node
        return self.turn(
            lambda: registering.register(
                lambda request: self.core.tracker.register_node_manager(request, Caller()), keep=keep
            )
        )

    def heartbeat(self, *names: str) -> NodeHeartbeatResponse:
        """Each node heartbeats; the last answer."""
        answers = [self._heartbeat(self.nodes[name]) for name in names]
        return answers[-1]

    def _heartbeat(self, node: SimNode) -> NodeHeartbeatResponse:
        return self.turn(
            lambda: node.heartbeat(
                lambda request: self.core.tracker.node_heartbeat(request, Caller()), self.clock.now_ms()
            )
        )

    # Applications

    def new_id(self, user: str = "user") -> ApplicationId:
        """A fresh application id."""
        answer = self.turn(
            lambda: self.core.client.get_new_application(GetNewApplicationRequest(), Caller(user=user))
        )
        assert answer.application_id is not None
        return answer.application_id

    def submit(self, *, user: str = "user", memory_mb: int = 1024, **fields: Any) -> ApplicationId:
        """A user submits an application; `fields` are those of the submission context."""
        application_id = fields.pop("application_id", None) or self.new_id(user)
        fields.setdefault("am_container_spec", ContainerLaunchContext())
        if not fields.get("unmanaged_am"):
            fields.setdefault("resource", Resource(memory_mb, 1))
        context = ApplicationSubmissionContext(application_id=application_id, **fields)
        request = SubmitApplicationRequest(application_submission_context=context)
        self.turn(lambda: self.core.client.submit_application(request, Caller(user=user)))
        self.masters[application_id] = SimMaster(application_id, is_managed=not context.unmanaged_am)
        return application_id

    def kill(
        self, application_id: ApplicationId, user: str = "user", **fields: Any
    ) -> KillApplicationResponse:
        """A user kills an application."""
        request = KillApplicationRequest(application_id=application_id, **fields)
        return self.turn(lambda: self.core.client.force_kill_application(request, Caller(user=user)))

    def app(self, application_id: ApplicationId) -> RMApp:
        """The application."""
        return self.context.apps[application_id]

    def attempt(self, application_id: ApplicationId) -> RMAppAttempt:
        """Its current attempt."""
        attempt = self.app(application_id).current
        assert attempt is not None
        return attempt

    def run(self, application_id: ApplicationId, node: str) -> None:
        """Its AM gets its container on that node, starts and registers."""
        self.heartbeat(node)
        self.register(application_id)
        self.heartbeat(node)

    # AMs

    def caller(self, application_id: ApplicationId) -> Caller:
        """Its current AM."""
        return Caller(user=self.app(application_id).user, attempt_id=self.attempt(application_id).attempt_id)

    def register(self, application_id: ApplicationId, **fields: Any) -> RegisterApplicationMasterResponse:
        """Its current AM registers."""
        fields = {"host": "am-host", "rpc_port": 4000, "tracking_url": "http://am:1/", **fields}
        request = RegisterApplicationMasterRequest(**fields)
        caller = self.caller(application_id)
        answer = self.turn(lambda: self.core.master.register_application_master(request, caller))
        self.masters[application_id].registered(self.attempt(application_id).attempt_id)
        return answer

    def allocate(
        self,
        application_id: ApplicationId,
        *ask: ResourceRequest,
        release: tuple[ContainerId, ...] = (),
        blacklist: tuple[str, ...] = (),
        updates: tuple[UpdateContainerRequest, ...] = (),
        scheduling: tuple[SchedulingRequest, ...] = (),
    ) -> AllocateResponse:
        """Its AM's heartbeat; what it is given it starts at once."""
        master, caller = self.masters[application_id], self.caller(application_id)
        request = AllocateRequest(
            ask=ask,
            release=release,
            blacklist_request=ResourceBlacklistRequest(blacklist_additions=blacklist) if blacklist else None,
            response_id=master.response_id,
            progress=0.5,
            update_requests=updates,
            scheduling_requests=scheduling,
        )
        answer = self.turn(lambda: self.core.master.allocate(request, caller))
        assert answer.response_id is not None
        master.response_id = answer.response_id
        for container in answer.allocated_containers:
            self._start(container)
        return answer

    def _start(self, container: Container) -> None:
        assert container.node_id is not None
        node = self.node(container.node_id)
        if node.is_live:
            node.start(container)

    def finish(
        self,
        application_id: ApplicationId,
        status: FinalApplicationStatus = FinalApplicationStatus.SUCCEEDED,
        diagnostics: str = "",
    ) -> bool:
        """Its AM unregisters; whether it may exit."""
        request = FinishApplicationMasterRequest(
            final_application_status=status, diagnostics=diagnostics, tracking_url="http://history/"
        )
        caller = self.caller(application_id)
        return self.turn(lambda: self.core.master.finish_application_master(request, caller)).is_unregistered

    def end_am(self, application_id: ApplicationId, exit_status: int = 0) -> None:
        """Its AM's process ends; the node says so at its next heartbeat."""
        container = self.attempt(application_id).master_container
        assert container is not None
        assert container.id is not None
        assert container.node_id is not None
        assert self.node(container.node_id).end(container.id, exit_status)

    # What happened

    def states(self, kind: str, subject: object) -> list[str]:
        """The states that an entity has been through, its first one not told."""
        path = [line.after for line in self.story if line.kind == kind and line.subject == subject]
        return [state for index, state in enumerate(path) if index == 0 or path[index - 1] != state]


def ask(memory_mb: int = 1024, count: int = 1, place: str = "*", priority: int = 1) -> ResourceRequest:
    """A request."""
    return ResourceRequest(
        priority=priority, resource_name=place, capability=Resource(memory_mb, 1), num_containers=count
    )
