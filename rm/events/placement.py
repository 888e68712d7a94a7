"""The event by which the placement processor goes on after an AM's call has its answer."""

from __future__ import annotations

from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.runtime.event import Event


class PlacementDue(Event, frozen=True, kw_only=True):
    """Requests of the attempt's application are to be placed, or committed to the scheduler."""

    constant = ""

    attempt_id: ApplicationAttemptId

    @property
    def subject(self) -> ApplicationAttemptId:
        return self.attempt_id


PlacementDue.family = PlacementDue
