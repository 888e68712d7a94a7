"""All figures of a comparison as values and files: JSON, CSV. Each file appears when it is whole."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path

from yarnbox.sim.load.formats import Load
from yarnbox.sim.reports.files import replacing
from yarnbox.sim.whatif.comparison import COLUMNS, Comparison
from yarnbox.sim.whatif.conditions import Judgement
from yarnbox.sim.whatif.reports.settings import differences
from yarnbox.sim.whatif.study import Study
from yarnbox.sim.whatif.variants import Variant

VERSION = 1
REPORT = "report.html"
Failure = tuple[str, str, Judgement]
"""The change, the condition that holds, and why."""


def document(comparison: Comparison, failures: Sequence[Failure] = ()) -> dict[str, object]:
    """Everything, as JSON has it."""
    study = comparison.study
    return {
        "format": "yarnbox-whatif",
        "version": VERSION,
        "confidence": comparison.confidence,
        "jobs": len(study.jobs),
        "seeds": list(study.seeds),
        "stepMs": study.step_ms,
        "variants": [
            {
                "name": variant.name,
                "source": variant.source,
                "definitions": dict(variant.definitions),
                "nodes": len(variant.site.specs()),
                "loadFactor": variant.load_factor,
                "changed": _settings(study, variant),
            }
            for variant in study.variants
        ],
        "fails": [
            {"change": name, "condition": text, "reasons": list(judgement.reasons)}
            for name, text, judgement in failures
        ],
        "rows": comparison.rows(),
        "plays": [play.data() for play in comparison.plays.values()],
    }


def _settings(study: Study, variant: Variant) -> dict[str, object]:
    found = differences(study.variants[0], variant, Load.of(study.jobs))
    rows = [{"name": one.name, "base": one.base, "changed": one.changed} for one in found.settings]
    return {"settings": rows, "allocations": list(found.allocations)}


def write_all(directory: Path, comparison: Comparison, failures: Sequence[Failure], page: str) -> None:
    """report.html; comparison.json; rows.csv, a difference a line; plays.csv, a figure of a play a line."""
    directory.mkdir(parents=True, exist_ok=True)
    with replacing(directory / REPORT) as file:
        file.write(page)
    with replacing(directory / "comparison.json") as file:
        json.dump(document(comparison, failures), file, indent=1)
        file.write("\n")
    with replacing(directory / "rows.csv") as file:
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows.writeheader()
        rows.writerows(comparison.rows())
    with replacing(directory / "plays.csv") as file:
        plays = csv.writer(file, lineterminator="\n")
        plays.writerow(("variant", "seed", "group", "metric", "value"))
        for case, play in comparison.plays.items():
            name = comparison.study.variants[case.variant].name
            for group, figures in play.figures.items():
                plays.writerows((name, case.seed, group, metric, value) for metric, value in figures.items())
