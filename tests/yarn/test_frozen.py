"""Values: they cannot be changed, and look like dataclasses to those who are given one."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import dataclass
from typing import Any

import pytest
from msgspec import field

from yarnbox.yarn.frozen import Frozen, frozen


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
