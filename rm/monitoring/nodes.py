"""NodesListManager: which hosts may join, which are excluded, and node updates for applications.

The host files are read anew by refreshNodes. A host is excluded when the exclude file names it, or when the
include file is not empty and does not. A file has one host per line, or is XML with a timeout per host.
Hadoop: NodesListManager and HostsFileReader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from yarnbox.rm.app import FINAL_STATES, RM_APP
from yarnbox.rm.events.app import AppNodeUpdate
from yarnbox.rm.events.node import (
    NodeDecommission,
    NodeGracefulDecommission,
    NodeRecommission,
    NodeShutdown,
    NodesListEvent,
    NodesListNodeDecommissioning,
    NodesListNodeUnusable,
    NodesListNodeUsable,
)
from yarnbox.rm.node import RMNode
from yarnbox.yarn.enums import DecommissionType, NodeState, NodeUpdateType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.resources.resource import NONE
from yarnbox.yarn.runtime.java_order import in_hash_order, node_hash

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

Hosts = dict[str, int | None]
"""Hosts, each with its own decommissioning timeout in seconds, if it has one."""

NEVER_SEEN_PORT = -1
"""The port of an excluded host that never registered."""

UPDATE_TYPES: dict[type[NodesListEvent], NodeUpdateType] = {
    NodesListNodeUsable: NodeUpdateType.NODE_USABLE,
    NodesListNodeUnusable: NodeUpdateType.NODE_UNUSABLE,
    NodesListNodeDecommissioning: NodeUpdateType.NODE_DECOMMISSIONING,
}


class NodesListManager:
    """The host files, and the node updates of applications."""

    def __init__(self, context: RMContext) -> None:
        self._context = context
        self._included: Hosts = {}
        self._excluded: Hosts = {}
        self._drained: Hosts = {}
        """Hosts let go by hand, as if the exclude file named them; until the RM ends."""

    # Who may join

    def read_files(self) -> None:
        """Reads both host files. YarnError when one of them cannot be understood; then nothing changes."""
        settings = self._context.settings
        included = self._read(settings.nodes_include_path)
        self._excluded = self._read(settings.nodes_exclude_path)
        self._included = included
        self._record_hosts_never_seen()

    def is_allowed(self, host: str) -> bool:
        """Whether a node of that host may be part of the cluster."""
        listed = not self._included or host in self._included
        return listed and host not in self._excluded and host not in self._drained

    def is_untracked(self, host: str) -> bool:
        """Whether neither file has the host, though there is a list of those that may join."""
        listed = host in self._included or host in self._excluded
        return not listed and bool(self._included or self._context.settings.untracked_without_include)

    # Who has to leave

    def drain(self, host: str, timeout_s: int) -> None:
        """Decommissions the nodes of a host gracefully, and admits none of it until `recommission`. Not
        in Hadoop.
        """
        self._drained[host] = timeout_s
        self._review_host(host)

    def recommission(self, host: str) -> None:
        """Reverts `drain`: nodes that are decommissioning stay, those that have left may register again."""
        self._drained.pop(host, None)
        self._review_host(host)

    def is_drained(self, host: str) -> bool:
        """Whether `drain` was asked for."""
        return host in self._drained

    def _review_host(self, host: str) -> None:
        for node in list(self._context.nodes.values()):
            if node.host == host:
                self._review(
                    node, is_graceful=True, timeout_s=self._context.settings.decommission_timeout_secs
                )

    def refresh(self, kind: DecommissionType, timeout_s: int | None) -> None:
        """refreshNodes: reads the files anew and lets nodes go, or stay."""
        if kind is DecommissionType.FORCEFUL:
            for node in self._in_hash_order():
                if node.is_decommissioning:
                    self._context.post(NodeDecommission(node_id=node.node_id))
            return
        self.read_files()
        if timeout_s is None:
            timeout_s = self._context.settings.decommission_timeout_secs
        for node in self._in_hash_order():
            self._review(node, is_graceful=kind is DecommissionType.GRACEFUL, timeout_s=timeout_s)
        self._review_inactive()

    def _in_hash_order(self) -> list[RMNode]:
        """All nodes, as Hadoop's ConcurrentHashMap has them.

        See tests/scenarios/lifecycle/nodes-leave-in-hash-order.yaml.
        """
        nodes = self._context.nodes
        return [nodes[node_id] for node_id in in_hash_order(nodes, node_hash, len(nodes) + 1)]

    def _review(self, node: RMNode, *, is_graceful: bool, timeout_s: int) -> None:
        node_id = node.node_id
        if self.is_allowed(node.host):
            if node.is_decommissioning:
                self._context.post(NodeRecommission(node_id=node_id))
            return
        if is_graceful:
            own_s = self._drained.get(node.host, self._excluded.get(node.host))
            timeout_ms = (timeout_s if own_s is None else own_s) * 1000
            if not node.is_decommissioning or node.decommission_timeout_ms != timeout_ms:
                self._context.post(NodeGracefulDecommission(node_id=node_id, timeout_ms=timeout_ms))
        elif self.is_untracked(node.host):
            self._context.post(NodeShutdown(node_id=node_id))
        else:
            self._context.post(NodeDecommission(node_id=node_id))

    def _review_inactive(self) -> None:
        now_ms = self._context.now_ms
        for node in self._context.inactive_nodes.values():
            node.untracked_since_ms = now_ms if self.is_untracked(node.host) else None

    def forget_untracked(self) -> None:
        """Run by a monitor: forgets nodes that have been inactive and in neither file for long enough."""
        limit_ms = self._context.now_ms - self._context.settings.untracked_node_removal_ms
        inactive = self._context.inactive_nodes
        for node_id, node in list(inactive.items()):
            if node.untracked_since_ms is not None and node.untracked_since_ms <= limit_ms:
                del inactive[node_id]

    def untracked_interval_ms(self) -> int:
        """How often `forget_untracked` looks."""
        return max(1, min(self._context.settings.untracked_node_removal_ms // 2, 600_000))

    def _record_hosts_never_seen(self) -> None:
        """Excluded hosts that never registered count as decommissioned (setDecomissionedNMs)."""
        context = self._context
        known = dict.fromkeys(
            node_id.host for register in (context.nodes, context.inactive_nodes) for node_id in register
        )
        for host in self._excluded:
            if host not in known:
                node_id = NodeId(host, NEVER_SEEN_PORT)
                node = RMNode(context, node_id, NEVER_SEEN_PORT, NONE)
                node.state = NodeState.DECOMMISSIONED
                context.inactive_nodes[node_id] = node
        for node_id in list(context.inactive_nodes):
            if node_id.port == NEVER_SEEN_PORT and node_id.host not in self._excluded:
                del context.inactive_nodes[node_id]

    # News for applications

    def handle(self, event: NodesListEvent) -> None:
        """Passes a node update to every application that has not ended."""
        context = self._context
        update_type = UPDATE_TYPES[type(event)]
        for app in context.apps.values():
            if app.state not in FINAL_STATES:
                update = AppNodeUpdate(
                    application_id=app.application_id, node_id=event.node_id, update_type=update_type
                )
                context.fire(RM_APP, app, update)

    def _read(self, path: str) -> Hosts:
        text = self._context.provider.read_text(path) if path else None
        if not text:
            return {}
        if text.lstrip().startswith("<"):
            return _read_xml(path, text)
        lines = (line.partition("#")[0] for line in text.splitlines())
        return dict.fromkeys((host for line in lines for host in line.split()), None)


def _read_xml(path: str, text: str) -> Hosts:
    """`<hosts><host><name>h1,h2</name><timeout>60</timeout></host></hosts>`."""
    try:
        root: Element = fromstring(text)
    except (ParseError, DefusedXmlException) as error:
        raise YarnError(f"{path} is not a list of hosts: {error}") from error
    hosts: Hosts = {}
    for element in root.iter("host"):
        timeout = (element.findtext("timeout") or "").strip()
        if timeout and not timeout.lstrip("-").isdigit():
            raise YarnError(f"{path}: a timeout in seconds is an integer, not {timeout}")
        for name in (element.findtext("name") or "").replace(",", " ").split():
            hosts[name] = int(timeout) if timeout else None
    return hosts
