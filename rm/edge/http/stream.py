"""The event log, live: what the RM's dispatcher carried, as server-sent events with a number each.

A client that comes back with Last-Event-ID (or `since`) gets what it missed, as far as it is remembered; one
that is new gets the last events as `backfill` says; one that cannot keep up misses events and sees it by
their numbers. Heartbeats and ticks are left out unless `routine=true`. Numbers carry the start of this RM, so
those of an earlier one mean nothing to it. An event `quiet` without a number says that there is nothing more
to tell: when all that had happened before has been told, and then every three seconds. Ours alone: Hadoop has
no such stream.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import takewhile

from aiohttp import web

from yarnbox.rm.core import Core
from yarnbox.rm.edge.http.calls import Call, Listing
from yarnbox.rm.edge.http.server import ROOT, WebServer
from yarnbox.rm.web.event_rows import ROUTINE, row
from yarnbox.rm.web.pages.lists import EventsPage
from yarnbox.rm.web.queues.words import in_units
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.runtime.event import Event

_REMEMBERED = 5_000
_ROUTINE_REMEMBERED = 500
_BATCH = 200
_PAUSE_S = 0.25
_QUIET_S = 3.0
"""So often the client is told that the stream still runs."""
_LONGEST_NUMBER = 18

Entry = tuple[int, int, Event]
"""Number, moment, event."""


class EventStream:
    """The last events of one core, and their subscribers."""

    def __init__(self, core: Core, server: WebServer) -> None:
        self._core = core
        self._context = core.context
        self._server = server
        self._notable: deque[Entry] = deque(maxlen=_REMEMBERED)
        self._routine: deque[Entry] = deque(maxlen=_ROUTINE_REMEMBERED)
        self._number = 0
        self._rows: dict[int, Answer] = {}
        """By number."""
        self._listeners: dict[asyncio.Task[object], None] = {}
        core.context.dispatcher.watchers.append(self._note)
        server.add("GET", ROOT + "/events", self._serve)
        for path, which in (("/ui/events", "all"), ("/ui/errors-and-warnings", "trouble")):
            server.serve("GET", path, partial(self._list, which))
        server.app.on_shutdown.append(self._end)

    def _note(self, event: Event) -> None:
        self._number += 1
        kept = self._routine if type(event).__name__ in ROUTINE else self._notable
        kept.append((self._number, self._context.now_ms, event))

    async def _end(self, app: web.Application) -> None:
        for task in list(self._listeners):
            task.cancel()

    def _after(self, last: int, *, has_routine: bool) -> list[Entry]:
        """The events after that number, oldest first."""
        found = list(_newer(self._notable, last))
        if has_routine:
            found = sorted([*found, *_newer(self._routine, last)], reverse=True, key=_number_of)
        return found[::-1]

    def _start(self, request: web.Request) -> int:
        """The number of the last event that this client has seen, or needs not see."""
        told = request.headers.get("Last-Event-ID") or request.query.get("since") or ""
        start, _, number = told.rpartition("-")
        if start == str(self._context.start_ms) and number.isascii() and number.isdigit():
            return int(number[:_LONGEST_NUMBER])
        wanted = request.query.get("backfill", "")
        if not (wanted.isascii() and wanted.isdigit()):
            return 0
        count = min(int(wanted[:6]), _REMEMBERED)
        if count == 0:
            return self._number
        return self._notable[-count][0] - 1 if len(self._notable) >= count else 0

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-cache",
                "X-Content-Type-Options": "nosniff",
            }
        )
        await response.prepare(request)
        shows_details = self._shows_details(request)
        has_routine = request.query.get("routine") == "true"
        task = asyncio.current_task()
        assert task is not None
        self._listeners[task] = None
        last, silent_s = self._start(request), _QUIET_S
        try:
            await response.write(b"retry: 2000\n: hello\n\n")
            while True:
                new = self._after(last, has_routine=has_routine)[:_BATCH]
                if new:
                    last = new[-1][0]
                    said = (_message(*self._row(one, shows_details=shows_details)) for one in new)
                    await response.write("".join(said).encode())
                elif silent_s >= _QUIET_S:
                    silent_s = 0.0
                    await response.write(b"event: quiet\ndata: {}\n\n")
                await asyncio.sleep(0 if len(new) == _BATCH else _PAUSE_S)
                silent_s += _PAUSE_S
        finally:
            del self._listeners[task]

    def _list(self, which: str, call: Call) -> Listing:
        """GET /ui/events?q=&which=&from=: those that are remembered, the newest first, and their page."""
        page = EventsPage({"which": which, **call.asked})
        shows_details = not call.access.is_enabled or call.access.is_admin(call.caller.user)

        newest_first = list(reversed(self._notable))

        def rows() -> Iterator[Answer | None]:
            for entry in newest_first:
                number, shown = self._row(entry, shows_details=shows_details)
                page.take({"number": number, **shown})
                yield None
            yield from in_units(page.rows(), counts_vcores=self._context.scheduler.counts_vcores)

        return Listing(
            outer="events",
            inner="event",
            sources=rows(),
            tail=lambda: {"block": page.blocks()},
        )

    def _shows_details(self, request: web.Request) -> bool:
        access = self._core.access
        return not access.is_enabled or access.is_admin(self._server.caller(request).user)

    def _row(self, entry: Entry, *, shows_details: bool) -> tuple[str, Answer]:
        """Its number for clients and its row; rows are kept, because pages ask again every second."""
        number, moment_ms, event = entry
        shown = self._rows.get(number)
        if shown is None:
            if len(self._rows) >= 2 * _REMEMBERED:
                self._rows.clear()
            self._rows[number] = shown = row(moment_ms, event, shows_details=True)
        if not shows_details:
            shown = {name: value for name, value in shown.items() if name != "details"}
        return f"{self._context.start_ms}-{number}", shown


def _message(number: str, shown: Answer) -> str:
    return f"id: {number}\ndata: {json.dumps(shown)}\n\n"


def _number_of(entry: Entry) -> int:
    return entry[0]


def _newer(kept: deque[Entry], last: int) -> Iterable[Entry]:
    """From the newest back to the first after `last`."""
    return takewhile(lambda entry: entry[0] > last, reversed(kept))
