"""The handler `placement-processor`: placed, committed, tried again, returned."""

from __future__ import annotations

from typing import cast

import pytest

from tests.rig import ask
from tests.rm.scheduler.constraint.rig import RETRIES, ConstraintRig, wants
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.scheduler.constraint.algorithm import DefaultPlacementAlgorithm
from yarnbox.rm.scheduler.constraint.asking import number_of
from yarnbox.rm.scheduler.constraint.constraints import algorithm_class
from yarnbox.yarn.enums import RejectionReason
from yarnbox.yarn.errors import SchedulerInvalidResourceRequestError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import SchedulingRequest

PROCESSOR = "placement-processor"
APART = "NOTIN,NODE,zk"
COULD_NOT_PLACE = RejectionReason.COULD_NOT_PLACE_ON_NODE
COULD_NOT_SCHEDULE = RejectionReason.COULD_NOT_SCHEDULE_ON_NODE


def rejections(answers: list[AllocateResponse]) -> list[tuple[int, RejectionReason, int]]:
    """After how many calls, why, how many containers."""
    return [
        (place, one.reason, number_of(one.request))
        for place, answer in enumerate(answers, 1)
        for one in answer.rejected_scheduling_requests
    ]


def calls(rig: ConstraintRig, app: ApplicationId, times: int) -> list[AllocateResponse]:
    return [rig.allocate(app) for _ in range(times)]


def test_containers_come_with_the_third_call_and_need_no_heartbeat() -> None:
    rig = ConstraintRig(PROCESSOR)
    app = rig.start({"zk": APART})
    asked = rig.ask(app, wants("zk", 3))
    second, third = calls(rig, app, 2)
    assert (asked.allocated_containers, second.allocated_containers) == ((), ())
    hosts = [one.node_id.host for one in third.allocated_containers if one.node_id is not None]
    assert sorted(hosts) == ["n1", "n2", "n3"]
    assert {one.allocation_tags for one in third.allocated_containers} == {("zk",)}
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}


def test_what_finds_no_node_is_tried_three_times_and_returned() -> None:
    rig = ConstraintRig(PROCESSOR)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk", 5))
    answers = calls(rig, app, 8)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    assert rejections(answers) == [(5, COULD_NOT_PLACE, 2)]


def test_a_node_that_joins_in_time_helps() -> None:
    rig = ConstraintRig(PROCESSOR, 2)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk", 3))
    rig.allocate(app)
    rig.add_node("n3")
    answers = calls(rig, app, 8)
    assert rig.where(app) == {"n1": 1, "n2": 1, "n3": 1}
    assert rejections(answers) == []


def test_what_the_scheduler_refuses_is_tried_elsewhere_and_returned_at_last() -> None:
    rig = ConstraintRig(PROCESSOR, 2, memory_mb=2048)
    app = rig.start()
    rig.ask(app, wants("zk", 2, "NOTIN,NODE,web", memory_mb=2048), wants("zk", 2, memory_mb=2048, number=1))
    answers = calls(rig, app, 8)
    assert rig.where(app) == {"n1": 1, "n2": 1}
    assert {reason for _, reason, _ in rejections(answers)} <= {COULD_NOT_SCHEDULE, COULD_NOT_PLACE}
    assert sum(count for _, _, count in rejections(answers)) == 2


def test_two_batches_that_did_not_know_of_one_another_meet_at_the_commit() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    one = rig.start({"zk": "NOTIN,NODE,all/zk"})
    two = rig.start({"zk": "NOTIN,NODE,all/zk"})
    rig.ask(one, wants("zk"))
    rig.ask(two, wants("zk"))
    first, second = calls(rig, one, 8), calls(rig, two, 8)
    assert rig.where(one) == {"n1": 1}
    assert rig.where(two) == {}
    assert rejections(first) == []
    assert [reason for _, reason, _ in rejections(second)] == [COULD_NOT_PLACE]


def test_the_settings_say_how_often() -> None:
    rig = ConstraintRig(PROCESSOR, 1, site={RETRIES: "1"})
    app = rig.start()
    rig.ask(app, wants("a", 1, "IN,NODE,b"))
    assert rejections(calls(rig, app, 3)) == [(1, COULD_NOT_PLACE, 1)]


def test_what_the_scheduler_refused_is_returned_before_what_found_no_node() -> None:
    rig = ConstraintRig(PROCESSOR, 1, memory_mb=2048, site={RETRIES: "1"})
    app = rig.start()
    rig.ask(app, wants("a", memory_mb=2048), wants("b", memory_mb=2048, number=1))
    rig.ask(app, wants("c", 1, "IN,NODE,d", number=2))
    assert rejections(calls(rig, app, 1)) == [(1, COULD_NOT_SCHEDULE, 1), (1, COULD_NOT_PLACE, 1)]


@pytest.mark.parametrize("scheduler", ["fifo", "fair"])
def test_other_schedulers_take_no_placement(scheduler: str) -> None:
    rig = ConstraintRig(PROCESSOR, 1, scheduler=scheduler)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk"))
    assert [reason for _, reason, _ in rejections(calls(rig, app, 8))] == [COULD_NOT_SCHEDULE]
    assert rig.where(app) == {}


def test_plain_requests_beside_them_go_their_way() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start({"zk": APART})
    rig.allocate(app, ask(priority=5), scheduling=(wants("zk"),))
    rig.exchange(app, 3)
    assert rig.where(app) == {"n1": 2}


def test_a_request_without_a_size_is_refused() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start()
    with pytest.raises(SchedulerInvalidResourceRequestError, match="No ResourceSizing"):
        rig.ask(app, SchedulingRequest())


def test_a_constraint_that_cannot_be_looked_up_is_rejected() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start()
    rig.ask(app, wants("a", 1, "IN,NODE,app-id/b"))
    assert [reason for _, reason, _ in rejections(calls(rig, app, 8))] == [COULD_NOT_PLACE]


def test_without_tags_it_is_placed_too() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start()
    rig.ask(app, wants("", 1, "java!=11"))
    calls(rig, app, 2)
    assert rig.where(app) == {"n1": 1}


def test_an_application_that_ends_leaves_nothing_behind() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk", 3))
    processor = rig.context.constraints.processor
    assert processor is not None
    rig.allocate(app)
    assert processor.waiting(app)
    rig.kill(app)
    assert processor.waiting(app) == []
    assert rig.context.constraints.registry.effective(app, ("zk",), None) == []
    other = rig.start({"zk": APART})
    rig.finish(other)
    assert rig.context.constraints.registry.effective(other, ("zk",), None) == []


def test_why_it_waits() -> None:
    rig = ConstraintRig(PROCESSOR, 1)
    app = rig.start({"zk": APART})
    rig.ask(app, wants("zk", 2))
    explain = cast(CapacityScheduler, rig.context.scheduler).explanations.explain
    found = {(check.reason, check.numbers) for one in explain(app) for check in one.failing}
    assert found == {(SkipReason.IN_PLACEMENT, "1 of zk: attempt 1 of 3")}
    rig.allocate(app)
    (one,) = explain(app)
    (check,) = one.failing
    assert check.numbers == "1 of zk: attempt 2 of 3"


def test_an_algorithm_of_ones_own() -> None:
    name = f"{DefaultPlacementAlgorithm.__module__}.DefaultPlacementAlgorithm"
    assert algorithm_class(name) is DefaultPlacementAlgorithm
    for wrong in ("nowhere.Algorithm", "json.JSONDecoder", "Nothing"):
        with pytest.raises(YarnError, match=r"algorithm\.class"):
            algorithm_class(wrong)


def test_the_story_tells_of_rejections() -> None:
    rig = ConstraintRig(PROCESSOR, 1, site={RETRIES: "1"})
    app = rig.start()
    rig.ask(app, wants("a", 2, "IN,NODE,b"))
    calls(rig, app, 2)
    (line,) = [line for line in rig.story if line.kind == "SchedulingRequest"]
    assert (line.subject, line.event, line.because) == (app, "rejected a(2)", "COULD_NOT_PLACE_ON_NODE")
