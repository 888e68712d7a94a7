"""TurnCore and TurnContext: one moment a turn, the answer before its consequences, timers in order."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from yarnbox.yarn.runtime.clock import VirtualClock
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import InvalidEventError, Table, to
from yarnbox.yarn.runtime.turns import TurnContext, TurnCore


class Fell(Event, frozen=True, kw_only=True):
    """It fell."""


class Rose(Event, frozen=True, kw_only=True):
    """It rose."""


Fell.family = Fell
Rose.family = Rose


class State(Enum):
    UP = "UP"
    DOWN = "DOWN"


class Thing:
    """What falls once."""

    subject = "thing"

    def __init__(self) -> None:
        self.state = State.UP


TABLE = Table("Thing", initial=State.UP, rows={State.UP: {Fell: to(State.DOWN)}, State.DOWN: {}})


class Context(TurnContext[str]):
    """Orders a word for each invalid event."""

    def report_invalid(self, entity: Any, error: InvalidEventError) -> None:
        self.order(f"invalid for {entity.subject}")


def test_the_answer_is_fixed_before_its_consequences() -> None:
    context = Context()
    core = TurnCore(context, VirtualClock(7))
    heights: list[int] = [1]
    context.dispatcher.register(Fell, lambda _event: heights.append(0))

    def call() -> list[int]:
        context.post(Fell())
        return list(heights)

    assert core.turn(call) == [1]
    assert heights == [1, 0]
    assert context.now_ms == 7


def test_what_a_refused_call_had_posted_happens_all_the_same() -> None:
    context = Context()
    core = TurnCore(context, VirtualClock())
    seen: list[Event] = []
    context.dispatcher.register(Fell, seen.append)

    def call() -> None:
        context.post(Fell())
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        core.turn(call)
    assert len(seen) == 1


def test_due_timers_are_a_turn_each_the_earliest_first() -> None:
    context, clock = Context(), VirtualClock()
    core = TurnCore(context, clock)
    seen: list[type[Event]] = []
    for event in (Fell, Rose):
        context.dispatcher.register(event, lambda event: seen.append(type(event)))
    context.timer_at(20, "rise", Rose())
    context.timer_at(10, "fall", Fell())
    context.timer_at(99, "later", Fell())
    clock.move_to(30)
    core.advance()
    assert seen == [Fell, Rose]
    assert core.next_due_ms() == 99


def test_an_effect_is_handed_out_once() -> None:
    context = Context()
    core = TurnCore(context, VirtualClock())
    core.turn(lambda: context.order("once"))
    assert core.take_effects() == ["once"]
    assert core.take_effects() == []


def test_an_invalid_event_raises_where_it_is_strict_and_is_reported_elsewhere() -> None:
    thing = Thing()
    with pytest.raises(InvalidEventError):
        Context().fire(TABLE, thing, Rose())
    lenient = Context(is_strict=False)
    lenient.fire(TABLE, thing, Rose())
    assert (thing.state, lenient.invalid_events, lenient.effects) == (State.UP, 1, ["invalid for thing"])
