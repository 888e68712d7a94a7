"""One call over Hadoop's wire as its client, without a socket: bytes out, bytes in, the answer or what was
refused.

A connection is made for one call: so Hadoop's clients, too, treat NodeManagers, to whom each of their
connections proves another token. Owns the order of things (header, SASL, context, call), and that a server
that cannot show that it knows the token is told nothing. Knows no time.
Hadoop: ipc.Client.Connection and SaslRpcClient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from yarnbox.protos.IpcConnectionContext_pb2 import IpcConnectionContextProto, UserInformationProto
from yarnbox.protos.ProtobufRpcEngine2_pb2 import RequestHeaderProto
from yarnbox.protos.RpcHeader_pb2 import (
    RpcKindProto,
    RpcRequestHeaderProto,
    RpcResponseHeaderProto,
    RpcSaslProto,
)
from yarnbox.yarn.errors import AccessControlError, YarnError, error_of_class
from yarnbox.yarn.hadoop_ipc import framing
from yarnbox.yarn.hadoop_ipc.digest import DigestError, Proof
from yarnbox.yarn.hadoop_ipc.framing import MalformedFrameError, Status
from yarnbox.yarn.records.tokens import Token

_CLIENT_ID_BYTES = 16
_CALL_ID = 0
_PROTOCOL_VERSION = 1
_NEVER_REPEATED = -1
_STATES = RpcSaslProto.SaslState
_TOKEN = ("TOKEN", "DIGEST-MD5")
_HEADER = framing.MAGIC + bytes([framing.VERSION, 0, framing.SASL_AUTHENTICATION])


@dataclass(frozen=True, slots=True)
class Question:
    """A call that is to be made."""

    protocol: str
    method: str
    request: bytes


class _Stage(Enum):
    OFFER = auto()
    PROOF = auto()
    ANSWER = auto()
    OVER = auto()


class Exchange:
    """The client's end. Write `take_out`, `receive` what came, until there is an `answer`. What the server
    refuses is raised as a YarnError; bytes that make no sense are a MalformedFrameError.
    """

    def __init__(
        self,
        question: Question,
        token: Token,
        user: str,
        max_frame_bytes: int,
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._question = question
        self._token = token
        self._user = user
        self._max_frame_bytes = max_frame_bytes
        self._random_bytes = random_bytes
        self._client_id = random_bytes(_CLIENT_ID_BYTES)
        self._proof: Proof | None = None
        self._in = bytearray()
        self._out = bytearray(_HEADER)
        self._stage = _Stage.OFFER
        self.answer: bytes | None = None
        """The response message, once it is here."""
        self._say(RpcSaslProto(state=_STATES.NEGOTIATE))

    def take_out(self) -> bytes:
        """What is to be written now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes) -> None:
        """Takes bytes from the network."""
        self._in += data
        while self._stage is not _Stage.OVER:
            payload = self._next_frame()
            if payload is None:
                return
            self._read_frame(payload)

    def _next_frame(self) -> bytes | None:
        if len(self._in) < 4:
            return None
        length = int.from_bytes(self._in[:4], "big", signed=True)
        if not 0 <= length <= self._max_frame_bytes:
            raise MalformedFrameError(f"a frame of {length} bytes")
        if len(self._in) < 4 + length:
            return None
        payload = bytes(self._in[4 : 4 + length])
        del self._in[: 4 + length]
        return payload

    def _read_frame(self, payload: bytes) -> None:
        data, at = framing.read_delimited(payload, 0)
        header = framing.parse(RpcResponseHeaderProto, data)
        if header.status != Status.SUCCESS:
            self._stage = _Stage.OVER
            raise refusal(header.exceptionClassName, header.errorMsg)
        message, _ = framing.read_delimited(payload, at)
        if header.callId == framing.SASL_CALL & 0xFFFFFFFF:
            self._read_sasl(framing.parse(RpcSaslProto, message))
        elif self._stage is _Stage.ANSWER and header.callId == _CALL_ID:
            self.answer = message
            self._stage = _Stage.OVER
        else:
            raise MalformedFrameError(f"an answer to call {header.callId}, which was not made")

    # SASL

    def _read_sasl(self, message: RpcSaslProto) -> None:
        if self._stage is _Stage.OFFER and message.state == _STATES.NEGOTIATE:
            self._initiate(message)
        elif self._stage is _Stage.OFFER and message.state == _STATES.SUCCESS:
            self._ask(UserInformationProto(effectiveUser=self._user))
        elif self._stage is _Stage.PROOF and message.state == _STATES.SUCCESS:
            assert self._proof is not None
            try:
                self._proof.check(message.token)
            except DigestError as error:
                raise AccessControlError(str(error)) from error
            self._ask(UserInformationProto())
        else:
            raise MalformedFrameError(f"SASL state {message.state} is not expected")

    def _initiate(self, message: RpcSaslProto) -> None:
        offer = next((one for one in message.auths if (one.method, one.mechanism) == _TOKEN), None)
        if offer is None:
            offered = ", ".join(one.method for one in message.auths)
            raise AccessControlError(f"Client cannot authenticate via:[{offered}]")
        service = f"{offer.protocol}/{offer.serverId}"
        try:
            self._proof = Proof(offer.challenge, self._token, service, self._random_bytes)
        except DigestError as error:
            raise AccessControlError(str(error)) from error
        chosen = RpcSaslProto.SaslAuth()
        chosen.CopyFrom(offer)
        chosen.ClearField("challenge")
        self._say(RpcSaslProto(state=_STATES.INITIATE, token=self._proof.response, auths=[chosen]))
        self._stage = _Stage.PROOF

    def _say(self, message: RpcSaslProto) -> None:
        self._send(framing.SASL_CALL, message.SerializeToString(), client_id=b"")

    # The call

    def _ask(self, user: UserInformationProto) -> None:
        question = self._question
        context = IpcConnectionContextProto(userInfo=user, protocol=question.protocol)
        self._send(framing.CONTEXT_CALL, context.SerializeToString())
        engine = RequestHeaderProto(
            methodName=question.method,
            declaringClassProtocolName=question.protocol,
            clientProtocolVersion=_PROTOCOL_VERSION,
        )
        self._send(_CALL_ID, engine.SerializeToString(), question.request)
        self._stage = _Stage.ANSWER

    def _send(self, call_id: int, *messages: bytes, client_id: bytes | None = None) -> None:
        header = RpcRequestHeaderProto(
            rpcKind=RpcKindProto.RPC_PROTOCOL_BUFFER,
            rpcOp=RpcRequestHeaderProto.RPC_FINAL_PACKET,
            callId=call_id,
            clientId=self._client_id if client_id is None else client_id,
            retryCount=0 if call_id >= 0 else _NEVER_REPEATED,
        )
        self._out += framing.frame(header.SerializeToString(), *messages)


def refusal(java_class: str, said: str) -> YarnError:
    """What a Java server refused: it sends the class's name again before the message, and a stack trace
    behind it. A class that has no twin here stays in the message.
    """
    message = said.partition("\n\tat ")[0].strip()
    known = error_of_class(java_class, message.removeprefix(java_class).removeprefix(":").strip())
    if known.java_class == java_class:
        return known
    return YarnError(message if message.startswith(java_class) else f"{java_class}: {message}")
