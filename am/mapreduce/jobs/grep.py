"""What a regular expression matches in a text, and how often, the most frequent first. Hadoop: Grep."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from yarnbox.am.mapreduce.api import Emit, MapContext, Mapper, Reducer

PATTERN = "mapreduce.mapper.regex"
GROUP = "mapreduce.mapper.regexmapper..group"


class RegexMapper(Mapper):
    """Counts what the expression matches in the lines of a split."""

    def run(self, context: MapContext) -> None:
        pattern = re.compile(context.configuration.untrimmed(PATTERN) or "")
        group = context.configuration.integer(GROUP, 0)
        found: Counter[str] = Counter()
        for _, line in context.records():
            found.update(match[group] or "" for match in pattern.finditer(line))
        context.emit_all(found.items())


class FrequencyMapper(Mapper):
    """Lines of matches and counts, turned around: the largest count is the smallest key."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        match, _, count = value.rpartition("\t")
        context.emit(-int(count), match)


class FrequencyReducer(Reducer):
    """Counts and matches."""

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        for match in values:
            emit(-key, match)
