"""The five services: which method of the core answers which rpc, and who is let through to it.

Owns establishing the caller: an AM by its AMRM token, everybody else by the user that the call names (simple
authentication: who says nothing is hadoop.http.staticuser.user). What the caller may do is the core's to say.
Keys and new tokens are put into answers here, for the core knows none. Hadoop: the RPC servers of
ClientRMService, ApplicationMasterService, ResourceTrackerService and AdminService.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from yarnbox.rm.core import Core
from yarnbox.rm.edge.driver import Driver
from yarnbox.rm.edge.front import Served
from yarnbox.rm.edge.meters import Meters
from yarnbox.rm.edge.node_protocols import NodeProtocols
from yarnbox.rm.edge.security.authentication import CallerCheck, proved
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.connection.rpc import SERVICES, Handler
from yarnbox.yarn.connection.rpc import Caller as Claim
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.node_secret import NodeSecret
from yarnbox.yarn.security.tokens import AMRM_TOKEN, identifier_of

CLIENT = "ApplicationClientProtocolService"
MASTER = "ApplicationMasterProtocolService"
TRACKER = "ResourceTrackerService"
ADMIN = "ResourceManagerAdministrationProtocolService"
HA = "HAServiceProtocolService"
CORE_SERVICES = (CLIENT, ADMIN, MASTER, TRACKER)

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


def grpc_services(
    core: Core,
    driver: Driver,
    tokens: Tokens,
    meters: Meters,
    protocols: NodeProtocols,
    names: HostNames | None = None,
    check: CallerCheck | None = None,
) -> dict[str, Served]:
    """The core's answers over gRPC; with `names`, nodes have to be on hosts that can be resolved, and with
    `check` callers have to prove who they are.
    """
    static_user = core.context.settings.web.static_user
    client = user_handler(CLIENT, core.client, driver, static_user, check)
    admin = user_handler(ADMIN, core.admin, driver, static_user, check)
    secret = NodeSecret.of_file(core.context.settings.addresses.node_secret_file)
    nodes = node_handler(core.tracker, driver, tokens, names, secret, check)
    tracker = meters.of_nodes(protocols.of_grpc(nodes))
    return {
        CLIENT: Served(client, meters.client),
        ADMIN: Served(admin, meters.admin),
        MASTER: Served(master_handler(core.master, driver, tokens), meters.master),
        TRACKER: Served(tracker, meters.tracker),
    }


def user_handler(
    service: str, methods: object, driver: Driver, static_user: str, check: CallerCheck | None = None
) -> Handler:
    """The handler for users, who are known by the name that they give or, with `check`, by certificate or
    token."""
    handle = _for_users(_methods(service, methods), driver, static_user)
    if check is None:
        return handle
    return lambda rpc, request, claim: handle(rpc, request, check.user(claim))


def attempt_handler(methods: object, driver: Driver, tokens: Tokens) -> Handler:
    """Answers AMs whose token the connection has checked already: what an ended attempt asks is for the core
    to refuse, by the name that AMs know.
    """
    served = _methods(MASTER, methods)

    def handle(rpc: str, request: object, claim: Claim) -> object:
        shown = identifier_of(claim.token, AMRM_TOKEN, AMRMTokenIdentifier)
        caller = Caller(user=claim.user or "", attempt_id=shown.app_attempt_id)
        response = driver.turn(partial(served[rpc], request, caller))
        return tokens.renewed(shown, response) if rpc == "allocate" else response

    return handle


def role_handler(methods: object, static_user: str, users: Authentication | None = None) -> Handler:
    """Answers who asks for this RM's role, which is no turn of a core; `users` are those who may ask."""
    served = _methods(HA, methods)

    def handle(rpc: str, request: object, claim: Claim) -> object:
        known = claim if users is None else proved(users, claim)
        caller = Caller(user=known.user or static_user, host=known.host, real_user=known.real_user)
        return served[rpc](request, caller)

    return handle


def _methods(name: str, service: object) -> dict[str, Method]:
    """The method for each rpc: `getNewApplication` is `get_new_application`."""
    return {rpc: getattr(service, re.sub("(?<!^)(?=[A-Z])", "_", rpc).lower()) for rpc in SERVICES[name]}


def _for_users(methods: dict[str, Method], driver: Driver, static_user: str) -> Handler:
    def handle(rpc: str, request: object, claim: Claim) -> object:
        caller = Caller(user=claim.user or static_user, host=claim.host, real_user=claim.real_user)
        return driver.turn(partial(methods[rpc], request, caller))

    return handle


def master_handler(methods: object, driver: Driver, tokens: Tokens) -> Handler:
    """The handler for AMs, which authenticate with their tokens."""
    served = _methods(MASTER, methods)

    def handle(rpc: str, request: object, claim: Claim) -> object:
        shown = tokens.check_master(claim.token)
        caller = Caller(user=claim.user or "", attempt_id=shown.app_attempt_id)
        response = driver.turn(partial(served[rpc], request, caller))
        return tokens.renewed(shown, response) if rpc == "allocate" else response

    return handle


def node_handler(
    methods: object,
    driver: Driver,
    tokens: Tokens,
    names: HostNames | None = None,
    secret: NodeSecret | None = None,
    check: CallerCheck | None = None,
) -> Handler:
    """Answers NodeManagers, with the keys by which they know tokens. With a secret, nobody else is
    answered.
    """
    served = _methods(TRACKER, methods)

    def answer(rpc: str, request: Any, caller: Caller) -> object:
        response = driver.turn(partial(served[rpc], request, caller))
        if rpc == "nodeHeartbeat":
            return tokens.with_new_keys(request, response)
        return tokens.with_keys(response) if rpc == "registerNodeManager" else response

    async def register(request: Any, claim: Claim, names: HostNames) -> object:
        is_known = request.node_id is None or await names.knows(request.node_id.host)
        caller = Caller(user=claim.user or "", host=claim.host, has_known_host=is_known)
        return answer("registerNodeManager", request, caller)

    def handle(rpc: str, request: object, claim: Claim) -> object:
        if secret is not None:
            secret.check(claim.token)
        if check is not None:
            check.node(claim)
        if rpc == "registerNodeManager" and names is not None:
            return register(request, claim, names)
        return answer(rpc, request, Caller(user=claim.user or "", host=claim.host))

    return handle
