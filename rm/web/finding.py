"""A page of a long list of applications: found by words, sorted, counted, cut.

Pages show twenty of ten thousand; looking at all of them costs a few cheap attributes each, and only those
twenty are shown in full. The language of the filter: words that have to occur somewhere, `state:RUNNING` and
the like for one field, `mem>4096` for numbers; all must hold.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from rm.app import RMApp
from rm.reports import application_state
from rm.web.apps import queue_path
from yarn.ids import ApplicationId
from yarn.resource import NONE

if TYPE_CHECKING:
    from rm.context import RMContext

_COMPARED = re.compile(r"([a-z]+)(<=|>=|<|>|=)(-?\d+(?:\.\d+)?)")
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}
_WORDS = re.compile(r'(?:[^\s"]|"[^"]*")+')
TEXTS = ("id", "user", "name", "queue", "state", "type", "tag", "final")
NUMBERS = ("priority", "started", "finished", "progress", "mem", "vcores", "containers")
FACETS = ("state", "user", "queue", "type")


class HasId(Protocol):
    """An application, one of the RM's or one of a recording."""

    @property
    def application_id(self) -> ApplicationId:
        """By which rows are ordered in the end."""
        ...


App = TypeVar("App", bound=HasId)


@dataclass(frozen=True, slots=True)
class Row(Generic[App]):
    """What is looked at of one application."""

    app: App
    texts: dict[str, str]
    numbers: dict[str, float]

    def __getitem__(self, key: str) -> Any:
        return self.numbers[key] if key in self.numbers else self.texts[key]


def row(context: RMContext, app: RMApp, *, may_view: bool) -> Row[RMApp]:
    """The cheap attributes of an application; numbers are 0 for those who may not look at it."""
    attempt = app.current
    booked = context.scheduler.attempt(attempt.attempt_id) if attempt is not None else None
    used = booked.usage.total_used() if booked is not None and not booked.is_stopped else NONE
    texts = {
        "id": str(app.application_id),
        "user": app.user,
        "name": app.name,
        "queue": queue_path(context, app) if "." not in app.queue else app.queue,
        "state": application_state(app).name,
        "type": app.submission.application_type,
        "tag": ",".join(app.submission.application_tags),
        "final": app.final_status.name.removeprefix("APP_"),
    }
    numbers: dict[str, float] = {
        "priority": app.app_priority,
        "started": app.start_ms,
        "finished": app.finish_ms,
        "progress": (attempt.progress if attempt is not None else 0.0) * 100,
        "mem": used.memory_mb,
        "vcores": used.vcores,
        "containers": len(booked.live) if booked is not None and not booked.is_stopped else 0,
    }
    return Row(app, texts, numbers if may_view else dict.fromkeys(numbers, 0))


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for."""

    words: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str, float], ...] = ()

    def holds(self, one: Row[Any]) -> bool:
        """Whether an application is meant."""
        for key, wanted in self.texts:
            has = one.texts[key].lower()
            if key == "queue":
                if wanted not in (has, has.rpartition(".")[2]) and not has.startswith(wanted + "."):
                    return False
            elif key == "state" or key == "final":
                if has not in wanted.split("|"):
                    return False
            elif wanted not in has:
                return False
        if any(not _OPERATORS[sign](one.numbers[key], bound) for key, sign, bound in self.numbers):
            return False
        everything = "\n".join(one.texts.values()).lower() if self.words else ""
        return all(word in everything for word in self.words)


def parse(text: str) -> Query:
    """The filter that somebody typed. Half a word is a word: nothing typed is wrong."""
    words, texts, numbers = [], [], []
    for found in _WORDS.findall(text.lower()):
        whole = found.replace('"', "")
        key, colon, value = whole.partition(":")
        compared = _COMPARED.fullmatch(whole)
        if colon and key in TEXTS:
            if value:
                texts.append((key, value))
        elif compared and compared[1] in NUMBERS:
            numbers.append((compared[1], compared[2], float(compared[3])))
        elif whole:
            words.append(whole)
    return Query(tuple(words), tuple(texts), tuple(numbers))


@dataclass(slots=True)
class Found(Generic[App]):
    """A page, and what there is beside it."""

    total: int = 0
    matching: int = 0
    rows: list[Row[App]] = field(default_factory=list)
    facets: dict[str, dict[str, int]] = field(default_factory=dict)


def find(
    rows: Iterable[Row[App]], query: Query, states: Sequence[str], sort: str, first: int, count: int
) -> Found[App]:
    """The rows from `first` on that are meant. Facets count what matches, whatever its state."""
    found: Found[App] = Found(facets={name: {} for name in FACETS})
    matching = []
    for one in rows:
        found.total += 1
        if not query.holds(one):
            continue
        for name, counts in found.facets.items():
            counts[one.texts[name]] = counts.get(one.texts[name], 0) + 1
        if not states or one.texts["state"] in states:
            matching.append(one)
    found.matching = len(matching)
    key, is_down = sort.removeprefix("-"), sort.startswith("-")
    if key == "id":
        matching.sort(key=lambda one: one.app.application_id, reverse=is_down)
    elif key in TEXTS or key in NUMBERS:
        matching.sort(key=lambda one: one.app.application_id, reverse=True)
        matching.sort(key=operator.itemgetter(key), reverse=is_down)
    found.rows = matching[first : first + count]
    return found
