"""What preemption does to containers and reservations."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.preemption.marks import PreemptionMarks


def test_a_reservation_is_moved_once() -> None:
    """Hadoop looks for it on the node where it was first."""
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a,b",
            PREFIX + "root.a.capacity": "50",
            PREFIX + "root.b.capacity": "50",
            PREFIX + "maximum-am-resource-percent": "1.0",
        }
    )
    for name in ("n1", "n2", "n3"):
        rig.add_node(name, 4096)
    rig.submit("first", "root.a")
    rig.ask("first", count=3)
    for _ in range(3):
        rig.heartbeat("n1")
    rig.submit("second", "root.b")
    rig.ask("second", count=1, memory_mb=2048)
    rig.heartbeat("n1")
    (container,) = rig.attempt("second").reserved_containers()
    _, second, third = rig.scheduler.tracker.nodes.values()
    context, scheduler = rig.scheduler.queue_context, rig.scheduler
    marks = PreemptionMarks(context, scheduler.register, scheduler.completion, KillableContainers(context))
    assert marks.move_reservation(container, second)
    assert not marks.move_reservation(container, third)
    assert (container.node, second.reserved_container, third.reserved_container) == (second, container, None)
