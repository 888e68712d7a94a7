"""The listening end: routes, who asks, how an answer is written, and what becomes of refusals.

A stack trace never leaves the process. Every call is a turn of its own; a listing is a turn for each slice,
and between two slices the loop serves whoever waits. Answers for RMWebApp, RMWebAppFilter,
RestCsrfPreventionFilter and GenericExceptionHandler.
"""

from __future__ import annotations

import asyncio
import errno
import re
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial
from itertools import islice
from typing import TypeVar

from aiohttp import web

from rm.core import Core
from rm.edge.driver import Driver
from rm.edge.http import activities, bodies, changes, conf, draining, labels, plans, reads, rights
from rm.edge.http.bodies import Body
from rm.edge.http.calls import Call, Handler, Listing, Reply, Waiting
from rm.edge.http.cross_origin import CrossOrigin
from rm.services.caller import Caller
from rm.web.refusals import RestError, of_core, text
from rm.web.values import Answer, Shapes
from yarn import notation
from yarn.address import Address
from yarn.errors import YarnError
from yarn.log import Log
from yarn.rpc import PortTakenError

T = TypeVar("T")

log = Log("rm")

PROPERTY = "yarn.resourcemanager.webapp.address"
ROOT = "/ws/v1/cluster"
CSRF_HEADER = "X-XSRF-Header"
_BROWSERS = re.compile(r"Mozilla|Opera")
_NO_HEADER = "Missing Required Header for CSRF Vulnerability Protection"
_PROXIED = "/proxy/"
_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
_LARGEST_BODY = 4 * 1024 * 1024
_SLICE = 10
_GRACE_S = 0.1
_AGAIN_S = 0.01
ROUTES = (
    *reads.ROUTES,
    *changes.ROUTES,
    *labels.ROUTES,
    *conf.ROUTES,
    *activities.ROUTES,
    *plans.ROUTES,
    *rights.ROUTES,
    *draining.ROUTES,
)

Responder = Callable[[web.Request], Awaitable[web.StreamResponse]]


def bind(address: Address) -> socket.socket:
    """A socket that listens there; PortTakenError names the port and the setting when it cannot be had."""
    try:
        info = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        family, kind, _, _, name = info[0]
        listening = socket.socket(family, kind)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(name)
            listening.listen(128)
            listening.setblocking(False)
        except OSError:
            listening.close()
            raise
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = f"port {address.port} is already in use" if is_taken else str(error)
        raise PortTakenError(f"cannot listen on {address}: {why}; {PROPERTY} changes it") from error
    return listening


class WebServer:
    """One RM over HTTP."""

    def __init__(self, core: Core, driver: Driver, listening: socket.socket, static_user: str) -> None:
        self.core = core
        self.driver = driver
        self.shapes = Shapes(core.context.resource_types)
        self.app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_BODY)
        self._listening = listening
        self._static_user = static_user
        self._runner: web.AppRunner | None = None
        self._gate = asyncio.Lock()
        self._allowed: dict[str, list[str]] = {}
        """The methods of each path."""
        if core.context.settings.web.cross_origin_enabled:
            self.app.on_response_prepare.append(CrossOrigin(core.context.settings.web).add)
        for method, path, handler in ROUTES:
            self.serve(method, path, handler)

    def serve(self, method: str, path: str, handler: Handler) -> None:
        """A call of the REST API, by its path below /ws/v1/cluster; what can be read has a head, too."""
        responder = partial(self._respond, handler)
        allowed = self._allowed.get(path)
        if allowed is None:
            self._allowed[path] = allowed = ["OPTIONS"]
            self.add("OPTIONS", ROOT + path, partial(_options, allowed))
        for each in ("HEAD", "GET") if method == "GET" else (method,):
            self.add(each, ROOT + path, responder)
            allowed.append(each)

    def add(self, method: str, path: str, responder: Responder) -> None:
        """A path, with or without a slash at its end."""
        self.app.router.add_route(method, path, responder)
        if not path.endswith("/"):
            self.app.router.add_route(method, path + "/", responder)

    async def start(self) -> None:
        """Serves from now on."""
        self._runner = web.AppRunner(
            self.app, access_log=None, handle_signals=False, shutdown_timeout=_GRACE_S
        )
        await self._runner.setup()
        await web.SockSite(self._runner, self._listening).start()

    async def stop(self) -> None:
        """Serves no longer."""
        if self._runner is not None:
            await self._runner.cleanup()
        self._listening.close()

    def caller(self, request: web.Request) -> Caller:
        """Who asks: user.name, else the static user."""
        return Caller(user=request.query.get("user.name") or self._static_user)

    def refuse_browser(self, request: web.Request) -> None:
        """400 for a change that a browser asks for without the custom header: another site may be behind."""
        if CSRF_HEADER not in request.headers and _BROWSERS.match(request.headers.get("User-Agent", "")):
            raise text(400, _NO_HEADER)

    # Answers

    @web.middleware
    async def _guard(self, request: web.Request, handler: Responder) -> web.StreamResponse:
        """What holds for every request: browsers must send the custom header to change anything."""
        try:
            if request.method not in _SAFE and not request.path.startswith(_PROXIED):
                self.refuse_browser(request)
            if request.method == "OPTIONS" and self.core.context.settings.web.cross_origin_enabled:
                return web.Response()
            response = await handler(request)
        except RestError as refusal:
            response = self._refusal(request, refusal)
        except YarnError as error:
            response = self._refusal(request, of_core(error))
        except web.HTTPException as error:  # unknown path, wrong method, too large
            allowed = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
            response = web.Response(status=error.status, text=error.reason, headers=allowed)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:
            log.exception("a web request failed", path=request.path)
            response = self._refusal(
                request, RestError(503, "org.apache.hadoop.yarn.webapp.WebAppException", type(error).__name__)
            )
        if not response.prepared:
            response.headers["X-Content-Type-Options"] = "nosniff"
            response.headers["X-Frame-Options"] = "SAMEORIGIN"
            response.headers.setdefault("Cache-Control", "no-cache")
        return response

    def _refusal(self, request: web.Request, refusal: RestError) -> web.Response:
        wanted = notation.preferred(request.headers.get("Accept"))
        if refusal.is_text:
            kind = wanted if wanted is not None and request.path.startswith(ROOT) else "text/plain"
            return _written(kind, refusal.message, refusal.status)
        kind = wanted or notation.JSON
        body = refusal.body()
        if kind == notation.XML:
            return _written(
                kind, notation.document("RemoteException", body["RemoteException"]), refusal.status
            )
        return _written(kind, notation.natural(body), refusal.status)

    async def _respond(self, handler: Handler, request: web.Request) -> web.StreamResponse:
        kind = notation.preferred(request.headers.get("Accept"))
        if kind is None:
            raise text(406, "Not Acceptable: application/json or application/xml")
        raw = await request.read() if request.can_read_body else b""
        content_type = request.headers.get("Content-Type", "")
        sent = bodies.parse(content_type, raw)
        body = Body(sent, is_xml=bodies.is_xml(content_type), was_sent=bool(raw.strip()))
        call = Call(
            core=self.core,
            shapes=self.shapes,
            caller=self.caller(request),
            words=request.match_info,
            query={name: request.query.getall(name) for name in request.query},
            body=body,
            base=f"{request.scheme}://{request.host}",
            path=request.path,
        )
        answer = await self.turn(lambda: _answer(kind, handler, call))
        if request.method == "HEAD":
            if isinstance(answer, Waiting):
                answer.give_up()
            return web.Response(content_type=kind, charset="utf-8")
        if isinstance(answer, Waiting):
            return await self._wait(request, kind, answer)
        return await self._stream(request, kind, answer) if isinstance(answer, Listing) else answer

    async def turn(self, call: Callable[[], T]) -> T:
        """A turn, one at a time, and as long a rest after it: pages never take more than half of the loop."""
        async with self._gate:
            begun = time.perf_counter()
            try:
                return self.driver.turn(call)
            finally:
                await asyncio.sleep(time.perf_counter() - begun)

    async def _wait(self, request: web.Request, kind: str, waiting: Waiting) -> web.Response:
        """Asks until there is an answer, or nobody to hear it."""
        try:
            while (reply := await self.turn(waiting.answer)) is None:
                if request.transport is None or request.transport.is_closing():
                    raise ConnectionResetError("nobody waits any more")
                await asyncio.sleep(_AGAIN_S)
        except BaseException:
            waiting.give_up()
            raise
        return _reply(kind, reply)

    async def _stream(self, request: web.Request, kind: str, listing: Listing) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": f"{kind}; charset=utf-8"})
        response.headers["Cache-Control"] = "no-cache"
        is_xml = kind == notation.XML
        await response.prepare(request)
        left = listing.limit
        sources = iter(listing.sources)
        written = 0
        while left is None or written < left:
            part = list(islice(sources, _SLICE))
            if not part:
                break
            shown = await self._slice(request, listing, part)
            shown = shown if left is None else shown[: left - written]
            await response.write(_piece(listing, shown, is_first=written == 0, is_xml=is_xml).encode())
            written += len(shown)
        await response.write(_end(listing, is_empty=written == 0, is_xml=is_xml).encode())
        await response.write_eof()
        return response

    async def _slice(self, request: web.Request, listing: Listing, part: list[object]) -> list[Answer]:
        """Some of a list that is being written: what goes wrong now can only be told by breaking off."""
        try:
            return await self.turn(partial(_show, listing, part))
        except Exception as error:
            log.exception("a list breaks off", path=request.path)
            raise ConnectionResetError("the list broke off") from error


async def _options(allowed: list[str], request: web.Request) -> web.StreamResponse:
    return web.Response(headers={"Allow": ",".join(allowed)})


def _answer(kind: str, handler: Handler, call: Call) -> web.Response | Listing | Waiting:
    found = handler(call)
    return _reply(kind, found) if isinstance(found, Reply) else found


def _show(listing: Listing, part: list[object]) -> list[Answer]:
    return [shown for one in part if (shown := listing.show(one)) is not None]


def _piece(listing: Listing, shown: list[Answer], *, is_first: bool, is_xml: bool) -> str:
    if not shown:
        return ""
    if is_xml:
        start = (
            f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><{listing.outer}>' if is_first else ""
        )
        return start + notation.element(listing.inner, shown)
    start = f'{{"{listing.outer}":{{"{listing.inner}":[' if is_first else ","
    return start + ",".join(notation.natural(one) for one in shown)


def _end(listing: Listing, *, is_empty: bool, is_xml: bool) -> str:
    if is_xml:
        return notation.document(listing.outer, {}) if is_empty else f"</{listing.outer}>"
    return f'{{"{listing.outer}":{{}}}}' if is_empty else "]}}"


def _reply(kind: str, reply: Reply) -> web.Response:
    value = reply.value
    if value is None or isinstance(value, str):
        body = value or ""
    elif kind == notation.XML:
        body = notation.document(reply.root, value)
    elif reply.is_mapped:
        body = notation.mapped(value, empty=reply.empty)
    else:
        body = notation.natural({reply.root: value} if reply.shows_root else value)
    response = _written(kind, body, reply.status)
    response.headers.update(reply.headers)
    return response


def _written(kind: str, body: str, status: int) -> web.Response:
    return web.Response(status=status, text=body, content_type=kind, charset="utf-8")
