"""`yarn application`: what it asks, prints and returns, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from tests.client.fakes import FakeResourceManager, Shell
from yarnbox.yarn.enums import (
    ApplicationTimeoutType,
    FinalApplicationStatus,
    LogAggregationStatus,
    YarnApplicationState,
)
from yarnbox.yarn.errors import AccessControlError, ApplicationNotFoundError, YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import (
    ApplicationReport,
    ApplicationResourceUsageReport,
    ApplicationTimeout,
    ApplicationUpdateTimeoutMap,
    AppTimeoutsMap,
)
from yarnbox.yarn.records.client import (
    GetApplicationReportResponse,
    GetApplicationsResponse,
    KillApplicationResponse,
    UpdateApplicationPriorityResponse,
    UpdateApplicationTimeoutsResponse,
)

FIRST = ApplicationId(1_700_000_000_000, 1)
SECOND = ApplicationId(1_700_000_000_000, 2)
UNKNOWN = "application_1700000000000_0099"

LIFETIME = AppTimeoutsMap(
    application_timeout_type=ApplicationTimeoutType.LIFETIME,
    application_timeout=ApplicationTimeout(
        application_timeout_type=ApplicationTimeoutType.LIFETIME, expire_time="UNLIMITED", remaining_time=-1
    ),
)


def report(application_id: ApplicationId = FIRST, **changes: Any) -> ApplicationReport:
    values: dict[str, Any] = {
        "application_id": application_id,
        "user": "mei",
        "queue": "root.etl",
        "name": "daily",
        "host": "n1",
        "rpc_port": 8030,
        "yarn_application_state": YarnApplicationState.RUNNING,
        "tracking_url": "http://rm1:8088/proxy/application_1700000000000_0001/",
        "original_tracking_url": "http://n1:4711/",
        "diagnostics": "",
        "start_time": 1_700_000_001_000,
        "finish_time": 0,
        "final_application_status": FinalApplicationStatus.UNDEFINED,
        "app_resource_usage": ApplicationResourceUsageReport(
            memory_seconds=187_392, vcore_seconds=183, preempted_memory_seconds=0, preempted_vcore_seconds=0
        ),
        "progress": 0.375,
        "application_type": "YARN",
        "log_aggregation_status": LogAggregationStatus.DISABLED,
        "priority": 0,
        "app_node_label_expression": "<Not set>",
        "am_node_label_expression": "<DEFAULT_PARTITION>",
        "app_timeouts": (LIFETIME,),
    }
    return ApplicationReport(**{**values, **changes})


def reports(*known: ApplicationReport) -> Any:
    """An answer of getApplicationReport for these applications alone."""

    def answer(request: Any) -> Any:
        for one in known:
            if one.application_id == request.application_id:
                return GetApplicationReportResponse(application_report=one)
        return ApplicationNotFoundError(
            f"Application with id '{request.application_id}' doesn't exist in RM."
        )

    return answer


STATUS = (
    "Application Report : \n"
    "\tApplication-Id : application_1700000000000_0001\n"
    "\tApplication-Name : daily\n"
    "\tApplication-Type : YARN\n"
    "\tUser : mei\n"
    "\tQueue : root.etl\n"
    "\tApplication Priority : 0\n"
    "\tStart-Time : 1700000001000\n"
    "\tFinish-Time : 0\n"
    "\tProgress : 37.5%\n"
    "\tState : RUNNING\n"
    "\tFinal-State : UNDEFINED\n"
    "\tTracking-URL : http://n1:4711/\n"
    "\tRPC Port : 8030\n"
    "\tAM Host : n1\n"
    "\tAggregate Resource Allocation : 187392 MB-seconds, 183 vcore-seconds\n"
    "\tAggregate Resource Preempted : 0 MB-seconds, 0 vcore-seconds\n"
    "\tLog Aggregation Status : DISABLED\n"
    "\tDiagnostics : \n"
    "\tUnmanaged Application : false\n"
    "\tApplication Node Label Expression : <Not set>\n"
    "\tAM container Node Label Expression : <DEFAULT_PARTITION>\n"
    "\tTimeoutType : LIFETIME\tExpiryTime : UNLIMITED\tRemainingTime : -1seconds\n"
    "\n"
)


# -list


def test_list(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplications"] = GetApplicationsResponse(
        applications=(
            report(SECOND, name="", original_tracking_url=None, progress=0.0),
            report(name="two words"),
        )
    )
    result = shell.yarn("application", "-list")
    assert result.err == ""
    assert result.out == (
        "Total number of applications (application-types: [], states: [SUBMITTED, ACCEPTED, RUNNING]"
        " and tags: []):2\n"
        "                Application-Id\t    Application-Name\t    Application-Type\t      User\t     Queue\t"
        "             State\t       Final-State\t       Progress\t                       Tracking-URL\n"
        "application_1700000000000_0001\t           two words\t                YARN\t       mei\t  root.etl\t"
        "           RUNNING\t         UNDEFINED\t          37.5%\t                    http://n1:4711/\n"
        "application_1700000000000_0002\t                    \t                YARN\t       mei\t  root.etl\t"
        "           RUNNING\t         UNDEFINED\t             0%\t                               null\n"
    )
    assert result.status == 0


def test_columns_split_on_tabs_whatever_the_name(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplications"] = GetApplicationsResponse(
        applications=(report(name=""), report(SECOND, name="a b  c"))
    )
    rows = [line.split("\t") for line in shell.yarn("app", "-list").out.splitlines()[2:]]
    assert [(row[0].strip(), row[5].strip()) for row in rows] == [
        (str(FIRST), "RUNNING"),
        (str(SECOND), "RUNNING"),
    ]


def test_list_filters(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn(
        "application",
        "-appTypes",
        "spark, mapreduce",
        "-list",
        "-appStates",
        "finished,RUNNING",
        "-appTags",
        "b,A",
    )
    assert result.out.splitlines()[0] == (
        "Total number of applications (application-types: [MAPREDUCE, SPARK], states: [RUNNING, FINISHED]"
        " and tags: [A, b]):0"
    )
    (request,) = rm.asked("getApplications")
    assert request.application_types == ("MAPREDUCE", "SPARK")
    assert request.application_states == (YarnApplicationState.RUNNING, YarnApplicationState.FINISHED)
    assert request.application_tags == ("a", "b")
    assert rm.callers[0].user == "mei"


def test_list_all_states(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("application", "-list", "-appStates", "running", "all", "nonsense")
    assert result.status == 0
    assert "NEW, NEW_SAVING, SUBMITTED, ACCEPTED, RUNNING, FINISHED, FAILED, KILLED" in result.out
    assert rm.asked("getApplications")[0].application_states == tuple(YarnApplicationState)


def test_list_of_a_wrong_state(rm: FakeResourceManager, shell: Shell) -> None:
    result = shell.yarn("application", "-list", "-appStates", "RUNNING,walking")
    assert result.out == (
        "The application state walking is invalid.\n"
        "The valid application state can be one of the following: "
        "ALL,NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING,FINISHED,FAILED,KILLED\n"
    )
    assert result.status == 255
    assert rm.calls == []


# -status


def test_status(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    result = shell.yarn("application", "-status", str(FIRST))
    assert (result.status, result.out, result.err) == (0, STATUS, "")


def test_status_without_a_usage_report(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(
        report(app_resource_usage=None, log_aggregation_status=None, app_timeouts=())
    )
    out = shell.yarn("application", "-status", str(FIRST)).out
    assert "\tAggregate Resource Allocation : N/A\n\tAggregate Resource Preempted : N/A\n" in out
    assert "\tLog Aggregation Status : N/A\n" in out
    assert out.endswith("<DEFAULT_PARTITION>\n\n")


def test_status_with_other_resource_types(rm: FakeResourceManager, shell: Shell) -> None:
    usage = ApplicationResourceUsageReport(
        memory_seconds=10,
        vcore_seconds=2,
        application_resource_usage_map={"memory-mb": 10, "vcores": 2, "yarn.io/gpu": 120, "disk": 5},
    )
    rm.answers["getApplicationReport"] = reports(report(app_resource_usage=usage))
    shell.properties = {"yarn.resource-types": "disk", "yarn.resource-types.disk.units": "Gi"}
    out = shell.yarn("application", "-status", str(FIRST)).out
    assert "Allocation : 10 MB-seconds, 2 vcore-seconds, 5 disk-Giseconds, 120 yarn.io/gpu-seconds\n" in out


def test_status_of_an_unknown_application(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports()
    result = shell.yarn("application", "-status", UNKNOWN)
    assert result.out == f"Application with id '{UNKNOWN}' doesn't exist in RM or Timeline Server.\n"
    assert result.status == 255


def test_status_of_a_word_that_is_no_id(shell: Shell) -> None:
    result = shell.yarn("application", "-status", "sleeper")
    assert result.err == "Application with name 'sleeper' doesn't exist in RM or Timeline Server.\n"
    assert (result.status, result.out) == (255, "")


# -kill


def test_kill_waits_until_it_is_completed(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    rm.answers["forceKillApplication"] = lambda _: KillApplicationResponse(
        is_kill_completed=len(rm.asked("forceKillApplication")) == 3
    )
    before = shell.clock.now_ms()
    result = shell.yarn("application", "-kill", str(FIRST))
    assert (result.status, result.out) == (0, f"Killing application {FIRST}\n")
    assert result.err.endswith(f" INFO client.YarnClient: Killed application {FIRST}\n")
    assert shell.clock.now_ms() - before == 2 * 200


def test_kill_several(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(
        report(yarn_application_state=YarnApplicationState.FINISHED), report(SECOND)
    )
    rm.answers["forceKillApplication"] = KillApplicationResponse(is_kill_completed=True)
    result = shell.yarn("application", "-kill", str(FIRST), UNKNOWN, str(SECOND))
    assert result.out == (
        f"Application {FIRST} has already finished \n"
        f"Application with id '{UNKNOWN}' doesn't exist in RM.\n"
        f"Killing application {SECOND}\n"
    )
    assert result.status == 0


def test_kill_of_an_unknown_application(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports()
    result = shell.yarn("application", "-kill", UNKNOWN)
    assert (result.status, result.out) == (255, f"Application with id '{UNKNOWN}' doesn't exist in RM.\n")


def test_kill_gives_up_at_the_configured_time(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    shell.properties = {"yarn.client.application-client-protocol.poll-timeout-ms": "1000"}
    result = shell.yarn("application", "-kill", str(FIRST))
    assert result.status == 1
    assert result.err == (
        'Exception in thread "main" org.apache.hadoop.yarn.exceptions.YarnException: '
        f"Timed out while waiting for application {FIRST} to be killed.\n"
    )
    assert len(rm.asked("forceKillApplication")) == 6


# Changes


@pytest.mark.parametrize(
    "words",
    [("-movetoqueue", str(FIRST), "-queue", "lab"), ("-changeQueue", "lab", "-appId", str(FIRST))],
)
def test_move(rm: FakeResourceManager, shell: Shell, words: tuple[str, ...]) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    result = shell.yarn("application", *words)
    assert result.out == f"Moving application {FIRST} to queue lab\nSuccessfully completed move.\n"
    assert result.status == 0
    assert rm.asked("moveApplicationAcrossQueues")[0].target_queue == "lab"


def test_move_of_a_finished_application(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report(yarn_application_state=YarnApplicationState.KILLED))
    result = shell.yarn("application", "-movetoqueue", str(FIRST), "-queue", "lab")
    assert (result.status, result.out) == (0, f"Application {FIRST} has already finished \n")


def test_move_that_is_refused(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    rm.answers["moveApplicationAcrossQueues"] = AccessControlError("User mei cannot submit to queue lab")
    result = shell.yarn("application", "-movetoqueue", str(FIRST), "-queue", "lab")
    assert result.status == 1
    assert result.out == f"Moving application {FIRST} to queue lab\n"
    assert result.err == (
        'Exception in thread "main" org.apache.hadoop.security.AccessControlException: '
        "User mei cannot submit to queue lab\n"
    )


def test_priority(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["updateApplicationPriority"] = UpdateApplicationPriorityResponse(application_priority=7)
    result = shell.yarn("application", "-appId", str(FIRST), "-updatePriority", "7")
    assert result.out == (
        f"Updating priority of an application {FIRST}\n"
        f"Successfully updated the application {FIRST} with priority '7'\n"
    )
    result = shell.yarn("application", "-appId", str(FIRST), "-updatePriority", "9")
    assert result.out == (
        f"Updating priority of an application {FIRST}\n"
        f"Updated priority of an application  {FIRST} to cluster max priority OR keeping old priority"
        " as application is in final states\n"
    )
    assert result.status == 0


def test_lifetime(rm: FakeResourceManager, shell: Shell) -> None:
    def answer(request: Any) -> UpdateApplicationTimeoutsResponse:
        return UpdateApplicationTimeoutsResponse(application_timeouts=request.application_timeouts)

    rm.answers["updateApplicationTimeouts"] = answer
    result = shell.yarn("application", "-appId", str(FIRST), "-updateLifetime", "100")
    assert result.out == (
        f"Updating timeout for given timeoutType: LIFETIME of an application {FIRST}\n"
        f"Successfully updated LIFETIME of an application {FIRST}. "
        "New expiry time is 2023-11-14T22:15:00.000+0000\n"
    )
    rm.answers["updateApplicationTimeouts"] = UpdateApplicationTimeoutsResponse(
        application_timeouts=(
            ApplicationUpdateTimeoutMap(
                application_timeout_type=ApplicationTimeoutType.LIFETIME,
                expire_time="2023-11-14T22:14:00.000+0000",
            ),
        )
    )
    result = shell.yarn("application", "-appId", str(FIRST), "-updateLifetime", "100")
    assert result.out.endswith(
        f"Updated lifetime of an application  {FIRST} to queue max/default lifetime. "
        "New expiry time is 2023-11-14T22:14:00.000+0000\n"
    )
    assert result.status == 0


# What is no command


def test_precedence_is_fixed(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplicationReport"] = reports(report())
    result = shell.yarn("application", "-list", "-status", str(FIRST))
    assert result.status == 255  # -status comes first, and bears no -list beside it
    assert result.out.startswith("usage: application\n")
    result = shell.yarn("application", "-kill", str(FIRST), "-list")
    assert result.out.startswith("Total number of applications")


def test_bare_command_is_no_failure(shell: Shell) -> None:
    result = shell.yarn("application")
    assert result.err == "Invalid Command Usage : \n"
    assert result.out.startswith("usage: application\n")
    assert result.status == 0


@pytest.mark.parametrize(
    "words",
    [
        ("-list", "surplus"),
        ("-movetoqueue", str(FIRST)),
        ("-changeQueue", "lab"),
        ("-updatePriority", "7"),
        ("-updateLifetime", "7"),
        ("-kill", str(FIRST), "-appId", str(FIRST)),
    ],
)
def test_incomplete_or_surplus_words_get_help(shell: Shell, words: tuple[str, ...]) -> None:
    result = shell.yarn("application", *words)
    assert result.status == 255
    assert result.out.startswith("usage: application\n")
    assert result.err == ""


def test_missing_argument(shell: Shell) -> None:
    result = shell.yarn("application", "-status")
    assert result.out.startswith("Missing argument for options\nusage: application\n")
    assert (result.status, result.err) == (255, "")


@pytest.mark.parametrize(
    "words, error",
    [
        (("-foo",), "org.apache.commons.cli.UnrecognizedOptionException: Unrecognized option: -foo"),
        (
            ("-kill", "application_x_1"),
            "java.lang.IllegalArgumentException: Invalid ApplicationId: application_x_1",
        ),
        (
            ("-appId", str(FIRST), "-updatePriority", "high"),
            'java.lang.NumberFormatException: For input string: "high"',
        ),
    ],
)
def test_uncaught_errors(shell: Shell, words: tuple[str, ...], error: str) -> None:
    result = shell.yarn("application", *words)
    assert (result.status, result.out) == (1, "")
    assert result.err == f'Exception in thread "main" {error}\n'


def test_refusals_that_nobody_catches(rm: FakeResourceManager, shell: Shell) -> None:
    rm.answers["getApplications"] = YarnError("not now")
    result = shell.yarn("application", "-list")
    assert result.status == 1
    assert (
        result.err == 'Exception in thread "main" org.apache.hadoop.yarn.exceptions.YarnException: not now\n'
    )


@pytest.mark.parametrize("action", ["launch", "stop", "flex", "upgrade", "decommission"])
def test_yarn_services_are_refused(shell: Shell, action: str) -> None:
    words = [f"-{action}", "sleeper", *(["file"] if action == "launch" else [])]
    result = shell.yarn("application", *words)
    assert result.status == 255
    assert result.err == f"-{action} belongs to YARN services, which yarnbox does not have\n"


def test_help(shell: Shell) -> None:
    result = shell.yarn("app", "-help")
    assert result.status == 0
    assert result.out.startswith("usage: application\n -appId <Application ID>")
