"""Brings resources to the node: copies files, unpacks archives, checks that the source is what was meant.

Owns what is done for one FetchResource, in threads. Which resource goes where, and who waits for it, is
nm/localization/localized.py's. Hadoop: FSDownload, ContainerLocalizer and PublicLocalizer.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from yarnbox.nm.effects import FetchResource
from yarnbox.nm.executor.layout import Layout, NoDirectoryError, remove_tree
from yarnbox.nm.localization.resources import ResourceKey
from yarnbox.yarn.enums import LocalResourceType, LocalResourceVisibility
from yarnbox.yarn.security.tls import Tls
from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import RemoteFileError
from yarnbox.yarn.storage.urls import is_local as is_local_url
from yarnbox.yarn.storage.urls import local_path

ZIP_ENDINGS = (".jar", ".zip")
TAR_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


class FetchError(Exception):
    """A resource that cannot be had; the message is for its container's diagnostics."""


class Localizer:
    """Fetches for one node, a few resources at a time."""

    def __init__(self, layout: Layout, threads: int, tls: Tls | None = None) -> None:
        self._layout = layout
        self._tls = tls
        self._slots = asyncio.Semaphore(threads)

    async def fetch(self, order: FetchResource) -> tuple[str, int]:
        """Where the resource is now, and its size; FetchError says why not."""
        async with self._slots:
            try:
                place = self._layout.cache_directory(order.cache, order.directory)
                return await asyncio.to_thread(_fetch, order, place, self._tls)
            except (OSError, NoDirectoryError) as error:
                raise FetchError(f"{order.key.url}: {error}") from error


def check_public(path: Path) -> None:
    """A public resource has to be readable, and its ancestors passable, for everybody."""
    mode = path.stat().st_mode
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    ancestors = [parent.stat().st_mode for parent in path.parents]
    if mode & needed != needed or not all(one & stat.S_IXOTH for one in ancestors):
        raise FetchError(
            f"Resource {path} is not publicly accessible and as such cannot be part of the public cache."
        )


def _fetch(order: FetchResource, place: Path, tls: Tls | None) -> tuple[str, int]:
    key = order.key
    is_local = is_local_url(key.url)
    source = local_path(key.url) if is_local else Path(key.url.partition("?")[0])
    try:
        changed = remote_files.status(key.url, tls).modified_ms
    except RemoteFileError as error:
        raise FetchError(str(error)) from None
    if changed is not None and changed != key.timestamp:
        raise FetchError(
            f"Resource {source} changed on src filesystem - expected: {key.timestamp}, was: {changed}, "
            "current time differs from the one it was registered with"
        )
    if is_local and order.cache.visibility is LocalResourceVisibility.PUBLIC:
        check_public(source)
    draft = place.with_name(f"{place.name}_tmp")
    remove_tree(draft)
    draft.mkdir(parents=True)
    target = draft / source.name
    try:
        if is_local:
            _materialize(source, target, key)
        else:
            _bring(key, source.name, target, draft, tls)
        remove_tree(place)
        draft.rename(place)
    except (tarfile.TarError, zipfile.BadZipFile, OSError, RemoteFileError) as error:
        raise FetchError(f"Resource {source} cannot be localized: {error}") from error
    finally:
        remove_tree(draft)
    return str(place / source.name), size_of(place)


def _bring(key: ResourceKey, name: str, target: Path, draft: Path, tls: Tls | None) -> None:
    """A remote resource comes to this machine first."""
    fetched = draft / "fetched"
    fetched.mkdir()
    remote_files.download(key.url, fetched / name, tls)
    _materialize(fetched / name, target, key)
    remove_tree(fetched)


def _materialize(source: Path, target: Path, key: ResourceKey) -> None:
    if key.type is LocalResourceType.FILE:
        _copy(source, target)
    elif key.type is LocalResourceType.ARCHIVE:
        unpack(source, target)
    else:
        unpack(source, target, key.pattern)
        _copy(source, target / source.name)


def unpack(source: Path, target: Path, pattern: str | None = None) -> None:
    """Unpacks by the ending of the name; with a pattern only the members whose whole name matches it. A file
    of another ending is copied as it is.
    """
    name = source.name.lower()
    try:
        whole = re.compile(pattern or "(?s:.*)")
    except re.error as error:
        raise FetchError(f"the pattern {pattern!r} is not a regular expression: {error}") from error

    def wanted(member: str) -> bool:
        return whole.fullmatch(member) is not None

    if name.endswith(ZIP_ENDINGS):
        _unpack_zip(source, target, wanted)
    elif name.endswith(TAR_ENDINGS):
        target.mkdir(parents=True, exist_ok=True)
        with tarfile.open(source) as archive:
            members = [member for member in archive.getmembers() if wanted(member.name)]
            archive.extractall(target, members=members, filter="data")
    elif pattern is None:
        _copy(source, target)
    else:
        target.mkdir(parents=True, exist_ok=True)


def _unpack_zip(source: Path, target: Path, wanted: Callable[[str], bool]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(source) as archive:
        for member in archive.infolist():
            parts = PurePosixPath(member.filename).parts
            if member.filename.startswith("/") or ".." in parts:
                raise FetchError(f"{source} has a member outside itself: {member.filename}")
            if not wanted(member.filename):
                continue
            path = Path(archive.extract(member, target))
            mode = (member.external_attr >> 16) & 0o777
            if mode and path.is_file():
                path.chmod(mode | stat.S_IRUSR | stat.S_IWUSR)


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy2(source, target)
        target.chmod(0o555 if os.access(source, os.X_OK) else 0o444)


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files of a tree."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    return sum(size_of(child) for child in path.iterdir())
