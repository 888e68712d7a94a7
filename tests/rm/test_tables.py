"""The four laws: every arc leads where its table says; every absent pair raises and changes nothing.

Each arc is taken once, from a real entity put into the state, with an event of its type; what the hooks do is
tested where it matters. docs/state-machines.md shows the tables as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.app import RM_APP, RMAppState
from yarnbox.rm.app.entity import AfterSaving as AppAfterSaving
from yarnbox.rm.attempt import RM_APP_ATTEMPT, RMAppAttemptState
from yarnbox.rm.attempt.entity import AfterSaving as AttemptAfterSaving
from yarnbox.rm.container import RM_CONTAINER
from yarnbox.rm.events import app as apps
from yarnbox.rm.events import container as containers
from yarnbox.rm.events import node as nodes
from yarnbox.rm.node import RM_NODE
from yarnbox.rm.state import StoredApp
from yarnbox.rm.tables import TABLES, render
from yarnbox.yarn.enums import ContainerState, FinalApplicationStatus, NodeUpdateType, SignalContainerCommand
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.management import SignalContainerRequest
from yarnbox.yarn.records.tracker import NMContainerStatus, NodeStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.statemachine import InvalidEventError, Table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "state-machines.md"
N1 = NodeId("n1", 1234)


class Scene:
    """A running application with a container, on a node: something of everything."""

    def __init__(self) -> None:
        self.rig = Rig()
        self.rig.add_node("n1")
        self.application_id = self.rig.submit()
        self.rig.run(self.application_id, "n1")
        self.rig.allocate(self.application_id, ask())
        self.rig.heartbeat("n1")
        self.rig.allocate(self.application_id)
        self.app = self.rig.app(self.application_id)
        self.attempt = self.rig.attempt(self.application_id)
        self.node = self.rig.context.nodes[N1]
        live = self.rig.context.scheduler.live_containers(self.attempt.attempt_id)
        self.container = live[-1]

    def entity(self, table: Table[Any]) -> Any:
        """The entity whose law that is."""
        return {
            RM_APP.name: self.app,
            RM_APP_ATTEMPT.name: self.attempt,
            RM_CONTAINER.name: self.container,
            RM_NODE.name: self.node,
        }[table.name]

    def put_into(self, table: Table[Any], state: Any) -> Any:
        """The entity in that state, with what it would remember there."""
        entity = self.entity(table)
        entity.state = state
        if state is RMAppState.FINAL_SAVING:
            entity.after_saving = AppAfterSaving(
                RMAppState.FINISHED, _nothing, apps.AppEvent(application_id=self.application_id)
            )
        if state is RMAppAttemptState.FINAL_SAVING:
            entity.after_saving = AttemptAfterSaving(
                RMAppAttemptState.FINISHED, _nothing, apps.AttemptEvent(attempt_id=self.attempt.attempt_id)
            )
        if state is RMAppState.NEW:
            app = self.app
            app.recovered = StoredApp(
                submission=app.submission,
                user=app.user,
                queue=app.queue,
                am_requests=app.am_requests,
                max_attempts=2,
                app_priority=0,
                submit_ms=0,
                start_ms=0,
            )
            app.attempts.clear()
        return entity


def _nothing(*_: object) -> None:
    """A deferred effect that does nothing."""


def example(event_type: type, scene: Scene) -> Any:
    """An event of that type, about the scene."""
    status = ContainerStatus(
        container_id=scene.container.container_id, state=ContainerState.COMPLETE, exit_status=1
    )
    container = Container(id=scene.container.container_id, node_id=N1, resource=Resource(1024, 1))
    fields: dict[str, Any] = {
        "application_id": scene.application_id,
        "attempt_id": scene.attempt.attempt_id,
        "node_id": N1,
        "container_id": scene.container.container_id,
        "diagnostics": "because",
        "update_type": NodeUpdateType.NODE_USABLE,
        "host": "h",
        "rpc_port": 1,
        "tracking_url": "http://h/",
        "progress": 0.5,
        "final_status": FinalApplicationStatus.SUCCEEDED,
        "status": NodeStatus(node_id=N1) if issubclass(event_type, nodes.NodeEvent) else status,
        "resource_seconds": {},
        "capability": Resource(4096, 4),
        "http_port": 8042,
        "container": container,
        "container_ids": (scene.container.container_id,),
        "request": SignalContainerRequest(
            container_id=scene.container.container_id, command=SignalContainerCommand.GRACEFUL_SHUTDOWN
        ),
        "resource": Resource(1024, 1),
        "request_priority": 1,
        "report": NMContainerStatus(
            container_id=scene.container.container_id, container_state=ContainerState.RUNNING
        ),
        "is_increase": True,
    }
    return event_type(**{name: fields[name] for name in _required(event_type)})


def _required(event_type: Any) -> Iterator[str]:
    for name, field in event_type.__dataclass_fields__.items():
        has_default = field.default.__class__.__name__ != "_MISSING_TYPE"
        if not has_default:
            yield name


ARCS = [
    (table, state, event_type)
    for table in TABLES
    for state, cells in table.rows.items()
    for event_type in cells
]
ABSENT = [
    (table, state, event_type)
    for table in TABLES
    for state, cells in table.rows.items()
    for event_type in table.event_types()
    if event_type not in cells
]


def _name(value: Any) -> str:
    return str(getattr(value, "name", None) or getattr(value, "__name__", value))


@pytest.mark.parametrize("table, state, event_type", ARCS, ids=_name)
def test_each_arc_leads_where_the_table_says(table: Table[Any], state: Any, event_type: type) -> None:
    scene = Scene()
    entity = scene.put_into(table, state)
    scene.rig.context.fire(table, entity, example(event_type, scene))
    targets = table.rows[state][event_type].targets
    assert entity.state in (targets or (state,))
    line = scene.rig.story[-1]
    assert (line.before, line.event, line.after) == (state.name, event_type.__name__, entity.state.name)


@pytest.mark.parametrize("table", TABLES, ids=_name)
def test_every_absent_pair_raises_and_changes_nothing(table: Table[Any]) -> None:
    scene = Scene()
    for _, state, event_type in (pair for pair in ABSENT if pair[0] is table):
        entity = scene.put_into(table, state)
        before = {name: getattr(entity, name) for name in _attributes(entity)}
        posted, effects = scene.rig.context.dispatcher, list(scene.rig.context.effects)
        with pytest.raises(InvalidEventError):
            scene.rig.context.fire(table, entity, example(event_type, scene))
        assert {name: getattr(entity, name) for name in _attributes(entity)} == before
        assert posted.drain() == 0
        assert scene.rig.context.effects == effects


def _attributes(entity: Any) -> list[str]:
    # the second name is what a compiled class has in the place of the first
    return list(getattr(entity, "__slots__", getattr(entity, "__mypyc_attrs__", ()))) or list(vars(entity))


def test_a_lenient_rm_counts_an_invalid_event_and_says_so() -> None:
    scene = Scene()
    context = scene.rig.context
    context.is_strict = False
    context.fire(RM_APP, scene.app, apps.AppStart(application_id=scene.application_id))
    assert scene.app.state is RMAppState.RUNNING
    assert context.invalid_events == 1
    assert [effect for effect in context.effects if getattr(effect, "name", "") == "invalid event"]


def test_the_page_shows_the_tables_as_they_are() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "run `python -m yarnbox.rm.tables > docs/state-machines.md`"
    )


def test_every_event_of_an_entity_is_listed_somewhere() -> None:
    families: dict[Table[Any], Any] = {
        RM_APP: apps.AppEvent,
        RM_APP_ATTEMPT: apps.AttemptEvent,
        RM_CONTAINER: containers.ContainerEvent,
        RM_NODE: nodes.NodeEvent,
    }
    for table, family in families.items():
        known = {event_type.__name__ for event_type in family.__subclasses__()}
        listed = {event_type.__name__ for event_type in table.event_types()}
        assert known == listed, table.name


def test_ids_of_another_attempt_are_no_ids_of_ours() -> None:
    scene = Scene()
    other = ContainerId(ApplicationAttemptId(scene.application_id, 7), 1)
    assert not scene.app.is_am_container(other)
