"""What was played before, out of JSON.

`paper.json`, which `yarnbox paper --out DIR` writes, has an entry for each experiment. Entries that were
played once with --full are kept beside the experiments, because to play them takes too long for every time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from yarnbox.sim.paper.figures import (
    Line,
    Origin,
    Outcome,
    Plot,
    PublishedFigure,
    Row,
    Spread,
    Table,
    Unit,
    Value,
)

_HERE = Path(__file__).parent / "experiments"
AGAIN = "five seeds, played once"


def recorded(experiment: str, *names: str) -> tuple[Table, ...]:
    """These tables of the record of that experiment."""
    document = json.loads((_HERE / f"{experiment}_recorded.json").read_text(encoding="utf-8"))
    tables = {table["name"]: _table(table) for table in document["tables"]}
    return tuple(
        replace(tables[name], name=f"seeds-{name}", title=f"{tables[name].title}: {AGAIN}") for name in names
    )


def outcome_of(entry: Mapping[str, Any]) -> Outcome:
    """What an entry of `paper.json` says."""
    return Outcome(
        tables=tuple(map(_table, entry["tables"])),
        plots=tuple(map(_plot, entry["plots"])),
        remarks=entry["remarks"],
    )


def _plot(data: Mapping[str, Any]) -> Plot:
    lines = tuple(
        Line(
            name=line["name"],
            is_theory=line["isTheory"],
            points=tuple((float(x), float(y)) for x, y in line["points"]),
        )
        for line in data["lines"]
    )
    return Plot(
        name=data["name"], title=data["title"], x=data["x"], y=data["y"], unit=Unit(data["unit"]), lines=lines
    )


def _table(data: Mapping[str, Any]) -> Table:
    rows = tuple(
        Row(
            of=row["of"],
            literature=_said(row["literature"]),
            theory=_said(row["theory"]),
            here=tuple(map(_value, row["here"].values())),
            unit=Unit(row["unit"]),
        )
        for row in data["rows"]
    )
    first = data["rows"][0]
    return Table(
        name=data["name"],
        title=data["title"],
        of=data["of"],
        unit=Unit(first["unit"]),
        here=tuple(first["here"]),
        rows=rows,
    )


def _said(data: Mapping[str, Any] | None) -> PublishedFigure | None:
    return None if data is None else PublishedFigure(value=data["value"], origin=Origin(data["origin"]))


def _value(data: Any) -> Value:
    return Spread(**data) if isinstance(data, dict) else data
