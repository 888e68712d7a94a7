"""How a container ends, whatever the cause: its state, then every book that it stands in.

Hadoop: AbstractYarnScheduler.completedContainer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.events.container import ContainerEvent, ContainerFinished, ContainerKill, ContainerReleased
from yarnbox.rm.events.scheduler import PreemptionMark, SchedulerContainerPreempted
from yarnbox.rm.scheduler.application import Attempt, log_preemption
from yarnbox.rm.scheduler.containers.statuses import UNRESERVED_CONTAINER, aborted, preempted
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.records.container import ContainerStatus

A = TypeVar("A", bound=Attempt)


class Completion(Generic[A]):
    """Ends containers of the register's applications. The first end of a container wins."""

    def __init__(
        self,
        context: SchedulerContext,
        register: Register[A],
        on_completed: Callable[[RMContainer, A, ContainerStatus], None],
        on_unreserved: Callable[[RMContainer, A], None],
    ) -> None:
        self._context = context
        self._register = register
        self._on_completed = on_completed
        self._on_unreserved = on_unreserved

    def complete(self, container: RMContainer, status: ContainerStatus, event: ContainerEvent) -> None:
        """Lets the container end with that status; `event` is what its state machine is told."""
        attempt = self._register.attempt(container.attempt_id)
        if container.is_finished and not _is_held(container, attempt):
            return
        if container.state is RMContainerState.RESERVED:
            container.fire(event)
            if attempt is not None:
                attempt.unreserve(container)
                self._on_unreserved(container, attempt)
            return
        lowered = container.lowered
        container.fire(event)
        if attempt is not None:
            attempt.complete(container)
            if lowered:
                # Its AM never heard of it, so nobody else would ask again.
                attempt.asks.give_back(container.key, lowered)
                container.lowered = ()
        is_reported = isinstance(event, ContainerFinished)
        container.node.release(container.container_id, is_reported_by_node=is_reported)
        if container.execution_type is ExecutionType.GUARANTEED:  # no queue has counted the others
            self._context.health.record_end(container, status.exit_status)
        if attempt is not None:
            self._on_completed(container, attempt, status)

    def preempt(self, container: RMContainer, mark: PreemptionMark | None = None) -> None:
        """Preempts a container. For whom is said by its own mark, else by the one given."""
        attempt = self._register.attempt(container.attempt_id)
        if container.is_finished and not _is_held(container, attempt):
            return
        own = attempt.marked_for_preemption.get(container.container_id) if attempt is not None else None
        mark = own or mark or container.preemption_mark()
        container.preempted_for = mark.for_whom
        status = preempted(container.container_id)
        self.complete(container, status, ContainerKill(status=status))
        log_preemption(self._context, "container killed by preemption", mark)
        self._context.post(SchedulerContainerPreempted(mark=mark))

    def kill_to_preempt(self, container: RMContainer, mark: PreemptionMark) -> None:
        """Preempts a killable container whose space is needed: nobody asks for it again, even if its AM has
        not heard of it. Hadoop: LeafQueue.killToPreemptContainers.

        See tests/scenarios/preemption/lazy-kill-asks-for-nobody.yaml.
        """
        container.lowered = ()
        self.preempt(container, mark)

    def unreserve(self, container: RMContainer) -> None:
        """Ends a reservation that nobody wants any more."""
        status = aborted(container.container_id, UNRESERVED_CONTAINER)
        self.complete(container, status, ContainerReleased(status=status))

    def kill_reservation(self, container: RMContainer) -> None:
        """Ends a reservation by force."""
        status = aborted(container.container_id, UNRESERVED_CONTAINER)
        self.complete(container, status, ContainerKill(status=status))


def _is_held(container: RMContainer, attempt: Attempt | None) -> bool:
    """Whether an ended container is in the books still: its AM gave it back before its node was back."""
    return attempt is not None and container.container_id in attempt.live
