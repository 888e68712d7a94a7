"""Who starves, which containers go, and who gets the space."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.effects import WriteLog
from yarnbox.rm.events.scheduler import SchedulerContainerPreempted, SchedulerMarkContainerForPreemption
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.web.past import container_row
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.story import Line
from yarnbox.yarn.text.moments import iso8601

GB = Resource(1024, 1)
ON = {
    "yarn.scheduler.fair.preemption": True,
    "yarn.scheduler.fair.preemption.cluster-utilization-threshold": 0,
    "yarn.scheduler.fair.waitTimeBeforeKill": 1000,
    "yarn.scheduler.fair.update-interval-ms": 3_600_000,
}
AT_ONCE = (
    "<fairSharePreemptionTimeout>0</fairSharePreemptionTimeout>"
    "<fairSharePreemptionThreshold>1</fairSharePreemptionThreshold>"
)
SIBLINGS = f'<allocations><queue name="a"/><queue name="b">{AT_ONCE}</queue></allocations>'


def full(
    allocations: str = SIBLINGS,
    nodes: int = 2,
    size: Resource = GB,
    queue: str = "a",
    am: bool = False,
    conf: Mapping[str, object] | None = None,
) -> Rig:
    """Nodes of 4 GB, all of them held by one application."""
    rig = Rig(allocations, {**ON, **(conf or {})})
    rig.advance(0)
    for number in range(nodes):
        rig.add_node(f"n{number}", 4096, 12)
    rig.submit("holder", queue, am=GB if am else None)
    count = nodes * 4096 // size.memory_mb
    rig.update()
    if am:
        rig.heartbeat("n0")
        rig.call("holder")
        count -= 1
    rig.ask("holder", count, size)
    rig.update()
    for number in range(nodes):
        rig.heartbeat(f"n{number}", 4)
    rig.call("holder")
    for number in range(nodes):
        rig.heartbeat(f"n{number}")
    return rig


def am_and_task() -> Rig:
    """Two full nodes: an AM on the first one, its task on the second."""
    rig = Rig(f'<allocations><queue name="a"/><queue name="b">{AT_ONCE}</queue></allocations>', ON)
    rig.add_node("n0", 1024, 12)
    rig.add_node("n1", 1024, 12)
    rig.submit("holder", "a", am=GB)
    rig.update()
    rig.heartbeat("n0")
    rig.call("holder")
    rig.ask("holder", 1, GB)
    rig.update()
    rig.heartbeat("n1")
    return rig


def starve(rig: Rig, count: int, size: Resource, queue: str = "b", name: str = "starved") -> None:
    """Another application wants its share."""
    rig.submit(name, queue)
    rig.ask(name, count, size)
    rig.update()


def marked(rig: Rig, name: str = "holder") -> int:
    """Containers of an application that will be taken."""
    return len(rig.app(name).marked_for_preemption)


def test_what_is_lacking_is_taken_request_by_request() -> None:
    rig = full()
    starve(rig, 4, GB * 2)
    assert rig.app("starved").fair_starvation == Resource(4096, 0)
    assert marked(rig) == 0
    rig.scheduler.preempt()
    assert marked(rig) == 4
    message = rig.call("holder").preemption
    assert message is not None
    assert message.strict_contract is not None
    assert len(message.strict_contract.container) == 4
    victims = [rig.app("holder").live[one] for one in rig.app("holder").marked_for_preemption]
    rig.advance(1_000)
    assert (marked(rig), rig.containers("holder")) == (0, 4)
    whom = f"{rig.app('starved').application_id} in queue root.b"
    told = f"Container preempted by scheduler for {whom}"
    assert [container_row(one, is_over=True).diagnostics for one in victims] == [told] * 4
    for name in ("n0", "n1", "n0", "n1"):
        rig.heartbeat(name)
    assert (rig.containers("starved"), rig.containers("holder")) == (2, 4)


def test_nobody_is_taken_below_his_own_share() -> None:
    rig = full(nodes=3, size=GB * 4)
    starve(rig, 6, GB)
    rig.scheduler.preempt()
    assert marked(rig) == 1


def test_nothing_happens_while_preemption_is_off_or_the_cluster_is_not_full() -> None:
    off = full(conf={"yarn.scheduler.fair.preemption": False})
    starve(off, 4, GB)
    off.scheduler.preempt()
    assert marked(off) == 0
    half = full(conf={"yarn.scheduler.fair.preemption.cluster-utilization-threshold": 1.0})
    starve(half, 4, GB)
    half.scheduler.preempt()
    assert marked(half) == 0


def test_a_timeout_has_to_run_out_and_a_pass_is_followed_by_a_pause() -> None:
    timed = SIBLINGS.replace("Timeout>0<", "Timeout>10<")
    rig = full(timed)
    starve(rig, 2, GB)
    rig.scheduler.preempt()
    assert marked(rig) == 0
    rig.advance(10_000)
    rig.update()
    rig.scheduler.preempt()
    assert marked(rig) == 2
    # 1 s to the kill, 10 s more.
    assert rig.app("starved").next_check_ms == rig.context.now_ms + 11_000


def test_only_the_threshold_of_the_share_is_fought_for() -> None:
    rig = full(SIBLINGS.replace("Threshold>1<", "Threshold>0.5<"))
    starve(rig, 8, GB)
    rig.scheduler.preempt()
    assert marked(rig) == 2


def test_a_minimum_share_is_fought_for_even_with_odd_sums() -> None:
    timeout = "<minSharePreemptionTimeout>0</minSharePreemptionTimeout>"
    least = "<minResources>4096 mb, 0 vcores</minResources>"
    file = f'<allocations><queue name="a"/><queue name="b">{least}{timeout}</queue></allocations>'
    enough = full(file)
    starve(enough, 4, GB)
    assert enough.app("starved").min_starvation == Resource(4096, 4)
    enough.scheduler.preempt()
    assert marked(enough) == 4
    # Asking for 5 GB where 4 GB are lacking is credited with 1 GB, as in Hadoop.
    odd = full(file)
    starve(odd, 5, GB)
    assert odd.app("starved").min_starvation.memory_mb == 1024


def test_a_minimum_share_has_to_be_lacking_for_its_timeout() -> None:
    timeout = "<minSharePreemptionTimeout>5</minSharePreemptionTimeout>"
    least = "<minResources>4096 mb, 0 vcores</minResources>"
    rig = full(f'<allocations><queue name="a"/><queue name="b">{least}{timeout}</queue></allocations>')
    leaf = rig.queue("b")
    assert isinstance(leaf, LeafQueue)
    rig.advance(3_000)
    rig.update()
    assert leaf.last_at_min_share_ms == 3_000
    starve(rig, 4, GB)
    assert rig.app("starved").min_starvation == NONE
    rig.advance(5_000)
    rig.update()
    assert rig.app("starved").min_starvation == Resource(4096, 4)


def test_later_applications_are_not_looked_at_behind_one_that_is_content() -> None:
    rig = full()
    starve(rig, 1, GB, name="small")
    starve(rig, 4, GB, name="large")
    # Both want; the smaller share is theirs alike, and the first in order is starved, too.
    assert [rig.app(name).fair_starvation.memory_mb for name in ("small", "large")] == [1024, 2048]


def test_protected_queues_and_ams_are_spared() -> None:
    protected = full(
        SIBLINGS.replace('name="a"/>', 'name="a"><allowPreemptionFrom>false</allowPreemptionFrom></queue>')
    )
    starve(protected, 4, GB)
    protected.scheduler.preempt()
    assert marked(protected) == 0
    spared = full(nodes=1, am=True, conf={"yarn.scheduler.fair.am.preemption": False})
    starve(spared, 2, GB)
    spared.scheduler.preempt()
    app = spared.app("holder")
    assert len(app.marked_for_preemption) == 2
    assert not any(app.live[one].is_am for one in app.marked_for_preemption)


def test_the_newest_containers_go_first_and_ams_last() -> None:
    rig = full(nodes=1, am=True)
    starve(rig, 2, GB)
    rig.scheduler.preempt()
    app = rig.app("holder")
    assert list(app.marked_for_preemption) == list(app.live)[:1:-1]


def test_a_node_that_costs_fewer_ams_is_better() -> None:
    rig = am_and_task()
    starve(rig, 1, GB)
    rig.scheduler.preempt()
    (container_id,) = rig.app("holder").marked_for_preemption
    assert str(rig.app("holder").live[container_id].node_id) == "n1:1234"


def test_a_relaxed_place_with_ams_only_looks_elsewhere() -> None:
    for relax, host in ((True, "n1"), (False, "n0")):
        rig = am_and_task()
        rig.submit("starved", "b")
        places = ("n0", "/default-rack", "*")
        rig.call(
            "starved",
            [
                ResourceRequest(
                    priority=1, resource_name=place, capability=GB, num_containers=1, relax_locality=relax
                )
                for place in places
            ],
        )
        rig.update()
        rig.scheduler.preempt()
        (container_id,) = rig.app("holder").marked_for_preemption
        assert rig.app("holder").live[container_id].node_id.host == host


def test_space_is_kept_from_others_until_it_is_used_or_not_needed() -> None:
    rig = full(nodes=1)
    starve(rig, 2, GB)
    rig.scheduler.preempt()
    rig.submit("other", "c")
    rig.ask("other", 2, GB)
    rig.update()
    rig.advance(1_000)
    rig.heartbeat("n0")
    assert (rig.containers("starved"), rig.containers("other")) == (2, 0)
    rig.heartbeat("n0")
    assert not rig.scheduler.preemption.holds_preempted_space


def test_space_goes_to_anybody_once_its_owner_is_gone() -> None:
    rig = full(nodes=1)
    starve(rig, 2, GB)
    rig.scheduler.preempt()
    rig.submit("other", "c")
    rig.ask("other", 2, GB)
    rig.update()
    rig.finish("starved")
    rig.advance(1_000)
    rig.heartbeat("n0", 2)
    assert rig.containers("other") == 2


def test_a_marked_container_that_ends_by_itself_is_not_killed() -> None:
    rig = full(nodes=1)
    starve(rig, 2, GB)
    rig.scheduler.preempt()
    container_id = next(iter(rig.app("holder").marked_for_preemption))
    container = rig.app("holder").live[container_id]
    rig.end(container_id, 7)
    rig.heartbeat("n0")
    assert marked(rig) == 1
    rig.advance(1_000)
    assert (container.exit_status, rig.containers("holder")) == (7, 2)


def test_the_least_starved_is_helped_first() -> None:
    rig = full(
        f'<allocations><queue name="a"/><queue name="b">{AT_ONCE}</queue><queue name="c">{AT_ONCE}</queue>'
        "</allocations>"
    )
    starve(rig, 2, GB, "b", "large")
    starve(rig, 1, GB, "c", "small")
    lines: list[Line] = []
    rig.context.story.listeners.append(lines.append)
    rig.scheduler.preempt()
    causes = [line.because.split()[0] for line in lines if line.event == "marked for preemption"]
    assert causes == [str(rig.app(name).application_id) for name in ("small", "large", "large")]


def test_the_process_runs_it_by_itself_after_each_update() -> None:
    rig = full(conf={"yarn.scheduler.fair.update-interval-ms": 500})
    starve(rig, 4, GB)
    rig.advance(500)
    assert marked(rig) == 4
    rig.advance(1_000)
    assert rig.containers("holder") == 4


@pytest.mark.parametrize("policy", ["fair", "drf"])
def test_starvation_is_judged_in_the_eyes_of_the_policy(policy: str) -> None:
    default = f"<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
    rig = full(SIBLINGS.replace("<allocations>", f"<allocations>{default}"))
    rig.submit("starved", "b")
    rig.ask("starved", 4, Resource(1024, 3))
    rig.update()
    goal = rig.app("starved").fair_starvation
    assert goal == (Resource(4096, 0) if policy == "fair" else Resource(4096, 12))


def test_a_part_of_a_request_is_relaxed_as_a_request_of_its_own() -> None:
    for asked, host in ((1, "n0"), (2, "n1")):
        rig = am_and_task()
        rig.submit("starved", "b")
        rig.call("starved", strict_requests("n0", asked))
        rig.update()
        rig.scheduler.preempt()
        (container_id,) = rig.app("holder").marked_for_preemption
        assert rig.app("holder").live[container_id].node_id.host == host


def strict_requests(host: str, count: int) -> list[ResourceRequest]:
    """That many containers on one host and nowhere else."""
    return [
        ResourceRequest(
            priority=1, resource_name=place, capability=GB, num_containers=count, relax_locality=False
        )
        for place in (host, "/default-rack", "*")
    ]


def test_a_place_that_was_asked_for_and_is_no_more_still_covers_its_rack() -> None:
    rig = full()
    rig.submit("starved", "b")
    requests = strict_requests("n0", 2)
    rig.call("starved", requests)
    rig.call("starved", [ResourceRequest(priority=1, resource_name="n0", capability=GB, num_containers=0)])
    rig.update()
    assert rig.app("starved").fair_starvation
    rig.scheduler.preempt()
    assert marked(rig) == 0


def test_each_mark_and_each_kill_says_who_loses_what_for_whom_and_when() -> None:
    rig = full()
    starve(rig, 1, GB)
    seen: list[Event] = []
    rig.context.dispatcher.watchers.append(seen.append)
    rig.scheduler.preempt()
    rig.context.dispatcher.drain()
    (container_id,) = rig.app("holder").marked_for_preemption
    container = rig.app("holder").live[container_id]
    starved = rig.app("starved").application_id
    now_ms = rig.context.now_ms
    details = {
        "application": str(container.application_id),
        "user": container.user,
        "queue": "root.a",
        "node": str(container.node_id),
        "resource": {"memory-mb": 1024, "vcores": 1},
        "for": f"{starved} in queue root.b",
        "killAt": now_ms + 1000,
    }
    (marked,) = [one for one in seen if isinstance(one, SchedulerMarkContainerForPreemption)]
    assert (marked.subject, marked.details) == (container_id, details)
    rig.advance(1000)
    (killed,) = [one for one in seen if isinstance(one, SchedulerContainerPreempted)]
    assert (killed.subject, killed.details) == (container_id, details)
    lines = {one.name: dict(one.keys) for one in rig.context.effects if isinstance(one, WriteLog)}
    for name in ("container marked for preemption", "container killed by preemption"):
        assert lines[name]["container"] == str(container_id)
        assert lines[name]["for"] == f"{starved} in queue root.b"
        assert lines[name]["resource"] == "<memory:1024, vCores:1>"
        assert lines[name]["kill_at"] == iso8601(now_ms + 1000)
