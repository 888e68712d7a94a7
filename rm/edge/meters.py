"""How often the RM's services are called and how long they take, for /jmx.

Under the ports that Hadoop's services have, for dashboards know them by these, whichever wire a call came
over. Answers for the metrics of the RPC servers, and for CapacitySchedulerMetrics where they tell of nodes.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from rm.core import Core
from yarn.ids import NodeId
from yarn.process_beans import RpcMeter
from yarn.rate import Rate
from yarn.records.tracker import NodeHeartbeatRequest
from yarn.rpc import Caller, Handler


class Meters:
    """The meters of one RM."""

    def __init__(self, core: Core) -> None:
        self._health = core.context.health
        self.client = RpcMeter("ClientRMService", 8032)
        self.admin = RpcMeter("AdminService", 8033)
        self.master = RpcMeter("ApplicationMasterService", 8030)
        self.tracker = RpcMeter("ResourceTrackerService", 8031)
        self.intervals = Rate()
        """Between two heartbeats of one node."""
        self.allocations = Rate()
        """Heartbeats in which containers were allocated."""
        self._beats_s: dict[NodeId, float] = {}

    def all(self) -> list[RpcMeter]:
        """In the order of their ports."""
        return [self.master, self.tracker, self.client, self.admin]

    def of_nodes(self, handler: Handler) -> Handler:
        """The tracker's handler, and a look at every heartbeat."""

        def handle(rpc: str, request: Any, caller: Caller) -> Any:
            if rpc != "nodeHeartbeat":
                return handler(rpc, request, caller)
            begun_s, before = perf_counter(), self._health.assigned
            self._note_interval(request, begun_s)
            answer = handler(rpc, request, caller)
            if self._health.assigned != before:
                self.allocations.add((perf_counter() - begun_s) * 1000)
            return answer

        return handle

    def _note_interval(self, request: NodeHeartbeatRequest, now_s: float) -> None:
        node_id = request.node_status.node_id if request.node_status is not None else None
        if node_id is not None:
            before_s = self._beats_s.get(node_id)
            self._beats_s[node_id] = now_s
            if before_s is not None:
                self.intervals.add((now_s - before_s) * 1000)
