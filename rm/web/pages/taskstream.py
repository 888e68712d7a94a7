"""The task stream: how containers over time can be grouped and coloured, what the colours mean, and what is
said of the life of one.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.web.pages.blocks import column
from yarnbox.rm.web.values import Answer


def kind_of(state: str, exit_status: int | None, diagnostics: str) -> str:
    """What has become of a container so far: a key of the colours by state."""
    if state == "RESERVED":
        return "reserved"
    if state != "COMPLETE":
        return "alive"
    if exit_status == 0:
        return "done"
    if diagnostics == statuses.RELEASED_CONTAINER:
        return "released"
    if exit_status == statuses.PREEMPTED:
        return "preempted"
    is_lost = exit_status == statuses.ABORTED and statuses.LOST_CONTAINER in diagnostics
    return "lost" if is_lost else "ended"


def _look(key: str, text: str, hue: str, hatch: int = 0) -> Answer:
    """`hue` is a colour of the style sheet; what went wrong is hatched, too, in one of three ways."""
    return {"key": key, "text": text, "hue": hue, "hatch": hatch}


_STATES = (
    _look("alive", "running", "--used"),
    _look("done", "completed", "--accent"),
    _look("released", "released by the AM", "--soft"),
    _look("ended", "failed or killed", "--bad", 1),
    _look("preempted", "preempted", "--over", 2),
    _look("lost", "lost with its node", "--soft", 3),
    _look("reserved", "reserved", "--soft", 1),
)
_LOCALITIES = (
    _look("NODE_LOCAL", "node local", "--used"),
    _look("RACK_LOCAL", "rack local", "--accent", 1),
    _look("OFF_SWITCH", "off switch", "--over", 2),
    _look("", "not known", "--soft"),
)
_NAMES = {"node": "node", "app": "application", "queue": "queue", "user": "user", "priority": "priority"}
_SAVED = ("id", "app", "node", "queue", "user", "priority", "locality", "memoryMB", "vcores", "state")
_ROLES = (_look("true", "ApplicationMaster", "--over"), _look("false", "other", "--used"))
_HINT = (
    "Arrow keys go from container to container, Enter opens the page of one. Plus and minus zoom time, "
    "[ and ] the lanes, Shift with arrows pans, 0 shows all."
)

_LIFE = (
    column("id", "Container"),
    column("isAM", "ApplicationMaster"),
    column("app", "Application"),
    column("node", "Node"),
    column("queue", "Queue"),
    column("user", "User"),
    column("priority", "Priority", "number"),
    column("locality", "Locality"),
    column("mem", "Memory", "gib", "memoryMB"),
    column("vcores", "VCores", "number"),
    column("reserved", "Reserved", "logged"),
    column("allocated", "Allocated", "logged"),
    column("running", "Running", "logged"),
    column("finished", "Ended", "logged"),
    column("elapsed", "Elapsed", "duration"),
    column("state", "State", "state"),
    column("exit", "Exit status", "number", "exitStatus"),
    column("diagnostics", "Diagnostics"),
)
"""In the order in which people read it. What has not happened has the time 0."""


def traits(*, counts_vcores: bool) -> Answer:
    """Lanes are by the field of a container that is their key. A colouring reads a field; what its values
    look like is known, or each gets the next colour. The columns of `life` tell a container's.
    """
    return {
        "lanes": [{"key": key, "name": _NAMES[key]} for key in ("node", "app", "queue", "user")],
        "colour": [
            {"key": "state", "name": "state", "read": "kind", "known": _STATES},
            {"key": "locality", "name": "locality", "read": "locality", "known": _LOCALITIES},
            {"key": "role", "name": "role", "read": "isAM", "known": _ROLES},
            *({"key": key, "name": _NAMES[key], "read": key} for key in ("priority", "app", "queue")),
        ],
        "saved": (*_SAVED, "started", "finished", "exitStatus", "diagnostics"),
        "life": [one for one in _LIFE if counts_vcores or one["key"] != "vcores"],
        "hint": _HINT,
    }
