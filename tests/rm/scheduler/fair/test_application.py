"""One application on one node: places, delay, reservations, the AM's share."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.asks import Locality
from yarnbox.rm.container import RMContainerState
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource

GB = Resource(1024, 1)
DELAY = {
    "yarn.scheduler.fair.locality.threshold.node": 0.5,
    "yarn.scheduler.fair.locality.threshold.rack": 0.5,
}


def racks(conf: Mapping[str, object] | None = None) -> Rig:
    """Four nodes in two racks, and one application that knows of nothing yet."""
    rig = Rig(None, conf)
    for name, rack in (("n1", "/r1"), ("n2", "/r1"), ("n3", "/r2"), ("n4", "/r2")):
        rig.add_node(name, 4096, 4, rack)
    rig.submit("a", "q")
    return rig


def ask_near(rig: Rig, at: str, in_rack: str, count: int = 1, **relax: bool) -> None:
    """A request for a host, as AMRMClient writes it; `host`, `rack` and `any` say what is not relaxed."""
    places = (("host", at), ("rack", in_rack), ("any", "*"))
    rig.call(
        "a",
        [
            ResourceRequest(
                priority=1,
                resource_name=place,
                capability=GB,
                num_containers=count,
                relax_locality=relax.get(kind, True),
            )
            for kind, place in places
        ],
    )
    rig.update()


def got(rig: Rig) -> tuple[int, int, int]:
    """Node-local, rack-local and off-switch containers."""
    counts = rig.app("a").locality_counts
    return counts[Locality.NODE_LOCAL], counts[Locality.RACK_LOCAL], counts[Locality.OFF_SWITCH]


def test_it_waits_for_a_part_of_the_cluster_at_each_level() -> None:
    rig = racks(DELAY)
    ask_near(rig, "n1", "/r1", 2)
    rig.heartbeat("n2", 2)
    assert got(rig) == (0, 0, 0)
    rig.heartbeat("n2")
    assert got(rig) == (0, 1, 0)
    # The level is rack; the count goes on from nothing and must exceed two again.
    rig.heartbeat("n3", 2)
    assert got(rig) == (0, 1, 0)
    rig.heartbeat("n3")
    assert got(rig) == (0, 1, 1)


def test_a_near_container_makes_it_choosy_again_without_a_new_count() -> None:
    rig = racks(DELAY)
    ask_near(rig, "n1", "/r1", 4)
    rig.heartbeat("n2", 3)
    assert got(rig) == (0, 1, 0)
    rig.heartbeat("n1")
    assert got(rig) == (1, 1, 0)
    # One opportunity at the rack level and one local were counted since: the second from now exceeds two.
    rig.heartbeat("n2", 1)
    assert got(rig) == (1, 1, 0)
    rig.heartbeat("n2", 1)
    assert got(rig) == (1, 2, 0)


def test_thresholds_above_one_count_as_one() -> None:
    rig = racks(dict.fromkeys(DELAY, 7))
    ask_near(rig, "n1", "/r1")
    rig.heartbeat("n2", 4)
    assert got(rig) == (0, 0, 0)
    rig.heartbeat("n2")
    assert got(rig) == (0, 1, 0)


def test_one_negative_threshold_switches_the_delay_off() -> None:
    rig = racks({"yarn.scheduler.fair.locality.threshold.node": 0.5})
    ask_near(rig, "n1", "/r1")
    rig.heartbeat("n3")
    assert got(rig) == (0, 0, 1)


def test_a_request_for_anywhere_alone_never_waits() -> None:
    rig = racks(DELAY)
    rig.ask("a", 1, GB)
    rig.update()
    rig.heartbeat("n3")
    assert got(rig) == (0, 0, 1)


@pytest.mark.parametrize(
    "relax, node, expected",
    [
        ({"any": False}, "n2", (0, 1, 0)),
        ({"any": False}, "n3", (0, 0, 0)),
        ({"any": False, "rack": False}, "n2", (0, 0, 0)),
        ({"any": False, "rack": False}, "n1", (1, 0, 0)),
        ({"rack": False}, "n2", (0, 0, 0)),
        ({"rack": False}, "n3", (0, 0, 1)),
        ({"host": False}, "n2", (0, 1, 0)),
    ],
)
def test_what_is_not_relaxed_binds(relax: dict[str, bool], node: str, expected: tuple[int, int, int]) -> None:
    rig = racks()
    ask_near(rig, "n1", "/r1", **relax)
    rig.heartbeat(node)
    assert got(rig) == expected


def test_a_more_urgent_key_that_does_not_fit_blocks_the_less_urgent() -> None:
    rig = Rig()
    rig.add_node("n", 4096)
    rig.submit("a", "q")
    rig.ask("a", 1, GB * 3, request_priority=5)
    rig.update()
    rig.heartbeat("n")
    rig.ask("a", 1, GB * 2, request_priority=1)
    rig.ask("a", 1, GB, request_priority=2)
    rig.update()
    rig.heartbeat("n")
    assert rig.containers("a") == 1


def test_a_key_that_fits_no_node_is_passed_over() -> None:
    rig = Rig()
    rig.add_node("n", 4096)
    rig.submit("a", "q")
    rig.ask("a", 1, GB * 5, request_priority=1)
    rig.ask("a", 1, GB, request_priority=2)
    rig.update()
    rig.heartbeat("n")
    assert rig.containers("a") == 1


def reserving(size: int = 3, conf: Mapping[str, object] | None = None) -> Rig:
    """A full node, and an application that reserves it."""
    rig = Rig(None, conf)
    rig.add_node("n", 4096)
    rig.submit("holder", "h")
    rig.ask("holder", 4, GB)
    rig.update()
    rig.heartbeat("n", 4)
    rig.call("holder")
    rig.heartbeat("n")
    rig.submit("a", "q")
    rig.ask("a", 1, GB * size)
    rig.update()
    rig.heartbeat("n")
    return rig


def test_a_large_request_reserves_and_is_served_when_it_fits() -> None:
    rig = reserving()
    app = rig.app("a")
    (reserved,) = app.reserved_containers()
    assert (reserved.state, app.used, app.usage.total_reserved()) == (RMContainerState.RESERVED, NONE, GB * 3)
    assert rig.queue("q").usage.total_reserved() == GB * 3
    for container_id in list(rig.app("holder").live)[:3]:
        rig.end(container_id)
    rig.heartbeat("n")
    assert (rig.containers("a"), app.usage.total_reserved()) == (1, NONE)
    assert list(app.live) == [reserved.container_id]


def test_a_small_request_does_not_reserve() -> None:
    rig = reserving(1)
    assert not rig.app("a").reserved_containers()


def test_nobody_else_is_served_on_a_reserved_node() -> None:
    rig = reserving()
    rig.submit("b", "r")
    rig.ask("b", 1, GB)
    rig.update()
    rig.end(next(iter(rig.app("holder").live)))
    rig.heartbeat("n", 2)
    assert rig.containers("b") == 0


def test_a_reservation_without_an_ask_is_dropped_and_the_node_serves_others() -> None:
    rig = reserving()
    rig.ask("a", 0, GB * 3)
    rig.submit("b", "r")
    rig.ask("b", 1, GB)
    rig.update()
    rig.end(next(iter(rig.app("holder").live)))
    rig.heartbeat("n")
    assert rig.containers("b") == 1
    assert rig.app("a").usage.total_reserved() == NONE


def test_an_application_above_its_share_does_not_reserve() -> None:
    rig = Rig()
    rig.add_node("n", 4096)
    rig.submit("a", "q")
    rig.submit("b", "r")
    rig.ask("a", 1, GB * 3)
    rig.update()
    rig.heartbeat("n")
    rig.ask("a", 1, GB * 3)
    rig.update()
    rig.heartbeat("n")
    assert not rig.app("a").reserved_containers()


def test_one_application_reserves_one_node_in_twenty() -> None:
    rig = Rig()
    for number in range(21):
        rig.add_node(f"n{number}", 2048, 2)
    rig.submit("holder", "h")
    rig.ask("holder", 21, GB)
    rig.update()
    for number in range(21):
        rig.heartbeat(f"n{number}")
    rig.submit("a", "q")
    rig.ask("a", 5, GB * 2)
    rig.update()
    for number in range(21):
        rig.heartbeat(f"n{number}")
    # 21 nodes x 0.05, rounded up.
    assert len(rig.app("a").reserved_containers()) == 2


def test_an_am_waits_for_its_queue_s_part_for_ams() -> None:
    rig = Rig('<allocations><queue name="q"><maxAMShare>0.25</maxAMShare></queue></allocations>')
    rig.add_node("n", 8192)
    for name in ("a", "b", "c"):
        rig.submit(name, "q", am=GB)
    rig.update()
    rig.heartbeat("n", 3)
    assert [rig.containers(name) for name in ("a", "b", "c")] == [1, 1, 0]


def test_without_the_check_every_am_starts() -> None:
    rig = Rig('<allocations><queue name="q"><maxAMShare>-1.0</maxAMShare></queue></allocations>')
    rig.add_node("n", 8192)
    for name in "abcde":
        rig.submit(name, "q", am=GB)
    rig.update()
    rig.heartbeat("n", 5)
    assert [rig.containers(name) for name in "abcde"] == [1] * 5
