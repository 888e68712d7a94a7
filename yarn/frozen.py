"""The base of values that are made all the time, such as records and events: they cost little.

They are structs of msgspec: a ResourceManager makes a handful for every heartbeat and a dozen for every
container, and imports 500 such classes. Structs are made in C, in a fifth of the time that a frozen dataclass
takes, and defined in a tenth. To those who are given one it looks like a dataclass: `dataclasses.fields`,
`replace` and `asdict` take it. The `replace` here takes these values alone, in a tenth of the time.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast, dataclass_transform

import msgspec

if TYPE_CHECKING:
    from dataclasses import replace as replace  # whose arguments mypy knows
else:
    from msgspec.structs import replace as replace

T = TypeVar("T")
Fields = dict[str, dataclasses.Field[Any]]


_NOTHING_BUT_FIELDS: dict[str, Any] = {
    **dict.fromkeys(("init", "repr", "eq", "match_args"), False),
    "kw_only": True,
    "namespace": {"__doc__": "No methods, and no text with their signatures: they take 9/10 of the time."},
}


class _FieldsOnDemand:
    """`__dataclass_fields__` of a class and its values."""

    def __init__(self) -> None:
        self._known: dict[type[Any], Fields] = {}

    def __get__(self, instance: object, owner: type[Any]) -> Fields:
        found = self._known.get(owner)
        if found is None:
            twin: Any = dataclasses.make_dataclass(owner.__name__, _declared(owner), **_NOTHING_BUT_FIELDS)
            found = self._known[owner] = twin.__dataclass_fields__
        return found


class Frozen(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A value: nothing of it can be changed, and its fields are given by name. Classes that inherit from it
    say `frozen=True, kw_only=True` themselves.

    A value is made of values, so no way leads from it back to itself: the search for cyclic garbage leaves
    values out, which makes them cheaper to make, too.
    """

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[Fields]
    else:
        __dataclass_fields__ = _FieldsOnDemand()


@dataclass_transform(frozen_default=True, kw_only_default=True)
def frozen(cls: type[T]) -> type[T]:
    """Makes such a class of one that inherits nothing, whose defaults were put there after its body."""
    names = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    return cast("type[T]", msgspec.StructMeta(cls.__name__, (Frozen,), names, frozen=True, kw_only=True))


def _declared(cls: type[Any]) -> Iterator[tuple[str, Any, dataclasses.Field[Any]]]:
    """Each field as make_dataclass wants it, with its annotation unread."""
    kinds: dict[str, Any] = {}
    for one in reversed(cls.__mro__):
        kinds |= vars(one).get("__annotations__", {})
    names, defaults = cls.__struct_fields__, cls.__struct_defaults__
    missing = (msgspec.NODEFAULT,) * (len(names) - len(defaults))
    for name, default in zip(names, (*missing, *defaults), strict=True):
        if default is msgspec.NODEFAULT:
            yield name, kinds[name], dataclasses.field()
        elif isinstance(default, _FACTORY):
            yield name, kinds[name], dataclasses.field(default_factory=default.factory)
        else:
            yield name, kinds[name], dataclasses.field(default=default)


class _Example(msgspec.Struct):
    made: list[int] = msgspec.field(default_factory=list)


_FACTORY: Any = type(_Example.__struct_defaults__[0])
"""What msgspec keeps of a `default_factory`."""
