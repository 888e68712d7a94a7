"""`yarn node` and `yarn cluster`: what they ask, print and return, byte for byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.yarn.enums import NodeAttributeType, NodeState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.basics import ResourceUtilization
from yarnbox.yarn.records.client import (
    GetClusterNodeAttributesResponse,
    GetClusterNodeLabelsResponse,
    GetClusterNodesResponse,
)
from yarnbox.yarn.records.node import (
    NodeAttribute,
    NodeAttributeInfo,
    NodeAttributeKey,
    NodeLabel,
    NodeReport,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.storage.journal import Journal

STATES = "NEW,RUNNING,UNHEALTHY,DECOMMISSIONED,LOST,REBOOTED,DECOMMISSIONING,SHUTDOWN"


def attribute(name: str, value: str) -> NodeAttribute:
    return NodeAttribute(attribute_key=NodeAttributeKey(attribute_name=name), attribute_value=value)


def node(**changes: Any) -> NodeReport:
    values: dict[str, Any] = {
        "node_id": NodeId("n1", 1234),
        "http_address": "n1:8042",
        "rack_name": "/default-rack",
        "used": Resource(3072, 3),
        "capability": Resource(8192, 8),
        "num_containers": 3,
        "node_state": NodeState.RUNNING,
        "health_report": "",
        "last_health_report_time": 1_700_000_001_042,
        "node_labels": ("ssd", "gpu"),
        "node_utilization": ResourceUtilization(pmem=2100, vmem=3000, cpu=1.5),
        "containers_utilization": ResourceUtilization(pmem=900, vmem=1200, cpu=0.7),
        "node_attributes": (attribute("os", "linux"), attribute("zone", "b")),
    }
    return NodeReport(**{**values, **changes})


BARE = node(
    node_id=NodeId("n2", 1234),
    used=None,
    node_labels=(),
    node_utilization=None,
    containers_utilization=None,
    node_attributes=(),
)


def test_list(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodes"] = GetClusterNodesResponse(node_reports=(node(), BARE))
    result = shell.yarn("node", "-list")
    assert result.out == (
        "Total Nodes:2\n"
        "         Node-Id\t     Node-State\tNode-Http-Address\tNumber-of-Running-Containers\n"
        "         n1:1234\t        RUNNING\t          n1:8042\t                           3\n"
        "         n2:1234\t        RUNNING\t          n1:8042\t                           3\n"
    )
    assert (result.status, result.err) == (0, "")
    assert rm.asked("getClusterNodes")[0].node_states == (NodeState.RUNNING,)


@pytest.mark.parametrize(
    "words, states",
    [
        (("-states", "lost,Running", "LOST"), (NodeState.LOST, NodeState.RUNNING)),
        (("-all",), tuple(NodeState)),
        (("-ALL", "-states", "LOST"), tuple(NodeState)),
    ],
)
def test_list_of_states(
    rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], states: tuple[NodeState, ...]
) -> None:
    assert shell.yarn("node", *words, "-list").status == 0
    assert rm.asked("getClusterNodes")[0].node_states == states


def test_list_of_a_wrong_state(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("node", "-list", "-states", "asleep")
    assert result.out == (
        f"The node state asleep is invalid.\nThe valid node state can be one of the following: {STATES}.\n"
    )
    assert result.status == 255


def test_list_with_details(rm: FakeResourceManager, shell: Shell) -> None:
    gpu = Resource.of({"memory-mb": 8192, "vcores": 8, "yarn.io/gpu": 2})
    rm.answers["getClusterNodes"] = GetClusterNodesResponse(node_reports=(node(capability=gpu), BARE))
    lines = shell.yarn("node", "-list", "-showDetails").out.splitlines(keepends=True)
    assert lines[3:9] == [
        "Detailed Node Information :\n",
        "\tConfigured Resources : <memory:8192, vCores:8, yarn.io/gpu: 2>\n",
        "\tAllocated Resources : <memory:3072, vCores:3>\n",
        "\tResource Utilization by Node : PMem:2100 MB, VMem:3000 MB, VCores:1.5\n",
        "\tResource Utilization by Containers : PMem:900 MB, VMem:1200 MB, VCores:0.7\n",
        "\tNode-Labels : gpu,ssd\n",
    ]
    assert lines[10:] == [
        "Detailed Node Information :\n",
        "\tConfigured Resources : <memory:8192, vCores:8>\n",
        "\tAllocated Resources : \n",
        "\tResource Utilization by Node : \n",
        "\tResource Utilization by Containers : \n",
        "\tNode-Labels : \n",
    ]


def test_status(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodes"] = GetClusterNodesResponse(node_reports=(BARE, node()))
    result = shell.yarn("node", "-status", "n1:1234")
    assert result.out == (
        "Node Report : \n"
        "\tNode-Id : n1:1234\n"
        "\tRack : /default-rack\n"
        "\tNode-State : RUNNING\n"
        "\tNode-Http-Address : n1:8042\n"
        "\tLast-Health-Update : Tue 14/Nov/23 10:13:21:42UTC\n"
        "\tHealth-Report : \n"
        "\tContainers : 3\n"
        "\tMemory-Used : 3072MB\n"
        "\tMemory-Capacity : 8192MB\n"
        "\tCPU-Used : 3 vcores\n"
        "\tCPU-Capacity : 8 vcores\n"
        "\tNode-Labels : gpu,ssd\n"
        "\tNode Attributes : rm.yarn.io/os(STRING)=linux\n"
        "\t                  rm.yarn.io/zone(STRING)=b\n"
        "\tResource Utilization by Node : PMem:2100 MB, VMem:3000 MB, VCores:1.5\n"
        "\tResource Utilization by Containers : PMem:900 MB, VMem:1200 MB, VCores:0.7\n"
        "\n"
    )
    assert result.status == 0
    assert rm.asked("getClusterNodes")[0].node_states == ()


def test_status_of_a_bare_node(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodes"] = GetClusterNodesResponse(node_reports=(BARE,))
    out = shell.yarn("node", "-status", "n2:1234").out
    assert "\tMemory-Used : 0MB\n" in out
    assert "\tCPU-Used : 0 vcores\n" in out
    assert out.endswith(
        "\tNode-Labels : \n\tNode Attributes : \n"
        "\tResource Utilization by Node : \n\tResource Utilization by Containers : \n\n"
    )


def test_status_of_an_unknown_node_is_no_failure(shell: Shell) -> None:
    result = shell.yarn("node", "-status", "n9:1234")
    assert result.out == "Could not find the node report for node id : n9:1234\n"
    assert result.status == 0


@pytest.mark.parametrize("words", [("-status", "n1:1234", "-all"), ("-status",)])
def test_status_stands_alone(shell: Shell, words: tuple[str, ...]) -> None:
    result = shell.yarn("node", *words)
    assert result.status == 255
    assert "usage: node\n" in result.out


def test_bare_node_is_no_failure(shell: Shell) -> None:
    result = shell.yarn("node")
    assert (result.status, result.err) == (0, "Invalid Command Usage : \n")
    assert shell.yarn("node", "-help").status == 0


@pytest.mark.parametrize("command", ["node", "queue", "cluster"])
def test_unknown_options(shell: Shell, command: str) -> None:
    result = shell.yarn(command, "-foo")
    assert result.status == 1
    assert result.err == (
        'Exception in thread "main" org.apache.commons.cli.UnrecognizedOptionException: '
        "Unrecognized option: -foo\n"
    )


# cluster


@pytest.mark.parametrize("word", ["-lnl", "--list-node-labels", "-list-node-labels"])
def test_labels(rm: FakeResourceManager, shell: Shell, word: str) -> None:
    rm.answers["getClusterNodeLabels"] = GetClusterNodeLabelsResponse(
        node_labels=(NodeLabel(name="gpu"), NodeLabel(name="ssd", is_exclusive=False))
    )
    result = shell.yarn("cluster", word)
    assert result.out == "Node Labels: <gpu:exclusivity=true>,<ssd:exclusivity=false>\n"
    assert result.status == 0


def test_no_labels_leave_a_trailing_blank(shell: Shell) -> None:
    assert shell.yarn("cluster", "-lnl").out == "Node Labels: \n"


def test_attributes(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getClusterNodeAttributes"] = GetClusterNodeAttributesResponse(
        node_attributes=(
            NodeAttributeInfo(
                attribute_key=NodeAttributeKey(attribute_name="os"), attribute_type=NodeAttributeType.STRING
            ),
        )
    )
    result = shell.yarn("cluster", "--list-node-attributes")
    assert (result.status, result.out) == (0, "rm.yarn.io/os(STRING)\n\n")


def test_the_label_store_is_read_without_the_rm(
    rm: FakeResourceManager, shell: Shell, tmp_path: Path
) -> None:
    journal = Journal(tmp_path, "nodelabel", "the.property")
    journal.begin([{"add": [["gpu", True], ["old", True]]}])
    journal.append({"add": [["spare", False]]})
    journal.append({"remove": ["old"]})
    journal.append({"replace": [["n1", 0, "gpu"]]})
    journal.close()
    store = f"yarn.node-labels.fs-store.root-dir={tmp_path}"
    result = shell.yarn("cluster", "-D", store, "--list-node-labels", "--directly-access-node-label-store")
    assert (result.status, result.out) == (
        0,
        "Node Labels: <gpu:exclusivity=true>,<spare:exclusivity=false>\n",
    )
    (tmp_path / "nodelabel.mirror").write_text("nonsense\n")
    result = shell.yarn("cluster", "-D", store, "-lnl", "-dnl")
    assert result.status == 255
    assert "nodelabel.mirror:1: not a record" in result.err
    assert rm.calls == []


def test_bare_cluster_is_no_failure(shell: Shell) -> None:
    result = shell.yarn("cluster")
    assert (result.status, result.err) == (0, "Invalid Command Usage : \n")
    assert result.out.startswith("usage: yarn cluster\n")
    assert shell.yarn("cluster", "-h").status == 0
