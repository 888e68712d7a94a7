"""A comparison for people at a terminal: what it comes to in a sentence, then the differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.sim.whatif.comparison import Comparison, Row, matches
from yarnbox.sim.whatif.metrics import ALL, relative, shown, signed
from yarnbox.sim.whatif.statistics import Verdict, fewest_seeds
from yarnbox.yarn.text.words import aligned, counted

MOST_ROWS = 20
_HEAD = ("", "of", "figure", "base", "change", "difference", "", "confidence interval")
_TELLING = (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED)


def lines(comparison: Comparison, metrics: Sequence[str]) -> Iterator[str]:
    for variant, name in enumerate(comparison.changes, 1):
        rows = rows_of(comparison, name, metrics)
        yield f"{name}"
        yield f"  {headline(comparison, variant, metrics)}"
        yield from (f"  {one}" for one in warnings(comparison, variant))
        told = distinct([row for row in rows if row.verdict in _TELLING or is_untold(row)])
        if told:
            yield ""
            yield from _table(leading(told, MOST_ROWS))
        if len(told) > MOST_ROWS:
            yield f"  and {len(told) - MOST_ROWS} more differences; --metrics chooses, --out has all"
        yield ""
    plays, seeds = counted(len(comparison.plays), "play"), counted(len(comparison.study.seeds), "seed")
    yield f"{plays}: {seeds} each, intervals of {100 * comparison.confidence:g} %"


def rows_of(comparison: Comparison, change: str, metrics: Sequence[str]) -> list[Row]:
    """The rows of a change with one of these metrics, the largest regression first."""
    return [row for row in comparison.all_rows if row.change == change and matches(row.metric.name, metrics)]


def is_untold(row: Row) -> bool:
    """Whether there is a difference, and too few seeds to tell it from noise."""
    return row.verdict is Verdict.UNKNOWN and row.difference is not None


def headline(comparison: Comparison, variant: int, metrics: Sequence[str]) -> str:
    """Who loses most, who wins most, and how much is noise, in one sentence."""
    rows = [row for row, _ in distinct(rows_of(comparison, comparison.study.variants[variant].name, metrics))]
    count = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    if all(value is None for one in (0, variant) for value in comparison.values(one, ALL, "response.mean")):
        return "No job finishes, neither under the base nor under the change: there is nothing to compare."
    if count[Verdict.SAME] == len(rows):
        return "Nothing changes: every figure is the same under every seed."
    if count[Verdict.UNKNOWN] and not any(row.verdict in (*_TELLING, Verdict.NOISE) for row in rows):
        needed = fewest_seeds(comparison.confidence)
        seeds = counted(len(comparison.study.seeds), "seed")
        return f"{seeds} cannot tell a difference from noise; {needed} can."
    parts = []
    for verdict, word in ((Verdict.WORSE, "Worse"), (Verdict.BETTER, "better")):
        first = next((row for row in rows if row.verdict is verdict), None)
        if first is not None:
            others = f", and {count[verdict] - 1} more" if count[verdict] > 1 else ""
            parts.append(f"{word}: {_of(first)} {relative(first.relative)}{others}")
    if not parts:
        parts.append("No figure is certain to be better or worse")
    sentence = "; ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}; {count[Verdict.NOISE]} differences are noise."


def warnings(comparison: Comparison, variant: int) -> Iterator[str]:
    """What makes waits of a change look better than they are: jobs that never got so far."""
    metric = "unfinished"
    base, changed = (
        sum(value or 0 for value in comparison.values(one, ALL, metric)) / len(comparison.study.seeds)
        for one in (0, variant)
    )
    if base or changed:
        other = "as many" if base == changed else f"{base:g}"
        yield f"Note: {changed:g} jobs do not finish, {other} under the base; their waits are in no figure."
    troubles = dict.fromkeys(
        one for case, play in comparison.plays.items() if case.variant == variant for one in play.troubles
    )
    if troubles:
        yield "What did not run to its end, or not at all; the first of them:"
    yield from (f"  {one}" for one in list(troubles)[:5])


def leading(rows: Sequence[tuple[Row, str]], most: int) -> list[tuple[Row, str]]:
    """So many of the rows, in their order; a third of them is of gains, where there are as many."""
    gains = sum(row.verdict is Verdict.BETTER for row, _ in rows)
    room = min(gains, max(most // 3, most - (len(rows) - gains)))
    left = {True: room, False: most - room}
    found = []
    for row, group in rows:
        is_gain = row.verdict is Verdict.BETTER
        if left[is_gain]:
            left[is_gain] -= 1
            found.append((row, group))
    return found


def _of(row: Row) -> str:
    return row.metric.name if row.group == ALL else f"{row.metric.name} of {row.group}"


def distinct(rows: Sequence[Row]) -> list[tuple[Row, str]]:
    """The rows, with those of other groups that are the same people, and so the same figures, as one: the
    row, and whom it is of.
    """
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        key = (row.change, row.metric.name, row.base_values, row.changed_values)
        found.setdefault(key, []).append(row)
    return [(alike[0], _names(alike)) for alike in found.values()]


def _names(alike: Sequence[Row]) -> str:
    if len(alike) < 3:
        return " = ".join(row.group for row in alike)
    return f"{alike[0].group} = {alike[1].group} and {len(alike) - 2} more"


def cells(row: Row, group: str) -> tuple[str, ...]:
    unit, found = row.metric.unit, row.difference
    largest = max(abs(value) for value in (row.base or 0.0, row.changed or 0.0))
    delta = None if found is None else found.mean
    ends = () if found is None else (found.low, found.high)
    widest = max(abs(value or 0.0) for value in (delta, *ends))
    span = " to ".join(signed(one, unit, widest) for one in ends if one is not None)
    verdict = "too few seeds" if row.verdict is Verdict.UNKNOWN else row.verdict.value
    return (
        verdict,
        group,
        row.metric.name,
        shown(row.base, unit, largest),
        shown(row.changed, unit, largest),
        signed(delta, unit, widest),
        relative(row.relative),
        span,
    )


def _table(rows: Sequence[tuple[Row, str]]) -> Iterator[str]:
    table = [_HEAD, *(cells(row, group) for row, group in rows)]
    yield from (f"  {line}" for line in aligned(table, texts=3))
