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
    """The outcome of one request: on one node or, without a node, on all of them."""

    key: RequestKey
    state: str
    diagnostic: str = ""
    node_id: NodeId | None = None
    container_id: str = NO_CONTAINER
    reason: Reason | None = None
    """Why the allocator refused it; None where it did not."""


@dataclass(slots=True, kw_only=True)
class AppAllocation:
    """One scheduling attempt for one application. Hadoop: AppAllocation."""

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
        """The state of the attempt as a whole: only a limit makes it REJECTED; a re-reservation counts as
        skipped.
        """
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
    """A queue in an allocation pass: its outcome and those of its children."""

    path: str
    state: str
    diagnostic: str = ""
    queues: list[QueueActivity] = field(default_factory=list)
    applications: list[AppAllocation] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class NodeAllocation:
    """One allocation pass for a node."""

    node_id: NodeId | None
    """None where several nodes are looked at together."""
    now_ms: int
    partition: str
    root: QueueActivity
    state: str = "SKIPPED"
    container_id: str = NO_CONTAINER


class BulkActivities:
    """A number of consecutive passes, for whichever nodes (Hadoop: bulk activities)."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.passes: list[tuple[NodeId, list[NodeAllocation]]] = []

    @property
    def is_complete(self) -> bool:
        """Whether all of them were recorded."""
        return len(self.passes) >= self.count


class ActivityRecords(Protocol):
    """Requests to record a scheduler's allocation passes, and the records."""

    def record_node(self, node_id: NodeId | None) -> None:
        """Records the next pass for that node, or for any node."""

    def record_many(self, count: int) -> BulkActivities:
        """Records the next `count` passes, for whichever nodes."""

    def forget_many(self, bulk: BulkActivities) -> None:
        """Stops the recording: its client has gone away."""

    def record_application(self, application_id: ApplicationId, span_ms: int) -> None:
        """Records every scheduling attempt for a running application, for `span_ms`."""

    def is_living(self, application_id: ApplicationId) -> bool:
        """Whether the application is known and has not ended."""

    def of_node(self, node_id: NodeId | None) -> list[NodeAllocation] | None:
        """The last recorded pass for a node, or for any; None when there is none yet."""

    def of_application(self, application_id: ApplicationId) -> list[AppAllocation] | None:
        """All stored scheduling attempts for it, oldest first; None when there are none."""
