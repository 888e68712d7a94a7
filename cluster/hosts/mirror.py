"""A copy of the run directory on hosts that do not share it with this machine.

Before daemons start, the files that they read are copied there (configuration, node secret, address book),
with the paths of the copy in place of ours. Later their logs and those of ended applications are copied
back. Knows nothing of how a host is reached.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from yarnbox.cluster.directory import RECORD, RunDirectory
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.storage.aggregated_logs import DEFAULT_ROOT, ROOT_PROPERTY, UNFINISHED_SUFFIX
from yarnbox.yarn.storage.drafts import draft_of

FOLDER = "run"
"""The copy, beside the directories of a host's nodes."""
LOGS = "logs"
_HEAD_BYTES = 256
_AT_ONCE_BYTES = 16 * 1024 * 1024

Known = Mapping[str, tuple[int, str]]
"""Of files that are here already: their length, and a digest of how they begin."""


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file as it is to be on the other host."""

    content: bytes
    mode: int


@dataclass(frozen=True, slots=True)
class Piece:
    """What a file of the other host has from that position on; at 0 it replaces what is here."""

    position: int
    content: bytes


class Mirror:
    """The copy at one path of other hosts."""

    def __init__(self, run: RunDirectory, path: str) -> None:
        self._run = run
        self.path = path
        self._ours = re.compile(rf"(?<![\w./-]){re.escape(str(run.path))}(?![\w.-])")

    def text(self, text: str) -> str:
        """The text with the copy's path wherever it names the run directory."""
        return self._ours.sub(lambda match: self.path, text)

    def shared_files(self) -> dict[str, SharedFile]:
        """What all daemons read, by its path below the run directory."""
        own = (RECORD, self._run.lock_file.name)
        files = [one for one in self._run.path.iterdir() if one.is_file() and one.name not in own]
        return self._files(one for one in files if not one.name.startswith("."))

    def node_files(self, name: str) -> dict[str, SharedFile]:
        """What one node reads besides."""
        return self._files(one for one in (self._run.node(name) / "conf").rglob("*") if one.is_file())

    def _files(self, paths: Iterable[Path]) -> dict[str, SharedFile]:
        found = {}
        for path in paths:
            content = path.read_bytes()
            with suppress(UnicodeDecodeError):  # no text, and so no paths
                content = self.text(content.decode("utf-8")).encode("utf-8")
            name = str(path.relative_to(self._run.path))
            found[name] = SharedFile(content, path.stat().st_mode & 0o777)
        return found


def coming_back(run: RunDirectory) -> list[str]:
    """The folders below the run directory whose files are wanted here."""
    configuration = Configuration.load(run.path)
    collected = Path(configuration.value(ROOT_PROPERTY) or DEFAULT_ROOT)
    is_inside = collected.is_relative_to(run.path)
    return [LOGS, *([str(collected.relative_to(run.path))] if is_inside else [])]


def known_files(run: RunDirectory, folders: Iterable[str]) -> dict[str, tuple[int, str]]:
    """What is here of those folders."""
    return {name: _description(path) for name, path in _below(run.path, folders)}


def take_in(run: RunDirectory, pieces: Mapping[str, Piece]) -> dict[str, tuple[int, str]]:
    """Writes what has come back; what is here of those files then."""
    for name, piece in pieces.items():
        path = run.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if piece.position:
            with path.open("r+b") as file:
                file.seek(piece.position)
                file.write(piece.content)
        else:
            with draft_of(path) as draft:
                draft.write_bytes(piece.content)
    return {name: _description(run.path / name) for name in pieces}


# ---- on the other host


def write(directory: str, files: Mapping[str, SharedFile]) -> None:
    """Puts files into the copy there; a reader sees the old one or the new one."""
    for name, file in files.items():
        path = Path(directory) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft_of(path) as draft:
            draft.touch(mode=0o600)
            draft.write_bytes(file.content)
            draft.chmod(file.mode)


def written(directory: str, folders: Iterable[str], known: Known) -> dict[str, Piece]:
    """What the copy there has in those folders that is not known, up to some megabytes."""
    found: dict[str, Piece] = {}
    left = _AT_ONCE_BYTES
    for name, path in _below(Path(directory), folders):
        length, head = known.get(name, (0, ""))
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                has_grown = size >= length and _digest(file.read(min(_HEAD_BYTES, length))) == head
                position = length if has_grown else 0
                if left <= 0 or (name in known and has_grown and size == length):
                    continue
                file.seek(position)
                piece = Piece(position, file.read(left))
        except FileNotFoundError:
            continue
        found[name] = piece
        left -= len(piece.content)
    return found


def _below(top: Path, folders: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The finished files, by their path below the top."""
    for folder in folders:
        for path in sorted((top / folder).rglob("*")):
            is_hidden = path.name.startswith(".") or path.suffix == UNFINISHED_SUFFIX
            if not is_hidden and path.is_file() and not path.is_symlink():
                yield str(path.relative_to(top)), path


def _description(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        return os.fstat(file.fileno()).st_size, _digest(file.read(_HEAD_BYTES))


def _digest(head: bytes) -> str:
    return hashlib.sha256(head).hexdigest()
