"""The log aggregation status of one application: of each node and of the whole.

Hadoop: RMAppLogAggregation.
"""

from __future__ import annotations

from yarnbox.rm.ports import RMTurn
from yarnbox.yarn.enums import LogAggregationStatus
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.tracker import LogAggregationReport

FINAL = (LogAggregationStatus.SUCCEEDED, LogAggregationStatus.FAILED, LogAggregationStatus.TIME_OUT)


class LogAggregation:
    """The log aggregation status of an application, by node."""

    __slots__ = ("_context", "_ended_ms", "diagnostics", "failures", "statuses")

    def __init__(self, context: RMTurn) -> None:
        self._context = context
        self._ended_ms: int | None = None
        self.statuses: dict[NodeId, LogAggregationStatus] = {}
        self.diagnostics: dict[NodeId, list[str]] = {}
        """What each node said last, oldest first."""
        self.failures: dict[NodeId, list[str]] = {}
        """What each node said of its failures, oldest first."""

    def expect(self, node_id: NodeId) -> None:
        """The application was seen on the node: it will have logs."""
        if self._context.settings.log_aggregation_enabled:
            self.statuses.setdefault(node_id, LogAggregationStatus.NOT_START)

    def start(self, now_ms: int) -> None:
        """The application has ended: the timeout of the nodes begins."""
        self._ended_ms = now_ms

    def note(self, node_id: NodeId, report: LogAggregationReport) -> None:
        """A node's report; a final status stays."""
        status = report.log_aggregation_status
        if status is None or not self._context.settings.log_aggregation_enabled:
            return
        if self.statuses.get(node_id) not in FINAL or status in FINAL:
            self.statuses[node_id] = status
        if report.diagnostics and report.diagnostics != "N/A":
            self._keep(self.diagnostics.setdefault(node_id, []), report.diagnostics)
            if status in (LogAggregationStatus.FAILED, LogAggregationStatus.RUNNING_WITH_FAILURE):
                self._keep(self.failures.setdefault(node_id, []), report.diagnostics)

    def _keep(self, messages: list[str], message: str) -> None:
        messages.append(message)
        limit = self._context.settings.max_log_aggregation_diagnostics
        del messages[: max(0, len(messages) - limit)]

    def of_nodes(self) -> dict[NodeId, LogAggregationStatus]:
        """The status of each node now; TIME_OUT for one without a report for too long after the end."""
        if not self._has_timed_out():
            return dict(self.statuses)
        return {
            node_id: status if status in FINAL else LogAggregationStatus.TIME_OUT
            for node_id, status in self.statuses.items()
        }

    def status(self) -> LogAggregationStatus:
        """The status of the whole."""
        if not self._context.settings.log_aggregation_enabled:
            return LogAggregationStatus.DISABLED
        statuses = list(self.of_nodes().values())
        if all(status is LogAggregationStatus.NOT_START for status in statuses):
            return LogAggregationStatus.NOT_START
        if self._ended_ms is not None and all(status in FINAL for status in statuses):
            for worst in (LogAggregationStatus.FAILED, LogAggregationStatus.TIME_OUT):
                if worst in statuses:
                    return worst
            return LogAggregationStatus.SUCCEEDED
        if LogAggregationStatus.RUNNING_WITH_FAILURE in statuses:
            return LogAggregationStatus.RUNNING_WITH_FAILURE
        return LogAggregationStatus.RUNNING

    def _has_timed_out(self) -> bool:
        context = self._context
        if self._ended_ms is None:
            return False
        return context.now_ms - self._ended_ms > context.settings.log_aggregation_timeout_ms
