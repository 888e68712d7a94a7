"""`yarn applicationattempt` and `yarn container`: what they ask, print and return, byte for byte."""

from __future__ import annotations

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.yarn.enums import (
    ContainerState,
    ExecutionType,
    SignalContainerCommand,
    YarnApplicationAttemptState,
)
from yarnbox.yarn.errors import (
    ApplicationAttemptNotFoundError,
    ApplicationNotFoundError,
    ContainerNotFoundError,
    YarnError,
)
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationAttemptReport
from yarnbox.yarn.records.client import (
    GetApplicationAttemptReportResponse,
    GetApplicationAttemptsResponse,
    GetContainerReportResponse,
    GetContainersResponse,
)
from yarnbox.yarn.records.container import ContainerReport

APPLICATION = ApplicationId(1_700_000_000_000, 1)
ATTEMPT = ApplicationAttemptId(APPLICATION, 1)
CONTAINER = ContainerId.build(ATTEMPT, 1)

ATTEMPT_REPORT = ApplicationAttemptReport(
    application_attempt_id=ATTEMPT,
    host="n1",
    rpc_port=8030,
    tracking_url="http://rm1:8088/proxy/x/",
    diagnostics="",
    yarn_application_attempt_state=YarnApplicationAttemptState.RUNNING,
    am_container_id=CONTAINER,
)
CONTAINER_REPORT = ContainerReport(
    container_id=CONTAINER,
    node_id=NodeId("n1", 1234),
    creation_time=1_700_000_001_000,
    finish_time=0,
    log_url="http://n1:8042/logs",
    container_state=ContainerState.RUNNING,
    node_http_address="http://n1:8042",
    execution_type=ExecutionType.GUARANTEED,
)


# applicationattempt


def test_attempt_list(rm: FakeResourceManager, shell: Shell) -> None:
    waiting = ApplicationAttemptReport(
        application_attempt_id=ApplicationAttemptId(APPLICATION, 2),
        yarn_application_attempt_state=YarnApplicationAttemptState.SCHEDULED,
    )
    rm.answers["getApplicationAttempts"] = GetApplicationAttemptsResponse(
        application_attempts=(ATTEMPT_REPORT, waiting)
    )
    result = shell.yarn("applicationattempt", "-list", str(APPLICATION))
    assert result.out == (
        "Total number of application attempts :2\n"
        "         ApplicationAttempt-Id\t               State\t"
        "                    AM-Container-Id\t                       Tracking-URL\n"
        "appattempt_1700000000000_0001_000001\t             RUNNING\t"
        "container_1700000000000_0001_01_000001\t           http://rm1:8088/proxy/x/\n"
        "appattempt_1700000000000_0001_000002\t           SCHEDULED\t"
        "                                N/A\t                               null\n"
    )
    assert (result.status, result.err) == (0, "")


def test_attempt_status(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationAttemptReport"] = GetApplicationAttemptReportResponse(
        application_attempt_report=ATTEMPT_REPORT
    )
    result = shell.yarn("applicationattempt", "-status", str(ATTEMPT))
    assert result.out == (
        "Application Attempt Report : \n"
        "\tApplicationAttempt-Id : appattempt_1700000000000_0001_000001\n"
        "\tState : RUNNING\n"
        "\tAMContainer : container_1700000000000_0001_01_000001\n"
        "\tTracking-URL : http://rm1:8088/proxy/x/\n"
        "\tRPC Port : 8030\n"
        "\tAM Host : n1\n"
        "\tDiagnostics : \n"
    )
    assert result.status == 0


@pytest.mark.parametrize(
    "error, text",
    [
        (ApplicationNotFoundError("?"), "Application for AppAttempt with id"),
        (ApplicationAttemptNotFoundError("?"), "Application Attempt with id"),
    ],
)
def test_attempt_status_of_what_is_unknown(
    rm: FakeResourceManager, shell: Shell, error: YarnError, text: str
) -> None:
    rm.answers["getApplicationAttemptReport"] = error
    result = shell.yarn("applicationattempt", "-status", str(ATTEMPT))
    assert result.out == f"{text} '{ATTEMPT}' doesn't exist in RM or Timeline Server.\n"
    assert (result.status, result.err) == (255, "")


def test_attempt_fail(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("applicationattempt", "-fail", str(ATTEMPT))
    assert result.out == f"Failing attempt {ATTEMPT} of application {APPLICATION}\n"
    assert result.status == 0
    assert rm.asked("failApplicationAttempt")[0].application_attempt_id == ATTEMPT


def test_attempt_of_a_malformed_id(shell: Shell) -> None:
    result = shell.yarn("applicationattempt", "-status", "appattempt_1")
    assert result.status == 1
    assert result.err == (
        'Exception in thread "main" java.lang.IllegalArgumentException: Invalid AppAttemptId: appattempt_1\n'
    )


# container


def test_container_list(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getContainers"] = GetContainersResponse(containers=(CONTAINER_REPORT,))
    result = shell.yarn("container", "-list", str(ATTEMPT))
    assert result.out == (
        "Total number of containers :1\n"
        "                  Container-Id\t          Start Time\t         Finish Time\t               State\t"
        "                Host\t   Node Http Address\t                            LOG-URL\n"
        "container_1700000000000_0001_01_000001\tTue Nov 14 22:13:21 +0000 2023\t                 N/A\t"
        "             RUNNING\t             n1:1234\t      http://n1:8042\t                http://n1:8042/logs\n"
    )
    assert result.status == 0


def test_container_status_has_times_in_ms(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getContainerReport"] = GetContainerReportResponse(container_report=CONTAINER_REPORT)
    result = shell.yarn("container", "-status", str(CONTAINER))
    assert result.out == (
        "Container Report : \n"
        "\tContainer-Id : container_1700000000000_0001_01_000001\n"
        "\tStart-Time : 1700000001000\n"
        "\tFinish-Time : 0\n"
        "\tState : RUNNING\n"
        "\tExecution-Type : GUARANTEED\n"
        "\tLOG-URL : http://n1:8042/logs\n"
        "\tHost : n1:1234\n"
        "\tNodeHttpAddress : http://n1:8042\n"
        "\tExposedPorts : \n"
        "\tDiagnostics : null\n"
    )
    assert result.status == 0


@pytest.mark.parametrize(
    "error, text",
    [
        (ApplicationNotFoundError("?"), "Application for Container with id"),
        (ApplicationAttemptNotFoundError("?"), "Application Attempt for Container with id"),
        (ContainerNotFoundError("?"), "Container with id"),
    ],
)
def test_container_status_of_what_is_unknown(
    rm: FakeResourceManager, shell: Shell, error: YarnError, text: str
) -> None:
    rm.answers["getContainerReport"] = error
    result = shell.yarn("container", "-status", str(CONTAINER))
    assert result.out == f"{text} '{CONTAINER}' doesn't exist in RM or Timeline Server.\n"
    assert result.status == 255


@pytest.mark.parametrize(
    "words, command",
    [
        ((str(CONTAINER),), SignalContainerCommand.OUTPUT_THREAD_DUMP),
        ((str(CONTAINER), "GRACEFUL_SHUTDOWN"), SignalContainerCommand.GRACEFUL_SHUTDOWN),
    ],
)
def test_container_signal(
    rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], command: SignalContainerCommand
) -> None:
    result = shell.yarn("container", "-signal", *words)
    assert (result.status, result.out) == (0, f"Signalling container {CONTAINER}\n")
    assert rm.asked("signalToContainer")[0].command is command


def test_container_signal_that_is_none(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("container", "-signal", str(CONTAINER), "sing")
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        'Exception in thread "main" java.lang.IllegalArgumentException: '
        "No enum constant org.apache.hadoop.yarn.api.records.SignalContainerCommand.sing\n"
    )
    assert rm.calls == []


def test_container_list_of_a_service_name(shell: Shell) -> None:
    result = shell.yarn("container", "-list", "sleeper")
    assert (result.status, result.out) == (255, "")
    assert result.err == "Application with name 'sleeper' doesn't exist in RM or Timeline Server.\n"


# Both


@pytest.mark.parametrize("command", ["applicationattempt", "container"])
def test_bare_commands_are_no_failure(shell: Shell, command: str) -> None:
    result = shell.yarn(command)
    assert (result.status, result.err) == (0, "Invalid Command Usage : \n")
    assert result.out.startswith(f"usage: {command}\n")


@pytest.mark.parametrize("command", ["applicationattempt", "container"])
@pytest.mark.parametrize("words", [("-list", "a", "surplus"), ("-status", "a", "-list", "b")])
def test_surplus_words_get_help(shell: Shell, command: str, words: tuple[str, ...]) -> None:
    result = shell.yarn(command, *words)
    assert (result.status, result.err) == (255, "")
    assert result.out.startswith(f"usage: {command}\n")


@pytest.mark.parametrize("command", ["applicationattempt", "container"])
def test_missing_arguments_and_help(shell: Shell, command: str) -> None:
    result = shell.yarn(command, "-list")
    assert result.out.startswith(f"Missing argument for options\nusage: {command}\n")
    assert result.status == 255
    assert shell.yarn(command, "-help").status == 0


def test_an_answer_without_a_report_is_of_what_is_unknown(rm: FakeResourceManager, shell: Shell) -> None:
    """A field of the message that is not set: ApplicationCLI prints the same line for it."""
    rm.answers["getApplicationAttemptReport"] = GetApplicationAttemptReportResponse()
    rm.answers["getContainerReport"] = GetContainerReportResponse()
    result = shell.yarn("applicationattempt", "-status", str(ATTEMPT))
    assert (result.status, result.err) == (255, "")
    assert "Application Attempt with id" in result.out
    result = shell.yarn("container", "-status", str(CONTAINER))
    assert (result.status, result.err) == (255, "")
    assert "Container with id" in result.out
