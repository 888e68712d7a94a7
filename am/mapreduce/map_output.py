"""A map's output on its way to the reduces: collected, sorted by reduce and key, combined, spilled, merged.

Records are kept in memory up to a limit, then written as a sorted run; at the end the runs are merged into
`file.out`, one segment per reduce, with an index beside it. From there the node's shuffle service serves
them. Answers for MapTask.MapOutputBuffer, SpillRecord, Merger and HashPartitioner.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from am.mapreduce.api import Partition, Reducer, Tally
from am.mapreduce.records import Pair, decode, encode, read_segment, write_segment
from yarn.shuffle import OUTPUT_FILE, IndexRecord, read_index, write_index

_RECORD_OVERHEAD = 150
"""What a record costs in memory beyond its bytes, roughly."""

Collected = tuple[int, bytes, bytes]
_PLACE = itemgetter(0, 1)


def hash_partition(key: bytes, reduces: int) -> int:
    """The reduce of an encoded key; the same in every process, unlike Python's own hash."""
    return zlib.crc32(key) % reduces


def combined(reducer: Reducer, records: Iterable[Pair], tally: Tally) -> Iterator[Pair]:
    """Sorted records, each key's values put together by a combiner."""
    for key, group in groupby(records, key=itemgetter(0)):
        out: list[Pair] = []

        def emit(new_key: Any, value: Any, out: list[Pair] = out) -> None:
            out.append((encode(new_key), encode(value)))

        values = [value for _, value in group]
        tally.add("COMBINE_INPUT_RECORDS", len(values))
        reducer.reduce(decode(key), map(decode, values), emit)
        tally.add("COMBINE_OUTPUT_RECORDS", len(out))
        yield from out


class MapOutput:
    """The output of one map attempt."""

    def __init__(
        self,
        directory: Path,
        reduces: int,
        partition: Partition,
        combiner: Reducer | None,
        limit_bytes: int,
        merge_factor: int,
        tally: Tally,
        breathe: Callable[[], None] = lambda: None,
    ) -> None:
        self._directory = directory
        self._reduces = reduces
        self._partition = partition
        self._combiner = combiner
        self._limit_bytes = limit_bytes
        self._merge_factor = merge_factor
        self._tally = tally
        self._breathe = breathe
        self._buffer: list[Collected] = []
        self._buffered_bytes = 0
        self._records = 0
        self._bytes = 0
        self._runs: list[Path] = []

    def emit(self, key: Any, value: Any) -> None:
        """Takes one pair."""
        key_bytes, value_bytes = encode(key), encode(value)
        number = self._partition(key_bytes, self._reduces)
        if not 0 <= number < self._reduces:
            raise ValueError(f"Illegal partition for {key!r} ({number})")
        self._buffer.append((number, key_bytes, value_bytes))
        size = len(key_bytes) + len(value_bytes)
        self._records += 1
        self._bytes += size
        self._buffered_bytes += size + _RECORD_OVERHEAD
        if self._buffered_bytes > self._limit_bytes:
            self._spill()

    def finish(self) -> Path:
        """Writes `file.out` and its index; the file's path."""
        self._tally.add("MAP_OUTPUT_RECORDS", self._records)
        self._tally.add("MAP_OUTPUT_BYTES", self._bytes)
        path = self._directory / OUTPUT_FILE
        if not self._runs:
            self._write(path, self._sorted_buffer())
        else:
            if self._buffer:
                self._spill()
            self._merge(path)
        return path

    def _sorted_buffer(self) -> Iterator[tuple[int, Iterator[Pair]]]:
        self._buffer.sort(key=_PLACE)
        for number, group in groupby(self._buffer, key=itemgetter(0)):
            yield number, self._combine((key, value) for _, key, value in group)

    def _combine(self, records: Iterator[Pair]) -> Iterator[Pair]:
        return records if self._combiner is None else combined(self._combiner, records, self._tally)

    def _spill(self) -> None:
        path = self._directory / f"spill{len(self._runs)}.out"
        self._write(path, self._sorted_buffer())
        self._runs.append(path)
        self._buffer = []
        self._buffered_bytes = 0
        self._breathe()

    def _write(self, path: Path, parts: Iterable[tuple[int, Iterator[Pair]]]) -> None:
        """Writes a file of one segment per reduce, and its index."""
        index: list[IndexRecord] = []
        with path.open("wb", buffering=1 << 20) as stream:
            at = 0
            for number, records in parts:
                while len(index) < number:
                    at = _append(index, at, _empty(stream))
                count, size = write_segment(records, stream)
                self._tally.add("SPILLED_RECORDS", count)
                at = _append(index, at, size)
            while len(index) < self._reduces:
                at = _append(index, at, _empty(stream))
        write_index(path.with_name(path.name + ".index"), index)

    def _merge(self, path: Path) -> None:
        streams = [run.open("rb", buffering=1 << 18) for run in self._runs]
        indexes = [read_index(run.with_name(run.name + ".index")) for run in self._runs]
        try:
            self._write(path, self._merged_parts(streams, indexes))
        finally:
            for stream in streams:
                stream.close()
        for run in self._runs:
            run.unlink()
            run.with_name(run.name + ".index").unlink()

    def _merged_parts(
        self, streams: list[BinaryIO], indexes: list[list[IndexRecord]]
    ) -> Iterator[tuple[int, Iterator[Pair]]]:
        for number in range(self._reduces):
            segments = []
            for stream, index in zip(streams, indexes, strict=True):
                stream.seek(index[number].start)
                segments.append(read_segment(stream))
            self._breathe()
            yield number, self._combine(heapq.merge(*segments, key=itemgetter(0)))


def _append(index: list[IndexRecord], at: int, size: int) -> int:
    index.append(IndexRecord(at, size, size))
    return at + size


def _empty(stream: BinaryIO) -> int:
    return write_segment((), stream)[1]


def merge_files(
    paths: list[Path], factor: int, directory: Path, breathe: Callable[[], None] = lambda: None
) -> Iterator[Pair]:
    """The records of many sorted segment files in order; in several passes when there are too many."""
    paths = sorted(paths, key=lambda path: (path.stat().st_size, path.name))
    passes = 0
    while len(paths) > factor:
        merged = directory / f"merge{passes}.out"
        with merged.open("wb", buffering=1 << 20) as stream:
            write_segment(_merge_open(paths[:factor], breathe), stream)
        for path in paths[:factor]:
            path.unlink()
        paths = [*paths[factor:], merged]
        passes += 1
    return _merge_open(paths, breathe)


def _merge_open(paths: list[Path], breathe: Callable[[], None]) -> Iterator[Pair]:
    streams = [path.open("rb", buffering=1 << 18) for path in paths]
    try:
        for number, record in enumerate(heapq.merge(*map(read_segment, streams), key=itemgetter(0))):
            if number % 4096 == 0:
                breathe()
            yield record
    finally:
        for stream in streams:
            stream.close()
