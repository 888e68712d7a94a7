"""The pages: one document for every address below /cluster, its scripts and styles, and redirections.

Hadoop's own addresses (/cluster/nodes, /cluster/app/application_1_1) are those of the pages, so bookmarks,
log lines and tracking URLs keep working. Hadoop: RmController and RmView.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Protocol

from aiohttp import web
from yarl import URL

from yarnbox.yarn.http.server import Responder
from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId

_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'"
_POLICY += "; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
RECORDING = "recording"
"""The source of pages over recordings, which show reports in a frame."""
_FOLDERS = ("", "vendor/", "vendor/virtual-core/")
_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


class Router(Protocol):
    """What serves paths: an RM, or `yarnbox view`."""

    def add(self, method: str, path: str, responder: Responder) -> None:
        """Registers the handler of a path."""
        ...


class Pages:
    """The files of the pages, read once. `source` says whether they show an RM or a recording."""

    def __init__(self, server: Router, source: str = "cluster") -> None:
        top = files("yarnbox.rm.edge.http").joinpath("ui")
        self._policy = _POLICY if source != RECORDING else f"{_POLICY}; frame-src 'self'"
        self._files = {
            prefix + one.name: one.read_bytes()
            for prefix in _FOLDERS
            for one in top.joinpath(prefix).iterdir()
            if one.name.endswith(tuple(_KINDS))
        }
        self._files["index.html"] = self._files["index.html"].replace(
            b"<html ", b'<html data-source="%b" ' % source.encode()
        )
        server.add("GET", "/cluster", self._document)
        server.add("GET", "/cluster/{kind:appattempt|container}/{id}", self._to_application)
        server.add("GET", "/cluster/{rest:.+}", self._document)
        server.add("GET", "/static/{name:.+}", self._static)
        server.add("GET", "/", self._to_cluster)
        server.add("GET", "/ui2", self._to_cluster)

    async def _document(self, request: web.Request) -> web.StreamResponse:
        return self._file("index.html", {"Content-Security-Policy": self._policy})

    async def _static(self, request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"]
        if name not in self._files or name == "index.html":
            raise web.HTTPNotFound
        return self._file(name, {})

    def _file(self, name: str, headers: dict[str, str]) -> web.Response:
        kind = _KINDS["." + name.rpartition(".")[2]]
        return web.Response(body=self._files[name], content_type=kind, charset="utf-8", headers=headers)

    async def _to_application(self, request: web.Request) -> web.StreamResponse:
        """Attempts and containers are shown with their application."""
        kind, name = request.match_info["kind"], request.match_info["id"]
        try:
            owner = ContainerId.parse(name) if kind == "container" else ApplicationAttemptId.parse(name)
        except ValueError:
            return await self._document(request)  # which says that there is no such page
        to = URL(f"/cluster/app/{owner.application_id}").with_query(request.query)
        return web.Response(status=302, headers={"Location": str(to)})

    async def _to_cluster(self, request: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/cluster"})
