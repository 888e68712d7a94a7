"""What an allocate call takes delivery of. Answers for Hadoop's Allocation."""

from __future__ import annotations

from dataclasses import dataclass

from rm.container import RMContainer
from yarn.records.request import PreemptionMessage, RejectedSchedulingRequest
from yarn.resource import Resource


@dataclass(frozen=True, slots=True)
class Allocation:
    """What an allocate call takes delivery of."""

    containers: list[RMContainer]
    headroom: Resource
    updated: list[RMContainer]
    """Containers with a new size or execution type."""
    preemption: PreemptionMessage | None = None
    rejected: tuple[RejectedSchedulingRequest, ...] = ()
