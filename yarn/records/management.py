"""Calls of ContainerManagementProtocol."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from yarnbox.yarn.enums import LocalizationState, SignalContainerCommand
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.basics import Record, SerializedException
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerStatus, LocalResource
from yarnbox.yarn.records.tokens import Token


class ReInitializeContainerRequest(Record, frozen=True, kw_only=True):
    """ReInitializeContainerRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    container_launch_context: ContainerLaunchContext | None = None  # absent: plain restart
    auto_commit: bool = True  # false: rollback stays possible


class StartContainersResponse(Record, frozen=True, kw_only=True):
    """StartContainersResponseProto of yarn_service_protos.proto."""

    services_meta_data: Mapping[str, bytes] = field(default_factory=dict)  # from auxiliary services
    succeeded_requests: tuple[ContainerId, ...] = ()
    # per container: one bad request does not fail the call
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class LocalizationStatus(Record, frozen=True, kw_only=True):
    """LocalizationStatusProto of yarn_service_protos.proto."""

    resource_key: str | None = None  # link name
    localization_state: LocalizationState | None = None
    diagnostics: str | None = None


class SignalContainerRequest(Record, frozen=True, kw_only=True):
    """SignalContainerRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId
    # OUTPUT_THREAD_DUMP = SIGQUIT, GRACEFUL_SHUTDOWN = SIGTERM, FORCEFUL_SHUTDOWN = SIGKILL
    command: SignalContainerCommand


class StartContainerRequest(Record, frozen=True, kw_only=True):
    """StartContainerRequestProto of yarn_service_protos.proto."""

    container_launch_context: ContainerLaunchContext | None = None
    container_token: Token | None = None


class ResourceLocalizationRequest(Record, frozen=True, kw_only=True):
    """ResourceLocalizationRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None  # must be RUNNING
    local_resources: Mapping[str, LocalResource] = field(default_factory=dict)


class StartContainersRequest(Record, frozen=True, kw_only=True):
    """StartContainersRequestProto of yarn_service_protos.proto."""

    start_container_request: tuple[StartContainerRequest, ...] = ()


class ContainerExceptionMap(Record, frozen=True, kw_only=True):
    """ContainerExceptionMapProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    exception: SerializedException | None = None


class StopContainersRequest(Record, frozen=True, kw_only=True):
    """StopContainersRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


class StopContainersResponse(Record, frozen=True, kw_only=True):
    """StopContainersResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class GetContainerStatusesRequest(Record, frozen=True, kw_only=True):
    """GetContainerStatusesRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


class GetContainerStatusesResponse(Record, frozen=True, kw_only=True):
    """GetContainerStatusesResponseProto of yarn_service_protos.proto."""

    status: tuple[ContainerStatus, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class IncreaseContainersResourceRequest(Record, frozen=True, kw_only=True):
    """IncreaseContainersResourceRequestProto of yarn_service_protos.proto."""

    increase_containers: tuple[Token, ...] = ()  # container tokens with the new size


class IncreaseContainersResourceResponse(Record, frozen=True, kw_only=True):
    """IncreaseContainersResourceResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class ContainerUpdateRequest(Record, frozen=True, kw_only=True):
    """ContainerUpdateRequestProto of yarn_service_protos.proto."""

    update_container_token: tuple[Token, ...] = ()  # container tokens of the new version


class ContainerUpdateResponse(Record, frozen=True, kw_only=True):
    """ContainerUpdateResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class GetLocalizationStatusesRequest(Record, frozen=True, kw_only=True):
    """GetLocalizationStatusesRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


class GetLocalizationStatusesResponse(Record, frozen=True, kw_only=True):
    """GetLocalizationStatusesResponseProto of yarn_service_protos.proto."""

    cntn_localization_statuses: tuple[ContainerLocalizationStatuses, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


class ContainerLocalizationStatuses(Record, frozen=True, kw_only=True):
    """ContainerLocalizationStatusesProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    localization_statuses: tuple[LocalizationStatus, ...] = ()


class SignalContainerResponse(Record, frozen=True, kw_only=True):
    """SignalContainerResponseProto of yarn_service_protos.proto."""


class ResourceLocalizationResponse(Record, frozen=True, kw_only=True):
    """ResourceLocalizationResponseProto of yarn_service_protos.proto."""


class ReInitializeContainerResponse(Record, frozen=True, kw_only=True):
    """ReInitializeContainerResponseProto of yarn_service_protos.proto."""


class RestartContainerResponse(Record, frozen=True, kw_only=True):
    """RestartContainerResponseProto of yarn_service_protos.proto."""


class RollbackResponse(Record, frozen=True, kw_only=True):
    """RollbackResponseProto of yarn_service_protos.proto."""


class CommitResponse(Record, frozen=True, kw_only=True):
    """CommitResponseProto of yarn_service_protos.proto."""
