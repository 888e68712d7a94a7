"""What the plays of a study come to: a row for each change, group and metric, largest regression first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from math import inf
from operator import attrgetter
from statistics import fmean
from typing import Any

from yarnbox.sim.whatif.metrics import ALL, METRICS, SCOPES, Better, Metric
from yarnbox.sim.whatif.statistics import Difference, Verdict, difference
from yarnbox.sim.whatif.study import Case, Played, Study

CONFIDENCE = 0.95
_ORDER = (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED, Verdict.UNKNOWN, Verdict.NOISE, Verdict.SAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of one group, under the base and under a change."""

    change: str
    group: str
    metric: Metric
    base: float | None
    """Means over seeds."""
    changed: float | None
    difference: Difference | None
    base_values: tuple[float | None, ...]
    """By seed."""
    changed_values: tuple[float | None, ...]

    @property
    def relative(self) -> float | None:
        """The difference over the base; None where the base is 0."""
        if self.difference is None or not self.base:
            return None
        return self.difference.mean / abs(self.base)

    @property
    def verdict(self) -> Verdict:
        """What can be said of it."""
        found = self.difference
        if found is None:
            return Verdict.UNKNOWN
        if found.is_none:
            return Verdict.SAME
        if found.low is None:
            return Verdict.UNKNOWN
        if not found.is_certain:
            return Verdict.NOISE
        return self.direction

    @property
    def direction(self) -> Verdict:
        """Which way it went, certain or not."""
        if self.difference is None:
            return Verdict.UNKNOWN
        if not self.difference.mean:
            return Verdict.SAME
        if self.metric.better is Better.NEITHER:
            return Verdict.CHANGED
        is_good = (self.difference.mean > 0) == (self.metric.better is Better.HIGHER)
        return Verdict.BETTER if is_good else Verdict.WORSE

    @property
    def size(self) -> float:
        """How large the difference is beside the base, whichever way it went; infinite where that is 0."""
        if self.difference is None or not self.difference.mean:
            return 0.0
        return inf if self.relative is None else abs(self.relative)

    def data(self) -> dict[str, Any]:
        """Plain values, by column: what JSON, CSV, pandas and polars take."""
        found = self.difference
        scope, _, name = self.group.partition(":")
        return {
            "change": self.change,
            "scope": scope,
            "name": name,
            "metric": self.metric.name,
            "unit": self.metric.unit.value,
            "verdict": self.verdict.value,
            "base": _rounded(self.base),
            "changed": _rounded(self.changed),
            "difference": None if found is None else _rounded(found.mean),
            "low": None if found is None else _rounded(found.low),
            "high": None if found is None else _rounded(found.high),
            "relative": _rounded(self.relative),
            "pairs": 0 if found is None else found.pairs,
        }


COLUMNS = (
    "change",
    "scope",
    "name",
    "metric",
    "unit",
    "verdict",
    "base",
    "changed",
    "difference",
    "low",
    "high",
    "relative",
    "pairs",
)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


@dataclass(frozen=True)
class Comparison:
    """All plays of a study, and what they come to."""

    study: Study
    plays: Mapping[Case, Played]
    confidence: float = CONFIDENCE

    @property
    def changes(self) -> tuple[str, ...]:
        """The names of the changes."""
        return tuple(variant.name for variant in self.study.variants[1:])

    @cached_property
    def all_rows(self) -> tuple[Row, ...]:
        """Every figure of every change, the largest regression first, then the largest gain."""
        rows = (row for place in range(1, len(self.study.variants)) for row in self._rows_of(place))
        return tuple(ranked(rows))

    def rows(self, metrics: Sequence[str] = ("*",)) -> list[dict[str, Any]]:
        """The rows as plain values, of the metrics that match one of these patterns."""
        return [row.data() for row in self.all_rows if matches(row.metric.name, metrics)]

    def groups(self) -> tuple[str, ...]:
        """All groups that any play has figures of."""
        found = dict.fromkeys(group for played in self.plays.values() for group in played.figures)
        return tuple(sorted(found, key=_group_rank))

    def values(self, variant: int, group: str, metric: str) -> tuple[float | None, ...]:
        """By seed."""
        return tuple(
            self.plays[Case(variant, seed)].figures.get(group, {}).get(metric) for seed in self.study.seeds
        )

    def row(self, variant: int, group: str, metric: Metric) -> Row:
        """One figure of one group."""
        base, changed = self.values(0, group, metric.name), self.values(variant, group, metric.name)
        pairs = [
            (one, two) for one, two in zip(base, changed, strict=True) if one is not None and two is not None
        ]
        found = None
        if pairs:
            found = difference([one for one, _ in pairs], [two for _, two in pairs], self.confidence)
        return Row(
            change=self.study.variants[variant].name,
            group=group,
            metric=metric,
            base=_mean([one for one, _ in pairs] if pairs else base),
            changed=_mean([two for _, two in pairs] if pairs else changed),
            difference=found,
            base_values=base,
            changed_values=changed,
        )

    def _rows_of(self, variant: int) -> Iterator[Row]:
        for group in self.groups():
            for metric in METRICS.values():
                row = self.row(variant, group, metric)
                if row.base is not None or row.changed is not None:
                    yield row


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is the name of a metric, or of the figure it is a statistic of."""
    return any(fnmatchcase(name, pattern) or name.startswith(f"{pattern}.") for pattern in patterns)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _group_rank(group: str) -> tuple[int, str]:
    scope, _, name = group.partition(":")
    return (0 if group == ALL else 1 + SCOPES.index(scope), name)


def ranked(rows: Iterable[Row], said: Callable[[Row], Verdict] = attrgetter("verdict")) -> list[Row]:
    """The largest regression first, then the largest gain, as far as `said` calls them so; the figures of a
    group in the order in which they come.
    """
    return sorted(
        rows, key=lambda row: (_ORDER.index(said(row)), -row.size, row.change, _group_rank(row.group))
    )


def row_of(group: str, metric: Metric, before: float, after: float) -> Row:
    """A figure of two runs, of which nobody knows how much chance has to do with it."""
    return Row(
        change="",
        group=group,
        metric=metric,
        base=before,
        changed=after,
        difference=difference([before], [after], CONFIDENCE),
        base_values=(before,),
        changed_values=(after,),
    )
