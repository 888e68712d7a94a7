"""Documents that nobody will note again, outside memory until the recording is written.

A document is kept as the JSON of its tracks, with the number of halvings of moments before it came; those
that followed are carried out when it is read.
"""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from yarnbox.sim.recording.limits import after_halving
from yarnbox.yarn.storage.temporary import temporary_table

Track = list[Any]
Tracks = dict[str, Track]
text_of = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode
"""JSON as a recording has it."""
_TABLE = "document (place INTEGER PRIMARY KEY, name TEXT, halvings INTEGER, tracks TEXT)"


class Archive:
    """The documents of one recording that are closed."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None
        self._halvings = 0
        self._left = [0]
        """How many values are left after so many more halvings; from the last entry on it stays the same."""

    @property
    def count(self) -> int:
        """How many values there are."""
        return self._left[0]

    def put(self, place: int, name: str, tracks: Tracks) -> None:
        """Takes a document; they come out again in the order of their places."""
        row = (place, name, self._halvings, text_of(tracks))
        try:
            if self._database is None:
                self._database = temporary_table(_TABLE)
            self._database.execute("INSERT INTO document VALUES (?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise OSError(errno.ENOSPC, str(error), "temporary file of the recording") from None
        self._add(_left_of(tracks))

    def halve(self) -> None:
        """Every second moment is dropped."""
        self._halvings += 1
        if len(self._left) > 1:
            del self._left[0]

    def all(self) -> Iterator[tuple[int, str, str]]:
        """Place, name and JSON of each, by place."""
        if self._database is None:
            return
        found = self._database.execute("SELECT place, name, halvings, tracks FROM document ORDER BY place")
        for place, name, halvings, text in found:
            yield place, name, self._present(text, halvings)

    def find(self, name: str) -> Tracks | None:
        """The document of that name."""
        if self._database is None:
            return None
        query = "SELECT halvings, tracks FROM document WHERE name = ?"
        row = self._database.execute(query, (name,)).fetchone()
        if row is None:
            return None
        tracks: Tracks = json.loads(self._present(row[1], row[0]))
        return tracks

    def _present(self, text: str, halvings: int) -> str:
        missing = self._halvings - halvings
        if not missing:
            return text
        tracks = json.loads(text)
        for way, track in tracks.items():
            tracks[way] = halved_track(track, missing)
        return text_of(tracks)

    def _add(self, left: list[int]) -> None:
        size = max(len(left), len(self._left))
        for counts in (left, self._left):
            counts.extend(counts[-1:] * (size - len(counts)))
        self._left = [mine + other for mine, other in zip(self._left, left, strict=True)]


def halved_track(track: Track, times: int = 1) -> Track:
    """The track after halvings of its moments; where several became one, the last value stays."""
    kept: Track = []
    for place in range(0, len(track), 2):
        number = track[place]
        for _ in range(times):
            number = after_halving(number)
        if kept and kept[-2] == number:
            kept[-1] = track[place + 1]
        else:
            kept.extend((number, track[place + 1]))
    return kept


def _left_of(tracks: Mapping[str, Track]) -> list[int]:
    """How many values a document has after 0, 1, 2 and more halvings, until that changes no more."""
    gone: dict[int, int] = {}
    """After so many halvings so many values have become one with the next."""
    count = 0
    for track in tracks.values():
        count += len(track) // 2
        for place in range(2, len(track), 2):
            before, number = track[place - 2], track[place]
            if before:  # moment 0 always stays
                halvings = ((before - 1) ^ (number - 1)).bit_length()
                gone[halvings] = gone.get(halvings, 0) + 1
    left = [count]
    for halvings in range(1, max(gone, default=0) + 1):
        left.append(left[-1] - gone.get(halvings, 0))
    return left
