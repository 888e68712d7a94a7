"""Token identifiers, the token envelope, and the delegation token calls."""

from __future__ import annotations

from yarnbox.yarn.enums import ContainerType, ExecutionType
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId
from yarnbox.yarn.records.basics import LogAggregationContext, Record
from yarnbox.yarn.resources.resource import Resource


class NMTokenIdentifier(Record, frozen=True, kw_only=True):
    """NMTokenIdentifierProto of yarn_security_token.proto."""

    app_attempt_id: ApplicationAttemptId | None = None
    node_id: NodeId | None = None
    app_submitter: str | None = None
    key_id: int = -1


class ContainerTokenIdentifier(Record, frozen=True, kw_only=True):
    """ContainerTokenIdentifierProto of yarn_security_token.proto."""

    container_id: ContainerId | None = None
    nm_host_addr: str | None = None  # "host:port" of the node
    app_submitter: str | None = None  # user the container runs as
    resource: Resource | None = None  # size to enforce
    expiry_time_stamp: int | None = None  # ms; grant time + container allocation expiry
    master_key_id: int = -1
    rm_identifier: int | None = None  # must equal the NM's rm_identifier
    priority: int | None = None
    creation_time: int | None = None
    log_aggregation_context: LogAggregationContext | None = None
    node_label_expression: str | None = None
    container_type: ContainerType | None = None  # APPLICATION_MASTER or TASK
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    version: int = 0
    allocation_request_id: int = -1
    allocation_tags: tuple[str, ...] = ()


class YARNDelegationTokenIdentifier(Record, frozen=True, kw_only=True):
    """YARNDelegationTokenIdentifierProto of yarn_security_token.proto."""

    owner: str | None = None
    renewer: str | None = None
    real_user: str | None = None
    issue_date: int | None = None  # ms
    max_date: int | None = None  # ms
    sequence_number: int | None = None
    master_key_id: int | None = None


class Token(Record, frozen=True, kw_only=True):
    """TokenProto of Security.proto."""

    identifier: bytes  # serialized identifier message (section 7)
    password: bytes  # HMAC of the identifier
    kind: str  # NMToken, YARN_AM_RM_TOKEN, ContainerToken, YARN_CLIENT_TOKEN, RM_DELEGATION_TOKEN
    service: str  # "host:port" the token is for


class AMRMTokenIdentifier(Record, frozen=True, kw_only=True):
    """AMRMTokenIdentifierProto of yarn_security_token.proto."""

    app_attempt_id: ApplicationAttemptId | None = None
    key_id: int = -1


class ClientToAMTokenIdentifier(Record, frozen=True, kw_only=True):
    """ClientToAMTokenIdentifierProto of yarn_security_token.proto."""

    app_attempt_id: ApplicationAttemptId | None = None
    client_name: str | None = None


class GetDelegationTokenRequest(Record, frozen=True, kw_only=True):
    """GetDelegationTokenRequestProto of Security.proto."""

    renewer: str


class GetDelegationTokenResponse(Record, frozen=True, kw_only=True):
    """GetDelegationTokenResponseProto of Security.proto."""

    token: Token | None = None


class RenewDelegationTokenRequest(Record, frozen=True, kw_only=True):
    """RenewDelegationTokenRequestProto of Security.proto."""

    token: Token


class RenewDelegationTokenResponse(Record, frozen=True, kw_only=True):
    """RenewDelegationTokenResponseProto of Security.proto."""

    new_expiry_time: int  # ms


class CancelDelegationTokenRequest(Record, frozen=True, kw_only=True):
    """CancelDelegationTokenRequestProto of Security.proto."""

    token: Token


class CancelDelegationTokenResponse(Record, frozen=True, kw_only=True):
    """CancelDelegationTokenResponseProto of Security.proto."""
