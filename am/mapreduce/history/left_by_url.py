"""Where jobs leave their histories if hosts share no directory: at a URL of any filesystem that fsspec knows.

As in a directory, a history is complete when it has its name, and its configuration is there before it. Every
error is an OSError.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from yarnbox.yarn.storage import remote_files
from yarnbox.yarn.storage.remote_files import NoSuchFileError
from yarnbox.yarn.storage.urls import joined


class LeftByUrl:
    """The directory `done_intermediate`, by its URL."""

    def __init__(self, url: str) -> None:
        self._url = url

    def leave(self, user: str, files: Sequence[tuple[Path, str]]) -> None:
        """Puts files below the user's name, one after the other."""
        with remote_files.as_os_errors():
            for source, name in files:
                draft = joined(self._url, user, f"{name}_tmp")
                remote_files.upload(source, draft)
                remote_files.move(draft, joined(self._url, user, name))

    def all(self) -> list[str]:
        """The URLs of what is there."""
        with remote_files.as_os_errors():
            try:
                return [url for url, _ in remote_files.files_below(self._url)]
            except NoSuchFileError:
                return []  # no job has left anything

    def fetch(self, url: str, target: Path) -> None:
        """Copies one of them; FileNotFoundError where somebody has taken it meanwhile."""
        draft = target.with_name(f"{target.name}_tmp")
        with remote_files.as_os_errors():
            remote_files.download(url, draft)
        os.replace(draft, target)

    def remove(self, url: str) -> None:
        """Of a history that is kept elsewhere, or too old."""
        with remote_files.as_os_errors():
            remote_files.remove(url)
