"""An ApplicationMaster that runs outside the cluster, as an ordinary process that its user starts.

Submits an application with unmanaged_am, waits until its attempt is launched and hands out the attempt and
the token with which the AM registers. The RM starts nothing and restarts nothing. Hadoop:
UnmanagedAMLauncher.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from yarnbox.am.submit import FINAL, Submitter
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.records.container import ContainerLaunchContext
from yarnbox.yarn.records.tokens import Token
from yarnbox.yarn.resources.resource import Resource

POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class UnmanagedAttempt:
    """An attempt that waits for its AM, and the proof that one is it."""

    attempt_id: ApplicationAttemptId
    token: Token

    @property
    def application_id(self) -> ApplicationId:
        """The application."""
        return self.attempt_id.application_id


def launch_unmanaged(
    submitter: Submitter, context: ApplicationSubmissionContext, timeout_s: float = 60.0
) -> UnmanagedAttempt:
    """Submits `context` as unmanaged; returns when its AM may register. YarnError when it is refused."""
    application_id = submitter.new_application().application_id
    submitter.submit(
        replace(
            context,
            application_id=application_id,
            unmanaged_am=True,
            am_container_spec=context.am_container_spec or ContainerLaunchContext(),
            resource=context.resource or Resource(),
        )
    )
    pause = threading.Event()
    for _ in range(max(1, int(timeout_s / POLL_S))):
        report = submitter.report(application_id)
        if report.yarn_application_state in FINAL:
            raise YarnError(f"{application_id} was refused: {report.diagnostics}")
        if report.yarn_application_state is YarnApplicationState.ACCEPTED:
            attempt_id, token = report.current_application_attempt_id, report.am_rm_token
            if attempt_id is not None and token is not None:
                return UnmanagedAttempt(attempt_id, token)
        pause.wait(POLL_S)
    raise YarnError(f"{application_id} has no attempt after {timeout_s:g} s")
