"""Tokens: genuine ones pass, all else is refused, and keys are rolled under running applications."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from yarnbox.yarn.errors import InvalidTokenError, NMNotYetReadyError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.tokens import ContainerTokenIdentifier, Token
from yarnbox.yarn.records.tracker import MasterKey
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.tokens import (
    AMRM_TOKEN,
    AMRMTokenSecretManager,
    ContainerTokenSecretManager,
    ContainerTokenSecretManagerInNM,
    KeySource,
    NMTokenSecretManager,
    NMTokenSecretManagerInNM,
    activation_delay_ms,
    new_key,
    password_of,
)

ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
OTHER = ApplicationAttemptId(ApplicationId(1, 2), 1)
CONTAINER = ContainerId(ATTEMPT, 2)
NODE = NodeId("nm1", 45454)
ELSEWHERE = NodeId("nm2", 45454)


def source(seed: int = 7) -> KeySource:
    return new_key(random.Random(seed).randbytes)


def forged(token: Token) -> Token:
    return replace(token, password=bytes(20))


def test_the_password_is_hmac_sha1() -> None:
    """RFC 2202, test case 2."""
    password = password_of(b"what do ya want for nothing?", b"Jefe")
    assert password.hex() == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"


def test_a_key_is_activated_when_all_have_heard_of_it() -> None:
    assert activation_delay_ms(600_000) == 900_000


def test_an_amrm_token_is_good_while_its_attempt_lives() -> None:
    manager = AMRMTokenSecretManager(source())
    token = manager.create_token(ATTEMPT, "127.0.0.1:8050")
    assert (token.kind, token.service) == ("YARN_AM_RM_TOKEN", "127.0.0.1:8050")
    assert manager.verify(token).app_attempt_id == ATTEMPT
    manager.forget_attempt(ATTEMPT)
    with pytest.raises(InvalidTokenError, match="appattempt_1_0001_000001 not found"):
        manager.verify(token)
    manager.restore_attempt(ATTEMPT)
    assert manager.verify(token).app_attempt_id == ATTEMPT


@pytest.mark.parametrize(
    "token, why",
    [
        (None, "no YARN_AM_RM_TOKEN was given"),
        (Token(identifier=b"", password=b"", kind="NMToken", service=""), "of kind NMToken"),
        (Token(identifier=b"\xff", password=b"", kind=AMRM_TOKEN, service=""), "cannot be read"),
        (Token(identifier=b"", password=b"", kind=AMRM_TOKEN, service=""), "None not found"),
    ],
)
def test_what_is_no_amrm_token_is_refused(token: Token | None, why: str) -> None:
    with pytest.raises(InvalidTokenError, match=why):
        AMRMTokenSecretManager(source()).verify(token)


def test_a_forged_amrm_token_is_refused() -> None:
    manager = AMRMTokenSecretManager(source())
    token = manager.create_token(ATTEMPT)
    stranger = AMRMTokenSecretManager(source(8)).create_token(ATTEMPT)
    for wrong in (forged(token), stranger):
        with pytest.raises(InvalidTokenError, match="Invalid AMRMToken from"):
            manager.verify(wrong)


def test_an_amrm_token_outlives_the_roll_of_its_key_until_the_next_is_activated() -> None:
    manager = AMRMTokenSecretManager(source())
    old = manager.create_token(ATTEMPT)
    assert not manager.needs_new_token(manager.verify(old))
    manager.keys.roll()
    assert manager.needs_new_token(manager.verify(old))
    new = manager.create_token(ATTEMPT)
    assert not manager.needs_new_token(manager.verify(new))
    manager.keys.activate()
    assert manager.verify(new).app_attempt_id == ATTEMPT
    with pytest.raises(InvalidTokenError):
        manager.verify(old)


def test_another_rm_with_the_stored_keys_accepts_the_tokens() -> None:
    first = AMRMTokenSecretManager(source())
    first.keys.roll()
    token = first.create_token(ATTEMPT)
    second = AMRMTokenSecretManager(source(8))
    second.keys.restore(first.keys.current, first.keys.next)
    second.restore_attempt(ATTEMPT)
    identifier = second.verify(token)
    assert identifier.app_attempt_id == ATTEMPT
    assert second.keys.roll().key_id not in (identifier.key_id, first.keys.current.key_id)


def nm_side(manager: NMTokenSecretManager) -> NMTokenSecretManagerInNM:
    checker = NMTokenSecretManagerInNM()
    checker.node_id = NODE
    checker.set_master_key(manager.keys.current)
    return checker


def test_an_nm_token_is_sent_once_per_attempt_and_node() -> None:
    manager = NMTokenSecretManager(source())
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is None
    manager.register_attempt(ATTEMPT)
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is not None
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is None
    assert manager.token_to_send(ATTEMPT, ELSEWHERE, "ann") is not None
    manager.remove_node(NODE)
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is not None
    manager.keys.roll()
    manager.activate_next_key()
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is not None
    manager.clear_nodes(ATTEMPT)
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is not None
    manager.unregister_attempt(ATTEMPT)
    assert manager.token_to_send(ATTEMPT, NODE, "ann") is None


def test_an_nm_accepts_genuine_nm_tokens_for_itself_only() -> None:
    manager = NMTokenSecretManager(source())
    checker = nm_side(manager)
    token = manager.create_token(ATTEMPT, NODE, "ann")
    identifier = checker.verify(token)
    assert (identifier.app_attempt_id, identifier.app_submitter) == (ATTEMPT, "ann")
    assert token.service == "nm1:45454"
    with pytest.raises(InvalidTokenError, match="generated illegally"):
        checker.verify(forged(token))
    with pytest.raises(InvalidTokenError, match="generated illegally"):
        checker.verify(NMTokenSecretManager(source(8)).create_token(ATTEMPT, NODE, "ann"))
    with pytest.raises(InvalidTokenError, match="not valid for current node manager"):
        checker.verify(manager.create_token(ATTEMPT, ELSEWHERE, "ann"))
    with pytest.raises(InvalidTokenError, match="names no attempt"):
        checker.verify(replace(token, identifier=b""))


def test_an_nm_without_a_key_says_that_it_is_not_ready() -> None:
    manager = NMTokenSecretManager(source())
    with pytest.raises(NMNotYetReadyError, match="has not registered"):
        NMTokenSecretManagerInNM().verify(manager.create_token(ATTEMPT, NODE, "ann"))


def test_an_nm_keeps_the_key_of_an_attempt_that_started_containers() -> None:
    manager = NMTokenSecretManager(source())
    checker = nm_side(manager)
    used = manager.create_token(ATTEMPT, NODE, "ann")
    unused = manager.create_token(OTHER, NODE, "bob")
    checker.container_started(checker.verify(used))
    for _ in range(2):  # the key is the previous one, then forgotten
        checker.verify(unused)
        manager.keys.roll()
        manager.activate_next_key()
        checker.set_master_key(manager.keys.current)
    assert checker.verify(used).app_attempt_id == ATTEMPT
    with pytest.raises(InvalidTokenError):
        checker.verify(unused)
    checker.application_finished(ATTEMPT.application_id)
    with pytest.raises(InvalidTokenError):
        checker.verify(used)


def test_hearing_of_the_same_key_again_changes_nothing() -> None:
    manager = NMTokenSecretManager(source())
    checker = nm_side(manager)
    checker.set_master_key(MasterKey(key_id=manager.keys.current.key_id, bytes_=b"other bytes"))
    checker.verify(manager.create_token(ATTEMPT, NODE, "ann"))
    assert checker.previous is None


def container_identifier(manager: ContainerTokenSecretManager) -> ContainerTokenIdentifier:
    return ContainerTokenIdentifier(
        container_id=CONTAINER,
        nm_host_addr=str(NODE),
        app_submitter="ann",
        resource=Resource(1024, 1),
        expiry_time_stamp=1000,
        master_key_id=manager.key_id,
        rm_identifier=5,
    )


def test_a_container_token_is_checked_and_used_once() -> None:
    manager = ContainerTokenSecretManager(source())
    checker = ContainerTokenSecretManagerInNM()
    checker.node_id = NODE
    checker.set_master_key(manager.keys.current)
    identifier = container_identifier(manager)
    token = manager.create_token(identifier, NODE)
    assert checker.verify(token) == identifier
    assert not checker.was_used(identifier, 10)
    checker.container_started(identifier, 10)
    assert checker.was_used(identifier, 1000)
    assert not checker.was_used(identifier, 1001), "it has expired, which is another answer"
    with pytest.raises(InvalidTokenError, match="illegally generated token"):
        checker.verify(forged(token))
    manager.keys.roll()
    manager.keys.activate()
    with pytest.raises(InvalidTokenError, match="illegally generated token"):
        checker.verify(manager.create_token(container_identifier(manager), NODE))
    checker.set_master_key(manager.keys.current)
    assert checker.verify(token) == identifier, "the key before is still good"
    checker.node_id = ELSEWHERE
    with pytest.raises(InvalidTokenError, match="not valid for current Node manager"):
        checker.verify(token)
