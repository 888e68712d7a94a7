"""Faults by address: what breaks, where, and at which call. Never by sleeping.

    cluster.inject(drop_next("allocate"))
    cluster.at("first allocate after 3 containers", lose_node_of(2))

A fault is a value; every cluster of the kit takes the same ones. `Faults` stands at the border that calls
cross: it counts them, keeps them back, drops them, refuses them, and has the cluster carry out what is not a
matter of calls. It knows no clock and no wire.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, TypeVar

from yarnbox.testing.conditions import Arrival, Arrivals, Condition, DescribedCondition, check_rpc
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError
from yarnbox.yarn.errors import InvalidTokenError, YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.basics import Record, SerializedException
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.management import (
    ContainerExceptionMap,
    StartContainersRequest,
    StartContainersResponse,
)
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import PreemptionContainer, PreemptionMessage, StrictPreemptionContract
from yarnbox.yarn.records.tokens import (
    AMRMTokenIdentifier,
    ContainerTokenIdentifier,
    NMTokenIdentifier,
    Token,
)
from yarnbox.yarn.security.tokens import AMRM_TOKEN, CONTAINER_TOKEN, NM_TOKEN, identifier_of

ContainerAddress: TypeAlias = ContainerId | Container | str | int
"""A container: itself, its id, or its number: 1 is the first that an AM was granted."""

NodeAddress: TypeAlias = NodeId | str
"""A node: its id, or its host."""

PREEMPTED = -102
AMRM = "amrm"
CallFaultT = TypeVar("CallFaultT", "Drop", "Delay")


@dataclass(frozen=True, slots=True)
class Preempt:
    """See `preempt`."""

    container: ContainerAddress
    after_ms: int


@dataclass(frozen=True, slots=True)
class LoseNode:
    """See `lose_node` and `lose_node_of`."""

    node: NodeAddress | None
    container: ContainerAddress | None = None


@dataclass(frozen=True, slots=True)
class Drop:
    """See `drop_next`."""

    rpc: str
    calls: int
    answers: bool


@dataclass(frozen=True, slots=True)
class Delay:
    """See `delay`."""

    rpc: str
    ms: int
    calls: int


@dataclass(frozen=True, slots=True)
class ExpireToken:
    """See `expire_token`."""

    of: ContainerAddress | NodeId


@dataclass(frozen=True, slots=True)
class RestartRM:
    """See `restart_rm`."""

    away_ms: int


@dataclass(frozen=True, slots=True)
class FailOver:
    """See `fail_over`."""


@dataclass(frozen=True, slots=True)
class FillDisk:
    """See `fill_disk`."""

    node: NodeAddress


Fault: TypeAlias = Preempt | LoseNode | Drop | Delay | ExpireToken | RestartRM | FailOver | FillDisk


def preempt(container: ContainerAddress, after_ms: int = 0) -> Preempt:
    """The container is preempted: it ends with -102. With `after_ms` its AM is asked for it first, by a
    strict contract in each answer, and it is killed that much later unless the AM has given it back.
    """
    return Preempt(container, after_ms)


def lose_node(node: NodeAddress) -> LoseNode:
    """The node is gone, with all that runs on it: LOST, and its containers end with -100."""
    return LoseNode(node)


def lose_node_of(container: ContainerAddress) -> LoseNode:
    """The node of that container is gone."""
    return LoseNode(None, container)


def drop_next(rpc: str, calls: int = 1, *, answers: bool = False) -> Drop:
    """The next call of that name does not arrive; with `answers` it does, and its answer is lost. The caller
    sees UNAVAILABLE either way. ValueError: there is no such rpc.
    """
    return Drop(check_rpc(rpc), calls, answers)


def delay(rpc: str, ms: int, calls: int = 1) -> Delay:
    """The next call of that name arrives so much later. ValueError: there is no such rpc."""
    return Delay(check_rpc(rpc), ms, calls)


def expire_token(of: ContainerAddress | NodeId) -> ExpireToken:
    """A token is not good any more: that of a container, with which its AM starts it; that of a node
    (a NodeId), with which AMs call it; or "amrm", with which AMs call the RM, those that were shown so far.
    """
    return ExpireToken(of)


def restart_rm(away_ms: int = 1000) -> RestartRM:
    """The ResourceManager ends and, that much later at the earliest, is back with what its store kept."""
    return RestartRM(away_ms)


def fail_over() -> FailOver:
    """The active ResourceManager is none any more, and another one takes over what is stored. On real
    processes there must be several of them.
    """
    return FailOver()


def fill_disk(node: NodeAddress) -> FillDisk:
    """The local directories of the node are full: it is UNHEALTHY."""
    return FillDisk(node)


class World(Protocol):
    """What a cluster does itself: all that is not a matter of calls."""

    def preempt_container(self, container_id: ContainerId) -> None:
        """Kills it as preemption does."""

    def lose(self, host: str) -> None:
        """Takes the node away; the RM hears of it."""

    def fill(self, host: str) -> None:
        """Fills its disks."""

    def restart(self, away_ms: int) -> None:
        """Ends the RM and starts it again."""

    def fail_over(self) -> object:
        """Has another RM be active."""

    def later(self, ms: int, action: Callable[[], None]) -> None:
        """Has something done later."""


@dataclass(slots=True)
class CallOutcome:
    """What becomes of one call."""

    request: Record
    delay_ms: int = 0
    is_lost: bool = False
    is_answer_lost: bool = False
    refusal: YarnError | None = None
    failed: tuple[ContainerExceptionMap, ...] = ()
    """Containers that are not started, whatever the node says of the others."""


@dataclass(slots=True)
class _Waiting:
    condition: Condition
    fault: Fault


@dataclass(slots=True)
class Faults:
    """The faults of one cluster, and what they need to know of its calls."""

    world: World
    so_far: Arrivals = field(default_factory=Arrivals)
    granted: list[Container] = field(default_factory=list)
    """In the order in which AMs were told of them."""
    ended: dict[ContainerId, ContainerStatus] = field(default_factory=dict)
    """As AMs were told."""
    happened: list[Fault] = field(default_factory=list)
    shown: dict[bytes, None] = field(default_factory=dict)
    """Identifiers of AMRM tokens."""
    told_as: dict[ContainerId, tuple[int, str]] = field(default_factory=dict)
    """With what status and diagnostics AMs are told of an end, where it is another than the node's."""
    nm_tokens: dict[NodeId, Token] = field(default_factory=dict)
    """The last that an AM was sent, for each node."""
    _waiting: list[_Waiting] = field(default_factory=list)
    _drops: list[Drop] = field(default_factory=list)
    _delays: list[Delay] = field(default_factory=list)
    _expired: dict[object, None] = field(default_factory=dict)
    _asked_for: dict[ContainerId, None] = field(default_factory=dict)

    def inject(self, fault: Fault) -> None:
        """Lets it happen now. LookupError: there is no such container or node."""
        _check(fault)
        match fault:
            case Preempt(container, after_ms):
                self._preempt(self.container(container), after_ms)
            case LoseNode(node, container):
                self.world.lose(self._host(node) if container is None else self._host_of(container))
            case Drop():
                self._drops.append(fault)
            case Delay():
                self._delays.append(fault)
            case ExpireToken(of):
                self._expire(of)
            case RestartRM(away_ms):
                self.world.restart(away_ms)
            case FailOver():
                self.world.fail_over()
            case FillDisk(node):
                self.world.fill(self._host(node))
        self.happened.append(fault)

    def at(self, condition: str | Condition, fault: Fault) -> None:
        """Lets it happen when a call arrives of which the condition holds, before the call is answered."""
        _check(fault)
        told = DescribedCondition(condition) if isinstance(condition, str) else condition
        self._waiting.append(_Waiting(told, fault))

    @property
    def waiting(self) -> list[str]:
        """The faults that have not happened yet, in words."""
        conditions = [f"at {str(one.condition)!r}: {one.fault}" for one in self._waiting]
        return conditions + [f"at the next call: {one}" for one in (*self._drops, *self._delays)]

    def container(self, address: ContainerAddress) -> ContainerId:
        """The container that is meant. LookupError: it was not granted yet."""
        if isinstance(address, Container):
            return address.id
        if isinstance(address, ContainerId):
            return address
        if isinstance(address, str):
            return ContainerId.parse(address)
        if not 1 <= address <= len(self.granted):
            raise LookupError(f"there is no container {address}: {len(self.granted)} were granted so far")
        return self.granted[address - 1].id

    def _host(self, node: NodeAddress | None) -> str:
        return node.host if isinstance(node, NodeId) else str(node).partition(":")[0]

    def _host_of(self, address: ContainerAddress) -> str:
        wanted = self.container(address)
        for one in self.granted:
            if one.id == wanted and one.node_id is not None:
                return one.node_id.host
        raise LookupError(f"no AM was granted {wanted}, so its node is not known")

    def _preempt(self, container_id: ContainerId, after_ms: int) -> None:
        if not after_ms:
            self.world.preempt_container(container_id)
            return
        self._asked_for[container_id] = None

        def take() -> None:
            if self._asked_for.pop(container_id, 0) is None and container_id not in self.ended:
                self.world.preempt_container(container_id)

        self.world.later(after_ms, take)

    def _expire(self, of: ContainerAddress | NodeId) -> None:
        if of == AMRM:
            self._expired.update(dict.fromkeys(self.shown))
        else:
            self._expired[of if isinstance(of, NodeId) else self.container(of)] = None

    # At the border

    def arriving(self, arrival: Arrival, caller: Caller) -> CallOutcome:
        """What becomes of a call; faults that wait for it happen first."""
        self.so_far.calls[arrival.rpc] += 1
        if caller.token is not None and caller.token.kind == AMRM_TOKEN:
            self.shown[caller.token.identifier] = None
        due = [one for one in self._waiting if one.condition(arrival, self.so_far)]
        for one in due:
            self._waiting.remove(one)
            self.inject(one.fault)
        treatment = CallOutcome(arrival.request)
        delayed = _take(self._delays, arrival.rpc)
        treatment.delay_ms = 0 if delayed is None else delayed.ms
        dropped = _take(self._drops, arrival.rpc)
        if dropped is not None:
            treatment.is_lost, treatment.is_answer_lost = not dropped.answers, dropped.answers
        if self._expired:
            self._refuse_expired(treatment, arrival, caller.token)
        return treatment

    def _refuse_expired(self, treatment: CallOutcome, arrival: Arrival, token: Token | None) -> None:
        if token is not None and token.identifier in self._expired:
            attempt = identifier_of(token, AMRM_TOKEN, AMRMTokenIdentifier).app_attempt_id
            treatment.refusal = InvalidTokenError(f"Invalid AMRMToken from {attempt}")
        elif token is not None and token.kind == NM_TOKEN:
            shown = identifier_of(token, NM_TOKEN, NMTokenIdentifier)
            if shown.node_id in self._expired:
                text = f"Given NMToken for application : {shown.app_attempt_id} seems to have been generated"
                treatment.refusal = InvalidTokenError(f"{text} illegally.")
        if isinstance(arrival.request, StartContainersRequest):
            self._keep_back(treatment, arrival.request)

    def _keep_back(self, treatment: CallOutcome, request: StartContainersRequest) -> None:
        passed, failed = [], []
        for one in request.start_container_request:
            if one.container_token is None:
                passed.append(one)
                continue
            shown = identifier_of(one.container_token, CONTAINER_TOKEN, ContainerTokenIdentifier)
            if shown.container_id not in self._expired:
                passed.append(one)
                continue
            thrown = SerializedException(
                class_name=YarnError.java_class,
                message="Unauthorized request to start container. \nThis token is expired. current time is "
                f"{(shown.expiry_time_stamp or 0) + 1} found {shown.expiry_time_stamp}\nNote: System times "
                "on machines may be out of sync. Check system time and time zones.",
            )
            failed.append(ContainerExceptionMap(container_id=shown.container_id, exception=thrown))
        treatment.request, treatment.failed = (
            replace(request, start_container_request=tuple(passed)),
            tuple(failed),
        )

    def answered(self, treatment: CallOutcome, response: Any) -> Any:
        """The answer as the caller gets it."""
        if treatment.failed and isinstance(response, StartContainersResponse):
            return replace(response, failed_requests=(*response.failed_requests, *treatment.failed))
        if not isinstance(response, AllocateResponse):
            return response
        self.granted += response.allocated_containers
        self.so_far.granted = len(self.granted)
        self.so_far.ended += len(response.completed_container_statuses)
        for one in response.nm_tokens:
            if one.node_id is not None and one.token is not None:
                self.nm_tokens[one.node_id] = one.token
        if self.told_as:
            response = replace(
                response,
                completed_container_statuses=tuple(map(self._as_told, response.completed_container_statuses)),
            )
        for status in response.completed_container_statuses:
            self.ended[status.container_id] = status
            self._asked_for.pop(status.container_id, None)
        if not self._asked_for:
            return response
        asked = tuple(PreemptionContainer(id=one) for one in self._asked_for)
        strict = StrictPreemptionContract(container=asked)
        contract = response.preempt.contract if response.preempt is not None else None
        return replace(response, preempt=PreemptionMessage(strict_contract=strict, contract=contract))

    def _as_told(self, status: ContainerStatus) -> ContainerStatus:
        exit_status, said = self.told_as.get(status.container_id, (status.exit_status, status.diagnostics))
        return replace(status, exit_status=exit_status, diagnostics=said)


def _check(fault: object) -> None:
    if not isinstance(fault, Fault):
        raise ValueError(f"{fault!r} is no fault: preempt(), lose_node(), drop_next() and others make one")


def _take(faults: list[CallFaultT], rpc: str) -> CallFaultT | None:
    """The first of them that is for the rpc; it is used up when no call is left of it."""
    for index, one in enumerate(faults):
        if one.rpc == rpc:
            if one.calls > 1:
                faults[index] = replace(one, calls=one.calls - 1)
            else:
                del faults[index]
            return one
    return None


async def exchange(
    faults: Faults,
    arrival: Arrival,
    caller: Caller,
    proceed: Callable[[Any], Awaitable[Any]],
    wait: Callable[[float], Awaitable[object]],
) -> Any:
    """One call across the border: what `proceed` answers to it, as far as the faults let it. YarnError where
    it is refused, ConnectionFailedError where it is lost.
    """
    treatment = faults.arriving(arrival, caller)
    if treatment.delay_ms:
        await wait(treatment.delay_ms / 1000)
    if treatment.is_lost:
        raise ConnectionFailedError(f"{arrival.rpc}: the request was dropped by a fault of the test")
    if treatment.refusal is not None:
        raise treatment.refusal
    response = faults.answered(treatment, await proceed(treatment.request))
    if treatment.is_answer_lost:
        raise ConnectionFailedError(f"{arrival.rpc}: the answer was dropped by a fault of the test")
    return response
