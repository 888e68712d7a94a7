"""Lines of text, sorted over all parts by their bytes. Hadoop: Sort with -totalOrder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Reducer


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
