"""Nodes let go by hand and taken back, for administrators. Ours alone: Hadoop asks for an exclude file and
`yarn rmadmin -refreshNodes -g`.
"""

from __future__ import annotations

from yarnbox.rm.edge.http.calls import Call, Reply, Route
from yarnbox.rm.node import RMNode
from yarnbox.rm.web.refusals import bad_request, not_found

_LONGEST_S = 7 * 24 * 3600


def drain(call: Call) -> Reply:
    """POST /ui/nodes/{nodeid}/drain {"timeout": s}: no new containers; out when the last has ended."""
    call.check_admin()
    host = _node(call).host
    timeout_s = call.body.integer("timeout")
    if timeout_s is None:
        timeout_s = call.context.settings.decommission_timeout_secs
    if not -1 <= timeout_s <= _LONGEST_S:
        raise bad_request(f"timeout has to be from 0 to {_LONGEST_S} seconds, or -1 for no end")
    call.core.nodes_list.drain(host, timeout_s)
    return _said(host, "draining")


def recommission(call: Call) -> Reply:
    """POST /ui/nodes/{nodeid}/recommission: the node may stay, or come back."""
    call.check_admin()
    host = _node(call).host
    call.core.nodes_list.recommission(host)
    return _said(host, "admitted")


def _said(host: str, state: str) -> Reply:
    return Reply(root="host", shows_root=False, value={"host": host, "state": state})


def _node(call: Call) -> RMNode:
    found = call.context.find_node(call.node_id())
    if found is None:
        raise not_found(f"nodeId, {call.words['nodeid']}, is not found")
    return found


ROUTES: tuple[Route, ...] = (
    ("POST", "/ui/nodes/{nodeid}/drain", drain),
    ("POST", "/ui/nodes/{nodeid}/recommission", recommission),
)
