"""Containers that change while they run: what is refused, waits, is in force, is taken back."""

from __future__ import annotations

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.container import RMContainer
from yarnbox.yarn.enums import ContainerUpdateType, ExecutionType
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.master import UpdateContainerRequest
from yarnbox.yarn.records.tracker import NodeHeartbeatResponse
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.java_order import container_hash, in_hash_order

QUEUES = {
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
}
INCREASE, DECREASE = ContainerUpdateType.INCREASE_RESOURCE, ContainerUpdateType.DECREASE_RESOURCE


class Scene:
    """A running container of 2 GiB on a node of 8."""

    def __init__(self, scheduler: str = "capacity") -> None:
        expiry = {"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "30000"}
        self.rig = Rig({**QUEUES, **expiry, "yarn.resourcemanager.scheduler.class": scheduler})
        self.rig.add_node("n1")
        self.application_id: ApplicationId = self.rig.submit(unmanaged_am=True)
        self.rig.register(self.application_id)
        self.rig.allocate(self.application_id, ask(2048))
        self.heartbeat()
        self.rig.allocate(self.application_id)
        self.heartbeat()

    def heartbeat(self) -> NodeHeartbeatResponse:
        return self.rig.heartbeat("n1")

    @property
    def container(self) -> RMContainer:
        attempt_id = self.rig.attempt(self.application_id).attempt_id
        (container,) = self.rig.context.scheduler.live_containers(attempt_id)
        return container

    def container_sizes(self) -> list[int]:
        attempt_id = self.rig.attempt(self.application_id).attempt_id
        live = self.rig.context.scheduler.live_containers(attempt_id)
        return [container.resource.memory_mb for container in live]

    def request(
        self, kind: ContainerUpdateType, memory_mb: int, version: int | None = None
    ) -> UpdateContainerRequest:
        return UpdateContainerRequest(
            container_version=self.container.version if version is None else version,
            container_id=self.container.container_id,
            update_type=kind,
            capability=Resource(memory_mb, 1),
        )

    def used(self) -> int:
        attempt = self.rig.context.scheduler.applications[self.application_id].attempt
        assert attempt is not None
        node = next(iter(self.rig.context.scheduler.tracker.nodes.values()))
        assert node.allocated.memory_mb == attempt.usage.used().memory_mb
        used: Resource = attempt.usage.used()
        return used.memory_mb


@pytest.mark.parametrize(
    "kind, memory_mb, version, reason",
    [
        (INCREASE, 3072, 7, "INCORRECT_CONTAINER_VERSION_ERROR"),
        (INCREASE, 99_999, None, "RESOURCE_OUTSIDE_ALLOWED_RANGE"),
        (INCREASE, -1, None, "RESOURCE_OUTSIDE_ALLOWED_RANGE"),
        (DECREASE, 4096, None, "RESOURCE_OUTSIDE_ALLOWED_RANGE"),
    ],
)
def test_what_is_refused(kind: ContainerUpdateType, memory_mb: int, version: int | None, reason: str) -> None:
    scene = Scene()
    answer = scene.rig.allocate(scene.application_id, updates=(scene.request(kind, memory_mb, version),))
    (error,) = answer.update_errors
    assert (error.reason, error.current_container_version) == (reason, 0)
    assert scene.container.resource == Resource(2048, 1)


def test_a_growth_by_nothing_takes_the_place_of_one_that_waits() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 4096),))
    assert not scene.rig.allocate(
        scene.application_id, updates=(scene.request(INCREASE, 1024),)
    ).update_errors
    scene.heartbeat()
    assert not scene.rig.allocate(scene.application_id).updated_containers
    assert scene.container_sizes() == [2048]


def test_a_container_that_is_not_there() -> None:
    scene = Scene()
    request = scene.request(DECREASE, 1024)
    scene.rig.nodes["n1"].end(scene.container.container_id, 0)
    scene.heartbeat()
    (error,) = scene.rig.allocate(scene.application_id, updates=(request,)).update_errors
    assert (error.reason, error.current_container_version) == ("INVALID_CONTAINER_ID", -1)


def test_two_updates_of_one_container_in_one_call() -> None:
    scene = Scene()
    twice = (scene.request(INCREASE, 4096), scene.request(INCREASE, 5120))
    answer = scene.rig.allocate(scene.application_id, updates=twice)
    assert [error.reason for error in answer.update_errors] == ["UPDATE_OUTSTANDING_ERROR"]


def test_another_size_takes_the_place_of_the_one_that_waits() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 4096),))
    answer = scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 6144),))
    assert not answer.update_errors
    scene.heartbeat()
    (updated,) = scene.rig.allocate(scene.application_id).updated_containers
    assert updated.container.resource == Resource(6144, 1)
    assert scene.used() == 6144


def test_sizes_are_rounded_as_those_of_requests() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(DECREASE, 256),))
    assert scene.container.resource == Resource(1024, 1)


def test_a_decrease_is_in_force_at_once() -> None:
    scene = Scene()
    answer = scene.rig.allocate(scene.application_id, updates=(scene.request(DECREASE, 1024),))
    assert scene.used() == 1024
    (updated,) = answer.updated_containers
    assert (updated.update_type, updated.container.resource, updated.container.version) == (
        DECREASE,
        Resource(1024, 1),
        1,
    )
    told = scene.heartbeat()
    assert [one.id for one in told.containers_to_update] == [scene.container.container_id]
    assert told.containers_to_decrease == told.containers_to_update


def test_a_node_hears_of_its_containers_in_javas_order() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, ask(2048, count=2))
    scene.heartbeat()
    scene.rig.allocate(scene.application_id)
    scene.heartbeat()
    attempt_id = scene.rig.attempt(scene.application_id).attempt_id
    live = [each.container_id for each in scene.rig.context.scheduler.live_containers(attempt_id)]
    decreases = [
        UpdateContainerRequest(
            container_version=0, container_id=each, update_type=DECREASE, capability=Resource(1024, 1)
        )
        for each in reversed(live)
    ]
    scene.rig.allocate(scene.application_id, updates=tuple(decreases))
    told = scene.heartbeat()
    assert [one.id for one in told.containers_to_update] == in_hash_order(live, container_hash)
    assert told.containers_to_decrease == told.containers_to_update
    assert [one.id for one in told.containers_to_update] == live


def test_an_increase_waits_for_its_node_and_for_its_am() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 5120),))
    scene.rig.add_node("n2")
    scene.rig.heartbeat("n2")
    assert scene.used() == 2048
    scene.heartbeat()
    assert scene.container_sizes() == [2048, 3072]
    answer = scene.rig.allocate(scene.application_id)
    assert not answer.allocated_containers
    (updated,) = answer.updated_containers
    assert (updated.update_type, updated.container.resource, updated.container.version) == (
        INCREASE,
        Resource(5120, 1),
        1,
    )
    assert scene.used() == 5120
    assert not scene.rig.allocate(scene.application_id).completed_container_statuses


def test_an_increase_that_is_not_passed_on_is_taken_back() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 5120),))
    scene.heartbeat()
    scene.rig.allocate(scene.application_id)
    for _ in range(5):
        scene.rig.advance(10_000)
        scene.heartbeat()
    assert scene.used() == 2048
    assert scene.container.version == 2


def test_an_increase_that_its_node_confirms_stays() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 5120),))
    scene.heartbeat()
    (updated,) = scene.rig.allocate(scene.application_id).updated_containers
    scene.rig.context.nodes[scene.container.node_id].handle_increased_containers((updated.container,))
    for _ in range(5):
        scene.rig.advance(10_000)
        scene.heartbeat()
    assert scene.used() == 5120


def test_what_a_container_that_ended_was_to_grow_by_is_given_and_taken_back() -> None:
    scene = Scene()
    scene.rig.allocate(scene.application_id, updates=(scene.request(INCREASE, 5120),))
    scene.rig.nodes["n1"].end(scene.container.container_id, 0)
    scene.heartbeat()
    attempt = scene.rig.context.scheduler.applications[scene.application_id].attempt
    assert attempt is not None
    assert attempt.asks.is_empty()
    assert scene.used() == 3072
    assert not scene.rig.allocate(scene.application_id).allocated_containers
    assert scene.used() == 0


def test_its_execution_type_changes_down_and_up() -> None:
    scene = Scene()
    demote = UpdateContainerRequest(
        container_version=0,
        container_id=scene.container.container_id,
        update_type=ContainerUpdateType.DEMOTE_EXECUTION_TYPE,
        execution_type=ExecutionType.OPPORTUNISTIC,
    )
    answer = scene.rig.allocate(scene.application_id, updates=(demote,))
    # As in Hadoop, what is given back is no part of the headroom in the same answer.
    assert answer.limit == Resource(6144, 7)
    assert scene.used() == 0
    assert scene.rig.allocate(scene.application_id).limit == Resource(8192, 8)
    promote = UpdateContainerRequest(
        container_version=1,
        container_id=scene.container.container_id,
        update_type=ContainerUpdateType.PROMOTE_EXECUTION_TYPE,
        execution_type=ExecutionType.GUARANTEED,
    )
    scene.rig.allocate(scene.application_id, updates=(promote,))
    scene.heartbeat()
    (updated,) = scene.rig.allocate(scene.application_id).updated_containers
    assert (updated.container.execution_type, updated.container.version) == (ExecutionType.GUARANTEED, 2)
    assert scene.used() == 2048
    assert scene.container.execution_type is ExecutionType.GUARANTEED


def test_fifo_changes_nothing() -> None:
    scene = Scene("fifo")
    answer = scene.rig.allocate(scene.application_id, updates=(scene.request(DECREASE, 1024),))
    assert not answer.updated_containers
    assert scene.container.resource == Resource(2048, 1)
