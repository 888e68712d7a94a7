"""Containers as granted, launched and reported."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from yarnbox.yarn.enums import (
    ApplicationAccessType,
    ContainerRetryPolicy,
    ContainerState,
    ContainerSubState,
    ExecutionType,
    LocalResourceType,
    LocalResourceVisibility,
)
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.limits import Capacity, Name
from yarnbox.yarn.records.basics import URL, Record
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource


class Container(Record, frozen=True, kw_only=True):
    """ContainerProto of yarn_protos.proto."""

    id: ContainerId
    node_id: NodeId | None = None
    node_http_address: Name | None = None
    resource: Resource | None = None  # as granted (normalized)
    priority: int | None = None  # request priority
    container_token: Token | None = None  # proof for startContainers
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    allocation_request_id: int = -1
    version: int = 0  # incremented by each update
    allocation_tags: tuple[str, ...] = ()
    exposed_ports: str | None = None


class ContainerReport(Record, frozen=True, kw_only=True):
    """ContainerReportProto of yarn_protos.proto."""

    container_id: ContainerId | None = None
    resource: Resource | None = None
    node_id: NodeId | None = None
    priority: int | None = None
    creation_time: int | None = None  # ms
    finish_time: int | None = None  # ms
    diagnostics_info: str | None = "N/A"
    log_url: str | None = None
    container_exit_status: int | None = None
    container_state: ContainerState | None = None  # RM view: RUNNING for every live state, COMPLETE otherwise
    node_http_address: str | None = None
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    exposed_ports: str | None = None  # JSON text


class LocalResource(Record, frozen=True, kw_only=True):
    """LocalResourceProto of yarn_protos.proto."""

    resource: URL | None = None
    size: int | None = None  # bytes
    timestamp: int | None = None  # modification time, ms: must equal that of the file
    type: LocalResourceType | None = None
    visibility: LocalResourceVisibility | None = None
    pattern: str | None = None  # for PATTERN: regular expression of the archive members to extract
    should_be_uploaded_to_shared_cache: bool | None = None


class ContainerLaunchContext(Record, frozen=True, kw_only=True):
    """ContainerLaunchContextProto of yarn_protos.proto."""

    local_resources: Mapping[str, LocalResource] = field(default_factory=dict)
    tokens: bytes | None = None  # serialized credentials (Hadoop token storage)
    service_data: Mapping[str, bytes] = field(default_factory=dict)  # per auxiliary service
    environment: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = ()  # joined with spaces into one shell line
    application_acls: tuple[ApplicationACLMap, ...] = ()
    container_retry_context: ContainerRetryContext | None = None
    tokens_conf: bytes | None = None  # configuration for token renewal; at most 12800 bytes


class ContainerStatus(Record, frozen=True, kw_only=True):
    """ContainerStatusProto of yarn_protos.proto."""

    container_id: ContainerId
    state: ContainerState | None = None
    diagnostics: str = "N/A"
    exit_status: int = -1000  # -1000 while it runs
    capability: Capacity | None = None
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    container_attributes: Mapping[str, str] = field(default_factory=dict)  # IPS, HOST, PORTS
    container_sub_state: ContainerSubState | None = None


class ContainerRetryContext(Record, frozen=True, kw_only=True):
    """ContainerRetryContextProto of yarn_protos.proto."""

    retry_policy: ContainerRetryPolicy = ContainerRetryPolicy.NEVER_RETRY
    error_codes: tuple[int, ...] = ()  # for RETRY_ON_SPECIFIC_ERROR_CODES
    max_retries: int = 0  # -1: without limit
    retry_interval: int = 0  # ms; raised to the NM minimum 1000
    failures_validity_interval: int = -1  # ms; -1: off


class ApplicationACLMap(Record, frozen=True, kw_only=True):
    """ApplicationACLMapProto of yarn_protos.proto."""

    access_type: ApplicationAccessType | None = None
    acl: str = " "  # "user1,user2 group1,group2"; "*" is everybody; the default is one space: nobody
