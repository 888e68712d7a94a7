"""The shuffle's contract: what an NM's auxiliary service and the reducers of MapReduce agree on.

Owns the names, the files a map leaves, the request line, the signatures and the header before each map's
bytes; opens no connection. A map's output lies in its application's directory as

    output/<attempt>/file.out         one segment per reduce, one after another
    output/<attempt>/file.out.index   where each begins and how long it is

and is asked for with `GET /mapOutput?job=<job>&reduce=<number>&map=<attempt>,<attempt>`. The request is
signed with the job's secret (UrlHash), the answer signs the signature (ReplyHash). The service learns the
secret from the job's token, which is its service data at the start of a container
(yarn.credentials.write_token). Hadoop: ShuffleHandler, ShuffleHeader, SpillRecord and SecureShuffleUtils.
"""

from __future__ import annotations

import base64
import hmac
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.storage.writable import read_vint, write_vint

SHUFFLE_SERVICE = "mapreduce_shuffle"
"""The auxiliary service's name: the key of its service data and of its meta data."""

JOB_TOKEN = "mapreduce.job"
"""The kind of a job's token; its password is the secret."""

URL_HASH = "UrlHash"
REPLY_HASH = "ReplyHash"
NAME_HEADER = "name"
NAME = "mapreduce"
VERSION_HEADER = "version"
VERSION = "1.0.0"
CONTENT_TYPE = "application/octet-stream"

OUTPUT_DIRECTORY = "output"
OUTPUT_FILE = "file.out"
INDEX_FILE = "file.out.index"

_PORT = struct.Struct(">i")
_INDEX_ENTRY = struct.Struct(">QQQ")
_INDEX_CHECKSUM = struct.Struct(">Q")
_LONGEST_ID = 1000


def port_meta_data(port: int) -> bytes:
    """What the service tells in StartContainersResponse.services_meta_data: where it listens."""
    return _PORT.pack(port)


def port_of_meta_data(data: bytes) -> int:
    """The port again; ValueError when it is none."""
    if len(data) != _PORT.size:
        raise ValueError(f"the meta data of {SHUFFLE_SERVICE} are {len(data)} bytes, not {_PORT.size}")
    return int(_PORT.unpack(data)[0])


# The request.


def request_target(job: str, reduce: int, maps: Sequence[str]) -> str:
    """Path and query of the request for these attempts' segments."""
    return f"/mapOutput?job={job}&reduce={reduce}&map={','.join(maps)}"


@dataclass(frozen=True, slots=True)
class ShuffleRequest:
    """What a reducer asks for."""

    job: str
    reduce: int
    maps: tuple[str, ...]

    @classmethod
    def parse(cls, target: str) -> Self:
        """Reads path and query; ValueError says what is wrong."""
        parts = urlsplit(target)
        query = parse_qs(parts.query)
        jobs, reduces, maps = query.get("job", []), query.get("reduce", []), query.get("map", [])
        if parts.path != "/mapOutput" or len(jobs) != 1 or len(reduces) != 1 or not maps:
            raise ValueError("expected /mapOutput with job, reduce and map")
        if not reduces[0].isdigit():
            raise ValueError(f"reduce is not a number: {reduces[0]}")
        return cls(jobs[0], int(reduces[0]), tuple(name for part in maps for name in part.split(",")))


def url_hash(secret: bytes, target: str, port: int) -> str:
    """The signature of a request: of port, path and query, as SecureShuffleUtils.buildMsgFrom has it."""
    path, _, query = target.partition("?")
    return _signed(secret, f"{port}{path}?{query}".encode())


def reply_hash(secret: bytes, signature: str) -> str:
    """The signature of an answer: of the request's signature."""
    return _signed(secret, signature.encode())


def is_signed(expected: str, given: str | None) -> bool:
    """Compares signatures in constant time."""
    return given is not None and hmac.compare_digest(expected.encode(), given.encode())


def _signed(secret: bytes, message: bytes) -> str:
    return base64.b64encode(hmac.digest(secret, message, "sha1")).decode()


# The answer: for each attempt a header, then its bytes.


@dataclass(frozen=True, slots=True)
class ShuffleHeader:
    """What precedes the bytes of one attempt's segment."""

    attempt: str
    length: int
    raw_length: int
    reduce: int

    def to_bytes(self) -> bytes:
        """The header as it is sent."""
        name = self.attempt.encode()
        numbers = (self.length, self.raw_length, self.reduce)
        return write_vint(len(name)) + name + b"".join(map(write_vint, numbers))

    @classmethod
    def read(cls, stream: BinaryIO) -> Self:
        """Reads a header; ValueError when the stream ends within it, or the attempt's name has no end."""

        def take(size: int) -> bytes:
            data = stream.read(size)
            if len(data) != size:
                raise ValueError("the answer ends within a shuffle header")
            return data

        name_length = read_vint(take)
        if not 0 <= name_length <= _LONGEST_ID:
            raise ValueError(f"a shuffle header with the name of an attempt of {name_length} bytes")
        name = take(name_length).decode()
        length, raw_length, reduce = read_vint(take), read_vint(take), read_vint(take)
        if min(length, raw_length, reduce) < 0:
            raise ValueError(f"a shuffle header with a negative number for {name}")
        return cls(name, length, raw_length, reduce)


# The files.


class IndexRecord(NamedTuple):
    """Where one reduce's segment is: `length` bytes in the file, `raw_length` before compression."""

    start: int
    raw_length: int
    length: int


def write_index(path: Path, segments: Sequence[IndexRecord]) -> None:
    """Writes where each reduce's segment is, and a check sum."""
    body = b"".join(_INDEX_ENTRY.pack(*segment) for segment in segments)
    path.write_bytes(body + _INDEX_CHECKSUM.pack(zlib.crc32(body)))


def read_index(path: Path) -> list[IndexRecord]:
    """Where each reduce's segment is; ValueError when the file is no index."""
    data = path.read_bytes()
    body = data[: -_INDEX_CHECKSUM.size]
    if len(body) % _INDEX_ENTRY.size or data[len(body) :] != _INDEX_CHECKSUM.pack(zlib.crc32(body)):
        raise ValueError(f"{path} is not an index of map output")
    return [IndexRecord(*entry) for entry in _INDEX_ENTRY.iter_unpack(body)]


# The job's token.


def job_of(application_id: ApplicationId) -> str:
    """The one job of an application, in JobID's printed form."""
    return f"job_{application_id.cluster_timestamp}_{application_id.id:04d}"
