"""The listening end of `yarnbox view`: the pages, and below /ws/v1/cluster what a recording answers.

It listens on the loopback interface alone. What changes anything must carry the header that a page of another
site cannot send.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable
from typing import Any

from aiohttp import web

from yarnbox import SOURCES
from yarnbox.cluster.viewer.answers import missing, wrong
from yarnbox.cluster.viewer.compared import compare_page
from yarnbox.cluster.viewer.containers import EPOCH_MS
from yarnbox.cluster.viewer.library import LARGEST_TEXT, RecordingLibrary, SimulationFailedError
from yarnbox.cluster.viewer.run import run_page
from yarnbox.cluster.viewer.simulation import SIZES, simulation_page
from yarnbox.cluster.viewer.timebar import time_bar
from yarnbox.cluster.viewer.units import since
from yarnbox.rm.edge.http.pages import RECORDING, Pages
from yarnbox.rm.edge.http.server import CSRF_HEADER, ROOT
from yarnbox.rm.web.grids import wants_file
from yarnbox.rm.web.pages.shell import run_shell
from yarnbox.rm.web.queues.words import page_in_units
from yarnbox.rm.web.refusals import RestError
from yarnbox.rm.web.saved.files import file_of
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.http.server import HttpServer, Responder, new_application

_SAFE = ("GET", "HEAD")
_UI = ROOT + "/ui"
_LONGEST_AT = 16
_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
_DAMAGED = "org.apache.hadoop.yarn.webapp.WebAppException"


class Viewer:
    """Recordings over HTTP."""

    def __init__(self, library: RecordingLibrary) -> None:
        self._library = library
        access = HttpAccess(HttpAccessSettings())
        self._app = new_application(access, self._guard, largest_body=3 * LARGEST_TEXT)
        self._server = HttpServer(self._app)
        Pages(self, RECORDING)
        self.add("GET", _UI + "/recording", self._header)
        self.add("GET", _UI + "/recording/page", self._run)
        self.add("GET", _UI + "/comparison", self._comparison)
        self.add("GET", _UI + "/what-if", self._what_if)
        self.add("GET", _UI + "/shell", self._shell)
        self.add("GET", _UI + "/simulations", self._offer)
        self.add("POST", _UI + "/simulations", self._simulate)
        self.add("GET", ROOT + "/{path:.+}", self._answer)

    def add(self, method: str, path: str, responder: Responder) -> None:
        """A path and who answers it."""
        self._app.router.add_route(method, path, responder)

    async def start(self, listening: socket.socket) -> None:
        """Serves from now on."""
        await self._server.start(listening)

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Responder) -> web.StreamResponse:
        try:
            if request.method not in _SAFE and CSRF_HEADER not in request.headers:
                raise wrong(f"a change needs the header {CSRF_HEADER}")
            response = await handler(request)
        except RestError as refusal:
            response = _json(refusal.body(), refusal.status)
        except web.HTTPException as error:
            response = web.Response(status=error.status, text=error.reason)
        except (LookupError, TypeError, ValueError) as error:  # deeper than a reader looks at the beginning
            damage = RestError(500, _DAMAGED, f"the recording is damaged: {error!r}")
            response = _json(damage.body(), damage.status)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "SAMEORIGIN"
        response.headers.setdefault("Cache-Control", "no-cache")
        return response

    # ---- answers

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        found = self._library.run(request.query.get("run", ""))
        path = "/" + request.match_info["path"].rstrip("/")
        return await _shown(request, found.answer(path, request.query, _at(request)))

    async def _header(self, request: web.Request) -> web.StreamResponse:
        asked = request.query.get("run", "")
        return _json(time_bar(self._library.recordings, asked))

    async def _comparison(self, request: web.Request) -> web.StreamResponse:
        has_report = self._library.report is not None
        block = compare_page(self._library.recordings, request.query, has_report=has_report)
        return await _shown(request, {"comparison": {"block": block}})

    async def _run(self, request: web.Request) -> web.StreamResponse:
        """The page of a run at a moment."""
        recordings, asked = self._library.recordings, request.query.get("run", "")
        found, run = self._library.run(asked), asked or next(iter(recordings))
        has_twin = [one.name for one in recordings.values()].count(found.recording.name) > 1
        at, demo = _at(request), self._library.demo
        block = run_page(found, run, at, request.query, demo=demo, has_twin=has_twin)
        shown = page_in_units({"block": block}, counts_vcores=found.counts_vcores)
        return await _shown(request, {"page": shown})

    async def _what_if(self, request: web.Request) -> web.StreamResponse:
        """The report as it is: it runs no script and loads nothing, and is held to that."""
        if self._library.report is None:
            raise missing("no report of yarnbox whatif is shown")
        headers = {"Content-Security-Policy": _REPORT_POLICY}
        return web.Response(text=self._library.report, content_type="text/html", headers=headers)

    async def _shell(self, request: web.Request) -> web.StreamResponse:
        return _json(run_shell())

    # ---- simulations

    async def _offer(self, request: web.Request) -> web.StreamResponse:
        file = request.query.get("file", "")
        text = self._library.text(file) if file else _EXAMPLE.read_text(encoding="utf-8")
        page = simulation_page(self._library.recordings, self._library.files(), file, text)
        return _json({"simulations": {"block": page}})

    async def _simulate(self, request: web.Request) -> web.StreamResponse:
        try:
            asked = json.loads(await request.text())
            text, called, scheduler = (_text(asked, name) for name in ("text", "name", "scheduler"))
            sizes = {name: _size(asked, name) for name in SIZES}
        except (ValueError, TypeError) as error:
            raise wrong(f"text, name and scheduler are required: {error}") from None
        try:
            run = await self._library.simulate(text, called or "scenario", scheduler, sizes)
        except SimulationFailedError as error:
            return _json({"problems": error.problems}, 422)
        return _json({"run": run, "to": f"/cluster/run?run={run}&at=0"})


_EXAMPLE = SOURCES / "yarnbox" / "examples" / "scenarios" / "two-queues.yaml"
"""What the page begins with."""


def _size(asked: Any, name: str) -> int:
    """As a form has it, or a number."""
    value, most = asked.get(name, SIZES[name]["value"]), SIZES[name]["max"]
    if type(value) not in (int, str) or not 1 <= int(value) <= most:
        raise ValueError(f"{name} has to be a number from 1 to {most}")
    return int(value)


def _text(asked: Any, name: str) -> str:
    value = asked.get(name, "") if isinstance(asked, dict) else None
    if not isinstance(value, str):
        raise TypeError(f"{name} has to be a string")
    return value


def _at(request: web.Request) -> int | None:
    text = request.query.get("at", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < _LONGEST_AT):
        raise wrong(f"at has to be a moment in ms, not {text}")
    return int(text)


async def _shown(request: web.Request, answer: Any) -> web.Response:
    """A look: an answer, or a file of what it shows."""
    query = request.query
    if not (request.path.startswith(_UI) and wants_file(query)):
        return _json(answer)
    asked = {name: query.getall(name) for name in query}
    file = await asyncio.to_thread(file_of, next(iter(answer.values())), asked, _clock)
    return web.Response(text=file.text, content_type=file.kind, headers=file.headers)


def _clock(ms: int) -> str:
    return since(ms - EPOCH_MS)


def _json(value: Any, status: int = 200) -> web.Response:
    dumps: Callable[[Any], str] = json.dumps
    return web.json_response(value, status=status, dumps=dumps)
