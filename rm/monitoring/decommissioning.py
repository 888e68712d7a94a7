"""Decommissioning nodes: when each of them is ready, or has timed out.

It gets each heartbeat of a decommissioning node, and polls those that are silent. Hadoop:
DecommissioningNodesWatcher.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from yarnbox.rm.events.node import NodeDecommission
from yarnbox.rm.node import RMNode
from yarnbox.yarn.enums import ContainerState
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.tracker import NodeStatus

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

RECENT_MS = 5_000
"""A node heard of within this time is judged at its heartbeats, not by the poll."""


class _Draining:
    """A decommissioning node."""

    __slots__ = ("active_containers", "applications", "heard_ms", "since_ms", "timeout_ms")

    def __init__(self, since_ms: int) -> None:
        self.since_ms = since_ms
        self.heard_ms = since_ms
        self.timeout_ms: int | None = None
        """As its last heartbeat found it: a later change counts from the next one on."""
        self.active_containers = 0
        self.applications: dict[ApplicationId, None] = {}
        """Those that ran there and have not ended."""


class DecommissioningWatcher:
    """Tracks the decommissioning nodes."""

    def __init__(self, context: RMContext) -> None:
        self._context = context
        self._draining: dict[NodeId, _Draining] = {}

    def record_heartbeat(self, node: RMNode, status: NodeStatus) -> None:
        """A heartbeat."""
        if not node.is_decommissioning:
            self._draining.pop(node.node_id, None)
            return
        now_ms = self._context.now_ms
        draining = self._draining.setdefault(node.node_id, _Draining(now_ms))
        draining.heard_ms = now_ms
        draining.timeout_ms = node.decommission_timeout_ms
        draining.applications = dict.fromkeys(node.running_apps)
        draining.active_containers = sum(
            1 for one in status.containers_statuses if one.state is not ContainerState.COMPLETE
        )

    def is_done(self, node: RMNode) -> bool:
        """Whether nothing runs there any more, or its timeout is over."""
        draining = self._draining.get(node.node_id)
        if draining is None or not node.is_decommissioning:
            return False
        is_empty = draining.active_containers == 0 and not self._unfinished(draining)
        return is_empty or self._left_ms(draining) <= 0

    def poll(self) -> None:
        """Run by a monitor: decommissions silent nodes whose timeout is over."""
        context = self._context
        for node_id, draining in list(self._draining.items()):
            node = context.nodes.get(node_id)
            if node is None or not node.is_decommissioning:
                del self._draining[node_id]
            elif context.now_ms - draining.heard_ms >= RECENT_MS and self._left_ms(draining) < 0:
                context.post(NodeDecommission(node_id=node_id))

    def _left_ms(self, draining: _Draining) -> float:
        """How much of its timeout is left."""
        if draining.timeout_ms is None or draining.timeout_ms < 0:
            return inf
        return draining.since_ms + draining.timeout_ms - self._context.now_ms

    def _unfinished(self, draining: _Draining) -> bool:
        apps = self._context.apps
        return any(
            application_id in apps and not apps[application_id].is_in_final_state
            for application_id in draining.applications
        )
