"""Core: one ResourceManager, deterministic. Calls in; answers and effects out.

It builds the RM, runs turns, and returns timers and effects; it decides nothing. A turn is one call in, its
answer, then every event that it caused, in order, to the last. Whoever drives it, the process or the
simulator, brings time, chance, files, groups and tokens, carries out the effects, and calls `advance` when a
timer is due. Hadoop: ResourceManager and its dispatchers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from yarnbox.rm.access import Access
from yarnbox.rm.app import RM_APP
from yarnbox.rm.attempt import RM_APP_ATTEMPT
from yarnbox.rm.attempt.entity import AllTokens
from yarnbox.rm.context import RMContext
from yarnbox.rm.effects import SCHEDULER_JOURNAL, Effect
from yarnbox.rm.events.app import (
    AppEvent,
    AppManagerEvent,
    AttemptEvent,
    AttemptLaunched,
    AttemptLaunchFailed,
)
from yarnbox.rm.events.node import MonitorEvent, NodeEvent, NodesListEvent
from yarnbox.rm.events.scheduler import PlacementDue, SchedulerEvent
from yarnbox.rm.labels import NodeLabelsManager
from yarnbox.rm.labels.administration import ATTRIBUTE_JOURNAL, LABEL_JOURNAL, LabelAdministration
from yarnbox.rm.labels.attributes import NodeAttributesManager
from yarnbox.rm.monitoring.decommissioning import DecommissioningWatcher
from yarnbox.rm.monitoring.monitors import MonitorClock
from yarnbox.rm.monitoring.nodes import NodesListManager
from yarnbox.rm.node import RM_NODE
from yarnbox.rm.ports import Chance, ConfigurationProvider, GroupMapping, Pages
from yarnbox.rm.reservation.classes import check_plans, check_system
from yarnbox.rm.reservation.system import FOLLOWER, Planning, ReservationSystem
from yarnbox.rm.scheduler.base import Scheduler
from yarnbox.rm.scheduler.constraint import PlacementConstraints
from yarnbox.rm.scheduler.containers.opportunistic import OpportunisticAllocator
from yarnbox.rm.scheduler.custom import object_named
from yarnbox.rm.scheduler.plan_queues import HasPlanQueues
from yarnbox.rm.services.admin import AdminService
from yarnbox.rm.services.client import ClientService
from yarnbox.rm.services.master import MasterService
from yarnbox.rm.services.tracker import TrackerService
from yarnbox.rm.settings import CAPACITY_SCHEDULER, FAIR_SCHEDULER, FIFO_SCHEDULER, RMSettings
from yarnbox.rm.state import Entries
from yarnbox.rm.submission import RMAppManager
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.turns import TurnCore

Journals = Mapping[str, Sequence[Mapping[str, object]]]
"""Records by the name of their journal."""

SCHEDULERS = {
    FIFO_SCHEDULER: "yarnbox.rm.scheduler.fifo.FifoScheduler",
    CAPACITY_SCHEDULER: "yarnbox.rm.scheduler.capacity.scheduler.CapacityScheduler",
    FAIR_SCHEDULER: "yarnbox.rm.scheduler.fair.FairScheduler",
}
"""Hadoop's classes and ours; any other name is the dotted path of a user's own class."""


class Core(TurnCore[Effect]):
    """One ResourceManager."""

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
        clock: Clock,
        start_ms: int,
        epoch: int = 0,
        is_strict: bool = True,
        checks_books: bool | None = None,
    ) -> None:
        self._checks_books = is_strict if checks_books is None else checks_books
        """Whether every turn ends with a recount."""
        self._has_started = False
        self.context = context = RMContext(
            settings=settings,
            configuration=configuration,
            resource_types=resource_types,
            provider=provider,
            groups=groups,
            tokens=tokens,
            pages=pages,
            rack_of=rack_of,
            random=random,
            start_ms=start_ms,
            epoch=epoch,
            is_strict=is_strict,
        )
        super().__init__(context, clock)
        context.labels = NodeLabelsManager(is_enabled=settings.labels.enabled)
        context.attributes = NodeAttributesManager()
        context.constraints = PlacementConstraints(context)
        context.scheduler = scheduler_class(settings.scheduler_class)(context)
        if settings.scheduler_monitor_enabled and not context.scheduler.has_monitor:
            raise YarnError(
                f"Class {settings.scheduler_class} not instance of {CAPACITY_SCHEDULER}, which"
                " yarn.resourcemanager.scheduler.monitor.enable needs"
            )
        self.access = Access(context)
        self.manager = RMAppManager(context)
        self.nodes_list = NodesListManager(context)
        self.watcher = DecommissioningWatcher(context)
        self.monitors = MonitorClock(context)
        self.client = ClientService(context, self.access, self.manager)
        opportunistic = OpportunisticAllocator(context) if settings.opportunistic.enabled else None
        self._loads = None if opportunistic is None else opportunistic.loads
        self.master = MasterService(context, opportunistic)
        self.labels = LabelAdministration(context)
        self.tracker = TrackerService(context, self.nodes_list, self.watcher, opportunistic, self.labels)
        self.admin = AdminService(context, self.access, self.nodes_list, self.tracker, self.labels)
        self._plan_reservations()
        self._register_handlers()

    def _plan_reservations(self) -> None:
        """The reservation system, where it is on and the scheduler has queues for it."""
        settings, scheduler = self.context.settings, self.context.scheduler
        if settings.reservation_system_enabled and isinstance(scheduler, HasPlanQueues):
            system, follower = settings.reservation_system_class, settings.plan_follower_class
            check_system(scheduler.name, system, follower)
            check_plans(scheduler.plan_queues.plans())
            planning = Planning(
                step_ms=settings.reservation_step_ms,
                max_period_ms=settings.reservation_max_period_ms,
                is_early=settings.reservation_early,
                smoothness=settings.reservation_smoothness,
            )
            self.client.reservations = ReservationSystem(self.context, scheduler.plan_queues, planning)
            # Where there may be something to recover, nodes have time to come back first.
            wait_ms = settings.scheduling_wait_ms if settings.recovery_enabled else 0
            self.monitors.add(FOLLOWER, planning.step_ms, self.client.reservations.follow, wait_ms)

    def _register_handlers(self) -> None:
        register = self.context.dispatcher.register
        register(AppEvent, self._to_app)
        register(AttemptEvent, self._to_attempt)
        register(NodeEvent, self._to_node)
        register(NodesListEvent, self.nodes_list.handle)
        register(AppManagerEvent, self.manager.handle)
        register(MonitorEvent, self.monitors.handle)
        to_scheduler = self.context.scheduler.handle if self._loads is None else self._to_scheduler
        register(SchedulerEvent, to_scheduler, behind=True)
        if self.context.constraints.processor is not None:
            register(PlacementDue, self.context.constraints.processor.handle)

    # Turns

    def start(self, entries: Entries | None = None, journals: Journals | None = None) -> None:
        """The first call of all, in a turn of its own: host files, monitors, and what an earlier RM left.

        `journals` are the records that AppendRecord effects left, by name.
        """
        assert not self._has_started, "started twice"
        self._has_started = True
        settings = self.context.settings
        self.nodes_list.read_files()
        has_labelled_nodes = False
        if journals:
            has_labelled_nodes = self.labels.recover(
                journals.get(LABEL_JOURNAL, ()), journals.get(ATTRIBUTE_JOURNAL, ())
            )
            if (store := self.context.scheduler.configuration_store) is not None:
                store.restore(journals.get(SCHEDULER_JOURNAL, ()))
        self.tracker.load_overrides()
        self.monitors.add(
            "decommissioning", settings.decommission_poll_interval_secs * 1000, self.watcher.poll
        )
        self.monitors.add(
            "untracked", self.nodes_list.untracked_interval_ms(), self.nodes_list.forget_untracked
        )
        self._watch_labels_provider()
        self.monitors.start()
        if self.client.reservations is not None:
            self.client.reservations.follow()
            self.client.reservations.recover(entries or {})
        if entries:
            self.manager.recover(entries)
        if has_labelled_nodes:
            # In Hadoop the labels come back last. See tests/scenarios/restart/labels-come-back-last.yaml.
            self.labels.tell_queues()

    def _watch_labels_provider(self) -> None:
        if self.labels.has_provider:
            every_ms = self.context.settings.labels.provider_new_nodes_interval_ms
            self.monitors.add("node labels", every_ms, self.labels.ask_provider)

    def journal_snapshots(self) -> Journals:
        """Records that stand for all that the journals hold: what a compacted journal begins with."""
        mappings, store = self.labels.keeps_mappings, self.context.scheduler.configuration_store
        return {
            LABEL_JOURNAL: self.context.labels.snapshot(with_mappings=mappings),
            ATTRIBUTE_JOURNAL: self.context.attributes.snapshot(),
            SCHEDULER_JOURNAL: () if store is None else store.records(),
        }

    def end_turn(self) -> None:
        """Recounts the books, where that is configured."""
        if self._checks_books:
            self.check_books()

    def check_books(self) -> None:
        """Recounts every sum; AssertionError where one differs."""
        self.context.scheduler.check_books()

    # What the world answers

    def am_launched(self, attempt_id: ApplicationAttemptId) -> None:
        """LaunchContainer was carried out."""
        self.tell(AttemptLaunched(attempt_id=attempt_id))

    def am_launch_failed(self, attempt_id: ApplicationAttemptId, diagnostics: str) -> None:
        """LaunchContainer was not carried out."""
        self.tell(AttemptLaunchFailed(attempt_id=attempt_id, diagnostics=diagnostics))

    def after_pause(self, gap_ms: int) -> None:
        """The process that drives this core was paused for that long, and could not receive heartbeats."""
        self.turn(lambda: self.monitors.after_pause(gap_ms))

    def stored(self, acknowledgement: Event) -> None:
        """StoreState was carried out; the event that it came with."""
        self.tell(acknowledgement)

    # Events to whoever bears the id; nobody bears it any more: dropped

    def _to_scheduler(self, event: SchedulerEvent) -> None:
        """And to whoever ranks nodes for opportunistic containers."""
        assert self._loads is not None
        self.context.scheduler.handle(event)
        self._loads.handle(event)

    def _to_app(self, event: AppEvent) -> None:
        app = self.context.apps.get(event.application_id)
        if app is not None:
            self.context.fire(RM_APP, app, event)

    def _to_attempt(self, event: AttemptEvent) -> None:
        app = self.context.apps.get(event.attempt_id.application_id)
        attempt = app.attempts.get(event.attempt_id) if app is not None else None
        if attempt is not None:
            self.context.fire(RM_APP_ATTEMPT, attempt, event)

    def _to_node(self, event: NodeEvent) -> None:
        node = self.context.nodes.get(event.node_id)
        if node is not None:
            self.context.fire(RM_NODE, node, event)


def scheduler_class(name: str) -> type[Scheduler[Any]]:
    """The scheduler of that name: Hadoop's class, or the dotted path of a Python class. YarnError when there
    is none.
    """
    path = SCHEDULERS.get(name, name)
    try:
        found = object_named(path)
    except LookupError as error:
        raise YarnError(f"yarn.resourcemanager.scheduler.class: there is no {path}: {error}") from error
    if not (isinstance(found, type) and issubclass(found, Scheduler)):
        raise YarnError(f"yarn.resourcemanager.scheduler.class: {path} is not a scheduler class")
    return found
