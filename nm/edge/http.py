"""A small HTTP/1.1 server for GET: what a node needs for its shuffle service and its web service.

Owns reading requests and sending answers, files included, from where they are. Knows nothing of what is
asked. Answers for the Netty pipeline of ShuffleHandler and the HttpServer2 of the NM.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

from yarn.rpc import PortTakenError

log = logging.getLogger("nm.http")

LONGEST_REQUEST = 64 * 1024
IDLE_S = 30.0
"""A connection on which nothing is asked for so long is closed."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class FilePart:
    """Bytes of a file."""

    path: Path
    start: int
    length: int


Part = bytes | FilePart


@dataclass(frozen=True, slots=True)
class Response:
    """The answer: headers, and parts one after another."""

    status: HTTPStatus = HTTPStatus.OK
    headers: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Part] = ()


Deferred = Callable[[], Response]
"""The answer of one who has to look at disks for long: made in a thread."""
Handler = Callable[[Request], Response | Deferred]


class HttpServer:
    """Serves one handler: in a thread if it looks at disks for long, else between turns of the core."""

    def __init__(self, handler: Handler, *, in_thread: bool) -> None:
        self._handler = handler
        self._in_thread = in_thread
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def start(self, host: str, port: int, setting: str) -> None:
        """Listens; port 0 is any free one. PortTakenError names the port and the setting that changes it."""
        try:
            self._server = await asyncio.start_server(self._serve, host, port, limit=LONGEST_REQUEST)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            reason = f"port {port} is already in use" if taken else str(error)
            raise PortTakenError(f"cannot listen on {host}:{port}: {reason}; {setting} changes it") from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Serves no longer."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._writers):
                writer.close()
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            return  # the peer has gone, or never asked
        except (asyncio.LimitOverrunError, ValueError):
            await _send(writer, Response(HTTPStatus.BAD_REQUEST, {}, [b"not an HTTP request\n"]), keeps=False)
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; whether another may come on the connection."""
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), IDLE_S)
        lines = head.decode("latin-1").split("\r\n")
        method, target, protocol = lines[0].split(" ")
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:] if line)
        }
        try:
            request = Request(method, target, headers)
            answer = (
                await asyncio.to_thread(self._handler, request) if self._in_thread else self._handler(request)
            )
            response = answer if isinstance(answer, Response) else await asyncio.to_thread(answer)
        except Exception:
            log.exception("%s %s failed", method, target)
            response = Response(HTTPStatus.INTERNAL_SERVER_ERROR, {}, [b"the node's log has the traceback\n"])
        wants = headers.get("connection", "").lower() != "close" and protocol == "HTTP/1.1"
        keeps = wants and response.status is HTTPStatus.OK
        await _send(writer, response, keeps=keeps)
        return keeps


async def _send(writer: asyncio.StreamWriter, response: Response, *, keeps: bool) -> None:
    length = sum(len(part) if isinstance(part, bytes) else part.length for part in response.parts)
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        **response.headers,
        "Content-Length": str(length),
        "Connection": "keep-alive" if keeps else "close",
    }
    lines = [f"HTTP/1.1 {response.status.value} {response.status.phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    loop = asyncio.get_running_loop()
    for part in response.parts:
        if isinstance(part, bytes):
            writer.write(part)
        elif part.length > 0:
            await writer.drain()
            with part.path.open("rb") as file:
                await loop.sendfile(writer.transport, file, part.start, part.length)
    await writer.drain()
