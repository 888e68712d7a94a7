"""A comparison as Markdown, fit for a pull request: the verdict first, then tables that fold away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yarnbox.sim.whatif.comparison import Comparison
from yarnbox.sim.whatif.reports.files import Failure
from yarnbox.sim.whatif.reports.table import cells, distinct, headline, leading, rows_of, warnings
from yarnbox.sim.whatif.statistics import Verdict
from yarnbox.yarn.text.words import counted

_MOST_ROWS = 15
_HEAD = ("", "of", "figure", "base", "change", "difference", "relative", "confidence interval")
_MARKS = {Verdict.WORSE: "🔺 worse", Verdict.BETTER: "✅ better"}


def markdown(comparison: Comparison, metrics: Sequence[str], failures: Sequence[Failure]) -> str:
    return "\n".join(_lines(comparison, metrics, failures)) + "\n"


def _lines(comparison: Comparison, metrics: Sequence[str], failures: Sequence[Failure]) -> Iterator[str]:
    yield "## What if"
    yield ""
    for name, text, judgement in failures:
        yield f"- ❌ **{_escaped(name)}** fails: `{text}`"
        yield from (f"  - {_escaped(reason)}" for reason in judgement.reasons)
    if failures:
        yield ""
    for variant, name in enumerate(comparison.changes, 1):
        told = (Verdict.WORSE, Verdict.BETTER, Verdict.CHANGED)
        rows = distinct([row for row in rows_of(comparison, name, metrics) if row.verdict in told])
        yield f"### {_escaped(name)}"
        yield ""
        yield headline(comparison, variant, metrics)
        yield from (f"> {_escaped(one)}" for one in warnings(comparison, variant))
        yield ""
        if not rows:
            continue
        yield f"<details{' open' if failures else ''}><summary>{len(rows)} differences</summary>"
        yield ""
        yield f"| {' | '.join(_HEAD)} |"
        yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |"
        for row, group in leading(rows, _MOST_ROWS):
            words = (_MARKS.get(row.verdict, row.verdict.value), *cells(row, group)[1:])
            yield f"| {' | '.join(map(_escaped, words))} |"
        if len(rows) > _MOST_ROWS:
            yield ""
            yield f"and {len(rows) - _MOST_ROWS} more, in the report"
        yield ""
        yield "</details>"
        yield ""
    study = comparison.study
    plays = counted(len(comparison.plays), "play")
    yield (
        f"<sub>{counted(len(study.jobs), 'job')}, {plays} in virtual time under"
        f" {counted(len(study.seeds), 'seed')}, the same for base and change; intervals of"
        f" {100 * comparison.confidence:g} % by paired bootstrap</sub>"
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
