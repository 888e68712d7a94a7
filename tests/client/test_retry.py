"""A ResourceManager that goes away and comes back, and one that was never there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from yarnbox.client.retry import RetryingRpc
from yarnbox.client.yarn_client import Polling
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.failover import MAX_WAIT_PROPERTY, PID_FILE_PROPERTY, is_rm_expected
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.errors import AccessControlError
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.runtime.clock import VirtualClock


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


def retrying(
    peer: Outcomes, timeout_ms: int, *, is_expected: bool = False
) -> tuple[RetryingRpc, VirtualClock]:
    clock = VirtualClock()

    def sleep(seconds: float) -> None:
        clock.move_to(clock.now_ms() + round(seconds * 1000))

    return RetryingRpc(peer, Polling(clock, sleep, 500, timeout_ms), is_expected=is_expected), clock


def test_who_never_answered_is_given_up_at_once() -> None:
    peer = Outcomes(GONE)
    rpc, clock = retrying(peer, 10_000)
    with pytest.raises(ConnectionFailedError):
        rpc.call("x", Record())
    assert (peer.calls, clock.now_ms()) == (1, 0)


def test_who_is_expected_is_asked_until_it_is_there() -> None:
    peer = Outcomes(GONE, GONE, "one")
    rpc, clock = retrying(peer, 10_000, is_expected=True)
    assert rpc.call("x", Record()) == "one"
    assert (peer.calls, clock.now_ms()) == (3, 1000)


def test_an_rm_is_expected_where_its_pid_is_or_where_waiting_is_asked_for(tmp_path: Path) -> None:
    pid_file = tmp_path / "rm.pid"
    named = {PID_FILE_PROPERTY: str(pid_file), MAX_WAIT_PROPERTY: "1"}
    assert not is_rm_expected(Configuration.of({}))
    assert is_rm_expected(Configuration.of({MAX_WAIT_PROPERTY: "1"}))
    assert not is_rm_expected(Configuration.of(named))
    pid_file.touch()
    assert is_rm_expected(Configuration.of(named))


def test_who_went_away_is_asked_until_it_is_back() -> None:
    peer = Outcomes("one", GONE, GONE, "two")
    rpc, clock = retrying(peer, 10_000)
    assert [rpc.call("x", Record()), rpc.call("x", Record())] == ["one", "two"]
    assert (peer.calls, clock.now_ms()) == (4, 1000)


def test_an_outage_is_told_once_with_what_is_done_about_it(caplog: pytest.LogCaptureFixture) -> None:
    rpc, _ = retrying(Outcomes("one", GONE, GONE, "two"), 10_000)
    rpc.call("x", Record())
    with caplog.at_level("WARNING", "client"):
        rpc.call("x", Record())
    assert caplog.messages == [
        "gone; trying again every 0.5 s, for 10 s at most",
        "the ResourceManager answers again",
    ]


def test_not_for_ever() -> None:
    peer = Outcomes("one", GONE)
    rpc, clock = retrying(peer, 2000)
    rpc.call("x", Record())
    with pytest.raises(ConnectionFailedError):
        rpc.call("x", Record())
    assert (peer.calls, clock.now_ms()) == (6, 2000)


def test_a_pause_ends_with_the_patience() -> None:
    rpc, clock = retrying(Outcomes(GONE), 20, is_expected=True)
    with pytest.raises(ConnectionFailedError):
        rpc.call("x", Record())
    assert clock.now_ms() == 20


def test_a_refusal_is_an_answer() -> None:
    rpc, clock = retrying(Outcomes(AccessControlError("no"), GONE, "two"), 2000)
    with pytest.raises(AccessControlError):
        rpc.call("x", Record())
    assert clock.now_ms() == 0
    assert rpc.call("x", Record()) == "two"
