"""Which charts the pages of the cluster and of queues have."""

from __future__ import annotations

from typing import Any

from yarnbox.rm.web.pages.charts import cluster_charts, queue_charts

TIMES = [0, 1000]
PAST = {"times": TIMES, "containers": [0, 3], "appsRunning": [0, 1], "appsPending": [1, 0]}


def history(*paths: str) -> dict[str, Any]:
    measures = ("used", "guaranteed", "fair", "maximum", "pending")
    queues = [{"path": path, **{name: [0.0, 50.0] for name in measures}} for path in paths]
    return {"times": TIMES, "queue": queues, "mark": [{"time": 1, "kind": "node lost", "text": "n1"}]}


def test_the_cluster_by_queue_and_in_counts() -> None:
    head, both = cluster_charts(PAST, history("root.a", "root.b"), is_labelled=False, is_run=False)
    assert head["heading"] == "Use over the last hour, by queue"
    by_queue, counts = both["section"]
    assert by_queue["chart"] == "Share of the cluster used"
    assert by_queue["isStacked"]
    assert by_queue["marks"][0]["kind"] == "node lost"
    assert [one["name"] for one in by_queue["series"]] == ["root.a", "root.b"]
    assert [one["values"] for one in counts["series"]] == [[0, 3], [0, 1], [1, 0]]
    assert (counts["digits"], counts["present"]) == (0, 1)
    told = [one["name"] for one in counts["series"]]
    assert told[1:] == ["applications with a container", "applications without one"], "not by their states"
    head, both = cluster_charts(PAST, history(), is_labelled=True, is_run=True)
    assert head["heading"] == "Use over the whole run, by queue"
    assert both["section"][0]["chart"] == "Share of the default partition used"


def test_queues_stand_on_one_another_and_then_beside_what_is_due_to_each() -> None:
    stacked, marks, more = queue_charts(history("root.a", "root.b"), "CapacityScheduler")
    assert stacked["isStacked"]
    assert marks["paragraph"].startswith("Vertical lines: preemption requested")
    assert more["summary"] == "Each queue and its guarantee and maximum"
    (grid,) = more["folded"]
    first, _ = grid["section"]
    head, chart = first["section"]
    assert (head["heading"], head["level"]) == ("root.a", 3)
    lines = [(one["name"], one.get("dashed")) for one in chart["series"]]
    assert lines == [("used", None), ("guaranteed", "dashed"), ("maximum", "dotted")]
    (*_, more) = queue_charts(history(*(f"root.q{number}" for number in range(20))), "FairScheduler")
    assert more["summary"] == "Each queue and its fair share"
    assert len(more["folded"][0]["section"]) == 8, "no more than a page can draw"


def test_one_queue_is_not_a_part_of_anything() -> None:
    one, marks = queue_charts(history("root.a"), "FairScheduler")
    assert one["section"][1]["chart"] == "root.a: used and fair share"
    assert "Vertical lines" in marks["paragraph"]
    stacked, marks = queue_charts(history("default"), "FifoScheduler")
    assert stacked["isStacked"]
    assert marks["paragraph"] == "Vertical lines: node added or lost."
    assert len(queue_charts(history(), "CapacityScheduler")) == 2
