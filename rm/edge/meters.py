"""How often the RM's services are called and how long they take, for /jmx.

Under the ports that Hadoop's services have, for dashboards know them by these, whichever wire a call came
over. Hadoop: the metrics of the RPC servers, and CapacitySchedulerMetrics where they tell of nodes.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

from yarnbox.rm.core import Core
from yarnbox.yarn.connection.rpc import Caller, Handler
from yarnbox.yarn.http.process_beans import RpcMeter
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.rate import Rate
from yarnbox.yarn.records.tracker import NodeHeartbeatRequest

PERCENTILES = (50, 75, 90, 95, 99)
WINDOW_S = 10.0
_SPARE = 100


class Intervals:
    """Lengths of time, and how they were spread over the last ten seconds that are past. Hadoop:
    MutableQuantiles.
    """

    def __init__(self) -> None:
        self.all = Rate()
        self._begun_s = 0.0
        self._counts: dict[int, int] = {}
        """By whole milliseconds, of the window that is open."""
        self._past: dict[int, int] = {}

    def add(self, spent_ms: float, now_s: float) -> None:
        """Adds a length."""
        self._turn(now_s)
        self.all.add(spent_ms)
        rounded = round(spent_ms)
        self._counts[rounded] = self._counts.get(rounded, 0) + 1

    def quantiles(self, now_s: float) -> tuple[int, dict[int, int]]:
        """How many the last window had, and for each of PERCENTILES the length that so many stay within."""
        self._turn(now_s)
        count = sum(self._past.values())
        found = dict.fromkeys(PERCENTILES, 0)
        seen, wanted = 0, list(PERCENTILES)
        for length in sorted(self._past):
            seen += self._past[length]
            while wanted and seen * 100 >= wanted[0] * count:
                found[wanted.pop(0)] = length
        return count, found

    def _turn(self, now_s: float) -> None:
        past_s = now_s - self._begun_s
        if past_s >= WINDOW_S:
            self._past = self._counts if past_s < 2 * WINDOW_S else {}
            self._counts = {}
            self._begun_s = now_s


class Meters:
    """The meters of one RM."""

    def __init__(self, core: Core) -> None:
        self._context = core.context
        self.client = RpcMeter("ApplicationClientProtocolService", 8032)
        self.admin = RpcMeter("ResourceManagerAdministrationProtocolService", 8033)
        self.master = RpcMeter("ApplicationMasterProtocolService", 8030)
        self.tracker = RpcMeter("ResourceTrackerService", 8031)
        self.intervals = Intervals()
        """Between two heartbeats of one node."""
        self.allocations = Rate()
        """Heartbeats in which containers were allocated."""
        self._beats_s: dict[NodeId, float] = {}

    def all(self) -> list[RpcMeter]:
        """In the order of their ports."""
        return [self.master, self.tracker, self.client, self.admin]

    def of_nodes(self, handler: Handler) -> Handler:
        """The tracker's handler, which also records every heartbeat's interval."""

        def handle(rpc: str, request: Any, caller: Caller) -> object:
            if rpc != "nodeHeartbeat":
                return handler(rpc, request, caller)
            begun_s, before = perf_counter(), self._context.health.assigned
            self._record_interval(request, begun_s)
            answer = handler(rpc, request, caller)
            if self._context.health.assigned != before:
                self.allocations.add((perf_counter() - begun_s) * 1000)
            return answer

        return handle

    def _record_interval(self, request: NodeHeartbeatRequest, now_s: float) -> None:
        node_id = request.node_status.node_id if request.node_status is not None else None
        if node_id is not None:
            before_s = self._beats_s.get(node_id)
            self._beats_s[node_id] = now_s
            if len(self._beats_s) > 2 * len(self._context.nodes) + _SPARE:
                self._forget_the_gone()
            if before_s is not None:
                self.intervals.add((now_s - before_s) * 1000, now_s)

    def _forget_the_gone(self) -> None:
        """A node that comes back comes at another port, as often as not."""
        nodes = self._context.nodes
        self._beats_s = {one: beat_s for one, beat_s in self._beats_s.items() if one in nodes}
