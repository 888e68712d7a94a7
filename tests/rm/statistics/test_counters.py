"""What queues, users, partitions and applications show of containers given, ended and preempted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from yarnbox.rm.context import RMContext
from yarnbox.rm.reports import usage_report
from yarnbox.rm.web.apps import application
from yarnbox.rm.web.beans import SERVICE, beans
from yarnbox.rm.web.values import Shapes
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_scenario

USER_METRICS = "yarn.scheduler.capacity.user-metrics.enable: true"
PREEMPTION = Path(__file__).parents[2] / "scenarios" / "preemption"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Player:
    """Eight containers of a1 on two nodes; three are preempted after ten seconds, for a2."""
    text = (PREEMPTION / "over-capacity-simple.yaml").read_text()
    text = text.replace("capacity-scheduler:\n", f"capacity-scheduler:\n  {USER_METRICS}\n")
    first, second, *rest = text.split("  - preempt: true\n")
    path = tmp_path_factory.mktemp("counters") / "over-capacity-simple.yaml"
    path.write_text("  - preempt: true\n".join([first, second + "  - advance: 10s\n", *rest]))
    player = Player(read_scenario(path))
    assert player.play().is_ok
    return player


def context(player: Player) -> RMContext:
    return player.world.rm.context


def bean(player: Player, name: str) -> Any:
    (found,) = [one for one in beans(context(player)) if one["name"] == SERVICE + name]
    return found


def counters(player: Player, name: str) -> dict[str, int]:
    return {
        key.removeprefix("Aggregate"): value
        for key, value in bean(player, name).items()
        if key.startswith("Aggregate")
    }


def test_a_queue_counts_what_it_gave_and_lost(played: Player) -> None:
    got = counters(played, "QueueMetrics,q0=root,q1=a")
    assert got == {
        "ContainersAllocated": 8,
        "ContainersReleased": 3,
        "NodeLocalContainersAllocated": 0,
        "RackLocalContainersAllocated": 0,
        "OffSwitchContainersAllocated": 8,
        "ContainersPreempted": 3,
        "MemoryMBPreempted": 3 * 1024,
        "VcoresPreempted": 3,
        "MemoryMBSecondsPreempted": 3 * 1024 * 10,
        "VcoreSecondsPreempted": 3 * 10,
    }


def test_its_parent_counts_all_below(played: Player) -> None:
    root, other = counters(played, "QueueMetrics,q0=root"), counters(played, "QueueMetrics,q0=root,q1=c")
    assert other["ContainersAllocated"] == 3
    assert other["ContainersPreempted"] == 0
    assert root["ContainersAllocated"] == 11
    assert root["ContainersPreempted"] == 3


def test_users_and_partitions_count_what_they_were_given(played: Player) -> None:
    user = next(iter(context(played).apps.values())).user
    of_user = counters(played, f"QueueMetrics,q0=root,q1=a,user={user}")
    assert (of_user["ContainersAllocated"], of_user["ContainersReleased"]) == (8, 3)
    assert of_user["ContainersPreempted"] == 0, "QueueMetrics keeps this for queues alone"
    place = "PartitionQueueMetrics,partition=,q0=root,q1=a"
    for name in (place, f"{place},user={user}"):
        shown = {key: value for key, value in counters(played, name).items() if value}
        assert shown == {"ContainersAllocated": 8, "ContainersReleased": 3}
    assert bean(played, place)["tag.Partition"] == ""
    whole, root = (bean(played, f"PartitionQueueMetrics,partition={place}") for place in ("", ",q0=root"))
    assert whole["AllocatedContainers"] == root["AllocatedContainers"]
    assert whole["AllocatedMB"] == root["AllocatedMB"] > 0
    assert "tag.Queue" not in whole


def test_the_application_shows_what_it_lost(played: Player) -> None:
    rm = context(played)
    app = next(iter(rm.apps.values()))
    shown = application(rm, Shapes(rm.resource_types), app, may_view=True)
    assert shown["preemptedResourceMB"] == 3 * 1024
    assert shown["preemptedResourceVCores"] == 3
    assert shown["numNonAMContainerPreempted"] == 3
    assert shown["numAMContainerPreempted"] == 0
    assert shown["preemptedMemorySeconds"] == 3 * 1024 * 10
    assert shown["preemptedVcoreSeconds"] == 3 * 10
    report = usage_report(rm, app, app.current)
    assert report.preempted_memory_seconds == 3 * 1024 * 10
    assert report.preempted_vcore_seconds == 3 * 10


def test_a_preempted_am_is_told_apart(tmp_path: Path) -> None:
    """Two of the four AMs go: a3's and a4's, with the four containers of each application."""
    path = tmp_path / "am-containers-last.yaml"
    path.write_text((PREEMPTION / path.name).read_text() + "\n  - advance: 15s\n  - preempt: true\n")
    player = Player(read_scenario(path))
    outcome = player.play()
    assert outcome.is_ok, outcome.failures
    rm = context(player)
    shown = [application(rm, Shapes(rm.resource_types), app, may_view=True) for app in rm.apps.values()]
    assert [one["numAMContainerPreempted"] for one in shown] == [0, 0, 1, 1, 0]
    assert [one["numNonAMContainerPreempted"] for one in shown] == [4, 4, 4, 4, 0]
    assert [one["preemptedResourceMB"] for one in shown] == [4096, 4096, 5120, 5120, 0]


def test_an_application_that_moves_takes_its_containers_along(tmp_path: Path) -> None:
    """They are released there and allocated here, as AppSchedulingInfo has it."""
    text = (PREEMPTION / "over-capacity-simple.yaml").read_text().split("  - submit: {app: a2")[0]
    path = tmp_path / "over-capacity-simple.yaml"
    path.write_text(text + "  - move: {app: a1, queue: root.b}\n")
    player = Player(read_scenario(path))
    outcome = player.play()
    assert outcome.is_ok, outcome.failures
    left, reached = (counters(player, f"QueueMetrics,q0=root,q1={queue}") for queue in "ab")
    assert (left["ContainersAllocated"], left["ContainersReleased"]) == (8, 8)
    assert (reached["ContainersAllocated"], reached["ContainersReleased"]) == (8, 0)
    assert reached["OffSwitchContainersAllocated"] == 0
