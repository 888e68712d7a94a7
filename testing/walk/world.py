"""A cluster under faults: the virtual cluster of the kit, whose parts can die at any point and come back.

The ResourceManager can die before or after a turn is stored, and before any effect of it; what was stored,
as the JSON that the real store holds, is all that the next one knows. A NodeManager that dies leaves its
containers running, and the next one finds them by its recovery store; a machine that dies leaves nothing.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any

from yarnbox.nm import effects as asked
from yarnbox.nm.core import Core as NodeCore
from yarnbox.nm.edge.virtual import VirtualNode
from yarnbox.nm.effects import Launch
from yarnbox.nm.executor.process import TERMINATED, Answers
from yarnbox.nm.reporting.health import DirectoriesState
from yarnbox.nm.settings import NMSettings
from yarnbox.rm.container import RMContainerState
from yarnbox.rm.edge.services import CLIENT, MASTER, TRACKER
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.testing.virtual_time.cluster import PORT, VirtualCluster
from yarnbox.testing.virtual_time.loop import LoopClock
from yarnbox.testing.virtual_time.nodes import HeartbeatSchedule, NodeWorld, ScriptedExecutor
from yarnbox.testing.virtual_time.rm import START_MS
from yarnbox.testing.walk.master import OWN_FAILURE
from yarnbox.testing.walk.model import Model
from yarnbox.testing.walk.network import Weather
from yarnbox.testing.walk.oracles import Oracles
from yarnbox.testing.walk.reports import NodeReports
from yarnbox.testing.walk.signs import SignsOfLife
from yarnbox.yarn.connection.rpc import Caller, ConnectionFailedError, RpcError
from yarnbox.yarn.enums import ExecutionType, NodeAction
from yarnbox.yarn.errors import (
    ApplicationMasterNotRegisteredError,
    InvalidApplicationMasterRequestError,
    NotReadyError,
    YarnError,
)
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.tokens import AMRMTokenIdentifier
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.security.tokens import AMRM_TOKEN, identifier_of
from yarnbox.yarn.settings import read

LOST_EXIT = 154
"""ContainerExitStatus of a process that nobody found again."""
KILLED_EXIT = 137
UNKNOWN_TO_RM = (ApplicationMasterNotRegisteredError, InvalidApplicationMasterRequestError)
ABOUT_CONTAINERS = ("getContainerStatuses", "stopContainers")
SKEW_MS = 5000
"""How far the clock of a NodeManager may be from the ResourceManager's."""
SIZE = Resource(8192, 8)
CONF = {
    "yarn.resourcemanager.recovery.enabled": "true",
    "yarn.resourcemanager.work-preserving-recovery.scheduling-wait-ms": "2000",
    "yarn.resourcemanager.rm.container-allocation.expiry-interval-ms": "30000",
    "yarn.nm.liveness-monitor.expiry-interval-ms": "20000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "60000",
    "yarn.resourcemanager.am.max-attempts": "4",
    "yarn.nodemanager.recovery.enabled": "true",
    "yarn.nodemanager.address": f"${{yarn.nodemanager.hostname}}:{PORT}",
}


class WalkExecutor(ScriptedExecutor):
    """Containers of one machine, which outlive the NodeManager."""

    def __init__(
        self,
        cluster: NodeWorld,
        host: str,
        capacity: Resource,
        launched: Callable[[WalkExecutor, ContainerId], None],
        ended: Callable[[str, ContainerId, int], None],
        stop_ms: Callable[[], int],
        answers: Answers,
    ) -> None:
        """`launched` is called when one more container runs, `ended` when one exits; `stop_ms` says how long
        the next one that is stopped goes on.
        """
        super().__init__(cluster, host, answers)
        self.capacity = capacity
        self.host = host
        self.sizes: dict[ContainerId, Resource] = {}
        self.stopped: dict[ContainerId, None] = {}
        """What was told to stop."""
        self._launched = launched
        self._ended = ended
        self._stop_ms = stop_ms
        self._codes_left: dict[ContainerId, int] = {}
        """Of containers that ended while nobody looked."""
        self.is_watched = True

    def adopt(self, answers: Answers) -> WalkExecutor:
        """Tells another NodeManager from now on."""
        self._answers = answers
        self.is_watched = True
        return self

    def launch(self, order: Launch) -> None:
        """Starts it; what runs must fit into the machine."""
        self.sizes[order.container_id] = order.resource
        super().launch(order)
        self._launched(self, order.container_id)

    def clean_up(self, container_id: ContainerId) -> None:
        """It is told to stop, and may take its time."""
        self.stopped[container_id] = None
        self._stop(container_id, TERMINATED)

    def _stop(self, container_id: ContainerId, code: int) -> None:
        ms = self._stop_ms()
        if ms:
            asyncio.get_running_loop().call_later(ms / 1000, self._exit, container_id, code)
        else:
            self._exit(container_id, code)

    def reacquire(self, order: Launch) -> None:
        """Finds the process again, or what it left."""
        self._answers.launched(order.container_id)
        if order.container_id not in self._ends:
            self._answers.exited(order.container_id, self._codes_left.pop(order.container_id, LOST_EXIT), "")

    def vanish(self) -> None:
        """The machine is gone."""
        super().vanish()
        self.sizes.clear()
        self._codes_left.clear()

    def _exit(self, container_id: ContainerId, code: int | None) -> None:
        if container_id in self._ends:
            self._ended(self.host, container_id, self._codes[container_id] if code is None else code)
        if container_id in self._ends and not self.is_watched:
            end = self._ends.pop(container_id)
            if end is not None:
                end.cancel()
            own = self._codes.pop(container_id)
            self._codes_left[container_id] = own if code is None else code
            self._cluster.end_master(container_id)
            return
        super()._exit(container_id, code)


class WalkNode(VirtualNode[HeartbeatSchedule]):
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

    def __init__(
        self, seed: int, scheduler: str, nodes: int, conf: Mapping[str, str], allocations: str
    ) -> None:
        """`allocations` is the text of fair-scheduler.xml."""
        self.weather = Weather(Random(f"weather {seed}"))
        self.model = Model()
        self.oracles = Oracles(self)
        self.signs = SignsOfLife(self)
        self.reports = NodeReports(self)
        self._allocations = allocations
        self._skew = Random(f"clocks {seed}")
        self._kept: dict[str, dict[str, bytes]] = {}
        """What each NodeManager stored, by its host."""
        self._registered: dict[str, None] = {}
        """Hosts that have registered with this ResourceManager."""
        self._ill: dict[str, None] = {}
        """Hosts whose directories are full."""
        self._answered: dict[str, tuple[int, int | None]] = {}
        """The last answer to each host: of which ResourceManager, and its number."""
        self._registrations: Counter[bytes | str | None] = Counter()
        """How often the AM with each token has registered, and each host."""
        self._knows_rm: dict[str, int] = {}
        """With which ResourceManager the NodeManager of each host has registered."""
        self._served: dict[bytes, None] = {}
        """The tokens of AMs that have registered with this ResourceManager."""
        self._doubtful: dict[str, None] = {}
        """Hosts that a ResourceManager has missed: it may have concluded something else than they tell."""
        super().__init__(nodes, scheduler=scheduler, seed=seed, resource=SIZE, conf={**CONF, **conf})
        self.loop.set_exception_handler(self._note_exception)

    async def _begin(self, nodes: int) -> None:
        self._files.replace(None, self._allocations)
        await super()._begin(nodes)
        self.rm.is_checked = True
        self.rm.broke = self.model.broke
        self.rm.died = self._note_rm_death
        self.rm.began = self._watch
        self._watch()

    def _watch(self) -> None:
        self.signs.watch()
        self.reports.watch()

    def _note_rm_death(self) -> None:
        self.model.rm_number += 1
        self._doubtful.update(dict.fromkeys(one.host for one in self.rm.context.inactive_nodes))
        self._registered.clear()
        self._served.clear()
        self.oracles.forget_machines()

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
        proceed = super().call
        sent_to = None if self.rm.is_away else self._session_of(caller, host)

        async def send(is_late: bool) -> Any:
            if is_late and self._session_of(caller, host) != sent_to:
                raise ConnectionFailedError(f"{rpc}: it was sent to a ResourceManager that is gone")
            try:
                answer = await proceed(service, rpc, request, caller, host, timeout_s)
            except NotReadyError as error:
                raise ConnectionFailedError(f"{rpc}: {error}") from error
            except (YarnError, RpcError) as error:
                if rpc == "allocate" and not is_late and not isinstance(error, RpcError):
                    self._look_at_refusal(caller, sent_to, error)
                raise
            except Exception as error:
                self.model.broke(error)
                raise ConnectionFailedError(f"{rpc}: {error}") from error
            if service == MASTER:
                self.signs.note_master(rpc, caller.token)
                if rpc == "registerApplicationMaster" and caller.token is not None:
                    self._registrations[caller.token.identifier] += 1
                    self._served[caller.token.identifier] = None
            self._note_acknowledgement(rpc, request, caller, answer)
            if service == MASTER and rpc == "allocate":
                self.reports.look_at_ends(answer.completed_container_statuses)
                self.model.note_grants(caller.token, answer)
                self.oracles.look_at_asks(caller.token, request, answer, is_late=is_late)
            elif service == TRACKER and host is not None:
                self._note_track(rpc, request, answer, host)
            return answer

        who = host if service == TRACKER else caller.token.identifier if caller.token is not None else None
        return await self.weather.carry(rpc, host, who, send)

    def _look_at_refusal(self, caller: Caller, sent_to: tuple[int, int] | None, error: YarnError) -> None:
        """An AM's call is refused. One that this ResourceManager has registered is known to it, and knows
        which answer it has received last.
        """
        has_registered = caller.token is not None and caller.token.identifier in self._served
        if has_registered and sent_to == self._session_of(caller, None):
            is_unknown = isinstance(error, UNKNOWN_TO_RM)
            self.model.expect(not is_unknown, f"an AM has registered and is refused: {error}")

    def _session_of(self, caller: Caller, host: str | None) -> tuple[int, int]:
        """Which ResourceManager it is, and how often the AM or the node that calls has registered."""
        who = host if caller.token is None else caller.token.identifier
        return self.model.rm_number, self._registrations[who]

    def _note_acknowledgement(self, rpc: str, request: Any, caller: Caller, answer: Any) -> None:
        match rpc:
            case "submitApplication":
                application_id = request.application_submission_context.application_id
            case "forceKillApplication":
                application_id = request.application_id
            case "finishApplicationMaster":
                assert caller.token is not None
                identifier = identifier_of(caller.token, AMRM_TOKEN, AMRMTokenIdentifier)
                assert identifier.app_attempt_id is not None
                application_id = identifier.app_attempt_id.application_id
            case _:
                return
        self.oracles.look_at_acknowledgement(rpc, application_id, answer)

    async def track(self, rpc: str, request: Any, host: str) -> Any:
        """A call of a node to the ResourceManager. A node that registers is well: of one that is not, the
        ResourceManager never takes over what runs there, as in Hadoop.
        """
        if rpc == "registerNodeManager" and host in self._ill:
            self.recover(host)
            raise ConnectionFailedError(f"{rpc}: {host} is not well yet")
        answer = await super().track(rpc, request, host)
        if rpc == "registerNodeManager" and answer.node_action is NodeAction.NORMAL:
            self._knows_rm[host] = self.model.rm_number
        if rpc == "nodeHeartbeat" and answer.node_action is NodeAction.NORMAL:
            self.oracles.look_at_node(host, request.node_status.containers_statuses)
        return answer

    def _note_track(self, rpc: str, request: Any, answer: Any, host: str) -> None:
        if answer.node_action is not NodeAction.NORMAL:
            return
        self.signs.note_node(host)
        if rpc == "registerNodeManager":
            if host in self._registered:
                self._doubtful[host] = None
            self._registered[host] = None
            self._registrations[host] += 1
            self._answered.pop(host, None)
            self.oracles.forget_machine(host, request.container_statuses)
            told = [
                (one.container_id, one.container_state, one.container_exit_status)
                for one in request.container_statuses
            ]
            self.reports.look_at_statuses(host, told)
            self.signs.note_reported(one for one, _, _ in told)
            return
        statuses = request.node_status.containers_statuses
        self.reports.look_at_statuses(
            host, ((one.container_id, one.state, one.exit_status) for one in statuses)
        )
        self.oracles.note_heartbeat(host, statuses)
        answered = (self.model.rm_number, answer.response_id)
        is_repeated, self._answered[host] = self._answered.get(host) == answered, answered
        if is_repeated:  # nobody reads what is said again
            return
        is_heard = request.node_status.node_health_status.is_node_healthy
        if is_heard:
            self.signs.note_reported(one.container_id for one in statuses)
        self.oracles.note_orders(host, statuses, answer.containers_to_cleanup)
        if host not in self._doubtful:
            self.oracles.note_forgotten(answer.containers_to_be_removed_from_nm, self.signs.ended)
            if is_heard:
                self.model.note_ends(one for one in statuses if one.exit_status == OWN_FAILURE)

    async def _call_node(self, host: str, rpc: str, request: Any, caller: Caller) -> Any:
        # The ResourceManager's own calls of nodes come this way, too.
        if host in self.weather.parted:
            raise ConnectionFailedError(f"{rpc}: cannot reach {host}")
        try:
            answer = await super()._call_node(host, rpc, request, caller)
        except YarnError as error:
            if rpc in ABOUT_CONTAINERS:
                self.reports.look_at_refusal(host, caller.token, request, error)
            raise
        if rpc == "startContainers":
            self.reports.note_started(host, caller.token, answer)
        return answer

    def reaches(self, host: str) -> object | None:
        """The NodeManager of that host, if this ResourceManager can call it: it has registered with it."""
        is_there = host in self._pulses and host not in self.weather.parted
        return self.nodes[host] if is_there and self._knows_rm.get(host) == self.model.rm_number else None

    def deafen(self, number: int) -> Callable[[], object]:
        """What this ResourceManager answers one of the AMs that registered last, or a node, does not arrive
        until the returned function is called.
        """
        deaf, callers = self.weather.deaf, [*list(self._served)[-len(self.nodes) :], *self.nodes]
        who = callers[number % len(callers)]
        deaf[who] = None
        return lambda: deaf.pop(who, None)

    async def ask(self, rpc: str, request: Any, user: str = "tester") -> Any:
        """A call of a client."""
        return await self.call(CLIENT, rpc, request, Caller(user=user, host="127.0.0.1"))

    # Nodes

    @property
    def files(self) -> ScenarioFiles:
        """The configuration directory."""
        return self._files

    def _add_node(self, resource: Resource) -> str:
        host = f"nm{len(self.nodes) + 1}"
        self._kept[host] = {}
        executor = partial(
            WalkExecutor,
            self,
            host,
            resource,
            self.oracles.look_at_machine,
            self.reports.note_end,
            lambda: self.weather.stop_ms(),
        )
        self._start_node(host, resource, executor)
        return host

    def _start_node(self, host: str, resource: Resource, executor: Callable[[Answers], WalkExecutor]) -> None:
        settings = read(NMSettings, self._files.load("yarn-site.xml"))
        clock = LoopClock(self.loop, START_MS + self._skew.randrange(-SKEW_MS, SKEW_MS))
        core = NodeCore(NodeId(host, PORT), settings, resource, clock)
        node: WalkNode = WalkNode(core, partial(HeartbeatSchedule, cluster=self), executor)
        node.kept = self._kept[host]
        if node.kept:
            core.recover(dict(node.kept))
        node.driver.perform_effects()
        self.nodes[host] = node
        self._pulses[host] = self.loop.create_task(node.heartbeats.run())
        self._pulses[host].add_done_callback(partial(self._note_end, host))

    def _note_end(self, host: str, pulse: asyncio.Task[None]) -> None:
        error = None if pulse.cancelled() else pulse.exception()
        if error is not None:
            self.model.broke(error)
        elif self.nodes[host].shut_down_reason is not None and not self._is_closed:
            self.kill_machine(host)  # it was sent away: it ends its containers, and forgets them

    def executor_of(self, host: str) -> WalkExecutor:
        """The containers of a machine."""
        executor = self.nodes[host].executor
        assert isinstance(executor, WalkExecutor)
        return executor

    def machines(self) -> list[WalkExecutor]:
        """All machines."""
        return [self.executor_of(host) for host in self.nodes]

    def guaranteed(self) -> list[ContainerId]:
        """The containers that run and that the ResourceManager guarantees to run."""
        scheduler = self.rm.context.scheduler
        running = [one for machine in self.machines() for one in machine.running()]
        known = {one: scheduler.container(one) for one in running}
        return [
            container_id
            for container_id, container in known.items()
            if container is not None
            and container.state is RMContainerState.RUNNING
            and container.execution_type is ExecutionType.GUARANTEED
        ]

    def was_stopped(self, container_id: ContainerId) -> bool:
        """Whether a node was told to stop it."""
        return any(container_id in machine.stopped for machine in self.machines())

    def known_to(self, host: str) -> list[ContainerId]:
        """The containers that its NodeManager has, those that wait included."""
        return list(self.nodes[host].core.context.containers)

    def is_up(self, host: str) -> bool:
        """Whether its NodeManager runs."""
        return host in self._pulses

    def kill_node_manager(self, host: str) -> None:
        """Its process is gone; its containers run on."""
        if host in self._pulses:
            self._pulses.pop(host).cancel()
            self._knows_rm.pop(host, None)
            self.nodes[host].driver.stop()
            self.executor_of(host).is_watched = False

    def kill_machine(self, host: str) -> None:
        """The host is gone, with all that ran and all that was stored on it; nobody says so."""
        self.switch_off(host, lost=len(self._kept[host]))

    def switch_off(self, host: str, lost: int) -> None:
        """The host is switched off: what ran is gone, what was stored is there but for the newest."""
        self.kill_node_manager(host)
        for container_id in self.executor_of(host).running():
            if container_id in self._running:
                self.model.note_lost_master(container_id)
        self.executor_of(host).vanish()
        self.reports.note_loss(host)
        kept = self._kept[host]
        for key in list(kept)[max(0, len(kept) - lost) :]:
            del kept[key]

    def fall_ill(self, host: str) -> None:
        """Its local directories are full."""
        if self.is_up(host):
            self._ill[host] = None
            self.fill(host)

    def recover(self, host: str) -> None:
        """There is room in its local directories again."""
        self._ill.pop(host, None)
        if self.is_up(host):
            node = self.nodes[host]
            paths = [str(path) for path in node.core.context.settings.disks.local_directories] or ["local"]
            state = DirectoriesState("local-dirs", paths, {}, {})
            node.driver.turn(lambda: node.core.health.directories_checked(state, self.clock.now_ms()))
            node.heartbeats.wake()

    def crash_task(self, number: int) -> bool:
        """One of the containers that run, not an AM's, is killed from outside; whether there is one."""
        running = [
            (machine, one)
            for machine in self.machines()
            for one in machine.running()
            if one not in self._running and not self.is_am(one)
        ]
        if running:
            machine, container_id = running[number % len(running)]
            machine.end(container_id, KILLED_EXIT)
        return bool(running)

    def preempt(self, number: int) -> None:
        """The scheduler preempts one of the containers that run, not an AM's."""
        running = [one for one in self.guaranteed() if not self.is_am(one)] if self.rm.is_well else []
        if running:
            container_id = running[number % len(running)]
            with suppress(RpcError):
                self.rm.preempt(container_id)
                self.oracles.note_preempted(container_id)

    def start_node_manager(self, host: str) -> None:
        """The NodeManager of that host begins anew, with what is there."""
        if host not in self._pulses:
            executor = self.executor_of(host)
            self._start_node(host, executor.capacity, executor.adopt)

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
