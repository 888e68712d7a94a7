"""What the ResourceManager says of the nodes of a cluster."""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.cluster.daemons import several
from yarnbox.cluster.directory import ClusterRecord
from yarnbox.yarn.connection.failover import blocking_stub_of
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.client import GetClusterMetricsRequest, GetClusterNodesRequest
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.security.tls import Tls

_ANSWER_S = 2.0
_ANSWER_S_PER_NODE = 0.01
_CLIENT = "ApplicationClientProtocolService"


def node_reports(record: ClusterRecord, tls: Tls | None, at_least: int = 0) -> list[NodeReport] | None:
    """Of all nodes, those in the record only; None when no RM answers, or when fewer than `at_least` are
    RUNNING: before that it is not asked for the reports of thousands.
    """
    states = tuple(NodeState)
    listening = [one for one in record.rm_addresses if several.is_listening(one)]
    if not listening:
        return None
    try:
        with blocking_stub_of(listening, _CLIENT, user="yarnbox", tls=tls) as stub:
            if at_least:
                metrics = stub.call("getClusterMetrics", GetClusterMetricsRequest(), _ANSWER_S)
                if (metrics.cluster_metrics.num_active_nms or 0) < at_least:
                    return None
            expected = sum(len(node.hosts) for node in record.nodes.values())
            request = GetClusterNodesRequest(node_states=states)
            answer = stub.call("getClusterNodes", request, _ANSWER_S + expected * _ANSWER_S_PER_NODE)
    except (RpcError, YarnError):
        return None
    return [report for report in answer.node_reports if report.node_id is not None]


def latest(reports: Iterable[NodeReport]) -> dict[str, NodeReport]:
    """One report for each host: a live one before one that is not, else the one that was heard last."""
    found: dict[str, NodeReport] = {}
    for report in reports:
        assert report.node_id is not None
        other = found.get(report.node_id.host)
        if other is None or _freshness(report) >= _freshness(other):
            found[report.node_id.host] = report
    return found


def _freshness(report: NodeReport) -> tuple[bool, int]:
    return (state_of(report) in (NodeState.RUNNING, NodeState.UNHEALTHY), report.last_health_report_time or 0)


def state_of(report: NodeReport) -> NodeState:
    """NEW where the report does not say."""
    return report.node_state or NodeState.NEW


def is_running(report: NodeReport | None, since_ms: int) -> bool:
    """Whether the node is RUNNING and was heard of since then."""
    if report is None or state_of(report) is not NodeState.RUNNING:
        return False
    return (report.last_health_report_time or 0) >= since_ms
