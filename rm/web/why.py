"""Why an application waits, and which of its containers are marked for preemption; also for `yarnbox why`."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.scheduler.checks import Check, RequestChecks
from yarnbox.rm.scheduler.views import AttemptView
from yarnbox.rm.web.values import Answer


def shown(requests: Sequence[RequestChecks]) -> Answer:
    """`foremost`, the refusal to name where there is room for one; `reasons`, a line for each check that
    fails; `path`, all checks of each request.
    """
    first = next((one.foremost for one in requests if one.foremost is not None), None)
    return {
        "foremost": "" if first is None else _line(first),
        "reasons": [line for one in requests for line in one.lines],
        "path": [{"asked": one.asked, "step": [_step(check) for check in one.checks]} for one in requests],
    }


def _line(check: Check) -> str:
    step = _step(check)
    numbers = f" ({step['numbers']})" if step["numbers"] else ""
    return f"{step['level']}: {step['checked']}{numbers}"


def _step(check: Check) -> Answer:
    """One check: the condition that holds, or the refusal."""
    numbers = check.numbers
    if check.nodes:
        count = f"{check.nodes} {'node' if check.nodes == 1 else 'nodes'}"
        numbers = f"{count} ({numbers})" if numbers else count
    return {
        "level": check.level,
        "checked": check.reason.checked if check.holds else check.reason.value,
        "holds": check.holds,
        "numbers": numbers,
        "change": "" if check.holds else check.reason.remedy,
    }


WHOEVER = "whoever needs its space"
"""For whom a container is preempted that lazy preemption has made killable."""


def preemption_marks(attempt: AttemptView) -> list[Answer]:
    """The marked containers: of whom, for whom, since when; `killAt` is 0 while no time is set."""
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
