"""What the parts of a task are handed, without a task."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO

from yarnbox.am.mapreduce.api import Tally
from yarnbox.am.mapreduce.codecs import Codec
from yarnbox.am.mapreduce.jobs.wordcount import SumReducer
from yarnbox.am.mapreduce.shuffle.merging import Combiner
from yarnbox.am.mapreduce.shuffle.segments import Batch, SegmentWriter, Written
from yarnbox.yarn.configuration import Configuration


class Surroundings:
    """A task's properties and status."""

    def __init__(self, properties: dict[str, str] | Configuration | None = None) -> None:
        given = properties or {}
        self._configuration = given if isinstance(given, Configuration) else Configuration.of(given)
        self.status = ""

    def configuration(self) -> Configuration:
        return self._configuration

    def set_status(self, text: str) -> None:
        self.status = text

    def check_cancelled(self) -> None:
        """Nobody watches."""


def summing(tally: Tally) -> Combiner:
    """A combiner that adds up."""
    return Combiner(SumReducer(), tally, Surroundings())


def write_segment(batches: Iterable[Batch], stream: BinaryIO, codec: Codec | None = None) -> Written:
    """Writes the records and the end of a segment."""
    writer = SegmentWriter(stream, codec)
    for batch in batches:
        writer.write(batch)
    return writer.close()
