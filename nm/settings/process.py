"""NMSettings: the NodeManager's own properties, and the groups of those that belong to one part of it."""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.nm.settings.directories import (
    DiskSettings,
    LocalizationSettings,
    LogSettings,
    StagingSettings,
)
from yarnbox.nm.settings.monitoring import HealthSettings, LogMonitorSettings, MonitorSettings
from yarnbox.nm.settings.providers import AttributeProviderSettings, LabelProviderSettings
from yarnbox.yarn.connection.address import Address, with_default_port
from yarnbox.yarn.http.access import HttpAccessSettings
from yarnbox.yarn.resources.node_resources import NodeResourceSettings
from yarnbox.yarn.security.acl import AccessControlList
from yarnbox.yarn.security.tls import TlsSettings
from yarnbox.yarn.settings import Conflict, group, setting, settings

_NM = "yarn.nodemanager."
_HOME = "/".join(("", "home", ""))  # in parts, for as a whole it looks like a path of somebody's machine
_ENV_WHITELIST = (
    "JAVA_HOME",
    "HADOOP_COMMON_HOME",
    "HADOOP_HDFS_HOME",
    "HADOOP_CONF_DIR",
    "CLASSPATH_PREPEND_DISTCACHE",
    "HADOOP_YARN_HOME",
    "HADOOP_HOME",
    "PATH",
    "LANG",
    "TZ",
)


@settings
class NMSettings:
    """What a NodeManager does by itself; `disks`, `logs` and the rest hold the parts' own."""

    # Addresses
    address: Address = setting(
        _NM + "address",
        "${yarn.nodemanager.hostname}:0",
        "Where ApplicationMasters and the RM reach the node; port 0: any free one",
        parse=with_default_port(0),
    )
    hadoop_ipc: bool = setting(
        "yarnbox.hadoop-ipc.enabled", False, "Serve Hadoop's own ApplicationMasters too, at the same address"
    )
    web_address: Address = setting(
        _NM + "webapp.address",
        "${yarn.nodemanager.hostname}:8042",
        "Where the node's web server listens",
        parse=with_default_port(8042),
    )
    localizer_address: Address = setting(
        _NM + "localizer.address",
        "${yarn.nodemanager.hostname}:8040",
        "Where private localizers report",
        parse=with_default_port(8040),
    )
    bind_host: str | None = setting(
        _NM + "bind-host", None, "The servers listen on this host instead of the one in their addresses"
    )
    address_book: str | None = setting(
        "yarnbox.address-book", None, "File that maps emulated host names to real addresses; absent: none"
    )
    shuffle_port: int = setting(
        "mapreduce.shuffle.port",
        13_562,
        "Port of the shuffle service; 0: any free one",
        at_least=0,
        at_most=65_535,
    )

    # The ResourceManager
    rm_address: Address = setting(
        "yarnbox.resourcemanager.grpc.address",
        "${yarn.resourcemanager.hostname}:8050",
        "The ResourceManager's services over gRPC",
        parse=with_default_port(8050),
    )
    rm_tracker_address: Address = setting(
        "yarn.resourcemanager.resource-tracker.address",
        "${yarn.resourcemanager.hostname}:8031",
        "Where the RM answers nodes over Hadoop's IPC",
        parse=with_default_port(8031),
    )
    hadoop_heartbeats: bool = setting(
        "yarnbox.hadoop-ipc.heartbeats.enabled",
        False,
        "Register and report to the RM over Hadoop's IPC, at its resource-tracker.address, not over gRPC",
    )
    node_secret_file: str | None = setting(
        "yarnbox.node-secret-file", None, "File with the secret by which the RM knows its nodes; absent: none"
    )
    rm_heartbeat_interval_ms: int = setting(
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms",
        1_000,
        "How often to report until the RM says otherwise",
        unit="ms",
        at_least=1,
    )
    rm_connect_maximum_wait_ms: int = setting(
        "yarn.resourcemanager.connect.max-wait.ms",
        900_000,
        "How long to try to reach the RM; -1: without limit",
        unit="ms",
        at_least=-1,
    )
    rm_connect_retry_interval_ms: int = setting(
        "yarn.resourcemanager.connect.retry-interval.ms", 30_000, "Pause between tries", unit="ms", at_least=1
    )
    nm_connect_maximum_wait_ms: int = setting(
        _NM + "resourcemanager.connect.max-wait.ms",
        "${yarn.resourcemanager.connect.max-wait.ms}",
        "The same for NodeManagers",
        unit="ms",
        at_least=-1,
    )
    nm_connect_retry_interval_ms: int = setting(
        _NM + "resourcemanager.connect.retry-interval.ms",
        "${yarn.resourcemanager.connect.retry-interval.ms}",
        "The same for NodeManagers",
        unit="ms",
        at_least=1,
    )
    node_expiry_ms: int = setting(
        "yarn.nm.liveness-monitor.expiry-interval-ms",
        600_000,
        "When the RM gives a silent node up; keep-alives of ended applications follow from it",
        unit="ms",
        at_least=1,
    )
    rm_work_preserving: bool = setting(
        "yarn.resourcemanager.work-preserving-recovery.enabled",
        True,
        "On RESYNC containers are kept; otherwise all are killed first",
    )
    minimum_rm_version: str = setting(
        _NM + "resourcemanager.minimum.version", "NONE", "An RM below is refused: NONE, EqualToNM, a version"
    )

    # Containers
    track_stopped_containers_ms: int = setting(
        _NM + "duration-to-track-stopped-containers",
        600_000,
        "How long the end of a container is remembered",
        unit="ms",
        at_least=0,
    )
    executor_class: str = setting(
        _NM + "container-executor.class",
        "org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor",
        "How processes are started",
    )
    environment_whitelist: tuple[str, ...] = setting(
        _NM + "env-whitelist",
        _ENV_WHITELIST,
        "Variables of the node that containers inherit unless they set them",
    )
    admin_environment: str = setting(
        _NM + "admin-env", "MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX", "Variables merged into every container's"
    )
    user_home_directory: str = setting(_NM + "user-home-dir", _HOME, "HOME of the containers")
    sigkill_delay_ms: int = setting(
        _NM + "sleep-delay-before-sigkill.ms",
        250,
        "Time between SIGTERM and SIGKILL; 0: SIGKILL at once",
        unit="ms",
        at_least=0,
    )
    process_kill_wait_ms: int = setting(
        _NM + "process-kill-wait.ms",
        5_000,
        "How long to wait for the pid of a new process",
        unit="ms",
        at_least=0,
    )
    diagnostics_maximum_size: int = setting(
        _NM + "container-diagnostics-maximum-size", 10_000, "Characters kept of diagnostics", at_least=1
    )
    retry_minimum_interval_ms: int = setting(
        _NM + "container-retry-minimum-interval-ms",
        1_000,
        "Shortest pause before a relaunch",
        unit="ms",
        at_least=0,
    )
    opportunistic_maximum_queue: int = setting(
        _NM + "opportunistic-containers-max-queue-length",
        0,
        "OPPORTUNISTIC containers that may wait",
        at_least=0,
    )
    opportunistic_pause: bool = setting(
        _NM + "opportunistic-containers-use-pause-for-preemption",
        False,
        "Free resources by pausing containers instead of killing them",
    )
    stderr_tail_bytes: int = setting(
        _NM + "container.stderr.tail.bytes",
        4_096,
        "End of stderr shown with a failure",
        unit="bytes",
        at_least=0,
    )
    stderr_pattern: str = setting(
        _NM + "container.stderr.pattern", "{*stderr*,*STDERR*}", "Which files that is"
    )
    debug_delete_delay_secs: int = setting(
        _NM + "delete.debug-delay-sec",
        0,
        "How long directories of ended applications are kept; -1: without limit",
        unit="secs",
        at_least=-1,
    )
    aux_services: tuple[str, ...] = setting(_NM + "aux-services", (), "Auxiliary services: mapreduce_shuffle")

    # Restarts
    recovery_enabled: bool = setting(
        _NM + "recovery.enabled", False, "Containers survive a restart of the NM"
    )
    recovery_directory: str = setting(
        _NM + "recovery.dir", "${hadoop.tmp.dir}/yarn-nm-recovery", "Where the state for that is kept"
    )
    recovery_supervised: bool = setting(
        _NM + "recovery.supervised",
        False,
        "The NM is supervised and started again: leave containers running when it ends",
    )
    acl_enabled: bool = setting("yarn.acl.enable", False, "Check who looks at containers and logs")
    admin_acl: AccessControlList = setting("yarn.admin.acl", "*", "Administrators of the cluster")

    http_access: HttpAccessSettings = group(HttpAccessSettings)
    tls: TlsSettings = group(TlsSettings)
    resources: NodeResourceSettings = group(NodeResourceSettings)
    disks: DiskSettings = group(DiskSettings)
    localization: LocalizationSettings = group(LocalizationSettings)
    staging: StagingSettings = group(StagingSettings)
    logs: LogSettings = group(LogSettings)
    monitor: MonitorSettings = group(MonitorSettings)
    log_monitor: LogMonitorSettings = group(LogMonitorSettings)
    health: HealthSettings = group(HealthSettings)
    labels: LabelProviderSettings = group(LabelProviderSettings)
    attributes: AttributeProviderSettings = group(AttributeProviderSettings)

    def conflicts(self) -> Iterator[Conflict]:
        """A NodeManager that is to be found again after a restart needs a port that stays."""
        if self.recovery_enabled and self.address.port == 0:
            yield Conflict(_NM + "address", f"a fixed port, because {_NM}recovery.enabled is true")
