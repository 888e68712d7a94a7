"""RMSettings: the ResourceManager's own properties, and the groups of those that belong to one part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from yarnbox.rm.settings.allocation import (
    AllocationSettings,
    OpportunisticSettings,
    PlacementConstraintSettings,
)
from yarnbox.rm.settings.ha import HASettings
from yarnbox.rm.settings.labels import AttributeSettings, LabelSettings
from yarnbox.rm.settings.logs import LogRetentionSettings
from yarnbox.rm.settings.security import AddressSettings, TokenSettings
from yarnbox.rm.settings.web import WebSettings
from yarnbox.yarn.configuration import values
from yarnbox.yarn.http.access import HttpAccessSettings
from yarnbox.yarn.security.tls import TlsSettings
from yarnbox.yarn.settings import Conflict, group, setting, settings

_SCHEDULER = "org.apache.hadoop.yarn.server.resourcemanager.scheduler."
FIFO_SCHEDULER: Final = _SCHEDULER + "fifo.FifoScheduler"
CAPACITY_SCHEDULER: Final = _SCHEDULER + "capacity.CapacityScheduler"
FAIR_SCHEDULER: Final = _SCHEDULER + "fair.FairScheduler"
SCHEDULERS: Mapping[str, str] = {
    "fifo": FIFO_SCHEDULER,
    "capacity": CAPACITY_SCHEDULER,
    "fair": FAIR_SCHEDULER,
}
"""The short names that yarn.resourcemanager.scheduler.class may use."""

_STORE = "org.apache.hadoop.yarn.server.resourcemanager.recovery."
STATE_STORES: Mapping[str, str] = {
    "null": _STORE + "NullRMStateStore",
    "memory": _STORE + "MemoryRMStateStore",
    "file": _STORE + "FileSystemRMStateStore",
    "leveldb": _STORE + "LeveldbRMStateStore",
    "zookeeper": _STORE + "ZKRMStateStore",
}

_PREEMPTION_POLICY = (
    "org.apache.hadoop.yarn.server.resourcemanager.monitor.capacity.ProportionalCapacityPreemptionPolicy"
)

_RM = "yarn.resourcemanager."
_HEARTBEAT = _RM + "nodemanagers.heartbeat-interval-"


@settings
class RMSettings:
    """What the ResourceManager does by itself; `allocation`, `labels` and the rest hold the parts' own."""

    # Liveness
    node_expiry_ms: int = setting(
        "yarn.nm.liveness-monitor.expiry-interval-ms",
        600_000,
        "A node silent for longer is LOST",
        unit="ms",
        at_least=1,
    )
    am_expiry_ms: int = setting(
        "yarn.am.liveness-monitor.expiry-interval-ms",
        900_000,
        "An ApplicationMaster silent for longer has failed",
        unit="ms",
        suffixes=True,
        at_least=1,
    )
    container_allocation_expiry_ms: int = setting(
        _RM + "rm.container-allocation.expiry-interval-ms",
        600_000,
        "A container that its ApplicationMaster took and did not launch is taken back after this time",
        unit="ms",
        at_least=1,
    )
    lifetime_check_interval_ms: int = setting(
        _RM + "application-timeouts.monitor.interval-ms",
        3_000,
        "How often the lifetimes of applications are looked at",
        unit="ms",
        at_least=1,
    )

    # Nodes
    heartbeat_interval_ms: int = setting(
        _HEARTBEAT + "ms", 1_000, "How often a NodeManager is to report", unit="ms", at_least=1
    )
    heartbeat_scaling_enabled: bool = setting(
        _HEARTBEAT + "scaling-enable", False, "Busy nodes report less often than the others"
    )
    heartbeat_minimum_ms: int = setting(
        _HEARTBEAT + "min-ms", 1_000, "Shortest scaled interval", unit="ms", at_least=1
    )
    heartbeat_maximum_ms: int = setting(
        _HEARTBEAT + "max-ms", 1_000, "Longest scaled interval", unit="ms", at_least=1
    )
    heartbeat_speedup_factor: float = setting(
        _HEARTBEAT + "speedup-factor",
        1.0,
        "How much sooner idle nodes report",
        at_least=0,
        parse=values.single,
    )
    heartbeat_slowdown_factor: float = setting(
        _HEARTBEAT + "slowdown-factor",
        1.0,
        "How much later busy nodes report",
        at_least=0,
        parse=values.single,
    )
    nodes_include_path: str = setting(
        _RM + "nodes.include-path", "", "File of the hosts that may join; empty: all may"
    )
    nodes_exclude_path: str = setting(
        _RM + "nodes.exclude-path", "", "File of the hosts that must leave or stay away"
    )
    minimum_node_version: str = setting(
        _RM + "nodemanager.minimum.version",
        "NONE",
        "NodeManagers below are refused: NONE, EqualToRM, a version",
    )
    check_node_host: bool = setting(
        _RM + "resource-tracker.nm.ip-hostname-check", False, "Refuse nodes whose host name does not resolve"
    )
    decommission_timeout_secs: int = setting(
        _RM + "nodemanager-graceful-decommission-timeout-secs",
        3_600,
        "A graceful decommissioning that names no timeout ends after this; negative: never",
        unit="secs",
    )
    decommission_poll_interval_secs: int = setting(
        _RM + "decommissioning-nodes-watcher.poll-interval-secs",
        20,
        "How often silent decommissioning nodes are looked at",
        unit="secs",
        at_least=1,
    )
    untracked_node_removal_ms: int = setting(
        _RM + "node-removal-untracked.timeout-ms",
        60_000,
        "A node in neither host file is forgotten after this time",
        unit="ms",
        at_least=0,
    )
    untracked_without_include: bool = setting(
        _RM + "enable-node-untracked-without-include-path",
        False,
        "Nodes in neither file count as untracked even without an include file",
    )
    port_in_node_name: bool = setting(
        "yarn.scheduler.include-port-in-node-name", False, "Nodes of one host are told apart by their ports"
    )

    # Applications and attempts
    am_max_attempts: int = setting(
        _RM + "am.max-attempts", 2, "Attempts of an application that does not say", at_least=1
    )
    am_global_max_attempts: int = setting(
        _RM + "am.global.max-attempts",
        "${yarn.resourcemanager.am.max-attempts}",
        "Most attempts that any application may have",
        at_least=1,
    )
    am_blacklisting_enabled: bool = setting(
        _RM + "am-scheduling.node-blacklisting-enabled",
        False,
        "Do not start an ApplicationMaster again on a node where it failed",
    )
    am_blacklisting_disable_threshold: float = setting(
        _RM + "am-scheduling.node-blacklisting-disable-threshold",
        "0.2",
        "Share of the nodes beyond which that blacklist is lifted",
        parse=values.single,
        at_least=0,
        at_most=1,
    )
    diagnostics_limit_kc: int = setting(
        "yarn.app.attempt.diagnostics.limit.kc", 64, "Kept of an attempt's diagnostics", unit="Ki", at_least=1
    )
    application_max_tags: int = setting(
        _RM + "application.max-tags", 10, "Tags an application may have", at_least=0
    )
    application_max_tag_length: int = setting(
        _RM + "application.max-tag.length", 100, "Characters a tag may have", at_least=0
    )
    max_application_priority: int = setting(
        "yarn.cluster.max-application-priority", 0, "Highest application priority; more is cut", at_least=0
    )
    max_completed_applications: int = setting(
        _RM + "max-completed-applications", 1_000, "Completed applications remembered", at_least=0
    )
    max_stored_completed_applications: int = setting(
        _RM + "state-store.max-completed-applications",
        "${yarn.resourcemanager.max-completed-applications}",
        "Completed applications kept in the state store",
        at_least=0,
    )
    log_aggregation_enabled: bool = setting(
        "yarn.log-aggregation-enable", False, "Nodes collect the logs of ended applications"
    )
    log_aggregation_timeout_ms: int = setting(
        "yarn.log-aggregation-status.time-out.ms",
        600_000,
        "A node that has not told the end of log aggregation by then counts as TIME_OUT",
        unit="ms",
        at_least=1,
    )
    max_log_aggregation_diagnostics: int = setting(
        _RM + "max-log-aggregation-diagnostics-in-memory",
        10,
        "Failure messages kept for each node",
        at_least=0,
    )
    placement_by_tag_enabled: bool = setting(
        _RM + "application-tag-based-placement.enable",
        False,
        "An application tag may name the user for placement",
    )
    placement_by_tag_users: tuple[str, ...] = setting(
        _RM + "application-tag-based-placement.username.whitelist", (), "Users whose tags count for that"
    )
    workflow_tag_prefix: str = setting(
        "yarn.workflow-id.tag-prefix", "workflowid:", "Tag that names the workflow of an application"
    )

    # Restarts
    recovery_enabled: bool = setting(
        _RM + "recovery.enabled", False, "Keep state and recover it at the start"
    )
    work_preserving: bool = setting(
        _RM + "work-preserving-recovery.enabled", True, "Running containers survive a restart of the RM"
    )
    scheduling_wait_ms: int = setting(
        _RM + "work-preserving-recovery.scheduling-wait-ms",
        10_000,
        "After a start with recovery nothing is allocated for this time",
        unit="ms",
        at_least=0,
    )
    store_class: str = setting(
        _RM + "store.class",
        STATE_STORES["file"],
        "The state store: `zookeeper` where several RMs share it; for one RM all that persist are the"
        " embedded one, `memory` and `null` keep nothing",
        aliases=STATE_STORES,
    )
    store_path: str = setting(
        _RM + "fs.state-store.uri", "${hadoop.tmp.dir}/yarn/system/rmstore", "Directory of the state store"
    )
    store_synchronous: str = setting(
        _RM + "state-store.synchronous",
        "NORMAL",
        "What is stored survives the death of the RM (NORMAL), or of the whole machine (FULL: every turn that"
        " stores waits for the disk)",
        one_of=("NORMAL", "FULL"),
    )
    store_creates_missing: bool = setting(
        _RM + "state-store.create-missing",
        False,
        "Begin an empty state store where there was one that has gone; otherwise the RM does not start",
    )
    store_accepts_foreign: bool = setting(
        _RM + "state-store.accept-foreign",
        False,
        "Use a state store of another cluster than the one that was here; otherwise the RM does not start",
    )
    epoch_range: int = setting(
        _RM + "epoch.range", 0, "Epochs start again after so many; 0: never", at_least=0
    )

    # The scheduler
    scheduler_class: str = setting(
        _RM + "scheduler.class",
        CAPACITY_SCHEDULER,
        "The scheduler: a short name, Hadoop's class name, or the dotted path of a Python class",
        aliases=SCHEDULERS,
    )
    scheduler_monitor_enabled: bool = setting(
        _RM + "scheduler.monitor.enable", False, "Run the scheduler's monitors: preemption first of all"
    )
    scheduler_monitor_policies: tuple[str, ...] = setting(
        _RM + "scheduler.monitor.policies", (_PREEMPTION_POLICY,), "The monitors, in their order"
    )
    autocorrect_container_allocation: bool = setting(
        _RM + "scheduler.autocorrect.container.allocation",
        False,
        "Hand out exactly as many containers as asked, though the asks are confused",
    )
    skip_node_multiplier: int = setting(
        "yarn.scheduler.skip.node.multiplier",
        2,
        "A node silent for so many heartbeats is passed over by asynchronous scheduling",
        at_least=1,
    )
    reservation_system_enabled: bool = setting(
        _RM + "reservation-system.enable", False, "Admit reservations over time"
    )
    reservation_system_class: str | None = setting(
        _RM + "reservation-system.class", None, "The reservation system; no other than the scheduler's own"
    )
    plan_follower_class: str | None = setting(
        _RM + "reservation-system.plan.follower",
        None,
        "The plan follower; no other than the scheduler's own",
    )
    reservation_step_ms: int = setting(
        _RM + "reservation-system.planfollower.time-step",
        1_000,
        "Step of the plans, and how often they are put into effect",
        unit="ms",
        suffixes=True,
        at_least=1,
    )
    reservation_max_period_ms: int = setting(
        _RM + "reservation-system.max-periodicity",
        86_400_000,
        "After this long every recurring reservation has come round",
        unit="ms",
        at_least=1,
    )
    reservation_early: bool = setting(
        _RM + "reservation-system.favor-early-allocation",
        True,
        "Plan towards the beginning of a reservation's window, not towards its end",
    )
    reservation_smoothness: int = setting(
        _RM + "reservation-system.smoothness-factor",
        10,
        "Into how fine parts the aligned planner divides what it spreads",
        at_least=1,
    )

    addresses: AddressSettings = group(AddressSettings)
    ha: HASettings = group(HASettings)
    tokens: TokenSettings = group(TokenSettings)
    web: WebSettings = group(WebSettings)
    http_access: HttpAccessSettings = group(HttpAccessSettings)
    tls: TlsSettings = group(TlsSettings)
    allocation: AllocationSettings = group(AllocationSettings)
    opportunistic: OpportunisticSettings = group(OpportunisticSettings)
    constraints: PlacementConstraintSettings = group(PlacementConstraintSettings)
    labels: LabelSettings = group(LabelSettings)
    logs: LogRetentionSettings = group(LogRetentionSettings)
    attributes: AttributeSettings = group(AttributeSettings)

    @property
    def keeps_state(self) -> bool:
        """Whether the state store outlives the process."""
        return self.store_class not in (STATE_STORES["null"], STATE_STORES["memory"])

    def conflicts(self) -> Iterator[Conflict]:
        """ResourceManager.validateConfigs, ResourceTrackerService and the schedulers' validateConf."""
        if self.node_expiry_ms < self.heartbeat_interval_ms:
            yield Conflict(
                "yarn.nm.liveness-monitor.expiry-interval-ms",
                f"at least {_HEARTBEAT}ms, which is {self.heartbeat_interval_ms}",
            )
        if self.heartbeat_scaling_enabled:
            if self.heartbeat_minimum_ms > self.heartbeat_interval_ms:
                allowed = f"at most {_HEARTBEAT}ms, which is {self.heartbeat_interval_ms}"
                yield Conflict(_HEARTBEAT + "min-ms", allowed)
            if self.heartbeat_maximum_ms < self.heartbeat_interval_ms:
                allowed = f"at least {_HEARTBEAT}ms, which is {self.heartbeat_interval_ms}"
                yield Conflict(_HEARTBEAT + "max-ms", allowed)
        if self.scheduler_class != FAIR_SCHEDULER and self.allocation.minimum_mb == 0:
            yield Conflict(
                "yarn.scheduler.minimum-allocation-mb", "at least 1 (only the fair scheduler takes 0)"
            )
        if self.scheduler_class == CAPACITY_SCHEDULER and self.allocation.minimum_vcores == 0:
            yield Conflict(
                "yarn.scheduler.minimum-allocation-vcores", "at least 1 with the capacity scheduler"
            )
