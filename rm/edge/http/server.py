"""The listening end: routes, who asks, how an answer is written, and what becomes of refusals.

A stack trace never leaves the process. Every call is a turn of its own; a listing is a turn for each slice,
and between two slices the loop serves whoever waits. Hadoop: RMWebApp, RMWebAppFilter,
RestCsrfPreventionFilter and GenericExceptionHandler.
"""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from aiohttp import web

from yarnbox.rm.core import Core
from yarnbox.rm.edge.driver import Driver
from yarnbox.rm.edge.http import page_answers
from yarnbox.rm.edge.http.calls import Call, Handler, Listing, Reply, Waiting
from yarnbox.rm.edge.http.cross_origin import CrossOrigin
from yarnbox.rm.edge.http.isolation import outside
from yarnbox.rm.edge.http.rest import activities, bodies, conf, draining, labels, plans, reads, writes
from yarnbox.rm.edge.http.rest.bodies import Body
from yarnbox.rm.edge.http.sharing import FairGate, Sharing
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.web.grids import wants_file
from yarnbox.rm.web.queues.words import page_in_units
from yarnbox.rm.web.refusals import RestError, of_core, text
from yarnbox.rm.web.saved.files import file_of
from yarnbox.rm.web.values import Answer, Shapes
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.http import notation
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import HttpServer, Responder, new_application
from yarnbox.yarn.http.unknown_path import not_found
from yarnbox.yarn.log import Log
from yarnbox.yarn.security.authentication import USER, Authentication
from yarnbox.yarn.security.tls import Tls

T = TypeVar("T")

log = Log("rm")

PROPERTY = "yarn.resourcemanager.webapp.address"
ROOT = "/ws/v1/cluster"
CSRF_HEADER = "X-XSRF-Header"
_BROWSERS = re.compile(r"Mozilla|Opera")
_NO_HEADER = "Missing Required Header for CSRF Vulnerability Protection"
_PROXIED = "/proxy/"
_PAGES = f"{ROOT}/ui/"
"""What answers below it is shown by pages, and can be had as a file."""
_SAFE = ("GET", "HEAD", "OPTIONS", "TRACE")
_LARGEST_BODY = 4 * 1024 * 1024
_SLICE_S = 0.001
"""Of a list in one turn. Its rest is as long, and a loop rests for a millisecond at least."""
_SENDING_S = 0.0004
"""What it takes to read a request and to send its answer, on a busy machine."""
_AGAIN_S = 0.01
_BODY_S = 60.0
ROUTES = (
    *reads.ROUTES,
    *writes.ROUTES,
    *labels.ROUTES,
    *conf.ROUTES,
    *activities.ROUTES,
    *plans.ROUTES,
    *page_answers.ROUTES,
    *draining.ROUTES,
)
_RECORDING = frozenset(handler for _, _, handler in activities.ROUTES)
"""What begins to record when it is asked for: each request of it counts."""


class WebServer:
    """One RM over HTTP."""

    def __init__(
        self,
        core: Core,
        driver: Driver,
        listening: socket.socket,
        static_user: str,
        tls: Tls | None = None,
    ) -> None:
        self.core = core
        self.driver = driver
        self.shapes = Shapes(core.context.resource_types)
        settings = core.context.settings
        self.tls = tls
        self.app = new_application(
            access(settings),
            self._guard,
            largest_body=_LARGEST_BODY,
            authentication=Authentication(tls) if tls is not None else None,
        )
        self._listening = listening
        self._server = HttpServer(self.app)
        self._static_user = static_user
        self._gate = FairGate()
        self._sharing = Sharing[_Written]()
        self._sent_s = 0.0
        """What was spent on sending since the last turn."""
        self._allowed: dict[str, list[str]] = {}
        """The methods of each path."""
        self._resources: dict[str, list[web.Resource]] = {}
        """What aiohttp has made of each path: it would make and search another one for each method."""
        if settings.web.cross_origin_enabled:
            self.app.on_response_prepare.append(CrossOrigin(settings.web).add)
        for method, path, handler in ROUTES:
            self.serve(method, path, handler)

    def serve(self, method: str, path: str, handler: Handler) -> None:
        """A call of the REST API, by its path below /ws/v1/cluster; what can be read has a head, too."""
        responder = partial(self._respond, handler)
        path = ROOT + path
        allowed = self._allowed.get(path)
        if allowed is None:
            self._allowed[path] = allowed = ["OPTIONS"]
            self.add("OPTIONS", path, partial(_options, allowed))
        for each in ("HEAD", "GET") if method == "GET" else (method,):
            self.add(each, path, responder)
            allowed.append(each)

    def add(self, method: str, path: str, responder: Responder) -> None:
        """A path, with or without a slash at its end."""
        forms = self._resources.get(path)
        if forms is None:
            self._resources[path] = forms = _add(self.app.router, path)
        for form in forms:
            form.add_route(method, responder)

    async def start(self) -> None:
        """Serves from now on."""
        await self._server.start(self._listening, self.tls)

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    def caller(self, request: web.Request) -> Caller:
        """The caller: the authenticated user, else user.name, else the static user."""
        known: str | None = request.get(USER)
        return Caller(user=known or request.query.get("user.name") or self._static_user)

    def refuse_browser(self, request: web.Request) -> None:
        """400 for a change that a browser asks for without the custom header: another site may be behind."""
        if CSRF_HEADER not in request.headers and _BROWSERS.match(request.headers.get("User-Agent", "")):
            raise text(400, _NO_HEADER)

    # Answers

    @web.middleware
    async def _guard(self, request: web.Request, handler: Responder) -> web.StreamResponse:
        """What holds for every request: browsers must send the custom header to change anything."""
        stray = outside(request)
        if stray is not None:
            return stray
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
        except web.HTTPNotFound:
            response = not_found(request)
        except web.HTTPException as error:  # wrong method, too large
            allowed = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
            response = web.Response(status=error.status, text=error.reason, headers=allowed)
        except (ConnectionError, asyncio.CancelledError, web.RequestPayloadError):
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
            return _Written(kind, refusal.message.encode(), refusal.status).response()
        kind = wanted or notation.JSON
        body = refusal.body()
        if kind == notation.XML:
            said = notation.document("RemoteException", body["RemoteException"])
        else:
            said = notation.natural(body)
        return _Written(kind, said.encode(), refusal.status).response()

    async def _respond(self, handler: Handler, request: web.Request) -> web.StreamResponse:
        accepted = request.headers.get("Accept")
        wants_file = _wants_file(request)
        kind = notation.preferred(None if wants_file else accepted)
        if kind is None:
            raise text(406, "Not Acceptable: application/json or application/xml")
        raw = await _body_of(request)
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
        client = (call.caller, request.remote)
        if wants_file or (request.method == "GET" and handler not in _RECORDING):
            key = (kind, call.caller, call.base, request.path_qs)
            look = self._saved if wants_file else partial(self._looked_up, kind)
            written = await self._sharing.get(key, lambda: look(handler, call, client))
            self._sent_s += _SENDING_S
            return written.response()
        answer = await self.turn(lambda: _answer(kind, handler, call), client)
        if request.method == "HEAD":
            if isinstance(answer, Waiting):
                answer.give_up()
            return web.Response(content_type=kind, charset="utf-8")
        if isinstance(answer, Waiting):
            return await self._wait(request, kind, answer, client)
        assert not isinstance(answer, Listing), "a list is something to look up"
        return answer.response()

    async def _looked_up(self, kind: str, handler: Handler, call: Call, client: Hashable) -> _Written:
        """What a look at the cluster found, as text."""
        answer = await self.turn(lambda: _answer(kind, handler, call), client)
        assert not isinstance(answer, Waiting), "what waits for something is no look"
        return answer if isinstance(answer, _Written) else await self._written_list(kind, answer, client)

    async def _saved(self, handler: Handler, call: Call, client: Hashable) -> _Written:
        """What a look found, as a file, which is made beside the loop: it may be long."""
        found = await self.turn(lambda: handler(call), client)
        if isinstance(found, Listing):
            pieces = [piece async for piece in self._slices(found, client)]
            rows = [row for piece in pieces for row in piece]
            value = {**found.head, found.inner: rows, **await self.turn(found.tail, client)}
        else:
            assert isinstance(found, Reply), "what waits for something is no look"
            value = found.value
        file = await asyncio.to_thread(file_of, value, call.query, _clock)
        return _Written(file.kind, file.text.encode(), headers=file.headers)

    async def turn(self, call: Callable[[], T], client: Hashable = None) -> T:
        """Runs a turn, one at a time, and pauses for as long as it took, so that pages never take more than
        half of the event loop's time. Clients that wait take turns.
        """
        async with self._gate.entered(client):
            begun = time.perf_counter()
            try:
                return self.driver.turn(call)
            finally:
                sent_s, self._sent_s = self._sent_s, 0.0
                await asyncio.sleep(time.perf_counter() - begun + sent_s)

    async def _wait(
        self, request: web.Request, kind: str, waiting: Waiting, client: Hashable
    ) -> web.Response:
        """Asks again until there is an answer or the client is gone."""
        try:
            while (reply := await self.turn(waiting.answer, client)) is None:
                if request.transport is None or request.transport.is_closing():
                    raise ConnectionResetError("the client has gone")
                await asyncio.sleep(_AGAIN_S)
        except BaseException:
            waiting.give_up()
            raise
        return _reply(kind, reply).response()

    async def _written_list(self, kind: str, listing: Listing, client: Hashable) -> _Written:
        """A list as text, a turn for each slice of it."""
        is_xml = kind == notation.XML
        written = 0
        pieces: list[str] = []
        async for shown in self._slices(listing, client):
            pieces.append(_piece(listing, shown, is_first=written == 0, is_xml=is_xml))
            written += len(shown)
        tail = await self.turn(listing.tail, client)
        pieces.append(_end(listing, tail, is_empty=written == 0, is_xml=is_xml))
        return _Written(kind, "".join(pieces).encode())

    async def _slices(self, listing: Listing, client: Hashable) -> AsyncIterator[list[Answer]]:
        """The items of a list, a turn for each slice of it."""
        left = listing.limit
        sources = iter(listing.sources)
        while left is None or left > 0:
            shown = await self.turn(partial(_show, listing, sources), client)
            if shown is None:
                break
            if left is not None:
                shown = shown[:left]
                left -= len(shown)
            yield shown


@dataclass(frozen=True, slots=True)
class _Written:
    """An answer as text, from which each of those who asked gets a response of his own."""

    kind: str
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        return web.Response(
            status=self.status,
            body=self.body,
            content_type=self.kind,
            charset="utf-8",
            headers=self.headers,
        )


def access(settings: RMSettings) -> HttpAccess:
    """Who may ask: the cross-origin filter, where it is enabled, lets its origins in, and rules reading."""
    web_settings, addresses = settings.web, settings.addresses
    names = (web_settings.address.host, addresses.grpc.host, addresses.bind_host or "")
    is_filtered = web_settings.cross_origin_enabled
    origins = web_settings.cross_origin_origins if is_filtered else ()
    return HttpAccess(settings.http_access, names, origins, leaves_reading=is_filtered)


def compile_paths() -> None:
    """Has the patterns of the REST API's paths compiled, for forks of this process: `re` keeps them."""
    router = web.UrlDispatcher()
    for path in dict.fromkeys(path for _, path, _ in ROUTES):
        _add(router, ROOT + path)


def _add(router: web.UrlDispatcher, path: str) -> list[web.Resource]:
    names = (path,) if path.endswith("/") else (path, path + "/")
    return [router.add_resource(name) for name in names]


async def _body_of(request: web.Request) -> bytes:
    if not request.can_read_body:
        return b""
    try:
        async with asyncio.timeout(_BODY_S):
            return await request.read()
    except TimeoutError:
        raise text(408, f"the request's body did not come within {_BODY_S:g} s") from None


async def _options(allowed: list[str], request: web.Request) -> web.StreamResponse:
    return web.Response(headers={"Allow": ",".join(allowed)})


def _clock(ms: int) -> str:
    """The time of day where this RM is."""
    seconds, rest = divmod(ms, 1000)
    return time.strftime("%H:%M:%S", time.localtime(seconds)) + (f".{rest:03}" if rest else "")


def _wants_file(request: web.Request) -> bool:
    is_look = request.method in ("GET", "HEAD") and request.path.startswith(_PAGES)
    return is_look and wants_file(request.query)


def _answer(kind: str, handler: Handler, call: Call) -> _Written | Listing | Waiting:
    found = handler(call)
    shown = partial(page_in_units, counts_vcores=call.context.scheduler.counts_vcores)
    if isinstance(found, Listing):
        return replace(found, tail=lambda: shown(found.tail()))
    if not isinstance(found, Reply):
        return found
    return _reply(kind, replace(found, value=shown(found.value)) if isinstance(found.value, dict) else found)


def _show(listing: Listing, sources: Iterator[object]) -> list[Answer] | None:
    """As many of the next ones as a slice has room for; None after the last."""
    end = time.perf_counter() + _SLICE_S
    found: list[Answer] | None = None
    for one in sources:
        found = [] if found is None else found
        shown = listing.show(one)
        if shown is not None:
            found.append(shown)
        if time.perf_counter() >= end:
            break
    return found


def _start(listing: Listing, *, is_xml: bool) -> str:
    if is_xml:
        head = "".join(notation.element(name, value) for name, value in listing.head.items())
        return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?><{listing.outer}>{head}'
    head = "".join(f'"{name}":{notation.natural(value)},' for name, value in listing.head.items())
    return f'{{"{listing.outer}":{{{head}"{listing.inner}":['


def _piece(listing: Listing, shown: list[Answer], *, is_first: bool, is_xml: bool) -> str:
    if not shown:
        return ""
    start = _start(listing, is_xml=is_xml) if is_first else "" if is_xml else ","
    if is_xml:
        return start + notation.element(listing.inner, shown)
    return start + ",".join(notation.natural(one) for one in shown)


def _end(listing: Listing, tail: Answer, *, is_empty: bool, is_xml: bool) -> str:
    if is_xml:
        if is_empty:
            return notation.document(listing.outer, {**listing.head, **tail})
        return "".join(notation.element(name, value) for name, value in tail.items()) + f"</{listing.outer}>"
    if is_empty and not listing.head and not tail:
        return f'{{"{listing.outer}":{{}}}}'
    more = "".join(f',"{name}":{notation.natural(value)}' for name, value in tail.items())
    return (_start(listing, is_xml=False) if is_empty else "") + f"]{more}}}}}"


def _reply(kind: str, reply: Reply) -> _Written:
    value = reply.value
    if value is None or isinstance(value, str):
        body = value or ""
    elif kind == notation.XML:
        body = notation.document(reply.root, value)
    elif reply.is_mapped:
        body = notation.mapped(value, empty=reply.empty)
    else:
        body = notation.natural({reply.root: value} if reply.shows_root else value)
    return _Written(kind, body.encode(), reply.status, reply.headers)
