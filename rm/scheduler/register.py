"""The applications that a scheduler has accepted, with the counters of QueueMetrics beside them.

Counted where the register changes: what a scheduler refuses was never submitted to it. Hadoop:
AbstractYarnScheduler.applications, and where schedulers call QueueMetrics.submitApp and finishApp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from yarnbox.rm.events.app import AppAccepted, AppRejected
from yarnbox.rm.events.scheduler import SchedulerAppAdded, SchedulerAppRemoved
from yarnbox.rm.scheduler.application import Application, Attempt
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId

if TYPE_CHECKING:
    from yarnbox.rm.container import RMContainer

A = TypeVar("A", bound=Attempt)


class Register(Generic[A]):
    """Applications by id; `A` is the scheduler's class of attempts."""

    def __init__(self, context: SchedulerContext) -> None:
        self._context = context
        self.applications: dict[ApplicationId, Application[A]] = {}

    def accept(self, event: SchedulerAppAdded, application: Application[A]) -> None:
        """An application was accepted, or recovered; a new one is told so, and its priority where that is not
        the one that was asked for.
        """
        self.applications[application.application_id] = application
        counters = self._context.health.queues
        counters.record_submission(
            str(application.queue), application.user, is_unmanaged=application.is_unmanaged
        )
        if not event.is_recovering:
            given = application.app_priority if application.app_priority != event.app_priority else None
            self._context.post(AppAccepted(application_id=event.application_id, app_priority=given))

    def reject(self, event: SchedulerAppAdded, refusal: YarnError) -> None:
        """An application was not accepted."""
        self._context.post(AppRejected(application_id=event.application_id, diagnostics=refusal.message))

    def remove(self, event: SchedulerAppRemoved) -> Application[A] | None:
        """An application is over; None when it was never accepted."""
        application = self.applications.pop(event.application_id, None)
        if application is not None:
            self._context.health.queues.record_application_end(
                str(application.queue),
                application.user,
                event.final_state,
                is_unmanaged=application.is_unmanaged,
            )
        return application

    def attempt(self, attempt_id: ApplicationAttemptId) -> A | None:
        """The application's current attempt, which may be a later one than that of the id."""
        application = self.applications.get(attempt_id.application_id)
        return application.attempt if application is not None else None

    def container(self, container_id: ContainerId) -> RMContainer | None:
        """A live or reserved container."""
        attempt = self.attempt(container_id.application_attempt_id)
        return attempt.container(container_id) if attempt is not None else None
