"""Calls that outlive a restart of the ResourceManager.

A peer that cannot be reached is asked again as often and as long as yarn.resourcemanager.connect.* say: one
that has answered before, and one that is expected to be there (yarn/connection/failover.py). Of any other one
the caller learns at once. Hadoop: RMProxy's retry policy, which Hadoop applies to every first call.
"""

from __future__ import annotations

import logging
import random
from typing import Any

from yarnbox.client.yarn_client import Polling, Rpc
from yarnbox.yarn.connection.failover import FailoverSettings
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.basics import Record

log = logging.getLogger("client.RMProxy")


class RetryingRpc:
    """One service of a peer, asked again while the peer is away. `patience` says how often and how long."""

    def __init__(
        self,
        rpc: Rpc,
        patience: Polling,
        *,
        is_expected: bool = False,
        several: FailoverSettings | None = None,
    ) -> None:
        """`is_expected`: the peer is there, or about to be. `several`: it is one of several, which `rpc`
        tries in turn.
        """
        self._rpc = rpc
        self._several = several
        self._patience = patience
        self._has_answered = is_expected

    def call(self, rpc: str, request: Record) -> Any:
        """The response record; the refusals of the peer go through, and so does its absence in the end."""
        gone_since_ms: int | None = None
        tries = 0
        while True:
            try:
                answer = self._rpc.call(rpc, request)
                self._has_answered = True
                if gone_since_ms is not None:
                    log.warning("the ResourceManager answers again")
                return answer
            except YarnError:
                self._has_answered = True
                raise
            except ConnectionFailedError as error:
                now_ms = self._patience.clock.now_ms()
                is_first = gone_since_ms is None
                gone_since_ms = now_ms if gone_since_ms is None else gone_since_ms
                tries += 1
                pause_ms, limit_ms = self._pause_ms(tries), self._patience.timeout_ms
                if limit_ms >= 0:
                    pause_ms = min(pause_ms, limit_ms - (now_ms - gone_since_ms))
                if not self._has_answered or pause_ms <= 0 <= limit_ms or self._is_over(tries):
                    raise
                if is_first:
                    log.warning("%s; %s", error, self._announcement())
                self._patience.sleep(pause_ms / 1000)

    def _pause_ms(self, tries: int) -> int:
        if self._several is None:
            return self._patience.interval_ms
        return self._several.pause_ms(tries, self._patience.interval_ms, random.random)

    def _is_over(self, tries: int) -> bool:
        return self._several is not None and 0 <= self._several.max_attempts < tries

    def _announcement(self) -> str:
        limit_ms = self._patience.timeout_ms
        limit = "without end" if limit_ms < 0 else f"for {limit_ms / 1000:g} s at most"
        if self._several is not None:
            return f"trying all ResourceManagers again, {limit}"
        return f"trying again every {self._patience.interval_ms / 1000:g} s, {limit}"
