"""A workload played in virtual time: jobs are submitted and their AMs heartbeat until all jobs have ended.

An AM registers an interval after it was launched and heartbeats from then on: it reads the answer to its last
call, then asks. AMs of one moment go in the order of their jobs, after the nodes of that moment. A heartbeat
that asks for nothing is left out while the ResourceManager has no news for the AM; `sim.workload.fleet`
leaves out those of nodes. Hadoop: SLSRunner and AMSimulator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from yarnbox.rm.booking import ALLOCATED, COMPLETED, Booking
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.kernel import Kernel
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Job, Nodes
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.recording.recorder import RunRecorder, Title
from yarnbox.sim.recording.shape import WrittenData
from yarnbox.sim.resourcemanager import ADMINISTRATOR, SimulatedRM
from yarnbox.sim.workload.arrivals import Arrival, Arrivals, AsTraced
from yarnbox.sim.workload.fleet import (
    THE_WORLD,
    THEN_JOBS,
    THEN_MASTERS,
    THEN_SAMPLES,
    Fleet,
    WorkloadNode,
)
from yarnbox.sim.workload.master import JobMaster, Moment, Running
from yarnbox.sim.workload.reserving import Reserving
from yarnbox.sim.workload.site import NodeLoss, Site, Timing, deaths
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId, ReservationId
from yarnbox.yarn.records.admin import AddToClusterNodeLabelsRequest, ReplaceLabelsOnNodeRequest
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import SubmitApplicationRequest
from yarnbox.yarn.records.container import Container, ContainerLaunchContext
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
)
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel
from yarnbox.yarn.records.request import ResourceRequest

MOST_REFUSALS = 1000
PATIENCE_MS = 20 * 60_000
"""When no container has begun or ended for so long, no task runs and no job is still to come, nothing will
change: longer than it takes an RM to miss a node, an AM or a container.
"""
MOMENTS = 400
"""About so many moments of a recording lie between the first submission and the last one."""
LOOK_MS = 1000
"""So often it is looked whether anything still happens, once patience is at its end."""
_EVERY_NODE_OF_HOST = 0
_ADMIN = Caller(user=ADMINISTRATOR)


class _RunningAM(NamedTuple):
    """The container of an AM, and the node that started it."""

    container_id: ContainerId
    node: WorkloadNode


@dataclass(slots=True)
class _Run:
    """A job while it is played."""

    master: JobMaster
    am: _RunningAM | None = None
    """Its current AM, or the last one."""
    begun_ms: int = 0
    """When the AM registered: it heartbeats at this moment and each interval from then on. 0: it does not."""
    due: tuple[int, int] | None = None
    """The moment of its next heartbeat, and the number by which that can be cancelled."""
    answer: AllocateResponse | None = None
    """What its last call was told and it has not taken in yet."""
    headroom_mb: int = 0
    owed: int = 0
    """Containers that the RM has been asked for and has not allocated."""
    follows_headroom: bool = False
    """Whether what it asks for next depends on what others leave it."""
    is_over: bool = False

    @property
    def order(self) -> int:
        """AMs of one moment go in the order of their jobs."""
        return self.master.application_id.id


@dataclass(slots=True)
class WorkloadOutcome:
    """How a workload went."""

    end_ms: int
    jobs: int
    finished: int
    failed: int = 0
    """Jobs that the ResourceManager took and that did not end well."""
    refused: list[str] = field(default_factory=list)
    """The first jobs that the ResourceManager did not take, and why."""
    refused_count: int = 0
    stuck: int = 0
    """Jobs that waited when nothing happened any more."""
    absent_nodes: list[str] = field(default_factory=list)
    """Nodes that the ResourceManager sent away, and why."""


@mypyc_attr(allow_interpreted_subclasses=True)
class WorkloadPlayer:
    """One play of one workload."""

    def __init__(
        self,
        load: Load | Iterable[Job],
        site: Site,
        files: ConfigurationProvider,
        yarn_files: Sequence[str],
        title: Title | None = None,
        watchers: Sequence[Watcher] = (),
        groups: Mapping[str, tuple[str, ...]] | None = None,
        arrivals: Arrivals | None = None,
    ) -> None:
        """`groups` of users go before those that the load tells. Jobs are submitted as `arrivals` say, by
        default at the times of the load.
        """
        self._load = load if isinstance(load, Load) else Load.of(load)
        self._site, self._watchers = site, tuple(watchers)
        self.rm = self.start_rm(files, {**self._load.groups, **(groups or {})}, yarn_files)
        self.kernel = Kernel(self.rm.clock)
        self.kernel.join(self.rm)
        self._timing = Timing(site)
        self._fleet = Fleet(self.rm, self.kernel, site, self._started, self._ended)
        self._runs: dict[ApplicationId, _Run] = {}
        self._arrivals: Arrivals = arrivals or AsTraced(self._load.jobs())
        self._coming = 0
        """Jobs of which it is known when they will be submitted."""
        self._reserving = Reserving(self.rm)
        self._left = self._load.count
        self._outcome = WorkloadOutcome(0, self._load.count, 0)
        self._owed = 0
        """Containers that somebody has asked for and the RM has not allocated, AMs included."""
        self._followers = 0
        """AMs that look at their headroom."""
        self._is_stuck = False
        self._changed_ms = 0
        """When a queue's books last changed."""
        self._recorder = None if title is None else self._recording_of(title)

    def start_rm(
        self, files: ConfigurationProvider, groups: Mapping[str, tuple[str, ...]], yarn_files: Sequence[str]
    ) -> SimulatedRM:
        """The ResourceManager that the load is played on."""
        return SimulatedRM(files, groups, *yarn_files, checks_books=False)

    def watch(self, watcher: Watcher) -> None:
        """One more who hears of everything."""
        self._watchers = (*self._watchers, watcher)

    @property
    def left(self) -> int:
        """How many jobs have not ended."""
        return self._left

    def play(self) -> WorkloadOutcome:
        """From the first job to the end of the last one."""
        self.begin()
        end_ms = self._load.last_submit_ms + self._site.longest_ms
        self.kernel.run_while(lambda: self._left > 0 and not self._is_stuck, end_ms)
        ended_ms = self.rm.clock.now_ms()
        self.kernel.run_until(
            ended_ms + self._site.nm_interval_ms
        )  # the node of the last AM says that it ended
        if self._recorder is not None:
            self._recorder.moment()
        self._tell_moment()
        self._outcome.end_ms = ended_ms
        self._outcome.stuck = self._left if self._is_stuck else 0
        return self._outcome

    def expect(self, job: Job) -> None:
        """One more job, which the load does not have; it comes at its time."""
        self._left += 1
        self._expect((Arrival(job.submit_ms, job),))

    def _check_progress(self) -> None:
        """Whether anything will still happen."""
        now_ms = self.rm.clock.now_ms()
        self._is_stuck = (
            not self._coming
            and now_ms - self._changed_ms >= PATIENCE_MS
            and not self._fleet.has_running_tasks
            and not any(
                run.master.next_due_ms(self._moment_of(run)) is not None
                for run in self._runs.values()
                if run.begun_ms
            )
        )
        patient_ms = self._changed_ms + PATIENCE_MS - now_ms  # so long there is nothing to find out
        wait_ms = LOOK_MS * max(1, -(-patient_ms // LOOK_MS))
        self.kernel.at(now_ms + wait_ms, self._check_progress, THEN_SAMPLES)

    def _still_there(self) -> None:
        """The RM hears of all nodes and AMs that live: it takes for lost who is silent for too long."""
        self._fleet.still_there()
        now_ms = self.rm.clock.now_ms()
        for run in self._runs.values():
            if run.master.attempt_id is not None and self._has_am(run):
                self.rm.heard_of_master(run.master.attempt_id, now_ms)
        settings = self.rm.context.settings
        silence_ms = min(settings.node_expiry_ms, settings.am_expiry_ms) // 2
        self.kernel.at(now_ms + max(1, silence_ms), self._still_there, THE_WORLD)

    def recording(self) -> WrittenData:
        """What was written down: everything but format and version."""
        assert self._recorder is not None
        return self._recorder.data(self._outcome.refused)

    # ---- the beginning

    def _recording_of(self, title: Title) -> RunRecorder:
        def name_of(subject: object) -> str | None:
            app = self.rm.context.apps.get(subject) if isinstance(subject, ApplicationId) else None
            return None if app is None else app.name

        stride = max(1, self._load.last_submit_ms // (self._site.nm_interval_ms * MOMENTS))
        return RunRecorder(self.rm, title, name_of=name_of, instant_ms=0, stride=stride, is_detailed=False)

    def begin(self) -> None:
        """The nodes register, and what is known of jobs is noted; `play` does so itself."""
        self.kernel.run_until(0)
        self._label(self._site.known())
        self._outcome.absent_nodes.extend(self._fleet.join())
        if not self._fleet.has_live_nodes:
            raise InvalidTraceError(f"there is no node in the cluster: {self._outcome.absent_nodes[0]}")
        self.rm.context.bookings.append(self._note)
        for loss in self._site.node_losses:
            self.kernel.at(loss.at_ms, partial(self._fleet.lose, loss), THE_WORLD)
        for host in self._site.specs():
            self._die_next(deaths(self._site, host.host))
        self._expect(self._arrivals.begin())
        if self._recorder is not None:
            self._recorder.moment()
        self._tell_moment()
        self._still_there()
        self._check_progress()
        self._sample_later()

    def _die_next(self, deaths_of_node: Iterator[NodeLoss]) -> None:
        loss = next(deaths_of_node, None)
        if loss is not None:

            def die() -> None:
                self._fleet.lose(loss)
                self._die_next(deaths_of_node)

            self.kernel.at(loss.at_ms, die, THE_WORLD)

    def _label(self, known: Nodes) -> None:
        """The administrator adds the labels and gives them to the hosts."""
        if not known.exclusive:
            return
        labels = tuple(NodeLabel(name=name, is_exclusive=flag) for name, flag in known.exclusive.items())
        adding = AddToClusterNodeLabelsRequest(node_labels=labels)
        self.rm.turn(lambda: self.rm.core.admin.add_to_cluster_node_labels(adding, _ADMIN))
        hosts = tuple(
            NodeIdToLabels(node_id=NodeId(spec.host, _EVERY_NODE_OF_HOST), node_labels=spec.labels[:1])
            for spec in known.nodes
            if spec.labels
        )
        replacing = ReplaceLabelsOnNodeRequest(node_to_labels=hosts, fail_on_unknown_nodes=False)
        self.rm.turn(lambda: self.rm.core.admin.replace_labels_on_nodes(replacing, _ADMIN))

    def _sample_later(self) -> None:
        if self._recorder is not None or self._watchers:
            self.kernel.at(self.rm.clock.now_ms() + self._site.nm_interval_ms, self._sample, THEN_SAMPLES)

    def _sample(self) -> None:
        if self._recorder is not None:
            self._recorder.moment()
        self._tell_moment()
        self._sample_later()

    def _tell_moment(self) -> None:
        for watcher in self._watchers:
            watcher.moment(self.rm.clock.now_ms())

    def _expect(self, arrivals: Iterable[Arrival]) -> None:
        now_ms = self.rm.clock.now_ms()
        for arrival in arrivals:
            self._coming += 1
            self.kernel.at(max(arrival.at_ms, now_ms), partial(self._arrive, arrival.job), THEN_JOBS)

    def _arrive(self, job: Job) -> None:
        self._coming -= 1
        self._changed_ms = now_ms = self.rm.clock.now_ms()
        self._expect(self._arrivals.submitted())
        plan = self._reserving.plan_of(job)
        if plan is None:
            self._submit(job, now_ms)
            return
        due_ms = max(now_ms, self._reserving.ready_ms)
        self.kernel.at(due_ms, partial(self._reserve, job, now_ms, plan), THEN_JOBS)

    def _reserve(self, job: Job, asked_ms: int, plan: str) -> None:
        try:
            reservation_id = self._reserving.reserve(job)
        except YarnError as refusal:
            self._refuse(self._run_of(job), refusal.message)
            return
        self._submit_when_active(job, asked_ms, plan, reservation_id)

    def _submit_when_active(self, job: Job, asked_ms: int, plan: str, reservation_id: ReservationId) -> None:
        """Its user looks now and then whether the reservation has begun."""
        now_ms = self.rm.clock.now_ms()
        assert job.deadline_ms is not None
        if self._reserving.is_active(plan, reservation_id):
            self._submit(job, asked_ms, reservation_id)
        elif now_ms >= job.deadline_ms:
            why = f"{reservation_id} was not active before its deadline, {job.deadline_ms} ms"
            self._refuse(self._run_of(job), why)
        else:
            self._changed_ms = now_ms
            again = partial(self._submit_when_active, job, asked_ms, plan, reservation_id)
            self.kernel.at(now_ms + self._site.am_interval_ms, again, THEN_JOBS)

    def _run_of(self, job: Job) -> _Run:
        application_id = self.rm.new_application_id(job.user)
        master = JobMaster(
            job,
            SimMaster(application_id, is_managed=True),
            in_order=self._site.in_order,
            speculation=self._site.speculation,
            reduce_split=self._site.reduce_split,
        )
        self._runs[application_id] = run = _Run(master)
        return run

    def _submit(self, job: Job, asked_ms: int, reservation_id: ReservationId | None = None) -> None:
        """`asked_ms` is when its user wanted it to run."""
        run = self._run_of(job)
        application_id = run.master.application_id
        context = _submission(application_id, job, reservation_id)
        request = SubmitApplicationRequest(application_submission_context=context)
        try:
            self.rm.turn(lambda: self.rm.core.client.submit_application(request, Caller(user=job.user)))
        except YarnError as refusal:
            self._refuse(run, refusal.message)
            return
        for watcher in self._watchers:
            watcher.submitted(application_id, job, asked_ms)
        if self.rm.is_app_over(application_id):
            self._refuse(run, self.rm.application_report(application_id, job.user).diagnostics or "refused")
            return
        self._set_owed(run, 1)

    def _refuse(self, run: _Run, why: str) -> None:
        job = run.master.job
        self._outcome.refused_count += 1
        self._tell_refusal(run, why)
        run.is_over = True
        self._left -= 1
        del self._runs[run.master.application_id]
        for watcher in self._watchers:
            watcher.refused(run.master.application_id, job, why, self.rm.clock.now_ms())
        self._expect(self._arrivals.ended(job, self.rm.clock.now_ms()))

    def _tell_refusal(self, run: _Run, why: str) -> None:
        if len(self._outcome.refused) < MOST_REFUSALS:
            self._outcome.refused.append(f"{run.master.job.job_id}: {why}")

    # ---- what is waited for

    def _set_owed(self, run: _Run, containers: int, *, follows_headroom: bool = False) -> None:
        """So many containers does the RM owe to that job now."""
        self._owed += containers - run.owed
        self._followers += follows_headroom - run.follows_headroom
        run.owed, run.follows_headroom = containers, follows_headroom
        self._fleet.want(is_wanted=self._owed > 0 or self._followers > 0)

    def _note(self, booking: Booking) -> None:
        self._changed_ms = self.rm.clock.now_ms()
        if booking.type == COMPLETED:
            self._fleet.wake_for(booking.node)
        run = self._runs.get(booking.subject.application_id)
        if run is None:
            return
        if booking.type == ALLOCATED and run.owed:
            self._set_owed(run, run.owed - 1, follows_headroom=run.follows_headroom)
        self._wake(run)

    def _started(self, node: WorkloadNode, container: Container) -> None:
        run = self._runs.get(container.id.application_id)
        attempt_id = container.id.application_attempt_id
        if run is None or run.master.attempt_id == attempt_id:
            return  # a task's
        run.am, run.answer, run.begun_ms = _RunningAM(container.id, node), None, 0
        self._set_owed(run, 0)
        run.master.begin()
        if self._site.am_launch_ms:
            moment_ms = self.rm.clock.now_ms() + self._site.am_launch_ms
            self.kernel.at(moment_ms, partial(self._launched, run, attempt_id), THEN_MASTERS, run.order)
        else:
            self._launched(run, attempt_id)

    def _launched(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        """Its AM runs now, and will register."""
        if run.is_over or run.am is None or run.am.container_id.application_attempt_id != attempt_id:
            return
        for watcher in self._watchers:
            watcher.am_started(run.master.application_id, self.rm.clock.now_ms())
        start_ms = self._site.am_start_ms
        moment_ms = self.rm.clock.now_ms() + (self._site.am_interval_ms if start_ms is None else start_ms)
        self.kernel.at(moment_ms, lambda: self._register_master(run, attempt_id), THEN_MASTERS, run.order)

    def _ended(self, container_id: ContainerId) -> None:
        """A container ended on its node. If it was an AM the RM last heard of it at its last heartbeat."""
        run = self._runs.get(container_id.application_id)
        if run is None or run.am is None or run.am.container_id != container_id:
            return
        attempt_id, now_ms = run.master.attempt_id, self.rm.clock.now_ms()
        if attempt_id is not None and run.begun_ms < now_ms:
            last_ms = now_ms - 1 - (now_ms - 1 - run.begun_ms) % self._site.am_interval_ms
            self.rm.heard_of_master(attempt_id, last_ms)
        self._wake(run)

    def _wake(self, run: _Run) -> None:
        """Its AM heartbeats at the next of its moments, if it was going to leave that out."""
        attempt_id = run.master.attempt_id
        if attempt_id is None or not run.begun_ms:
            return
        now_ms, interval = self.rm.clock.now_ms(), self._site.am_interval_ms
        past_ms = (now_ms - run.begun_ms) % interval
        is_now = past_ms == 0 and self.kernel.is_to_come((THEN_MASTERS, run.order))
        self._tick_at(run, attempt_id, now_ms if is_now else now_ms + interval - past_ms)

    def _tick_at(self, run: _Run, attempt_id: ApplicationAttemptId, due_ms: int) -> None:
        if run.due is not None:
            if run.due[0] <= due_ms:
                return
            self.kernel.cancel(run.due[1])
        number = self.kernel.at(due_ms, lambda: self._tick(run, attempt_id), THEN_MASTERS, run.order)
        run.due = (due_ms, number)

    # ---- AMs

    def _register_master(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        if not self._is_living(run):
            return
        run.master.registered(attempt_id)
        run.begun_ms = self.rm.clock.now_ms()
        request = RegisterApplicationMasterRequest(host="", rpc_port=-1, tracking_url="")
        caller = Caller(attempt_id=attempt_id)
        try:
            self.rm.turn(lambda: self.rm.core.master.register_application_master(request, caller))
        except YarnError:
            run.begun_ms = 0
            self._look_again(run)  # the RM has taken the attempt for dead, and its node does not know yet
            return
        self._tick(run, attempt_id)

    def _has_am(self, run: _Run) -> bool:
        return run.am is not None and run.am.container_id in run.am.node.running

    def _is_living(self, run: _Run) -> bool:
        """Whether its AM runs; where it does not, whether the job is over is found out."""
        if self._has_am(run):
            return True
        self._look_again(run)
        return False

    def _look_again(self, run: _Run) -> None:
        """Its AM is gone: it is over, or the RM will start the next attempt, or does not know yet."""
        if run.is_over:
            return
        if self.rm.is_app_over(run.master.application_id):
            self._outcome.failed += 1
            self._over(run)
            return
        self._set_owed(run, 1)  # the AM of the next attempt
        dead = run.am
        moment_ms = self.rm.clock.now_ms() + self._site.am_interval_ms
        self.kernel.at(
            moment_ms,
            lambda: self._look_again(run) if run.am is dead else None,
            THEN_MASTERS,
            run.order,
        )

    def _tick(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        run.due = None
        if run.is_over or run.master.attempt_id != attempt_id:
            return
        if not self._is_living(run):
            run.begun_ms = 0
            return
        master = run.master
        self._take_in(run)
        moment = self._moment_of(run)
        if master.is_done(moment):
            self._finish(run, attempt_id)
            return
        ask, release = master.next_ask(moment), master.next_release()
        try:
            master.allocate(self._caller_of(attempt_id), ask=ask, release=release, progress=master.progress)
        except YarnError as refusal:
            self._give_up(run, attempt_id, refusal.message)
            return
        answer = run.answer = master.answer
        assert answer is not None
        owed = master.outstanding(ask, answer.allocated_containers)
        self._set_owed(run, owed, follows_headroom=master.follows_headroom)
        if self._site.is_prompt:
            self._take_in(run)
            if master.is_done(self._moment_of(run)):
                self._finish(run, attempt_id)
                return
        is_quiet = not (ask or release or answer.allocated_containers or answer.completed_container_statuses)
        self._tick_later(run, attempt_id, is_quiet=is_quiet and not master.follows_headroom)

    def _tick_later(self, run: _Run, attempt_id: ApplicationAttemptId, *, is_quiet: bool) -> None:
        """After a call in which nobody said anything the next ones are left out until something happens."""
        now_ms, interval = self.rm.clock.now_ms(), self._site.am_interval_ms
        due_ms: int | None = now_ms + interval
        if is_quiet and not self._site.every_heartbeat:
            due_ms = run.master.next_due_ms(self._moment_of(run))
            if due_ms is not None:
                due_ms = max(now_ms + interval, due_ms + (run.begun_ms - due_ms) % interval)
        if due_ms is not None:
            self._tick_at(run, attempt_id, due_ms)

    def _moment_of(self, run: _Run) -> Moment:
        return Moment(self.rm.clock.now_ms(), run.begun_ms, run.headroom_mb)

    def _take_in(self, run: _Run) -> None:
        answer, now_ms = run.answer, self.rm.clock.now_ms()
        if answer is None:
            return
        run.answer = None
        if answer.limit is not None:
            run.headroom_mb = answer.limit.memory_mb
        master, application_id = run.master, run.master.application_id
        for status in answer.completed_container_statuses:
            ended = master.ended(status.container_id, status.exit_status)
            if ended is not None:
                for watcher in self._watchers:
                    watcher.task_ended(application_id, status.container_id, ended, status.exit_status, now_ms)
        for container_id, end_ms in master.decided_ends(now_ms):
            self._schedule_end(master.running[container_id], end_ms)
        for container in answer.allocated_containers:
            assert container.node_id is not None
            node = self._fleet.node(container.node_id)
            running = master.take(container, node.node_id, node.rack, now_ms)
            if running is not None and node.is_live:
                self._start(run, running, node)

    def _start(self, run: _Run, running: Running, node: WorkloadNode) -> None:
        container, task, now_ms = running.container, running.batch.task, self.rm.clock.now_ms()
        node.start(container)
        planned_ms = task.failures_ms[running.level] if running.fails else task.duration_ms
        luck = self._timing.luck(run.master.job.job_id, running.batch.place)
        duration_ms = self._timing.duration_ms(planned_ms, running.locality, node.speed, luck)
        fails_ms = None if running.fails else self._timing.fails_after_ms(duration_ms, luck)
        overhead_ms = self._site.task_overhead_ms
        running.duration_ms = duration_ms + overhead_ms
        if running.fails or fails_ms is not None:
            node.failing[container.id] = None
            planned_ms = duration_ms if fails_ms is None else fails_ms
            node.ends[container.id] = now_ms + planned_ms + overhead_ms
        elif not run.master.is_open_ended(running):
            node.ends[container.id] = now_ms + running.duration_ms
        if not run.master.is_open_ended(running):
            running.ends_ms = now_ms + running.duration_ms
        for watcher in self._watchers:
            watcher.task_started(run.master.application_id, running, node, now_ms)

    def _schedule_end(self, running: Running, end_ms: int) -> None:
        """It is known now when a task ends."""
        self._fleet.end_at(self._fleet.node(running.node_id), running.container.id, end_ms)

    def _caller_of(self, attempt_id: ApplicationAttemptId) -> Callable[[AllocateRequest], AllocateResponse]:
        caller = Caller(attempt_id=attempt_id)
        return lambda request: self.rm.turn(lambda: self.rm.core.master.allocate(request, caller))

    def _finish(self, run: _Run, attempt_id: ApplicationAttemptId) -> None:
        self._outcome.finished += 1
        self._unregister(run, attempt_id, FinalApplicationStatus.SUCCEEDED, "")

    def _give_up(self, run: _Run, attempt_id: ApplicationAttemptId, why: str) -> None:
        """The RM refuses what the AM asks for: the job fails."""
        if self.rm.is_app_over(run.master.application_id) or run.am is None:
            self._look_again(run)
            return
        self._outcome.failed += 1
        self._tell_refusal(run, why)
        self._unregister(run, attempt_id, FinalApplicationStatus.FAILED, why)

    def _unregister(
        self, run: _Run, attempt_id: ApplicationAttemptId, status: FinalApplicationStatus, why: str
    ) -> None:
        request = FinishApplicationMasterRequest(
            final_application_status=status, diagnostics=why, tracking_url=""
        )
        caller = Caller(attempt_id=attempt_id)
        while not self.rm.turn(
            lambda: self.rm.core.master.finish_application_master(request, caller)
        ).is_unregistered:
            pass
        assert run.am is not None
        if self._site.am_end_ms:
            moment_ms = self.rm.clock.now_ms() + self._site.am_end_ms
            self.kernel.at(moment_ms, partial(self._end_master, run.am), THEN_MASTERS, run.order)
        else:
            self._end_master(run.am)
        self._over(run, "FINISHED" if status is FinalApplicationStatus.SUCCEEDED else "FAILED", why)

    def _end_master(self, am: _RunningAM) -> None:
        if am.node.end(am.container_id, 0):
            self._fleet.tell_end(am.node)

    def _over(self, run: _Run, state: str | None = None, why: str = "") -> None:
        run.is_over = True
        self._left -= 1
        self._set_owed(run, 0)
        run.master.begin()
        self._timing.forget(run.master.job.job_id)
        application_id = run.master.application_id
        del self._runs[application_id]
        self._expect(self._arrivals.ended(run.master.job, self.rm.clock.now_ms()))
        if not self._watchers:
            return
        if state is None:
            app = self.rm.context.apps.get(application_id)
            state = "FAILED" if app is None else app.state.name
            why = self.rm.application_report(application_id, run.master.job.user).diagnostics
        for watcher in self._watchers:
            watcher.over(application_id, state, why, self.rm.clock.now_ms())


def _submission(
    application_id: ApplicationId, job: Job, reservation_id: ReservationId | None
) -> ApplicationSubmissionContext:
    am = ResourceRequest(
        priority=0,
        resource_name="*",
        capability=job.am_resource,
        num_containers=1,
        node_label_expression=job.am_label,
    )
    return ApplicationSubmissionContext(
        application_id=application_id,
        application_name=job.name or job.job_id,
        queue=job.queue,
        priority=job.priority,
        am_container_spec=ContainerLaunchContext(),
        max_app_attempts=job.am_attempts,
        application_type=job.type,
        application_tags=job.tags,
        node_label_expression=job.label,
        am_container_resource_request=(am,),
        reservation_id=reservation_id,
    )
