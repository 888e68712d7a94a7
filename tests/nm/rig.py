"""A NodeManager's core with a virtual clock, the RM's keys, and hands instead of a machine.

Tests enter by the services and by what the world answers; nothing is patched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from yarnbox.nm.containers.container_state import Container
from yarnbox.nm.core import Core
from yarnbox.nm.effects import (
    CleanUpContainer,
    Effect,
    FetchResource,
    LaunchContainer,
    PauseContainer,
    ResumeContainer,
)
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.enums import (
    ContainerType,
    ExecutionType,
    LocalResourceType,
    LocalResourceVisibility,
    NodeAction,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import URL
from yarnbox.yarn.records.container import ContainerLaunchContext, LocalResource
from yarnbox.yarn.records.management import (
    StartContainerRequest,
    StartContainersRequest,
    StartContainersResponse,
    StopContainersRequest,
)
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier, Token
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import VirtualClock
from yarnbox.yarn.security.tokens import ContainerTokenSecretManager, NMTokenSecretManager

NODE = NodeId("nm1", 4321)
RM_IDENTIFIER = 1_000
APPLICATION = ApplicationId(RM_IDENTIFIER, 1)
ATTEMPT = ApplicationAttemptId(APPLICATION, 1)
OTHER_ATTEMPT = ApplicationAttemptId(ApplicationId(RM_IDENTIFIER, 2), 1)

E = TypeVar("E")
T = TypeVar("T")


def container_id(number: int, attempt: ApplicationAttemptId = ATTEMPT) -> ContainerId:
    """The id of an attempt's container."""
    return ContainerId.build(attempt, number)


def resource(
    path: str = "/data/file",
    visibility: LocalResourceVisibility = LocalResourceVisibility.APPLICATION,
    timestamp: int = 5,
) -> LocalResource:
    """A local resource that comes from a file."""
    return LocalResource(
        resource=URL(scheme="file", file=path),
        timestamp=timestamp,
        size=1,
        type=LocalResourceType.FILE,
        visibility=visibility,
    )


class Keys:
    """The RM's side of the tokens."""

    def __init__(self, first: int = 1) -> None:
        self._next = first
        self.nm = NMTokenSecretManager(self._source)
        self.container = ContainerTokenSecretManager(self._source)

    def _source(self) -> bytes:
        self._next += 1
        return self._next.to_bytes(20, "big")


class Rig:
    """One node, registered, with everything under the test's hand."""

    def __init__(self, settings: NMSettings | None = None, capacity: Resource | None = None) -> None:
        self.clock = VirtualClock(10_000)
        self.keys = Keys()
        self.core = Core(
            NODE, settings or NMSettings(), capacity or Resource(4096, 4), self.clock, is_strict=True
        )
        self.context = self.core.context
        self.status = self.core.status
        self.services = self.core.management
        self.world = self.core.world
        self.effects: list[Effect] = []
        self.response_id = 0
        self.register()

    # The RM

    def register(self, **answer: Any) -> Any:
        """Registers; the request."""
        request = self.turn(self.status.register_request)
        response = RegisterNodeManagerResponse(
            **{
                "container_token_master_key": self.keys.container.keys.current,
                "nm_token_master_key": self.keys.nm.keys.current,
                "node_action": NodeAction.NORMAL,
                "rm_identifier": RM_IDENTIFIER,
                **answer,
            }
        )
        self.turn(lambda: self.status.registered(response))
        self.response_id = 0
        return request

    def heartbeat(self, **answer: Any) -> NodeHeartbeatRequest:
        """One heartbeat that is answered; the request."""
        request = self.turn(self.status.heartbeat_request)
        self.response_id += 1
        response = NodeHeartbeatResponse(
            **{"response_id": self.response_id, "node_action": NodeAction.NORMAL, **answer}
        )
        self.turn(lambda: self.status.heartbeat_answered(response))
        return request

    def reported(self, **answer: Any) -> dict[ContainerId, Any]:
        """What one heartbeat tells of containers."""
        node_status = self.heartbeat(**answer).node_status
        assert node_status is not None
        return {one.container_id: one for one in node_status.containers_statuses}

    # AMs

    def nm_token(self, attempt: ApplicationAttemptId = ATTEMPT, node: NodeId = NODE) -> Token:
        """The token with which an attempt commands the node."""
        return self.keys.nm.create_token(attempt, node, "alice")

    def identifier(self, number: int, attempt: ApplicationAttemptId = ATTEMPT, **others: Any) -> Any:
        """What a container token says."""
        return ContainerTokenIdentifier(
            **{
                "container_id": container_id(number, attempt),
                "nm_host_addr": str(NODE),
                "app_submitter": "alice",
                "resource": Resource(1024, 1),
                "expiry_time_stamp": 1_000_000,
                "master_key_id": self.keys.container.key_id,
                "rm_identifier": RM_IDENTIFIER,
                "container_type": ContainerType.TASK,
                **others,
            }
        )

    def token(self, number: int, attempt: ApplicationAttemptId = ATTEMPT, **others: Any) -> Token:
        """The token of a container."""
        return self.keys.container.create_token(self.identifier(number, attempt, **others), NODE)

    def start(
        self, number: int, launch_context: ContainerLaunchContext | None = None, **others: Any
    ) -> StartContainersResponse:
        """Asks for one container to be started."""
        return self.start_all([(self.token(number, **others), launch_context)])

    def start_all(self, pairs: list[tuple[Token, ContainerLaunchContext | None]]) -> StartContainersResponse:
        """Asks for containers to be started, by their tokens."""
        requests = tuple(
            StartContainerRequest(
                container_token=token,
                container_launch_context=launch_context or ContainerLaunchContext(command=("true",)),
            )
            for token, launch_context in pairs
        )
        request = StartContainersRequest(start_container_request=requests)
        return self.turn(lambda: self.services.start_containers(request, self.nm_token()))

    def start_opportunistic(self, number: int, size: Resource | None = None) -> StartContainersResponse:
        """Asks for an opportunistic container."""
        others: dict[str, Any] = {} if size is None else {"resource": size}
        return self.start(number, None, execution_type=ExecutionType.OPPORTUNISTIC, **others)

    def stop(self, number: int) -> Any:
        """Asks for a container to be stopped."""
        request = StopContainersRequest(container_id=(container_id(number),))
        return self.turn(lambda: self.services.stop_containers(request, self.nm_token()))

    # The machine

    def run(
        self, number: int, launch_context: ContainerLaunchContext | None = None, **others: Any
    ) -> Container:
        """Starts a container and lets its process run."""
        response = self.start(number, launch_context, **others)
        assert not response.failed_requests, response.failed_requests
        for order in self.take(FetchResource):
            self.localized(order)
        self.launched(number)
        return self.container(number)

    def launched(self, number: int) -> None:
        """Its process runs."""
        self.turn(lambda: self.world.container_launched(container_id(number)))

    def exited(self, number: int, code: int = 0, said: str = "") -> None:
        """Its process is gone."""
        self.turn(lambda: self.world.container_exited(container_id(number), code, said))

    def localized(self, order: FetchResource, path: str | None = None) -> None:
        """A resource is on disk."""
        where = path or f"/cache/{order.directory}"
        self.turn(lambda: self.world.resource_localized(order.cache, order.key, where, 10))

    def pass_time(self, ms: int) -> None:
        """Time passes, and timers with it."""
        end = self.clock.now_ms() + ms
        while (due := self.core.next_due_ms()) is not None and due <= end:
            self.clock.move_to(max(due, self.clock.now_ms()))
            self.core.advance()
        self.clock.move_to(end)

    # Looking

    def turn(self, call: Callable[[], T]) -> T:
        """One turn; what it asks of the world is kept."""
        try:
            return self.core.turn(call)
        finally:
            self.effects.extend(self.core.take_effects())

    def take(self, kind: type[E]) -> list[E]:
        """What was asked of that kind, each once."""
        self.effects.extend(self.core.take_effects())
        found: list[E] = [one for one in self.effects if isinstance(one, kind)]
        self.effects = [one for one in self.effects if not isinstance(one, kind)]
        return found

    def launches(self) -> list[int]:
        """The numbers of the containers that are to be launched."""
        return [one.launch.container_id.sequence for one in self.take(LaunchContainer)]

    def launches_waiting(self) -> bool:
        """Whether the machine has more to do."""
        self.effects.extend(self.core.take_effects())
        kinds = (LaunchContainer, CleanUpContainer, PauseContainer, ResumeContainer)
        return any(isinstance(one, kinds) for one in self.effects)

    def container(self, number: int) -> Container:
        """A container of the attempt."""
        return self.context.containers[container_id(number)]

    def state(self, number: int) -> str:
        """The name of its state."""
        return self.container(number).state.name
