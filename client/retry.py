"""Calls that outlive a restart of the ResourceManager.

A peer that has answered once is asked again while it cannot be reached, as often and as long as
yarn.resourcemanager.connect.* say. One that never answered is not there: whoever called learns of it at once.
Answers for RMProxy's retry policy, which Hadoop also applies to the first call.
"""

from __future__ import annotations

import logging
from typing import Any

from client.yarn_client import Polling, Rpc
from yarn.errors import YarnError
from yarn.rpc import ConnectionFailedError

log = logging.getLogger("client.RMProxy")


class RetryingRpc:
    """One service of a peer, asked again while the peer is away. `patience` says how often and how long."""

    def __init__(self, rpc: Rpc, patience: Polling) -> None:
        self._rpc = rpc
        self._patience = patience
        self._has_answered = False

    def call(self, rpc: str, request: Any) -> Any:
        """The response record; the refusals of the peer go through, and so does its absence in the end."""
        gone_since_ms: int | None = None
        while True:
            try:
                answer = self._rpc.call(rpc, request)
                self._has_answered = True
                return answer
            except YarnError:
                self._has_answered = True
                raise
            except ConnectionFailedError as error:
                now_ms = self._patience.clock.now_ms()
                gone_since_ms = now_ms if gone_since_ms is None else gone_since_ms
                if not self._has_answered or 0 <= self._patience.timeout_ms <= now_ms - gone_since_ms:
                    raise
                log.info("%s; trying again", error)
                self._patience.sleep(self._patience.interval_ms / 1000)
