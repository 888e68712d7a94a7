"""What an experiment is: the plays that it consists of, and what they come to together.

A play is a pure function of its case, so that plays run in any process and in any order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

from yarnbox.sim.paper.figures import Outcome, Spread

Found = Mapping[str, float]
"""What one play came to, by name."""


class Scale(Enum):
    """How much is played."""

    SMALL = "small"
    """Enough to see the shapes; for tests."""
    USUAL = "usual"
    FULL = "full"
    """More seeds and whole loads: for figures that are to be quoted."""

    @property
    def is_small(self) -> bool:
        """Whether shapes are enough."""
        return self is Scale.SMALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One play of an experiment."""

    experiment: str
    what: tuple[str | float, ...]
    """What is played, as its experiment understands it."""
    seed: int
    scale: Scale


class Findings:
    """What the plays of an experiment came to."""

    def __init__(self, plays: Mapping[Case, Found]) -> None:
        self._plays = plays

    def all(self, *what: str | float) -> list[Found]:
        """Of this case, seed by seed."""
        return [found for case, found in self._plays.items() if case.what == what]

    def mean(self, name: str, *what: str | float) -> float:
        """One figure of this case, over all seeds."""
        return self.spread(name, *what).mean

    def spread(self, name: str, *what: str | float) -> Spread:
        """One figure of this case: mean, least and most of all seeds."""
        return Spread.of([found[name] for found in self.all(*what)])


class Experiment(ABC):
    """One experiment."""

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    """Where it was published."""
    about: ClassVar[str]
    """What is played: a paragraph in Markdown."""
    is_long: ClassVar[bool] = False
    """Whether a single play takes many seconds."""

    @abstractmethod
    def cases(self, scale: Scale) -> Iterable[tuple[str | float, ...]]:
        """What is played under each seed."""

    def seeds(self, scale: Scale) -> int:
        """Under how many seeds each case is played."""
        return 1

    @abstractmethod
    def play(self, case: Case) -> Found:
        """One play."""

    @abstractmethod
    def outcome(self, findings: Findings, scale: Scale) -> Outcome:
        """What all plays came to."""

    def plays(self, scale: Scale, first_seed: int) -> tuple[Case, ...]:
        return tuple(
            Case(experiment=self.name, what=what, seed=seed, scale=scale)
            for what in self.cases(scale)
            for seed in range(first_seed, first_seed + self.seeds(scale))
        )
