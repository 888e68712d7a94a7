"""Documents over time: for each field of a document, the moments at which it got another value.

A document is what the REST API answers: mappings, lists, and plain values. A field is named by the way to it,
`/queues/queue/#0/state`: `#` stands before the places of a list, and in a key `~1` is a slash and `~0` a
tilde. A track is flat, moment and value in turns, `[0, "NEW", 7, "RUNNING"]`; null means that there is no
such field from that moment on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

Track = list[Any]
Tracks = dict[str, Track]


def fields(document: Any) -> dict[str, Any]:
    """Every plain value of a document by the way to it. What is empty is plain; null is not there."""
    found: dict[str, Any] = {}
    _collect(document, "", found)
    return found


def _collect(value: Any, way: str, found: dict[str, Any]) -> None:
    kind = type(value)
    if kind is str or kind is int or kind is bool:
        found[way] = value
    elif isinstance(value, Mapping) and value:
        for key, each in value.items():
            if "~" in key or "/" in key:
                key = key.replace("~", "~0").replace("/", "~1")
            _collect(each, f"{way}/{key}", found)
    elif isinstance(value, list | tuple) and value:
        for place, each in enumerate(value):
            _collect(each, f"{way}/#{place}", found)
    elif value is not None and not (isinstance(value, float) and not math.isfinite(value)):
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


class Documents:
    """Documents while they are being written down."""

    def __init__(self) -> None:
        self.tracks: dict[str, Tracks] = {}
        self.count = 0
        """How many values are held."""
        self._last: dict[str, tuple[Any, dict[str, Any]]] = {}
        """The latest of each, as it was noted and as its fields."""

    def note(self, name: str, moment: int, document: Any) -> None:
        """What the document is at that moment: only what is new is kept."""
        last = self._last.get(name)
        if last is None:
            last = self._last[name] = (None, {})
            self.tracks[name] = {}
        elif last[0] == document:
            return
        now, before, tracks = fields(document), last[1], self.tracks[name]
        self._last[name] = (document, now)
        for way, value in now.items():
            if way not in before or before[way] != value:
                tracks.setdefault(way, []).extend((moment, value))
                self.count += 1
        for way in before:
            if way not in now:
                tracks[way].extend((moment, None))
                self.count += 1

    def close(self, name: str) -> None:
        """Nothing more will be noted of it."""
        self._last.pop(name, None)

    def renumber(self, moved: Mapping[int, int]) -> None:
        """The moments got other numbers; where several became one, the last value of a field stays."""
        self.count = 0
        for tracks in self.tracks.values():
            for way, track in tracks.items():
                tracks[way] = kept = _renumbered(track, moved)
                self.count += len(kept) // 2


def _renumbered(track: Track, moved: Mapping[int, int]) -> Track:
    kept: Track = []
    for moment, value in pairs(track):
        number = moved[moment]
        if kept and kept[-2] == number:
            kept[-1] = value
        else:
            kept.extend((number, value))
    return kept


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
