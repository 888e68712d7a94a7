"""The AM's port: answers the calls of tasks, and hands whoever asks for anything else to the pages.

Most AMs hear nothing but calls of the umbilical; so aiohttp, which serves the pages, is imported when
somebody asks for one. Hadoop has two ports: TaskAttemptListenerImpl's server, and MRClientService's WebApp.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from typing import TYPE_CHECKING

from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.umbilical import ANSWER_HEAD, CALL_HEAD, GREETING
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import FIRST_REQUEST_S, IDLE_S, MAX_CONNECTIONS, Closing, bind
from yarnbox.yarn.security.tls import Tls

if TYPE_CHECKING:
    from yarnbox.am.mapreduce.app.report import Pages
    from yarnbox.am.mapreduce.edge.pages import PageService

log = logging.getLogger("am.mapreduce.port")

LARGEST_CALL = 64 * 1024 * 1024
_ANY_PORT = "a free port"


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

        service = PageService(self.umbilical, self._pages, self.access, self._tls)
        await service.server.prepare()
        return service


class _Connection(asyncio.Protocol):
    """A connection, until it turns out to ask for pages."""

    def __init__(self, port: Port) -> None:
        self._port = port
        self._transport: asyncio.Transport | None = None
        self._data = bytearray()
        self._is_greeted = False
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
        if not self._is_greeted:
            self._take_greeting()
        while self._is_greeted and len(self._data) >= CALL_HEAD.size:
            given, length = CALL_HEAD.unpack_from(self._data)
            end = CALL_HEAD.size + length
            if length > LARGEST_CALL:
                self.close()
            if length > LARGEST_CALL or len(self._data) < end:
                return
            text = bytes(self._data[CALL_HEAD.size : end])
            del self._data[:end]
            self._answer(given, text)

    def _take_greeting(self) -> None:
        begin = self._data[: len(GREETING)]
        if begin == GREETING:
            self._is_greeted = True
            del self._data[: len(GREETING)]
        elif not GREETING.startswith(begin) and self._handing_over is None:
            self._hand_over()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def _answer(self, given: bytes, text: bytes) -> None:
        assert self._transport is not None
        told = json.dumps(self._port.umbilical.answer(given, text)).encode()
        self._transport.write(ANSWER_HEAD.pack(len(told)) + told)
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
