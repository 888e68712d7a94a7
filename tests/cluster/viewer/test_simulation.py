"""What the page says from which simulations are run."""

from __future__ import annotations

from yarnbox.cluster.viewer.simulation import simulation_page
from yarnbox.sim.recording.document import Recording


def test_runs_lead_to_their_pages_and_to_comparisons_with_the_last(recording: Recording) -> None:
    fair = Recording({**recording.data, "scheduler": "FairScheduler"}, "x")
    page = simulation_page({"a": recording, "s1": fair})
    assert page["schedulers"][:2] == [["", "the one that the file names"], ["fifo", "FifoScheduler"]]
    first, last = page["runs"][1]["table"]
    assert first == [
        {"link": "a", "to": "/cluster/run?run=a"},
        "two-queues",
        "CapacityScheduler",
        {"link": "compare with s1", "to": "/cluster/compare?runs=a,s1"},
    ]
    assert last[2:] == ["FairScheduler", ""], "nobody compares it with itself"
    assert simulation_page({})["runs"] == []
