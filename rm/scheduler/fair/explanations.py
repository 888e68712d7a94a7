"""Why an application waits: the answer to `yarnbox why`.

The reasons are returned by the predicates with which FSAppAttempt and the queues allocate; they are called
again here, so no rule is written twice. Looks, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from yarnbox.rm.asks import KeyAsks, RequestKey
from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.checks import Check, Reason, RequestChecks, asked, node_checks
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.fair.queues.queue import FairQueue
from yarnbox.rm.scheduler.fair.queues.running import RunningApps
from yarnbox.rm.scheduler.fair.reasons import FairReason
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ApplicationId, NodeId

_WITHOUT_ROOM = (FairReason.NODE_TOO_SMALL, FairReason.NODE_FULL)


class Explanations:
    """Asks the allocator's own predicates about requests, on the nodes that there are."""

    def __init__(
        self,
        register: Register[FSAppAttempt],
        nodes: Mapping[NodeId, SchedulerNode],
        running: RunningApps,
        is_waiting_for_recovery: Callable[[], bool],
    ) -> None:
        self._register = register
        self._nodes = nodes
        self._running = running
        self._is_waiting_for_recovery = is_waiting_for_recovery

    def reason_before_requests(self, application_id: ApplicationId) -> Reason | None:
        """Why an application may not run at all; None where its requests have to be looked at."""
        application = self._register.applications.get(application_id)
        app = application.attempt if application is not None else None
        if app is None or app.is_stopped or next(iter(app.asks.active_keys), None) is None:
            return None
        return next((one.reason for one in self._application_checks(app) if not one.holds), None)

    def request_checks(self, application_id: ApplicationId) -> list[RequestChecks]:
        """What is checked for each request of the application, or why it may not run at all."""
        application = self._register.applications.get(application_id)
        app = application.attempt if application is not None else None
        if app is None or app.is_stopped:
            return []
        first = tuple(self._application_checks(app))
        keys = [app.asks[key] for key in app.asks.active_keys]
        if not keys:
            return []
        if not all(one.holds for one in first):
            return [RequestChecks(asked=asked(keys[0]), checks=first)]
        return [
            RequestChecks(asked=asked(one), checks=(*first, *self._checks(app, one)), key=one.key)
            for one in keys
        ]

    def _application_checks(self, app: FSAppAttempt) -> Iterator[Check]:
        leaf: LeafQueue = app.queue
        is_back = not self._is_waiting_for_recovery()
        yield Check(reason=FairReason.RECOVERING, holds=is_back, level="cluster")
        is_runnable = app in leaf.runnable
        refusal = None if is_runnable else self._running.refusal(leaf, app.user)
        yield Check(reason=FairReason.NOT_RUNNABLE, holds=is_runnable, numbers=refusal or "", level=leaf.path)
        if is_runnable:
            holds, used = app.has_unmet_demand(), app.used
            numbers = f"demand {app.demand} as of the last update, used {used}"
            yield Check(reason=FairReason.UPDATE_DUE, holds=holds, numbers=numbers, level=leaf.path)

    def _checks(self, app: FSAppAttempt, key_asks: KeyAsks) -> Iterator[Check]:
        """Queues and the share of AMs, nodes, and then whose turn it is. What queues refuse on every node is
        not said again of the nodes.
        """
        of_queues = list(_queue_checks(app, key_asks))
        yield from of_queues
        nodes = self._nodes.values()
        one_can, *others = node_checks(
            nodes, lambda node: _on_node(app, key_asks.key, node), FairReason.NO_NODE
        )
        said = (FairReason.QUEUE_OVER_MAXIMUM, FairReason.QUEUE_HEADROOM, FairReason.AM_SHARE)
        of_nodes = [one for one in others if one.reason not in said]
        if of_nodes or one_can.holds or not others:
            yield from (one_can, *of_nodes)
        if one_can.holds and all(one.holds for one in of_queues):
            yield _turn(app)


def _queue_checks(app: FSAppAttempt, key_asks: KeyAsks) -> Iterator[Check]:
    required = key_asks.any.capability
    leaf: LeafQueue = app.queue
    from_root = list(reversed(leaf.ancestry))
    for queue in from_root:
        yield Check(
            reason=FairReason.QUEUE_OVER_MAXIMUM,
            holds=queue.is_within_max(),
            numbers=_use(queue),
            level=queue.path,
        )
    if app.is_held_to_am_share:
        numbers = f"ApplicationMasters use {leaf.am_used}, limit {leaf.am_limit()}, {required} is asked"
        yield Check(
            reason=FairReason.AM_SHARE, holds=not app.is_over_am_share(), numbers=numbers, level=leaf.path
        )
    for queue in from_root:
        yield Check(
            reason=FairReason.QUEUE_HEADROOM,
            holds=queue.fits_in_own_max(required),
            numbers=f"{_use(queue)}, {required} is asked",
            level=queue.path,
        )


def _use(queue: FairQueue) -> str:
    return f"{queue.path}: used {queue.used}, maximum {queue.max_share}"


def _on_node(app: FSAppAttempt, key: RequestKey, node: SchedulerNode) -> tuple[Reason, str] | None:
    found = refusal_on(app, key, node)
    if found is None:
        return None
    numbers = ""
    if found is FairReason.LOCALITY_DELAY:
        numbers = app.delay_numbers(key)
    elif found is FairReason.NODE_TOO_SMALL:
        numbers = f"the node has {node.total}"
    return found, numbers


def refusal_on(app: FSAppAttempt, key: RequestKey, node: SchedulerNode) -> FairReason | None:
    """Why the allocator would refuse the request on this node, were it the application's turn; None when it
    would allocate, or reserve the node. A node without room because it is being decommissioned is said to be.
    """
    found = _refusal_on(app, key, node)
    is_draining = found in _WITHOUT_ROOM and not node.is_schedulable
    return FairReason.DECOMMISSIONING if is_draining else found


def _refusal_on(app: FSAppAttempt, key: RequestKey, node: SchedulerNode) -> FairReason | None:
    reserved = node.reserved_container
    if reserved is not None and (reserved.attempt_id != app.attempt_id or reserved.key != key):
        return FairReason.NODE_RESERVED
    if reserved is not None:
        return app.refusal_of_reservation(key, node, reserved)
    leaf: LeafQueue = app.queue
    if not all(queue.is_within_max() for queue in leaf.ancestry):
        return FairReason.QUEUE_OVER_MAXIMUM
    if app.is_blacklisted(node):
        return FairReason.BLACKLIST
    if app.is_over_am_share():
        return FairReason.AM_SHARE
    for one in app.asks.active_keys:
        key_asks = app.asks[one]
        found, ends_the_look = app.outcome_on(key_asks, node)
        if one == key:
            return found
        if ends_the_look:
            return FairReason.EARLIER_REQUEST
    return FairReason.NOTHING_ASKED


def _turn(app: FSAppAttempt) -> Check:
    """Nothing of its own stops it: who comes before it, from the root down."""
    leaf: LeafQueue = app.queue
    before: list[str] = []
    for queue in reversed(leaf.ancestry):
        if queue.parent is not None:
            before += _before(queue.path, [one.path for one in queue.parent.line.members()])
    before += _before(str(app.application_id), [str(one.application_id) for one in leaf.line.members()])
    if before:
        numbers = ", ".join(before[:5]) + (f" and {len(before) - 5} more" if len(before) > 5 else "")
        return Check(reason=FairReason.OTHERS_FIRST, holds=False, numbers=numbers, level=leaf.path)
    return Check(reason=FairReason.HEARTBEAT, holds=False, level=leaf.path)


def _before(name: str, names: list[str]) -> list[str]:
    return names[: names.index(name)] if name in names else names
