"""Applications come to a scheduler and leave it: its register, and the counters of QueueMetrics beside it.

Counted where the register changes: what a scheduler refuses was never submitted to it. Answers for where
schedulers call QueueMetrics.submitApp and finishApp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from rm.events.scheduler import SchedulerAppRemoved
from rm.scheduler.application import Application, Attempt

if TYPE_CHECKING:
    from rm.scheduler.base import Scheduler

A = TypeVar("A", bound=Attempt)


def enlist(scheduler: Scheduler[A], application: Application[A]) -> None:
    """An application was accepted, or recovered."""
    scheduler.applications[application.application_id] = application
    place = (str(application.queue), application.user)
    scheduler.context.health.queues.note_submission(*place, is_unmanaged=application.is_unmanaged)


def strike_off(scheduler: Scheduler[Any], event: SchedulerAppRemoved) -> Application[Any] | None:
    """An application is over; None when it was never accepted."""
    application: Application[Any] | None = scheduler.applications.pop(event.application_id, None)
    if application is not None:
        scheduler.context.health.queues.note_application_end(
            str(application.queue),
            application.user,
            event.final_state,
            is_unmanaged=application.is_unmanaged,
        )
    return application
