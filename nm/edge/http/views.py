"""The node, its applications and containers as plain data, for REST and pages alike.

Hadoop: NodeInfo, AppInfo and ContainerInfo of the NM.
"""

from __future__ import annotations

from urllib.parse import quote

from yarnbox.nm.application import Application, ApplicationState
from yarnbox.nm.containers.container_state import INVALID_EXIT_CODE, Container
from yarnbox.nm.core import Core
from yarnbox.nm.edge.http.node_logs import NodeLogs
from yarnbox.nm.edge.http.refusals import RefusedError, bad_request, not_found
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry
from yarnbox.yarn.version import HADOOP_VERSION, UNKNOWN

_BUILD = f"{HADOOP_VERSION} from {UNKNOWN} by yarnbox source checksum {UNKNOWN}"


class NodeViews:
    """What is shown of one node."""

    def __init__(self, core: Core, logs: NodeLogs, types: ResourceTypeRegistry) -> None:
        self._core = core
        self._context = core.context
        self._logs = logs
        self._types = ", ".join(f"{one.name} (unit={one.units})" if one.units else one.name for one in types)
        self._started_ms = core.context.now_ms

    def node(self) -> dict[str, object]:
        """NodeInfo."""
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
            "resourceTypes": self._types,
            "nodeHealthy": health.is_healthy,
            "nodeManagerVersion": HADOOP_VERSION,
            "nodeManagerBuildVersion": _BUILD,
            "nodeManagerVersionBuiltOn": UNKNOWN,
            "hadoopVersion": HADOOP_VERSION,
            "hadoopBuildVersion": _BUILD,
            "hadoopVersionBuiltOn": UNKNOWN,
            "id": str(context.node_id),
            "nodeHostName": context.node_id.host,
            "nmStartupTime": self._started_ms,
        }

    # Applications

    def applications(self, state: str | None, user: str | None) -> list[dict[str, object]]:
        """Those in a state, and of a user, if these are named."""
        if state and state not in ApplicationState.__members__:
            raise RefusedError(
                400,
                "java.lang.IllegalArgumentException",
                "No enum constant org.apache.hadoop.yarn.server.nodemanager.containermanager.application."
                f"ApplicationState.{state}",
            )
        if user == "":
            raise bad_request("Error: You must specify a non-empty string for the user")
        return [
            _application(one)
            for one in self._context.applications.values()
            if (not state or one.state.name == state) and (user is None or one.user == user)
        ]

    def application(self, text: str) -> dict[str, object]:
        """One application."""
        try:
            found = self._context.applications.get(ApplicationId.parse(text))
        except ValueError as error:
            raise bad_request(str(error), cause="java.lang.IllegalArgumentException") from None
        if found is None:
            raise not_found(f"app with id {text} not found")
        return _application(found)

    # Containers

    def containers(self, host: str) -> list[dict[str, object]]:
        """Every container; `host` is how the caller reached this node."""
        return [self._container(one, host) for one in self._context.containers.values()]

    def container(self, text: str, host: str) -> dict[str, object]:
        """One container."""
        return self._container(self._find(text), host)

    def exit_status(self, text: str) -> str:
        """Its exit code, or that there is none yet."""
        code = self._find(text).exit_code
        return "N/A" if code == INVALID_EXIT_CODE else str(code)

    def _find(self, text: str) -> Container:
        found = self._context.containers.get(container_id_of(text))
        if found is None:
            raise not_found(f"container with id, {text}, not found")
        return found

    def _container(self, container: Container, host: str) -> dict[str, object]:
        container_id = str(container.container_id)
        shown = {
            "id": container_id,
            "state": container.state.name,
            "exitCode": container.exit_code,
            "diagnostics": container.diagnostics,
            "user": container.user,
            "totalMemoryNeededMB": container.resource.memory_mb,
            "totalVCoresNeeded": container.resource.vcores,
            "executionType": container.execution_type.name,
            "containerLogsLink": f"{self._context.settings.tls.scheme}://{host}/node/containerlogs/{container_id}/{quote(container.user)}",
            "nodeId": str(self._context.node_id),
        }
        names = self._logs.names(container.container_id)
        return {**shown, "containerLogFiles": names} if names else shown


def _application(application: Application) -> dict[str, object]:
    shown: dict[str, object] = {
        "id": str(application.application_id),
        "state": application.state.name,
        "user": application.user,
    }
    if application.containers:
        shown["containerids"] = [str(one) for one in application.containers]
    return shown


def container_id_of(text: str) -> ContainerId:
    """The id; 400 when it is none."""
    try:
        return ContainerId.parse(text)
    except ValueError:
        raise bad_request(f"invalid container id, {text}") from None
