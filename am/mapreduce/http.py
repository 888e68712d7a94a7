"""A small HTTP/1.1 server on asyncio: for the umbilical, and for the REST pages of the AM.

Knows requests, answers, and connections that stay open; nothing of what is asked. Binds to the loopback
address only. Hadoop has Jetty and its own RPC for the two.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

log = logging.getLogger("am.mapreduce.http")

HEAD_LIMIT = 64 * 1024
BODY_LIMIT = 64 * 1024 * 1024
IDLE_S = 600.0

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 405: "Method Not Allowed"}


@dataclass(frozen=True, slots=True)
class Request:
    """One request."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """One answer."""

    status: int
    body: bytes
    content_type: str = "application/json"


def json_response(data: Any, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(status, json.dumps(data).encode())


Handler = Callable[[Request], Awaitable[Response]]


class HttpServer:
    """One listening port."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], None] = {}

    async def start(self, host: str = "127.0.0.1") -> int:
        """Listens on a free port; which one."""
        self._server = await asyncio.start_server(self._accept, host, 0, limit=HEAD_LIMIT)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        """Listens no more, and ends every connection."""
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = None
        try:
            while await self._serve_one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError, ValueError):
            log.debug("a connection ended", exc_info=True)
        except asyncio.CancelledError:
            log.debug("a connection was closed")
        finally:
            self._connections.pop(task, None)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_S)
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _version = first.split(" ", 2)
        headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                headers[name.strip().lower()] = value.strip()
        length = int(headers.get("content-length", "0"))
        if not 0 <= length <= BODY_LIMIT:
            raise ValueError(f"a body of {length} bytes")
        body = await reader.readexactly(length) if length else b""
        try:
            answer = await self._handler(Request(method, target, headers, body))
        except (KeyError, TypeError, ValueError) as error:
            answer = json_response({"message": f"{type(error).__name__}: {error}"}, 400)
        stays = headers.get("connection", "").lower() != "close"
        writer.write(
            (
                f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, 'Error')}\r\n"
                f"Content-Type: {answer.content_type}\r\n"
                f"Content-Length: {len(answer.body)}\r\n"
                f"Connection: {'keep-alive' if stays else 'close'}\r\n\r\n"
            ).encode()
            + answer.body
        )
        await writer.drain()
        return stays
