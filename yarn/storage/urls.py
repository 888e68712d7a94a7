"""What a path or URL says of where its file is. Opens nothing, and brings nothing that would."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

_LOCAL = ("", "file", "local")


def scheme_of(url: str) -> str:
    """What is before the colon; of a path nothing."""
    return urlsplit(url).scheme


def is_local(url: str) -> bool:
    """Whether it is a file of this machine."""
    return scheme_of(url) in _LOCAL


def local_path(url: str) -> Path:
    """The path of a local file."""
    return Path(url if not scheme_of(url) else url.split(":", 1)[1].removeprefix("//"))


def is_remote(text: str) -> bool:
    """Whether a path or URL is one of a file elsewhere. A colon alone may be a part of a path."""
    return "://" in text and not is_local(text)


def absolute(text: str) -> str:
    """A path or URL as it is good anywhere; of a `file:` URL the path."""
    if is_remote(text):
        return text
    return str((local_path(text) if text.startswith("file:") else Path(text)).absolute())


def joined(directory: str, *names: str) -> str:
    """The URL of something below a directory."""
    return "/".join([directory.rstrip("/"), *names])
