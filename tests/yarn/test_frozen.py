"""Values: what `dataclass` makes of a class, made late."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass, field

import pytest

from yarnbox.yarn.frozen import frozen


@frozen
class Place:
    host: str
    port: int = 8030
    racks: list[str] = field(default_factory=list)


@frozen
class Seat(Place):
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    host: str
    port: int = 8030
    racks: list[str] = field(default_factory=list)


@frozen
class Named:
    name: str

    def __repr__(self) -> str:
        return f"it is {self.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())


@frozen
class Login:
    user: str
    secret: str = field(default="", repr=False, compare=False)


def test_what_a_field_says_of_itself_holds() -> None:
    assert repr(Login(user="a", secret="b")) == "Login(user='a')"
    assert Login(user="a", secret="b") == Login(user="a", secret="c")


def test_it_is_what_dataclass_makes() -> None:
    place, twin = Place(host="a"), Twin(host="a")
    assert repr(place) == repr(twin).replace("Twin", "Place")
    assert dataclasses.asdict(place) == dataclasses.asdict(twin)
    assert place == Place(host="a", port=8030, racks=[])
    assert place != Place(host="b")
    assert dataclasses.replace(place, port=1) == Place(host="a", port=1)
    assert place.racks is not Place(host="a").racks
    assert not hasattr(place, "__dict__")


def test_whichever_method_comes_first_is_there() -> None:
    @frozen
    class Point:
        x: int

    bare = object.__new__(Point)
    object.__setattr__(bare, "x", 1)
    assert hash(bare) == hash((1,))
    assert bare == Point(x=1)
    assert "Point(x=1)" in repr(bare)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(
        TypeError, match=r"Place\.__init__\(\) missing 1 required keyword-only argument: 'host'"
    ):
        Place()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        Place("a")  # type: ignore[call-arg]
    assert list(inspect.signature(Place).parameters) == ["host", "port", "racks"]


def test_it_belongs_to_its_class_as_soon_as_it_is_made() -> None:
    for one in (Place(host="a"), Seat(host="a", row=1), Named(name="a")):
        assert type(one) in (Place, Seat, Named)
        assert type(one).__init__.__qualname__ == f"{type(one).__name__}.__init__"
    assert Place(host="a", racks=(given := ["r"])).racks is given


def test_nothing_of_it_can_be_changed() -> None:
    place = Place(host="a")
    with pytest.raises(FrozenInstanceError, match="'host'"):
        place.host = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="'host'"):
        del place.host
    with pytest.raises(FrozenInstanceError):
        place.other = 1  # type: ignore[attr-defined]
    assert place == Place(host="a")


def test_fields_are_inherited() -> None:
    seat = Seat(host="a", row=3)
    assert (seat.host, seat.port, seat.row) == ("a", 8030, 3)
    assert isinstance(seat, Place)
    assert seat != Place(host="a")
    assert "row=3" in repr(seat)


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
