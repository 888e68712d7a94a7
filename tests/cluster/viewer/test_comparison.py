"""Two runs on the same axes."""

from __future__ import annotations

from tests.cluster.viewer.conftest import TEXT, recorded
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.cluster.viewer.comparison import POINTS, comparison, titles
from yarnbox.sim.recording.document import Recording


def test_both_begin_with_their_first_submission(recording: Recording) -> None:
    later = recorded(
        TEXT.replace("steps:\n", "steps:\n  - advance: 100s\n").replace(
            "  - finish: a1\n  - expect: {apps: {a1: {state: FINISHED}}}\n", ""
        )
    )
    found = comparison({"a": recording, "b": later})
    first, second = found["runs"]
    assert (len(found["times"]), found["times"][0]) == (POINTS + 1, 0)
    assert found["times"][-1] == recording.end - 1000, (
        "from the first submission to the end of the longer one"
    )
    for one in (first, second):
        series = one["series"]
        assert all(
            len(values) == POINTS + 1
            for values in (*series["queue"]["root.a"].values(), series["memory"], series["preempted"])
        )
        assert series["appsPending"][0] == 1
        assert series["memory"][0] == 0
    assert first["series"]["memory"][-1] is not None
    assert second["series"]["memory"][-1] is None, "it ended before"
    assert first["figures"]["queues"]["root.a"]["wait"] == second["figures"]["queues"]["root.a"]["wait"]


def test_the_axis_ends_when_nothing_is_left_to_see(recording: Recording) -> None:
    waiting, idle = (recorded(TEXT + more + "  - advance: 200s\n") for more in ("", "  - finish: b1\n"))
    assert comparison({"a": recording, "b": waiting})["times"][-1] == waiting.end - 1000
    assert idle.end > recording.end + 190_000
    assert comparison({"a": recording, "b": idle})["times"][-1] < recording.end + 1000


def test_the_differences_that_matter_begin_with_the_largest_regression(recording: Recording) -> None:
    later = TEXT.replace("  - pull: a1\n", "  - pull: a1\n  - advance: 100s\n")
    base, slower = (recorded(f"{text}  - finish: b1\n") for text in (TEXT, later))
    found = comparison({"a": base, "b": slower})["differences"]
    assert [one["isWorse"] for one in found] == sorted((one["isWorse"] for one in found), reverse=True)
    worse = [one for one in found if one["isWorse"]]
    assert any((one["what"], one["queue"]) == ("Makespan", "") for one in worse)
    values = [[float(value or 0) for value in one["values"]] for one in worse]
    sizes = [abs(b - a) / max(a, b) for a, b in values]
    assert sizes == sorted(sizes, reverse=True)
    (place,) = [number for number, one in enumerate(worse) if one["what"] == "Makespan"]
    makespan, (before, after) = worse[place], values[place]
    assert makespan["change"] == round((after - before) / before, 4) > 1, "against the first run"
    assert comparison({"a": recording, "b": recording})["differences"] == []
    unfinished = comparison({"a": recording, "b": recorded(later)})["differences"]
    assert unfinished
    assert all(one["what"] != "Makespan" for one in unfinished), "it is as long as the run"


def test_the_queue_of_fifo_is_compared_with_the_default_queue(workload: Recording) -> None:
    fifo = recorded(
        "name: fifo\nconf: {yarn.resourcemanager.scheduler.class: fifo}\n"
        "nodes:\n  - {name: n1, memory-mb: 4096}\n"
        "steps:\n  - submit: {app: a1}\n  - ask: {app: a1, requests: [{count: 1, memory-mb: 1024}]}\n"
        "  - heartbeat: n1\n"
    )
    (named,) = RecordedCluster(fifo).answer("/ui/history/queues", {"parent": "default"}, None)["history"][
        "queue"
    ]
    assert named["path"] == "default"
    for one in comparison({"a": fifo, "b": workload})["runs"]:
        assert list(one["figures"]["queues"]) == ["root.default"]
        assert list(one["series"]["queue"]) == ["root.default"]


def test_a_queue_that_nobody_used_is_not_drawn() -> None:
    unused = recorded(TEXT.split("  - submit: {app: b1")[0])
    (run,) = comparison({"a": unused})["runs"]
    assert list(run["series"]["queue"]) == ["root.a"]


def test_one_run_and_an_empty_one() -> None:
    empty = recorded("name: empty\nconf: {yarn.resourcemanager.scheduler.class: fifo}\nsteps: []\n")
    assert comparison({"a": empty})["times"] == [0]


def test_runs_are_called_by_what_tells_them_apart(recording: Recording) -> None:
    def called(*runs: Recording) -> tuple[list[str], list[str]]:
        named = dict(zip("ab", runs, strict=True))
        return [*titles(named).values()], [one["title"] for one in comparison(named)["runs"]]

    name = recording.name
    before, after = Recording(recording.data, "before.run"), Recording(recording.data, "after.run")
    assert called(before, after) == (
        [f"a: {name} (Capacity), before.run", f"b: {name} (Capacity), after.run"],
        ["a: before.run", "b: after.run"],
    )
    fair = Recording({**recording.data, "scheduler": "FairScheduler"}, "after.run")
    assert called(before, fair) == (
        [f"a: {name} (Capacity)", f"b: {name} (Fair)"],
        ["a: Capacity", "b: Fair"],
    )
    other = Recording({**recording.data, "name": "other"}, "after.run")
    both = [f"a: {name} (Capacity)", "b: other (Capacity)"]
    assert called(before, other) == (both, both)
    played = Recording(recording.data)
    assert called(played, played)[1] == ["a: Capacity", "b: Capacity"]
