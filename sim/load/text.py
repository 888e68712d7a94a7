"""Files of loads as text: plain or compressed with gzip, read in pieces, and sequences of JSON objects.

Whatever is wrong with a file is one InvalidTraceError that says where. Nothing larger than one line or object
is held in memory, and none of them is larger than LARGEST.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from yarnbox.sim.load.jobs import InvalidTraceError

LARGEST = 1 << 27
"""A line, or an object, has at most so many characters: a job of a hundred thousand tasks has fewer."""
_PIECE = 1 << 20
_SPACE = " \t\r\n"


class Found(NamedTuple):
    """One JSON value and the line on which it begins."""

    line: int
    value: Any


class _RepeatedKeyError(ValueError):
    """A key occurs twice in one object."""


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """The text of a file; whatever goes wrong while it is read becomes an InvalidTraceError."""
    try:
        with path.open("rb") as raw:
            is_gzip = raw.read(2) == b"\x1f\x8b"
        if is_gzip:
            with gzip.open(path, "rt", encoding="utf-8") as text:
                yield text
        else:
            with path.open(encoding="utf-8") as text:
                yield text
    except EOFError:
        raise InvalidTraceError(f"{path}: is cut off: the gzip stream has no end") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InvalidTraceError(f"{path}: is damaged: {error}") from None
    except UnicodeDecodeError:
        raise InvalidTraceError(f"{path}: is not valid UTF-8") from None
    except OSError as error:
        raise InvalidTraceError(f"{path}: {error.strerror or error}") from None


def lines(text: TextIO, called: str) -> Iterator[str]:
    """The lines of a file, one after the other."""
    number = 0
    while line := text.readline(LARGEST + 1):
        number += 1
        if len(line) > LARGEST:
            raise InvalidTraceError(f"{called}:{number}: the line is {_too_large()}")
        yield line


def whole(text: TextIO, called: str) -> str:
    """A file that is read as a whole."""
    found = text.read(LARGEST + 1)
    if len(found) > LARGEST:
        raise InvalidTraceError(f"{called}: is {_too_large()}")
    return found


def _too_large() -> str:
    return f"longer than {LARGEST:,} characters"


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: dict[str, None] = {}
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(f"{key!r} occurs twice in one object")
            seen[key] = None
    return found


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def read_object(text: str, where: str) -> Any:
    """One JSON value, all of the text."""
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidTraceError(f"{where}: is not JSON: {error.msg}, column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidTraceError(f"{where}: is not JSON: {error}") from None


def sequence(text: TextIO, called: str) -> Iterator[Found]:
    """The JSON objects of a file, one behind the other, or those of one array."""
    reader = _Reader(text, called)
    in_array = False
    if reader.peek() == "[":
        reader.skip()
        in_array = True
    while True:
        mark = reader.peek()
        if in_array and mark == ",":
            reader.skip()
            continue
        if in_array and mark == "]":
            reader.skip()
            if reader.peek():
                raise reader.fault("nothing may follow the array")
            return
        if not mark:
            if in_array:
                raise reader.fault("the file ends in the middle of the array")
            return
        if mark != "{":
            raise reader.fault(f"expected an object, found {mark!r}")
        yield reader.value()


class _Reader:
    """Reads values off a text, a piece at a time."""

    def __init__(self, text: TextIO, called: str) -> None:
        self._text, self._called = text, called
        self._buffer, self._place, self._line = "", 0, 1
        self._is_at_end = False

    def fault(self, what: str) -> InvalidTraceError:
        return InvalidTraceError(f"{self._called}:{self._line}: {what}")

    def peek(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            while self._place < len(self._buffer):
                mark = self._buffer[self._place]
                if mark not in _SPACE and mark != "\ufeff":
                    return mark
                self._line += mark == "\n"
                self._place += 1
            if not self._more():
                return ""

    def skip(self) -> None:
        """The character that `peek` saw is done with."""
        self._place += 1

    def value(self) -> Found:
        """The value that begins here."""
        while True:
            try:
                found, end = DECODER.raw_decode(self._buffer, self._place)
            except json.JSONDecodeError as error:
                if self._more():
                    continue
                self._line += self._buffer.count("\n", self._place, error.pos)
                is_cut = error.pos >= len(self._buffer.rstrip()) or "Unterminated" in error.msg
                what = "the file ends in the middle of an object" if is_cut else f"is not JSON: {error.msg}"
                raise self.fault(f"{what}, column {error.colno}") from None
            except (ValueError, RecursionError) as error:
                raise self.fault(f"is not JSON: {error}") from None
            line = self._line
            self._line += self._buffer.count("\n", self._place, end)
            self._place = end
            return Found(line, found)

    def _more(self) -> bool:
        """Reads on, at least as much again as is unread; whether there was anything."""
        if self._is_at_end:
            return False
        rest = self._buffer[self._place :]
        if len(rest) > LARGEST:
            raise self.fault(f"the object is {_too_large()}")
        piece = self._text.read(max(_PIECE, len(rest)))
        if not piece:
            self._is_at_end = True
            return False
        self._buffer, self._place = rest + piece, 0
        return True
