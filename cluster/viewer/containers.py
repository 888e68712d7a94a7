"""The containers of a recording as pages ask for them: some at a moment, or all at the end of the run.

Moments are those of REST, where 0 means never: the recording begins at EPOCH_MS.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from yarnbox.rm.scheduler.views import is_within
from yarnbox.rm.web.pages.taskstream import kind_of, traits
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.shape import RecordedContainer

EPOCH_MS = 946_684_800_000
"""The beginning of the year 2000: nobody takes it for now."""
_MOST = 50_000
_TIMES = ("reserved", "started", "allocated", "running", "finished")
_NUMBERS = ("id", "memoryMB", "vcores", "priority", "isAM", "exitStatus", "elapsed", *_TIMES)
_NAMES = ("app", "node", "queue", "user", "locality", "diagnostics", "state", "kind")
"""Fields of which many containers have the same value: it is sent once."""


def containers_at(recording: Recording, at: int, query: Mapping[str, str], *, counts_vcores: bool) -> Any:
    """Those of an application, of a node, or of a queue and those below it."""
    app, queue, node = (query.get(name, "") for name in ("app", "queue", "node"))
    whole = "default" if recording.scheduler == "FifoScheduler" else "root"

    def is_wanted(one: RecordedContainer) -> bool:
        if app or not queue:
            return bool(one["app"] == app if app else one["node"] == node)
        return queue == whole or is_within(one["queue"], queue)

    rows = [
        shown
        for one in recording.containers
        if is_wanted(one) and (shown := container_at(one, at)) is not None
    ]
    return {
        "now": EPOCH_MS + at,
        "container": rows[-_MOST:],
        "isCut": len(rows) > _MOST,
        "keptOfEvery": recording.data["containersOfEvery"],
        "traits": traits(counts_vcores=counts_vcores),
    }


def every_container(recording: Recording, begin: int, *, counts_vcores: bool) -> Any:
    """All of them at the end of the run, as rows of the fields, and the names of applications; `begin` is the
    moment that is shown as the beginning.
    """
    end = recording.moments[-1]
    places: dict[object, int] = {}
    rows = []
    for one in recording.containers:
        shown = container_at(one, end)
        if shown is not None:
            times = [shown[name] and shown[name] - begin for name in _TIMES]
            names = [places.setdefault(shown[name], len(places)) for name in _NAMES]
            rows.append([*(shown[name] for name in _NUMBERS[: -len(_TIMES)]), *times, *names])
    apps = dict.fromkeys(one["app"] for one in recording.containers)
    return {
        "now": EPOCH_MS + end - begin,
        "fields": (*_NUMBERS, *_NAMES),
        "named": _NAMES,
        "texts": list(places),
        "row": rows,
        "names": {one: recording.documents[f"/apps/{one}"]["/name"][1] for one in apps},
        "traits": traits(counts_vcores=counts_vcores),
    }


def container_at(one: RecordedContainer, at: int) -> dict[str, Any] | None:
    """A container as the pages need it, at that moment; None before it was there."""
    reserved_ms, given_ms, running_ms, finished_ms = (
        None if ms is None or ms > at else ms
        for ms in (one["reserved"], one["started"], one["running"], one["finished"])
    )
    begun_ms = reserved_ms if given_ms is None else given_ms
    if begun_ms is None:
        return None
    is_over = finished_ms is not None
    state = (
        "COMPLETE"
        if is_over
        else "RUNNING"
        if running_ms is not None
        else "RESERVED"
        if given_ms is None
        else "ALLOCATED"
    )
    exit_status, diagnostics = (one["exitStatus"], one["diagnostics"]) if is_over else (None, "")
    return {
        **one,
        "reserved": _shown(reserved_ms),
        "started": EPOCH_MS + begun_ms,
        "allocated": _shown(given_ms),
        "running": _shown(running_ms),
        "finished": _shown(finished_ms),
        "attempt": "",
        "elapsed": (at if finished_ms is None else finished_ms) - begun_ms,
        "isAM": bool(one["isAM"]),
        "state": state,
        "kind": kind_of(state, exit_status, diagnostics),
        "exitStatus": exit_status,
        "diagnostics": diagnostics,
    }


def _shown(ms: int | None) -> int:
    return 0 if ms is None else EPOCH_MS + ms
