"""What a handler can reach: the registers, the moment, the dispatcher, timers, effects, and the rooms of the
RM.

The context owns no rule. It is built once by `rm.core`; everything that the core must not find by itself
(time, chance, tokens, configuration files, groups of users) is handed in. Answers for RMContext.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol

from rm.effects import Effect, KeepLog, StoreState
from rm.health import SchedulerHealth
from yarn.configuration import Configuration
from yarn.dispatcher import Dispatcher, Event
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.liveliness import LivelinessMonitor
from yarn.records.master import AllocateResponse
from yarn.records.tokens import Token
from yarn.resource_types import ResourceTypeRegistry
from yarn.statemachine import InvalidEventError, Table
from yarn.story import Line, Story
from yarn.timers import Timers

if TYPE_CHECKING:
    from rm.app import RMApp
    from rm.container import RMContainer
    from rm.labels import NodeLabelsManager
    from rm.labels.attributes import NodeAttributesManager
    from rm.node import RMNode
    from rm.scheduler.base import Scheduler
    from rm.scheduler.bookings import Booking
    from rm.scheduler.constraint import PlacementConstraints
    from rm.settings import RMSettings


class ConfigurationProvider(Protocol):
    """Where the core gets a configuration file anew, for the refresh commands."""

    def load(self, *file_names: str) -> Configuration:
        """The present content of these files of the configuration directory, later above earlier ones."""
        ...

    def read_text(self, file_name: str) -> str | None:
        """The text of one file, by path or by name within the configuration directory; None when there is
        none.
        """
        ...

    def modified_ms(self, file_name: str) -> int | None:
        """When that file was written last; None when there is none."""
        ...


class GroupMapping(Protocol):
    """Which groups a user is in; the first one is the primary group."""

    def groups_of(self, user: str) -> tuple[str, ...]:
        """The groups of `user`; empty when unknown."""
        ...


class TokenIssuer(Protocol):
    """Who makes the tokens. In virtual time nobody checks them and none are made."""

    def container_token(self, container: RMContainer, user: str, now_ms: int) -> Token | None:
        """A container token for the container's present version."""
        ...

    def nm_token(self, attempt_id: ApplicationAttemptId, node_id: NodeId, user: str) -> Token | None:
        """An NM token for the attempt and node; None when the attempt has one already."""
        ...

    def forget_nm_tokens(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt is to be given NM tokens anew."""
        ...

    def forget_node(self, node_id: NodeId) -> None:
        """The node registered again: every attempt needs a new NM token for it."""
        ...

    def start_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt begins: tokens of it are good from now on."""
        ...

    def forget_attempt(self, attempt_id: ApplicationAttemptId) -> None:
        """The attempt has ended: its tokens are worthless."""
        ...

    def amrm_token(self, attempt_id: ApplicationAttemptId) -> Token | None:
        """The AMRM token of the attempt."""
        ...

    def new_client_key(self) -> bytes | None:
        """A secret for the tokens of an attempt's clients; None where clients get none."""
        ...

    def register_client_key(self, attempt_id: ApplicationAttemptId, key: bytes) -> None:
        """The attempt's secret is in the state store: clients may have tokens from now on."""
        ...

    def client_token(self, attempt_id: ApplicationAttemptId, client: str) -> Token | None:
        """The client's token for the attempt's AM; None when there is no secret to sign it with."""
        ...


class Chance(Protocol):
    """Chance, from a seed: what the core uses of random.Random."""

    def random(self) -> float:
        """A number from 0 to 1, 1 excluded."""
        ...

    def randrange(self, stop: int, /) -> int:
        """An integer from 0 to `stop`, `stop` excluded."""
        ...


class Pages(Protocol):
    """Where people look: the addresses of the web pages."""

    def application(self, application_id: ApplicationId) -> str:
        """The RM's page of an application."""
        ...

    def proxy(self, application_id: ApplicationId) -> str:
        """The address under which the RM passes an application's own page on."""
        ...

    def node(self, address: str) -> str:
        """Where the pages of a node are that says to serve them at `address`."""
        ...


class AMSession:
    """What the RM remembers of its talk with one attempt's AM."""

    __slots__ = ("answer", "response_id")

    def __init__(self) -> None:
        self.response_id = -1
        """The id of the last answer; -1 until the AM has registered."""
        self.answer: AllocateResponse | None = None
        """The last answer, kept in case the AM did not get it."""


class Monitors:
    """Who has to be heard of, and since when nobody has. When they look is rm.monitors' business."""

    __slots__ = ("am", "am_finishing", "container", "increase", "lifetime", "node")

    def __init__(self, settings: RMSettings) -> None:
        self.node: LivelinessMonitor[NodeId] = LivelinessMonitor(settings.node_expiry_ms)
        self.am: LivelinessMonitor[ApplicationAttemptId] = LivelinessMonitor(settings.am_expiry_ms)
        self.am_finishing: LivelinessMonitor[ApplicationAttemptId] = LivelinessMonitor(settings.am_expiry_ms)
        """AMs that have unregistered and are to exit."""
        self.lifetime: LivelinessMonitor[ApplicationId] = LivelinessMonitor(
            0, settings.lifetime_check_interval_ms
        )
        """Applications with a lifetime, registered with the moment at which it ends."""
        self.container: LivelinessMonitor[ContainerId] = LivelinessMonitor(
            settings.container_allocation_expiry_ms
        )
        """Containers that their AM took and that no node has reported yet."""
        self.increase: LivelinessMonitor[ContainerId] = LivelinessMonitor(
            settings.container_allocation_expiry_ms
        )
        """Containers whose AM took a larger size that their node has not confirmed yet."""


class RMContext:
    """One ResourceManager's registers and hands."""

    def __init__(
        self,
        *,
        settings: RMSettings,
        configuration: Configuration,
        resource_types: ResourceTypeRegistry,
        provider: ConfigurationProvider,
        groups: GroupMapping,
        tokens: TokenIssuer,
        pages: Pages,
        rack_of: Callable[[str], str],
        random: Chance,
        start_ms: int,
        epoch: int = 0,
        is_strict: bool = True,
    ) -> None:
        self.settings = settings
        self.bookings: list[Callable[[Booking], None]] = []
        self.container_watchers: list[Callable[[RMContainer], None]] = []
        """Who is told of each container that enters or leaves a queue's books, and of each that has ended."""
        self.mark_watchers: list[Callable[[str, str], None]] = []  # told of what people did to queues
        self.configuration = configuration
        self.resource_types = resource_types
        self.provider = provider
        self.groups, self.tokens = groups, tokens
        self.pages = pages
        self.rack_of = rack_of
        """The rack of a host (the topology mapping)."""
        self.random = random
        self.start_ms = start_ms
        """When this RM started; it is the cluster timestamp of its ids and its rm_identifier."""
        self.epoch = epoch
        self.is_strict = is_strict
        """Whether an invalid event raises (tests, virtual time) or is logged and dropped (the process)."""
        self.now_ms = start_ms
        self.dispatcher = Dispatcher()
        self.timers: Timers[Event] = Timers()
        self.story = Story()
        self.health = SchedulerHealth()
        self.effects: list[Effect] = []
        self.hears: Callable[[str, str], bool] = lambda logger, level: False
        """Whether anybody reads what that logger says at that level; asked before much is made up for it."""
        self.stopwatch: Callable[[], float] = lambda: 0.0
        """Milliseconds that have gone by, for measuring alone: it stands still where no process moves it."""
        self.invalid_events, self.has_recovered = 0, False
        """Whether anything was found in the state store at the start."""

        self.apps: dict[ApplicationId, RMApp] = {}
        self.nodes: dict[NodeId, RMNode] = {}
        self.inactive_nodes: dict[NodeId, RMNode] = {}
        self.am_sessions: dict[ApplicationAttemptId, AMSession] = {}
        """The attempts whose AMs are served."""

        self.monitors = Monitors(settings)

        # Set by the core while it builds the rooms.
        self.scheduler: Scheduler[Any]
        self.labels: NodeLabelsManager
        self.attributes: NodeAttributesManager
        self.constraints: PlacementConstraints

    def post(self, event: Event) -> None:
        """Puts an event at the end of the queue."""
        self.dispatcher.post(event)

    def order(self, effect: Effect) -> None:
        """Asks something of the world."""
        self.effects.append(effect)

    def store(self, key: tuple[str, ...], value: Callable[[], Any], acknowledgement: Event | None) -> None:
        """Writes an entry of the state store; without recovery there is none, and all is well at once."""
        if self.settings.recovery_enabled:
            self.order(StoreState(key=key, value=value(), acknowledgement=acknowledgement))
        elif acknowledgement is not None:
            self.post(acknowledgement)

    def timer_at(self, due_ms: int, key: Hashable, event: Event) -> None:
        """Lets `event` happen at `due_ms`."""
        self.timers.at(due_ms, key, event)

    def fire(self, table: Table[Any], entity: Any, event: Event) -> None:
        """Lets `event` happen to `entity` by its table. An invalid one changes nothing."""
        try:
            table.fire(entity, event, self.now_ms, self.story)
        except InvalidEventError as error:
            if self.is_strict:
                raise
            self.invalid_events += 1
            self.log("warning", "invalid event", entity=str(entity.subject), error=str(error))

    def tell(self, kind: str, subject: object, event: str, because: str = "", after: str = "") -> None:
        """A line of the story about a decision; callers on a hot path ask `story.listeners` first."""
        if self.story.listeners:
            self.story.tell(Line(self.now_ms, kind, subject, "", event, after, because))

    def mark(self, kind: str, text: str) -> None:
        """Something that people did, worth a mark in charts."""
        for watcher in self.mark_watchers:
            watcher(kind, text)

    def log(self, level: str, name: str, **keys: object) -> None:
        """A line for the operator."""
        self.order(
            KeepLog(level=level, name=name, keys=tuple((key, str(value)) for key, value in keys.items()))
        )

    def dump(self, logger: str, level: str, line: str) -> None:
        """A line from a logger of its own, for those who switched it on."""
        self.order(KeepLog(level=level, name=line, keys=(), logger=logger))

    def find_node(self, node_id: NodeId) -> RMNode | None:
        """The node, active or not."""
        return self.nodes.get(node_id) or self.inactive_nodes.get(node_id)
