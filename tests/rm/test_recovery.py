"""Restarts of the RM: what was stored comes back, what runs is taken over, and nothing is done twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rig import Rig, ask
from yarnbox.rm.app import RMAppState
from yarnbox.rm.attempt import RMAppAttemptState
from yarnbox.rm.container import RMContainerState
from yarnbox.yarn.enums import FinalApplicationStatus, NodeAction
from yarnbox.yarn.errors import ApplicationMasterNotRegisteredError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationTimeoutMap
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.resources.resource import Resource

RECOVERY = {"yarn.resourcemanager.recovery.enabled": "true"}


def restarted(rig: Rig, *, epoch: int = 1) -> Rig:
    """Another RM over what the first one stored; the nodes and AMs live on."""
    other = Rig(rig.files.properties, start_ms=rig.clock.now_ms() + 1_000, stored=rig.stored, epoch=epoch)
    other.nodes = rig.nodes
    other.masters = rig.masters
    return other


def rejoin(rig: Rig, *names: str) -> None:
    """The nodes find that the RM does not know them, and register with what they run."""
    for name in names:
        assert rig.heartbeat(name).node_action is NodeAction.RESYNC
        rig.add_node(name, keep=True)


def a_running_application(rig: Rig, *, keeps_containers: bool = False) -> ApplicationId:
    """An AM and a container, on two nodes."""
    rig.add_node("n1")
    rig.add_node("n2")
    application_id = rig.submit(
        application_name="long", keep_containers_across_application_attempts=keeps_containers
    )
    rig.advance(1_000)
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask(2048))
    rig.heartbeat("n2")
    rig.allocate(application_id)
    rig.heartbeat("n2")
    return application_id


def test_what_runs_is_taken_over() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    rig = restarted(old)
    app = rig.app(application_id)
    assert (app.state, app.name, app.submit_ms) == (RMAppState.ACCEPTED, "long", 0)
    assert rig.attempt(application_id).state is RMAppAttemptState.LAUNCHED
    rejoin(rig, "n1", "n2")
    attempt_id = rig.attempt(application_id).attempt_id
    live = rig.context.scheduler.live_containers(attempt_id)
    assert [(one.container_id.sequence, one.state, one.is_am) for one in live] == [
        (1, RMContainerState.RUNNING, True),
        (2, RMContainerState.RUNNING, False),
    ]
    with pytest.raises(ApplicationMasterNotRegisteredError, match="RM had restarted"):
        rig.allocate(application_id)
    rig.register(application_id)
    assert app.state.name == "RUNNING"
    # Nothing is given away before everybody had time to come back, and not in the last moment of it.
    rig.allocate(application_id, ask())
    rig.heartbeat("n1")
    assert not rig.allocate(application_id).allocated_containers
    rig.advance(10_000)
    rig.heartbeat("n1")
    assert not rig.allocate(application_id).allocated_containers
    rig.advance(1)
    rig.heartbeat("n1")
    (given,) = rig.allocate(application_id).allocated_containers
    assert str(given.id).startswith(f"container_e01_{application_id.cluster_timestamp}_")
    rig.finish(application_id)
    rig.end_am(application_id)
    rig.heartbeat("n1")
    assert app.state.name == "FINISHED"


@pytest.mark.parametrize("scheduler", ["fifo", "capacity"])
def test_what_is_granted_before_the_am_s_node_came_back_is_no_am_s(scheduler: str) -> None:
    queues = {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
    }
    old = Rig({**RECOVERY, **queues, "yarn.resourcemanager.scheduler.class": scheduler})
    application_id = a_running_application(old)
    rig = restarted(old)
    rejoin(rig, "n2")
    rig.register(application_id)
    rig.advance(10_001)
    rig.allocate(application_id, ask(1024), blacklist=("n1",))
    rig.heartbeat("n2")
    rejoin(rig, "n1")
    attempt = rig.context.scheduler.attempt(rig.attempt(application_id).attempt_id)
    assert attempt is not None
    live = [(one.epoch, one.sequence, attempt.live[one].is_am) for one in sorted(attempt.live)]
    assert live == [(0, 1, True), (0, 2, False), (1, 1, False)]  # each epoch counts from 1
    assert list(attempt.blacklist) == ["n1"]


def test_under_fifo_who_gets_a_container_back_knows_what_is_left() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    rig = restarted(old)
    rig.register(application_id)
    assert rig.allocate(application_id).limit == Resource(0, 0)
    rejoin(rig, "n1")
    assert rig.allocate(application_id).limit == Resource(8192 - 1024, 8 - 1)
    rejoin(rig, "n2")
    assert rig.allocate(application_id).limit == Resource(2 * 8192 - 1024 - 2048, 16 - 2)


def test_recovered_labels_of_nodes_activate_what_waits_for_nodes() -> None:
    queues = {
        "yarn.scheduler.capacity.root.queues": "default",
        "yarn.scheduler.capacity.root.default.capacity": "100",
        "yarn.node-labels.enabled": "true",
        "yarn.resourcemanager.scheduler.class": "capacity",
    }
    old = Rig({**RECOVERY, **queues})
    old.add_node("n1")
    old.submit(unmanaged_am=True)
    view = restarted(old).context.scheduler.views.queue_view("root.default")
    assert view is not None
    assert (view.active_apps, view.pending_apps) == (0, 1)
    old.journals["nodelabel"] = [{"replace": [["n2", 0, ""]]}]
    rig = Rig(old.files.properties, start_ms=1000, stored=old.stored, journals=old.journals, epoch=1)
    view = rig.context.scheduler.views.queue_view("root.default")
    assert view is not None
    assert (view.active_apps, view.pending_apps) == (1, 0)


@pytest.mark.parametrize("is_late", [False, True])
def test_what_was_given_back_before_its_node_came_back_ends(is_late: bool) -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    (container_id,) = (one for one in old.nodes["n2"].running)
    rig = restarted(old)
    rejoin(rig, "n1")
    rig.register(application_id)
    if is_late:  # nobody waits for longer than for a silent node
        rig.advance(rig.context.settings.node_expiry_ms)
        rig.add_node("n1", keep=True)
    rig.allocate(application_id, release=(container_id,))
    rejoin(rig, "n2")
    attempt_id = rig.attempt(application_id).attempt_id
    released = rig.context.scheduler.container(container_id)
    assert released is not None
    assert released.is_finished is not is_late
    assert len(rig.context.scheduler.live_containers(attempt_id)) == 2  # until the node reports its end
    assert (container_id in rig.heartbeat("n2").containers_to_cleanup) is not is_late
    rig.heartbeat("n2")
    left = rig.context.scheduler.live_containers(attempt_id)
    assert [one.container_id.sequence for one in left] == ([1, 2] if is_late else [1])


def test_an_am_that_registers_again_is_given_its_own_containers_if_they_are_to_be_kept() -> None:
    """Hadoop: AbstractYarnScheduler.getTransferredContainers asks for no other attempt."""
    old = Rig(RECOVERY)
    application_id = a_running_application(old, keeps_containers=True)
    (container_id,) = (one for one in old.nodes["n2"].running)
    rig = restarted(old)
    rejoin(rig, "n1", "n2")
    answer = rig.register(application_id)
    assert [container.id for container in answer.containers_from_previous_attempts] == [container_id]
    assert [token.node_id for token in answer.nm_tokens_from_previous_attempts] == [rig.nodes["n2"].node_id]


def test_an_am_that_ended_meanwhile_is_followed_by_another() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    rig = restarted(old)
    container = rig.attempt(application_id).master_container
    assert container is not None
    assert container.id is not None
    rig.nodes["n1"].end(container.id, 7)
    rejoin(rig, "n1", "n2")
    rig.heartbeat("n1")
    rig.advance(900_000 + 300_000)
    assert rig.attempt(application_id).attempt_id.attempt_id == 2


def test_ended_applications_are_only_remembered() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    old.finish(application_id, FinalApplicationStatus.SUCCEEDED, "fine")
    old.end_am(application_id)
    old.heartbeat("n1")
    killed = old.submit()
    old.kill(killed)
    rig = restarted(old)
    app = rig.app(application_id)
    assert (app.state, app.final_status) == (RMAppState.FINISHED, FinalApplicationStatus.SUCCEEDED)
    assert rig.app(killed).state is RMAppState.KILLED
    assert "was killed by user" in rig.app(killed).diagnostics
    assert not rig.context.scheduler.applications
    assert rig.app(application_id).finish_ms == old.app(application_id).finish_ms


def test_containers_of_unknown_applications_are_cleaned_up() -> None:
    old = Rig()  # nothing is stored
    application_id = a_running_application(old)
    rig = restarted(old)
    assert application_id not in rig.context.apps
    rejoin(rig, "n1", "n2")
    for name in ("n1", "n2"):
        assert rig.heartbeat(name).applications_to_cleanup == (application_id,)
        assert not rig.nodes[name].running


def test_one_that_was_submitted_and_not_begun_begins() -> None:
    old = Rig(RECOVERY)
    old.holds_store = True
    application_id = old.submit()
    (order,) = old.unanswered
    old.stored[order.key] = order.value
    rig = restarted(old)
    assert rig.app(application_id).state is RMAppState.ACCEPTED
    assert rig.attempt(application_id).state is RMAppAttemptState.SCHEDULED


def test_a_lifetime_goes_on() -> None:
    old = Rig(RECOVERY)
    application_id = old.submit(application_timeouts=(ApplicationTimeoutMap(timeout=60),))
    rig = restarted(old)
    rig.advance(63_000)
    assert rig.app(application_id).state is RMAppState.KILLED


def test_two_restarts_are_as_good_as_one() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    rig = restarted(restarted(old), epoch=2)
    rejoin(rig, "n1", "n2")
    rig.register(application_id)
    assert rig.app(application_id).state is RMAppState.RUNNING
    assert len(rig.context.scheduler.live_containers(rig.attempt(application_id).attempt_id)) == 2


def test_failures_before_the_restart_count() -> None:
    old = Rig(RECOVERY)
    old.add_node("n1")
    application_id = old.submit(max_app_attempts=2)
    old.run(application_id, "n1")
    old.end_am(application_id, 1)
    old.heartbeat("n1")
    old.heartbeat("n1")
    old.register(application_id)
    rig = restarted(old)
    rejoin(rig, "n1")
    rig.register(application_id)
    rig.heartbeat("n1")
    rig.end_am(application_id, 1)
    rig.heartbeat("n1")
    assert rig.app(application_id).state is RMAppState.FAILED


def test_what_a_submission_said_survives() -> None:
    old = Rig(RECOVERY)
    context = LogAggregationContext(include_pattern="*.log")
    application_id = old.submit(log_aggregation_context=context, application_tags=("a", "b"))
    submission = restarted(old).app(application_id).submission
    assert submission == old.app(application_id).submission


@pytest.mark.parametrize(
    "damage",
    [
        lambda entry: {**entry, "submission": "!"},
        lambda entry: {**entry, "submission": "AAAA"},
        lambda entry: {**entry, "of another version": 1},
        lambda entry: {name: value for name, value in entry.items() if name != "user"},
        lambda entry: None,
        lambda entry: [],
    ],
)
def test_an_application_that_cannot_be_read_is_set_aside_and_the_others_come_back(
    damage: Callable[[Any], Any],
) -> None:
    old = Rig(RECOVERY)
    broken, sound = a_running_application(old), old.submit(application_name="sound")
    key = ("application", str(broken))
    old.stored[key] = damage(old.stored[key])
    rig = restarted(old)
    assert list(rig.context.apps) == [sound]
    assert list(rig.set_aside) == [key]
    assert rig.set_aside[key] == old.stored[key]


def test_an_application_with_a_negative_id_is_set_aside() -> None:
    old = Rig(RECOVERY)
    sound = old.submit()
    key = ("application", "application_-5_0001")
    old.stored[key] = old.stored["application", str(sound)]
    rig = restarted(old)
    assert list(rig.context.apps) == [sound]
    assert list(rig.set_aside) == [key]


def test_an_attempt_that_cannot_be_read_is_set_aside_and_its_application_comes_back() -> None:
    old = Rig(RECOVERY)
    application_id = a_running_application(old)
    (key,) = [key for key in old.stored if key[0] == "attempt"]
    old.stored[key] = {**old.stored[key], "master_container": "AAAA"}
    rig = restarted(old)
    assert rig.app(application_id).state in (RMAppState.ACCEPTED, RMAppState.SUBMITTED)
    assert list(rig.set_aside) == [key]


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.text(max_size=3),
    st.sampled_from(["RUNNING", "FINISHED", "FINAL_SAVING", "zz"]),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers() | st.text(max_size=2), max_size=2),
)


@given(data=st.data())
@settings(max_examples=60)
def test_an_entry_of_any_content_keeps_no_other_application_away(data: st.DataObject) -> None:
    old = Rig(RECOVERY)
    broken, sound = a_running_application(old), old.submit()
    stored = dict(old.stored)
    key = data.draw(st.sampled_from([key for key in stored if str(broken) in key]))
    name = data.draw(st.sampled_from(sorted(stored[key])))
    stored[key] = {**stored[key], name: data.draw(JUNK)}
    old.stored = stored
    rig = restarted(old)
    assert rig.app(sound).state is RMAppState.ACCEPTED
    if broken not in rig.context.apps:
        assert key in rig.set_aside
        assert broken not in rig.context.scheduler.applications
    rejoin(rig, "n1", "n2")
    rig.advance(3_600_000)


def test_an_application_that_cannot_be_recovered_is_set_aside_whole() -> None:
    old = Rig(RECOVERY)
    broken, sound = a_running_application(old), old.submit()
    (key,) = [key for key in old.stored if key[0] == "attempt" and str(broken) in key]
    old.stored[key] = {**old.stored[key], "client_key": "not hexadecimal"}
    rig = restarted(old)
    assert list(rig.context.apps) == [sound]
    assert set(rig.set_aside) == {key, ("application", str(broken))}
    assert broken not in rig.context.scheduler.applications
    rejoin(rig, "n1", "n2")
    assert rig.heartbeat("n1").containers_to_cleanup or rig.heartbeat("n1").applications_to_cleanup
