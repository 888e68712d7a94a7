"""An attempt's entry in the state store; rm/state.py reads it."""

from __future__ import annotations

from yarnbox.rm.attempt.entity import RMAppAttempt
from yarnbox.rm.scheduler.statuses import INVALID
from yarnbox.rm.state import ATTEMPT
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.runtime.event import Event


def store_attempt(
    attempt: RMAppAttempt,
    *,
    final_state: str | None = None,
    diagnostics: str = "",
    am_exit_status: int = INVALID,
    tracking_url: str | None = None,
    final_status: FinalApplicationStatus | None = None,
    acknowledgement: Event | None = None,
) -> None:
    """Writes the attempt as it is now."""
    container = attempt.master_container
    attempt.context.store(
        (ATTEMPT, str(attempt.application_id), str(attempt.attempt_id)),
        lambda: {
            "master_container": None if container is None else attempt.context.wire.to_text(container),
            "start_ms": attempt.start_ms,
            "finish_ms": attempt.finish_ms,
            "final_state": final_state,
            "final_status": None if final_status is None else final_status.name,
            "tracking_url": attempt.original_tracking_url if tracking_url is None else tracking_url,
            "diagnostics": diagnostics,
            "am_exit_status": am_exit_status,
            "resource_seconds": dict(attempt.resource_seconds),
            "preempted_resource_seconds": dict(attempt.preempted_resource_seconds),
            "client_key": None if attempt.client_key is None else attempt.client_key.hex(),
        },
        acknowledgement,
    )
