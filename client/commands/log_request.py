"""The words of `yarn logs`, read and checked before anybody is asked. Hadoop: LogsCLI's first half."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from yarnbox.client.command_line import arguments as words
from yarnbox.client.command_line.failures import JavaError
from yarnbox.client.command_line.options import UNLIMITED, CommandLine, Option, Options, help_text
from yarnbox.yarn.errors import IllegalArgumentError
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId

ALL = "ALL"
LATEST = -1

_DEFAULT_LIMIT_MB = 10_240
_DEFAULT_RETRIES = 30
_DEFAULT_RETRY_INTERVAL_MS = 1000


def _list(name: str, description: str, argument_name: str) -> Option:
    return Option(name, description, UNLIMITED, separator=",", argument_name=argument_name)


OPTIONS = Options(
    Option("applicationId", "The application.", 1, argument_name="Application ID"),
    Option("applicationAttemptId", "All logs of this attempt.", 1),
    Option("containerId", "All logs of this container.", 1, argument_name="Container ID"),
    Option("nodeAddress", "The container's node, as host:port.", 1, argument_name="Node Address"),
    Option("appOwner", "The user who submitted the application.", 1, argument_name="Application Owner"),
    _list("am", "Logs of AM containers: ALL, -1 for the latest, or numbers from 1.", "AM Containers"),
    _list("log_files", "Only these files; ALL or * for all.", "Log File Name"),
    _list("logFiles", "The old name of -log_files.", "Log File Name"),
    _list("log_files_pattern", "Files whose names match regular expressions.", "Log File Pattern"),
    Option("size", "The first n bytes of each file; the last ones, if negative.", 1, argument_name="size"),
    Option("size_limit_mb", "Refuse more than this; -1 for no limit.", 1, argument_name="Size Limit"),
    Option("out", "Write below this directory.", 1, argument_name="Local Directory"),
    Option("list_nodes", "List the nodes that collected logs."),
    Option("show_application_log_info", "List the application's containers."),
    Option("show_container_log_info", "List log files and their sizes."),
    Option("clusterId", "Accepted and ignored: there is one cluster.", 1, argument_name="Cluster ID"),
    Option(
        "client_max_retries",
        "How often to try again; negative: without limit.",
        1,
        argument_name="Max Retries",
    ),
    Option("client_retry_interval_ms", "Time between two tries.", 1, argument_name="Retry Interval"),
    Option("help", "Shows this help."),
)


class LogsRefusedError(Exception):
    """The request makes no sense; the message goes to stderr, perhaps with help."""

    def __init__(self, message: str, *, with_help: bool = False) -> None:
        super().__init__(message)
        self.with_help = with_help


class LogsTooLargeError(JavaError):
    """More logs than -size_limit_mb allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogsRequest:
    """What is wanted."""

    application_id: ApplicationId
    attempt_id: ApplicationAttemptId | None = None
    container_id: ContainerId | None = None
    node: str | None = None
    owner: str | None = None
    am_containers: tuple[int, ...] | None = None
    """Numbers of AM containers; empty for all of them; None if it is not about these."""

    names: tuple[str, ...] = (ALL,)
    by_pattern: bool = False
    size: int | None = None
    limit_mb: int = _DEFAULT_LIMIT_MB
    out: Path | None = None
    list_nodes: bool = False
    show_application: bool = False
    show_container: bool = False
    retries: int = _DEFAULT_RETRIES
    retry_interval_ms: int = _DEFAULT_RETRY_INTERVAL_MS

    def concerns(self, container_id: ContainerId) -> bool:
        """Whether that container is among those asked for."""
        if self.container_id is not None:
            return container_id == self.container_id
        return self.attempt_id in (None, container_id.application_attempt_id)

    def matches(self, name: str) -> bool:
        """Whether that log file is among those asked for."""
        if ALL in self.names:
            return True
        if self.by_pattern:
            return any(re.search(pattern, name) for pattern in self.names)
        return name in self.names

    @property
    def shown_names(self) -> str:
        """The files as messages name them."""
        return f"[{', '.join(self.names)}]"


def usage() -> str:
    """The help of the command."""
    return (
        "Retrieve logs for YARN applications.\n"
        "usage: yarn logs -applicationId <application ID> [OPTIONS]\n\n"
        + help_text("general options are:", OPTIONS, prefix="")
    )


def read_request(line: CommandLine) -> LogsRequest:
    """The request in the line; LogsRefusedError tells what is wrong with it."""
    am_containers = _am_containers(line.values("am")) if line.has("am") else None
    names = tuple(line.values("log_files") or line.values("logFiles"))
    patterns = tuple(line.values("log_files_pattern"))
    size = _number(line, "size", 0) if line.has("size") else None
    limit_mb = _number(line, "size_limit_mb", _DEFAULT_LIMIT_MB)
    retries = _number(line, "client_max_retries", _DEFAULT_RETRIES)
    retry_interval_ms = _number(line, "client_retry_interval_ms", _DEFAULT_RETRY_INTERVAL_MS)
    application_id, attempt_id, container_id = _ids(line)
    if line.has("show_application_log_info") and line.has("show_container_log_info"):
        raise LogsRefusedError(
            "Invalid options. Can only accept one of show_application_log_info/show_container_log_info."
        )
    if names and patterns:
        raise LogsRefusedError("Invalid options. Can only accept one of log_files/log_files_pattern.")
    out = line.value("out")
    if out is not None and Path(out).is_file():
        raise LogsRefusedError("Invalid value for -out option. Please provide a directory.")
    return LogsRequest(
        application_id=application_id,
        attempt_id=attempt_id,
        container_id=container_id,
        node=line.value("nodeAddress"),
        owner=line.value("appOwner") or None,
        am_containers=am_containers,
        names=_names(names, patterns),
        by_pattern=bool(patterns),
        size=size,
        limit_mb=limit_mb,
        out=Path(out) if out is not None else None,
        list_nodes=line.has("list_nodes"),
        show_application=line.has("show_application_log_info"),
        show_container=line.has("show_container_log_info"),
        retries=retries,
        retry_interval_ms=retry_interval_ms,
    )


def _ids(line: CommandLine) -> tuple[ApplicationId, ApplicationAttemptId | None, ContainerId | None]:
    """The ids, which must belong to each other; the application's follows from either of the others."""
    application = line.value("applicationId")
    attempt, container = line.value("applicationAttemptId"), line.value("containerId")
    if application is None and attempt is None and container is None:
        raise LogsRefusedError(
            "None of applicationId, appAttemptId and containerId is available,  "
            "one of them must be specified.",
            with_help=True,
        )
    application_id, attempt_id, container_id = None, None, None
    if application is not None:
        try:
            application_id = words.application_id(application)
        except IllegalArgumentError:
            raise LogsRefusedError("Invalid ApplicationId specified") from None
    if attempt is not None:
        try:
            attempt_id = words.attempt_id(attempt)
        except IllegalArgumentError:
            raise LogsRefusedError("Invalid AppAttemptId specified") from None
        application_id = application_id or attempt_id.application_id
        if attempt_id.application_id != application_id:
            raise LogsRefusedError(
                f"The Application:{application_id} does not have the AppAttempt:{attempt_id}"
            )
    if container is not None:
        try:
            container_id = words.container_id(container)
        except IllegalArgumentError:
            raise LogsRefusedError("Invalid ContainerId specified") from None
        if attempt_id is not None and container_id.application_attempt_id != attempt_id:
            raise LogsRefusedError(f"The AppAttempt:{attempt_id} does not have the container:{container_id}")
        application_id = application_id or container_id.application_id
        if container_id.application_id != application_id:
            raise LogsRefusedError(
                f"The Application:{application_id} does not have the container:{container_id}"
            )
    assert application_id is not None
    return application_id, attempt_id, container_id


def _am_containers(values: Sequence[str]) -> tuple[int, ...]:
    numbers: list[int] = []
    for value in values:
        word = value.strip()
        if word.upper() == ALL:
            return ()
        if not re.fullmatch(r"-1|\+?0*[1-9][0-9]*", word, re.ASCII):
            raise LogsRefusedError(
                "Invalid input for option -am. Valid inputs are 'ALL', -1 "
                "and any other integer which is larger than 0.",
                with_help=True,
            )
        numbers.append(words.integer(word))
    return tuple(numbers)


def _names(names: tuple[str, ...], patterns: tuple[str, ...]) -> tuple[str, ...]:
    if not names and not patterns:
        return (ALL,)
    if ALL in names or "*" in names or ".*" in patterns:
        return (ALL,)
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise LogsRefusedError(f"{pattern} is not a regular expression: {error}") from None
    return names or patterns


def _number(line: CommandLine, name: str, default: int) -> int:
    word = line.value(name)
    return default if word is None else words.long(word)
