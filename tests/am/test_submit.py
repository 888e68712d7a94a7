"""Following an application: what is waited for, and what ends the waiting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from yarnbox.am.submit import Patience, ResourceManagerGoneError, Submitter
from yarnbox.yarn.connection.rpc import BlockingStub, ConnectionFailedError, RemoteDefectError
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.errors import ApplicationNotFoundError
from yarnbox.yarn.ids import ApplicationId, NodeId
from yarnbox.yarn.records.application import ApplicationReport, ApplicationSubmissionContext
from yarnbox.yarn.records.client import (
    GetApplicationReportResponse,
    GetClusterNodesResponse,
    KillApplicationResponse,
)
from yarnbox.yarn.records.node import NodeReport

APP = ApplicationId(1, 1)
CONTEXT = ApplicationSubmissionContext(application_id=APP)
FOR_EVER_MS = 10**12


class RM:
    """Answers or raises what it was given, one thing per report asked for."""

    def __init__(self, *answers: YarnApplicationState | BaseException) -> None:
        self._answers = list(answers)
        self.calls: list[str] = []

    def call(self, rpc: str, request: Any, timeout_s: float | None = None) -> Any:
        self.calls.append(rpc)
        if rpc == "forceKillApplication":
            return KillApplicationResponse(is_kill_completed=True)
        if rpc == "getClusterNodes":
            reports = (
                NodeReport(node_id=NodeId("nm1", 1), node_state=state) for state in request.node_states
            )
            return GetClusterNodesResponse(node_reports=tuple(reports))
        if rpc != "getApplicationReport":
            return None
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        report = ApplicationReport(application_id=APP, yarn_application_state=answer)
        return GetApplicationReportResponse(application_report=report)


def followed(
    rm: RM, max_wait_ms: int = FOR_EVER_MS, retry_ms: int = 1, said: list[str] | None = None
) -> Callable[[], list[YarnApplicationState | None]]:
    patience = Patience(max_wait_ms, retry_ms, "127.0.0.1:8050", (said if said is not None else []).append)
    submitter = Submitter(cast(BlockingStub, rm), patience)
    return lambda: [one.yarn_application_state for one in submitter.reports(APP, CONTEXT, poll_s=0)]


def test_nodes_that_are_lost() -> None:
    patience = Patience(FOR_EVER_MS, 1, "127.0.0.1:8050", print)
    assert Submitter(cast(BlockingStub, RM()), patience).lost_nodes() == (NodeId("nm1", 1),)


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
    with pytest.raises(ResourceManagerGoneError, match=r"application_1_0001 .*did not answer for 0 s"):
        followed(rm, max_wait_ms=0)()


def test_whoever_waits_is_told_at_once_what_happens_and_when_it_is_over() -> None:
    said: list[str] = []
    rm = RM(RUNNING, ConnectionFailedError("nobody"), ConnectionFailedError("nobody"), FINISHED)
    followed(rm, max_wait_ms=90_000, retry_ms=2, said=said)()
    gone = "the ResourceManager at 127.0.0.1:8050 does not answer"
    assert said == [
        f"{gone}: asking again every 0.002 s, for 90 s at most",
        "the ResourceManager answers again",
    ]


@pytest.mark.parametrize("max_wait_ms, text", [(900_000, "for 15 min at most"), (-1, "without end")])
def test_how_long_is_told_in_units_a_person_reads(max_wait_ms: int, text: str) -> None:
    said: list[str] = []
    followed(RM(ConnectionFailedError("nobody"), FINISHED), max_wait_ms=max_wait_ms, said=said)()
    assert text in said[0]


def test_an_rm_that_broke_is_not_asked_again() -> None:
    rm = RM(RUNNING, RemoteDefectError("getApplicationReport: KeyError in the daemon"), FINISHED)
    with pytest.raises(RemoteDefectError):
        followed(rm)()
    assert rm.calls == ["getApplicationReport"] * 2


def test_whoever_interrupts_a_submission_has_no_application() -> None:
    rm = RM(YarnApplicationState.SUBMITTED, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        Submitter(cast(BlockingStub, rm)).submit_and_wait(CONTEXT)
    assert rm.calls[0] == "submitApplication"
    assert rm.calls[-1] == "forceKillApplication"
