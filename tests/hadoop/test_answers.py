"""What is compared of two answers, and in which order."""

from __future__ import annotations

from tests.hadoop.answers import differences_of
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.wire import to_message


def _with_nodes(*nodes: NodeReport) -> AllocateResponse:
    return AllocateResponse(updated_nodes=nodes)


def _report(host: str, used_mb: int) -> NodeReport:
    return NodeReport(node_id=NodeId(host, 1234), used=Resource(used_mb, 0), capability=Resource(4096, 4))


def test_news_of_nodes_are_compared_node_by_node_in_whichever_order() -> None:
    ours = _with_nodes(_report("n2", 0), _report("n3", 1024))
    hadoop = _with_nodes(_report("n3", 1024), _report("n2", 2048))
    found = list(differences_of("allocate", to_message(ours), to_message(hadoop)))
    assert found == [("allocate.updated_nodes[0].used", None, {"memory-mb": 2048})]


def test_hosts_are_compared() -> None:
    ours, hadoop = _with_nodes(_report("n2", 0)), _with_nodes(_report("n3", 0))
    found = list(differences_of("allocate", to_message(ours), to_message(hadoop)))
    assert found == [("allocate.updated_nodes[0].nodeId.host", "n2", "n3")]
