"""Applications, attempts and containers as ApplicationCLI prints them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo

from yarnbox.client.text import NOT_AVAILABLE, decimal, java, java_set, line, or_na, timestamp
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.records.application import (
    ApplicationAttemptReport,
    ApplicationReport,
    ApplicationResourceUsageReport,
)
from yarnbox.yarn.records.container import ContainerReport
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES

_PROGRESS = "###.##%"
_APPLICATIONS = "%30s\t%20s\t%20s\t%10s\t%10s\t%18s\t%18s\t%15s\t%35s"
_ATTEMPTS = "%30s\t%20s\t%35s\t%35s"
_CONTAINERS = "%30s\t%20s\t%20s\t%20s\t%20s\t%20s\t%35s"


def application_list(
    reports: Sequence[ApplicationReport],
    types: Iterable[str],
    states: Iterable[YarnApplicationState],
    tags: Iterable[str],
) -> str:
    """The answer of `-list` to these filters: a count, a heading, a line each."""
    total = (
        "Total number of applications (application-types: "
        f"{java_set(types)}, states: {java_set(states)} and tags: {java_set(tags)}):{len(reports)}\n"
    )
    heading = line(
        _APPLICATIONS,
        "Application-Id",
        "Application-Name",
        "Application-Type",
        "User",
        "Queue",
        "State",
        "Final-State",
        "Progress",
        "Tracking-URL",
    )
    return total + heading + "".join(_application_line(report) for report in reports)


def _application_line(report: ApplicationReport) -> str:
    return line(
        _APPLICATIONS,
        report.application_id,
        report.name,
        report.application_type,
        report.user,
        report.queue,
        report.yarn_application_state,
        report.final_application_status,
        decimal(_PROGRESS, report.progress or 0),
        report.original_tracking_url,
    )


def application_report(report: ApplicationReport, units: Mapping[str, str] | None = None) -> str:
    """The answer of `-status`; `units` are those of resource types other than memory and vcores."""
    usage = report.app_resource_usage
    lines = [
        "Application Report : ",
        f"\tApplication-Id : {java(report.application_id)}",
        f"\tApplication-Name : {java(report.name)}",
        f"\tApplication-Type : {java(report.application_type)}",
        f"\tUser : {java(report.user)}",
        f"\tQueue : {java(report.queue)}",
        f"\tApplication Priority : {java(report.priority)}",
        f"\tStart-Time : {report.start_time or 0}",
        f"\tFinish-Time : {report.finish_time or 0}",
        f"\tProgress : {decimal(_PROGRESS, report.progress or 0)}",
        f"\tState : {java(report.yarn_application_state)}",
        f"\tFinal-State : {java(report.final_application_status)}",
        f"\tTracking-URL : {java(report.original_tracking_url)}",
        f"\tRPC Port : {report.rpc_port or 0}",
        f"\tAM Host : {java(report.host)}",
        f"\tAggregate Resource Allocation : {_allocated(usage, units or {})}",
        f"\tAggregate Resource Preempted : {_preempted(usage, units or {})}",
        f"\tLog Aggregation Status : {or_na(report.log_aggregation_status)}",
        f"\tDiagnostics : {report.diagnostics}",
        f"\tUnmanaged Application : {java(report.unmanaged_application)}",
        f"\tApplication Node Label Expression : {java(report.app_node_label_expression)}",
        f"\tAM container Node Label Expression : {java(report.am_node_label_expression)}",
    ]
    for entry in report.app_timeouts:
        timeout = entry.application_timeout
        if timeout is not None:
            lines.append(
                f"\tTimeoutType : {java(timeout.application_timeout_type)}"
                f"\tExpiryTime : {java(timeout.expire_time)}"
                f"\tRemainingTime : {timeout.remaining_time or 0}seconds"
            )
    return "\n".join([*lines, "", ""])


def _allocated(usage: ApplicationResourceUsageReport | None, units: Mapping[str, str]) -> str:
    if usage is None:
        return or_na(None)
    return _resource_seconds(
        usage.memory_seconds, usage.vcore_seconds, usage.application_resource_usage_map, units
    )


def _preempted(usage: ApplicationResourceUsageReport | None, units: Mapping[str, str]) -> str:
    if usage is None:
        return or_na(None)
    return _resource_seconds(
        usage.preempted_memory_seconds,
        usage.preempted_vcore_seconds,
        usage.application_preempted_resource_usage_map,
        units,
    )


def _resource_seconds(
    memory: int | None, vcores: int | None, by_type: Mapping[str, int], units: Mapping[str, str]
) -> str:
    """The plain fields are what counts for memory and vcores; the map adds the other types."""
    parts = [
        f"{by_type.get(MEMORY_MB, 0) if memory is None else memory} MB-seconds",
        f"{by_type.get(VCORES, 0) if vcores is None else vcores} vcore-seconds",
    ]
    parts += [
        f"{value} {name}-{units.get(name, '')}seconds"
        for name, value in sorted(by_type.items())
        if name not in (MEMORY_MB, VCORES)
    ]
    return ", ".join(parts)


def attempt_list(reports: Sequence[ApplicationAttemptReport]) -> str:
    """The answer of `applicationattempt -list`."""
    heading = line(_ATTEMPTS, "ApplicationAttempt-Id", "State", "AM-Container-Id", "Tracking-URL")
    rows = [
        line(
            _ATTEMPTS,
            report.application_attempt_id,
            report.yarn_application_attempt_state,
            or_na(report.am_container_id),
            report.tracking_url,
        )
        for report in reports
    ]
    return f"Total number of application attempts :{len(reports)}\n" + heading + "".join(rows)


def attempt_report(report: ApplicationAttemptReport) -> str:
    """The answer of `applicationattempt -status`."""
    return (
        "Application Attempt Report : \n"
        f"\tApplicationAttempt-Id : {java(report.application_attempt_id)}\n"
        f"\tState : {java(report.yarn_application_attempt_state)}\n"
        f"\tAMContainer : {or_na(report.am_container_id)}\n"
        f"\tTracking-URL : {java(report.tracking_url)}\n"
        f"\tRPC Port : {report.rpc_port or 0}\n"
        f"\tAM Host : {java(report.host)}\n"
        f"\tDiagnostics : {report.diagnostics}\n"
    )


def container_list(reports: Sequence[ContainerReport], zone: tzinfo | None) -> str:
    """The answer of `container -list`."""
    heading = line(
        _CONTAINERS,
        "Container-Id",
        "Start Time",
        "Finish Time",
        "State",
        "Host",
        "Node Http Address",
        "LOG-URL",
    )
    rows = [
        line(
            _CONTAINERS,
            report.container_id,
            timestamp(report.creation_time, zone),
            timestamp(report.finish_time, zone),
            report.container_state,
            report.node_id,
            or_na(report.node_http_address),
            report.log_url,
        )
        for report in reports
    ]
    return f"Total number of containers :{len(reports)}\n" + heading + "".join(rows)


def container_report(report: ContainerReport) -> str:
    """The answer of `container -status`."""
    return (
        "Container Report : \n"
        f"\tContainer-Id : {java(report.container_id)}\n"
        f"\tStart-Time : {report.creation_time or 0}\n"
        f"\tFinish-Time : {report.finish_time or 0}\n"
        f"\tState : {java(report.container_state)}\n"
        f"\tExecution-Type : {java(report.execution_type)}\n"
        f"\tLOG-URL : {java(report.log_url)}\n"
        f"\tHost : {java(report.node_id)}\n"
        f"\tNodeHttpAddress : {or_na(report.node_http_address)}\n"
        f"\tExposedPorts : {report.exposed_ports or ''}\n"
        f"\tDiagnostics : {java(_sent(report.diagnostics_info))}\n"
    )


def _sent(text: str | None) -> str | None:
    """A text whose default in the contract is N/A: Java reads null where it was not sent."""
    return None if text == NOT_AVAILABLE else text
