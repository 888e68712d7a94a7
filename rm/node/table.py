"""The state machine of nodes. Hadoop: RMNodeImpl."""

from __future__ import annotations

from yarnbox.rm.events.node import (
    NodeCleanupApp,
    NodeCleanupContainer,
    NodeDecommission,
    NodeExpire,
    NodeFinishedContainersPulledByAM,
    NodeGracefulDecommission,
    NodeRebooting,
    NodeRecommission,
    NodeReconnected,
    NodeResourceUpdate,
    NodeShutdown,
    NodeSignalContainer,
    NodeStarted,
    NodeStatusUpdate,
    NodeUpdateContainer,
)
from yarnbox.rm.node import life
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.runtime.statemachine import Cells, Table, choose, ignore, stay, to

NEW, RUNNING, UNHEALTHY = NodeState.NEW, NodeState.RUNNING, NodeState.UNHEALTHY
DECOMMISSIONING, DECOMMISSIONED = NodeState.DECOMMISSIONING, NodeState.DECOMMISSIONED
LOST, REBOOTED, SHUTDOWN = NodeState.LOST, NodeState.REBOOTED, NodeState.SHUTDOWN


_OUTBOX: Cells = {
    **stay(NodeCleanupContainer, hook=life.clean_container),
    **stay(NodeCleanupApp, hook=life.clean_app),
    **stay(NodeSignalContainer, hook=life.signal_container),
    **stay(NodeUpdateContainer, hook=life.update_container),
    **stay(NodeFinishedContainersPulledByAM, hook=life.forget_containers),
}
_LEAVE: Cells = {
    NodeDecommission: to(DECOMMISSIONED, life.deactivate),
    NodeExpire: to(LOST, life.deactivate),
    NodeRebooting: to(REBOOTED, life.deactivate),
    NodeShutdown: to(SHUTDOWN, life.deactivate),
}
_LEAVE_REMOVED: Cells = {
    NodeDecommission: to(DECOMMISSIONED, life.deactivate_removed),
    NodeExpire: to(LOST, life.deactivate_removed),
    NodeRebooting: to(REBOOTED, life.deactivate_removed),
    NodeShutdown: to(SHUTDOWN, life.deactivate_removed),
}
_RECORD_SIZE = stay(NodeResourceUpdate, hook=life.record_size)
_INACTIVE = {**_RECORD_SIZE, **stay(NodeFinishedContainersPulledByAM, hook=life.forget_containers)}

RM_NODE = Table(
    "RMNode",
    initial=NEW,
    rows={
        NEW: {
            NodeStarted: choose(RUNNING, UNHEALTHY, by=life.join),
            NodeDecommission: to(DECOMMISSIONED, life.deactivate),
            NodeExpire: to(LOST, life.deactivate),
            **_INACTIVE,
        },
        RUNNING: {
            NodeStatusUpdate: choose(RUNNING, UNHEALTHY, by=life.update_running),
            **_LEAVE,
            NodeGracefulDecommission: to(DECOMMISSIONING, life.begin_decommissioning),
            **stay(NodeReconnected, hook=life.reconnect_running),
            **stay(NodeResourceUpdate, hook=life.resize),
            **_OUTBOX,
            **ignore(NodeRecommission),
        },
        UNHEALTHY: {
            NodeStatusUpdate: choose(UNHEALTHY, RUNNING, by=life.update_unhealthy),
            **_LEAVE_REMOVED,
            NodeGracefulDecommission: to(DECOMMISSIONING, life.begin_decommissioning),
            **stay(NodeReconnected, hook=life.reconnect),
            **_RECORD_SIZE,
            **_OUTBOX,
            **ignore(NodeRecommission),
        },
        DECOMMISSIONING: {
            NodeStatusUpdate: choose(DECOMMISSIONING, DECOMMISSIONED, by=life.update_decommissioning),
            **_LEAVE,
            **stay(NodeGracefulDecommission, hook=life.change_timeout),
            NodeRecommission: to(RUNNING, life.recommission),
            NodeReconnected: choose(DECOMMISSIONING, DECOMMISSIONED, by=life.reconnect_decommissioning),
            **stay(NodeResourceUpdate, hook=life.resize),
            **_OUTBOX,
        },
        DECOMMISSIONED: _INACTIVE,
        LOST: _INACTIVE,
        REBOOTED: _INACTIVE,
        SHUTDOWN: _INACTIVE,
    },
)
"""Its law, after RMNodeImpl. See tests/scenarios/lifecycle/silent-node-is-lost.yaml."""
