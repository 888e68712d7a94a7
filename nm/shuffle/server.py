"""ShuffleService: an HTTP server from which reducers fetch their parts of map outputs.

Owns which jobs may be asked for, and with which secret; requests that are not signed with it get nothing. The
names, files and signatures are the contract in yarn/shuffle.py. Answers for ShuffleHandler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from nm.executor.layout import APPLICATION_CACHE, USER_CACHE, Layout
from yarn.credentials import read_token
from yarn.errors import IllegalArgumentError
from yarn.ids import ApplicationId
from yarn.shuffle import (
    CONTENT_TYPE,
    INDEX_FILE,
    NAME,
    NAME_HEADER,
    OUTPUT_DIRECTORY,
    OUTPUT_FILE,
    REPLY_HASH,
    URL_HASH,
    VERSION,
    VERSION_HEADER,
    ShuffleHeader,
    ShuffleRequest,
    is_signed,
    port_meta_data,
    read_index,
    reply_hash,
    url_hash,
)

log = logging.getLogger("nm.shuffle")

LONGEST_REQUEST = 64 * 1024
IDLE_S = 30.0
"""A connection on which nothing is asked for so long is closed."""


class RefusedError(Exception):
    """A request that gets no map output."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class _Job(NamedTuple):
    application_id: ApplicationId
    user: str
    secret: bytes


class _Segment(NamedTuple):
    header: bytes
    file: Path
    start: int
    length: int


class ShuffleService:
    """The map outputs of one node."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._jobs: dict[str, _Job] = {}
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def start(self, host: str, port: int) -> None:
        """Listens; port 0 is any free one."""
        self._server = await asyncio.start_server(self._serve, host, port, limit=LONGEST_REQUEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Serves no longer."""
        if self._server is not None:
            self._server.close()
            for writer in list(self._writers):
                writer.close()
            await self._server.wait_closed()

    def meta_data(self) -> bytes:
        """What AMs are told: the port."""
        return port_meta_data(self.port)

    def start_application(self, application_id: ApplicationId, user: str, data: bytes) -> None:
        """Learns a job's secret from its token; a job that is known already keeps its own."""
        try:
            token = read_token(data)
        except IllegalArgumentError as error:
            log.error("service data of %s are no job token: %s", application_id, error.message)
            return
        job = _Job(application_id, user, token.password)
        self._jobs.setdefault(token.identifier.decode("utf-8", "replace"), job)

    def stop_application(self, application_id: ApplicationId) -> None:
        """Forgets its job."""
        for job_id in [one for one, job in self._jobs.items() if job.application_id == application_id]:
            del self._jobs[job_id]

    # One connection

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, TimeoutError):
            return  # the reducer has gone, or never asked
        except (asyncio.LimitOverrunError, ValueError):
            await _send_error(writer, RefusedError(HTTPStatus.BAD_REQUEST, "not an HTTP request"))
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
        keeps = headers.get("connection", "").lower() != "close" and protocol == "HTTP/1.1"
        try:
            signature, segments = await asyncio.to_thread(self._find, method, target, headers)
        except RefusedError as refusal:
            log.warning("%s refused: %s", target, refusal.reason)
            await _send_error(writer, refusal)
            return False
        length = sum(len(segment.header) + segment.length for segment in segments)
        lines = [
            "HTTP/1.1 200 OK",
            f"Content-Type: {CONTENT_TYPE}",
            f"Content-Length: {length}",
            f"{REPLY_HASH}: {signature}",
            f"{NAME_HEADER}: {NAME}",
            f"{VERSION_HEADER}: {VERSION}",
            f"Connection: {'keep-alive' if keeps else 'close'}",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        for segment in segments:
            await _send_segment(writer, segment)
        await writer.drain()
        return keeps

    # In a thread: disks may be slow

    def _find(self, method: str, target: str, headers: Mapping[str, str]) -> tuple[str, list[_Segment]]:
        """The signature of the answer, and what to send."""
        if method != "GET":
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"{method} is not allowed")
        if (headers.get(NAME_HEADER), headers.get(VERSION_HEADER)) != (NAME, VERSION):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "Incompatible shuffle request version")
        try:
            request = ShuffleRequest.parse(target)
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from None
        job = self._jobs.get(request.job)
        if job is None:
            raise RefusedError(HTTPStatus.UNAUTHORIZED, f"no job {request.job} is known here")
        expected = url_hash(job.secret, target, self.port)
        given = headers.get(URL_HASH.lower())
        if not is_signed(expected, given):
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "Verification of the hashReply failed")
        segments = [self._segment(job, request.reduce, attempt) for attempt in request.maps]
        return reply_hash(job.secret, expected), segments

    def _segment(self, job: _Job, reduce: int, attempt: str) -> _Segment:
        if "/" in attempt or attempt in ("", ".", ".."):
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{attempt!r} is no map attempt")
        place = Path(USER_CACHE) / job.user / APPLICATION_CACHE / str(job.application_id)
        for root in self._layout.all_local:
            directory = root / place / OUTPUT_DIRECTORY / attempt
            try:
                index = read_index(directory / INDEX_FILE)
            except FileNotFoundError:
                continue
            except (OSError, ValueError) as error:
                raise RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, str(error)) from None
            if reduce >= len(index):
                raise RefusedError(HTTPStatus.BAD_REQUEST, f"{attempt} has no segment for reduce {reduce}")
            start, length = index[reduce]
            header = ShuffleHeader(attempt, length, length, reduce).to_bytes()
            return _Segment(header, directory / OUTPUT_FILE, start, length)
        raise RefusedError(HTTPStatus.NOT_FOUND, f"{attempt} has no output on this node")


async def _send_segment(writer: asyncio.StreamWriter, segment: _Segment) -> None:
    writer.write(segment.header)
    if segment.length == 0:
        return
    await writer.drain()
    with segment.file.open("rb") as file:
        await asyncio.get_running_loop().sendfile(
            writer.transport,
            file,
            segment.start,
            segment.length,
        )


async def _send_error(writer: asyncio.StreamWriter, refusal: RefusedError) -> None:
    body = f"{refusal.reason}\n".encode()
    lines = [
        f"HTTP/1.1 {refusal.status.value} {refusal.status.phrase}",
        "Content-Type: text/plain; charset=UTF-8",
        f"Content-Length: {len(body)}",
        f"{NAME_HEADER}: {NAME}",
        f"{VERSION_HEADER}: {VERSION}",
        "Connection: close",
    ]
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
    try:
        await writer.drain()
    except ConnectionError:
        return
