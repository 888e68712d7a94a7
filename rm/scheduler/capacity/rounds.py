"""Ways to give besides one node per heartbeat: a round over all nodes (asynchronous), a partition at once.

Answers for CapacityScheduler.schedule, AsyncScheduleThread and the multi-node branch of
allocateContainersToNode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.events.scheduler import SchedulerAsynchronousRound
from rm.scheduler.asks import Locality
from rm.scheduler.capacity.commit import serve_once

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler
    from rm.scheduler.node import SchedulerNode

TIMER = "asynchronous scheduling"


def start(scheduler: CapacityScheduler) -> None:
    """Sets the timer of the next round, where scheduling is asynchronous."""
    asynchronous = scheduler.asynchronous
    if asynchronous.is_enabled:
        due_ms = scheduler.context.now_ms + asynchronous.interval_ms
        scheduler.context.timer_at(due_ms, TIMER, SchedulerAsynchronousRound())


def run(scheduler: CapacityScheduler) -> None:
    """One round: a container at most for each node, in the order of node ids from a drawn start on."""
    nodes = [scheduler.tracker.nodes[node_id] for node_id in sorted(scheduler.tracker.nodes)]
    if nodes and not scheduler.is_waiting_for_recovery():
        for _ in range(scheduler.asynchronous.threads):
            first = scheduler.context.random.randrange(len(nodes))
            for node in [*nodes[first:], *nodes[:first]]:
                if node.is_schedulable and not is_silent(scheduler, node):
                    serve_once(scheduler, node)
    start(scheduler)


def note_heartbeat(scheduler: CapacityScheduler, node: SchedulerNode) -> None:
    """The node was heard of."""
    if scheduler.hears_nodes:
        scheduler.last_heard_ms[node.node_id] = scheduler.context.now_ms


def forget(scheduler: CapacityScheduler, node: SchedulerNode) -> None:
    """The node is gone."""
    scheduler.last_heard_ms.pop(node.node_id, None)


def is_silent(scheduler: CapacityScheduler, node: SchedulerNode) -> bool:
    """Whether the node has missed so many heartbeats that nothing is given on it."""
    settings = scheduler.context.settings
    limit_ms = settings.heartbeat_interval_ms * settings.skip_node_multiplier
    heard_ms = scheduler.last_heard_ms.get(node.node_id, scheduler.context.start_ms)
    return scheduler.context.now_ms - heard_ms > limit_ms


def serve_partition(scheduler: CapacityScheduler, node: SchedulerNode) -> None:
    """A heartbeat with multi-node placement: kept nodes first, then all nodes of the partition together."""
    settings = scheduler.frame.settings
    nodes = [
        each
        for each in scheduler.tracker.by_partition.get(node.partition, {}).values()
        if each.is_schedulable and not is_silent(scheduler, each)
    ]
    for each in nodes:
        if each.reserved_container is not None:
            serve_once(scheduler, each)
    off_switch = count = 0
    while True:
        assignment = serve_once(scheduler, node, nodes)
        if assignment is None or not assignment.gives:
            return
        count += 1
        off_switch += assignment.locality is Locality.OFF_SWITCH
        if off_switch >= settings.maximum_off_switch or assignment.is_reservation:
            return
        if not settings.assigns_multiple or count == settings.maximum_assignments:
            return
