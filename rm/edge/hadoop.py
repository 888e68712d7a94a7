"""Hadoop's ports of the RM: clients', schedulers', nodes' and administrators', over Hadoop's own wire.

The same methods of the core as behind gRPC; AMs prove who they are by SASL with their AMRM token, everybody
else says who he is. Answers for the RPC servers of ClientRMService, ApplicationMasterService,
ResourceTrackerService and AdminService.
"""

from __future__ import annotations

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
from rm.settings import RMSettings
from yarn.address import Address
from yarn.hadoop_ipc.connection import Tokens as Demanded
from yarn.hadoop_ipc.server import Endpoint, HadoopServer, Limits
from yarn.process_beans import metered
from yarn.tokens import AMRM_TOKEN

CLIENT_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationClientProtocolPB"
MASTER_PROTOCOL = "org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB"
TRACKER_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceTrackerPB"
ADMIN_PROTOCOL = "org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocolPB"
HA_PROTOCOL = "org.apache.hadoop.ha.HAServiceProtocol"

_RM = "yarn.resourcemanager."


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
    ) -> None:
        may = core.access.why_not_as
        limits = Limits(max_frame_bytes=max_message_bytes)
        user = settings.web.static_user
        addresses = settings.addresses
        demanded = Demanded(AMRM_TOKEN, tokens.amrm.password)
        client = Endpoint(CLIENT, metered(user_handler(CLIENT, core.client, driver, user), meters.client))
        admin = Endpoint(ADMIN, metered(user_handler(ADMIN, core.admin, driver, user), meters.admin))
        master = Endpoint(MASTER, metered(attempt_handler(core.master, driver, tokens), meters.master))
        tracker_handler = meters.of_nodes(node_handler(core.tracker, driver, tokens, names))
        tracker = Endpoint(TRACKER, metered(tracker_handler, meters.tracker))
        administration = {ADMIN_PROTOCOL: admin}
        if addresses.ha_enabled:
            ha = metered(user_handler(HA, core.ha, driver, user), meters.admin)
            administration[HA_PROTOCOL] = Endpoint(HA, ha)
        self._bind_host = addresses.bind_host
        self._ports: list[tuple[HadoopServer, Address, str]] = []
        if addresses.hadoop_ipc:
            self._ports = [
                (HadoopServer({CLIENT_PROTOCOL: client}, None, limits, may), addresses.client, "address"),
                (
                    HadoopServer({MASTER_PROTOCOL: master}, demanded, limits),
                    addresses.scheduler,
                    "scheduler.address",
                ),
                (
                    HadoopServer({TRACKER_PROTOCOL: tracker}, None, limits, may),
                    addresses.resource_tracker,
                    "resource-tracker.address",
                ),
                (HadoopServer(administration, None, limits, may), addresses.admin, "admin.address"),
            ]

        for meter, (server, _, _) in zip(
            (meters.client, meters.master, meters.tracker, meters.admin), self._ports, strict=False
        ):
            meter.open_connections = partial(len, server.connections)

    async def start(self) -> None:
        """Listens; PortTakenError names the port and the property that changes it."""
        for server, address, name in self._ports:
            await server.start(self._bind_host or address.host, address.port, _RM + name)

    async def stop(self) -> None:
        """Ends all connections."""
        for server, _, _ in self._ports:
            await server.stop()
