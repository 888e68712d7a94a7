"""The node's web service: REST below /ws/v1/node, pages below /node, metrics and the tools of every daemon.

Owns which address is answered by what, and in which notation. Reads between turns, never changes anything.
Hadoop: WebServer, NMWebServices, NMController, NMWebAppFilter and the NM's HttpServer2.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

from aiohttp import web

from yarnbox.nm.core import Core
from yarnbox.nm.edge.http import pages
from yarnbox.nm.edge.http.metrics import NodeMetrics
from yarnbox.nm.edge.http.node_logs import NodeLogs
from yarnbox.nm.edge.http.refusals import RefusedError, bad_request, not_found, text
from yarnbox.nm.edge.http.views import NodeViews, container_id_of
from yarnbox.nm.edge.staging import StagedFiles
from yarnbox.nm.executor.layout import Layout
from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http import html_pages, jmx, notation, servlets
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.http.process_beans import ProcessBeans
from yarnbox.yarn.http.server import FilePart, HttpServer, new_application, response_of
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.security.authentication import USER, Authentication
from yarnbox.yarn.security.tls import Tls, scheme
from yarnbox.yarn.settings import with_defaults

log = logging.getLogger("nm.web")

ROOT = "/ws/v1/node"
_LARGEST_BODY = 64 * 1024
_STATIC_USER = "dr.who"
_HTML = "text/html; charset=utf-8"
_CSRF_HEADER = "X-XSRF-Header"
_BROWSERS = re.compile(r"Mozilla|Opera")

Deferred = Callable[[], web.Response]
"""The answer of one who has to look at disks for long: made in a thread."""


class WebService:
    """One node over HTTP; `logs` is the directory of the process's own log, if it has one."""

    def __init__(
        self,
        core: Core,
        layout: Layout,
        access: HttpAccess,
        configuration: Configuration | None = None,
        logs: Path | None = None,
        tls: Tls | None = None,
    ) -> None:
        self._tls = tls
        self._context = core.context
        self._configuration = configuration or Configuration()
        self._own_logs = logs
        self._logs = NodeLogs(core.context, layout)
        self._views = NodeViews(core, self._logs, ResourceTypeRegistry.read(self._configuration))
        self._metrics = NodeMetrics(core, layout)
        self._process = ProcessBeans("NodeManager")
        rm = core.context.settings.rm_address.host
        app = new_application(
            access,
            largest_body=_LARGEST_BODY,
            authentication=Authentication(tls, spokesman=rm) if tls is not None else None,
        )
        StagedFiles(layout.staged, core.context.settings.staging).add_to(app)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._server = HttpServer(app)

    async def start(self, host: str, port: int) -> None:
        """Listens; PortTakenError when somebody else does at that port."""
        await self._server.start(bind(Address(host, port), "yarn.nodemanager.webapp.address"), self._tls)
        self._process.start()

    async def stop(self) -> None:
        """Serves no longer."""
        self._process.stop()
        await self._server.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    async def _serve(self, request: web.Request) -> web.Response:
        try:
            found = self._handle(request)
            return found if isinstance(found, web.Response) else await asyncio.to_thread(found)
        except web.HTTPNotFound:
            raise
        except Exception:
            log.exception("%s %s failed", request.method, request.raw_path)
            message = "the node's log has the traceback\n"
            return web.Response(status=HTTPStatus.INTERNAL_SERVER_ERROR, text=message)

    def _handle(self, request: web.Request) -> web.Response | Deferred:
        parts = urlsplit(request.raw_path)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if USER in request:
            query["user.name"] = request[USER]
        words = [unquote(word) for word in parts.path.split("/") if word]
        kind = notation.preferred(request.headers.get("Accept"))

        def guarded(answer: Callable[[], web.Response | Deferred]) -> web.Response | Deferred:
            try:
                found = answer()
            except RefusedError as refusal:
                return _refusal(refusal, kind, is_page=words[:1] == ["node"])
            return found if isinstance(found, web.Response) else lambda: _made(guarded(found))

        return guarded(lambda: self._answer(request, words, query, kind))

    def _answer(
        self, request: web.Request, words: list[str], query: Mapping[str, str], kind: str | None
    ) -> web.Response | Deferred:
        if request.method == "PUT" and words == ["ws", "v1", "node", "auxiliaryservices"]:
            raise bad_request("Auxiliary services manifest is not enabled")
        if request.method != "GET":
            return web.Response(status=HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET"})
        match words:
            case []:
                return _found("/node")
            case ["ws", "v1", "node", *rest]:
                return self._rest(rest, query, kind, request.headers.get("Host") or f"127.0.0.1:{self.port}")
            case ["node", "containerlogs", name, owner, *file] if len(file) <= 1:
                return self._log_page(name, owner, file, query)
            case ["node", *rest]:
                return self._page(rest)
            case ["static", "node.css"]:
                return _response(html_pages.STYLE, "text/css; charset=utf-8")
            case _:
                return self._tool(request, words, query)

    # REST

    def _rest(
        self, words: list[str], query: Mapping[str, str], kind: str | None, host: str
    ) -> web.Response | Deferred:
        if (words[0:1], words[2:3], len(words)) == (["containers"], ["logs"], 4):
            return self._log_text(words[1], words[3], query)
        if words[0:1] == ["containerlogs"] and len(words) == 3:
            return self._log_text(words[1], words[2], query)
        if kind is None:
            raise text(406, "Not Acceptable: application/json or application/xml")
        views = self._views
        match words:
            case [] | ["info"]:
                return _written(kind, "nodeInfo", views.node())
            case ["apps"]:
                found = views.applications(query.get("state"), query.get("user"))
                return _written(kind, "apps", {"app": found} if found else {})
            case ["apps", name]:
                return _written(kind, "app", views.application(name))
            case ["containers"]:
                found = views.containers(host)
                return _written(kind, "containers", {"container": found} if found else {})
            case ["containers", name]:
                return _written(kind, "container", views.container(name, host))
            case ["containers", name, "logs"]:
                container_id = container_id_of(name)
                self._logs.check(container_id, self._user(query))
                return lambda: _mapped(kind, "containerLogsInfo", self._logs.groups(container_id))
            case ["resources", _]:
                return _response("{}", "application/json; charset=utf-8")
            case ["auxiliaryservices"]:
                raise bad_request("Auxiliary services manifest is not enabled")
            case _:
                raise web.HTTPNotFound

    def _log_text(self, name: str, file: str, query: Mapping[str, str]) -> Deferred:
        container_id = container_id_of(name)
        self._logs.check(container_id, self._user(query))
        return lambda: self._logs.text(container_id, file, query)

    def _user(self, query: Mapping[str, str]) -> str:
        static = self._configuration.value("hadoop.http.staticuser.user") or _STATIC_USER
        return query.get("user.name") or static

    # Pages

    def _page(self, words: list[str]) -> web.Response:
        views = self._views
        match words:
            case [] | ["node"]:
                return self._document("NodeManager information", pages.node(views.node()))
            case ["allApplications"]:
                found = views.applications(None, None)
                return self._document("Applications running on this node", pages.applications(found))
            case ["application", name]:
                return self._document(name, pages.application(views.application(name)))
            case ["allContainers"]:
                title = "All containers running on this node"
                return self._document(title, pages.containers(views.containers("")))
            case ["container", name]:
                one = views.container(name, "")
                return self._document(name, pages.container(one, views.exit_status(name)))
            case _:
                raise not_found("There is no such page.")

    def _log_page(
        self, name: str, owner: str, file: list[str], query: Mapping[str, str]
    ) -> web.Response | Deferred:
        """Logs of an application that is gone are the log server's to show, where there is one."""
        container_id = container_id_of(name)
        self._logs.check(container_id, self._user(query))
        settings = self._context.settings.logs
        is_gone = container_id.application_id not in self._context.applications
        server = self._configuration.value("yarn.log.server.url")
        if server and settings.aggregation_enabled and is_gone:
            place = "/".join([server, str(self._context.node_id), name, name, owner, *file])
            return _found(f"{place}?{urlencode(query)}" if query else place, HTTPStatus.TEMPORARY_REDIRECT)
        title = f"Logs for {name}"
        if file:
            return lambda: self._document(title, self._logs.page(container_id, owner, file[0], query))
        return lambda: self._document(title, self._logs.list_page(container_id, owner))

    def _document(self, title: str, body: list[html_pages.Html]) -> web.Response:
        rm = self._configuration.value("yarn.resourcemanager.webapp.address")
        return _page_response(pages.document(title, body, f"{scheme(self._tls)}://{rm}" if rm else None))

    # Tools

    def _tool(
        self, request: web.Request, words: list[str], query: Mapping[str, str]
    ) -> web.Response | Deferred:
        if words == ["jmx"]:
            status, body = jmx.answer(self._beans(), query)
            headers = {"Access-Control-Allow-Origin": "*"}
            return _response(body, "application/json; charset=utf-8", HTTPStatus(status), headers)
        if words in (["prom"], ["metrics"]):
            return web.Response(
                headers={"Content-Type": jmx.PROMETHEUS_TYPE}, body=jmx.prometheus(self._beans())
            )
        if words[0] in ("conf", "stacks", "logLevel", "logs"):
            self._check_admin(self._user(query))
        match words:
            case ["conf"]:
                shown = with_defaults(self._configuration, NMSettings)
                page = servlets.configuration_page(
                    shown, query.get("name", ""), request.headers.get("Accept", "")
                )
                if page is None:
                    raise text(404, f"Property {query.get('name')} not found")
                return _response(page[1], f"{page[0]}; charset=utf-8")
            case ["stacks"]:
                return _response(servlets.stacks(), "text/plain; charset=utf-8")
            case ["logLevel"]:
                browser = _BROWSERS.match(request.headers.get("User-Agent", ""))
                if "level" in query and browser and _CSRF_HEADER not in request.headers:
                    raise text(400, "Missing Required Header for CSRF Vulnerability Protection")
                return _response(servlets.log_level_page(query.get("log"), query.get("level")), _HTML)
            case ["logs", *rest]:
                return self._show_own_log(urlsplit(request.raw_path).path, "/".join(rest))
            case _:
                raise web.HTTPNotFound

    def _check_admin(self, user: str) -> None:
        if not self._context.is_admin(user):
            raise text(403, f"User {user} is unauthorized to access this page.")

    def _show_own_log(self, path: str, rest: str) -> web.Response:
        found = servlets.within(self._own_logs, rest) if self._own_logs is not None else None
        if found is None:
            raise text(404, "There is no such log.")
        if found.is_file():
            headers = {"Content-Type": "text/plain; charset=utf-8"}
            return response_of([FilePart(found, 0, found.stat().st_size)], headers)
        if not path.endswith("/"):
            return _found(path + "/")
        return _response(servlets.listing_page(found, path), _HTML)

    def _beans(self) -> list[jmx.Bean]:
        host = socket.gethostname()
        found = [self._metrics.bean(), *self._process.beans()]
        return [{**bean, "tag.Hostname": host} if "tag.Context" in bean else bean for bean in found]


def _made(answer: web.Response | Deferred) -> web.Response:
    return answer if isinstance(answer, web.Response) else answer()


def _response(
    body: str,
    kind: str,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    return web.Response(status=status, headers={"Content-Type": kind, **(headers or {})}, body=body.encode())


def _page_response(body: str, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    headers = {"Content-Security-Policy": html_pages.POLICY, "X-Content-Type-Options": "nosniff"}
    return _response(body, _HTML, status, headers)


def _found(where: str, status: HTTPStatus = HTTPStatus.FOUND) -> web.Response:
    return web.Response(status=status, headers={"Location": where})


def _written(kind: str, root: str, value: object, status: HTTPStatus = HTTPStatus.OK) -> web.Response:
    body = notation.document(root, value) if kind == notation.XML else notation.natural({root: value})
    return _response(body, f"{kind}; charset=utf-8", status)


def _mapped(kind: str, root: str, value: list[Any]) -> web.Response:
    body = (
        notation.document(f"{root}es", {root: value})
        if kind == notation.XML
        else notation.mapped({root: value})
    )
    return _response(body, f"{kind}; charset=utf-8")


def _refusal(refusal: RefusedError, kind: str | None, *, is_page: bool) -> web.Response:
    if is_page:
        return _page_response(pages.document(refusal.message, []), refusal.status)
    if refusal.is_text:
        return _response(refusal.message, "text/plain; charset=utf-8", refusal.status)
    return _written(kind or notation.JSON, "RemoteException", refusal.body(), refusal.status)
