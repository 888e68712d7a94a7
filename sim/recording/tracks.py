"""Documents over time: for each field of a document, the moments at which it got another value.

A document is what the REST API answers: mappings, lists, and plain values. A field is named by the way to it,
`/queues/queue/#0/state`: `#` stands before the places of a list, and in a key `~1` is a slash and `~0` a
tilde. A track is flat, moment and value in turns, `[0, "NEW", 7, "RUNNING"]`; null means that there is no
such field from that moment on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any

from yarnbox.sim.recording.archive import Archive, Track, Tracks, halved_track, text_of


def fields(document: object) -> dict[str, object]:
    """Every plain value of a document by the way to it. What is empty is plain; null is not there."""
    found: dict[str, object] = {}
    _collect(document, "", found)
    return found


def _collect(value: object, way: str, found: dict[str, object]) -> None:
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        found[way] = value
    elif isinstance(value, float):
        if math.isfinite(value):
            found[way] = value
    elif isinstance(value, dict | Mapping) and value:  # of a dict an ABC alone takes long to say so
        for key, each in value.items():
            if "~" in key or "/" in key:
                key = key.replace("~", "~0").replace("/", "~1")
            _collect(each, f"{way}/{key}", found)
    elif isinstance(value, list | tuple) and value:
        for place, each in enumerate(value):
            _collect(each, f"{way}/#{place}", found)
    elif value is not None:
        found[way] = value


def whole(values: Mapping[str, Any]) -> Any:
    """The document of these fields."""
    if "" in values:
        return values[""]
    tree: dict[str, Any] = {}
    for way, value in values.items():
        *before, last = way.split("/")[1:]
        place = tree
        for word in before:
            place = place.setdefault(word, {})
        place[last] = value
    return _shaped(tree)


def _shaped(tree: Any) -> Any:
    if not isinstance(tree, dict) or not tree:
        return tree
    if next(iter(tree)).startswith("#"):
        places = sorted(tree, key=lambda word: int(word[1:]))
        return [_shaped(tree[word]) for word in places]
    return {word.replace("~1", "/").replace("~0", "~"): _shaped(each) for word, each in tree.items()}


class OpenDocument:
    """A document that may be noted again: its number, its tracks, and what was noted last, also as fields."""

    __slots__ = ("document", "fields", "place", "tracks")

    def __init__(self, place: int) -> None:
        self.place = place
        self.tracks: Tracks = {}
        self.document: object = None
        self.fields: dict[str, object] = {}


class Documents:
    """Documents while they are being written down, by name, in the order in which they came into being. Those
    that are closed are not in memory.
    """

    def __init__(self) -> None:
        self._open: dict[str, OpenDocument] = {}
        self._archive = Archive()
        self._named = self._held = 0

    @property
    def count(self) -> int:
        """How many values there are."""
        return self._held + self._archive.count

    def note(self, name: str, moment: int, document: object) -> None:
        """What the document is at that moment: only what is new is kept."""
        one = self._open.get(name)
        if one is None:
            one = self._open[name] = OpenDocument(self._named)
            self._named += 1
        elif one.document == document:
            return
        now, before, tracks = fields(document), one.fields, one.tracks
        one.document, one.fields = document, now
        for way, value in now.items():
            if way not in before or before[way] != value:
                tracks.setdefault(way, []).extend((moment, value))
                self._held += 1
        for way in before:
            if way not in now:
                tracks[way].extend((moment, None))
                self._held += 1

    def close(self, name: str) -> None:
        """Nothing more will be noted of it."""
        one = self._open.pop(name, None)
        if one is not None:
            self._archive.put(one.place, name, one.tracks)
            self._held -= sum(map(len, one.tracks.values())) // 2

    def halve(self) -> None:
        """Every second moment is dropped; where several became one, the last value of a field stays."""
        self._archive.halve()
        self._held = 0
        for one in self._open.values():
            for way, track in one.tracks.items():
                one.tracks[way] = kept = halved_track(track)
                self._held += len(kept) // 2

    def texts(self) -> Iterator[tuple[str, str]]:
        """Name and tracks, as JSON, of each document."""
        still_open = ((one.place, name, text_of(one.tracks)) for name, one in self._open.items())
        for _, name, text in merge(self._archive.all(), still_open):
            yield name, text

    def __getitem__(self, name: str) -> Tracks:
        one = self._open.get(name)
        found = self._archive.find(name) if one is None else one.tracks
        if found is None:
            raise KeyError(name)
        return found


def pairs(track: Track) -> Iterator[tuple[int, Any]]:
    """Moment and value, in order."""
    return zip(track[::2], track[1::2], strict=True)


def at(tracks: Mapping[str, Track], moment: int) -> Any:
    """The document at that moment; None before it was there."""
    values = {}
    for way, track in tracks.items():
        value = value_at(track, moment)
        if value is not None:
            values[way] = value
    return whole(values) if values else None


def value_at(track: Track, moment: int) -> Any:
    """The last value at or before that moment."""
    low, high = 0, len(track) // 2
    while low < high:
        middle = (low + high) // 2
        if track[2 * middle] <= moment:
            low = middle + 1
        else:
            high = middle
    return track[2 * low - 1] if low else None
