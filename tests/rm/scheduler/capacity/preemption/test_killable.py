"""The sums of killable containers, whatever becomes of the containers and of where they stand."""

from __future__ import annotations

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.scheduler import (
    SchedulerAppAttemptAdded,
    SchedulerAppAttemptRemoved,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForNonkillable,
    SchedulerNodeLabelsUpdate,
)
from yarnbox.rm.scheduler.containers.resizing import resize
from yarnbox.rm.web.why import preemption_marks
from yarnbox.yarn.ids import ApplicationAttemptId, NodeId
from yarnbox.yarn.resources.resource import NONE, Resource


def rig_with_killable() -> tuple[CapacityRig, RMContainer]:
    """One node, two queues; the application of `a` has two containers, the first of them killable."""
    rig = CapacityRig(
        {
            PREFIX + "root.queues": "a,b",
            PREFIX + "root.a.capacity": 50,
            PREFIX + "root.b.capacity": 50,
            PREFIX + "root.a.user-limit-factor": 10,
            PREFIX + "root.b.user-limit-factor": 10,
            PREFIX + "lazy-preemption-enabled": "true",
        }
    )
    rig.add_node("n1", 8192)
    rig.submit("one", "root.a")
    rig.ask("one", count=2)
    rig.heartbeat("n1", "n1")
    first, _ = rig.pull("one")
    rig.heartbeat("n1")
    mark(rig, first)
    assert killable_mb(rig, "root.a") == killable_mb(rig, "root") == 1024
    rig.scheduler.check_books()
    return rig, first


def mark(rig: CapacityRig, container: RMContainer) -> None:
    event = SchedulerMarkContainerForKillable(
        container_id=container.container_id, mark=container.preemption_mark("root.b")
    )
    rig.scheduler.handle(event)


def killable_mb(rig: CapacityRig, path: str, partition: str = "") -> int:
    queue = rig.scheduler.tree.at(path)
    assert queue is not None
    return queue.usage.of(partition).killable.memory_mb


def relabel(rig: CapacityRig, *labels: str) -> None:
    nodes = {NodeId(host="n1", port=1234): labels}
    rig.scheduler.handle(SchedulerNodeLabelsUpdate(labels_of_nodes=nodes))


def end(rig: CapacityRig, container: RMContainer) -> None:
    rig.complete(container)
    rig.heartbeat("n1")


def test_a_killable_container_follows_its_node_to_another_partition() -> None:
    rig, container = rig_with_killable()
    relabel(rig, "x")
    assert killable_mb(rig, "root.a", "x") == killable_mb(rig, "root", "x") == 1024
    assert killable_mb(rig, "root.a") == 0
    rig.scheduler.check_books()
    end(rig, container)
    assert killable_mb(rig, "root.a", "x") == killable_mb(rig, "root.a") == 0
    rig.scheduler.check_books()


def test_a_killable_container_follows_its_application_to_another_queue() -> None:
    rig, container = rig_with_killable()
    rig.scheduler.move_application(container.application_id, "root.b")
    assert killable_mb(rig, "root.b") == killable_mb(rig, "root") == 1024
    assert killable_mb(rig, "root.a") == 0
    rig.scheduler.check_books()
    end(rig, container)
    assert killable_mb(rig, "root.b") == 0
    rig.scheduler.check_books()


def test_a_killable_container_that_shrinks_is_less_killable() -> None:
    rig, container = rig_with_killable()
    resize(rig.attempt("one"), container, Resource(512, 1))
    assert killable_mb(rig, "root.a") == 512
    rig.scheduler.check_books()
    end(rig, container)
    assert killable_mb(rig, "root.a") == 0


def test_a_container_that_is_safe_again_is_on_no_sum() -> None:
    rig, container = rig_with_killable()
    relabel(rig, "x")
    (told,) = preemption_marks(rig.attempt("one"))
    assert (told["container"], told["for"]) == (str(container.container_id), "whoever needs its space")
    rig.scheduler.handle(SchedulerMarkContainerForNonkillable(container_id=container.container_id))
    assert preemption_marks(rig.attempt("one")) == []
    assert killable_mb(rig, "root", "x") == 0
    rig.scheduler.check_books()


def test_containers_that_wait_for_the_next_attempt_move_with_their_application() -> None:
    rig, container = rig_with_killable()
    first = rig.attempts["one"]
    rig.scheduler.handle(
        SchedulerAppAttemptRemoved(attempt_id=first, final_state="FAILED", keep_containers=True)
    )
    rig.scheduler.move_application(container.application_id, "root.b")
    assert rig.used_mb("root.a") == 0
    assert rig.used_mb("root.b") == 2048
    assert killable_mb(rig, "root.b") == 1024
    second = ApplicationAttemptId(application_id=first.application_id, attempt_id=2)
    rig.scheduler.handle(SchedulerAppAttemptAdded(attempt_id=second, transfer_state=True))
    rig.scheduler.check_books()
    end(rig, container)
    assert rig.used_mb("root.b") == 1024
    rig.scheduler.check_books()
    rig.scheduler.handle(SchedulerAppAttemptRemoved(attempt_id=second, final_state="FINISHED"))
    assert rig.leaf("root.b").usage.used() == NONE
    assert rig.leaf("root.a").usage.used() == NONE
    rig.scheduler.check_books()
