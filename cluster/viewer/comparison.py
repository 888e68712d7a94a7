"""Two recordings, or one, on the same axes: a table of figures, and series over the same moments.

Both begin at their own first submission, so that what is compared is how they went on from there. The one
queue of the FifoScheduler, which it calls default, is compared with root.default of the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from yarnbox.sim.recording.document import Recording

POINTS = 300
_PREEMPTED = -102
_ONLY_QUEUE = "root.default"
_ACTIVE = ("appsRunning", "appsPending", "containers")
_SERIES = ("memory", "vcores", "containers", "pending", "appsRunning", "appsPending")


def comparison(recordings: Mapping[str, Recording]) -> dict[str, Any]:
    """What the page of the comparison shows."""
    begins = {run: _begin(one) for run, one in recordings.items()}
    longest = max((_last(one) - begins[run] for run, one in recordings.items()), default=0)
    times = [round(longest * place / POINTS) for place in range(POINTS + 1)] if longest else [0]
    figures = {run: _figures(one) for run, one in recordings.items()}
    return {
        "times": times,
        "differences": differences(*figures.values()) if len(figures) == 2 else [],
        "runs": [
            {
                "run": run,
                "begin": begins[run],
                "name": one.name,
                "scheduler": one.scheduler,
                "figures": figures[run],
                "series": _series(one, begins[run], times),
            }
            for run, one in recordings.items()
        ],
    }


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


def _series(recording: Recording, begin: int, times: Sequence[int]) -> dict[str, Any]:
    moments = recording.moments
    places = [
        bisect_right(moments, begin + time) - 1 if begin + time <= recording.end else None for time in times
    ]
    data = recording.data
    found: dict[str, Any] = {name: _at(data["cluster"].get(name, ()), places) for name in _SERIES}
    for name in ("queues", "apps"):
        found[f"fairness-{name}"] = _at(data["fairness"][name], places)
    ends = sorted(
        one["finished"]
        for one in recording.containers
        if one["exitStatus"] == _PREEMPTED and one["finished"] is not None
    )
    found["preempted"] = [
        None if place is None else bisect_right(ends, moments[place]) if place >= 0 else 0 for place in places
    ]
    found["queue"] = {
        _path(queue["path"]): {name: _of_queue(queue, name, places) for name in ("used", "pending")}
        for queue in data["queues"]
        if queue["isLeaf"] and queue["partition"] == "" and (any(queue["used"]) or any(queue["pending"]))
    }
    return found


def _path(leaf: str) -> str:
    return _ONLY_QUEUE if leaf in ("default", "root") else leaf


def _figures(recording: Recording) -> dict[str, Any]:
    figures = recording.data["figures"]
    return {**figures, "queues": {_path(path): one for path, one in figures["queues"].items()}}


@dataclass(frozen=True, slots=True)
class _Measure:
    """A figure: whether less of it is better, and the least difference that matters."""

    name: str
    key: str
    unit: str
    is_less_better: bool
    least: float


_OF_RUN = (
    _Measure("Makespan", "makespan", "ms", True, 1_000),
    _Measure("Applications that ended", "finished", "count", False, 1),
    _Measure("Containers preempted", "preempted", "count", True, 1),
)
_AVERAGES = (
    _Measure("Memory used, on average", "memory", "percent", False, 1),
    _Measure("Fairness between queues", "queues", "index", False, 0.01),
    _Measure("Fairness between applications", "apps", "index", False, 0.01),
)
_OF_QUEUE = (
    _Measure("Mean wait", "wait", "ms", True, 1_000),
    _Measure("Longest wait", "longestWait", "ms", True, 1_000),
    _Measure("Mean time from submission to end", "life", "ms", True, 1_000),
    _Measure("Applications never served", "neverServed", "count", True, 1),
    _Measure("Containers preempted", "preempted", "count", True, 1),
)
_MATTERS = 0.05
"""The least relative difference."""


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What got worse from the first run to the second, the largest change first, then what got better."""
    found = [
        *_between(_OF_RUN, first, second, ""),
        *_between(_AVERAGES, first["averages"], second["averages"], ""),
    ]
    for path in first["queues"].keys() & second["queues"].keys():
        found.extend(_between(_OF_QUEUE, first["queues"][path], second["queues"][path], path))
    return sorted(
        found, key=lambda one: (not one["isWorse"], -_size(*one["values"]), one["queue"], one["what"])
    )


def _size(before: float, after: float) -> float:
    """How much two figures differ, from 0 to 1: the same for a rise and for the fall back."""
    return abs(after - before) / max(abs(before), abs(after))


def _between(
    measures: Sequence[_Measure], first: Mapping[str, Any], second: Mapping[str, Any], queue: str
) -> Iterator[dict[str, Any]]:
    for one in measures:
        before, after = first.get(one.key), second.get(one.key)
        if before is None or after is None or abs(after - before) < one.least:
            continue
        if _size(before, after) >= _MATTERS:
            yield {
                "what": one.name,
                "queue": queue,
                "unit": one.unit,
                "values": [before, after],
                "change": round((after - before) / before, 4) if before else None,
                "isWorse": (after > before) == one.is_less_better,
            }


def _at(values: Sequence[Any], places: Sequence[int | None]) -> list[Any]:
    return [None if place is None or not 0 <= place < len(values) else values[place] for place in places]


def _of_queue(queue: Mapping[str, Any], name: str, places: Sequence[int | None]) -> list[Any]:
    return _at(queue[name], [None if place is None else place - queue["first"] for place in places])
