"""What only a run of modest size can afford to have recorded: why each application waits, who holds what.

Answers what the pages ask below /ui of a living cluster, in the same shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rm.scheduler.capacity import CapacityScheduler
from rm.scheduler.views import QueueView
from rm.web import cluster
from rm.web.users import queue_users
from rm.web.values import Shapes
from rm.web.waiting import waiting
from sim.recording.tracks import Documents

if TYPE_CHECKING:
    from rm.context import RMContext

_VERBOSE = ("resourceInformations", "health", "operationsInfo")
NOT_CAPACITY = "Only the CapacityScheduler says why."


def note_details(
    documents: Documents, number: int, context: RMContext, shapes: Shapes, views: Sequence[QueueView]
) -> None:
    """Notes them all, at the moment of that number."""
    documents.note("/scheduler-overview", number, brief(cluster.overview(context, shapes)))
    documents.note("/waiting", number, waiting(context, lambda _: True, lambda: True))
    for view in views:
        found = queue_users(context, shapes, view.path, lambda _: True)
        documents.note(f"/queue-users/{view.path}", number, brief(found or []))
    scheduler = context.scheduler
    for application_id, application in scheduler.applications.items():
        why: dict[str, Any] = {"applicationId": str(application_id)}
        if isinstance(scheduler, CapacityScheduler):
            why["queue"] = application.queue.path
            why["reasons"] = [str(one) for one in scheduler.explain(application_id)]
        else:
            why["diagnostic"] = NOT_CAPACITY
        documents.note(f"/why/{application_id}", number, why)


def brief(document: Any) -> Any:
    """The document without what is said twice, or is of no moment."""
    if isinstance(document, Mapping):
        return {key: brief(value) for key, value in document.items() if key not in _VERBOSE}
    if isinstance(document, list | tuple):
        return [brief(value) for value in document]
    return document
