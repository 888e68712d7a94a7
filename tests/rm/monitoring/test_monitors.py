"""The RM's monitors: silence counts only while the RM could hear."""

from __future__ import annotations

from tests.rig import Rig
from yarnbox.rm.app import RMAppState
from yarnbox.yarn.records.application import ApplicationTimeoutMap

EXPIRY = {
    "yarn.nm.liveness-monitor.expiry-interval-ms": "30000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "30000",
    "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "30000",
}


def test_an_rm_that_stood_still_gives_nodes_and_masters_one_interval_more() -> None:
    rig = Rig(EXPIRY)
    rig.add_node("n1")
    application_id = rig.submit(max_app_attempts=1)
    rig.run(application_id, "n1")
    rig.clock.move_to(rig.clock.now_ms() + 90_000)
    rig.core.after_pause(90_000)
    rig.advance(30_000)
    assert rig.app(application_id).state is RMAppState.RUNNING
    rig.advance(10_000)
    assert rig.app(application_id).state is RMAppState.FAILED


def test_the_end_of_a_lifetime_is_not_put_off() -> None:
    rig = Rig(EXPIRY)
    rig.add_node("n1")
    application_id = rig.submit(application_timeouts=(ApplicationTimeoutMap(timeout=60),))
    rig.run(application_id, "n1")
    rig.clock.move_to(rig.clock.now_ms() + 90_000)
    rig.core.after_pause(90_000)
    rig.advance(5_000)
    assert rig.app(application_id).state is RMAppState.KILLED


def test_a_monitor_may_begin_a_while_after_the_start() -> None:
    rig = Rig(start_ms=7_000)
    looks: list[int] = []
    rig.core.monitors.add("late", 2_000, lambda: looks.append(rig.clock.now_ms()), wait_ms=5_000)
    rig.turn(rig.core.monitors.start)
    rig.advance(10_000)
    assert looks == [12_000, 14_000, 16_000]
