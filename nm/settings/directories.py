"""Settings of a node's directories: local and log directories, their health, localization, logs."""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.yarn.configuration import values
from yarnbox.yarn.settings import Conflict, setting, settings
from yarnbox.yarn.storage.aggregated_logs import DEFAULT_COMPRESSION
from yarnbox.yarn.storage.tfile import COMPRESSIONS

_NM = "yarn.nodemanager."
_DISKS = _NM + "disk-health-checker."
_LOCALIZER = _NM + "localizer."
_AGGREGATION = _NM + "log-aggregation."
_POLICIES = "org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation."


@settings
class DiskSettings:
    """Where things lie, and when a disk is bad."""

    local_directories: tuple[str, ...] = setting(
        _NM + "local-dirs", "${hadoop.tmp.dir}/nm-local-dir", "Localized files and working directories"
    )
    log_directories: tuple[str, ...] = setting(
        _NM + "log-dirs", "${yarn.log.dir}/userlogs", "Logs of running containers"
    )
    check_enabled: bool = setting(_DISKS + "enable", True, "Whether disks are checked")
    check_interval_ms: int = setting(
        _DISKS + "interval-ms", 120_000, "How often to look", unit="ms", at_least=1
    )
    minimum_healthy: float = setting(
        _DISKS + "min-healthy-disks",
        0.25,
        "With a smaller share of good directories the node is unhealthy",
        at_least=0,
        at_most=1,
        parse=values.single,
    )
    full_marker: str | None = setting(
        "yarnbox.nodemanager.disk-health-checker.full-marker",
        None,
        "A directory that holds a file of this name counts as full: for tests; absent: none does",
    )
    utilization_checked: bool = setting(
        _DISKS + "disk-utilization-threshold.enabled", True, "Whether a full disk counts as bad"
    )
    free_space_checked: bool = setting(
        _DISKS + "disk-free-space-threshold.enabled", True, "Whether a disk without free space counts as bad"
    )
    maximum_utilization_percent: float = setting(
        _DISKS + "max-disk-utilization-per-disk-percentage",
        90.0,
        "A disk is full above this",
        unit="percent",
        parse=values.single,
    )
    low_watermark_percent: float | None = setting(
        _DISKS + "disk-utilization-watermark-low-per-disk-percentage",
        None,
        "A full disk is good again below this; absent: below full",
        unit="percent",
        parse=values.single,
    )
    minimum_free_mb: int = setting(
        _DISKS + "min-free-space-per-disk-mb",
        0,
        "A disk has no free space below this",
        unit="MiB",
        at_least=0,
    )
    high_watermark_free_mb: int = setting(
        _DISKS + "min-free-space-per-disk-watermark-high-mb",
        "${yarn.nodemanager.disk-health-checker.min-free-space-per-disk-mb}",
        "A disk without free space is good again above this",
        unit="MiB",
        at_least=0,
    )


@settings
class LocalizationSettings:
    """Fetching resources, and how long they stay."""

    fetch_threads: int = setting(
        _LOCALIZER + "fetch.thread-count", 4, "Public resources fetched at the same time", at_least=1
    )
    cache_target_mb: int = setting(
        _LOCALIZER + "cache.target-size-mb",
        10_240,
        "Unused resources stay up to this size",
        unit="MiB",
        at_least=0,
    )
    cache_cleanup_interval_ms: int = setting(
        _LOCALIZER + "cache.cleanup.interval-ms",
        600_000,
        "How often the cache is looked at",
        unit="ms",
        at_least=1,
    )
    maximum_files_per_directory: int = setting(
        _NM + "local-cache.max-files-per-directory",
        8_192,
        "Entries of one directory of the cache",
        at_least=37,
    )


@settings
class StagingSettings:
    """What clients may stage at this node for the containers of all nodes."""

    maximum_mb: int = setting(
        "yarnbox.nodemanager.staging.max-mb",
        0,
        "Files that clients may stage here, where yarn.app.mapreduce.am.staging-dir is `yarnbox:`; 0: none",
        unit="MiB",
        at_least=0,
    )
    retain_secs: int = setting(
        "yarnbox.nodemanager.staging.retain-seconds",
        86_400,
        "How long staged files stay that nobody removes",
        unit="secs",
        at_least=1,
    )


@settings
class LogSettings:
    """Keeping logs on the node, or collecting them."""

    aggregation_enabled: bool = setting(
        "yarn.log-aggregation-enable", False, "Collect the logs of ended applications"
    )
    retain_secs: int = setting(
        _NM + "log.retain-seconds", 10_800, "Without collecting, logs stay on the node", unit="secs"
    )
    remote_directory: str = setting(_NM + "remote-app-log-dir", "/tmp/logs", "Where logs are collected")
    remote_suffix: str = setting(_NM + "remote-app-log-dir-suffix", "logs", "Its part below the user's name")
    policy_class: str = setting(
        _AGGREGATION + "policy.class",
        _POLICIES + "AllContainerLogAggregationPolicy",
        "Containers whose logs are collected",
        aliases={
            name.lower(): f"{_POLICIES}{name}LogAggregationPolicy"
            for name in (
                "AllContainer",
                "NoneContainer",
                "AMOnly",
                "FailedContainer",
                "FailedOrKilledContainer",
                "AMOrFailedContainer",
                "SampleContainer",
                "LimitSizeContainer",
            )
        },
    )
    policy_parameters: str = setting(_AGGREGATION + "policy.parameters", "", "Parameters of the policy")
    rolling_interval_secs: int = setting(
        _AGGREGATION + "roll-monitoring-interval-seconds",
        -1,
        "Collect while containers run, so often; -1: only at the end",
        unit="secs",
    )
    rolling_minimum_secs: int = setting(
        _AGGREGATION + "roll-monitoring-interval-seconds.min", 3_600, "Shortest such interval", unit="secs"
    )
    files_per_application: int = setting(
        _AGGREGATION + "num-log-files-per-app",
        30,
        "Files so written by a node for an application",
        at_least=1,
    )
    compression: str = setting(
        _AGGREGATION + "compression-type",
        DEFAULT_COMPRESSION,
        "How collected logs are compressed",
        one_of=COMPRESSIONS,
    )
    debug_information: bool = setting(
        _NM + "log-container-debug-info.enabled", True, "Copy launch script and directory listing to the logs"
    )

    def conflicts(self) -> Iterator[Conflict]:
        """Collecting while containers run, more often than is allowed."""
        if 0 < self.rolling_interval_secs < self.rolling_minimum_secs:
            minimum = _AGGREGATION + "roll-monitoring-interval-seconds.min"
            allowed = f"-1, or at least {minimum}, which is {self.rolling_minimum_secs}"
            yield Conflict(_AGGREGATION + "roll-monitoring-interval-seconds", allowed)
