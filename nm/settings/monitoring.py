"""Settings of what a node watches: the memory of its containers, and its own health."""

from __future__ import annotations

from yarnbox.yarn.configuration import values
from yarnbox.yarn.settings import setting, settings

_NM = "yarn.nodemanager."
_LOGS = _NM + "container-log-monitor."
_HEALTH = _NM + "health-checker."


@settings
class MonitorSettings:
    """Measuring containers, and killing those that take too much memory."""

    enabled: bool = setting(_NM + "container-monitor.enabled", True, "Whether containers are measured")
    resource_interval_ms: int = setting(
        _NM + "resource-monitor.interval-ms", 3_000, "How often the node is measured", unit="ms", at_least=1
    )
    interval_ms: int = setting(
        _NM + "container-monitor.interval-ms",
        "${yarn.nodemanager.resource-monitor.interval-ms}",
        "How often containers are measured",
        unit="ms",
        at_least=1,
    )
    physical_checked: bool = setting(
        _NM + "pmem-check-enabled",
        True,
        "Containers that take more physical memory than they have are killed",
    )
    virtual_checked: bool = setting(
        _NM + "vmem-check-enabled", True, "Containers that take more virtual memory than they have are killed"
    )
    virtual_ratio: float = setting(
        _NM + "vmem-pmem-ratio",
        "2.1",
        "Virtual memory a container has for each byte of physical",
        parse=values.single,
        above=0,
    )


@settings
class LogMonitorSettings:
    """Killing containers that write too much log."""

    enabled: bool = setting(
        _LOGS + "enable", False, "Whether containers that write too much into their logs are killed"
    )
    interval_ms: int = setting(
        _LOGS + "interval-ms", 60_000, "How often log directories are measured", unit="ms", at_least=1
    )
    directory_limit_bytes: int = setting(
        _LOGS + "dir-size-limit-bytes",
        1_000_000_000,
        "What a container may write in one log directory",
        unit="bytes",
        at_least=0,
    )
    total_limit_bytes: int = setting(
        _LOGS + "total-size-limit-bytes",
        10_000_000_000,
        "What a container may write in all log directories",
        unit="bytes",
        at_least=0,
    )


@settings
class HealthSettings:
    """Health scripts. Each name in `scripts` may have properties of its own between prefix and key."""

    scripts: tuple[str, ...] = setting(_HEALTH + "scripts", ("script",), "Names of the scripts")
    script_path: str | None = setting(_HEALTH + "script.path", None, "The script; absent: none")
    script_options: tuple[str, ...] = setting(_HEALTH + "script.opts", (), "Its arguments")
    interval_ms: int = setting(_HEALTH + "interval-ms", 600_000, "How often it is run", unit="ms", at_least=1)
    timeout_ms: int = setting(
        _HEALTH + "timeout-ms",
        1_200_000,
        "A script that runs longer counts as unhealthy",
        unit="ms",
        at_least=1,
    )
    run_before_startup: bool = setting(
        _HEALTH + "run-before-startup", False, "Run it before registering, too"
    )
