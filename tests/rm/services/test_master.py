"""ApplicationMasterProtocol: who is served, what is refused, what an answer holds."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.container import RMContainerState
from yarnbox.rm.scheduler.admission.requests import MAX_CONTAINERS_PER_REQUEST
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.services.master import MasterService
from yarnbox.yarn.connection.rpc import rpcs_of
from yarnbox.yarn.errors import (
    ApplicationMasterNotRegisteredError,
    InvalidApplicationMasterRequestError,
    InvalidContainerReleaseError,
    InvalidLabelResourceRequestError,
    InvalidResourceBlacklistRequestError,
    InvalidResourceRequestError,
    InvalidTokenError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.master import AllocateRequest, AllocateResponse, FinishApplicationMasterRequest
from yarnbox.yarn.records.request import ResourceRequest, SchedulingRequest
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.wire import from_bytes, to_bytes

N1 = NodeId("n1", 1234)


def running(rig: Rig, **fields: Any) -> ApplicationId:
    """An unmanaged application whose AM has registered."""
    application_id = rig.submit(unmanaged_am=True, **fields)
    rig.register(application_id)
    return application_id


def allocate(rig: Rig, application_id: ApplicationId, **fields: Any) -> AllocateResponse:
    """An allocate call as raw as it comes."""
    request = AllocateRequest(**fields)
    return rig.turn(lambda: rig.core.master.allocate(request, rig.caller(application_id)))


def test_every_rpc_has_its_method() -> None:
    rpcs = rpcs_of("ApplicationMasterProtocolService")
    assert set(rpcs) == {"registerApplicationMaster", "finishApplicationMaster", "allocate"}
    for rpc in rpcs:
        assert callable(getattr(MasterService, re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", rpc)))


def test_only_ams_are_served() -> None:
    rig = Rig()
    with pytest.raises(InvalidTokenError):
        rig.turn(lambda: rig.core.master.allocate(AllocateRequest(), Caller(user="user")))


def test_registration_tells_what_may_be_asked_for() -> None:
    rig = Rig()
    application_id = rig.submit(unmanaged_am=True, queue="default")
    answer = rig.register(application_id)
    assert answer.maximum_capability == Resource(8192, 4)
    assert answer.queue == "default"
    assert [kind.name for kind in answer.scheduler_resource_types] == ["MEMORY"]
    assert [info.name for info in answer.resource_types] == ["memory-mb", "vcores"]


def test_an_am_registers_once() -> None:
    rig = Rig()
    application_id = running(rig)
    with pytest.raises(InvalidApplicationMasterRequestError, match="is already registered"):
        rig.register(application_id)


def test_an_unmanaged_am_that_keeps_containers_may_register_again() -> None:
    rig = Rig()
    application_id = running(rig, keep_containers_across_application_attempts=True)
    rig.allocate(application_id)
    rig.register(application_id)
    assert rig.allocate(application_id).response_id == 1


def test_requests_with_constraints_are_refused_and_not_lost() -> None:
    rig = Rig()
    application_id = running(rig)
    request = AllocateRequest(
        ask=(ask(1),), scheduling_requests=(SchedulingRequest(allocation_request_id=1),), response_id=0
    )
    with pytest.raises(YarnError, match=r"placement-constraints\.handler"):
        rig.turn(lambda: rig.core.master.allocate(request, rig.caller(application_id)))
    assert rig.allocate(application_id).response_id == 1


def test_nobody_is_served_before_it_registered() -> None:
    rig = Rig()
    application_id = rig.submit(unmanaged_am=True)
    with pytest.raises(ApplicationMasterNotRegisteredError, match="AM is not registered"):
        rig.allocate(application_id)
    request = FinishApplicationMasterRequest()
    with pytest.raises(ApplicationMasterNotRegisteredError, match="trying to unregister before registering"):
        rig.turn(lambda: rig.core.master.finish_application_master(request, rig.caller(application_id)))


def test_a_repeated_call_is_answered_as_before_and_does_nothing() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    first = allocate(rig, application_id, response_id=0, ask=(ask(count=2),))
    again = allocate(rig, application_id, response_id=0, ask=(ask(count=5),))
    assert again is first
    assert rig.context.scheduler.applications[application_id].attempt.asks.pending() == Resource(2048, 2)  # type: ignore[union-attr]


def test_a_wrong_response_id_is_refused_and_does_no_harm() -> None:
    rig = Rig()
    application_id = running(rig)
    for _ in range(3):
        rig.allocate(application_id)
    with pytest.raises(InvalidApplicationMasterRequestError, match="expect responseId to be 3, but get 7"):
        allocate(rig, application_id, response_id=7)
    assert rig.allocate(application_id).response_id == 4


def test_response_ids_wrap() -> None:
    rig = Rig()
    application_id = running(rig)
    session = rig.context.am_sessions[rig.attempt(application_id).attempt_id]
    session.response_id = rig.masters[application_id].response_id = 0x7FFFFFFF
    assert rig.allocate(application_id).response_id == 0
    assert rig.allocate(application_id).response_id == 1


@pytest.mark.parametrize(
    "told, shown",
    [(math.nan, 0.0), (-math.inf, 0.0), (-1.0, 0.0), (0.25, 0.25), (1.5, 1.0), (math.inf, 1.0)],
)
def test_progress_is_from_0_to_1(told: float, shown: float) -> None:
    rig = Rig()
    application_id = running(rig)
    allocate(rig, application_id, response_id=0, progress=told)
    assert rig.attempt(application_id).progress == shown


@pytest.mark.parametrize(
    "request_, error, why",
    [
        (ask(-1), InvalidResourceRequestError, r"less than 0! Requested resource type=\[memory-mb\]"),
        (ask(9000), InvalidResourceRequestError, "greater than maximum allowed allocation"),
        (ask(count=-1), InvalidResourceRequestError, "num_containers=-1"),
        (
            ResourceRequest(resource_name="*", capability=Resource(1024, 1), node_label_expression="gpu"),
            InvalidLabelResourceRequestError,
            "node label not enabled but request contains label expression",
        ),
    ],
)
def test_one_bad_request_refuses_the_whole_call(
    request_: ResourceRequest, error: type[Exception], why: str
) -> None:
    rig = Rig()
    application_id = running(rig)
    with pytest.raises(error, match=why):
        rig.allocate(application_id, ask(), request_)
    assert rig.allocate(application_id).response_id == 1
    attempt = rig.context.scheduler.attempt(rig.attempt(application_id).attempt_id)
    assert attempt is not None
    assert attempt.asks.is_empty()


def test_nobody_blacklists_everything() -> None:
    rig = Rig()
    application_id = running(rig)
    with pytest.raises(InvalidResourceBlacklistRequestError, match=r"Cannot add \* to the blacklist!"):
        rig.allocate(application_id, blacklist=("*",))


def test_only_ones_own_containers_can_be_released() -> None:
    rig = Rig()
    mine, yours = running(rig), running(rig)
    theirs = ContainerId(rig.attempt(yours).attempt_id, 1)
    with pytest.raises(InvalidContainerReleaseError, match="not belonging to this application attempt"):
        rig.allocate(mine, release=(theirs,))
    unknown = ContainerId(rig.attempt(mine).attempt_id, 99)
    assert not rig.allocate(mine, release=(unknown,)).completed_container_statuses


def test_a_released_container_comes_back_completed() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    rig.allocate(application_id, ask())
    rig.heartbeat("n1")
    (given,) = rig.allocate(application_id).allocated_containers
    rig.allocate(application_id, release=(given.id,))
    (told,) = rig.allocate(application_id).completed_container_statuses
    assert (told.container_id, told.exit_status, told.diagnostics) == (
        given.id,
        -100,
        "Container released by application",
    )
    assert given.id in rig.heartbeat("n1").containers_to_cleanup


def test_a_token_for_each_node_once() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    rig.allocate(application_id, ask(count=1))
    rig.heartbeat("n1")
    assert [token.node_id for token in rig.allocate(application_id, ask(count=1)).nm_tokens] == [N1]
    rig.heartbeat("n1")
    answer = rig.allocate(application_id)
    assert answer.allocated_containers
    assert not answer.nm_tokens


def test_an_answer_tells_headroom_nodes_and_priority() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = running(rig)
    rig.allocate(application_id, ask(2048))
    rig.heartbeat("n1")
    answer = rig.allocate(application_id)
    assert answer.limit == Resource(6144, 7)
    assert answer.num_cluster_nodes == 1
    assert answer.application_priority == 0
    assert answer.enhanced_headroom is not None
    assert answer.enhanced_headroom.total_active_cores == 8


def test_what_one_asks_for_without_measure_can_still_be_told_to_all() -> None:
    rig = Rig()
    rig.add_node("n1")
    greedy, modest = running(rig), running(rig)
    asks = 2**31 // MAX_CONTAINERS_PER_REQUEST + 1
    rig.allocate(greedy, *(ask(1024, MAX_CONTAINERS_PER_REQUEST, priority=one) for one in range(asks)))
    answer = rig.allocate(modest, ask(1024, count=2))
    assert answer.enhanced_headroom is not None
    assert answer.enhanced_headroom.total_pending_count == 2**31 - 1
    assert from_bytes(AllocateResponse, to_bytes(answer)).enhanced_headroom == answer.enhanced_headroom


def test_a_container_that_its_am_never_took_is_told_as_completed_all_the_same() -> None:
    rig = Rig({"yarn.nm.liveness-monitor.expiry-interval-ms": "3000"})
    rig.add_node("n1")
    application_id = running(rig)
    rig.allocate(application_id, ask())
    rig.heartbeat("n1")
    rig.advance(6_000)
    answer = rig.allocate(application_id)
    assert not answer.allocated_containers
    assert [status.exit_status for status in answer.completed_container_statuses] == [-100]


def test_an_unregistered_am_gets_empty_answers() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.finish(application_id)
    rig.allocate(application_id, ask(count=3))
    rig.heartbeat("n1")
    answer = rig.allocate(application_id)
    assert not answer.allocated_containers
    assert answer.limit == Resource(0, 0)


def test_a_container_taken_and_never_started_expires() -> None:
    rig = Rig({"yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "3000"})
    rig.add_node("n1")
    application_id = running(rig)
    rig.allocate(application_id, ask())
    rig.heartbeat("n1")
    rig.allocate(application_id)
    (container,) = rig.context.scheduler.live_containers(rig.attempt(application_id).attempt_id)
    rig.nodes["n1"].running.clear()
    rig.advance(5_000)
    assert container.state is RMContainerState.EXPIRED
    (told,) = rig.allocate(application_id).completed_container_statuses
    assert told.diagnostics == "Container expired since it was unused"
