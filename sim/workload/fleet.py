"""The NodeManagers of a workload: which containers end when, and who heartbeats at which moment.

Each node heartbeats at moments an interval apart, the first at a random offset from the seed. Nodes of one
moment go in the order of the offsets, then in that of the cluster's list. A heartbeat is left out where it
would change nothing: no container began or ended, the ResourceManager wants none removed, and no AM waits for
a container or reads its headroom. `Site.every_heartbeat` makes them all, and tests compare the two. Where
nodes are prompt, a heartbeat out of turn begins the node's interval anew. Hadoop: NMSimulator and
NodeStatusUpdaterImpl.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from yarnbox.rm.services.caller import Caller
from yarnbox.sim.kernel import Kernel
from yarnbox.sim.load.jobs import NodeSpec
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.resourcemanager import ADMINISTRATOR, SimulatedRM
from yarnbox.sim.workload.master import FAILED
from yarnbox.sim.workload.site import NodeLoss, Site
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarnbox.yarn.resources.resource import Resource

PORT = 1234
NODE_MANAGER = Caller(user=ADMINISTRATOR)
THE_WORLD, NODES_FIRST, THEN_JOBS, THEN_MASTERS, THEN_SAMPLES = range(5)
"""Priorities of what happens at one moment."""


class WorkloadNode(SimNode):
    """A NodeManager that tells who listens what begins and ends on it."""

    def __init__(
        self,
        node_id: NodeId,
        spec: NodeSpec,
        resource: Resource,
        started: Callable[[WorkloadNode, Container], None],
        ended: Callable[[ContainerId], None],
    ) -> None:
        super().__init__(node_id, spec.rack, resource)
        self.speed = spec.speed
        self._started, self._ended = started, ended
        self.offset_ms = 0
        self.order = 0
        """Its place among the nodes of one moment."""
        self.registered_ms = 0
        self.beaten_ms = -1
        """The last moment at which it had its turn."""
        self.ends: dict[ContainerId, int] = {}
        """When the lifetime of each task's container is over."""
        self.failing: dict[ContainerId, None] = {}
        """Those that will end with a failure."""
        self.unreported = False
        """Whether something began or ended that its next heartbeat will tell."""
        self.due: tuple[int, int] | None = None
        """The moment of its next heartbeat, and the number by which that can be cancelled."""

    def start(self, container: Container) -> None:
        """An AM, or for an AM the RM, starts a container here."""
        super().start(container)
        self.unreported = True
        self._started(self, container)

    def end(self, container_id: ContainerId, exit_status: int, diagnostics: str = "") -> bool:
        """A container ends."""
        self.ends.pop(container_id, None)
        self.failing.pop(container_id, None)
        self.unreported = True
        if not super().end(container_id, exit_status, diagnostics):
            return False
        self._ended(container_id)
        return True

    def end_what_is_due(self, now_ms: int) -> None:
        """Containers whose lifetime is over end."""
        for container_id in [each for each, end_ms in self.ends.items() if end_ms <= now_ms]:
            self.end(container_id, FAILED if container_id in self.failing else 0)

    def vanish(self) -> None:
        """The machine is gone, with all that ran on it."""
        gone = list(self.running)
        super().vanish()
        self.ends.clear()
        self.failing.clear()
        for container_id in gone:
            self._ended(container_id)


def _turn_of(node: WorkloadNode) -> tuple[int, int]:
    return node.offset_ms, node.order


class Fleet:
    """All nodes of one play."""

    def __init__(
        self,
        rm: SimulatedRM,
        kernel: Kernel,
        site: Site,
        started: Callable[[WorkloadNode, Container], None],
        ended: Callable[[ContainerId], None],
    ) -> None:
        """`started` and `ended` are told of each container."""
        self._rm, self._kernel, self._site = rm, kernel, site
        self._interval_ms = site.nm_interval_ms
        self._started, self._ended = started, ended
        self._nodes: list[WorkloadNode] = []
        """By offset."""
        self._silent: dict[NodeId, None] = {}
        """Those that are not in the cluster."""
        self._is_wanted = False
        """Whether heartbeats could bring something to somebody."""
        self._sweeps = False
        self._next_sweep = 0
        """The number by which the sweep's next heartbeat can be cancelled."""
        self._beating: WorkloadNode | None = None

    def join(self) -> Iterator[str]:
        """All nodes register; of those that were refused, which and why."""
        for spec in self._site.specs():
            node_id = NodeId(spec.host, PORT)
            resource = spec.resource or self._site.node_resource
            node = WorkloadNode(node_id, spec, resource, self._begun, self._ended)
            chance = Random(f"{self._site.seed}/heartbeats/{spec.host}")
            node.offset_ms = chance.randrange(self._interval_ms)
            self._rm.racks[node_id.host] = spec.rack
            self._rm.nodes[node_id] = node
            self._nodes.append(node)
        refusals = [(node, node.register(self._register)) for node in self._nodes]
        self._nodes.sort(key=lambda node: node.offset_ms)
        for order, node in enumerate(self._nodes):
            node.order = order
        for node, refusal in refusals:
            if refusal:
                self._silent[node.node_id] = None
                yield f"{node.node_id.host}: {refusal}"
            else:
                self._beat_at(node, self._moment_after(node))

    @property
    def has_live_nodes(self) -> bool:
        """Whether any node is in the cluster."""
        return any(node.is_live for node in self._nodes)

    @property
    def has_running_tasks(self) -> bool:
        """Whether some container will end by itself."""
        return any(node.ends for node in self._nodes)

    def node(self, node_id: NodeId) -> WorkloadNode:
        """The node of that id."""
        found = self._rm.nodes[node_id]
        assert isinstance(found, WorkloadNode)
        return found

    # ---- death and return

    def lose(self, loss: NodeLoss) -> None:
        """The node dies; it comes back if it is to."""
        node = self.node(NodeId(loss.host, PORT))
        if not node.is_live:
            return
        now_ms = self._rm.clock.now_ms()
        last_ms = now_ms - 1 - (now_ms - 1 - node.offset_ms) % self._interval_ms
        self._rm.heard_of_node(node.node_id, max(node.registered_ms, last_ms))
        node.vanish()
        self._note_life(node)
        if loss.for_ms is not None:
            self._kernel.at(now_ms + loss.for_ms, partial(self._return, node), THE_WORLD)

    def _return(self, node: WorkloadNode) -> None:
        if not node.is_live and not node.register(self._register):
            node.registered_ms = self._rm.clock.now_ms()
            self._note_life(node)
            self.wake(node)

    def _note_life(self, node: WorkloadNode) -> None:
        """It may have left the cluster, or come back."""
        if not node.is_live:
            self._silent[node.node_id] = None
        elif self._silent:
            self._silent.pop(node.node_id, None)

    def still_there(self) -> None:
        """The RM hears of the nodes that live, for the sake of those whose heartbeats were left out."""
        self._rm.heard_of_all_nodes(self._rm.clock.now_ms(), self._silent)

    # ---- moments

    def wake(self, node: WorkloadNode) -> None:
        """It heartbeats at the next of its moments."""
        now_ms = self._rm.clock.now_ms()
        is_now = (now_ms - node.offset_ms) % self._interval_ms == 0 and now_ms > node.registered_ms
        if is_now and node.beaten_ms != now_ms and self._kernel.is_to_come((NODES_FIRST, node.order)):
            self._beat_at(node, now_ms)
        else:
            self._beat_at(node, self._moment_after(node))

    def wake_for(self, node_id: NodeId) -> None:
        """The RM may want something of the node, unless the node has just told it so itself."""
        node = self._rm.nodes.get(node_id)
        if node is not None and node is not self._beating and node.is_live:
            assert isinstance(node, WorkloadNode)
            self.wake(node)

    def end_at(self, node: WorkloadNode, container_id: ContainerId, end_ms: int) -> None:
        """It is known now when a container that runs there ends."""
        if container_id not in node.running or container_id in node.failing:
            return
        node.ends[container_id] = end_ms
        self._beat_at(node, self._moment_of_end(node, end_ms))

    def tell_end(self, node: WorkloadNode) -> None:
        """A container has ended there: it heartbeats at once, or at the next of its moments."""
        if self._site.has_prompt_nodes:
            self._beat_at(node, self._rm.clock.now_ms() + 1)
        else:
            self.wake(node)

    def want(self, *, is_wanted: bool) -> None:
        """Whether heartbeats could bring something to somebody: then all nodes make theirs."""
        self._is_wanted = is_wanted and not self._site.every_heartbeat
        if self._is_wanted and not self._sweeps:
            self._sweeps = True
            offset_ms = self._rm.clock.now_ms() % self._interval_ms
            self._sweep_to(bisect_right(self._nodes, offset_ms, key=lambda node: node.offset_ms))

    def _sweep_to(self, place: int) -> None:
        """The node at that place heartbeats at its next moment, and so on while it is wanted."""
        node = self._nodes[place % len(self._nodes)]
        now_ms = self._rm.clock.now_ms()
        wait_ms = (node.offset_ms - now_ms) % self._interval_ms
        if wait_ms == 0 and not self._kernel.is_to_come((NODES_FIRST, node.order)):
            wait_ms = self._interval_ms
        self._next_sweep = self._kernel.at(
            now_ms + wait_ms, partial(self._sweep, node), NODES_FIRST, node.order
        )

    def _sweep(self, node: WorkloadNode) -> None:
        if not self._is_wanted:
            self._sweeps = False
            return
        self._beat(node)
        self._sweep_to(self._place_after(node))

    def _place_after(self, node: WorkloadNode) -> int:
        if not self._site.has_prompt_nodes:
            return node.order + 1
        return bisect_right(self._nodes, _turn_of(node), key=_turn_of)

    def _begin_interval(self, node: WorkloadNode) -> None:
        """The next heartbeat of the node comes an interval from now."""
        del self._nodes[bisect_left(self._nodes, _turn_of(node), key=_turn_of)]
        node.offset_ms = self._rm.clock.now_ms() % self._interval_ms
        insort(self._nodes, node, key=_turn_of)
        if node.due is not None:
            self._kernel.cancel(node.due[1])
            node.due = None
        if self._sweeps:
            self._kernel.cancel(self._next_sweep)
            self._sweep_to(self._place_after(node))

    def _moment_after(self, node: WorkloadNode) -> int:
        now_ms = self._rm.clock.now_ms()
        return now_ms + 1 + (node.offset_ms - now_ms - 1) % self._interval_ms

    def _moment_of_end(self, node: WorkloadNode, end_ms: int) -> int:
        """When the node reports what ends then."""
        if self._site.has_prompt_nodes:
            return max(end_ms, self._rm.clock.now_ms() + 1)
        return max(self._moment_after(node), end_ms + (node.offset_ms - end_ms) % self._interval_ms)

    def _beat_at(self, node: WorkloadNode, due_ms: int) -> None:
        if node.due is not None:
            if node.due[0] <= due_ms:
                return
            self._kernel.cancel(node.due[1])
        number = self._kernel.at(due_ms, partial(self._beat_when_due, node), NODES_FIRST, node.order)
        node.due = (due_ms, number)

    def _beat_when_due(self, node: WorkloadNode) -> None:
        node.due = None
        self._beat(node)

    def _beat(self, node: WorkloadNode) -> None:
        now_ms = self._rm.clock.now_ms()
        if not node.is_live or node.beaten_ms == now_ms or node.registered_ms == now_ms > 0:
            return
        node.beaten_ms = now_ms
        if node.due is not None and node.due[0] == now_ms:
            self._kernel.cancel(node.due[1])
            node.due = None
        if (now_ms - node.offset_ms) % self._interval_ms:
            self._begin_interval(node)
        self._beating = node
        if node.ends:
            node.end_what_is_due(now_ms)
        if self._rm.wants_some_gone(node.node_id):
            node.obey(*self._rm.wanted_gone(node.node_id))
        node.unreported = False
        node.heartbeat(self._heartbeat, now_ms)
        if node.must_resync:
            node.register(self._register, keep=True)
        self._note_life(node)
        self._beating = None
        is_awaited = node.unreported or self._rm.wants_some_gone(node.node_id)
        if is_awaited or self._site.every_heartbeat:
            self._beat_at(node, self._moment_after(node))
        if node.ends:
            self._beat_at(node, self._moment_of_end(node, min(node.ends.values())))

    def _begun(self, node: WorkloadNode, container: Container) -> None:
        self.wake(node)
        self._started(node, container)

    # ---- calls

    def _register(self, request: RegisterNodeManagerRequest) -> RegisterNodeManagerResponse:
        return self._rm.call(self._rm.core.tracker.register_node_manager, request, NODE_MANAGER)

    def _heartbeat(self, request: NodeHeartbeatRequest) -> NodeHeartbeatResponse:
        return self._rm.call(self._rm.core.tracker.node_heartbeat, request, NODE_MANAGER)
