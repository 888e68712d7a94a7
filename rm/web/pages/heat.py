"""The heat map of nodes: a square for each, in groups, in one of five colours by how much of it is used.

Of very many nodes a square stands for neighbours of one group: a screen has no place for ten thousand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote

from yarnbox.rm.web.pages.blocks import heat, paragraph
from yarnbox.rm.web.queues.words import percentage, plural
from yarnbox.rm.web.values import Answer

GROUPS = {"rack": "rack", "label": "partition", "state": "state"}
"""By what squares can be grouped, and the field of a node's row that says it."""
_ACTIVE = ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")
_MANY, _MOST_SQUARES = 200, 2_000
_STEPS, _PERCENT = 5, 100
_DIGITS = re.compile(r"(\d+)")

Measure = Callable[[Answer], tuple[int, int]]
MEASURES: dict[str, tuple[str, Measure]] = {
    "memory": ("memory used", lambda row: (row["usedMB"], row["totalMB"])),
    "vcores": ("vcores used", lambda row: (row["usedVCores"], row["totalVCores"])),
    "containers": ("containers per vcore", lambda row: (row["containers"], max(1, row["totalVCores"]))),
}
"""What colours can say: in words, and as a part of a whole."""


def natural(name: str) -> tuple[str | int, ...]:
    """A key of order: n2 comes before n10."""
    return tuple(int(part) if part.isdecimal() else part for part in _DIGITS.split(name))


class HeatMap:
    """Takes the rows of nodes in their order."""

    def __init__(self, by: str = "rack", measure: str = "memory") -> None:
        self._field = GROUPS.get(by, GROUPS["rack"])
        self._measure = MEASURES.get(measure, MEASURES["memory"])[1]
        self._groups: dict[str, list[Answer]] = {}
        self._count = 0

    def add(self, row: Answer) -> None:
        """One more node."""
        self._groups.setdefault(row[self._field], []).append(row)
        self._count += 1

    def blocks(self) -> list[Answer]:
        """The squares, and what their colours say."""
        each = -(-self._count // _MOST_SQUARES)
        groups = [
            {
                "name": name,
                "count": plural(len(rows), "node"),
                "square": [self._square(rows[first : first + each]) for first in range(0, len(rows), each)],
            }
            for name, rows in sorted(self._groups.items(), key=lambda one: natural(one[0]))
        ]
        return [heat(groups, isSmall=self._count > _MANY), _legend(each)]

    def _square(self, rows: Sequence[Answer]) -> Answer:
        living = [row for row in rows if row["state"] in _ACTIVE]
        amounts = [self._measure(row) for row in living]
        used, whole = sum(one for one, _ in amounts), sum(one for _, one in amounts)
        share = _PERCENT * used / whole if whole else 0.0
        first, last = rows[0], rows[-1]
        is_well = all(row["state"] == "RUNNING" for row in rows)
        is_alone = len(rows) == 1
        what = f"{first['id']} {first['state']}" if is_alone else f"{first['id']} … {last['id']}"
        containers = plural(sum(row["containers"] for row in living), "container")
        return {
            "text": first["host"],
            "kind": f"step{min(_STEPS - 1, int(share * _STEPS / _PERCENT))}" if is_well else "dead",
            "to": f"/cluster/node/{first['id']}"
            if is_alone
            else f"/cluster/nodes?rack={quote(first['rack'], safe='')}",
            "title": f"{what}, {first['rack']}, {first['partition']}\n{percentage(share)} used, {containers}",
        }


def _legend(each: int) -> Answer:
    width = _PERCENT // _STEPS
    steps: list[object] = [
        {"word": f"{one * width}\N{EN DASH}{one * width + width} %", "kind": f"square step{one}"}
        for one in range(_STEPS)
    ]
    some = f" Each square: up to {each} nodes." if each > 1 else ""
    return paragraph([*steps, {"word": "not running", "kind": "square dead"}, some], "legend")
