"""The containers of a recording as pages ask for them, at a moment of the run.

Moments are those of REST, where 0 means never: the recording begins at EPOCH_MS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from yarnbox.rm.scheduler.views import is_within
from yarnbox.rm.web.pages.blocks import number
from yarnbox.rm.web.pages.taskstream import kind_of, traits
from yarnbox.rm.web.queues.words import in_units
from yarnbox.sim.recording.document import Recording
from yarnbox.sim.recording.shape import RecordedContainer

EPOCH_MS = 946_684_800_000
"""The beginning of the year 2000: nobody takes it for now."""
_TIMES = ("reserved", "started", "allocated", "running", "finished")


def containers_at(
    recording: Recording, at: int, query: Mapping[str, str], *, counts_vcores: bool
) -> dict[str, Any]:
    """Those of an application, of a node, of a queue and those below it, or of the whole run; of these the
    newest `limit`, or with `from` so many from that place on. `origin` is the moment that is shown as the
    beginning.
    """
    app, queue, node = (query.get(name, "") for name in ("app", "queue", "node"))
    whole = "default" if recording.scheduler == "FifoScheduler" else "root"

    def is_wanted(one: RecordedContainer) -> bool:
        if app or node:
            return bool(one["app"] == app if app else one["node"] == node)
        return queue in ("", whole) or is_within(one["queue"], queue)

    known = [one for one in recording.containers if is_wanted(one) and _begun_ms(one, at) is not None]
    count, begin_ms = len(known), number(query, "origin")
    limit = number(query, "limit") or count
    first = number(query, "from") if "from" in query else max(0, count - limit)

    def row(one: RecordedContainer) -> dict[str, Any]:
        shown = _moved(container_at(one, at), begin_ms)
        shown["diagnostics"] = in_units(shown["diagnostics"], counts_vcores=counts_vcores)
        return shown

    return {
        "now": EPOCH_MS + at - begin_ms,
        "container": [row(one) for one in known[first : first + limit]],
        "isCut": "from" not in query and first > 0,
        "known": count,
        "keptOfEvery": recording.data["containersOfEvery"],
        "names": _names(recording, known),
        "traits": traits(counts_vcores=counts_vcores),
    }


def _names(recording: Recording, containers: Iterable[RecordedContainer]) -> dict[str, str]:
    """Those of their applications."""
    apps = dict.fromkeys(one["app"] for one in containers)
    return {one: recording.documents[f"/apps/{one}"]["/name"][1] for one in apps}


def _moved(shown: dict[str, Any], by_ms: int) -> dict[str, Any]:
    return {**shown, **{name: shown[name] and shown[name] - by_ms for name in _TIMES}} if by_ms else shown


def _begun_ms(one: RecordedContainer, at: int) -> int | None:
    """When it was reserved or, where it was given by then, allocated."""
    reserved_ms, given_ms = one["reserved"], one["started"]
    if given_ms is not None and given_ms <= at:
        return given_ms
    return None if reserved_ms is None or reserved_ms > at else reserved_ms


def container_at(one: RecordedContainer, at: int) -> dict[str, Any]:
    """A container that has begun, as pages need it at that moment; at `moment` it began."""
    reserved_ms, given_ms, running_ms, finished_ms = (
        None if ms is None or ms > at else ms
        for ms in (one["reserved"], one["started"], one["running"], one["finished"])
    )
    begun_ms = _begun_ms(one, at) or 0
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
        "moment": begun_ms,
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
