"""The way of a request under a scheduler that gives no reasons: its queues' maxima, and the nodes with room.

Read off the views of the queues, from the root down; the CapacityScheduler has a way of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.application import Attempt
from rm.web.values import Answer
from yarn.resource import Resource

if TYPE_CHECKING:
    from rm.context import RMContext


def routes(context: RMContext, attempt: Attempt) -> list[Answer]:
    """What was asked, and what is checked at each level."""
    found = []
    for key_asks in attempt.asks.all_keys():
        wanted = key_asks.any
        if wanted is not None and wanted.count:
            name = f"{wanted.count} of {wanted.capability}, priority {key_asks.key.request_priority}"
            found.append({"asked": name, "step": _steps(context, attempt, wanted.capability)})
    return found


def _steps(context: RMContext, attempt: Attempt, wanted: Resource) -> list[Answer]:
    scheduler, queue = context.scheduler, attempt.application.queue
    words = (queue if isinstance(queue, str) else queue.path).split(".")
    steps = []
    for depth in range(1, len(words) + 1):
        view = scheduler.queue_view(".".join(words[:depth]))
        if view is not None and view.max_share is not None:
            used = view.partitions[""].used
            steps.append(
                {
                    "level": view.path,
                    "checked": "has room for the request below its maximum",
                    "holds": (used + wanted).fits_in(view.max_share),
                    "numbers": f"used {used}, maximum {view.max_share}, {wanted} is asked",
                    "change": "containers of the queue end, or its maxResources are raised",
                }
            )
    nodes = list(scheduler.tracker.nodes.values())
    fitting = sum(1 for node in nodes if wanted.fits_in(node.available))
    large = sum(1 for node in nodes if wanted.fits_in(node.total))
    steps.append(
        {
            "level": "nodes",
            "checked": "one has room for it",
            "holds": fitting > 0,
            "numbers": f"{fitting} of {len(nodes)} have room now, {large} are large enough",
            "change": "containers end, or nodes are added"
            if large
            else "a smaller container is asked for, or larger nodes are added",
        }
    )
    return steps
