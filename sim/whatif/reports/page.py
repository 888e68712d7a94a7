"""A comparison as one HTML page that needs nothing else: `page_of`, and its parts for other pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from yarnbox.sim.load.formats import Load
from yarnbox.sim.reports.html.axes import amount_text
from yarnbox.sim.reports.html.charts import Series, distribution_chart, time_chart
from yarnbox.sim.reports.html.page import Column, page, section, side_by_side, table
from yarnbox.sim.whatif.comparison import Comparison, Row
from yarnbox.sim.whatif.reports.capacity import QueueUse, queue_uses
from yarnbox.sim.whatif.reports.files import Failure
from yarnbox.sim.whatif.reports.settings import Differences, differences
from yarnbox.sim.whatif.reports.table import cells, distinct, headline, leading, rows_of, warnings
from yarnbox.sim.whatif.statistics import Verdict, fewest_seeds
from yarnbox.sim.whatif.study import Study
from yarnbox.yarn.drawing.markup import Html, element, joined
from yarnbox.yarn.text.words import counted

MOST_ROWS = 60
_MOST_QUEUES = 12
_COLUMNS = (
    Column("verdict", is_number=False),
    Column("of", is_number=False, meaning="queue, user, class by number of tasks, type of job"),
    Column("figure", is_number=False),
    Column("base", meaning="mean over seeds"),
    Column("change", meaning="mean over seeds"),
    Column("difference"),
    Column("relative", meaning="difference over base"),
    Column("confidence interval", meaning="of the difference"),
    Column("by seed", is_number=False, meaning="the difference under each seed, and its interval"),
)


def page_of(comparison: Comparison, metrics: Sequence[str], failures: Sequence[Failure]) -> str:
    """The text of the file."""
    study = comparison.study
    plays = f"{counted(len(comparison.plays), 'play')} in virtual time"
    about = f"{counted(len(study.jobs), 'job')}; {plays}; base: {study.variants[0].source}"
    parts: list[object] = [_failures(failures)] if failures else []
    for variant in range(1, len(study.variants)):
        parts += parts_of(comparison, variant, metrics)
    return page("What if", *parts, method(comparison), about=about)


def parts_of(comparison: Comparison, variant: int, metrics: Sequence[str]) -> list[Html]:
    """What there is to say of one change."""
    name = comparison.study.variants[variant].name
    sentence = element("p", element("b", headline(comparison, variant, metrics)))
    notes = [element("p", one.strip(), class_="soft") for one in warnings(comparison, variant)]
    return [
        section(name, sentence, *notes, *_effect(comparison, variant, metrics)),
        *_over_time(comparison, variant),
    ]


def _failures(failures: Sequence[Failure]) -> Html:
    items = [
        element("li", f"{name}: {text}", element("ul", *(element("li", why) for why in judgement.reasons)))
        for name, text, judgement in failures
    ]
    return section("Conditions that hold", element("ul", *items))


# ---- differences


def _effect(comparison: Comparison, variant: int, metrics: Sequence[str]) -> list[Html]:
    rows = [
        row
        for row in rows_of(comparison, comparison.study.variants[variant].name, metrics)
        if row.verdict is not Verdict.SAME and row.difference is not None
    ]
    shown = distinct(rows)
    study = comparison.study
    load = Load.of(study.jobs)
    found = [_settings(differences(study.variants[0], study.variants[variant], load), comparison, variant)]
    if shown:
        whole = table(_COLUMNS, (list(_cells(row, group)) for row, group in leading(shown, MOST_ROWS)))
        found.append(joined((element("h3", "What it does"), whole)))
    if len(shown) > MOST_ROWS:
        found.append(element("p", f"and {len(shown) - MOST_ROWS} more in rows.csv", class_="soft"))
    return found


def _cells(row: Row, group: str) -> Iterator[object]:
    verdict, of, *others = cells(row, group)
    kind = {Verdict.WORSE: "bad whole", Verdict.BETTER: "good whole"}.get(row.verdict, "whole")
    yield element("b" if "bad" in kind or "good" in kind else "span", verdict, class_=kind)
    yield of
    yield from (element("span", other, class_="whole") for other in others)
    yield strip(row)


def strip(row: Row) -> Html | None:
    """The difference under each seed as dots on a line whose middle is no difference, and the interval."""
    found = row.difference
    if found is None:
        return None
    pairs = zip(row.base_values, row.changed_values, strict=True)
    deltas = [after - before for before, after in pairs if before is not None and after is not None]
    ends = [one for one in (found.low, found.high) if one is not None]
    most = max((abs(one) for one in (*deltas, *ends)), default=0.0) or 1.0

    def place(value: float) -> float:
        return round(60 + 54 * value / most, 1)

    parts = [element("line", x1=60, x2=60, y1=1, y2=17, class_="axis")]
    if len(ends) == 2:
        width = max(place(ends[1]) - place(ends[0]), 1)
        parts.append(element("rect", x=place(ends[0]), y=6, width=round(width, 1), height=6, class_="b7"))
    parts += [element("circle", cx=place(one), cy=9, r=2, class_="b0") for one in deltas]
    label = f"{row.metric.name} of {row.group}: the difference under each seed"
    return element("svg", *parts, viewBox="0 0 120 18", width=120, height=18, role="img", aria_label=label)


def _settings(found: Differences, comparison: Comparison, variant: int) -> Html:
    columns = [Column(name, is_number=False) for name in ("property", "base", "change")]
    rows = [(one.name, one.base, one.changed) for one in found.settings]
    parts: list[object] = [element("h3", "What is changed")]
    if rows:
        parts.append(table(columns, rows))
    if found.allocations:
        parts.append(element("pre", "\n".join(found.allocations)))
    if not rows and not found.allocations:
        parts.append(element("p", "The configurations are the same.", class_="soft"))
    return joined(parts)


# ---- over time


_EXCHANGE = (
    "Borrowed: used above the queue's guarantee. Lent: its guarantee that others used. Preempted: taken back"
    " by force."
)


def _over_time(comparison: Comparison, variant: int) -> list[Html]:
    name = comparison.study.variants[variant].name
    base, changed = queue_uses(comparison, 0), queue_uses(comparison, variant)
    pairs = [
        (_named(base, queue), _named(changed, queue))
        for queue in sorted(dict.fromkeys(one.queue for one in (*base, *changed)))
    ]
    step_ms = comparison.study.step_ms
    used = [_use_chart(before, after, step_ms) for before, after in pairs[:_MOST_QUEUES]]
    waits = [_wait_chart(before, after) for before, after in pairs[:_MOST_QUEUES] if before or after]
    return [
        section(
            f"Memory used by queues over time: {name}",
            side_by_side(*used),
            about="Means over seeds; dashed: the guarantee.",
        ),
        section(
            f"Waits by queue: {name}",
            side_by_side(*(one for one in waits if one is not None)),
            about="The share of jobs, under all seeds, whose first task ran within that time.",
        ),
        section(
            f"Capacity lent and taken back: {name}",
            _exchange(pairs),
            side_by_side(_over_guarantee("base", base, step_ms), _over_guarantee(name, changed, step_ms)),
            about=_EXCHANGE,
        ),
    ]


def _named(uses: Sequence[QueueUse], queue: str) -> QueueUse | None:
    return next((one for one in uses if one.queue == queue), None)


def _points(values_mb: Sequence[float], step_ms: int) -> list[tuple[float, float | None]]:
    """In GiB, so that ticks are round."""
    return [(float(place * step_ms), value / 1024) for place, value in enumerate(values_mb)]


def _gb(value: float) -> str:
    return f"{amount_text(value)} GiB"


def _use_chart(before: QueueUse | None, after: QueueUse | None, step_ms: int) -> Html:
    series = []
    for colour, (name, use) in enumerate((("base", before), ("change", after))):
        if use is None or not use.used_mb:
            continue
        series.append(Series(name, _points(use.used_mb, step_ms), colour=colour))
        guarantee = use.guarantee_mb / 1024
        ends = [(0.0, guarantee), (float(step_ms * (len(use.used_mb) - 1)), guarantee)]
        series.append(Series(f"guarantee, {name}", ends, is_dashed=True, colour=colour))
    queue = before.queue if before is not None else after.queue if after is not None else ""
    return time_chart(queue, series, y=_gb)


def _wait_chart(before: QueueUse | None, after: QueueUse | None) -> Html | None:
    found = [(name, use) for name, use in (("base", before), ("change", after)) if use is not None]
    samples = [(name, sorted(map(float, use.waits_ms))) for name, use in found if use.waits_ms]
    return distribution_chart(found[0][1].queue, samples) if samples else None


_EXCHANGED = (
    Column("queue", is_number=False),
    *(
        Column(f"{what}, {side}", meaning=meaning)
        for what, meaning in (("borrowed", "GiB h"), ("lent", "GiB h"), ("preempted", "containers"))
        for side in ("base", "change")
    ),
)


def _exchange(pairs: Sequence[tuple[QueueUse | None, QueueUse | None]]) -> Html:
    def row(before: QueueUse | None, after: QueueUse | None) -> Iterator[object]:
        both = (before, after)
        yield next(one.queue for one in both if one is not None)
        yield from (None if one is None else f"{one.borrowed_gb_hours:.2f} GiB h" for one in both)
        yield from (None if one is None else f"{one.lent_gb_hours:.2f} GiB h" for one in both)
        yield from (None if one is None else f"{one.preempted:.1f}" for one in both)

    return table(_EXCHANGED, (list(row(*pair)) for pair in pairs))


def _over_guarantee(title: str, uses: Sequence[QueueUse], step_ms: int) -> Html:
    series = [
        Series(one.queue, _points([used - one.guarantee_mb for used in one.used_mb], step_ms))
        for one in uses[:_MOST_QUEUES]
        if one.used_mb
    ]
    return time_chart(f"Above or below the guarantee: {title}", series, y=_gb)


def _of_load(study: Study) -> str:
    if study.drawn:
        return "Each seed draws the jobs anew, the same for all variants; the load above is that of the file."
    return (
        "Seeds vary what chance decides on the same load; how another day's load would fare they cannot say."
    )


def method(comparison: Comparison) -> Html:
    """How the figures came about, and what they cannot say."""
    study = comparison.study
    percent = f"{100 * comparison.confidence:g} %"
    seeds = f"{counted(len(study.seeds), 'seed')} ({study.seeds[0]} to {study.seeds[-1]})"
    wrong = f"{100 * (1 - comparison.confidence):.0f}"
    text = f"""Each variant was played under {seeds}, the same for all: each node, each attempt of a task and
each failure has the same luck under base and change.
Differences are means over seeds; intervals are of {percent}, by paired bootstrap over seeds (expanded
percentiles).
Noise: the interval holds 0. Of a hundred figures without any difference about {wrong} are still called worse
or better.
Fewer than {fewest_seeds(comparison.confidence)} seeds cannot tell a difference from noise.
{_of_load(study)}
The ResourceManager is the real one; NodeManagers, AMs and tasks are modelled. Users do not react: who waits
longer submits no less.
Waits are of jobs that began. Jobs that never did are counted as unfinished."""
    sentences = re.split(r"(?<=\.)\n", text)
    return section(
        "Method and limits", element("ul", *(element("li", one.replace("\n", " ")) for one in sentences))
    )
