"""What a handler can use: the registers, the present time, the dispatcher, timers, effects, and the parts of
the RM.

The context contains no rules. It is built once by `rm.core`; everything that the core must not find by itself
(time, chance, tokens, configuration files, groups of users) is handed in. Hadoop: RMContext.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yarnbox.rm.app import RMApp
from yarnbox.rm.attempt.entity import AllTokens
from yarnbox.rm.booking import Booking
from yarnbox.rm.container import RMContainer
from yarnbox.rm.effects import Effect, SetEntryAside, StoreState, WriteLog
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.node import RMNode
from yarnbox.rm.ports import (
    AMSession,
    Chance,
    ConfigurationProvider,
    GroupMapping,
    KeptState,
    Monitors,
    Pages,
)
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.settings import RMSettings
from yarnbox.rm.statistics.health import SchedulerHealth
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, NodeId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.statemachine import InvalidEventError
from yarnbox.yarn.runtime.story import Line
from yarnbox.yarn.runtime.turns import TurnContext
from yarnbox.yarn.wire import wire_of


class RMContext(TurnContext[Effect]):
    """One ResourceManager's registers and services."""

    kept_state: KeptState | None = None
    """The state store as people may look at it, where there is one."""

    def __init__(
        self,
        *,
        settings: RMSettings,
        configuration: Configuration,
        resource_types: ResourceTypeRegistry,
        provider: ConfigurationProvider,
        groups: GroupMapping,
        tokens: AllTokens,
        pages: Pages,
        rack_of: Callable[[str], str],
        random: Chance,
        start_ms: int,
        epoch: int = 0,
        is_strict: bool = True,
    ) -> None:
        super().__init__(now_ms=start_ms, is_strict=is_strict)
        self.settings = settings
        self.bookings: list[Callable[[Booking], None]] = []
        self.container_watchers: list[Callable[[RMContainer], None]] = []
        """Is notified of each container that enters or leaves a queue's books, and of each that has ended."""
        self.mark_watchers: list[Callable[[str, str], None]] = []  # told of what people did to queues
        self.configuration = configuration
        self.resource_types = resource_types
        self.wire = wire_of(resource_types.units)
        self.provider = provider
        self.groups, self.tokens = groups, tokens
        self.pages = pages
        self.rack_of = rack_of
        """The rack of a host (the topology mapping)."""
        self.random = random
        self.start_ms = start_ms
        """When this RM started; it is the cluster timestamp of its ids and its rm_identifier."""
        self.epoch = epoch
        self.health = SchedulerHealth()
        self.logs_at: Callable[[str, str], bool] = lambda logger, level: False
        """Whether anybody reads what that logger says at that level; asked before much is made up for it."""
        self.stopwatch: Callable[[], float] = lambda: 0.0
        """Milliseconds that have gone by, for measuring alone: it stands still where no process moves it."""
        self.owner: str | None = None
        """The user of the process, always an administrator; in virtual time there is none."""
        self.admins = settings.addresses.admin_acl
        """Its other administrators; refreshed by refreshAdminAcls."""
        self.has_recovered = False
        """Whether anything was found in the state store at the start."""

        self.apps: dict[ApplicationId, RMApp] = {}
        self.nodes: dict[NodeId, RMNode] = {}
        self.inactive_nodes: dict[NodeId, RMNode] = {}
        self.am_sessions: dict[ApplicationAttemptId, AMSession] = {}
        """The attempts whose AMs are served."""

        self.monitors = Monitors(settings)

        # Set by the core while it builds the parts.
        self.scheduler: Scheduler[Any]
        self.labels: NodeLabelsManager
        self.attributes: NodeAttributesManager
        self.constraints: PlacementConstraints

    def is_admin(self, user: str) -> bool:
        """Whether the user administers the cluster."""
        return user == self.owner or self.admins.allows(user, self.groups.groups_of(user))

    def store(self, key: tuple[str, ...], value: Callable[[], object], acknowledgement: Event | None) -> None:
        """Writes an entry of the state store; without recovery there is none, and all is well at once."""
        if self.settings.recovery_enabled:
            self.order(StoreState(key=key, value=value(), acknowledgement=acknowledgement))
        elif acknowledgement is not None:
            self.post(acknowledgement)

    def report_invalid(self, entity: Any, error: InvalidEventError) -> None:
        """Logs the event; the RM goes on."""
        self.log("warning", "invalid event", entity=str(entity.subject), error=str(error))

    def set_entry_aside(self, key: tuple[str, ...], error: Exception) -> None:
        """An entry of the state store that cannot be read is no reason not to start: it is kept and shown."""
        why = f"{type(error).__name__}: {error}"
        self.log("error", "stored entry set aside", entry="/".join(key), why=why)
        self.order(SetEntryAside(key=key, why=why))

    def tell(self, kind: str, subject: object, event: str, because: str = "", after: str = "") -> None:
        """A line of the story about a decision; callers on a hot path ask `story.listeners` first."""
        if self.story.listeners:
            self.story.tell(Line(self.now_ms, kind, subject, "", event, after, because))

    def mark(self, kind: str, text: str) -> None:
        """An administrative action to be marked in charts."""
        for watcher in self.mark_watchers:
            watcher(kind, text)

    def log(self, level: str, name: str, **keys: object) -> None:
        """A line for the operator."""
        self.order(
            WriteLog(level=level, name=name, keys=tuple((key, str(value)) for key, value in keys.items()))
        )

    def dump(self, logger: str, level: str, line: str) -> None:
        """A line of a logger that is disabled by default."""
        self.order(WriteLog(level=level, name=line, keys=(), logger=logger))

    def has_am_container(self, node_id: NodeId) -> bool:
        """Whether the scheduler has an AM on the node."""
        booked = self.scheduler.tracker.nodes.get(node_id)
        return booked is not None and any(container.is_am for container in booked.containers.values())

    def log_aggregation_context(self, application_id: ApplicationId) -> LogAggregationContext | None:
        """How the application's submitter wants its logs collected."""
        app = self.apps.get(application_id)
        return None if app is None else app.submission.log_aggregation_context

    def find_node(self, node_id: NodeId) -> RMNode | None:
        """The node, active or not."""
        return self.nodes.get(node_id) or self.inactive_nodes.get(node_id)
