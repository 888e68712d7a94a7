"""Who may say in which partition a node is: administrators, the node itself, or a provider; what is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

import pytest

from tests.rig import PORT, Rig
from yarnbox.rm.labels.administration import ATTRIBUTE_JOURNAL, LABEL_JOURNAL, NOT_CENTRALIZED
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.enums import AttributeMappingOperationType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    NodesToAttributesMappingRequest,
    RemoveFromClusterNodeLabelsRequest,
    ReplaceLabelsOnNodeRequest,
)
from yarnbox.yarn.records.node import (
    NodeAttribute,
    NodeAttributeKey,
    NodeIdToLabels,
    NodeLabel,
    NodeToAttributes,
)
from yarnbox.yarn.records.tracker import (
    NodeAttributes,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeLabels,
    NodeStatus,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "capacity",
    "yarn.node-labels.enabled": "true",
    "yarn.scheduler.capacity.root.queues": "a",
    "yarn.scheduler.capacity.root.a.capacity": "100",
}
DISTRIBUTED = {**CAPACITY, "yarn.node-labels.configuration-type": "distributed"}
PROVIDER = "yarn.resourcemanager.node-labels.provider"
DELEGATED = {
    **CAPACITY,
    "yarn.node-labels.configuration-type": "delegated-centralized",
    PROVIDER: f"{__name__}.Provider",
    f"{PROVIDER}.fetch-interval-ms": "100000",
    f"{PROVIDER}.update-newly-registered-nodes-interval-ms": "1000",
}
ADMIN = Caller(user="admin")
NODE = NodeId("n1", PORT)


class Provider:
    """Says what a test wants it to say."""

    says: ClassVar[dict[str, str | None]] = {}
    asked: ClassVar[list[list[str]]] = []
    fails: ClassVar[bool] = False

    def labels_of(self, node_ids: Iterable[NodeId]) -> Mapping[NodeId, str | None]:
        wanted = list(node_ids)
        self.asked.append([one.host for one in wanted])
        if self.fails:
            raise OSError("the inventory does not answer")
        return {one: self.says[one.host] for one in wanted if one.host in self.says}


@pytest.fixture
def provider() -> type[Provider]:
    Provider.says, Provider.asked, Provider.fails = {}, [], False
    return Provider


def rig_with(properties: Mapping[str, str], *labels: str) -> Rig:
    rig = Rig(properties)
    request = AddToClusterNodeLabelsRequest(node_labels=tuple(NodeLabel(name=name) for name in labels))
    rig.turn(lambda: rig.core.admin.add_to_cluster_node_labels(request, ADMIN))
    return rig


def replace(rig: Rig, node_id: NodeId, *labels: str, fails: bool = False) -> None:
    request = ReplaceLabelsOnNodeRequest(
        node_to_labels=(NodeIdToLabels(node_id=node_id, node_labels=labels),), fail_on_unknown_nodes=fails
    )
    rig.turn(lambda: rig.core.admin.replace_labels_on_nodes(request, ADMIN))


def told(*names: str) -> NodeLabels:
    return NodeLabels(node_labels=tuple(NodeLabel(name=name) for name in names))


def register(
    rig: Rig, labels: NodeLabels | None, attributes: NodeAttributes | None = None
) -> RegisterNodeManagerResponse:
    request = RegisterNodeManagerRequest(
        node_id=NODE, resource=Resource(8192, 8), node_labels=labels, node_attributes=attributes
    )
    return rig.turn(lambda: rig.core.tracker.register_node_manager(request, Caller()))


def heartbeat(rig: Rig, response_id: int, labels: NodeLabels | None) -> NodeHeartbeatResponse:
    request = NodeHeartbeatRequest(
        node_status=NodeStatus(node_id=NODE, response_id=response_id), node_labels=labels
    )
    return rig.turn(lambda: rig.core.tracker.node_heartbeat(request, Caller()))


def label_of(rig: Rig, host: str = "n1") -> str:
    return rig.context.labels.partition_of(NodeId(host, PORT))


# Distributed


def test_a_node_says_its_own_label() -> None:
    rig = rig_with(DISTRIBUTED, "x", "y")
    answer = register(rig, told("x"))
    assert answer.are_node_labels_accepted_by_rm
    assert answer.diagnostics_message is None
    assert label_of(rig) == "x"
    assert heartbeat(rig, 0, told("y")).are_node_labels_accepted_by_rm
    assert label_of(rig) == "y"
    silent = heartbeat(rig, 1, None)
    assert not silent.are_node_labels_accepted_by_rm
    assert label_of(rig) == "y"
    assert heartbeat(rig, 2, told()).are_node_labels_accepted_by_rm
    assert label_of(rig) == ""


def test_the_scheduler_hears_of_it() -> None:
    rig = rig_with(DISTRIBUTED, "x", "y")
    register(rig, told("x"))
    heartbeat(rig, 0, told("y"))
    tracker = rig.context.scheduler.tracker
    assert (tracker.count_in("x"), tracker.count_in("y")) == (0, 1)


@pytest.mark.parametrize(
    "names, why",
    [
        (
            ("z",),
            (
                "Not all labels being replaced contained by known label collections, please check, new "
                "labels=[z]"
            ),
        ),
        (
            ("x", "y"),
            (
                "2 labels specified on host=n1, please note that we do not support specifying multiple "
                "labels on a single host for now."
            ),
        ),
    ],
)
def test_a_refused_report_leaves_the_node_registered(names: tuple[str, ...], why: str) -> None:
    rig = rig_with(DISTRIBUTED, "x", "y")
    answer = register(rig, told(*names))
    assert not answer.are_node_labels_accepted_by_rm
    assert answer.diagnostics_message == (
        f"Node Labels {{{','.join(names)}}} reported from NM with ID n1:{PORT} was rejected from RM with "
        f"exception message as : {why}"
    )
    assert NODE in rig.context.nodes
    assert label_of(rig) == ""
    heartbeat(rig, 0, told("x"))
    refused = heartbeat(rig, 1, told(*names))
    assert refused.diagnostics_message == answer.diagnostics_message
    assert label_of(rig) == "x"


def test_reports_are_passed_over_where_administrators_decide() -> None:
    rig = rig_with(CAPACITY, "x")
    answer = register(rig, told("x"))
    assert not answer.are_node_labels_accepted_by_rm
    assert answer.diagnostics_message is None
    assert label_of(rig) == ""


def test_a_wrong_attribute_is_told_behind_a_wrong_label() -> None:
    rig = rig_with(DISTRIBUTED, "x")
    key = NodeAttributeKey(attribute_prefix="rm.yarn.io", attribute_name="os")
    attribute = NodeAttribute(attribute_key=key, attribute_value="linux")
    answer = register(rig, told("z"), NodeAttributes(node_attributes=(attribute,)))
    assert not answer.are_node_attributes_accepted_by_rm
    labels, attributes = (answer.diagnostics_message or "").split("\n")
    assert labels.startswith("Node Labels {z}")
    assert attributes == (
        f"Reject invalid node attributes from host: n1:{PORT}, attributes in HB must have prefix nm.yarn.io"
    )


@pytest.mark.parametrize("properties", [DISTRIBUTED, DELEGATED], ids=["distributed", "delegated"])
def test_an_administrator_may_add_and_remove_but_not_map(
    properties: Mapping[str, str], provider: type[Provider]
) -> None:
    rig = rig_with(properties, "x", "y")
    with pytest.raises(YarnError) as refused:
        replace(rig, NODE, "x")
    assert refused.value.message == NOT_CENTRALIZED
    request = RemoveFromClusterNodeLabelsRequest(node_labels=("y",))
    rig.turn(lambda: rig.core.admin.remove_from_cluster_node_labels(request, ADMIN))
    assert list(rig.context.labels.labels) == ["x"]


def test_what_nodes_said_is_told_anew_after_a_restart() -> None:
    rig = rig_with(DISTRIBUTED, "x")
    register(rig, told("x"))
    assert rig.journals == {LABEL_JOURNAL: [{"add": [["x", True]]}]}
    again = Rig(DISTRIBUTED, journals=rig.journals)
    assert list(again.context.labels.labels) == ["x"]
    assert label_of(again) == ""


# Delegated


def test_new_nodes_are_asked_about_soon_and_all_of_them_now_and_then(provider: type[Provider]) -> None:
    rig = rig_with(DELEGATED, "x", "y")
    provider.says = {"n1": "x", "n2": "y"}
    rig.advance(1000)
    assert provider.asked == []
    rig.add_node("n1")
    assert label_of(rig) == ""
    rig.advance(1000)
    assert label_of(rig) == "x"
    rig.add_node("n2")
    rig.advance(1000)
    assert label_of(rig, "n2") == "y"
    provider.says = {"n1": "y", "n2": None}
    rig.advance(98_000)
    assert label_of(rig) == "x"
    rig.advance(2000)
    assert (label_of(rig), label_of(rig, "n2")) == ("y", "")
    assert provider.asked == [["n1"], ["n2"], ["n1", "n2"]]


def test_only_new_nodes_where_the_interval_is_never(provider: type[Provider]) -> None:
    rig = rig_with({**DELEGATED, f"{PROVIDER}.fetch-interval-ms": "-1"}, "x")
    rig.add_node("n1")
    rig.advance(1000)
    rig.add_node("n2")
    rig.advance(1_000_000)
    assert provider.asked == [["n1"], ["n2"]]


def test_a_node_that_comes_back_is_asked_about_again(provider: type[Provider]) -> None:
    rig = rig_with(DELEGATED, "x")
    provider.says = {"n1": "x"}
    rig.add_node("n1")
    rig.advance(1000)
    rig.add_node("n1")
    rig.advance(1000)
    assert provider.asked == [["n1"], ["n1"]]


def test_what_a_provider_leaves_out_stays(provider: type[Provider]) -> None:
    rig = rig_with(DELEGATED, "x")
    provider.says = {"n1": "x"}
    rig.add_node("n1")
    rig.advance(1000)
    provider.says = {}
    rig.advance(102_000)
    assert len(provider.asked) == 2
    assert label_of(rig) == "x"


@pytest.mark.parametrize("wrong", ["no answer", "unknown label"])
def test_a_provider_that_fails_is_asked_again(provider: type[Provider], wrong: str) -> None:
    rig = rig_with(DELEGATED, "x")
    provider.fails = wrong == "no answer"
    provider.says = {"n1": "nobody-knows"}
    rig.add_node("n1")
    rig.advance(1000)
    assert label_of(rig) == ""
    provider.fails, provider.says = False, {"n1": "x"}
    rig.advance(1000)
    assert label_of(rig) == "x"


def test_a_delegate_is_needed() -> None:
    with pytest.raises(YarnError, match="RMNodeLabelsMappingProvider should be configured when delegated"):
        Rig({**CAPACITY, "yarn.node-labels.configuration-type": "delegated-centralized"})


@pytest.mark.parametrize("path", ["", "Provider", "tests.nowhere.Provider", f"{__name__}.Nobody"])
def test_a_delegate_that_is_not_there(path: str) -> None:
    with pytest.raises(YarnError):
        Rig({**DELEGATED, PROVIDER: path})


# Administrators


@pytest.mark.parametrize("host, port, is_known", [("n1", PORT, True), ("n1", 0, True), ("n1", 9, False)])
def test_nodes_that_nobody_knows(host: str, port: int, is_known: bool) -> None:
    rig = rig_with(CAPACITY, "x")
    rig.add_node("n1")
    node_id = NodeId(host, port)
    if is_known:
        replace(rig, node_id, "x", fails=True)
        assert label_of(rig) == "x"
        return
    with pytest.raises(YarnError) as refused:
        replace(rig, node_id, "x", fails=True)
    assert refused.value.message == f"Failed to replace labels as there are unknown nodes:[{node_id}]"
    replace(rig, node_id, "x")


def test_a_lost_node_is_known() -> None:
    rig = rig_with({**CAPACITY, "yarn.nm.liveness-monitor.expiry-interval-ms": "1000"}, "x")
    rig.add_node("n1")
    rig.advance(5000)
    assert NODE not in rig.context.nodes
    replace(rig, NODE, "x", fails=True)
    rig.add_node("n1")
    assert label_of(rig) == "x"


def test_only_what_changes_something_is_kept() -> None:
    rig = rig_with(CAPACITY, "x", "y")
    rig.add_node("n1")
    replace(rig, NodeId("n1", 0), "x")
    replace(rig, NODE, "y")
    kept = len(rig.journals[LABEL_JOURNAL])
    replace(rig, NodeId("n1", 0), "x")
    replace(rig, NODE, "y")
    assert len(rig.journals[LABEL_JOURNAL]) == kept
    again = Rig(CAPACITY, journals=rig.journals)
    assert label_of(again) == "y"
    replace(again, NodeId("n1", 0), "y")
    assert label_of(again) == "y"


def map_attributes(
    rig: Rig, operation: str, host: str, *attributes: NodeAttribute, fails: bool = False
) -> None:
    request = NodesToAttributesMappingRequest(
        operation=AttributeMappingOperationType[operation],
        node_to_attributes=(NodeToAttributes(node=host, node_attributes=attributes),),
        fail_on_unknown_nodes=fails,
    )
    rig.turn(lambda: rig.core.admin.map_attributes_to_nodes(request, ADMIN))


def test_attributes_of_administrators_have_their_prefix() -> None:
    rig = Rig()
    key = NodeAttributeKey(attribute_prefix="nm.yarn.io", attribute_name="os")
    with pytest.raises(YarnError, match=r"Invalid Attribute Mapping for the node n1\. Prefix should be"):
        map_attributes(rig, "ADD", "n1", NodeAttribute(attribute_key=key, attribute_value="linux"))
    assert ATTRIBUTE_JOURNAL not in rig.journals


def test_attributes_of_unknown_hosts() -> None:
    rig = Rig()
    own = NodeAttribute(attribute_key=NodeAttributeKey(attribute_name="os"), attribute_value="linux")
    with pytest.raises(YarnError, match=r"Following nodes does not exist : \[n1\]"):
        map_attributes(rig, "ADD", "n1", own, fails=True)
    map_attributes(rig, "ADD", "n1", own)
    again = Rig(journals=rig.journals)
    assert again.context.attributes.of_host("n1") == (own,)
