"""The container scheduler: at once, in a queue, displaced, shed; and its books under any order of events."""

from __future__ import annotations

from typing import Any

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.nm.rig import Rig, container_id
from yarnbox.nm.effects import CleanUpContainer, PauseContainer, ResumeContainer
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.records.management import ContainerUpdateRequest
from yarnbox.yarn.records.tracker import ContainerQueuingLimit
from yarnbox.yarn.resources.resource import Resource

LARGE = Resource(4096, 1)
HALF = Resource(2048, 1)


def _queueing(*, pauses: bool = False) -> NMSettings:
    return NMSettings(opportunistic_maximum_queue=2, opportunistic_pause=pauses)


def test_guaranteed_containers_start_at_once_whatever_runs() -> None:
    rig = Rig()
    for number in (1, 2, 3):
        rig.start(number, resource=LARGE)
    assert rig.launches() == [1, 2, 3]


def test_without_a_queue_an_opportunistic_container_is_refused_a_place() -> None:
    rig = Rig()
    rig.start_opportunistic(1)
    assert rig.launches() == []
    assert (rig.state(1), rig.container(1).exit_code) == ("DONE", -108)
    assert "Opportunistic container queue is full." in rig.container(1).diagnostics


def test_opportunistic_containers_wait_for_room() -> None:
    rig = Rig(_queueing())
    for number in (1, 2, 3, 4):
        rig.start_opportunistic(number, LARGE)
    assert rig.launches() == [1]
    assert list(rig.core.scheduler.opportunistic) == [container_id(2), container_id(3)]
    assert rig.container(4).exit_code == -108
    rig.launched(1)
    status = rig.core.scheduler.opportunistic_status()
    assert (status.running_opport_containers, status.queued_opport_containers) == (1, 2)
    assert (status.opport_memory_used, status.opport_queue_capacity) == (4096, 2)
    rig.exited(1)
    assert rig.launches() == [2]


def test_a_guaranteed_container_displaces_the_newest_opportunistic_ones() -> None:
    rig = Rig(_queueing())
    for number in (1, 2):
        rig.start_opportunistic(number, HALF)
        rig.launched(number)
    rig.launches()
    rig.start(3, resource=HALF)
    assert rig.launches() == []
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(2))]
    rig.exited(2, 143)
    assert rig.launches() == [3]
    assert rig.container(2).exit_code == -108
    assert "Container Killed to make room for Guaranteed Container." in rig.container(2).diagnostics


def test_with_pausing_they_wait_instead() -> None:
    rig = Rig(_queueing(pauses=True))
    rig.start_opportunistic(1, LARGE)
    rig.launched(1)
    rig.launches()
    rig.start(2, resource=LARGE)
    assert rig.take(PauseContainer) == [PauseContainer(container_id(1))]
    rig.turn(lambda: rig.world.container_paused(container_id(1)))
    assert rig.launches() == [2]
    assert rig.state(1) == "PAUSED"
    rig.launched(2)
    rig.exited(2)
    assert rig.take(ResumeContainer) == [ResumeContainer(container_id(1))]


def test_a_shorter_queue_sheds_those_beyond() -> None:
    rig = Rig(NMSettings(opportunistic_maximum_queue=5))
    for number in (1, 2, 3):
        rig.start_opportunistic(number, LARGE)
    rig.heartbeat(container_queuing_limit=ContainerQueuingLimit(max_queue_length=1))
    assert (rig.state(2), rig.state(3)) == ("SCHEDULED", "DONE")
    assert "Container De-queued to meet NM queuing limits." in rig.container(3).diagnostics


def _update(rig: Rig, number: int, **change: Any) -> None:
    token = rig.token(number, version=1, **change)
    request = ContainerUpdateRequest(update_container_token=(token,))
    answer = rig.turn(lambda: rig.services.update_container(request, rig.nm_token()))
    assert not answer.failed_requests, answer.failed_requests


def test_a_promotion_leaves_the_queue_of_opportunistic_ones() -> None:
    rig = Rig(_queueing())
    rig.start_opportunistic(1, LARGE)
    rig.start_opportunistic(2, LARGE)
    rig.launched(1)
    _update(rig, 2, resource=LARGE, execution_type=ExecutionType.GUARANTEED)
    assert rig.take(CleanUpContainer) == [CleanUpContainer(container_id(1))]
    rig.launches()
    rig.exited(1, 143)
    assert rig.launches() == [2]


def test_a_growth_is_charged_for_and_told_once() -> None:
    rig = Rig()
    rig.run(1)
    _update(rig, 1, resource=HALF)
    assert rig.core.scheduler.used == HALF
    status = rig.heartbeat().node_status
    assert status is not None
    assert [(one.id, one.resource) for one in status.increased_containers] == [(container_id(1), HALF)]
    again = rig.heartbeat().node_status
    assert again is not None
    assert again.increased_containers == ()


class SchedulerWalk(RuleBasedStateMachine):
    """Containers come, run, end, are stopped, paused and shed in any order; the core checks its books each
    turn.
    """

    @initialize(queue=st.sampled_from([0, 3]), pauses=st.booleans())
    def begin(self, queue: int, pauses: bool) -> None:
        self.rig = Rig(NMSettings(opportunistic_maximum_queue=queue, opportunistic_pause=pauses))
        self.next = 1
        self.running: list[int] = []

    def _run_until_idle(self) -> None:
        """The machine does what it was asked to."""
        for number in self.rig.launches():
            self.rig.launched(number)
            self.running.append(number)
        for pause in self.rig.take(PauseContainer):
            self.rig.turn(lambda one=pause.container_id: self.rig.world.container_paused(one))  # type: ignore[misc]
        for resume in self.rig.take(ResumeContainer):
            self.rig.turn(lambda one=resume.container_id: self.rig.world.container_resumed(one))  # type: ignore[misc]
        for cleanup in self.rig.take(CleanUpContainer):
            number = cleanup.container_id.sequence
            if number in self.running:
                self.running.remove(number)
            self.rig.exited(number, 143)
        if self.rig.launches_waiting():
            self._run_until_idle()

    @rule(size=st.sampled_from([512, 2048, 4096]), is_guaranteed=st.booleans())
    def start(self, size: int, is_guaranteed: bool) -> None:
        kind = ExecutionType.GUARANTEED if is_guaranteed else ExecutionType.OPPORTUNISTIC
        self.rig.start(self.next, None, resource=Resource(size, 1), execution_type=kind)
        self.next += 1
        self._run_until_idle()

    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        if self.running:
            number = data.draw(st.sampled_from(self.running))
            self.running.remove(number)
            self.rig.exited(number, data.draw(st.sampled_from([0, 1, 143])))
            self._run_until_idle()

    @rule(data=st.data())
    def stop(self, data: st.DataObject) -> None:
        if self.next > 1:
            self.rig.stop(data.draw(st.integers(1, self.next - 1)))
            self._run_until_idle()

    @rule(length=st.integers(0, 3))
    def shed(self, length: int) -> None:
        self.rig.heartbeat(container_queuing_limit=ContainerQueuingLimit(max_queue_length=length))
        self._run_until_idle()

    @invariant()
    def every_container_is_somewhere(self) -> None:
        if not hasattr(self, "rig"):
            return
        scheduler = self.rig.core.scheduler
        for container in self.rig.context.containers.values():
            places = [scheduler.guaranteed, scheduler.opportunistic, scheduler.running]
            found = sum(container.container_id in place for place in places)
            assert found == (0 if container.is_done else 1), container.state
        if scheduler.maximum_queue > 0:
            assert scheduler.used.fits_in(self.rig.context.total)


TestSchedulerWalk = SchedulerWalk.TestCase
TestSchedulerWalk.settings = hypothesis_settings(
    max_examples=60,
    stateful_step_count=30,
)
