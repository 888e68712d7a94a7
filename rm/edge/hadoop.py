"""Hadoop's ports of the RM: clients', schedulers', nodes' and administrators', over Hadoop's own wire.

The same methods of the core as behind gRPC; AMs prove who they are by SASL with their AMRM token, everybody
else says who he is. Hadoop: the RPC servers of ClientRMService, ApplicationMasterService,
ResourceTrackerService and AdminService.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from yarnbox.rm.core import Core
from yarnbox.rm.edge.driver import Driver
from yarnbox.rm.edge.meters import Meters
from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.rm.edge.services import (
    ADMIN,
    CLIENT,
    HA,
    MASTER,
    TRACKER,
    HostNames,
    attempt_handler,
    node_handler,
    user_handler,
)
from yarnbox.rm.settings import RMSettings
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.connection.rpc import Handler
from yarnbox.yarn.hadoop_ipc.connection import Impersonation
from yarnbox.yarn.hadoop_ipc.connection import Tokens as Demanded
from yarnbox.yarn.hadoop_ipc.server import Endpoint, HadoopServer, Limits
from yarnbox.yarn.hadoop_ipc.stub import PROTOCOLS
from yarnbox.yarn.http.process_beans import RpcMeter, metered
from yarnbox.yarn.security.node_secret import NODE_TOKEN, NodeSecret
from yarnbox.yarn.security.tokens import AMRM_TOKEN
from yarnbox.yarn.wire import Wire

CLIENT_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
MASTER_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
TRACKER_PROTOCOL = PROTOCOLS[TRACKER]
ADMIN_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB"
HA_PROTOCOL = "org.apache.hadoop.ha.HAServiceProtocol"

_RM = "yarn.resourcemanager."
ADMIN_PROPERTY = _RM + "admin.address"


@dataclass(frozen=True, slots=True)
class _Port:
    """One of the four: who answers there, where it is, which property says so, and the meter of its calls."""

    server: HadoopServer
    address: Address
    property: str
    meter: RpcMeter


class AdminPort:
    """The administrators' port of one of several RMs: it is there for a standby, too, and tells who is
    active.
    """

    def __init__(self, settings: RMSettings, max_message_bytes: int, role: Handler, wire: Wire) -> None:
        self._settings = settings.addresses
        self._role = Endpoint(HA, role)
        self.server = HadoopServer({}, None, Limits(max_frame_bytes=max_message_bytes), wire=wire)

    def serve(self, administration: Endpoint, impersonation: Impersonation | None = None) -> None:
        """Administrators are answered so from now on."""
        self.server.protocols = {ADMIN_PROTOCOL: administration, HA_PROTOCOL: self._role}
        self.server.impersonation = impersonation

    async def start(self) -> None:
        """Listens, if Hadoop's wire is served; PortTakenError names the port."""
        address = self._settings.admin
        if self._settings.hadoop_ipc:
            host = self._settings.bind_host or address.host
            await self.server.start(host, address.port, ADMIN_PROPERTY)

    async def stop(self) -> None:
        """Ends all connections."""
        await self.server.stop()


class HadoopPorts:
    """The ports of an active RM; none when yarnbox.hadoop-ipc.enabled is false."""

    def __init__(
        self,
        core: Core,
        driver: Driver,
        tokens: Tokens,
        settings: RMSettings,
        max_message_bytes: int,
        names: HostNames | None,
        meters: Meters,
        protocols: NodeProtocols,
        shared: AdminPort | None = None,
    ) -> None:
        """With `shared`, the administrators' port is there already, and stays."""
        may, wire = core.access.why_not_as, core.context.wire
        limits = Limits(max_frame_bytes=max_message_bytes)
        user = settings.web.static_user
        addresses = settings.addresses
        demanded = Demanded(AMRM_TOKEN, tokens.amrm.password)
        client = Endpoint(CLIENT, metered(user_handler(CLIENT, core.client, driver, user), meters.client))
        admin = Endpoint(ADMIN, metered(user_handler(ADMIN, core.admin, driver, user), meters.admin))
        master = Endpoint(MASTER, metered(attempt_handler(core.master, driver, tokens), meters.master))
        secret = NodeSecret.of_file(addresses.node_secret_file)
        demanded_of_nodes = None if addresses.hadoop_nodes else secret
        tracker_handler = meters.of_nodes(
            protocols.of_hadoop(node_handler(core.tracker, driver, tokens, names, demanded_of_nodes))
        )
        tracker = Endpoint(TRACKER, metered(tracker_handler, meters.tracker))
        self._bind_host = addresses.bind_host
        self._ports: list[_Port] = []
        if addresses.hadoop_ipc:
            clients = HadoopServer({CLIENT_PROTOCOL: client}, None, limits, may, wire)
            masters = HadoopServer({MASTER_PROTOCOL: master}, demanded, limits, wire=wire)
            nodes = HadoopServer({TRACKER_PROTOCOL: tracker}, _of_nodes(secret), limits, may, wire)
            self._ports = [
                _Port(clients, addresses.client, _RM + "address", meters.client),
                _Port(masters, addresses.scheduler, _RM + "scheduler.address", meters.master),
                _Port(nodes, addresses.resource_tracker, _RM + "resource-tracker.address", meters.tracker),
            ]
            if shared is None:
                administrators = HadoopServer({ADMIN_PROTOCOL: admin}, None, limits, may, wire)
                self._ports.append(_Port(administrators, addresses.admin, ADMIN_PROPERTY, meters.admin))
            else:
                shared.serve(admin, may)
                meters.admin.open_connections = partial(len, shared.server.connections)

    async def start(self) -> None:
        """Listens; PortTakenError names the port and the property that changes it."""
        for port in self._ports:
            port.meter.open_connections = partial(len, port.server.connections)
            await port.server.start(self._bind_host or port.address.host, port.address.port, port.property)

    async def stop(self) -> None:
        """Ends all connections."""
        for port in self._ports:
            await port.server.stop()


def _of_nodes(secret: NodeSecret | None) -> Demanded | None:
    """Our own nodes prove that they know the cluster's secret; Hadoop's, which know none, are let in or
    refused when they call.
    """
    if secret is None:
        return None
    password = secret.token.password
    return Demanded(NODE_TOKEN, lambda identifier: password, is_optional=True)
