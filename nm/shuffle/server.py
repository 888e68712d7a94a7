"""ShuffleService: an HTTP server from which reducers fetch their parts of map outputs.

Owns which jobs may be asked for, and with which secret; requests that are not signed with it get nothing. The
names, files and signatures are the contract in yarn/shuffle.py. Hadoop: ShuffleHandler.
"""

from __future__ import annotations

import asyncio
import logging
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from yarnbox.nm.executor.layout import APPLICATION_CACHE, USER_CACHE, Layout
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.listening import bind
from yarnbox.yarn.http.server import FilePart, HttpServer, Part, new_application, response_of
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.security.credentials import read_token
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.shuffle import (
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
    job_of,
    port_meta_data,
    read_index,
    reply_hash,
    url_hash,
)

log = logging.getLogger("nm.shuffle")

_LARGEST_BODY = 64 * 1024
_OURS = {NAME_HEADER: NAME, VERSION_HEADER: VERSION}


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


class ShuffleService:
    """The map outputs of one node."""

    def __init__(self, layout: Layout, access: HttpAccess, tls: Tls | None = None) -> None:
        """Who asks proves it by the secret of the job, with TLS, too."""
        self._layout = layout
        self._tls = tls
        self._jobs: dict[str, _Job] = {}
        app = new_application(access, largest_body=_LARGEST_BODY)
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._server = HttpServer(app)

    async def start(self, host: str, port: int) -> None:
        """Listens; port 0 is any free one."""
        await self._server.start(bind(Address(host, port), "mapreduce.shuffle.port"), self._tls)

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    def meta_data(self) -> bytes:
        """What AMs are told: the port."""
        return port_meta_data(self.port)

    def start_application(self, application_id: ApplicationId, user: str, data: bytes) -> None:
        """Learns a job's secret from its token; a job that is known already keeps its own."""
        try:
            token = read_token(data)
        except IllegalArgumentError as error:
            log.error("service data of %s are not a job token: %s", application_id, error.message)
            return
        self._jobs.setdefault(job_of(application_id), _Job(application_id, user, token.password))

    def stop_application(self, application_id: ApplicationId) -> None:
        """Forgets its job."""
        self._jobs.pop(job_of(application_id), None)

    async def _serve(self, request: web.Request) -> web.Response:
        try:
            return await asyncio.to_thread(self._find, request)
        except RefusedError as refusal:
            log.warning("%s refused: %s", request.raw_path, refusal.reason)
            return web.Response(status=refusal.status, headers=_OURS, text=f"{refusal.reason}\n")

    def _find(self, asked: web.Request) -> web.Response:
        if asked.method != "GET":
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"{asked.method} is not allowed")
        if (asked.headers.get(NAME_HEADER), asked.headers.get(VERSION_HEADER)) != (NAME, VERSION):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "Incompatible shuffle request version")
        try:
            request = ShuffleRequest.parse(asked.raw_path)
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from None
        job = self._jobs.get(request.job)
        if job is None:
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "Could not find jobid")
        given = asked.headers.get(URL_HASH)
        if given is None:
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "fetcher cannot be authenticated")
        expected = url_hash(job.secret, asked.raw_path, self.port)
        if not is_signed(expected, given):
            raise RefusedError(HTTPStatus.UNAUTHORIZED, "Verification of the hashReply failed")
        parts: list[Part] = []
        for attempt in request.maps:
            parts.extend(self._segment(job, request.reduce, attempt))
        headers = {"Content-Type": CONTENT_TYPE, REPLY_HASH: reply_hash(job.secret, expected), **_OURS}
        return response_of(parts, headers)

    def _segment(self, job: _Job, reduce: int, attempt: str) -> tuple[bytes, FilePart]:
        if "/" in attempt or attempt in ("", ".", ".."):
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"{attempt!r} is not a map attempt")
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
                raise RefusedError(
                    HTTPStatus.INTERNAL_SERVER_ERROR,
                    f"Invalid request Map Id = {attempt} Reducer = {reduce} Index Info Length = {len(index)}",
                )
            record = index[reduce]
            header = ShuffleHeader(attempt, record.length, record.raw_length, reduce).to_bytes()
            return header, FilePart(directory / OUTPUT_FILE, record.start, record.length)
        wanted = f"{OUTPUT_DIRECTORY}/{attempt}/{INDEX_FILE}"
        raise RefusedError(
            HTTPStatus.INTERNAL_SERVER_ERROR, f"Could not find {wanted} in any of the directories"
        )
