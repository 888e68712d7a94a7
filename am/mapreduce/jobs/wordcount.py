"""How often each word stands in a text: Hadoop's first example.

Words are what stands between the six blanks of ASCII, taken from the file's bytes as they are
(`bytes.split()`): what is no UTF-8 is counted all the same and comes out as it went in. The mapper counts
whole blocks of lines in memory, so what leaves a map is already combined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, ReduceContext, Reducer

WORDS_AT_ONCE = 500_000
"""Different words that a map keeps in memory."""


class WordCountMapper(Mapper):
    """Counts the words of a split."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        """One line: each of its words, once for each time it stands there."""
        context.emit_all(Counter(value.encode("utf-8", "surrogateescape").split()).items())

    def run(self, context: MapContext) -> None:
        """The whole split, block by block."""
        words: Counter[bytes] = Counter()
        for block in context.blocks():
            words.update(block.split())
            if len(words) > WORDS_AT_ONCE:
                context.emit_all(words.items())
                words = Counter()
        context.emit_all(words.items())


class SumReducer(Reducer):
    """Adds up the values of a key."""

    leaves_single_values = True

    def run(self, context: ReduceContext) -> None:
        """All keys, with nothing in between that is called for each."""
        context.emit_all((key, sum(values)) for key, values in context.groups())

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        emit(key, sum(values))


def properties() -> dict[str, str]:
    """What makes a job a word count."""
    summing = "yarnbox.am.mapreduce.jobs.wordcount.SumReducer"
    return {
        "mapreduce.job.map.class": "yarnbox.am.mapreduce.jobs.wordcount.WordCountMapper",
        "mapreduce.job.combine.class": summing,
        "mapreduce.job.reduce.class": summing,
        "mapreduce.job.name": "word count",
    }
