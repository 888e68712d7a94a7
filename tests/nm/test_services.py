"""ContainerManagementProtocol: who is refused, with which words, and that a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.nm.rig import (
    ATTEMPT,
    OTHER_ATTEMPT,
    RM_IDENTIFIER,
    Keys,
    Rig,
    container_id,
    resource,
)
from yarnbox.nm.effects import SignalContainer
from yarnbox.nm.services import MAXIMUM_CONTAINERS_PER_CALL
from yarnbox.yarn.enums import ExecutionType, SignalContainerCommand
from yarnbox.yarn.errors import IllegalArgumentError, InvalidTokenError, YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerLaunchContext, LocalResource
from yarnbox.yarn.records.management import (
    ContainerUpdateRequest,
    GetContainerStatusesRequest,
    GetLocalizationStatusesRequest,
    IncreaseContainersResourceRequest,
    ReInitializeContainerRequest,
    ResourceLocalizationRequest,
    SignalContainerRequest,
    StartContainerRequest,
    StartContainersRequest,
    StopContainersRequest,
)
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource

CALLS: dict[str, tuple[Any, Callable[[Rig], Any]]] = {
    "start": (StartContainersRequest(), lambda rig: rig.services.start_containers),
    "stop": (
        StopContainersRequest(container_id=(container_id(1),)),
        lambda rig: rig.services.stop_containers,
    ),
    "statuses": (
        GetContainerStatusesRequest(container_id=(container_id(1),)),
        lambda rig: rig.services.get_container_statuses,
    ),
    "update": (ContainerUpdateRequest(), lambda rig: rig.services.update_container),
    "increase": (
        IncreaseContainersResourceRequest(),
        lambda rig: rig.services.increase_containers_resource,
    ),
    "signal": (
        SignalContainerRequest(
            container_id=container_id(1), command=SignalContainerCommand.FORCEFUL_SHUTDOWN
        ),
        lambda rig: rig.services.signal_to_container,
    ),
    "localize": (
        ResourceLocalizationRequest(container_id=container_id(1)),
        lambda rig: rig.services.localize,
    ),
    "reinitialize": (
        ReInitializeContainerRequest(container_id=container_id(1)),
        lambda rig: rig.services.re_initialize_container,
    ),
    "restart": (container_id(1), lambda rig: rig.services.restart_container),
    "rollback": (container_id(1), lambda rig: rig.services.rollback_last_re_initialization),
    "commit": (container_id(1), lambda rig: rig.services.commit_last_re_initialization),
    "localizations": (
        GetLocalizationStatusesRequest(container_id=(container_id(1),)),
        lambda rig: rig.services.get_localization_statuses,
    ),
}


def _bad_tokens(rig: Rig) -> dict[str, Token | None]:
    good = rig.nm_token()
    return {
        "none": None,
        "forged": replace(good, password=b"x" * 20),
        "of another RM": Keys(500).nm.create_token(ATTEMPT, NodeId("nm1", 4321), "alice"),
        "of another node": rig.nm_token(node=NodeId("nm2", 1)),
        "of another kind": rig.token(1),
        "no token at all": replace(good, identifier=b"\xff\xff"),
    }


def _state(rig: Rig) -> Any:
    containers = rig.context.containers.values()
    return [(one.container_id, one.state, one.exit_code, one.token, one.diagnostics) for one in containers]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", list(_bad_tokens(Rig())))
def test_a_bad_nm_token_is_refused_and_changes_nothing(call: str, kind: str) -> None:
    rig = Rig()
    rig.run(1)
    before = _state(rig)
    rig.effects.clear()
    request, method = CALLS[call]
    with pytest.raises(InvalidTokenError):
        rig.turn(lambda: method(rig)(request, _bad_tokens(rig)[kind]))
    assert _state(rig) == before
    assert rig.effects == []


@pytest.mark.parametrize("call", sorted(CALLS.keys() - {"start", "update", "increase"}))
def test_the_token_of_another_application_reaches_nothing(call: str) -> None:
    rig = Rig()
    rig.run(1)
    before = _state(rig)
    rig.effects.clear()
    request, method = CALLS[call]
    token = rig.nm_token(OTHER_ATTEMPT)
    if call in ("stop", "statuses", "localizations"):
        assert "non-application" in _refusal(rig.turn(lambda: method(rig)(request, token)))[0]
    else:
        with pytest.raises(YarnError, match=r"non-application|not authorized"):
            rig.turn(lambda: method(rig)(request, token))
    assert _state(rig) == before
    assert rig.effects == []


def _refusal(answer: Any) -> tuple[str, str]:
    (failed,) = answer.failed_requests
    return failed.exception.message, failed.exception.class_name.rpartition(".")[2]


def test_a_forged_container_token_fails_the_call_before_anything_starts() -> None:
    rig = Rig()
    forged = replace(rig.token(2), password=b"x" * 20)
    with pytest.raises(InvalidTokenError, match="illegally generated"):
        rig.start_all([(rig.token(1), None), (forged, None)])
    assert not rig.context.containers
    assert not rig.context.applications


def test_a_container_token_for_another_node() -> None:
    rig = Rig()
    with pytest.raises(InvalidTokenError, match="not valid for current Node manager"):
        rig.start(1, nm_host_addr="nm2:1")


def test_a_container_of_another_application() -> None:
    rig = Rig()
    answer = rig.start_all([(rig.token(1, OTHER_ATTEMPT), None)])
    message, name = _refusal(answer)
    assert "Unauthorized request to start container." in message
    assert "was used for starting container with container token issued for application attempt" in message
    assert name == "YarnException"
    assert not rig.context.containers


def test_a_second_use_of_a_token() -> None:
    rig = Rig()
    token = rig.token(1)
    assert not rig.start_all([(token, None)]).failed_requests
    message, _ = _refusal(rig.start_all([(token, None)]))
    assert "Attempt to relaunch the same container" in message


def test_another_token_of_a_container_that_is_here() -> None:
    rig = Rig()
    rig.start(1)
    message, _ = _refusal(rig.start(1, expiry_time_stamp=2_000_000))
    assert "already is running on this node" in message


def test_an_expired_token() -> None:
    rig = Rig()
    message, _ = _refusal(rig.start(1, expiry_time_stamp=9_999))
    assert "This token is expired." in message


def test_a_token_of_an_earlier_rm() -> None:
    rig = Rig()
    message, name = _refusal(rig.start(1, rm_identifier=RM_IDENTIFIER - 1))
    assert "rejected as it is allocated by a previous RM" in message
    assert name == "InvalidContainerException"


def test_one_bad_request_does_not_fail_the_others() -> None:
    rig = Rig()
    answer = rig.start_all(
        [(rig.token(1), None), (rig.token(2, expiry_time_stamp=1), None), (rig.token(3), None)]
    )
    assert answer.succeeded_requests == (container_id(1), container_id(3))
    assert [one.container_id for one in answer.failed_requests] == [container_id(2)]


def test_a_key_that_was_rolled_stays_good_for_who_used_it() -> None:
    rig = Rig()
    old = rig.nm_token()
    rig.start(1)
    for _ in range(2):
        rig.keys.nm.keys.roll()
        rig.keys.nm.activate_next_key()
        rig.heartbeat(nm_token_master_key=rig.keys.nm.keys.current)
    request = GetContainerStatusesRequest(container_id=(container_id(1),))
    assert rig.turn(lambda: rig.services.get_container_statuses(request, old)).status
    stranger = Keys().nm.create_token(OTHER_ATTEMPT, NodeId("nm1", 4321), "bob")
    with pytest.raises(InvalidTokenError):
        rig.turn(lambda: rig.services.get_container_statuses(request, stranger))


# What is asked for


@pytest.mark.parametrize(
    "context, said",
    [
        (
            ContainerLaunchContext(service_data={"spark_shuffle": b""}),
            "The auxService:spark_shuffle does not",
        ),
        (ContainerLaunchContext(local_resources={"a": LocalResource()}), "Null resource URL"),
        (ContainerLaunchContext(local_resources={"a": replace(resource(), type=None)}), "Null resource type"),
        (
            ContainerLaunchContext(local_resources={"a": replace(resource(), visibility=None)}),
            "Null resource visibility",
        ),
        (ContainerLaunchContext(local_resources={"../a": resource()}), "outside the working directory"),
        (ContainerLaunchContext(local_resources={"/a": resource()}), "outside the working directory"),
        (ContainerLaunchContext(tokens=b"nonsense"), "these are not credentials"),
        (ContainerLaunchContext(tokens_conf=b"x" * 12_801), "12800 bytes"),
    ],
)
def test_launch_contexts_that_are_refused(context: ContainerLaunchContext, said: str) -> None:
    rig = Rig()
    message, _ = _refusal(rig.start(1, context))
    assert said in message
    assert not rig.context.containers


def test_absurd_counts_are_refused() -> None:
    rig = Rig()
    many = (container_id(1),) * (MAXIMUM_CONTAINERS_PER_CALL + 1)
    with pytest.raises(IllegalArgumentError, match="10001 containers in one call"):
        rig.turn(
            lambda: rig.services.stop_containers(StopContainersRequest(container_id=many), rig.nm_token())
        )


def _stop(rig: Rig, one: ContainerId) -> Any:
    request = StopContainersRequest(container_id=(one,))
    return rig.turn(lambda: rig.services.stop_containers(request, rig.nm_token()))


def test_stopping_what_is_not_here() -> None:
    rig = Rig()
    message, _ = _refusal(_stop(rig, container_id(7)))
    assert "is not handled by this NodeManager" in message


def test_stopping_what_has_just_ended_is_no_fault() -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1)
    rig.heartbeat()
    rig.heartbeat(containers_to_be_removed_from_nm=(container_id(1),))
    assert not rig.context.containers
    assert _stop(rig, container_id(1)).succeeded_requests == (container_id(1),)
    request = GetContainerStatusesRequest(container_id=(container_id(1),))
    answer = rig.turn(lambda: rig.services.get_container_statuses(request, rig.nm_token()))
    assert "was recently stopped on node manager." in _refusal(answer)[0]


def test_signals_go_to_what_runs() -> None:
    rig = Rig()
    rig.run(1)
    request = SignalContainerRequest(
        container_id=container_id(1), command=SignalContainerCommand.OUTPUT_THREAD_DUMP
    )
    rig.turn(lambda: rig.services.signal_to_container(request, rig.nm_token()))
    rig.heartbeat(containers_to_signal=(request,))
    assert len(rig.take(SignalContainer)) == 2
    rig.exited(1)
    rig.turn(lambda: rig.services.signal_to_container(request, rig.nm_token()))
    assert rig.take(SignalContainer) == []


# Updates


def _update(rig: Rig, **change: Any) -> Any:
    request = ContainerUpdateRequest(update_container_token=(rig.token(1, **change),))
    return rig.turn(lambda: rig.services.update_container(request, rig.nm_token()))


def test_an_update_needs_a_newer_version() -> None:
    rig = Rig()
    rig.run(1)
    assert "has update version [0] >= requested version [0]" in _refusal(_update(rig))[0]
    assert _update(rig, version=1, resource=Resource(2048, 1)).succeeded_requests
    assert rig.container(1).resource == Resource(2048, 1)


def test_a_second_growth_before_the_rm_was_told_of_the_first() -> None:
    rig = Rig()
    rig.run(1)
    _update(rig, version=1, resource=Resource(2048, 1))
    message, _ = _refusal(_update(rig, version=2, resource=Resource(3072, 1)))
    assert "is being increased -or- is undergoing ExecutionType promoted" in message


@pytest.mark.parametrize("size", [Resource(-1, 1), Resource(0, 0)])
def test_a_size_that_is_none(size: Resource) -> None:
    rig = Rig()
    rig.run(1)
    assert "cannot get the size" in _refusal(_update(rig, version=1, resource=size))[0]


@pytest.mark.parametrize("size", [None, Resource(-1, 1)])
def test_a_container_without_a_size_is_not_started(size: Resource | None) -> None:
    rig = Rig()
    assert "cannot have the size" in _refusal(rig.start(1, resource=size))[0]
    assert not rig.context.containers


def test_the_update_of_a_stranger() -> None:
    rig = Rig()
    message, _ = _refusal(_update(rig, version=1))
    assert "is not handled by this NodeManager" in message


# What runs, and may be changed


@pytest.mark.parametrize("call", ["localize", "reinitialize", "restart", "rollback", "commit"])
def test_only_what_runs_can_be_changed(call: str) -> None:
    rig = Rig()
    request, method = CALLS[call]
    with pytest.raises(YarnError, match="does not exist"):
        rig.turn(lambda: method(rig)(request, rig.nm_token()))
    rig.start(1)
    with pytest.raises(YarnError, match=r"Current state is \[SCHEDULED, isReInitializing=false\]"):
        rig.turn(lambda: method(rig)(request, rig.nm_token()))


def test_an_opportunistic_container_is_not_reinitialized() -> None:
    rig = Rig()
    rig.run(1)
    rig.container(1).token = rig.identifier(1, execution_type=ExecutionType.OPPORTUNISTIC)
    with pytest.raises(YarnError, match=r"Execution Type is \[OPPORTUNISTIC\]"):
        rig.turn(lambda: rig.services.restart_container(container_id(1), rig.nm_token()))


@pytest.mark.parametrize(
    "call, said", [("rollback", "Nothing to rollback to"), ("commit", "Nothing to Commit")]
)
def test_without_an_upgrade_there_is_nothing_to_go_back_to(call: str, said: str) -> None:
    rig = Rig()
    rig.run(1)
    request, method = CALLS[call]
    with pytest.raises(YarnError, match=said):
        rig.turn(lambda: method(rig)(request, rig.nm_token()))


def test_a_request_without_a_token() -> None:
    rig = Rig()
    request = StartContainersRequest(start_container_request=(StartContainerRequest(),))
    with pytest.raises(InvalidTokenError):
        rig.turn(lambda: rig.services.start_containers(request, rig.nm_token()))
