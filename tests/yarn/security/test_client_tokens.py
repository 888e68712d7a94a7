"""Client-to-AM tokens: signed by the RM with an attempt's secret, checked by its AM."""

from __future__ import annotations

import dataclasses

import pytest

from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.tokens import ClientToAMTokenIdentifier, Token
from yarnbox.yarn.security.client_tokens import ClientToAMTokenSecretManager, ClientToAMTokenSecretManagerInRM
from yarnbox.yarn.security.tokens import CLIENT_TO_AM_TOKEN
from yarnbox.yarn.wire import from_bytes

FIRST = ApplicationAttemptId(ApplicationId(1, 1), 1)
SECOND = ApplicationAttemptId(ApplicationId(1, 1), 2)
KEY = b"k" * 20


def issued(attempt_id: ApplicationAttemptId = FIRST, key: bytes = KEY, client: str = "ann") -> Token:
    signer = ClientToAMTokenSecretManagerInRM()
    signer.register(attempt_id, key)
    token = signer.create_token(attempt_id, client)
    assert token is not None
    return token


def checker(key: bytes | None = KEY) -> ClientToAMTokenSecretManager:
    manager = ClientToAMTokenSecretManager()
    manager.set_master_key(key)
    return manager


def test_the_am_learns_from_a_token_who_the_client_is() -> None:
    token = issued()
    assert (token.kind, token.service) == (CLIENT_TO_AM_TOKEN, "")
    assert from_bytes(ClientToAMTokenIdentifier, token.identifier) == checker().verify(token)
    assert checker().verify(token) == ClientToAMTokenIdentifier(app_attempt_id=FIRST, client_name="ann")
    assert checker().password(token.identifier) == token.password


def test_tokens_are_given_while_the_attempt_lives() -> None:
    signer = ClientToAMTokenSecretManagerInRM()
    assert signer.create_token(FIRST, "ann") is None
    signer.register(FIRST, KEY)
    assert signer.create_token(FIRST, "ann") is not None
    assert signer.create_token(FIRST, "") is None
    assert signer.create_token(SECOND, "ann") is None
    signer.unregister(FIRST)
    signer.unregister(FIRST)
    assert signer.create_token(FIRST, "ann") is None


@pytest.mark.parametrize(
    "token",
    [
        issued(key=b"another attempt's  k"),
        issued(attempt_id=SECOND, key=b"x" * 20),
        dataclasses.replace(issued(), password=b""),
        dataclasses.replace(issued(), identifier=issued(client="bob").identifier),
        dataclasses.replace(issued(), kind="NMToken"),
        dataclasses.replace(issued(), identifier=b"\xff"),
        None,
    ],
)
def test_tokens_that_are_not_good(token: Token | None) -> None:
    with pytest.raises(InvalidTokenError):
        checker().verify(token)


@pytest.mark.parametrize("key", [None, b""])
def test_before_the_am_has_registered_no_token_is_good(key: bytes | None) -> None:
    manager = checker(key)
    assert not manager.has_key
    with pytest.raises(InvalidTokenError, match="Illegal client-token!"):
        manager.verify(issued())
    with pytest.raises(InvalidTokenError, match="Illegal client-token!"):
        manager.password(issued().identifier)
