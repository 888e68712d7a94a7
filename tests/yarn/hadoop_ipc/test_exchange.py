"""The client's end without a socket: what it writes, whom it believes, and what it makes of refusals."""

from __future__ import annotations

import base64
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.yarn.hadoop_ipc import peer
from yarnbox.protos.RpcHeader_pb2 import RpcRequestHeaderProto, RpcSaslProto
from yarnbox.yarn.errors import AccessControlError, InvalidTokenError, YarnError
from yarnbox.yarn.hadoop_ipc import framing
from yarnbox.yarn.hadoop_ipc.connection import Call, Connection, Tokens
from yarnbox.yarn.hadoop_ipc.digest import DigestError, Proof
from yarnbox.yarn.hadoop_ipc.exchange import Conversation, Exchange, Question, refusal
from yarnbox.yarn.hadoop_ipc.framing import Code, MalformedFrameError
from yarnbox.yarn.records.tokens import Token

MAX_FRAME = 1 << 20
TOKEN = Token(identifier=b"identifier", password=b"password", kind="NMToken", service="")
CHALLENGE = b'realm="default",nonce="bm9uY2U=",qop="auth",charset=utf-8,algorithm=md5-sess'
CALL = RpcRequestHeaderProto(callId=0, clientId=b"c" * 16)


def passwords(identifier: bytes) -> bytes:
    if identifier != TOKEN.identifier:
        raise InvalidTokenError("not found")
    return TOKEN.password


SECURED = Tokens(TOKEN.kind, passwords)


def server(tokens: Tokens | None = SECURED) -> Connection:
    return Connection(tokens, MAX_FRAME, lambda length: b"s" * length)


def exchange(token: Token = TOKEN, user: str = "ann") -> Exchange:
    question = Question(peer.PROTOCOL, "startContainers", b"request")
    return Exchange(question, token, user, MAX_FRAME, lambda length: b"c" * length)


def met(one: Exchange, other: Connection) -> Call | None:
    """Lets the two talk until there is a call, or silence."""
    while data := one.take_out():
        other.receive(data)
        call = other.next_call()
        if call is not None:
            return call
        one.receive(other.take_out())
    return None


def offer(challenge: bytes = CHALLENGE, method: str = "TOKEN", mechanism: str = "DIGEST-MD5") -> bytes:
    auth = RpcSaslProto.SaslAuth(
        method=method, mechanism=mechanism, protocol="", serverId="default", challenge=challenge
    )
    return framing.sasl(RpcSaslProto(state=RpcSaslProto.NEGOTIATE, auths=[auth]))


def test_a_token_is_proved_and_the_call_is_answered() -> None:
    one, other = exchange(), server()
    call = met(one, other)
    assert call is not None
    assert (call.protocol, call.method, call.request) == (peer.PROTOCOL, "startContainers", b"request")
    assert call.caller.token == TOKEN
    assert call.caller.user is None
    assert one.answer is None
    one.receive(framing.success(call.header, b"response"))
    assert one.answer == b"response"


def test_bytes_may_come_one_by_one() -> None:
    one, other = exchange(), server()
    other.receive(one.take_out())
    assert other.next_call() is None
    for byte in other.take_out():
        assert not one.take_out()
        one.receive(bytes([byte]))
    call = met(one, other)
    assert call is not None
    for byte in framing.success(call.header, b""):
        assert one.answer is None
        one.receive(bytes([byte]))
    assert one.answer == b""


def test_a_server_that_wants_no_token_is_told_a_name() -> None:
    call = met(exchange(), server(None))
    assert call is not None
    assert (call.caller.user, call.caller.token) == ("ann", None)


def test_an_answer_to_a_challenge_is_the_one_of_the_rfc() -> None:
    """Figures seen between Hadoop's own client and a server."""
    cnonce = base64.b64decode("uuuH5dDGRw4vIc/9IIBPngz4FUJq8niaLqQXfplv")
    nonce = "pMxM3w7c1h5dkGhC8/KGoyEkH1BYNoLSQgPzxvm/"
    token = Token(identifier=b"ident", password=b"pass", kind="NMToken", service="")
    challenge = CHALLENGE.replace(b"bm9uY2U=", nonce.encode())
    proof = Proof(challenge, token, "/default", lambda _: cnonce)
    assert b"response=37c1109cfae58b6d0180c97e9cdeca63" in proof.response
    proof.check(b"rspauth=eefa744097865edd3c789b947b382428")
    with pytest.raises(DigestError, match="does not know the token"):
        proof.check(b"rspauth=37c1109cfae58b6d0180c97e9cdeca63")


@pytest.mark.parametrize(
    ("token", "error", "said"),
    [
        (replace(TOKEN, identifier=b"another"), InvalidTokenError, "not found"),
        (replace(TOKEN, password=b"another"), YarnError, "SaslException: DIGEST-MD5: digest response format"),
    ],
)
def test_a_token_that_is_not_good_is_refused(token: Token, error: type[YarnError], said: str) -> None:
    with pytest.raises(error, match=said):
        met(exchange(token), server())


def test_a_server_that_does_not_know_the_token_is_told_nothing() -> None:
    one = exchange()
    one.receive(offer())
    one.take_out()
    with pytest.raises(AccessControlError, match="does not know the token"):
        one.receive(framing.sasl(RpcSaslProto(state=RpcSaslProto.SUCCESS, token=b"rspauth=0")))
    assert not one.take_out()


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (offer(method="KERBEROS", mechanism="GSSAPI"), r"Client cannot authenticate via:\[KERBEROS\]"),
        (offer(CHALLENGE.replace(b"auth", b"auth-conf")), "quality of protection auth-conf is not served"),
        (offer(b'realm="default"'), "a challenge without a nonce"),
    ],
)
def test_what_cannot_be_served_is_said(offered: bytes, said: str) -> None:
    with pytest.raises(AccessControlError, match=said):
        exchange().receive(offered)


def test_a_refused_call_is_raised_by_its_name() -> None:
    one = exchange()
    assert met(one, server()) is not None
    java = "org.apache.hadoop.security.token.SecretManager$InvalidToken"
    trace = f"{java}: This token is expired.\n\tat org.apache.hadoop.Some.method(Some.java:1)\n"
    with pytest.raises(InvalidTokenError) as refused:
        one.receive(framing.failure(CALL, java, trace, Code.ERROR_APPLICATION))
    assert refused.value.message == "This token is expired."


def conversation(*, must_prove: bool = True) -> Conversation:
    return Conversation(
        peer.PROTOCOL, TOKEN, "", MAX_FRAME, lambda length: b"c" * length, must_prove=must_prove
    )


def let_in(one: Conversation, other: Connection) -> list[Call]:
    """Lets the two talk until the server is asked nothing more; the calls."""
    calls: list[Call] = []
    while data := one.take_out():
        other.receive(data)
        while (call := other.next_call()) is not None:
            calls.append(call)
        assert not one.receive(other.take_out())
    return calls


def test_one_connection_carries_many_calls_answered_in_any_order() -> None:
    one, other = conversation(), server()
    early = [one.ask("nodeHeartbeat", b"a"), one.ask("registerNodeManager", b"b")]
    calls = let_in(one, other)
    late = one.ask("nodeHeartbeat", b"c")
    calls += let_in(one, other)
    assert [(call.header.callId, call.method, call.request) for call in calls] == [
        (early[0], "nodeHeartbeat", b"a"),
        (early[1], "registerNodeManager", b"b"),
        (late, "nodeHeartbeat", b"c"),
    ]
    assert {call.caller.token for call in calls} == {TOKEN}
    refused = framing.failure(calls[0].header, InvalidTokenError.java_class, "late", Code.ERROR_APPLICATION)
    ((call_id, answer), (_, error)) = one.receive(framing.success(calls[2].header, b"3") + refused)
    assert (call_id, answer) == (late, b"3")
    assert isinstance(error, InvalidTokenError)
    assert one.receive(framing.success(calls[1].header, b"2")) == [(early[1], b"2")]
    with pytest.raises(MalformedFrameError, match="which was not made"):
        one.receive(framing.success(calls[1].header, b"again"))


def test_who_must_prove_tells_nothing_to_a_server_that_wants_no_token() -> None:
    one, other = conversation(), server(None)
    one.ask("registerNodeManager", b"secret")
    with pytest.raises(AccessControlError, match="wants no token"):
        let_in(one, other)
    assert not one.take_out()


def test_a_class_that_is_not_known_here_stays_in_the_message() -> None:
    said = "java.io.IOException: disk full\n\tat org.apache.hadoop.Some.method(Some.java:1)\n"
    assert refusal("java.io.IOException", said).message == "java.io.IOException: disk full"
    assert refusal("java.io.IOException", "disk full").message == "java.io.IOException: disk full"
    plain = refusal("org.apache.hadoop.yarn.exceptions.YarnException", "no")
    assert (type(plain), plain.message) == (YarnError, "no")


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        bytes.fromhex("000018040000000000"),  # what gRPC says first
        bytes.fromhex("ffffffff"),
        framing.success(CALL, b"nobody asked yet"),
        framing.sasl(RpcSaslProto(state=RpcSaslProto.CHALLENGE)),
    ],
)
def test_who_speaks_something_else_is_found_out(data: bytes) -> None:
    with pytest.raises(MalformedFrameError):
        exchange().receive(data + b"\0" * 10_000)


@given(st.binary(max_size=200), st.booleans())
@settings(max_examples=200, deadline=None)
def test_noise_is_never_an_answer(noise: bytes, is_late: bool) -> None:
    one = exchange()
    if is_late:
        met(one, server())
    try:
        one.receive(noise)
    except (MalformedFrameError, YarnError):
        return
    assert one.answer is None or is_late
