"""An application handed to the RM, and followed to its end: what every client of an application here does.

Owns the calls of the client protocol that a submission needs, the check of what can be known before (is there
such a queue, does the AM fit) and the waiting. Answers for YarnClientImpl's part in Hadoop's own job clients.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from am.rm_client import MAX_WAIT_MS
from yarn.enums import FinalApplicationStatus, NodeState, YarnApplicationState
from yarn.errors import ApplicationNotFoundError, YarnError
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarn.records.client import (
    GetApplicationReportRequest,
    GetClusterNodesRequest,
    GetNewApplicationRequest,
    GetQueueInfoRequest,
    KillApplicationRequest,
    SubmitApplicationRequest,
)
from yarn.records.node import NodeReport
from yarn.records.queue import QueueInfo
from yarn.resource import Resource
from yarn.rpc import BlockingStub, ConnectionFailedError

FINAL = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
POLL_S = 0.1
DEFAULT_QUEUE = "default"
MAKES_QUEUES = "FairScheduler"
"""The scheduler type, as queue information tells it."""

_WAITING = (YarnApplicationState.NEW, YarnApplicationState.NEW_SAVING, YarnApplicationState.SUBMITTED)
_REFUSED = (YarnApplicationState.FAILED, YarnApplicationState.KILLED)


class SubmissionError(Exception):
    """An application that cannot be submitted; one line that names the thing and the remedy."""


@dataclass(frozen=True, slots=True)
class NewApplication:
    """An id of one's own, and the largest container that is granted now."""

    application_id: ApplicationId
    maximum: Resource


class Submitter:
    """The client protocol, as far as a submission needs it."""

    def __init__(self, stub: BlockingStub, max_wait_ms: int = MAX_WAIT_MS) -> None:
        self._stub = stub
        self._max_wait_ms = max_wait_ms
        self._pause = threading.Event()

    def new_application(self) -> NewApplication:
        """A fresh id."""
        response = self._stub.call("getNewApplication", GetNewApplicationRequest())
        assert response.application_id is not None
        return NewApplication(response.application_id, response.maximum_capability or Resource())

    def check_queue(self, queue: str) -> None:
        """SubmissionError when there is no such queue, so that nothing is prepared for it. A path may name a
        queue that is made on demand, mappings may place what names none, and the FairScheduler makes what it
        needs: those the RM judges when it has the application.
        """
        if queue == DEFAULT_QUEUE or "." in queue or self._queue(queue) is not None:
            return
        root = self._queue("root")
        if root is None or root.scheduler_type != MAKES_QUEUES:
            raise SubmissionError(
                f"there is no queue {queue}: name another one with --queue (`yarn queue -list all` has them)"
            )

    def _queue(self, name: str) -> QueueInfo | None:
        try:
            response = self._stub.call("getQueueInfo", GetQueueInfoRequest(queue_name=name))
        except YarnError:
            return None
        info: QueueInfo | None = response.queue_info
        return info

    @staticmethod
    def check_size(what: str, size: Resource, maximum: Resource, remedy: str) -> None:
        """SubmissionError when a container of this size is never granted."""
        if not size.fits_in(maximum):
            raise SubmissionError(f"{what} of {size} exceeds the largest container, {maximum}: {remedy}")

    def running_nodes(self) -> tuple[NodeReport, ...]:
        """The nodes that can take containers."""
        response = self._stub.call(
            "getClusterNodes", GetClusterNodesRequest(node_states=(NodeState.RUNNING,))
        )
        reports: tuple[NodeReport, ...] = response.node_reports
        return reports

    def submit(self, context: ApplicationSubmissionContext) -> None:
        """Submits; returns at once."""
        self._stub.call("submitApplication", SubmitApplicationRequest(application_submission_context=context))

    def submit_and_wait(self, context: ApplicationSubmissionContext) -> None:
        """Submits; returns when the application is accepted. SubmissionError says why it is not."""
        self.submit(context)
        assert context.application_id is not None
        for report in self.reports(context.application_id, context):
            if report.yarn_application_state in _REFUSED:
                reason = " ".join((report.diagnostics or "no reason was given").split())
                raise SubmissionError(f"{context.application_id} was refused: {reason}")
            if report.yarn_application_state not in _WAITING:
                return

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of the application."""
        response = self._stub.call(
            "getApplicationReport", GetApplicationReportRequest(application_id=application_id)
        )
        report: ApplicationReport = response.application_report
        return report

    def kill(self, application_id: ApplicationId) -> None:
        """Ends the application; returns when it has ended."""
        request = KillApplicationRequest(application_id=application_id)
        while not self._stub.call("forceKillApplication", request).is_kill_completed:
            self._pause.wait(POLL_S)

    def reports(
        self, application_id: ApplicationId, context: ApplicationSubmissionContext, poll_s: float = POLL_S
    ) -> Iterator[ApplicationReport]:
        """A report now and then until the application has ended, the last one included. An RM that restarted
        before it had stored the application gets it once more; one that does not answer is waited for, as
        long as yarn.resourcemanager.connect.max-wait.ms says. RpcError when that is over, or when the RM
        broke.
        """
        heard_s = time.monotonic()
        while True:
            try:
                report = self.report(application_id)
            except ApplicationNotFoundError:
                self.submit(context)
            except ConnectionFailedError:
                if self._max_wait_ms < (time.monotonic() - heard_s) * 1000:
                    raise
                self._pause.wait(poll_s)
            else:
                heard_s = time.monotonic()
                yield report
                if report.yarn_application_state in FINAL:
                    return
            self._pause.wait(poll_s)


def follow(
    reports: Iterator[ApplicationReport], tell: Callable[[ApplicationReport], None]
) -> ApplicationReport:
    """Shows each report; the last one."""
    last: ApplicationReport | None = None
    for last in reports:
        tell(last)
    assert last is not None
    return last


def has_succeeded(report: ApplicationReport) -> bool:
    """Whether the application ended well, by its own account and the RM's."""
    return (
        report.yarn_application_state is YarnApplicationState.FINISHED
        and report.final_application_status is FinalApplicationStatus.SUCCEEDED
    )
