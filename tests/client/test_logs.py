"""`yarn logs`: from the collected files and from the nodes, framed byte for byte; and what is refused."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.client.fakes import NOVEMBER_MS, FakeResourceManager, FakeWebService, Shell
from yarnbox.yarn.connection.address_book import write_address_book
from yarnbox.yarn.enums import ContainerState, YarnApplicationState
from yarnbox.yarn.errors import ApplicationNotFoundError, ContainerNotFoundError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.application import ApplicationAttemptReport, ApplicationReport
from yarnbox.yarn.records.client import (
    GetApplicationAttemptsResponse,
    GetApplicationReportResponse,
    GetContainerReportResponse,
    GetContainersResponse,
)
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.storage.aggregated_logs import AggregatedLogWriter, LogLayout

APPLICATION = ApplicationId(1_700_000_000_000, 1)
OTHER = ApplicationId(1_700_000_000_000, 2)
ATTEMPT = ApplicationAttemptId(APPLICATION, 1)
FIRST = ContainerId.build(ATTEMPT, 1)
SECOND = ContainerId.build(ATTEMPT, 2)
LATER = ContainerId.build(ApplicationAttemptId(APPLICATION, 2), 1)
N1, N2 = NodeId("n1", 1234), NodeId("n2", 1234)

PATTERN_MISSED = "Can not find any log file matching the pattern: "


def framed(container: ContainerId, node: str, name: str, text: str, length: int | None = None) -> str:
    """An aggregated log as it has to look."""
    return (
        f"Container: {container} on {node}\n"
        "LogAggregationType: AGGREGATED\n"
        f"{'=' * len(f'Container: {container} on {node}')}\n"
        f"LogType:{name}\n"
        "LogLastModifiedTime:Tue Nov 14 22:13:20 +0000 2023\n"
        f"LogLength:{len(text) if length is None else length}\n"
        "LogContents:\n"
        f"{text}\n"
        f"End of LogType:{name}\n"
        f"{'*' * (len(f'End of LogType:{name}') + 50)}\n"
        "\n"
    )


def collect(root: Path, node: NodeId, logs: dict[tuple[ContainerId, str], str], user: str = "mei") -> None:
    path = LogLayout(root).node_file(user, APPLICATION, node)
    with AggregatedLogWriter(path, "mei") as writer:
        for (container, name), text in logs.items():
            writer.append(container, [(name, io.BytesIO(text.encode()))])
    os.utime(path, ns=(NOVEMBER_MS * 1_000_000,) * 2)


@pytest.fixture
def finished(rm: FakeResourceManager, tmp_path: Path) -> Shell:
    """A shell, and an application that has finished and left logs of three containers on two nodes."""
    report = ApplicationReport(
        application_id=APPLICATION, user="mei", yarn_application_state=YarnApplicationState.FINISHED
    )
    rm.answers["getApplicationReport"] = GetApplicationReportResponse(application_report=report)
    collect(tmp_path, N1, {(FIRST, "syslog"): "", (FIRST, "stdout"): "hello world\n"})
    collect(tmp_path, N2, {(SECOND, "stdout"): "two", (LATER, "stdout"): "later"})
    return Shell(rm.address, properties={"yarn.nodemanager.remote-app-log-dir": str(tmp_path)})


# Finished applications


def test_all_logs(finished: Shell) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION))
    assert result.out == (
        framed(FIRST, "n1_1234", "stdout", "hello world\n")
        + framed(FIRST, "n1_1234", "syslog", "")
        + framed(SECOND, "n2_1234", "stdout", "two")
        + framed(LATER, "n2_1234", "stdout", "later")
    )
    assert (result.status, result.err) == (0, "")


@pytest.mark.parametrize(
    "words, expected",
    [
        (("-containerId", str(SECOND)), framed(SECOND, "n2_1234", "stdout", "two")),
        (
            ("-applicationAttemptId", str(LATER.application_attempt_id)),
            framed(LATER, "n2_1234", "stdout", "later"),
        ),
        (
            ("-applicationId", str(APPLICATION), "-log_files", "syslog"),
            framed(FIRST, "n1_1234", "syslog", ""),
        ),
        (
            ("-applicationId", str(APPLICATION), "-log_files_pattern", "^sys,^none"),
            framed(FIRST, "n1_1234", "syslog", ""),
        ),
        (
            ("-containerId", str(FIRST), "-logFiles", "stdout", "-size", "5"),
            framed(FIRST, "n1_1234", "stdout", "hello", 12),
        ),
        (
            ("-containerId", str(FIRST), "-log_files", "stdout", "-size", "-6"),
            framed(FIRST, "n1_1234", "stdout", "world\n", 12),
        ),
        (
            ("-containerId", str(SECOND), "-nodeAddress", "n2:1234", "-log_files", "*"),
            framed(SECOND, "n2_1234", "stdout", "two"),
        ),
    ],
)
def test_chosen_logs(finished: Shell, words: tuple[str, ...], expected: str) -> None:
    result = finished.yarn("logs", *words)
    assert (result.status, result.out, result.err) == (0, expected, "")


def test_into_a_directory(finished: Shell, tmp_path: Path) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-out", str(tmp_path / "out"))
    assert (result.status, result.out) == (0, "")
    written = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("container_*")}
    assert written == {f"n1_1234/{FIRST}", f"n2_1234/{SECOND}", f"n2_1234/{LATER}"}
    assert (tmp_path / "out" / "n2_1234" / str(SECOND)).read_text() == framed(
        SECOND, "n2_1234", "stdout", "two"
    )


def test_bytes_that_are_no_text_go_through(finished: Shell, tmp_path: Path) -> None:
    path = LogLayout(tmp_path).node_file("mei", APPLICATION, N1)
    with AggregatedLogWriter(path, "mei") as writer:
        writer.append(FIRST, [("binary", io.BytesIO(b"\xff\x00\xfe"))])
    assert finished.yarn("logs", "-containerId", str(FIRST), "-out", str(tmp_path / "out")).status == 0
    assert b"LogContents:\n\xff\x00\xfe\nEnd of" in (tmp_path / "out/n1_1234" / str(FIRST)).read_bytes()


def test_containers_nodes_and_files(finished: Shell) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-show_application_log_info")
    assert result.out == (
        "Application State: Completed.\n"
        f"Container: {FIRST} on n1_1234\n"
        f"Container: {SECOND} on n2_1234\n"
        f"Container: {LATER} on n2_1234\n"
    )
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-list_nodes")
    assert (result.status, result.out) == (0, "n1_1234\nn2_1234\n\n")
    result = finished.yarn("logs", "-containerId", str(SECOND), "-show_container_log_info")
    title = f"Container: {SECOND} on n2_1234"
    assert result.out == (
        f"{title}\n{'=' * len(title)}\n"
        "                       LogFile\t                     LogLength\t"
        "          LastModificationTime\t            LogAggregationType\n"
        f"{'=' * 2 * len(title)}\n"
        "                        stdout\t                             3\t"
        "Tue Nov 14 22:13:20 +0000 2023\t                    AGGREGATED\n"
    )


def test_nothing_matches(finished: Shell) -> None:
    result = finished.yarn("logs", "-containerId", str(FIRST), "-log_files", "none")
    assert (result.status, result.out) == (255, "")
    assert result.err == (
        f"{PATTERN_MISSED}[none] for the container: {FIRST} within the application: {APPLICATION}\n"
    )
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-log_files", "none")
    assert result.err.endswith(
        f"Can not find the logs for the application: {APPLICATION} with the appOwner: mei\n"
    )
    result = finished.yarn(
        "logs", "-containerId", str(FIRST), "-nodeAddress", "n9:1", "-show_container_log_info"
    )
    assert result.err == f"The container {FIRST} couldn't be found on the node specified: n9:1\n"


def test_nothing_was_collected(finished: Shell) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-appOwner", "ann")
    assert result.status == 255
    assert "/ann/bucket-logs-tfile/0001/" in result.err
    assert "Log aggregation has not completed or is not enabled.\n" in result.err
    assert result.err.endswith("with the appOwner: ann\n")


def test_a_damaged_file_is_passed_over(finished: Shell, tmp_path: Path) -> None:
    path = LogLayout(tmp_path).node_file("mei", APPLICATION, N1)
    path.write_bytes(b"damaged")
    result = finished.yarn("logs", "-containerId", str(SECOND))
    assert result.out == framed(SECOND, "n2_1234", "stdout", "two")
    assert "Skipping empty or corrupt file" in result.err


def test_too_much(finished: Shell) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-size_limit_mb", "0")
    assert (result.status, result.out) == (1, "")
    assert result.err == (
        'Exception in thread "main" java.lang.RuntimeException: The total log size is too large.'
        "The log size limit is 0MB. Please specify a proper value --size option or if you really want to "
        "fetch all, please specify -1 for --size_limit_mb option.\n"
    )
    assert finished.yarn("logs", "-applicationId", str(APPLICATION), "-size_limit_mb", "-1").status == 0


def test_an_application_that_the_rm_forgot(rm: FakeResourceManager, finished: Shell, tmp_path: Path) -> None:
    rm.answers["getApplicationReport"] = ApplicationNotFoundError("forgotten")
    result = finished.yarn("logs", "-containerId", str(SECOND))
    assert result.out == framed(SECOND, "n2_1234", "stdout", "two")
    assert result.err == (
        "Unable to get ApplicationState. Attempting to fetch logs directly from the filesystem.\n"
    )
    result = finished.yarn("logs", "-applicationId", str(OTHER))
    assert result.status == 255
    assert result.err.endswith(
        "Can not find the appOwner. Please specify the correct appOwner\n"
        f"Could not locate application logs for {OTHER}\n"
    )


# Running applications


def running(rm: FakeResourceManager, address: str) -> None:
    """One application with one attempt and one container, whose node serves HTTP at `address`."""
    report = ApplicationReport(
        application_id=APPLICATION, user="mei", yarn_application_state=YarnApplicationState.RUNNING
    )
    container = ContainerReport(
        container_id=FIRST, node_id=N1, node_http_address=address, container_state=ContainerState.RUNNING
    )
    rm.answers["getApplicationReport"] = GetApplicationReportResponse(application_report=report)
    rm.answers["getApplicationAttempts"] = GetApplicationAttemptsResponse(
        application_attempts=(ApplicationAttemptReport(application_attempt_id=ATTEMPT),)
    )
    rm.answers["getContainers"] = GetContainersResponse(containers=(container,))
    rm.answers["getContainerReport"] = GetContainerReportResponse(container_report=container)


LOCAL = (
    f"Container: {FIRST} on n1:1234\nLogAggregationType: LOCAL\n...\n"
    f"End of LogType:stdout.This log file belongs to a running container ({FIRST}) "
    "and so may not be complete.\n***\n\n"
)


@pytest.fixture
def node(web: FakeWebService) -> FakeWebService:
    info = {"fileName": "stdout", "fileSize": "12", "lastModifiedTime": "Tue Nov 14 22:13:20 +0000 2023"}
    listing = {"containerLogsInfo": {"containerLogInfo": info, "logAggregationType": "LOCAL"}}
    web.answers[f"GET /ws/v1/node/containers/{FIRST}/logs"] = (200, json.dumps(listing))
    web.answers[f"GET /ws/v1/node/containers/{FIRST}/logs/stdout"] = (200, LOCAL)
    return web


@pytest.mark.parametrize("words", [("-applicationId", str(APPLICATION)), ("-containerId", str(FIRST))])
@pytest.mark.parametrize("scheme", ["", "http://"])
def test_logs_of_running_containers(
    rm: FakeResourceManager, shell: Shell, node: FakeWebService, words: tuple[str, ...], scheme: str
) -> None:
    running(rm, scheme + node.address)
    result = shell.yarn("logs", *words, "-size", "-7")
    assert (result.status, result.out, result.err) == (0, LOCAL + "\n", "")
    assert node.requests[-1][1] == {"size": ["-7"], "user.name": ["mei"]}


def test_emulated_hosts_are_looked_up(
    rm: FakeResourceManager, shell: Shell, node: FakeWebService, tmp_path: Path
) -> None:
    running(rm, "nm1.rack1:8042")
    write_address_book(tmp_path / "addresses.json", {"nm1.rack1:8042": node.address})
    shell.properties = {"yarnbox.address-book": str(tmp_path / "addresses.json")}
    assert shell.yarn("logs", "-containerId", str(FIRST)).out == LOCAL + "\n"


def test_files_of_running_containers(
    rm: FakeResourceManager, shell: Shell, node: FakeWebService, tmp_path: Path
) -> None:
    running(rm, node.address)
    result = shell.yarn("logs", "-applicationId", str(APPLICATION), "-show_application_log_info")
    assert result.out == f"Application State: Running.\nContainer: {FIRST} on n1:1234\n"
    result = shell.yarn("logs", "-applicationId", str(APPLICATION), "-show_container_log_info")
    assert result.out.splitlines()[-1].split("\t")[-1].strip() == "LOCAL"
    result = shell.yarn("logs", "-applicationId", str(APPLICATION), "-out", str(tmp_path))
    assert (result.out, (tmp_path / "n1_1234" / str(FIRST)).read_text()) == ("", LOCAL + "\n")
    result = shell.yarn("logs", "-applicationId", str(APPLICATION), "-list_nodes")
    assert result.err == "The -list_nodes command can be only used with finished applications\n"
    assert result.status == 255


def test_a_node_that_refuses(rm: FakeResourceManager, shell: Shell, node: FakeWebService) -> None:
    running(rm, node.address)
    node.answers[f"GET /ws/v1/node/containers/{FIRST}/logs/stdout"] = (404, "gone")
    result = shell.yarn("logs", "-containerId", str(FIRST))
    assert result.out == (
        "Can not get any logs for the log file: stdout\n"
        "Response from the NodeManager:n1:1234 WebService is not successful, HTTP error code: 404, "
        "Server response:\ngone\n"
    )


def test_a_node_that_is_gone(rm: FakeResourceManager, shell: Shell) -> None:
    running(rm, "127.0.0.1:1")
    before = shell.clock.now_ms()
    result = shell.yarn(
        "logs", "-containerId", str(FIRST), "-client_max_retries", "2", "-client_retry_interval_ms", "300"
    )
    assert (result.status, result.out) == (255, "")
    assert result.err.count("Exception caught by ClientConnectionRetry") == 2
    assert shell.clock.now_ms() - before == 600


def test_a_container_that_is_over(
    rm: FakeResourceManager, shell: Shell, node: FakeWebService, tmp_path: Path
) -> None:
    running(rm, node.address)
    rm.answers["getContainerReport"] = ContainerNotFoundError("over")
    shell.properties = {
        "yarn.resourcemanager.webapp.address": node.address,
        "yarn.nodemanager.remote-app-log-dir": str(tmp_path),
    }
    result = shell.yarn("logs", "-containerId", str(FIRST))
    assert result.status == 255
    assert f"Unable to get logs for this container:{FIRST} for the application:{APPLICATION}" in result.err
    nodes = {"node": {"id": "n1:1234", "nodeHTTPAddress": node.address}}
    node.answers["GET /ws/v1/cluster/nodes/n1:1234"] = (200, json.dumps(nodes))
    result = shell.yarn("logs", "-containerId", str(FIRST), "-nodeAddress", "n1:1234")
    assert (result.status, result.out) == (0, LOCAL + "\n")


def test_too_early(rm: FakeResourceManager, shell: Shell) -> None:
    report = ApplicationReport(yarn_application_state=YarnApplicationState.SUBMITTED)
    rm.answers["getApplicationReport"] = GetApplicationReportResponse(application_report=report)
    result = shell.yarn("logs", "-applicationId", str(APPLICATION))
    assert (result.status, result.err) == (255, "Logs are not available right now.\n")


# AM containers


def attempts(web: FakeWebService, *containers: ContainerId) -> None:
    found: list[dict[str, Any]] = [
        {"id": number, "containerId": str(one), "nodeHttpAddress": web.address, "nodeId": "n1:1234"}
        for number, one in enumerate(containers, 1)
    ]
    path = f"GET /ws/v1/cluster/apps/{APPLICATION}/appattempts"
    web.answers[path] = (200, json.dumps({"appAttempts": {"appAttempt": found}}))


@pytest.mark.parametrize("which", ["1", "-1"])
def test_logs_of_an_am(rm: FakeResourceManager, shell: Shell, node: FakeWebService, which: str) -> None:
    running(rm, node.address)
    attempts(node, FIRST)
    shell.properties = {"yarn.resourcemanager.webapp.address": node.address}
    result = shell.yarn("logs", "-applicationId", str(APPLICATION), "-am", which)
    assert (result.status, result.out, result.err) == (0, LOCAL + "\n", "")


def test_logs_of_all_ams(finished: Shell, web: FakeWebService) -> None:
    attempts(web, FIRST)
    finished.properties = {**finished.properties, "yarn.resourcemanager.webapp.address": web.address}
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-am", "ALL", "-log_files", "syslog")
    assert result.out == (
        "\nSpecified ALL for -am option. Printed logs for all am containers.\n"
        + framed(FIRST, "n1_1234", "syslog", "")
    )


def test_an_am_beyond_the_last(finished: Shell, web: FakeWebService) -> None:
    attempts(web, FIRST)
    finished.properties = {**finished.properties, "yarn.resourcemanager.webapp.address": web.address}
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-am", "3")
    assert result.err == "ERROR: Specified AM containerId (3) exceeds the number of AM containers (1).\n"
    assert result.status == 255
    web.answers.clear()
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-am", "1")
    assert result.err.startswith(
        f"Unable to get AM container informations for the application:{APPLICATION}\n"
    )
    assert result.status == 255


# What is refused before anybody is asked


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ("-size", "1"),
            (
                "None of applicationId, appAttemptId and containerId is available,  "
                "one of them must be specified."
            ),
        ),
        (("-applicationId", "x"), "Invalid ApplicationId specified"),
        (("-applicationAttemptId", "x"), "Invalid AppAttemptId specified"),
        (("-containerId", "x"), "Invalid ContainerId specified"),
        (
            ("-applicationId", str(OTHER), "-applicationAttemptId", str(ATTEMPT)),
            f"The Application:{OTHER} does not have the AppAttempt:{ATTEMPT}",
        ),
        (
            ("-applicationAttemptId", str(ATTEMPT), "-containerId", str(LATER)),
            f"The AppAttempt:{ATTEMPT} does not have the container:{LATER}",
        ),
        (
            ("-applicationId", str(OTHER), "-containerId", str(FIRST)),
            f"The Application:{OTHER} does not have the container:{FIRST}",
        ),
        (
            ("-containerId", str(FIRST), "-show_application_log_info", "-show_container_log_info"),
            "Invalid options. Can only accept one of show_application_log_info/show_container_log_info.",
        ),
        (
            ("-containerId", str(FIRST), "-log_files", "a", "-log_files_pattern", "b"),
            "Invalid options. Can only accept one of log_files/log_files_pattern.",
        ),
        (
            ("-containerId", str(FIRST), "-am", "0"),
            (
                "Invalid input for option -am. Valid inputs are 'ALL', -1 and any other integer which is "
                "larger than 0."
            ),
        ),
        (("-foo",), "options parsing failed: Unrecognized option: -foo"),
        (("-applicationId",), "options parsing failed: Missing argument for option: applicationId"),
        (
            ("-containerId", str(FIRST), "-out", __file__),
            "Invalid value for -out option. Please provide a directory.",
        ),
    ],
)
def test_refused_words(rm: FakeResourceManager, shell: Shell, words: tuple[str, ...], message: str) -> None:
    result = shell.yarn("logs", *words)
    assert result.status == 255
    assert result.err == f"{message}\n"
    assert rm.calls == []


def test_a_node_alone_is_not_enough(finished: Shell) -> None:
    result = finished.yarn("logs", "-applicationId", str(APPLICATION), "-nodeAddress", "n1:1234")
    assert (result.status, result.err) == (255, "Should at least provide ContainerId!\n")
    assert result.out.startswith("Retrieve logs for YARN applications.\n")


def test_help(shell: Shell) -> None:
    assert shell.run("logs").status == 255
    result = shell.run("logs", "-help")
    assert result.status == 0
    assert result.out.startswith(
        "Retrieve logs for YARN applications.\nusage: yarn logs -applicationId <application ID> [OPTIONS]\n"
    )
