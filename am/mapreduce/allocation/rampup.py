"""How many reduces to ask for while maps still run: pure arithmetic on amounts of memory.

The share of the memory that goes to reduces grows with the share of maps that are done, up to a limit; what
the maps do not need is theirs as well; and when no map waits, nothing is held back. Hadoop:
RMContainerAllocator.scheduleReduces.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """What the decision depends on: counts, and MiB."""

    completed_maps: int
    total_maps: int
    waiting_maps: int
    assigned_maps: int
    waiting_reduces: int
    assigned_reduces: int
    pending_reduces: int
    map_mb: int
    reduce_mb: int
    headroom_mb: int


def reduces_to_add(amounts: Amounts, rampup_limit: float) -> int:
    """How many more reduces to ask for; below zero, how many to take back."""
    if amounts.waiting_maps == 0:
        return amounts.pending_reduces
    maps_mb = (amounts.waiting_maps + amounts.assigned_maps) * amounts.map_mb
    reduces_mb = (amounts.waiting_reduces + amounts.assigned_reduces) * amounts.reduce_mb
    held_mb = amounts.assigned_maps * amounts.map_mb + amounts.assigned_reduces * amounts.reduce_mb
    total_mb = amounts.headroom_mb + held_mb
    done = amounts.completed_maps / amounts.total_maps if amounts.total_maps else 1.0
    for_reduces_mb = int(min(done, rampup_limit) * total_mb)
    for_maps_mb = total_mb - for_reduces_mb
    if for_maps_mb > maps_mb:
        for_reduces_mb += for_maps_mb - maps_mb
    change = int((for_reduces_mb - reduces_mb) / max(amounts.reduce_mb, 1))
    if change >= 0:
        return min(change, amounts.pending_reduces)
    return -min(-change, amounts.waiting_reduces)
