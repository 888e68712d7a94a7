"""Which points of a space are tried: every one, some by chance, or those that Optuna suggests.

A method answers batches, and hears what came of each before the next one. Batches are always as large, so the
number of workers decides nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from random import Random
from typing import Any, Protocol

from yarnbox.sim.whatif.search.space import Dimension, Point, Space
from yarnbox.sim.whatif.search.trials import Goal, Trial
from yarnbox.sim.whatif.variants import InvalidChangeError

BATCH = 4


class Method(Protocol):
    """A way through a space."""

    def batch(self, most: int) -> Sequence[Point]:
        """The next points, none where there is nothing left to try."""
        ...

    def told(self, trial: Trial) -> None:
        """What came of one, in this search or in the one that it continues."""
        ...


class Grid:
    """Every point, the last property varied fastest."""

    def __init__(self, space: Space, goals: Sequence[Goal], seed: int) -> None:
        for one in space.dimensions:
            if not one.values:
                raise InvalidChangeError(f"--vary {one.name}: a grid needs a step, as in 20..60/5")
        self._left = _grid(space)
        self._known: dict[tuple[tuple[str, str], ...], None] = {}

    def batch(self, most: int) -> Sequence[Point]:
        new = (point for point in self._left if tuple(point.items()) not in self._known)
        return list(islice(new, min(most, BATCH)))

    def told(self, trial: Trial) -> None:
        self._known[tuple(trial.point.items())] = None


def _grid(space: Space) -> Iterator[Point]:
    names = [one.name for one in space.dimensions]
    for values in product(*(one.values for one in space.dimensions)):
        yield dict(zip(names, values, strict=True))


class Drawn:
    """Points by chance, none of them twice."""

    _MOST_TRIES = 1000

    def __init__(self, space: Space, goals: Sequence[Goal], seed: int) -> None:
        self._space, self._seed, self._drawn = space, seed, 0
        self._known: dict[tuple[tuple[str, str], ...], None] = {}

    def batch(self, most: int) -> Sequence[Point]:
        found: list[Point] = []
        for _ in range(self._MOST_TRIES):
            if len(found) == min(most, BATCH):
                break
            point = self._space.drawn(Random(f"{self._seed}/search/{self._drawn}"))
            self._drawn += 1
            key = tuple(point.items())
            if key not in self._known:
                self._known[key] = None
                found.append(point)
        return found

    def told(self, trial: Trial) -> None:
        self._known[tuple(trial.point.items())] = None


class Suggested:
    """Points that Optuna's tree-structured Parzen estimator suggests; constraints are made known to it."""

    def __init__(self, space: Space, goals: Sequence[Goal], seed: int) -> None:
        try:
            self._optuna: Any = importlib.import_module("optuna")
        except ImportError:
            raise InvalidChangeError("--method optuna needs Optuna: pip install 'yarnbox[search]'") from None
        self._optuna.logging.set_verbosity(self._optuna.logging.WARNING)
        self._space = space
        self._ways = {one.name: self._way(one) for one in space.dimensions}
        self._goals = goals
        self._asked: dict[tuple[tuple[str, str], ...], Any] = {}
        self._study = self._optuna.create_study(
            directions=["minimize" if goal.is_least else "maximize" for goal in goals],
            sampler=self._optuna.samplers.TPESampler(seed=seed, n_startup_trials=2 * BATCH),
        )

    def _way(self, one: Dimension) -> Any:
        kinds = self._optuna.distributions
        if one.values:
            return kinds.IntDistribution(0, len(one.values) - 1)
        return kinds.FloatDistribution(one.low, one.high)

    def batch(self, most: int) -> Sequence[Point]:
        found = []
        for _ in range(min(most, BATCH)):
            asked = self._study.ask(self._ways)
            point = {one.name: self._text(one, asked.params[one.name]) for one in self._space.dimensions}
            self._asked[tuple(point.items())] = asked
            found.append(point)
        return found

    @staticmethod
    def _text(one: Dimension, value: float) -> str:
        return one.values[int(value)] if one.values else one.text(value)

    @staticmethod
    def _number(one: Dimension, text: str) -> float:
        return one.values.index(text) if one.values else float(text.removesuffix(one.suffix))

    def told(self, trial: Trial) -> None:
        asked = self._asked.pop(tuple(trial.point.items()), None)
        state = self._optuna.trial.TrialState
        values = self._values(trial)
        if asked is not None:
            self._study.tell(asked, values, state=state.COMPLETE if values else state.FAIL)
            return
        if values is None:
            return
        params = {one.name: self._number(one, trial.point[one.name]) for one in self._space.dimensions}
        made = self._optuna.trial.create_trial(params=params, distributions=self._ways, values=values)
        self._study.add_trial(made)

    def _values(self, trial: Trial) -> list[float] | None:
        """The goals; of a trial that breaks a constraint far worse than any."""
        if trial.goals is None:
            return None
        if trial.is_feasible:
            return list(trial.goals)
        return [
            value + (1 if goal.is_least else -1) * (1 + 10 * abs(value))
            for value, goal in zip(trial.goals, self._goals, strict=True)
        ]


METHODS: Mapping[str, type[Grid] | type[Drawn] | type[Suggested]] = {
    "grid": Grid,
    "random": Drawn,
    "optuna": Suggested,
}
