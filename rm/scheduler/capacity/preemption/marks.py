"""Carries out the preemption policy's decisions: containers are reported to their AM, killed or, with lazy
preemption, made killable.

Hadoop: the events of CapacityScheduler that concern preemption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.container import RMContainerState
from yarnbox.rm.events.scheduler import (
    PreemptionMark,
    SchedulerKillReservedContainer,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForNonkillable,
    SchedulerMarkContainerForPreemption,
)
from yarnbox.rm.scheduler.application import log_preemption
from yarnbox.rm.scheduler.capacity.preemption.killable import KillableContainers
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.containers.completion import Completion
from yarnbox.rm.scheduler.register import Register
from yarnbox.yarn.ids import ContainerId

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer, SchedulerNode


class PreemptionMarks:
    """Carries decisions out."""

    def __init__(
        self,
        context: QueueContext,
        register: Register[CapacityAttempt],
        completion: Completion[CapacityAttempt],
        killable: KillableContainers,
    ) -> None:
        self._context = context
        self._register = register
        self._completion = completion
        self._killable = killable

    def announce(self, event: SchedulerMarkContainerForPreemption) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION: its AM is asked to release it at its next call."""
        attempt, container_id = self._register.attempt(event.attempt_id), event.container_id
        if attempt is not None and container_id in attempt.live:
            attempt.announced[container_id] = None
            attempt.mark_for_preemption(event.mark)

    def make_killable(self, event: SchedulerMarkContainerForKillable) -> None:
        """MARK_CONTAINER_FOR_KILLABLE: killed at once; if lazy, when another request needs its resources."""
        container = self._register.container(event.container_id)
        if container is None:
            return
        if not self._context.settings.is_preemption_lazy:
            self._completion.preempt(container, event.mark)
            return
        attempt = self._register.attempt(container.attempt_id)
        if attempt is not None:
            attempt.marked_for_preemption.pop(event.container_id, None)
            log_preemption(self._context.rm, "container is killed when its space is needed", event.mark)
            self._killable.add(container, attempt)

    def make_nonkillable(self, event: SchedulerMarkContainerForNonkillable) -> None:
        """MARK_CONTAINER_FOR_NONKILLABLE: it is not killable any more."""
        container = self._register.container(event.container_id)
        attempt = self._register.attempt(container.attempt_id) if container is not None else None
        if container is not None and attempt is not None:
            self._killable.remove(container, attempt)

    def kill_reservation(self, event: SchedulerKillReservedContainer) -> None:
        """KILL_RESERVED_CONTAINER."""
        container = self._register.container(event.container_id)
        if container is not None and container.state is RMContainerState.RESERVED:
            self._completion.kill_reservation(container)

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        """Moves a reservation to another node; False when its request could not be served there, or when it
        was moved before: Hadoop looks for it where it was first. CapacityScheduler.moveReservedContainer.
        """
        attempt = self._register.attempt(container.attempt_id)
        if attempt is None or container.key.update_of:  # one that is to grow cannot do so elsewhere
            return False
        if container.node is not container.reserved_on:
            return False
        key_asks = attempt.asks.key_asks(container.key)
        if key_asks is None or not key_asks.any.relax_locality:
            return False
        attempt.move_reservation(container, node)
        self._context.version += 1
        return True

    def mark_of(self, container: RMContainer) -> PreemptionMark | None:
        """The mark that its AM was sent for the container."""
        attempt = self._register.attempt(container.attempt_id)
        return attempt.marked_for_preemption.get(container.container_id) if attempt is not None else None

    def forget(self, container_id: ContainerId) -> None:
        """Removes the container's mark."""
        attempt = self._register.attempt(container_id.application_attempt_id)
        if attempt is not None:
            attempt.unmark_for_preemption(container_id)
