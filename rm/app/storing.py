"""An application's entry in the state store; rm/state.py reads it."""

from __future__ import annotations

from yarnbox.rm.app.entity import RMApp
from yarnbox.rm.state import APPLICATION
from yarnbox.yarn.runtime.event import Event


def store_app(
    app: RMApp,
    *,
    final_state: str | None = None,
    diagnostics: str = "",
    acknowledgement: Event | None = None,
) -> None:
    """Writes the application as it is now."""
    to_text = app.context.wire.to_text
    app.context.store(
        (APPLICATION, str(app.application_id)),
        lambda: {
            "submission": to_text(app.submission),
            "user": app.user,
            "queue": app.queue,
            "am_requests": [to_text(request) for request in app.am_requests],
            "max_attempts": app.max_attempts,
            "app_priority": app.app_priority,
            "submit_ms": app.submit_ms,
            "start_ms": app.start_ms,
            "launch_ms": app.launch_ms,
            "finish_ms": app.stored_finish_ms,
            "lifetime_end_ms": app.lifetime_end_ms,
            "final_state": final_state,
            "diagnostics": diagnostics,
        },
        acknowledgement,
    )
