"""The scheduler's memory of what it did last, told by the doors that containers come and go through."""

from __future__ import annotations

from typing import Any

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.events.container import ContainerKill
from yarnbox.rm.scheduler.containers.statuses import preempted
from yarnbox.rm.statistics.health import SchedulerHealth
from yarnbox.rm.web.queues.capacity import scheduler_info
from yarnbox.rm.web.values import Shapes

P = "yarn.scheduler.capacity."
ONE = {P + "root.queues": "a", P + "root.a.capacity": "100", P + "maximum-am-resource-percent": "1.0"}


def health(rig: CapacityRig) -> Any:
    return scheduler_info(rig.context, Shapes(rig.context.resource_types))["health"]


def operations(rig: CapacityRig) -> dict[str, str]:
    return {one["operation"]: one["containerId"] for one in health(rig)["operationsInfo"]}


def run(rig: CapacityRig) -> dict[str, tuple[int, int]]:
    details = health(rig)["lastRunDetails"]
    return {one["operation"]: (one["count"], one["resources"]["memory"]) for one in details}


def test_before_anything_has_happened() -> None:
    rig = CapacityRig(ONE)
    assert set(operations(rig).values()) == {"N/A"}
    assert run(rig) == {"releases": (0, 0), "allocations": (0, 0), "reservations": (0, 0)}


def test_a_run_is_a_heartbeat() -> None:
    rig = CapacityRig(ONE)
    rig.add_node("n1", 4096)
    rig.submit("a", "root.a")
    rig.ask("a", count=1, memory_mb=1024)
    rig.context.now_ms += 500
    rig.heartbeat("n1")
    (container,) = rig.pull("a")
    assert health(rig)["lastrun"] == rig.context.now_ms
    assert run(rig)["allocations"] == (1, 1024)
    assert operations(rig)["last-allocation"] == str(container.container_id)
    shown = next(one for one in health(rig)["operationsInfo"] if one["operation"] == "last-allocation")
    assert (shown["nodeId"], shown["queue"]) == ("n1:1234", "root.a")
    rig.heartbeat("n1")
    assert run(rig)["allocations"] == (0, 0)
    rig.complete(container)
    rig.heartbeat("n1")
    assert run(rig)["releases"] == (1, 1024)
    assert operations(rig)["last-release"] == str(container.container_id)
    assert operations(rig)["last-preemption"] == "N/A"


def test_reservations_and_preemptions() -> None:
    rig = CapacityRig(ONE)
    rig.add_node("n1", 4096)
    rig.add_node("n2", 4096)
    rig.submit("a", "root.a")
    rig.ask("a", count=1, memory_mb=3072)
    rig.heartbeat("n1")
    (container,) = rig.pull("a")
    rig.submit("b", "root.a")
    rig.ask("b", count=1, memory_mb=3072)
    rig.heartbeat("n1")
    assert run(rig)["reservations"] == (1, 3072)
    status = preempted(container.container_id)
    rig.scheduler.complete_container(container, status, ContainerKill(status=status))
    assert operations(rig)["last-preemption"] == str(container.container_id)
    assert rig.context.health.preempted == 1


def test_containers_per_second_are_those_of_the_last_full_second() -> None:
    rig = CapacityRig(ONE)
    rig.context.now_ms = 10_000
    rig.add_node("n1", 4096)
    rig.submit("a", "root.a")
    rig.ask("a", count=3, memory_mb=1024)
    rig.heartbeat("n1", "n1", "n1")
    assert rig.context.health.assigned_per_second(10_900) == 0
    assert rig.context.health.assigned_per_second(11_000) == 3
    assert rig.context.health.assigned_per_second(12_000) == 0
    assert SchedulerHealth().assigned_per_second(0) == 0
