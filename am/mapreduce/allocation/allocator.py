"""Which containers a job asks for, when, and which attempt gets which.

Owns the attempts that wait for a container and those that have one. Maps are asked for at once, where their
input is; reduces when enough maps are done, in measure with them while maps still wait, and all together when
none does. Reduces give way when maps starve. Knows nothing of what tasks do. Hadoop:
RMContainerAllocator and RMContainerRequestor.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from yarnbox.am.asks import ContainerRequest, RequestTable
from yarnbox.am.mapreduce.allocation.compute_slots import ComputeSlots
from yarnbox.am.mapreduce.allocation.preemption import given_up
from yarnbox.am.mapreduce.allocation.rampup import Amounts, reduces_to_add
from yarnbox.am.mapreduce.allocation.reuse import Reuse
from yarnbox.am.mapreduce.allocation.waiting import WaitingAttempts
from yarnbox.am.mapreduce.app.context import Context
from yarnbox.am.mapreduce.app.effects import Ask
from yarnbox.am.mapreduce.app.events import (
    AttemptAssigned,
    AttemptContainerCompleted,
    AttemptContainerPassedOn,
    AttemptKill,
    ContainerAttemptFailed,
    ContainerDeallocated,
    ContainerEvent,
    ContainerRequested,
    ContainerResized,
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
COPY = 11
MAP = 20
"""Request priorities, a smaller number first: what failed before, reduces, those that only copy, maps."""

PREEMPTED_FOR_MAPS = "Reducer preempted to make room for pending map attempts"

MapsDone = Callable[[], tuple[int, int, int]]
"""Maps done, all maps, and how many have to be done before reduces are asked for."""


class Allocator:
    """The containers of one job."""

    __slots__ = (
        "_asks", "_assigned", "_assigned_maps", "_avoided", "_container_of", "_context", "_failing",
        "_failures", "_headroom", "_map_size", "_maps_done", "_nodes", "_pending_maps", "_pending_reduces",
        "_progress_of", "_rack_of", "_reduce_size", "_refuses", "_reuse", "_slots", "_waiting",
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
        self._slots = ComputeSlots(context, asks, self._reduce_size)
        self._reuse = Reuse(settings.tasks_per_container)
        self._waiting = WaitingAttempts()
        self._pending_maps: dict[TaskAttemptId, ContainerRequest] = {}
        self._pending_reduces: dict[TaskAttemptId, None] = {}
        self._assigned: dict[ContainerId, tuple[TaskAttemptId, Container]] = {}
        self._container_of: dict[TaskAttemptId, ContainerId] = {}
        self._assigned_maps = 0
        self._headroom = Resource()
        self._nodes = 0
        self._failures: dict[str, int] = {}
        self._failing: dict[str, None] = {}  # hosts where too much has failed
        self._avoided: dict[str, None] = {}  # the same, unless they are too many

    # What attempts say.

    def handle(self, event: ContainerEvent) -> None:
        """Takes an event of the attempts."""
        if isinstance(event, ContainerRequested):
            self._request(event)
        elif isinstance(event, ContainerDeallocated):
            self._deallocate(event.attempt_id)
        elif isinstance(event, ContainerAttemptFailed):
            self._count_failure(event.host)
        elif isinstance(event, ContainerResized) and event.attempt_id in self._container_of:
            self._assigned[event.container.id] = (event.attempt_id, event.container)
            self._slots.resized(event.attempt_id, event.container)

    def may_compute(self, attempt_id: TaskAttemptId) -> bool:
        """Whether a reduce that has copied all output of maps may go on."""
        return self._slots.may_compute(attempt_id)

    def _request(self, event: ContainerRequested) -> None:
        attempt_id = event.attempt_id
        if attempt_id.is_map:
            request = ContainerRequest(
                capability=self._map_size,
                priority=FAST_FAIL_MAP if event.after_failure else MAP,
                nodes=() if event.after_failure else event.hosts,
                racks=() if event.after_failure else event.racks,
                node_label_expression=self._context.settings.map_label,
            )
            if event.after_failure:  # goes to the head of the line
                self._pending_maps = {attempt_id: request, **self._pending_maps}
            else:
                self._pending_maps[attempt_id] = request
            self._schedule_maps()
            return
        if event.after_failure:
            self._pending_reduces = {attempt_id: None, **self._pending_reduces}
        else:
            self._pending_reduces[attempt_id] = None
        if not self._waiting.maps:
            self._schedule_reduces()

    def _ask(self, attempt_id: TaskAttemptId, request: ContainerRequest) -> None:
        self._waiting.add(attempt_id, request, self._context.now_ms)
        self._asks.add(request)
        self._context.order(Ask())

    def _deallocate(self, attempt_id: TaskAttemptId) -> None:
        self._pending_maps.pop(attempt_id, None)
        self._pending_reduces.pop(attempt_id, None)
        request = self._waiting.pop(attempt_id)
        if request is not None:
            self._asks.remove(request)
        container_id = self._container_of.get(attempt_id)
        if container_id is not None:
            self._unassign(container_id)
            self._asks.release(container_id)

    def _count_failure(self, host: str) -> None:
        settings = self._context.settings
        failures = self._failures[host] = self._failures.get(host, 0) + 1
        if settings.is_blacklisting and failures >= settings.host_failures:
            self._failing[host] = None
            self._choose_avoided()

    def _choose_avoided(self) -> None:
        """Avoids the hosts where too much has failed; none at all while they are too large a part of the
        cluster.
        """
        ceiling = self._context.settings.blacklisting_ceiling_percent
        share = len(self._failing) * 100 // self._nodes if self._nodes else 0
        avoided = {} if 0 <= ceiling <= share else dict(self._failing)
        if avoided != self._avoided:
            self._asks.update_blacklist(
                additions=[host for host in avoided if host not in self._avoided],
                removals=[host for host in self._avoided if host not in avoided],
            )
            self._avoided = avoided

    @property
    def blacklisted(self) -> tuple[str, ...]:
        """The hosts where too much has failed, asked for or not."""
        return tuple(self._failing)

    # What the RM says.

    def take(self, response: AllocateResponse) -> None:
        """Takes in the answer of a heartbeat."""
        self._headroom = response.limit or Resource()
        self._nodes = response.num_cluster_nodes or 0
        self._choose_avoided()
        for status in response.completed_container_statuses:
            if status.container_id is not None:
                self._complete(status.container_id, status.exit_status, status.diagnostics)
        self._leave_nodes(response)
        if response.preempt is not None:
            self._give_up(response.preempt)
        for container in response.allocated_containers:
            self._assign(container)
        self._slots.take(response)
        self._schedule_maps()
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
        self._reuse.end(container_id)
        del self._container_of[owner[0]]
        self._assigned_maps -= owner[0].is_map
        self._slots.end(owner[0])
        return owner[0]

    def _leave_nodes(self, response: AllocateResponse) -> None:
        for report in response.updated_nodes:
            self._reuse.look(report)
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
        self._stop_waiting(attempt_id)
        self._hold(attempt_id, container)
        if not attempt_id.is_map:
            self._slots.start(attempt_id, container)
        self._context.post(AttemptAssigned(attempt_id=attempt_id, container=container))

    def _stop_waiting(self, attempt_id: TaskAttemptId) -> None:
        request = self._waiting.pop(attempt_id)
        if request is not None:
            self._asks.remove(request)

    def _hold(self, attempt_id: TaskAttemptId, container: Container) -> None:
        self._assigned[container.id] = (attempt_id, container)
        self._container_of[attempt_id] = container.id
        self._assigned_maps += attempt_id.is_map
        self._reuse.begin(container.id)

    def pass_on(self, attempt_id: TaskAttemptId, shuffle_port: int) -> TaskAttemptId | None:
        """The attempt that goes on in the container of one that has succeeded; None when that ends."""
        container_id = self._container_of.get(attempt_id)
        container = self._assigned[container_id][1] if container_id is not None else None
        if container is None or not self._reuse.allows(container):
            return None
        follower = self._follower(attempt_id, container)
        if follower is None:
            return None
        self._pending_maps.pop(follower, None)
        self._pending_reduces.pop(follower, None)
        self._stop_waiting(follower)
        del self._container_of[attempt_id]
        self._assigned_maps -= attempt_id.is_map
        self._hold(follower, container)
        self._context.post(AttemptContainerPassedOn(attempt_id=attempt_id))
        self._context.post(
            AttemptAssigned(attempt_id=follower, container=container, shuffle_port=shuffle_port)
        )
        return follower

    def _follower(self, attempt_id: TaskAttemptId, container: Container) -> TaskAttemptId | None:
        """One that asked for such a container here, or nowhere in particular; else one that is yet to ask."""
        host = container.node_id.host if container.node_id is not None else ""
        rack = self._rack_of(host)
        if host in self._avoided:
            return None
        if not attempt_id.is_map and (self._slots.is_on or self._waiting.maps or self._pending_maps):
            return None  # it grew for its reduce; or maps need its room
        priority, size = container.priority or 0, container.resource or Resource()
        found = self._waiting.nearest(priority, size, host, rack, far=False)
        if found is not None:
            return None if self._refuses(found, host) else found
        if not attempt_id.is_map:
            return next(iter(self._pending_reduces), None)
        for pending, request in self._pending_maps.items():
            is_near = host in request.nodes or rack in request.racks or not request.nodes
            if request.priority == priority and is_near and not self._refuses(pending, host):
                return pending
        return None

    # Maps.

    def _schedule_maps(self) -> None:
        """Asks for the pending maps, no more at a time than may run."""
        for attempt_id in list(self._pending_maps)[: self._room_for_maps()]:
            self._ask(attempt_id, self._pending_maps.pop(attempt_id))

    def _room_for_maps(self) -> int | None:
        limit = self._context.settings.most_running_maps
        return max(limit - self._waiting.maps - self._assigned_maps, 0) if limit else None

    # Reduces.

    @property
    def _assigned_reduces(self) -> int:
        return len(self._assigned) - self._assigned_maps

    def _schedule_reduces(self) -> None:
        """Asks for as many of the pending reduces as is their turn."""
        done, all_maps, needed = self._maps_done()
        if self._slots.is_on and done == all_maps:
            self._take_back_copies()
        if not self._pending_reduces or done < needed:
            return
        if self._slots.is_on and done < all_maps:
            self._ask_for_reduces(self._room_for_copies(), self._slots.copy_size, COPY)
            return
        amounts = Amounts(
            completed_maps=done,
            total_maps=all_maps,
            waiting_maps=self._waiting.maps + len(self._pending_maps),
            assigned_maps=self._assigned_maps,
            waiting_reduces=self._waiting.reduces,
            assigned_reduces=self._assigned_reduces,
            pending_reduces=len(self._pending_reduces),
            map_mb=self._map_size.memory_mb,
            reduce_mb=self._reduce_size.memory_mb,
            headroom_mb=self._headroom.memory_mb,
        )
        change = reduces_to_add(amounts, self._context.settings.rampup_limit)
        self._ask_for_reduces(change, self._reduce_size, REDUCE)
        if change < 0:
            self._take_back_reduces(-change)

    def _ask_for_reduces(self, count: int, size: Resource, priority: int) -> None:
        settings = self._context.settings
        if settings.most_running_reduces:
            held = self._waiting.reduces + self._assigned_reduces
            count = min(count, settings.most_running_reduces - held)
        request = ContainerRequest(
            capability=size, priority=priority, node_label_expression=settings.reduce_label
        )
        for attempt_id in list(self._pending_reduces)[: max(count, 0)]:
            del self._pending_reduces[attempt_id]
            self._ask(attempt_id, request)

    def _room_for_copies(self) -> int:
        """How many reduces more may copy while maps run: at least one at a time does."""
        held_mb = sum((one.resource or Resource()).memory_mb for _, one in self._assigned.values())
        total_mb = self._headroom.memory_mb + held_mb
        limit_mb = int(self._context.settings.split.copy_limit * total_mb)
        most = max(limit_mb // self._slots.copy_size.memory_mb, 1)
        return most - self._slots.copying - self._waiting.reduces

    def _take_back_copies(self) -> None:
        """All maps are done: who has no container yet has nothing to wait for, and asks for all of it."""
        waiting = self._waiting.waiting_reduces()
        self._take_back([one for one in waiting if self._waiting.request_of(one).priority == COPY])

    def _take_back_reduces(self, count: int) -> None:
        """Puts reduces that were asked for and have no container back in the line."""
        if count > 0:
            self._take_back(self._waiting.waiting_reduces()[-count:])

    def _take_back(self, reduces: list[TaskAttemptId]) -> None:
        for attempt_id in reduces:
            self._asks.remove(self._waiting.request_of(attempt_id))
            self._waiting.pop(attempt_id)
        self._pending_reduces = {**dict.fromkeys(reduces), **self._pending_reduces}

    def _relieve_starving_maps(self) -> bool:
        """Where no map runs and none can start, reduces make room. Whether they do."""
        if self._assigned_maps or not self._waiting.maps:
            return False
        settings = self._context.settings
        starving = self._maps_older_than(settings.unconditional_preempt_delay_s)
        if not starving:
            wanted_mb = self._waiting.reduces * self._reduce_size.memory_mb
            if self._headroom.memory_mb - wanted_mb >= self._map_size.memory_mb:
                return False
            delay_s = settings.reducer_preempt_delay_s
            starving = self._waiting.maps if delay_s == 0 else self._maps_older_than(delay_s)
        if not starving:
            return False
        self._take_back_reduces(self._waiting.reduces)
        self._preempt_reduces(starving)
        return True

    def _maps_older_than(self, delay_s: int) -> int:
        if delay_s < 0:
            return 0
        return self._waiting.maps_since_before(self._context.now_ms - delay_s * 1000)

    def _preempt_reduces(self, starving: int) -> None:
        """The reduces that are least far go; those that only copy last, for they free little."""
        running = [
            (self._slots.is_copying(attempt_id), self._progress_of(attempt_id), attempt_id)
            for attempt_id, _ in self._assigned.values()
            if not attempt_id.is_map
        ]
        running.sort(key=lambda one: (one[0], one[1], -one[2].task_id.number))
        if not running:
            return
        only_copies = running[0][0]
        size_mb = max((self._slots.copy_size if only_copies else self._reduce_size).memory_mb, 1)
        map_mb = self._map_size.memory_mb
        total_mb = self._headroom.memory_mb + size_mb * len(running)
        share = math.ceil(self._context.settings.preemption_limit * total_mb / size_mb)
        count = min(max(-(-map_mb // size_mb), share), -(-starving * map_mb // size_mb))
        for _, _, attempt_id in running[:count]:
            self._context.post(AttemptKill(attempt_id=attempt_id, diagnostics=PREEMPTED_FOR_MAPS))
