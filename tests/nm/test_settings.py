"""NMSettings: Hadoop's defaults, and what does not go together."""

from __future__ import annotations

import pytest

from yarnbox.nm.settings import NMSettings
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.connection.address import Address
from yarnbox.yarn.settings import declarations, read

NM = "yarn.nodemanager."
HADOOP_DEFAULTS = {
    NM + "address": "${yarn.nodemanager.hostname}:0",
    NM + "webapp.address": "${yarn.nodemanager.hostname}:8042",
    NM + "sleep-delay-before-sigkill.ms": "250",
    NM + "vmem-pmem-ratio": "2.1",
    NM + "vmem-check-enabled": "true",
    NM + "pmem-check-enabled": "true",
    NM + "resource-monitor.interval-ms": "3000",
    NM + "localizer.cache.target-size-mb": "10240",
    NM + "localizer.cache.cleanup.interval-ms": "600000",
    NM + "localizer.fetch.thread-count": "4",
    NM + "local-cache.max-files-per-directory": "8192",
    NM + "disk-health-checker.min-healthy-disks": "0.25",
    NM + "disk-health-checker.interval-ms": "120000",
    NM + "disk-health-checker.max-disk-utilization-per-disk-percentage": "90.0",
    NM + "health-checker.interval-ms": "600000",
    NM + "health-checker.timeout-ms": "1200000",
    NM + "log.retain-seconds": "10800",
    NM + "log-container-debug-info.enabled": "true",
    NM + "log-aggregation.roll-monitoring-interval-seconds": "-1",
    NM + "opportunistic-containers-max-queue-length": "0",
    NM + "recovery.enabled": "false",
    NM + "node-labels.provider.fetch-interval-ms": "600000",
    NM + "node-labels.resync-interval-ms": "120000",
    NM + "node-attributes.provider.fetch-timeout-ms": "1200000",
    NM + "resource.memory-mb": "-1",
    "yarn.log-aggregation-enable": "false",
}


def of(properties: dict[str, str]) -> NMSettings:
    return read(NMSettings, Configuration.of(properties))


def test_defaults_are_hadoops() -> None:
    declared = {declaration.name: declaration.default_text for declaration in declarations(NMSettings)}
    assert {name: declared[name] for name in HADOOP_DEFAULTS} == HADOOP_DEFAULTS
    assert all(declaration.doc for declaration in declarations(NMSettings))


def test_defaults_as_values() -> None:
    settings = NMSettings()
    assert settings == of({})
    assert settings.rm_address == Address("127.0.0.1", 8050)
    assert "PATH" in settings.environment_whitelist
    assert settings.monitor.virtual_ratio == 2.0999999046325684, "a Java float"
    assert settings.user_home_directory == "/{}/".format("home")


def test_defaults_follow_what_they_refer_to() -> None:
    settings = of({"hadoop.tmp.dir": "/run", NM + "resource-monitor.interval-ms": "500"})
    assert settings.disks.local_directories == ("/run/nm-local-dir",)
    assert settings.disks.log_directories == ("/run/logs/userlogs",)
    assert settings.recovery_directory == "/run/yarn-nm-recovery"
    assert settings.monitor.interval_ms == 500


@pytest.mark.parametrize(
    "properties, at_fault",
    [
        ({NM + "recovery.enabled": "true"}, NM + "address"),
        (
            {NM + "log-aggregation.roll-monitoring-interval-seconds": "60"},
            NM + "log-aggregation.roll-monitoring-interval-seconds",
        ),
        ({NM + "resource.memory-mb": "0"}, NM + "resource.memory-mb"),
        ({NM + "disk-health-checker.min-healthy-disks": "25"}, NM + "disk-health-checker.min-healthy-disks"),
    ],
)
def test_what_does_not_go_together(properties: dict[str, str], at_fault: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        of(properties)
    assert [fault.property for fault in caught.value.faults] == [at_fault]


def test_recovery_with_a_fixed_port() -> None:
    assert of({NM + "recovery.enabled": "true", NM + "address": "127.0.0.1:45454"}).recovery_enabled


def test_a_log_policy_has_a_short_name() -> None:
    policy = of({NM + "log-aggregation.policy.class": "AMOnly"}).logs.policy_class
    assert policy.endswith("containermanager.logaggregation.AMOnlyLogAggregationPolicy")
