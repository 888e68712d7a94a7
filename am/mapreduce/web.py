"""The AM's HTTP port: the umbilical of its tasks, and its REST pages.

Hadoop: MRClientService's WebApp and the RPC server of TaskAttemptListenerImpl.
"""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from yarnbox.am.mapreduce.app.report import BadQueryError, Pages
from yarnbox.am.mapreduce.umbilical import HASH_HEADER, PATH
from yarnbox.am.mapreduce.umbilical_server import UmbilicalServer
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import HttpServer, bind, new_application
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tls import Tls

LARGEST_BODY = 64 * 1024 * 1024
_ANY_PORT = "a free port"


class WebService:
    """The port of one job."""

    def __init__(
        self, umbilical: UmbilicalServer, pages: Pages, access: HttpAccess, tls: Tls | None = None
    ) -> None:
        """With TLS, pages are for known users, and for the ResourceManager as their proxy; tasks sign."""
        self._tls = tls
        self._umbilical = umbilical
        self._pages = pages
        app = new_application(
            access,
            largest_body=LARGEST_BODY,
            authentication=Authentication(tls) if tls is not None else None,
            is_open=lambda path: path.startswith(PATH),
        )
        app.router.add_route("*", "/{path:.*}", self._serve)
        self._server = HttpServer(app)

    async def start(self, host: str) -> int:
        """Listens on a free port; which one."""
        await self._server.start(bind(Address(host, 0), _ANY_PORT), self._tls)
        return self._server.port

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    async def _serve(self, request: web.Request) -> web.Response:
        target = request.raw_path
        if target.startswith(PATH):
            given, body = request.headers.get(HASH_HEADER, ""), await request.read()
            try:
                status, answer = self._umbilical.answer(target, given, body)
            except (KeyError, TypeError, ValueError) as error:
                return _refusal(HTTPStatus.BAD_REQUEST, f"{type(error).__name__}: {error}")
            return web.json_response(answer, status=status)
        if request.method != "GET":
            return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "only GET")
        try:
            page = self._pages.answer(target)
        except BadQueryError as error:
            return _refusal(HTTPStatus.BAD_REQUEST, str(error))
        return web.json_response(page) if page is not None else _refusal(HTTPStatus.NOT_FOUND, _none(target))


def _refusal(status: HTTPStatus, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)


def _none(target: str) -> str:
    return f"there is no page {target}"
