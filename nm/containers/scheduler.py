"""The container scheduler: which container may start now, which waits, which must make room.

Guaranteed containers start at once; where opportunistic ones may queue, every container must fit, and a
guaranteed one that does not displaces opportunistic ones, newest first. Owns the two queues and the sum of
what runs; the processes are the launcher's. Hadoop: ContainerScheduler and
AllocationBasedResourceUtilizationTracker.
"""

from __future__ import annotations

from yarnbox.nm.containers.container_state import Container, ContainerState
from yarnbox.nm.containers.launching import launch, relaunch
from yarnbox.nm.context import NMContext
from yarnbox.nm.events import (
    ContainerKill,
    ContainerPause,
    LauncherEvent,
    SchedulerContainerCompleted,
    SchedulerContainerPaused,
    SchedulerEvent,
    SchedulerScheduleContainer,
    SchedulerShedQueuedContainers,
    SchedulerUpdateContainer,
)
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.tracker import ContainerQueuingLimit, OpportunisticContainersStatus
from yarnbox.yarn.resources.resource import NONE, Resource, total

KILLED_BY_CONTAINER_SCHEDULER = -108

Queue = dict[ContainerId, Container]


class ContainerScheduler:
    """Which containers of the node run, and which wait for room."""

    def __init__(self, context: NMContext) -> None:
        self._context = context
        self.guaranteed: Queue = {}
        self.opportunistic: Queue = {}
        self.running: Queue = {}
        self._charged: dict[ContainerId, Resource] = {}
        self._leaving: Queue = {}
        """Opportunistic containers that were told to make room."""
        self.used = NONE
        self._queue_limit = -1
        context.dispatcher.register(SchedulerEvent, self._handle)
        context.dispatcher.register(LauncherEvent, self._handle_launcher)

    @property
    def maximum_queue(self) -> int:
        """How many opportunistic containers may wait."""
        return self._context.settings.opportunistic_maximum_queue

    @property
    def starts_guaranteed_at_once(self) -> bool:
        """Without a queue there is nothing to displace: guaranteed containers start whatever runs."""
        return self.maximum_queue <= 0

    def opportunistic_status(self) -> OpportunisticContainersStatus:
        """The state of the queue, for heartbeats."""
        running = [container for container in self.running.values() if not container.is_guaranteed]
        used = total(container.resource for container in running)
        return OpportunisticContainersStatus(
            running_opport_containers=len(running),
            opport_memory_used=used.memory_mb,
            opport_cores_used=used.vcores,
            queued_opport_containers=len(self.opportunistic),
            wait_queue_length=len(self.guaranteed) + len(self.opportunistic),
            opport_queue_capacity=self.maximum_queue,
        )

    def limit_queue(self, limit: ContainerQueuingLimit) -> None:
        """Sets how many the RM allows to wait; those beyond are killed."""
        self._queue_limit = -1 if limit.max_queue_length is None else limit.max_queue_length
        if -1 < self._queue_limit < len(self.opportunistic):
            self._context.post(SchedulerShedQueuedContainers())

    def recover_running(self, container: Container) -> None:
        """Counts a recovered container that still runs."""
        self._charge(container)

    def _handle(self, event: SchedulerEvent) -> None:
        if isinstance(event, SchedulerShedQueuedContainers):
            self._shed()
            return
        assert isinstance(
            event,
            SchedulerScheduleContainer
            | SchedulerContainerCompleted
            | SchedulerContainerPaused
            | SchedulerUpdateContainer,
        )
        container = self._context.containers.get(event.container_id)
        if container is None:
            self._leave(event.container_id)
            if self._discharge(event.container_id):
                self._start_waiting()
        elif isinstance(event, SchedulerScheduleContainer):
            self._schedule(container)
        elif isinstance(event, SchedulerUpdateContainer):
            self._update(container, event)
        else:
            self._reclaim(container)

    def _handle_launcher(self, event: LauncherEvent) -> None:
        container = self._context.containers.get(event.container_id)
        if container is not None:
            relaunch(container)

    def _schedule(self, container: Container) -> None:
        if container.state is not ContainerState.SCHEDULED:
            return  # it was killed on the way here
        if container.container_id in self.running:
            # Its process outlived the NM: were it to wait for room beside itself, nobody would watch it.
            launch(container)
            return
        if container.is_guaranteed:
            self.guaranteed[container.container_id] = container
            self._start_waiting()
            if container.container_id in self.guaranteed:
                self._make_room(container)
            return
        self._start_waiting(force=False)
        if len(self.opportunistic) >= self.maximum_queue:
            self._kill(container, "Opportunistic container queue is full.")
            return
        self.opportunistic[container.container_id] = container
        self._start_waiting(force=False)

    def _reclaim(self, container: Container) -> None:
        container_id = container.container_id
        self._leave(container_id)
        if container.state is ContainerState.PAUSED:
            queue = self.guaranteed if container.is_guaranteed else self.opportunistic
            queue[container_id] = container
        if self._discharge(container_id):
            self._start_waiting()

    def _leave(self, container_id: ContainerId) -> None:
        self._leaving.pop(container_id, None)
        self.opportunistic.pop(container_id, None)
        self.guaranteed.pop(container_id, None)

    def _update(self, container: Container, event: SchedulerUpdateContainer) -> None:
        container_id = container.container_id
        if event.is_resource_change and container_id in self.running:
            self._discharge(container_id)
            self._charge(container)
            self._start_waiting()
        if event.is_execution_type_update:
            if event.is_increase:
                if self.opportunistic.pop(container_id, None) is not None:
                    self.guaranteed[container_id] = container
                    self._make_room(container)
            elif self.guaranteed.pop(container_id, None) is not None:
                self.opportunistic[container_id] = container
            self._start_waiting()

    def _start_waiting(self, force: bool | None = None) -> None:
        """Starts what may start: guaranteed containers first, each queue in its order, up to the first that
        must wait.
        """
        force = self.starts_guaranteed_at_once if force is None else force
        if self._start_from(self.guaranteed, force=force):
            self._start_from(self.opportunistic, force=False)

    def _start_from(self, queue: Queue, *, force: bool) -> bool:
        for container_id, container in list(queue.items()):
            if not force and not self._fits(container.resource):
                return False
            del queue[container_id]
            if container_id not in self.running:
                self._charge(container)
            launch(container)
        return True

    def _fits(self, resource: Resource) -> bool:
        # Resource types other than memory and vcores are not looked at, as in Hadoop.
        room = self._context.total - self.used
        return resource.memory_mb <= room.memory_mb and resource.vcores <= room.vcores

    def _charge(self, container: Container) -> None:
        self.running[container.container_id] = container
        self._charged[container.container_id] = container.resource
        self.used = self.used + container.resource

    def _discharge(self, container_id: ContainerId) -> bool:
        if self.running.pop(container_id, None) is None:
            return False
        self.used = self.used - self._charged.pop(container_id)
        return True

    def _make_room(self, container: Container) -> None:
        """Kills as many opportunistic containers as needed, the newest first."""
        missing = self.used - self._context.total
        for waiting in self.guaranteed.values():
            missing = missing + waiting.resource
            if waiting is container:
                break
        for leaving in self._leaving.values():
            missing = missing - leaving.resource
        for candidate in reversed(list(self.running.values())):
            if missing.memory_mb <= 0 and missing.vcores <= 0:
                return
            if candidate.is_guaranteed or candidate.container_id in self._leaving:
                continue
            missing = missing - candidate.resource
            self._leaving[candidate.container_id] = candidate
            if self._context.settings.opportunistic_pause:
                reason = "Container Paused to make room for Guaranteed Container"
                self._context.post(ContainerPause(container_id=candidate.container_id, diagnostics=reason))
            else:
                self._kill(candidate, "Container Killed to make room for Guaranteed Container.")

    def _shed(self) -> None:
        allowed = self._queue_limit
        for container_id, container in list(self.opportunistic.items()):
            if container.state is ContainerState.PAUSED:
                continue
            if allowed <= 0:
                del self.opportunistic[container_id]
                self._kill(container, "Container De-queued to meet NM queuing limits.")
            allowed -= 1

    def _kill(self, container: Container, reason: str) -> None:
        self._context.post(
            ContainerKill(
                container_id=container.container_id,
                exit_status=KILLED_BY_CONTAINER_SCHEDULER,
                diagnostics=reason,
            )
        )
