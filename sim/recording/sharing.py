"""How evenly a ResourceManager shares its cluster now: between its leaf queues, and between applications.

A participant's weight is its queue's guarantee; applications weigh the same. What the index means is in
`fairness`.
"""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.context import RMContext
from yarnbox.rm.scheduler.calculator import DOMINANT_CALCULATOR
from yarnbox.rm.scheduler.views import PartitionView, QueueView
from yarnbox.sim.recording.fairness import Participant, fairness
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import Resource


def between_queues(context: RMContext, views: Iterable[QueueView]) -> float | None:
    """Between the leaf queues among `views`, in the default partition; None while nobody has anything."""
    whole = context.scheduler.tracker.partition_total(DEFAULT_PARTITION)
    found = []
    for view in views:
        part = view.partitions.get(DEFAULT_PARTITION)
        if view.is_leaf and part is not None:
            found.append(_participant(context, part.used, part.pending, whole, _weight(view, part, whole)))
    return _rounded(fairness(found))


def between_applications(context: RMContext) -> float | None:
    """Between all applications that have or ask for anything."""
    whole = context.scheduler.tracker.total
    found = []
    for application in context.scheduler.applications.values():
        attempt = application.attempt
        if attempt is not None and not attempt.is_stopped:
            usage = attempt.usage
            found.append(_participant(context, usage.total_used(), usage.total_pending(), whole, 1.0))
    return _rounded(fairness(found))


def _participant(
    context: RMContext, used: Resource, pending: Resource, whole: Resource, weight: float
) -> Participant:
    return Participant(_parts(context, used, whole), _parts(context, used + pending, whole), weight)


def _parts(context: RMContext, amount: Resource, whole: Resource) -> tuple[float, ...]:
    memory = amount.memory_mb / whole.memory_mb if whole.memory_mb else 0.0
    if context.scheduler.views.sharing_calculator is not DOMINANT_CALCULATOR:
        return (memory,)
    return memory, amount.vcores / whole.vcores if whole.vcores else 0.0


def _weight(view: QueueView, part: PartitionView, whole: Resource) -> float:
    if view.steady_fair_share is not None:
        return view.steady_fair_share.memory_mb / whole.memory_mb if whole.memory_mb else 0.0
    return 1.0 if part.absolute_capacity is None else part.absolute_capacity


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
