"""The web proxy: /proxy/{application}/... is the page of its AM, fetched on behalf of whoever asks.

Owns where a request goes, what is passed on and what is not, and that no request goes round in a circle.
Of applications it knows the tracking URL and whether they are over. Hadoop: WebAppProxyServlet,
ProxyUriUtils and AppReportFetcher.
"""

from __future__ import annotations

import html
import ipaddress
import secrets
from collections.abc import Mapping
from http import HTTPStatus
from urllib.parse import quote, urlsplit, urlunsplit

import aiohttp
import psutil
from aiohttp import web

from yarnbox.rm.attempt import NOT_AVAILABLE
from yarnbox.rm.core import Core
from yarnbox.rm.edge.http.isolation import SANDBOX, is_isolated, own_address
from yarnbox.rm.edge.http.server import WebServer
from yarnbox.rm.web.refusals import text
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.log import Log

log = Log("rm.proxy")

ROOT = "/proxy/"
_REDIRECT = "redirect"
_PASSED_ON = (
    "User-Agent",
    "Accept",
    "Accept-Encoding",
    "Accept-Language",
    "Accept-Charset",
    "Content-Type",
    "Origin",
    "Access-Control-Request-Method",
    "Access-Control-Request-Headers",
)
_OF_ONE_HOP = (
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
)
_KEPT_FROM_BROWSERS = ("set-cookie", "set-cookie2", "service-worker-allowed", "clear-site-data")
"""Headers by which a page of an AM would reach beyond itself: it shares host and port with the RM's pages."""
_PORTS = {"http": 80, "https": 443}
_PIECE = 64 * 1024
_CIRCLE = (
    "The application master of {} sent the proxy's request back to the proxy. Most often it takes the "
    "ResourceManager's address for another one than it is; see yarn.web-proxy.address."
)


class Proxy:
    """The proxy of one RM."""

    def __init__(self, core: Core, server: WebServer, book: AddressBook) -> None:
        self._context = core.context
        self._isolates = core.context.settings.web.proxy_isolation_enabled
        self._server = server
        self._book = book
        self._name = f"yarnbox-{secrets.token_hex(8)}"
        self._session: aiohttp.ClientSession | None = None
        server.app.router.add_route("*", ROOT + "{rest:.*}", self._serve)
        server.app.router.add_route("*", ROOT.rstrip("/"), self._serve)
        server.add("GET", "/cluster/failure/{appid}", self._failure)
        server.app.on_cleanup.append(self._close)

    async def _close(self, app: web.Application) -> None:
        if self._session is not None:
            await self._session.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        if request.method not in ("GET", "PUT"):
            raise web.HTTPMethodNotAllowed(request.method, ["GET", "PUT"])
        words = request.rel_url.raw_path.removeprefix(ROOT.rstrip("/")).lstrip("/").split("/", 1)
        is_redirect = words[0] == _REDIRECT
        if is_redirect:
            words = words[1].split("/", 1) if len(words) > 1 else [""]
        name, rest = words[0], words[1] if len(words) > 1 else ""
        if not name:
            raise text(404, "Your path appears to be formatted incorrectly.")
        try:
            application_id = ApplicationId.parse(name)
        except ValueError:
            raise text(404, f"{name} appears to be formatted incorrectly.") from None
        if (is_redirect and is_local(request.remote)) or self._name in request.headers.get("Via", ""):
            log.error("an AM sent the proxy's request back", application=application_id)
            return _found(f"/cluster/failure/{application_id}")
        url, is_over = await self._server.turn(lambda: self._tracked(application_id, name))
        if not url:
            return _found(f"/cluster/app/{application_id}")
        wanted = target(url, rest, request.rel_url.raw_query_string, self._book)
        if wanted is None:
            raise text(502, f"The tracking URL of {application_id} is not the address of a page")
        if is_over:
            return _found(wanted)
        elsewhere = own_address(request, application_id) if self._isolates else None
        return _found(elsewhere) if elsewhere else await self._fetch(request, wanted, application_id)

    def _tracked(self, application_id: ApplicationId, name: str) -> tuple[str, bool]:
        """Where the AM says that its page is, and whether the application, called so, is over."""
        app = self._context.apps.get(application_id)
        if app is None:
            raise text(404, f"Application {name} could not be found in RM or history server")
        url = app.current.original_tracking_url if app.current is not None else ""
        return ("" if url == NOT_AVAILABLE else url), app.is_in_final_state

    async def _fetch(
        self, request: web.Request, wanted: str, application_id: ApplicationId
    ) -> web.StreamResponse:
        user = self._server.caller(request).user
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        headers |= {"Cookie": f"proxy-user={quote(user)}", "Via": f"1.1 {self._name}"}
        body = await request.read() if request.method == "PUT" else None
        response: web.StreamResponse | None = None
        try:
            async with self._client().request(request.method, wanted, headers=headers, data=body) as answer:
                response = web.StreamResponse(status=answer.status, reason=answer.reason)
                _keep(answer.headers, response)
                if self._isolates and not is_isolated(request, application_id):
                    response.headers.add("Content-Security-Policy", SANDBOX)
                await response.prepare(request)
                async for piece in answer.content.iter_chunked(_PIECE):
                    await response.write(piece)
                await response.write_eof()
                return response
        except (aiohttp.ClientError, TimeoutError) as error:
            if response is not None and response.prepared:
                raise ConnectionResetError("the application's page broke off") from None
            if isinstance(error, TimeoutError):
                raise text(504, "The application's page does not answer") from None
            raise text(502, f"Cannot get the application's page: {error}") from None

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            settings = self._context.settings.web
            patience_s = settings.proxy_timeout_ms / 1000 if settings.proxy_timeout_enabled else None
            tls = self._server.tls
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=tls.calling()) if tls is not None else None,
                auto_decompress=False,
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=patience_s, sock_read=patience_s),
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            )
        return self._session

    async def _failure(self, request: web.Request) -> web.StreamResponse:
        told = html.escape(_CIRCLE.format(request.match_info["appid"]))
        head = "<title>Failure</title><link rel='icon' href='data:,'>"
        page = f"<!DOCTYPE html><html lang='en'>{head}<h1>Failure</h1><p>{told}</p></html>"
        return web.Response(status=HTTPStatus.LOOP_DETECTED, text=page, content_type="text/html")


def target(url: str, rest: str, query: str, book: AddressBook) -> str | None:
    """The address to fetch: the tracking URL, then the path and the query that were asked for; None when the
    URL names no page.
    """
    scheme, is_whole, behind = url.partition("://")
    if not is_whole:
        scheme, behind = "http", url.removeprefix("//")
    try:
        parts = urlsplit(f"{scheme}://{behind}")
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if scheme.lower() not in _PORTS or not host:
        return None
    path = f"{parts.path.rstrip('/')}/{rest}" if rest else parts.path or "/"
    whole = "&".join(one for one in (parts.query, query) if one)
    known = f"{host}:{port or _PORTS[scheme.lower()]}"
    place = book.resolve(known)
    return urlunsplit((scheme, parts.netloc if place == known else place, path, whole, ""))


def is_local(remote: str | None) -> bool:
    """Whether an address is one of this host's."""
    if remote is None:
        return False
    if ipaddress.ip_address(remote).is_loopback:
        return True
    return any(one.address == remote for found in psutil.net_if_addrs().values() for one in found)


def _found(where: str) -> web.Response:
    return web.Response(status=302, headers={"Location": where})


def _keep(headers: Mapping[str, str], response: web.StreamResponse) -> None:
    """Copies an answer's headers, except those of the connection and those that would affect the RM's own
    pages."""
    dropped = {
        *_OF_ONE_HOP,
        *_KEPT_FROM_BROWSERS,
        *(word.strip().lower() for word in headers.get("Connection", "").split(",")),
    }
    for name, value in headers.items():
        if name.lower() not in dropped:
            response.headers.add(name, value)
