"""What is given up when the RM asks for containers back.

A strict contract names what will be taken whatever is said: all of it is given up. A negotiable one names
containers and an amount: of those named, reduces go first, for a map that ends late makes every reduce wait
and a reduce only itself, until the amount is reached. Nothing is checkpointed: a task given up starts over.
Pure functions. Hadoop: AMPreemptionPolicy, in the manner of KillAMPreemptionPolicy.
"""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.request import PreemptionContainer, PreemptionContract, PreemptionMessage
from yarnbox.yarn.resources.resource import Resource

AttemptOf = Callable[[ContainerId], TaskAttemptId | None]
SizeOf = Callable[[ContainerId], Resource]


def given_up(message: PreemptionMessage, attempt_of: AttemptOf, size_of: SizeOf) -> list[TaskAttemptId]:
    """The attempts that have to go, in the order in which they go."""
    going: dict[TaskAttemptId, None] = {}
    if message.strict_contract is not None:
        for attempt_id, _ in _named(message.strict_contract.container, attempt_of):
            going[attempt_id] = None
    if message.contract is not None:
        freed = Resource()
        wanted = _amount(message.contract)
        for attempt_id, container_id in _named(message.contract.container, attempt_of):
            if wanted is not None and wanted.fits_in(freed):
                break
            freed = freed + size_of(container_id)
            going[attempt_id] = None
    return list(going)


def _named(
    containers: tuple[PreemptionContainer, ...], attempt_of: AttemptOf
) -> list[tuple[TaskAttemptId, ContainerId]]:
    found = []
    for entry in containers:
        attempt_id = attempt_of(entry.id) if entry.id is not None else None
        if attempt_id is not None and entry.id is not None:
            found.append((attempt_id, entry.id))
    return sorted(found, key=lambda pair: pair[0].is_map)  # reduces first, else as they were named


def _amount(contract: PreemptionContract) -> Resource | None:
    """How much is wanted; None when only containers are named."""
    asks = [entry.resource for entry in contract.resource if entry.resource is not None]
    if not asks:
        return None
    wanted = Resource()
    for ask in asks:
        wanted = wanted + (ask.capability or Resource()) * (ask.num_containers or 0)
    return wanted
