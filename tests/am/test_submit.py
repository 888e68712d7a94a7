"""Following an application: what is waited for, and what ends the waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from am.submit import Submitter
from yarn.enums import YarnApplicationState
from yarn.errors import ApplicationNotFoundError
from yarn.ids import ApplicationId
from yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarn.records.client import GetApplicationReportResponse
from yarn.rpc import BlockingStub, ConnectionFailedError, RemoteDefectError

APP = ApplicationId(1, 1)
CONTEXT = ApplicationSubmissionContext(application_id=APP)
FOR_EVER_MS = 10**12


class RM:
    """Answers or raises what it was given, one thing per report asked for."""

    def __init__(self, *answers: YarnApplicationState | Exception) -> None:
        self._answers = list(answers)
        self.calls: list[str] = []

    def call(self, rpc: str, request: Any) -> Any:
        self.calls.append(rpc)
        if rpc != "getApplicationReport":
            return None
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        report = ApplicationReport(application_id=APP, yarn_application_state=answer)
        return GetApplicationReportResponse(application_report=report)


def followed(rm: RM, max_wait_ms: int = FOR_EVER_MS) -> Callable[[], list[YarnApplicationState | None]]:
    submitter = Submitter(cast(BlockingStub, rm), max_wait_ms)
    return lambda: [one.yarn_application_state for one in submitter.reports(APP, CONTEXT, poll_s=0)]


RUNNING, FINISHED = YarnApplicationState.RUNNING, YarnApplicationState.FINISHED


def test_an_rm_that_is_away_is_waited_for() -> None:
    rm = RM(RUNNING, ConnectionFailedError("nobody"), ConnectionFailedError("nobody"), FINISHED)
    assert followed(rm)() == [RUNNING, FINISHED]


def test_an_rm_that_forgot_the_application_gets_it_again() -> None:
    rm = RM(ApplicationNotFoundError("who?"), FINISHED)
    assert followed(rm)() == [FINISHED]
    assert rm.calls == ["getApplicationReport", "submitApplication", "getApplicationReport"]


def test_the_waiting_ends_when_its_time_is_over() -> None:
    rm = RM(ConnectionFailedError("nobody"), FINISHED)
    with pytest.raises(ConnectionFailedError, match="nobody"):
        followed(rm, max_wait_ms=0)()


def test_an_rm_that_broke_is_not_asked_again() -> None:
    rm = RM(RUNNING, RemoteDefectError("getApplicationReport: KeyError in the daemon"), FINISHED)
    with pytest.raises(RemoteDefectError):
        followed(rm)()
    assert rm.calls == ["getApplicationReport"] * 2
