"""A workload played in virtual time: nodes and AMs that heartbeat until all jobs have ended.

Every NodeManager heartbeats at its own moments, an interval apart, the first at a random offset from the
seed; a container ends at the first heartbeat of its node after its lifetime. An AM registers an interval
after it was launched and heartbeats from then on: it takes in what its last call was told, then asks. A
heartbeat that could tell nothing and bring nothing is left out: that of a node where nothing begins or ends,
while nobody waits for a container. Answers for SLSRunner, NMSimulator and AMSimulator.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any

from rm.context import ConfigurationProvider
from rm.scheduler.bookings import ALLOCATED, Booking
from rm.services.caller import Caller
from sim.kernel import Kernel
from sim.masters import SimMaster
from sim.nodes import SimNode
from sim.recording.recorder import RunRecorder, Title
from sim.resourcemanager import ADMINISTRATOR, SimulatedRM
from sim.workload.jobs import Job
from sim.workload.master import JobMaster
from yarn.enums import FinalApplicationStatus
from yarn.errors import YarnError
from yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarn.records.application import ApplicationSubmissionContext
from yarn.records.client import SubmitApplicationRequest
from yarn.records.container import Container, ContainerLaunchContext
from yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
)
from yarn.records.request import ResourceRequest
from yarn.records.tracker import (
    NodeHeartbeatRequest,
    NodeHeartbeatResponse,
    RegisterNodeManagerRequest,
    RegisterNodeManagerResponse,
)
from yarn.resource import Resource

PORT = 1234
NODE_RESOURCE = Resource(10240, 10)
NODE_MANAGER = Caller(user=ADMINISTRATOR)
PATIENCE_MS = 20 * 60_000
"""When no container has begun or ended for so long, no task runs and no job is still to come, nothing will
change: longer than it takes an RM to miss a node, an AM or a container.
"""
MOMENTS = 400
"""About so many moments of a recording lie between the first submission and the last one."""
_NODES_FIRST, _THEN_MASTERS, _THEN_SAMPLES = 1, 2, 3
_AM_KILLED = 137


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The cluster that a workload is played on."""

    nodes: int
    racks: int = 1
    node_resource: Resource = NODE_RESOURCE
    nm_interval_ms: int = 1000
    am_interval_ms: int = 1000
    seed: int = 0
    longest_ms: int = 7 * 24 * 3600 * 1000
    """The play ends then, whatever still waits."""


class _Node(SimNode):
    """A NodeManager that tells who listens what is started on it."""

    def __init__(
        self, node_id: NodeId, rack: str, resource: Resource, started: Callable[[_Node, Container], None]
    ) -> None:
        super().__init__(node_id, rack, resource)
        self._started = started
        self.offset_ms = 0
        self.ends: dict[ContainerId, int] = {}
        """When the lifetime of each task's container is over."""
        self.unreported = False
        """Whether something began or ended that its next heartbeat will tell."""
        self.due: tuple[int, int] | None = None
        """The moment of its next heartbeat, and the number by which that can be cancelled."""

    def start(self, container: Container) -> None:
        """An AM, or for an AM the RM, starts a container here."""
        super().start(container)
        self.unreported = True
        self._started(self, container)

    def end(self, container_id: ContainerId, exit_status: int, diagnostics: str = "") -> bool:
        """A container ends."""
        self.ends.pop(container_id, None)
        self.unreported = True
        return super().end(container_id, exit_status, diagnostics)


@dataclass(slots=True)
class _Run:
    """A job while it is played."""

    master: JobMaster
    am_container: Container | None = None
    am_node: _Node | None = None
    answer: AllocateResponse | None = None
    """What its last call was told and it has not taken in yet."""
    owed: int = 0
    """Containers that the RM has been asked for and has not allocated."""
    is_over: bool = False


@dataclass(slots=True)
class WorkloadOutcome:
    """How a workload went."""

    end_ms: int
    jobs: int
    finished: int
    refused: list[str] = field(default_factory=list)
    """Jobs that the ResourceManager did not take, and why."""
    stuck: int = 0
    """Jobs that waited when nothing happened any more."""


class WorkloadPlayer:
    """One play of one workload."""

    def __init__(
        self,
        jobs: Sequence[Job],
        site: Site,
        files: ConfigurationProvider,
        yarn_files: Sequence[str],
        title: Title | None = None,
    ) -> None:
        self._jobs, self._site = jobs, site
        self.rm = SimulatedRM(files, {}, *yarn_files, checks_books=False)
        self.kernel = Kernel(self.rm.clock)
        self.kernel.join(self.rm)
        self._longest_silence_ms = self.rm.context.settings.node_expiry_ms // 2
        """A node that has nothing to say says so at least this often: the RM takes a silent one for lost."""
        self._random = Random(site.seed)
        self._nodes: list[_Node] = []
        self._runs: dict[ApplicationId, _Run] = {}
        self._left = len(jobs)
        self._finished = 0
        self._owed = 0
        """Containers that somebody has asked for and the RM has not allocated, AMs included."""
        self._sweeps = False
        """Whether nodes are woken in turn, because something is owed."""
        self._refused: list[str] = []
        self._changed_ms = 0
        """When a queue's books last changed."""
        self._last_submit_ms = max((job.submit_ms for job in jobs), default=0)
        self._recorder = None if title is None else self._recording_of(title)

    def play(self) -> WorkloadOutcome:
        """From the first job to the end of the last one."""
        self._begin()
        self.kernel.run_while(lambda: self._left > 0 and not self._is_stuck(), self._site.longest_ms)
        ended_ms = self.rm.clock.now_ms()
        self.kernel.run_until(
            ended_ms + self._site.nm_interval_ms
        )  # the node of the last AM says that it ended
        if self._recorder is not None:
            self._recorder.moment()
        stuck = self._left if self._is_stuck() else 0
        return WorkloadOutcome(ended_ms, len(self._jobs), self._finished, self._refused, stuck)

    def _is_stuck(self) -> bool:
        now_ms = self.rm.clock.now_ms()
        if now_ms - max(self._changed_ms, self._last_submit_ms) < PATIENCE_MS:
            return False
        return not any(node.ends for node in self._nodes)

    def recording(self) -> Mapping[str, Any]:
        """What was written down: everything but format and version."""
        assert self._recorder is not None
        return self._recorder.data(self._refused)

    # ---- the beginning

    def _recording_of(self, title: Title) -> RunRecorder:
        def name_of(subject: object) -> str | None:
            run = self._runs.get(subject) if isinstance(subject, ApplicationId) else None
            return run.master.job.job_id if run is not None else None

        span_ms = max((job.submit_ms for job in self._jobs), default=0)
        stride = max(1, span_ms // (self._site.nm_interval_ms * MOMENTS))
        return RunRecorder(self.rm, title, name_of=name_of, instant_ms=0, stride=stride, is_detailed=False)

    def _begin(self) -> None:
        self.kernel.run_until(0)
        for number in range(self._site.nodes):
            node_id = NodeId(f"node{number}", PORT)
            rack = f"/rack{number % self._site.racks}"
            node = _Node(node_id, rack, self._site.node_resource, self._started)
            node.offset_ms = self._random.randrange(self._site.nm_interval_ms)
            self.rm.racks[node_id.host] = rack
            self.rm.nodes[node_id] = node
            self._nodes.append(node)
            node.register(self._register_node)
            self._wake(node)
        self._nodes.sort(key=lambda node: node.offset_ms)
        self.rm.context.bookings.append(self._note)
        for job in self._jobs:
            self.kernel.at(job.submit_ms, partial(self._submit, job), _THEN_MASTERS)
        if self._recorder is not None:
            self._recorder.moment()
            self._sample_later()

    def _sample_later(self) -> None:
        self.kernel.at(self.rm.clock.now_ms() + self._site.nm_interval_ms, self._sample, _THEN_SAMPLES)

    def _sample(self) -> None:
        assert self._recorder is not None
        self._recorder.moment()
        self._sample_later()

    def _submit(self, job: Job) -> None:
        application_id = self.rm.new_application_id(job.user)
        run = _Run(JobMaster(job, SimMaster(application_id, is_managed=True)))
        am = ResourceRequest(priority=0, resource_name="*", capability=job.am_resource, num_containers=1)
        context = ApplicationSubmissionContext(
            application_id=application_id,
            application_name=job.job_id,
            queue=job.queue,
            am_container_spec=ContainerLaunchContext(),
            max_app_attempts=1,
            application_type="MAPREDUCE",
            am_container_resource_request=(am,),
        )
        request = SubmitApplicationRequest(application_submission_context=context)
        self._runs[application_id] = run
        try:
            self.rm.turn(lambda: self.rm.core.client.submit_application(request, Caller(user=job.user)))
        except YarnError as refusal:
            self._refuse(run, refusal.message)
            return
        if self.rm.is_app_over(application_id):
            self._refuse(run, self.rm.application_report(application_id, job.user).diagnostics or "refused")
            return
        self._owe(run, 1)

    def _refuse(self, run: _Run, why: str) -> None:
        self._refused.append(f"{run.master.job.job_id}: {why}")
        run.is_over = True
        self._left -= 1

    # ---- nodes

    def _wake(self, node: _Node) -> None:
        """It heartbeats at the next of its moments."""
        now_ms, interval = self.rm.clock.now_ms(), self._site.nm_interval_ms
        self._beat_at(node, now_ms + 1 + (node.offset_ms - now_ms - 1) % interval)

    def _beat_at(self, node: _Node, due_ms: int) -> None:
        if node.due is not None:
            if node.due[0] <= due_ms:
                return
            self.kernel.cancel(node.due[1])
        node.due = (due_ms, self.kernel.at(due_ms, lambda: self._beat(node), _NODES_FIRST))

    def _beat(self, node: _Node) -> None:
        node.due = None
        now_ms = self.rm.clock.now_ms()
        for container_id in [each for each, end_ms in node.ends.items() if end_ms <= now_ms]:
            node.end(container_id, 0)
        node.obey(*self.rm.wanted_gone(node.node_id))
        node.unreported = False
        node.heartbeat(self._heartbeat_node, now_ms)
        if node.must_resync:
            node.register(self._register_node, keep=True)
        if node.unreported or any(self.rm.wanted_gone(node.node_id)):
            self._wake(node)
            return
        interval = self._site.nm_interval_ms
        latest_ms = now_ms + self._longest_silence_ms
        later_ms = min((latest_ms, *node.ends.values()))
        self._beat_at(node, max(now_ms + interval, later_ms + (node.offset_ms - later_ms) % interval))

    def _owe(self, run: _Run, containers: int) -> None:
        """So many containers does the RM owe to that job now."""
        self._owed += containers - run.owed
        run.owed = containers
        if self._owed and not self._sweeps:
            self._sweeps = True
            offset_ms = self.rm.clock.now_ms() % self._site.nm_interval_ms
            before = bisect_right(self._nodes, offset_ms, key=lambda node: node.offset_ms) - 1
            self._sweep(before % len(self._nodes))

    def _sweep(self, place: int) -> None:
        """The node behind that place heartbeats at its next moment, and so on while anything is owed."""
        if not self._owed:
            self._sweeps = False
            return
        now_ms, interval = self.rm.clock.now_ms(), self._site.nm_interval_ms
        following = (place + 1) % len(self._nodes)
        node = self._nodes[following]
        wait_ms = (node.offset_ms - now_ms) % interval
        if wait_ms == 0 and following <= place:
            wait_ms = interval
        self._beat_at(node, now_ms + wait_ms)
        self.kernel.at(now_ms + wait_ms, lambda: self._sweep(following), _THEN_MASTERS)

    def _note(self, booking: Booking) -> None:
        self._changed_ms = self.rm.clock.now_ms()
        if booking.type == ALLOCATED:
            run = self._runs.get(booking.subject.application_id)
            if run is not None and run.owed:
                self._owe(run, run.owed - 1)

    def _started(self, node: _Node, container: Container) -> None:
        self._wake(node)
        assert container.id is not None
        run = self._runs.get(container.id.application_id)
        attempt_id = container.id.application_attempt_id
        if run is None or run.master.attempt_id == attempt_id:
            return  # a task's
        run.am_container, run.am_node, run.answer = container, node, None
        self._owe(run, 0)
        run.master.begin()
        moment_ms = self.rm.clock.now_ms() + self._site.am_interval_ms
        self.kernel.at(moment_ms, lambda: self._register_master(run, attempt_id), _THEN_MASTERS)

    # ---- AMs

    def _register_master(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        if not self._is_living(run):
            return
        run.master.registered(attempt_id)
        request = RegisterApplicationMasterRequest(host="", rpc_port=-1, tracking_url="")
        caller = Caller(attempt_id=attempt_id)
        self.rm.turn(lambda: self.rm.core.master.register_application_master(request, caller))
        self._tick(run, attempt_id)

    def _is_living(self, run: _Run) -> bool:
        """Whether its AM runs; where it does not, whether it is over is found out."""
        container = run.am_container
        assert container is not None
        assert container.id is not None
        if run.am_node is not None and container.id in run.am_node.running:
            return True
        if self.rm.is_app_over(run.master.application_id) and not run.is_over:
            self._over(run)
        elif not run.is_over:
            self._owe(run, 1)  # the AM of the next attempt
        return False

    def _tick(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        if run.is_over or run.master.attempt_id != attempt_id or not self._is_living(run):
            return
        master = run.master
        self._take_in(run)
        if master.is_done:
            self._finish(run, attempt_id)
            return
        ask = master.next_ask()
        if ask:
            self._owe(run, sum(one.num_containers or 0 for one in ask))
        master.allocate(self._caller_of(attempt_id), ask=ask, progress=master.progress)
        run.answer = master.answer
        moment_ms = self.rm.clock.now_ms() + self._site.am_interval_ms
        self.kernel.at(moment_ms, lambda: self._tick(run, attempt_id), _THEN_MASTERS)

    def _take_in(self, run: _Run) -> None:
        answer, now_ms = run.answer, self.rm.clock.now_ms()
        if answer is None:
            return
        run.answer = None
        for status in answer.completed_container_statuses:
            assert status.container_id is not None
            run.master.ended(status.container_id, status.exit_status)
        for container, duration_ms in run.master.take(answer.allocated_containers):
            assert container.node_id is not None
            assert container.id is not None
            node = self.rm.nodes[container.node_id]
            assert isinstance(node, _Node)
            node.start(container)
            node.ends[container.id] = now_ms + duration_ms

    def _caller_of(self, attempt_id: ApplicationAttemptId) -> Callable[[AllocateRequest], AllocateResponse]:
        caller = Caller(attempt_id=attempt_id)
        return lambda request: self.rm.turn(lambda: self.rm.core.master.allocate(request, caller))

    def _finish(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        request = FinishApplicationMasterRequest(
            final_application_status=FinalApplicationStatus.SUCCEEDED, diagnostics="", tracking_url=""
        )
        caller = Caller(attempt_id=attempt_id)
        while not self.rm.turn(
            lambda: self.rm.core.master.finish_application_master(request, caller)
        ).is_unregistered:
            pass
        assert run.am_node is not None
        assert run.am_container is not None
        assert run.am_container.id is not None
        run.am_node.end(run.am_container.id, 0)
        self._wake(run.am_node)
        self._finished += 1
        self._over(run)

    def _over(self, run: _Run) -> None:
        run.is_over = True
        self._left -= 1
        self._owe(run, 0)
        run.master.begin()

    # ---- calls

    def _register_node(self, request: RegisterNodeManagerRequest) -> RegisterNodeManagerResponse:
        return self.rm.turn(lambda: self.rm.core.tracker.register_node_manager(request, NODE_MANAGER))

    def _heartbeat_node(self, request: NodeHeartbeatRequest) -> NodeHeartbeatResponse:
        return self.rm.turn(lambda: self.rm.core.tracker.node_heartbeat(request, NODE_MANAGER))
