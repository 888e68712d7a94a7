"""Keys to reduces so that the parts, one behind the other, are sorted: the bounds are taken from a sample.

Hadoop: TotalOrderPartitioner and InputSampler.
"""

from __future__ import annotations

from bisect import bisect_right

from yarnbox.am.mapreduce.api import Partitioner
from yarnbox.yarn.configuration import Configuration

BOUNDS = "yarnbox.mapreduce.totalorder.bounds"


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
