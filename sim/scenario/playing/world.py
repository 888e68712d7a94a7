"""The world of one scenario: the ResourceManager, and nodes, applications and containers by name.

Containers get their names in the order in which they are allocated, application by application; `a1/0` is the
container of the current AM. An ended container keeps its name and its last state.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from yarnbox.rm.container import RMContainer
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.scenario.playing.waiting import Waiting
from yarnbox.sim.scenario.reading.names import ContainerName
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import (
    ApplicationAttemptId,
    ApplicationId,
    ContainerId,
    NodeId,
    ReservationId,
)
from yarnbox.yarn.records.request import PlacementConstraintMapEntry
from yarnbox.yarn.runtime.story import Line


class StepRefusedError(YarnError):
    """What the step wants cannot be done by the nodes and AMs of the scenario."""


@dataclass(slots=True)
class App:
    """An application of the file, and its AM."""

    name: str
    application_id: ApplicationId
    user: str
    is_managed: bool
    master: SimMaster
    constraints: tuple[PlacementConstraintMapEntry, ...] = ()
    """What its AM registers with."""
    task_ms: int | None = None
    """How long its containers run; None: until a step ends them."""
    containers: list[RMContainer] = field(default_factory=list)
    """In the order in which they were allocated, AM containers left out."""
    am_containers: list[RMContainer] = field(default_factory=list)
    """Those of its AMs, one for each attempt that got one."""
    waiting: Waiting = field(default_factory=Waiting)
    """What its AM waits for."""
    tasks: dict[ContainerId, tuple[int, SimNode]] = field(default_factory=dict)
    """When and where its containers end by themselves, if it has a time for them."""

    @property
    def am_container(self) -> RMContainer | None:
        """That of the current AM, or of the last one."""
        return self.am_containers[-1] if self.am_containers else None


@dataclass(frozen=True, slots=True)
class Booking:
    """A plan reservation of the file, once it was accepted."""

    reservation_id: ReservationId
    queue: str
    owner: str


class World:
    """What the names of a scenario stand for."""

    def __init__(self, rm: SimulatedRM) -> None:
        self.rm = rm
        self.nodes: dict[str, SimNode] = {}
        self.apps: dict[str, App] = {}
        self.reservations: dict[str, Booking] = {}
        self._app_of: dict[ApplicationId, App] = {}
        self._container_names: dict[ContainerId, ContainerName] = {}
        self._out_of_sync: dict[ApplicationAttemptId, None] = {}
        """AMs that registered with an earlier ResourceManager, and have not called this one."""
        rm.context.story.listeners.append(self._record_allocated)

    def restart_rm(self, down_ms: int) -> None:
        """Another ResourceManager begins after that time."""
        for app in self.apps.values():
            if app.master.attempt_id is not None:
                self._out_of_sync[app.master.attempt_id] = None
        self.rm.restart(down_ms)

    def is_out_of_sync(self, app: App) -> bool:
        """Whether its AM registered with an earlier ResourceManager, and has not called this one."""
        return app.master.attempt_id in self._out_of_sync

    def synchronized(self, app: App) -> None:
        """Its AM has called the present ResourceManager."""
        if app.master.attempt_id is not None:
            self._out_of_sync.pop(app.master.attempt_id, None)

    def take_recovered(self) -> None:
        """A node has registered, maybe with containers that an earlier ResourceManager allocated: from now on
        their names mean what the present one has recovered.
        """
        scheduler = self.rm.context.scheduler
        for app in self.apps.values():
            for containers in (app.containers, app.am_containers):
                for index, old in enumerate(containers):
                    containers[index] = scheduler.container(old.container_id) or old

    def take_app(self, app: App) -> None:
        """An application that is being submitted; from now on its containers get names."""
        self.apps[app.name] = app
        self._app_of[app.application_id] = app

    def drop_app(self, app: App) -> None:
        """Its submission was refused: there is no such application."""
        del self.apps[app.name]
        del self._app_of[app.application_id]

    def app(self, name: str) -> App:
        """The application; refused where its submission was."""
        if name not in self.apps:
            raise StepRefusedError(f"there is no application {name}: its submission was refused")
        return self.apps[name]

    def take_node(self, name: str, node: SimNode) -> None:
        """A node that is about to register."""
        self.nodes[name] = node
        self.rm.nodes[node.node_id] = node

    def node(self, name: str) -> SimNode:
        """The node, registered or not."""
        return self.nodes[name]

    def live_node(self, name: str) -> SimNode:
        """The node; refused where its NodeManager is gone."""
        node = self.nodes[name]
        if not node.is_live:
            raise StepRefusedError(f"the NodeManager of {name} is gone")
        return node

    def reservation(self, name: str) -> Booking:
        """The plan reservation; refused where it was."""
        if name not in self.reservations:
            raise StepRefusedError(f"there is no reservation {name}: it was refused")
        return self.reservations[name]

    def node_by_id(self, node_id: NodeId) -> SimNode | None:
        """The node of that id."""
        return self.nodes.get(str(node_id))

    def find_container(self, name: ContainerName) -> RMContainer | None:
        """The container; None where there has been none of that name."""
        app = self.apps.get(name.app)
        if app is None:
            return None
        if name.number == 0:
            return app.am_container
        return app.containers[name.number - 1] if name.number <= len(app.containers) else None

    def container(self, name: ContainerName) -> RMContainer:
        """The container; refused where there has been none of that name."""
        container = self.find_container(name)
        if container is None:
            raise StepRefusedError(f"there is no container {name}")
        return container

    def container_name(self, container_id: ContainerId) -> str:
        """The file's name of the container, or its id where it has none."""
        name = self._container_names.get(container_id)
        return str(container_id) if name is None else str(name)

    def name_of(self, subject: object) -> str | None:
        """The file's name of whatever the story tells of."""
        if isinstance(subject, ContainerId):
            return self.container_name(subject) if subject in self._container_names else None
        if isinstance(subject, ApplicationId):
            app = self._app_of.get(subject)
            return app.name if app else None
        if isinstance(subject, ReservationId):
            booked = (name for name, one in self.reservations.items() if one.reservation_id == subject)
            return next(booked, None)
        return None

    def _record_allocated(self, line: Line) -> None:
        """Names a container when it leaves the states in which nobody has been given it."""
        if line.kind != "RMContainer" or line.subject in self._container_names:
            return
        if line.after not in ("ALLOCATED", "ACQUIRED"):
            return
        container = self.rm.context.scheduler.container(line.subject)
        app = self._app_of.get(line.subject.application_id)
        if container is None or app is None:
            return
        if container.is_am:
            app.am_containers.append(container)
            self._container_names[line.subject] = ContainerName(app.name, 0)
        else:
            app.containers.append(container)
            self._container_names[line.subject] = ContainerName(app.name, len(app.containers))
