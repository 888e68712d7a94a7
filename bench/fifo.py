"""The FIFO scheduler by itself: containers given per second, and heartbeats of nodes that are full.

1,000 and then 10,000 nodes, 1,000 applications that all ask. A heartbeat fills its node, as FIFO does; nodes
are small, so that a heartbeat gives four containers. Processor time of one core.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from functools import partial

from bench._report import report
from tests.rm.scheduler.fair.rig import Rig
from tests.surroundings import reporting_node
from yarnbox.rm.events.scheduler import (
    SchedulerAppAdded,
    SchedulerAppAttemptAdded,
    SchedulerNodeAdded,
    SchedulerNodeUpdate,
)
from yarnbox.rm.scheduler.fifo import FifoScheduler
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

APPLICATIONS = 1_000
CONTAINER = Resource(1024, 1)
NODE = Resource(4096, 4)
IDLE_HEARTBEATS = 100_000


def build(nodes: int) -> FifoScheduler:
    """A cluster, and applications that together want all of it."""
    context = Rig(checks_books=False).context
    context.scheduler = scheduler = FifoScheduler(context)
    for number in range(nodes):
        node_id = NodeId(f"n{number}", 1234)
        context.nodes[node_id] = reporting_node(context, node_id, f"/r{number // 40}", NODE)
        scheduler.handle(SchedulerNodeAdded(node_id=node_id))
    wanted = nodes * 4 // APPLICATIONS + 1
    for number in range(1, APPLICATIONS + 1):
        attempt_id = ApplicationAttemptId(ApplicationId(0, number), 1)
        submission = ApplicationSubmissionContext(unmanaged_am=True)
        scheduler.handle(
            SchedulerAppAdded(
                application_id=attempt_id.application_id, queue="default", user="user", context=submission
            )
        )
        scheduler.handle(SchedulerAppAttemptAdded(attempt_id=attempt_id))
        ask = ResourceRequest(priority=1, resource_name="*", capability=CONTAINER, num_containers=wanted)
        scheduler.allocate(attempt_id, [ask], ())
    context.dispatcher.drain()
    return scheduler


def timed(action: Callable[[], object]) -> float:
    """How long it keeps one core busy, in seconds."""
    gc.collect()
    begin = time.process_time()
    action()
    return time.process_time() - begin


def beat(scheduler: FifoScheduler, count: int) -> None:
    """Heartbeats of the nodes in turn."""
    nodes = list(scheduler.tracker.nodes)
    for number in range(count):
        scheduler.handle(SchedulerNodeUpdate(node_id=nodes[number % len(nodes)]))
    scheduler.context.dispatcher.drain()


def main() -> None:
    """Measures, prints and saves."""
    figures: dict[str, float] = {}
    for nodes in (1_000, 10_000):
        scheduler = build(nodes)
        seconds = timed(partial(beat, scheduler, nodes))
        given = sum(len(node.containers) for node in scheduler.tracker.nodes.values())
        idle = timed(partial(beat, scheduler, IDLE_HEARTBEATS))
        figures[f"containers/s, {nodes:,} nodes"] = given / seconds
        figures[f"full NODE_UPDATE/s, {nodes:,} nodes"] = IDLE_HEARTBEATS / idle
    report("fifo", figures, {})


if __name__ == "__main__":
    main()
