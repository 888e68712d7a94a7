"""An ApplicationMaster's side of the ApplicationMasterProtocol: register, allocate, finish.

Owns the order of the calls and what follows from a refusal: an RM that has forgotten the registration is
registered with again and told everything anew, an RM that cannot be reached is called again with the very
same request, for it may have answered and knows a repeated response id. What is asked stands in asks.py.

`Conversation` is that order without I/O: its methods are generators that yield the calls to make and are sent
the answers. AMRMClient runs them; blocking.py runs AMRMClient without asyncio. Hadoop: AMRMClient,
AMRMClientAsync and NMTokenCache.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from yarnbox.am.asks import RequestTable
from yarnbox.yarn.connection.failover import Calls
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import ApplicationMasterNotRegisteredError, YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    FinishApplicationMasterResponse,
    NMToken,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.request import PlacementConstraintMapEntry
from yarnbox.yarn.records.tokens import Token

log = logging.getLogger("am.rm_client")

SERVICE = "ApplicationMasterProtocolService"
FINISH_POLL_MS = 100
RETRY_MS = 1000
TELL_S = 30.0
"""Between two lines in the log while the RM does not answer."""
MAX_WAIT_MS = 900_000
"""The default of yarn.resourcemanager.connect.max-wait.ms."""

T = TypeVar("T")


class NMTokenCache:
    """The tokens with which the nodes are called: sent once per node, replaced when the RM sends another."""

    def __init__(self) -> None:
        self._tokens: dict[NodeId, Token] = {}

    def take(self, tokens: Iterable[NMToken]) -> None:
        """Keeps what came with an answer of the RM."""
        for entry in tokens:
            if entry.node_id is not None and entry.token is not None:
                self._tokens[entry.node_id] = entry.token

    def token_of(self, node_id: NodeId) -> Token | None:
        """The token for a node; None if the RM has sent none."""
        return self._tokens.get(node_id)


@dataclass(frozen=True, slots=True)
class Call:
    """An rpc to make; the generator is sent its answer, or thrown its error."""

    rpc: str
    request: Any


@dataclass(frozen=True, slots=True)
class Pause:
    """Time to let pass."""

    ms: int


Step = Call | Pause
Steps = Generator[Step, Any, T]


class Conversation:
    """What an AM and its RM say to one another, in order, without saying it."""

    def __init__(self, asks: RequestTable, nm_tokens: NMTokenCache) -> None:
        self.asks = asks
        self.nm_tokens = nm_tokens
        self.registration: RegisterApplicationMasterRequest | None = None
        self.amrm_token: Token | None = None
        self._tracking_url: str | None = None

    def register(self, request: RegisterApplicationMasterRequest) -> Steps[RegisterApplicationMasterResponse]:
        """Registers the attempt."""
        self.registration = request
        response: RegisterApplicationMasterResponse = yield Call("registerApplicationMaster", request)
        self.nm_tokens.take(response.nm_tokens_from_previous_attempts)
        self.asks.satisfy_scheduling(response.containers_from_previous_attempts)
        return response

    def set_tracking_url(self, url: str) -> None:
        """Tells the RM of another tracking URL with the next call."""
        self._tracking_url = url

    def allocate(self, progress: float) -> Steps[AllocateResponse]:
        """One heartbeat: says what changed, hears what was granted and what ended."""
        while True:
            tracking_url = self._tracking_url
            request: AllocateRequest = self.asks.next_request(progress, tracking_url)
            try:
                response: AllocateResponse = yield Call("allocate", request)
            except ApplicationMasterNotRegisteredError:
                log.warning("the RM does not know this AM any more: registering again")
                self.asks.resync()
                yield from self._register_again()
                continue
            except BaseException:
                self.asks.refused()
                raise
            self.asks.accept(response)
            self.nm_tokens.take(response.nm_tokens)
            if self._tracking_url == tracking_url:
                self._tracking_url = None
            if response.am_rm_token is not None:
                self.amrm_token = response.am_rm_token
            return response

    def finish(
        self, status: FinalApplicationStatus, diagnostics: str = "", tracking_url: str = ""
    ) -> Steps[None]:
        """Unregisters, and asks until the RM has it in writing: only then may the AM exit."""
        request = FinishApplicationMasterRequest(
            diagnostics=diagnostics, tracking_url=tracking_url, final_application_status=status
        )
        while True:
            try:
                response: FinishApplicationMasterResponse = yield Call("finishApplicationMaster", request)
            except ApplicationMasterNotRegisteredError:
                yield from self._register_again()
                continue
            if response.is_unregistered:
                return
            yield Pause(FINISH_POLL_MS)

    def _register_again(self) -> Steps[None]:
        assert self.registration is not None, "an AM registers before it calls anything else"
        yield from self.register(self.registration)


class AMRMClient:
    """The conversation over gRPC, for asyncio. One call at a time."""

    def __init__(
        self,
        stub: Calls,
        asks: RequestTable | None = None,
        nm_tokens: NMTokenCache | None = None,
        *,
        max_wait_ms: int = MAX_WAIT_MS,
        retry_ms: int = RETRY_MS,
        now_s: Callable[[], float] | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`now_s` and `sleep` are the time, where it is not the event loop's."""
        self.asks = asks or RequestTable()
        self.nm_tokens = nm_tokens or NMTokenCache()
        self._stub = stub
        self._conversation = Conversation(self.asks, self.nm_tokens)
        self._max_wait_ms = max_wait_ms
        self._retry_ms = retry_ms
        self._now_s = now_s or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep
        self._woken = asyncio.Event()

    @property
    def amrm_token(self) -> Token | None:
        """The newest token that the RM has sent; None while the first one is good."""
        return self._conversation.amrm_token

    async def register(
        self,
        host: str,
        rpc_port: int = -1,
        tracking_url: str = "",
        placement_constraints: Iterable[PlacementConstraintMapEntry] = (),
    ) -> RegisterApplicationMasterResponse:
        """Registers the attempt; once, before anything else."""
        request = RegisterApplicationMasterRequest(
            host=host,
            rpc_port=rpc_port,
            tracking_url=tracking_url,
            placement_constraints=tuple(placement_constraints),
        )
        return await self._run(self._conversation.register(request))

    def set_tracking_url(self, url: str) -> None:
        """Tells the RM of another tracking URL with the next call."""
        self._conversation.set_tracking_url(url)

    async def allocate(self, progress: float) -> AllocateResponse:
        """One heartbeat. ApplicationAttemptNotFoundError means that the AM must end."""
        response = await self._run(self._conversation.allocate(progress))
        if response.am_rm_token is not None:
            self._stub.use_token(response.am_rm_token)
        return response

    def wake(self) -> None:
        """Lets the next heartbeat of `responses` come now, because something was asked."""
        self._woken.set()

    async def responses(
        self, interval_ms: int, progress: Callable[[], float]
    ) -> AsyncIterator[AllocateResponse]:
        """Heartbeats without end, one per interval and one whenever somebody wakes it."""
        while True:
            self._woken.clear()
            yield await self.allocate(progress())
            try:
                async with asyncio.timeout(interval_ms / 1000):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def finish(
        self, status: FinalApplicationStatus, diagnostics: str = "", tracking_url: str = ""
    ) -> None:
        """Unregisters; after it the AM may exit."""
        await self._run(self._conversation.finish(status, diagnostics, tracking_url))

    async def close(self) -> None:
        """Closes the connection."""
        await self._stub.close()

    async def _run(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await self._sleep(step.ms / 1000)
                    step = steps.send(None)
                    continue
                try:
                    answer = await self._call(step)
                except YarnError as refusal:
                    step = steps.throw(refusal)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    async def _call(self, call: Call) -> Any:
        """The answer; while nobody answers, the same request again until the time is up."""
        begun_s = self._now_s()
        told_s: float | None = None
        while True:
            try:
                answer = await self._stub.call(call.rpc, call.request)
            except ConnectionFailedError as error:
                now_s = self._now_s()
                if now_s + self._retry_ms / 1000 > begun_s + self._max_wait_ms / 1000:
                    raise
                if told_s is None or now_s - told_s >= TELL_S:
                    log.warning("%s; trying again", error)
                    told_s = now_s
                await self._sleep(self._retry_ms / 1000)
            else:
                if told_s is not None:
                    log.info("%s: answered after %.1f s", call.rpc, self._now_s() - begun_s)
                return answer
