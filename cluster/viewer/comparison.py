"""Two recordings, or one, on the same axes: a table of figures, and series over the same moments.

Both begin at their own first submission, so that what is compared is how they went on from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

from sim.recording.document import Recording

POINTS = 300
_PREEMPTED = -102
_SERIES = ("memory", "vcores", "containers", "pending", "appsRunning", "appsPending")


def comparison(recordings: Mapping[str, Recording]) -> dict[str, Any]:
    """What the page of the comparison shows."""
    begins = {run: _begin(one) for run, one in recordings.items()}
    longest = max((one.end - begins[run] for run, one in recordings.items()), default=0)
    times = [round(longest * place / POINTS) for place in range(POINTS + 1)] if longest else [0]
    return {
        "times": times,
        "runs": [
            {
                "run": run,
                "name": one.name,
                "scheduler": one.scheduler,
                "figures": one.data["figures"],
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
        queue["path"]: {name: _of_queue(queue, name, places) for name in ("used", "pending")}
        for queue in data["queues"]
        if queue["isLeaf"] and queue["partition"] == ""
    }
    return found


def _at(values: Sequence[Any], places: Sequence[int | None]) -> list[Any]:
    return [None if place is None or not 0 <= place < len(values) else values[place] for place in places]


def _of_queue(queue: Mapping[str, Any], name: str, places: Sequence[int | None]) -> list[Any]:
    return _at(queue[name], [None if place is None else place - queue["first"] for place in places])
