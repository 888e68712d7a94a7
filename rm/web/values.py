"""The values that all answers are made of: resources, percentages, maps, moments.

Hadoop: ResourceInfo, ResourceInformationsInfo and the adapters of webapp.dao.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.yarn.limits import INT64_MAX
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

Answer = dict[str, Any]

_WHOLE_BELOW = 1 << 24
"""Whole numbers below it have all their digits in 32 bits."""
_TINY = 1e-37


def java_float(value: float) -> float:
    """A number as Java prints its `float`: the shortest decimal that names the same 32 bits."""
    wanted = float32(value)
    if not math.isfinite(wanted) or (abs(wanted) < _WHOLE_BELOW and wanted == int(wanted)):
        return wanted
    # Every decimal of six digits names a float of its own, unless it is tiny, and the format leaves out zeros
    # at the end.
    for digits in range(6 if abs(wanted) > _TINY else 1, 10):
        shown = float(f"{wanted:.{digits}g}")
        if float32(shown) == wanted:
            return shown
    return wanted


def percent(ratio: float | None, most: float | None = None) -> float:
    """A ratio as a percentage; `most` cuts it there."""
    value = float32(float32(ratio or 0.0) * 100)
    return java_float(value if most is None else max(0.0, min(value, most)))


class Shapes:
    """Resources in the shape that clients read, for the types of one cluster."""

    def __init__(self, types: ResourceTypeRegistry) -> None:
        self._types = [(kind.name, kind.units, list(kind.tags)) for kind in types]

    def resource(self, value: Resource | None, limits: tuple[Resource, Resource] | None = None) -> Answer:
        """ResourceInfo; `limits` are the scheduler's smallest and largest container, where they are shown."""
        held = value if value is not None else Resource(0, 0)
        return {
            "memory": held.memory_mb,
            "vCores": held.vcores,
            "resourceInformations": {
                "resourceInformation": [
                    {
                        "attributes": {},
                        "maximumAllocation": INT64_MAX if limits is None else limits[1].value(name),
                        "minimumAllocation": 0 if limits is None else limits[0].value(name),
                        "name": name,
                        "resourceType": "COUNTABLE",
                        "units": units,
                        "value": held.value(name),
                        **({"tags": tags} if tags else {}),
                    }
                    for name, units, tags in self._types
                ]
            },
        }


def entries(values: Mapping[str, object]) -> Answer:
    """A map as its list of entries; values are strings."""
    shown = [{"key": key, "value": str(value)} for key, value in values.items()]
    return {"entry": shown} if shown else {}


def without_nulls(shown: Answer) -> Answer:
    """The mapping without its fields that are None."""
    return {name: value for name, value in shown.items() if value is not None}


def java_date(moment_ms: int) -> str:
    """As java.util.Date prints a moment."""
    return datetime.fromtimestamp(moment_ms / 1000, UTC).strftime("%a %b %d %H:%M:%S UTC %Y")


def plain(resource: Resource) -> dict[str, int]:
    """Amounts by the names of their types, memory and vcores always."""
    return {MEMORY_MB: resource.memory_mb, VCORES: resource.vcores, **dict(resource.items())}
