"""The end of a container's log for the pages: fetched from its node, which browsers may not ask themselves.

Ours alone: Hadoop's pages lead to the node's. Owns which part of which log is shown; who may see it is asked
here, and by the node again.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import aiohttp
from aiohttp import web

from yarnbox.rm.edge.http.server import ROOT, WebServer
from yarnbox.rm.web.pages.application import log_page
from yarnbox.rm.web.pages.blocks import alert
from yarnbox.rm.web.refusals import RestError, bad_request, forbidden, not_found
from yarnbox.yarn.connection.address_book import AddressBook
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.security.tls import scheme

_PATIENCE_S = 5.0
_USUAL_BYTES, _MOST_BYTES = 16 * 1024, 256 * 1024
_FEW_BYTES, _KIB = 10_240, 1_024
_CONTENTS = b"\nLogContents:\n"
_USUAL_FILES = ("stdout", "stderr", "syslog")


class ContainerLogs:
    """The logs of containers, as far as their nodes have them."""

    def __init__(self, server: WebServer, book: AddressBook) -> None:
        self._server = server
        self._book = book
        self._session: aiohttp.ClientSession | None = None
        server.add("GET", ROOT + "/ui/container-logs", self._serve)
        server.add("GET", ROOT + "/ui/log-tail", self._page)
        server.app.on_cleanup.append(self._close)

    async def _close(self, app: web.Application) -> None:
        if self._session is not None:
            await self._session.close()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        """GET /ui/container-logs?node=&container=&file=&size=: the last bytes, and which files there are."""
        return web.json_response({"log": await self._read(request)})

    async def _page(self, request: web.Request) -> web.StreamResponse:
        """GET /ui/log-tail, with the same query: what a page shows of it, or why it cannot."""
        try:
            block = log_page(request.query.get("container", ""), await self._read(request))
        except RestError as refusal:
            block = [alert(refusal.message, "error")]
        return web.json_response({"log": {"block": block}})

    async def _read(self, request: web.Request) -> dict[str, Any]:
        user = self._server.caller(request).user
        try:
            container_id = ContainerId.parse(request.query.get("container", ""))
            node_id = NodeId.parse(request.query.get("node", ""))
        except ValueError as error:
            raise bad_request(f"container and node must be given: {error}") from None
        size = request.query.get("size", str(_USUAL_BYTES))
        if not (size.isascii() and size.isdigit() and 0 < int(size[:9]) <= _MOST_BYTES):
            raise bad_request(f"size has to be from 1 to {_MOST_BYTES} bytes, not {size}")
        top = await self._server.turn(lambda: self._node_of(container_id, node_id, user))
        files = await self._files(top, container_id, user)
        usual = next((one for one in _USUAL_FILES if files.get(one)), next(iter(files), ""))
        name = request.query.get("file") or usual
        if name and name not in files:
            raise not_found(f"{container_id} has no log {name}; it has {', '.join(files) or 'none'}")
        shown = await self._end_of(top, container_id, user, name, int(size)) if name else ""
        found = [
            {"name": one, "length": length, "text": f"{one}, {_said(length)}"}
            for one, length in files.items()
        ]
        return {"file": name, "text": shown, "files": found}

    def _node_of(self, container_id: ContainerId, node_id: NodeId, user: str) -> str:
        """Where the node's web services are; refuses callers without rights, and unknown containers."""
        context, access = self._server.core.context, self._server.core.access
        app = context.apps.get(container_id.application_id)
        if app is None:
            raise not_found(f"app with id: {container_id.application_id} not found")
        if not access.may_view(user, app):
            raise forbidden(f"{user} may not look at {app.application_id}")
        node = context.nodes.get(node_id)
        if node is None or not node.http_address:
            raise not_found(f"{node_id} is not in the cluster any more: its logs cannot be read")
        return f"{scheme(self._server.tls)}://{self._book.resolve(node.http_address)}/ws/v1/node"

    async def _files(self, top: str, container_id: ContainerId, user: str) -> dict[str, int]:
        """Name to length."""
        url = f"{top}/containers/{container_id}/logs"
        answer = await self._get(url, {"user.name": user}, "application/json")
        try:
            groups = _listed(json.loads(answer), "containerLogsInfo")
            found = [one for group in groups for one in _listed(group, "containerLogInfo")]
            return {str(one["fileName"]): int(one["fileSize"]) for one in found}
        except (KeyError, TypeError, ValueError):
            raise _unreadable(url) from None

    async def _end_of(self, top: str, container_id: ContainerId, user: str, name: str, size: int) -> str:
        """The last bytes of a log."""
        url = f"{top}/containerlogs/{container_id}/{quote(name, safe='')}"
        answer = await self._get(url, {"user.name": user, "size": str(-size)}, "text/plain")
        _, is_whole, behind = answer.partition(_CONTENTS)
        contents, end, _ = behind.rpartition(f"End of LogType:{name}".encode())
        if not is_whole or not end:
            raise _unreadable(url)
        return contents.decode("utf-8", "replace")

    async def _get(self, url: str, query: dict[str, str], kind: str) -> bytes:
        if self._session is None:
            tls = self._server.tls
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=tls.calling()) if tls is not None else None,
                timeout=aiohttp.ClientTimeout(total=_PATIENCE_S),
            )
        try:
            async with self._session.get(
                url, params=query, headers={"Accept": kind}, allow_redirects=False
            ) as answer:
                found = await answer.read()
                if answer.status != web.HTTPOk.status_code:
                    raise not_found(f"the node has no such log: {answer.status} {answer.reason}")
                return found
        except (aiohttp.ClientError, TimeoutError) as error:
            message = f"the node does not answer: {str(error) or type(error).__name__}"
            raise RestError(502, "java.io.IOException", message) from None


def _said(length: int) -> str:
    return f"{length} B" if length < _FEW_BYTES else f"{(length + _KIB // 2) // _KIB} KiB"


def _listed(value: Any, name: str) -> list[Any]:
    """A list, one thing that stands for a list of one, or nothing, as Hadoop's notation has it."""
    found = value.get(name)
    if found is None:
        return []
    return found if isinstance(found, list) else [found]


def _unreadable(url: str) -> RestError:
    return RestError(502, "java.io.IOException", f"the answer of {url} cannot be read")
