"""What a user writes: mappers, reducers and partitioners, named by their dotted names.

A mapper is a class below Mapper, or a function `(key, value)` that yields pairs; a reducer or combiner is a
class below Reducer, or a function `(key, values)` that yields pairs. Keys and values are str, bytes, int,
float, or anything that JSON has. Hadoop: Mapper, Reducer and their Contexts.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, starmap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from yarnbox.am.mapreduce.shuffle.records import Group, Record, decode

if TYPE_CHECKING:
    from yarnbox.yarn.configuration import Configuration

Emit = Callable[[Any, Any], None]
Partition = Callable[[bytes, int], int]
"""From an encoded key and the number of reduces to the number of one."""

TASK_COUNTERS = "org.apache.hadoop.mapreduce.TaskCounter"
SHUFFLE_ERRORS = "Shuffle Errors"
_HADOOPS = "org.apache.hadoop.mapreduce."


class Out(Protocol):
    """Where a mapper's or reducer's pairs go."""

    def emit(self, key: Any, value: Any) -> None:
        """Takes one pair."""

    def emit_all(self, pairs: Iterable[Record]) -> None:
        """Takes pairs as they come."""


class TaskEnvironment(Protocol):
    """What a task tells of itself and of its job."""

    def configuration(self) -> Configuration:
        """The properties of job and task."""

    def set_status(self, text: str) -> None:
        """What the task is at."""

    def check_cancelled(self) -> None:
        """That it goes on; ends it when it is not wanted any more."""


class CounterLimits(NamedTuple):
    """How many counters a task may have in groups of its own, and how long their names may be."""

    counters: int = 120
    groups: int = 50
    group_name: int = 128
    counter_name: int = 64


HADOOPS_LIMITS = CounterLimits()


class LimitExceededError(Exception):
    """A counter or a group of counters too many."""


class Tally:
    """The counters of one task. Several threads may add. Hadoop: Counters and Limits."""

    def __init__(self, limits: CounterLimits = HADOOPS_LIMITS) -> None:
        self.groups: dict[str, dict[str, int]] = {}
        self._limits = limits
        self._own: set[tuple[str, str]] = set()
        """The counters that are a user's."""
        self._lock = threading.Lock()
        self.changes = 0
        """How often something was added."""

    def add(self, name: str, amount: int = 1, group: str = TASK_COUNTERS) -> None:
        """Adds to a counter; LimitExceededError where it is one too many."""
        with self._lock:
            counters = self.groups.get(group)
            if counters is None or name not in counters:
                name, counters = self._new(name, group)
            counters[name] = counters.get(name, 0) + amount
            self.changes += 1

    def _new(self, name: str, group: str) -> tuple[str, dict[str, int]]:
        """A counter that may be new, by the name that it has room for."""
        if group.startswith(_HADOOPS) or group == SHUFFLE_ERRORS:
            return name, self.groups.setdefault(group, {})
        limits = self._limits
        name, group = _cut(name, limits.counter_name), _cut(group, limits.group_name)
        if (group, name) not in self._own:
            count = len(self._own) + 1
            if count > limits.counters:
                raise LimitExceededError(f"Too many counters: {count} max={limits.counters}")
            groups = len(dict.fromkeys((*(one for one, _ in self._own), group)))
            if groups > limits.groups:
                raise LimitExceededError(f"Too many counter groups: {groups} max={limits.groups}")
            self._own.add((group, name))
        return name, self.groups.setdefault(group, {})


def _cut(name: str, longest: int) -> str:
    return name[: longest - 1] if len(name) > longest else name


class TaskContext:
    """What a mapper or reducer reaches: a way out, counters, the job's properties, its status."""

    def __init__(self, out: Out, tally: Tally, environment: TaskEnvironment) -> None:
        self.emit = out.emit
        """Takes a key and a value."""
        self.emit_all = out.emit_all
        """Takes pairs of key and value as they are made: less work than `emit` for each."""
        self.tally = tally
        self._environment = environment

    @property
    def configuration(self) -> Configuration:
        """The job's properties, and those of the task: `context.configuration.value(name)`."""
        return self._environment.configuration()

    def set_status(self, text: str) -> None:
        """Says, to whoever looks at the task, what it is at."""
        self._environment.set_status(text)

    def progress(self) -> None:
        """Says that work goes on, where for a long time nothing is read, emitted or counted."""
        self._environment.check_cancelled()


class MapContext(TaskContext):
    """What a mapper reaches, and its input."""

    def __init__(
        self,
        records: Callable[[], Iterator[Record]],
        blocks: Callable[[], Iterator[bytes]],
        out: Out,
        tally: Tally,
        environment: TaskEnvironment,
    ) -> None:
        super().__init__(out, tally, environment)
        self.records = records
        """The input as pairs: of a text, the offset of a line and the line."""
        self.blocks = blocks
        """The input of a text as bytes, some whole lines at a time: for mappers in a hurry."""


class ReduceContext(TaskContext):
    """What a reducer or combiner reaches, and its input."""

    def __init__(
        self,
        groups: Callable[[], Iterator[Group]],
        out: Out,
        tally: Tally,
        environment: TaskEnvironment,
    ) -> None:
        super().__init__(out, tally, environment)
        self.groups = groups
        """Each key, in order, and its values; those that are not taken are passed over."""


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
    """A key and all its values to output pairs. Override `reduce`, or `run` to have all groups in hand."""

    leaves_single_values = False
    """Whether a key with one value goes out as it came in, as with sums. A class says so of itself alone, not
    of those below it. As a combiner it is then not called where no key comes twice.
    """

    def reduce(self, key: Any, values: Iterator[Any], emit: Emit) -> None:
        """Takes one key; by default every value goes out as it came in."""
        for value in values:
            emit(key, value)

    def run(self, context: ReduceContext) -> None:
        """Takes all groups."""
        for key, values in context.groups():
            self.reduce(key, values, context.emit)


class _FunctionMapper(Mapper):
    def __init__(self, function: Callable[[Any, Any], Iterable[Record]]) -> None:
        self._function = function

    def run(self, context: MapContext) -> None:
        context.emit_all(chain.from_iterable(starmap(self._function, context.records())))


class _FunctionReducer(Reducer):
    def __init__(self, function: Callable[[Any, Iterator[Any]], Iterable[Record]]) -> None:
        self._function = function

    def run(self, context: ReduceContext) -> None:
        context.emit_all(chain.from_iterable(starmap(self._function, context.groups())))


class Partitioner:
    """Keys to reduces. Override `partition`, and `configure` where properties matter."""

    def configure(self, configuration: Configuration) -> None:
        """Hears the job's properties, once, before any key."""

    def partition(self, key: Any, reduces: int) -> int:
        """The number of the reduce, from 0."""
        raise NotImplementedError(f"{type(self).__name__} does not say where a key belongs")

    def __call__(self, key: bytes, reduces: int) -> int:
        """The same for a key that is encoded."""
        return self.partition(decode(key), reduces)


class NotAClassError(ValueError):
    """A dotted name that leads nowhere, or to something that is not what is needed."""


def named(name: str) -> Any:
    """What a dotted name, or `module:name`, means."""
    module, _, attribute = name.replace(":", ".").rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise NotAClassError(f"{name} is not the dotted name of anything: {error}") from error


def name_of(class_: type) -> str:
    """The dotted name of a class, for a property."""
    return f"{class_.__module__}.{class_.__qualname__}"


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


def partitioner_named(name: str, configuration: Callable[[], Configuration] | None = None) -> Partition:
    """The partitioner of that name; one that wants the properties has heard them, if there are any."""
    found = named(name)
    if isinstance(found, type) and issubclass(found, Partitioner):
        partitioner = found()
        if configuration is not None:
            partitioner.configure(configuration())
        return partitioner
    if not callable(found):
        raise NotAClassError(f"{name} is neither a Partitioner nor a function (key, reduces)")
    partition: Partition = found
    return partition
