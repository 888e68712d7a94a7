"""Lines of text, sorted over all parts by their bytes: parts, one behind the other, are in order.

A key goes to a reduce by bounds that are taken from a sample; terasort uses them, too. Hadoop: Sort with
-totalOrder, TotalOrderPartitioner and InputSampler.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Partitioner, Reducer
from yarnbox.yarn.configuration import Configuration

BOUNDS = "yarnbox.mapreduce.totalorder.bounds"


class LineMapper(Mapper):
    """Lines as keys."""

    def run(self, context: MapContext) -> None:
        for block in context.blocks():
            context.emit_all((line, None) for line in block.removesuffix(b"\n").split(b"\n"))


class LineReducer(Reducer):
    """Each line as often as it stands there."""

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        for _ in values:
            emit(key, None)


class TotalOrderPartitioner(Partitioner):
    """A key goes to the reduce between whose bounds it lies."""

    def __init__(self) -> None:
        self._bounds: list[bytes] = []

    def configure(self, configuration: Configuration) -> None:
        """Reads the bounds."""
        self._bounds = [bytes.fromhex(text) for text in configuration.strings(BOUNDS)]

    def __call__(self, key: bytes, reduces: int) -> int:
        """The number of bounds that are not above the key."""
        return bisect_right(self._bounds, key)
