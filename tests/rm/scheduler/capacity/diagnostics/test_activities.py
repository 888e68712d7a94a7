"""What a recorded pass tells, how long it is kept, and that nothing is decided otherwise for it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.rm.scheduler.capacity.rig import START_MS, CapacityRig
from yarnbox.rm.scheduler.activities import AppAllocation, NodeAllocation, QueueActivity
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationId, NodeId

P = "yarn.scheduler.capacity."
TWO = {
    P + "root.queues": "a,b",
    P + "root.a.capacity": "50",
    P + "root.b.capacity": "50",
    P + "maximum-am-resource-percent": "1",
}
N1 = NodeId(host="n1", port=1234)
ACTIVITIES = "yarn.resourcemanager.activities-manager."


def make(
    properties: dict[str, str] | None = None, *, memory_mb: int = 4096, site: dict[str, str] | None = None
) -> CapacityRig:
    rig = CapacityRig(properties or TWO, site=site)
    rig.add_node("n1", memory_mb)
    return rig


def live(rig: CapacityRig, name: str) -> ApplicationId:
    """The RM knows the application, which the rig alone does not bring about."""
    application_id = rig.attempts[name].application_id
    app = SimpleNamespace(final_status=FinalApplicationStatus.UNDEFINED)
    rig.context.apps[application_id] = app  # type: ignore[assignment]
    return application_id


def record(rig: CapacityRig, host: str = "n1") -> list[NodeAllocation]:
    """The next pass for the node."""
    node_id = NodeId(host=host, port=1234)
    rig.scheduler.activities.record_node(node_id)
    rig.heartbeat(host)
    found = rig.scheduler.activities.of_node(node_id)
    assert found is not None
    return found


def leaf(record: NodeAllocation, path: str) -> QueueActivity:
    return next(one for one in record.root.queues if one.path == path)


def look(rig: CapacityRig, name: str) -> AppAllocation:
    """The next look at an application."""
    application_id = live(rig, name)
    rig.scheduler.activities.record_application(application_id, 3_000)
    rig.heartbeat("n1")
    found = rig.scheduler.activities.of_application(application_id)
    assert found is not None
    return found[-1]


# The tree of a pass


def test_a_container_is_allocated() -> None:
    rig = make()
    rig.submit("a0", "root.a")
    rig.ask("a0", 1)
    [found] = record(rig)
    container = next(iter(rig.attempt("a0").live))
    assert (found.state, found.container_id, found.partition) == ("ALLOCATED", str(container), "")
    assert (found.node_id, found.now_ms) == (N1, START_MS)
    assert (found.root.path, found.root.state) == ("root", "ACCEPTED")
    [seen] = leaf(found, "root.a").applications
    assert (leaf(found, "root.a").state, seen.state, seen.outcome) == ("ACCEPTED", "ALLOCATED", "ALLOCATED")
    [remark] = seen.remarks
    assert (remark.state, remark.node_id, remark.container_id) == ("ALLOCATED", N1, str(container))


def test_queues_after_the_one_that_got_something_were_not_looked_at() -> None:
    rig = make()
    for name in ("a", "b"):
        rig.submit(name, f"root.{name}")
        rig.ask(name, 1)
    [found] = record(rig)
    assert [one.path for one in found.root.queues] == ["root.a"]
    [found] = record(rig)
    assert [(one.path, one.state) for one in found.root.queues] == [("root.b", "ACCEPTED")]


def test_nobody_asks() -> None:
    rig = make()
    rig.submit("a0", "root.a")
    [found] = record(rig)
    assert (found.state, found.container_id) == ("SKIPPED", "Container-Id-Not-Assigned")
    assert (found.root.state, found.root.diagnostic) == ("SKIPPED", "Queue does not need more resource")
    assert found.root.queues == []


def test_a_node_that_is_too_full_and_one_that_keeps_room() -> None:
    rig = make({**TWO, P + "root.a.user-limit-factor": "10"})
    rig.add_node("n2", 4096)
    rig.submit("a0", "root.a")
    rig.ask("a0", 2, 3072)
    rig.heartbeat("n1")
    [found] = record(rig)
    assert found.state == "RESERVED"
    [remark] = leaf(found, "root.a").applications[0].remarks
    assert remark.diagnostic == (
        "Node does not have sufficient resource for request, insufficient resources=[memory-mb]\n"
        "required=<memory:3072, vCores:1>, available=<memory:1024, vCores:7>"
    )
    # The node is kept: its leaf alone is looked at.
    [found] = record(rig)
    assert (found.state, found.root.path, found.root.state) == ("RESERVED", "root.a", "RE_RESERVED")
    assert found.container_id == str(rig.scheduler.tracker.nodes[N1].reserved_container.container_id)  # type: ignore[union-attr]
    seen = found.root.applications[0]
    assert (seen.state, seen.outcome) == ("RE_RESERVED", "SKIPPED")
    rig.complete(next(iter(rig.pull("a0"))))
    [found] = record(rig)
    assert (found.state, found.root.state) == ("ALLOCATED_FROM_RESERVED", "ACCEPTED")


def test_no_room_for_the_smallest_container() -> None:
    rig = make(memory_mb=1024)
    rig.submit("a0", "root.a")
    rig.ask("a0", 2)
    rig.heartbeat("n1")
    [found] = record(rig)
    assert (found.root.path, found.root.state) == ("root", "REJECTED")
    assert found.root.diagnostic == "Initial check: node resource is insufficient for minimum allocation"


def test_a_queue_at_its_maximum() -> None:
    rig = make({**TWO, P + "root.a.maximum-capacity": "50"})
    rig.submit("a0", "root.a")
    rig.submit("a1", "root.a")
    rig.ask("a0", 1, 2048)
    rig.heartbeat("n1")
    for name in ("a0", "a1"):
        rig.ask(name, 1)
    [found] = record(rig)
    queue = leaf(found, "root.a")
    assert (queue.state, queue.diagnostic) == ("REJECTED", "Queue hits max-capacity limit")
    [seen] = queue.applications
    assert (seen.outcome, seen.diagnostic) == ("REJECTED", "Queue hits max-capacity limit")


def test_a_queue_without_headroom_for_the_first_request() -> None:
    rig = make({**TWO, P + "root.a.maximum-capacity": "50"})
    rig.submit("a0", "root.a")
    rig.ask("a0", 1, 3072)
    [found] = record(rig)
    queue = leaf(found, "root.a")
    text = "Queue does not have enough headroom for inner highest-priority request"
    assert (queue.state, queue.diagnostic) == (
        "REJECTED",
        f"{text} from {rig.attempts['a0'].application_id}",
    )
    [remark] = queue.applications[0].remarks
    assert (remark.state, remark.diagnostic, remark.node_id) == ("REJECTED", text, None)
    assert queue.applications[0].outcome == "SKIPPED"


def test_a_user_at_the_limit_and_an_application_that_wants_nothing() -> None:
    rig = make({**TWO, P + "root.a.user-limit-factor": "0.5"}, memory_mb=8192)
    rig.submit("idle", "root.a")
    rig.submit("a0", "root.a")
    rig.ask("a0", 4, 1024)
    for _ in range(4):
        rig.heartbeat("n1")
    [found] = record(rig)
    told = [(one.outcome, one.diagnostic) for one in leaf(found, "root.a").applications]
    assert told == [
        ("SKIPPED", "Application does not need more resource"),
        ("REJECTED", "Queue hits user max-capacity limit"),
    ]
    assert leaf(found, "root.a").state == "SKIPPED"


def test_reasons_of_single_nodes() -> None:
    rig = make()
    rig.submit("a0", "root.a")
    rig.ask("a0", 1, at="elsewhere")
    rig.ask("a0", 1, at="/default-rack", relax=False)
    rig.ask("a0", 1, relax=False)
    rig.scheduler.allocate(rig.attempts["a0"], [], [], blacklist_additions=["n1"])
    assert [one.diagnostic for one in look(rig, "a0").remarks] == ["Node is blacklisted"]
    rig.scheduler.allocate(rig.attempts["a0"], [], [], blacklist_removals=["n1"])
    [remark] = look(rig, "a0").remarks
    assert remark.diagnostic == "Node skipped because relax locality is not allowed"
    assert remark.node_id == N1


# Who asked, and for how long


def test_nothing_is_recorded_until_somebody_asks_and_then_once() -> None:
    rig = make()
    found = rig.scheduler.activities
    rig.submit("a0", "root.a")
    rig.ask("a0", 3)
    rig.heartbeat("n1")
    assert not found.is_on
    assert found.of_node(N1) is None
    first = record(rig)
    assert not found.is_on
    rig.heartbeat("n1")
    assert found.of_node(N1) is first
    assert found.of_node(None) is first


def test_any_node_will_do() -> None:
    rig = make()
    rig.add_node("n2", 4096)
    rig.scheduler.activities.record_node(None)
    rig.heartbeat("n2")
    found = rig.scheduler.activities.of_node(None)
    assert found is not None
    assert found[0].node_id == NodeId(host="n2", port=1234)
    assert not rig.scheduler.activities.is_on


def test_many_passes() -> None:
    rig = make()
    rig.add_node("n2", 4096)
    bulk = rig.scheduler.activities.record_many(3)
    rig.heartbeat("n1", "n2")
    assert not bulk.is_complete
    rig.heartbeat("n1", "n2")
    assert [node_id.host for node_id, _ in bulk.passes] == ["n1", "n2", "n1"]
    assert not rig.scheduler.activities.is_on


def test_an_application_is_recorded_for_its_time() -> None:
    rig = make()
    rig.submit("a0", "root.a")
    application_id = live(rig, "a0")
    rig.ask("a0", 1, 8192)
    found = rig.scheduler.activities
    found.record_application(application_id, 3_000)
    for second in range(5):
        rig.context.now_ms = START_MS + second * 1_000
        rig.heartbeat("n1")
    kept = found.of_application(application_id)
    assert kept is not None
    assert [one.now_ms - START_MS for one in kept] == [0, 1_000, 2_000]
    assert not found.is_on


def test_nobody_knows_the_application() -> None:
    rig = make()
    rig.scheduler.activities.record_application(ApplicationId(cluster_timestamp=1, id=1), 3_000)
    assert not rig.scheduler.activities.is_on


@pytest.mark.parametrize(("nodes", "expected"), [(1, 2), (5, 6)])
def test_so_many_looks_are_kept(nodes: int, expected: int) -> None:
    rig = make(site={ACTIVITIES + "app-activities.max-queue-length": "2"})
    for number in range(1, nodes):
        rig.add_node(f"m{number}", 4096)
    rig.submit("a0", "root.a")
    application_id = live(rig, "a0")
    rig.ask("a0", 1, 8192)
    rig.scheduler.activities.record_application(application_id, 3_000)
    for _ in range(9):
        rig.heartbeat("n1")
    kept = rig.scheduler.activities.of_application(application_id)
    assert kept is not None
    assert len(kept) == expected


def clean(rig: CapacityRig, now_ms: int) -> str | None:
    rig.context.now_ms = now_ms
    event = rig.context.timers.pop_due(now_ms)
    if event is None:
        return None
    rig.scheduler.handle(event)  # type: ignore[arg-type]
    return type(event).__name__


def test_old_records_are_dropped_by_a_timer_that_runs_while_there_are_any() -> None:
    site = {
        ACTIVITIES + "cleanup-interval-ms": "1000",
        ACTIVITIES + "scheduler-activities.ttl-ms": "2500",
        ACTIVITIES + "app-activities.ttl-ms": "500",
    }
    rig = make(site=site)
    assert len(rig.context.timers) == 0
    rig.submit("a0", "root.a")
    application_id = live(rig, "a0")
    rig.ask("a0", 1, 8192)
    look(rig, "a0")
    record(rig)
    found = rig.scheduler.activities
    found._until_ms.clear()
    assert clean(rig, START_MS + 1_000) == "SchedulerActivitiesCleanup"
    assert found.of_application(application_id) is None
    assert found.of_node(N1) is not None
    assert clean(rig, START_MS + 1_999) is None
    assert clean(rig, START_MS + 2_000) is not None
    assert found.of_node(N1) is not None
    assert clean(rig, START_MS + 3_000) is not None
    assert found.of_node(N1) is None
    assert len(rig.context.timers) == 0


# The same decisions


STEP = st.tuples(
    st.sampled_from(["ask", "beat", "end"]),
    st.integers(0, 3),
    st.integers(1, 4),
    st.sampled_from([512, 1024, 3072, 5120]),
    st.sampled_from(["*", "n1", "n2", "/default-rack"]),
)


def play(steps: list[tuple[str, int, int, int, str]], *, is_recorded: bool) -> list[str]:
    """Every container that came of the steps, and what is reserved."""
    rig = CapacityRig({**TWO, P + "root.a.maximum-capacity": "75", P + "root.a.user-limit-factor": "2"})
    for host in ("n1", "n2", "n3"):
        rig.add_node(host, 6144)
    for number in range(4):
        rig.submit(f"a{number}", "root.a" if number < 2 else "root.b", user=f"u{number % 2}")
    told = []
    for kind, number, count, memory_mb, place in steps:
        name = f"a{number}"
        if is_recorded:
            rig.scheduler.activities.record_many(3)
            rig.scheduler.activities.record_application(live(rig, name), 60_000)
        if kind == "ask":
            if place != "*":
                rig.ask(name, count, memory_mb, priority=count, at=place)
            rig.ask(name, count, memory_mb, priority=count)
        elif kind == "beat":
            rig.heartbeat("n1", "n2", "n3")
        else:
            for container in rig.pull(name)[:1]:
                rig.complete(container)
        for held in (f"a{one}" for one in range(4)):
            attempt = rig.attempt(held)
            told.append(f"{held} {[f'{one.container_id}@{one.node_id}' for one in attempt.live.values()]}")
            told.append(f"{attempt.opportunities} {attempt.missed_unlabelled} {attempt.re_reservations}")
            told.append(f"{rig.scheduler.headroom(attempt)} {attempt.is_reached}")
        for node in rig.scheduler.tracker.nodes.values():
            told.append(f"{node.node_id} {node.available} {node.reserved_container}")
    rig.scheduler.check_books()
    return told


def without_addresses(lines: list[str]) -> list[str]:
    return [line.partition(" object at ")[0] for line in lines]


@settings(max_examples=60)
@given(st.lists(STEP, max_size=25))
def test_a_recorded_pass_decides_as_an_unrecorded_one(steps: list[tuple[str, int, int, int, str]]) -> None:
    assert without_addresses(play(steps, is_recorded=True)) == without_addresses(
        play(steps, is_recorded=False)
    )
