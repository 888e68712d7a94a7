"""Two recordings, or one, on the same axes: a table of figures, and series over the same moments.

Both begin at their own first submission, so that what is compared is how they went on from there. The one
queue of the FifoScheduler, which it calls default, is compared with root.default of the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from yarnbox.rm.web.past import Measure
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.shape import Figures, QueueSeries
from yarnbox.sim.whatif.comparison import Row, ranked, row_of
from yarnbox.sim.whatif.metrics import ALL, Better, Metric, Unit
from yarnbox.sim.whatif.statistics import Verdict

POINTS = 300
_PREEMPTED = -102
_ONLY_QUEUE = "root.default"
_ACTIVE = ("appsRunning", "appsPending", "containers")
_SERIES = ("memory", "vcores", "containers", "pending", "appsRunning", "appsPending")


Column = list[float | None]
"""A value for each moment; None before a run began and after it ended."""
Series = TypedDict(
    "Series",
    {
        "memory": Column,
        "vcores": Column,
        "containers": Column,
        "pending": Column,
        "appsRunning": Column,
        "appsPending": Column,
        "fairness-queues": Column,
        "fairness-apps": Column,
        "preempted": Column,
        "queue": dict[str, dict[str, Column]],
    },
)


class Run(TypedDict):
    """One of the runs that are compared."""

    run: str
    begin: int
    end: int
    name: str
    title: str
    figures: Figures
    series: Series


class Difference(TypedDict):
    """A figure that differs enough to be shown."""

    what: str
    queue: str
    unit: str
    values: list[float | None]
    change: float | None
    isWorse: bool


class Comparison(TypedDict):
    """What the page of the comparison shows."""

    times: list[int]
    differences: list[Difference]
    runs: list[Run]


def comparison(recordings: Mapping[str, Recording]) -> Comparison:
    """What the page of the comparison shows."""
    begins = {run: _begin(one) for run, one in recordings.items()}
    longest = max((_last(one) - begins[run] for run, one in recordings.items()), default=0)
    times = [round(longest * place / POINTS) for place in range(POINTS + 1)] if longest else [0]
    figures = {run: _figures(one) for run, one in recordings.items()}
    apart = _titles_apart(recordings)
    return {
        "times": times,
        "differences": differences(*figures.values()) if len(figures) == 2 else [],
        "runs": [
            {
                "run": run,
                "begin": begins[run],
                "end": one.moments[-1],
                "name": one.name,
                "title": apart[run],
                "figures": figures[run],
                "series": _series(one, begins[run], times),
            }
            for run, one in recordings.items()
        ],
    }


def titles(recordings: Mapping[str, Recording]) -> dict[str, str]:
    """What each is called. Those of one name and scheduler are told apart by the files that they are from."""
    called = {run: f"{one.name} ({_scheduler(one)})" for run, one in recordings.items()}
    many = Counter(called.values())
    return {
        run: f"{run}: {called[run]}{f', {one.file}' if one.file and many[called[run]] > 1 else ''}"
        for run, one in recordings.items()
    }


def _titles_apart(recordings: Mapping[str, Recording]) -> dict[str, str]:
    """The same without what all of them have in common."""
    if len({one.name for one in recordings.values()}) > 1:
        return titles(recordings)
    is_told = len({one.scheduler for one in recordings.values()}) > 1
    return {run: f"{run}: {(not is_told and one.file) or _scheduler(one)}" for run, one in recordings.items()}


def _scheduler(recording: Recording) -> str:
    return recording.scheduler.replace("Scheduler", "")


def _begin(recording: Recording) -> int:
    """The moment of the first submission."""
    firsts = [
        tracks["/startedTime"][1]
        for name, tracks in recording.documents.items()
        if name.startswith("/apps/") and tracks.get("/startedTime")
    ]
    return min(firsts, default=0)


def _last(recording: Recording) -> int:
    """The moment from which on nothing runs and nobody waits; a scenario may go on much longer."""
    cluster = recording.data["cluster"]
    busy = [
        place
        for name in _ACTIVE
        for place, value in enumerate(cluster.get(name, ()))
        if value and place + 1 < len(recording.moments)
    ]
    return recording.moments[max(busy) + 1] if busy else recording.end


def _series(recording: Recording, begin: int, times: Sequence[int]) -> Series:
    moments = recording.moments
    places = [
        bisect_right(moments, begin + time) - 1 if begin + time <= recording.end else None for time in times
    ]
    data = recording.data
    cluster = {name: _at(data["cluster"].get(name, ()), places) for name in _SERIES}
    ends = sorted(
        one["finished"]
        for one in recording.containers
        if one["exitStatus"] == _PREEMPTED and one["finished"] is not None
    )
    return {
        "memory": cluster["memory"],
        "vcores": cluster["vcores"],
        "containers": cluster["containers"],
        "pending": cluster["pending"],
        "appsRunning": cluster["appsRunning"],
        "appsPending": cluster["appsPending"],
        "fairness-queues": _at(data["fairness"]["queues"], places),
        "fairness-apps": _at(data["fairness"]["apps"], places),
        "preempted": [
            None if place is None else bisect_right(ends, moments[place]) if place >= 0 else 0
            for place in places
        ],
        "queue": {
            _path(queue["path"]): {
                "used": _of_queue(queue, "used", places),
                "pending": _of_queue(queue, "pending", places),
            }
            for queue in data["queues"]
            if queue["isLeaf"] and queue["partition"] == "" and (any(queue["used"]) or any(queue["pending"]))
        },
    }


def _path(leaf: str) -> str:
    return _ONLY_QUEUE if leaf in ("default", "root") else leaf


def _figures(recording: Recording) -> Figures:
    figures = recording.data["figures"]
    return {**figures, "queues": {_path(path): one for path, one in figures["queues"].items()}}


@dataclass(frozen=True, slots=True)
class _Measure:
    """A figure of a recording: where it is found, how it is shown, and the least difference that matters."""

    key: str
    unit: str
    least: float
    metric: Metric


_OF_RUN = (
    _Measure("makespan", "ms", 1_000, Metric("Makespan", Unit.TIME, Better.LOWER, "")),
    _Measure("finished", "count", 1, Metric("Applications that ended", Unit.COUNT, Better.HIGHER, "")),
    _Measure("preempted", "count", 1, Metric("Containers preempted", Unit.COUNT, Better.LOWER, "")),
)
_AVERAGES = (
    _Measure("memory", "percent", 1, Metric("Memory used, on average", Unit.SHARE, Better.HIGHER, "")),
    _Measure("queues", "index", 0.01, Metric("Fairness between queues", Unit.FACTOR, Better.HIGHER, "")),
    _Measure("apps", "index", 0.01, Metric("Fairness between applications", Unit.FACTOR, Better.HIGHER, "")),
)
_OF_QUEUE = (
    _Measure("wait", "ms", 1_000, Metric("Mean wait", Unit.TIME, Better.LOWER, "")),
    _Measure("longestWait", "ms", 1_000, Metric("Longest wait", Unit.TIME, Better.LOWER, "")),
    _Measure("life", "ms", 1_000, Metric("Mean time from submission to end", Unit.TIME, Better.LOWER, "")),
    _Measure("neverServed", "count", 1, Metric("Applications never served", Unit.COUNT, Better.LOWER, "")),
    _Measure("preempted", "count", 1, Metric("Containers preempted", Unit.COUNT, Better.LOWER, "")),
)
_MATTERS = 0.05
"""The least relative difference: of one run each, nobody knows what chance had to do with it."""


def differences(first: Figures, second: Figures) -> list[Difference]:
    """What got worse from the first run to the second, the largest change first, then what got better: the
    rows of `yarnbox whatif`, in its order. A makespan that ends with the run says nothing of its jobs.
    """
    are_complete = first["isComplete"] and second["isComplete"]
    of_run = [one for one in _OF_RUN if are_complete or one.key != "makespan"]
    found = [
        *_between(of_run, first, second, ALL),
        *_between(_AVERAGES, first["averages"], second["averages"], ALL),
    ]
    for path in first["queues"].keys() & second["queues"].keys():
        found.extend(_between(_OF_QUEUE, first["queues"][path], second["queues"][path], f"queue:{path}"))
    units = {one.metric.name: one.unit for one in (*_OF_RUN, *_AVERAGES, *_OF_QUEUE)}
    return [
        {
            "what": row.metric.name,
            "queue": row.group.partition(":")[2],
            "unit": units[row.metric.name],
            "values": [row.base, row.changed],
            "change": None if row.relative is None else round(row.relative, 4),
            "isWorse": row.direction is Verdict.WORSE,
        }
        for row in ranked(found, lambda row: row.direction)
    ]


def _between(
    measures: Sequence[_Measure], first: Mapping[str, object], second: Mapping[str, object], group: str
) -> Iterator[Row]:
    for one in measures:
        before, after = first.get(one.key), second.get(one.key)
        if not isinstance(before, int | float) or not isinstance(after, int | float):
            continue
        if abs(after - before) < one.least:
            continue
        row = row_of(group, one.metric, before, after)
        if row.size >= _MATTERS:
            yield row


def _at(values: Sequence[float | None], places: Sequence[int | None]) -> Column:
    return [None if place is None or not 0 <= place < len(values) else values[place] for place in places]


def _of_queue(queue: QueueSeries, name: Measure, places: Sequence[int | None]) -> Column:
    return _at(queue[name], [None if place is None else place - queue["first"] for place in places])
