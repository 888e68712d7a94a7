"""RMApp: attempts and their failures, ends, and what is told to whom."""

from __future__ import annotations

import pytest

from tests.rig import Rig, ask
from yarnbox.rm.app import RMAppState
from yarnbox.rm.attempt import RMAppAttemptState
from yarnbox.rm.reports import application_state
from yarnbox.yarn.enums import FinalApplicationStatus, YarnApplicationState
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.application import ApplicationTimeoutMap
from yarnbox.yarn.resources.resource import Resource

RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}


def test_a_whole_life() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    assert rig.app(application_id).state is RMAppState.RUNNING
    assert not rig.finish(application_id, diagnostics="all done")
    assert rig.finish(application_id)
    assert rig.app(application_id).state is RMAppState.FINISHING
    rig.end_am(application_id)
    rig.heartbeat("n1")
    app = rig.app(application_id)
    assert app.state is RMAppState.FINISHED
    assert app.final_status is FinalApplicationStatus.SUCCEEDED
    assert app.shown_diagnostics() == "all done"
    assert rig.states("RMApp", application_id) == [
        "NEW_SAVING",
        "SUBMITTED",
        "ACCEPTED",
        "RUNNING",
        "FINAL_SAVING",
        "FINISHING",
        "FINISHED",
    ]
    assert application_id not in rig.context.scheduler.applications
    assert not rig.tokens.live
    assert not rig.context.am_sessions


def test_nothing_reaches_the_scheduler_before_it_is_stored() -> None:
    rig = Rig(RECOVERY)
    rig.holds_store = True
    application_id = rig.submit()
    assert rig.app(application_id).state is RMAppState.NEW_SAVING
    assert application_id not in rig.context.scheduler.applications
    rig.release_store()
    assert rig.app(application_id).state is RMAppState.ACCEPTED


def test_a_final_state_is_not_shown_before_it_is_stored() -> None:
    rig = Rig(RECOVERY)
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.holds_store = True
    assert not rig.finish(application_id)
    app = rig.app(application_id)
    assert app.state.name == "FINAL_SAVING"
    assert application_state(app) is YarnApplicationState.RUNNING
    assert not rig.finish(application_id)
    # The AM is impatient and exits before it was told that it may.
    rig.end_am(application_id)
    rig.heartbeat("n1")
    rig.release_store()
    assert app.state is RMAppState.FINISHED
    assert rig.attempt(application_id).state is RMAppAttemptState.FINISHED


@pytest.mark.parametrize("exit_status, counts", [(1, True), (0, True), (-100, False), (-102, False)])
def test_what_counts_as_a_failure(exit_status: int, counts: bool) -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=2)
    for _ in range(2):
        rig.run(application_id, "n1")
        rig.end_am(application_id, exit_status)
        rig.heartbeat("n1")
    app = rig.app(application_id)
    assert app.state is (RMAppState.FAILED if counts else RMAppState.ACCEPTED)
    assert len(app.attempts) == (2 if counts else 3)


def test_old_failures_are_forgiven_within_the_validity_interval() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=2, attempt_failures_validity_interval=10_000)
    for _ in range(3):
        rig.run(application_id, "n1")
        rig.end_am(application_id, 1)
        rig.heartbeat("n1")
        assert rig.app(application_id).state is RMAppState.ACCEPTED
        rig.advance(11_000)
        rig.heartbeat("n1")


def test_the_diagnostics_of_used_up_attempts() -> None:
    rig = Rig({"yarn.resourcemanager.am.max-attempts": "3"})
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=2, attempt_failures_validity_interval=60_000)
    for _ in range(2):
        rig.run(application_id, "n1")
        rig.end_am(application_id, 13)
        rig.heartbeat("n1")
    text = rig.app(application_id).diagnostics
    assert text.startswith(
        f"Application {application_id} failed 2 times in previous 60000 milliseconds"
        " (global limit =3; local limit is =2) due to AM Container for "
    )
    assert "exited with  exitCode: 13" in text
    assert "Failing this attempt" in text
    assert text.endswith(". Failing the application.")


def test_an_unmanaged_application_is_not_tried_again() -> None:
    rig = Rig()
    application_id = rig.submit(unmanaged_am=True)
    rig.register(application_id)
    rig.advance(2_000_000)
    app = rig.app(application_id)
    assert app.state is RMAppState.FAILED
    assert app.diagnostics.startswith(f"Unmanaged application {application_id} failed due to ")


def test_killed_in_every_state_before_it_runs() -> None:
    for holding in ("NEW_SAVING", "ACCEPTED"):
        rig = Rig(RECOVERY)
        rig.holds_store = holding == "NEW_SAVING"
        application_id = rig.submit()
        assert rig.app(application_id).state.name == holding
        assert not rig.kill(application_id, diagnostics="no longer needed").is_kill_completed
        rig.release_store()
        app = rig.app(application_id)
        assert app.state is RMAppState.KILLED
        assert app.diagnostics == (
            f"Application {application_id} was killed by user user with diagnostic message: no longer needed"
        )
        assert rig.kill(application_id).is_kill_completed


def test_the_am_may_be_faster_than_the_kill() -> None:
    rig = Rig(RECOVERY)
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.holds_store = True
    rig.finish(application_id)
    rig.kill(application_id)
    rig.release_store()
    assert rig.app(application_id).state is RMAppState.FINISHING


def test_its_nodes_are_told_to_clean_up() -> None:
    rig = Rig()
    rig.add_node("n1")
    rig.add_node("n2")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask())
    rig.heartbeat("n2")
    rig.allocate(application_id)
    rig.heartbeat("n2")
    rig.kill(application_id)
    assert rig.heartbeat("n2").applications_to_cleanup == (application_id,)
    assert not rig.nodes["n2"].running


def test_its_lifetime_ends_it() -> None:
    rig = Rig()
    application_id = rig.submit(unmanaged_am=True, application_timeouts=(ApplicationTimeoutMap(timeout=30),))
    rig.advance(30_000)
    assert rig.app(application_id).state is RMAppState.ACCEPTED
    rig.advance(3_000)
    app = rig.app(application_id)
    assert app.state is RMAppState.KILLED
    assert "exceeded the lifetime period" in app.diagnostics


def test_news_of_nodes_are_told_once_and_the_latest_kind_wins() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.allocate(application_id)
    rig.add_node("n2")
    rig.nodes["n2"].health_report = "no disk"
    rig.heartbeat("n2")
    updates = rig.allocate(application_id).updated_nodes
    assert [(one.node_id, one.node_state and one.node_state.name) for one in updates] == [
        (NodeId("n2", 1234), "UNHEALTHY")
    ]
    assert not rig.allocate(application_id).updated_nodes


def test_a_node_that_was_lost_and_came_again_is_told_of_twice() -> None:
    """RMAppImpl keeps news by RMNode, and each registration makes one."""
    rig = Rig({"yarn.nm.liveness-monitor.expiry-interval-ms": "30000"})
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.add_node("n2", memory_mb=4096)
    rig.allocate(application_id)
    for _ in range(4):
        rig.advance(10_000)
        rig.heartbeat("n1")
    rig.add_node("n2", memory_mb=2048)
    updates = rig.allocate(application_id).updated_nodes
    told = [(one.node_state and one.node_state.name, one.capability) for one in updates]
    assert told == [("LOST", Resource(4096, 8)), ("RUNNING", Resource(2048, 8))]


def test_completed_applications_are_remembered_for_a_while() -> None:
    rig = Rig({**RECOVERY, "yarn.resourcemanager.max-completed-applications": "2"})
    ids = [rig.submit() for _ in range(4)]
    for application_id in ids:
        rig.kill(application_id)
    assert list(rig.context.apps) == ids[2:]
    assert {key[1] for key in rig.stored} == {str(application_id) for application_id in ids[2:]}
