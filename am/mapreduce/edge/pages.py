"""The REST pages of a job's AM, and the refusal of all that is no page. Hadoop: MRClientService's WebApp.

Imported when somebody asks: aiohttp takes longer to import than all else of an AM that runs a small job.
"""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web

from yarnbox.am.mapreduce.app.report import BadQueryError, Pages
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.umbilical import HASH_HEADER, PATH
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import HttpServer, new_application
from yarnbox.yarn.security.authentication import Authentication
from yarnbox.yarn.security.tls import Tls


class PageService:
    """The pages of one job."""

    def __init__(
        self,
        umbilical: UmbilicalServer,
        pages: Pages,
        access: HttpAccess,
        tls: Tls | None,
        largest_body: int,
    ) -> None:
        """With TLS, pages are for known users, and for the ResourceManager as their proxy; tasks sign."""
        self._umbilical = umbilical
        self._pages = pages
        app = new_application(
            access,
            largest_body=largest_body,
            authentication=Authentication(tls) if tls is not None else None,
            is_open=lambda path: path.startswith(PATH),
        )
        app.router.add_route("*", "/{path:.*}", self._serve)
        self.server = HttpServer(app)

    async def _serve(self, request: web.Request) -> web.Response:
        target = request.raw_path
        if target.startswith(PATH):
            given, body = request.headers.get(HASH_HEADER, ""), await request.read()
            status, answer = self._umbilical.answer(target, given, body)
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
