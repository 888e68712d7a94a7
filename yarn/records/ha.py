"""Calls of HAServiceProtocol: which of several daemons is active, and the change of it."""

from __future__ import annotations

from enum import Enum

from yarnbox.yarn.records.basics import Record


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


class HAStateChangeRequestInfo(Record, frozen=True, kw_only=True):
    """HAStateChangeRequestInfoProto of HAServiceProtocol.proto."""

    req_source: HARequestSource


class MonitorHealthRequest(Record, frozen=True, kw_only=True):
    """MonitorHealthRequestProto of HAServiceProtocol.proto."""


class MonitorHealthResponse(Record, frozen=True, kw_only=True):
    """MonitorHealthResponseProto of HAServiceProtocol.proto."""


class TransitionToActiveRequest(Record, frozen=True, kw_only=True):
    """TransitionToActiveRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


class TransitionToActiveResponse(Record, frozen=True, kw_only=True):
    """TransitionToActiveResponseProto of HAServiceProtocol.proto."""


class TransitionToStandbyRequest(Record, frozen=True, kw_only=True):
    """TransitionToStandbyRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


class TransitionToStandbyResponse(Record, frozen=True, kw_only=True):
    """TransitionToStandbyResponseProto of HAServiceProtocol.proto."""


class TransitionToObserverRequest(Record, frozen=True, kw_only=True):
    """TransitionToObserverRequestProto of HAServiceProtocol.proto."""

    req_info: HAStateChangeRequestInfo


class TransitionToObserverResponse(Record, frozen=True, kw_only=True):
    """TransitionToObserverResponseProto of HAServiceProtocol.proto."""


class GetServiceStatusRequest(Record, frozen=True, kw_only=True):
    """GetServiceStatusRequestProto of HAServiceProtocol.proto."""


class GetServiceStatusResponse(Record, frozen=True, kw_only=True):
    """GetServiceStatusResponseProto of HAServiceProtocol.proto."""

    state: HAServiceState
    ready_to_become_active: bool | None = None
    not_ready_reason: str | None = None


class ActiveRMInfo(Record, frozen=True, kw_only=True):
    """ActiveRMInfoProto of yarn_server_resourcemanager_service_protos.proto."""

    cluster_id: str
    rm_id: str
