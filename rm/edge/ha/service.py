"""HAServiceProtocol: which ResourceManager is active, and the change of it. Hadoop: AdminService's part."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.errors import AccessControlError, YarnError
from yarnbox.yarn.log import Log
from yarnbox.yarn.records.ha import (
    GetServiceStatusRequest,
    GetServiceStatusResponse,
    HARequestSource,
    HAServiceState,
    HAStateChangeRequestInfo,
    MonitorHealthRequest,
    MonitorHealthResponse,
    TransitionToActiveRequest,
    TransitionToActiveResponse,
    TransitionToObserverRequest,
    TransitionToObserverResponse,
    TransitionToStandbyRequest,
    TransitionToStandbyResponse,
)

log = Log("rm")

_READY = (HAServiceState.ACTIVE, HAServiceState.STANDBY)


class ServiceFailedError(YarnError):
    """A change of role failed."""

    java_class = "org.apache.hadoop.ha.ServiceFailedException"


class Changes(Protocol):
    """What the service needs of an RM's role."""

    is_automatic: bool

    @property
    def state(self) -> HAServiceState:
        """What it is."""
        ...

    def may_administer(self, user: str) -> bool:
        """Whether the user administers the cluster."""
        ...

    async def become_active(self) -> None:
        """Returns when it is active; YarnError when it cannot be."""

    async def become_standby(self) -> None:
        """Returns when it is a standby."""


class HAService:
    """One method per RPC of HAServiceProtocol."""

    def __init__(self, role: Changes) -> None:
        self._role = role

    def get_service_status(
        self, request: GetServiceStatusRequest, caller: Caller
    ) -> GetServiceStatusResponse:
        """getServiceStatus."""
        self._check(caller, "getServiceState")
        state = self._role.state
        is_ready = state in _READY
        why = None if is_ready else f"State is {state.name}"
        return GetServiceStatusResponse(state=state, ready_to_become_active=is_ready, not_ready_reason=why)

    def monitor_health(self, request: MonitorHealthRequest, caller: Caller) -> MonitorHealthResponse:
        """monitorHealth: who answers is well."""
        self._check(caller, "monitorHealth")
        return MonitorHealthResponse()

    async def transition_to_active(
        self, request: TransitionToActiveRequest, caller: Caller
    ) -> TransitionToActiveResponse:
        """transitionToActive. Whoever asks for what is so already needs no right to it."""
        if self._role.state is not HAServiceState.ACTIVE:
            self._check_change(caller, "transitionToActive", request.req_info)
            await self._change(self._role.become_active(), "Active")
        return TransitionToActiveResponse()

    async def transition_to_standby(
        self, request: TransitionToStandbyRequest, caller: Caller
    ) -> TransitionToStandbyResponse:
        """transitionToStandby."""
        self._check_change(caller, "transitionToStandby", request.req_info)
        if self._role.state is not HAServiceState.STANDBY:
            await self._change(self._role.become_standby(), "Standby")
        return TransitionToStandbyResponse()

    def transition_to_observer(
        self, request: TransitionToObserverRequest, caller: Caller
    ) -> TransitionToObserverResponse:
        """transitionToObserver: a role of NameNodes."""
        raise ServiceFailedError("Does not support transition to Observer")

    async def _change(self, change: Awaitable[None], what: str) -> None:
        try:
            await change
        except YarnError as error:
            raise ServiceFailedError(f"Error when transitioning to {what} mode: {error.message}") from error

    def _check(self, caller: Caller, call: str) -> None:
        if not self._role.may_administer(caller.user):
            raise AccessControlError(f"User {caller.user} doesn't have permission to call '{call}'")

    def _check_change(self, caller: Caller, call: str, info: HAStateChangeRequestInfo) -> None:
        self._check(caller, call)
        source = info.req_source
        if source is HARequestSource.REQUEST_BY_USER and self._role.is_automatic:
            raise AccessControlError(
                "Manual failover for this ResourceManager is disallowed,"
                " because automatic failover is enabled"
            )
        if source is HARequestSource.REQUEST_BY_ZKFC and not self._role.is_automatic:
            raise AccessControlError(
                "Request from a fail-over controller is disallowed, because automatic failover is disabled"
            )
        if source is HARequestSource.REQUEST_BY_USER_FORCED:
            log.warning("a change of role is forced", call=call, user=caller.user, host=caller.host)
