"""What clients stage at a node, for the localizers of all nodes: where there is no store that all share.

Owns the files, who may put and get them, how much there may be and how long it stays. With TLS, a file is for
whoever has put it and for hosts; without, for everybody, as are the node's other pages. Hadoop has a
distributed filesystem for this.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from http import HTTPStatus
from pathlib import Path

from aiohttp import web

from yarnbox.nm.settings import StagingSettings
from yarnbox.yarn.security.acl import HOST_PREFIX
from yarnbox.yarn.security.authentication import USER
from yarnbox.yarn.storage.remote_files import MODIFIED_HEADER, STAGING_PATH

_APPLICATION = re.compile(r"application_[0-9]{1,20}_[0-9]{4,20}")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,200}")
_OWNER = ".owner"
_PIECE = 1 << 20
_MB = 1 << 20


class StagedFiles:
    """The staged files of one node, `<application>/<name>` below a directory."""

    def __init__(self, directory: Path, settings: StagingSettings) -> None:
        self._directory = directory
        self._settings = settings

    def add_to(self, app: web.Application) -> None:
        """Serves them; nothing where nothing may be staged."""
        if not self._settings.maximum_mb:
            return
        one = STAGING_PATH + "/{application}"
        app.router.add_put(one + "/{name}", self._put)
        app.router.add_get(one + "/{name}", self._get)
        app.router.add_delete(one, self._delete)

    async def _put(self, request: web.Request) -> web.Response:
        path = self._path(request, is_change=True)
        self._claim(path.parent, request.get(USER))
        await asyncio.to_thread(self._expire)
        room = self._settings.maximum_mb * _MB - await asyncio.to_thread(_size_of, self._directory)
        draft = path.with_name(f".{path.name}")
        try:
            with draft.open("wb") as file:
                async for piece in request.content.iter_chunked(_PIECE):
                    room -= len(piece)
                    if room < 0:
                        limit = "yarnbox.nodemanager.staging.max-mb"
                        text = f"there is no room for it: {limit} is {self._settings.maximum_mb}\n"
                        return web.Response(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text=text)
                    file.write(piece)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        return web.Response(status=HTTPStatus.CREATED)

    async def _get(self, request: web.Request) -> web.StreamResponse:
        path = self._path(request, is_change=False)
        if not path.is_file():
            raise web.HTTPNotFound(text=f"{path.name} is not staged here\n")
        modified_ms = path.stat().st_mtime_ns // 1_000_000
        return web.FileResponse(path, headers={MODIFIED_HEADER: str(modified_ms)})

    async def _delete(self, request: web.Request) -> web.Response:
        path = self._path(request, is_change=True)
        await asyncio.to_thread(shutil.rmtree, path, ignore_errors=True)
        return web.Response(status=HTTPStatus.NO_CONTENT)

    def _path(self, request: web.Request, *, is_change: bool) -> Path:
        """Where the file is, or the directory of an application; who may not touch it is refused."""
        application, name = request.match_info["application"], request.match_info.get("name")
        if not _APPLICATION.fullmatch(application) or (name is not None and not _NAME.fullmatch(name)):
            raise web.HTTPBadRequest(text="a staged file is named /APPLICATION_ID/NAME\n")
        directory = self._directory / application
        caller: str | None = request.get(USER)
        is_host = caller is not None and caller.startswith(HOST_PREFIX)
        owner = _owner(directory)
        if caller is not None and owner not in (None, caller) and (is_change or not is_host):
            raise web.HTTPForbidden(text=f"{caller} may not touch what {owner} has staged\n")
        return directory if name is None else directory / name

    def _claim(self, directory: Path, caller: str | None) -> None:
        """The files of an application are whose who puts the first of them."""
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if caller is not None and _owner(directory) is None:
            (directory / _OWNER).write_text(caller, encoding="utf-8")

    def _expire(self) -> None:
        oldest_s = time.time() - self._settings.retain_secs
        for directory in list(self._directory.glob("*")):
            if all(path.stat().st_mtime < oldest_s for path in (directory, *directory.iterdir())):
                shutil.rmtree(directory, ignore_errors=True)


def _owner(directory: Path) -> str | None:
    """Who has staged what is there, if that is known."""
    try:
        return (directory / _OWNER).read_text(encoding="utf-8")
    except OSError:
        return None


def _size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
