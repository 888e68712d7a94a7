"""Plays the points of a search and judges them. The base is played once, and compared with every point."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from yarnbox.sim.load.formats import Load
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.conditions import Condition, InvalidConditionError, check_groups, judge
from yarnbox.sim.whatif.engines.pool import Done, Engine
from yarnbox.sim.whatif.search.methods import Method
from yarnbox.sim.whatif.search.space import Point, Space
from yarnbox.sim.whatif.search.trials import Goal, Trial, TrialFile
from yarnbox.sim.whatif.study import Case, Played, Study, check
from yarnbox.sim.whatif.variants import Change, InvalidChangeError, Variant, changed
from yarnbox.yarn.configuration import Configuration


@dataclass(kw_only=True)
class Search:
    """What is looked for, where, and how good points are judged."""

    study: Study
    """The base alone."""
    space: Space
    goals: Sequence[Goal]
    constraints: Sequence[tuple[str, Condition]]
    confidence: float
    engine: Engine
    done: Done
    _base: dict[Case, Played] = field(default_factory=dict)

    def digest(self) -> str:
        """By which searches of the same load and base are known."""
        return hashlib.sha256(repr(self.study).encode()).hexdigest()

    def run(self, method: Method, file: TrialFile, most: int, told: Callable[[Trial], None]) -> None:
        """Until there are so many trials in the file, or nothing is left to try. What goals and constraints
        ask for is looked up in the base, before any point is played.
        """
        self.base_goals()
        groups = Comparison(self.study, self._base_plays(), self.confidence).groups()
        for text, condition in self.constraints:
            check_groups(condition, text, groups)
        for trial in file.known:
            method.told(trial)
        while len(file.known) < most:
            points = method.batch(most - len(file.known))
            if not points:
                return
            trials = self._trials(points, len(file.known))
            file.add(trials)
            for trial in trials:
                method.told(trial)
                told(trial)

    def base_goals(self) -> tuple[float, ...]:
        """What the base itself comes to."""
        return self._goals(Comparison(self.study, self._base_plays(), self.confidence), 0)

    def _trials(self, points: Sequence[Point], number: int) -> list[Trial]:
        refused: dict[int, str] = {}
        variants: dict[int, Variant] = {}
        for place, point in enumerate(points):
            try:
                variants[place] = self._variant(point)
            except InvalidChangeError as error:
                refused[place] = str(error)
        plays = self._plays(tuple(variants.values()))
        found = []
        for place, point in enumerate(points):
            if place in refused:
                trial = Trial(
                    number=number + place, point=point, goals=None, is_feasible=False, why=refused[place]
                )
            else:
                variant = list(variants).index(place) + 1
                trial = self._judged(number + place, point, plays, variant)
            found.append(trial)
        return found

    def definitions(self, point: Point) -> Mapping[str, str]:
        """The properties of a point, those of queues that take the rest among them."""
        with self.study.variants[0].provider(Load.of(self.study.jobs)) as provider:
            configuration: Configuration = provider.load("yarn-site.xml", "capacity-scheduler.xml")
            return self.space.definitions(point, configuration)

    def _variant(self, point: Point) -> Variant:
        base = self.study.variants[0]
        definitions = self.definitions(point)
        name = ", ".join(f"{name}={value}" for name, value in definitions.items())
        variant = changed(base, Change(name=name, definitions=definitions))
        check(replace(self.study, variants=(variant,)))
        return variant

    def _base_plays(self) -> Mapping[Case, Played]:
        if not self._base:
            self._base.update(self.engine.run(self.study, self.study.cases, self.done))
        return self._base

    def _plays(self, variants: Sequence[Variant]) -> Comparison:
        study = replace(self.study, variants=(self.study.variants[0], *variants))
        cases = [case for case in study.cases if case.variant]
        plays = {**self._base_plays(), **self.engine.run(study, cases, self.done)} if cases else self._base
        return Comparison(study, plays, self.confidence)

    def _judged(self, number: int, point: Point, comparison: Comparison, variant: int) -> Trial:
        broken = [
            text
            for text, condition in self.constraints
            if not judge(condition, text, comparison, variant).holds
        ]
        return Trial(
            number=number,
            point=point,
            goals=self._goals(comparison, variant),
            is_feasible=not broken,
            why="".join(f"not {text}; " for text in broken).removesuffix("; "),
        )

    def _goals(self, comparison: Comparison, variant: int) -> tuple[float, ...]:
        found = []
        for goal in self.goals:
            known = comparison.groups()
            groups = goal.target.groups(known)
            if not groups:
                raise InvalidConditionError(goal.text, 4, goal.target.nobody(known))
            if len(groups) > 1:
                raise InvalidConditionError(goal.text, 4, f"one group is wanted, not {', '.join(groups)}")
            values = comparison.values(variant, groups[0], goal.target.metric.name)
            there = [value for value in values if value is not None]
            worst = float("inf") if goal.is_least else float("-inf")
            found.append(round(fmean(there), 6) if len(there) == len(values) else worst)
        return tuple(found)
