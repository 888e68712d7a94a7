"""`yarn logs`: the logs of containers, from the nodes while they run, from the collected files afterwards.

Hadoop: LogsCLI; asking is in client.log_sources, the words are in client.commands.log_request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from yarnbox.client.command_line.failures import FAILED, OK
from yarnbox.client.command_line.options import OptionsError, parse
from yarnbox.client.commands.log_request import (
    LATEST,
    OPTIONS,
    LogsRefusedError,
    LogsRequest,
    LogsTooLargeError,
    read_request,
    usage,
)
from yarnbox.client.log_sources import AggregatedLogs, ContainerFiles, NodeLogs, Sink
from yarnbox.client.printing.logs import container_on_node, file_table
from yarnbox.client.session import Session
from yarnbox.client.web import CLUSTER, UnreachableError
from yarnbox.client.yarn_client import FINAL_STATES
from yarnbox.yarn.connection.rpc import RpcError
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.container import ContainerReport

_TOO_EARLY = (YarnApplicationState.NEW, YarnApplicationState.NEW_SAVING, YarnApplicationState.SUBMITTED)
_MB = 1 << 20

Copy = Callable[[ContainerFiles, str, int | None, Sink], None]
"""Writes one log of a container to a sink: all of it, or so much from its beginning or end."""


def run(session: Session, arguments: Sequence[str]) -> int:
    """Reads the request, finds out whether the application runs, and answers."""
    console = session.console
    if not arguments or arguments[0] == "-help":
        console.write(usage())
        return OK if arguments else FAILED
    try:
        request = read_request(parse(OPTIONS, arguments))
        return _Logs(session, request).run()
    except OptionsError as error:
        console.error(f"options parsing failed: {error.message}")
        console.write(usage())
    except LogsRefusedError as error:
        console.error(str(error))
        if error.with_help:
            console.write(usage())
    return FAILED


class _Logs:
    """One run of the command."""

    def __init__(self, session: Session, request: LogsRequest) -> None:
        self._session = session
        self._console = session.console
        self._request = request
        self._owner = request.owner or session.user
        self._left = request.limit_mb * _MB
        self._web = session.web(self._retry)
        self._node_logs = NodeLogs(self._web)

    def run(self) -> int:
        """Answers the request."""
        finished = self._find_state_and_owner()
        request = self._request
        if request.show_container:
            return self._show_collected() if finished else self._show_running()
        if request.list_nodes:
            return self._list_nodes(finished)
        if request.show_application:
            return self._show_application(finished)
        if request.am_containers is not None:
            return self._am_logs(finished)
        if request.node is not None and request.container_id is None:
            raise LogsRefusedError("Should at least provide ContainerId!", with_help=True)
        return self._collected(request) if finished else self._running()

    def _find_state_and_owner(self) -> bool:
        """Whether the application has finished; one that the RM does not know is taken to have."""
        application_id = self._request.application_id
        try:
            report = self._session.client.application_report(application_id)
        except (YarnError, RpcError):
            self._console.error(
                "Unable to get ApplicationState. Attempting to fetch logs directly from the filesystem."
            )
            owner = self._request.owner or self._session.log_layout.owner_of(application_id, self._owner)
            if owner is None:
                self._console.error("Can not find the appOwner. Please specify the correct appOwner")
                raise LogsRefusedError(f"Could not locate application logs for {application_id}") from None
            self._owner = owner
            return True
        if report.yarn_application_state in _TOO_EARLY:
            raise LogsRefusedError("Logs are not available right now.")
        self._owner = self._request.owner or report.user or self._owner
        return report.yarn_application_state in FINAL_STATES

    # Finished applications

    def _aggregated(self) -> AggregatedLogs:
        layout, application_id = self._session.log_layout, self._request.application_id
        try:
            paths: list[Path] = layout.node_files(self._owner, application_id)
        except OSError as error:
            directory = layout.application_directory(self._owner, application_id)
            reason = "does not exist" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
            self._console.error(f"{directory} {reason}.")
            self._console.error("Log aggregation has not completed or is not enabled.")
            paths = []
        return AggregatedLogs(paths, self._console.zone, self._console.error)

    def _collected(self, request: LogsRequest) -> int:
        """Prints collected logs."""
        logs = self._aggregated()
        found = [one for one in logs.containers(request.node) if request.concerns(one.container_id)]
        chosen = [container for one in found if (container := self._chosen(request, one)).files]
        if not chosen:
            of = f"application: {request.application_id}"
            if request.container_id is not None:
                of = f"container: {request.container_id} within the {of}"
            self._console.error(
                f"Can not find any log file matching the pattern: {request.shown_names} for the {of}"
            )
            if request.container_id is None:
                self._nothing_found()
            return FAILED
        for container in chosen:
            self._print(container, logs.copy)
        return OK

    def _show_collected(self) -> int:
        request = self._request
        found = [
            one for one in self._aggregated().containers(request.node) if request.concerns(one.container_id)
        ]
        for one in found:
            self._console.write(file_table(str(one.container_id), one.node, one.files))
        if found:
            return OK
        container, node = request.container_id, request.node
        if container is not None and node is not None:
            self._console.error(f"The container {container} couldn't be found on the node specified: {node}")
        elif node is not None:
            self._console.error(f"Can not find log metadata for any containers on {node}")
        elif container is not None:
            self._console.error(f"Can not find log metadata for container: {container}")
        return FAILED

    def _list_nodes(self, finished: bool) -> int:
        if not finished:
            raise LogsRefusedError("The -list_nodes command can be only used with finished applications")
        nodes = self._aggregated().nodes()
        if nodes:
            self._console.print("".join(f"{node}\n" for node in nodes))
        else:
            application_id = self._request.application_id
            self._console.error(f"No nodes found that aggregated logs for the application: {application_id}")
        return OK

    # Running applications

    def _running(self) -> int:
        """Prints what the nodes have."""
        if self._request.container_id is not None:
            return self._running_container(self._request.container_id)
        status = FAILED
        for report in self._reports():
            node = str(report.node_id)
            if self._from_node(self._request, _container_id(report), node, report.node_http_address) == OK:
                status = OK
        if status == FAILED:
            self._nothing_found()
        return status

    def _running_container(self, container_id: ContainerId) -> int:
        request = self._request
        try:
            report = self._session.client.container_report(container_id)
            node, address = str(report.node_id), report.node_http_address
        except YarnError:
            node, address = request.node or "", self._address_of(request.node)
            if address is None and self._collected(request) == FAILED:
                self._console.error(
                    f"Unable to get logs for this container:{container_id} for the application:"
                    f"{request.application_id} with the appOwner: {self._owner}"
                )
                self._console.error(
                    f"The application: {request.application_id} is still running, and we can not get "
                    f"Container report for the container: {container_id}. "
                    "Please try later or after the application finishes."
                )
                return FAILED
            if address is None:
                return OK
        return self._from_node(request, container_id, node, address)

    def _from_node(
        self, request: LogsRequest, container_id: ContainerId, node: str, address: str | None
    ) -> int:
        if not address:
            self._console.error(f"Can not get the logs for the container: {container_id}")
            self._console.error(
                "The node http address is required to get container logs for the Running application."
            )
            return FAILED
        try:
            files = self._node_logs.files(address, container_id)
            container = self._chosen(request, ContainerFiles(container_id, node, files))
            if not container.files:
                self._console.error(
                    f"Can not find any log file matching the pattern: {request.shown_names} for the "
                    f"container: {container_id} within the application: {request.application_id}"
                )
                return FAILED
            self._print(container, partial(self._node_logs.copy, address))
        except UnreachableError as error:
            self._console.error(f"Unable to fetch log files list of {container_id} from {node}: {error}")
            return FAILED
        return OK

    def _show_running(self) -> int:
        request = self._request
        reports = self._filtered(self._reports())
        for report in reports:
            container_id = _container_id(report)
            files = self._node_logs.files(report.node_http_address or "", container_id)
            self._console.write(file_table(str(container_id), str(report.node_id), files))
        if reports:
            return OK
        address = self._address_of(request.node) if request.container_id is not None else None
        if address is not None and request.container_id is not None:
            files = self._node_logs.files(address, request.container_id)
            self._console.write(file_table(str(request.container_id), request.node or "", files))
            return OK
        status = self._show_collected()
        if status == FAILED:
            if request.container_id is not None:
                self._console.error(f"Trying to get container with ContainerId: {request.container_id}")
            if request.node is not None:
                self._console.error(f"Trying to get container from NodeManager: {request.node}")
            application_id = request.application_id
            self._console.error(f"Can not find any matched containers for the application: {application_id}")
        return status

    def _reports(self) -> list[ContainerReport]:
        """The containers of all attempts asked for, by id."""
        found: dict[ContainerId, ContainerReport] = {}
        for attempt in self._session.client.application_attempts(self._request.application_id):
            attempt_id = attempt.application_attempt_id
            if attempt_id is not None and self._request.attempt_id in (None, attempt_id):
                for report in self._session.client.containers(attempt_id):
                    found.setdefault(_container_id(report), report)
        return [found[container_id] for container_id in sorted(found)]

    def _filtered(self, reports: Sequence[ContainerReport]) -> list[ContainerReport]:
        node = self._request.node
        return [
            report
            for report in reports
            if self._request.concerns(_container_id(report)) and node in (None, str(report.node_id))
        ]

    def _address_of(self, node: str | None) -> str | None:
        """Where a node serves HTTP, from the RM's web service; None if it cannot be told."""
        if node is None:
            return None
        answer = self._web.get(self._session.web_address, f"{CLUSTER}/nodes/{node}")
        return answer.json.get("node", {}).get("nodeHTTPAddress") if answer.is_ok else None

    # Either

    def _show_application(self, finished: bool) -> int:
        console, request = self._console, self._request
        if not finished:
            reports = self._filtered(self._reports())
            if not reports:
                raise LogsRefusedError(
                    f"Can not find any containers for the application:{request.application_id}."
                )
            console.print("Application State: Running.")
            for report in reports:
                console.print(container_on_node(str(report.container_id), str(report.node_id)))
            return OK
        console.print("Application State: Completed.")
        found = [
            one for one in self._aggregated().containers(request.node) if request.concerns(one.container_id)
        ]
        for one in found:
            console.print(container_on_node(str(one.container_id), one.node))
        if not found and request.node is not None:
            console.error(f"Can not find information for any containers on {request.node}")
        elif not found:
            console.error(
                f"Can not find any container information for the application: {request.application_id}"
            )
        return OK

    def _am_logs(self, finished: bool) -> int:
        """Logs of AM containers, which the RM's web service lists."""
        attempts = self._attempts()
        if attempts is None:
            return FAILED
        status = OK
        for attempt in attempts:
            container_id = ContainerId.parse(attempt["containerId"])
            node = attempt.get("nodeId") or None
            request = replace(self._request, container_id=container_id, attempt_id=None, node=node)
            if finished:
                self._collected(request)
            else:
                self._from_node(request, container_id, node or "", attempt.get("nodeHttpAddress"))
        return status

    def _attempts(self) -> list[dict[str, Any]] | None:
        """The attempts asked for; None after a complaint."""
        console, request = self._console, self._request
        application_id = request.application_id
        attempts: list[dict[str, Any]] = []
        reason = ""
        try:
            answer = self._web.get(self._session.web_address, f"{CLUSTER}/apps/{application_id}/appattempts")
            found = answer.json["appAttempts"]["appAttempt"] if answer.is_ok else []
            attempts = [attempt for attempt in found if attempt.get("containerId")]
            reason = "" if answer.is_ok else answer.text
        except (UnreachableError, ValueError, KeyError) as error:
            reason = str(error)
        if not attempts:
            console.error(f"Unable to get AM container informations for the application:{application_id}")
            console.error(reason)
            console.error(
                f"Can not get AMContainers logs for the application:{application_id} "
                f"with the appOwner:{self._owner}"
            )
            return None
        if not request.am_containers:
            console.print()
            console.print("Specified ALL for -am option. Printed logs for all am containers.")
            return attempts
        for number in request.am_containers:
            if number > len(attempts):
                console.error(
                    f"ERROR: Specified AM containerId ({number}) exceeds the number of AM containers "
                    f"({len(attempts)})."
                )
                return None
        return [attempts[-1 if number == LATEST else number - 1] for number in request.am_containers]

    def _chosen(self, request: LogsRequest, container: ContainerFiles) -> ContainerFiles:
        """The container with the files that are asked for; LogsTooLargeError if there is too much in them."""
        files = tuple(info for info in container.files if request.matches(info.name))
        if request.limit_mb >= 0:
            for info in files:
                length = int(info.length) if info.length.isdecimal() else 0
                self._left -= length if request.size is None else min(length, abs(request.size))
            if self._left < 0:
                raise LogsTooLargeError(
                    f"The total log size is too large.The log size limit is {request.limit_mb}MB. "
                    "Please specify a proper value --size option or if you really want to fetch all, please "
                    "specify -1 for --size_limit_mb option."
                )
        return container._replace(files=files)

    def _print(self, container: ContainerFiles, copy: Copy) -> None:
        """Each chosen file once, on stdout or into the container's own file."""
        names = sorted({info.name for info in container.files})
        if self._request.out is None:
            for name in names:
                copy(container, name, self._request.size, self._console.write_bytes)
            return
        directory = self._request.out / container.node.replace(":", "_").replace("/", "_")
        directory.mkdir(parents=True, exist_ok=True)
        with (directory / str(container.container_id)).open("wb") as target:
            for name in names:
                copy(container, name, self._request.size, target.write)

    def _nothing_found(self) -> None:
        self._console.error(
            f"Can not find the logs for the application: {self._request.application_id} "
            f"with the appOwner: {self._owner}"
        )

    def _retry(self, error: OSError, attempts: int) -> bool:
        """Whether a node that does not answer is asked again."""
        retries = self._request.retries
        if 0 <= retries < attempts:
            return False
        left = f"will try {retries - attempts + 1} more time(s)" if retries >= 0 else "will keep retrying"
        self._console.error(f"Exception caught by ClientConnectionRetry, {left}.\nMessage: {error}")
        self._console.sleep(self._request.retry_interval_ms / 1000)
        return True


def _container_id(report: ContainerReport) -> ContainerId:
    """The id, which every report has."""
    if report.container_id is None:
        raise YarnError("the ResourceManager reported a container without its id")
    return report.container_id
