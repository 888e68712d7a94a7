"""An application handed to the RM, and followed to its end: what every client of an application here does.

Owns the calls of the client protocol that a submission needs, the check of what can be known before (is there
such a queue, does the AM fit) and the waiting. Hadoop: YarnClientImpl's part in Hadoop's own job clients.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from yarnbox.am.rm_client import MAX_WAIT_MS
from yarnbox.yarn.connection.failover import BlockingCalls
from yarnbox.yarn.connection.rpc import ConnectionFailedError
from yarnbox.yarn.enums import FinalApplicationStatus, NodeState, YarnApplicationState
from yarnbox.yarn.errors import ApplicationNotFoundError, YarnError
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationSubmissionContext,
)
from yarnbox.yarn.records.basics import Record
from yarnbox.yarn.records.client import (
    GetApplicationAttemptsRequest,
    GetApplicationReportRequest,
    GetClusterNodesRequest,
    GetNewApplicationRequest,
    GetQueueInfoRequest,
    KillApplicationRequest,
    SubmitApplicationRequest,
)
from yarnbox.yarn.records.node import NodeReport
from yarnbox.yarn.records.queue import QueueInfo
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.text.words import did_you_mean

FINAL = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
POLL_S = 0.1
REPORT_TIMEOUT_S = 4.0
"""An RM that says nothing for that long is asked again, and whoever waits is told."""
ANSWERS_AGAIN = "the ResourceManager answers again"
DEFAULT_QUEUE = "default"
MAKES_QUEUES = "FairScheduler"
"""The scheduler type, as queue information tells it."""

_WAITING = (YarnApplicationState.NEW, YarnApplicationState.NEW_SAVING, YarnApplicationState.SUBMITTED)
_REFUSED = (YarnApplicationState.FAILED, YarnApplicationState.KILLED)


class ResourceManagerGoneError(ConnectionFailedError):
    """An RM that did not answer for as long as whoever asked it was ready to wait."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How an RM that does not answer is asked again."""

    max_wait_ms: int = MAX_WAIT_MS
    """Negative: without end."""
    retry_ms: int = 1000
    address: str = ""
    say: Callable[[str], None] = lambda _text: None
    """Is told of an outage when it begins and when it is over."""
    is_expected: bool = False
    """Whether an RM that has not answered yet is waited for, too."""

    def is_over(self, waited_ms: float) -> bool:
        """Whether that is longer than anybody waits."""
        return 0 <= self.max_wait_ms <= waited_ms

    def announcement(self) -> str:
        """What is going to happen."""
        limit = "without end" if self.max_wait_ms < 0 else f"for {_duration(self.max_wait_ms)} at most"
        where = f" at {self.address}" if self.address else ""
        return (
            f"the ResourceManager{where} does not answer: asking again every"
            f" {_duration(self.retry_ms)}, {limit}"
        )


def _duration(ms: int) -> str:
    return f"{ms // 60_000} min" if ms % 60_000 == 0 and ms > 60_000 else f"{ms / 1000:g} s"


class SubmissionError(Exception):
    """An application that cannot be submitted; one line that names the thing and the remedy."""


@dataclass(frozen=True, slots=True)
class NewApplication:
    """An id of one's own, and the largest container that is granted now."""

    application_id: ApplicationId
    maximum: Resource


class Submitter:
    """The client protocol, as far as a submission needs it."""

    def __init__(self, stub: BlockingCalls, patience: Patience | None = None) -> None:
        self._stub = stub
        self._patience = patience or Patience()
        self._pause = threading.Event()

    def new_application(self) -> NewApplication:
        """A fresh id, from an RM that is waited for if it is expected to be there."""
        response = self._call("getNewApplication", GetNewApplicationRequest())
        assert response.application_id is not None
        return NewApplication(response.application_id, response.maximum_capability or Resource())

    def _call(self, rpc: str, request: Record) -> Any:
        """The response; an RM that is expected to be there is waited for."""
        patience = self._patience
        gone_since_s: float | None = None
        while True:
            try:
                response = self._stub.call(rpc, request)
            except ConnectionFailedError:
                if not patience.is_expected:
                    raise
                if gone_since_s is None:
                    gone_since_s = time.monotonic()
                    patience.say(patience.announcement())
                if patience.is_over((time.monotonic() - gone_since_s) * 1000):
                    raise
                self._pause.wait(patience.retry_ms / 1000)
                continue
            if gone_since_s is not None:
                patience.say(ANSWERS_AGAIN)
            return response

    def check_queue(self, queue: str) -> None:
        """SubmissionError when there is no such queue, so that nothing is prepared for it. A path may name a
        queue that is made on demand, mappings may place what names none, and the FairScheduler makes what it
        needs: those the RM judges when it has the application.
        """
        if queue == DEFAULT_QUEUE or "." in queue or self._queue(queue) is not None:
            return
        root = self._queue("root")
        if root is None or root.scheduler_type != MAKES_QUEUES:
            hint = did_you_mean(queue, self._queue_names())
            raise SubmissionError(
                f"there is no queue {queue}{hint}; --queue names another, `yarn queue -list all` lists them"
            )

    def _queue_names(self) -> list[str]:
        root = self._queue("root", is_whole=True)
        left, names = [root] if root is not None else [], []
        while left:
            queue = left.pop()
            names.append(queue.queue_name or "")
            left += queue.child_queues
        return names

    def _queue(self, name: str, *, is_whole: bool = False) -> QueueInfo | None:
        try:
            response = self._call(
                "getQueueInfo",
                GetQueueInfoRequest(queue_name=name, include_child_queues=is_whole, recursive=is_whole),
            )
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
        response = self._call("getClusterNodes", GetClusterNodesRequest(node_states=(NodeState.RUNNING,)))
        reports: tuple[NodeReport, ...] = response.node_reports
        return reports

    def submit(self, context: ApplicationSubmissionContext) -> None:
        """Submits; returns at once."""
        self._call("submitApplication", SubmitApplicationRequest(application_submission_context=context))

    def submit_and_wait(self, context: ApplicationSubmissionContext) -> None:
        """Submits; returns when the application is accepted. SubmissionError says why it is not. Whoever
        interrupts it gets no application.
        """
        assert context.application_id is not None
        try:
            self.submit(context)
            for report in self.reports(context.application_id, context):
                if report.yarn_application_state in _REFUSED:
                    reason = " ".join((report.diagnostics or "no reason was given").split())
                    raise SubmissionError(f"{context.application_id} was refused: {reason}")
                if report.yarn_application_state not in _WAITING:
                    return
        except KeyboardInterrupt:
            with suppress(YarnError, ConnectionFailedError):  # it may not have come to that
                self.kill(context.application_id)
            raise

    def report(self, application_id: ApplicationId) -> ApplicationReport:
        """What the RM says of the application."""
        response = self._stub.call(
            "getApplicationReport",
            GetApplicationReportRequest(application_id=application_id),
            timeout_s=REPORT_TIMEOUT_S,
        )
        report: ApplicationReport = response.application_report
        return report

    def masters(self, application_id: ApplicationId) -> tuple[ContainerId, ...]:
        """The containers of its AMs, of the first attempt first."""
        response = self._stub.call(
            "getApplicationAttempts",
            GetApplicationAttemptsRequest(application_id=application_id),
            timeout_s=REPORT_TIMEOUT_S,
        )
        reports: tuple[ApplicationAttemptReport, ...] = response.application_attempts
        found = (one.am_container_id for one in reports if one.am_container_id is not None)
        return tuple(sorted(found, key=lambda one: one.application_attempt_id))

    def lost_nodes(self) -> tuple[NodeId, ...]:
        """The nodes that are LOST."""
        request = GetClusterNodesRequest(node_states=(NodeState.LOST,))
        response = self._stub.call("getClusterNodes", request, timeout_s=REPORT_TIMEOUT_S)
        reports: tuple[NodeReport, ...] = response.node_reports
        return tuple(one.node_id for one in reports if one.node_id is not None)

    def kill(self, application_id: ApplicationId) -> None:
        """Ends the application; returns when it has ended."""
        while not self.ask_to_kill(application_id):
            self._pause.wait(POLL_S)

    def ask_to_kill(self, application_id: ApplicationId) -> bool:
        """Has the application ended; whether it has. If not, it will without being asked again."""
        request = KillApplicationRequest(application_id=application_id)
        return bool(self._stub.call("forceKillApplication", request).is_kill_completed)

    def reports(
        self, application_id: ApplicationId, context: ApplicationSubmissionContext, poll_s: float = POLL_S
    ) -> Iterator[ApplicationReport]:
        """A report now and then until the application has ended, the last one included. An RM that restarted
        before it had stored the application gets it once more; one that does not answer is waited for.
        ResourceManagerGoneError when the patience for that is over, another RpcError when the RM broke.
        """
        patience = self._patience
        gone_since_s: float | None = None
        while True:
            try:
                try:
                    report = self.report(application_id)
                except ApplicationNotFoundError:
                    self.submit(context)
                    self._pause.wait(poll_s)
                    continue
            except ConnectionFailedError:
                if gone_since_s is None:
                    gone_since_s = time.monotonic()
                    patience.say(patience.announcement())
                if patience.is_over((time.monotonic() - gone_since_s) * 1000):
                    raise ResourceManagerGoneError(
                        f"the outcome of {application_id} is unknown: the ResourceManager did not answer for"
                        f" {_duration(patience.max_wait_ms)}"
                    ) from None
                self._pause.wait(patience.retry_ms / 1000)
                continue
            if gone_since_s is not None:
                gone_since_s = None
                patience.say(ANSWERS_AGAIN)
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
