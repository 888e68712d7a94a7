"""Sorted segments to one sorted stream: in passes when there are too many, combined on the way.

Of each segment one block is in memory. What is not above the smallest last key of those blocks is taken from
all of them and sorted at once, which Python does by merging the runs that it finds. Hadoop: Merger.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, groupby
from operator import eq, itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from yarnbox.am.mapreduce.api import ReduceContext, Reducer, Tally, TaskEnvironment
from yarnbox.am.mapreduce.codecs import Codec
from yarnbox.am.mapreduce.shuffle.records import Group, Pair, Record, decode, encode
from yarnbox.am.mapreduce.shuffle.segments import Batch, SegmentWriter, Written, read_segment

KEY = itemgetter(0)
_VALUE = itemgetter(1)
_BUFFER_BYTES = 1 << 18
_SORTED_RECORDS = 50_000
_SORTED_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Segment:
    """A sorted run: in memory, or in a file from `start` on."""

    length: int
    records: int = 0
    raw_length: int = 0
    data: bytes = b""
    path: Path | None = None
    start: int = 0
    is_whole_file: bool = False
    """Whether nothing else is in the file, so that it goes when its records are elsewhere."""
    outputs: int = 0
    """How many outputs of maps are in it that have not been merged before."""

    def open(self) -> BinaryIO:
        """A stream that stands at its beginning."""
        if self.path is None:
            return io.BytesIO(self.data)
        stream = self.path.open("rb", buffering=_BUFFER_BYTES)
        stream.seek(self.start)
        return stream


def merged(readers: Iterable[Iterator[Batch]]) -> Iterator[Batch]:
    """All records in the order of their keys."""
    blocks: list[Batch] = []
    rest: list[Iterator[Batch]] = []
    for reader in readers:
        block = next(reader, None)
        if block is not None:
            blocks.append(block)
            rest.append(reader)
    at = [0] * len(blocks)
    while len(blocks) > 1:
        bound = min(block[-1][0] for block in blocks)
        batch: Batch = []
        ended = []
        for number, block in enumerate(blocks):
            end = bisect_right(block, bound, at[number], key=KEY)
            batch += block[at[number] : end]
            at[number] = end
            if end == len(block):
                following = next(rest[number], None)
                if following is None:
                    ended.append(number)
                else:
                    blocks[number], at[number] = following, 0
        batch.sort(key=KEY)
        yield batch
        for number in reversed(ended):
            del blocks[number], rest[number], at[number]
    if blocks:
        yield blocks[0][at[0] :] if at[0] else blocks[0]
        yield from rest[0]


class Combiner:
    """Puts together the values of each key of sorted records, on their way into a segment."""

    def __init__(self, reducer: Reducer, tally: Tally, environment: TaskEnvironment) -> None:
        self._reducer = reducer
        self._tally = tally
        self._environment = environment
        says_so_itself = "leaves_single_values" in vars(type(reducer))
        self._leaves_single_values = says_so_itself and reducer.leaves_single_values

    def combine(self, batches: Iterable[Batch], writer: SegmentWriter) -> None:
        """Writes what the combiner makes of the records."""
        if self._leaves_single_values and isinstance(batches, list) and len(batches) == 1:
            (batch,) = batches
            if not _has_twins(batch):
                self._tally.add("COMBINE_INPUT_RECORDS", len(batch))
                self._tally.add("COMBINE_OUTPUT_RECORDS", len(batch))
                writer.write(batch)
                return
        out = _Combined(writer, self._tally)

        def counted() -> Iterator[Batch]:
            for batch in batches:
                self._tally.add("COMBINE_INPUT_RECORDS", len(batch))
                yield batch

        def groups() -> Iterator[Group]:
            return ((decode(key), values) for key, values in grouped(counted()))

        self._reducer.run(ReduceContext(groups, out, self._tally, self._environment))
        out.flush()


def _has_twins(batch: Batch) -> bool:
    """Whether a key of these sorted records comes twice."""
    keys = list(map(KEY, batch))
    return any(map(eq, keys, keys[1:]))


class UnsortedError(Exception):
    """A combiner whose keys are so far out of order that they cannot be sorted on their way."""


class _Combined:
    """Where a combiner's pairs go. Commands like to write all at their end, in any order, so many are sorted
    at a time.
    """

    def __init__(self, writer: SegmentWriter, tally: Tally) -> None:
        self._writer = writer
        self._tally = tally
        self._batch: Batch = []
        self._bytes = 0
        self._last = b""

    def emit(self, key: Any, value: Any) -> None:
        self.emit_all(((key, value),))

    def emit_all(self, pairs: Iterable[Record]) -> None:
        for key, value in pairs:
            key_bytes, value_bytes = encode(key), encode(value)
            self._batch.append((key_bytes, value_bytes))
            self._bytes += len(key_bytes) + len(value_bytes)
            if self._bytes >= _SORTED_BYTES or len(self._batch) >= _SORTED_RECORDS:
                self.flush()

    def flush(self) -> None:
        if not self._batch:
            return
        self._batch.sort(key=KEY)
        first = self._batch[0][0]
        if first < self._last:
            raise UnsortedError(
                f"the combiner wrote the key {decode(first)!r} long after {decode(self._last)!r}:"
                " keys have to leave it in the order in which they came"
            )
        self._last = self._batch[-1][0]
        self._tally.add("COMBINE_OUTPUT_RECORDS", len(self._batch))
        self._writer.write(self._batch)
        self._batch, self._bytes = [], 0


def write_combined(batches: Iterable[Batch], writer: SegmentWriter, combiner: Combiner | None) -> Written:
    """Writes the records, combined if there is a combiner, and the end of the segment."""
    if combiner is not None:
        combiner.combine(batches, writer)
    else:
        for batch in batches:
            writer.write(batch)
    return writer.close()


def grouped(batches: Iterable[Batch]) -> Iterator[tuple[bytes, Iterator[Any]]]:
    """Each key, encoded, and its values, decoded while they are asked for."""
    records: Iterator[Pair] = chain.from_iterable(batches)
    for key, group in groupby(records, key=KEY):
        yield key, map(decode, map(_VALUE, group))


class Merges:
    """The merges of one task: how many segments at once, with which codec and combiner, told to whom."""

    def __init__(
        self,
        factor: int,
        codec: Codec | None,
        combiner: Combiner | None,
        tally: Tally,
        check_cancelled: Callable[[], None] = lambda: None,
    ) -> None:
        self.codec = codec
        self._factor = factor
        self._combiner = combiner
        self._tally = tally
        self._check_cancelled = check_cancelled

    def records(self, segments: Sequence[Segment]) -> Iterator[Batch]:
        """The records of segments, at most the factor's number of them, in order."""
        outputs = sum(segment.outputs for segment in segments)
        if outputs:
            self._tally.add("MERGED_MAP_OUTPUTS", outputs)
        with ExitStack() as stack:
            streams = [stack.enter_context(segment.open()) for segment in segments]
            for batch in merged([read_segment(stream, self.codec) for stream in streams]):
                self._check_cancelled()
                yield batch

    def few(
        self, segments: Iterable[Segment], name: Callable[[], Path], at_most: int | None = None
    ) -> list[Segment]:
        """The same records in no more segments than are merged at once, the smallest merged first; so few the
        first time that every later pass is full.
        """
        at_most = at_most or self._factor
        left = sorted(segments, key=lambda segment: segment.length)
        width = first_width(len(left), self._factor)
        while len(left) > at_most:
            left = sorted([*left[width:], self.to_file(left[:width], name())], key=lambda one: one.length)
            width = self._factor
        return left

    def to_file(self, segments: Sequence[Segment], path: Path, *, combines: bool = False) -> Segment:
        """Merges the segments into a file of its own; files of which they were the whole are removed."""
        combiner = self._combiner if combines else None
        with path.open("wb", buffering=_BUFFER_BYTES) as stream:
            written = write_combined(self.records(segments), SegmentWriter(stream, self.codec), combiner)
        self._tally.add("SPILLED_RECORDS", written.records)
        for segment in segments:
            if segment.path is not None and segment.is_whole_file:
                segment.path.unlink()
        return Segment(written.length, written.records, written.raw_length, path=path, is_whole_file=True)


def first_width(count: int, factor: int) -> int:
    """How many of so many segments the first pass merges."""
    return (count - 1) % (factor - 1) + 1 if count > factor and (count - 1) % (factor - 1) else factor
