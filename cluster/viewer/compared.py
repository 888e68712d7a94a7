"""The page of two runs beside one another: what changed, figures, waits, containers, series."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from yarnbox.cluster.viewer.comparison import Comparison, Difference, Run, comparison, titles
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.run import FIGURES
from yarnbox.cluster.viewer.units import index, span
from yarnbox.rm.web.pages.blocks import (
    Values,
    chart,
    choose,
    heading,
    line,
    paragraph,
    run_stream,
    section,
    table,
)
from yarnbox.rm.web.pages.taskstream import with_choices
from yarnbox.rm.web.queues.words import percentage
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.shape import QueueFigures

Block = dict[str, Any]
_PAIR = 2
_REPORT = "/ws/v1/cluster/ui/what-if"
_TOO_FEW = "Two runs can be compared. Open two recordings (yarnbox view ONE OTHER), or play another one."
_MAKESPAN = "Makespan"
_CHARTS = (
    ("Memory used, of the cluster", "memory", "percent"),
    ("Fairness between queues", "fairness-queues", "index"),
    ("Fairness between applications", "fairness-apps", "index"),
    ("Containers", "containers", "count"),
    ("Memory pending, of the cluster", "pending", "percent"),
    ("Containers preempted so far", "preempted", "count"),
    ("Applications without a container", "appsPending", "count"),
)
_UNITS: dict[str, Callable[[Any], str]] = {"ms": span, "count": str, "percent": percentage, "index": index}


def compare_page(
    every: Mapping[str, Recording], asked: Mapping[str, str], *, has_report: bool
) -> list[Block]:
    """Of the two runs that are asked for, or the first two; and the report of `yarnbox whatif`, as it is."""
    named = [name for name in asked.get("runs", "").split(",") if name in every]
    chosen = (named if len(named) == _PAIR else [*every])[:_PAIR]
    report: list[Block] = [{"report": "What if", "at": _REPORT}] if has_report else []
    if len(chosen) < _PAIR:
        return [heading("Compare", 1), *(report or [paragraph(_TOO_FEW, "empty")])]
    first, second = chosen
    called = titles(every).items()
    pickers = [
        choose("First", "runs", [(f"{run},{second}", title) for run, title in called], ",".join(chosen)),
        choose("Second", "runs", [(f"{first},{run}", title) for run, title in called], ",".join(chosen)),
    ]
    page = compared_page(comparison({name: every[name] for name in chosen}), asked)
    return [heading("Compare", 1), *report, *(pickers if len(every) > _PAIR else ()), *page]


def compared_page(found: Comparison, asked: Mapping[str, str]) -> list[Block]:
    """Of two runs; `asked` are the parameters of the page."""
    runs = found["runs"]
    same = len({one["name"] for one in runs}) == 1
    streams = [one for run in runs for one in (heading(run["title"], 3), *_stream(run, asked))]
    return [
        *([paragraph(f"Both runs: {runs[0]['name']}", "id")] if same else ()),
        heading("What changed"),
        _changes(found["differences"], [one["title"] for one in runs]),
        _figures(runs),
        _waiting(runs),
        paragraph("Time begins with the first submission of each run.", "legend"),
        heading("Containers on nodes"),
        *streams,
        section([section(list(one)) for one in _charts(found)], "charts"),
    ]


def _changes(found: Sequence[Difference], titles: Sequence[str]) -> Block:
    """What got worse comes first, the largest change on top."""
    rows = [
        [
            [_judged(one["isWorse"]), f" {_signed(one['change'])}"],
            one["what"],
            one["queue"] or "all",
            *map(_UNITS[one["unit"]], one["values"]),
        ]
        for one in found
    ]
    none = "No figure of the two runs differs by 5 % or more; times below a second do not count."
    return table(f"From {titles[0]} to {titles[1]}", ["Change", "Figure", "Queue", *titles], rows, none)


def _judged(is_worse: bool) -> Block:
    return {"word": "worse", "kind": "trouble"} if is_worse else {"word": "better", "kind": "better"}


def _signed(change: float | None) -> str:
    """Against the first run; of nothing there is no part."""
    if change is None:
        return "from 0"
    return f"{'+' if change > 0 else ''}{percentage(100 * change)}"


def _heads(first: str, runs: Sequence[Run]) -> list[object]:
    return [first, *({"swatch": one["title"], "hue": hue} for hue, one in enumerate(runs))]


def _figures(runs: Sequence[Run]) -> Block:
    """A makespan that ends with the run says nothing of its jobs."""
    are_complete = all(one["figures"]["isComplete"] for one in runs)
    rows: list[list[object]] = []
    for what, of, said, better in FIGURES:
        values = [of(one["figures"]) for one in runs]
        row: list[object] = [what]
        for value in values:
            is_better = (are_complete or what != _MAKESPAN) and any(
                value is not None
                and other is not None
                and better * (value - other) > 0
                and said(value) != said(other)
                for other in values
            )
            row.append([said(value), {"word": " better", "kind": "better"}] if is_better else said(value))
        rows.append(row)
    return table("Figures", _heads("Figure", runs), rows)


def _waiting(runs: Sequence[Run]) -> Block:
    every = [one["figures"]["queues"] for one in runs]
    longest = max([1, *(one["longestWait"] or 0 for queues in every for one in queues.values())])
    rows = [
        [path, *(_wait(queues.get(path), longest) for queues in every)]
        for path in dict.fromkeys(path for queues in every for path in queues)
    ]
    name = "How long applications waited for their first container, by queue"
    return table(name, _heads("Queue", runs), rows, "No applications were submitted.")


def _wait(queue: QueueFigures | None, longest: int) -> object:
    if queue is None:
        return "N/A"
    never = f", {queue['neverServed']} never served" if queue["neverServed"] else ""
    details = f" longest {span(queue['longestWait'])}{never}"
    return [{"share": 100 * (queue["wait"] or 0) / longest, "said": span(queue["wait"])}, {"small": details}]


def _stream(run: Run, asked: Mapping[str, str]) -> list[Block]:
    """The containers of the run, which the page reads by itself."""
    return with_choices(run_stream(run["title"], run["run"], (run["begin"], run["end"]), "queue"), asked)


def _charts(found: Comparison) -> Iterator[tuple[Block, Block]]:
    moments = [EPOCH_MS + time for time in found["times"]]
    runs = found["runs"]

    def pair(what: str, of: Sequence[Values | None], unit: str) -> tuple[Block, Block]:
        series = [
            line(one["title"], values if values is not None else [None] * len(moments))
            for one, values in zip(runs, of, strict=True)
        ]
        return heading(what), chart(what, moments, series, unit=unit, present=None)

    for what, name, unit in _CHARTS:
        series: list[Any] = [dict(one["series"])[name] for one in runs]
        yield pair(what, series, unit)
    queues = [one["series"]["queue"] for one in runs]
    for path in dict.fromkeys(path for one in queues for path in one):
        used = [one[path]["used"] if path in one else None for one in queues]
        yield pair(f"Memory used by {path}", used, "percent")
