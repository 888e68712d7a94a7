"""A turn as those see it who take part in one: RM, NM and ApplicationMaster add what only they know.

It stands apart from yarn.runtime.turns, which is compiled: protocols that derive from this one are not.
"""

from __future__ import annotations

from typing import Any, Protocol

from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import Table
from yarnbox.yarn.runtime.story import Story
from yarnbox.yarn.runtime.timers import Timers


class Turn(Protocol):
    """A turn as a handler sees it."""

    @property
    def now_ms(self) -> int:
        """The moment of the turn, in milliseconds; it stands still until the turn has ended."""
        ...

    @property
    def timers(self) -> Timers[Event]:
        """What happens later."""
        ...

    @property
    def story(self) -> Story:
        """What has happened, line by line."""
        ...

    def post(self, event: Event) -> None:
        """Puts an event at the end of the queue: it is handled later in this turn."""
        ...

    def fire(self, table: Table[Any], entity: Any, event: Event) -> None:
        """Lets `event` happen to `entity` by its table. An invalid one changes nothing."""
        ...
