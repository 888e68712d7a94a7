"""The RM's tokens: signed for the core, checked for callers, keys told to nodes and kept over a restart."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from yarnbox.rm.asks import RequestKey
from yarnbox.rm.container import RMContainer
from yarnbox.rm.edge.security.tokens import Tokens
from yarnbox.yarn.enums import ContainerType, ExecutionType, NodeAction
from yarnbox.yarn.errors import InvalidTokenError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    NodeStatus,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.client_tokens import ClientToAMTokenSecretManager
from yarnbox.yarn.security.tokens import ContainerTokenSecretManagerInNM, NMTokenSecretManagerInNM, new_key

ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
NODE = NodeId("nm1", 4711)
ACCEPTED = RegisterNodeManagerResponse(node_action=NodeAction.NORMAL)
LOGS = LogAggregationContext(include_pattern="std.*")


def tokens(seed: int = 1) -> Tokens:
    return Tokens(
        new_key(random.Random(seed).randbytes), rm_identifier=99, container_expiry_ms=500, service="rm:8050"
    )


def container(*, is_am: bool = False) -> RMContainer:
    """What a token says of a container; the rest of an RMContainer needs an RM."""
    fields: dict[str, Any] = dict(
        container_id=ContainerId(ATTEMPT, 1),
        application_id=ATTEMPT.application_id,
        context=SimpleNamespace(log_aggregation_context={ATTEMPT.application_id: LOGS}.get),
        node_id=NODE,
        resource=Resource(1024, 2),
        key=RequestKey(7, 70),
        creation_ms=1000,
        label="gpu",
        is_am=is_am,
        execution_type=ExecutionType.OPPORTUNISTIC,
        version=3,
        allocation_tags=("web",),
    )
    return cast(RMContainer, SimpleNamespace(**fields))


def test_a_container_token_says_all_that_the_node_must_hold_the_container_to() -> None:
    signer = tokens()
    checker = ContainerTokenSecretManagerInNM()
    checker.node_id = NODE
    registered = signer.with_keys(ACCEPTED)
    assert registered.container_token_master_key is not None
    checker.set_master_key(registered.container_token_master_key)
    identifier = checker.verify(signer.container_token(container(), "ann", 2000))
    assert identifier.container_id == ContainerId(ATTEMPT, 1)
    assert (identifier.app_submitter, identifier.resource) == ("ann", Resource(1024, 2))
    assert (identifier.expiry_time_stamp, identifier.rm_identifier) == (2500, 99)
    assert (identifier.priority, identifier.allocation_request_id, identifier.version) == (7, 70, 3)
    assert (identifier.container_type, identifier.node_label_expression) == (ContainerType.TASK, "gpu")
    assert identifier.log_aggregation_context == LOGS
    master = checker.verify(signer.container_token(container(is_am=True), "ann", 2000))
    assert master.container_type is ContainerType.APPLICATION_MASTER


def test_an_attempts_tokens_live_as_long_as_it_does() -> None:
    signer = tokens()
    signer.start_attempt(ATTEMPT)
    token = signer.amrm_token(ATTEMPT)
    assert signer.check_master(token).app_attempt_id == ATTEMPT
    assert signer.nm_token(ATTEMPT, NODE, "ann") is not None
    assert signer.nm_token(ATTEMPT, NODE, "ann") is None
    signer.forget_nm_tokens(ATTEMPT)
    assert signer.nm_token(ATTEMPT, NODE, "ann") is not None
    signer.forget_node(NODE)
    assert signer.nm_token(ATTEMPT, NODE, "ann") is not None
    signer.forget_attempt(ATTEMPT)
    assert signer.nm_token(ATTEMPT, NODE, "ann") is None
    with pytest.raises(InvalidTokenError):
        signer.check_master(token)


def test_clients_get_tokens_only_where_they_are_given() -> None:
    assert tokens().new_client_key() is None
    signer = Tokens(
        new_key(random.Random(1).randbytes),
        rm_identifier=99,
        container_expiry_ms=500,
        service="rm:8050",
        gives_client_tokens=True,
    )
    key = signer.new_client_key()
    assert key is not None
    assert key != signer.new_client_key()
    assert signer.client_token(ATTEMPT, "ann") is None
    signer.register_client_key(ATTEMPT, key)
    checker = ClientToAMTokenSecretManager()
    checker.set_master_key(key)
    assert checker.verify(signer.client_token(ATTEMPT, "ann")).client_name == "ann"
    signer.forget_attempt(ATTEMPT)
    assert signer.client_token(ATTEMPT, "ann") is None


def test_an_am_is_sent_a_new_token_when_the_key_is_rolled() -> None:
    signer = tokens()
    old = signer.check_master(signer.amrm_token(ATTEMPT))
    response = AllocateResponse(response_id=1)
    assert signer.renewed(old, response) is response
    signer.amrm.keys.roll()
    new = signer.renewed(old, response).am_rm_token
    assert signer.renewed(signer.check_master(new), response) is response


def test_nodes_are_told_of_keys_that_they_lack() -> None:
    signer = tokens()
    registered = signer.with_keys(ACCEPTED)
    request = NodeHeartbeatRequest(
        node_status=NodeStatus(node_id=NODE, response_id=0),
        last_known_container_token_master_key=registered.container_token_master_key,
        last_known_nm_token_master_key=registered.nm_token_master_key,
    )
    response = NodeHeartbeatResponse(response_id=1)
    assert signer.with_new_keys(request, response) is response
    signer.containers.keys.roll()
    told = signer.with_new_keys(request, response)
    assert told.container_token_master_key == signer.containers.keys.next
    assert told.nm_token_master_key is None
    signer.nm.keys.roll()
    told = signer.with_new_keys(request, response)
    checker = NMTokenSecretManagerInNM()
    assert told.nm_token_master_key is not None
    checker.set_master_key(told.nm_token_master_key)
    signer.nm.activate_next_key()
    checker.verify(signer.nm.create_token(ATTEMPT, NODE, "ann"))


def test_a_node_that_is_refused_is_told_no_keys() -> None:
    refused = RegisterNodeManagerResponse(node_action=NodeAction.SHUTDOWN)
    assert tokens().with_keys(refused) is refused


def test_the_next_rm_accepts_the_tokens_of_ams_that_run_on() -> None:
    first, second = tokens(1), tokens(2)
    before_roll = first.amrm_token(ATTEMPT)
    first.amrm.keys.roll()
    after_roll = first.amrm_token(ATTEMPT)
    second.restore_keys(first.keys_to_store())
    second.amrm.restore_attempt(ATTEMPT)
    for token in (before_roll, after_roll):
        assert second.check_master(token).app_attempt_id == ATTEMPT
