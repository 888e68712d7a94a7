"""Lines of several inputs that have the same key, put together. Hadoop: Join, by reduces instead of by maps.

A line's key ends at its first tab. Values of all inputs but the last are kept in memory, key by key.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from yarnbox.am.mapreduce.api import MapContext, Mapper, ReduceContext, Reducer
from yarnbox.am.mapreduce.input import KeyValueTextInputFormat
from yarnbox.am.mapreduce.shuffle.records import Record
from yarnbox.am.mapreduce.splits import Chunk
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.storage.urls import absolute, is_remote

OPERATOR = "yarnbox.mapreduce.join.operator"
_INPUTS = "mapreduce.input.fileinputformat.inputdir"


class LinesWithPaths(KeyValueTextInputFormat):
    """Keys, and the path of the file before each value."""

    def batches(self, chunk: Chunk, configuration: Configuration) -> Iterator[list[Record]]:
        for batch in super().batches(chunk, configuration):
            yield [(key, (chunk.path, value)) for key, value in batch]


class TagMapper(Mapper):
    """Says of each value which input it comes from."""

    def run(self, context: MapContext) -> None:
        inputs = [_place_of(path) for path in context.configuration.strings(_INPUTS)]
        numbers: dict[str, int] = {}
        for key, (path, value) in context.records():
            number = numbers.get(path)
            if number is None:
                number = numbers[path] = _number(inputs, path)
            context.emit(key, [number, value])


def _place_of(path: str) -> str:
    return path.rstrip("/") if is_remote(path) else str(Path(absolute(path)).resolve())


def _number(inputs: list[str], path: str) -> int:
    return next(number for number, one in enumerate(inputs) if path == one or path.startswith(f"{one}/"))


class JoinReducer(Reducer):
    """Every value of one input with every value of the others."""

    def run(self, context: ReduceContext) -> None:
        inputs = len(context.configuration.strings(_INPUTS))
        is_outer = context.configuration.value(OPERATOR) == "outer"
        for key, values in context.groups():
            sides: list[list[str]] = [[] for _ in range(inputs)]
            for number, value in values:
                sides[number].append(value)
            if is_outer or all(sides):
                context.emit_all((key, "\t".join(row)) for row in product(*(side or [""] for side in sides)))
