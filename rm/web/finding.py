"""A page of a long list of applications: found by words, sorted, counted, cut.

Pages show twenty of ten thousand; looking at all of them costs a few cheap attributes each, and only those
twenty are shown in full.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from yarnbox.rm.app import RMApp
from yarnbox.rm.reports import application_state, usage_report
from yarnbox.rm.scheduler.views import AttemptView
from yarnbox.rm.web import filters
from yarnbox.rm.web.apps import queue_path, tracking
from yarnbox.rm.web.filters import Facets, Query
from yarnbox.yarn.ids import ApplicationId

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

TEXTS = ("id", "user", "name", "queue", "state", "type", "tag", "final", "tracking")
FACETS = ("state", "user", "queue", "type")
GPU = "yarn.io/gpu"


class HasId(Protocol):
    """An application, one of the RM's or one of a recording."""

    @property
    def application_id(self) -> ApplicationId:
        """The last sort key of a row."""
        ...


App = TypeVar("App", bound=HasId)


@dataclass(frozen=True, slots=True)
class Row(Generic[App]):
    """What is looked at of one application: texts at once, for facets count them; numbers when asked for."""

    app: App
    texts: Mapping[str, str]
    number: Callable[[str], float]
    """One of NUMBERS."""

    def __getitem__(self, key: str) -> object:
        return self.texts[key] if key in self.texts else self.number(key)


def row(context: RMContext, app: RMApp, *, may_view: bool) -> Row[RMApp]:
    """An application of the RM; its numbers are 0 for those who may not look at it."""
    state = application_state(app)
    texts = {
        "id": str(app.application_id),
        "user": app.user,
        "name": app.name,
        "queue": queue_path(context, app) if "." not in app.queue else app.queue,
        "state": state.name,
        "type": app.submission.application_type,
        "tag": ",".join(app.submission.application_tags),
        "final": app.final_status.name.removeprefix("APP_"),
        "tracking": tracking(app, state),
    }
    return Row(app, texts, partial(_number, context, app) if may_view else _nothing)


def _nothing(key: str) -> float:
    return 0


def _number(context: RMContext, app: RMApp, key: str) -> float:
    of_app = _OF_APP.get(key)
    if of_app is not None:
        return of_app(context, app)
    attempt = app.current
    booked = context.scheduler.attempt(attempt.attempt_id) if attempt is not None else None
    return _OF_ATTEMPT[key](context, booked) if booked is not None and not booked.is_stopped else 0


def _percentages(context: RMContext, app: RMApp) -> tuple[float, float]:
    report = usage_report(context, app, app.current)
    return report.queue_usage_percentage or 0.0, report.cluster_usage_percentage or 0.0


def pending_containers(booked: AttemptView) -> int:
    """How many containers it asks for, over all partitions."""
    return sum(amounts.pending_containers for amounts in booked.usage.by_partition.values())


def _fair_share(context: RMContext, booked: AttemptView) -> float:
    share = context.scheduler.views.application_view(booked).fair_share
    return share.memory_mb if share is not None else 0


_OF_APP: dict[str, Callable[[RMContext, RMApp], float]] = {
    "priority": lambda _, app: app.app_priority,
    "started": lambda _, app: app.start_ms,
    "launched": lambda _, app: app.launch_ms,
    "finished": lambda _, app: app.finish_ms,
    "elapsed": lambda context, app: (app.finish_ms or context.now_ms) - app.start_ms,
    "progress": lambda _, app: app.current.progress * 100 if app.current is not None else 0,
    "queueshare": lambda context, app: _percentages(context, app)[0],
    "clustershare": lambda context, app: _percentages(context, app)[1],
}
_OF_ATTEMPT: dict[str, Callable[[RMContext, AttemptView], float]] = {
    "mem": lambda _, booked: booked.usage.total_used().memory_mb,
    "vcores": lambda _, booked: booked.usage.total_used().vcores,
    "gpus": lambda _, booked: booked.usage.total_used().value(GPU),
    "reservedmem": lambda _, booked: booked.usage.total_reserved().memory_mb,
    "reservedvcores": lambda _, booked: booked.usage.total_reserved().vcores,
    "reservedgpus": lambda _, booked: booked.usage.total_reserved().value(GPU),
    "containers": lambda _, booked: len(booked.live),
    "pending": lambda _, booked: pending_containers(booked),
    "fairshare": _fair_share,
    "blacklisted": lambda _, booked: len(booked.blacklist),
}
NUMBERS = (*_OF_APP, *_OF_ATTEMPT)


def parse(text: str) -> Query:
    """Parses the filter of a list of applications."""
    return filters.parse(text, TEXTS, NUMBERS)


@dataclass(slots=True)
class Found(Generic[App]):
    """One page of rows, the number of all rows, and the counts for the facets."""

    total: int = 0
    matching: int = 0
    rows: list[Row[App]] = field(default_factory=list)
    facets: dict[str, dict[str, int]] = field(default_factory=dict)


def find(
    rows: Iterable[Row[App]],
    query: Query,
    chosen: Mapping[str, Sequence[str]],
    sort: str,
    first: int,
    count: int,
) -> Found[App]:
    """The rows from `first` on that are meant; `chosen` are the values wanted of facets."""
    found: Found[App] = Found()
    facets = Facets({name: chosen.get(name, ()) for name in FACETS})
    matching = []
    for one in rows:
        found.total += 1
        if query.holds(one) and facets.passes(one.texts):
            matching.append(one)
    found.matching = len(matching)
    found.facets = facets.counts()
    key, is_down = sort.removeprefix("-"), sort.startswith("-")
    if key == "id":
        matching.sort(key=lambda one: one.app.application_id, reverse=is_down)
    elif key in TEXTS or key in NUMBERS:
        matching.sort(key=lambda one: one.app.application_id, reverse=True)
        matching.sort(key=operator.itemgetter(key), reverse=is_down)
    found.rows = matching[first : first + count]
    return found
