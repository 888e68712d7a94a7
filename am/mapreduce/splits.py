"""Input files to splits, each with the hosts that would hold its blocks if there were a distributed file
system.

Small files are put together into one split, large ones cut; lines are whole whatever the cuts. Where the
emulated replicas of a block lie follows from the file's path and the block's number alone, by the rule of
HDFS: the first anywhere, the second on another rack, the third on the second's rack. Hadoop:
CombineTextInputFormat, FileInputFormat.getSplits, LineRecordReader and BlockPlacementPolicyDefault.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from yarnbox.am.mapreduce.codecs import is_compressed, open_as_it_is, open_input
from yarnbox.am.mapreduce.shuffle.records import Record
from yarnbox.yarn.storage.urls import absolute, is_remote

SPLIT_FILE = "job.split.json"
"""The splits of a job, in its staging directory."""

SLOP = 1.1
"""A rest of up to this many times the split size stays in one piece."""

SMALL_SPLIT_BYTES = 8 << 20
MAPS_OF_AN_INPUT = 8
"""What an input is cut into where no property says it: so many splits, unless these were smaller."""

HIDDEN = ("_SUCCESS", "_temporary", "_logs", "_metadata")
"""What jobs leave beside their output. Hadoop hides every name with an underscore; Python's sources, which
are the input at hand, have modules of such names.
"""

_BLOCK = 1 << 20
_PLACES = 3


class InvalidInputError(Exception):
    """Input that is not there, or cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a file."""

    path: str
    """Or its URL, where it is a file of another filesystem."""
    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Split:
    """The input of one map: parts of files, or pairs that are given outright; and where it is."""

    chunks: tuple[Chunk, ...] = ()
    records: tuple[Record, ...] = ()
    hosts: tuple[str, ...] = ()
    racks: tuple[str, ...] = ()

    @property
    def length(self) -> int:
        """How many bytes of files."""
        return sum(chunk.length for chunk in self.chunks)

    def to_json(self) -> dict[str, Any]:
        """As it stands in the job's split file."""
        return {
            "chunks": [[chunk.path, chunk.start, chunk.length] for chunk in self.chunks],
            "records": [list(pair) for pair in self.records],
            "hosts": list(self.hosts),
            "racks": list(self.racks),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Split:
        """Reads one of the split file."""
        return cls(
            chunks=tuple(Chunk(*chunk) for chunk in data["chunks"]),
            records=tuple((key, value) for key, value in data["records"]),
            hosts=tuple(data["hosts"]),
            racks=tuple(data["racks"]),
        )


def read_splits(path: Path) -> list[Split]:
    """The splits of a job."""
    return [Split.from_json(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def write_splits(path: Path, splits: Iterable[Split]) -> None:
    """Writes the splits of a job."""
    path.write_text(splits_text(splits), encoding="utf-8")


def splits_text(splits: Iterable[Split]) -> str:
    """The splits of a job, as its split file has them."""
    return json.dumps([split.to_json() for split in splits])


def input_files(inputs: Iterable[str | Path], *, recursive: bool = True) -> list[tuple[str, int]]:
    """Every file below the inputs and its size, in the order of their names; hidden ones are left out."""
    files: dict[str, int] = {}
    for given in inputs:
        if is_remote(str(given)):
            files.update(_remote_files(str(given), recursive))
            continue
        path = Path(absolute(str(given)))
        if not path.exists():
            raise InvalidInputError(f"Input path does not exist: {given}")
        try:
            for file in _files_below(path, recursive):
                files[str(file.resolve())] = file.stat().st_size
        except OSError as error:
            raise InvalidInputError(f"cannot read {given}: {error.strerror or error}") from error
    return sorted(files.items(), key=lambda item: item[0].split("/"))


def _remote_files(url: str, recursive: bool) -> Iterator[tuple[str, int]]:
    from yarnbox.yarn.storage import remote_files  # which tasks need not

    try:
        found = remote_files.files_below(url, recursive=recursive)
    except remote_files.NoSuchFileError:
        raise InvalidInputError(f"Input path does not exist: {url}") from None
    except remote_files.RemoteFileError as error:
        raise InvalidInputError(str(error)) from error
    for file, size in found:
        below = file[len(url) :].strip("/")
        if not any(_is_hidden(name) for name in below.split("/")):
            yield file, size


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in HIDDEN


def _files_below(path: Path, recursive: bool) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if _is_hidden(entry.name):
            continue
        if entry.is_file():
            yield entry
        elif entry.is_dir() and recursive:
            yield from _files_below(entry, recursive)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where blocks lie in a cluster of these hosts and racks."""

    rack_of: Mapping[str, str] = field(default_factory=dict)
    replication: int = 3

    def replicas(self, path: str, block: int) -> tuple[str, ...]:
        """The hosts of one block."""
        hosts = sorted(self.rack_of)
        if not hosts:
            return ()
        chosen = [_pick(hosts, path, block, 0)]
        first_rack = self.rack_of[chosen[0]]
        elsewhere = [host for host in hosts if self.rack_of[host] != first_rack]
        while len(chosen) < min(self.replication, len(hosts)):
            rest = [host for host in hosts if host not in chosen]
            if len(chosen) == 1 and elsewhere:
                rest = elsewhere
            elif len(chosen) == 2 and elsewhere:
                rest = [host for host in rest if self.rack_of[host] == self.rack_of[chosen[1]]] or rest
            chosen.append(_pick(rest, path, block, len(chosen)))
        return tuple(chosen)


def _pick(hosts: Sequence[str], path: str, block: int, replica: int) -> str:
    digest = hashlib.blake2b(f"{path}\0{block}\0{replica}".encode(errors="surrogateescape"), digest_size=8)
    return hosts[int.from_bytes(digest.digest(), "big") % len(hosts)]


def chosen_split_bytes(total: int) -> int:
    """The largest split of an input of so many bytes, where no property says it: maps for every core, and
    none so small that its process costs more than its work. No split is larger than a block, either.
    """
    return max(SMALL_SPLIT_BYTES, -(-total // MAPS_OF_AN_INPUT))


def make_splits(
    files: Sequence[tuple[Path | str, int]],
    placement: Placement,
    *,
    block_bytes: int,
    min_bytes: int = 1,
    max_bytes: int,
    is_splittable: Callable[[Path], bool] = lambda path: not is_compressed(path),
) -> list[Split]:
    """Cuts and packs the files into splits of at most the size that the properties allow."""
    size = max(min_bytes, min(max_bytes, block_bytes))
    splits: list[Split] = []
    packed: list[Chunk] = []
    filled = 0
    for chunk in _cut(files, size, is_splittable):
        if packed and filled + chunk.length > size:
            splits.append(_placed(packed, placement, block_bytes))
            packed, filled = [], 0
        packed.append(chunk)
        filled += chunk.length
    if packed:
        splits.append(_placed(packed, placement, block_bytes))
    return splits


def _cut(
    files: Sequence[tuple[Path | str, int]], size: int, is_splittable: Callable[[Path], bool]
) -> Iterator[Chunk]:
    for path, length in files:
        start = 0
        if length > size * SLOP and is_splittable(Path(path)) and _has_ranges(str(path)):
            while length - start > size * SLOP:
                yield Chunk(str(path), start, size)
                start += size
        if length > start:
            yield Chunk(str(path), start, length - start)


def _has_ranges(path: str) -> bool:
    if not is_remote(path):
        return True
    from yarnbox.yarn.storage import remote_files

    try:
        return remote_files.has_ranges(path)
    except remote_files.RemoteFileError as error:
        raise InvalidInputError(str(error)) from error


def _placed(chunks: Sequence[Chunk], placement: Placement, block_bytes: int) -> Split:
    """The split with the hosts that hold most of it. A file of another filesystem is near to none."""
    held: dict[str, int] = {}
    for chunk in chunks:
        if is_remote(chunk.path):
            continue
        for host in placement.replicas(chunk.path, chunk.start // block_bytes):
            held[host] = held.get(host, 0) + chunk.length
    hosts = sorted(held, key=lambda host: (-held[host], host))[:_PLACES]
    racks = tuple(dict.fromkeys(placement.rack_of[host] for host in hosts))
    return Split(chunks=tuple(chunks), hosts=tuple(hosts), racks=racks)


# Reading.


def text_blocks(chunk: Chunk) -> Iterator[bytes]:
    """The lines that begin within the chunk, some at a time. The line that begins just at its end belongs to
    it too, for the next chunk leaves out everything up to its first end of line.
    """
    if is_compressed(chunk.path):
        yield from _whole_blocks(chunk.path)
        return
    with open_as_it_is(chunk.path) as stream:
        at = _skip_to_line(stream, chunk.start)
        end = chunk.start + chunk.length
        while at <= end:
            block = stream.read(min(_BLOCK, end - at)) + stream.readline()
            if not block:
                return
            at += len(block)
            yield block


def _whole_blocks(path: str) -> Iterator[bytes]:
    with open_input(path) as stream:
        while block := stream.read(_BLOCK) + stream.readline():
            yield block


def text_lines(chunk: Chunk) -> Iterator[list[tuple[int, str]]]:
    """The same lines, some at a time, each with its offset, without its end; bytes that are no UTF-8 are kept
    as surrogates, so that they come out as they went in.
    """
    at = _first_line(chunk)
    for block in text_blocks(chunk):
        lines = block.removesuffix(b"\n").split(b"\n")
        offsets = accumulate((len(line) + 1 for line in lines), initial=at)
        yield [
            (offset, line.rstrip(b"\r").decode("utf-8", "surrogateescape"))
            for offset, line in zip(offsets, lines, strict=False)
        ]
        at += len(block)


def _first_line(chunk: Chunk) -> int:
    if chunk.start == 0 or is_compressed(chunk.path):
        return 0
    with open_as_it_is(chunk.path) as stream:
        return _skip_to_line(stream, chunk.start)


def _skip_to_line(stream: BinaryIO, start: int) -> int:
    if start == 0:
        return 0
    stream.seek(start)
    return start + len(stream.readline())
