"""A recording says what happened: containers, shares, lives, preemptions; and of a long run not too much."""

from __future__ import annotations

from typing import Any

import pytest

from yarnbox.sim.recording import recorder as recorder_module
from yarnbox.sim.recording.containers import FIELDS
from yarnbox.sim.recording.document import InvalidRecordingError, Recording, read, write
from yarnbox.sim.recording.shape import RecordedContainer
from yarnbox.sim.scenario.playing.player import play_recorded
from yarnbox.sim.scenario.reading.document import parse_scenario

TWO_QUEUES = """\
name: two-queues
about: One has all, then the other wants its half.
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.resourcemanager.scheduler.monitor.enable: true
  yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill: 5000
  yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval: 3600000
  yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round: 1.0
  yarn.resourcemanager.monitor.capacity.preemption.natural_termination_factor: 1.0
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 50
  yarn.scheduler.capacity.root.a.user-limit-factor: 2
  yarn.scheduler.capacity.root.b.capacity: 50
nodes:
  - {name: n1, memory-mb: 4096}
steps:
  - submit: {app: a1, queue: root.a}
  - ask: {app: a1, requests: [{count: 4, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 4}
  - pull: a1
  - heartbeat: n1
  - submit: {app: b1, queue: root.b}
  - ask: {app: b1, requests: [{count: 2, memory-mb: 1024}]}
  - preempt: true
  - advance: 5s
  - preempt: true
  - heartbeat: {node: n1, times: 3}
  - pull: [a1, b1]
  - finish: [a1, b1]
  - heartbeat: n1
"""


def recorded(text: str = TWO_QUEUES) -> Recording:
    outcome, data = play_recorded(parse_scenario(text), text)
    assert outcome.is_ok, outcome.failures
    assert data is not None
    return read(write(data), "test")


@pytest.fixture(scope="module")
def recording() -> Recording:
    return recorded()


ENDS = """\
name: ends
conf: {yarn.resourcemanager.scheduler.class: fifo}
nodes:
  - {name: n1, memory-mb: 8192}
steps:
  - submit: {app: a1, managed: true, am: {memory-mb: 1024}}
  - heartbeat: {node: n1, times: 2}
  - ask: {app: a1, requests: [{count: 4, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 4}
  - ask: {app: a1}
  - heartbeat: n1
  - complete: a1/1
  - complete: {container: a1/2, status: 7}
  - ask: {app: a1, release: [a1/3]}
  - heartbeat: {node: n1, times: 2}
  - finish: a1
  - heartbeat: n1
"""


def test_ends_of_containers_are_trouble_by_their_exit_status() -> None:
    ends = {
        subject.split()[0]: (text, bool(is_trouble))
        for _, _, _, subject, text, is_trouble in recorded(ENDS).data["events"]
        if subject.startswith("a1/") and text.startswith("RUNNING to")
    }
    assert ends == {
        "a1/0": ("RUNNING to COMPLETED", False),
        "a1/1": ("RUNNING to COMPLETED", False),
        "a1/2": ("RUNNING to COMPLETED: exit status 7", True),
        "a1/3": ("RUNNING to RELEASED", False),
        "a1/4": ("RUNNING to KILLED", False),  # with its application, which has succeeded
    }


def lines(recording: Recording) -> list[tuple[str, int]]:
    """What is played at each moment, and its virtual time."""
    text = TWO_QUEUES.splitlines()
    moments = recording.data["moments"]
    return [
        (text[step - 1].strip(" -").split(":")[0] if step else "", time)
        for step, time in zip(moments["step"], moments["time"], strict=True)
    ]


def test_a_moment_for_each_step_and_each_heartbeat(recording: Recording) -> None:
    assert lines(recording) == [
        ("", 0), ("submit", 0), ("ask", 0), *[("heartbeat", 0)] * 4, ("pull", 0), ("heartbeat", 0),
        ("submit", 0), ("ask", 0), ("preempt", 0), ("advance", 5000), ("preempt", 5000),
        *[("heartbeat", 5000)] * 3, ("pull", 5000), ("finish", 5000), ("heartbeat", 5000),
    ]  # fmt: skip


def test_what_takes_no_time_counts_for_a_second(recording: Recording) -> None:
    assert list(recording.moments) == [*range(0, 12_000, 1000), *range(16_000, 24_000, 1000)]


def test_containers_have_a_beginning_and_an_end(recording: Recording) -> None:
    first, *_, last = recording.containers
    assert list(first) == list(FIELDS) == list(RecordedContainer.__annotations__)
    assert {
        key: first[key] for key in ("id", "node", "queue", "memoryMB", "started", "running", "finished")
    } == {
        "id": "container_0_0001_01_000001",
        "node": "n1:1234",
        "queue": "root.a",
        "memoryMB": 1024,
        "started": 3000,
        "running": 8000,
        "finished": 22_000,
    }
    assert (last["queue"], last["started"]) == ("root.b", 19_000)
    preempted = [one for one in recording.containers if one["exitStatus"] == -102]
    assert [one["finished"] for one in preempted] == [17_000, 17_000]


def test_shares_over_time(recording: Recording) -> None:
    series = {queue["path"]: queue for queue in recording.data["queues"]}
    assert series["root.a"]["used"][:8] == [0.0, 0.0, 0.0, 25.0, 50.0, 75.0, 100.0, 100.0]
    assert series["root.a"]["guaranteed"][3] == 50.0
    assert series["root.b"]["pending"][10] == 50.0
    assert recording.data["fairness"]["queues"][10] == 0.5
    assert recording.data["cluster"]["containers"][7] == 4


def test_figures(recording: Recording) -> None:
    figures = recording.data["figures"]
    assert (figures["makespan"], figures["isComplete"], figures["containers"]) == (21_000, True, 6)
    assert figures["queues"]["root.a"]["preempted"] == figures["preempted"] == 2
    assert (figures["queues"]["root.b"]["wait"], figures["queues"]["root.a"]["wait"]) == (9000, 2000)


RESERVED = """\
name: reserved
conf: {yarn.resourcemanager.scheduler.class: capacity}
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 50
  yarn.scheduler.capacity.root.a.user-limit-factor: 2
  yarn.scheduler.capacity.root.b.capacity: 50
nodes:
  - {name: n1, memory-mb: 4096}
  - {name: n2, memory-mb: 4096}
steps:
  - submit: {app: a1, queue: root.a}
  - ask: {app: a1, requests: [{count: 3, memory-mb: 1024}]}
  - heartbeat: {node: n1, times: 3}
  - submit: {app: b1, queue: root.b}
  - ask: {app: b1, requests: [{count: 1, memory-mb: 3072}]}
  - heartbeat: n1
"""


def test_a_node_that_is_reserved_is_no_container_yet() -> None:
    waiting = recorded(RESERVED)
    assert [one["started"] for one in waiting.containers if one["reserved"] is not None] == [None]
    queue = waiting.data["figures"]["queues"]["root.b"]
    assert (queue["containers"], queue["neverServed"]) == (0, 1)
    served = recorded(RESERVED + "  - finish: a1\n  - heartbeat: {node: n1, times: 2}\n")
    (given,) = [one for one in served.containers if one["reserved"] is not None]
    queue = served.data["figures"]["queues"]["root.b"]
    assert (queue["containers"], queue["neverServed"]) == (1, 0)
    assert given["started"] is not None
    assert queue["wait"] == given["started"] - 6000


def test_every_event_that_is_left_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = recorded().data
    monkeypatch.setattr(recorder_module, "MOST_EVENTS", 3)
    cut = recorded().data
    assert cut["events"] == whole["events"][:3]
    assert cut["eventsLeftOut"] == len(whole["events"]) - 3


def test_the_answers_of_rest_are_there_for_each_moment(recording: Recording) -> None:
    app = "/apps/application_0_0001"
    assert recording.document(app, 0) is None
    assert recording.document(app, 1)["state"] == "RUNNING"
    assert recording.document(app, len(recording.moments) - 1)["state"] == "FINISHED"
    assert recording.document("/nodes/n1:1234", 5)["usedMB"] == 3072
    queues = recording.document("/scheduler", 5)["queues"]["queue"]
    assert [one["queueName"] for one in queues] == ["a", "b"]


def test_preemptions_are_marked_and_events_are_named(recording: Recording) -> None:
    marks = [kind for _, kind, _ in recording.data["marks"]]
    assert marks.count("preemption requested") == 2
    assert marks.count("preempted") == recording.data["figures"]["preempted"] == 2
    subjects = [event[3] for event in recording.data["events"]]
    assert "a1/1 (container_0_0001_01_000001)" in subjects
    assert any(event[2] == "waits for" and event[3] == "b1" for event in recording.data["events"])


def test_what_did_not_hold_is_written_down() -> None:
    text = TWO_QUEUES + "  - expect: {apps: {a1: {state: RUNNING}}}\n"
    _, data = play_recorded(parse_scenario(text), text)
    assert data is not None
    assert data["failures"] == ["step 15: apps.a1.state: expected RUNNING, got FINISHED"]


LONG = TWO_QUEUES.replace(
    "  - advance: 5s\n", "  - advance: 5s\n" + "  - heartbeat: {node: n1, times: 10}\n" * 4
)


def test_a_long_run_keeps_fewer_moments_and_the_same_end(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = recorded(LONG)
    monkeypatch.setattr(recorder_module, "FEWEST_MOMENTS", 5)
    monkeypatch.setattr(recorder_module, "MOST_MOMENTS", 20)
    thin = recorded(LONG)
    assert len(whole.moments) > 55
    assert len(thin.moments) <= 21, "the last moment is always there"
    assert thin.end == whole.end
    kept = [list(whole.moments).index(one) for one in thin.moments]
    for name in ("/scheduler", "/nodes/n1:1234", "/apps/application_0_0001"):
        for place, number in enumerate(kept):
            assert thin.document(name, place) == whole.document(name, number), (name, place)
    for queue, other in zip(thin.data["queues"], whole.data["queues"], strict=True):
        assert queue["used"] == [other["used"][number] for number in kept]
    assert thin.containers == whole.containers


def test_values_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder_module, "FEWEST_MOMENTS", 8)
    monkeypatch.setattr(recorder_module, "MOST_VALUES", 500)
    assert len(recorded(LONG).moments) <= 10


def test_an_empty_scenario_is_a_recording() -> None:
    text = "name: empty\nconf: {yarn.resourcemanager.scheduler.class: fifo}\nsteps: []\n"
    data: dict[str, Any] = dict(recorded(text).data)
    assert data["containers"] == []
    assert data["figures"]["makespan"] == 0


BEATS = """\
name: beats
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.resourcemanager.scheduler.monitor.enable: true
  yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval: 1000
  yarn.resourcemanager.monitor.capacity.preemption.total_preemption_per_round: 1.0
  yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill: 1000
  yarnbox.scenario.heartbeat-ms: 1000
capacity-scheduler:
  yarn.scheduler.capacity.root.queues: a,b
  yarn.scheduler.capacity.root.a.capacity: 50
  yarn.scheduler.capacity.root.a.user-limit-factor: 2
  yarn.scheduler.capacity.root.b.capacity: 50
nodes:
  - {name: n1, memory-mb: 8192}
steps:
  - submit: {app: a1, queue: root.a}
  - ask: {app: a1, requests: [{count: 8, memory-mb: 1024}]}
  - submit: {app: b1, queue: root.b}
  - advance: 10s
  - ask: {app: b1, requests: [{count: 4, memory-mb: 1024}]}
  - advance: 10s
"""


def test_timers_and_heartbeats_of_one_moment_take_no_time_of_the_recording() -> None:
    moments = recorded(BEATS).data["moments"]
    (last,) = {step for step in moments["step"] if step == max(moments["step"])}
    within = [
        (at, time)
        for at, time, step in zip(moments["at"], moments["time"], moments["step"], strict=True)
        if step == last
    ]
    marked = [at - time for at, time in within[:-1]]  # the last one is the end of the step
    assert len(within) > 8
    assert len(dict.fromkeys(marked)) == 1, within


def test_a_guide_goes_along_and_a_damaged_one_is_refused() -> None:
    guided = recorded(BEATS + "guide: {watch: a, change: b, shows: [plan]}\n")
    assert guided.data["guide"] == {"watch": "a", "change": "b", "shows": ["plan"]}
    assert "guide" not in recorded(BEATS).data
    with pytest.raises(InvalidRecordingError, match="its guide is not as it should be"):
        read(write({**guided.data, "guide": {"watch": 1}}), "test")
