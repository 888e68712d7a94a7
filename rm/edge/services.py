"""The five services on one server: which method of the core answers which rpc, and who is let through to it.

Owns establishing the caller: an AM by its AMRM token, everybody else by the user that the call names (simple
authentication: who says nothing is hadoop.http.staticuser.user). What the caller may do is the core's to say.
Keys and new tokens are put into answers here, for the core knows none. Answers for the RPC servers of
ClientRMService, ApplicationMasterService, ResourceTrackerService and AdminService.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import grpc.aio

from rm.core import Core
from rm.edge.driver import Driver
from rm.edge.meters import Meters
from rm.edge.tokens import Tokens
from rm.edge.wires import Wires
from rm.services.caller import Caller
from yarn.addresses import AddressBook
from yarn.records.tokens import AMRMTokenIdentifier
from yarn.rpc import SERVICES, Handler, add_service
from yarn.rpc import Caller as Claim
from yarn.tokens import AMRM_TOKEN, identifier_of

CLIENT = "ApplicationClientProtocolService"
MASTER = "ApplicationMasterProtocolService"
TRACKER = "ResourceTrackerService"
ADMIN = "ResourceManagerAdministrationProtocolService"
HA = "HAServiceProtocolService"

Method = Callable[[Any, Caller], Any]


class HostNames:
    """Looks up the hosts that nodes say to be on: in the address book, then by the machine's resolver."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book

    async def knows(self, host: str) -> bool:
        """Whether the host can be resolved."""
        if self._book.resolve(f"{host}:0") != f"{host}:0":
            return True
        try:
            return bool(await asyncio.get_running_loop().getaddrinfo(host, None))
        except (OSError, UnicodeError):
            return False


def add_services(
    server: grpc.aio.Server,
    core: Core,
    driver: Driver,
    tokens: Tokens,
    meters: Meters,
    wires: Wires,
    names: HostNames | None = None,
) -> None:
    """Lets the core answer on this server; with `names`, nodes have to be on hosts that can be resolved."""
    static_user = core.context.settings.web.static_user
    client = user_handler(CLIENT, core.client, driver, static_user)
    admin = user_handler(ADMIN, core.admin, driver, static_user)
    tracker = meters.of_nodes(wires.of_grpc(node_handler(core.tracker, driver, tokens, names)))
    add_service(server, CLIENT, client, meters.client)
    add_service(server, ADMIN, admin, meters.admin)
    add_service(server, MASTER, _for_masters(_methods(MASTER, core.master), driver, tokens), meters.master)
    add_service(server, TRACKER, tracker, meters.tracker)


def user_handler(service: str, methods: object, driver: Driver, static_user: str) -> Handler:
    """Answers callers who are known by the name they give."""
    return _for_users(_methods(service, methods), driver, static_user)


def attempt_handler(methods: object, driver: Driver, tokens: Tokens) -> Handler:
    """Answers AMs whose token the connection has checked already: what an ended attempt asks is for the core
    to refuse, by the name that AMs know.
    """
    served = _methods(MASTER, methods)

    def handle(rpc: str, request: Any, claim: Claim) -> Any:
        shown = identifier_of(claim.token, AMRM_TOKEN, AMRMTokenIdentifier)
        caller = Caller(user=claim.user or "", attempt_id=shown.app_attempt_id)
        response = driver.turn(partial(served[rpc], request, caller))
        return tokens.renewed(shown, response) if rpc == "allocate" else response

    return handle


def _methods(name: str, service: object) -> dict[str, Method]:
    """The method for each rpc: `getNewApplication` is `get_new_application`."""
    return {rpc: getattr(service, re.sub("(?<!^)(?=[A-Z])", "_", rpc).lower()) for rpc in SERVICES[name]}


def _for_users(methods: dict[str, Method], driver: Driver, static_user: str) -> Handler:
    def handle(rpc: str, request: Any, claim: Claim) -> Any:
        caller = Caller(user=claim.user or static_user, host=claim.host, real_user=claim.real_user)
        return driver.turn(partial(methods[rpc], request, caller))

    return handle


def _for_masters(methods: dict[str, Method], driver: Driver, tokens: Tokens) -> Handler:
    def handle(rpc: str, request: Any, claim: Claim) -> Any:
        shown = tokens.check_master(claim.token)
        caller = Caller(user=claim.user or "", attempt_id=shown.app_attempt_id)
        response = driver.turn(partial(methods[rpc], request, caller))
        return tokens.renewed(shown, response) if rpc == "allocate" else response

    return handle


def node_handler(methods: object, driver: Driver, tokens: Tokens, names: HostNames | None = None) -> Handler:
    """Answers NodeManagers, with the keys by which they know tokens."""
    served = _methods(TRACKER, methods)

    def answer(rpc: str, request: Any, caller: Caller) -> Any:
        response = driver.turn(partial(served[rpc], request, caller))
        if rpc == "nodeHeartbeat":
            return tokens.with_new_keys(request, response)
        return tokens.with_keys(response) if rpc == "registerNodeManager" else response

    async def register(request: Any, claim: Claim, names: HostNames) -> Any:
        is_known = request.node_id is None or await names.knows(request.node_id.host)
        caller = Caller(user=claim.user or "", host=claim.host, has_known_host=is_known)
        return answer("registerNodeManager", request, caller)

    def handle(rpc: str, request: Any, claim: Claim) -> Any:
        if rpc == "registerNodeManager" and names is not None:
            return register(request, claim, names)
        return answer(rpc, request, Caller(user=claim.user or "", host=claim.host))

    return handle
