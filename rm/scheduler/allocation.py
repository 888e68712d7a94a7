"""What an allocate call receives from the scheduler. Hadoop: Allocation."""

from __future__ import annotations

from dataclasses import dataclass

from yarnbox.rm.container import RMContainer
from yarnbox.yarn.records.request import PreemptionMessage, RejectedSchedulingRequest
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True)
class Allocation:
    """What an allocate call receives from the scheduler."""

    containers: list[RMContainer]
    headroom: Resource
    updated: list[RMContainer]
    """Containers with a new size or execution type."""
    preemption: PreemptionMessage | None = None
    rejected: tuple[RejectedSchedulingRequest, ...] = ()
