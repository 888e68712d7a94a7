"""Files by URL: this machine's, those of filesystems that fsspec knows, and those that NodeManagers serve.

`file:` and plain paths need nothing; `yarnbox://host:port/...` is a file that a client has staged at a
NodeManager; any other scheme is fsspec's, with whatever package that asks for. Knows nothing of what the
files are for. Hadoop: FileSystem and its implementations.
"""

from __future__ import annotations

import errno
import http.client
import io
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import quote, urlsplit

from yarnbox.yarn.security.tls import Tls, connection_to
from yarnbox.yarn.storage.urls import is_local, joined, local_path, scheme_of

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

STAGED = "yarnbox"
"""The scheme of staged files."""

STAGING_PATH = "/ws/v1/node/staging"
MODIFIED_HEADER = "Yarnbox-Modified-Ms"
TIMEOUT_S = 60.0
HTTP = ("http", "https")
_PIECE = 1 << 20
_TIMES = ("mtime", "LastModified", "last_modified", "modificationTime", "modified", "updated")


class RemoteFileError(Exception):
    """A file that cannot be had, or put; the message says why."""


class NoSuchFileError(RemoteFileError):
    """A file that is not there."""


@dataclass(frozen=True, slots=True)
class FileStatus:
    """What is known of a file."""

    size: int
    modified_ms: int | None
    """None where its filesystem does not tell."""


@contextmanager
def as_os_errors() -> Iterator[None]:
    """Errors of remote files as the errors of files that whoever works with paths knows."""
    try:
        yield
    except NoSuchFileError as error:
        raise FileNotFoundError(errno.ENOENT, str(error)) from error
    except RemoteFileError as error:
        raise OSError(errno.EIO, str(error)) from error


def status(url: str, tls: Tls | None = None) -> FileStatus:
    """Size and time of modification; NoSuchFileError, RemoteFileError."""
    if is_local(url):
        return _local_status(local_path(url))
    if scheme_of(url) == STAGED:
        with _answer("HEAD", url, tls) as answer:
            return FileStatus(
                int(answer.headers["Content-Length"] or 0), int(answer.headers[MODIFIED_HEADER] or 0)
            )
    with _fsspec(url) as (system, path):
        info = system.info(path)
        return FileStatus(int(info.get("size") or 0), _modified_ms(info))


def files_below(url: str, *, recursive: bool = True) -> list[tuple[str, int]]:
    """The file, or the files of the directory, as fsspec knows them, each with its size."""
    with _fsspec(url) as (system, path):
        info = system.info(path)
        if info["type"] != "directory":
            return [(url, _size(url, info))]
        root = path.rstrip("/") + "/"
        found = system.find(path, maxdepth=None if recursive else 1, detail=True)
        return [
            (joined(url, name.removeprefix(root)), _size(name, info))
            for name, info in found.items()
            if not name.endswith("/")  # some stores keep a mark where a directory is
        ]


def has_ranges(url: str) -> bool:
    """Whether a file can be read from its middle. HTTP servers need not be able to do that."""
    if scheme_of(url) not in HTTP:
        return True
    with _fsspec(url) as (system, path), system.open(path, "rb") as file:
        if not file.seekable() or file.size is None:
            return False
        try:
            file.seek(max(0, file.size - 1))
            return bool(file.read(1))
        except ValueError:
            return False


def open_file(url: str) -> BinaryIO:
    """A file to be read, by fsspec; what goes wrong while it is read is an OSError. One of a server that has
    no ranges can be read once, from its beginning.
    """
    whole = {"block_size": 0} if not has_ranges(url) else {}
    with _fsspec(url) as (system, path):
        reader = _Reader(url, system.open(path, "rb", **whole))
        return cast(BinaryIO, io.BufferedReader(reader, _PIECE))


class _Reader(io.RawIOBase):
    """A file of fsspec's, with the errors of files."""

    def __init__(self, url: str, file: Any) -> None:
        self._url = url
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def tell(self) -> int:
        return int(self._file.tell())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._file.seek(offset, whence)
        return self.tell()

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        try:
            data = self._file.read(len(view))
        except Exception as error:
            # Each filesystem raises what the package below it raises.
            raise OSError(errno.EIO, f"{type(error).__name__}: {error}", self._url) from error
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def exists(url: str) -> bool:
    """Whether there is a file or directory; RemoteFileError where that cannot be known."""
    try:
        status(url)
    except NoSuchFileError:
        return False
    return True


def read(url: str) -> bytes:
    """What a small file of fsspec's holds."""
    with _fsspec(url) as (system, path):
        return bytes(system.cat_file(path))


def write(url: str, data: bytes) -> None:
    """Puts a small file there, in place of what was there."""
    with _fsspec(url) as (system, path):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.pipe_file(path, data)


def move(source: str, target: str) -> None:
    """Moves a file within one of fsspec's filesystems, in place of what was there."""
    with _fsspec(source) as (system, path), _fsspec(target) as (_, there):
        if system.exists(there):
            system.rm(there)
        system.makedirs(there.rpartition("/")[0], exist_ok=True)
        system.mv(path, there)


def download(url: str, target: Path, tls: Tls | None = None) -> None:
    """Copies a remote file, or a directory with all in it, to a path that is not there yet."""
    if scheme_of(url) == STAGED:
        with _answer("GET", url, tls) as answer, target.open("wb") as file:
            shutil.copyfileobj(answer, file, _PIECE)
        return
    with _fsspec(url) as (system, path):
        system.get(path, str(target), recursive=bool(system.isdir(path)))


def upload(source: Path, url: str, tls: Tls | None = None) -> FileStatus:
    """Puts a file of this machine there; what is then known of it."""
    if is_local(url):
        target = local_path(url)
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        shutil.copyfile(source, target)
        return _local_status(target)
    if scheme_of(url) == STAGED:
        with source.open("rb") as file, _answer("PUT", url, tls, file, source.stat().st_size):
            return status(url, tls)
    with _fsspec(url) as (system, path):
        system.makedirs(path.rpartition("/")[0], exist_ok=True)
        system.put(str(source), path)
    return status(url, tls)


def remove(url: str, tls: Tls | None = None) -> None:
    """Removes a directory and what is in it; what is not there is no fault."""
    if is_local(url):
        shutil.rmtree(local_path(url), ignore_errors=True)
        return
    try:
        if scheme_of(url) == STAGED:
            with _answer("DELETE", url, tls):
                return
        with _fsspec(url) as (system, path):
            system.rm(path, recursive=True)
    except NoSuchFileError:
        return


def _local_status(path: Path) -> FileStatus:
    try:
        found = path.stat()
    except OSError as error:
        raise NoSuchFileError(f"File {path} does not exist") from error
    return FileStatus(found.st_size, found.st_mtime_ns // 1_000_000)


def _size(url: str, info: Mapping[str, Any]) -> int:
    size = info.get("size")
    if size is None:
        raise RemoteFileError(f"{url}: its server does not tell how large it is")
    return int(size)


def _modified_ms(info: Mapping[str, Any]) -> int | None:
    """What filesystems call it differs, and so does what they measure it in."""
    for name in _TIMES:
        value = info.get(name)
        if isinstance(value, datetime):
            return int(value.timestamp() * 1000)
        if isinstance(value, (int, float)):
            return int(value) if name == "modificationTime" else int(value * 1000)
    return None


@contextmanager
def _fsspec(url: str) -> Iterator[tuple[Any, str]]:
    """The filesystem of a URL, and the path there; its errors as ours."""
    scheme = scheme_of(url)
    try:
        fsspec: Any = import_module("fsspec.core")
    except ImportError:
        raise RemoteFileError(
            f"No FileSystem for scheme {scheme!r}: {url} needs the package fsspec:"
            " pip install 'yarnbox[files]'"
        ) from None
    try:
        system, path = fsspec.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise RemoteFileError(f"No FileSystem for scheme {scheme!r}: {url}: {error}") from error
    try:
        system.invalidate_cache()  # others write, too
        yield system, path
    except FileNotFoundError as error:
        raise NoSuchFileError(f"File {url} does not exist") from error
    except RemoteFileError:
        raise
    except Exception as error:
        # Each filesystem raises what the package below it raises.
        raise RemoteFileError(f"{url}: {type(error).__name__}: {error}") from error


@contextmanager
def _answer(
    method: str, url: str, tls: Tls | None, body: Any = None, length: int | None = None
) -> Iterator[http.client.HTTPResponse]:
    """A NodeManager's answer, if it is a good one."""
    parts = urlsplit(url)
    connection = connection_to(parts.hostname or "", parts.port or 0, tls, TIMEOUT_S)
    headers = dict(tls.headers) if tls is not None else {}
    if length is not None:
        headers["Content-Length"] = str(length)
    try:
        connection.request(method, quote(parts.path), body, headers)
        answer = connection.getresponse()
        if answer.status == http.client.NOT_FOUND:
            raise NoSuchFileError(f"File {url} does not exist")
        if answer.status >= http.client.BAD_REQUEST:
            said = answer.read(400).decode("utf-8", "replace").strip()
            raise RemoteFileError(f"{url}: {answer.status} {said or answer.reason}")
        yield answer
    except (OSError, http.client.HTTPException) as error:
        raise RemoteFileError(f"{url}: {error}") from error
    finally:
        connection.close()
