"""The event log, live: what the RM's dispatcher carried, as server-sent events with a number each.

A client that comes back with Last-Event-ID gets what it missed, as far as it is remembered; one that cannot
keep up misses events and sees it by their numbers. Ours alone: Hadoop has no such stream.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any

from aiohttp import web

from rm.core import Core
from rm.edge.http.server import ROOT, WebServer

_REMEMBERED = 2_000
_PAUSE_S = 0.25
_HEARTBEAT_S = 15.0


class EventStream:
    """The last events of one core, and those who listen."""

    def __init__(self, core: Core, server: WebServer) -> None:
        self._context = core.context
        self._events: deque[tuple[int, int, Any]] = deque(maxlen=_REMEMBERED)
        self._number = 0
        self._listeners: dict[asyncio.Task[Any], None] = {}
        core.context.dispatcher.watchers.append(self._note)
        server.add("GET", ROOT + "/events", self._serve)
        server.app.on_shutdown.append(self._end)

    def _note(self, event: Any) -> None:
        self._number += 1
        self._events.append((self._number, self._context.now_ms, event))

    async def _end(self, app: web.Application) -> None:
        for task in list(self._listeners):
            task.cancel()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(
            headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"}
        )
        await response.prepare(request)
        task = asyncio.current_task()
        assert task is not None
        self._listeners[task] = None
        last, silent_s = _number(request.headers.get("Last-Event-ID")), 0.0
        try:
            await response.write(b"retry: 2000\n\n")
            while True:
                new = [one for one in self._events if one[0] > last]
                if new:
                    last, silent_s = new[-1][0], 0.0
                    await response.write("".join(map(_message, new)).encode())
                elif silent_s >= _HEARTBEAT_S:
                    silent_s = 0.0
                    await response.write(b": still here\n\n")
                await asyncio.sleep(_PAUSE_S)
                silent_s += _PAUSE_S
        finally:
            del self._listeners[task]


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else 0


def _message(entry: tuple[int, int, Any]) -> str:
    number, moment_ms, event = entry
    subject = event.subject
    shown = {"time": moment_ms, "type": type(event).__name__, "subject": str(subject) if subject else ""}
    return f"id: {number}\ndata: {json.dumps(shown)}\n\n"
