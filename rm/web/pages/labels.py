"""The page of the node labels, by the names of Hadoop's."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.web.pages.blocks import column, grid, heading
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION

_COLUMNS = (
    column("label", "Label Name", "ofLabel"),
    column("type", "Label Type"),
    column("nodes", "Num Of Active NMs", "number"),
    column("memory", "Total Memory", "memory"),
    column("vcores", "Total VCores", "number"),
)
_NONE = 'No labels. Make one: yarn rmadmin -addToClusterNodeLabels "gpu(exclusive=false)"'


def labels_page(found: Sequence[Answer]) -> list[Answer]:
    """`found` are the labels as REST answers them."""
    how = {"of": "label", "order": "label", "isMain": True, "calls": ["/get-rm-node-labels"], "none": _NONE}
    return [
        heading("Node Labels", 1),
        grid("labels", "Node labels", _COLUMNS, [_row(one) for one in found], **how),
    ]


def _row(one: Answer) -> Answer:
    there = one.get("partitionInfo", {}).get("resourceAvailable") or {}
    is_exclusive = str(one.get("exclusivity")).lower() == "true"
    return {
        "label": one.get("name") or SHOWN_DEFAULT_PARTITION,
        "type": "Exclusive Partition" if is_exclusive else "Non Exclusive Partition",
        "nodes": int(one.get("activeNMs", 0)),
        "memory": int(there.get("memory", 0)),
        "vcores": int(there.get("vCores", 0)),
    }
