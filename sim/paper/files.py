"""What was played as Markdown, JSON, CSV and SVG.

`DIR/paper.md` is a page of a manual; its plots, tables and figures are in `DIR/paper/`. The same plays give
the same files, byte for byte. Where not all experiments are played, the others that are there stay.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yarnbox.sim.paper.drawing import drawn
from yarnbox.sim.paper.experiment import Experiment, Scale
from yarnbox.sim.paper.figures import (
    ORIGINS,
    Outcome,
    Plot,
    PublishedFigure,
    Spread,
    Table,
    Unit,
    Value,
    said_text,
    value_text,
)
from yarnbox.sim.paper.recorded import outcome_of
from yarnbox.sim.paper.register import EXPERIMENTS
from yarnbox.yarn.storage.drafts import draft_of

_WHAT = """
Each experiment of the literature on fair sharing, played in virtual time by the ResourceManager's own core,
beside what the literature says and what theory says. This page is what the command writes:
"""
_MORE = """
`yarnbox paper NAME` plays one experiment, `--list` names them, `--help` lists the options. The page of the
[FairScheduler](fair-scheduler.md) explains the rules, and the options that some experiments set beside
Hadoop's own way: *published* is the way of the papers.
"""
PAGE, BESIDE, DATA = "paper.md", "paper", "paper.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """An experiment, and what it came to."""

    experiment: Experiment
    outcome: Outcome


class OtherPaperError(Exception):
    """A directory holds something that these experiments do not go with."""


def others(
    directory: Path, names: Sequence[str], scale: Scale, first_seed: int
) -> dict[str, Mapping[str, Any]]:
    """The entries of the experiments that were written there before, if these are not all that are to be on
    the page. OtherPaperError where they were played otherwise, or nobody knows how.
    """
    file = directory / BESIDE / DATA
    if set(names) == set(EXPERIMENTS) or not (directory / PAGE).exists():
        return {}
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        found = {str(one["name"]): one for one in data["experiments"] if one["name"] in EXPERIMENTS}
        before = (Scale(data["scale"]), int(data["seed"]))
    except FileNotFoundError:
        raise OtherPaperError(
            f"{directory / PAGE}: is there without {file}: name another directory"
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise OtherPaperError(f"{file}: is not what `yarnbox paper` wrote: {error}") from None
    if not set(found) <= set(names) and before != (scale, first_seed):
        played = "yarnbox paper" + words_of(*before)
        raise OtherPaperError(
            f"{directory / PAGE}: has other experiments, played by `{played}`: say the same, or name another"
            " directory"
        )
    return found


def words_of(scale: Scale, first_seed: int) -> str:
    """The options that play so."""
    size = {Scale.SMALL: " --small", Scale.USUAL: "", Scale.FULL: " --full"}[scale]
    return size if first_seed == 1 else f"{size} --seed {first_seed}"


def write(directory: Path, told: Sequence[ExperimentResult], scale: Scale, first_seed: int) -> list[Path]:
    """All files of these experiments, and the page, where others that are there already stay; which they are.
    The page comes last, and every file takes its name when it is whole.
    """
    beside = directory / BESIDE
    beside.mkdir(parents=True, exist_ok=True)
    before = others(directory, [one.experiment.name for one in told], scale, first_seed)
    entries = {**before, **{one.experiment.name: _data(one) for one in told}}
    ordered = [entries[name] for name in EXPERIMENTS if name in entries]
    texts: dict[Path, str] = {}
    for one in told:
        name = one.experiment.name
        for table in one.outcome.tables:
            texts[beside / f"{name}-{table.name}.csv"] = _csv(table)
        for plot in one.outcome.plots:
            texts[beside / f"{name}-{plot.name}.svg"] = drawn(plot)
    data = {"scale": scale.value, "seed": first_seed, "experiments": ordered}
    texts[beside / DATA] = json.dumps(data, indent=1) + "\n"
    shown = [
        ExperimentResult(experiment=EXPERIMENTS[one["name"]], outcome=outcome_of(one)) for one in ordered
    ]
    texts[directory / PAGE] = page(shown, scale, first_seed)
    for path, text in texts.items():
        with draft_of(path) as draft:
            draft.write_text(text, encoding="utf-8")
    for one in told:
        for path in _files_of(beside, before.get(one.experiment.name, {})):
            if path not in texts:
                path.unlink(missing_ok=True)
    return list(texts)


def _files_of(beside: Path, entry: Mapping[str, Any]) -> Iterator[Path]:
    for kind, suffix in (("tables", "csv"), ("plots", "svg")):
        yield from (beside / f"{entry['name']}-{one['name']}.{suffix}" for one in entry.get(kind, ()))


# ---- Markdown


def page(told: Sequence[ExperimentResult], scale: Scale, first_seed: int) -> str:
    return "\n".join(
        [*_introduction(told, scale, first_seed), *(line for one in told for line in _section(one))]
    )


def _introduction(told: Sequence[ExperimentResult], scale: Scale, first_seed: int) -> Iterator[str]:
    yield "# The published algorithms, measured"
    yield ""
    yield from _wrapped(_WHAT)
    yield f"    yarnbox paper{words_of(scale, first_seed)} --out docs"
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


def _section(told: ExperimentResult) -> Iterator[str]:
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


def _said(said: PublishedFigure | None) -> tuple[float | str, str]:
    return ("", "") if said is None else (said.value, str(said.origin))


def _parts(value: Value) -> tuple[float | str, float | str, float | str]:
    if isinstance(value, Spread):
        return (_rounded(value.mean), _rounded(value.low), _rounded(value.high))
    return ("" if value is None else _rounded(value), "", "")


def _rounded(value: float | str) -> float | str:
    return value if isinstance(value, str) else round(value, 6)


def _data(told: ExperimentResult) -> dict[str, object]:
    experiment, outcome = told.experiment, told.outcome
    return {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "tables": [_table_data(table) for table in outcome.tables],
        "plots": [_plot_data(plot) for plot in outcome.plots],
        "remarks": outcome.remarks.strip(),
    }


def _table_data(table: Table) -> dict[str, object]:
    def said(one: PublishedFigure | None) -> dict[str, object] | None:
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


def _plot_data(plot: Plot) -> dict[str, object]:
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
