"""A ResourceManager that goes away and comes back, and one that was never there."""

from __future__ import annotations

from typing import Any

import pytest

from client.retry import RetryingRpc
from client.yarn_client import Polling
from yarn.clock import VirtualClock
from yarn.errors import AccessControlError
from yarn.rpc import ConnectionFailedError


class Outcomes:
    """A peer with one outcome for each call; the last one stays."""

    def __init__(self, *outcomes: Any) -> None:
        self._outcomes = list(outcomes)
        self.calls = 0

    def call(self, rpc: str, request: Any) -> Any:
        self.calls += 1
        outcome = self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


GONE = ConnectionFailedError("gone")


def retrying(peer: Outcomes, timeout_ms: int) -> tuple[RetryingRpc, VirtualClock]:
    clock = VirtualClock()

    def sleep(seconds: float) -> None:
        clock.move_to(clock.now_ms() + round(seconds * 1000))

    return RetryingRpc(peer, Polling(clock, sleep, 500, timeout_ms)), clock


def test_who_never_answered_is_given_up_at_once() -> None:
    peer = Outcomes(GONE)
    rpc, clock = retrying(peer, 10_000)
    with pytest.raises(ConnectionFailedError):
        rpc.call("x", None)
    assert (peer.calls, clock.now_ms()) == (1, 0)


def test_who_went_away_is_asked_until_it_is_back() -> None:
    peer = Outcomes("one", GONE, GONE, "two")
    rpc, clock = retrying(peer, 10_000)
    assert [rpc.call("x", None), rpc.call("x", None)] == ["one", "two"]
    assert (peer.calls, clock.now_ms()) == (4, 1000)


def test_not_for_ever() -> None:
    peer = Outcomes("one", GONE)
    rpc, clock = retrying(peer, 2000)
    rpc.call("x", None)
    with pytest.raises(ConnectionFailedError):
        rpc.call("x", None)
    assert (peer.calls, clock.now_ms()) == (6, 2000)


def test_a_refusal_is_an_answer() -> None:
    rpc, clock = retrying(Outcomes(AccessControlError("no"), GONE, "two"), 2000)
    with pytest.raises(AccessControlError):
        rpc.call("x", None)
    assert clock.now_ms() == 0
    assert rpc.call("x", None) == "two"
