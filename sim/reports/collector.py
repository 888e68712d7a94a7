"""Listens to a play and collects what its results are made of.

Per job a row; per queue, partition and node sums over time. Samples of queues become fewer as a run grows
longer, and rows of jobs that ended go to a file, so that memory is bounded by the jobs that live.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from sys import intern
from typing import NamedTuple

from yarnbox.rm.booking import RESERVED, UNRESERVED, Booking
from yarnbox.rm.scheduler.views import guarantee_of
from yarnbox.rm.web import past
from yarnbox.sim.load.jobs import DAG, SERVICE, STREAM, Job
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.recording.limits import MOST_MOMENTS
from yarnbox.sim.recording.sharing import between_applications, between_queues
from yarnbox.sim.reports.result import (
    FINISHED,
    REFUSED,
    Evenness,
    JobResult,
    NodeResult,
    PartitionResult,
    QueueResult,
    Sample,
)
from yarnbox.sim.reports.rows import JobRows
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.workload.master import Running
from yarnbox.sim.workload.requests import NODE, OFF, RACK
from yarnbox.sim.workload.site import Site
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.resources.resource import NONE, Resource

_PREEMPTED = -102
_LOCALITY = {NODE: "node_local", RACK: "rack_local", OFF: "off_switch"}


class _Use:
    """An amount that changes, and its integral over time."""

    __slots__ = ("amount", "containers", "mb_ms", "since_ms", "vcore_ms")

    def __init__(self) -> None:
        self.amount: Resource = NONE
        self.containers = 0
        self.since_ms = self.mb_ms = self.vcore_ms = 0

    def add(self, delta: Resource, now_ms: int) -> None:
        self.pass_to(now_ms)
        self.amount = self.amount + delta
        self.containers += -1 if delta.is_negative() else 1

    def pass_to(self, now_ms: int) -> None:
        span_ms = now_ms - self.since_ms
        self.mb_ms += self.amount.memory_mb * span_ms
        self.vcore_ms += self.amount.vcores * span_ms
        self.since_ms = now_ms


class _NodeUse:
    __slots__ = ("busy_ms", "containers", "rack")

    def __init__(self, rack: str) -> None:
        self.rack, self.containers, self.busy_ms = rack, 0, 0


class _Moment(NamedTuple):
    time_ms: int
    queues: dict[str, tuple[Resource, int, int]]
    """What each uses, its containers, and what it asks for in MB."""
    between_queues: float | None
    between_applications: float | None


TaskRow = Callable[[str, ContainerId, Running, int, int], None]


class Collector(Watcher):
    """One play."""

    def __init__(
        self, site: Site, rm: SimulatedRM, on_task: TaskRow | None = None, *, samples: bool = True
    ) -> None:
        """It listens to the ResourceManager's bookings. `on_task` is told of each task's container that has
        ended: job, id, task, status, moment. Without samples nothing is known of queues over time, and a play
        of many queues is shorter.
        """
        self._has_samples = samples
        self._alone = Alone(site)
        self._on_task = on_task
        self.jobs = JobRows()
        self._living: dict[ApplicationId, JobResult] = {}
        self._nodes: dict[str, _NodeUse] = {spec.host: _NodeUse(spec.rack) for spec in site.specs()}
        self._queues: dict[str, _Use] = {}
        self._partitions: dict[str, _Use] = {}
        self._totals: dict[str, _Use] = {}
        self._samples: list[_Moment] = []
        self._asked, self._stride = 0, 1
        self._rm = rm
        rm.context.bookings.append(self._note)

    def _note(self, booking: Booking) -> None:
        if booking.type in (RESERVED, UNRESERVED):
            return
        now_ms = self._rm.clock.now_ms()
        for uses, name in ((self._queues, booking.queue), (self._partitions, booking.partition)):
            use = uses.get(name)
            if use is None:
                use = uses[name] = _Use()
            use.add(booking.resource, now_ms)

    # ---- jobs

    def submitted(self, application_id: ApplicationId, job: Job, now_ms: int) -> None:
        row = self._living[application_id] = self._row(application_id, job, now_ms)
        app = self._rm.context.apps.get(application_id)
        if app is not None:
            row.queue = app.queue

    def _row(self, application_id: ApplicationId, job: Job, now_ms: int) -> JobResult:
        row = JobResult(
            job=job.job_id,
            application=str(application_id),
            queue=intern(job.queue),  # each name once, however many jobs a file gives it to
            user=intern(job.user),
            type=intern(job.type),
            fidelity=intern(job.fidelity),
            tasks=job.task_count,
            submitted_ms=now_ms,
            traced_start_ms=job.submit_ms,
            traced_end_ms=job.end_ms,
            alone_ms=self._alone.time_ms(job),
        )
        self.jobs.add(row)
        return row

    def refused(self, application_id: ApplicationId, job: Job, why: str, now_ms: int) -> None:
        """It never ran."""
        row = self._living.pop(application_id, None) or self._row(application_id, job, now_ms)
        row.state, row.why = REFUSED, why
        self.jobs.close(row)

    def am_started(self, application_id: ApplicationId, now_ms: int) -> None:
        """The first AM ends the wait for it."""
        row = self._living[application_id]
        row.attempts += 1
        if row.am_wait_ms is None:
            row.am_wait_ms = now_ms - row.submitted_ms

    def task_started(
        self, application_id: ApplicationId, running: Running, node: SimNode, now_ms: int
    ) -> None:
        """The first task ends the wait for it."""
        row = self._living[application_id]
        row.containers += 1
        if row.wait_ms is None:
            row.wait_ms = now_ms - row.submitted_ms
        name = _LOCALITY.get(running.locality)
        if name is not None:
            setattr(row, name, getattr(row, name) + 1)
        self._nodes[node.node_id.host].containers += 1

    def task_ended(
        self,
        application_id: ApplicationId,
        container_id: ContainerId,
        running: Running,
        status: int,
        now_ms: int,
    ) -> None:
        """What it had done counts, or is lost."""
        row = self._living[application_id]
        span_ms = now_ms - running.started_ms
        if status != 0:
            row.lost_ms += span_ms
            row.preempted += status == _PREEMPTED
        self._nodes[running.node_id.host].busy_ms += span_ms
        if self._on_task is not None:
            self._on_task(row.job, container_id, running, status, now_ms)

    def over(self, application_id: ApplicationId, state: str, why: str, now_ms: int) -> None:
        row = self._living.pop(application_id)
        row.state, row.ended_ms = state, now_ms
        row.why = "" if state == FINISHED else why
        self.jobs.close(row)

    # ---- over time

    def moment(self, now_ms: int) -> None:
        """Totals of partitions, and now and then a sample of queues."""
        tracker = self._rm.context.scheduler.tracker
        for name in ("", *self._partitions):
            use = self._totals.get(name)
            if use is None:
                use = self._totals[name] = _Use()
            total = tracker.partition_total(name)
            if total is not use.amount:
                use.pass_to(now_ms)
                use.amount = total
        self._asked += 1
        if self._asked % self._stride or not self._has_samples:
            return
        context = self._rm.context
        views = list(past.queues(context))
        pending = {
            view.path: view.partitions[""].pending for view in views if view.is_leaf and "" in view.partitions
        }
        self._samples.append(
            _Moment(
                now_ms,
                {
                    name: (use.amount, use.containers, pending.get(name, NONE).memory_mb)
                    for name, use in self._queues.items()
                },
                between_queues(context, views),
                between_applications(context),
            )
        )
        if len(self._samples) > MOST_MOMENTS:
            self._samples = self._samples[::2]
            self._stride *= 2

    def running_jobs(self) -> int:
        """How many have an AM and have not ended."""
        return sum(row.attempts > 0 for row in self._living.values())

    def used(self) -> Mapping[str, tuple[Resource, int]]:
        """What each queue uses now, and its containers."""
        return {name: (use.amount, use.containers) for name, use in self._queues.items()}

    # ---- the end

    def queues(self, end_ms: int) -> list[QueueResult]:
        """The leaf queues, in the order of their first containers."""
        scheduler = self._rm.context.scheduler
        total = scheduler.tracker.partition_total("")
        found = []
        for name, use in self._queues.items():
            use.pass_to(end_ms)
            view = scheduler.views.queue_view(name)
            guarantee = guarantee_of(view, total)
            if view is not None and view.steady_fair_share is not None:
                guarantee = view.steady_fair_share
            mean = round(use.mb_ms / end_ms, 3) if end_ms else 0.0
            found.append(
                QueueResult(
                    queue=name,
                    guarantee_mb=guarantee.memory_mb,
                    mean_used_mb=mean,
                    guarantee_used=round(mean / guarantee.memory_mb, 4) if guarantee.memory_mb else None,
                )
            )
        return found

    def partitions(self, end_ms: int) -> list[PartitionResult]:
        """The partitions that were used."""
        found = []
        for name, use in self._partitions.items():
            use.pass_to(end_ms)
            total = self._totals.get(name, _Use())
            total.pass_to(end_ms)
            found.append(
                PartitionResult(
                    partition=name,
                    memory=round(use.mb_ms / total.mb_ms, 4) if total.mb_ms else None,
                    vcores=round(use.vcore_ms / total.vcore_ms, 4) if total.vcore_ms else None,
                )
            )
        return found

    def nodes(self) -> list[NodeResult]:
        return [
            NodeResult(node=host, rack=use.rack, containers=use.containers, busy_ms=use.busy_ms)
            for host, use in self._nodes.items()
        ]

    def samples(self) -> list[Sample]:
        """What each queue used, moment by moment."""
        return [
            Sample(
                time_ms=one.time_ms,
                queue=name,
                used_mb=amount.memory_mb,
                used_vcores=amount.vcores,
                containers=containers,
                pending_mb=pending_mb,
            )
            for one in self._samples
            for name, (amount, containers, pending_mb) in one.queues.items()
        ]

    def fairness(self) -> list[Evenness]:
        """How evenly the cluster was shared, moment by moment."""
        return [
            Evenness(time_ms=one.time_ms, queues=one.between_queues, applications=one.between_applications)
            for one in self._samples
        ]


class Alone:
    """How long a job takes at least on the empty cluster: its stages one after the other, each as long as its
    longest task or as all of its work on all the places that the cluster has for such tasks.
    """

    def __init__(self, site: Site) -> None:
        self._start_ms = site.am_interval_ms + site.nm_interval_ms
        self._sizes = [spec.resource or site.node_resource for spec in site.specs()]
        self._slots: dict[Resource, int] = {}

    def time_ms(self, job: Job) -> int:
        """From submission to end."""
        if job.model in (STREAM, SERVICE) and job.end_ms > job.submit_ms:
            return job.end_ms - job.submit_ms
        work: dict[str, int] = {}
        longest: dict[str, int] = {}
        for task in job.tasks:
            one_ms = task.duration_ms + sum(task.failures_ms)
            slots = self._slots_of(task.resource)
            work[task.stage] = work.get(task.stage, 0) + -(-one_ms * task.count // slots)
            longest[task.stage] = max(longest.get(task.stage, 0), one_ms + task.delay_ms)
        stages = {stage: max(work[stage], longest[stage]) for stage in work}
        if job.model != DAG:
            return self._start_ms + sum(stages.values())
        ends: dict[str, int] = {}
        while len(ends) < len(stages):
            for stage, span_ms in stages.items():
                earlier = job.after.get(stage, ())
                if stage not in ends and all(name in ends for name in earlier):
                    ends[stage] = span_ms + max((ends[name] for name in earlier), default=0)
        return self._start_ms + max(ends.values())

    def _slots_of(self, size: Resource) -> int:
        slots = self._slots.get(size)
        if slots is None:
            slots = sum(
                min((has.value(name) // amount for name, amount in size.items() if amount), default=1)
                for has in self._sizes
            )
            slots = self._slots[size] = max(slots, 1)
        return slots
