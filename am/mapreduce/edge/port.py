"""The AM's HTTP port: answers the calls of tasks, and hands whoever asks for anything else to the pages.

A call of the umbilical is one form of request, always the same, and most AMs never hear another. So this
reads that form itself, and nothing else: a connection that brings anything else goes, with what was read
of it, to aiohttp, which is imported then. Hadoop: TaskAttemptListenerImpl's server, beside
MRClientService's WebApp.
"""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import logging
import socket
from typing import TYPE_CHECKING

from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.umbilical import HASH_HEADER, PATH
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import FIRST_REQUEST_S, IDLE_S, MAX_CONNECTIONS, Closing, bind
from yarnbox.yarn.security.tls import Tls

if TYPE_CHECKING:
    from yarnbox.am.mapreduce.app.report import Pages
    from yarnbox.am.mapreduce.edge.pages import PageService

log = logging.getLogger("am.mapreduce.port")

LARGEST_BODY = 64 * 1024 * 1024
_LARGEST_HEAD = 16 * 1024
_ANY_PORT = "a free port"
_CALL = f"POST {PATH}".encode()
_END = b"\r\n\r\n"


class Port:
    """The port of one job."""

    def __init__(
        self, umbilical: UmbilicalServer, pages: Pages, access: HttpAccess, tls: Tls | None = None
    ) -> None:
        self.umbilical = umbilical
        self.access = access
        self._pages = pages
        self._tls = tls
        self._listening: socket.socket | None = None
        self._accepting: asyncio.Server | None = None
        self._page_service: asyncio.Task[PageService] | None = None
        self.connections: set[_Connection] = set()

    async def start(self, host: str) -> int:
        """Listens on a free port; which one."""
        self._listening = bind(Address(host, 0), _ANY_PORT)
        context = self._tls.serving() if self._tls is not None else None
        loop = asyncio.get_running_loop()
        self._accepting = await loop.create_server(self._new_connection, sock=self._listening, ssl=context)
        return int(self._listening.getsockname()[1])

    async def stop(self) -> None:
        """Serves no longer."""
        if self._accepting is not None:
            self._accepting.close()
        for connection in list(self.connections):
            connection.close()
        if self._page_service is not None:
            await (await self._page_service).server.stop()
        if self._listening is not None:
            self._listening.close()

    def _new_connection(self) -> asyncio.Protocol:
        return _Connection(self) if len(self.connections) < MAX_CONNECTIONS else Closing()

    async def pages(self) -> PageService:
        """Those who answer everything else, from the first time that it is asked for."""
        if self._page_service is None:
            self._page_service = asyncio.create_task(self._start_pages())
        return await asyncio.shield(self._page_service)

    async def _start_pages(self) -> PageService:
        from yarnbox.am.mapreduce.edge.pages import PageService

        service = PageService(self.umbilical, self._pages, self.access, self._tls, LARGEST_BODY)
        await service.server.prepare()
        return service


class _Connection(asyncio.Protocol):
    """A connection, until it brings something else than a call."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._silence: asyncio.TimerHandle | None = None
        self._handing_over: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._port.connections.add(self)
        self._expect(FIRST_REQUEST_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()

    def data_received(self, data: bytes) -> None:
        self._data += data
        while self._data and self._handing_over is None:
            end = self._data.find(_END)
            is_call = self._data.startswith(_CALL[: len(self._data)])
            if end < 0 and is_call and len(self._data) < _LARGEST_HEAD:
                return
            head = bytes(self._data[: end + len(_END)]) if is_call and end >= 0 else b""
            call = _call_of(head, self._port.access)
            if call is None:
                self._hand_over()
                return
            target, given, length = call
            if len(self._data) < len(head) + length:
                return
            body = bytes(self._data[len(head) : len(head) + length])
            del self._data[: len(head) + length]
            self._answer(target, given, body)

    def close(self) -> None:
        """Ends it."""
        if self._transport is not None:
            self._transport.close()

    def _answer(self, target: str, given: str, body: bytes) -> None:
        assert self._transport is not None
        status, answer = self._port.umbilical.answer(target, given, body)
        text = json.dumps(answer).encode()
        self._transport.write(
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json; charset=utf-8\r\n"
            f"Content-Length: {len(text)}\r\n\r\n".encode()
            + text
        )
        self._expect(IDLE_S)

    def _expect(self, seconds: float) -> None:
        """Closes the connection when nothing is asked for so long."""
        if self._silence is not None:
            self._silence.cancel()
        self._silence = asyncio.get_running_loop().call_later(seconds, self.close)

    def _let_go(self) -> None:
        self._port.connections.discard(self)
        if self._silence is not None:
            self._silence.cancel()

    def _hand_over(self) -> None:
        assert self._transport is not None
        self._transport.pause_reading()
        self._handing_over = asyncio.get_running_loop().create_task(self._to_pages(self._transport))

    async def _to_pages(self, transport: asyncio.Transport) -> None:
        try:
            service = await self._port.pages()
        except Exception:
            log.exception("the pages cannot be served")
            transport.close()
            return
        self._let_go()
        if transport.is_closing():
            return
        protocol = service.server.new_connection()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        protocol.data_received(bytes(self._data))
        if not transport.is_closing() and not transport.is_reading():
            transport.resume_reading()


def _call_of(head: bytes, access: HttpAccess) -> tuple[str, str, int] | None:
    """Target, signature and length of a call's body, for a head of exactly the form of our own calls."""
    line, _, rest = head.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3 or words[2] != "HTTP/1.1":
        return None
    try:
        headers = http.client.parse_headers(io.BytesIO(rest))
    except (http.client.HTTPException, ValueError):
        return None
    length = headers.get("Content-Length", "")
    if not (length.isascii() and length.isdigit()) or int(length) > LARGEST_BODY:
        return None
    if any(name in headers for name in ("Transfer-Encoding", "Expect", "Connection", "Upgrade")):
        return None
    if access.refusal("POST", headers.get("Host"), headers.get("Origin")) is not None:
        return None
    return words[1], headers.get(HASH_HEADER, ""), int(length)
