"""What every core has at hand during a turn: the moment, events, timers, effects, the story.

A turn is one call in, one answer out, then every event that the call caused, in order. ResourceManager,
NodeManager and MapReduce's ApplicationMaster each have a context of their own that begins here and adds what
only they know. Parts that need no more than this ask for a `Turn` (yarn.runtime.turn).
"""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.dispatcher import Dispatcher
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import InvalidEventError, Table
from yarnbox.yarn.runtime.story import Story
from yarnbox.yarn.runtime.timers import Timers

T = TypeVar("T")
EffectT = TypeVar("EffectT")


@mypyc_attr(allow_interpreted_subclasses=True)
class TurnContext(ABC, Generic[EffectT]):
    """The `Turn` of one core. When it is strict an invalid event raises, as in tests and in virtual time; the
    processes report it, count it and go on, as YARN does.
    """

    def __init__(self, *, now_ms: int = 0, is_strict: bool = True) -> None:
        self.is_strict = is_strict
        self.now_ms = now_ms
        self.dispatcher = Dispatcher()
        self.timers: Timers[Event] = Timers()
        self.story = Story()
        self.effects: list[EffectT] = []
        self.invalid_events = 0

    def post(self, event: Event) -> None:
        """Puts an event at the end of the queue: it is handled later in this turn."""
        self.dispatcher.post(event)

    def order(self, effect: EffectT) -> None:
        """Asks something of the world; it is carried out after this turn."""
        self.effects.append(effect)

    def timer_at(self, due_ms: int, key: Hashable, event: Event) -> None:
        """Lets `event` happen at `due_ms`, in place of what was set under `key` before."""
        self.timers.at(due_ms, key, event)

    def fire(self, table: Table[Any], entity: Any, event: Event) -> None:
        """Lets `event` happen to `entity` by its table. An invalid one changes nothing."""
        try:
            table.fire(entity, event, self.now_ms, self.story)
        except InvalidEventError as error:
            if self.is_strict:
                raise
            self.invalid_events += 1
            self.report_invalid(entity, error)
        except Exception as error:
            if self.is_strict:
                raise
            self.report_failed(entity, event, error)

    def report_failed(self, entity: Any, event: Event, error: Exception) -> None:
        """What an event was to do raised. Hadoop's dispatchers log it and go on: other events wait."""
        logging.getLogger("turns").error(
            "%s failed at %s", type(event).__name__, getattr(entity, "subject", entity), exc_info=error
        )

    @abstractmethod
    def report_invalid(self, entity: Any, error: InvalidEventError) -> None:
        """Tells the operator of an event that its entity's table does not have."""


@mypyc_attr(allow_interpreted_subclasses=True)
class TurnCore(Generic[EffectT]):
    """A deterministic core: calls in, answers and effects out. Who drives it gives it a clock, carries out
    its effects after each turn, and calls `advance` when `next_due_ms` has come.
    """

    def __init__(self, turns: TurnContext[EffectT], clock: Clock) -> None:
        self.clock = clock
        self._turns = turns

    def turn(self, call: Callable[[], T]) -> T:
        """One call, and then all that it caused. The answer is fixed before the first event is handled."""
        self._turns.now_ms = self.clock.now_ms()
        try:
            return call()
        finally:
            self._turns.dispatcher.drain()
            self.end_turn()

    def end_turn(self) -> None:
        """What follows the last event of every turn."""

    def tell(self, *events: Event) -> None:
        """A turn in which these events happen, in this order."""

        def post() -> None:
            for event in events:
                self._turns.post(event)

        self.turn(post)

    def advance(self, after_each: Callable[[], None] | None = None) -> None:
        """One turn for each timer that is due, the earliest first; that is called after each of them."""
        now_ms = self.clock.now_ms()
        while (event := self._turns.timers.pop_due(now_ms)) is not None:
            self.tell(event)
            if after_each is not None:
                after_each()

    def next_due_ms(self) -> int | None:
        """When the next timer is due; None when there is none."""
        return self._turns.timers.next_due_ms()

    def take_effects(self) -> list[EffectT]:
        """What the world is to do, in this order; each is handed out once."""
        effects, self._turns.effects = self._turns.effects, []
        return effects
