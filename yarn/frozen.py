"""Classes of values, such as records and events, that cost little to import.

`dataclass` writes and compiles six methods for every class that it makes, a millisecond's work, and a
ResourceManager imports 400 records, events and effects; a command uses a handful of them. `frozen` makes
the fields at once and leaves the methods to the first use. `dataclass` makes them then, the same as ever.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_LATE = ("__init__", "__repr__", "__eq__", "__hash__")
_OF_A_FIELD = ("default", "default_factory", "init", "repr", "hash", "compare", "metadata")


@dataclass_transform(frozen_default=True, kw_only_default=True)
def frozen(cls: type[T]) -> type[T]:
    """Makes `cls` what `dataclass(frozen=True, slots=True, kw_only=True)` makes of it. It may inherit from
    other such classes, and from no other dataclass.
    """
    late = [name for name in _LATE if vars(cls).get(name) is None]
    made = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=True)(cls)
    for name in late:
        setattr(made, name, _at_first_use(made, name, late))
    for name, method in _AT_ONCE.items():
        setattr(made, name, method)
    return made


def _at_first_use(cls: type[Any], name: str, late: Iterable[str]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        _complete(cls, late)
        return getattr(cls, name)(self, *arguments, **named)

    return method


def _complete(cls: type[Any], late: Iterable[str]) -> None:
    """Takes the methods from a class that `dataclass` makes with the same fields."""
    fields = [
        (one.name, one.type, dataclasses.field(**{name: getattr(one, name) for name in _OF_A_FIELD}))
        for one in dataclasses.fields(cls)
    ]
    twin = dataclasses.make_dataclass(cls.__qualname__, fields, frozen=True, kw_only=True)
    for name in late:
        setattr(cls, name, getattr(twin, name))


def _refuse_to_assign(self: Any, name: str, given: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for one, given in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, one.name, given)


_AT_ONCE: dict[str, Callable[..., Any]] = {
    "__setattr__": _refuse_to_assign,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
