"""The task stream: how containers over time can be grouped and coloured, what the colours mean, and what is
said of the life of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.web.grids import Arrangement, natural
from yarnbox.rm.web.pages.blocks import choose, column, grid, included
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


CHOICES: Mapping[str, Sequence[Answer]] = {
    "lanes": [{"key": key, "name": _NAMES[key]} for key in ("node", "app", "queue", "user")],
    "colour": [
        {"key": "state", "name": "state", "read": "kind", "known": _STATES},
        {"key": "locality", "name": "locality", "read": "locality", "known": _LOCALITIES},
        {"key": "role", "name": "role", "read": "isAM", "known": _ROLES},
        *({"key": key, "name": _NAMES[key], "read": key} for key in ("priority", "app", "queue")),
    ],
}
"""Lanes are by the field of a container that is their key. A colouring reads a field; what its values look
like is known, or each gets the next colour.
"""


def traits(*, counts_vcores: bool) -> Answer:
    """What goes with containers: the columns of `life` tell that of one, `hint` says what keys do."""
    return {
        "life": [one for one in _LIFE if counts_vcores or one["key"] != "vcores"],
        "hint": _HINT,
    }


def chosen(word: str, *keys: str) -> Answer:
    """Of the lanes or colours the one with the first key that is known, or else the first one."""
    by_key = {one["key"]: one for one in CHOICES[word]}
    return next((by_key[key] for key in keys if key in by_key), CHOICES[word][0])


# How containers look by one of their traits

HUES = 6
"""So many colours of the style sheet are for names, in turn."""
_HATCHES = 4
_MOST_NAMED = 12


@dataclass(frozen=True, slots=True)
class Look:
    """`hue` is a colour of the style sheet, `hatch` is 0 for none; `count` containers have it."""

    key: str
    text: str
    hue: str
    hatch: int
    count: int


class Looks:
    """All looks of a colouring, by the values that it reads: those that are known, or each gets the next
    colour, and later ones are hatched.
    """

    def __init__(self, colour: Answer, counts: Mapping[str, int], names: Mapping[str, str]) -> None:
        """`counts` says how many containers have each value, `names` what some of them are called."""
        known = colour.get("known") or [
            _look(key, names.get(key, key), f"--line{place % HUES}", place // HUES % _HATCHES)
            for place, key in enumerate(sorted(counts, key=natural))
        ]
        self.all = [Look(**one, count=counts.get(one["key"], 0)) for one in known]
        self.present = [one for one in self.all if one.count]
        most = {one.key: None for one in sorted(self.present, key=lambda one: -one.count)[:_MOST_NAMED]}
        self.named = [one for one in self.present if one.key in most]
        """Of many those of the most containers."""


def value_read(colour: Answer, container: Answer) -> str:
    """What a colouring reads of a container, as keys are written."""
    found = container.get(colour["read"])
    return str(found).lower() if isinstance(found, bool) else str(found)


# The same as a table

_KEY = "stream"
_SOURCE, _TABLE = "/ui/containers?", "/ui/containers/table?"


def with_choices(shown: Answer, asked: Mapping[str, str]) -> list[Answer]:
    """A stream with the lanes and the colour that the address of the page names, or else the usual ones; and
    what it shows as a table, where the address says `table=open`.
    """
    found = {word: chosen(word, asked.get(word, ""), shown.get(word, "")) for word in CHOICES}
    choices = [
        choose(word.capitalize(), word, [(one["key"], one["name"]) for one in every], found[word]["key"])
        for word, every in CHOICES.items()
    ]
    parts = [{**shown, **found, "choices": choices}]
    if asked.get("table") == "open":
        own = {key: value for key, value in asked.items() if key.startswith(f"{_KEY}.")}
        keys = {word: one["key"] for word, one in found.items()}
        more = urlencode({"name": shown["stream"], **keys, **own})
        parts.append(included(f"{_TABLE}{shown['source'].removeprefix(_SOURCE)}&{more}"))
    return parts


class LanesTable:
    """Takes containers, and says how many there are by lanes and looks. `asked` are the `name` of the stream
    and what was chosen.
    """

    def __init__(self, asked: Mapping[str, str], names: Mapping[str, str]) -> None:
        """`names` are what applications are called."""
        self._lanes, self._colour = (chosen(word, asked.get(word, "")) for word in CHOICES)
        self._asked, self._names = asked, names
        self._counts: dict[str, Counter[str]] = {}

    def take(self, container: Answer) -> None:
        """One more."""
        counts = self._counts.setdefault(container[self._lanes["key"]], Counter())
        counts[value_read(self._colour, container)] += 1

    def blocks(self) -> list[Answer]:
        """The table."""
        total: Counter[str] = Counter()
        for counts in self._counts.values():
            total.update(counts)
        looks = Looks(self._colour, total, self._names).present
        columns = [
            column("id", self._lanes["name"], isCard=True),
            column("count", "Containers", "number", isCard=True),
            *(column(f"of{place}", look.text, "number") for place, look in enumerate(looks)),
        ]
        rows = [
            {
                "id": lane,
                "count": counts.total(),
                **{f"of{place}": counts[look.key] for place, look in enumerate(looks)},
            }
            for lane, counts in self._counts.items()
        ]
        name = f"{self._asked.get('name', '')}: containers by {self._lanes['name']}"
        arranged = Arrangement(_KEY, columns, self._asked, order="id")
        return [grid(arranged, name, rows, of="id", none="No containers yet.")]
