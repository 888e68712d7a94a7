"""What a container uses: its turn, tokens, and its observers.

Apart from rm/container.py because the contexts of other parts derive from it: one that is compiled could
not be derived from by those that are not. Containers are Any here: rm/container.py imports this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from yarnbox.rm.booking import Booking
from yarnbox.rm.ports import RMTurn
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.tokens import Token


class ContainerTokens(Protocol):
    """Issues the tokens of containers. In virtual time none are checked and none are issued."""

    def container_token(self, container: Any, user: str, now_ms: int) -> Token | None:
        """A container token for the container's present version."""
        ...


class ContainerContext(RMTurn, Protocol):
    """What a container uses beside its turn."""

    @property
    def tokens(self) -> ContainerTokens: ...

    @property
    def container_watchers(self) -> list[Callable[[Any], None]]:
        """Is notified of each container that enters or leaves a queue's books, and of each that has ended."""
        ...

    @property
    def bookings(self) -> list[Callable[[Booking], None]]:
        """Is notified of each booking."""
        ...

    def log_aggregation_context(self, application_id: ApplicationId) -> LogAggregationContext | None:
        """How the application's submitter wants its logs collected."""
        ...
