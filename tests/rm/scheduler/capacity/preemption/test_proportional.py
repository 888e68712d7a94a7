"""What is said of the CapacityScheduler's decisions on preemption: each mark, un-mark and kill."""

from __future__ import annotations

from typing import TypeVar

from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.container import RMContainer
from yarnbox.rm.effects import WriteLog
from yarnbox.rm.events.scheduler import (
    SchedulerContainerPreempted,
    SchedulerContainerUnmarked,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
)
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.text.moments import iso8601

PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
WAIT_MS = 5_000
TWO = {
    PREFIX + "root.queues": "a,b",
    PREFIX + "root.a.capacity": "50",
    PREFIX + "root.a.user-limit-factor": "10",
    PREFIX + "root.b.capacity": "50",
    PREFIX + "maximum-am-resource-percent": "1.0",
}
E = TypeVar("E", bound=Event)


class Contest:
    """A holds all containers of the cluster, and B wants one; passes come when a test says so."""

    def __init__(self, **properties: str) -> None:
        site = {
            "yarn.resourcemanager.scheduler.monitor.enable": "true",
            PREEMPTION + "total_preemption_per_round": "1.0",
            PREEMPTION + "natural_termination_factor": "1.0",
            PREEMPTION + "max_wait_before_kill": str(WAIT_MS),
            **{PREEMPTION + name: value for name, value in properties.items()},
        }
        self.rig = rig = CapacityRig(TWO, site=site, handles_posted=True)
        self.seen: list[Event] = []
        rig.context.dispatcher.watchers.append(self.seen.append)
        rig.add_node("n1", 20 * 1024, 20)
        rig.submit("first", "root.a", user="ann")
        rig.ask("first", count=20)
        for _ in range(20):
            rig.heartbeat("n1")
        self.containers: list[RMContainer] = rig.pull("first")
        rig.heartbeat("n1")
        assert len(self.containers) == 20
        rig.submit("second", "root.b")
        rig.ask("second", count=1)
        (self.policy,) = rig.scheduler.monitor.policies.values()

    def look(self) -> None:
        """One pass, and what follows from it."""
        self.policy.edit_schedule()
        self.rig.context.dispatcher.drain()

    def all(self, kind: type[E]) -> list[E]:
        """The events of one kind so far."""
        return [one for one in self.seen if isinstance(one, kind)]

    def logged(self, name: str) -> list[dict[str, str]]:
        """What the log says under that name."""
        return [dict(one.keys) for one in self.rig.effects if isinstance(one, WriteLog) and one.name == name]

    def details(self) -> dict[str, object]:
        """What has to be said of the container that B gets."""
        victim = self.containers[-1]
        return {
            "application": str(victim.application_id),
            "user": "ann",
            "queue": "root.a",
            "node": str(victim.node_id),
            "resource": victim.resource.as_dict(),
            "for": "queue root.b",
            "killAt": self.rig.context.now_ms + WAIT_MS,
        }


def test_a_mark_and_a_kill_say_who_loses_what_for_whom_and_when() -> None:
    contest = Contest()
    details, due_ms = contest.details(), contest.rig.context.now_ms + WAIT_MS
    contest.look()
    victim = contest.containers[-1].container_id
    (marked,) = contest.all(SchedulerMarkContainerForPreemption)
    assert (marked.subject, marked.details) == (victim, details)
    (line,) = contest.logged("container marked for preemption")
    assert (line["container"], line["for"], line["queue"]) == (str(victim), "queue root.b", "root.a")
    assert line["kill_at"] == iso8601(due_ms)
    contest.rig.context.now_ms = due_ms
    contest.look()
    (killable,) = contest.all(SchedulerMarkContainerForKillable)
    (killed,) = contest.all(SchedulerContainerPreempted)
    assert (killable.subject, killable.details) == (victim, details)
    assert (killed.subject, killed.details) == (victim, details)
    assert contest.logged("container killed by preemption")[0]["for"] == "queue root.b"
    assert not contest.all(SchedulerContainerUnmarked)


def test_a_container_that_may_stay_is_said_to_stay() -> None:
    contest = Contest()
    details = contest.details()
    contest.look()
    assert contest.rig.attempt("first").marked_for_preemption
    contest.rig.finish("second")
    contest.rig.context.now_ms += 3 * WAIT_MS
    contest.look()
    (unmarked,) = contest.all(SchedulerContainerUnmarked)
    assert (unmarked.subject, unmarked.details) == (contest.containers[-1].container_id, details)
    assert len(contest.logged("container unmarked, it may stay")) == 1
    assert not contest.rig.attempt("first").marked_for_preemption
    assert not contest.all(SchedulerContainerPreempted)
