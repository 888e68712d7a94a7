"""Hadoop's ports of the RM: clients', schedulers', nodes' and administrators', over Hadoop's own wire.

The same methods of the core as behind gRPC; AMs prove who they are by SASL with their AMRM token, everybody
else says who he is. Answers for the RPC servers of ClientRMService, ApplicationMasterService,
ResourceTrackerService and AdminService.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from rm.core import Core
from rm.edge.driver import Driver
from rm.edge.meters import Meters
from rm.edge.services import (
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
from rm.edge.tokens import Tokens
from rm.edge.wires import Wires
from rm.settings import RMSettings
from yarn.address import Address
from yarn.hadoop_ipc.connection import Tokens as Demanded
from yarn.hadoop_ipc.server import Endpoint, HadoopServer, Limits
from yarn.process_beans import RpcMeter, metered
from yarn.tokens import AMRM_TOKEN

CLIENT_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
MASTER_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
TRACKER_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
ADMIN_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB"
HA_PROTOCOL = "org.apache.hadoop.ha.HAServiceProtocol"

_RM = "yarn.resourcemanager."


@dataclass(frozen=True, slots=True)
class _Port:
    """One of the four: who answers there, where it is, which property says so, and the meter of its calls."""

    server: HadoopServer
    address: Address
    property: str
    meter: RpcMeter


class HadoopPorts:
    """The four ports; none when yarnbox.hadoop-ipc.enabled is false."""

    def __init__(
        self,
        core: Core,
        driver: Driver,
        tokens: Tokens,
        settings: RMSettings,
        max_message_bytes: int,
        names: HostNames | None,
        meters: Meters,
        wires: Wires,
    ) -> None:
        may = core.access.why_not_as
        limits = Limits(max_frame_bytes=max_message_bytes)
        user = settings.web.static_user
        addresses = settings.addresses
        demanded = Demanded(AMRM_TOKEN, tokens.amrm.password)
        client = Endpoint(CLIENT, metered(user_handler(CLIENT, core.client, driver, user), meters.client))
        admin = Endpoint(ADMIN, metered(user_handler(ADMIN, core.admin, driver, user), meters.admin))
        master = Endpoint(MASTER, metered(attempt_handler(core.master, driver, tokens), meters.master))
        tracker_handler = meters.of_nodes(wires.of_hadoop(node_handler(core.tracker, driver, tokens, names)))
        tracker = Endpoint(TRACKER, metered(tracker_handler, meters.tracker))
        administration = {ADMIN_PROTOCOL: admin}
        if addresses.ha_enabled:
            ha = metered(user_handler(HA, core.ha, driver, user), meters.admin)
            administration[HA_PROTOCOL] = Endpoint(HA, ha)
        self._bind_host = addresses.bind_host
        self._ports: list[_Port] = []
        if addresses.hadoop_ipc:
            clients = HadoopServer({CLIENT_PROTOCOL: client}, None, limits, may)
            masters = HadoopServer({MASTER_PROTOCOL: master}, demanded, limits)
            nodes = HadoopServer({TRACKER_PROTOCOL: tracker}, None, limits, may)
            administrators = HadoopServer(administration, None, limits, may)
            self._ports = [
                _Port(clients, addresses.client, _RM + "address", meters.client),
                _Port(masters, addresses.scheduler, _RM + "scheduler.address", meters.master),
                _Port(nodes, addresses.resource_tracker, _RM + "resource-tracker.address", meters.tracker),
                _Port(administrators, addresses.admin, _RM + "admin.address", meters.admin),
            ]

    async def start(self) -> None:
        """Listens; PortTakenError names the port and the property that changes it."""
        for port in self._ports:
            port.meter.open_connections = partial(len, port.server.connections)
            await port.server.start(self._bind_host or port.address.host, port.address.port, port.property)

    async def stop(self) -> None:
        """Ends all connections."""
        for port in self._ports:
            await port.server.stop()
