"""Registration and the beat: the core's requests to the RM, the RM's answers to the core, at the right
moments.

Owns when: at once when the core asks for it, else after the interval the RM named; how long to try to reach
an RM that does not answer. What is said stands in nm/reporting/status.py. Hadoop: the threads of
NodeStatusUpdaterImpl and ServerRMProxy.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from yarnbox.nm.reporting.status import NodeStatusUpdater
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.connection.failover import Calls
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.runtime.driver import Turn

log = logging.getLogger("nm.heartbeats")

RETRY_S = 0.5
"""The pause after a heartbeat that failed, at first: an RM that comes back should not have to wait."""


def retry_pause_s(interval_s: float, failures: int) -> float:
    """The pause after so many heartbeats in a row that failed: an RM that has too much to do is not helped by
    heartbeats that are more frequent than they should be.
    """
    return min(interval_s, RETRY_S * 2.0 ** min(failures - 1, 10))


class UnreachableError(Exception):
    """The RM did not answer for as long as it is allowed to stay away."""


class Heartbeats:
    """One node's conversation with the RM."""

    def __init__(
        self,
        stub: Calls,
        status: NodeStatusUpdater,
        turn: Turn,
        settings: NMSettings,
        *,
        first_delay_s: float = 0.0,
    ) -> None:
        self._stub = stub
        self._status = status
        self._turn = turn
        self._settings = settings
        self._first_delay_s = first_delay_s
        self._wake = asyncio.Event()
        self._must_register = True
        self._failures = 0
        self.is_registered = asyncio.Event()
        self.beats = 0
        """Heartbeats that were answered."""

    def wake(self) -> None:
        """Lets the next heartbeat go out now."""
        self._wake.set()

    def register_again(self) -> None:
        """Registers before the next heartbeat."""
        self._must_register = True
        self._wake.set()

    async def run(self) -> None:
        """Registers and beats until it is cancelled, or the core is told to shut down."""
        if self._first_delay_s:
            await asyncio.sleep(self._first_delay_s)
        while True:
            if self._must_register:
                if not await self._register():
                    return
                self.is_registered.set()
                self._wake.set()
            await self._pause(self._status.heartbeat_interval_ms / 1000)
            if not self._must_register:
                await self._beat()

    async def unregister(self) -> None:
        """Says good-bye, if there is a need to; an RM that is gone is none."""
        request = self._turn(self._status.unregister_request)
        if request is None or self._must_register:
            return
        try:
            await self._stub.call("unRegisterNodeManager", request, timeout_s=2.0)
        except (RpcError, YarnError) as error:
            log.warning("Unregistration of the node failed: %s", error)

    async def _pause(self, seconds: float) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, self._wake.set)
        try:
            await self._wake.wait()
        finally:
            timer.cancel()
            self._wake.clear()

    async def _register(self) -> bool:
        """Registers, however long the RM takes to appear; whether the node may go on."""
        self._must_register = False
        loop = asyncio.get_running_loop()
        longest_ms = self._settings.nm_connect_maximum_wait_ms
        deadline = None if longest_ms < 0 else loop.time() + longest_ms / 1000
        said = False
        pause_s = 0.05
        while True:
            request = self._turn(self._status.register_request)
            try:
                response = await self._stub.call("registerNodeManager", request)
                return bool(self._turn(partial(self._status.registered, response)))
            except (RpcError, YarnError) as error:
                if deadline is not None and loop.time() >= deadline:
                    raise UnreachableError(f"the ResourceManager cannot be reached: {error}") from error
                if not said:
                    log.warning("waiting for the ResourceManager: %s", error)
                    said = True
            begun, asked_s = loop.time(), min(pause_s, self._settings.nm_connect_retry_interval_ms / 1000)
            await asyncio.sleep(asked_s)
            if deadline is not None:  # time in which this process stood still does not count
                deadline += loop.time() - begun - asked_s
            pause_s = min(2 * pause_s, RETRY_S)  # an RM that starts with us is there in a moment

    async def _beat(self) -> None:
        request = self._turn(self._status.heartbeat_request)
        try:
            response = await self._stub.call("nodeHeartbeat", request)
        except (RpcError, YarnError) as error:
            log.warning("heartbeat failed: %s", error)
            self._turn(self._status.heartbeat_failed)
            self._failures += 1
            await self._pause(retry_pause_s(self._status.heartbeat_interval_ms / 1000, self._failures))
            self._wake.set()
            return
        self._failures = 0
        self.beats += 1
        self._turn(lambda: self._status.heartbeat_answered(response))
