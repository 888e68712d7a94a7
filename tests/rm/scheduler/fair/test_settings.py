"""The properties of yarn-site.xml: defaults, increments, and what stops the start."""

from __future__ import annotations

import pytest

from yarnbox.rm.scheduler.fair.settings import FairConfiguration
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry


def read(**properties: str) -> FairConfiguration:
    """The configuration of these properties; `__` stands for a dot, `_` for a dash."""
    return of({name.replace("__", ".").replace("_", "-"): value for name, value in properties.items()})


def of(properties: dict[str, str]) -> FairConfiguration:
    """The configuration of these properties."""
    configuration = Configuration.of(properties)
    return FairConfiguration.read(configuration, ResourceTypeRegistry.read(configuration))


def test_the_defaults_are_hadoop_s() -> None:
    found = of({})
    settings = found.settings
    assert (settings.user_as_default_queue, settings.allow_undeclared_pools) == (True, True)
    assert (settings.preemption, settings.assign_multiple, settings.dynamic_max_assign) == (
        False,
        False,
        True,
    )
    assert (settings.max_assign, settings.wait_before_kill_ms) == (-1, 15_000)
    assert settings.utilization_threshold == pytest.approx(0.8)
    assert (found.increment, found.update_interval_ms) == (Resource(1024, 1), 500)
    assert found.may_preempt_am("root.a")


def test_increments_take_units_and_the_old_names() -> None:
    types = {"yarn.resource-types": "gpu", "yarn.resource-types.gpu.increment-allocation": "2"}
    assert of(types).increment == Resource(1024, 1, (("gpu", 2),))
    assert read(yarn__resource_types__memory_mb__increment_allocation="2 Gi").increment.memory_mb == 2048
    assert read(yarn__scheduler__increment_allocation_mb="512").increment == Resource(512, 1)
    both = read(
        yarn__scheduler__increment_allocation_mb="512",
        yarn__resource_types__memory_mb__increment_allocation="256",
    )
    assert both.increment.memory_mb == 256
    assert "overrides" in both.notices[0]


def test_ams_of_single_queues_may_be_spared() -> None:
    found = of(
        {
            "yarn.scheduler.fair.am.preemption": "false",
            "yarn.scheduler.fair.am.preemption.root.a": "true",
        }
    )
    assert (found.may_preempt_am("root.a"), found.may_preempt_am("root.b")) == (True, False)


def test_a_negative_update_interval_means_the_default() -> None:
    found = of({"yarn.scheduler.fair.update-interval-ms": "-1"})
    assert found.update_interval_ms == 500
    assert "negative" in found.notices[0]


@pytest.mark.parametrize(
    "name, value",
    [
        ("yarn.scheduler.minimum-allocation-mb", "-1"),
        ("yarn.scheduler.minimum-allocation-mb", "9000"),
        ("yarn.scheduler.minimum-allocation-vcores", "5"),
        ("yarn.resource-types.memory-mb.increment-allocation", "0"),
        ("yarn.resource-types.vcores.increment-allocation", "0"),
        ("yarn.resource-types.memory-mb.increment-allocation", "a lot"),
        ("yarn.resource-types.memory-mb.increment-allocation", "1 furlong"),
        ("yarn.scheduler.increment-allocation-mb", "0"),
        ("yarn.scheduler.fair.allocation.file", "ftp://somewhere/fair.xml"),
        ("yarn.scheduler.fair.preemption", "perhaps"),
    ],
)
def test_what_makes_no_sense_stops_the_start(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        of({name: value})
    assert [fault.property for fault in caught.value.faults] == [name]
