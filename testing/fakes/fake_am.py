"""An ApplicationMaster that does only what the test says, speaking gRPC to an RM, real or fake.

It counts its response ids and keeps the NM tokens that it is given; everything else, wrong ids included, is
the test's to say. Whoever wants a client that behaves has `am.rm_client`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from yarnbox.testing.patience import PATIENCE_S
from yarnbox.yarn.connection.rpc import Stub
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
    RegisterApplicationMasterResponse,
)
from yarnbox.yarn.records.request import PlacementConstraintMapEntry, ResourceRequest, SchedulingRequest
from yarnbox.yarn.records.tokens import Token

MASTER_SERVICE = "ApplicationMasterProtocolService"
_PAUSE_S = 0.01


class FakeApplicationMaster:
    """One attempt's AM, at the RM's address, with the AMRM token of the attempt."""

    def __init__(self, address: str, token: Token) -> None:
        self._stub = Stub(address, MASTER_SERVICE, token=token)
        self.response_id = 0
        """The id of the last answer; a test may set another one to see it refused."""
        self.nm_tokens: dict[NodeId, Token] = {}

    async def register(
        self, host: str = "h", constraints: tuple[PlacementConstraintMapEntry, ...] = ()
    ) -> RegisterApplicationMasterResponse:
        """Registers, with placement constraints by tag if there are any."""
        request = RegisterApplicationMasterRequest(host=host, rpc_port=-1, placement_constraints=constraints)
        response: RegisterApplicationMasterResponse = await self._stub.call(
            "registerApplicationMaster", request
        )
        return response

    async def allocate(
        self,
        *asks: ResourceRequest,
        release: tuple[ContainerId, ...] = (),
        progress: float = 0.5,
        scheduling: tuple[SchedulingRequest, ...] = (),
    ) -> AllocateResponse:
        """One allocate; raises the YarnError that the RM refuses it with."""
        request = AllocateRequest(
            ask=asks,
            release=release,
            response_id=self.response_id,
            progress=progress,
            scheduling_requests=scheduling,
        )
        response: AllocateResponse = await self._stub.call("allocate", request)
        self.response_id = response.response_id or 0
        for one in response.nm_tokens:
            if one.node_id is not None and one.token is not None:
                self.nm_tokens[one.node_id] = one.token
        return response

    async def until(
        self,
        condition: Callable[[AllocateResponse], object],
        meanwhile: Callable[[], Awaitable[object]] | None = None,
    ) -> AllocateResponse:
        """Allocates until an answer is what the test waits for; `meanwhile` may let a node beat.
        TimeoutError.
        """
        async with asyncio.timeout(PATIENCE_S):
            while not condition(response := await self.allocate()):
                if meanwhile is not None:
                    await meanwhile()
                await asyncio.sleep(_PAUSE_S)
        return response

    async def finish(self, status: FinalApplicationStatus = FinalApplicationStatus.SUCCEEDED) -> None:
        """Unregisters; the RM confirms with the second call at the latest. TimeoutError."""
        request = FinishApplicationMasterRequest(final_application_status=status)
        async with asyncio.timeout(PATIENCE_S):
            while not (await self._stub.call("finishApplicationMaster", request)).is_unregistered:
                await asyncio.sleep(_PAUSE_S)

    async def close(self) -> None:
        """Hangs up."""
        await self._stub.close()
