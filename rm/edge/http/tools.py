"""The servlets that every Hadoop daemon has: its configuration, its logs and their level, its stacks, and
whether it is the active one.

Owns what of the process may be seen: nothing outside the directory of its logs, and no password. Where
access control is on, they are for administrators. Answers for ConfServlet, ConfigRedactor, the log servlets
of HttpServer2, LogLevel.Servlet, StackServlet, IsActiveServlet and AdHocLogDumper.
"""

from __future__ import annotations

import asyncio
import html
import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import escape

from aiohttp import web

from rm.core import Core
from rm.edge.http.adhoc import AdHocLog
from rm.edge.http.server import ROOT, WebServer
from rm.settings import RMSettings
from rm.web.refusals import bad_request, forbidden, text
from yarn.configuration import Configuration
from yarn.log import LEVELS
from yarn.settings import with_defaults

REDACTED = "<redacted>"
_SECRETS = re.compile(
    r"secret$|password$|ssl\.keystore\.pass$|fs\.s3.*[Ss]ecret.?[Kk]ey|fs\.azure\.account\.key|credential$"
    r"|oauth.*secret|oauth.*password|oauth.*token|server-side-encryption\.key"
)
_MARK = "<!-- OUTPUT -->"
_HEAD = """<!DOCTYPE html>
<html lang='en'><head><meta charset='utf-8'><title>{0}</title></head><body><h1>{0}</h1>
"""
_FORMS = """<hr><h2>Get / Set</h2>
<form>Class Name: <input type='text' size='50' name='log'> <input type='submit' value='Get Log Level'></form>
</body></html>
"""


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
        return web.Response()

    # Configuration

    async def _conf(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        shown = with_defaults(self._context.configuration, RMSettings)
        name = request.query.get("name", "")
        if name and shown.value(name) in (None, ""):
            raise text(404, f"Property {name} not found")
        names = [name] if name else shown.names()
        if "json" in request.headers.get("Accept", ""):
            listed = [_as_json(shown, one) for one in names]
            body = json.dumps({"property": listed[0]} if name else {"properties": listed})
            return web.Response(text=body, content_type="application/json", charset="utf-8")
        body = "\n".join(["<configuration>", *(_as_xml(shown, one) for one in names), "</configuration>\n"])
        declaration = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>'
        return web.Response(text=declaration + body, content_type="text/xml", charset="utf-8")

    # Stacks

    async def _stacks(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        return web.Response(text="\n".join(_stacks()))

    # Logs

    async def _to_logs(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/logs/"})

    async def _show_logs(self, request: web.Request) -> web.StreamResponse:
        self._check(request)
        if self._logs is None:
            raise text(404, "This ResourceManager logs to its standard error alone.")
        found = within(self._logs, request.match_info["rest"])
        if found is None:
            raise text(404, "There is no such log.")
        if found.is_dir():
            return web.Response(text=_listing(found, request.path), content_type="text/html")
        headers = {"Content-Type": "text/plain; charset=utf-8"}
        return web.FileResponse(found, headers=headers)

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
            raise bad_request(
                f'For input string: "{given}"', cause="java.lang.NumberFormatException"
            ) from None
        if not 0 < period_s < 2**31:
            raise bad_request("Period must be greater than 0")
        self._adhoc.begin(period_s)
        return web.Response(text="Capacity scheduler logs are being created.")

    async def _log_level(self, request: web.Request) -> web.StreamResponse:
        """The level of a logger; a browser that sets it has to send the custom header."""
        self._check(request)
        name, level = request.query.get("log"), request.query.get("level")
        lines = [_HEAD.format("Log Level")]
        if name is not None:
            if level is not None:
                self._server.refuse_browser(request)
            lines += [f"{_MARK}{line}<br>" for line in _level(name, level)]
        return web.Response(text="\n".join([*lines, _FORMS]), content_type="text/html")


def _level(name: str, level: str | None) -> Iterator[str]:
    logger = logging.getLogger(name)
    yield f"Submitted Class Name: <b>{html.escape(name)}</b>"
    yield f"Log Class: <b>{type(logger).__name__}</b>"
    if level is not None:
        shown = html.escape(level)
        yield f"Submitted Level: <b>{shown}</b>"
        if level.lower() in LEVELS:
            logger.setLevel(LEVELS[level.lower()])
            yield f"Setting Level to {shown} ..."
        else:
            yield f"Bad Level : <b>{shown}</b>"
    yield f"Effective Level: <b>{logging.getLevelName(logger.getEffectiveLevel())}</b>"


def _value(shown: Configuration, name: str) -> str:
    return REDACTED if _SECRETS.search(name) else shown.value(name) or ""


def _resource(shown: Configuration, name: str) -> str:
    source = str(shown.origin(name).source)
    return "yarn-default.xml" if source == "default" else Path(source).name


def _as_json(shown: Configuration, name: str) -> dict[str, Any]:
    found = shown.property(name)
    is_final = found is not None and found.final
    return {
        "key": name,
        "value": _value(shown, name),
        "isFinal": is_final,
        "resource": _resource(shown, name),
    }


def _as_xml(shown: Configuration, name: str) -> str:
    one = _as_json(shown, name)
    parts = {
        "name": name,
        "value": one["value"],
        "final": str(one["isFinal"]).lower(),
        "source": one["resource"],
    }
    inside = "".join(f"<{tag}>{escape(str(value))}</{tag}>" for tag, value in parts.items())
    return f"<property>{inside}</property>"


def within(directory: Path, rest: str) -> Path | None:
    """The file or directory of that name below `directory`; None for one that is not there, or elsewhere."""
    root = directory.resolve()
    try:
        found = (root / rest.lstrip("/")).resolve()
        is_there = found.exists()
    except (OSError, ValueError):  # a name with a null character, or too long a one
        return None
    return found if is_there and found.is_relative_to(root) else None


def _listing(directory: Path, path: str) -> str:
    rows = []
    for one in sorted(directory.iterdir()):
        name = one.name + ("/" if one.is_dir() else "")
        size = f"{one.stat().st_size} bytes" if one.is_file() else ""
        rows.append(f"<tr><td><a href='{quote(name)}'>{html.escape(name)}</a></td><td>{size}</td></tr>")
    title = f"Directory: {html.escape(path)}"
    return _HEAD.format(title) + "<table>" + "\n".join(rows) + "</table></body></html>\n"


def _stacks() -> Iterator[str]:
    """What every thread and every task of the process is at."""
    frames = sys._current_frames()
    threads = {thread.ident: thread for thread in threading.enumerate()}
    yield f"Process Thread Dump: \n{len(frames)} active threads"
    for ident, frame in frames.items():
        thread = threads.get(ident)
        yield f"Thread {ident} ({thread.name if thread is not None else 'unknown'}):\n  Stack:"
        yield "".join(f"    {line}" for line in traceback.format_stack(frame))
    tasks = asyncio.all_tasks()
    yield f"{len(tasks)} tasks of the event loop"
    for task in sorted(tasks, key=lambda one: one.get_name()):
        yield f"Task {task.get_name()}: {task.get_coro()}"
        for frame in task.get_stack():
            yield f"    {frame.f_code.co_filename}:{frame.f_lineno} {frame.f_code.co_name}"
