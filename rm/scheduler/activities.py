"""The records of allocation passes that a scheduler shows, and how they are asked for.

Hadoop: NodeAllocation, AppAllocation, ActivityNode and the questions to ActivitiesManager.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.scheduler.checks import Reason
from yarnbox.yarn.ids import ApplicationId, NodeId

NO_CONTAINER = "Container-Id-Not-Assigned"


@dataclass(slots=True, kw_only=True)
class RequestActivity:
    """What became of a request: on one node, or, without one, on any."""

    key: RequestKey
    state: str
    diagnostic: str = ""
    node_id: NodeId | None = None
    container_id: str = NO_CONTAINER
    reason: Reason | None = None
    """Why the allocator refused it; None where it did not."""


@dataclass(slots=True, kw_only=True)
class AppAllocation:
    """One look at one application."""

    application_id: ApplicationId
    node_id: NodeId | None
    """None where several nodes are looked at together."""
    now_ms: int
    queue: str
    app_priority: int
    state: str = "SKIPPED"
    """What came last."""
    diagnostic: str = ""
    """What concerns the application as a whole."""
    reason: Reason | None = None
    """Why none of its requests was looked at; None where one was."""
    remarks: list[RequestActivity] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """The state of the look as a whole: only a limit rejects it, and a node kept anew is no news."""
        if self.state in ("ALLOCATED", "RESERVED") or self.diagnostic:
            return self.state
        return "SKIPPED"

    def by_request(self) -> Iterator[tuple[RequestKey, list[RequestActivity]]]:
        """The remarks on each request, in the order of their first mention."""
        found: dict[RequestKey, list[RequestActivity]] = {}
        for remark in self.remarks:
            found.setdefault(remark.key, []).append(remark)
        yield from found.items()


@dataclass(slots=True, kw_only=True)
class QueueActivity:
    """A queue in a pass: what became of it, and of what is below."""

    path: str
    state: str
    diagnostic: str = ""
    queues: list[QueueActivity] = field(default_factory=list)
    applications: list[AppAllocation] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class NodeAllocation:
    """One pass for a node."""

    node_id: NodeId | None
    """None where several nodes are looked at together."""
    now_ms: int
    partition: str
    root: QueueActivity
    state: str = "SKIPPED"
    container_id: str = NO_CONTAINER


class BulkActivities:
    """So many passes, whichever nodes they are for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.passes: list[tuple[NodeId, list[NodeAllocation]]] = []

    @property
    def is_complete(self) -> bool:
        """Whether all of them were recorded."""
        return len(self.passes) >= self.count


class ActivityRecords(Protocol):
    """What a scheduler lets others record of its passes, and read."""

    def record_node(self, node_id: NodeId | None) -> None:
        """The next pass for a node is to be recorded, or for any."""

    def record_many(self, count: int) -> BulkActivities:
        """The next passes, whichever nodes they are for."""

    def forget_many(self, bulk: BulkActivities) -> None:
        """Nobody waits for these any more."""

    def record_application(self, application_id: ApplicationId, span_ms: int) -> None:
        """Every look at a living application from now on, for so long."""

    def is_living(self, application_id: ApplicationId) -> bool:
        """Whether the application is known, and its end is not."""

    def of_node(self, node_id: NodeId | None) -> list[NodeAllocation] | None:
        """The last recorded pass for a node, or for any; None when there is none yet."""

    def of_application(self, application_id: ApplicationId) -> list[AppAllocation] | None:
        """Every look that is kept, oldest first; None when there is none."""
