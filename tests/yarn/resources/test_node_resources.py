"""What a node offers: configured, by default, or as its machine was measured."""

from __future__ import annotations

import pytest

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.resources.node_resources import Hardware, node_resource
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceType, ResourceTypeRegistry

TYPES = ResourceTypeRegistry([ResourceType("yarn.io/gpu"), ResourceType("bandwidth", "M")])
MACHINE = Hardware(memory_mb=10_000, physical_cores=6, logical_processors=12)
NM = "yarn.nodemanager.resource."


def offered(properties: dict[str, str], hardware: Hardware | None = None) -> Resource:
    return node_resource(Configuration.of(properties), TYPES, hardware)


@pytest.mark.parametrize(
    "properties, resource",
    [
        ({}, Resource(8192, 8)),
        ({"memory-mb": "4096", "cpu-vcores": "2"}, Resource(4096, 2)),
        ({"detect-hardware-capabilities": "true"}, Resource(8000, 6)),
        ({"detect-hardware-capabilities": "true", "memory-mb": "1024"}, Resource(1024, 6)),
        ({"detect-hardware-capabilities": "true", "system-reserved-memory-mb": "1000"}, Resource(9000, 6)),
        (
            {"detect-hardware-capabilities": "true", "count-logical-processors-as-cores": "true"},
            Resource(8000, 12),
        ),
        (
            {
                "detect-hardware-capabilities": "true",
                "percentage-physical-cpu-limit": "50",
                "pcores-vcores-multiplier": "1.5",
            },
            Resource(8000, 5),
        ),
        ({"detect-hardware-capabilities": "true", "percentage-physical-cpu-limit": "1"}, Resource(8000, 1)),
        ({"detect-hardware-capabilities": "true", "percentage-physical-cpu-limit": "400"}, Resource(8000, 6)),
    ],
)
def test_memory_and_vcores(properties: dict[str, str], resource: Resource) -> None:
    assert offered({NM + name: text for name, text in properties.items()}, MACHINE) == resource


def test_nothing_is_detected_without_a_machine() -> None:
    assert offered({NM + "detect-hardware-capabilities": "true"}) == Resource(8192, 8)


def test_other_types_are_converted_to_their_units() -> None:
    prefix = "yarn.nodemanager.resource-type."
    assert offered({prefix + "yarn.io/gpu": "4", prefix + "bandwidth": "2G"}) == Resource(
        8192, 8, (("bandwidth", 2000), ("yarn.io/gpu", 4))
    )


def test_all_faults_are_told_together() -> None:
    prefix = "yarn.nodemanager.resource-type."
    wrong = {
        NM + "memory-mb": "0",
        NM + "cpu-vcores": "many",
        prefix + "memory-mb": "1",
        prefix + "smell": "1",
        prefix + "yarn.io/gpu": "two",
        prefix + "bandwidth": "3x",
    }
    with pytest.raises(ConfigurationError) as caught:
        offered(wrong)
    assert sorted(str(fault.property) for fault in caught.value.faults) == sorted(wrong)


def test_a_machine_without_memory_to_spare() -> None:
    reserved = {NM + "detect-hardware-capabilities": "true", NM + "system-reserved-memory-mb": "20000"}
    with pytest.raises(ConfigurationError, match="leaves no memory for containers"):
        offered(reserved, MACHINE)
