"""Tables that were played once and are kept, because to play them takes too long for every time.

A file is the entry of an experiment in the `paper.json` that `yarnbox paper NAME --full --out DIR` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from yarnbox.sim.paper.figures import Origin, Row, Said, Spread, Table, Unit, Value

_HERE = Path(__file__).parent / "experiments"
AGAIN = "five seeds, played once"


def recorded(experiment: str, *names: str) -> tuple[Table, ...]:
    """These tables of the record of that experiment."""
    document = json.loads((_HERE / f"{experiment}_recorded.json").read_text(encoding="utf-8"))
    tables = {table["name"]: _table(table) for table in document["tables"]}
    return tuple(
        replace(tables[name], name=f"seeds-{name}", title=f"{tables[name].title}: {AGAIN}") for name in names
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


def _said(data: Mapping[str, Any] | None) -> Said | None:
    return None if data is None else Said(value=data["value"], origin=Origin(data["origin"]))


def _value(data: Any) -> Value:
    return Spread(**data) if isinstance(data, dict) else data
