"""Node labels over REST. Hadoop: that part of RMWebServices."""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.rm.edge.http.calls import Call, Reply, Route, node_id_of
from yarnbox.rm.labels.administration import NOT_CENTRALIZED
from yarnbox.rm.web import nodes
from yarnbox.rm.web.refusals import bad_request, io_error, unauthorized
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    RemoveFromClusterNodeLabelsRequest,
    ReplaceLabelsOnNodeRequest,
)
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel


def _labels(found: object) -> Reply:
    return Reply(root="nodeLabelsInfo", is_mapped=True, value={"nodeLabelInfo": found}, empty="{}")


def get_labels(call: Call) -> Reply:
    """GET /get-node-labels."""
    return _labels(nodes.labels(call.context, call.shapes))


def get_partitions(call: Call) -> Reply:
    """GET /get-rm-node-labels."""
    return _labels(nodes.partitions(call.context, call.shapes))


def get_mappings(call: Call) -> Reply:
    """GET /label-mappings."""
    found = nodes.labels_to_nodes(call.context, call.shapes, list(call.query.get("labels", ())))
    value = {"labelsToNodes": {"entry": found} if found else {}}
    return Reply(root="labelsToNodesInfo", is_mapped=True, value=value)


def get_nodes_to_labels(call: Call) -> Reply:
    """GET /get-node-to-labels."""
    found = nodes.nodes_to_labels(call.context)
    value = {"nodeToLabels": {"entry": found} if found else {}}
    return Reply(root="nodeToLabelsInfo", is_mapped=True, value=value)


def get_labels_of_node(call: Call) -> Reply:
    """GET /nodes/{nodeid}/get-labels."""
    node_id = _node_id(call.words["nodeid"])
    return _labels(nodes.labels_of(call.context, node_id))


def add(call: Call) -> Reply:
    """POST /add-node-labels; a label whose exclusivity is left out is not exclusive."""
    call.body.check_sent()
    wanted = tuple(
        NodeLabel(name=one.string("name") or "", is_exclusive=one.flag("exclusivity"))
        for one in call.body.bodies("nodeLabelInfo")
    )
    _check_access(call, " not authorized for post to .../add-node-labels ")
    request = AddToClusterNodeLabelsRequest(node_labels=wanted)
    return _done(lambda: call.admin.add_to_cluster_node_labels(request, call.caller))


def remove(call: Call) -> Reply:
    """POST /remove-node-labels; without a name nothing is removed."""
    _check_access(call, " not authorized for post to .../remove-node-labels ")
    request = RemoveFromClusterNodeLabelsRequest(node_labels=tuple(call.query.get("labels", ())))
    return _done(lambda: call.admin.remove_from_cluster_node_labels(request, call.caller))


def replace(call: Call) -> Reply:
    """POST /replace-node-to-labels."""
    call.body.check_sent()
    pairs = tuple(
        NodeIdToLabels(node_id=_node_id(one.string("nodeId") or ""), node_labels=one.strings("labels"))
        for one in call.body.bodies("nodeToLabels")
    )
    return _replace(call, pairs, "/replace-node-to-labels")


def replace_on_node(call: Call) -> Reply:
    """POST /nodes/{nodeid}/replace-labels."""
    names = tuple(name for name in call.query.get("labels", ()) if name)
    pair = NodeIdToLabels(node_id=_node_id(call.words["nodeid"]), node_labels=names)
    return _replace(call, (pair,), "/nodes/nodeid/replace-labels")


def _replace(call: Call, pairs: tuple[NodeIdToLabels, ...], operation: str) -> Reply:
    if call.context.settings.labels.configuration_type != "centralized":
        raise io_error(NOT_CENTRALIZED)
    _check_access(call, f" not authorized for post to ...{operation}")
    request = ReplaceLabelsOnNodeRequest(node_to_labels=pairs)
    return _done(lambda: call.admin.replace_labels_on_nodes(request, call.caller))


def _node_id(text: str) -> NodeId:
    """A node, or with port 0 or none all nodes of the host."""
    return node_id_of(text if ":" in text else f"{text}:0")


def _check_access(call: Call, complaint: str) -> None:
    access = call.access
    if access.is_enabled and not access.is_admin(call.caller.user):
        raise unauthorized(f"User {call.caller.user}{complaint}")


def _done(change: Callable[[], object]) -> Reply:
    try:
        change()
    except YarnError as refusal:
        raise bad_request(refusal.message, cause="java.io.IOException") from None
    return Reply()


ROUTES: tuple[Route, ...] = (
    ("GET", "/get-node-labels", get_labels),
    ("GET", "/get-rm-node-labels", get_partitions),
    ("GET", "/label-mappings", get_mappings),
    ("GET", "/get-node-to-labels", get_nodes_to_labels),
    ("GET", "/nodes/{nodeid}/get-labels", get_labels_of_node),
    ("POST", "/add-node-labels", add),
    ("POST", "/remove-node-labels", remove),
    ("POST", "/replace-node-to-labels", replace),
    ("POST", "/nodes/{nodeid}/replace-labels", replace_on_node),
)
