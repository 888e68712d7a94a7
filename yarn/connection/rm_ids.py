"""Several ResourceManagers in one configuration: their ids, and what the configuration says for each of them.

With yarn.resourcemanager.ha.enabled the name of an address property ends with the id of its RM
(`yarn.resourcemanager.address.rm1`). Where it is missing, the host is that of
`yarn.resourcemanager.hostname.rm1` and the port is the default. `of_rm` returns the configuration of one RM
under the names without ids, so that no other module has to know about ids. Hadoop: HAUtil.
"""

from __future__ import annotations

import socket

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address, connectable, with_default_port

_RM = "yarn.resourcemanager."
ENABLED = _RM + "ha.enabled"
IDS = _RM + "ha.rm-ids"
OWN = _RM + "ha.id"
ADDRESS = _RM + "address"
GRPC = "yarnbox.resourcemanager.grpc.address"
TRACKER = _RM + "resource-tracker.address"
HOSTNAME = _RM + "hostname"
_PORTS = {
    GRPC: 8050,
    ADDRESS: 8032,
    _RM + "scheduler.address": 8030,
    TRACKER: 8031,
    _RM + "admin.address": 8033,
    _RM + "webapp.address": 8088,
}
"""The properties that each RM has its own of, and the ports where a host alone is named."""


def rm_ids(configuration: Configuration) -> tuple[str, ...]:
    """The ids of all RMs, in their order; none without high availability."""
    return configuration.strings(IDS) if configuration.boolean(ENABLED, False) else ()


def of_rm(configuration: Configuration, rm_id: str) -> Configuration:
    """The configuration as the RM of that id has it. ConfigurationError where it says nothing of it."""
    host = configuration.value(f"{HOSTNAME}.{rm_id}")
    own = {HOSTNAME: host} if host else {}
    for name, port in _PORTS.items():
        found = configuration.value(f"{name}.{rm_id}") or (f"{host}:{port}" if host else None)
        if found:
            own[name] = found
    if not own:
        why = f"{HOSTNAME}.{rm_id} or {ADDRESS}.{rm_id} needs to be set in an HA configuration"
        raise _invalid(configuration, IDS, why)
    return configuration.overlaid(own, f"{IDS}: {rm_id}")


def all_of(configuration: Configuration) -> tuple[Configuration, ...]:
    """The configuration as each RM has it, in the order of the ids; without them, the one there is."""
    ids = rm_ids(configuration)
    return tuple(of_rm(configuration, rm_id) for rm_id in ids) if ids else (configuration,)


def rm_addresses(configuration: Configuration, name: str = GRPC) -> tuple[str, ...]:
    """Where all RMs serve gRPC, as they are connected to; or what another property of an address names."""
    return tuple(
        str(connectable(one.read(name, with_default_port(_PORTS[name]), _default_address(one, name))))
        for one in all_of(configuration)
    )


def _default_address(configuration: Configuration, name: str) -> Address:
    return Address(configuration.value(HOSTNAME) or "127.0.0.1", _PORTS[name])


def own_id(configuration: Configuration) -> str:
    """The id of this RM. ConfigurationError for what Hadoop's RM refuses to start with."""
    ids = rm_ids(configuration)
    if len(ids) < 2:
        raise _invalid(configuration, IDS, "at least two ids: high availability needs at least two RMs")
    for rm_id in ids:
        if rm_id.startswith("."):
            raise _invalid(configuration, IDS, f"ids that do not begin with a point, which {rm_id} does")
        of_rm(configuration, rm_id)
    own = configuration.value(OWN) or _local_id(configuration, ids)
    if own not in ids:
        raise _invalid(configuration, OWN, f"one of {IDS}, which are {', '.join(ids)}")
    return own


def _local_id(configuration: Configuration, ids: tuple[str, ...]) -> str:
    local = [rm_id for rm_id in ids if _is_local(of_rm(configuration, rm_id))]
    keys = ", ".join(f"{ADDRESS}.{rm_id}" for rm_id in ids)
    if len(local) > 1:
        raise _invalid(configuration, OWN, f"set: {keys} have multiple addresses that match this machine's")
    if not local:
        raise _invalid(configuration, OWN, f"set: none of {keys} is an address of this machine")
    return local[0]


def _is_local(configuration: Configuration) -> bool:
    text = configuration.value(ADDRESS)
    try:
        host = Address.parse(text or "", 0).host
        with socket.create_server((host, 0)):
            return True
    except (OSError, ValueError):
        return False


def _invalid(configuration: Configuration, name: str, allowed: str) -> ConfigurationError:
    return ConfigurationError.of(
        configuration.origin(name), allowed, name=name, value=configuration.value(name)
    )
