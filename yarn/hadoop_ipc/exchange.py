"""Hadoop's wire as its client, without a socket: bytes out, bytes in, answers or what was refused.

A Conversation is a connection with any number of calls under way, as NodeManagers have one to their
ResourceManager; an Exchange is one for a single call: so Hadoop's clients, too, treat NodeManagers, to whom
each of their connections proves another token. Owns the order of things (header, SASL, context, calls), and
that a server that cannot show that it knows the token is told nothing. Knows no time.
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
_LARGEST_CALL_ID = 0x7FFFFFFF
_PROTOCOL_VERSION = 1
_NEVER_REPEATED = -1
_PROTOCOL_BUFFER = RpcKindProto.RPC_PROTOCOL_BUFFER  # by its name it is looked up each time
_FINAL_PACKET = RpcRequestHeaderProto.RPC_FINAL_PACKET
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
    CALLS = auto()


Answer = tuple[int, bytes | YarnError]
"""The number of a call, and its response message or what was refused."""


class Conversation:
    """The client's end of a connection. `ask`, write `take_out`, `receive` what came. What ends the
    connection is raised: a refusal as a YarnError, bytes that make no sense as a MalformedFrameError.
    """

    def __init__(
        self,
        protocol: str,
        token: Token,
        user: str,
        max_frame_bytes: int,
        random_bytes: Callable[[int], bytes],
        *,
        must_prove: bool = False,
    ) -> None:
        """With `must_prove` a server that wants no token is told nothing, either."""
        self._protocol = protocol
        self._token = token
        self._user = user
        self._max_frame_bytes = max_frame_bytes
        self._random_bytes = random_bytes
        self._must_prove = must_prove
        self._client_id = random_bytes(_CLIENT_ID_BYTES)
        self._engines: dict[str, bytes] = {}
        self._proof: Proof | None = None
        self._in = bytearray()
        self._out = bytearray(_HEADER)
        self._stage = _Stage.OFFER
        self._next_call = 0
        self._early: list[tuple[int, str, bytes]] = []
        """Calls that wait until the server has let us in."""
        self._asked: set[int] = set()
        """Calls that were written and not answered."""
        self._say(RpcSaslProto(state=_STATES.NEGOTIATE))

    def ask(self, method: str, request: bytes) -> int:
        """Makes a call; its number."""
        call_id, self._next_call = self._next_call, (self._next_call + 1) & _LARGEST_CALL_ID
        if self._stage is _Stage.CALLS:
            self._call(call_id, method, request)
        else:
            self._early.append((call_id, method, request))
        return call_id

    def take_out(self) -> bytes:
        """What is to be written now."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive(self, data: bytes) -> list[Answer]:
        """Takes bytes from the network; the answers in them."""
        self._in += data
        answers: list[Answer] = []
        while (payload := self._next_frame()) is not None:
            self._read_frame(payload, answers)
        return answers

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

    def _read_frame(self, payload: bytes, answers: list[Answer]) -> None:
        data, at = framing.read_delimited(payload, 0)
        header = framing.parse(RpcResponseHeaderProto, data)
        call_id, is_asked = header.callId, header.callId in self._asked
        if header.status != Status.SUCCESS:
            refused = refusal(header.exceptionClassName, header.errorMsg)
            if header.status != Status.ERROR or not is_asked:
                raise refused
            self._asked.discard(call_id)
            answers.append((call_id, refused))
            return
        message, _ = framing.read_delimited(payload, at)
        if is_asked:
            self._asked.discard(call_id)
            answers.append((call_id, message))
        elif call_id == framing.SASL_CALL & 0xFFFFFFFF:
            self._read_sasl(framing.parse(RpcSaslProto, message))
        else:
            raise MalformedFrameError(f"an answer to call {call_id}, which was not made")

    # SASL

    def _read_sasl(self, message: RpcSaslProto) -> None:
        if self._stage is _Stage.OFFER and message.state == _STATES.NEGOTIATE:
            self._initiate(message)
        elif self._stage is _Stage.OFFER and message.state == _STATES.SUCCESS:
            if self._must_prove:
                raise AccessControlError(
                    "the server wants no token, so it cannot show that it is the right one"
                )
            self._begin_calls(UserInformationProto(effectiveUser=self._user))
        elif self._stage is _Stage.PROOF and message.state == _STATES.SUCCESS:
            assert self._proof is not None
            try:
                self._proof.check(message.token)
            except DigestError as error:
                raise AccessControlError(str(error)) from error
            self._begin_calls(UserInformationProto())
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

    # The calls

    def _begin_calls(self, user: UserInformationProto) -> None:
        context = IpcConnectionContextProto(userInfo=user, protocol=self._protocol)
        self._send(framing.CONTEXT_CALL, context.SerializeToString())
        self._stage = _Stage.CALLS
        early, self._early = self._early, []
        for one in early:
            self._call(*one)

    def _call(self, call_id: int, method: str, request: bytes) -> None:
        engine = self._engines.get(method)
        if engine is None:
            engine = self._engines[method] = RequestHeaderProto(
                methodName=method,
                declaringClassProtocolName=self._protocol,
                clientProtocolVersion=_PROTOCOL_VERSION,
            ).SerializeToString()
        self._send(call_id, engine, request)
        self._asked.add(call_id)

    def _send(self, call_id: int, *messages: bytes, client_id: bytes | None = None) -> None:
        header = RpcRequestHeaderProto(
            rpcKind=_PROTOCOL_BUFFER,
            rpcOp=_FINAL_PACKET,
            callId=call_id,
            clientId=self._client_id if client_id is None else client_id,
            retryCount=0 if call_id >= 0 else _NEVER_REPEATED,
        )
        self._out += framing.frame(header.SerializeToString(), *messages)


class Exchange:
    """One call. Write `take_out`, `receive` what came, until there is an `answer`; what is refused is raised
    as a YarnError.
    """

    def __init__(
        self,
        question: Question,
        token: Token,
        user: str,
        max_frame_bytes: int,
        random_bytes: Callable[[int], bytes],
    ) -> None:
        self._conversation = Conversation(question.protocol, token, user, max_frame_bytes, random_bytes)
        self._conversation.ask(question.method, question.request)
        self.answer: bytes | None = None
        """The response message, once it is here."""

    def take_out(self) -> bytes:
        """What is to be written now."""
        return self._conversation.take_out()

    def receive(self, data: bytes) -> None:
        """Takes bytes from the network."""
        if self.answer is not None:
            return
        for _, answer in self._conversation.receive(data):
            if isinstance(answer, YarnError):
                raise answer
            self.answer = answer


def refusal(java_class: str, said: str) -> YarnError:
    """What a Java server refused: it sends the class's name again before the message, and a stack trace
    behind it. A class that has no twin here stays in the message.
    """
    message = said.partition("\n\tat ")[0].strip()
    known = error_of_class(java_class, message.removeprefix(java_class).removeprefix(":").strip())
    if known.java_class == java_class:
        return known
    return YarnError(message if message.startswith(java_class) else f"{java_class}: {message}")
