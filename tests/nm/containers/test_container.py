"""The law of containers: every cell, and the lives that matter."""

from __future__ import annotations

from enum import Enum
from functools import partial
from typing import Any

import pytest

from tests.nm.rig import APPLICATION, Rig, container_id, resource
from tests.nm.tables import check_pair, name_of, pairs
from yarnbox.nm import events
from yarnbox.nm.containers.container import CONTAINER
from yarnbox.nm.containers.container_state import Container, Launchable, Reinitialization
from yarnbox.nm.containers.container_state import ContainerState as State
from yarnbox.nm.effects import (
    CleanUpContainer,
    DeleteContainerFiles,
    FetchResource,
    LaunchContainer,
    LinkResource,
    PauseContainer,
    ResumeContainer,
    SendHeartbeat,
    StartAuxiliaryApplication,
    StartMonitoring,
    StopMonitoring,
)
from yarnbox.nm.localization.resources import ResourceSet, key_of
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.enums import ContainerRetryPolicy, ContainerSubState, ExecutionType, LocalizationState
from yarnbox.yarn.records.container import ContainerLaunchContext, ContainerRetryContext
from yarnbox.yarn.records.management import (
    GetLocalizationStatusesRequest,
    ReInitializeContainerRequest,
    ResourceLocalizationRequest,
)

KEY = key_of(resource())


def _event(event_type: type, container: Container) -> Any:
    given: dict[str, Any] = {
        "exit_status": -105,
        "exit_code": 1,
        "diagnostics": "said",
        "token": container.token,
        "is_resource_change": True,
        "is_execution_type_update": False,
        "is_increase": True,
        "key": KEY,
        "path": "/cache/10/file",
        "size": 3,
        "was_cached": False,
        "launch_context": ContainerLaunchContext(command=("two",)),
        "auto_commit": False,
    }
    fields = event_type.__dataclass_fields__  # type: ignore[attr-defined]
    return event_type(container_id=container.container_id, **{n: v for n, v in given.items() if n in fields})


def _container_at(rig: Rig, state: Enum) -> Container:
    container = Container(rig.context, rig.identifier(1), ContainerLaunchContext(command=("one",)))
    container.state = state  # type: ignore[assignment]
    new = ResourceSet()
    new.add({"new": resource()}, "alice", APPLICATION)
    container.resources.add({"link": resource()}, "alice", APPLICATION)
    container.reinitialization = Reinitialization(
        ContainerLaunchContext(command=("new",)),
        new,
        Launchable(container.launch_context, container.resources),
    )
    container.has_process = state not in (State.NEW, State.LOCALIZING)
    return container


@pytest.mark.parametrize("pair", pairs(CONTAINER), ids=name_of)
def test_every_pair_of_state_and_event(pair: tuple[Enum, type, bool]) -> None:
    rig = Rig()
    container = _container_at(rig, pair[0])

    def snapshot() -> Any:
        return (
            container.state,
            container.exit_code,
            container.diagnostics,
            container.has_process,
            container.token,
            len(rig.context.effects),
            rig.context.dispatcher.waiting,
            len(rig.context.timers),
            dict(container.resources.localized),
        )

    check_pair(CONTAINER, container, _event(pair[1], container), snapshot)


def test_a_container_without_resources_runs_and_ends() -> None:
    rig = Rig()
    rig.take(SendHeartbeat)
    container = rig.run(1)
    assert [one.launch.container_id for one in rig.take(LaunchContainer)] == [container_id(1)]
    monitoring = rig.take(StartMonitoring)[0]
    assert (monitoring.physical_limit, monitoring.virtual_limit) == (
        1024 << 20,
        2_254_857_728,
    )  # 2.1 as a Java float
    assert container.status().container_sub_state is ContainerSubState.RUNNING
    rig.exited(1)
    assert rig.state(1) == "DONE"
    assert container.status().exit_status == 0
    assert container.status().diagnostics == ""
    assert rig.take(StopMonitoring)
    assert rig.take(DeleteContainerFiles) == [DeleteContainerFiles(container_id(1), "alice")]
    assert rig.take(SendHeartbeat), "the news goes out at once"


def test_resources_come_first_each_once() -> None:
    rig = Rig()
    shared = resource("/data/a")
    context = ContainerLaunchContext(
        command=("x",), local_resources={"one": shared, "two": shared, "three": resource("/data/b")}
    )
    rig.start(1, context)
    orders = rig.take(FetchResource)
    assert [order.key.url for order in orders] == ["file:///data/a", "file:///data/b"]
    rig.localized(orders[0], "/cache/a")
    assert rig.state(1) == "LOCALIZING"
    assert rig.launches() == []
    rig.localized(orders[1], "/cache/b")
    launch = rig.take(LaunchContainer)[0].launch
    assert launch.links == {"one": "/cache/a", "two": "/cache/a", "three": "/cache/b"}
    assert launch.localization_counters == "20,0,2,0,0"


def test_a_resource_that_cannot_be_had_fails_the_container() -> None:
    rig = Rig()
    rig.start(1, ContainerLaunchContext(local_resources={"a": resource()}))
    order = rig.take(FetchResource)[0]
    rig.turn(lambda: rig.world.resource_failed(order.cache, order.key, "changed on src filesystem"))
    container = rig.container(1)
    assert rig.state(1) == "DONE"
    assert container.exit_code == -1000
    assert "changed on src filesystem" in container.diagnostics


def test_a_relative_path_is_no_resource() -> None:
    rig = Rig()
    rig.start(1, ContainerLaunchContext(local_resources={"a": resource("data/file")}))
    assert rig.state(1) == "DONE"
    assert "Failed to parse resource-request" in rig.container(1).diagnostics


def test_service_data_goes_to_the_auxiliary_service() -> None:
    rig = Rig()
    rig.context.auxiliary_services = {"mapreduce_shuffle": b"\0\0\0\1"}
    response = rig.start(1, ContainerLaunchContext(service_data={"mapreduce_shuffle": b"token"}))
    assert response.services_meta_data == {"mapreduce_shuffle": b"\0\0\0\1"}
    assert rig.take(StartAuxiliaryApplication) == [
        StartAuxiliaryApplication("mapreduce_shuffle", APPLICATION, "alice", b"token")
    ]


def test_the_exit_status_of_a_kill_wins_over_the_signal() -> None:
    rig = Rig()
    rig.run(1)
    rig.stop(1)
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(1))]
    assert rig.state(1) == "KILLING"
    rig.exited(1, 143)
    assert rig.container(1).exit_code == -105
    assert "Container killed by the ApplicationMaster." in rig.container(1).diagnostics


@pytest.mark.parametrize("code, state_code", [(0, 0), (3, 3)])
def test_a_container_that_ends_by_itself_before_the_kill_keeps_its_code(code: int, state_code: int) -> None:
    rig = Rig()
    rig.run(1)
    rig.stop(1)
    rig.exited(1, code)
    assert rig.container(1).exit_code == state_code


@pytest.mark.parametrize("code", [137, 143])
def test_a_signal_that_nobody_ordered_is_reported_as_it_is(code: int) -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1, code)
    assert rig.container(1).exit_code == code
    assert "Killed by external signal" in rig.container(1).diagnostics


def test_killed_while_localizing_there_is_no_process_to_end() -> None:
    rig = Rig()
    rig.start(1, ContainerLaunchContext(local_resources={"a": resource()}))
    rig.stop(1)
    assert rig.state(1) == "DONE"
    assert rig.container(1).exit_code == -105
    assert "Container is killed before being launched." in rig.container(1).diagnostics
    assert rig.take(CleanUpContainer) == []


def test_killed_while_it_is_being_launched() -> None:
    rig = Rig()
    rig.start(1)
    rig.stop(1)
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(1))]
    rig.launched(1)
    assert rig.state(1) == "KILLING"
    rig.exited(1, 143)
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", -105)


def test_a_launch_that_fails() -> None:
    rig = Rig()
    rig.start(1)
    rig.exited(1, -1, "no bash")
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", -1)
    assert "no bash" in rig.container(1).diagnostics


# Retries


def _retrying(**context: Any) -> ContainerLaunchContext:
    return ContainerLaunchContext(command=("x",), container_retry_context=ContainerRetryContext(**context))


def test_retries_come_after_an_interval_and_are_counted() -> None:
    rig = Rig()
    retry = _retrying(retry_policy=ContainerRetryPolicy.RETRY_ON_ALL_ERRORS, max_retries=2, retry_interval=50)
    rig.run(1, retry)
    assert rig.launches() == [1]
    for _ in range(2):
        rig.exited(1, 5, "five")
        assert rig.state(1) == "RELAUNCHING"
        assert rig.container(1).status().container_sub_state is ContainerSubState.SCHEDULED
        rig.pass_time(999)
        assert rig.launches() == [], "at least a second"
        rig.pass_time(1)
        launch = rig.take(LaunchContainer)[0].launch
        assert launch.is_relaunch
        rig.launched(1)
    rig.exited(1, 5, "five")
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", 5)


def test_killed_while_waiting_for_its_retry() -> None:
    rig = Rig()
    rig.run(1, _retrying(retry_policy=ContainerRetryPolicy.RETRY_ON_ALL_ERRORS, max_retries=-1))
    rig.launches()
    rig.exited(1, 5)
    rig.stop(1)
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", -105)
    rig.pass_time(5_000)
    assert rig.launches() == []


# Re-initialization


def _reinitialize(rig: Rig, context: ContainerLaunchContext | None, *, auto_commit: bool = True) -> None:
    request = ReInitializeContainerRequest(
        container_id=container_id(1), container_launch_context=context, auto_commit=auto_commit
    )
    rig.turn(lambda: rig.services.re_initialize_container(request, rig.nm_token()))


def test_an_upgrade_that_is_committed() -> None:
    rig = Rig()
    rig.run(1)
    rig.launches()
    new = ContainerLaunchContext(command=("new",), local_resources={"lib": resource()})
    _reinitialize(rig, new, auto_commit=False)
    assert rig.state(1) == "REINITIALIZING"
    rig.localized(rig.take(FetchResource)[0], "/cache/lib")
    assert rig.state(1) == "REINITIALIZING_AWAITING_KILL"
    rig.exited(1, 143)
    launch = rig.take(LaunchContainer)[0].launch
    assert (launch.context, launch.links) == (new, {"lib": "/cache/lib"})
    rig.launched(1)
    assert rig.container(1).can_rollback
    rig.turn(lambda: rig.services.commit_last_re_initialization(container_id(1), rig.nm_token()))
    assert not rig.container(1).can_rollback
    rig.exited(1, 9)
    assert rig.container(1).exit_code == 9, "after the commit a failure is a failure"


def test_an_upgrade_that_is_rolled_back() -> None:
    rig = Rig()
    old = rig.run(1).launch_context
    _reinitialize(rig, ContainerLaunchContext(command=("new",)), auto_commit=False)
    rig.exited(1, 143)
    rig.launched(1)
    rig.launches()
    rig.turn(lambda: rig.services.rollback_last_re_initialization(container_id(1), rig.nm_token()))
    assert rig.state(1) == "REINITIALIZING_AWAITING_KILL"
    rig.exited(1, 143)
    assert rig.take(LaunchContainer)[0].launch.context == old
    rig.launched(1)
    assert not rig.container(1).can_rollback


def test_an_upgrade_that_fails_goes_back_by_itself() -> None:
    rig = Rig()
    old = rig.run(1).launch_context
    _reinitialize(rig, ContainerLaunchContext(command=("new",)), auto_commit=False)
    rig.exited(1, 143)
    rig.launched(1)
    rig.launches()
    rig.exited(1, 1, "broken")
    assert rig.state(1) == "SCHEDULED"
    assert rig.take(LaunchContainer)[0].launch.context == old
    assert "Auto Rolled-Back" in rig.container(1).diagnostics


def test_a_restart_keeps_the_context() -> None:
    rig = Rig()
    old = rig.run(1).launch_context
    rig.launches()
    rig.turn(lambda: rig.services.restart_container(container_id(1), rig.nm_token()))
    rig.exited(1, 143)
    assert rig.take(LaunchContainer)[0].launch.context == old
    rig.launched(1)
    assert rig.state(1) == "RUNNING"


def test_an_upgrade_whose_resources_cannot_be_had_is_given_up() -> None:
    rig = Rig()
    rig.run(1)
    _reinitialize(rig, ContainerLaunchContext(command=("new",), local_resources={"lib": resource()}))
    order = rig.take(FetchResource)[0]
    rig.turn(lambda: rig.world.resource_failed(order.cache, order.key, "gone"))
    assert rig.state(1) == "RUNNING"
    assert not rig.container(1).is_reinitializing
    assert "Container aborting re-initialization.. gone" in rig.container(1).diagnostics


# More resources while it runs


def test_localizing_while_it_runs() -> None:
    rig = Rig()
    rig.run(1)
    wanted = {"more": resource("/data/more"), "lost": resource("/data/lost")}
    request = ResourceLocalizationRequest(container_id=container_id(1), local_resources=wanted)
    rig.turn(lambda: rig.services.localize(request, rig.nm_token()))
    more, lost = rig.take(FetchResource)
    rig.localized(more, "/cache/more")
    rig.turn(lambda: rig.world.resource_failed(lost.cache, lost.key, "no such file"))
    assert rig.take(LinkResource) == [LinkResource(container_id(1), "alice", ("more",), "/cache/more")]
    ask = GetLocalizationStatusesRequest(container_id=(container_id(1),))
    answer = rig.turn(lambda: rig.services.get_localization_statuses(ask, rig.nm_token()))
    found = {
        one.resource_key: (one.localization_state, one.diagnostics)
        for one in answer.cntn_localization_statuses[0].localization_statuses
    }
    assert found == {
        "more": (LocalizationState.COMPLETED, None),
        "lost": (LocalizationState.FAILED, "no such file"),
    }


# Pausing


def test_paused_and_resumed() -> None:
    rig = Rig(NMSettings(opportunistic_maximum_queue=10, opportunistic_pause=True))
    rig.run(1, execution_type=ExecutionType.OPPORTUNISTIC)
    rig.launches()
    rig.turn(
        lambda: rig.context.post(events.ContainerPause(container_id=container_id(1), diagnostics="stop"))
    )
    assert rig.take(PauseContainer) == [PauseContainer(container_id(1))]
    rig.turn(lambda: rig.world.container_paused(container_id(1)))
    # There is room, so it is resumed at once.
    assert rig.state(1) == "RESUMING"
    assert rig.take(ResumeContainer) == [ResumeContainer(container_id(1))]
    rig.turn(lambda: rig.world.container_resumed(container_id(1)))
    assert rig.state(1) == "RUNNING"


def test_old_diagnostics_fall_off_at_the_front() -> None:
    rig = Rig(NMSettings(diagnostics_maximum_size=100))
    container = rig.run(1)
    for number in range(50):
        rig.turn(partial(rig.world.container_remark, container_id(1), f"remark {number}"))
    assert len(container.diagnostics) == 100
    assert container.diagnostics.endswith("remark 49\n")


def test_what_the_states_are_reported_as() -> None:
    rig = Rig()
    container = rig.run(1)
    for state in State:
        container.state = state
        status = container.status()
        assert status.container_sub_state is not None
        assert (status.state is not None and status.state.name) == (
            "COMPLETE" if state is State.DONE else "RUNNING"
        )
