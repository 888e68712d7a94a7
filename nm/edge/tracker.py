"""How a node calls the ResourceTracker of the active RM: over gRPC, or over Hadoop's wire.

Owns which of the two, where the RMs are on it, and what a node shows them: that it knows the cluster's
secret. Hadoop: ServerRMProxy.
"""

from __future__ import annotations

import os

from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address, connectable
from yarnbox.yarn.connection.failover import Calls, FailoverStub, stub_of
from yarnbox.yarn.connection.rm_ids import GRPC, TRACKER, rm_addresses
from yarnbox.yarn.hadoop_ipc.shared_stub import SharedHadoopStub
from yarnbox.yarn.security.node_secret import PROPERTY, NodeSecret
from yarnbox.yarn.security.tls import Tls, check_hadoop_wire
from yarnbox.yarn.wire import Wire

SERVICE = "ResourceTrackerService"
_PEER = "the RM"


def addresses_of_rms(settings: NMSettings, configuration: Configuration | None) -> tuple[str, ...]:
    """Where all RMs answer nodes; without a configuration, where the one of the settings does."""
    if configuration is not None:
        return rm_addresses(configuration, TRACKER if settings.hadoop_heartbeats else GRPC)
    return (
        str(connectable(settings.rm_tracker_address if settings.hadoop_heartbeats else settings.rm_address)),
    )


def stub_of_rm(settings: NMSettings, addresses: tuple[str, ...], tls: Tls | None, wire: Wire) -> Calls:
    """The ResourceTracker of the active RM, as nodes of the cluster call it; many may share it."""
    secret = NodeSecret.of_file(settings.node_secret_file)
    token = secret.token if secret is not None else None
    if not settings.hadoop_heartbeats:
        return stub_of(addresses, SERVICE, user=_user(), token=token, peer=_PEER, tls=tls, wire=wire)
    if token is None:
        why = "a file with the cluster's secret, by which the RM knows its nodes over Hadoop's wire"
        raise ConfigurationError.of("default", why, name=PROPERTY)
    check_hadoop_wire((Address.parse(one).host for one in addresses), settings.tls)
    peer = _PEER if len(addresses) == 1 else ""
    return FailoverStub(
        [SharedHadoopStub(one, SERVICE, token=token, peer=peer, wire=wire) for one in addresses]
    )


def _user() -> str:
    return os.environ.get("HADOOP_USER_NAME") or os.environ.get("USER") or "yarn"
