"""What was played as Markdown, JSON, CSV and SVG.

`DIR/paper.md` is a page of a manual; its plots, tables and figures are in `DIR/paper/`. The same plays give
the same files, byte for byte.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.sim.paper.drawing import drawn
from yarnbox.sim.paper.experiment import Experiment, Scale
from yarnbox.sim.paper.figures import (
    ORIGINS,
    Outcome,
    Plot,
    Said,
    Spread,
    Table,
    Unit,
    Value,
    said_text,
    value_text,
)

_WHAT = """
Each experiment of the literature on fair sharing, played in virtual time by the ResourceManager's own core,
beside what the literature says and what theory says. This page is what the command writes:
"""
_MORE = """
`yarnbox paper NAME` plays one experiment, `--list` names them, `--help` lists the options. The page of the
[FairScheduler](fair-scheduler.md) explains the rules, and the options that some experiments set beside
Hadoop's own way: *published* is the way of the papers.
"""
PAGE, BESIDE = "paper.md", "paper"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An experiment, and what it came to."""

    experiment: Experiment
    outcome: Outcome


def write(directory: Path, told: Sequence[Told], scale: Scale, first_seed: int) -> list[Path]:
    """All files; which they are."""
    beside = directory / BESIDE
    beside.mkdir(parents=True, exist_ok=True)
    texts: dict[Path, str] = {directory / PAGE: page(told, scale, first_seed)}
    data = {"scale": scale.value, "seed": first_seed, "experiments": [_data(one) for one in told]}
    texts[beside / "paper.json"] = json.dumps(data, indent=1) + "\n"
    for one in told:
        name = one.experiment.name
        for table in one.outcome.tables:
            texts[beside / f"{name}-{table.name}.csv"] = _csv(table)
        for plot in one.outcome.plots:
            texts[beside / f"{name}-{plot.name}.svg"] = drawn(plot)
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


# ---- Markdown


def page(told: Sequence[Told], scale: Scale, first_seed: int) -> str:
    """The page."""
    return "\n".join(
        [*_introduction(told, scale, first_seed), *(line for one in told for line in _section(one))]
    )


def _introduction(told: Sequence[Told], scale: Scale, first_seed: int) -> Iterator[str]:
    words = {Scale.SMALL: " --small", Scale.USUAL: "", Scale.FULL: " --full"}[scale]
    seed = "" if first_seed == 1 else f" --seed {first_seed}"
    yield "# The published algorithms, measured"
    yield ""
    yield from _wrapped(_WHAT)
    yield f"    yarnbox paper{words}{seed} --out docs"
    yield ""
    yield from _wrapped(_MORE)
    yield "Each figure that was not played has the letter of its origin:"
    yield ""
    yield "| | origin |"
    yield "| --- | --- |"
    yield from (f"| {origin} | {text} |" for origin, text in ORIGINS.items())
    yield ""
    yield "| experiment | of |"
    yield "| --- | --- |"
    for one in told:
        yield f"| [`{one.experiment.name}`](#{_anchor(one.experiment.title)}) | {one.experiment.title} |"
    yield ""


def _anchor(title: str) -> str:
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -")
    return kept.replace(" ", "-")


def _section(told: Told) -> Iterator[str]:
    experiment, outcome = told.experiment, told.outcome
    yield f"## {experiment.title}"
    yield ""
    yield f"`yarnbox paper {experiment.name}`. Source: {experiment.source}."
    yield ""
    yield from _wrapped(experiment.about)
    for plot in outcome.plots:
        yield f"![{plot.title}]({BESIDE}/{experiment.name}-{plot.name}.svg)"
        yield ""
    for table in outcome.tables:
        yield f"**{table.title}**"
        yield ""
        yield from markdown(table)
        yield ""
    for paragraph in outcome.remarks.strip().split("\n\n"):
        yield from _wrapped(paragraph)


def _wrapped(text: str, width: int = 120) -> Iterator[str]:
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line
    yield ""


def _columns(table: Table) -> tuple[bool, bool]:
    """Whether the table has figures of the literature, and of theory."""
    return any(row.literature for row in table.rows), any(row.theory for row in table.rows)


def header(table: Table) -> list[str]:
    """The names of its columns."""
    has_literature, has_theory = _columns(table)
    return [
        table.of,
        *(["literature"] if has_literature else []),
        *(["theory"] if has_theory else []),
        *table.here,
    ]


def cells(table: Table) -> Iterator[list[str]]:
    """Its rows as people read them."""
    has_literature, has_theory = _columns(table)
    for row in table.rows:
        unit = row.unit or table.unit
        said = [
            *([said_text(row.literature, unit)] if has_literature else []),
            *([said_text(row.theory, unit)] if has_theory else []),
        ]
        yield [row.of, *said, *(value_text(value, unit) for value in row.here)]


def markdown(table: Table) -> Iterator[str]:
    """The table in Markdown."""
    yield f"| {' | '.join(header(table))} |"
    yield f"| {' | '.join('---' for _ in header(table))} |"
    yield from (f"| {' | '.join(row)} |" for row in cells(table))


# ---- for programs


def _csv(table: Table) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    names = ["of", "literature", "literature_origin", "theory", "theory_origin"]
    writer.writerow([*names, *(f"{name}{part}" for name in table.here for part in ("", "_low", "_high"))])
    for row in table.rows:
        said = (*_said(row.literature), *_said(row.theory))
        writer.writerow([row.of, *said, *(part for value in row.here for part in _parts(value))])
    return file.getvalue()


def _said(said: Said | None) -> tuple[float | str, str]:
    return ("", "") if said is None else (said.value, str(said.origin))


def _parts(value: Value) -> tuple[float | str, float | str, float | str]:
    if isinstance(value, Spread):
        return (_rounded(value.mean), _rounded(value.low), _rounded(value.high))
    return ("" if value is None else _rounded(value), "", "")


def _rounded(value: float | str) -> float | str:
    return value if isinstance(value, str) else round(value, 6)


def _data(told: Told) -> dict[str, Any]:
    experiment, outcome = told.experiment, told.outcome
    return {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "tables": [_table_data(table) for table in outcome.tables],
        "plots": [_plot_data(plot) for plot in outcome.plots],
        "remarks": outcome.remarks.strip(),
    }


def _table_data(table: Table) -> dict[str, Any]:
    def said(one: Said | None) -> dict[str, Any] | None:
        return None if one is None else {"value": one.value, "origin": str(one.origin)}

    def plain(value: Value) -> Any:
        if isinstance(value, Spread):
            return {name: _rounded(getattr(value, name)) for name in ("mean", "low", "high")}
        return None if value is None else _rounded(value)

    def unit_of(unit: Unit | None) -> str:
        return (unit or table.unit).value

    return {
        "name": table.name,
        "title": table.title,
        "of": table.of,
        "rows": [
            {
                "of": row.of,
                "unit": unit_of(row.unit),
                "literature": said(row.literature),
                "theory": said(row.theory),
                "here": {name: plain(value) for name, value in zip(table.here, row.here, strict=True)},
            }
            for row in table.rows
        ],
    }


def _plot_data(plot: Plot) -> dict[str, Any]:
    return {
        "name": plot.name,
        "title": plot.title,
        "x": plot.x,
        "y": plot.y,
        "unit": plot.unit.value,
        "lines": [
            {
                "name": line.name,
                "isTheory": line.is_theory,
                "points": [[_rounded(x), _rounded(y)] for x, y in line.points],
            }
            for line in plot.lines
        ],
    }
