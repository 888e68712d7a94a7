"""The high availability half of `yarn rmadmin`: who is active, who is well, and the change of it.

Each command speaks HAServiceProtocol with one ResourceManager, named by its id; nobody else is tried. Hadoop:
HAAdmin and RMAdminCLI.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.commands.administration.rmadmin_help import usage
from yarnbox.client.session import Session
from yarnbox.yarn.connection.rm_ids import of_rm, rm_ids
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.ha import (
    GetServiceStatusRequest,
    HARequestSource,
    HAServiceState,
    HAStateChangeRequestInfo,
    MonitorHealthRequest,
    TransitionToActiveRequest,
    TransitionToStandbyRequest,
)

_ADMIN = "yarn.resourcemanager.admin.address"
_FORCE_ACTIVE, _FORCE_MANUAL = "--forceactive", "--forcemanual"
_TRANSITION_S = 90.0
"""Recovery takes its time."""
_OPTIONS = {
    "-transitionToActive": (_FORCE_ACTIVE, _FORCE_MANUAL),
    "-transitionToStandby": (_FORCE_MANUAL,),
}
_WARNING = (
    "You have specified the --forcemanual flag. This flag is dangerous, as it can induce a split-brain"
    " scenario that WILL CORRUPT your state where the ResourceManagers do not share a store that fences.\n"
    "Are you sure you want to continue? (Y or N) "
)


def run(session: Session, command: str, arguments: Sequence[str]) -> int:
    """Runs one of the commands that need high availability."""
    console = session.console
    if not session.settings.ha_enabled:
        console.print(f"Cannot run {command} when ResourceManager HA is not enabled")
        return FAILED
    ids = rm_ids(session.configuration)
    options = [one for one in arguments if one.startswith("-")]
    words = [one for one in arguments if not one.startswith("-")]
    if any(one not in _OPTIONS.get(command, ()) for one in options):
        return _usage_error(session, command, "incorrect arguments")
    if len(words) != (0 if command == "-getAllServiceState" else 1):
        return _usage_error(session, command, "incorrect number of arguments")
    if command == "-getAllServiceState":
        return _all_states(session, ids)
    (rm_id,) = words
    if rm_id not in ids:
        known = "".join(f"{one} " for one in ids)
        console.error(f"Illegal argument: {rm_id} is not a valid serviceId. It should be one of {known}")
        return FAILED
    try:
        if command == "-getServiceState":
            console.print(_state(session, rm_id))
            return OK
        if command == "-checkHealth":
            return _check_health(session, rm_id)
        return _transition(session, command, rm_id, options)
    except (YarnError, RpcError) as error:
        console.error(f"Operation failed: {_said(error)}")
        return FAILED


def _usage_error(session: Session, command: str, why: str) -> int:
    session.console.error(f"{command[1:]}: {why}")
    session.console.error(usage(command, ha_enabled=True))
    return FAILED


def _said(error: YarnError | RpcError) -> str:
    return error.message if isinstance(error, YarnError) else str(error)


def _all_states(session: Session, ids: Sequence[str]) -> int:
    if not ids:
        session.console.error("Failed to get service IDs")
        return FAILED
    for rm_id in ids:
        try:
            state = _state(session, rm_id)
        except (YarnError, RpcError) as error:
            state = f"Failed to connect: {_said(error)}"
        session.console.print(f"{_name(session, rm_id):<50} {state:<10}")
    return OK


def _name(session: Session, rm_id: str) -> str:
    """The administrators' address, by which Hadoop's command names an RM."""
    return of_rm(session.configuration, rm_id).value(_ADMIN) or rm_id


def _ask(session: Session, rm_id: str, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
    with session.role_of(rm_id) as stub:
        return stub.call(rpc, request, timeout_s)


def _state(session: Session, rm_id: str) -> str:
    state: HAServiceState = _ask(session, rm_id, "getServiceStatus", GetServiceStatusRequest()).state
    return state.name.lower()


def _check_health(session: Session, rm_id: str) -> int:
    try:
        _ask(session, rm_id, "monitorHealth", MonitorHealthRequest())
    except YarnError as error:
        session.console.error(f"Health check failed: {error.message}")
        return FAILED
    return OK


def _transition(session: Session, command: str, rm_id: str, options: Sequence[str]) -> int:
    console = session.console
    is_forced = _FORCE_MANUAL in options
    if session.settings.automatic_failover and not is_forced:
        console.error(
            f"Automatic failover is enabled for {_name(session, rm_id)}\n"
            "Refusing to manually manage HA state, since it may cause a split-brain scenario or other"
            " incorrect state.\n"
            f"If you are very sure you know what you are doing, please specify the {_FORCE_MANUAL} flag."
        )
        return FAILED
    if is_forced and not _is_sure(session):
        return FAILED
    if command == "-transitionToActive" and _FORCE_ACTIVE not in options:
        why = _why_not_active(session, rm_id)
        if why is not None:
            console.error(f"{command[1:]}: {why}" if why.startswith("Node") else why)
            console.error(usage(command, ha_enabled=True))
            return FAILED
    by = HARequestSource.REQUEST_BY_USER_FORCED if is_forced else HARequestSource.REQUEST_BY_USER
    info = HAStateChangeRequestInfo(req_source=by)
    if command == "-transitionToActive":
        _ask(session, rm_id, "transitionToActive", TransitionToActiveRequest(req_info=info), _TRANSITION_S)
    else:
        _ask(session, rm_id, "transitionToStandby", TransitionToStandbyRequest(req_info=info), _TRANSITION_S)
    return OK


def _why_not_active(session: Session, rm_id: str) -> str | None:
    """Why another RM has to be looked after first."""
    for other in rm_ids(session.configuration):
        if other == rm_id:
            continue
        try:
            if _state(session, other) == "active":
                return f"Node {other} is already active"
        except (YarnError, RpcError) as error:
            return f"Unexpected error occurred  {_said(error)}"
    return None


def _is_sure(session: Session) -> bool:
    """Asks the caller until he says yes or no."""
    while True:
        answer = session.console.ask(_WARNING)
        if answer.lower() in ("y", "yes"):
            return True
        if answer.lower() in ("n", "no", ""):
            return False
        session.console.error(f"Invalid input: {answer}")
