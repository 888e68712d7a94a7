"""Keys and tokens of the RM: signs for the core, checks callers, hands keys to nodes, rolls them.

The core asks for tokens through `rm.context.AllTokens` and never sees a key; in virtual time nobody
answers. AMRM keys outlive the RM in its state store, for the AMs do, too; those of nodes do not, for nodes
are told new ones when they register again. Hadoop: RMSecretManagerService and the persistence of
AMRMTokenSecretManager.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from yarnbox.yarn.enums import ContainerType, NodeAction
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier, ContainerTokenIdentifier, Token
from yarnbox.yarn.records.tracker import (
    MasterKey,
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.security.client_tokens import ClientToAMTokenSecretManagerInRM
from yarnbox.yarn.security.tokens import (
    AMRMTokenSecretManager,
    ContainerTokenSecretManager,
    KeySource,
    NMTokenSecretManager,
)
from yarnbox.yarn.wire import PLAIN, Wire

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer

AMRM_KEYS = ("amrm-token-keys",)
"""The entry of the state store that holds the keys of AMRM tokens."""


class Tokens:
    """All secret managers of one RM."""

    def __init__(
        self,
        source: KeySource,
        *,
        rm_identifier: int,
        container_expiry_ms: int,
        service: str,
        gives_client_tokens: bool = False,
        wire: Wire = PLAIN,
    ) -> None:
        self.amrm = AMRMTokenSecretManager(source)
        self.nm = NMTokenSecretManager(source)
        self.containers = ContainerTokenSecretManager(source, wire)
        self.clients = ClientToAMTokenSecretManagerInRM()
        self._source = source
        self._gives_client_tokens = gives_client_tokens
        self._rm_identifier = rm_identifier
        self._container_expiry_ms = container_expiry_ms
        self._service = service

    # What the core asks for

    def container_token(self, container: RMContainer, user: str, now_ms: int) -> Token | None:
        """A container token for the container's present version."""
        identifier = ContainerTokenIdentifier(
            container_id=container.container_id,
            nm_host_addr=str(container.node_id),
            app_submitter=user,
            resource=container.resource,
            expiry_time_stamp=now_ms + self._container_expiry_ms,
            master_key_id=self.containers.key_id,
            rm_identifier=self._rm_identifier,
            priority=container.key.request_priority,
            creation_time=container.creation_ms,
            log_aggregation_context=container.context.log_aggregation_context(container.application_id),
            node_label_expression=container.label,
            container_type=ContainerType.APPLICATION_MASTER if container.is_am else ContainerType.TASK,
            execution_type=container.execution_type,
            version=container.version,
            allocation_request_id=container.key.allocation_request_id,
            allocation_tags=container.allocation_tags,
        )
        return self.containers.create_token(identifier, container.node_id)

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        """An NM token for the attempt and node; None when the attempt has one already."""
        return self.nm.token_to_send(attempt_id, node_id, user)

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt begins: it holds no NM tokens yet."""
        self.nm.register_attempt(attempt_id)

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt needs new NM tokens."""
        self.nm.clear_nodes(attempt_id)

    def forget_node(self, node_id: NodeId) -> None:
        """The node registered again: every attempt needs a new NM token for it."""
        self.nm.remove_node(node_id)

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        """The AMRM token of the attempt."""
        return self.amrm.create_token(attempt_id, self._service)

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended: its tokens are not valid any more."""
        self.amrm.forget_attempt(attempt_id)
        self.nm.unregister_attempt(attempt_id)
        self.clients.unregister(attempt_id)

    def new_client_key(self) -> bytes | None:
        """A secret for the tokens of an attempt's clients; None where clients get none."""
        return self._source() if self._gives_client_tokens else None

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """Clients may have tokens of the attempt from now on."""
        self.clients.register(attempt_id, key)

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """The client's token for the attempt's AM."""
        return self.clients.create_token(attempt_id, client)

    # What callers show, and what they are told

    def check_master(self, token: Token | None) -> AMRMTokenIdentifier:
        """The identifier of an AM's token; InvalidTokenError when it is not valid."""
        return self.amrm.verify(token)

    def renewed(self, identifier: AMRMTokenIdentifier, response: AllocateResponse) -> AllocateResponse:
        """The response with a token under the next key, if the AM showed one under an older."""
        if not self.amrm.needs_new_token(identifier) or identifier.app_attempt_id is None:
            return response
        token = self.amrm.create_token(identifier.app_attempt_id, self._service)
        return replace(response, am_rm_token=token)

    def with_keys(self, response: RegisterNodeManagerResponse) -> RegisterNodeManagerResponse:
        """A registration's answer with the keys that the node is to check with, unless it was refused."""
        if response.node_action is not NodeAction.NORMAL:
            return response
        return replace(
            response,
            container_token_master_key=self.containers.keys.current,
            nm_token_master_key=self.nm.keys.current,
        )

    def with_new_keys(
        self, request: NodeHeartbeatRequest, response: NodeHeartbeatResponse
    ) -> NodeHeartbeatResponse:
        """A heartbeat's answer with the keys that will be used next, if the node lacks them."""
        container_key, nm_key = self.containers.keys.next, self.nm.keys.next
        if container_key is None and nm_key is None:
            return response
        news: dict[str, Any] = {}
        if _is_news(container_key, request.last_known_container_token_master_key):
            news["container_token_master_key"] = container_key
        if _is_news(nm_key, request.last_known_nm_token_master_key):
            news["nm_token_master_key"] = nm_key
        return replace(response, **news) if news else response

    # What survives

    def keys_to_store(self) -> dict[str, object]:
        """The AMRM keys, as the state store holds them."""
        return {
            "current": _to_json(self.amrm.keys.current),
            "next": None if self.amrm.keys.next is None else _to_json(self.amrm.keys.next),
        }

    def restore_keys(self, stored: dict[str, Any]) -> None:
        """Restores the AMRM keys of an earlier RM."""
        following = stored["next"]
        self.amrm.keys.restore(
            _from_json(stored["current"]), None if following is None else _from_json(following)
        )


def _is_news(key: MasterKey | None, known: MasterKey | None) -> bool:
    return key is not None and (known is None or known.key_id != key.key_id)


def _to_json(key: MasterKey) -> list[object]:
    return [key.key_id, (key.bytes_ or b"").hex()]


def _from_json(stored: list[Any]) -> MasterKey:
    return MasterKey(key_id=stored[0], bytes_=bytes.fromhex(stored[1]))
