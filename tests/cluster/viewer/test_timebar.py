"""The bar above the pages of a run: its moments in words, and what stands there where there is no run."""

from __future__ import annotations

from tests.blocks import of_kind
from yarnbox.cluster.viewer.timebar import time_bar
from yarnbox.sim.recording.document import Recording


def test_each_moment_is_said_with_its_line(recording: Recording) -> None:
    bar = time_bar({"a": recording}, "")
    assert bar["run"] == "a"
    assert bar["at"] == recording.moments
    assert bar["said"][0][1:] == [
        " · 1 of 14",
        " · virtual time 0:00:00",
        {"code": "the cluster as it is described"},
    ]
    assert bar["said"][5][0] == {"word": "0:00:05"}
    assert bar["said"][5][3] == {"code": "heartbeat: n2"}
    assert bar["text"][5] == "0:00:05, heartbeat: n2"


def test_a_run_of_a_trace_has_no_lines(workload: Recording) -> None:
    bar = time_bar({"a": workload, "b": workload}, "b")
    (runs,) = of_kind(bar["block"], "choose")
    assert (bar["run"], [name for name, _ in runs]) == ("b", ["a", "b"])
    assert time_bar({"a": workload}, "")["block"] == [], "there is nothing to choose"
    assert {one[3] for one in bar["said"]} == {""}


def test_where_there_is_no_run_that_is_said(recording: Recording) -> None:
    none = time_bar({}, "")
    assert of_kind(none["instead"], "heading") == ["No run to show"]
    other = time_bar({"a": recording}, "zz")
    (said,) = of_kind(other["instead"], "alert")
    assert said[0] == "Here there is no run zz. "
    assert "at" not in other
