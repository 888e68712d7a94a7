"""A recording as a whole: written, read again, and refused with the reason when it is none.

One JSON document. `format` and `version` come first, so that a program, and a person, can tell what they
have; a reader takes the versions it knows and no other. The same run gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from yarnbox.sim.recording import containers
from yarnbox.sim.recording.archive import text_of
from yarnbox.sim.recording.shape import ContainerRow, RecordedContainer, RecordingData
from yarnbox.sim.recording.tracks import Documents, at

FORMAT = "yarnbox-recording"
VERSION = 1
GZIP = b"\x1f\x8b"
LARGEST_FILE = 256 * 1024 * 1024
_KEYS: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "about": str,
    "kind": str,
    "scheduler": str,
    "file": str,
    "failures": list,
    "end": int,
    "figures": dict,
    "moments": dict,
    "cluster": dict,
    "fairness": dict,
    "queues": list,
    "names": list,
    "containers": list,
    "containersOfEvery": int,
    "containersSeen": int,
    "marks": list,
    "events": list,
    "eventsLeftOut": int,
    "configuration": list,
    "documents": dict,
}
_QUEUE_KEYS = ("path", "partition", "isLeaf", "first", "used", "guaranteed", "fair", "maximum", "pending")


class InvalidRecordingError(Exception):
    """The file is not a recording that can be shown; the message is one line."""


class Recording:
    """What happened in one run, to be looked at moment by moment."""

    def __init__(self, data: RecordingData, file: str = "") -> None:
        """`file` is the name of the file that it was read from, if any."""
        self.data, self.file = data, file
        self.name = data["name"]
        self.scheduler = data["scheduler"]
        self.end = data["end"]
        self.moments: Sequence[int] = data["moments"]["at"]
        """The moments at which a viewer may stop."""
        self.documents = data["documents"]
        self.containers = [self._container(row) for row in data["containers"]]

    def document(self, name: str, moment: int) -> Any:
        """What the REST API would have answered at the moment of that number; None where there was none."""
        tracks = self.documents.get(name)
        return None if tracks is None else at(tracks, moment)

    def under(self, prefix: str) -> list[str]:
        """The names of the documents that begin so, in the order in which they came into being."""
        return [name for name in self.documents if name.startswith(prefix)]

    def _container(self, row: ContainerRow) -> RecordedContainer:
        if len(row) == len(containers.FIELDS) - containers.LATER:
            fields: Sequence[str] = containers.FIELDS[: -containers.LATER]
        else:
            fields = containers.FIELDS
        values = dict(zip(fields, row, strict=True))
        for field in containers.NAMED:
            values[field] = self.data["names"][values[field]] if field in values else ""
        return cast(RecordedContainer, values)


def write(data: Mapping[str, object]) -> str:
    """The text of a recording."""
    return "".join(pieces(data))


def pieces(data: Mapping[str, object]) -> Iterator[str]:
    """The same text piece by piece, for a file: in memory it would be as large as what it tells."""
    lead = "{"
    for key, value in {"format": FORMAT, "version": VERSION, **data}.items():
        yield f"{lead}{text_of(key)}:"
        lead = ","
        if isinstance(value, Documents | dict):
            inner = "{"
            for name, text in value.texts() if isinstance(value, Documents) else _texts(value):
                yield f"{inner}{text_of(name)}:{text}"
                inner = ","
            yield "}" if inner == "," else "{}"
        elif isinstance(value, list) and value:
            inner = "["
            for first in range(0, len(value), _ROWS):
                yield inner + text_of(value[first : first + _ROWS])[1:-1]
                inner = ","
            yield "]"
        else:
            yield text_of(value)
    yield "}\n"


def _texts(found: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    return ((name, text_of(value)) for name, value in found.items())


_ROWS = 1_000
"""Of a list, so many at a time."""


def read_file(path: Path) -> Recording:
    """The recording in a file, compressed with gzip or not."""
    try:
        with path.open("rb") as raw:
            is_packed = raw.read(2) == GZIP
            raw.seek(0)
            with gzip.GzipFile(fileobj=raw) if is_packed else raw as file:
                content = file.read(LARGEST_FILE + 1)
        if len(content) > LARGEST_FILE:
            raise InvalidRecordingError(f"{path}: larger than {LARGEST_FILE // 1024 // 1024} MiB")
        if not content:
            raise InvalidRecordingError(f"{path}: is not a recording: the file is empty")
        text = content.decode()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidRecordingError(f"{path}: is not whole: {_one_line(error)}") from None
    except OSError as error:
        raise InvalidRecordingError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise InvalidRecordingError(f"{path}: is not a recording: it is not valid UTF-8") from None
    return read(text, str(path), path.name)


def read(text: str, called: str, file: str = "") -> Recording:
    """The recording that a text is; `file` is the name of the file that it is from."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecordingError(f"{called}: is not a recording: {_one_line(error)}") from None
    why = _fault(data)
    if why:
        raise InvalidRecordingError(f"{called}: {why}")
    try:
        return Recording(data, file)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise InvalidRecordingError(
            f"{called}: is damaged: its containers are not as they should be: {_one_line(error)}"
        ) from None


def _one_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _fault(data: Any) -> str:
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return "is not a recording; `yarnbox scenario run FILE --record RECORDING` makes one"
    if data.get("version") != VERSION:
        return f"is a recording of version {data.get('version')!r}; this yarnbox reads version {VERSION}"
    for key, kind in _KEYS.items():
        if not isinstance(data.get(key), kind):
            return f"is damaged: {key} is missing or of another kind"
    if "guide" in data and not _is_guide(data["guide"]):
        return "is damaged: its guide is not as it should be"
    return _fault_of_moments(data) or _fault_of_series(data) or _fault_of_documents(data)


def _is_guide(found: Any) -> bool:
    return (
        isinstance(found, dict)
        and all(isinstance(found.get(key), str) for key in ("watch", "change"))
        and isinstance(found.get("shows"), list)
        and all(isinstance(one, str) for one in found["shows"])
    )


def _fault_of_moments(data: Mapping[str, Any]) -> str:
    columns = [data["moments"].get(name) for name in ("at", "time", "step")]
    if not all(isinstance(one, list) and one and all(type(each) is int for each in one) for one in columns):
        return "is damaged: moments are not lists of whole numbers"
    moments = columns[0]
    if len({len(one) for one in columns}) != 1 or any(
        earlier >= later for earlier, later in pairwise(moments)
    ):
        return "is damaged: moments do not follow one another"
    return ""


def _fault_of_series(data: Mapping[str, Any]) -> str:
    count = len(data["moments"]["at"])
    for group in ("cluster", "fairness"):
        if not all(isinstance(values, list) and len(values) == count for values in data[group].values()):
            return f"is damaged: {group} has not a value for each moment"
    for queue in data["queues"]:
        if not isinstance(queue, dict) or any(key not in queue for key in _QUEUE_KEYS):
            return "is damaged: a queue is not as it should be"
    return ""


def _fault_of_documents(data: Mapping[str, Any]) -> str:
    for tracks in data["documents"].values():
        if not isinstance(tracks, dict):
            return "is damaged: a document is not as it should be"
        for track in tracks.values():
            if (
                not isinstance(track, list)
                or len(track) % 2
                or not all(type(one) is int for one in track[::2])
            ):
                return "is damaged: a track is not moments and values in turns"
    return ""
