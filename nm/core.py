"""One NodeManager, deterministic: calls in, answers and effects out.

A turn is one call, then every event it caused, in order, to the last. What the world must do leaves as an
effect; what the world did comes back as a call of `World`. The same core stands behind real processes and
behind simulated ones. Hadoop: NodeManager and the dispatching of ContainerManagerImpl.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from yarnbox.nm.application import APPLICATION
from yarnbox.nm.containers.container import CONTAINER
from yarnbox.nm.containers.retry import FORCE_KILLED, SUCCESS, TERMINATED
from yarnbox.nm.containers.scheduler import ContainerScheduler
from yarnbox.nm.context import NMContext
from yarnbox.nm.effects import Effect, Forget, StoreEntry
from yarnbox.nm.events import (
    ApplicationEvent,
    ContainerEvent,
    ContainerExitedWithFailure,
    ContainerExitedWithSuccess,
    ContainerKill,
    ContainerKilledOnRequest,
    ContainerLaunched,
    ContainerPaused,
    ContainerResumed,
    ContainerUpdateDiagnostics,
    NodeEvent,
    ResourceLocalizationFailed,
    ResourceLocalized,
)
from yarnbox.nm.localization.localized import LocalizationService
from yarnbox.nm.localization.resources import CacheKey, ResourceKey
from yarnbox.nm.logs import LogHandler
from yarnbox.nm.recovery import recover
from yarnbox.nm.reporting.health import NodeHealth
from yarnbox.nm.reporting.status import NodeStatusUpdater
from yarnbox.nm.services import ContainerManagementService
from yarnbox.nm.settings import NMSettings
from yarnbox.nm.state import containers_asked_for
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.resources.resource import Resource, total
from yarnbox.yarn.runtime.clock import Clock
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.turns import TurnCore
from yarnbox.yarn.wire import PLAIN, Wire

ABORTED = -100


class Core(TurnCore[Effect]):
    """A NodeManager without I/O: builds its parts and runs their turns."""

    def __init__(
        self,
        node_id: NodeId,
        settings: NMSettings,
        capacity: Resource,
        clock: Clock,
        wire: Wire = PLAIN,
        *,
        is_strict: bool = False,
    ) -> None:
        self.context = NMContext(node_id, settings, capacity, wire, is_strict=is_strict)
        super().__init__(self.context, clock)
        self.context.now_ms = clock.now_ms()
        dispatcher = self.context.dispatcher
        dispatcher.register(ApplicationEvent, self._handle_application)
        dispatcher.register(ContainerEvent, self._handle_container)
        dispatcher.register(NodeEvent, self._handle_node)
        self.localization = LocalizationService(self.context)
        self.scheduler = ContainerScheduler(self.context)
        self.logs = LogHandler(self.context)
        self.health = NodeHealth(settings.disks.minimum_healthy, self.context.now_ms)
        self.management = ContainerManagementService(self.context)
        self.status = NodeStatusUpdater(
            self.context, self.scheduler, self.logs, self.health, self.management.update_by_rm
        )
        self.management.status = self.status
        self.world = World(self)
        self.localization.start()

    def end_turn(self) -> None:
        """Checks whether the node has become idle; recounts the books in tests."""
        self.status.check_idle()
        if self.context.is_strict:
            self.check_books()

    def recover(self, entries: Mapping[str, bytes]) -> None:
        """Recovers what an earlier NM stored."""
        self.turn(lambda: recover(self.context, self.scheduler, entries))

    def stop(self) -> bool:
        """The node is to end: no new containers, every application killed; whether there are any."""
        self.management.is_stopping = True
        settings, applications = self.context.settings, tuple(self.context.applications)
        leaves = settings.recovery_enabled and settings.recovery_supervised
        if leaves and not self.context.is_decommissioned:
            return False
        self.status.finish_applications(applications, "Application killed on shutdown")
        return bool(applications)

    def check_books(self) -> None:
        """What runs is what is charged for; no container is both waiting and running, unless it is paused."""
        scheduler = self.scheduler
        charged = total(scheduler._charged.values())  # the books' own check
        assert charged == scheduler.used, f"{charged} charged, {scheduler.used} used"
        assert not scheduler.used.is_negative()
        assert scheduler._charged.keys() == scheduler.running.keys()
        for queue in (scheduler.guaranteed, scheduler.opportunistic):
            assert not queue.keys() & scheduler.running.keys()

    def _log_absent(self, event: Event, entity: str) -> None:
        self._log("debug", f"event {type(event).__name__} sent to absent {entity}")

    def _log(self, level: str, text: str) -> None:
        self.context.log(level, text, "nm.core")

    def _handle_application(self, event: ApplicationEvent) -> None:
        application = self.context.applications.get(event.application_id)
        if application is None:
            self._log(
                "debug", f"event {type(event).__name__} sent to absent application {event.application_id}"
            )
            return
        self.context.fire(APPLICATION, application, event)

    def _handle_container(self, event: ContainerEvent) -> None:
        container = self.context.containers.get(event.container_id)
        if container is None:
            self._log_absent(event, f"container {event.container_id}")
            return
        before = container.state
        self.context.fire(CONTAINER, container, event)
        if container.state is not before:
            change = f"from {before.name} to {container.state.name}"
            self._log("info", f"container {event.container_id} transitioned {change}")

    def _handle_node(self, event: NodeEvent) -> None:
        self.localization.clean_caches()


class World:
    """The outcomes of effects. Each method is called within a turn."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._context = core.context

    def container_launched(self, container_id: ContainerId) -> None:
        """The container's process runs."""
        self._context.post(ContainerLaunched(container_id=container_id))

    def container_exited(self, container_id: ContainerId, exit_code: int, diagnostics: str = "") -> None:
        """Its process, and all that it had started, is gone; or it could not be started."""
        context = self._context
        if exit_code == SUCCESS:
            context.post(ContainerExitedWithSuccess(container_id=container_id))
        elif exit_code in (FORCE_KILLED, TERMINATED):
            context.post(
                ContainerKilledOnRequest(
                    container_id=container_id, exit_code=exit_code, diagnostics=diagnostics
                )
            )
        else:
            context.post(
                ContainerExitedWithFailure(
                    container_id=container_id, exit_code=exit_code, diagnostics=diagnostics
                )
            )

    def not_stored(self, changes: Sequence[StoreEntry | Forget], why: str) -> None:
        """What is to outlive a restart of the node is not on the disk. The containers that it would not
        know of are ended before they begin. Hadoop: startContainerInternal, which stores first.
        """
        for container_id in containers_asked_for(changes):
            self._context.post(ContainerKill(container_id=container_id, exit_status=ABORTED, diagnostics=why))

    def container_paused(self, container_id: ContainerId) -> None:
        """The container's processes are stopped."""
        self._context.post(ContainerPaused(container_id=container_id))

    def container_resumed(self, container_id: ContainerId) -> None:
        """The container's processes run again."""
        self._context.post(ContainerResumed(container_id=container_id))

    def container_over_limit(self, container_id: ContainerId, exit_status: int, diagnostics: str) -> None:
        """The container used more than it was allocated."""
        self._context.post(
            ContainerKill(container_id=container_id, exit_status=exit_status, diagnostics=diagnostics)
        )

    def container_remark(self, container_id: ContainerId, diagnostics: str) -> None:
        """Adds a remark to the container's diagnostics."""
        self._context.post(ContainerUpdateDiagnostics(container_id=container_id, diagnostics=diagnostics))

    def resource_localized(self, cache: CacheKey, key: ResourceKey, path: str, size: int) -> None:
        """The resource is on disk."""
        self._context.post(ResourceLocalized(cache=cache, key=key, path=path, size=size))

    def resource_failed(self, cache: CacheKey, key: ResourceKey, diagnostics: str) -> None:
        """The resource could not be fetched."""
        self._context.post(ResourceLocalizationFailed(cache=cache, key=key, diagnostics=diagnostics))

    def log_handling_inited(self, application_id: ApplicationId, fault: str | None) -> None:
        """The remote log directory was created, or could not be."""
        self._core.logs.inited(application_id, fault)

    def logs_aggregated(self, application_id: ApplicationId, fault: str | None, *, is_final: bool) -> None:
        """The logs were aggregated, or could not be."""
        self._core.logs.aggregated(application_id, fault, is_final=is_final)
