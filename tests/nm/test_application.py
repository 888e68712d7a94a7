"""The law of applications on a node: every cell, and whole lives."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from tests.nm.rig import APPLICATION as ID
from tests.nm.rig import Rig, container_id
from tests.nm.tables import check_pair, name_of, pairs
from yarnbox.nm.application import APPLICATION, Application
from yarnbox.nm.effects import (
    AggregateLogs,
    CleanUpContainer,
    DeleteApplicationFiles,
    DeleteLogs,
    PrepareLogAggregation,
    StopAuxiliaryApplication,
)
from yarnbox.nm.settings import LogSettings, NMSettings
from yarnbox.yarn.enums import LogAggregationStatus


def _event(event_type: type) -> Any:
    given: dict[str, Any] = {
        "container_id": container_id(1),
        "diagnostics": "said",
        "application_acls": {},
        "log_aggregation_context": None,
    }
    fields = event_type.__dataclass_fields__  # type: ignore[attr-defined]
    return event_type(application_id=ID, **{n: v for n, v in given.items() if n in fields})


@pytest.mark.parametrize("has_containers", [False, True])
@pytest.mark.parametrize("pair", pairs(APPLICATION), ids=name_of)
def test_every_pair_of_state_and_event(pair: tuple[Enum, type, bool], has_containers: bool) -> None:
    rig = Rig()
    application = Application(rig.context, ID, "alice")
    rig.context.applications[ID] = application
    application.state = pair[0]  # type: ignore[assignment]
    if has_containers:
        application.containers.add(container_id(1))
        application.containers.add(container_id(2))

    def snapshot() -> Any:
        return (
            application.state,
            list(application.containers),
            len(rig.context.effects),
            rig.context.dispatcher.waiting,
            list(rig.context.applications),
        )

    check_pair(APPLICATION, application, _event(pair[1]), snapshot)


def _finish(rig: Rig) -> None:
    rig.heartbeat(applications_to_cleanup=(ID,))


def test_an_application_ends_with_its_last_container() -> None:
    rig = Rig(NMSettings(logs=LogSettings(retain_secs=10)))
    rig.run(1)
    rig.run(2)
    application = rig.context.applications[ID]
    assert application.state.name == "RUNNING"
    _finish(rig)
    assert application.state.name == "FINISHING_CONTAINERS_WAIT"
    assert len(rig.take(CleanUpContainer)) == 2
    rig.exited(1, 143)
    assert rig.take(DeleteApplicationFiles) == []
    rig.exited(2, 143)
    assert rig.take(DeleteApplicationFiles) == [DeleteApplicationFiles(ID, "alice")]
    assert rig.take(StopAuxiliaryApplication) == [StopAuxiliaryApplication(ID)]
    assert ID not in rig.context.applications
    assert rig.container(1).exit_code == -107
    assert "Container killed on application-finish event" in rig.container(1).diagnostics
    rig.pass_time(9_999)
    assert rig.take(DeleteLogs) == []
    rig.pass_time(1)
    assert rig.take(DeleteLogs) == [DeleteLogs(ID)]


def test_an_application_without_containers_goes_at_once() -> None:
    rig = Rig()
    rig.run(1)
    rig.exited(1)
    _finish(rig)
    assert ID not in rig.context.applications


def test_a_container_that_comes_too_late_is_killed() -> None:
    rig = Rig()
    rig.run(1)
    _finish(rig)
    rig.start(2)
    assert (rig.state(2), rig.container(2).exit_code) == ("DONE", -107)
    assert "Application no longer running." in rig.container(2).diagnostics
    rig.exited(1, 143)
    assert ID not in rig.context.applications


def test_logs_are_collected_before_the_application_is_forgotten() -> None:
    rig = Rig(NMSettings(logs=LogSettings(aggregation_enabled=True)))
    rig.start(1)
    assert rig.launches() == [], "its containers wait for the log handler"
    assert rig.take(PrepareLogAggregation) == [PrepareLogAggregation(ID, "alice")]
    rig.turn(lambda: rig.world.log_handling_inited(ID, None))
    assert rig.launches() == [1]
    rig.launched(1)
    rig.exited(1, 3)
    _finish(rig)
    order = rig.take(AggregateLogs)[0]
    assert (order.containers, order.is_final, order.cycle) == ((container_id(1),), True, 1)
    assert ID in rig.context.applications
    rig.turn(lambda: rig.world.logs_aggregated(ID, None, is_final=True))
    assert ID not in rig.context.applications
    assert rig.take(DeleteLogs) == [DeleteLogs(ID)]
    reports = rig.heartbeat().log_aggregation_reports_for_apps
    assert [one.log_aggregation_status for one in reports] == [
        LogAggregationStatus.RUNNING,
        LogAggregationStatus.SUCCEEDED,
    ]
    assert rig.heartbeat().log_aggregation_reports_for_apps == ()


def test_a_log_directory_that_cannot_be_made_stops_no_container() -> None:
    rig = Rig(NMSettings(logs=LogSettings(aggregation_enabled=True)))
    rig.start(1)
    rig.turn(lambda: rig.world.log_handling_inited(ID, "no room"))
    assert rig.launches() == [1]
    rig.launched(1)
    rig.exited(1)
    told = rig.heartbeat(applications_to_cleanup=(ID,)).log_aggregation_reports_for_apps
    assert ID not in rig.context.applications
    statuses = [one.log_aggregation_status for one in told]
    assert statuses == [LogAggregationStatus.FAILED]


def test_an_end_before_the_log_handler_is_ready() -> None:
    rig = Rig(NMSettings(logs=LogSettings(aggregation_enabled=True)))
    rig.start(1)
    _finish(rig)
    rig.turn(lambda: rig.world.log_handling_inited(ID, None))
    rig.turn(lambda: rig.world.logs_aggregated(ID, None, is_final=True))
    assert ID not in rig.context.applications
    assert rig.container(1).exit_code == -107


def test_a_node_that_stops_ends_its_applications() -> None:
    rig = Rig()
    rig.run(1)
    assert rig.turn(rig.core.stop)
    rig.exited(1, 143)
    assert not rig.context.applications
    assert "Application killed on shutdown" in rig.container(1).diagnostics
    answer = rig.start(2)
    assert answer.failed_requests[0].exception is not None
    assert "shutting down" in (answer.failed_requests[0].exception.message or "")
