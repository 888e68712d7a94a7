"""Hadoop's services over gRPC: records in, records out, refusals raised again on the other side.

Owns what Hadoop's RPC engine does outside the messages: the path `/hadoop.yarn.<Service>/<rpc>`, the caller
in the request's metadata, the exception in the trailing metadata, size limits and time limits. Knows nothing
of what a call does: a handler receives the rpc's name, the request record and the Caller, and returns the
response record or raises a YarnError. Hadoop: ProtobufRpcEngine2, RPCUtil and RPCs' part of RMProxy.
"""

from __future__ import annotations

import asyncio
import errno
import importlib
import logging
import os
import socket
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from time import perf_counter
from typing import Any, Generic, Protocol, Self, TypeVar, cast

os.environ.setdefault(
    "GRPC_VERBOSITY", "NONE"
)  # what goes wrong is raised; the C core would print it as well

import grpc
import grpc.aio

from yarnbox.yarn.errors import IllegalArgumentError, YarnError, error_of_class
from yarnbox.yarn.records.basics import Record, SerializedException
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.wire import PLAIN, Wire, from_bytes, to_bytes

log = logging.getLogger("yarn.rpc")

MAX_MESSAGE_BYTES = 128 * 1024 * 1024
"""The default of ipc.maximum.data.length: a longer message is refused with RESOURCE_EXHAUSTED."""

CALL_TIMEOUT_S = 60.0
"""The default of ipc.client.rpc-timeout in this project: no call waits for ever."""

_USER = "yarn-user"
_TOKEN = "yarn-token-bin"
_EXCEPTION = "yarn-exception-bin"
_BEARER = "authorization"
_BEARER_PREFIX = "Bearer "
_LONGEST_MESSAGE = 4000  # characters; trailing metadata has to fit into the 8 KiB that peers accept

_CONTRACTS: dict[str, tuple[str, str]] = {
    "ApplicationClientProtocolService": ("applicationclient_protocol_pb2", "client"),
    "ApplicationMasterProtocolService": ("applicationmaster_protocol_pb2", "master"),
    "ContainerManagementProtocolService": ("containermanagement_protocol_pb2", "management"),
    "ResourceTrackerService": ("ResourceTracker_pb2", "tracker"),
    "ResourceManagerAdministrationProtocolService": ("resourcemanager_administration_protocol_pb2", "admin"),
    "HAServiceProtocolService": ("HAServiceProtocol_pb2", "ha"),
    "MRClientProtocolService": ("MRClientProtocol_pb2", "mapreduce"),
}


class RpcError(Exception):
    """A call that failed for another reason than a refusal of the service."""


class ConnectionFailedError(RpcError):
    """Nobody answered at the address, in time or at all."""


class RemoteDefectError(RpcError):
    """The peer broke while it answered; its log has the traceback."""


# The contract: which records each rpc takes and gives.


@cache
def rpcs_of(service: str) -> Mapping[str, tuple[type, type]]:
    """Rpc name to (request record class, response record class), read off the service's descriptor."""
    stubs, records = _CONTRACTS[service]
    file = importlib.import_module(f"yarnbox.protos.{stubs}").DESCRIPTOR
    homes = [
        importlib.import_module(f"yarnbox.yarn.{name}")
        for name in (f"records.{records}", "records.tokens", "records.management", "ids")
    ]
    methods = file.services_by_name[service].methods
    return {
        method.name: (_record_of(method.input_type.name, homes), _record_of(method.output_type.name, homes))
        for method in methods
    }


def _record_of(message: str, homes: Sequence[object]) -> type:
    name = message.removesuffix("Proto")
    for home in homes:
        found = getattr(home, name, None)
        if found is not None:
            return cast(type, found)
    raise LookupError(f"no record for the message {message}")


class _Services(Mapping[str, Mapping[str, tuple[type, type]]]):
    """All services; the records of one are imported when it is first asked for."""

    def __getitem__(self, service: str) -> Mapping[str, tuple[type, type]]:
        return rpcs_of(service)

    def __iter__(self) -> Iterator[str]:
        return iter(_CONTRACTS)

    def __len__(self) -> int:
        return len(_CONTRACTS)


SERVICES: Mapping[str, Mapping[str, tuple[type, type]]] = _Services()


# The caller.


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, as the request's metadata say; a token is not yet verified."""

    user: str | None = None
    token: Token | None = None
    host: str | None = None
    """The address that the call comes from, without its port."""
    real_user: str | None = None
    """Who acts in the user's name; that he may was checked."""
    certified: str | None = None
    """The common name of the certificate that the caller has shown; TLS has verified it."""
    bearer: str | None = None
    """The token of a user that the caller shows; not yet verified."""


NOBODY = Caller()

Handler = Callable[[str, Any, Caller], Any]
"""(rpc name, request record, caller) to the response record, or to an awaitable of it."""


def _caller_of(context: Any, *, has_tls: bool) -> Caller:
    user = token = bearer = certified = None
    for key, value in context.invocation_metadata():
        if key == _USER:
            user = value
        elif key == _TOKEN:
            token = _token_of(value)
        elif key == _BEARER:
            bearer = value.removeprefix(_BEARER_PREFIX)
    if has_tls:
        names = context.auth_context().get("x509_common_name", ())
        certified = names[0].decode() if names else None
    return Caller(user, token, _host_of(context.peer()), certified=certified, bearer=bearer)


def _host_of(peer: str) -> str | None:
    """The host in what gRPC calls a peer: `ipv4:127.0.0.1:5000`, `ipv6:[::1]:5000`."""
    kind, _, address = peer.partition(":")
    return address.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else None


@lru_cache(maxsize=4096)
def _token_of(data: bytes) -> Token:
    return from_bytes(Token, data)


def _caller_metadata(
    user: str | None, token: Token | None, tls: Tls | None
) -> tuple[tuple[str, str | bytes], ...]:
    metadata: list[tuple[str, str | bytes]] = []
    if tls is not None and tls.token:
        metadata.append((_BEARER, _BEARER_PREFIX + tls.token))
    if user is not None:
        metadata.append((_USER, user))
    if token is not None:
        metadata.append((_TOKEN, to_bytes(token)))
    return tuple(metadata)


# The serving side.


MAX_CONNECTIONS = 4096
"""Of one port; further ones are closed at once."""
MAX_WAITING_CALLS = 50_000
"""Calls that have come and wait for their turn. gRPC's own limit of 1,000 turns away calls of a cluster with
thousands of nodes while the process is busy, and all who were turned away try again soon.
"""
HANDSHAKE_MS = 20_000
IDLE_MS = 300_000
"""A connection without a call for so long is closed; its client connects anew."""


class PortTakenError(Exception):
    """The address to listen on is somebody else's; the message names it, and the setting that changes it."""


def new_server(max_message_bytes: int = MAX_MESSAGE_BYTES) -> grpc.aio.Server:
    """A server that shares its port with nobody and refuses longer messages."""
    return grpc.aio.server(
        options=(
            ("grpc.so_reuseport", 0),
            ("grpc.max_receive_message_length", max_message_bytes),
            ("grpc.max_send_message_length", -1),
            ("grpc.max_allowed_incoming_connections", MAX_CONNECTIONS),
            ("grpc.server_handshake_timeout_ms", HANDSHAKE_MS),
            ("grpc.max_connection_idle_ms", IDLE_MS),
            ("grpc.server.max_pending_requests", MAX_WAITING_CALLS),
            ("grpc.server.max_pending_requests_hard_limit", MAX_WAITING_CALLS),
        )
    )


def listen(server: grpc.aio.Server, address: str, setting: str, tls: Tls | None = None) -> int:
    """Binds `address` (`host:port`, port 0 for any) and returns the port; PortTakenError names `setting`."""
    host, _, port = address.rpartition(":")
    try:
        family, kind, _, _, name = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:  # gRPC would only say that it failed
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(name)
            probe.listen(1)
        if tls is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, _serving(tls))
    except (OSError, RuntimeError, ValueError) as error:
        taken = isinstance(error, RuntimeError) or getattr(error, "errno", None) == errno.EADDRINUSE
        reason = f"port {port} is already in use" if taken else str(error)
        raise PortTakenError(f"cannot listen on {address}: {reason}; {setting} changes it") from error


def _serving(tls: Tls) -> grpc.ServerCredentials:
    """gRPC asks every client for a certificate, or none."""
    pair = (tls.key or b"", tls.certificate or b"")
    return grpc.ssl_server_credentials(
        [pair], root_certificates=tls.authority, require_client_auth=tls.demands_certificates
    )


def _calling(tls: Tls) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials(tls.authority, tls.key, tls.certificate)


class Meter(Protocol):
    """Who is told of each call that was answered, or refused."""

    def note(self, rpc: str, spent_s: float, received: int = 0, sent: int = 0) -> None:
        """How long it took, and how many bytes came and went."""


def add_service(
    server: grpc.aio.Server,
    service: str,
    handler: Handler,
    meter: Meter | None = None,
    *,
    has_tls: bool = False,
    wire: Wire = PLAIN,
) -> None:
    """Lets `handler` answer every rpc of `service`; with TLS it is told the certificate of who calls."""
    methods: dict[str, Any] = {
        rpc: grpc.unary_unary_rpc_method_handler(_method(rpc, request, handler, meter, wire, has_tls=has_tls))
        for rpc, (request, _) in SERVICES[service].items()
    }
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(f"hadoop.yarn.{service}", methods),)
    )


def _method(
    rpc: str, request_class: type, handler: Handler, meter: Meter | None, wire: Wire, *, has_tls: bool
) -> Callable[[bytes, Any], Awaitable[bytes]]:
    async def serve(data: bytes, context: Any) -> bytes:
        begun, sent = perf_counter(), b""
        try:
            answer = handler(rpc, wire.from_bytes(request_class, data), _caller_of(context, has_tls=has_tls))
            if hasattr(answer, "__await__"):
                answer = await answer
            sent = wire.to_bytes(answer)
            return sent
        except YarnError as refusal:
            await _refuse(context, refusal)
        except ConnectionFailedError as lost:  # a handler that passes calls on, and could not
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(lost))
        except Exception as defect:
            log.exception("%s failed", rpc)
            await context.abort(
                grpc.StatusCode.INTERNAL,
                f"{rpc}: {type(defect).__name__} in the daemon; its log has the traceback",
            )
        finally:
            if meter is not None:
                meter.note(rpc, perf_counter() - begun, len(data), len(sent))
        raise AssertionError("abort returned")

    return serve


async def _refuse(context: Any, refusal: YarnError) -> None:
    message = refusal.message[:_LONGEST_MESSAGE]
    thrown = SerializedException(message=message, class_name=refusal.java_class)
    await context.abort(
        grpc.StatusCode[refusal.status.name],
        message.partition("\n")[0],
        trailing_metadata=((_EXCEPTION, to_bytes(thrown)),),
    )


# The calling side.


def _channel_options(max_message_bytes: int) -> tuple[tuple[str, int], ...]:
    return (
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.enable_http_proxy", 0),
        ("grpc.enable_retries", 0),
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1000),
    )


def open_channel(
    address: str, max_message_bytes: int = MAX_MESSAGE_BYTES, tls: Tls | None = None
) -> grpc.aio.Channel:
    """A channel to `host:port`, for several stubs to share; the caller closes it."""
    options = _channel_options(max_message_bytes)
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options)
    return grpc.aio.secure_channel(address, _calling(tls), options=options)


def _open_blocking_channel(address: str, tls: Tls | None) -> grpc.Channel:
    options = _channel_options(MAX_MESSAGE_BYTES)
    if tls is None:
        return grpc.insecure_channel(address, options=options)
    return grpc.secure_channel(address, _calling(tls), options=options)


Target = grpc.aio.Channel | str
"""Where an asyncio stub calls: a channel that is there, or an address."""


C = TypeVar("C", grpc.aio.Channel, grpc.Channel)


class _Calls(ABC, Generic[C]):
    """What both stubs know: the channel, the credentials, the time limit, and one multicallable per rpc.

    With `wait_for_ready` a call waits within its time limit until the peer can be connected to, as daemons
    do; what was sent is never sent again.
    """

    def __init__(
        self,
        target: C | str,
        service: str,
        *,
        user: str | None = None,
        token: Token | None = None,
        timeout_s: float = CALL_TIMEOUT_S,
        wait_for_ready: bool = False,
        peer: str = "",
        tls: Tls | None = None,
        wire: Wire = PLAIN,
    ) -> None:
        self._owned = isinstance(target, str)
        self._channel: C = self._open(target, tls) if isinstance(target, str) else target
        self._peer = peer or (target if isinstance(target, str) else "the peer")
        self._service = service
        self._user = user
        self._timeout_s = timeout_s
        self._wait_for_ready = wait_for_ready
        self._tls = tls
        self._wire = wire
        self._metadata = _caller_metadata(user, token, tls)
        self._rpcs = SERVICES[service]
        self._callables: dict[str, Callable[..., Any]] = {}

    @abstractmethod
    def _open(self, address: str, tls: Tls | None) -> C:
        """A channel to that address, which this stub closes."""

    def use_token(self, token: Token) -> None:
        """Calls with this token from now on, such as the new one that an RM sends when it rolls its key."""
        self._metadata = _caller_metadata(self._user, token, self._tls)

    def _callable(self, rpc: str) -> Callable[..., Any]:
        found = self._callables.get(rpc)
        if found is None:
            if rpc not in self._rpcs:
                raise IllegalArgumentError(f"{self._service} has no rpc {rpc}")
            found = self._channel.unary_unary(f"/hadoop.yarn.{self._service}/{rpc}")
            self._callables[rpc] = found
        return found


class Stub(_Calls[grpc.aio.Channel]):
    """Calls of one service at one peer, for asyncio."""

    def _open(self, address: str, tls: Tls | None) -> grpc.aio.Channel:
        return open_channel(address, tls=tls)

    async def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        call, message = self._callable(rpc), self._wire.to_bytes(request)
        try:
            data = await call(
                message,
                metadata=self._metadata,
                timeout=self._timeout_s if timeout_s is None else timeout_s,
                wait_for_ready=self._wait_for_ready,
            )
        except grpc.RpcError as error:
            raise _raised(error, rpc, self._peer) from None
        except (grpc.aio.UsageError, asyncio.InvalidStateError) as error:
            raise ConnectionFailedError(f"{rpc}: the channel to {self._peer} is closed") from error
        return self._wire.from_bytes(self._rpcs[rpc][1], data)

    async def close(self) -> None:
        """Closes the channel, if this stub opened it."""
        if self._owned:
            await self._channel.close()

    async def __aenter__(self) -> Stub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class BlockingStub(_Calls[grpc.Channel]):
    """Calls of one service at one peer, for commands and simple programs without an event loop."""

    def _open(self, address: str, tls: Tls | None) -> grpc.Channel:
        return _open_blocking_channel(address, tls)

    def call(self, rpc: str, request: Record, timeout_s: float | None = None) -> Any:
        """The response record; raises the YarnError that the peer raised, or an RpcError."""
        call, message = self._callable(rpc), self._wire.to_bytes(request)
        try:
            data = call(
                message,
                metadata=self._metadata,
                timeout=self._timeout_s if timeout_s is None else timeout_s,
                wait_for_ready=self._wait_for_ready,
            )
        except grpc.RpcError as error:
            raise _raised(error, rpc, self._peer) from None
        except ValueError as error:
            raise ConnectionFailedError(f"{rpc}: the channel to {self._peer} is closed") from error
        return self._wire.from_bytes(self._rpcs[rpc][1], data)

    def close(self) -> None:
        """Closes the channel, if this stub opened it."""
        if self._owned:
            self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_UNREACHED = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED)


def _raised(failed: Any, rpc: str, peer: str) -> Exception:
    """What a failed call means to its caller. Decided by the exception's class name, never by the text."""
    for key, value in failed.trailing_metadata() or ():
        if key == _EXCEPTION:
            thrown = from_bytes(SerializedException, value)
            return error_of_class(thrown.class_name or "", thrown.message or "")
    code, details = failed.code(), failed.details()
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return ConnectionFailedError(f"{rpc}: no answer from {peer} in time")
    if code in _UNREACHED:
        return ConnectionFailedError(f"{rpc}: cannot reach {peer}: {details}")
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
        return IllegalArgumentError(f"{rpc}: the message is too large for {peer}: {details}")
    return RemoteDefectError(f"{rpc}: {peer} answered {code.name}: {details}")
