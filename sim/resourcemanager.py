"""A ResourceManager in virtual time: the RM process's own core, with the world played by the simulator.

Owns the building of a core without an edge, its turns, and the carrying out of its effects: an AM is started
on a simulated node, a state is stored at once, a log line is nobody's. Whoever drives it has its services,
and reads its registers between turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, TypeVar

from yarnbox.rm.app import COMPLETED_STATES, RMAppState
from yarnbox.rm.container import RMContainer
from yarnbox.rm.core import Core
from yarnbox.rm.effects import (
    AppendRecord,
    Effect,
    LaunchContainer,
    SetEntryAside,
    StopContainer,
    StoreState,
)
from yarnbox.rm.events.node import NodeExpire
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.rm.services.caller import Caller
from yarnbox.rm.settings import RMSettings
from yarnbox.sim.nodes import SimNode
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId, ReservationId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import (
    GetApplicationReportRequest,
    GetNewApplicationRequest,
    GetNewReservationRequest,
    ReservationListRequest,
)
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import VirtualClock
from yarnbox.yarn.settings import read

T = TypeVar("T")
Request = TypeVar("Request")
Answer = TypeVar("Answer")

START_MS = 0
SEED = 0
ADMINISTRATOR = "yarn"
DEFAULT_RACK = "/default-rack"
KILLED_BY_APPMASTER = -105
STOPPED = "Container killed by the ApplicationMaster."


class Groups:
    """The groups of users, as they are given."""

    def __init__(self, groups: Mapping[str, tuple[str, ...]]) -> None:
        self._groups = groups

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups of the user, the primary one first."""
        return self._groups.get(user, ())


class NoTokens:
    """Nobody checks a token in virtual time."""

    def container_token(self, container: RMContainer, user: str, now_ms: int) -> Token | None:
        return None

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        return None

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """There are none."""

    def forget_node(self, node_id: NodeId) -> None:
        """There are none."""

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """It gets none."""

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """There are none."""

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        return None

    def new_client_key(self) -> bytes | None:
        return None

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """There are none."""

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        return None


class NoPages:
    """Nobody looks at pages in virtual time."""

    def application(self, application_id: ApplicationId) -> str:
        return ""

    def proxy(self, application_id: ApplicationId) -> str:
        return ""

    def node(self, address: str) -> str:
        """Where a node says that its pages are."""
        return address


@mypyc_attr(allow_interpreted_subclasses=True)
class SimulatedRM:
    """One ResourceManager, its clock, and the nodes on which it can start AMs."""

    def __init__(
        self,
        provider: ConfigurationProvider,
        groups: Mapping[str, tuple[str, ...]],
        *files: str,
        checks_books: bool = True,
    ) -> None:
        """The files are read in this order.

        Books are recounted after each turn, which a scenario can afford and a day of a large cluster cannot.
        """
        self._provider, self._groups, self._config_files = provider, Groups(groups), files
        self._checks_books = checks_books
        self.clock = VirtualClock(START_MS)
        self.start_ms = START_MS
        self.nodes: dict[NodeId, SimNode] = {}
        self.racks: dict[str, str] = {}
        """The topology: racks of hosts; others are in the default rack."""
        self._entries: dict[tuple[str, ...], Any] = {}
        """The state store; the core writes to it where recovery is enabled."""
        self._journals: dict[str, list[Mapping[str, Any]]] = {}
        """Stored labels and attributes, by the names of their journals."""
        self._epoch = 0
        self.core = self._new_core()
        self.context = self.core.context
        self.turn(self.core.start)

    def _new_core(self) -> Core:
        configuration = self._provider.load(*self._config_files)
        settings = read(RMSettings, configuration)
        keeps_epoch = settings.recovery_enabled and settings.work_preserving
        return Core(
            settings=settings,
            configuration=configuration,
            resource_types=ResourceTypeRegistry.read(configuration),
            provider=self._provider,
            groups=self._groups,
            tokens=NoTokens(),
            pages=NoPages(),
            rack_of=self.rack_of,
            random=Random(SEED),
            clock=self.clock,
            start_ms=self.clock.now_ms(),
            epoch=self._epoch if keeps_epoch else 0,
            checks_books=self._checks_books,
        )

    def restart(self, after_ms: int) -> None:
        """The ResourceManager's process ends, and after that time another one begins with what it has stored;
        who listens to the one hears the other. Nodes and AMs find out when they call.
        """
        story, watchers = self.context.story.listeners, self.context.dispatcher.watchers
        bookings = self.context.bookings
        self.clock.move_to(self.clock.now_ms() + after_ms)
        self._epoch += 1
        self.core = self._new_core()
        self.context = self.core.context
        self.context.story.listeners.extend(story)
        self.context.dispatcher.watchers.extend(watchers)
        self.context.bookings.extend(bookings)
        self.turn(lambda: self.core.start(dict(self._entries), dict(self._journals)))

    def rack_of(self, host: str) -> str:
        """The rack of a host."""
        return self.racks.get(host, DEFAULT_RACK)

    # ---- turns

    def turn(self, call: Callable[[], T]) -> T:
        """One turn of the core, and all that it wants done."""
        try:
            return self.core.turn(call)
        finally:
            self._carry_out_effects()

    def call(self, rpc: Callable[[Request, Caller], Answer], request: Request, caller: Caller) -> Answer:
        """One turn: an RPC of one of the core's services."""
        return self.turn(lambda: rpc(request, caller))

    def next_due_ms(self) -> int | None:
        """The moment of the core's next timer."""
        return self.context.timers.next_due_ms()  # asked before each thing that happens: no longer way

    def advance(self) -> None:
        """Lets the core's timers that are due happen, and carries out after each what it wants done."""
        self.core.advance(self._carry_out_effects)

    def update_shares(self) -> None:
        """The scheduler's update of shares, once."""
        self.turn(self.context.scheduler.update_shares)

    def preempt(self) -> None:
        """The preemption policy, once."""
        self.turn(self.context.scheduler.preempt)

    # ---- the world

    def lose_node(self, node_id: NodeId) -> None:
        """The RM hears at once that the node is lost."""
        self.turn(lambda: self.context.post(NodeExpire(node_id=node_id)))
        self.context.monitors.node.unregister(node_id)

    def heard_of_node(self, node_id: NodeId, at_ms: int) -> None:
        """The node heartbeat last at that moment, with nothing to report and nothing to hear."""
        self.context.monitors.node.ping(node_id, at_ms)

    def heard_of_all_nodes(self, at_ms: int, silent: Iterable[NodeId]) -> None:
        """Each node but these heartbeat last at that moment, with nothing to report and nothing to hear."""
        self.context.monitors.node.ping_all(at_ms, silent)

    def heard_of_master(self, attempt_id: ApplicationAttemptId, at_ms: int) -> None:
        """The AM called last at that moment, with nothing to ask and nothing to hear."""
        self.context.monitors.am.ping(attempt_id, at_ms)

    def wants_some_gone(self, node_id: NodeId) -> bool:
        """Whether the node's next answer will tell it to end something."""
        node = self.context.nodes.get(node_id)
        return node is not None and bool(node.containers_to_clean or node.finished_apps)

    def wanted_gone(self, node_id: NodeId) -> tuple[tuple[ContainerId, ...], tuple[ApplicationId, ...]]:
        """The containers and applications that the node's next answer will tell it to end."""
        node = self.context.nodes.get(node_id)
        if node is None:
            return (), ()
        return tuple(node.containers_to_clean), tuple(node.finished_apps)

    def _carry_out_effects(self) -> None:
        while effects := self.core.take_effects():
            for effect in effects:
                self._carry_out(effect)

    def _carry_out(self, effect: Effect) -> None:
        if isinstance(effect, LaunchContainer):
            self._launch(effect)
        elif isinstance(effect, StopContainer):
            node = self.nodes.get(effect.node_id)
            if node is not None:
                node.end(
                    effect.container_id, KILLED_BY_APPMASTER, "Container killed by the ApplicationMaster."
                )
        elif isinstance(effect, StoreState):
            self._entries[effect.key] = effect.value
            if effect.value is None:
                del self._entries[effect.key]
            if effect.acknowledgement is not None:
                self.core.stored(effect.acknowledgement)
        elif isinstance(effect, AppendRecord):
            self._journals.setdefault(effect.journal, []).append(effect.record)
        elif isinstance(effect, SetEntryAside):
            del self._entries[effect.key]

    def _launch(self, effect: LaunchContainer) -> None:
        node = self.nodes.get(effect.node_id)
        if node is None or not node.is_live:
            self.core.am_launch_failed(effect.attempt_id, f"no connection to {effect.node_id}")
            return
        node.start(effect.container)
        self.core.am_launched(effect.attempt_id)

    # ---- asking

    def new_application_id(self, user: str) -> ApplicationId:
        """A fresh id."""
        answer = self.call(
            self.core.client.get_new_application, GetNewApplicationRequest(), Caller(user=user)
        )
        assert answer.application_id is not None
        return answer.application_id

    def new_reservation_id(self, user: str) -> ReservationId:
        """A fresh id."""
        caller = Caller(user=user)
        answer = self.call(self.core.client.get_new_reservation, GetNewReservationRequest(), caller)
        assert answer.reservation_id is not None
        return answer.reservation_id

    def application_report(self, application_id: ApplicationId, user: str) -> ApplicationReport:
        """What the client service says of the application."""
        request = GetApplicationReportRequest(application_id=application_id)
        answer = self.call(self.core.client.get_application_report, request, Caller(user=user))
        assert answer.application_report is not None
        return answer.application_report

    def reservation_state(self, reservation_id: ReservationId, queue: str) -> str:
        """What a plan reservation looks like from outside: accepted, active, completed or deleted."""
        request = ReservationListRequest(queue=queue, reservation_id=str(reservation_id))
        caller = Caller(user=ADMINISTRATOR)
        answer = self.call(self.core.client.list_reservations, request, caller)
        if not answer.reservations or answer.reservations[0].reservation_definition is None:
            return "deleted"
        definition = answer.reservations[0].reservation_definition
        now_ms = self.clock.now_ms()
        if now_ms < (definition.arrival or 0):
            return "accepted"
        return "active" if now_ms < (definition.deadline or 0) else "completed"

    def is_app_over(self, application_id: ApplicationId) -> bool:
        """Whether the application has reached its end."""
        app = self.context.apps.get(application_id)
        return app is None or app.state in COMPLETED_STATES

    def is_app_running(self, application_id: ApplicationId) -> bool:
        """Whether the application has an AM that has registered and is served."""
        app = self.context.apps.get(application_id)
        return app is not None and app.state is RMAppState.RUNNING
