"""Jobs with a deadline reserve in their plan queue, and run in the reservation once it is active.

A reservation asks for all maps at once and then for all reduces at once, each for the time of the longest
one, from the submission of the job to its deadline. Hadoop: MRAMSimulator.initReservation and
ReservationClientUtil.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.plan_queues import HasPlanQueues
from yarnbox.rm.services.caller import Caller
from yarnbox.sim.load.jobs import MAPREDUCE, Job
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.yarn.enums import ReservationRequestInterpreter
from yarnbox.yarn.ids import ReservationId
from yarnbox.yarn.records.client import ReservationSubmissionRequest
from yarnbox.yarn.records.reservation import ReservationDefinition, ReservationRequest, ReservationRequests
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max


class Reserving:
    """Reserves for the jobs of one play."""

    def __init__(self, rm: SimulatedRM) -> None:
        self._rm = rm

    @property
    def ready_ms(self) -> int:
        """When plans know the size of the cluster: at the first step after its nodes have joined."""
        return self._rm.context.settings.reservation_step_ms

    def plan_of(self, job: Job) -> str | None:
        """The plan queue in which the job has to reserve; None where it just runs."""
        if job.deadline_ms is None or job.model != MAPREDUCE:
            return None
        scheduler = self._rm.context.scheduler
        if self._rm.core.client.reservations is None or not isinstance(scheduler, HasPlanQueues):
            return None
        return scheduler.plan_queues.path_of_plan(job.queue)

    def reserve(self, job: Job) -> ReservationId:
        """Reserves; YarnError where the ResourceManager refuses."""
        caller = Caller(user=job.user)
        reservation_id = self._rm.new_reservation_id(job.user)
        request = ReservationSubmissionRequest(
            queue=job.queue,
            reservation_definition=definition_of(job, self._rm.clock.now_ms()),
            reservation_id=reservation_id,
        )
        self._rm.call(self._rm.core.client.submit_reservation, request, caller)
        return reservation_id

    def is_active(self, plan: str, reservation_id: ReservationId) -> bool:
        """Whether the reservation has its queue, so that an application can be submitted to it."""
        scheduler = self._rm.context.scheduler
        assert isinstance(scheduler, HasPlanQueues)
        names = (name.rpartition(".")[2] for name in scheduler.plan_queues.reservation_queues(plan))
        return str(reservation_id) in names


def definition_of(job: Job, now_ms: int) -> ReservationDefinition:
    """What the job reserves."""
    stages: dict[str, tuple[Resource, int, int]] = {}
    for task in job.tasks:
        size, count, longest_ms = stages.get(task.stage, (NONE, 0, 0))
        stages[task.stage] = (
            componentwise_max(size, task.resource),
            count + task.count,
            max(longest_ms, task.duration_ms),
        )
    return ReservationDefinition(
        arrival=now_ms,
        deadline=job.deadline_ms,
        reservation_name=job.name or job.job_id,
        reservation_requests=ReservationRequests(
            interpreter=ReservationRequestInterpreter.ORDER_NO_GAP,
            reservation_resources=tuple(
                ReservationRequest(
                    capability=size, num_containers=count, concurrency=count, duration=longest_ms
                )
                for _, (size, count, longest_ms) in sorted(stages.items())
            ),
        ),
    )
