"""Files by URL: this machine's, those of filesystems that fsspec knows, and those that NodeManagers serve.

`file:` and plain paths need nothing; `yarnbox://host:port/...` is a file that a client has staged at a
NodeManager; any other scheme is fsspec's, with whatever package that asks for. Knows nothing of what the
files are for. Hadoop: FileSystem and its implementations.
"""

from __future__ import annotations

import http.client
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from yarnbox.yarn.security.tls import Tls, connection_to

STAGED = "yarnbox"
"""The scheme of staged files."""

STAGING_PATH = "/ws/v1/node/staging"
MODIFIED_HEADER = "Yarnbox-Modified-Ms"
TIMEOUT_S = 60.0
_LOCAL = ("", "file", "local")
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


def scheme_of(url: str) -> str:
    """What is before the colon; of a path nothing."""
    return urlsplit(url).scheme


def is_local(url: str) -> bool:
    """Whether it is a file of this machine."""
    return scheme_of(url) in _LOCAL


def local_path(url: str) -> Path:
    """The path of a local file."""
    return Path(url if not scheme_of(url) else url.split(":", 1)[1].removeprefix("//"))


def joined(directory: str, *names: str) -> str:
    """The URL of something below a directory."""
    return "/".join([directory.rstrip("/"), *names])


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
