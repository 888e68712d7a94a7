"""HTTP ports of the daemons, served by aiohttp: RM, NM, shuffle, MapReduce AM and `yarnbox view`.

Owns listening, the check of Host and Origin before anything else is looked at, and answers that are parts of
files. Knows nothing of what is asked.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import FIRST_REQUEST_S, IDLE_S, MAX_CONNECTIONS, Closing
from yarnbox.yarn.http.unknown_path import not_found
from yarnbox.yarn.security.authentication import USER, Authentication, asks_for_password
from yarnbox.yarn.security.tls import Tls

log = logging.getLogger("http")

Responder = Callable[[web.Request], Awaitable[web.StreamResponse]]

_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_GRACE_S = 0.1
_PIECE = 1024 * 1024


class _OneLine(logging.Filter):
    """What strangers and full tables cause is no defect: a line instead of a traceback, or none."""

    def __init__(self) -> None:
        super().__init__()
        self._told_s = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written at all; it may have become a line."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, ConnectionError):
            return False  # who asked has gone
        if isinstance(error, (HttpProcessingError, web.RequestPayloadError)):
            why = " ".join(str(error).split())
            self._shorten(record, logging.WARNING, f"malformed HTTP request: {why[:200]}")
        elif isinstance(error, OSError) and error.errno in _FULL:
            told_s, self._told_s = self._told_s, time.monotonic()
            if self._told_s - told_s < 1:  # asyncio tries again for each connection that waits
                self._told_s = told_s
                return False
            self._shorten(record, logging.ERROR, f"no connection can be accepted: {error.strerror}")
        return True

    def _shorten(self, record: logging.LogRecord, level: int, text: str) -> None:
        record.levelno, record.levelname = level, logging.getLevelName(level)
        record.msg, record.args, record.exc_info, record.exc_text = text, (), None, None


_one_line = _OneLine()


def new_application(
    access: HttpAccess,
    *middlewares: Callable[..., Awaitable[web.StreamResponse]],
    largest_body: int,
    authentication: Authentication | None = None,
    is_open: Callable[[str], bool] = lambda path: False,
) -> web.Application:
    """An application without routes that answers only requests which `access` lets through, and with
    `authentication` only those of known users; for open paths it sees to that itself.
    """

    @web.middleware
    async def check(request: web.Request, handler: Responder) -> web.StreamResponse:
        silent.discard(request.protocol)
        refusal = access.refusal(request.method, request.headers.get("Host"), request.headers.get("Origin"))
        if refusal is not None:
            log.warning("refused %s from %s: %s", request.method, request.remote, refusal)
            return web.Response(status=HTTPStatus.FORBIDDEN, text=refusal + "\n")
        if authentication is not None and not is_open(request.path):
            user = authentication.user_of(request)
            if user is None:
                return asks_for_password()
            request[USER] = user
        try:
            return await handler(request)
        except web.HTTPNotFound:
            return not_found(request)
        except web.RequestPayloadError as error:
            response = web.Response(status=HTTPStatus.BAD_REQUEST, text=f"malformed body: {error}\n")
            response.force_close()
            return response

    silent: set[web.RequestHandler] = set()
    app = web.Application(middlewares=[check, *middlewares], client_max_size=largest_body)
    app[SILENT] = silent
    return app


SILENT: web.AppKey[set[web.RequestHandler]] = web.AppKey("silent", set)
"""New connections on which nothing was asked."""


class HttpServer:
    """Serves an application at one port."""

    def __init__(self, app: web.Application) -> None:
        self._app = app
        self._runner: web.AppRunner | None = None
        self._listening: socket.socket | None = None
        self._accepting: asyncio.Server | None = None
        self.port = 0

    async def start(self, listening: socket.socket, tls: Tls | None = None) -> None:
        """Serves from now on, at a socket of `bind`, which it closes at the end."""
        self._listening = listening
        self.port = int(listening.getsockname()[1])
        await self.prepare()
        loop = asyncio.get_running_loop()
        context = tls.serving() if tls is not None else None
        self._accepting = await loop.create_server(self.new_connection, sock=listening, ssl=context)

    async def prepare(self) -> None:
        """Serves connections that others accept."""
        for name in ("aiohttp.server", "asyncio"):
            logging.getLogger(name).addFilter(_one_line)
        self._runner = web.AppRunner(
            self._app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=_GRACE_S,
            keepalive_timeout=IDLE_S,
        )
        await self._runner.setup()

    def new_connection(self) -> asyncio.Protocol:
        """The protocol of a new connection, if there is room for one."""
        assert self._runner is not None
        server = self._runner.server
        assert server is not None
        if len(server.connections) >= MAX_CONNECTIONS:
            return Closing()
        handler = server()
        self._app[SILENT].add(handler)
        asyncio.get_running_loop().call_later(FIRST_REQUEST_S, self._close_silent, handler)
        return handler

    def _close_silent(self, handler: web.RequestHandler) -> None:
        if handler in self._app[SILENT]:
            self._app[SILENT].discard(handler)
            handler.force_close()

    async def stop(self) -> None:
        """Serves no longer; connections are closed."""
        if self._accepting is not None:
            self._accepting.close()
        if self._runner is not None:
            await self._runner.cleanup()
        if self._listening is not None:
            self._listening.close()


@dataclass(frozen=True, slots=True)
class FilePart:
    """Bytes of a file."""

    path: Path
    start: int
    length: int


Part = bytes | FilePart


def response_of(parts: Sequence[Part], headers: Mapping[str, str]) -> web.Response:
    """An answer of several parts, one after another; files are read while it is sent."""
    length = sum(len(part) if isinstance(part, bytes) else part.length for part in parts)
    return web.Response(headers={**headers, "Content-Length": str(length)}, body=_pieces(parts))


async def _pieces(parts: Sequence[Part]) -> AsyncIterator[bytes]:
    for part in parts:
        if isinstance(part, bytes):
            yield part
        elif part.length > 0:
            with part.path.open("rb") as file:
                file.seek(part.start)
                left = part.length
                while left > 0:
                    piece = await asyncio.to_thread(file.read, min(left, _PIECE))
                    if not piece:  # the length was announced: only breaking off tells that it was too much
                        raise ConnectionResetError(f"{part.path} has become shorter while it was sent")
                    left -= len(piece)
                    yield piece
