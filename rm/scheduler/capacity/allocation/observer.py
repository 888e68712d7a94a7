"""The observer of an allocation pass.

Decisions do not depend on the observer. Hadoop: ActivitiesLogger.
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
    """An observer that ignores everything; subclasses override what they record."""

    __slots__ = ()

    def refuse(self, path: str, reason: SkipReason) -> None:
        """The queue of that path is refused; nothing below it was tried."""

    def refuse_leaf(self, path: str, reason: SkipReason, applications: Iterable[CapacityAttempt]) -> None:
        """A leaf is refused; these are its applications that were not tried."""

    def try_request(self, attempt: CapacityAttempt, key: RequestKey, node: SchedulerNode) -> None:
        """A request is tried on a node: the reasons noted next concern it."""

    def note(self, attempt: CapacityAttempt, reason: SkipReason) -> None:
        """Why the application, or the request that is being tried, was allocated nothing."""


NOBODY = PassObserver()
