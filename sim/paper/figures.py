"""What an experiment comes to: figures with their origin, in tables and plots.

A figure of the literature keeps the letter of its origin wherever it is shown. Only S, P and D may be judged
by; what is recalled (R) stands beside, and what is unknown is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Where a figure comes from."""

    S = "S"
    P = "P"
    D = "D"
    R = "R"
    T = "T"


ORIGINS = {
    Origin.S: "the report UCB/EECS-2009-55, sections 1 to 3, as published in translation",
    Origin.P: "a public page: an abstract, reading notes or a transcription of the paper",
    Origin.D: "derived: the derivation is in the text",
    Origin.R: "recalled from the printed paper and confirmed by no public page: printed, never judged by",
    Origin.T: "computed from the published SWIM trace FB-2009",
}


class Unit(StrEnum):
    """How a value is read."""

    SHARE = "share"
    SECONDS = "seconds"
    COUNT = "count"
    FACTOR = "factor"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigure:
    """A figure of the literature or of theory."""

    value: float | str
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A figure over several seeds."""

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Mean, least and most."""
        return cls(mean=sum(values) / len(values), low=min(values), high=max(values))


Value = float | str | Spread | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured figure beside what is known of it."""

    of: str
    literature: PublishedFigure | None = None
    theory: PublishedFigure | None = None
    here: tuple[Value, ...]
    """One for each column of the table."""
    unit: Unit | None = None
    """None: the table's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of one kind; `here` names what was played."""

    name: str
    title: str
    of: str
    unit: Unit
    here: tuple[str, ...] = ("here",)
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a plot."""

    name: str
    points: tuple[tuple[float, float], ...]
    is_theory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """Lines over one axis."""

    name: str
    title: str
    x: str
    y: str
    unit: Unit
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an experiment came to."""

    tables: tuple[Table, ...]
    plots: tuple[Plot, ...] = ()
    remarks: str = ""
    """What it shows, and where it differs from literature or theory, and why: paragraphs in Markdown."""


def value_text(value: Value, unit: Unit) -> str:
    """A value for people; nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, Spread):
        if value.low == value.high:
            return value_text(value.mean, unit)
        low, high = value_text(value.low, unit), value_text(value.high, unit)
        return f"{value_text(value.mean, unit)} ({low} to {high})"
    if isinstance(value, str):
        return value
    if unit is Unit.SHARE:
        return f"{100 * value:.1f} %"
    if unit is Unit.SECONDS:
        return f"{value:.1f} s"
    if unit is Unit.FACTOR:
        return f"{value:.2f}"
    return f"{value:.4g}" if value != int(value) else str(int(value))


def said_text(said: PublishedFigure | None, unit: Unit) -> str:
    """The same with the letter of its origin."""
    if said is None:
        return ""
    unconfirmed = ", unconfirmed" if said.origin is Origin.R else ""
    return f"{value_text(said.value, unit)} [{said.origin}{unconfirmed}]"
