"""The scheduling monitor by itself: rhythms, what a refresh starts and stops, and whose fault costs what."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import pytest

from tests.rig import Rig
from tests.rm.scheduler.capacity.rig import PREFIX, CapacityRig
from yarnbox.rm.container import RMContainer
from yarnbox.rm.effects import WriteLog
from yarnbox.rm.events.scheduler import SchedulerMarkContainerForPreemption, SchedulerPreemptionReport
from yarnbox.rm.scheduler.capacity.lifecycle.monitor import AT_A_TIME_MS
from yarnbox.rm.scheduler.capacity.preemption.proportional import ProportionalCapacityPreemptionPolicy
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId

MONITOR = "yarn.resourcemanager.scheduler.monitor."
PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption."
HADOOP = "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
OWN = f"{__name__}.Counting"
QUEUES = {PREFIX + "root.queues": "a", PREFIX + "root.a.capacity": "100"}


class Counting:
    """A policy of somebody's own; it notes when it ran."""

    name = "Counting"
    interval_ms = 1_000
    passes_ms: list[int]
    fails = False

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        Counting.passes_ms = []

    @property
    def monitoring_interval_ms(self) -> int:
        return Counting.interval_ms

    def edit_schedule(self) -> None:
        Counting.passes_ms.append(self._scheduler.context.now_ms)
        if Counting.fails:
            raise ValueError("a bug of its own")


class NoPolicy:
    """Nothing that could be run."""


@pytest.fixture(autouse=True)
def defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "interval_ms", 1_000)
    monkeypatch.setattr(Counting, "fails", False)
    monkeypatch.setattr(Counting, "passes_ms", [], raising=False)


def rig(file: dict[str, str] | None = None, site: dict[str, str] | None = None) -> CapacityRig:
    return CapacityRig({**QUEUES, **(file or {})}, site=site)


def watched(**more: str) -> CapacityRig:
    return rig(site={MONITOR + "enable": "true", MONITOR + "policies": OWN, **more})


def advance(rig: CapacityRig, to_ms: int) -> None:
    """Lets every timer up to that time fire, each at its moment."""
    timers = rig.context.timers
    while (due_ms := timers.next_due_ms()) is not None and due_ms <= to_ms:
        rig.context.now_ms = max(rig.context.now_ms, due_ms)
        event = timers.pop_due(rig.context.now_ms)
        assert event is not None
        rig.scheduler.handle(event)  # type: ignore[arg-type]
    rig.context.now_ms = to_ms


def running(rig: CapacityRig) -> list[str]:
    return list(rig.scheduler.monitor.policies)


def test_the_first_pass_is_at_once_and_the_rate_fixed() -> None:
    one = watched()
    start_ms = one.context.now_ms
    advance(one, start_ms + 2_500)
    assert Counting.passes_ms == [start_ms, start_ms + 1_000, start_ms + 2_000]


def test_a_pass_that_comes_late_does_not_delay_the_next() -> None:
    one = watched()
    start_ms = one.context.now_ms
    advance(one, start_ms)
    one.context.now_ms = start_ms + 1_700
    advance(one, start_ms + 2_000)
    assert Counting.passes_ms == [start_ms, start_ms + 1_700, start_ms + 2_000]


def test_with_another_interval_a_tick_makes_no_pass_and_the_new_period_begins_at_once() -> None:
    one = watched()
    start_ms = one.context.now_ms
    advance(one, start_ms)
    Counting.interval_ms = 400
    advance(one, start_ms + 1_500)
    assert Counting.passes_ms == [start_ms, start_ms + 1_000, start_ms + 1_400]


def test_preemption_takes_a_new_interval_up_with_a_pass() -> None:
    """The pass after a refresh reads it, the tick after that pass begins the new period."""
    one = rig(site={MONITOR + "enable": "true", PREEMPTION + "monitoring_interval": "1000"})
    (policy,) = one.scheduler.monitor.policies.values()
    start_ms = one.context.now_ms
    advance(one, start_ms)
    one.provider.properties[PREEMPTION + "monitoring_interval"] = "300"
    one.scheduler.refresh()
    assert policy.monitoring_interval_ms == 1_000
    advance(one, start_ms + 1_000)
    assert policy.monitoring_interval_ms == 300
    assert one.context.timers.next_due_ms() == start_ms + 2_000
    advance(one, start_ms + 2_000)
    assert one.context.timers.next_due_ms() == start_ms + 2_300


@pytest.mark.parametrize("where", ["file", "site"])
def test_either_file_may_switch_it_on(where: str) -> None:
    switch = {MONITOR + "enable": "true"}
    one = rig(file=switch) if where == "file" else rig(site=switch)
    assert running(one) == [HADOOP]


def test_policies_named_twice_run_once() -> None:
    assert running(rig(site={MONITOR + "enable": "true", MONITOR + "policies": f"{OWN},{OWN}"})) == [OWN]


def test_a_refresh_starts_and_stops_policies() -> None:
    one = watched()
    start_ms = one.context.now_ms
    advance(one, start_ms)
    one.provider.properties[MONITOR + "policies"] = f"{HADOOP},{OWN}"
    one.scheduler.refresh()
    assert running(one) == [OWN, HADOOP]
    assert one.context.timers.next_due_ms() == start_ms, "the new one begins at once"
    one.provider.properties[MONITOR + "policies"] = HADOOP
    one.scheduler.refresh()
    advance(one, start_ms + 5_000)
    assert running(one) == [HADOOP]
    assert Counting.passes_ms == [start_ms]
    one.provider.properties[MONITOR + "enable"] = "false"
    one.scheduler.refresh()
    assert running(one) == []
    assert one.context.timers.next_due_ms() is None


def test_marks_survive_a_refresh() -> None:
    one = rig(site={MONITOR + "enable": "true"})
    (before,) = one.scheduler.monitor.policies.values()
    one.provider.properties[PREEMPTION + "max_wait_before_kill"] = "1"
    one.scheduler.refresh()
    (after,) = one.scheduler.monitor.policies.values()
    assert isinstance(after, ProportionalCapacityPreemptionPolicy)
    assert after is before
    after.edit_schedule()
    assert after.policy.settings.max_wait_before_kill_ms == 1


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("nowhere.Policy", "Failed to find class of specified policy=nowhere.Policy"),
        (f"{__name__}.Absent", f"Failed to find class of specified policy={__name__}.Absent"),
        ("Policy", "Failed to find class of specified policy=Policy"),
        (
            f"{__name__}.NoPolicy",
            f"Specified policy={__name__}.NoPolicy is not a SchedulingEditPolicy class.",
        ),
    ],
)
def test_what_is_no_policy(named: str, said: str) -> None:
    with pytest.raises(YarnError, match=said):
        rig(site={MONITOR + "enable": "true", MONITOR + "policies": named})
    one = watched()
    one.provider.properties[MONITOR + "policies"] = named
    settings = one.scheduler.queue_context.settings
    with pytest.raises(YarnError, match=said):
        one.scheduler.refresh()
    assert one.scheduler.queue_context.settings is settings
    assert running(one) == [OWN]


def test_an_unknown_order_policy_is_refused_at_the_start_and_by_a_refresh() -> None:
    name = PREEMPTION + "intra-queue-preemption.preemption-order-policy"
    with pytest.raises(ConfigurationError):
        rig(site={MONITOR + "enable": "true", name: "oldest_first"})
    one = rig(site={MONITOR + "enable": "true", name: "PRIORITY_FIRST"})
    (policy,) = one.scheduler.monitor.policies.values()
    assert isinstance(policy, ProportionalCapacityPreemptionPolicy)
    assert not policy.policy.settings.is_user_limit_first
    one.provider.properties[name] = "oldest_first"
    with pytest.raises(YarnError, match="Failed to re-init queues"):
        one.scheduler.refresh()
    advance(one, one.context.now_ms + 3_000)


def test_a_failing_pass_is_logged_and_skipped() -> None:
    one = watched()
    one.context.is_strict = False
    Counting.fails = True
    start_ms = one.context.now_ms
    advance(one, start_ms + 1_000)
    assert Counting.passes_ms == [start_ms, start_ms + 1_000]
    logged = [effect for effect in one.effects if isinstance(effect, WriteLog)]
    assert [line.name for line in logged] == ["monitor pass failed"] * 2
    assert ("why", "ValueError: a bug of its own") in logged[0].keys
    one.context.is_strict = True
    with pytest.raises(ValueError, match="of its own"):
        advance(one, start_ms + 2_000)


@pytest.mark.parametrize("name", ["fair", "fifo"])
def test_only_the_capacity_scheduler_can_be_watched(name: str) -> None:
    with pytest.raises(YarnError, match=r"Class org\..*Scheduler not instance of org\..*CapacityScheduler"):
        Rig({"yarn.resourcemanager.scheduler.class": name, MONITOR + "enable": "true"})


def test_a_written_file_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As refreshQueues does it; what cannot be used is logged and changes nothing."""
    policy = (
        "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.QueueConfigurationAutoRefreshPolicy"
    )
    one = rig(site={MONITOR + "enable": "true", MONITOR + "policies": policy})
    start_ms = one.context.now_ms
    written_ms = [start_ms]
    monkeypatch.setattr(one.provider, "modified_ms", lambda name: written_ms[0])
    before = one.scheduler.queue_context.settings
    advance(one, start_ms + 20_000)
    assert one.scheduler.queue_context.settings is before
    one.provider.properties[PREFIX + "root.a.capacity"] = "50"
    written_ms[0] = start_ms + 20_001
    advance(one, start_ms + 30_000)
    assert one.scheduler.queue_context.settings is before
    assert "queues cannot be refreshed" in [line.name for line in one.effects if isinstance(line, WriteLog)]
    one.provider.properties[PREFIX + "root.a.capacity"] = "100"
    one.provider.properties[PREFIX + "root.a.user-limit-factor"] = "3"
    written_ms[0] = start_ms + 30_001
    advance(one, start_ms + 40_000)
    assert one.scheduler.tree.root.children[0].settings.user_limit_factor == 3


# Passes in pieces


class Patient(Counting):
    """A policy with a pause after every piece."""

    pieces: list[int]

    def __init__(self, scheduler: CapacityScheduler) -> None:
        super().__init__(scheduler)
        Patient.pieces = []

    def steps(self) -> Iterator[None]:
        for piece in range(6):
            Patient.pieces.append(piece)
            yield


def let_time_pass(rig: CapacityRig, each_ms: float) -> None:
    """Whoever looks at the stopwatch sees that so much has passed since the last look."""
    looks = itertools.count()
    rig.context.stopwatch = lambda: next(looks) * each_ms


def take_timer(rig: CapacityRig) -> str:
    """Lets the next timer fire; the kind of its event."""
    timers = rig.context.timers
    due_ms = timers.next_due_ms()
    assert due_ms is not None
    rig.context.now_ms = max(rig.context.now_ms, due_ms)
    event = timers.pop_due(rig.context.now_ms)
    assert event is not None
    rig.scheduler.handle(event)  # type: ignore[arg-type]
    return type(event).__name__


def test_where_no_time_passes_a_pass_is_one_instant() -> None:
    one = watched(**{MONITOR + "policies": f"{__name__}.Patient"})
    assert take_timer(one) == "SchedulerMonitorTick"
    assert Patient.pieces == [0, 1, 2, 3, 4, 5]


def test_a_long_pass_pauses_and_goes_on() -> None:
    one = watched(**{MONITOR + "policies": f"{__name__}.Patient"})
    let_time_pass(one, AT_A_TIME_MS / 2)
    start_ms = one.context.now_ms
    assert take_timer(one) == "SchedulerMonitorTick"
    assert Patient.pieces == [0, 1]
    assert one.context.timers.next_due_ms() == start_ms + 1
    assert take_timer(one) == "SchedulerMonitorStep"
    assert Patient.pieces == [0, 1, 2, 3]
    advance(one, start_ms + 999)
    assert Patient.pieces == [0, 1, 2, 3, 4, 5]


def test_passes_do_not_overlap() -> None:
    """A tick that finds the pass before it still under way is skipped."""
    one = watched(**{MONITOR + "policies": f"{__name__}.Patient"})
    let_time_pass(one, AT_A_TIME_MS)
    take_timer(one)
    one.context.now_ms += 1_000
    assert [take_timer(one), take_timer(one)] == ["SchedulerMonitorStep", "SchedulerMonitorTick"]
    assert Patient.pieces == [0, 1]


def test_a_policy_that_is_stopped_in_the_middle_of_a_pass_does_not_go_on() -> None:
    one = rig({MONITOR + "enable": "true", MONITOR + "policies": f"{__name__}.Patient"})
    let_time_pass(one, AT_A_TIME_MS)
    take_timer(one)
    one.provider.properties[MONITOR + "enable"] = "false"
    one.scheduler.refresh()
    assert one.context.timers.next_due_ms() is None
    assert Patient.pieces == [0]


AMOUNTS = ("guaranteed", "used", "pending", "ideal", "to-preempt")
TWO = {
    PREFIX + "root.queues": "a,b",
    PREFIX + "root.a.capacity": "50",
    PREFIX + "root.a.user-limit-factor": "10",
    PREFIX + "root.b.capacity": "50",
    PREFIX + "maximum-am-resource-percent": "1.0",
}


def contested(more: Mapping[str, str] | None = None) -> tuple[CapacityRig, list[RMContainer]]:
    """A has all of a cluster of 200 containers, B wants its half; the containers, oldest first."""
    site = {
        MONITOR + "enable": "true",
        PREEMPTION + "total_preemption_per_round": "1.0",
        PREEMPTION + "natural_termination_factor": "1.0",
        **(more or {}),
    }
    one = CapacityRig(TWO, site=site)
    for number in range(10):
        one.add_node(f"n{number}", 20 * 1024, 20)
    one.submit("first", "root.a")
    one.ask("first", count=200)
    for _ in range(20):
        one.heartbeat(*(f"n{number}" for number in range(10)))
    containers = one.pull("first")
    one.heartbeat(*(f"n{number}" for number in range(10)))
    one.submit("second", "root.b")
    one.ask("second", count=100)
    assert len(containers) == 200
    one.posted.keeps_history = True
    return one, containers


def marked(one: CapacityRig) -> list[ContainerId]:
    """What was posted for marking, in its order."""
    one.posted.take()
    kind = SchedulerMarkContainerForPreemption
    return [event.container_id for event in one.posted.history if isinstance(event, kind)]


def test_a_pass_in_pieces_decides_what_one_in_one_go_decides() -> None:
    at_once, containers = contested()
    take_timer(at_once)
    in_pieces, _ = contested()
    let_time_pass(in_pieces, AT_A_TIME_MS)
    start_ms, turns = in_pieces.context.now_ms, 0
    while in_pieces.context.now_ms < start_ms + 1_000:
        take_timer(in_pieces)
        turns += 1
    assert turns > 5
    newest_first = [one.container_id for one in reversed(containers)]
    assert sorted(marked(at_once), reverse=True) == newest_first[:100]
    assert marked(in_pieces) == marked(at_once)


def test_the_scheduler_answers_between_two_pieces() -> None:
    """Heartbeats, calls and ends are handled meanwhile; what has ended by then is not asked for."""
    one, containers = contested()
    let_time_pass(one, AT_A_TIME_MS)
    ended: list[ContainerId] = []
    answered = 0
    take_timer(one)
    while one.context.timers.next_due_ms() == one.context.now_ms + 1:
        victim = containers[-1 - len(ended)]
        if victim.container_id not in marked(one) and len(ended) < 3:
            one.complete(victim)
            one.heartbeat(victim.node_id.host)
            ended.append(victim.container_id)
        one.call("second", [])
        one.submit(f"later{answered}", "root.b")
        answered += 1
        take_timer(one)
    assert answered > 5
    assert len(ended) == 3
    wanted = marked(one)
    assert not [each for each in wanted if each in ended]
    assert 97 <= len(wanted) <= 100, "what a queue has is what it had when the pass looked at it"


@pytest.mark.parametrize("observe_only", ["false", "true"])
def test_a_pass_is_told_queue_by_queue(observe_only: str) -> None:
    """In the event log and in the log; with observe_only the same is told, and nothing is marked."""
    one, _ = contested({PREEMPTION + "observe_only": observe_only})
    take_timer(one)
    posted = one.posted.take()
    reports = {one.subject: one.details for one in posted if isinstance(one, SchedulerPreemptionReport)}
    assert list(reports) == ["root", "root.a", "root.b"]
    amounts = {name: reports["root.a"][name]["memory-mb"] // 1024 for name in AMOUNTS}
    assert amounts == {"guaranteed": 100, "used": 200, "pending": 0, "ideal": 100, "to-preempt": 100}
    assert reports["root.b"]["pending"]["memory-mb"] == 100 * 1024
    assert [each["selected"] for each in reports.values()] == [100, 100, 0]
    assert len(marked(one)) == (0 if observe_only == "true" else 100)
    logged = [effect for effect in one.effects if isinstance(effect, WriteLog)]
    lines = [dict(line.keys) for line in logged if line.name == "preemption pass"]
    assert [line["queue"] for line in lines] == list(reports)
    assert lines[1]["to-preempt"] == "<memory:102400, vCores:100>"
    assert lines[1]["selected"] == "100"
