"""A ResourceManager over real gRPC that does what a test says, with tokens that nodes accept.

    with FakeResourceManager() as rm:
        rm.at("first allocate after 2 containers", preempt(1))
        assert rm.run(master).status == 0
        assert len(rm.calls("allocate")) > 2

It grants what is asked, unless told otherwise, on its own nodes nm1 to nm3, whose containers are functions of
time, or on nodes that have registered with it. It decides nothing else: no queues, no sizes, no rights. It
runs in a thread of its own, so that tests and AMs may block.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from random import Random
from types import TracebackType
from typing import Any

from yarnbox.am.asks import ANY
from yarnbox.am.connection import CLIENT_SERVICE, Connection
from yarnbox.am.environment import ContainerEnvironment
from yarnbox.testing.conditions import Arrival, Condition, check_rpc
from yarnbox.testing.fakes.tracked_nodes import TrackedNodes
from yarnbox.testing.faults import ContainerAddress, Fault, Faults, exchange
from yarnbox.testing.loop_thread import LoopThread
from yarnbox.testing.masters import Master, run_master
from yarnbox.testing.patience import PATIENCE_S
from yarnbox.testing.temporary import TemporaryDirectory
from yarnbox.testing.virtual_time.nodes import Behaviour, Started, as_told
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address_book import ADDRESS_BOOK_FILE, ADDRESS_BOOK_PROPERTY, write_address_book
from yarnbox.yarn.connection.rpc import (
    Caller,
    ConnectionFailedError,
    add_service,
    listen,
    new_server,
    rpcs_of,
)
from yarnbox.yarn.enums import ContainerState, FinalApplicationStatus, NodeState, YarnApplicationState
from yarnbox.yarn.errors import (
    ApplicationMasterNotRegisteredError,
    InvalidApplicationMasterRequestError,
    InvalidTokenError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import (
    GetApplicationReportResponse,
    GetClusterNodesResponse,
    GetNewApplicationResponse,
    KillApplicationResponse,
    SubmitApplicationResponse,
)
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.management import (
    GetContainerStatusesResponse,
    StartContainersRequest,
    StartContainersResponse,
    StopContainersResponse,
)
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    FinishApplicationMasterResponse,
    NMToken,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.credentials import Credentials
from yarnbox.yarn.security.tokens import (
    AMRM_TOKEN,
    CONTAINER_TOKEN,
    AMRMTokenSecretManager,
    identifier_of,
    new_key,
)

MASTER, TRACKER = "ApplicationMasterProtocolService", "ResourceTrackerService"
CONTAINERS = "ContainerManagementProtocolService"
LOST, PREEMPTED, RELEASED = -100, -102, -100
OWN_NODES = ("nm1", "nm2", "nm3")
USER = "tester"


@dataclass(frozen=True, slots=True)
class Ended:
    """How an AM that was run has ended."""

    status: int
    traceback: str


@dataclass(slots=True)
class _Attempt:
    """What an AM has said, and what it is to be told."""

    attempt_id: ApplicationAttemptId
    is_registered: bool = False
    response_id: int = 0
    last: AllocateResponse | None = None
    wanted: dict[tuple[int, int, Resource], int] = field(default_factory=dict)
    completed: list[ContainerStatus] = field(default_factory=list)
    updated_nodes: list[NodeReport] = field(default_factory=list)
    sent: dict[NodeId, None] = field(default_factory=dict)
    live: dict[ContainerId, NodeId] = field(default_factory=dict)
    finished: FinishApplicationMasterRequest | None = None


class FakeResourceManager(AbstractContextManager["FakeResourceManager"]):
    """One of them."""

    def __init__(self, *, grants: bool = True, containers: Behaviour = as_told, seed: int = 0) -> None:
        """With `grants` all that is asked is granted at the next call; else only what `grant` says."""
        self.faults = Faults(self)
        self.behaviour = containers
        self.node_resource = Resource(8192, 8)
        source = new_key(secrets.token_bytes)
        self.tracked = TrackedNodes(source)
        self._amrm = AMRMTokenSecretManager(source)
        self._grants = grants
        self._allowance: list[str | None] = []
        self._calls: list[tuple[str, Any]] = []
        self._refusals: dict[str, list[YarnError]] = {}
        self._amendments: dict[str, list[dict[str, Any]]] = {}
        self._attempts: dict[ApplicationId, _Attempt] = {}
        self._chance = Random(seed)
        self._number = self._begun = 0
        self._gone: dict[str, None] = {}
        self._away_until_s = 0.0
        self._changed = asyncio.Event()
        self._directory = TemporaryDirectory("yarnbox-fake-rm-")
        self._thread = LoopThread()
        self._thread.run(self._start())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops serving."""
        self._thread.run(self._stop())
        self._thread.close()
        self._directory.close()

    async def _start(self) -> None:
        self._server = new_server()
        self.port = listen(self._server, "127.0.0.1:0", "a free port")
        answering: dict[str, Callable[[str, Any, Caller], Any]] = {
            MASTER: self._master,
            CLIENT_SERVICE: self._client,
            TRACKER: self._track,
            CONTAINERS: self._manage,
        }
        for service, answer in answering.items():
            add_service(self._server, service, self._behind_faults(answer))
        book = self._directory.path / ADDRESS_BOOK_FILE
        write_address_book(book, dict.fromkeys((*OWN_NODES, *(f"nm{n}" for n in range(4, 33))), "127.0.0.1"))
        self.configuration = Configuration.of(
            {
                "yarnbox.resourcemanager.grpc.address": self.address,
                "yarn.resourcemanager.connect.retry-interval.ms": "50",
                ADDRESS_BOOK_PROPERTY: str(book),
            }
        )
        await self._server.start()

    async def _stop(self) -> None:
        await self._server.stop(0)

    def _behind_faults(
        self, answer: Callable[[str, Any, Caller], Any]
    ) -> Callable[[str, Any, Caller], Awaitable[Any]]:
        async def handle(rpc: str, request: Any, caller: Caller) -> Any:
            async def proceed(passed: Any) -> Any:
                is_away = self._away_until_s > self._thread.loop.time()
                if is_away and rpc not in rpcs_of(CONTAINERS):
                    raise ConnectionFailedError(f"{rpc}: the ResourceManager is away")
                self._calls.append((rpc, passed))
                refusals = self._refusals.get(rpc)
                if refusals:
                    raise refusals.pop(0)
                response = answer(rpc, passed, caller)
                amendments = self._amendments.get(rpc)
                return replace(response, **amendments.pop(0)) if amendments else response

            try:
                return await exchange(
                    self.faults, Arrival(rpc, request, _node_of(request)), caller, proceed, asyncio.sleep
                )
            finally:
                self._changed.set()

        return handle

    # What a test says

    @property
    def address(self) -> str:
        """Where it serves."""
        return f"127.0.0.1:{self.port}"

    def connection(self) -> Connection:
        """It, as an AM is connected with it."""
        return Connection.of(self.configuration)

    def environment(self, user: str = USER) -> ContainerEnvironment:
        """What the AM of a new application is told by its node."""
        return self._thread.call(lambda: self._new_environment(user))

    def run(self, master: Master, timeout_s: float = PATIENCE_S) -> Ended:
        """Runs an AM in a thread to its end. TimeoutError."""
        environment, connection = self.environment(), self.connection()

        async def outcome() -> Ended:
            return Ended(*await run_master(master, environment, connection, asyncio.to_thread))

        with LoopThread() as thread:
            return thread.run(outcome(), timeout_s)

    def grant(self, count: int = 1, node: str | None = None) -> None:
        """Grants so many more of the containers that are asked for, on that node."""
        self._thread.call(lambda: self._allowance.extend([node] * count))

    def end(self, container: ContainerAddress, exit_status: int = 0) -> None:
        """A container ends."""
        self._thread.call(
            lambda: self._end(self.faults.container(container), exit_status, "ended by the test")
        )

    def resync(self) -> None:
        """It forgets who has registered: AMs and nodes have to register again."""
        self._thread.call(self._forget)

    def refuse(self, rpc: str, error: YarnError, calls: int = 1) -> None:
        """The next calls of that name are refused. ValueError: there is no such rpc."""
        self._thread.call(lambda: self._refusals.setdefault(check_rpc(rpc), []).extend([error] * calls))

    def amend(self, rpc: str, **changes: Any) -> None:
        """The next answer to that call has these values in these fields of its record."""
        self._thread.call(lambda: self._amendments.setdefault(check_rpc(rpc), []).append(changes))

    def inject(self, fault: Fault) -> None:
        """Lets a fault happen now."""
        self._thread.call(lambda: self.faults.inject(fault))

    def at(self, condition: str | Condition, fault: Fault) -> None:
        """Lets a fault happen at a call."""
        self._thread.call(lambda: self.faults.at(condition, fault))

    def calls(self, rpc: str | None = None) -> list[Any]:
        """The requests that have arrived, those of one rpc or all."""
        return self._thread.call(lambda: [request for name, request in self._calls if rpc in (None, name)])

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float = PATIENCE_S) -> None:
        """Waits until the condition holds, looking after each call. AssertionError with the calls so far."""

        async def wait() -> None:
            async with asyncio.timeout(timeout_s):
                while not condition():
                    self._changed.clear()
                    await self._changed.wait()

        try:
            self._thread.run(wait())
        except TimeoutError:
            raise AssertionError(f"waited {timeout_s:g} s for {what}\n{self.story()}") from None

    def wait_for_call(self, rpc: str, count: int = 1, timeout_s: float = PATIENCE_S) -> Any:
        """The `count`-th request of that name, as soon as it is there."""
        check_rpc(rpc)

        def found() -> list[Any]:
            return [request for name, request in self._calls if name == rpc]

        self.wait_until(lambda: len(found()) >= count, f"call {count} of {rpc}", timeout_s)
        return found()[count - 1]

    def story(self) -> str:
        """What has happened, for people."""
        lines = ["calls:", *(f"  {rpc}" for rpc, _ in self._calls[-40:])]
        lines += [f"granted: {', '.join(str(one.id) for one in self.faults.granted) or 'nothing'}"]
        lines += [f"fault that happened: {one}" for one in self.faults.happened]
        lines += [f"fault that did not happen: {one}" for one in self.faults.waiting]
        return "\n".join(lines)

    @property
    def finished(self) -> FinalApplicationStatus | None:
        """With what the last AM that did has finished."""
        ended = [one.finished for one in self._attempts.values() if one.finished is not None]
        return ended[-1].final_application_status if ended else None

    # Attempts

    def _new_application(self) -> ApplicationId:
        self._number += 1
        return ApplicationId(self.tracked.rm_identifier, self._number)

    def _new_environment(self, user: str) -> ContainerEnvironment:
        attempt_id = ApplicationAttemptId(self._new_application(), 1)
        self._attempts[attempt_id.application_id] = _Attempt(attempt_id)
        token = self._amrm.create_token(attempt_id, self.address)
        return ContainerEnvironment(
            container_id=ContainerId(attempt_id, 1),
            node_id=NodeId(OWN_NODES[0], self.port),
            user=user,
            working_directory=self._directory.path,
            local_dirs=(),
            log_dirs=(),
            credentials=Credentials().with_token("amrm", token),
            submit_time_ms=int(time.time() * 1000),
        )

    def _attempt_of(self, container_id: ContainerId) -> _Attempt:
        return self._attempts[container_id.application_id]

    # ApplicationMasterProtocol

    def _master(self, rpc: str, request: Any, caller: Caller) -> Any:
        shown = self._amrm.verify(caller.token)
        if shown.app_attempt_id is None:
            raise InvalidTokenError(f"no {AMRM_TOKEN} was given")
        attempt = self._attempts[shown.app_attempt_id.application_id]
        if rpc == "registerApplicationMaster":
            if attempt.is_registered:
                raise InvalidApplicationMasterRequestError(
                    f"Application Master is already registered : {attempt.attempt_id.application_id}"
                )
            attempt.is_registered, attempt.response_id, attempt.last = True, 0, None
            attempt.sent.clear()
            return RegisterApplicationMasterResponse(maximum_capability=self.node_resource, queue="default")
        if not attempt.is_registered:
            raise ApplicationMasterNotRegisteredError(
                f"AM is not registered for known application attempt: {attempt.attempt_id} or RM had"
                " restarted after AM registered. AM should re-register."
            )
        if rpc == "finishApplicationMaster":
            attempt.finished = request
            return FinishApplicationMasterResponse(is_unregistered=True)
        return self._allocate(attempt, request)

    def _allocate(self, attempt: _Attempt, request: AllocateRequest) -> AllocateResponse:
        asked = request.response_id or 0
        if attempt.last is not None and asked == attempt.response_id - 1:
            return attempt.last
        if asked != attempt.response_id:
            raise InvalidApplicationMasterRequestError(
                f"Invalid responseId in AllocateRequest from application attempt: {attempt.attempt_id},"
                f" expect responseId to be {attempt.response_id}, but get {asked}"
            )
        for ask in request.ask:
            if ask.resource_name == ANY and ask.capability is not None:
                key = (ask.priority or 0, ask.allocation_request_id or 0, ask.capability)
                attempt.wanted[key] = ask.num_containers or 0
        for container_id in request.release:
            self._end(container_id, RELEASED, "Container released by application")
        granted = self._granted(attempt)
        fresh = dict.fromkeys(one.node_id for one in granted if one.node_id not in attempt.sent)
        tokens = []
        for node_id in fresh:
            if node_id is not None:
                attempt.sent[node_id] = None
                token = self.tracked.nm_token(attempt.attempt_id, node_id, USER)
                tokens.append(NMToken(node_id=node_id, token=token))
        attempt.response_id += 1
        completed, attempt.completed = tuple(attempt.completed), []
        updated, attempt.updated_nodes = tuple(attempt.updated_nodes), []
        attempt.last = AllocateResponse(
            response_id=attempt.response_id,
            allocated_containers=tuple(granted),
            completed_container_statuses=completed,
            updated_nodes=updated,
            limit=self.node_resource,
            num_cluster_nodes=len(self._places()),
            nm_tokens=tuple(tokens),
        )
        return attempt.last

    def _granted(self, attempt: _Attempt) -> list[Container]:
        granted: list[Container] = []
        for key, count in sorted(attempt.wanted.items(), key=lambda item: item[0][:2]):
            for _ in range(count):
                if not self._grants and not self._allowance:
                    return granted
                named = self._allowance.pop(0) if self._allowance else None
                attempt.wanted[key] -= 1
                granted.append(self._new_container(attempt, key, named))
        return granted

    def _new_container(
        self, attempt: _Attempt, key: tuple[int, int, Resource], named: str | None
    ) -> Container:
        places = self._places()
        if not places:
            raise YarnError("the fake ResourceManager has no node left")
        priority, request_id, resource = key
        number = len(self.faults.granted) + len(attempt.live)
        node_id = next((one for one in places if one.host == named), places[number % len(places)])
        container_id = ContainerId(attempt.attempt_id, self.tracked.next_sequence(attempt.attempt_id))
        attempt.live[container_id] = node_id
        token = self.tracked.container_token(container_id, node_id, resource, USER)
        return Container(
            id=container_id,
            node_id=node_id,
            resource=resource,
            priority=priority,
            container_token=token,
            allocation_request_id=request_id,
        )

    def _places(self) -> list[NodeId]:
        tracked = [one for one in self.tracked.nodes if one.host not in self._gone]
        return tracked or [NodeId(host, self.port) for host in OWN_NODES if host not in self._gone]

    def _end(self, container_id: ContainerId, exit_status: int, diagnostics: str) -> None:
        attempt = self._attempt_of(container_id)
        if attempt.live.pop(container_id, None) is None:
            return
        self.tracked.clean_up(container_id)
        attempt.completed.append(
            ContainerStatus(
                container_id=container_id,
                state=ContainerState.COMPLETE,
                exit_status=exit_status,
                diagnostics=diagnostics,
            )
        )
        self._changed.set()

    def _forget(self) -> None:
        for attempt in self._attempts.values():
            attempt.is_registered = False
        self.tracked.forget()

    # ApplicationClientProtocol

    def _client(self, rpc: str, request: Any, _caller: Caller) -> Any:
        match rpc:
            case "getNewApplication":
                return GetNewApplicationResponse(
                    application_id=self._new_application(), maximum_capability=self.node_resource
                )
            case "submitApplication":
                return SubmitApplicationResponse()
            case "forceKillApplication":
                return KillApplicationResponse(is_kill_completed=True)
            case "getClusterNodes":
                reports = [NodeReport(node_id=one, node_state=NodeState.RUNNING) for one in self._places()]
                return GetClusterNodesResponse(node_reports=tuple(reports))
            case "getApplicationReport":
                attempt = self._attempts.get(request.application_id)
                finished = attempt.finished if attempt is not None else None
                state = YarnApplicationState.ACCEPTED if finished is None else YarnApplicationState.FINISHED
                report = ApplicationReport(
                    application_id=request.application_id, yarn_application_state=state
                )
                return GetApplicationReportResponse(application_report=report)
            case _:
                raise YarnError(f"the fake ResourceManager does not answer {rpc}")

    # ResourceTracker

    def _track(self, _rpc: str, request: Any, _caller: Caller) -> Any:
        answer, ended = self.tracked.answer(request)
        for status in ended:
            if status.container_id.application_id in self._attempts:
                self._end(status.container_id, status.exit_status, status.diagnostics)
        return answer

    # ContainerManagementProtocol of its own nodes

    def _manage(self, rpc: str, request: Any, _caller: Caller) -> Any:
        if rpc == "stopContainers":
            for container_id in request.container_id:
                self._end(container_id, -105, "Container killed by the ApplicationMaster.")
            return StopContainersResponse(succeeded_requests=request.container_id)
        if rpc == "getContainerStatuses":
            running = ContainerState.RUNNING
            statuses = [ContainerStatus(container_id=one, state=running) for one in request.container_id]
            return GetContainerStatusesResponse(status=tuple(statuses))
        if not isinstance(request, StartContainersRequest):
            raise YarnError(f"the nodes of the fake ResourceManager do not answer {rpc}")
        started = []
        for one in request.start_container_request:
            shown = identifier_of(one.container_token, CONTAINER_TOKEN, ContainerTokenIdentifier)
            if shown.container_id is None or one.container_launch_context is None:
                raise YarnError("a container that is started needs its token and a launch context")
            self._begun += 1
            host = (shown.nm_host_addr or "").partition(":")[0]
            ends = self.behaviour(
                Started(shown.container_id, host, one.container_launch_context, self._begun, self._chance)
            )
            started.append(shown.container_id)
            if ends is not None:
                self._thread.loop.call_later(
                    ends.after_ms / 1000, self._end, shown.container_id, ends.exit_status, ends.output
                )
        return StartContainersResponse(succeeded_requests=tuple(started))

    # Faults

    def preempt_container(self, container_id: ContainerId) -> None:
        """It ends with -102."""
        self._end(container_id, PREEMPTED, "Container preempted by scheduler")

    def lose(self, host: str) -> None:
        """The node and its containers are gone."""
        self._gone[host] = None
        self.tracked.lose(host)
        self._tell_of(host, NodeState.LOST)
        for attempt in self._attempts.values():
            for container_id in [one for one, at in attempt.live.items() if at.host == host]:
                self._end(container_id, LOST, "Container released on a *lost* node")

    def fill(self, host: str) -> None:
        """AMs hear that it is UNHEALTHY, and nothing is granted there."""
        self._gone[host] = None
        self._tell_of(host, NodeState.UNHEALTHY)

    def _tell_of(self, host: str, state: NodeState) -> None:
        node_id = next((one for one in self.tracked.nodes if one.host == host), NodeId(host, self.port))
        for attempt in self._attempts.values():
            attempt.updated_nodes.append(NodeReport(node_id=node_id, node_state=state))

    def restart(self, away_ms: int) -> None:
        """It is away, and knows nobody afterwards."""
        self._away_until_s = self._thread.loop.time() + away_ms / 1000
        self._forget()

    def fail_over(self) -> None:
        """Another one takes its place at once, and knows nobody."""
        self.restart(0)

    def later(self, ms: int, action: Callable[[], None]) -> None:
        """Has something done later."""
        self._thread.loop.call_later(ms / 1000, action)


def _node_of(request: Any) -> str | None:
    """The node that a call is from or for, as far as its request says."""
    status = getattr(request, "node_status", None)
    node_id = getattr(request, "node_id", None) or getattr(status, "node_id", None)
    if isinstance(node_id, NodeId):
        return node_id.host
    if isinstance(request, StartContainersRequest):
        for one in request.start_container_request:
            shown = identifier_of(one.container_token, CONTAINER_TOKEN, ContainerTokenIdentifier)
            return (shown.nm_host_addr or "").partition(":")[0]
    return None
