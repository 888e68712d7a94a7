"""Calls of HAServiceProtocol: which of several daemons is active, and the change of it."""

from __future__ import annotations

from enum import Enum

from yarnbox.yarn.records.basics import record


class HAServiceState(Enum):
    """HAServiceStateProto on the wire."""

    INITIALIZING = 0
    ACTIVE = 1
    STANDBY = 2
    OBSERVER = 3


class HARequestSource(Enum):
    """Who wants the change."""

    REQUEST_BY_USER = 0
    REQUEST_BY_USER_FORCED = 1
    REQUEST_BY_ZKFC = 2


@record
class HAStateChangeRequestInfo:
    """HAStateChangeRequestInfoProto of HAServiceProtocol.proto."""

    req_source: HARequestSource


@record
class MonitorHealthRequest:
    """MonitorHealthRequestProto of HAServiceProtocol.proto."""


@record
class MonitorHealthResponse:
    """MonitorHealthResponseProto of HAServiceProtocol.proto."""


@record
class TransitionToActiveRequest:
    """TransitionToActiveRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


@record
class TransitionToActiveResponse:
    """TransitionToActiveResponseProto of HAServiceProtocol.proto."""


@record
class TransitionToStandbyRequest:
    """TransitionToStandbyRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


@record
class TransitionToStandbyResponse:
    """TransitionToStandbyResponseProto of HAServiceProtocol.proto."""


@record
class TransitionToObserverRequest:
    """TransitionToObserverRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


@record
class TransitionToObserverResponse:
    """TransitionToObserverResponseProto of HAServiceProtocol.proto."""


@record
class GetServiceStatusRequest:
    """GetServiceStatusRequestProto of HAServiceProtocol.proto."""


@record
class GetServiceStatusResponse:
    """GetServiceStatusResponseProto of HAServiceProtocol.proto."""

    state: HAServiceState
    ready_to_become_active: bool | None = None
    not_ready_reason: str | None = None


@record
class ActiveRMInfo:
    """ActiveRMInfoProto of yarn_server_resourcemanager_service_protos.proto."""

    cluster_id: str
    rm_id: str
