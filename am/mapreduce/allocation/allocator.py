"""Which containers a job asks for, when, and which attempt gets which.

Owns the attempts that wait for a container and those that have one. Maps are asked for at once, where their
input is; reduces when enough maps are done, in measure with them while maps still wait, and all together when
none does. Reduces give way when maps starve. Knows nothing of what tasks do. Hadoop:
RMContainerAllocator and RMContainerRequestor.
"""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.am.asks import ContainerRequest, RequestTable
from yarnbox.am.mapreduce.allocation.preemption import given_up
from yarnbox.am.mapreduce.allocation.rampup import Amounts, reduces_to_add
from yarnbox.am.mapreduce.allocation.waiting import WaitingAttempts
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import Ask
from yarnbox.am.mapreduce.app.events import (
    AttemptAssigned,
    AttemptContainerCompleted,
    AttemptKill,
    ContainerAttemptFailed,
    ContainerDeallocated,
    ContainerEvent,
    ContainerRequested,
    JobUpdatedNodes,
)
from yarnbox.am.mapreduce.ids import TaskAttemptId
from yarnbox.yarn.enums import NodeState
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import AllocateResponse
from yarnbox.yarn.records.request import PreemptionMessage
from yarnbox.yarn.resources.resource import Resource

FAST_FAIL_MAP = 5
REDUCE = 10
MAP = 20
"""Request priorities, a smaller number first: what failed before, reduces, maps."""

MapsDone = Callable[[], tuple[int, int, int]]
"""Maps done, all maps, and how many have to be done before reduces are asked for."""


class Allocator:
    """The containers of one job."""

    __slots__ = (
        "_asks", "_assigned", "_assigned_maps", "_avoided", "_container_of", "_context", "_failures",
        "_headroom", "_map_size", "_maps_done", "_nodes", "_pending_reduces", "_progress_of", "_rack_of",
        "_reduce_size", "_refuses", "_starving_since_ms", "_waiting",
    )  # fmt: skip

    def __init__(
        self,
        context: Context,
        asks: RequestTable,
        maps_done: MapsDone,
        rack_of: Callable[[str], str],
        progress_of: Callable[[TaskAttemptId], float],
        refuses: Callable[[TaskAttemptId, str], bool],
    ) -> None:
        settings = context.settings
        self._context = context
        self._asks = asks
        self._maps_done = maps_done
        self._rack_of = rack_of
        self._progress_of = progress_of
        self._refuses = refuses
        self._map_size = Resource(settings.map_memory_mb, settings.map_vcores)
        self._reduce_size = Resource(settings.reduce_memory_mb, settings.reduce_vcores)
        self._waiting = WaitingAttempts()
        self._pending_reduces: dict[TaskAttemptId, ContainerRequest] = {}
        self._assigned: dict[ContainerId, tuple[TaskAttemptId, Container]] = {}
        self._container_of: dict[TaskAttemptId, ContainerId] = {}
        self._assigned_maps = 0
        self._headroom = Resource()
        self._nodes = 0
        self._failures: dict[str, int] = {}
        self._avoided: dict[str, None] = {}
        self._starving_since_ms: int | None = None

    # What attempts say.

    def handle(self, event: ContainerEvent) -> None:
        """Takes an event of the attempts."""
        if isinstance(event, ContainerRequested):
            self._request(event)
        elif isinstance(event, ContainerDeallocated):
            self._deallocate(event.attempt_id)
        elif isinstance(event, ContainerAttemptFailed):
            self._count_failure(event.host)

    def _request(self, event: ContainerRequested) -> None:
        settings = self._context.settings
        if event.attempt_id.is_map:
            request = ContainerRequest(
                capability=self._map_size,
                priority=FAST_FAIL_MAP if event.after_failure else MAP,
                nodes=() if event.after_failure else event.hosts,
                racks=() if event.after_failure else event.racks,
                node_label_expression=settings.map_label,
            )
            self._ask(event.attempt_id, request)
            return
        request = ContainerRequest(
            capability=self._reduce_size,
            priority=REDUCE,
            node_label_expression=settings.reduce_label,
        )
        if event.after_failure:  # goes to the head of the line
            self._pending_reduces = {event.attempt_id: request, **self._pending_reduces}
        else:
            self._pending_reduces[event.attempt_id] = request
        if not self._waiting.maps:
            self._schedule_reduces()

    def _ask(self, attempt_id: TaskAttemptId, request: ContainerRequest) -> None:
        self._waiting.add(attempt_id, request)
        self._asks.add(request)
        self._context.order(Ask())

    def _deallocate(self, attempt_id: TaskAttemptId) -> None:
        self._pending_reduces.pop(attempt_id, None)
        request = self._waiting.pop(attempt_id)
        if request is not None:
            self._asks.remove(request)
        container_id = self._container_of.get(attempt_id)
        if container_id is not None:
            self._unassign(container_id)
            self._asks.release(container_id)

    def _count_failure(self, host: str) -> None:
        """Avoids a host where too much fails; none at all when they are too large a part of the cluster."""
        settings = self._context.settings
        self._failures[host] = self._failures.get(host, 0) + 1
        if not settings.is_blacklisting or self._failures[host] < settings.host_failures:
            return
        avoided = {**self._avoided, host: None}
        ceiling = settings.blacklisting_ceiling_percent
        if ceiling >= 0 and self._nodes > 0 and len(avoided) * 100 // self._nodes >= ceiling:
            self._asks.update_blacklist(removals=list(self._avoided))
            self._avoided = {}
        elif host not in self._avoided:
            self._avoided = avoided
            self._asks.update_blacklist(additions=[host])

    # What the RM says.

    def take(self, response: AllocateResponse) -> None:
        """Takes in the answer of a heartbeat."""
        self._headroom = response.limit or Resource()
        self._nodes = response.num_cluster_nodes or 0
        for status in response.completed_container_statuses:
            if status.container_id is not None:
                self._complete(status.container_id, status.exit_status, status.diagnostics)
        self._leave_nodes(response)
        if response.preempt is not None:
            self._give_up(response.preempt)
        for container in response.allocated_containers:
            self._assign(container)
        if not self._relieve_starving_maps():
            self._schedule_reduces()

    def _complete(self, container_id: ContainerId, exit_status: int, diagnostics: str) -> None:
        attempt_id = self._unassign(container_id)
        if attempt_id is not None:
            self._context.post(
                AttemptContainerCompleted(
                    attempt_id=attempt_id, exit_status=exit_status, diagnostics=diagnostics
                )
            )

    def _unassign(self, container_id: ContainerId) -> TaskAttemptId | None:
        """The container is nobody's any more; whose it was."""
        owner = self._assigned.pop(container_id, None)
        if owner is None:
            return None
        del self._container_of[owner[0]]
        self._assigned_maps -= owner[0].is_map
        return owner[0]

    def _leave_nodes(self, response: AllocateResponse) -> None:
        unusable = tuple(
            report.node_id
            for report in response.updated_nodes
            if report.node_id is not None
            and report.node_state not in (NodeState.NEW, NodeState.RUNNING, NodeState.DECOMMISSIONING)
        )
        if not unusable:
            return
        for attempt_id, container in list(self._assigned.values()):
            if container.node_id in unusable:
                diagnostics = f"TaskAttempt killed because it ran on unusable node {container.node_id}"
                self._context.post(AttemptKill(attempt_id=attempt_id, diagnostics=diagnostics))
        self._context.post(JobUpdatedNodes(unusable=unusable))

    def _give_up(self, message: PreemptionMessage) -> None:
        def attempt_of(container_id: ContainerId) -> TaskAttemptId | None:
            owner = self._assigned.get(container_id)
            return owner[0] if owner is not None else None

        def size_of(container_id: ContainerId) -> Resource:
            return self._assigned[container_id][1].resource or Resource()

        for attempt_id in given_up(message, attempt_of, size_of):
            self._context.post(
                AttemptKill(attempt_id=attempt_id, diagnostics="Attempt killed by AM preemption")
            )

    # Who gets what.

    def _assign(self, container: Container) -> None:
        assert container.id is not None
        host = container.node_id.host if container.node_id is not None else ""
        size = container.resource or Resource()
        attempt_id = self._waiting.nearest(container.priority or 0, size, host, self._rack_of(host))
        if attempt_id is None:
            self._asks.release(container.id)  # wanted once, not any more
            return
        if host in self._avoided or self._refuses(attempt_id, host):
            request = self._waiting.request_of(attempt_id)
            self._asks.release(container.id)
            self._asks.remove(request)  # said again, for the RM has counted it off
            self._asks.add(request)
            return
        request = self._waiting.request_of(attempt_id)
        self._waiting.pop(attempt_id)
        self._asks.remove(request)
        self._assigned[container.id] = (attempt_id, container)
        self._container_of[attempt_id] = container.id
        self._assigned_maps += attempt_id.is_map
        self._context.post(AttemptAssigned(attempt_id=attempt_id, container=container))

    # Reduces.

    def _schedule_reduces(self) -> None:
        """Asks for as many of the pending reduces as is their turn."""
        done, all_maps, needed = self._maps_done()
        if not self._pending_reduces or done < needed:
            return
        amounts = Amounts(
            completed_maps=done,
            total_maps=all_maps,
            waiting_maps=self._waiting.maps,
            assigned_maps=self._assigned_maps,
            waiting_reduces=self._waiting.reduces,
            assigned_reduces=len(self._assigned) - self._assigned_maps,
            pending_reduces=len(self._pending_reduces),
            map_mb=self._map_size.memory_mb,
            reduce_mb=self._reduce_size.memory_mb,
            headroom_mb=self._headroom.memory_mb,
        )
        change = reduces_to_add(amounts, self._context.settings.rampup_limit)
        for attempt_id in list(self._pending_reduces)[: max(change, 0)]:
            self._ask(attempt_id, self._pending_reduces.pop(attempt_id))
        if change < 0:
            self._take_back_reduces(-change)

    def _take_back_reduces(self, count: int) -> None:
        """Puts reduces that were asked for and have no container back in the line."""
        if count <= 0:
            return
        for attempt_id in reversed(self._waiting.waiting_reduces()[-count:]):
            request = self._waiting.request_of(attempt_id)
            self._waiting.pop(attempt_id)
            self._asks.remove(request)
            self._pending_reduces = {attempt_id: request, **self._pending_reduces}

    def _relieve_starving_maps(self) -> bool:
        """When maps wait and nothing is free, reduces that have no container yet step back, then some that
        have. Whether maps starve.
        """
        if not self._waiting.maps or self._map_size.memory_mb <= self._headroom.memory_mb:
            self._starving_since_ms = None
            return False
        self._take_back_reduces(self._waiting.reduces)
        now_ms = self._context.now_ms
        if self._starving_since_ms is None:
            self._starving_since_ms = now_ms
        delay_ms = self._context.settings.reducer_preempt_delay_s * 1000
        if not self._assigned_maps and now_ms - self._starving_since_ms >= delay_ms:
            self._preempt_reduces()
        return True

    def _preempt_reduces(self) -> None:
        """No map runs and none can start: the reduces that are least far make room."""
        running = [
            (self._progress_of(attempt_id), attempt_id)
            for attempt_id, _ in self._assigned.values()
            if not attempt_id.is_map
        ]
        if not running:
            return
        per_map = -(-self._map_size.memory_mb // max(self._reduce_size.memory_mb, 1))
        at_most = int(self._context.settings.preemption_limit * len(running))
        needed = per_map * self._waiting.maps
        running.sort(key=lambda pair: (pair[0], -pair[1].task_id.number))
        for _, attempt_id in running[: max(min(needed, at_most), per_map)]:
            self._context.post(AttemptKill(attempt_id=attempt_id, diagnostics="RAMPING_DOWN_REDUCER"))
