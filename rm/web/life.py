"""The steps of applications' lives: when each was accepted, when its AMs came, were launched, registered.

Told by watchers of the dispatcher, bounded, forgotten with the process. Hadoop leaves this to the timeline
server.
"""

from __future__ import annotations

from collections import OrderedDict

from yarnbox.rm.app import RMApp
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.runtime.event import Event

_MOST = 10_000
STEPS = {
    "AppAccepted": "accepted",
    "AttemptContainerAllocated": "AM allocated",
    "AttemptLaunched": "AM launched",
    "AttemptRegistered": "running",
}


class LifeEvents:
    """What happened when, for the applications that came last."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._steps: OrderedDict[ApplicationId, dict[tuple[int, str], int]] = OrderedDict()

    def watch(self, now_ms: int, event: Event) -> None:
        """An event of the RM: the first of each step of each attempt counts."""
        step = STEPS.get(type(event).__name__)
        if step is None:
            return
        subject = event.subject
        if isinstance(subject, ApplicationAttemptId):
            application_id, attempt = subject.application_id, subject.attempt_id
        elif isinstance(subject, ApplicationId):
            application_id, attempt = subject, 0
        else:
            return
        steps = self._steps.get(application_id)
        if steps is None:
            self._steps[application_id] = steps = {}
            if len(self._steps) > self._most:
                self._steps.popitem(last=False)
        steps.setdefault((attempt, step), now_ms)

    def of(self, app: RMApp) -> list[Answer]:
        """Its steps, as far as they are known: those of a past RM are not."""
        found = [{"step": "submitted", "attempt": 0, "time": app.start_ms}]
        for (attempt, step), time_ms in self._steps.get(app.application_id, {}).items():
            if not (app.is_unmanaged and step == "AM allocated"):
                found.append({"step": step, "attempt": attempt, "time": time_ms})
        if app.finish_ms:
            found.append({"step": "finished", "attempt": 0, "time": app.finish_ms})
        return found
