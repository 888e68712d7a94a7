"""What administrators do in a walk: they refresh queues; nodes must leave, may come back, and change their
size and their label.

Each change is asked for again until it is answered. `restore` leaves the cluster as it was in the beginning.
"""

from __future__ import annotations

import asyncio

from yarnbox.rm.edge.services import ADMIN
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.testing.virtual_time.cluster import PORT
from yarnbox.testing.walk.world import SIZE, WalkCluster
from yarnbox.yarn.connection.rpc import Caller, RpcError
from yarnbox.yarn.enums import DecommissionType
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import NodeId
from yarnbox.yarn.records.admin import (
    AddToClusterNodeLabelsRequest,
    RefreshNodesRequest,
    RefreshQueuesRequest,
    ReplaceLabelsOnNodeRequest,
    UpdateNodeResourceRequest,
)
from yarnbox.yarn.records.basics import Record, ResourceOption
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel, NodeResourceMap
from yarnbox.yarn.resources.resource import Resource

LABEL = "x"
_DEFAULT = "yarn.scheduler.capacity.root.default."
LABEL_CONF = {
    "yarn.scheduler.capacity.root.accessible-node-labels": LABEL,
    f"yarn.scheduler.capacity.root.accessible-node-labels.{LABEL}.capacity": "100",
    f"{_DEFAULT}accessible-node-labels": LABEL,
    f"{_DEFAULT}accessible-node-labels.{LABEL}.capacity": "100",
}
_CHOICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (f"{_DEFAULT}maximum-capacity", ("100", "75", "100")),
    (f"{_DEFAULT}user-limit-factor", ("1", "2", "0.7")),
    ("yarn.scheduler.capacity.maximum-am-resource-percent", ("0.5", "0.2", "1.0")),
    ("yarn.scheduler.capacity.node-locality-delay", ("40", "-1", "3")),
    (f"{_DEFAULT}ordering-policy", ("fifo", "fair", "fifo")),
)
_FAIR_CHOICES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("policy", ("drf", "fair", "fifo")),
    ("am_share", ("0.8", "0.5", "-1.0")),
    ("max_resources", ("40960 mb, 40 vcores", "12288 mb, 12 vcores", "40960 mb, 40 vcores")),
    ("max_running", ("50", "3", "50")),
)
_SIZES = (SIZE, Resource(6144, 6), Resource(4096, 4))
_CALLER = Caller(user="root", host="127.0.0.1")


def fair_allocations(number: int = 0) -> str:
    """An allocation file, other limits for each number. Maxima are no percentages: those are nothing while no
    node is there, and then the FairScheduler, as Hadoop's, refuses what a running application asks for, and
    forgets an attempt that begins.
    """
    chosen = {name: values[number // 3**at % 3] for at, (name, values) in enumerate(_FAIR_CHOICES)}
    return """<?xml version="1.0"?>
<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <queueMaxAMShareDefault>{am_share}</queueMaxAMShareDefault>
  <queue name="default">
    <schedulingPolicy>{policy}</schedulingPolicy>
    <maxResources>{max_resources}</maxResources>
    <maxRunningApps>{max_running}</maxRunningApps>
  </queue>
</allocations>
""".format(**chosen)


class Administration:
    """The administrators of one cluster."""

    def __init__(self, cluster: WalkCluster, files: ScenarioFiles) -> None:
        self._cluster = cluster
        self._files = files
        self._queues = files.replace(None, None)
        self._excluded: dict[str, None] = {}
        self._labelled: dict[str, None] = {}
        self._resized: dict[str, None] = {}

    async def refresh_queues(self, number: int) -> None:
        """Other limits of the queue."""
        changes = {name: values[number // 3**at % 3] for at, (name, values) in enumerate(_CHOICES)}
        self._files.replace({**(self._queues.capacity or {}), **changes}, fair_allocations(number))
        await self._insist("refreshQueues", RefreshQueuesRequest())

    async def exclude(self, host: str, *, is_graceful: bool) -> None:
        """The node must leave, at once or when its applications have ended."""
        self._excluded[host] = None
        if is_graceful:  # it shrinks to what it runs; a ResourceManager that begins then believes that size
            self._resized[host] = None
        self._files.exclude(host)
        kind = DecommissionType.GRACEFUL if is_graceful else DecommissionType.NORMAL
        await self._insist(
            "refreshNodes",
            RefreshNodesRequest(decommission_type=kind, decommission_timeout=20 if is_graceful else None),
        )

    async def include(self, host: str) -> None:
        """It may come back."""
        self._excluded.pop(host, None)
        self._files.include(host)
        await self._insist("refreshNodes", RefreshNodesRequest())
        self._cluster.start_node_manager(host)

    async def resize(self, host: str, number: int) -> None:
        """The node has another size to the scheduler, never more than it really has."""
        self._resized[host] = None
        option = ResourceOption(resource=_SIZES[number % len(_SIZES)], over_commit_timeout=-1)
        request = UpdateNodeResourceRequest(
            node_resource_map=(NodeResourceMap(node_id=NodeId(host, PORT), resource_option=option),)
        )
        await self._insist("updateNodeResource", request)

    async def add_label(self, *, is_exclusive: bool) -> None:
        """The label is there, and the second node has it."""
        label = NodeLabel(name=LABEL, is_exclusive=is_exclusive)
        await self._insist("addToClusterNodeLabels", AddToClusterNodeLabelsRequest(node_labels=(label,)))
        await self.relabel("nm2", is_labelled=True)

    async def relabel(self, host: str, *, is_labelled: bool) -> None:
        """The node has the label, or none."""
        self._labelled[host] = None
        labels = NodeIdToLabels(node_id=NodeId(host, 0), node_labels=(LABEL,) if is_labelled else ())
        await self._insist("replaceLabelsOnNodes", ReplaceLabelsOnNodeRequest(node_to_labels=(labels,)))

    async def restore(self) -> None:
        """Everything is as it was."""
        for host in list(self._excluded):
            await self.include(host)
        if self._files.replace(*self._queues) != self._queues:
            await self._insist("refreshQueues", RefreshQueuesRequest())
        for host in self._labelled:
            await self.relabel(host, is_labelled=host == "nm2")

    async def restore_sizes(self) -> None:
        """Every node, which must be there, has all that it has."""
        for host in self._resized:
            await self.resize(host, 0)

    async def _insist(self, rpc: str, request: Record) -> None:
        while True:
            try:
                await self._cluster.call(ADMIN, rpc, request, _CALLER)
            except RpcError:
                await asyncio.sleep(1)
            except YarnError:
                return  # a node that is not there just now cannot be changed
            else:
                return
