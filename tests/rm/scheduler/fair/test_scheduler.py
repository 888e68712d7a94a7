"""The scheduler as a whole: heartbeats, submissions, asks, shares, what others see."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rm.scheduler.fair.rig import Rig
from yarnbox.rm.effects import WriteLog
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.scheduler import STATE_DUMP
from yarnbox.rm.scheduler.fair.views import FairViews
from yarnbox.rm.scheduler.views import guarantee_of
from yarnbox.yarn.enums import ContainerState, QueueACL
from yarnbox.yarn.errors import InvalidResourceRequestError, YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.records.tracker import NMContainerStatus
from yarnbox.yarn.resources.resource import NONE, Resource

GB = Resource(1024, 1)


def one_app(free_gb: int, count: int, **conf: object) -> Rig:
    """One application that wants so much, on one node."""
    rig = Rig(None, {name.replace("__", "."): value for name, value in conf.items()})
    rig.add_node("n", free_gb * 1024, 64)
    rig.submit("a", "q")
    rig.ask("a", count, GB)
    rig.update()
    return rig


def test_dynamic_assignment_stops_once_more_than_half_is_gone() -> None:
    rig = one_app(8, 20, yarn__scheduler__fair__assignmultiple=True)
    got = []
    for _ in range(3):
        rig.heartbeat("n")
        got.append(rig.containers("a"))
    assert got == [5, 7, 8]


@pytest.mark.parametrize("most, expected", [(1, 1), (3, 3), (-1, 8), (0, 8)])
def test_a_fixed_number_of_assignments(most: int, expected: int) -> None:
    fixed = {"yarn__scheduler__fair__dynamic.max.assign": False, "yarn__scheduler__fair__max.assign": most}
    rig = one_app(8, 20, yarn__scheduler__fair__assignmultiple=True, **fixed)
    rig.heartbeat("n")
    assert rig.containers("a") == expected


def test_the_worked_example_of_the_paper() -> None:
    """(minimum, demand) (50, 46), (10, 18), (25, 28), (15, 16) of 100 slots end with 46, 14, 25, 15."""
    assert served([(50, 46), (10, 18), (25, 28), (15, 16)], 100) == [46, 14, 25, 15]


@pytest.mark.parametrize(
    "pools, slots, expected",
    [
        ([(30, 20), (10, 25), (0, 40)], 60, [20, 20, 20]),
        ([(0, 10), (0, 50), (0, 50), (0, 50)], 100, [10, 30, 30, 30]),
        ([(4, 6), (4, 6), (4, 2)], 12, [5, 5, 2]),
    ],
)
def test_water_filling(pools: list[tuple[int, int]], slots: int, expected: list[int]) -> None:
    assert served(pools, slots) == expected


def served(pools: list[tuple[int, int]], slots: int) -> list[int]:
    """What each pool holds when all slots are given away: (minimum, demand) in containers of 1 GB."""
    queues = "".join(
        f'<queue name="p{place}"><minResources>{least * 1024} mb, 0 vcores</minResources></queue>'
        for place, (least, _) in enumerate(pools)
    )
    rig = Rig(f"<allocations>{queues}</allocations>")
    rig.add_node("n", slots * 1024, slots)
    for place, (_, demand) in enumerate(pools):
        rig.submit(f"a{place}", f"p{place}")
        rig.ask(f"a{place}", demand, GB)
    rig.update()
    rig.heartbeat("n", slots)
    return [rig.containers(f"a{place}") for place in range(len(pools))]


def water_filling(pools: list[tuple[int, int]], slots: int) -> list[int]:
    """The paper's algorithm: minimum shares, then to whoever has least."""
    got = [min(least, demand) for least, demand in pools]
    for _ in range(slots - sum(got)):
        hungry = [place for place, (_, demand) in enumerate(pools) if got[place] < demand]
        if not hungry:
            break
        got[min(hungry, key=lambda place: got[place])] += 1
    return got


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12)), min_size=1, max_size=4), st.integers(32, 40)
)
def test_serving_order_is_water_filling(pools: list[tuple[int, int]], slots: int) -> None:
    assert served(pools, slots) == water_filling(pools, slots)


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 8)), min_size=1, max_size=5),
    st.sampled_from(["fair", "drf"]),
)
def test_assignment_never_exceeds_a_maximum(queues: list[tuple[int, int, int]], policy: str) -> None:
    inside = "".join(
        f'<queue name="q{place}"><maxResources>{most * 1024} mb, {cores} vcores</maxResources></queue>'
        for place, (most, cores, _) in enumerate(queues)
    )
    default = f"<defaultQueueSchedulingPolicy>{policy}</defaultQueueSchedulingPolicy>"
    top = "<maxResources>10240 mb, 9 vcores</maxResources>"
    rig = Rig(f'<allocations>{default}<queue name="root">{top}{inside}</queue></allocations>')
    rig.add_node("n", 32 * 1024, 32)
    for place, (most, cores, count) in enumerate(queues):
        if most and cores:
            rig.submit(f"a{place}", f"q{place}")
            rig.ask(f"a{place}", count, GB)
    rig.update()
    rig.heartbeat("n", 40)
    for place, (most, cores, _) in enumerate(queues):
        assert rig.queue(f"q{place}").used.fits_in(Resource(most * 1024, cores))
    assert rig.queue("root").used.fits_in(Resource(10240, 9))


def test_a_user_s_own_policy_orders_and_shares() -> None:
    name = "tests.rm.scheduler.fair.own_policy.LeastFirst"
    rig = Rig(
        f'<allocations><queue name="q"><schedulingPolicy>{name}</schedulingPolicy></queue></allocations>'
    )
    rig.add_node("n", 8192)
    for app in "ab":
        rig.submit(app, "q")
        rig.ask(app, 4, GB)
    rig.update()
    assert [rig.app(app).fair_share for app in "ab"] == [Resource(4096, 0)] * 2
    rig.heartbeat("n", 5)
    assert [rig.containers(app) for app in "ab"] == [3, 2]


def test_a_queue_that_has_nothing_of_a_type_refuses_who_wants_it() -> None:
    rig = Rig(
        '<allocations><queue name="q"><maxResources>4096 mb, 0 vcores</maxResources></queue></allocations>'
    )
    rig.add_node("n", 8192)
    application_id = rig.submit("managed", "q", am=GB)
    assert "zero amount of resource for a requested resource" in rig.rejected[application_id]
    with pytest.raises(InvalidResourceRequestError, match="has 0 amount of resource"):
        rig.scheduler.normalize_ask(ResourceRequest(capability=GB), "root.q")


def test_who_may_submit() -> None:
    rig = Rig(
        '<allocations><queue name="root"><aclSubmitApps> </aclSubmitApps>'
        "<aclAdministerApps> ops</aclAdministerApps>"
        '<queue name="q"><aclSubmitApps>ann</aclSubmitApps></queue></queue></allocations>',
        groups={"bob": ("ops",)},
    )
    for user, is_let in (("ann", True), ("bob", True), ("cid", False)):
        application_id = rig.submit(user, "q", user)
        assert (application_id not in rig.rejected) is is_let
    submit = QueueACL.SUBMIT_APPLICATIONS
    assert rig.scheduler.has_access("ann", submit, "root.q.not-there")
    assert not rig.scheduler.has_access("ann", submit, "elsewhere")
    rights = {info.queue_name: info.user_acls for info in rig.scheduler.views.queue_acls("ann")}
    assert rights == {"root": (), "root.q": (submit,)}


def test_priorities_are_not_known_here() -> None:
    rig = Rig()
    application_id = rig.submit("a", "q")
    with pytest.raises(YarnError, match="not supported in Fair Scheduler"):
        rig.scheduler.update_application_priority(application_id, 5)
    assert rig.scheduler.application_priority(7, "ann", "root.q") == 0


def test_plan_queues_take_applications_into_their_default_or_a_reservation() -> None:
    rig = Rig('<allocations><queue name="plan"><reservation/></queue></allocations>')
    rig.submit("a", "plan")
    assert rig.app("a").leaf.path == "root.plan.plan-default"
    assert rig.move("a", "plan") == "root.plan.plan-default"


def test_clients_see_shares_as_capacities() -> None:
    rig = Rig('<allocations><queue name="p"><queue name="c"/></queue><queue name="q"/></allocations>')
    rig.add_node("n", 8192, 8)
    rig.submit("a", "p.c")
    rig.ask("a", 3, GB)
    rig.update()
    rig.heartbeat("n")
    info = rig.scheduler.views.queue_info("root", include_children=True, recursive=True)
    assert [child.queue_name for child in info.child_queues] == ["root.p", "root.q"]
    leaf = info.child_queues[0].child_queues[0]
    assert (leaf.capacity, leaf.current_capacity, leaf.weight) == (1.0, 0.125, 1.0)
    assert (leaf.steady_fair_share_memory, leaf.max_resource_memory) == (4096, 8192)
    assert leaf.queue_statistics is not None
    assert (leaf.queue_statistics.num_apps_running, leaf.queue_statistics.pending_memory_mb) == (1, 2048)
    shallow = rig.scheduler.views.queue_info("p", include_children=False, recursive=False)
    assert shallow.child_queues == ()
    with pytest.raises(YarnError, match="does not exist"):
        rig.scheduler.views.queue_info("nowhere", include_children=False, recursive=False)


def test_views_have_what_pages_and_scenarios_need() -> None:
    rig = Rig('<allocations><queue name="q"><maxRunningApps>1</maxRunningApps></queue></allocations>')
    rig.add_node("n", 8192, 8)
    for name in ("a", "b"):
        rig.submit(name, "q", "ann")
        rig.ask(name, 1, GB)
    rig.update()
    rig.heartbeat("n")
    view = rig.scheduler.views.queue_view("root.q")
    assert view is not None
    assert (view.apps, view.active_apps, view.pending_apps, view.containers) == (2, 1, 1, 1)
    assert (view.fair_share, view.demand) == (Resource(8192, 0), Resource(2048, 2))
    assert view.users["ann"].used == GB
    assert rig.scheduler.views.queue_view("nowhere") is None
    shown = rig.scheduler.views.application_view(rig.app("a"))
    assert (shown.fair_share, shown.steady_fair_share, shown.demand) == (Resource(8192, 0), NONE, GB)


def test_the_state_dump_has_a_line_for_every_queue() -> None:
    rig = Rig('<allocations><queue name="p"><queue name="c"/></queue></allocations>')
    rig.add_node("n", 8192, 8)
    rig.update()
    first, *queues = cast(FairViews, rig.scheduler.views).dump_state().splitlines()
    assert first.startswith("FairScheduler state: Cluster Capacity: <memory:8192, vCores:8>")
    assert [line.split(",")[0] for line in queues] == ["{Name: root", "{Name: root.p", "{Name: root.p.c"]
    assert "AMResourceUsage: <memory:0, vCores:0>" in queues[2]


def test_the_books_balance_when_a_node_is_lost() -> None:
    rig = Rig()
    for name in ("n1", "n2"):
        rig.add_node(name, 4096, 4)
    rig.submit("a", "q")
    rig.ask("a", 6, GB)
    rig.update()
    rig.heartbeat("n1", 3)
    rig.heartbeat("n2", 2)
    rig.remove_node("n1")
    assert rig.queue("root").used == GB * 2
    # They were not delivered yet: they are asked for again.
    assert rig.app("a").usage.total_pending() == GB * 4
    rig.update()
    rig.heartbeat("n2", 4)
    assert rig.containers("a") == 4


def test_continuous_scheduling_needs_no_heartbeat_and_waits_by_the_clock() -> None:
    fair = "yarn.scheduler.fair."
    rig = Rig(
        None,
        {
            f"{fair}continuous-scheduling-enabled": True,
            f"{fair}locality-delay-node-ms": 20,
            f"{fair}locality-delay-rack-ms": 20,
        },
    )
    rig.add_node("n1", 4096, 4, "/r1")
    rig.submit("a", "q")
    for place in ("elsewhere", "/r9", "*"):
        rig.ask("a", 1, GB, at=place)
    rig.update()
    rig.advance(5)
    rig.advance(40)
    assert rig.containers("a") == 0
    rig.advance(10)
    assert rig.containers("a") == 1


def test_fifo_queues_give_all_to_the_first() -> None:
    rig = Rig('<allocations><queue name="q"><schedulingPolicy>fifo</schedulingPolicy></queue></allocations>')
    rig.add_node("n", 4096)
    for name in "ab":
        rig.advance(1)
        rig.submit(name, "q")
        rig.ask(name, 2, GB)
    rig.update()
    rig.heartbeat("n", 3)
    assert [rig.containers(name) for name in "ab"] == [2, 1]
    leaf = rig.queue("q")
    assert isinstance(leaf, LeafQueue)
    assert rig.app("a").fair_share == leaf.fair_share


def test_a_report_says_what_keeps_an_am_waiting() -> None:
    rig = Rig(
        '<allocations><queue name="q"><maxAMShare>0.1</maxAMShare></queue>'
        '<queue name="r"><maxRunningApps>0</maxRunningApps></queue>'
        '<user name="ann"><maxRunningApps>0</maxRunningApps></user></allocations>'
    )
    rig.add_node("n", 8192)
    for name, queue, user in (("a", "q", "bob"), ("b", "r", "bob"), ("c", "q", "ann")):
        rig.submit(name, queue, user, am=GB)
    rig.update()
    said = [rig.scheduler.views.launch_diagnostics(rig.attempts[name]) for name in "abc"]
    assert "exceeds maximum AM resource allowed" in said[0]
    assert 'The queue "root.r" has reached the maximum limit' in said[1]
    assert 'The user "ann" has reached the maximum limit' in said[2]


def test_a_report_says_what_kept_an_am_from_the_node_that_was_offered_last() -> None:
    def bounded(mb: int) -> str:
        most = f"<maxAMShare>-1</maxAMShare><maxResources>{mb} mb, 9 vcores</maxResources>"
        return f'<allocations><queue name="q">{most}</queue></allocations>'

    rig = Rig(bounded(10_000))
    rig.add_node("n", 8192)
    rig.submit("first", "q")
    rig.ask("first", 2, GB)
    rig.update()
    rig.heartbeat("n", 2)
    rig.submit("second", "q", am=GB * 7)
    rig.update()
    rig.heartbeat("n")
    said = rig.scheduler.views.launch_diagnostics(rig.attempts["second"])
    assert "exceeds the available resources of the node and the request is reserved)" in said
    rig.refresh(bounded(8000))
    rig.heartbeat("n")
    said = rig.scheduler.views.launch_diagnostics(rig.attempts["second"])
    assert "or its parents maximum resource allowed). Max share of queue: <memory:8000, vCores:9>" in said


def test_a_queue_is_known_by_its_short_name_as_long_as_it_is_there() -> None:
    rig = Rig(
        '<allocations><queuePlacementPolicy><rule name="default"/></queuePlacementPolicy></allocations>'
    )
    with pytest.raises(YarnError, match="queue default does not exist"):
        rig.scheduler.views.queue_info("default", include_children=False, recursive=False)
    rig.submit("a")
    info = rig.scheduler.views.queue_info("default", include_children=False, recursive=False)
    assert info.queue_name == "root.default"
    rig.finish("a")
    rig.advance(10_000)
    with pytest.raises(YarnError, match="queue default does not exist"):
        rig.scheduler.views.queue_info("default", include_children=False, recursive=False)


def test_the_state_is_dumped_now_and_then_while_somebody_listens() -> None:
    rig = Rig('<allocations><queue name="q"/></allocations>')
    rig.add_node("n", 4096)
    for _ in range(60):
        rig.update()
    said = [effect for effect in rig.context.effects if isinstance(effect, WriteLog)]
    assert not any(effect.logger == STATE_DUMP for effect in said)
    rig.context.logs_at = lambda logger, level: (logger, level) == (STATE_DUMP, "debug")
    for _ in range(52):
        rig.update()
    said = [effect for effect in rig.context.effects if isinstance(effect, WriteLog)]
    lines = [(effect.level, effect.name.split(",")[0]) for effect in said if effect.logger == STATE_DUMP]
    first = ("debug", "FairScheduler state: Cluster Capacity: <memory:4096")
    assert lines == [first, ("debug", "{Name: root"), ("debug", "{Name: root.q")] * 2


def test_runs_are_counted_and_measured_with_the_stopwatch_that_there_is() -> None:
    rig = Rig(conf={"yarn.scheduler.fair.continuous-scheduling-enabled": True})
    ticks = iter(range(0, 1_000_000, 3))
    rig.context.stopwatch = lambda: next(ticks)
    rig.advance(1_000)
    assert rig.scheduler.durations.update_thread_run.mean() == (2, 3.0)
    assert rig.scheduler.durations.continuous_scheduling_run.mean() == (200, 3.0)


def test_who_had_containers_before_a_restart_is_active_and_in_the_books_again() -> None:
    rig = Rig('<allocations><queue name="q"/></allocations>')
    rig.submit("a", "q")
    report = NMContainerStatus(
        container_id=ContainerId(rig.attempts["a"], 7),
        container_state=ContainerState.RUNNING,
        resource=GB * 2,
        priority=1,
        container_exit_status=-1000,
    )
    rig.add_node("n", 4096, reports=(report,))
    rig.update()
    assert rig.containers("a") == 1
    assert rig.queue("q").used == GB * 2
    assert rig.app("a").demand == GB * 2
    info = rig.scheduler.views.queue_info("q", include_children=False, recursive=False)
    assert info.queue_statistics is not None
    assert (info.queue_statistics.num_apps_running, info.queue_statistics.num_apps_pending) == (1, 0)
    rig.ask("a", 1, GB)
    rig.update()
    rig.heartbeat("n")
    # Ids begin anew with each epoch (AppSchedulingInfo); here there is but one.
    assert [one.id for one in sorted(rig.app("a").live)] == [1, 7]


def test_what_an_application_uses_is_compared_with_what_the_view_of_its_queue_guarantees() -> None:
    rig = Rig('<allocations><queue name="q"/></allocations>')
    rig.add_node("n", 4096)
    rig.submit("a", "q")
    rig.ask("a", 2, GB)
    rig.update()
    views = rig.scheduler.views
    guarantee = guarantee_of(views.queue_view("root.q"), rig.scheduler.cluster_resource())
    assert guarantee.memory_mb == 4096
    assert views.queue_usage(rig.app("a"), guarantee) == 1.0
    assert views.queue_usage(rig.app("a"), Resource(1024)) == 0.25


def test_what_a_queue_is_entitled_to_comes_of_a_single_precision_part() -> None:
    """SchedulerApplicationAttempt multiplies the cluster by QueueInfo's capacity, a float."""
    rig = Rig('<allocations><queue name="a"/><queue name="b"/><queue name="c"/></allocations>')
    rig.add_node("n", 10240)
    for name in "abc":
        rig.submit(name, name)
        rig.ask(name, 9, GB)
    rig.update()
    share = rig.scheduler.tree.queue("root.a")
    assert share is not None
    assert share.fair_share.memory_mb == 3414
    assert rig.scheduler.views.queue_usage(rig.app("a"), Resource(3413)) == 1.0
