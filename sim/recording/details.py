"""What only a run of modest size can afford to have recorded: why each application waits, who holds what.

Answers what the pages ask below /ui of a living cluster, in the same shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from yarnbox.rm.asks import Locality
from yarnbox.rm.scheduler.views import QueueView
from yarnbox.rm.web import cluster
from yarnbox.rm.web.queues.users import queue_users
from yarnbox.rm.web.queues.waiting import waiting
from yarnbox.rm.web.values import Shapes
from yarnbox.rm.web.why import preemption_marks
from yarnbox.sim.recording.tracks import Documents

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext
    from yarnbox.rm.scheduler.views import AttemptView
    from yarnbox.sim.resourcemanager import SimulatedRM

_VERBOSE = ("resourceInformations", "health", "operationsInfo")
_PLAIN = (str, int, float, bool)


def record_details(
    documents: Documents, number: int, context: RMContext, shapes: Shapes, views: Sequence[QueueView]
) -> None:
    """Notes them all, at the moment of that number."""
    documents.note("/scheduler-overview", number, brief(cluster.overview(context, shapes)))
    documents.note("/waiting", number, waiting(context, lambda _: True, lambda: True))
    for view in views:
        found = queue_users(context, shapes, view.path, lambda _: True)
        documents.note(f"/queue-users/{view.path}", number, brief(found or []))
    scheduler = context.scheduler
    for application_id, application in scheduler.views.application_books.items():
        why: dict[str, Any] = {"applicationId": str(application_id)}
        why["queue"] = str(application.queue)
        checks = scheduler.views.request_checks(application_id)
        why["reasons"] = [line for request in checks for line in request.lines]
        if application.attempt is not None and (marks := preemption_marks(application.attempt)):
            why["preemption"] = marks
        documents.note(f"/why/{application_id}", number, why)
        if application.attempt is not None:
            documents.note(
                f"/application-use/{application_id}", number, _use_of(context, application.attempt)
            )


def _use_of(context: RMContext, attempt: AttemptView) -> dict[str, object]:
    """What the application holds, asks for and has missed; its largest share, and of which resource."""
    whole = context.scheduler.tracker.total.as_dict()
    used = attempt.usage.total_used().as_dict()
    shares = {name: used.get(name, 0) / amount for name, amount in whole.items() if amount}
    dominant = max(shares, key=lambda name: shares[name], default="")
    return {
        "containers": len(attempt.live),
        "pending": sum(one.pending_containers for one in attempt.usage.by_partition.values()),
        "skipped": sum(attempt.opportunities.values()) if attempt.is_asking else 0,
        "shares": {name: round(100 * share, 2) for name, share in shares.items()},
        "dominant": dominant if shares.get(dominant) else "",
        "reserved": sum(len(nodes) for nodes in attempt.reserved.values()),
        "marked": len(attempt.marked_for_preemption),
        "local": attempt.locality_counts[Locality.NODE_LOCAL],
        "rack": attempt.locality_counts[Locality.RACK_LOCAL],
        "off": attempt.locality_counts[Locality.OFF_SWITCH],
    }


def record_plans(
    documents: Documents, number: int, rm: SimulatedRM, name_of: Callable[[object], str | None]
) -> None:
    """Notes what each plan queue has booked, moment by moment of virtual time."""
    system = rm.core.client.reservations
    for path, plan in {} if system is None else system.plans.items():
        bookings = [
            {
                "id": str(one.reservation_id),
                "name": name_of(one.reservation_id) or "",
                "user": one.user,
                "arrival": one.arrival_ms,
                "deadline": one.deadline_ms,
                "pieces": [
                    {"start": piece.start_ms, "end": piece.end_ms, "memory": piece.amount.memory_mb}
                    for piece in one.allocation.pieces()
                ],
            }
            for one in plan.reservations.values()
        ]
        shown = {"queue": path, "capacity": plan.capacity.memory_mb, "bookings": bookings}
        documents.note(f"/plans/{path}", number, shown)


def brief(document: Any) -> Any:
    """The document without what is said twice, or is of no moment."""
    if isinstance(document, dict | Mapping):  # which an ABC alone takes long to say
        return {
            key: value if type(value) in _PLAIN else brief(value)
            for key, value in document.items()
            if key not in _VERBOSE
        }
    if isinstance(document, list | tuple):
        return [value if type(value) in _PLAIN else brief(value) for value in document]
    return document
