"""One connection of Hadoop's wire, without a socket: bytes in; calls, and bytes to be written, out.

Owns the order of things (header, SASL, context, calls), who the caller is, and which offence ends a
connection with which answer. Knows no time and no handler.
Hadoop: ipc.Server.Connection and SaslRpcServer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from yarnbox.protos.IpcConnectionContext_pb2 import IpcConnectionContextProto
from yarnbox.protos.ProtobufRpcEngine2_pb2 import RequestHeaderProto
from yarnbox.protos.RpcHeader_pb2 import RpcKindProto, RpcRequestHeaderProto, RpcSaslProto
from yarnbox.yarn.connection.rpc import NOBODY, Caller
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.hadoop_ipc import framing
from yarnbox.yarn.hadoop_ipc.digest import Digest, DigestError, Passwords
from yarnbox.yarn.hadoop_ipc.framing import Code, MalformedFrameError
from yarnbox.yarn.limits import NAME_LENGTH
from yarnbox.yarn.records.tokens import Token

MAX_EARLY_FRAME_BYTES = 64 * 1024
"""Of a frame before the connection context: nobody has said yet who he is."""

ACCESS_CONTROL = "org.apache.hadoop.security.AccessControlException"
AUTHORIZATION = "org.apache.hadoop.security.authorize.AuthorizationException"
RPC_SERVER_EXCEPTION = "org.apache.hadoop.ipc.RpcServerException"
VERSION_MISMATCH = "org.apache.hadoop.ipc.RPC$VersionMismatch"
SASL_EXCEPTION = "javax.security.sasl.SaslException"
_LONGEST_KNOWN_ENGINE = 256

_HTTP_ANSWER = (
    b"HTTP/1.1 404 Not Found\r\nContent-type: text/plain\r\nConnection: close\r\n\r\n"
    b"This is a port of Hadoop's IPC, not of a web server.\r\n"
)
_PROTOCOL_BUFFER = RpcKindProto.RPC_PROTOCOL_BUFFER  # by its name it is looked up each time
_FINAL_PACKET = RpcRequestHeaderProto.RPC_FINAL_PACKET
_STATES = RpcSaslProto.SaslState


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that a port takes: their kind, and the password of one with a given identifier."""

    kind: str
    passwords: Passwords
    is_optional: bool = False
    """Whether who has none may call, too, under the name that he gives."""


Impersonation = Callable[[str, str, str | None], str | None]
"""(who calls, in whose name, from where) to the reason why not, or None."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to be answered."""

    header: RpcRequestHeaderProto
    protocol: str
    method: str
    request: bytes
    caller: Caller


class _Stage(Enum):
    HEADER = auto()
    SASL = auto()
    CONTEXT = auto()
    CALLS = auto()
    OVER = auto()


class _FatalError(Exception):
    def __init__(
        self, java_class: str, message: str, code: Code.ValueType, call: RpcRequestHeaderProto | None = None
    ) -> None:
        super().__init__(message)
        self.answer = framing.failure(call, java_class, message, code, fatal=True)


class Connection:
    """The server's end. `receive` what came, take calls with `next_call` until there is none, write
    `take_out`, and close when `is_over`.
    """

    def __init__(
        self,
        tokens: Tokens | None,
        max_frame_bytes: int,
        random_bytes: Callable[[int], bytes],
        impersonation: Impersonation | None = None,
    ) -> None:
        self._tokens = tokens
        self._impersonation = impersonation
        self._max_frame_bytes = max_frame_bytes
        self._digest = Digest(random_bytes)
        self._in = bytearray()
        self._out = bytearray()
        self._known_engines: dict[bytes, tuple[str, str]] = {}
        """The header of the last call as it came, and what it says: protocol and method."""
        self._stage = _Stage.HEADER
        self._caller = NOBODY
        self._token: Token | None = None
        self.host: str | None = None
        """Where the client is, as the network says."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more is read, and the connection is to be closed once all is written."""
        return self._stage is _Stage.OVER

    @property
    def is_established(self) -> bool:
        """Whether calls may come."""
        return self._stage is _Stage.CALLS

    @property
    def is_amid_frame(self) -> bool:
        """Whether a part of a frame is here and the rest is not."""
        return bool(self._in)

    @property
    def unread_bytes(self) -> int:
        """How much is kept of frames that nobody has looked at."""
        return len(self._in)

    def receive(self, data: bytes) -> None:
        """Takes bytes from the network."""
        if not self.is_over:
            self._in += data

    def take_out(self) -> bytes:
        """What is to be written now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def next_call(self) -> Call | None:
        """Reads on up to the next call; None when there is none yet, or no more."""
        try:
            if self._stage is _Stage.HEADER and not self._read_header():
                return None
            while self._stage is not _Stage.OVER:
                payload = self._next_frame()
                if payload is None:
                    return None
                call = self._read_frame(payload)
                if call is not None:
                    return call
        except _FatalError as fatal:
            self._end(fatal.answer)
        return None

    def _end(self, last: bytes = b"") -> None:
        self._stage = _Stage.OVER
        self._out += last
        self._in.clear()

    # The connection header

    def _read_header(self) -> bool:
        head = bytes(self._in[: framing.HEADER_BYTES])
        if head[:4] == b"GET ":
            self._end(_HTTP_ANSWER)
        elif not framing.MAGIC.startswith(head[:4]):
            self._end()
        if self.is_over or len(head) < framing.HEADER_BYTES:
            return False
        del self._in[: framing.HEADER_BYTES]
        version, authentication = head[4], head[6]
        if version != framing.VERSION:
            raise _FatalError(
                VERSION_MISMATCH,
                f"Server IPC version {framing.VERSION} cannot communicate with client version {version}",
                Code.FATAL_VERSION_MISMATCH,
            )
        if authentication == framing.SASL_AUTHENTICATION:
            self._stage = _Stage.SASL
        elif authentication != framing.NO_AUTHENTICATION:
            raise _unauthorized(f"Unknown authentication byte {authentication}")
        elif self._tokens is not None and not self._tokens.is_optional:
            raise _unauthorized("SIMPLE authentication is not enabled.  Available:[TOKEN]")
        else:
            self._stage = _Stage.CONTEXT
        return True

    # Frames

    def _next_frame(self) -> bytes | None:
        if len(self._in) < 4:
            return None
        length = int.from_bytes(self._in[:4], "big", signed=True)
        allowed = self._max_frame_bytes if self.is_established else MAX_EARLY_FRAME_BYTES
        if not 0 <= length <= allowed:
            self._end()
            return None
        if len(self._in) < 4 + length:
            return None
        payload = bytes(self._in[4 : 4 + length])
        del self._in[: 4 + length]
        return payload

    def _read_frame(self, payload: bytes) -> Call | None:
        try:
            data, at = framing.read_delimited(payload, 0)
            header = framing.parse(RpcRequestHeaderProto, data)
        except MalformedFrameError as error:
            raise _FatalError(RPC_SERVER_EXCEPTION, str(error), Code.FATAL_DESERIALIZING_REQUEST) from error
        _check_header(header)
        try:
            if header.callId >= 0:
                return self._read_call(header, payload, at)
            if header.callId == framing.SASL_CALL:
                self._read_sasl(framing.parse(RpcSaslProto, framing.read_delimited(payload, at)[0]))
            elif header.callId == framing.CONTEXT_CALL:
                self._read_context(header, framing.read_delimited(payload, at)[0])
            elif header.callId != framing.PING_CALL:
                raise _invalid(header, f"unknown call id {header.callId}")
        except MalformedFrameError as error:
            raise _FatalError(
                RPC_SERVER_EXCEPTION, str(error), Code.FATAL_DESERIALIZING_REQUEST, header
            ) from error
        return None

    def _read_context(self, header: RpcRequestHeaderProto, data: bytes) -> None:
        if self._stage is _Stage.SASL:
            raise _invalid(header, "Connection header sent during SASL negotiation")
        if self._stage is not _Stage.CONTEXT:
            raise _invalid(header, "Connection context already processed")
        context = framing.parse(IpcConnectionContextProto, data)
        user, real_user = _name(context.userInfo.effectiveUser), _name(context.userInfo.realUser)
        if self._token is not None:  # it was given to whom it names, whoever shows it
            user = real_user = None
        if user is not None and real_user is not None and self._impersonation is not None:
            refusal = self._impersonation(real_user, user, self.host)
            if refusal is not None:
                raise _FatalError(AUTHORIZATION, refusal, Code.FATAL_UNAUTHORIZED, header)
        self._caller = Caller(user, self._token, self.host, real_user)
        self._stage = _Stage.CALLS

    def _read_call(self, header: RpcRequestHeaderProto, payload: bytes, at: int) -> Call:
        if self._stage is not _Stage.CALLS:
            raise _invalid(header, "Connection context not established")
        data, at = framing.read_delimited(payload, at)
        asked = self._known_engines.get(data)
        if asked is None:
            engine = framing.parse(RequestHeaderProto, data)
            asked = engine.declaringClassProtocolName, engine.methodName
            if len(data) <= _LONGEST_KNOWN_ENGINE:
                self._known_engines = {data: asked}  # the next call is the same, as often as not
        request, _ = framing.read_delimited(payload, at)
        return Call(header, *asked, request, self._caller)

    # SASL

    def _read_sasl(self, message: RpcSaslProto) -> None:
        if self._stage is not _Stage.SASL:
            raise _unauthorized("SASL message where none is expected")
        if message.state == _STATES.NEGOTIATE:
            self._negotiate()
        elif message.state == _STATES.INITIATE and self._tokens is not None:
            self._initiate(message, self._tokens)
        else:
            raise _sasl_failed(f"SASL state {message.state} is not expected")

    def _negotiate(self) -> None:
        if self._tokens is None:
            self._out += framing.sasl(RpcSaslProto(state=_STATES.SUCCESS))
            self._stage = _Stage.CONTEXT
            return
        offer = RpcSaslProto.SaslAuth(
            method="TOKEN",
            mechanism="DIGEST-MD5",
            protocol="",
            serverId="default",
            challenge=self._digest.challenge,
        )
        offers = [offer]
        if self._tokens.is_optional:
            offers.append(RpcSaslProto.SaslAuth(method="SIMPLE", mechanism=""))
        self._out += framing.sasl(RpcSaslProto(state=_STATES.NEGOTIATE, auths=offers))

    def _initiate(self, message: RpcSaslProto, tokens: Tokens) -> None:
        if tokens.is_optional and [one.method for one in message.auths] == ["SIMPLE"]:
            self._stage = _Stage.CONTEXT  # which is not acknowledged
            return
        if len(message.auths) != 1 or message.auths[0].method != "TOKEN":
            raise _unauthorized("SIMPLE authentication is not enabled.  Available:[TOKEN]")
        try:
            identifier, password, proof = self._digest.verify(message.token, tokens.passwords)
        except DigestError as error:
            raise _sasl_failed(str(error)) from error
        except InvalidTokenError as error:
            raise _FatalError(error.java_class, error.message, Code.FATAL_UNAUTHORIZED) from error
        self._token = Token(identifier=identifier, password=password, kind=tokens.kind, service="")
        self._out += framing.sasl(RpcSaslProto(state=_STATES.SUCCESS, token=proof))
        self._stage = _Stage.CONTEXT


def _check_header(header: RpcRequestHeaderProto) -> None:
    if header.rpcKind != _PROTOCOL_BUFFER:
        raise _invalid(header, "the rpc kind is not RPC_PROTOCOL_BUFFER")
    if header.rpcOp != _FINAL_PACKET or not header.HasField("rpcOp"):
        raise _invalid(header, "the rpc operation is not RPC_FINAL_PACKET")


def _name(text: str | bytes) -> str | None:
    """A user's name; None when none is given. Bytes are what protobuf could not read as text."""
    if isinstance(text, bytes) or len(text) > NAME_LENGTH:
        raise MalformedFrameError(f"a user's name is valid UTF-8 of at most {NAME_LENGTH} characters")
    return text or None


def _invalid(header: RpcRequestHeaderProto, message: str) -> _FatalError:
    return _FatalError(RPC_SERVER_EXCEPTION, message, Code.FATAL_INVALID_RPC_HEADER, header)


def _unauthorized(message: str) -> _FatalError:
    return _FatalError(ACCESS_CONTROL, message, Code.FATAL_UNAUTHORIZED)


def _sasl_failed(message: str) -> _FatalError:
    return _FatalError(SASL_EXCEPTION, message, Code.FATAL_UNAUTHORIZED)
