"""One connection without a socket: the order of things, who the caller is, and every offence's answer."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.yarn.hadoop_ipc import peer
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto, RpcSaslProto
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.hadoop_ipc.connection import MAX_EARLY_FRAME_BYTES, Call, Connection, Tokens
from yarnbox.yarn.hadoop_ipc.framing import frame

FATAL = RpcResponseHeaderProto.FATAL
MAX_FRAME = 1 << 20


def passwords(identifier: bytes) -> bytes:
    """A secret manager that knows one token."""
    if identifier != b"identifier":
        raise InvalidTokenError("not found")
    return b"password"


def connection(tokens: Tokens | None = None) -> Connection:
    return Connection(tokens, MAX_FRAME, lambda length: b"r" * length)


def secured() -> Connection:
    return connection(Tokens("KIND", passwords))


def calls_of(one: Connection, data: bytes) -> list[Call]:
    one.receive(data)
    found = []
    while (call := one.next_call()) is not None:
        found.append(call)
    return found


def fatal_answer(one: Connection) -> RpcResponseHeaderProto:
    assert one.is_over
    (head, message), *others = peer.answers(one.take_out())
    assert not others
    assert not message
    assert head.status == FATAL
    return head


def test_hadoops_own_bytes_are_a_call() -> None:
    client_id = "e4589b8663f148588596150f5b126ae2"
    protocol = peer.PROTOCOL.encode().hex()
    cli = "3a050a03434c49"
    data = bytes.fromhex(
        "68727063090000"
        f"00000063 21 0802 1000 1805 2210{client_id} 2801 {cli} 40 1206 0a04 726f6f74 1a36 {protocol}"
        f"00000071 21 0802 1000 1800 2210{client_id} 2800 {cli}"
        f"4b 0a0f {b'getClusterNodes'.hex()} 1236 {protocol} 1801 02 0802"
    )
    (call,) = calls_of(connection(), data)
    assert (call.protocol, call.method, call.request) == (peer.PROTOCOL, "getClusterNodes", b"\x08\x02")
    assert call.caller.user == "root"


def test_bytes_may_come_one_by_one() -> None:
    one, found = connection(), []
    for byte in peer.SIMPLE + peer.context() + peer.ping() + peer.call(7, "m", b"request"):
        found += calls_of(one, bytes([byte]))
    assert [(call.header.callId, call.request) for call in found] == [(7, b"request")]
    assert not one.is_amid_frame


def test_who_speaks_sasl_without_need_is_simple() -> None:
    one = connection()
    assert not calls_of(one, peer.SASL + peer.NEGOTIATE)
    ((head, message),) = peer.answers(one.take_out())
    assert head.callId == (-33) & 0xFFFFFFFF
    assert RpcSaslProto.FromString(message).state == RpcSaslProto.SUCCESS
    (call,) = calls_of(one, peer.context("bob") + peer.call(0, "m"))
    assert call.caller.user == "bob"


def challenge_of(one: Connection) -> bytes:
    calls_of(one, peer.SASL + peer.NEGOTIATE)
    ((_, message),) = peer.answers(one.take_out())
    (auth,) = RpcSaslProto.FromString(message).auths
    assert (auth.method, auth.mechanism, auth.serverId) == ("TOKEN", "DIGEST-MD5", "default")
    return auth.challenge


def test_a_token_is_proved_and_names_the_caller() -> None:
    one = secured()
    challenge = challenge_of(one)
    calls_of(one, peer.initiate(challenge, b"identifier", b"password"))
    ((_, message),) = peer.answers(one.take_out())
    proof = RpcSaslProto.FromString(message)
    assert proof.state == RpcSaslProto.SUCCESS
    assert proof.token.startswith(b"rspauth=")
    (call,) = calls_of(one, peer.context(None) + peer.call(0, "m"))
    assert call.caller.token is not None
    assert (call.caller.token.identifier, call.caller.token.kind) == (b"identifier", "KIND")


def impersonated(why_not: str | None) -> Connection:
    asked: list[tuple[str, str, str | None]] = []

    def judge(real_user: str, user: str, host: str | None) -> str | None:
        asked.append((real_user, user, host))
        assert asked == [("oozie", "ann", "10.1.2.3")]
        return why_not

    one = Connection(None, MAX_FRAME, lambda length: b"r" * length, judge)
    one.host = "10.1.2.3"
    return one


def test_who_acts_in_anothers_name_has_to_be_allowed_to() -> None:
    opening = peer.SIMPLE + peer.context("ann", "oozie")
    (call,) = calls_of(impersonated(None), opening + peer.call(0, "m"))
    assert (call.caller.user, call.caller.real_user) == ("ann", "oozie")
    one = impersonated("User: oozie is not allowed to impersonate ann")
    assert calls_of(one, opening + peer.call(0, "m")) == []
    answer = fatal_answer(one)
    assert answer.exceptionClassName == "org.apache.hadoop.security.authorize.AuthorizationException"
    assert answer.errorMsg == "User: oozie is not allowed to impersonate ann"
    assert answer.errorDetail == RpcResponseHeaderProto.FATAL_UNAUTHORIZED


def test_a_token_was_given_to_whom_it_names() -> None:
    one = secured()
    calls_of(one, peer.initiate(challenge_of(one), b"identifier", b"password"))
    (call,) = calls_of(one, peer.context("ann", "oozie") + peer.call(0, "m"))
    assert (call.caller.user, call.caller.real_user) == (None, None)


def test_a_wrong_password_is_refused() -> None:
    one = secured()
    calls_of(one, peer.initiate(challenge_of(one), b"identifier", b"guess"))
    assert fatal_answer(one).exceptionClassName == "javax.security.sasl.SaslException"


def test_an_unknown_identifier_is_refused() -> None:
    one = secured()
    calls_of(one, peer.initiate(challenge_of(one), b"other", b"password"))
    assert fatal_answer(one).exceptionClassName.endswith("SecretManager$InvalidToken")


def test_an_answer_to_an_earlier_challenge_is_refused() -> None:
    one = secured()
    calls_of(one, peer.initiate(challenge_of(one), b"identifier", b"password", nonce="old"))
    assert fatal_answer(one).callId == 0xFFFFFFFF


def test_no_token_no_calls() -> None:
    one = secured()
    assert not calls_of(one, peer.SIMPLE + peer.context() + peer.call(0, "m"))
    assert fatal_answer(one).errorMsg == "SIMPLE authentication is not enabled.  Available:[TOKEN]"
    one = secured()
    assert not calls_of(one, peer.SASL + peer.context() + peer.call(0, "m"))
    fatal_answer(one)


def test_where_a_token_is_optional_it_is_proved_or_not_shown() -> None:
    optional = Tokens("KIND", passwords, is_optional=True)
    bare = connection(optional)
    (call,) = calls_of(bare, peer.SIMPLE + peer.context() + peer.call(0, "ping"))
    assert (call.caller.user, call.caller.token) == ("alice", None)

    choosing = connection(optional)
    assert not calls_of(choosing, peer.SASL + peer.NEGOTIATE)
    ((_, message),) = peer.answers(choosing.take_out())
    offers = RpcSaslProto.FromString(message).auths
    assert [offer.method for offer in offers] == ["TOKEN", "SIMPLE"]
    simple = RpcSaslProto(state=RpcSaslProto.INITIATE, auths=[offers[1]])
    chosen = frame(peer.header(-33, b"", -1), simple.SerializeToString())
    (call,) = calls_of(choosing, chosen + peer.context() + peer.call(0, "ping"))
    assert (call.caller.user, call.caller.token) == ("alice", None)

    wrong = connection(optional)
    assert not calls_of(wrong, peer.SASL + peer.NEGOTIATE)
    ((_, message),) = peer.answers(wrong.take_out())
    challenge = RpcSaslProto.FromString(message).auths[0].challenge
    assert not calls_of(wrong, peer.initiate(challenge, b"identifier", b"another") + peer.context())
    assert fatal_answer(wrong).errorMsg.startswith("DIGEST-MD5")


def test_another_version_is_told_ours() -> None:
    one = connection()
    calls_of(one, bytes.fromhex("68727063 08 00 00"))
    assert fatal_answer(one).exceptionClassName == "org.apache.hadoop.ipc.RPC$VersionMismatch"


def test_an_unknown_authentication_is_refused() -> None:
    one = connection()
    calls_of(one, bytes.fromhex("68727063 09 00 50"))
    assert fatal_answer(one).errorDetail == RpcResponseHeaderProto.FATAL_UNAUTHORIZED


def test_a_browser_is_told_where_it_is() -> None:
    one = connection()
    calls_of(one, b"GET / HTTP/1.1\r\n\r\n")
    assert one.is_over
    assert one.take_out().startswith(b"HTTP/1.1 404 ")


def test_premature_and_repeated_frames_are_fatal() -> None:
    for data in (peer.call(5, "m"), peer.context() + peer.context()):
        one = connection()
        calls_of(one, peer.SIMPLE + data)
        assert fatal_answer(one).errorDetail == RpcResponseHeaderProto.FATAL_INVALID_RPC_HEADER


def test_lengths_beyond_the_limit_end_the_connection_at_once() -> None:
    for before, length in (
        (peer.SIMPLE, MAX_EARLY_FRAME_BYTES + 1),
        (peer.SIMPLE + peer.context(), MAX_FRAME + 1),
        (peer.SIMPLE, 0xFFFFFFFF),
    ):
        one = connection()
        calls_of(one, before + length.to_bytes(4, "big"))
        assert one.is_over
        one.receive(b"x" * 1000)
        assert not one.is_amid_frame


GOOD = peer.SIMPLE + peer.context() + peer.ping() + peer.call(1, "getApplications", b"\x0a\x00")


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), max_size=6),
    st.lists(st.integers(1, 40), max_size=20),
    st.booleans(),
)
def test_damaged_bytes_never_raise(damages: list[tuple[int, int]], cuts: list[int], has_tokens: bool) -> None:
    data = bytearray(GOOD)
    for at, value in damages:
        data[at] = value
    one = secured() if has_tokens else connection()
    at = 0
    for cut in [*cuts, len(data)]:
        calls_of(one, bytes(data[at : at + cut]))
        at += cut
    if not one.is_over:
        assert len(data) < at + MAX_FRAME
    if has_tokens:
        assert not one.is_established


@settings(max_examples=200)
@given(st.binary(max_size=200), st.sampled_from([b"", peer.SIMPLE, peer.SASL, peer.SASL + peer.NEGOTIATE]))
def test_noise_never_raises_and_never_calls(noise: bytes, before: bytes) -> None:
    assert not calls_of(secured(), before + noise)
    calls_of(connection(), before + noise)
