"""Walks: a few of them, the same from the same seed, and able to notice what is broken."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Iterator
from typing import Any

import pytest

from yarnbox.rm.context import RMContext
from yarnbox.rm.effects import StoreState
from yarnbox.testing.walk.command import main
from yarnbox.testing.walk.journey import Step, draw, shorten, walk

SHORT = 14


@pytest.fixture(autouse=True)
def _quiet_log() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_a_walk_of_any_seed_keeps_every_promise() -> None:
    seed = secrets.randbelow(10**9)
    outcome = walk(seed, ("capacity", "fifo")[seed % 2], draw(seed)[:SHORT])
    assert not outcome.fault, f"python -m yarnbox.testing.walk --seed {seed}: {outcome.fault}"


def test_one_seed_is_one_walk() -> None:
    first, second = (walk(11, "fifo", draw(11, SHORT)) for _ in range(2))
    assert (first.digest, first.events, first.fault) == (second.digest, second.events, "")
    assert first.events > 20


def test_a_submission_that_is_answered_and_not_stored_is_noticed_and_the_walk_made_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def store(self: RMContext, key: Any, value: Any, acknowledgement: Any) -> None:
        if key[0] != "application":
            self.order(StoreState(key=key, value=value(), acknowledgement=acknowledgement))
        elif acknowledgement is not None:
            self.post(acknowledgement)

    monkeypatch.setattr(RMContext, "store", store)
    steps = [
        Step(1000, "weather", (0, 0, 0, 0)),
        Step(1000, "submit", (3, 0, 29, 1)),
        Step(5000, "kill-rm", (100, 0, 0, 0)),
        Step(5000, "look", ()),
    ]
    outcome = walk(1, "fifo", steps)
    assert "was acknowledged and is unknown" in outcome.fault
    assert [step.verb for step in shorten(1, "fifo", steps, outcome.kind)] == ["submit", "kill-rm"]


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yarnbox.testing.walk.journey.STEPS", 3)
    assert main(["--seeds", "2", "--seed", "5", "-v"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("walk: seeds from 5\nseed 5 fifo: ")
    assert "walk: 2 walks, " in out
    with pytest.raises(SystemExit):
        main(["--seeds", "0"])
    assert "0 is not 1 or more" in capsys.readouterr().err
