"""The jobs of a workload that are submitted and not over: their AMs heartbeat, and their tasks begin and end.

An AM registers an interval after it was launched and heartbeats from then on: it reads the answer to its last
call, then asks. AMs of one moment go in the order of their jobs, after the nodes of that moment. A heartbeat
that asks for nothing is left out while the ResourceManager has no news for the AM. Hadoop: AMSimulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from yarnbox.rm.booking import ALLOCATED, COMPLETED, Booking
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.kernel import Kernel
from yarnbox.sim.load.jobs import Job
from yarnbox.sim.masters import SimMaster
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.workload.fleet import THEN_MASTERS, Fleet, WorkloadNode
from yarnbox.sim.workload.master import JobMaster, Moment, Running
from yarnbox.sim.workload.site import Site, Timing
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.master import (
    AllocateRequest,
    AllocateResponse,
    FinishApplicationMasterRequest,
    RegisterApplicationMasterRequest,
)

MOST_REFUSALS = 1000
"""So many are named."""


class _RunningAM(NamedTuple):
    """The container of an AM, and the node that started it."""

    container_id: ContainerId
    node: WorkloadNode


@dataclass(slots=True)
class JobRun:
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

    def tell_refusal(self, job: Job, why: str) -> None:
        """One of the first is named."""
        if len(self.refused) < MOST_REFUSALS:
            self.refused.append(f"{job.job_id}: {why}")


class RunningJobs:
    """All jobs from their submission to their end, and the nodes that they run on."""

    def __init__(
        self,
        rm: SimulatedRM,
        kernel: Kernel,
        site: Site,
        watchers: Sequence[Watcher],
        outcome: WorkloadOutcome,
        tell_end: Callable[[Job], None],
    ) -> None:
        """`watchers` may grow; `tell_end` is called for each job that was taken and is over."""
        self._rm, self._kernel, self._site = rm, kernel, site
        self._watchers, self._outcome, self._tell_end = watchers, outcome, tell_end
        self._timing = Timing(site)
        self.fleet = Fleet(rm, kernel, site, self._started, self._ended)
        self._runs: dict[ApplicationId, JobRun] = {}
        self._owed = 0
        """Containers that somebody has asked for and the RM has not allocated, AMs included."""
        self._followers = 0
        """AMs that look at their headroom."""

    def begin(self, job: Job) -> JobRun:
        """A job gets its id."""
        application_id = self._rm.new_application_id(job.user)
        master = JobMaster(
            job,
            SimMaster(application_id, is_managed=True),
            in_order=self._site.in_order,
            speculation=self._site.speculation,
            reduce_split=self._site.reduce_split,
        )
        self._runs[application_id] = run = JobRun(master)
        return run

    def drop(self, run: JobRun) -> None:
        """The RM has refused the job."""
        run.is_over = True
        del self._runs[run.master.application_id]

    @property
    def will_act(self) -> bool:
        """Whether an AM will say something though nothing happens."""
        return any(
            run.master.next_due_ms(self._moment_of(run)) is not None
            for run in self._runs.values()
            if run.begun_ms
        )

    def still_there(self) -> None:
        """The RM hears of all nodes and AMs that live."""
        self.fleet.still_there()
        now_ms = self._rm.clock.now_ms()
        for run in self._runs.values():
            if run.master.attempt_id is not None and self._has_am(run):
                self._rm.heard_of_master(run.master.attempt_id, now_ms)

    # ---- what is waited for

    def wait_for_master(self, run: JobRun) -> None:
        """The RM has taken the job, and owes it an AM."""
        self._set_owed(run, 1)

    def _set_owed(self, run: JobRun, containers: int, *, follows_headroom: bool = False) -> None:
        """So many containers does the RM owe to that job now."""
        self._owed += containers - run.owed
        self._followers += follows_headroom - run.follows_headroom
        run.owed, run.follows_headroom = containers, follows_headroom
        self.fleet.want(is_wanted=self._owed > 0 or self._followers > 0)

    def note(self, booking: Booking) -> None:
        """A queue's books have changed: an AM, or a node, may have something to say."""
        if booking.type == COMPLETED:
            self.fleet.wake_for(booking.node)
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
            moment_ms = self._rm.clock.now_ms() + self._site.am_launch_ms
            self._kernel.at(moment_ms, partial(self._launched, run, attempt_id), THEN_MASTERS, run.order)
        else:
            self._launched(run, attempt_id)

    def _launched(self, run: JobRun, attempt_id: ApplicationAttemptId) -> None:
        """Its AM runs now, and will register."""
        if run.is_over or run.am is None or run.am.container_id.application_attempt_id != attempt_id:
            return
        for watcher in self._watchers:
            watcher.am_started(run.master.application_id, self._rm.clock.now_ms())
        start_ms = self._site.am_start_ms
        moment_ms = self._rm.clock.now_ms() + (self._site.am_interval_ms if start_ms is None else start_ms)
        self._kernel.at(moment_ms, lambda: self._register_master(run, attempt_id), THEN_MASTERS, run.order)

    def _ended(self, container_id: ContainerId) -> None:
        """A container ended on its node. If it was an AM the RM last heard of it at its last heartbeat."""
        run = self._runs.get(container_id.application_id)
        if run is None or run.am is None or run.am.container_id != container_id:
            return
        attempt_id, now_ms = run.master.attempt_id, self._rm.clock.now_ms()
        if attempt_id is not None and run.begun_ms < now_ms:
            last_ms = now_ms - 1 - (now_ms - 1 - run.begun_ms) % self._site.am_interval_ms
            self._rm.heard_of_master(attempt_id, last_ms)
        self._wake(run)

    def _wake(self, run: JobRun) -> None:
        """Its AM heartbeats at the next of its moments, if it was going to leave that out."""
        attempt_id = run.master.attempt_id
        if attempt_id is None or not run.begun_ms:
            return
        now_ms, interval = self._rm.clock.now_ms(), self._site.am_interval_ms
        past_ms = (now_ms - run.begun_ms) % interval
        is_now = past_ms == 0 and self._kernel.is_to_come((THEN_MASTERS, run.order))
        self._tick_at(run, attempt_id, now_ms if is_now else now_ms + interval - past_ms)

    def _tick_at(self, run: JobRun, attempt_id: ApplicationAttemptId, due_ms: int) -> None:
        if run.due is not None:
            if run.due[0] <= due_ms:
                return
            self._kernel.cancel(run.due[1])
        number = self._kernel.at(due_ms, lambda: self._tick(run, attempt_id), THEN_MASTERS, run.order)
        run.due = (due_ms, number)

    # ---- AMs

    def _register_master(self, run: JobRun, attempt_id: ApplicationAttemptId) -> None:
        if not self._is_living(run):
            return
        run.master.registered(attempt_id)
        run.begun_ms = self._rm.clock.now_ms()
        request = RegisterApplicationMasterRequest(host="", rpc_port=-1, tracking_url="")
        caller = Caller(attempt_id=attempt_id)
        try:
            self._rm.call(self._rm.core.master.register_application_master, request, caller)
        except YarnError:
            run.begun_ms = 0
            self._look_again(run)  # the RM has taken the attempt for dead, and its node does not know yet
            return
        self._tick(run, attempt_id)

    def _has_am(self, run: JobRun) -> bool:
        return run.am is not None and run.am.container_id in run.am.node.running

    def _is_living(self, run: JobRun) -> bool:
        """Whether its AM runs; where it does not, whether the job is over is found out."""
        if self._has_am(run):
            return True
        self._look_again(run)
        return False

    def _look_again(self, run: JobRun) -> None:
        """Its AM is gone: it is over, or the RM will start the next attempt, or does not know yet."""
        if run.is_over:
            return
        if self._rm.is_app_over(run.master.application_id):
            self._outcome.failed += 1
            self._over(run)
            return
        self._set_owed(run, 1)  # the AM of the next attempt
        dead = run.am
        moment_ms = self._rm.clock.now_ms() + self._site.am_interval_ms
        self._kernel.at(
            moment_ms,
            lambda: self._look_again(run) if run.am is dead else None,
            THEN_MASTERS,
            run.order,
        )

    def _tick(self, run: JobRun, attempt_id: ApplicationAttemptId) -> None:
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

    def _tick_later(self, run: JobRun, attempt_id: ApplicationAttemptId, *, is_quiet: bool) -> None:
        """After a call in which nobody said anything the next ones are left out until something happens."""
        now_ms, interval = self._rm.clock.now_ms(), self._site.am_interval_ms
        due_ms: int | None = now_ms + interval
        if is_quiet and not self._site.every_heartbeat:
            due_ms = run.master.next_due_ms(self._moment_of(run))
            if due_ms is not None:
                due_ms = max(now_ms + interval, due_ms + (run.begun_ms - due_ms) % interval)
        if due_ms is not None:
            self._tick_at(run, attempt_id, due_ms)

    def _moment_of(self, run: JobRun) -> Moment:
        return Moment(self._rm.clock.now_ms(), run.begun_ms, run.headroom_mb)

    def _take_in(self, run: JobRun) -> None:
        answer, now_ms = run.answer, self._rm.clock.now_ms()
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
            node = self.fleet.node(container.node_id)
            running = master.take(container, node.node_id, node.rack, now_ms)
            if running is not None and node.is_live:
                self._start(run, running, node)

    def _start(self, run: JobRun, running: Running, node: WorkloadNode) -> None:
        container, task, now_ms = running.container, running.batch.task, self._rm.clock.now_ms()
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
        self.fleet.end_at(self.fleet.node(running.node_id), running.container.id, end_ms)

    def _caller_of(self, attempt_id: ApplicationAttemptId) -> Callable[[AllocateRequest], AllocateResponse]:
        caller = Caller(attempt_id=attempt_id)
        return lambda request: self._rm.call(self._rm.core.master.allocate, request, caller)

    def _finish(self, run: JobRun, attempt_id: ApplicationAttemptId) -> None:
        self._outcome.finished += 1
        self._unregister(run, attempt_id, FinalApplicationStatus.SUCCEEDED, "")

    def _give_up(self, run: JobRun, attempt_id: ApplicationAttemptId, why: str) -> None:
        """The RM refuses what the AM asks for: the job fails."""
        if self._rm.is_app_over(run.master.application_id) or run.am is None:
            self._look_again(run)
            return
        self._outcome.failed += 1
        self._outcome.tell_refusal(run.master.job, why)
        self._unregister(run, attempt_id, FinalApplicationStatus.FAILED, why)

    def _unregister(
        self, run: JobRun, attempt_id: ApplicationAttemptId, status: FinalApplicationStatus, why: str
    ) -> None:
        request = FinishApplicationMasterRequest(
            final_application_status=status, diagnostics=why, tracking_url=""
        )
        caller = Caller(attempt_id=attempt_id)
        while not self._rm.call(
            self._rm.core.master.finish_application_master, request, caller
        ).is_unregistered:
            pass
        assert run.am is not None
        if self._site.am_end_ms:
            moment_ms = self._rm.clock.now_ms() + self._site.am_end_ms
            self._kernel.at(moment_ms, partial(self._end_master, run.am), THEN_MASTERS, run.order)
        else:
            self._end_master(run.am)
        self._over(run, "FINISHED" if status is FinalApplicationStatus.SUCCEEDED else "FAILED", why)

    def _end_master(self, am: _RunningAM) -> None:
        if am.node.end(am.container_id, 0):
            self.fleet.tell_end(am.node)

    def _over(self, run: JobRun, state: str | None = None, why: str = "") -> None:
        run.is_over = True
        self._set_owed(run, 0)
        run.master.begin()
        self._timing.forget(run.master.job.job_id)
        application_id = run.master.application_id
        del self._runs[application_id]
        self._tell_end(run.master.job)
        if not self._watchers:
            return
        if state is None:
            app = self._rm.context.apps.get(application_id)
            state = "FAILED" if app is None else app.state.name
            why = self._rm.application_report(application_id, run.master.job.user).diagnostics
        for watcher in self._watchers:
            watcher.over(application_id, state, why, self._rm.clock.now_ms())
