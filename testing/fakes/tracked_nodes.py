"""Nodes that have registered with a fake ResourceManager, and the keys by which they know its tokens."""

from __future__ import annotations

import time
from collections import Counter

from yarnbox.yarn.enums import ContainerState, ContainerType, NodeAction
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier, Token
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
    UnRegisterNodeManagerRequest,
    UnRegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.tokens import ContainerTokenSecretManager, KeySource, NMTokenSecretManager
from yarnbox.yarn.version import HADOOP_VERSION

INTERVAL_MS = 50
EXPIRY_MS = 600_000


class TrackedNodes:
    """Their side of ResourceTracker."""

    def __init__(self, source: KeySource) -> None:
        self.rm_identifier = int(time.time() * 1000)
        self.nodes: dict[NodeId, RegisterNodeManagerRequest] = {}
        """As they registered."""
        self._nm = NMTokenSecretManager(source)
        self._containers = ContainerTokenSecretManager(source)
        self._response_ids: dict[NodeId, int] = {}
        self._to_clean: dict[ContainerId, None] = {}
        self._sequences: Counter[ApplicationAttemptId] = Counter()

    def next_sequence(self, attempt_id: ApplicationAttemptId) -> int:
        """The number of the next container of an attempt; 1 is its AM's."""
        self._sequences[attempt_id] += 1
        return self._sequences[attempt_id] + 1

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token:
        """With which the attempt calls the node."""
        return self._nm.create_token(attempt_id, node_id, user)

    def container_token(
        self, container_id: ContainerId, node_id: NodeId, resource: Resource, user: str
    ) -> Token:
        """With which the container is started."""
        identifier = ContainerTokenIdentifier(
            container_id=container_id,
            nm_host_addr=str(node_id),
            app_submitter=user,
            resource=resource,
            expiry_time_stamp=int(time.time() * 1000) + EXPIRY_MS,
            master_key_id=self._containers.key_id,
            rm_identifier=self.rm_identifier,
            container_type=ContainerType.TASK,
        )
        return self._containers.create_token(identifier, node_id)

    def clean_up(self, container_id: ContainerId) -> None:
        """Its node is told to end it."""
        if self.nodes:
            self._to_clean[container_id] = None

    def forget(self) -> None:
        """Nodes have to register again."""
        self._response_ids.clear()

    def lose(self, host: str) -> None:
        """The node is not known any more."""
        for node_id in [one for one in self.nodes if one.host == host]:
            del self.nodes[node_id]
            self._response_ids.pop(node_id, None)

    def answer(
        self,
        request: RegisterNodeManagerRequest | NodeHeartbeatRequest | UnRegisterNodeManagerRequest,
    ) -> tuple[object, list[ContainerStatus]]:
        """The answer, and the ends that the call told of."""
        if isinstance(request, RegisterNodeManagerRequest):
            assert request.node_id is not None
            self.nodes[request.node_id] = request
            self._response_ids[request.node_id] = 0
            return self._registered(), []
        if not isinstance(request, NodeHeartbeatRequest):
            return UnRegisterNodeManagerResponse(), []
        status = request.node_status
        assert status is not None
        assert status.node_id is not None
        if status.node_id not in self._response_ids:
            return NodeHeartbeatResponse(node_action=NodeAction.RESYNC), []
        self._response_ids[status.node_id] += 1
        ended = [one for one in status.containers_statuses if one.state is ContainerState.COMPLETE]
        there = [one.container_id for one in status.containers_statuses if one.container_id in self._to_clean]
        for container_id in there:
            del self._to_clean[container_id]
        answer = NodeHeartbeatResponse(
            response_id=self._response_ids[status.node_id],
            node_action=NodeAction.NORMAL,
            next_heart_beat_interval=INTERVAL_MS,
            containers_to_cleanup=tuple(there),
            containers_to_be_removed_from_nm=tuple(one.container_id for one in ended),
        )
        return answer, ended

    def _registered(self) -> RegisterNodeManagerResponse:
        return RegisterNodeManagerResponse(
            container_token_master_key=self._containers.keys.current,
            nm_token_master_key=self._nm.keys.current,
            node_action=NodeAction.NORMAL,
            rm_identifier=self.rm_identifier,
            rm_version=HADOOP_VERSION,
        )
