"""Several ResourceManagers of one cluster: which one is active, and how another one is made active."""

from __future__ import annotations

import getpass
import socket

from yarnbox.cluster.directory import ClusterError, ClusterRecord, RMRecord
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.rpc import BlockingStub, RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.ha import (
    GetServiceStatusRequest,
    HARequestSource,
    HAServiceState,
    HAStateChangeRequestInfo,
    TransitionToStandbyRequest,
)
from yarnbox.yarn.security.tls import Tls

SERVICE = "HAServiceProtocolService"
_ANSWER_S = 2.0
_CHANGE_S = 60.0


def state_of(rm: RMRecord, tls: Tls | None = None) -> HAServiceState | None:
    """What it says of itself; None if it does not answer."""
    if rm.process is None or not rm.process.is_alive() or not is_listening(rm.address):
        return None
    try:
        with BlockingStub(rm.address, SERVICE, user=getpass.getuser(), timeout_s=_ANSWER_S, tls=tls) as stub:
            state: HAServiceState = stub.call("getServiceStatus", GetServiceStatusRequest()).state
    except (RpcError, YarnError):
        return None
    return state


def active_of(record: ClusterRecord, tls: Tls | None = None) -> RMRecord | None:
    """The active one, if there is one at this moment."""
    for rm in record.rms.values():
        if state_of(rm, tls) is HAServiceState.ACTIVE:
            return rm
    return None


def rm_of(record: ClusterRecord, name: str) -> RMRecord:
    """The one of that name; ClusterError names those there are."""
    if name not in record.rms:
        there = ", ".join(record.rms) or "rm alone: start several with `yarnbox up --rms 2`"
        raise ClusterError(f"there is no ResourceManager {name}; there is {there}")
    return record.rms[name]


def ask_to_step_down(record: ClusterRecord, tls: Tls | None = None) -> RMRecord:
    """Has the active one give its place to another; which it was."""
    active = active_of(record, tls)
    if active is None:
        raise ClusterError("no ResourceManager is active at this moment; `yarnbox status` shows them")
    others = [rm for rm in record.rms.values() if rm is not active]
    if not any(state_of(rm, tls) is HAServiceState.STANDBY for rm in others):
        names = " and ".join(rm.name for rm in others)
        raise ClusterError(f"{names} cannot take over: `yarnbox restart-rm {others[0].name}` starts it")
    info = HAStateChangeRequestInfo(req_source=HARequestSource.REQUEST_BY_USER_FORCED)
    try:
        with BlockingStub(
            active.address, SERVICE, user=getpass.getuser(), timeout_s=_CHANGE_S, tls=tls
        ) as stub:
            stub.call("transitionToStandby", TransitionToStandbyRequest(req_info=info))
    except (RpcError, YarnError) as error:
        raise ClusterError(f"{active.name} does not step down: {error}") from None
    return active


def is_listening(address: str) -> bool:
    """Whether there is anybody: gRPC takes a hundred times as long to find that out, and is asked often."""
    there = Address.parse(address)
    try:
        socket.create_connection((there.host, there.port), timeout=_ANSWER_S).close()
    except OSError:
        return False
    return True
