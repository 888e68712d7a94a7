"""A cluster under faults: the virtual cluster of the kit, whose parts can die at any point and come back.

The ResourceManager can die before or after a turn is stored, and before any effect of it; what was stored,
as the JSON that the real store holds, is all that the next one knows. A NodeManager that dies leaves its
containers running, and the next one finds them by its recovery store; a machine that dies leaves nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from yarnbox.nm import effects as asked
from yarnbox.nm.core import Core as NodeCore
from yarnbox.nm.edge.virtual import VirtualNode
from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.process import Answers
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.edge.services import CLIENT, MASTER, TRACKER
from yarnbox.testing.virtual_time.cluster import PORT, VirtualCluster
from yarnbox.testing.virtual_time.nodes import NodeWorld, Pulse, ScriptedExecutor
from yarnbox.testing.walk.master import OWN_FAILURE
from yarnbox.testing.walk.model import Model
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError, RpcError
from yarnbox.yarn.enums import NodeAction
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.settings import read

LOST_EXIT = 154
"""ContainerExitStatus of a process that nobody found again."""
NEVER_REPEATED = ("registerApplicationMaster",)
"""An AM whose registration was taken and not answered is refused when it registers again, as in Hadoop."""
STRAY_S = 60
SIZE = Resource(8192, 8)
CONF = {
    "yarn.resourcemanager.recovery.enabled": "true",
    "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "2000",
    "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "30000",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "600000",
    "yarn.resourcemanager.am.max-attempts": "4",
    "yarn.nodemanager.recovery.enabled": "true",
    "yarn.nodemanager.address": f"${{yarn.nodemanager.hostname}}:{PORT}",
}


@dataclass(slots=True)
class Weather:
    """What the network does to calls."""

    chance: Random
    loses: float = 0.0
    """How many of a hundred requests, and as many answers, are lost."""
    delays_ms: int = 0
    """The longest delay."""
    parted: dict[str, None] = field(default_factory=dict)
    """Nodes from which and to which nothing comes through."""

    def calm(self) -> None:
        """Nothing is lost any more."""
        self.loses, self.delays_ms = 0.0, 0
        self.parted.clear()

    def is_lost(self, host: str | None) -> bool:
        """Whether this message, to or from the node if there is one, is lost."""
        return host in self.parted or self.chance.random() * 100 < self.loses

    def delay_s(self) -> float:
        """How long it is under way."""
        return self.chance.randrange(self.delays_ms + 1) / 1000


class WalkExecutor(ScriptedExecutor):
    """Containers of one machine, which outlive the NodeManager."""

    def __init__(
        self,
        cluster: NodeWorld,
        host: str,
        capacity: Resource,
        model: Model,
        is_booked: Callable[[ContainerId], bool],
        answers: Answers,
    ) -> None:
        """`is_booked`: whether the ResourceManager counts on a container. What it has given up may run a
        little longer: its node has not heard of that yet.
        """
        super().__init__(cluster, host, answers)
        self.capacity = capacity
        self._model = model
        self._sizes: dict[ContainerId, Resource] = {}
        self._codes_left: dict[ContainerId, int] = {}
        """Of containers that ended while nobody looked."""
        self.is_watched = True
        self._is_booked = is_booked

    def adopt(self, answers: Answers) -> WalkExecutor:
        """Tells another NodeManager from now on."""
        self._answers = answers
        self.is_watched = True
        return self

    def launch(self, order: Launch) -> None:
        """Starts it; what runs must fit into the machine."""
        self._sizes[order.container_id] = order.resource
        super().launch(order)
        running = [self._sizes[one] for one in self.running() if self._is_booked(one)]
        self._model.look_at_machine(self._host, running, self.capacity)

    def reacquire(self, order: Launch) -> None:
        """Finds the process again, or what it left."""
        self._answers.launched(order.container_id)
        if order.container_id not in self._ends:
            self._answers.exited(order.container_id, self._codes_left.pop(order.container_id, LOST_EXIT), "")

    def vanish(self) -> None:
        """The machine is gone."""
        super().vanish()
        self._sizes.clear()
        self._codes_left.clear()

    def _exit(self, container_id: ContainerId, code: int | None) -> None:
        if container_id in self._ends and not self.is_watched:
            end = self._ends.pop(container_id)
            if end is not None:
                end.cancel()
            own = self._codes.pop(container_id)
            self._codes_left[container_id] = own if code is None else code
            self._cluster.end_master(container_id)
            return
        super()._exit(container_id, code)


class WalkNode(VirtualNode[Pulse]):
    """A NodeManager that remembers what it is told to."""

    kept: dict[str, bytes]

    def _perform(self, effect: asked.Effect) -> None:
        match effect:
            case asked.StoreEntry(key, None):
                self.kept.pop(key, None)
            case asked.StoreEntry(key, value) if value is not None:
                self.kept[key] = value
            case asked.Forget(prefix):
                for key in [key for key in self.kept if key.startswith(prefix)]:
                    del self.kept[key]
            case _:
                super()._perform(effect)


class WalkCluster(VirtualCluster):
    """The cluster of one walk."""

    def __init__(self, seed: int, scheduler: str, nodes: int, conf: Mapping[str, str] | None = None) -> None:
        self.weather = Weather(Random(f"weather {seed}"))
        self.model = Model()
        self._kept: dict[str, dict[str, bytes]] = {}
        """What each NodeManager stored, by its host."""
        self._strays: dict[ContainerId, float] = {}
        """Since when each runs that nobody counts on."""
        self._registered: dict[str, None] = {}
        """Hosts that have registered with this ResourceManager."""
        self._doubtful: dict[str, None] = {}
        """Hosts that a ResourceManager has missed: it may have concluded something else than they tell."""
        super().__init__(nodes, scheduler=scheduler, seed=seed, resource=SIZE, conf={**CONF, **(conf or {})})
        self.loop.set_exception_handler(self._note_exception)

    async def _begin(self, nodes: int) -> None:
        await super()._begin(nodes)
        self.rm.is_checked = True
        self.rm.broke = self.model.broke
        self.rm.died = self._note_rm_death

    def _note_rm_death(self) -> None:
        self.model.note_rm_death(self.now_s)
        self._doubtful.update(dict.fromkeys(one.host for one in self.rm.context.inactive_nodes))
        self._registered.clear()

    def _note_exception(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, (YarnError, RpcError)):
            return
        self.model.broke(error if error is not None else AssertionError(str(context.get("message"))))

    # Calls

    async def call(
        self,
        service: str,
        rpc: str,
        request: Any,
        caller: Caller,
        host: str | None = None,
        timeout_s: float = 60,
    ) -> Any:
        """One call through the weather."""
        await asyncio.sleep(self.weather.delay_s())
        if self.weather.is_lost(host):
            await asyncio.sleep(1)
            raise ConnectionFailedError(f"{rpc}: the request was lost")
        try:
            answer = await super().call(service, rpc, request, caller, host, timeout_s)
        except (YarnError, RpcError):
            raise
        except Exception as error:
            self.model.broke(error)
            raise ConnectionFailedError(f"{rpc}: {error}") from error
        if service == MASTER and rpc == "allocate":
            self.model.note_grants(caller.token, answer)
        elif service == TRACKER and host is not None:
            self._note_track(rpc, request, answer, host)
        if rpc not in NEVER_REPEATED and self.weather.is_lost(host):
            await asyncio.sleep(1)
            raise ConnectionFailedError(f"{rpc}: the answer was lost")
        return answer

    def _note_track(self, rpc: str, request: Any, answer: Any, host: str) -> None:
        if rpc == "registerNodeManager":
            if host in self._registered:
                self._doubtful[host] = None
            self._registered[host] = None
        elif answer.node_action is NodeAction.NORMAL and host not in self._doubtful:
            ended = request.node_status.containers_statuses
            self.model.note_ends(one for one in ended if one.exit_status == OWN_FAILURE)

    async def _call_node(self, host: str, rpc: str, request: Any, caller: Caller) -> Any:
        # The ResourceManager's own calls of nodes come this way, too.
        if host in self.weather.parted:
            raise ConnectionFailedError(f"{rpc}: cannot reach {host}")
        return await super()._call_node(host, rpc, request, caller)

    async def ask(self, rpc: str, request: Any, user: str = "tester") -> Any:
        """A call of a client."""
        return await self.call(CLIENT, rpc, request, Caller(user=user, host="127.0.0.1"))

    # Nodes

    def _add_node(self, resource: Resource) -> str:
        host = f"nm{len(self.nodes) + 1}"
        self._kept[host] = {}
        executor = partial(WalkExecutor, self, host, resource, self.model, self._is_booked)
        self._start_node(host, resource, executor)
        return host

    def _start_node(self, host: str, resource: Resource, executor: Callable[[Answers], WalkExecutor]) -> None:
        settings = read(NMSettings, self._files.load("yarn-site.xml"))
        core = NodeCore(NodeId(host, PORT), settings, resource, self.clock)
        node = WalkNode(core, partial(Pulse, cluster=self), executor)
        node.kept = self._kept[host]
        if node.kept:
            core.recover(dict(node.kept))
        node.driver.perform_effects()
        self.nodes[host] = node
        self._pulses[host] = self.loop.create_task(node.heartbeats.run())

    def _is_booked(self, container_id: ContainerId) -> bool:
        return not self.rm.is_away and self.rm.context.scheduler.container(container_id) is not None

    def executor_of(self, host: str) -> WalkExecutor:
        """The containers of a machine."""
        executor = self.nodes[host].executor
        assert isinstance(executor, WalkExecutor)
        return executor

    def is_up(self, host: str) -> bool:
        """Whether its NodeManager runs."""
        return host in self._pulses

    def kill_node_manager(self, host: str) -> None:
        """Its process is gone; its containers run on."""
        if host in self._pulses:
            self._pulses.pop(host).cancel()
            self.nodes[host].driver.stop()
            self.executor_of(host).is_watched = False

    def kill_machine(self, host: str) -> None:
        """The host is gone, with all that ran and all that was stored on it; nobody says so."""
        self.kill_node_manager(host)
        for container_id in self.executor_of(host).running():
            if container_id in self._running:
                knows = not self.rm.is_away and self.rm.context.scheduler.container(container_id) is not None
                self.model.note_lost_master(container_id, self.now_s, is_known=knows)
        self.executor_of(host).vanish()
        self._kept[host] = {}

    def start_node_manager(self, host: str) -> None:
        """The NodeManager of that host begins anew, with what is there."""
        if host not in self._pulses:
            executor = self.executor_of(host)
            self._start_node(host, executor.capacity, executor.adopt)

    def look_for_strays(self) -> None:
        """Containers that run although the ResourceManager has given them up. Their nodes hear of that by the
        next heartbeats; this is for when all is calm.
        """
        running = [(one, host) for host in self.nodes for one in self.executor_of(host).running()]
        strays = {one: host for one, host in running if not self._is_booked(one)}
        self._strays = {one: self._strays.get(one, self.now_s) for one in strays}
        for one, since_s in self._strays.items():
            self.model.expect(
                self.now_s - since_s < STRAY_S, f"{one} runs on {strays[one]}, and nobody counts on it"
            )

    def removals(self) -> int:
        """How many nodes have left the scheduler."""
        return sum(one.type == "SchedulerNodeRemoved" for one in self.all_events())

    def used_up(self) -> list[str]:
        """What is still booked, or still runs, though everything has ended."""
        context = self.rm.context
        scheduler, monitors = context.scheduler, context.monitors
        found = list(self.leaks())
        found += [f"{one} is in the scheduler" for one in scheduler.applications]
        found += [f"{one} is served" for one in context.am_sessions]
        waiting = (len(monitors.am), len(monitors.am_finishing), len(monitors.container))
        if any(waiting):
            found.append("{} AMs, {} AMs that finish, {} containers are waited for".format(*waiting))
        for host, at in self.nodes.items():
            known = at.core.context
            found += [f"{one} is known to {host}" for one in (*known.containers, *known.applications)]
        for node in scheduler.tracker.nodes.values():
            found += [f"{one} is booked on {node.node_id}" for one in node.containers]
            if node.reserved_container is not None:
                found.append(f"{node.reserved_container.container_id} is reserved on {node.node_id}")
        return found
