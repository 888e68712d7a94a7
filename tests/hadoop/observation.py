"""What can be seen of our ResourceManager between two turns, in the twin's words (java/Observation.java).

Values are read off registers and views; nothing is worked out here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from tests.hadoop.answers import Difference, differences
from yarnbox.rm.app import RMApp
from yarnbox.rm.container import RMContainer
from yarnbox.rm.context import RMContext
from yarnbox.rm.node import RMNode
from yarnbox.rm.reservation.plan import Reservation
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.fair import FairScheduler
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fifo import FifoScheduler
from yarnbox.rm.scheduler.views import PartitionView, QueueView, UserView
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.yarn.resources.resource import Resource

Seen = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """All of it."""

    seen: Seen

    def differences(self, hadoop: Mapping[str, Any]) -> Iterator[Difference]:
        """Every place in which Hadoop's differs."""
        for queue in (*self.seen["queues"].values(), *hadoop["queues"].values()):
            if "labels" in queue:
                queue["labels"] = {
                    label: part for label, part in queue["labels"].items() if any(part.values())
                }
        return differences("", self.seen, hadoop)


def observed(rm: SimulatedRM) -> Observation:
    """What can be seen now."""
    context = rm.context
    nodes = (*context.nodes.values(), *context.inactive_nodes.values())
    return Observation(
        {
            "apps": {str(each.application_id): _app(context, each) for each in context.apps.values()},
            "nodes": {
                str(node.node_id): _node(context, node) for node in nodes if _is_registered(context, node)
            },
            "queues": dict(_queues(context)),
            "plans": _plans(rm),
            "refused-proposals": context.health.refused,
        }
    )


def _plans(rm: SimulatedRM) -> Seen:
    system = rm.core.client.reservations
    if system is None:
        return {}
    return {
        path: {
            str(each.reservation_id): _reservation(each)
            for each in plan.reservations.values()
            if each.period_ms or each.deadline_ms > rm.clock.now_ms()
        }
        for path, plan in system.plans.items()
    }


def _reservation(reservation: Reservation) -> Seen:
    period_ms = reservation.period_ms
    # Hadoop tells of what comes again where it is in its period.
    held = reservation.recurring(period_ms).once.profile() if period_ms else reservation.allocation
    return {
        "user": reservation.user,
        "pieces": [[start_ms, end_ms, amounts(it)] for start_ms, end_ms, it in held.pieces()],
    }


def _is_registered(context: RMContext, node: RMNode) -> bool:
    return context.nodes.get(node.node_id) is node


def _app(context: RMContext, app: RMApp) -> Seen:
    current = app.current
    seen: Seen = {
        "state": app.state.name,
        "attempts": len(app.attempts),
        "attempt-state": None if current is None else current.state.name,
    }
    known: Application[Any] | None = context.scheduler.applications.get(app.application_id)
    if known is None:
        return seen
    seen["queue"] = str(known.queue)
    seen["priority"] = app.app_priority
    if known.attempt is not None and not known.attempt.is_stopped:
        seen["attempt"] = _attempt(context, known.attempt)
    return seen


def _attempt(context: RMContext, attempt: Attempt) -> Seen:
    seen = {
        "used": amounts(attempt.usage.total_used()),
        "pending": amounts(attempt.usage.total_pending()),
        "reserved": amounts(attempt.usage.total_reserved()),
        "live": _containers(attempt.live.values()),
        "reserved-containers": _containers(attempt.reserved_containers()),
    }
    if isinstance(context.scheduler, FairScheduler):
        view = context.scheduler.views.application_view(cast(FSAppAttempt, attempt))
        seen |= {"fair-share": amounts(view.fair_share), "demand": amounts(view.demand)}
    return seen


def _containers(containers: Iterable[RMContainer]) -> list[Seen]:
    return [
        {
            "id": str(each.container_id),
            "node": str(each.node_id),
            "state": each.state.name,
            "used": amounts(each.reserved_resource if each.state.name == "RESERVED" else each.resource),
            "priority": each.key.request_priority,
        }
        for each in sorted(containers, key=lambda container: container.container_id)
    ]


def _node(context: RMContext, node: RMNode) -> Seen:
    seen: Seen = {"state": node.state.name}
    booked = context.scheduler.tracker.nodes.get(node.node_id)
    if booked is not None:
        reserved = booked.reserved_container
        seen |= {
            "used": amounts(booked.allocated),
            "available": amounts(booked.available),
            "reserved": None if reserved is None else str(reserved.container_id),
            "label": booked.partition,
            "containers": sorted(map(str, booked.containers)),
        }
    return seen


def _queues(context: RMContext) -> Iterator[tuple[str, Seen]]:
    is_fair = isinstance(context.scheduler, FairScheduler)
    waiting = [] if isinstance(context.scheduler, FifoScheduler) else ["root"]
    while waiting:
        view = context.scheduler.views.queue_view(waiting.pop())
        if view is not None:
            yield view.path, _fair_queue(view) if is_fair else _capacity_queue(view)
            waiting.extend(view.children)


def _capacity_queue(view: QueueView) -> Seen:
    seen: Seen = {
        "state": view.state.name,
        "apps": view.apps,
        "labels": {label: _partition(part, view.is_leaf) for label, part in view.partitions.items()},
    }
    if view.is_leaf:
        seen |= {
            "active-apps": view.active_apps,
            "pending-apps": view.pending_apps,
            "users": {name: _user(user) for name, user in view.users.items()},
        }
    return seen


def _partition(part: PartitionView, is_leaf: bool) -> Seen:
    seen: Seen = {
        "used": amounts(part.used),
        "pending": amounts(part.pending),
        "reserved": amounts(part.reserved),
        "capacity": part.capacity,
        "max-capacity": part.max_capacity,
        "absolute-capacity": part.absolute_capacity,
        "absolute-max-capacity": part.absolute_max_capacity,
        "used-capacity": part.used_capacity,
        "absolute-used-capacity": part.absolute_used_capacity,
        "effective-min": amounts(part.effective_min),
        "effective-max": amounts(part.effective_max),
    }
    if is_leaf:
        seen |= {"am-used": amounts(part.am_used), "am-limit": amounts(part.am_limit)}
    return seen


def _user(user: UserView) -> Seen:
    return {
        "used": amounts(user.used),
        "active-apps": user.active_apps,
        "pending-apps": user.pending_apps,
    }


def _fair_queue(view: QueueView) -> Seen:
    part = view.partitions[""]
    seen: Seen = {
        "used": amounts(part.used),
        "reserved": amounts(part.reserved),
        "demand": amounts(view.demand),
        "fair-share": amounts(view.fair_share),
        "steady-fair-share": amounts(view.steady_fair_share),
        "min-share": amounts(view.min_share),
        "max-share": amounts(view.max_share),
    }
    if view.is_leaf:
        seen |= {"active-apps": view.active_apps, "pending-apps": view.pending_apps}
    return seen


def amounts(resource: Resource | None) -> dict[str, int]:
    """By the names of the types; what there is nothing of is left out."""
    found = {} if resource is None else resource.as_dict()
    return {name: amount for name, amount in found.items() if amount}
