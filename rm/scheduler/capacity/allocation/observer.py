"""Who is told what happens during an allocation pass.

Deciding goes on in the same way whoever listens. Hadoop: ActivitiesLogger.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from yarnbox.yarn.compiled import mypyc_attr

if TYPE_CHECKING:
    from yarnbox.rm.asks import RequestKey
    from yarnbox.rm.container import SchedulerNode
    from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
    from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt


@mypyc_attr(allow_interpreted_subclasses=True)
class PassObserver:
    """The observer of a pass that nobody wants to hear of; others override what they listen to."""

    __slots__ = ()

    def refuse(self, path: str, reason: SkipReason) -> None:
        """The queue of that path gets nothing, and nothing below it was looked at."""

    def refuse_leaf(self, path: str, reason: SkipReason, applications: Iterable[CapacityAttempt]) -> None:
        """A leaf gets nothing; these are the applications that were not looked at."""

    def try_request(self, attempt: CapacityAttempt, key: RequestKey, node: SchedulerNode) -> None:
        """A request is tried on a node: what is noted next concerns these."""

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        """Why the application, or the request that is looked at, got nothing."""


NOBODY = PassObserver()
