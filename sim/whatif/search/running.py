"""Plays the points of a search and judges them. The base is played once, and compared with every point."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from yarnbox.sim.load.formats import Load
from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.conditions import Condition, InvalidConditionError, check_groups, judge
from yarnbox.sim.whatif.engines.pool import Done, Engine
from yarnbox.sim.whatif.search.methods import Method
from yarnbox.sim.whatif.search.space import Point, Space
from yarnbox.sim.whatif.search.trials import BaseFile, Goal, Trial, TrialFile
from yarnbox.sim.whatif.study import Case, Played, Study, check
from yarnbox.sim.whatif.variants import Change, InvalidChangeError, Variant, changed
from yarnbox.yarn.configuration import Configuration


def digest(study: Study) -> str:
    """By which searches of the same load and base are known."""
    return hashlib.sha256(repr(study).encode()).hexdigest()


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
    base: BaseFile

    def run(self, method: Method, file: TrialFile, most: int) -> None:
        """Until there are so many trials in the file, or nothing is left to try. What goals and constraints
        ask for is looked up in the base, before any point is played.
        """
        self.base_goals()
        groups = self._comparison().groups()
        for text, condition in self.constraints:
            check_groups(condition, text, groups)
        for trial in file.known:
            method.told(trial)
        while len(file.known) < most:
            points = method.batch(most - len(file.known))
            if not points:
                return
            begun = len(file.known)
            self._try(points, file)
            file.sort_by_number()
            for trial in sorted(file.known[begun:], key=lambda one: one.number):
                method.told(trial)

    def base_goals(self) -> tuple[float, ...]:
        """What the base itself comes to."""
        return self._goals(self._comparison(), 0)

    def _try(self, points: Sequence[Point], file: TrialFile) -> None:
        """Plays them, and adds each to the file when its last play is over."""
        begun: list[Trial] = []
        variants: list[Variant] = []
        for number, point in zip(file.free_numbers(), points, strict=False):
            try:
                variants.append(self._variant(point))
                begun.append(Trial(number=number, point=point, goals=None, is_feasible=False))
            except InvalidChangeError as error:
                file.add(Trial(number=number, point=point, goals=None, is_feasible=False, why=str(error)))
        study = replace(self.study, variants=(*self.study.variants, *variants))
        plays: dict[int, list[Played]] = {place: [] for place in range(1, len(study.variants))}

        def done(played: Played) -> None:
            self.done(played)
            place = played.case.variant
            plays[place].append(played)
            if len(plays[place]) == len(study.seeds):
                file.add(self._judged(begun[place - 1], variants[place - 1], plays.pop(place)))

        if variants:
            self.engine.run(study, sorted(case for case in study.cases if case.variant), done)

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

    def _comparison(self, variants: tuple[Variant, ...] = (), plays: Sequence[Played] = ()) -> Comparison:
        """Of the base, and of a variant beside it."""
        known = self.base.known
        left = [case for case in self.study.cases if case not in known]
        if left:
            self.engine.run(self.study, left, self._base_done)
        study = replace(self.study, variants=(*self.study.variants, *variants))
        return Comparison(study, {**known, **{Case(1, one.case.seed): one for one in plays}}, self.confidence)

    def _base_done(self, played: Played) -> None:
        self.done(played)
        self.base.add(played)

    def _judged(self, trial: Trial, variant: Variant, plays: Sequence[Played]) -> Trial:
        comparison = self._comparison((variant,), plays)
        broken = [
            text for text, condition in self.constraints if not judge(condition, text, comparison, 1).holds
        ]
        return replace(
            trial,
            goals=self._goals(comparison, 1),
            is_feasible=not broken,
            why="; ".join(f"not {text}" for text in broken),
        )

    def _goals(self, comparison: Comparison, variant: int) -> tuple[float, ...]:
        found = []
        for goal in self.goals:
            known = comparison.groups()
            groups = goal.target.groups(known)
            if not groups:
                raise InvalidConditionError(goal.text, 4, goal.target.nobody(known))
            if len(groups) > 1:
                raise InvalidConditionError(goal.text, 4, f"name one group, not {', '.join(groups)}")
            values = comparison.values(variant, groups[0], goal.target.metric.name)
            there = [value for value in values if value is not None]
            worst = float("inf") if goal.is_least else float("-inf")
            found.append(round(fmean(there), 6) if len(there) == len(values) else worst)
        return tuple(found)
