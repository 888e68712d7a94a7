"""The preemption policy by itself: random trees, whatever they ask for, and what must never happen."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.preempt_table.build import Built
from tests.preempt_table.rows import AppRow, GroupRow, PassRow, QueueRow, Row, ShareRow
from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import MANDATORY
from yarnbox.rm.scheduler.capacity.preemption.policy import PreemptionPolicy
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.resources.resource import NONE, Resource, total

CLUSTER = 120
UNIT = Resource(1, 1)
LEAF = (False, False, 0, False, 0.0, None)
"""Neither disabled nor prioritized, first come first served, no AM share, no user limit of its own."""


class Recorder:
    """Keeps what was decided."""

    def __init__(self) -> None:
        self.marked: list[RMContainer] = []
        self.killed: list[RMContainer] = []

    def mark(self, container: RMContainer, kill_at_ms: int) -> None:
        self.marked.append(container)

    def kill(self, container: RMContainer) -> None:
        self.killed.append(container)

    def unreserve(self, container: RMContainer) -> None:
        raise AssertionError("there is no reservation here")

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        raise AssertionError("there is no reservation here")


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Leaves under the root or under one parent, on a full or half-full cluster of unit containers."""
    count = draw(st.integers(2, 6))
    cuts = sorted(draw(st.lists(st.integers(0, CLUSTER), min_size=count - 1, max_size=count - 1)))
    guarantees = [high - low for low, high in zip([0, *cuts], [*cuts, CLUSTER], strict=True)]
    cuts = sorted(draw(st.lists(st.integers(0, CLUSTER), min_size=count, max_size=count)))
    used = [high - low for low, high in zip([0, *cuts[:-1]], cuts, strict=True)]
    nested = draw(st.integers(0, count - 1))
    leaves = []
    for index in range(count):
        parent = "root.p" if index < nested else "root"
        pending = draw(st.integers(0, 60))
        group = GroupRow(used[index], Resource(1), "n1", "", 1, False, False)
        share = ShareRow(
            Resource(guarantees[index]), Resource(CLUSTER), Resource(used[index]), Resource(pending)
        )
        leaves.append(
            QueueRow(
                f"{parent}.q{index}",
                parent,
                {"": share},
                draw(st.booleans()) and draw(st.booleans()),
                False,
                0,
                False,
                0.0,
                None,
                (AppRow(f"app{index}", "user", 0, {"": Resource(pending)}, (group,)),),
            )
        )
    whole = ShareRow(Resource(CLUSTER), Resource(CLUSTER), Resource(sum(used)))
    inner = ShareRow(Resource(sum(guarantees[:nested])), Resource(CLUSTER), Resource(sum(used[:nested])))
    queues = [QueueRow("root", None, {"": whole}, False, False, 0, False, 0.0, None, ())]
    if nested:
        queues.append(QueueRow("root.p", "root", {"": inner}, False, False, 0, False, 0.0, None, ()))
    return Row(
        "random",
        False,
        {},
        Resource(1, 1),
        ("memory-mb", "vcores"),
        {"": Resource(CLUSTER)},
        {"n1": ("", Resource(CLUSTER))},
        (*queues, *leaves),
        (PassRow(0, {}),),
    )


SETTINGS = PreemptionSettings(
    max_wait_before_kill_ms=10_000,
    total_per_round=0.5,
    natural_termination_factor=1.0,
    max_ignored_over_capacity=0.0,
)


@given(rows())
def test_a_pass_stays_within_its_bounds(row: Row) -> None:
    built, recorder = Built(row, 0), Recorder()
    report = PreemptionPolicy(SETTINGS).run(built.snapshot, recorder)
    selected = total(container.resource for container in report.selected)
    assert selected.memory_mb <= CLUSTER * 0.5
    for leaf in built.snapshot.leaves():
        taken = total(
            container.resource for container in report.selected if built.snapshot.queue_of(container) is leaf
        )
        share = leaf.share("")
        if leaf.is_disabled:
            assert not taken
        if taken:
            assert share.used.memory_mb - taken.memory_mb >= share.guaranteed.memory_mb
    guaranteed = [
        leaf.share("").ideal.memory_mb for leaf in built.snapshot.leaves() if leaf.share("").guaranteed
    ]
    assert all(ideal >= 0 for ideal in guaranteed)
    if not any(leaf.is_disabled for leaf in built.snapshot.leaves()):
        assert sum(guaranteed) <= CLUSTER


EVERYTHING = PreemptionSettings(
    total_per_round=0.25,
    natural_termination_factor=1.0,
    max_ignored_over_capacity=0.0,
    by_reserved_containers=True,
    by_queue_priority=True,
    balances_satisfied=True,
    intra_enabled=True,
    intra_max_allowable_limit=1.0,
)


@given(rows(), st.booleans(), st.sampled_from(["userlimit_first", "priority_first"]))
def test_all_selectors_together_stay_within_one_pot(row: Row, is_dominant: bool, order: str) -> None:
    """The cap is for the pass, not for each way to select; no container counts twice."""
    built, recorder = Built(replace(row, is_dominant=is_dominant), 0), Recorder()
    report = PreemptionPolicy(replace(EVERYTHING, intra_order=order)).run(built.snapshot, recorder)
    assert len({one.container_id for one in report.selected}) == len(report.selected)
    assert report.marked == tuple(recorder.marked)
    assert total(container.resource for container in report.selected).memory_mb <= CLUSTER * 0.25


def test_an_application_that_waits_for_activation_may_want_something() -> None:
    """FifoIntraQueuePreemptionPlugin looks at all applications of a queue, not at the active ones alone."""
    group = GroupRow(100, Resource(1), "n1", "", 1, False, False)
    apps = (
        AppRow("low", "user", 1, {"": NONE}, (group,)),
        AppRow("high", "user", 5, {"": Resource(30)}, ()),
    )
    whole, used, pending = Resource(100), Resource(100), Resource(30)
    queues = (
        QueueRow("root", None, {"": ShareRow(whole, whole, used)}, False, False, 0, False, 0.0, None, ()),
        QueueRow("root.a", "root", {"": ShareRow(whole, whole, used, pending)}, *LEAF, apps),
    )
    row = Row(
        "waiting", False, {}, UNIT, MANDATORY, {"": whole}, {"n1": ("", whole)}, queues, (PassRow(0, {}),)
    )
    settings = PreemptionSettings(total_per_round=1.0, intra_enabled=True, intra_order="priority_first")
    counts = []
    for waits in (False, True):
        built, recorder = Built(row, 0), Recorder()
        leaf = built.queues["root.a"]
        if waits:
            leaf.waiting_apps = [app for app in leaf.active_apps if app.priority == 5]
            leaf.active_apps = [app for app in leaf.active_apps if app.priority != 5]
        PreemptionPolicy(settings).run(built.snapshot, recorder)
        counts.append(len(recorder.marked))
    assert counts == [20, 20]


def test_containers_are_marked_and_killed_in_the_order_of_hadoops_maps() -> None:
    """Who loses a container first shows in the sums of fractions that user limits go by."""
    whole, used = Resource(CLUSTER), Resource(20)
    apps = (AppRow("a1", "user", 1, {"": NONE}, (GroupRow(20, Resource(1), "n1", "", 1, False, False),)),)
    queues = (
        QueueRow("root", None, {"": ShareRow(whole, whole, used)}, False, False, 0, False, 0.0, None, ()),
        QueueRow("root.a", "root", {"": ShareRow(NONE, whole, used)}, *LEAF, apps),
        QueueRow("root.b", "root", {"": ShareRow(whole, whole, NONE, Resource(CLUSTER))}, *LEAF, ()),
    )
    nodes = {"n1": ("", whole)}
    row = Row("order", False, {}, UNIT, MANDATORY, {"": whole}, nodes, queues, (PassRow(0, {}),))
    recorder = Recorder()
    PreemptionPolicy(PreemptionSettings(total_per_round=1.0)).run(Built(row, 0).snapshot, recorder)
    # The newest are selected first; of these four the hashes rise with the ids.
    assert [container.container_id.id for container in recorder.marked] == [17, 18, 19, 20]


@given(rows())
def test_marks_are_killed_only_after_their_wait_and_only_once(row: Row) -> None:
    policy, recorder = PreemptionPolicy(SETTINGS), Recorder()
    policy.run(Built(row, 0).snapshot, recorder)
    first = [container.container_id for container in recorder.marked]
    policy.run(Built(row, 9_999).snapshot, recorder)
    assert [container.container_id for container in recorder.marked] == first
    assert not recorder.killed
    policy.run(Built(row, 10_000).snapshot, recorder)
    assert [container.container_id for container in recorder.killed] == first


@given(rows())
def test_passes_reach_a_fixed_point(row: Row) -> None:
    """What is taken goes to those who asked: no queue gives for ever, nothing goes to and fro."""
    holders: dict[str, int] = {leaf.path: leaf.shares[""].used.memory_mb for leaf in row.queues if leaf.apps}
    pending = {leaf.path: leaf.shares[""].pending.memory_mb for leaf in row.queues if leaf.apps}
    gave: dict[str, bool] = {}
    for _ in range(40):
        built, recorder = Built(_with(row, holders, pending), 0), Recorder()
        report = PreemptionPolicy(SETTINGS).run(built.snapshot, recorder)
        if not report.selected:
            return
        lost: dict[ContainerId, None] = {}
        for container in report.selected:
            queue = built.snapshot.queue_of(container)
            assert queue is not None
            holders[queue.path] -= 1
            gave[queue.path] = True
            lost[container.container_id] = None
        free = len(lost)
        for leaf in built.snapshot.leaves():
            below = max(0, leaf.share("").guaranteed.memory_mb - holders[leaf.path])
            given = min(free, below, pending[leaf.path])
            if given:
                assert leaf.path not in gave, "what was taken from a queue comes back to it"
            holders[leaf.path] += given
            pending[leaf.path] -= given
            free -= given
    raise AssertionError("no fixed point in 40 passes")


def _with(row: Row, used: dict[str, int], pending: dict[str, int]) -> Row:
    queues = []
    for queue in row.queues:
        below = [path for path in used if path == queue.path or path.startswith(queue.path + ".")]
        amount = Resource(sum(used[path] for path in below))
        share = queue.shares[""]
        wanted = Resource(pending[queue.path]) if queue.apps else NONE
        apps = tuple(
            AppRow(
                app.name,
                app.user,
                0,
                {"": wanted},
                (GroupRow(amount.memory_mb, Resource(1), "n1", "", 1, False, False),),
            )
            for app in queue.apps
        )
        queues.append(
            QueueRow(
                queue.path,
                queue.parent,
                {"": ShareRow(share.guaranteed, share.maximum, amount, wanted)},
                queue.is_disabled,
                False,
                0,
                False,
                0.0,
                None,
                apps,
            )
        )
    return Row(
        row.name,
        row.is_dominant,
        row.policy,
        row.minimum_allocation,
        row.types,
        row.partitions,
        row.nodes,
        tuple(queues),
        row.passes,
    )
