"""The servlets that every Hadoop daemon has: its configuration, its logs and their level, its stacks, and
whether it is the active one.

Owns who may see them: where access control is on, administrators. What they show is in yarn.servlets. Hadoop:
HttpServer2's servlets, IsActiveServlet and RMWebServices.dumpSchedulerLogs.
"""

from __future__ import annotations

from pathlib import Path

from aiohttp import web

from yarnbox.rm.core import Core
from yarnbox.rm.edge.http.adhoc import AdHocLog
from yarnbox.rm.edge.http.server import ROOT, WebServer
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.refusals import bad_number, bad_request, forbidden, text
from yarnbox.yarn.http import servlets
from yarnbox.yarn.settings import with_defaults


class Tools:
    """The tools of one RM process; `logs` is the directory of its logs, if it has one."""

    def __init__(self, core: Core, server: WebServer, logs: Path | None) -> None:
        self._context = core.context
        self._access = core.access
        self._server = server
        self._logs = logs
        self._adhoc = AdHocLog(core, logs)
        server.add("GET", "/conf", self._conf)
        server.add("GET", "/isActive", self._is_active)
        server.add("GET", "/stacks", self._stacks)
        server.add("GET", "/logLevel", self._log_level)
        server.app.router.add_route("GET", "/logs", self._to_logs)
        server.app.router.add_route("GET", "/logs/{rest:.*}", self._show_logs)
        server.add("POST", ROOT + "/scheduler/logs", self._dump_logs)
        server.app.on_cleanup.append(self._end)

    async def _end(self, app: web.Application) -> None:
        self._adhoc.end()

    def _check(self, request: web.Request) -> None:
        user = self._server.caller(request).user
        if self._access.is_enabled and not self._access.is_admin(user):
            raise text(403, f"User {user} is unauthorized to access this page.")

    async def _is_active(self, request: web.Request) -> web.StreamResponse:
        return web.Response(text="I am Active!")

    async def _conf(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        name = request.query.get("name", "")
        shown = with_defaults(self._context.configuration, RMSettings)
        page = servlets.configuration_page(shown, name, request.headers.get("Accept", ""))
        if page is None:
            raise text(404, f"Property {name} not found")
        return web.Response(text=page[1], content_type=page[0], charset="utf-8")

    async def _stacks(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        return web.Response(text=servlets.stacks())

    async def _log_level(self, request: web.Request) -> web.StreamResponse:
        """The level of a logger; a browser that sets it has to send the custom header."""
        self._check(request)
        name, level = request.query.get("log"), request.query.get("level")
        if level is not None:
            self._server.refuse_browser(request)
        return web.Response(text=servlets.log_level_page(name, level), content_type="text/html")

    async def _to_logs(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/logs/"})

    async def _show_logs(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        if self._logs is None:
            raise text(404, "This ResourceManager logs to its standard error alone.")
        found = servlets.within(self._logs, request.match_info["rest"])
        if found is None:
            raise text(404, "There is no such log.")
        if found.is_dir():
            page = servlets.listing_page(found, request.path)
            return web.Response(text=page, content_type="text/html")
        return web.FileResponse(found, headers={"Content-Type": "text/plain; charset=utf-8"})

    async def _dump_logs(self, request: web.Request) -> web.StreamResponse:
        """POST /scheduler/logs: form field `time`, in seconds."""
        user = self._server.caller(request).user
        if self._access.is_enabled and not self._access.is_admin(user):
            raise forbidden("Only admins can carry out this operation.")
        field = (await request.post()).get("time")
        given = field if isinstance(field, str) else ""
        try:
            period_s = int(given)
        except ValueError:
            said = f'For input string: "{given}"' if field is not None else "Cannot parse null string"
            raise bad_number(said) from None
        if not 0 < period_s < 2**31:
            raise bad_request("Period must be greater than 0")
        self._adhoc.begin(period_s)
        return web.Response(
            text="Capacity scheduler logs are being created.", content_type="application/json"
        )
