"""Calls of ContainerManagementProtocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from yarnbox.yarn.enums import LocalizationState, SignalContainerCommand
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.basics import SerializedException, record
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerStatus, LocalResource
from yarnbox.yarn.records.tokens import Token


@record
class ReInitializeContainerRequest:
    """ReInitializeContainerRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    container_launch_context: ContainerLaunchContext | None = None  # absent: plain restart
    auto_commit: bool = True  # false: rollback stays possible


@record
class StartContainersResponse:
    """StartContainersResponseProto of yarn_service_protos.proto."""

    services_meta_data: Mapping[str, bytes] = field(default_factory=dict)  # from auxiliary services
    succeeded_requests: tuple[ContainerId, ...] = ()
    # per container: one bad request does not fail the call
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class LocalizationStatus:
    """LocalizationStatusProto of yarn_service_protos.proto."""

    resource_key: str | None = None  # link name
    localization_state: LocalizationState | None = None
    diagnostics: str | None = None


@record
class SignalContainerRequest:
    """SignalContainerRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId
    # OUTPUT_THREAD_DUMP = SIGQUIT, GRACEFUL_SHUTDOWN = SIGTERM, FORCEFUL_SHUTDOWN = SIGKILL
    command: SignalContainerCommand


@record
class StartContainerRequest:
    """StartContainerRequestProto of yarn_service_protos.proto."""

    container_launch_context: ContainerLaunchContext | None = None
    container_token: Token | None = None


@record
class ResourceLocalizationRequest:
    """ResourceLocalizationRequestProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None  # must be RUNNING
    local_resources: Mapping[str, LocalResource] = field(default_factory=dict)


@record
class StartContainersRequest:
    """StartContainersRequestProto of yarn_service_protos.proto."""

    start_container_request: tuple[StartContainerRequest, ...] = ()


@record
class ContainerExceptionMap:
    """ContainerExceptionMapProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    exception: SerializedException | None = None


@record
class StopContainersRequest:
    """StopContainersRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


@record
class StopContainersResponse:
    """StopContainersResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class GetContainerStatusesRequest:
    """GetContainerStatusesRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


@record
class GetContainerStatusesResponse:
    """GetContainerStatusesResponseProto of yarn_service_protos.proto."""

    status: tuple[ContainerStatus, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class IncreaseContainersResourceRequest:
    """IncreaseContainersResourceRequestProto of yarn_service_protos.proto."""

    increase_containers: tuple[Token, ...] = ()  # container tokens with the new size


@record
class IncreaseContainersResourceResponse:
    """IncreaseContainersResourceResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class ContainerUpdateRequest:
    """ContainerUpdateRequestProto of yarn_service_protos.proto."""

    update_container_token: tuple[Token, ...] = ()  # container tokens of the new version


@record
class ContainerUpdateResponse:
    """ContainerUpdateResponseProto of yarn_service_protos.proto."""

    succeeded_requests: tuple[ContainerId, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class GetLocalizationStatusesRequest:
    """GetLocalizationStatusesRequestProto of yarn_service_protos.proto."""

    container_id: tuple[ContainerId, ...] = ()


@record
class GetLocalizationStatusesResponse:
    """GetLocalizationStatusesResponseProto of yarn_service_protos.proto."""

    cntn_localization_statuses: tuple[ContainerLocalizationStatuses, ...] = ()
    failed_requests: tuple[ContainerExceptionMap, ...] = ()


@record
class ContainerLocalizationStatuses:
    """ContainerLocalizationStatusesProto of yarn_service_protos.proto."""

    container_id: ContainerId | None = None
    localization_statuses: tuple[LocalizationStatus, ...] = ()


@record
class SignalContainerResponse:
    """SignalContainerResponseProto of yarn_service_protos.proto."""


@record
class ResourceLocalizationResponse:
    """ResourceLocalizationResponseProto of yarn_service_protos.proto."""


@record
class ReInitializeContainerResponse:
    """ReInitializeContainerResponseProto of yarn_service_protos.proto."""


@record
class RestartContainerResponse:
    """RestartContainerResponseProto of yarn_service_protos.proto."""


@record
class RollbackResponse:
    """RollbackResponseProto of yarn_service_protos.proto."""


@record
class CommitResponse:
    """CommitResponseProto of yarn_service_protos.proto."""
