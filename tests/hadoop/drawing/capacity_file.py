"""The capacity-scheduler.xml of a document: its properties, and the queues that they name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.hadoop.drawing.clusters import PREFIX
from yarnbox.sim.walk.clusters import Document


def capacity_file(document: Document) -> dict[str, Any]:
    """All properties, by their full names."""
    found: dict[str, Any] = document["capacity-scheduler"]
    return found


def put(document: Document, name: str, value: object) -> bool:
    """A property, by what follows the prefix."""
    capacity_file(document)[PREFIX + name] = value
    return True


def leaf_paths(properties: Mapping[str, Any]) -> list[str]:
    """The paths of the leaf queues."""
    names = [
        name.removeprefix(PREFIX).removesuffix(".queues") for name in properties if name.endswith(".queues")
    ]
    children = [
        f"{parent}.{child}"
        for parent in sorted(names)
        for child in str(properties[f"{PREFIX}{parent}.queues"]).split(",")
    ]
    return [path for path in children if path not in names]
