"""Two runs on the same axes."""

from __future__ import annotations

from cluster.viewer.comparison import POINTS, comparison
from sim.recording.document import Recording
from tests.cluster.viewer.conftest import TEXT, recorded


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


def test_one_run_and_an_empty_one() -> None:
    empty = recorded("name: empty\nconf: {yarn.resourcemanager.scheduler.class: fifo}\nsteps: []\n")
    assert comparison({"a": empty})["times"] == [0]
