"""Why an application waits, for its page and `yarnbox why`: what its scheduler checks, and what fails."""

from __future__ import annotations

from collections.abc import Sequence

from yarnbox.rm.scheduler.checks import Check, RequestChecks
from yarnbox.rm.web.values import Answer


def shown(requests: Sequence[RequestChecks]) -> Answer:
    """`reasons`, a line for each check that fails; `path`, all checks of each request."""
    return {
        "reasons": [line for one in requests for line in one.lines],
        "path": [{"asked": one.asked, "step": [_step(check) for check in one.checks]} for one in requests],
    }


def _step(check: Check) -> Answer:
    """What holds, or the refusal where it does not."""
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
