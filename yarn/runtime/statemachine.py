"""State machines as data: one complete table per entity.

Rows are states, cells are event types; an absent pair is invalid.

    RM_CONTAINER = Table("RMContainer", initial=NEW, rows={
        NEW:       {ContainerStart: to(ALLOCATED, tell_attempt), ContainerKill: to(KILLED)},
        ALLOCATED: {ContainerExpire: to(EXPIRED, finish)},
        KILLED:    ignore(ContainerKill, ContainerExpire),
    })

`to` has one target; `choose(A, B, by=judge)` lets the hook return one of those named; `ignore` lists events
that change nothing. The hook runs first and still sees the old state; then the state changes; then
the story has a line. Hadoop: StateMachineFactory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

from yarnbox.yarn.runtime.story import Line, Story

S = TypeVar("S", bound=Enum)


Hook = Callable[[Any, Any], object]


class Arc:
    """One cell of a table: where it leads and what is done on the way."""

    __slots__ = ("hook", "targets")

    def __init__(self, targets: tuple[Enum, ...], hook: Hook | None) -> None:
        self.targets = targets
        self.hook = hook

    @property
    def is_silent(self) -> bool:
        """Whether the event neither changes the state nor does anything."""
        return not self.targets and self.hook is None


Cells = dict[type, Arc]
"""Part of a row: arcs by event type."""


def to(target: Enum, hook: Hook | None = None) -> Arc:
    """An arc with one target."""
    return Arc((target,), hook)


def choose(*targets: Enum, by: Hook) -> Arc:
    """An arc whose hook returns the target, one of those named."""
    assert len(targets) > 1, "a choice has at least two targets; use to(...)"
    return Arc(targets, by)


def stay(*event_types: type, hook: Hook | None = None) -> Cells:
    """Cells that leave the state as it is and run `hook`."""
    return {event_type: Arc((), hook) for event_type in event_types}


def ignore(*event_types: type) -> Cells:
    """Cells that neither change the state nor do anything."""
    return {event_type: Arc((), None) for event_type in event_types}


class InvalidEventError(Exception):
    """An event that the table does not list for the state: the entity and its state are as they were."""


class Table(Generic[S]):
    """The law of one kind of entity."""

    __slots__ = ("_arcs", "initial", "name", "rows")

    def __init__(self, name: str, initial: S, rows: Mapping[S, Mapping[type, Arc]]) -> None:
        self.name = name
        self.initial = initial
        self.rows: dict[S, dict[type, Arc]] = {state: dict(cells) for state, cells in rows.items()}
        self._arcs = {state.name: cells for state, cells in self.rows.items()}
        """The same by the names of states: a member of an Enum takes long to hash."""
        self._check()

    def fire(self, entity: Any, event: Any, now_ms: int, story: Story) -> None:
        """Lets `event` happen to `entity`; InvalidEventError when the table has no such cell."""
        before: S = entity.state
        event_type = type(event)
        left = before._name_  # what the property `name` looks up, at a tenth of the price
        arc = self._arcs[left].get(event_type)
        if arc is None:
            raise InvalidEventError(f"{self.name} {entity.subject}: {event_type.__name__} at {left}")
        hook = arc.hook
        chosen = hook(entity, event) if hook is not None else None
        targets = arc.targets
        if len(targets) == 1:
            entity.state = targets[0]
        elif targets:
            assert chosen in targets, f"{self.name}: {chosen} is none of {targets}"
            entity.state = chosen
        if story.listeners:
            after = entity.state._name_
            story.tell(Line(now_ms, self.name, entity.subject, left, event_type.__name__, after, ""))

    def event_types(self) -> list[type]:
        """Every event type that some row lists, in order of first mention."""
        return list(dict.fromkeys(event_type for cells in self.rows.values() for event_type in cells))

    def _check(self) -> None:
        states = type(self.initial)
        missing = [state.name for state in states if state not in self.rows]
        assert not missing, f"{self.name}: no row for {missing}"
        reachable = {self.initial} | {
            t for cells in self.rows.values() for arc in cells.values() for t in arc.targets
        }
        lost = [state.name for state in states if state not in reachable]
        assert not lost, f"{self.name}: never reached: {lost}"


def markdown(table: Table[Any]) -> Iterator[str]:
    """The lines of a table's section in the manual: state, event, next state."""
    yield from (f"## {table.name}", "", f"Begins as {table.initial.name}.", "")
    yield from ("| state | event | next |", "| --- | --- | --- |")
    for state, cells in table.rows.items():
        silent = [event_type.__name__ for event_type, arc in cells.items() if arc.is_silent]
        for event_type, arc in cells.items():
            if not arc.is_silent:
                targets = " or ".join(target.name for target in arc.targets) or "unchanged"
                yield f"| {state.name} | {event_type.__name__} | {targets} |"
        if silent:
            yield f"| {state.name} | {', '.join(silent)} | ignored |"
    yield ""
