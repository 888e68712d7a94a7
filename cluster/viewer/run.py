"""The page of one run: what it comes to, its queues over time, and what its figures mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from yarnbox.cluster.viewer.answers import RecordedCluster
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.guide import guide
from yarnbox.cluster.viewer.units import index, span
from yarnbox.rm.web.pages.blocks import (
    chart,
    facts,
    folded,
    heading,
    items,
    line,
    listing,
    paragraph,
    run_stream,
    section,
    table,
)
from yarnbox.rm.web.pages.facts import fact, queue_page
from yarnbox.rm.web.pages.taskstream import with_choices
from yarnbox.rm.web.queues.words import percentage
from yarnbox.sim.recording.shape import Figures, RecordingData

Blocks = list[dict[str, Any]]
FIGURES: tuple[tuple[str, Callable[[Figures], Any], Callable[[Any], str], int], ...] = (
    ("Makespan", lambda one: one["makespan"], span, -1),
    ("Applications that ended", lambda one: one["finished"], str, 1),
    ("Containers", lambda one: one["containers"], str, 0),
    ("Containers preempted", lambda one: one["preempted"], str, -1),
    ("Memory used, on average", lambda one: one["averages"].get("memory"), percentage, 0),
    ("VCores used, on average", lambda one: one["averages"].get("vcores"), percentage, 0),
    ("Fairness between queues, on average", lambda one: one["averages"].get("queues"), index, 1),
    ("Fairness between applications, on average", lambda one: one["averages"].get("apps"), index, 1),
)
"""Name, value, how it is said; and whether more is better (1), less is (-1), or neither can be said (0)."""


def run_page(
    cluster: RecordedCluster, run: str, at: int | None, asked: Mapping[str, str], *, demo: str, has_twin: bool
) -> Blocks:
    """`asked` are the parameters of the page. `demo` is a file that can be changed and played again;
    `has_twin` is said where there is another run of the same scenario.
    """
    recording, moment = cluster.recording, cluster.place(at)
    data, now_ms = recording.data, EPOCH_MS + recording.moments[moment]
    beside = [
        *_shares(cluster, at),
        heading("Containers on nodes"),
        *with_choices(run_stream(recording.name, run, (0, recording.moments[-1]), "app", now_ms), asked),
    ]
    has_file = data["file"] and data["kind"] == "scenario"
    return [
        heading(recording.name, 1),
        *([paragraph(data["about"])] if data["about"] else ()),
        *_failures(data["failures"]),
        *guide(recording, moment, demo=demo, has_twin=has_twin),
        *([section([_listing(data, moment), section(beside)], "stage")] if has_file else beside),
        *_figures(data),
    ]


def _listing(data: RecordingData, moment: int) -> dict[str, Any]:
    """The file, in which each line that is played leads to the first moment of it."""
    steps, at = data["moments"]["step"], data["moments"]["at"]
    firsts: dict[int, int] = {}
    for place, number in enumerate(steps):
        firsts.setdefault(number, place)
    lines = []
    for number, text in enumerate((data["file"] or "").rstrip().split("\n"), 1):
        first, is_now = firsts.get(number), number == steps[moment]
        kind = "now" if is_now else "later" if (first or 0) > moment else ""
        shown = text if first is None else {"link": text, "ask": ["at", str(at[first] or "")]}
        lines.append({"item": shown, "kind": kind, "isNow": is_now})
    return listing("The file", lines)


def _failures(found: list[str]) -> Blocks:
    return [section([heading("Failed expectations"), items(found, "error")], "card")] if found else []


def _shares(cluster: RecordedCluster, at: int | None) -> Iterator[dict[str, Any]]:
    history = cluster.answer("/ui/history/queues", {"whole": "1"}, at)["history"]
    is_fair = cluster.recording.scheduler == "FairScheduler"
    due, name = ("fair", "fair share") if is_fair else ("guaranteed", "guaranteed")
    series = [
        one
        for hue, queue in enumerate(history["queue"])
        for one in (
            line(queue["path"], queue["used"], hue=hue),
            line(f"{queue['path']}: {name}", queue[due], hue=hue, dashed="dashed"),
        )
    ]
    yield heading("Queues")
    yield chart("Used share of each queue", history["times"], series, marks=history["mark"])
    yield paragraph(f"Solid: used. Dashed: {name}.", "legend")


def _figures(data: RecordingData) -> Iterator[dict[str, Any]]:
    figures = data["figures"]
    yield heading("Figures of the whole run")
    is_whole = figures["isComplete"]
    yield facts(
        [
            fact("Scheduler", data["scheduler"]),
            fact("Applications", figures["apps"]),
            *(() if is_whole else (fact("Complete", "No: not all applications ended."),)),
            *(fact(what, said(of(figures))) for what, of, said, _ in FIGURES),
        ]
    )
    yield _queues(figures)
    yield folded("What these figures mean", [*map(paragraph, _meaning(data))])
    if data["containersOfEvery"] > 1:
        said = (
            f"The run had {data['containersSeen']} containers. The recording keeps those of one in "
            f"{data['containersOfEvery']} applications; all sums count every container."
        )
        yield paragraph(said, "empty")


def _queues(figures: Figures) -> dict[str, Any]:
    rows = [
        [
            {"link": path, "to": queue_page(path)},
            f"{one['apps']}, {one['neverServed']} never served" if one["neverServed"] else one["apps"],
            span(one["wait"]),
            span(one["longestWait"]),
            span(one["life"]),
            one["containers"],
            one["preempted"],
        ]
        for path, one in figures["queues"].items()
    ]
    columns = ["Queue", "Applications", "Waited, mean", "Longest wait", "Lived, mean"]
    columns += ["Containers", "Preempted"]
    return table("Queues", columns, rows, "No applications were submitted.")


def _meaning(data: RecordingData) -> Iterator[str]:
    if data["moments"]["at"][-1] != data["moments"]["time"][-1]:
        yield (
            "A step or a heartbeat that takes no virtual time counts as one second, so that events can be "
            "watched one after the other. All times on these pages are of this clock; the virtual time "
            "stands beside the slider."
        )
    yield (
        "The makespan goes from the first submission to the end of the last application, or to the end of "
        "the run. An application waits from its submission to its first container other than its AM's."
    )
    yield (
        "Fairness is Jain's index of what each uses, divided by what max-min fairness (dominant resource "
        "fairness, where the scheduler compares several resources) would give it for its demand: 1.000 is "
        "even, 1/n means that one of n has everything. Queues are weighted by their guaranteed capacities or "
        "steady fair shares."
    )
