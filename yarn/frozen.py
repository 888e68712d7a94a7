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
    """Takes the methods from a class that `dataclass` makes with the same fields; all but `__init__`."""
    fields = [
        (one.name, one.type, dataclasses.field(**{name: getattr(one, name) for name in _OF_A_FIELD}))
        for one in dataclasses.fields(cls)
    ]
    twin = dataclasses.make_dataclass(cls.__qualname__, fields, frozen=True, kw_only=True, init=False)
    for name in late:
        setattr(cls, name, _init_of(cls) if name == "__init__" else getattr(twin, name))


def _init_of(cls: type[Any]) -> Callable[..., None]:
    """The one of `dataclass` sets each field of a frozen object by a call of `object.__setattr__`. Here the
    object belongs to an open class of the same shape while its fields are set, which takes half the time.
    """
    missing = dataclasses.MISSING
    open_to_all = {name: getattr(object, name) for name in ("__setattr__", "__delattr__")}
    names: dict[str, Any] = {
        "__name__": cls.__module__,
        "_become": object.__setattr__,
        "_open": type(cls.__name__, cls.__bases__, {"__slots__": vars(cls)["__slots__"], **open_to_all}),
        "_frozen": cls,
        "_MISSING": missing,
    }
    parameters, lines = "self, *", ["_become(self, '__class__', _open)"]
    for one in dataclasses.fields(cls):
        parameters, value = f"{parameters}, {one.name}", one.name
        if one.default_factory is not missing:
            names[f"_make_{one.name}"] = one.default_factory
            parameters += "=_MISSING"
            value = f"_make_{one.name}() if {one.name} is _MISSING else {one.name}"
        elif one.default is not missing:
            names[f"_default_{one.name}"] = one.default
            parameters += f"=_default_{one.name}"
        lines.append(f"self.{one.name} = {value}")
    # A function with these parameters can be had only from its text; `dataclass` makes its methods so, too.
    body = "\n ".join([*lines, "self.__class__ = _frozen"])
    exec(f"def __init__({parameters.removesuffix(', *')}):\n {body}", names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


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
