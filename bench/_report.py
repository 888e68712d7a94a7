"""What a benchmark says: a table for people, a JSON document for comparisons."""

from __future__ import annotations

import json
import os
import platform
import sys
import time
from collections.abc import Mapping
from pathlib import Path

RESULTS = Path("bench-results")


def report(name: str, figures: Mapping[str, float], units: Mapping[str, str]) -> None:
    """Prints the figures, counts without a fraction, and saves them as bench-results/NAME.json."""
    width = max(map(len, figures))
    for key, value in figures.items():
        number = f"{value:>9,}   " if isinstance(value, int) else f"{value:>12,.2f}"
        print(f"{key:<{width}}  {number} {units.get(key, '')}".rstrip())
    document = {
        "bench": name,
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "python": sys.version.split()[0],
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": os.getloadavg()[0],
        "figures": dict(figures),
        "units": dict(units),
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
