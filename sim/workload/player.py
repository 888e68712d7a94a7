"""A workload played in virtual time: jobs are submitted, and the play goes on until all of them have ended.

The player knows when jobs come and when nothing happens any more; `running` has the AMs of those that were
submitted, `fleet` the nodes. Hadoop: SLSRunner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from yarnbox.rm.booking import Booking
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.kernel import Kernel
from yarnbox.sim.load.formats import Load
from yarnbox.sim.load.jobs import InvalidTraceError, Job, Nodes
from yarnbox.sim.recording.recorder import RunRecorder, Title
from yarnbox.sim.recording.shape import WrittenData
from yarnbox.sim.resourcemanager import ADMINISTRATOR, SimulatedRM
from yarnbox.sim.workload.arrivals import Arrival, Arrivals, AsTraced
from yarnbox.sim.workload.fleet import (
    THE_WORLD,
    THEN_JOBS,
    THEN_SAMPLES,
)
from yarnbox.sim.workload.reserving import Reserving
from yarnbox.sim.workload.running import JobRun, RunningJobs, WorkloadOutcome
from yarnbox.sim.workload.site import NodeLoss, Site, deaths
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId, NodeId, ReservationId
from yarnbox.yarn.records.admin import AddToClusterNodeLabelsRequest, ReplaceLabelsOnNodeRequest
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.client import SubmitApplicationRequest
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.node import NodeIdToLabels, NodeLabel
from yarnbox.yarn.records.request import ResourceRequest

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
        self._site, self._watchers = site, list(watchers)
        self.rm = self.start_rm(files, {**self._load.groups, **(groups or {})}, yarn_files)
        self.kernel = Kernel(self.rm.clock)
        self.kernel.join(self.rm)
        self._arrivals: Arrivals = arrivals or AsTraced(self._load.jobs())
        self._coming = 0
        """Jobs of which it is known when they will be submitted."""
        self._reserving = Reserving(self.rm)
        self._left = self._load.count
        self._outcome = WorkloadOutcome(0, self._load.count, 0)
        self._running = RunningJobs(
            self.rm, self.kernel, site, self._watchers, self._outcome, self._job_has_ended
        )
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
        self._watchers.append(watcher)

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
            and not self._running.fleet.has_running_tasks
            and not self._running.will_act
        )
        patient_ms = self._changed_ms + PATIENCE_MS - now_ms  # so long there is nothing to find out
        wait_ms = LOOK_MS * max(1, -(-patient_ms // LOOK_MS))
        self.kernel.at(now_ms + wait_ms, self._check_progress, THEN_SAMPLES)

    def _still_there(self) -> None:
        """The RM hears of all nodes and AMs that live: it takes for lost who is silent for too long."""
        self._running.still_there()
        now_ms, settings = self.rm.clock.now_ms(), self.rm.context.settings
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
        self._outcome.absent_nodes.extend(self._running.fleet.join())
        if not self._running.fleet.has_live_nodes:
            raise InvalidTraceError(f"there is no node in the cluster: {self._outcome.absent_nodes[0]}")
        self.rm.context.bookings.append(self._note)
        for loss in self._site.node_losses:
            self.kernel.at(loss.at_ms, partial(self._running.fleet.lose, loss), THE_WORLD)
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
                self._running.fleet.lose(loss)
                self._die_next(deaths_of_node)

            self.kernel.at(loss.at_ms, die, THE_WORLD)

    def _label(self, known: Nodes) -> None:
        """The administrator adds the labels and gives them to the hosts."""
        if not known.exclusive:
            return
        labels = tuple(NodeLabel(name=name, is_exclusive=flag) for name, flag in known.exclusive.items())
        adding = AddToClusterNodeLabelsRequest(node_labels=labels)
        self.rm.call(self.rm.core.admin.add_to_cluster_node_labels, adding, _ADMIN)
        hosts = tuple(
            NodeIdToLabels(node_id=NodeId(spec.host, _EVERY_NODE_OF_HOST), node_labels=spec.labels[:1])
            for spec in known.nodes
            if spec.labels
        )
        replacing = ReplaceLabelsOnNodeRequest(node_to_labels=hosts, fail_on_unknown_nodes=False)
        self.rm.call(self.rm.core.admin.replace_labels_on_nodes, replacing, _ADMIN)

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
            self._refuse(self._running.begin(job), refusal.message)
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
            self._refuse(self._running.begin(job), why)
        else:
            self._changed_ms = now_ms
            again = partial(self._submit_when_active, job, asked_ms, plan, reservation_id)
            self.kernel.at(now_ms + self._site.am_interval_ms, again, THEN_JOBS)

    def _submit(self, job: Job, asked_ms: int, reservation_id: ReservationId | None = None) -> None:
        """`asked_ms` is when its user wanted it to run."""
        run = self._running.begin(job)
        application_id = run.master.application_id
        context = _submission(application_id, job, reservation_id)
        request = SubmitApplicationRequest(application_submission_context=context)
        try:
            self.rm.call(self.rm.core.client.submit_application, request, Caller(user=job.user))
        except YarnError as refusal:
            self._refuse(run, refusal.message)
            return
        for watcher in self._watchers:
            watcher.submitted(application_id, job, asked_ms)
        if self.rm.is_app_over(application_id):
            self._refuse(run, self.rm.application_report(application_id, job.user).diagnostics or "refused")
            return
        self._running.wait_for_master(run)

    def _refuse(self, run: JobRun, why: str) -> None:
        job = run.master.job
        self._outcome.refused_count += 1
        self._outcome.tell_refusal(job, why)
        self._running.drop(run)
        for watcher in self._watchers:
            watcher.refused(run.master.application_id, job, why, self.rm.clock.now_ms())
        self._job_has_ended(job)

    def _job_has_ended(self, job: Job) -> None:
        self._left -= 1
        self._expect(self._arrivals.ended(job, self.rm.clock.now_ms()))

    def _note(self, booking: Booking) -> None:
        self._changed_ms = self.rm.clock.now_ms()
        self._running.note(booking)


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
