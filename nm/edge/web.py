"""The node's web service, below /ws/v1/node: what it is, which applications and containers are here, their
logs.

Reads between turns, never changes anything. Shapes are those of Hadoop: numbers as numbers, but the list of
log files with strings and without arrays of one. Answers for NMWebServices and ContainerLogsUtils.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from nm.application import Application, ApplicationState
from nm.container_state import Container
from nm.core import Core
from nm.edge.http import FilePart, HttpServer, Part, Request, Response
from nm.executor.layout import Layout
from yarn.ids import ApplicationId, ContainerId
from yarn.version import HADOOP_VERSION, UNKNOWN

ROOT = "/ws/v1/node"
_PACKAGE = "org.apache.hadoop.yarn.webapp."


class _RefusedError(Exception):
    """An answer in the shape of an exception."""

    def __init__(self, status: HTTPStatus, name: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {
            "RemoteException": {
                "exception": name,
                "message": f"java.lang.Exception: {message}",
                "javaClassName": _PACKAGE + name,
            }
        }


class WebService:
    """One node over HTTP."""

    def __init__(self, core: Core, layout: Layout) -> None:
        self._core = core
        self._context = core.context
        self._layout = layout
        self._server = HttpServer(self._handle, in_thread=False)
        self._started_ms = core.context.now_ms

    async def start(self, host: str, port: int) -> None:
        """Listens; PortTakenError when somebody else does at that port."""
        await self._server.start(host, port, "yarn.nodemanager.webapp.address")

    async def stop(self) -> None:
        """Serves no longer."""
        await self._server.stop()

    @property
    def port(self) -> int:
        """Where it listens."""
        return self._server.port

    def _handle(self, request: Request) -> Response:
        if request.method != "GET":
            return Response(HTTPStatus.METHOD_NOT_ALLOWED)
        parts = urlsplit(request.target)
        query = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if not (parts.path == ROOT or parts.path.startswith(ROOT + "/")):
            return Response(HTTPStatus.NOT_FOUND)
        words = [unquote(word) for word in parts.path.removeprefix(ROOT).split("/") if word]
        try:
            return self._answer(words, query)
        except _RefusedError as refusal:
            return _json(refusal.body, refusal.status)

    def _answer(self, words: list[str], query: dict[str, str]) -> Response:
        match words:
            case [] | ["info"]:
                return _json({"nodeInfo": self._node()})
            case ["apps"]:
                apps = [self._application(one) for one in self._applications(query)]
                return _json({"apps": {"app": apps} if apps else {}})
            case ["apps", text]:
                return _json({"app": self._application(self._find_application(text))})
            case ["containers"]:
                found = [self._container(one) for one in self._context.containers.values()]
                return _json({"containers": {"container": found} if found else {}})
            case ["containers", text]:
                return _json({"container": self._container(self._find_container(text))})
            case ["containers", text, "logs"]:
                return _json(self._log_list(_container_id(text)))
            case ["containers", text, "logs", name] | ["containerlogs", text, name]:
                return self._log(_container_id(text), name, query.get("size"))
            case ["resources", _]:
                return _json({})
            case ["auxiliaryservices"]:
                return _json({"services": {}})
            case _:
                return Response(HTTPStatus.NOT_FOUND)

    # What is shown

    def _node(self) -> dict[str, Any]:
        context, health = self._context, self._core.health
        total, monitor = context.total, context.settings.monitor
        status = health.status()
        return {
            "healthReport": health.report,
            "totalVmemAllocatedContainersMB": int(total.memory_mb * monitor.virtual_ratio),
            "totalPmemAllocatedContainersMB": total.memory_mb,
            "totalVCoresAllocatedContainers": total.vcores,
            "vmemCheckEnabled": monitor.virtual_checked,
            "pmemCheckEnabled": monitor.physical_checked,
            "lastNodeUpdateTime": status.last_health_report_time,
            "resourceTypes": ", ".join(name for name, _ in total.items()),
            "nodeHealthy": health.is_healthy,
            "nodeManagerVersion": HADOOP_VERSION,
            "nodeManagerBuildVersion": UNKNOWN,
            "nodeManagerVersionBuiltOn": UNKNOWN,
            "hadoopVersion": HADOOP_VERSION,
            "hadoopBuildVersion": UNKNOWN,
            "hadoopVersionBuiltOn": UNKNOWN,
            "id": str(context.node_id),
            "nodeHostName": context.node_id.host,
            "nmStartupTime": self._started_ms,
        }

    def _applications(self, query: dict[str, str]) -> list[Application]:
        state, user = query.get("state"), query.get("user")
        if state is not None and state not in ApplicationState.__members__:
            raise _bad_request(f"Error: Invalid application state {state}")
        if user == "":
            raise _bad_request("Error: You must specify a non-empty string for the user")
        return [
            one
            for one in self._context.applications.values()
            if (state is None or one.state.name == state) and (user is None or one.user == user)
        ]

    def _application(self, application: Application) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "id": str(application.application_id),
            "state": application.state.name,
            "user": application.user,
        }
        if application.containers:
            shown["containerids"] = [str(one) for one in application.containers]
        return shown

    def _container(self, container: Container) -> dict[str, Any]:
        container_id = str(container.container_id)
        address = f"{self._context.node_id.host}:{self.port}"
        shown = {
            "id": container_id,
            "state": container.state.name,
            "exitCode": container.exit_code,
            "diagnostics": container.diagnostics,
            "user": container.user,
            "totalMemoryNeededMB": container.resource.memory_mb,
            "totalVCoresNeeded": container.resource.vcores,
            "executionType": container.execution_type.name,
            "containerLogsLink": f"http://{address}/node/containerlogs/{container_id}/{quote(container.user)}",
            "nodeId": str(self._context.node_id),
        }
        names = [path.name for path in self._log_files(container.container_id)]
        return {**shown, "containerLogFiles": names} if names else shown

    # Logs

    def _log_list(self, container_id: ContainerId) -> dict[str, Any]:
        files = self._log_files(container_id)
        if not files and container_id not in self._context.containers:
            raise _not_found(f"container with id, {container_id}, not found")
        infos = [
            {"fileName": path.name, "fileSize": str(path.stat().st_size), "lastModifiedTime": _modified(path)}
            for path in files
        ]
        group: dict[str, Any] = {"containerLogInfo": infos[0] if len(infos) == 1 else infos} if infos else {}
        group |= {
            "logAggregationType": "LOCAL",
            "containerId": str(container_id),
            "nodeId": str(self._context.node_id),
        }
        return {"containerLogsInfo": group}

    def _log(self, container_id: ContainerId, name: str, size: str | None) -> Response:
        path = next((one for one in self._log_files(container_id) if one.name == name), None)
        if path is None:
            raise _not_found(f"Cannot find this log on the local disk: {name} of {container_id}")
        length = path.stat().st_size
        start, count = _part(length, size)
        first = f"Container: {container_id} on {self._context.node_id}"
        head = (
            f"{first}\nLogAggregationType: LOCAL\n{'=' * len(first)}\nLogType:{name}\n"
            f"LogLastModifiedTime:{_modified(path)}\nLogLength:{length}\nLogContents:\n"
        )
        end = f"End of LogType:{name}"
        container = self._context.containers.get(container_id)
        runs = container is not None and not container.is_done
        note = f"This log file belongs to a running container ({container_id}) and so may not be complete."
        tail = f"{end}.{note if runs else ''}\n{'*' * (len(end) + 50)}\n\n"
        parts: list[Part] = [head.encode(), FilePart(path, start, count), tail.encode()]
        return Response(headers={"Content-Type": "text/plain; charset=utf-8"}, parts=parts)

    def _log_files(self, container_id: ContainerId) -> list[Path]:
        directory = self._layout.find_log_directory(container_id)
        if directory is None:
            return []
        return sorted(path for path in directory.iterdir() if path.is_file() and not path.is_symlink())

    # Finding

    def _find_application(self, text: str) -> Application:
        try:
            found = self._context.applications.get(ApplicationId.parse(text))
        except ValueError as error:
            raise _bad_request(str(error)) from None
        if found is None:
            raise _not_found(f"app with id {text} not found")
        return found

    def _find_container(self, text: str) -> Container:
        found = self._context.containers.get(_container_id(text))
        if found is None:
            raise _not_found(f"container with id, {text}, not found")
        return found


def _container_id(text: str) -> ContainerId:
    try:
        return ContainerId.parse(text)
    except ValueError:
        raise _bad_request(f"invalid container id, {text}") from None


def _part(length: int, size: str | None) -> tuple[int, int]:
    """Where to begin and how much to send: the first `size` bytes, or the last if that is negative."""
    if size is None:
        return 0, length
    try:
        wanted = int(size)
    except ValueError:
        raise _bad_request(f"size is no number: {size}") from None
    count = min(abs(wanted), length)
    return (length - count if wanted < 0 else 0), count


def _modified(path: Path) -> str:
    moment = datetime.fromtimestamp(path.stat().st_mtime, UTC).astimezone()
    return f"{moment:%a %b %d %H:%M:%S %z %Y}"


def _bad_request(message: str) -> _RefusedError:
    return _RefusedError(HTTPStatus.BAD_REQUEST, "BadRequestException", message)


def _not_found(message: str) -> _RefusedError:
    return _RefusedError(HTTPStatus.NOT_FOUND, "NotFoundException", message)


def _json(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    headers = {"Content-Type": "application/json; charset=utf-8"}
    return Response(status, headers, [json.dumps(value).encode()])
