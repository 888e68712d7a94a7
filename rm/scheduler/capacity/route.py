"""The way of a request from the root to the nodes: at each level what is checked, with its numbers, whether
it holds, and what would have to change where it does not.

Looks, and changes nothing; the checks are those of `reasons`, all of them and not only the first that fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rm.scheduler.asks import KeyAsks
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.assignment import Pass, SkipReason
from rm.scheduler.capacity.reasons import count_nodes, queue_checks
from yarn.ids import ApplicationId

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_CHECKED = {
    SkipReason.QUEUE_AT_MAXIMUM: "uses less than its maximum",
    SkipReason.PARENT_AT_MAXIMUM: "uses less than its maximum",
    SkipReason.USER_LIMIT: "uses no more than the limit of each user",
    SkipReason.QUEUE_HEADROOM: "has room for the request below its limits",
}
_CHANGES = {
    SkipReason.QUEUE_AT_MAXIMUM: "containers of the queue end, or its maximum-capacity is raised",
    SkipReason.PARENT_AT_MAXIMUM: "containers below this queue end, or its maximum-capacity is raised",
    SkipReason.USER_LIMIT: "containers of this user in the queue end, or user-limit-factor, "
    "minimum-user-limit-percent or the queue's capacity are raised",
    SkipReason.QUEUE_HEADROOM: "containers end, a smaller container is asked for, or a maximum is raised",
    SkipReason.AM_LIMIT: "ApplicationMasters of the queue end, or maximum-am-resource-percent is raised",
    SkipReason.USER_AM_LIMIT: "ApplicationMasters of this user end, or maximum-am-resource-percent is raised",
    SkipReason.NOT_RUNNABLE: "applications end, or max-parallel-apps is raised",
    SkipReason.NODE_BUSY: "containers on these nodes end, or nodes are added",
    SkipReason.NODE_FULL: "containers on these nodes end, or nodes are added",
    SkipReason.RESERVED: "the container that the nodes are kept for gets its place",
    SkipReason.RESERVATIONS: "one of its reservations is fulfilled or given up",
    SkipReason.NODE_TOO_SMALL: "a smaller container is asked for, or larger nodes are added",
    SkipReason.BLACKLIST: "the application takes them off its blacklist",
    SkipReason.LOCALITY_DELAY: "some more nodes are offered to it, or one where it asked has room",
    SkipReason.STRICT_LOCALITY: "a node where it asked has room, or relaxLocality is set",
    SkipReason.CONSTRAINT: "containers with the tags that it names come or go",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One check at one level."""

    level: str
    checked: str
    holds: bool
    numbers: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """What was asked, and the way that it takes."""

    asked: str
    steps: tuple[Step, ...]


def routes(scheduler: CapacityScheduler, application_id: ApplicationId) -> list[Route]:
    """The way of each open request of the application; of one that is not active yet, that to its AM."""
    application = scheduler.applications.get(application_id)
    attempt = application.attempt if application is not None else None
    if attempt is None or attempt.is_stopped:
        return []
    if not attempt.is_activated:
        return [_to_activation(attempt)]
    found = []
    for key in attempt.asks.active_keys:
        asks = attempt.asks.key_asks(key)
        if asks is not None and asks.any is not None:
            asked = f"{asks.any.count} of {asks.any.capability}, priority {key.request_priority}"
            found.append(Route(asked, tuple(_steps(scheduler, attempt, asks))))
    return found


def _to_activation(attempt: CapacityAttempt) -> Route:
    leaf, share = attempt.leaf, attempt.leaf.share(attempt.partition)
    own, used = attempt.am_resource, leaf.usage.am_used(attempt.partition)
    of_user = attempt.member.usage.am_used(attempt.partition)
    reason = attempt.waits_for or SkipReason.NOT_ACTIVATED
    limits = (
        (leaf.path, SkipReason.AM_LIMIT, f"limit {share.am_limit}, used {used}, this AM {own}"),
        (
            f"user {attempt.user}",
            SkipReason.USER_AM_LIMIT,
            f"limit {share.user_am_limit}, used {of_user}, this AM {own}",
        ),
    )
    steps = [
        Step(level, "has room for one more AM", reason is not which, numbers, _CHANGES[which])
        for level, which, numbers in limits
    ]
    if all(one.holds for one in steps):
        steps.append(Step(leaf.path, reason.value, False, "", _CHANGES.get(reason, "")))
    return Route(f"the ApplicationMaster, {own}", tuple(steps))


def _steps(scheduler: CapacityScheduler, attempt: CapacityAttempt, asks: KeyAsks) -> list[Step]:
    assert asks.any is not None
    frame, leaf, partition = scheduler.frame, attempt.leaf, asks.label
    name = partition or "<DEFAULT_PARTITION>"
    nodes = list(frame.tracker.by_partition.get(partition, {}).values())
    has_access = leaf.can_access(partition)
    steps = [
        Step(
            leaf.path,
            f"may use partition {name}",
            has_access,
            f"{len(nodes)} nodes",
            "accessible-node-labels of the queue name the label",
        )
    ]
    if not has_access or not nodes:
        if has_access:
            steps.append(Step("nodes", f"there are some in partition {name}", False, "", "nodes are added"))
        return steps
    walk = Pass(nodes[0], partition, frame.partition_total(partition), frame.cluster)
    for one in queue_checks(attempt, leaf, walk, asks.any.capability):
        steps.append(
            Step(one.level, _CHECKED[one.reason], one.holds, one.numbers, _CHANGES.get(one.reason, ""))
        )
    counts = count_nodes(scheduler, attempt, asks, nodes)
    free = len(nodes) - sum(counts.values())
    steps.append(
        Step("nodes", "one can take it", free > 0, f"{free} of {len(nodes)} nodes can", "see the lines below")
    )
    for (reason, detail), count in counts.items():
        numbers = f"{count} of {len(nodes)} nodes" + (f" ({detail})" if detail else "")
        change = "" if free else _CHANGES.get(reason, "")
        steps.append(Step("nodes", reason.value, False, numbers, change))
    return steps
