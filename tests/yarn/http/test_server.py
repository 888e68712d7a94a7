"""A port over real connections: strangers are refused first, files are sent in parts."""

from __future__ import annotations

import asyncio
import errno
import http.client
import logging
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.waiting import PATIENCE_S
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http import server as http_server
from yarnbox.yarn.http.access import HttpAccess, HttpAccessSettings
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.http.server import FilePart, HttpServer, Part, Responder, new_application, response_of


def served(respond: Responder, ask: Callable[[http.client.HTTPConnection], Any]) -> Any:
    async def body() -> Any:
        app = new_application(HttpAccess(HttpAccessSettings()), largest_body=100)
        app.router.add_route("*", "/{path:.*}", respond)
        server = HttpServer(app)
        await server.start(bind(Address("127.0.0.1", 0), "a test"))
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_S)
        try:
            return await asyncio.to_thread(ask, connection)
        finally:
            connection.close()
            await server.stop()

    return asyncio.run(body())


def sending(parts: Sequence[Part]) -> Responder:
    async def respond(_request: web.Request) -> web.Response:
        return response_of(parts, {})

    return respond


def test_a_stranger_is_told_in_one_line_and_reaches_nothing() -> None:
    reached: list[str] = []

    async def answer(_request: web.Request) -> web.Response:
        reached.append("handler")
        return web.Response()

    def ask(connection: http.client.HTTPConnection) -> tuple[int, str]:
        connection.request("POST", "/x", headers={"Host": "evil.example"})
        response = connection.getresponse()
        return response.status, response.read().decode()

    status, told = served(answer, ask)
    assert (status, told.count("\n"), reached) == (403, 1, [])


def test_parts_of_files_are_sent_as_one_body(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)) * 10_000)

    def ask(connection: http.client.HTTPConnection) -> bytes:
        connection.request("GET", "/")
        return connection.getresponse().read()

    parts: list[Part] = [
        b"<",
        FilePart(file, 1, 3),
        FilePart(file, 0, 0),
        b"|",
        FilePart(file, 256, 2_000_000),
        b">",
    ]
    assert served(sending(parts), ask) == (
        b"<\x01\x02\x03|" + bytes(range(256)) * 7812 + bytes(range(128)) + b">"
    )


def test_a_file_that_became_shorter_breaks_the_answer_off(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"short")

    def ask(connection: http.client.HTTPConnection) -> None:
        connection.request("GET", "/")
        with pytest.raises((http.client.IncompleteRead, ConnectionError)):
            connection.getresponse().read()

    served(sending([FilePart(file, 0, 100)]), ask)


def _sent(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(data)
        return connection.recv(100)


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
    ],
)
def test_a_malformed_request_is_a_line_in_the_log(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    def ask(connection: http.client.HTTPConnection) -> bytes:
        return _sent(connection.port, data)

    async def read(request: web.Request) -> web.Response:
        return web.Response(body=await request.read())

    assert b" 400 " in served(read, ask)
    assert caplog.records
    for record in caplog.records:
        assert (record.levelname, record.exc_info) == ("WARNING", None)
        assert record.getMessage().startswith("malformed HTTP request: ")


def test_a_stream_that_is_left_is_nothing_to_tell(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def stream(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 100_000)
                await asyncio.sleep(0.01)
        finally:
            ended.set()

    def ask(connection: http.client.HTTPConnection) -> bool:
        _sent(connection.port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return ended.wait(PATIENCE_S)

    assert served(stream, ask)
    assert caplog.records == []


def test_a_full_table_of_descriptors_is_told_once_a_second(caplog: pytest.LogCaptureFixture) -> None:
    async def answer(_request: web.Request) -> web.Response:
        return web.Response()

    def ask(connection: http.client.HTTPConnection) -> None:
        for _ in range(100):
            try:
                raise OSError(errno.EMFILE, "Too many open files")
            except OSError:
                logging.getLogger("asyncio").exception("socket.accept() out of system resource")

    served(answer, ask)
    told = [record.getMessage() for record in caplog.records if record.name == "asyncio"]
    assert set(told) == {"no connection can be accepted: Too many open files"}
    assert len(told) < 100
    assert not any(record.exc_info for record in caplog.records)


async def closed(port: int, sent: bytes = b"") -> bytes:
    """What comes back until the other end closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    async with asyncio.timeout(PATIENCE_S):
        answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127"])
def test_a_connection_that_asks_for_nothing_is_closed(monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(http_server, "FIRST_REQUEST_S", 0.05)

    async def body() -> None:
        app = new_application(HttpAccess(HttpAccessSettings()), largest_body=100)
        server = HttpServer(app)
        await server.start(bind(Address("127.0.0.1", 0), "a test"))
        assert await closed(server.port, sent) == b""
        await server.stop()

    asyncio.run(body())


def test_there_is_a_limit_to_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "MAX_CONNECTIONS", 2)

    async def body() -> None:
        app = new_application(HttpAccess(HttpAccessSettings()), largest_body=100)
        server = HttpServer(app)
        await server.start(bind(Address("127.0.0.1", 0), "a test"))
        kept = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(2)]
        request = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        for reader, writer in kept:
            writer.write(request)
            assert (await reader.readline()).startswith(b"HTTP/1.1 404")
        assert await closed(server.port) == b""
        for _, writer in kept:
            writer.close()
            await writer.wait_closed()
        await asyncio.sleep(0)
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(request)
        assert (await reader.readline()).startswith(b"HTTP/1.1 404")
        writer.close()
        await server.stop()

    asyncio.run(body())
