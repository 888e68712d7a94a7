"""The high availability half of `yarn rmadmin`: who is active, who is well.

Hadoop asks over a protocol of its own; here the answer is in `/ws/v1/cluster/info` of each ResourceManager.
Changing roles is refused. Answers for HAAdmin.
"""

from __future__ import annotations

from collections.abc import Sequence

from client.commands.rmadmin_help import usage
from client.failures import FAILED, OK
from client.session import Session
from client.settings import DEFAULT_WEB_PORT, WEB_ADDRESS, connectable
from client.web import CLUSTER, UnreachableError
from yarn.address import Address
from yarn.errors import IllegalArgumentError

_IDS = "yarn.resourcemanager.ha.rm-ids"


def run(session: Session, command: str, arguments: Sequence[str]) -> int:
    """Runs one of the commands that need high availability."""
    console = session.console
    if not session.settings.ha_enabled:
        console.print(f"Cannot run {command} when ResourceManager HA is not enabled")
        return FAILED
    ids = session.configuration.strings(_IDS)
    if command == "-getAllServiceState":
        for one in ids:
            console.print(f"{_address(session, one):<50} {_state(session, one):<10}")
        return OK
    if command not in ("-getServiceState", "-checkHealth"):
        console.error(f"{command[1:]}: yarnbox has one ResourceManager, which is always active")
        return FAILED
    if len(arguments) != 1:
        console.error(f"{command[1:]}: incorrect number of arguments")
        console.error(usage(command, ha_enabled=True))
        return FAILED
    if arguments[0] not in ids:
        known = "".join(f"{one} " for one in ids)
        console.error(
            f"Illegal argument: {arguments[0]} is not a valid serviceId. It should be one of {known}"
        )
        return FAILED
    state = _state(session, arguments[0])
    if command == "-getServiceState":
        console.print(state)
        return OK
    return OK if state in ("active", "standby") else FAILED


def _address(session: Session, service: str) -> str:
    text = session.configuration.value(f"{WEB_ADDRESS}.{service}")
    if text is None:
        return session.web_address
    try:
        return str(connectable(Address.parse(text, DEFAULT_WEB_PORT)))
    except ValueError as error:
        raise IllegalArgumentError(f"{WEB_ADDRESS}.{service} = {text}: must be {error}") from None


def _state(session: Session, service: str) -> str:
    """`active`, `standby`, or why nobody can tell."""
    try:
        answer = session.web().get(_address(session, service), f"{CLUSTER}/info")
    except UnreachableError as error:
        return f"Failed to connect: {error}"
    if not answer.is_ok:
        return f"Failed to connect: HTTP status {answer.status}"
    return str(answer.json["clusterInfo"]["haState"]).lower()
