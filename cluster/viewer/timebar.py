"""The bar with the slider of time above the pages of a run: the moments of it in words, and all runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yarnbox.cluster.viewer.comparison import titles
from yarnbox.cluster.viewer.units import since
from yarnbox.rm.web.pages.blocks import alert, choose, heading, paragraph
from yarnbox.sim.recording.document import Recording

_SPEEDS = (("0.5", "half speed"), ("1", "1 moment a second"), ("4", "4 a second"), ("10", "10 a second"))
_FIRST_RUN = {"link": "The first run", "to": "/cluster/run?run=&at=0"}
_NO_RUN: list[object] = [
    "Play a scenario on the page ",
    {"link": "Simulation", "to": "/cluster/simulation"},
    ", or open a recording: ",
    {"code": "yarnbox view RECORDING"},
]


def time_bar(recordings: Mapping[str, Recording], asked: str) -> dict[str, Any]:
    """The run that is asked for, or the first one. Where there is none, what pages say instead."""
    if not recordings:
        return {"block": [], "instead": [heading("No run to show", 1), paragraph(_NO_RUN)]}
    run = asked or next(iter(recordings))
    runs = [*titles(recordings).items()]
    shown = {"block": [choose("Run", "run", runs, run, "runs")] if len(runs) > 1 else []}
    if run not in recordings:
        why = alert([f"Here there is no run {run}. ", _FIRST_RUN])
        return {**shown, "instead": [heading("Run not found", 1), why]}
    return {**shown, "run": run, "speeds": _SPEEDS, **_moments(recordings[run])}


def _moments(recording: Recording) -> dict[str, Any]:
    """Where one may stop: what is said of each, also in plain words (`text`)."""
    data = recording.data
    moments = data["moments"]
    at, time = moments["at"], moments["time"]
    lines = (data["file"] or "").split("\n") if data["kind"] == "scenario" else []
    texts = [_line(lines, number) for number in moments["step"]]
    said = [
        [
            {"word": since(at[place])},
            f" · {place + 1} of {len(at)}",
            f" · virtual time {since(time[place])}" if at[-1] != time[-1] else "",
            {"code": text} if lines else "",
        ]
        for place, text in enumerate(texts)
    ]
    plain = [f"{since(ms)}, {text}" for ms, text in zip(at, texts, strict=True)]
    return {"at": at, "said": said, "text": plain}


def _line(lines: list[str], number: int) -> str:
    """A line of the file; the first moment is before all steps."""
    if not number or number > len(lines):
        return "the cluster as it is described"
    return lines[number - 1].strip().removeprefix("- ")
