"""The space of a search: properties, the values that each may take, and queues that take the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import prod
from random import Random

from yarnbox.sim.whatif.variants import InvalidChangeError
from yarnbox.yarn.configuration import Configuration

PREFIX = "yarn.scheduler.capacity."
MOST_VALUES = 10_000
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(
    rf"(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})(?:/(?P<step>\d+(?:\.\d+)?))?(?P<suffix>w|%)?"
)
Point = Mapping[str, str]
"""A value for each property."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One property, and the values that it may take."""

    name: str
    values: tuple[str, ...] = ()
    """In order; () where it may be anything from low to high."""
    low: float = 0.0
    high: float = 0.0
    suffix: str = ""

    def at(self, share: float) -> str:
        """The value at that share of the way, from 0 to below 1."""
        if self.values:
            return self.values[int(share * len(self.values))]
        return self.text(self.low + share * (self.high - self.low))

    def text(self, value: float) -> str:
        """A number between low and high as a property's value."""
        return f"{value:.6g}{self.suffix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """All that is varied."""

    dimensions: tuple[Dimension, ...]
    rest: tuple[str, ...] = ()
    """Queues whose capacity is what their siblings leave of 100."""

    @property
    def size(self) -> int | None:
        """How many points there are; None where a property may have any value between two."""
        values = [len(one.values) for one in self.dimensions]
        return prod(values) if all(values) else None

    def drawn(self, chance: Random) -> Point:
        """A point by chance."""
        return {one.name: one.at(chance.random()) for one in self.dimensions}

    def definitions(self, point: Point, base: Configuration) -> dict[str, str]:
        """The properties of a point, those of queues that take the rest among them."""
        found = dict(point)
        for queue in self.rest:
            parent, _, name = queue.rpartition(".")
            children = base.strings(f"{PREFIX}{parent}.queues")
            if name not in children:
                raise InvalidChangeError(f"--rest {queue}: is no queue; {parent} has {', '.join(children)}")
            siblings = [one for one in children if one != name]
            names = [f"{PREFIX}{parent}.{one}.capacity" for one in siblings]
            taken = sum(_percent(found.get(one) or base.value(one), one) for one in names)
            found[f"{PREFIX}{queue}.capacity"] = f"{100 - taken:f}"
        return found


def _percent(text: str | None, name: str) -> Decimal:
    if text is None or not re.fullmatch(r"\d+(\.\d+)?", text):
        raise InvalidChangeError(f"--rest: {name} is {text or 'not set'}: percentages alone leave a rest")
    return Decimal(text)


def read_space(texts: Sequence[str], rest: Sequence[str]) -> Space:
    """InvalidChangeError says what is wrong."""
    dimensions = tuple(read_dimension(text) for text in texts)
    names = [one.name for one in dimensions]
    for name in names:
        if names.count(name) > 1:
            raise InvalidChangeError(f"--vary {name}: is given twice")
    for queue in rest:
        if not queue.startswith("root.") or f"{PREFIX}{queue}.capacity" in names:
            raise InvalidChangeError(f"--rest {queue}: is no queue below root whose capacity is not varied")
    return Space(dimensions=dimensions, rest=tuple(rest))


def read_dimension(text: str) -> Dimension:
    """`root.etl.capacity=20..60/5`, `...=0.5..2`, `...=fifo|fair`."""
    name, equals, values = text.partition("=")
    name, values = name.strip(), values.strip()
    if not equals or not name or not values:
        raise InvalidChangeError(
            f"--vary {text}: is not of the form PROPERTY=LOW..HIGH/STEP, =LOW..HIGH or =A|B"
        )
    name = PREFIX + name if name.split(".")[0] == "root" else name
    if ".." not in values:
        return Dimension(name=name, values=tuple(one.strip() for one in values.split("|")))
    match = _RANGE.fullmatch(values)
    if match is None:
        raise InvalidChangeError(f"--vary {text}: {values} is not of the form LOW..HIGH or LOW..HIGH/STEP")
    low, high, suffix = Decimal(match["low"]), Decimal(match["high"]), match["suffix"] or ""
    if low > high:
        raise InvalidChangeError(f"--vary {text}: {low} is more than {high}")
    if match["step"] is None:
        return Dimension(name=name, low=float(low), high=float(high), suffix=suffix)
    step = Decimal(match["step"])
    if not step:
        raise InvalidChangeError(f"--vary {text}: a step is more than 0")
    if (high - low) / step >= MOST_VALUES:
        raise InvalidChangeError(f"--vary {text}: more than {MOST_VALUES} values")
    found = [
        f"{(low + step * number).normalize():f}{suffix}" for number in range(int((high - low) / step) + 1)
    ]
    return Dimension(name=name, values=tuple(found))
