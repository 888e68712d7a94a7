"""What a user writes: mappers, reducers and partitioners, named by their dotted names.

A mapper is a class below Mapper, or a function `(key, value)` that yields pairs; a reducer or combiner is a
class below Reducer, or a function `(key, values)` that yields pairs. Keys and values are str, bytes, int,
float, or anything that JSON has. Answers for Mapper, Reducer and their Contexts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Emit = Callable[[Any, Any], None]
Partition = Callable[[bytes, int], int]
"""From an encoded key and the number of reduces to the number of one."""

TASK_COUNTERS = "org.apache.hadoop.mapreduce.TaskCounter"


class Tally:
    """The counters of one task."""

    def __init__(self) -> None:
        self.groups: dict[str, dict[str, int]] = {}

    def add(self, name: str, amount: int = 1, group: str = TASK_COUNTERS) -> None:
        """Adds to a counter."""
        counters = self.groups.setdefault(group, {})
        counters[name] = counters.get(name, 0) + amount


class MapContext:
    """What a mapper reaches: its input, a way out, counters."""

    def __init__(
        self,
        records: Callable[[], Iterator[tuple[Any, Any]]],
        blocks: Callable[[], Iterator[bytes]],
        emit: Emit,
        tally: Tally,
    ) -> None:
        self.records = records
        """The input as pairs: of a text, the offset of a line and the line."""
        self.blocks = blocks
        """The input of a text as bytes, some whole lines at a time: for mappers in a hurry."""
        self.emit = emit
        self.tally = tally


class Mapper:
    """Input pairs to output pairs. Override `map`, or `run` to have the whole split in hand."""

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        """Takes one pair; by default it goes out as it came in."""
        context.emit(key, value)

    def run(self, context: MapContext) -> None:
        """Takes the whole split."""
        for key, value in context.records():
            self.map(key, value, context)


class Reducer:
    """A key and all its values to output pairs."""

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        """Takes one key; by default every value goes out as it came in."""
        for value in values:
            emit(key, value)


class _FunctionMapper(Mapper):
    def __init__(self, function: Callable[[Any, Any], Iterable[tuple[Any, Any]]]) -> None:
        self._function = function

    def map(self, key: Any, value: Any, context: MapContext) -> None:
        for pair in self._function(key, value):
            context.emit(*pair)


class _FunctionReducer(Reducer):
    def __init__(self, function: Callable[[Any, Iterator[Any]], Iterable[tuple[Any, Any]]]) -> None:
        self._function = function

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        for pair in self._function(key, values):
            emit(*pair)


class NotAClassError(ValueError):
    """A dotted name that leads nowhere, or to something that is not what is needed."""


def named(name: str) -> Any:
    """What a dotted name, or `module:name`, means."""
    module, _, attribute = name.replace(":", ".").rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise NotAClassError(f"{name} is not the dotted name of anything: {error}") from error


def mapper_named(name: str) -> Mapper:
    """The mapper of that name; without a name, the one that changes nothing."""
    found = named(name) if name else Mapper
    if isinstance(found, type) and issubclass(found, Mapper):
        return found()
    if callable(found) and not isinstance(found, type):
        return _FunctionMapper(found)
    raise NotAClassError(f"{name} is neither a Mapper nor a function (key, value)")


def reducer_named(name: str) -> Reducer:
    """The reducer of that name; without a name, the one that changes nothing."""
    found = named(name) if name else Reducer
    if isinstance(found, type) and issubclass(found, Reducer):
        return found()
    if callable(found) and not isinstance(found, type):
        return _FunctionReducer(found)
    raise NotAClassError(f"{name} is neither a Reducer nor a function (key, values)")


def partitioner_named(name: str) -> Partition:
    """The partitioner of that name."""
    found = named(name)
    if not callable(found):
        raise NotAClassError(f"{name} is no function (key, reduces)")
    partition: Partition = found
    return partition
