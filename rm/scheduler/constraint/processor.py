"""Requests with constraints, placed before the scheduler sees them and committed to it one by one.

What an AM's call brings is placed after the call's answer; the AM's next call lets the scheduler commit it,
again after the answer; and the one after that delivers. What found no node, or what the scheduler refused,
is tried again by later calls and returned to the AM when it was tried often enough. Hadoop does the same with
two pools of threads, whose sizes mean nothing here. Hadoop: PlacementConstraintProcessor and
PlacementDispatcher.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from yarnbox.rm.events.scheduler import PlacementDue
from yarnbox.rm.scheduler.constraint.algorithm import Batch, PlacementAlgorithm
from yarnbox.rm.scheduler.constraint.asking import normalized, number_of, with_number
from yarnbox.rm.scheduler.constraint.context import ConstraintContext
from yarnbox.yarn.enums import RejectionReason
from yarnbox.yarn.errors import SchedulerInvalidResourceRequestError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.request import RejectedSchedulingRequest, SchedulingRequest

if TYPE_CHECKING:
    from yarnbox.rm.container import SchedulerNode

COULD_NOT_PLACE = RejectionReason.COULD_NOT_PLACE_ON_NODE
COULD_NOT_SCHEDULE = RejectionReason.COULD_NOT_SCHEDULE_ON_NODE


class Proposal(NamedTuple):
    """One container on one node."""

    request: SchedulingRequest
    node: SchedulerNode
    attempt: int


class PendingRequests:
    """One application's requests that have no containers yet."""

    __slots__ = ("batches", "given_up", "placed", "proposals", "retries", "unplaced")

    def __init__(self) -> None:
        self.batches: list[Batch] = []
        """To be placed after this call."""
        self.placed: list[Proposal] = []
        """To be proposed by the next call."""
        self.proposals: list[Proposal] = []
        """To be committed after this call."""
        self.unplaced: list[tuple[SchedulingRequest, int]] = []
        """Without a node, with the attempt; judged by the next call."""
        self.retries: list[Batch] = []
        """To be placed once more, by the next call."""
        self.given_up: list[SchedulingRequest] = []
        """Refused by the scheduler for the last time."""

    def requests(self) -> Iterable[tuple[SchedulingRequest, int]]:
        """Everything that has no container yet, and the attempt that it is at."""
        for batch in (*self.batches, *self.retries):
            for request in batch.requests:
                yield request, batch.attempt
        for proposal in (*self.placed, *self.proposals):
            yield proposal.request, proposal.attempt
        yield from self.unplaced


class PlacementProcessor:
    """Places requests, commits them, retries, and rejects."""

    def __init__(self, context: ConstraintContext, algorithm: PlacementAlgorithm, attempts: int) -> None:
        self._context = context
        self._algorithm = algorithm
        self.attempts = attempts
        """So often a request is tried in all."""
        self._waiting: dict[ApplicationId, PendingRequests] = {}

    # An AM's call, before its answer

    def take(self, attempt_id: ApplicationAttemptId, requests: Iterable[SchedulingRequest]) -> None:
        """Takes what the call asks, and moves what earlier calls asked a step on."""
        application_id = attempt_id.application_id
        asked = [self._checked(application_id, request) for request in requests]
        waiting = self._waiting.get(application_id)
        if waiting is None:
            if not asked:
                return
            waiting = self._waiting[application_id] = PendingRequests()
        if asked:
            waiting.batches.append(Batch(application_id, asked))
        waiting.batches += waiting.retries
        waiting.retries = []
        waiting.proposals += waiting.placed
        waiting.placed = []
        if waiting.batches or waiting.proposals:
            self._context.post(PlacementDue(attempt_id=attempt_id))

    def _checked(self, application_id: ApplicationId, request: SchedulingRequest) -> SchedulingRequest:
        if request.resource_sizing is None or request.resource_sizing.resources is None:
            raise SchedulerInvalidResourceRequestError(
                f"AppId={application_id}: No ResourceSizing found in the scheduling request, please double "
                "check"
            )
        scheduler = self._context.scheduler
        application = scheduler.applications.get(application_id)
        queue = str(application.queue) if application is not None else None
        return normalized(request, scheduler, queue)

    def rejected(self, application_id: ApplicationId) -> tuple[RejectedSchedulingRequest, ...]:
        """What the call's answer returns; what may be tried again is not among it."""
        waiting = self._waiting.get(application_id)
        if waiting is None:
            return ()
        # Hadoop puts what it adds later in front.
        given_up, waiting.given_up = waiting.given_up, []
        found = [RejectedSchedulingRequest(reason=COULD_NOT_SCHEDULE, request=one) for one in given_up]
        unplaced, waiting.unplaced = waiting.unplaced, []
        for request, attempt in unplaced:
            if attempt < self.attempts:
                self._retry(application_id, waiting, request, attempt, None)
            else:
                found.append(RejectedSchedulingRequest(reason=COULD_NOT_PLACE, request=request))
        for one in found:
            self._tell(application_id, one.request, "rejected", one.reason.name)
            self._context.log(
                "warning",
                "scheduling request rejected",
                application=application_id,
                tags=",".join(one.request.allocation_tags),
                containers=number_of(one.request),
                reason=one.reason.name,
            )
        return tuple(found)

    # After the answer

    def handle(self, event: PlacementDue) -> None:
        """Commits what was placed before, then places what is new."""
        application_id = event.attempt_id.application_id
        waiting = self._waiting.get(application_id)
        if waiting is None:
            return
        proposals, waiting.proposals = waiting.proposals, []
        for proposal in proposals:
            self._commit(event.attempt_id, waiting, proposal)
        batches, waiting.batches = waiting.batches, []
        for batch in batches:
            self._place(waiting, batch)

    def _place(self, waiting: PendingRequests, batch: Batch) -> None:
        nodes = list(self._context.scheduler.tracker.nodes.values())
        outcome = self._algorithm.place(batch, nodes)
        for placed in outcome.placed:
            one = with_number(placed.request, 1)
            waiting.placed += [Proposal(one, node, batch.attempt) for node in placed.nodes]
        waiting.unplaced += [(request, batch.attempt) for request in outcome.rejected]

    def _commit(self, attempt_id: ApplicationAttemptId, waiting: PendingRequests, proposal: Proposal) -> None:
        request, node, attempt = proposal
        application_id = attempt_id.application_id
        if self._context.scheduler.allocate_directly(attempt_id, request, node):
            return
        self._tell(application_id, request, "refused", f"attempt {attempt} on {node.node_id}")
        if attempt < self.attempts:
            self._retry(application_id, waiting, request, attempt, node)
        else:
            waiting.given_up.append(request)

    def _retry(
        self,
        application_id: ApplicationId,
        waiting: PendingRequests,
        request: SchedulingRequest,
        attempt: int,
        node: SchedulerNode | None,
    ) -> None:
        batch = next((one for one in waiting.retries if one.attempt == attempt + 1), None)
        if batch is None:
            batch = Batch(application_id, (), attempt + 1)
            waiting.retries.append(batch)
        batch.requests.append(request)
        if node is not None:
            batch.blacklist(request, node.node_id)

    def _tell(self, application_id: ApplicationId, request: SchedulingRequest, what: str, why: str) -> None:
        tags = ",".join(request.allocation_tags)
        self._context.tell("SchedulingRequest", application_id, f"{what} {tags}({number_of(request)})", why)

    # What others ask

    def waiting(self, application_id: ApplicationId) -> list[tuple[SchedulingRequest, int]]:
        """The application's requests that have no container yet, and the attempt that each is at."""
        found = self._waiting.get(application_id)
        return list(found.requests()) if found is not None else []

    def forget(self, application_id: ApplicationId) -> None:
        """The application has gone."""
        self._waiting.pop(application_id, None)
