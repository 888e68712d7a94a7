"""The heat map of nodes: a square for each, in groups, in one of five colours by how much of it is used.

Of very many nodes a square stands for neighbours of one group: a screen has no place for ten thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from yarnbox.rm.web.grids import natural
from yarnbox.rm.web.pages.blocks import heading, paragraph, section
from yarnbox.rm.web.queues.words import percentage, plural
from yarnbox.rm.web.values import Answer

GROUPS = {"rack": "rack", "label": "partition", "state": "state"}
"""By what squares can be grouped, and the field of a node's row that says it."""
_ACTIVE = ("RUNNING", "UNHEALTHY", "DECOMMISSIONING")
_MANY, _MOST_SQUARES = 200, 2_000
_STEPS, _PERCENT = 5, 100

Measure = Callable[[Answer], tuple[int, int]]
MEASURES: dict[str, tuple[str, Measure]] = {
    "memory": ("memory used", lambda row: (row["usedMB"], row["totalMB"])),
    "vcores": ("vcores used", lambda row: (row["usedVCores"], row["totalVCores"])),
    "containers": ("containers per vcore", lambda row: (row["containers"], max(1, row["totalVCores"]))),
}
"""What colours can say: in words, and as a part of a whole."""


_Node = tuple[Answer, int, int, int]
"""The row, which part of what is measured, and the containers, as far as the node is active."""


class HeatMap:
    """Takes the rows of nodes in their order."""

    def __init__(self, by: str = "rack", measure: str = "memory") -> None:
        self._field = GROUPS.get(by, GROUPS["rack"])
        self._measure = MEASURES.get(measure, MEASURES["memory"])[1]
        self._groups: dict[str, list[_Node]] = {}
        self._count = 0

    def add(self, row: Answer) -> None:
        """One more node."""
        is_active = row["state"] in _ACTIVE
        known = (row, *self._measure(row), row["containers"]) if is_active else (row, 0, 0, 0)
        self._groups.setdefault(row[self._field], []).append(known)
        self._count += 1

    def blocks(self) -> list[Answer]:
        """The squares, and what their colours say."""
        each = -(-self._count // _MOST_SQUARES)
        kind = "squares small" if self._count > _MANY else "squares"
        groups = [
            section(
                [
                    heading([name, {"small": f" {plural(len(rows), 'node')}"}], 3),
                    paragraph([_square(rows[at : at + each]) for at in range(0, len(rows), each)], kind),
                ]
            )
            for name, rows in sorted(self._groups.items(), key=lambda one: natural(one[0]))
        ]
        return [section(groups, "heat"), _legend(each)]


def _square(some: Sequence[_Node]) -> Answer:
    used, whole, containers, is_well = 0, 0, 0, True
    for row, part, total, held in some:
        used, whole, containers = used + part, whole + total, containers + held
        is_well = is_well and row["state"] == "RUNNING"
    share = _PERCENT * used / whole if whole else 0.0
    first, last = some[0][0], some[-1][0]
    is_alone = len(some) == 1
    what = f"{first['id']} {first['state']}" if is_alone else f"{first['id']} … {last['id']}"
    to = f"node/{first['id']}" if is_alone else f"nodes?rack={quote(first['rack'], safe='')}"
    said = f"{percentage(share)} used, {plural(containers, 'container')}"
    step = f"step{min(_STEPS - 1, int(share * _STEPS / _PERCENT))}"
    return {
        "link": first["host"],
        "kind": f"square {step if is_well else 'dead'}",
        "to": f"/cluster/{to}",
        "title": f"{what}, {first['rack']}, {first['partition']}\n{said}",
    }


def _legend(each: int) -> Answer:
    width = _PERCENT // _STEPS
    steps: list[object] = [
        {"word": f"{one * width}\N{EN DASH}{one * width + width} %", "kind": f"square step{one}"}
        for one in range(_STEPS)
    ]
    some = f" Each square: up to {each} nodes." if each > 1 else ""
    return paragraph([*steps, {"word": "not running", "kind": "square dead"}, some], "legend")
