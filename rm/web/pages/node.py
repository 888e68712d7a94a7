"""The page of a node: its figures by their names, made of the row that long lists have of it."""

from __future__ import annotations

from yarnbox.rm.web.pages.facts import fact, or_none
from yarnbox.rm.web.queues.words import memory
from yarnbox.rm.web.values import Answer

_PERCENT = 100


def node_page(row: Answer) -> Answer:
    """The row, with every figure."""
    used_mb, total_mb, used, total = (
        row[name] for name in ("usedMB", "totalMB", "usedVCores", "totalVCores")
    )
    address = row["http"]
    return {
        **row,
        "fact": [
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
        ],
    }


def _part(used: int, total: int, said: str) -> Answer:
    return {"share": _PERCENT * used / total if total else 0, "said": said}
