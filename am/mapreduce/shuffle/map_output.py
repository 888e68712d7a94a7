"""A map's output on its way to the reduces: collected, sorted by reduce and key, combined, spilled, merged.

Records are kept in memory up to a limit, then written as sorted runs, one segment per reduce and spill; at
the end the runs are merged into `file.out`, with an index beside it. From there the node's shuffle service
serves them. Hadoop: MapTask.MapOutputBuffer, SpillRecord and HashPartitioner.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.am.mapreduce.api import Partition, Tally
from yarnbox.am.mapreduce.codecs import Codec
from yarnbox.am.mapreduce.shuffle.merging import KEY, Combiner, Merges, Segment, write_combined
from yarnbox.am.mapreduce.shuffle.records import Record, encode
from yarnbox.am.mapreduce.shuffle.segments import Batch, SegmentWriter
from yarnbox.yarn.shuffle import INDEX_FILE, OUTPUT_FILE, IndexRecord, write_index

_RECORD_OVERHEAD = 130
"""What a record costs in memory beyond its bytes, roughly. Hadoop: 16."""

_KNOWN_KEYS = 4096


def hash_partition(key: bytes, reduces: int) -> int:
    """The reduce of an encoded key; the same in every process, unlike Python's own hash."""
    return zlib.crc32(key) % reduces


class TooManySpillsError(Exception):
    """A map that spills more often than it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortLimits:
    """How much is sorted in memory, and how the rest is merged."""

    limit_bytes: int
    factor: int = 10
    combine_spills: int = 3
    """From so many spills on, the combiner runs once more when they are merged."""
    most_spills: int = -1


class MapOutput:
    """The output of one map attempt."""

    def __init__(
        self,
        directory: Path,
        reduces: int,
        partition: Partition,
        combiner: Combiner | None,
        limits: SortLimits,
        tally: Tally,
        *,
        codec: Codec | None = None,
        check_cancelled: Callable[[], None] = lambda: None,
    ) -> None:
        self._directory = directory
        self._reduces = reduces
        self._partition = partition
        self._combiner = combiner
        self._limits = limits
        self._tally = tally
        self._codec = codec
        self._check_cancelled = check_cancelled
        self._merges = Merges(limits.factor, codec, combiner, tally, check_cancelled)
        self._parts: list[Batch] = [[] for _ in range(reduces)]
        self._known: dict[str, tuple[bytes, int]] = {}
        self._room = limits.limit_bytes
        self._spills: list[list[Segment]] = []
        self._passes = 0
        self.merged = 0.0
        """How much of the spills is merged."""

    @property
    def room(self) -> int:
        """How many more bytes there is memory for: it changes with every pair."""
        return self._room

    def emit(self, key: Any, value: Any) -> None:
        """Takes one pair."""
        self.emit_all(((key, value),))

    def emit_all(self, pairs: Iterable[Record]) -> None:
        """Takes pairs as they come. Keys that come again and again are encoded once."""
        parts, known = self._parts, self._known
        for key, value in pairs:
            if type(key) is str:
                place = known.get(key)
                if place is None:
                    place = self._placed(key)
                    if len(known) >= _KNOWN_KEYS:
                        known.clear()
                    known[key] = place
            else:
                place = self._placed(key)
            key_bytes, number = place
            value_bytes = encode(value)
            parts[number].append((key_bytes, value_bytes))
            self._room -= len(key_bytes) + len(value_bytes) + _RECORD_OVERHEAD
            if self._room < 0:
                self._spill()

    def finish(self) -> Path:
        """Writes `file.out` and its index; the file's path."""
        path = self._directory / OUTPUT_FILE
        if not self._spills:
            segments = self._write_buffer(path)
        else:
            if any(self._parts):
                self._spill()
            segments = self._merge(path)
        index = [IndexRecord(segment.start, segment.raw_length, segment.length) for segment in segments]
        write_index(path.with_name(INDEX_FILE), index)
        self._tally.add("MAP_OUTPUT_MATERIALIZED_BYTES", path.stat().st_size)
        return path

    def _placed(self, key: Any) -> tuple[bytes, int]:
        """The key's bytes, and the reduce that they belong to."""
        key_bytes = encode(key)
        if self._reduces == 1:
            return key_bytes, 0
        number = self._partition(key_bytes, self._reduces)
        if not 0 <= number < self._reduces:
            raise ValueError(f"Illegal partition for {key!r} ({number})")
        return key_bytes, number

    def _spill(self) -> None:
        number = len(self._spills)
        if number >= self._limits.most_spills >= 0:
            raise TooManySpillsError(
                f"Too many spill files got created: {number + 1}, more than "
                f"mapreduce.task.spill.files.count.limit = {self._limits.most_spills} allows"
            )
        self._spills.append(self._write_buffer(self._directory / f"spill{number}.out"))
        self._check_cancelled()

    def _write_buffer(self, path: Path) -> list[Segment]:
        """Writes what is in memory, sorted and combined; nothing is in memory then."""
        records = sum(map(len, self._parts))
        self._tally.add("MAP_OUTPUT_RECORDS", records)
        collected = self._limits.limit_bytes - self._room - records * _RECORD_OVERHEAD
        self._tally.add("MAP_OUTPUT_BYTES", collected)
        segments = self._write(path, map(self._sorted, self._parts), self._combiner)
        for part in self._parts:
            part.clear()
        self._room = self._limits.limit_bytes
        return segments

    def _sorted(self, part: Batch) -> Iterable[Batch]:
        part.sort(key=KEY)
        return [part] if part else []

    def _merge(self, path: Path) -> list[Segment]:
        """All spills to one file: reduce by reduce, few segments at a time."""

        def parts() -> Iterator[Iterable[Batch]]:
            for number in range(self._reduces):
                self.merged = number / self._reduces
                segments = [spill[number] for spill in self._spills if spill[number].records]
                few = self._merges.few(segments, self._pass_file)
                yield self._merges.records(few) if few else []
                for segment in few:
                    if segment.is_whole_file and segment.path is not None:
                        segment.path.unlink()

        is_worth_it = len(self._spills) >= self._limits.combine_spills
        merged = self._write(path, parts(), self._combiner if is_worth_it else None)
        for number in range(len(self._spills)):
            (self._directory / f"spill{number}.out").unlink()
        return merged

    def _pass_file(self) -> Path:
        self._passes += 1
        return self._directory / f"intermediate{self._passes}.out"

    def _write(
        self, path: Path, parts: Iterable[Iterable[Batch]], combiner: Combiner | None
    ) -> list[Segment]:
        """Writes a file of one segment per reduce."""
        segments: list[Segment] = []
        with path.open("wb", buffering=1 << 18) as stream:
            for batches in parts:
                start = stream.tell()
                some = combiner if batches else None
                written = write_combined(batches, SegmentWriter(stream, self._codec), some)
                self._tally.add("SPILLED_RECORDS", written.records)
                segments.append(
                    Segment(written.length, written.records, written.raw_length, path=path, start=start)
                )
        return segments
