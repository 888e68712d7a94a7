"""Honest NodeManagers: what they report, once or each time, and how they obey."""

from __future__ import annotations

from yarnbox.sim.nodes import KILLED_AFTER_APP_COMPLETION, KILLED_BY_RESOURCEMANAGER, SimNode
from yarnbox.yarn.enums import ContainerState, NodeAction
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

NODE = NodeId("n1", 1234)


def container_id(app: int, number: int) -> ContainerId:
    return ContainerId.build(ApplicationAttemptId(ApplicationId(0, app), 1), number)


class Tracker:
    """A ResourceTracker that answers what it is told to, and keeps what it was asked."""

    def __init__(self, action: NodeAction = NodeAction.NORMAL) -> None:
        self.action = action
        self.containers_to_cleanup: tuple[ContainerId, ...] = ()
        self.applications_to_cleanup: tuple[ApplicationId, ...] = ()
        self.requests: list[NodeHeartbeatRequest] = []
        self.registrations: list[RegisterNodeManagerRequest] = []

    def register(self, request: RegisterNodeManagerRequest) -> RegisterNodeManagerResponse:
        self.registrations.append(request)
        return RegisterNodeManagerResponse(node_action=NodeAction.NORMAL)

    def heartbeat(self, request: NodeHeartbeatRequest) -> NodeHeartbeatResponse:
        self.requests.append(request)
        assert request.node_status is not None
        return NodeHeartbeatResponse(
            node_action=self.action,
            response_id=(request.node_status.response_id or 0) + 1,
            containers_to_cleanup=self.containers_to_cleanup,
            applications_to_cleanup=self.applications_to_cleanup,
        )

    def reported(self) -> dict[ContainerId, int | None]:
        """The containers of the last report, the ended ones with their status."""
        status = self.requests[-1].node_status
        assert status is not None
        return {
            each.container_id: each.exit_status if each.state is ContainerState.COMPLETE else None
            for each in status.containers_statuses
        }


def registered(tracker: Tracker) -> SimNode:
    node = SimNode(NODE, "/r1", Resource(4096, 8))
    assert node.register(tracker.register) == ""
    return node


def test_a_running_container_is_reported_each_time_and_an_ended_one_once() -> None:
    tracker = Tracker()
    node = registered(tracker)
    node.start(Container(id=container_id(1, 1), resource=Resource(1024, 1)))
    node.start(Container(id=container_id(1, 2), resource=Resource(1024, 1)))
    node.heartbeat(tracker.heartbeat, 0)
    assert tracker.reported() == {container_id(1, 1): None, container_id(1, 2): None}
    assert node.end(container_id(1, 1), 7)
    assert not node.end(container_id(1, 1), 7)
    node.heartbeat(tracker.heartbeat, 1)
    assert tracker.reported() == {container_id(1, 2): None, container_id(1, 1): 7}
    node.heartbeat(tracker.heartbeat, 2)
    assert tracker.reported() == {container_id(1, 2): None}


def test_the_response_id_follows_the_answers() -> None:
    tracker = Tracker()
    node = registered(tracker)
    for now_ms in range(3):
        node.heartbeat(tracker.heartbeat, now_ms)
    assert [each.node_status.response_id for each in tracker.requests if each.node_status] == [0, 1, 2]


def test_what_the_answer_wants_gone_is_killed_and_reported_next() -> None:
    tracker = Tracker()
    node = registered(tracker)
    for app, number in ((1, 1), (1, 2), (2, 1)):
        node.start(Container(id=container_id(app, number)))
    tracker.containers_to_cleanup = (container_id(1, 1), container_id(1, 9))
    tracker.applications_to_cleanup = (ApplicationId(0, 2),)
    node.heartbeat(tracker.heartbeat, 0)
    tracker.containers_to_cleanup, tracker.applications_to_cleanup = (), ()
    node.heartbeat(tracker.heartbeat, 1)
    assert tracker.reported() == {
        container_id(1, 2): None,
        container_id(1, 1): KILLED_BY_RESOURCEMANAGER,
        container_id(2, 1): KILLED_AFTER_APP_COMPLETION,
    }


def test_a_report_of_bad_health_travels_with_the_heartbeat() -> None:
    tracker = Tracker()
    node = registered(tracker)
    node.health_report = "disk failed"
    node.heartbeat(tracker.heartbeat, 5)
    status = tracker.requests[-1].node_status
    assert status is not None
    assert status.node_health_status is not None
    assert status.node_health_status.is_node_healthy is False
    assert status.node_health_status.health_report == "disk failed"


def test_a_node_told_to_resync_registers_again_with_what_runs() -> None:
    tracker = Tracker()
    node = registered(tracker)
    node.start(Container(id=container_id(1, 1), resource=Resource(1024, 1), priority=3))
    tracker.action = NodeAction.RESYNC
    node.heartbeat(tracker.heartbeat, 0)
    assert node.must_resync
    node.register(tracker.register, keep=True)
    (status,) = tracker.registrations[-1].container_statuses
    assert (status.container_id, status.priority) == (container_id(1, 1), 3)
    assert tracker.registrations[-1].running_applications == (ApplicationId(0, 1),)
    assert not node.must_resync


def test_a_node_that_is_shut_down_runs_nothing() -> None:
    tracker = Tracker()
    node = registered(tracker)
    node.start(Container(id=container_id(1, 1)))
    tracker.action = NodeAction.SHUTDOWN
    node.heartbeat(tracker.heartbeat, 0)
    assert not node.is_live
    assert not node.running


def test_a_container_of_another_size_is_reported_with_it() -> None:
    tracker = Tracker()
    node = registered(tracker)
    one, other = container_id(1, 1), container_id(1, 2)
    for each in (one, other):
        node.start(Container(id=each, resource=Resource(1024, 1)))
    node.heartbeat(tracker.heartbeat, 0)
    node.update(Container(id=one, resource=Resource(2048, 2), version=1))
    node.heartbeat(tracker.heartbeat, 1)
    status = tracker.requests[-1].node_status
    assert status is not None
    sizes = {each.container_id: each.capability for each in status.containers_statuses}
    assert list(sizes.items()) == [(one, Resource(2048, 2)), (other, Resource(1024, 1))]
    assert [each.id for each in status.increased_containers] == [one]
