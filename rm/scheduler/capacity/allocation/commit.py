"""Checks a proposal once more and books it.

Hadoop: CapacityScheduler.tryCommit, FiCaSchedulerApp.accept and apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.asks import Locality
from yarnbox.rm.scheduler.capacity.allocation.assignment import Assignment, Kind
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.yarn.resources.resource import NONE, Resource, total

if TYPE_CHECKING:
    from yarnbox.rm.asks import RequestKey
    from yarnbox.rm.container import SchedulerNode


class Commit:
    """The checks of the commit, against the books as they are now; they compare sizes in another way than the
    allocator.
    """

    def __init__(self, context: QueueContext, completion: Completion[CapacityAttempt]) -> None:
        self._context = context
        self._completion = completion

    def commit(self, assignment: Assignment) -> bool:
        """Books a proposal; False when it is rejected."""
        attempt, node, key = assignment.attempt, assignment.node, assignment.key
        assert attempt is not None
        assert node is not None
        reserved = assignment.from_reserved
        if assignment.kind is Kind.DROP:
            assert reserved is not None
            self._completion.unreserve(reserved)
            return True
        assert key is not None
        if not self._is_acceptable(assignment, attempt, node):
            self._context.rm.health.refused += 1
            return False
        if assignment.unreserved is not None:
            self._completion.unreserve(assignment.unreserved)
        for victim in assignment.kills:
            whom = f"{attempt.application_id} in queue {attempt.queue.path}"
            self._completion.kill_to_preempt(victim, victim.preemption_mark(whom, self._context.rm.now_ms))
        if assignment.kind is not Kind.ALLOCATE:
            attempt.reserve(node, key, assignment.resource, reserved)
        elif reserved is not None:
            attempt.fulfil(node, key, assignment.locality, assignment.resource, reserved)
        else:
            attempt.allocate(node, key, assignment.locality, assignment.resource)
        return True

    def accepts_directly(
        self, attempt: CapacityAttempt, node: SchedulerNode, key: RequestKey, resource: Resource
    ) -> bool:
        """Whether limits and the node's free resources allow a container that the placement processor has
        placed.
        """
        health = self._context.rm.health
        proposal = Assignment(Kind.ALLOCATE)
        proposal.attempt, proposal.node, proposal.key = attempt, node, key
        proposal.resource, proposal.locality = resource, Locality.NODE_LOCAL
        proposal.is_placed_before = True
        if not self._is_acceptable(proposal, attempt, node):
            health.refused += 1
            return False
        return True

    def _is_acceptable(self, assignment: Assignment, attempt: CapacityAttempt, node: SchedulerNode) -> bool:
        context = self._context
        if context.tracker.nodes.get(node.node_id) is not node or not context.is_running(node):
            return False  # see tests/scenarios/queues/multi-node-takes-back-a-node.yaml
        if attempt.has_constraints and not self._meets_constraint(assignment, attempt, node):
            return False
        if assignment.from_reserved is not None:
            return True
        if assignment.kind is Kind.ALLOCATE and not assignment.kills:
            # In every type, not only in those that are asked for.
            if not context.calculator.fits_in(assignment.resource, node.available):
                return False
        if node.reserved_container is not None:
            return False
        leaf: LeafQueue = attempt.application.queue
        partition, required = node.partition, assignment.resource
        if assignment.is_placed_before:
            if not leaf.find_user_of(attempt):
                return False
            leaf.mark_reached(attempt, partition)
        if assignment.unreserved is not None or assignment.is_placed_before:
            # Otherwise the user's use is what the pass has found within the limit just now.
            given_up = NONE if assignment.unreserved is None else assignment.unreserved.resource
            user = attempt.queue_user
            limit = leaf.users.limit_of(user, partition, ignores_exclusivity=assignment.ignores_exclusivity)
            used: Resource = user.usage.used(partition) - given_up
            if context.calculator.compare(context.cluster, used, limit) > 0:
                return False
            required = required - given_up
        if assignment.kills:
            required = required - total(victim.resource for victim in assignment.kills)
        return leaf.accepts(assignment, partition, required)

    def _meets_constraint(
        self, assignment: Assignment, attempt: CapacityAttempt, node: SchedulerNode
    ) -> bool:
        """Checks the constraint again: other containers may have been allocated on a reserved node since."""
        asks = attempt.asks.key_asks(assignment.key) if assignment.key is not None else None
        constrained = asks.constrained if asks is not None else None
        is_given = assignment.kind is Kind.ALLOCATE and not assignment.is_placed_before
        if constrained is None or not is_given:
            return True
        return self._context.rm.constraints.admits(attempt.application_id, constrained, node)
