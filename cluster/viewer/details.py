"""What each application of a recorded run held and missed, what was preempted, and the plans.

Made of the documents that a run of modest size has recorded; a recording without them has empty answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.shape import RecordedContainer
from yarnbox.sim.recording.tracks import pairs, value_at

_USE, _WHY, _PLANS = "/application-use/", "/why/", "/plans/"
_PREEMPTED = -102
_RESOURCES = {"memory-mb": "memory"}


def applications(recording: Recording, moment: int, epoch_ms: int) -> dict[str, Any]:
    """Each application at that moment, and over the whole run what it skipped and its dominant share."""
    count = len(recording.moments)
    rows = []
    for name in recording.under(_USE):
        app = name.removeprefix(_USE)
        tracks = recording.documents[name]
        shown = recording.document(f"/apps/{app}", moment) or {}
        now = recording.document(name, moment) or {}
        series = [recording.document(name, place) for place in range(count)]
        shares = [max((one or {}).get("shares", {}).values(), default=None) for one in series]
        rows.append(
            {
                "id": app,
                "name": _name(recording, app),
                "queue": shown.get("queue", ""),
                "state": shown.get("state", ""),
                "isThere": bool(shown),
                **{
                    key: now.get(key, 0) for key in ("containers", "pending", "reserved", "skipped", "marked")
                },
                **{key: now.get(key, 0) for key in ("local", "rack", "off")},
                "share": max(now.get("shares", {}).values(), default=0.0),
                "dominant": _RESOURCES.get(now.get("dominant", ""), now.get("dominant", "")),
                "waits": _reasons(recording, app, moment),
                "skippedOverTime": [value_at(tracks.get("/skipped", []), place) for place in range(count)],
                "shareOverTime": shares,
            }
        )
    return {"times": [epoch_ms + one for one in recording.moments], "app": rows}


def _name(recording: Recording, app: str) -> str:
    track = recording.documents.get(f"/apps/{app}", {}).get("/name", [])
    return next((str(value) for _, value in pairs(track) if value), app)


def _reasons(recording: Recording, app: str, moment: int) -> list[str]:
    found = recording.document(f"{_WHY}{app}", moment) or {}
    return [str(one) for one in found.get("reasons") or ()]


# ---- preemption


_Preemption = TypedDict(
    "_Preemption",
    {
        "container": str,
        "app": str,
        "name": str,
        "queue": str,
        "node": str,
        "marked": int,
        "for": str,
        "killed": int,
        "unmarked": int,
        "heir": str,
        "got": int,
    },
)
"""A row of the page; moments are ms as the pages read them, 0 where there is none."""


def preemptions(recording: Recording, moment: int, epoch_ms: int) -> dict[str, list[_Preemption]]:
    """Each container that was marked or killed up to that moment: when, for whom, and who got its room."""
    at = recording.moments[moment]
    marks = _marks(recording, moment)
    found: list[_Preemption] = []
    given: dict[str, None] = {}
    for one in sorted(recording.containers, key=lambda each: (each["finished"] or 0, each["id"])):
        finished = one["finished"]
        killed_ms = finished if finished is not None and finished <= at else None
        if one["exitStatus"] != _PREEMPTED:
            killed_ms = None
        mark = marks.get(one["id"])
        if mark is None and killed_ms is None:
            continue
        heir = None if killed_ms is None else _next_container(recording, one, killed_ms, at, given)
        if heir is not None:
            given[heir["id"]] = None
        found.append(
            {
                "container": one["id"],
                "app": one["app"],
                "name": _name(recording, one["app"]),
                "queue": one["queue"],
                "node": one["node"],
                "marked": epoch_ms + mark.at_ms if mark else 0,
                "for": mark.for_whom if mark else "",
                "killed": 0 if killed_ms is None else epoch_ms + killed_ms,
                "unmarked": epoch_ms + mark.until_ms if mark and mark.until_ms and killed_ms is None else 0,
                "heir": _name(recording, heir["app"]) if heir else "",
                "got": epoch_ms + (heir["started"] or 0) if heir else 0,
            }
        )
    found.sort(key=lambda row: (row["marked"] or row["killed"], row["container"]))
    return {"preemption": found}


@dataclass(slots=True)
class _Mark:
    """When a container was marked first, for whom, and since when it is not marked any more (0: it is)."""

    at_ms: int
    for_whom: str
    until_ms: int = 0


def _marks(recording: Recording, moment: int) -> dict[str, _Mark]:
    """By container."""
    found: dict[str, _Mark] = {}
    for name in recording.under(_WHY):
        for place in _changes(recording.documents[name], moment):
            at = recording.moments[place]
            now = {
                one["container"]: one for one in (recording.document(name, place) or {}).get("preemption", ())
            }
            for container, one in now.items():
                found.setdefault(container, _Mark(at, one["for"])).until_ms = 0
            for container, mark in found.items():
                if container not in now and _is_of(container, name) and not mark.until_ms:
                    mark.until_ms = at
    return found


def _changes(tracks: Mapping[str, list[Any]], moment: int) -> Iterator[int]:
    places = {place for way, track in tracks.items() if "/preemption" in way for place, _ in pairs(track)}
    return (place for place in sorted(places) if place <= moment)


def _is_of(container: str, why: str) -> bool:
    """Whether the container is one of the application that the document is about."""
    return f"_{why.rpartition('/')[2].removeprefix('application_')}_" in container


def _next_container(
    recording: Recording, gone: RecordedContainer, killed_ms: int, at: int, given: Mapping[str, None]
) -> RecordedContainer | None:
    """The container that was given next on that node to somebody else, and has not been counted yet."""
    later = [
        one
        for one in recording.containers
        if one["node"] == gone["node"]
        and one["app"] != gone["app"]
        and one["id"] not in given
        and one["started"] is not None
        and killed_ms <= one["started"] <= at
    ]
    return min(later, key=lambda one: (one["started"] or 0, one["id"]), default=None)


# ---- plans


def plans(recording: Recording, moment: int, epoch_ms: int) -> dict[str, Any]:
    """What each plan queue has booked as of that moment, on the clock of the recording."""
    data = recording.data["moments"]
    shift_ms = epoch_ms + data["at"][moment] - data["time"][moment]
    found = []
    for name in recording.under(_PLANS):
        plan = recording.document(name, moment) or {}
        bookings = plan.get("bookings") or []
        marks = {
            0: None,
            **{piece[end]: None for one in bookings for piece in one["pieces"] for end in _ENDS},
        }
        times = sorted(marks)
        found.append(
            {
                "queue": plan.get("queue", ""),
                "capacity": plan.get("capacity", 0),
                "times": [shift_ms + one for one in times],
                "booking": [
                    {
                        "name": one.get("name") or one["id"],
                        "user": one["user"],
                        "arrival": shift_ms + one["arrival"],
                        "deadline": shift_ms + one["deadline"],
                        "memory": [_booked(one["pieces"], time) for time in times],
                    }
                    for one in bookings
                ],
            }
        )
    return {"plan": found}


_ENDS = ("start", "end")


def _booked(pieces: list[dict[str, int]], at: int) -> int:
    return sum(one["memory"] for one in pieces if one["start"] <= at < one["end"])
