"""RMSettings: Hadoop's defaults, the names of schedulers, and what does not go together."""

from __future__ import annotations

import pytest

from yarnbox.rm.settings import CAPACITY_SCHEDULER, FAIR_SCHEDULER, FIFO_SCHEDULER, RMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.security.acl import EVERYBODY
from yarnbox.yarn.settings import declarations, read, table

RM = "yarn.resourcemanager."
HADOOP_DEFAULTS = {
    "yarn.nm.liveness-monitor.expiry-interval-ms": "600000",
    "yarn.am.liveness-monitor.expiry-interval-ms": "900000",
    RM + "rm.container-allocation.expiry-interval-ms": "600000",
    RM + "nodemanagers.heartbeat-interval-ms": "1000",
    RM + "nodemanager-graceful-decommission-timeout-secs": "3600",
    RM + "decommissioning-nodes-watcher.poll-interval-secs": "20",
    RM + "am.max-attempts": "2",
    RM + "am-scheduling.node-blacklisting-enabled": "false",
    RM + "max-completed-applications": "1000",
    RM + "application-timeouts.monitor.interval-ms": "3000",
    RM + "application.max-tags": "10",
    RM + "recovery.enabled": "false",
    RM + "work-preserving-recovery.enabled": "true",
    RM + "work-preserving-recovery.scheduling-wait-ms": "10000",
    RM + "nodemanager.minimum.version": "NONE",
    RM + "opportunistic-container-allocation.nodes-used": "10",
    RM + "placement-constraints.handler": "disabled",
    RM + "placement-constraints.retry-attempts": "3",
    RM + "node-labels.provider.fetch-interval-ms": "1800000",
    RM + "metrics.runtime.buckets": "60,300,1440",
    RM + "webapp.address": "${yarn.resourcemanager.hostname}:8088",
    "yarn.app.attempt.diagnostics.limit.kc": "64",
    "yarn.cluster.max-application-priority": "0",
    "yarn.log-aggregation-status.time-out.ms": "600000",
    "yarn.scheduler.minimum-allocation-mb": "1024",
    "yarn.scheduler.maximum-allocation-mb": "8192",
    "yarn.scheduler.minimum-allocation-vcores": "1",
    "yarn.scheduler.maximum-allocation-vcores": "4",
    "yarn.node-labels.configuration-type": "centralized",
    "yarn.acl.enable": "false",
    "yarn.admin.acl": "*",
}


def of(properties: dict[str, str]) -> RMSettings:
    return read(RMSettings, Configuration.of(properties))


def test_defaults_are_hadoops() -> None:
    declared = {declaration.name: declaration.default_text for declaration in declarations(RMSettings)}
    assert {name: declared[name] for name in HADOOP_DEFAULTS} == HADOOP_DEFAULTS


def test_defaults_as_values() -> None:
    settings = RMSettings()
    assert settings == of({})
    assert settings.addresses.grpc == Address("127.0.0.1", 8050)
    assert settings.web.address == Address("127.0.0.1", 8088)
    assert settings.am_global_max_attempts == 2
    assert settings.am_blacklisting_disable_threshold > 0.2, "a Java float"
    assert settings.addresses.admin_acl == EVERYBODY
    assert settings.labels.am_default_expression is None


def test_defaults_follow_what_they_refer_to() -> None:
    settings = of(
        {RM + "am.max-attempts": "5", RM + "hostname": "rm1", RM + "max-completed-applications": "7"}
    )
    assert settings.am_global_max_attempts == 5
    assert settings.addresses.scheduler == Address("rm1", 8030)
    assert settings.max_stored_completed_applications == 7


def test_an_address_may_leave_its_port_out() -> None:
    assert of({RM + "webapp.address": "rm1"}).web.address == Address("rm1", 8088)


@pytest.mark.parametrize(
    "text, name",
    [
        ("fifo", FIFO_SCHEDULER),
        ("Capacity", CAPACITY_SCHEDULER),
        ("fair", FAIR_SCHEDULER),
        (FAIR_SCHEDULER, FAIR_SCHEDULER),
        ("my.lottery.LotteryScheduler", "my.lottery.LotteryScheduler"),
    ],
)
def test_a_scheduler_is_named_shortly_or_by_its_class(text: str, name: str) -> None:
    assert of({RM + "scheduler.class": text}).scheduler_class == name


def test_only_what_hadoop_reads_as_a_duration_takes_a_unit() -> None:
    assert of({"yarn.am.liveness-monitor.expiry-interval-ms": "10m"}).am_expiry_ms == 600_000
    with pytest.raises(ConfigurationError, match="must be an integer"):
        of({"yarn.nm.liveness-monitor.expiry-interval-ms": "10m"})


@pytest.mark.parametrize(
    "properties, at_fault",
    [
        (
            {"yarn.nm.liveness-monitor.expiry-interval-ms": "999"},
            "yarn.nm.liveness-monitor.expiry-interval-ms",
        ),
        ({RM + "am.max-attempts": "0", RM + "am.global.max-attempts": "1"}, RM + "am.max-attempts"),
        ({"yarn.scheduler.maximum-allocation-mb": "512"}, "yarn.scheduler.maximum-allocation-mb"),
        ({"yarn.scheduler.minimum-allocation-vcores": "5"}, "yarn.scheduler.maximum-allocation-vcores"),
        ({"yarn.scheduler.minimum-allocation-mb": "0"}, "yarn.scheduler.minimum-allocation-mb"),
        ({"yarn.scheduler.minimum-allocation-vcores": "0"}, "yarn.scheduler.minimum-allocation-vcores"),
        (
            {
                RM + "nodemanagers.heartbeat-interval-scaling-enable": "true",
                RM + "nodemanagers.heartbeat-interval-min-ms": "1001",
            },
            RM + "nodemanagers.heartbeat-interval-min-ms",
        ),
        (
            {
                RM + "nodemanagers.heartbeat-interval-scaling-enable": "true",
                RM + "nodemanagers.heartbeat-interval-ms": "2000",
            },
            RM + "nodemanagers.heartbeat-interval-max-ms",
        ),
        (
            {
                "yarn.node-labels.enabled": "true",
                "yarn.node-labels.configuration-type": "delegated-centralized",
            },
            RM + "node-labels.provider",
        ),
        ({RM + "metrics.runtime.buckets": "300,60"}, RM + "metrics.runtime.buckets"),
    ],
)
def test_what_does_not_go_together(properties: dict[str, str], at_fault: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        of(properties)
    assert [fault.property for fault in caught.value.faults] == [at_fault]


def test_the_fair_scheduler_takes_a_minimum_of_nothing() -> None:
    settings = of(
        {
            RM + "scheduler.class": "fair",
            "yarn.scheduler.minimum-allocation-mb": "0",
            "yarn.scheduler.minimum-allocation-vcores": "0",
        }
    )
    assert settings.allocation.minimum_mb == 0


def test_every_row_of_the_manual_is_filled() -> None:
    assert all(declaration.doc for declaration in declarations(RMSettings))
    assert table(RMSettings).count("\n") == len(declarations(RMSettings)) + 2
