"""What the page says from which simulations are run."""

from __future__ import annotations

from tests.blocks import named, of_kind
from yarnbox.cluster.viewer.simulation import simulation_page
from yarnbox.sim.recording.document import Recording


def test_runs_lead_to_their_pages_and_to_comparisons_with_the_last(recording: Recording) -> None:
    fair = Recording({**recording.data, "scheduler": "FairScheduler"}, "x")
    first, last = named(simulation_page({"a": recording, "s1": fair}, [], "", ""), "Runs")["table"]
    assert first == [
        {"link": "a", "to": "/cluster/run?run=a"},
        "two-queues",
        "CapacityScheduler",
        {"link": "compare with s1", "to": "/cluster/compare?runs=a,s1"},
    ]
    assert last[2:] == ["FairScheduler", ""], "nobody compares it with itself"
    assert of_kind(simulation_page({}, [], "", ""), "table") == []


def test_a_file_is_chosen_and_its_text_can_be_changed() -> None:
    page = simulation_page({}, ["x.yaml", "y.tsv"], "x.yaml", "name: x")
    (choices,) = of_kind(page, "choose")
    assert choices == [["", "choose one"], ["x.yaml", "x.yaml"], ["y.tsv", "y.tsv"]]
    (form,) = [one for one in page if "form" in one]
    assert (form["key"], form["calls"]) == ("simulation x.yaml", [["POST", "/ui/simulations"]])
    fields = {one.get("name"): one for one in form["form"]}
    assert (fields["name"]["value"], fields["text"]["value"]) == ("x.yaml", "name: x")
    assert fields["scheduler"]["choices"][1] == ("fifo", "FifoScheduler")
    assert (fields["nodes"]["value"], fields["nodes"]["max"]) == (4, 200)
