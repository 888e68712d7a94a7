"""Fixed pieces of the ResourceManager's work, each done so many times: what they cost is counted elsewhere.

A piece is prepared once, at a size; the function that comes of it does the work so many times more.
`bench.check` counts instructions, `bench.cost` calls of functions at many sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import cycle, islice

from bench import capacity, fair, labels
from tests.rig import Rig
from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.rm.events.scheduler import SchedulerNodeUpdate
from yarnbox.rm.web.cluster import metrics
from yarnbox.rm.web.nodes import node as node_page
from yarnbox.rm.web.values import Shapes

Work = Callable[[int], None]
PLENTY_MB = capacity.ROOM_MB
NODES, APPLICATIONS = 200, 200


def capacity_container(
    nodes: int = NODES, applications: int = APPLICATIONS, parents: int = 10, leaves: int = 10
) -> Work:
    """CapacityScheduler: a heartbeat that gives one container. A user for each application."""
    rig = capacity.cluster(
        nodes, applications, PLENTY_MB, capacity.properties(parents=parents, leaves=leaves), parents, leaves
    )
    return _updates(rig)


def capacity_label_container(nodes: int = 1000, partitions: int = 10) -> Work:
    """The same, where queues and applications are spread over partitions."""
    return _updates(labels.cluster(nodes, partitions, PLENTY_MB))


def capacity_full(nodes: int = NODES, applications: int = APPLICATIONS) -> Work:
    """CapacityScheduler: a heartbeat of a node without room, while everybody waits."""
    rig = capacity.cluster(nodes, applications, 1024, capacity.properties())
    capacity.saturate(rig)
    return _updates(rig)


def _updates(rig: CapacityRig) -> Work:
    events = cycle([SchedulerNodeUpdate(node_id=node_id) for node_id in rig.scheduler.tracker.nodes])

    def work(times: int) -> None:
        for event in islice(events, times):
            rig.scheduler.handle(event)

    return work


def fair_container(nodes: int = NODES, applications: int = APPLICATIONS) -> Work:
    """FairScheduler: the same."""
    rig = fair.build("fair", nodes, applications, 100_000)
    there = cycle(rig.scheduler.tracker.nodes.values())

    def work(times: int) -> None:
        for node in islice(there, times):
            rig.scheduler.allocate_on(node)
            rig.context.dispatcher.drain()

    return work


def heartbeat(nodes: int = NODES) -> Work:
    """A NodeHeartbeat with nothing new, from the record that came in to the one that goes out."""
    rig = _rig(nodes)
    names = cycle(rig.nodes)

    def work(times: int) -> None:
        for name in islice(names, times):
            rig.heartbeat(name)

    return work


def allocate(applications: int = 50) -> Work:
    """An AM's call with nothing new, from record to record; so many AMs live."""
    rig = _rig(1, 1024 * applications, applications)
    (node,) = rig.nodes
    there = []
    for _ in range(applications):
        there.append(rig.submit())
        rig.run(there[-1], node)
    ids = cycle(there)

    def work(times: int) -> None:
        for application_id in islice(ids, times):
            rig.allocate(application_id)

    return work


def application(living: int = 0) -> Work:
    """An application of one container, its AM's, from submission to end, while so many others live."""
    rig = _rig(1, 1024, 1)
    (node,) = rig.nodes
    if living:
        rig.add_node("others", 1024 * living, living)
    for _ in range(living):
        rig.run(rig.submit(), "others")

    def work(times: int) -> None:
        for _ in range(times):
            mine = rig.submit(memory_mb=1024)
            rig.run(mine, node)
            rig.finish(mine)
            rig.end_am(mine)
            rig.heartbeat(node)

    return work


def metrics_page(nodes: int = NODES) -> Work:
    """`/ws/v1/cluster/metrics`, as a value."""
    rig = _rig(nodes)
    shapes = Shapes(rig.context.resource_types)

    def work(times: int) -> None:
        for _ in range(times):
            metrics(rig.context, shapes)

    return work


def nodes_page(nodes: int = NODES) -> Work:
    """`/ws/v1/cluster/nodes`, as a value."""
    rig = _rig(nodes)
    shapes = Shapes(rig.context.resource_types)

    def work(times: int) -> None:
        for _ in range(times):
            for one in rig.context.nodes.values():
                node_page(rig.context, shapes, one)

    return work


def _rig(nodes: int, memory_mb: int = 8192, vcores: int = 8) -> Rig:
    rig = Rig(checks_books=False)
    for number in range(nodes):
        rig.add_node(f"n{number}", memory_mb, vcores)
    return rig


WORKS: Mapping[str, tuple[Callable[[], Work], int]] = {
    "capacity-container": (capacity_container, 200),
    "capacity-full": (capacity_full, 1000),
    "fair-container": (fair_container, 400),
    "heartbeat": (heartbeat, 400),
    "allocate": (allocate, 400),
    "application": (application, 20),
    "metrics-page": (metrics_page, 20),
    "nodes-page": (nodes_page, 2),
}
"""What `bench.check` counts, by name: the work, and how many times it is done."""
