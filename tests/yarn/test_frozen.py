"""Values: they cannot be changed, and look like dataclasses to those who are given one."""

from __future__ import annotations

import copy
import dataclasses
import gc
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

import pytest
from msgspec import field

import yarnbox.rm.events
import yarnbox.yarn.records
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.frozen import Frozen, frozen
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.acl import AccessControlList


class Place(Frozen, frozen=True, kw_only=True):
    host: str
    port: int = 8030
    racks: list[str] = field(default_factory=list)


class Seat(Place, frozen=True, kw_only=True):
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    host: str
    port: int = 8030
    racks: list[str] = dataclasses.field(default_factory=list)


class Named(Frozen, frozen=True, kw_only=True):
    name: str

    def __repr__(self) -> str:
        return f"it is {self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())


class Declared:
    """As a settings class is declared."""

    size: int
    name: str = "x"

    @property
    def is_large(self) -> bool:
        return self.size > 1


Declared.size = 3
Made: Any = frozen(Declared)


def test_it_is_what_dataclass_makes() -> None:
    place, twin = Place(host="a"), Twin(host="a")
    assert repr(place) == repr(twin).replace("Twin", "Place")
    assert dataclasses.asdict(place) == dataclasses.asdict(twin)
    assert place == Place(host="a", port=8030, racks=[])
    assert place != Place(host="b")
    assert dataclasses.replace(place, port=1) == Place(host="a", port=1)
    assert place.racks is not Place(host="a").racks
    assert not hasattr(place, "__dict__")
    for mine, other in zip(dataclasses.fields(Place), dataclasses.fields(Twin), strict=True):
        assert (mine.name, mine.type, mine.default, mine.default_factory) == (
            other.name,
            other.type,
            other.default,
            other.default_factory,
        )
    with pytest.raises(TypeError, match="colour"):
        dataclasses.replace(place, colour="red")  # type: ignore[call-arg]


def test_equal_ones_have_one_hash() -> None:
    class Point(Frozen, frozen=True, kw_only=True):
        name: str

    assert hash(Point(name="a")) == hash(Point(name="a"))
    assert len({Point(name="a"), Point(name="a"), Point(name="b")}) == 2
    assert Point(name="a") != Named(name="a")
    with pytest.raises(TypeError, match="unhashable"):
        hash(Place(host="a"))


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(TypeError, match="'host'"):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'colour'"):
        Place(host="a", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Place("a")  # type: ignore[call-arg]
    assert list(inspect.signature(Place).parameters) == ["host", "port", "racks"]


def test_nothing_of_it_can_be_changed() -> None:
    place = Place(host="a")
    with pytest.raises(AttributeError):
        place.host = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del place.host
    with pytest.raises(AttributeError):
        place.other = 1  # type: ignore[attr-defined]
    assert place == Place(host="a")


def test_fields_are_inherited() -> None:
    seat = Seat(host="a", row=3)
    assert (seat.host, seat.port, seat.row) == ("a", 8030, 3)
    assert isinstance(seat, Place)
    assert seat != Place(host="a")
    assert repr(seat) == "Seat(host='a', port=8030, racks=[], row=3)"
    assert [one.name for one in dataclasses.fields(seat)] == ["host", "port", "racks", "row"]
    assert dataclasses.replace(seat, row=4).row == 4


def test_it_is_copied_and_pickled() -> None:
    seat = Seat(host="a", row=3, racks=["r"])
    assert not gc.is_tracked(seat)
    copied = copy.deepcopy(seat)
    assert copied == seat
    assert copied.racks is not seat.racks
    assert pickle.loads(pickle.dumps(seat)) == copy.copy(seat) == seat


def test_what_a_class_says_itself_stays() -> None:
    assert repr(Named(name="A")) == "it is A"
    assert Named(name="A") == Named(name="a")
    assert hash(Named(name="A")) == hash(Named(name="a"))


def test_a_declared_class_keeps_what_was_put_into_it() -> None:
    assert (Made().size, Made().name) == (3, "x")
    assert Made().is_large
    assert dataclasses.replace(Made(), size=1) == Made(size=1)
    with pytest.raises(AttributeError):
        Made().size = 4


PLAIN = (Frozen, Enum, tuple, str, int, float, bool, bytes, NoneType, Resource, Address, AccessControlList)
HOLDERS = (tuple, Mapping, Union, UnionType)


def parts(kind: Any) -> Iterator[Any]:
    """What a type is made of, down to what holds nothing else."""
    if get_origin(kind) is ClassVar:
        return
    inner = [one for one in get_args(kind) if one is not Ellipsis]
    for one in inner:
        yield from parts(one)
    if not inner or get_origin(kind) not in HOLDERS:
        yield get_origin(kind) or kind


def heirs(of: type[Frozen]) -> Iterator[type[Frozen]]:
    for one in of.__subclasses__():
        yield one
        yield from heirs(one)


def test_events_and_records_are_made_of_values_and_left_out_of_the_search_for_garbage() -> None:
    for package in (yarnbox.rm.events, yarnbox.yarn.records):
        for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    ours = ("yarnbox.rm.events", "yarnbox.yarn.")
    kinds = [one for one in heirs(Frozen) if one.__module__.startswith(ours)]
    assert len(kinds) > 200
    for kind in kinds:
        assert not kind.__struct_config__.gc, kind
        for name, declared in get_type_hints(kind).items():
            odd = [one for one in parts(declared) if not (isinstance(one, type) and issubclass(one, PLAIN))]
            assert not odd, f"{kind.__name__}.{name} may lead back to the value: {odd}"
