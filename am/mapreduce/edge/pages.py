"""The REST pages of a job's AM, and the refusal of all that is no page. Hadoop: MRClientService's WebApp.

Imported when somebody asks: aiohttp takes longer to import than all else of an AM that runs a small job.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Any

import defusedxml.ElementTree
from aiohttp import web
from defusedxml import DefusedXmlException

from yarnbox.am.mapreduce.app.report import BadQueryError, Pages
from yarnbox.am.mapreduce.edge.umbilical_server import UmbilicalServer
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.http import notation
from yarnbox.yarn.http.access import HttpAccess
from yarnbox.yarn.http.server import HttpServer, new_application
from yarnbox.yarn.security.authentication import USER, Authentication
from yarnbox.yarn.security.tls import Tls

STATE = "jobTaskAttemptState"
KILLED = "KILLED"
_LARGEST_BODY = 64 * 1024
_XML_TYPES = ("application/xml", "text/xml")


class PageService:
    """The pages of one job."""

    def __init__(self, umbilical: UmbilicalServer, pages: Pages, access: HttpAccess, tls: Tls | None) -> None:
        """With TLS, pages are for known users, and for the ResourceManager as their proxy."""
        self._umbilical = umbilical
        self._pages = pages
        app = new_application(
            access,
            largest_body=_LARGEST_BODY,
            authentication=Authentication(tls) if tls is not None else None,
        )
        app.router.add_route("*", "/{path:.*}", self._serve)
        self.server = HttpServer(app)

    async def _serve(self, request: web.Request) -> web.Response:
        target = request.raw_path
        kind = notation.preferred(request.headers.get("Accept"))
        if kind is None:
            return web.Response(status=HTTPStatus.NOT_ACCEPTABLE)
        try:
            page = self._pages.answer(target)
            if page is None:
                return _refusal(kind, HTTPStatus.NOT_FOUND, "NotFoundException", f"there is no page {target}")
            if request.method == "PUT" and STATE in page:
                if request.get(USER, self._pages.user) != self._pages.user:
                    why = f"User {request[USER]} is not authorized to modify a job of {self._pages.user}"
                    return _refusal(kind, HTTPStatus.FORBIDDEN, "ForbiddenException", why)
                page = await self._change_state(request, page)
            elif request.method != "GET":
                return web.Response(status=HTTPStatus.METHOD_NOT_ALLOWED)
        except BadQueryError as error:
            return _refusal(kind, HTTPStatus.BAD_REQUEST, "BadRequestException", str(error))
        return _written(kind, HTTPStatus.OK, page)

    async def _change_state(self, request: web.Request, page: dict[str, Any]) -> dict[str, Any]:
        """An attempt can be killed, and nothing else; one that is in the state already stays there."""
        wanted = _state_in(request.content_type, await request.read())
        if wanted == page[STATE]["state"]:
            return page
        if wanted != KILLED:
            raise BadQueryError(f"Only '{KILLED}' is allowed as a target state.")
        attempt_id = TaskAttemptId.parse(request.path.rstrip("/").split("/")[-2])
        who = f"{request.get(USER) or request.query.get('user.name') or 'a client'} at {request.remote}"
        self._umbilical.kill_attempt(attempt_id, f"Kill task attempt {attempt_id} received from {who}")
        return {STATE: {"state": KILLED}}


def _state_in(content_type: str, body: bytes) -> str | None:
    """The state that a body asks for, in JSON or XML; None where XML has no such element."""
    if content_type in _XML_TYPES:
        try:
            root = defusedxml.ElementTree.fromstring(body)
        except (SyntaxError, ValueError, DefusedXmlException) as error:
            raise BadQueryError(f"the body cannot be read: {error}") from None
        return next((one.text for one in root if one.tag.rpartition("}")[2] == "state"), None)
    try:
        return str(json.loads(body)["state"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadQueryError('the body is not of the form {"state": "KILLED"}') from None


def _refusal(kind: str, status: HTTPStatus, name: str, message: str) -> web.Response:
    told = {
        "exception": name,
        "message": f"java.lang.Exception: {message}",
        "javaClassName": f"org.apache.hadoop.yarn.webapp.{name}",
    }
    return _written(kind, status, {"RemoteException": told})


def _written(kind: str, status: HTTPStatus, page: dict[str, Any]) -> web.Response:
    """An answer: one object with a name, which in XML is that of the root element."""
    ((root, value),) = page.items()
    body = notation.document(root, value) if kind == notation.XML else notation.natural(page)
    return web.Response(status=status, text=body, content_type=kind, charset="utf-8")
