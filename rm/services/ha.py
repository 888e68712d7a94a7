"""HAServiceProtocol: which ResourceManager is active.

There is one, it is active from its start to its end, and a change of that is refused. Administrators alone
may ask. Served where yarn.resourcemanager.ha.enabled says that clients have several to choose from:
elsewhere, as in Hadoop, the protocol is unknown. Answers for AdminService's part of it.
"""

from __future__ import annotations

from rm.access import Access
from rm.services.caller import Caller
from yarn.errors import YarnError
from yarn.records.ha import (
    GetServiceStatusRequest,
    GetServiceStatusResponse,
    HAServiceState,
    MonitorHealthRequest,
    MonitorHealthResponse,
    TransitionToActiveRequest,
    TransitionToActiveResponse,
    TransitionToObserverRequest,
    TransitionToObserverResponse,
    TransitionToStandbyRequest,
    TransitionToStandbyResponse,
)

_ALWAYS_ACTIVE = "yarnbox has one ResourceManager, which is always active"


class ServiceFailedError(YarnError):
    """A change of role that does not happen."""

    java_class = "org.apache.hadoop.ha.ServiceFailedException"


class HAService:
    """One method per RPC of HAServiceProtocol."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def get_service_status(
        self, request: GetServiceStatusRequest, caller: Caller
    ) -> GetServiceStatusResponse:
        """getServiceStatus."""
        self._access.check_admin(caller.user, "getServiceState")
        return GetServiceStatusResponse(state=HAServiceState.ACTIVE, ready_to_become_active=True)

    def monitor_health(self, request: MonitorHealthRequest, caller: Caller) -> MonitorHealthResponse:
        """monitorHealth: who answers is well."""
        self._access.check_admin(caller.user, "monitorHealth")
        return MonitorHealthResponse()

    def transition_to_active(
        self, request: TransitionToActiveRequest, caller: Caller
    ) -> TransitionToActiveResponse:
        """transitionToActive: it is. Whoever asks for what is so already needs no right to it."""
        return TransitionToActiveResponse()

    def transition_to_standby(
        self, request: TransitionToStandbyRequest, caller: Caller
    ) -> TransitionToStandbyResponse:
        """transitionToStandby: nobody would take over."""
        self._access.check_admin(caller.user, "transitionToStandby")
        raise ServiceFailedError(_ALWAYS_ACTIVE)

    def transition_to_observer(
        self, request: TransitionToObserverRequest, caller: Caller
    ) -> TransitionToObserverResponse:
        """transitionToObserver: a role of NameNodes."""
        raise ServiceFailedError("Does not support transition to Observer")
