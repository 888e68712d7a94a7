"""What a reduce has fetched: in memory up to a limit, then in files, merged so that there are never many.

An output too large for its share of the memory goes to a file at once. When the memory is filled to a point,
what is in it is combined and becomes one file; fetches wait meanwhile. When there are nearly twice as many
files as are merged at once, the smallest become one. Hadoop: MergeManagerImpl.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from yarnbox.am.mapreduce.shuffle.merging import Merges, Segment


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """How much of what is fetched is in memory."""

    memory_bytes: int
    largest_bytes: int
    """An output that is larger goes to a file."""
    merge_bytes: int
    """From so many on, what is in memory is merged into a file."""
    keep_bytes: int
    """So many may stay in memory for the reduce itself."""
    factor: int


class FetchedOutputs:
    """The outputs of one reduce. Several threads fetch; whoever brings one output too many merges."""

    def __init__(self, merges: Merges, limits: FetchLimits, directory: Path) -> None:
        self._merges = merges
        self._limits = limits
        self._directory = directory
        self._names = count()
        self._changed = threading.Condition()
        self._in_memory: list[Segment] = []
        self._files: list[Segment] = []
        self._used_bytes = 0
        self._kept_bytes = 0
        self._is_merging = False
        self._failure: BaseException | None = None

    def reserve(self, size: int) -> bool:
        """Whether an output of that size is to be kept in memory; waits while that is full."""
        if size > self._limits.largest_bytes:
            return False
        with self._changed:
            self._changed.wait_for(self._has_room)
            self._look_at_failure()
            self._used_bytes += size
        return True

    def release(self, size: int) -> None:
        """What was reserved is not needed."""
        with self._changed:
            self._used_bytes -= size
            self._changed.notify_all()

    def keep(self, segment: Segment) -> None:
        """Takes an output, in memory where that was reserved, or a file of its own."""
        with self._changed:
            if segment.path is not None:
                self._files.append(segment)
            else:
                self._in_memory.append(segment)
                self._kept_bytes += segment.length
        self._merge_some()

    def all(self) -> list[Segment]:
        """Everything, in few segments, beside those that stay in memory; nobody fetches any more."""
        self._look_at_failure()
        kept_bytes = 0
        kept: list[Segment] = []
        rest: list[Segment] = []
        for segment in sorted(self._in_memory, key=_length):
            kept_bytes += segment.length
            (kept if kept_bytes <= self._limits.keep_bytes else rest).append(segment)
        files = self._files
        if rest and len(files) < self._limits.factor:
            files, rest = [*files, self._merges.to_file(rest, self._name())], []
        return [*self._merges.few([*files, *rest], self._name), *kept]

    def file(self) -> Path:
        """Where a fetch may write."""
        return self._directory / f"fetched{next(self._names)}.out"

    # Merges.

    def _has_room(self) -> bool:
        is_free = not self._is_merging and self._used_bytes <= self._limits.memory_bytes
        return is_free or self._failure is not None

    def _merge_some(self) -> None:
        while True:
            with self._changed:
                self._look_at_failure()
                work = None if self._is_merging else self._due()
                if work is None:
                    return
                self._is_merging = True
            try:
                work()
            except BaseException as error:
                self._failure = error
                raise
            finally:
                with self._changed:
                    self._is_merging = False
                    self._changed.notify_all()

    def _due(self) -> Callable[[], Any] | None:
        if self._in_memory and self._kept_bytes >= self._limits.merge_bytes:
            return self._empty_memory
        if len(self._files) >= 2 * self._limits.factor - 1:
            return self._merge_files
        return None

    def _empty_memory(self) -> None:
        with self._changed:
            segments, self._in_memory = self._in_memory, []
            size, self._kept_bytes = self._kept_bytes, 0
        merged = self._merges.to_file(segments, self._name(), combines=True)
        with self._changed:
            self._files.append(merged)
            self._used_bytes -= size

    def _merge_files(self) -> None:
        with self._changed:
            files = sorted(self._files, key=_length)
            smallest = files[: self._limits.factor]
            self._files = files[self._limits.factor :]
        merged = self._merges.to_file(smallest, self._name())
        with self._changed:
            self._files.append(merged)

    def _name(self) -> Path:
        return self._directory / f"merged{next(self._names)}.out"

    def _look_at_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


def _length(segment: Segment) -> int:
    return segment.length
