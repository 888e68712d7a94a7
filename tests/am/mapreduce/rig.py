"""A job's core against an honest little cluster: an RM that grants what is asked, nodes that run and die.

No process and no clock: `beat` is one heartbeat of the AM, `finish` the end of a task. Reduces really depend
on the maps: one can only finish when it has heard of an output of every map that lies on a live node.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from yarnbox.am.asks import ANY, RequestTable
from yarnbox.am.mapreduce.app.core import Core, Places
from yarnbox.am.mapreduce.app.effects import (
    AbortJob,
    AbortTask,
    Ask,
    CommitJob,
    Effect,
    LaunchTask,
    Record,
    ResizeTask,
    SetUpJob,
    StopTask,
    WriteLog,
)
from yarnbox.am.mapreduce.app.events import (
    AttemptContainerCleaned,
    AttemptContainerLaunched,
    ContainerResized,
    JobAbortCompleted,
    JobCommitCompleted,
    JobSetupCompleted,
    TaskRecover,
)
from yarnbox.am.mapreduce.app.job import JobState
from yarnbox.am.mapreduce.history.jhist import Event, decoded, encoded
from yarnbox.am.mapreduce.ids import JobId, TaskAttemptId
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.enums import ContainerUpdateType, NodeState
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import Container, ContainerStatus
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    UpdateContainerRequest,
    UpdatedContainer,
)
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.records.request import (
    PreemptionContainer,
    PreemptionContract,
    PreemptionMessage,
    PreemptionResourceRequest,
    ResourceRequest,
    StrictPreemptionContract,
)
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.clock import VirtualClock

JOB = JobId(1, 1)
ATTEMPT = ApplicationAttemptId(ApplicationId(1, 1), 1)
SHUFFLE_PORT = 13562


@dataclass(slots=True)
class Cluster:
    """Nodes, and what the RM knows of the job."""

    memory_mb: int = 8192
    nodes: dict[str, str] = field(default_factory=lambda: {"n1": "/r1", "n2": "/r1", "n3": "/r2"})
    live: dict[ContainerId, tuple[str, int]] = field(default_factory=dict)
    pending: dict[tuple[int, str, Resource], int] = field(default_factory=dict)
    completed: list[ContainerStatus] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    changed: dict[str, NodeState] = field(default_factory=dict)
    preempt: PreemptionMessage | None = None
    blacklist: dict[str, None] = field(default_factory=dict)
    updates: dict[ContainerId, UpdateContainerRequest] = field(default_factory=dict)
    granted: int = 0
    response_id: int = 0

    def free_mb(self, node: str) -> int:
        """What is left on a node."""
        return self.memory_mb - sum(size for at, size in self.live.values() if at == node)

    def allocate(self, request: AllocateRequest) -> AllocateResponse:
        """One allocate call: takes the asks in, grants what fits, delivers what happened."""
        for ask in request.ask:
            assert ask.capability is not None
            key = (ask.priority or 0, ask.resource_name or "", ask.capability)
            self.pending[key] = ask.num_containers or 0
        for container_id in request.release:
            self.end(container_id, -100)
        if request.blacklist_request is not None:
            self.blacklist.update(dict.fromkeys(request.blacklist_request.blacklist_additions))
            for name in request.blacklist_request.blacklist_removals:
                self.blacklist.pop(name, None)
        self.updates.update({one.container_id: one for one in request.update_requests})
        updated = tuple(self._grow())
        granted = tuple(self._grant())
        self.response_id += 1
        response = AllocateResponse(
            response_id=self.response_id,
            allocated_containers=granted,
            completed_container_statuses=tuple(self.completed),
            updated_containers=updated,
            limit=Resource(sum(map(self.free_mb, self.nodes)), 100),
            updated_nodes=tuple(
                NodeReport(node_id=NodeId(name, 1), node_state=state)
                for name, state in {**self.changed, **dict.fromkeys(self.lost, NodeState.LOST)}.items()
            ),
            num_cluster_nodes=len(self.nodes),
            preempt=self.preempt,
        )
        self.completed, self.lost, self.preempt, self.changed = [], [], None, {}
        return response

    def _grant(self) -> list[Container]:
        granted = []
        for priority, location, size in sorted(self.pending, key=lambda key: key[0]):
            if location != ANY:
                continue
            key = (priority, location, size)
            while self.pending[key] > 0:
                node = self._place(priority, size)
                if node is None:
                    break
                self.pending[key] -= 1
                for place in (node, self.nodes[node]):
                    if self.pending.get((priority, place, size), 0) > 0:
                        self.pending[priority, place, size] -= 1
                self.granted += 1
                container_id = ContainerId(ATTEMPT, self.granted)
                self.live[container_id] = (node, size.memory_mb)
                granted.append(
                    Container(id=container_id, node_id=NodeId(node, 1), resource=size, priority=priority)
                )
        return granted

    def _grow(self) -> Iterator[UpdatedContainer]:
        for container_id, request in list(self.updates.items()):
            assert request.capability is not None
            node, size_mb = self.live.get(container_id, ("", 0))
            more_mb = request.capability.memory_mb - size_mb
            if not node:
                del self.updates[container_id]
            elif more_mb <= self.free_mb(node):
                del self.updates[container_id]
                self.live[container_id] = (node, request.capability.memory_mb)
                grown = Container(id=container_id, node_id=NodeId(node, 1), resource=request.capability)
                yield UpdatedContainer(update_type=ContainerUpdateType.INCREASE_RESOURCE, container=grown)

    def _place(self, priority: int, size: Resource) -> str | None:
        fitting = [n for n in self.nodes if self.free_mb(n) >= size.memory_mb and n not in self.blacklist]
        wanted = [node for node in fitting if self.pending.get((priority, node, size), 0) > 0]
        return next(iter(wanted or fitting), None)

    def end(self, container_id: ContainerId, exit_status: int) -> None:
        """A container ends; the AM hears of it."""
        if self.live.pop(container_id, None) is not None:
            self.completed.append(ContainerStatus(container_id=container_id, exit_status=exit_status))

    def lose(self, node: str) -> None:
        """A node is gone, and what ran on it."""
        del self.nodes[node]
        self.lost.append(node)
        for container_id, (at, _) in list(self.live.items()):
            if at == node:
                self.end(container_id, -100)


class Rig:
    """One job on one cluster."""

    def __init__(
        self,
        maps: int = 3,
        reduces: int = 1,
        *,
        cluster: Cluster | None = None,
        app_attempt: int = 1,
        recovered: tuple[TaskRecover, ...] = (),
        hosts: tuple[str, ...] = (),
        **properties: object,
    ) -> None:
        self.clock = VirtualClock(1000)
        self.cluster = cluster or Cluster()
        racks = self.cluster.nodes.copy()
        self.asks = RequestTable(lambda host: racks.get(host, "/default-rack"))
        settings = replace(JobSettings(), reduces=reduces, **properties)  # type: ignore[arg-type]
        places = [Places(hosts, tuple(dict.fromkeys(racks[host] for host in hosts)))] * maps
        self.core = Core(self.clock, JOB, app_attempt, settings, places, self.asks)
        self.running: dict[TaskAttemptId, Container] = {}
        self.records: list[Record] = []
        self.log: list[str] = []
        self.aborted: list[TaskAttemptId] = []
        self.commits = self.aborts = 0
        self.core.start(recovered)
        self.perform_effects()

    @property
    def state(self) -> JobState:
        """Of the job."""
        return self.core.job.state

    def perform_effects(self) -> None:
        """Carries out what was ordered, until nothing more is."""
        while effects := self.core.take_effects():
            for effect in effects:
                self._carry_out(effect)

    def _carry_out(self, effect: Effect) -> None:
        core = self.core
        match effect:
            case SetUpJob():
                core.tell(JobSetupCompleted())
            case CommitJob():
                self.commits += 1
                core.tell(JobCommitCompleted())
            case AbortJob():
                self.aborts += 1
                core.tell(JobAbortCompleted())
            case WriteLog(level, text):
                assert level == "info", text
                self.log.append(text)
            case ResizeTask(attempt_id, container):
                core.tell(ContainerResized(attempt_id=attempt_id, container=container))
            case AbortTask(attempt_id):
                self.aborted.append(attempt_id)
            case LaunchTask(attempt_id, container):
                self.running[attempt_id] = container
                core.tell(AttemptContainerLaunched(attempt_id=attempt_id, shuffle_port=SHUFFLE_PORT))
            case StopTask(attempt_id, container_id, _):
                self.running.pop(attempt_id, None)
                self.cluster.end(container_id, -105)
                core.tell(AttemptContainerCleaned(attempt_id=attempt_id))
            case Record():
                self.records.append(effect)
            case Ask():
                pass  # every beat asks

    def beat(self, times: int = 1) -> None:
        """Heartbeats of the AM."""
        for _ in range(times):
            self.clock.move_to(self.clock.now_ms() + 1000)
            self.core.advance()
            self.perform_effects()
            self.core.heartbeat(self.cluster.allocate(self.request()))
            self.perform_effects()

    def request(self) -> AllocateRequest:
        """The AM's next call."""
        request = self.asks.next_request(self.core.progress)
        self.asks.accept(AllocateResponse(response_id=self.cluster.response_id))
        return request

    def attempts(self, *, maps: bool) -> list[TaskAttemptId]:
        """The attempts that run now."""
        return [attempt_id for attempt_id in self.running if attempt_id.is_map is maps]

    def node_of(self, attempt_id: TaskAttemptId) -> str:
        """Where an attempt runs or ran."""
        node_id = self.core.job.attempt(attempt_id).node_id
        assert node_id is not None
        return node_id.host

    def finish(self, attempt_id: TaskAttemptId, exit_status: int = 0) -> None:
        """A task's process does its work, and ends or takes another task; without a word unless its exit
        status is 0. A reduce that may not compute yet goes on waiting.
        """
        if exit_status == 0 and not attempt_id.is_map and not self.core.compute_pending(attempt_id):
            self.perform_effects()
            return
        container = self.running.pop(attempt_id)
        if container.id not in self.cluster.live:
            return  # its node died under it
        if exit_status == 0:
            if not attempt_id.is_map:
                assert self.core.commit_pending(attempt_id)
            assert self.core.done(attempt_id, {"g": {"c": 1}})
            follower = self.core.next_task(attempt_id)
            if follower is not None:
                self.running[follower] = container
                self.perform_effects()
                return
        self.cluster.end(container.id, exit_status)
        self.perform_effects()

    def report(self, attempt_id: TaskAttemptId, progress: float) -> bool:
        """A task tells how far it is; whether it is to go on."""
        is_wanted = self.core.status_update(
            attempt_id, progress, "MAP" if attempt_id.is_map else "REDUCE", {}
        )
        self.perform_effects()
        return is_wanted

    def history(self) -> list[Event]:
        """What was recorded, as it is read from a file."""
        return [decoded(json.loads(json.dumps(encoded(one.type, one.fields)))) for one in self.records]

    def can_fetch(self) -> bool:
        """Whether a reduce would find an output of every map, on a live node."""
        outputs: dict[int, TaskAttemptId] = {}
        for event in self.core.completion_events(0):
            number = event.attempt_id.task_id.number
            if event.status == "SUCCEEDED":
                outputs[number] = event.attempt_id
            elif outputs.get(number) == event.attempt_id:
                del outputs[number]
        found = [at for at in outputs.values() if self.node_of(at) in self.cluster.nodes]
        return len(found) == len(self.core.job.maps)

    def run(self, beats: int = 60, *, to_the_end: bool = True) -> None:
        """Lets everything that can end end, until the job has ended, which has to be."""
        for _ in range(beats):
            if self.core.job.has_ended:
                return
            self.beat()
            for attempt_id in list(self.running):
                if attempt_id not in self.running:
                    continue
                if attempt_id.is_map or self.can_fetch():
                    self.finish(attempt_id)
        assert not to_the_end or self.core.job.has_ended, f"still {self.state}"

    def name_for_preemption(
        self, *attempts: TaskAttemptId, containers_wanted: int | None = None, strict: bool = False
    ) -> None:
        """The RM's next answer names the containers of these attempts."""
        named = tuple(PreemptionContainer(id=self.running[attempt].id) for attempt in attempts)
        if strict:
            self.cluster.preempt = PreemptionMessage(
                strict_contract=StrictPreemptionContract(container=named)
            )
            return
        wanted: tuple[PreemptionResourceRequest, ...] = ()
        if containers_wanted is not None:
            ask = ResourceRequest(
                priority=-1,
                resource_name=ANY,
                capability=Resource(1024, 1),
                num_containers=containers_wanted,
            )
            wanted = (PreemptionResourceRequest(resource=ask),)
        contract = PreemptionContract(resource=wanted, container=named)
        self.cluster.preempt = PreemptionMessage(contract=contract)
