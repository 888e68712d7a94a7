"""The pages of one run and of two, as they are said to browsers."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.blocks import Block, every, named, of_kind, paragraphs
from tests.cluster.viewer.conftest import TEXT, recorded
from yarnbox.cluster.commands import demo
from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.cluster.viewer.compared import compare_page, compared_page
from yarnbox.cluster.viewer.comparison import comparison
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.run import run_page
from yarnbox.sim.recording.document import Recording, read

SLOWER = TEXT.replace("  - pull: a1\n", "  - pull: a1\n  - advance: 100s\n")


def shown(recording: Recording, at: int | None = None, **more: Any) -> list[Block]:
    """The page of a run."""
    return run_page(RecordedCluster(recording), "a", at, {}, **{"demo": "", "has_twin": False, **more})


def test_a_run_says_what_it_comes_to(recording: Recording) -> None:
    page = shown(recording, 5_000)
    assert page[:2] == [
        {"heading": "two-queues", "level": 1},
        {"paragraph": recording.data["about"], "kind": ""},
    ]
    (stream,) = [one for one in every(page) if one.get("stream") == "two-queues"]
    assert stream["source"] == f"/ui/containers?run=a&at={recording.end}&origin=0"
    assert stream["to"] == "/cluster/app/{app}?run=a&at={moment}"
    (lines,) = of_kind(page, "listing")
    played = [one for one in lines if "link" in one["item"]]
    assert [one["item"]["link"] for one in played if one["isNow"]] == ["  - heartbeat: n2"]
    assert [one["item"]["ask"] for one in played if "remove-node" in one["item"]["link"]] == [["at", "11000"]]
    assert {one["kind"] for one in lines if one not in played} == {""}, "what is not played is not for later"
    chart = named(page, "Used share of each queue")
    lines = [(one["name"], one["hue"], one.get("dashed")) for one in chart["series"]]
    assert lines == [
        ("root.a", 0, None),
        ("root.a: guaranteed", 0, "dashed"),
        ("root.b", 1, None),
        ("root.b: guaranteed", 1, "dashed"),
    ]
    assert (chart["marks"][-1]["kind"], chart["marks"][-1]["time"]) == ("now", EPOCH_MS + 5_000)
    assert len(chart["times"]) == len(chart["series"][0]["values"]) == len(recording.moments)
    (facts,) = [one["facts"] for one in page if "facts" in one]
    told = {one["name"]: one["value"] for one in facts}
    assert told["Complete"] == "No: not all applications ended."
    assert (told["Applications"], told["Containers"]) == (2, str(recording.data["figures"]["containers"]))
    first, second = named(page, "Queues")["table"]
    assert first[0] == {"link": "root.a", "to": "/cluster/scheduler?queue=root.a"}
    assert second[1] == "1, 1 never served"
    assert any("counts as one second" in str(one.get("paragraph")) for one in every(page))


def test_a_run_tells_what_failed_and_what_is_left_out(recording: Recording) -> None:
    data = recording.data.copy()
    data["failures"] = ["a: expected 1"]
    data["containersOfEvery"], data["containersSeen"] = 3, 9
    page = shown(Recording(data, "x"))
    assert {"items": ["a: expected 1"], "kind": "error"} in every(page)
    assert page[-1]["paragraph"].startswith("The run had 9 containers. The recording keeps those of")
    fair = shown(Recording({**recording.data, "scheduler": "FairScheduler"}, "x"))
    assert {"paragraph": "Solid: used. Dashed: fair share.", "kind": "legend"} in every(fair)


@pytest.fixture(scope="module")
def guided() -> dict[str, Recording]:
    names = ("delay", "preemption", "reservations", "drf")
    return {name: read(demo.recorded(demo.demos()[name])[0], name) for name in names}


def test_a_guide_says_what_to_watch_and_where_to_go_on(guided: dict[str, Recording]) -> None:
    (card, *_) = shown(guided["delay"], demo="delay.yaml", has_twin=True)[2:]
    assert card["kind"] == "card guide"
    assert [one["heading"] for one in card["section"] if "heading" in one] == [
        "What to watch",
        "Change one thing",
    ]
    assert {"link": "compare both", "to": "/cluster/compare"} in card["section"][2]["paragraph"]
    assert card["section"][-1]["paragraph"]["to"] == "/cluster/simulation?file=delay.yaml"
    (card, *_) = shown(guided["delay"])[2:]
    assert len(card["section"]) == 4


def test_a_guide_shows_the_numbers_of_a_moment(guided: dict[str, Recording]) -> None:
    page = shown(guided["delay"], 12_000)
    (counts,) = [one for one in page if one.get("label") == "Skipped opportunities at this moment"]
    assert {"together": ["query ", {"word": "2"}, ""]} in counts["paragraph"]
    chart = named(page, "Skipped opportunities")
    assert "query" in {one["name"] for one in chart["series"]}
    assert (chart["digits"], chart["top"], chart["marks"][0]["kind"]) == (0, 4, "now")
    assert chart["times"][chart["present"]] == chart["marks"][0]["time"]
    table = named(page, "Applications at this moment")
    assert "Node-local" in [one["term"] for one in table["columns"] if isinstance(one, dict)]
    assert "Dominant share" not in table["columns"]
    (query,) = [row for row in table["table"] if row[0]["link"] == "query"]
    assert "opportunities missed" in str(query[-1]["lines"])
    shares = shown(guided["drf"])
    words = next(one for one in shares if one.get("label") == "Dominant shares at this moment")["paragraph"]
    assert words[0] == {"together": ["of-ann ", {"word": "66.7 %"}, " of memory"]}


def test_a_guide_tells_what_was_preempted(guided: dict[str, Recording]) -> None:
    rows = named(shown(guided["preemption"]), "Preemption until this moment")["table"]
    assert len(rows) == 6
    name, queue, _, marked, whom, killed, heir = rows[0]
    assert (name["word"].split(" ")[0], queue, whom) == ("scan", "root.adhoc", "queue root.etl")
    assert name["title"].endswith(name["word"].split(" ")[1])
    assert (marked[:2], killed[:2], heir.split(",")[0]) == ("0:", "0:", "nightly")
    early = named(shown(guided["preemption"], 14_000), "Preemption until this moment")["table"]
    assert {(row[5], row[6]) for row in early} == {("waits", "")}


def test_a_plan_shows_what_is_booked_until_nothing_is(guided: dict[str, Recording]) -> None:
    page = shown(guided["reservations"])
    (chart,) = [one for one in every(page) if str(one.get("chart", "")).startswith("Plan of")]
    assert (chart["suffix"], chart["ceiling"], chart["isStacked"]) == (" GiB", 16, True)
    assert {one["values"][-1] for one in chart["series"]} == {0}
    assert len(chart["times"]) == len(chart["series"][0]["values"])
    (table,) = [one for one in page if str(one.get("name", "")).startswith("Reservations of")]
    report = next(row for row in table["table"] if row[0] == "report")
    assert report[3].endswith(": 8.0 GiB")
    before = shown(guided["reservations"], 3_000)
    assert [one for one in before if one.get("paragraph") == "There are no reservations yet."]


def test_a_page_to_compare_offers_the_runs_that_there_are(recording: Recording) -> None:
    def offered(*runs: str, asked: str = "", has_report: bool = False) -> list[Block]:
        every = dict.fromkeys(runs, recording)
        return compare_page(every, {"runs": asked}, has_report=has_report)

    assert paragraphs(offered("a"))[0].startswith("Two runs can be compared.")
    assert of_kind(offered(has_report=True), "report") == ["What if"]
    assert of_kind(offered("a", "b"), "choose") == [], "there is nothing to choose"
    first, second = [one for one in offered("a", "b", "c", asked="c,a") if "choose" in one]
    assert first["present"] == second["present"] == "c,a"
    assert [value for value, _ in first["choose"]] == ["a,a", "b,a", "c,a"]
    assert [value for value, _ in second["choose"]] == ["c,a", "c,b", "c,c"]


def test_two_runs_are_compared_figure_by_figure(recording: Recording) -> None:
    base, slower = (recorded(f"{text}  - finish: b1\n") for text in (TEXT, SLOWER))
    page = compared_page(comparison({"a": base, "b": slower}), {})
    assert page[0] == {"paragraph": "Both runs: two-queues", "kind": "id"}
    changed = named(page, "From a: Capacity to b: Capacity")["table"]
    assert changed[0][0][0] == {"word": "worse", "kind": "trouble"}
    assert changed[0][0][1].startswith(" +")
    figures = {row[0]: row[1:] for row in named(page, "Figures")["table"]}
    assert figures["Makespan"][0][1] == {"word": " better", "kind": "better"}
    assert isinstance(figures["Makespan"][1], str), "the longer one"
    assert isinstance(figures["Containers"][0], str), "of which neither is better"
    unfinished = compared_page(comparison({"a": recording, "b": recorded(SLOWER)}), {})
    figures = {row[0]: row[1:] for row in named(unfinished, "Figures")["table"]}
    assert all(isinstance(one, str) for one in figures["Makespan"]), "it is as long as the run"


def test_waits_streams_and_series_of_two_runs(recording: Recording) -> None:
    other = recorded(
        "name: other\n" + TEXT.split("\n", 1)[1].replace("root.queues: a,b", "root.queues: a,b,c")
    )
    page = compared_page(comparison({"a": recording, "b": other}), {})
    assert "heading" in page[0], "no name in common"
    waits = named(page, "How long applications waited for their first container, by queue")
    assert [one["hue"] for one in waits["columns"][1:]] == [0, 1]
    (_, first, _), (_, second, _) = waits["table"]
    assert first[0]["said"].endswith(" s")
    assert second[1]["small"].endswith(", 1 never served")
    assert 0 < first[0]["share"] <= 100
    streams = [parse_qs(urlsplit(one["source"]).query) for one in page if "stream" in one]
    ends = [str(one.end) for one in (recording, other)]
    assert [one["run"] + one["origin"] for one in streams] == [["a", "1000"], ["b", "1000"]]
    assert [one["at"] for one in streams] == [[end] for end in ends]
    charts = [one for one in every(page) if "chart" in one]
    assert charts[-1]["chart"] == "Memory used by root.b"
    assert all(len(one["values"]) == len(chart["times"]) for chart in charts for one in chart["series"])
    assert {(chart["digits"], chart["suffix"]) for chart in charts} == {(1, " %"), (3, ""), (0, "")}
    assert {chart["present"] for chart in charts} == {None}
