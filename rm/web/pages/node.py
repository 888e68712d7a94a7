"""The page of a node: its figures by their names, its containers, and the memory that they used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from yarnbox.rm.web.pages.blocks import actions, chart, facts, heading, line, stream
from yarnbox.rm.web.pages.facts import fact, or_none
from yarnbox.rm.web.pages.lists import containers
from yarnbox.rm.web.pages.taskstream import with_choices
from yarnbox.rm.web.queues.words import memory
from yarnbox.rm.web.values import Answer

_PERCENT = 100
_MIB_OF_GIB = 1024
_MOST_MOMENTS = 1_000


class Use(NamedTuple):
    """Memory that a container had from one moment on, until another, or 0 if it lives; containers of one
    group stand together in the chart.
    """

    group: str
    memory_mb: int
    started_ms: int
    finished_ms: int


def node_page(
    row: Answer, offered: Sequence[Answer], used: Sequence[Use], now_ms: int, asked: Mapping[str, str]
) -> list[Answer]:
    """`row` is that of long lists, `offered` is what may be done, `asked` are the parameters of the page."""
    held = f"node={quote(row['id'], safe='')}"
    return [
        heading(row["id"], 1),
        *([actions(offered)] if offered else ()),
        facts(_figures(row)),
        heading("Containers over time"),
        *with_choices(stream(row["id"], held, "app", lanes="queue", colour="queue"), asked),
        *(_memory(used, now_ms, row["totalMB"]) if used else ()),
        heading("Containers"),
        containers("node", row["id"], asked),
    ]


def _figures(row: Answer) -> list[Answer]:
    used_mb, total_mb, used, total = (
        row[name] for name in ("usedMB", "totalMB", "usedVCores", "totalVCores")
    )
    address = row["http"]
    return [
        fact("State", {"state": row["state"]}),
        fact("Rack", row["rack"]),
        fact("Label", row["label"] or "<DEFAULT_PARTITION>"),
        fact("Pages", address or "N/A", f"//{address}/node" if address else ""),
        fact("Memory", _part(used_mb, total_mb, f"{memory(used_mb)} of {memory(total_mb)}")),
        fact("VCores", _part(used, total, f"{used} of {total}")),
        fact("Containers", row["containers"]),
        fact("Allocation Tags", or_none(row.get("tags"))),
        fact("Health report", or_none(row["report"])),
        fact("Last health update", {"moment": row["health"]}),
        fact("Version", row["version"]),
    ]


def _part(used: int, total: int, said: str) -> Answer:
    return {"share": _PERCENT * used / total if total else 0, "said": said}


def _memory(used: Iterable[Use], now_ms: int, capacity_mb: int) -> list[Answer]:
    """Group by group, stood on one another, at each moment when a container came or went; of very many
    moments at some.
    """
    changes: dict[int, dict[str, int]] = {now_ms: {}}
    for one in used:
        for at_ms, mb in ((one.started_ms, one.memory_mb), (one.finished_ms, -one.memory_mb)):
            if at_ms:
                of_moment = changes.setdefault(at_ms, {})
                of_moment[one.group] = of_moment.get(one.group, 0) + mb
    sums = dict.fromkeys(sorted({one.group: None for one in used}), 0)
    values: dict[str, list[float | None]] = {group: [] for group in sums}
    times, stride = [], -(-len(changes) // _MOST_MOMENTS)
    for number, at_ms in enumerate(sorted(changes), 1 - len(changes)):
        for group, mb in changes[at_ms].items():
            sums[group] += mb
        if number % stride == 0:  # the last one is 0
            times.append(at_ms)
            for group, mb in sums.items():
                values[group].append(mb / _MIB_OF_GIB)
    series = [line(group, found) for group, found in values.items()]
    ceiling = capacity_mb / _MIB_OF_GIB or None
    drawn = chart("Memory used by containers", times, series, unit="GiB", ceiling=ceiling, isStacked=True)
    return [heading("Memory used, below the node's capacity"), drawn]
