"""RMAppAttempt: its AM's container, its AM, and the containers that end under it."""

from __future__ import annotations

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.app import RMAppState
from yarnbox.rm.attempt import RMAppAttemptState
from yarnbox.rm.effects import LaunchContainer
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import ApplicationAttemptNotFoundError, InvalidApplicationMasterRequestError

RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}


def test_a_whole_life() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    attempt = rig.attempt(application_id)
    assert (attempt.host, attempt.rpc_port) == ("am-host", 4000)
    rig.finish(application_id, FinalApplicationStatus.FAILED)
    rig.end_am(application_id)
    rig.heartbeat("n1")
    assert attempt.final_status is FinalApplicationStatus.FAILED
    assert attempt.original_tracking_url == "http://history/"
    assert rig.states("RMAppAttempt", attempt.attempt_id) == [
        "SUBMITTED",
        "SCHEDULED",
        "ALLOCATED_SAVING",
        "ALLOCATED",
        "LAUNCHED",
        "RUNNING",
        "FINAL_SAVING",
        "FINISHING",
        "FINISHED",
    ]


def test_an_unmanaged_am_needs_no_container_and_does_not_wait() -> None:
    rig = Rig()
    application_id = rig.submit(unmanaged_am=True)
    attempt = rig.attempt(application_id)
    assert attempt.state.name == "LAUNCHED"
    assert attempt.am_rm_token is not None
    rig.register(application_id)
    assert rig.finish(application_id)
    assert attempt.state is RMAppAttemptState.FINISHED
    assert rig.app(application_id).state is RMAppState.FINISHED


def test_an_unmanaged_am_that_registers_too_early_fails() -> None:
    rig = Rig(RECOVERY)
    rig.holds_store = True
    application_id = rig.submit(unmanaged_am=True)
    rig.release_store()
    rig = Rig(RECOVERY)
    application_id = rig.submit(unmanaged_am=True)
    rig.holds_store = True
    other = rig.submit(unmanaged_am=True)
    orders, rig.unanswered = rig.unanswered, []
    for order in orders:  # the application is stored, the attempt is not
        assert order.acknowledgement is not None
        rig.core.stored(order.acknowledgement)
    rig.perform_effects()
    assert rig.attempt(other).state is RMAppAttemptState.LAUNCHED_UNMANAGED_SAVING
    rig.register(other)
    rig.release_store()
    assert rig.app(other).state is RMAppState.FAILED
    assert "Unmanaged AM must register after AM attempt reaches LAUNCHED state." in (
        rig.app(other).diagnostics
    )
    assert rig.app(application_id).state is RMAppState.ACCEPTED


def test_the_am_may_register_before_its_launch_is_answered() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.starts_masters = False
    application_id = rig.submit()
    rig.heartbeat("n1")
    (order,) = rig.unstarted
    assert isinstance(order, LaunchContainer)
    assert (order.user, order.container.priority) == ("user", 0)
    rig.register(application_id)
    assert rig.app(application_id).state is RMAppState.RUNNING
    rig.core.am_launched(order.attempt_id)
    assert rig.attempt(application_id).state is RMAppAttemptState.RUNNING


def test_a_launch_that_fails_counts() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.starts_masters = False
    application_id = rig.submit(max_app_attempts=2)
    for number in (1, 2):
        rig.heartbeat("n1")
        order = rig.unstarted.pop()
        assert order.attempt_id.attempt_id == number
        rig.core.am_launch_failed(order.attempt_id, f"Error launching {order.attempt_id}. Got exception: no")
        rig.perform_effects()
    assert rig.app(application_id).state is RMAppState.FAILED
    assert "Error launching" in rig.app(application_id).diagnostics


def test_a_silent_am_has_failed() -> None:
    rig = Rig({"yarn.am.liveness-monitor.expiry-interval-ms": "30000"})
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=1)
    rig.run(application_id, "n1")
    rig.advance(30_000)
    assert rig.app(application_id).state is RMAppState.RUNNING
    rig.advance(10_000)
    app = rig.app(application_id)
    assert app.state is RMAppState.FAILED
    assert f"ApplicationMaster for attempt {rig.attempt(application_id).attempt_id} timed out" in (
        app.diagnostics
    )
    assert not rig.nodes["n1"].running


def test_an_am_that_calls_is_not_silent() -> None:
    rig = Rig({"yarn.am.liveness-monitor.expiry-interval-ms": "30000"})
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    for _ in range(10):
        rig.advance(20_000)
        rig.allocate(application_id)
    assert rig.app(application_id).state is RMAppState.RUNNING


def test_an_am_that_does_not_exit_is_stopped() -> None:
    rig = Rig({"yarn.am.liveness-monitor.expiry-interval-ms": "30000"})
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.finish(application_id)
    rig.advance(40_000)
    assert rig.app(application_id).state is RMAppState.FINISHED
    assert not rig.nodes["n1"].running


def test_an_ended_attempt_is_served_no_more() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=1)
    rig.run(application_id, "n1")
    rig.end_am(application_id, 1)
    rig.heartbeat("n1")
    with pytest.raises(ApplicationAttemptNotFoundError, match="doesn't exist in ApplicationMasterService"):
        rig.allocate(application_id)
    with pytest.raises(InvalidApplicationMasterRequestError, match="Application doesn't exist in cache"):
        rig.register(application_id)


def test_what_one_am_was_told_and_may_not_have_heard_is_told_to_the_next() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(keep_containers_across_application_attempts=True)
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask(count=2))
    rig.heartbeat("n1")
    given = rig.allocate(application_id).allocated_containers
    rig.heartbeat("n1")
    first, second = (container.id for container in given)
    rig.nodes["n1"].end(first, 3)
    rig.heartbeat("n1")
    told = rig.allocate(application_id).completed_container_statuses
    assert [status.container_id for status in told] == [first]
    rig.end_am(application_id, 1)
    rig.nodes["n1"].end(second, 4)
    rig.heartbeat("n1")
    rig.run(application_id, "n1")
    told = rig.allocate(application_id).completed_container_statuses
    assert {status.container_id: status.exit_status for status in told} == {first: 3, second: 4}
    rig.allocate(application_id)
    assert set(rig.heartbeat("n1").containers_to_be_removed_from_nm) >= {first, second}


def test_kept_containers_are_given_to_the_next_am_with_tokens() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.add_node("n2")
    application_id = rig.submit(keep_containers_across_application_attempts=True)
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask())
    rig.heartbeat("n2")
    (given,) = rig.allocate(application_id).allocated_containers
    rig.heartbeat("n2")
    rig.end_am(application_id, 1)
    rig.heartbeat("n1")
    rig.heartbeat("n1")
    answer = rig.register(application_id)
    assert [container.id for container in answer.containers_from_previous_attempts] == [given.id]
    assert [token.node_id for token in answer.nm_tokens_from_previous_attempts] == [given.node_id]


def test_a_kept_container_that_ends_while_the_next_am_is_awaited_does_no_harm() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.add_node("n2")
    application_id = rig.submit(keep_containers_across_application_attempts=True)
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask())
    rig.heartbeat("n2")
    (given,) = rig.allocate(application_id).allocated_containers
    rig.heartbeat("n2")
    rig.end_am(application_id, 1)
    rig.heartbeat("n1")
    rig.nodes["n2"].end(given.id, 0)
    rig.heartbeat("n2")
    assert rig.attempt(application_id).state is not RMAppAttemptState.FAILED
    rig.run(application_id, "n1")
    assert [one.container_id for one in rig.allocate(application_id).completed_container_statuses] == [
        given.id
    ]


def test_resource_time_is_summed_over_attempts() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(memory_mb=2048)
    for _ in range(2):
        rig.run(application_id, "n1")
        rig.advance(10_000)
        if rig.attempt(application_id).attempt_id.attempt_id == 1:
            rig.end_am(application_id, 1)
            rig.heartbeat("n1")
    rig.kill(application_id)
    seconds = [attempt.resource_seconds["memory-mb"] for attempt in rig.app(application_id).attempts.values()]
    assert seconds == [20_480, 20_480]


def test_diagnostics_keep_their_newest_part() -> None:
    rig = Rig({"yarn.app.attempt.diagnostics.limit.kc": "1"})
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=1)
    rig.run(application_id, "n1")
    rig.finish(application_id, diagnostics="x" * 2000 + "end")
    rig.end_am(application_id)
    rig.heartbeat("n1")
    text = rig.attempt(application_id).shown_diagnostics()
    assert text.startswith("Diagnostic messages truncated, showing last 1024 chars out of 2003:\n...")
    assert text.endswith("end")
