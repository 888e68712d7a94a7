"""The service of an AM for its clients, over real connections: who is let through, and as whom."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from tests.yarn.hadoop_ipc import peer
from yarnbox.am.client_service import ClientService, client_of
from yarnbox.protos.RpcHeader_pb2 import RpcResponseHeaderProto, RpcSaslProto
from yarnbox.yarn.connection.rpc import Caller
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.mapreduce import GetDiagnosticsResponse, KillJobResponse
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.security.client_tokens import ClientToAMTokenSecretManagerInRM
from yarnbox.yarn.wire import from_bytes

PROTOCOL = "example.ClientProtocolPB"
FIRST = ApplicationAttemptId(ApplicationId(1, 1), 1)
SECOND = ApplicationAttemptId(ApplicationId(1, 1), 2)
KEY, OTHER_KEY = b"k" * 20, b"o" * 20


def handle(rpc: str, _request: Any, caller: Caller) -> Any:
    if rpc == "getDiagnostics":
        return GetDiagnosticsResponse(diagnostics=(client_of(caller),))
    return KillJobResponse()


def token_of(attempt_id: ApplicationAttemptId, key: bytes) -> Token:
    signer = ClientToAMTokenSecretManagerInRM()
    signer.register(attempt_id, key)
    token = signer.create_token(attempt_id, "ann")
    assert token is not None
    return token


def served(master_key: bytes | None, ask: Callable[[int], Awaitable[Any]]) -> Any:
    async def body() -> Any:
        service = ClientService(PROTOCOL, "MRClientProtocolService", handle)
        port = await service.start()
        service.registered(master_key)
        try:
            return await asyncio.wait_for(ask(port), PATIENCE_S)
        finally:
            await service.stop()

    return asyncio.run(body())


async def exchange(reader: asyncio.StreamReader) -> tuple[RpcResponseHeaderProto, bytes]:
    size = await reader.readexactly(4)
    (answer,) = peer.answers(size + await reader.readexactly(int.from_bytes(size, "big")))
    return answer


WHO = peer.call(1, "getDiagnostics", protocol=PROTOCOL)


async def simple(port: int) -> tuple[RpcResponseHeaderProto, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(peer.SIMPLE + peer.context("bob") + WHO)
    answer = await exchange(reader)
    writer.close()
    return answer


def showing(token: Token) -> Callable[[int], Awaitable[tuple[RpcResponseHeaderProto, bytes]]]:
    async def ask(port: int) -> tuple[RpcResponseHeaderProto, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(peer.SASL + peer.NEGOTIATE)
        _, body = await exchange(reader)
        (offer,) = RpcSaslProto.FromString(body).auths
        writer.write(peer.initiate(offer.challenge, token.identifier, token.password))
        answer = await exchange(reader)
        if answer[0].status == RpcResponseHeaderProto.SUCCESS:
            writer.write(peer.context(None) + WHO)
            answer = await exchange(reader)
        writer.close()
        return answer

    return ask


def name_in(answer: tuple[RpcResponseHeaderProto, bytes]) -> tuple[str, ...]:
    head, body = answer
    assert head.status == RpcResponseHeaderProto.SUCCESS, head
    return from_bytes(GetDiagnosticsResponse, body).diagnostics


def test_a_token_of_the_attempt_says_who_calls() -> None:
    assert name_in(served(KEY, showing(token_of(FIRST, KEY)))) == ("ann",)


def test_without_tokens_whoever_comes_is_believed() -> None:
    assert name_in(served(None, simple)) == ("bob",)


@pytest.mark.parametrize(
    "ask, java_class",
    [
        (simple, "org.apache.hadoop.security.AccessControlException"),
        (showing(token_of(FIRST, OTHER_KEY)), "javax.security.sasl.SaslException"),
        (showing(token_of(SECOND, OTHER_KEY)), "javax.security.sasl.SaslException"),
        (
            showing(replace(token_of(FIRST, KEY), identifier=b"\xff")),
            "org.apache.hadoop.security.token.SecretManager$InvalidToken",
        ),
    ],
    ids=["no token", "another secret", "another attempt", "no identifier"],
)
def test_others_are_refused(ask: Callable[[int], Awaitable[Any]], java_class: str) -> None:
    head, _ = served(KEY, ask)
    assert head.status == RpcResponseHeaderProto.FATAL
    assert head.exceptionClassName == java_class
