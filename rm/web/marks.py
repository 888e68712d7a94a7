"""The containers of an application that are marked for preemption, for its page and `yarnbox why`."""

from __future__ import annotations

from yarnbox.rm.scheduler.views import AttemptView
from yarnbox.rm.web.values import Answer

WHOEVER = "whoever needs its space"
"""For whom a container goes that lazy preemption has made killable."""


def preemption_marks(attempt: AttemptView) -> list[Answer]:
    """Each with whose it is, for whom it goes, and when; `killAt` is 0 while no moment is set."""
    marks = list(attempt.marked_for_preemption.values())
    if any(amounts.killable for amounts in attempt.usage.by_partition.values()):
        marks += [one.preemption_mark(WHOEVER) for one in attempt.live.values() if one.is_killable]
    return [
        {
            "container": str(one.container_id),
            "node": str(one.node_id),
            "resource": str(one.resource),
            "queue": one.queue,
            "user": one.user,
            "isAM": one.is_am,
            "for": one.for_whom,
            "since": one.since_ms,
            "killAt": one.kill_at_ms or 0,
        }
        for one in marks
    ]
