"""Resource types: the registry that a configuration describes, and resources written as text."""

from __future__ import annotations

import pytest

from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.enums import ResourceTypes
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.resources.resource_types import VOLUME_TAG, ResourceType, ResourceTypeRegistry, is_absolute
from yarnbox.yarn.resources.units import MAXIMUM

RICH = Configuration.of(
    {
        "yarn.resource-types": "yarn.io/gpu, bandwidth ,disk",
        "yarn.resource-types.yarn.io/gpu.maximum-allocation": "4",
        "yarn.resource-types.bandwidth.units": "M",
        "yarn.resource-types.bandwidth.minimum-allocation": "10",
        "yarn.resource-types.bandwidth.maximum-allocation": "1000",
        "yarn.resource-types.disk.tags": f"a,{VOLUME_TAG}",
    }
)


def test_memory_and_vcores_are_always_there() -> None:
    types = ResourceTypeRegistry.read(Configuration())
    assert types.names == ResourceTypeRegistry().names == ("memory-mb", "vcores")
    assert types["memory-mb"].units == "Mi"
    assert types.minimum_allocation == Resource(1024, 1)
    assert types.maximum_allocation == Resource(8192, 4)


def test_limits_of_memory_stand_under_the_types_name_or_the_schedulers() -> None:
    types = ResourceTypeRegistry.read(
        Configuration.of(
            {
                "yarn.scheduler.minimum-allocation-mb": "512",
                "yarn.scheduler.maximum-allocation-mb": "4096",
                "yarn.scheduler.maximum-allocation-vcores": "32",
                "yarn.resource-types.memory-mb.maximum-allocation": "2048",
                "yarn.resource-types.vcores.minimum-allocation": "2",
            }
        )
    )
    assert types.minimum_allocation == Resource(512, 2)
    assert types.maximum_allocation == Resource(2048, 32)


def test_configured_types_come_in_their_order_and_volumes_last() -> None:
    types = ResourceTypeRegistry.read(RICH)
    assert types.names == ("memory-mb", "vcores", "yarn.io/gpu", "bandwidth", "disk")
    assert types["bandwidth"] == ResourceType("bandwidth", "M", 10, 1000)
    assert types["disk"].maximum_allocation == MAXIMUM
    assert not types["disk"].countable_on_nodes
    assert types.minimum_allocation == Resource(1024, 1, (("bandwidth", 10),))
    assert len(types) == 5
    reordered = ResourceTypeRegistry([types["disk"], types["bandwidth"], ResourceType("zebra")])
    assert reordered.names == ("memory-mb", "vcores", "bandwidth", "zebra", "disk")


def test_the_wire_form_and_back() -> None:
    types = ResourceTypeRegistry.read(RICH)
    infos = types.infos()
    assert [(info.name, info.units) for info in infos][:4] == [
        ("memory-mb", "Mi"),
        ("vcores", ""),
        ("yarn.io/gpu", ""),
        ("bandwidth", "M"),
    ]
    assert all(info.type is ResourceTypes.COUNTABLE for info in infos)
    assert ResourceTypeRegistry.of(infos).names == types.names


def test_unknown_types_of_a_resource() -> None:
    types = ResourceTypeRegistry.read(RICH)
    assert types.unknown(Resource(1, 1, (("bandwidth", 1), ("smell", 2)))) == ("smell",)


@pytest.mark.parametrize("name", ["memory", "memory-mb", "vcores"])
def test_mandatory_types_are_not_declared_again(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"without `{name}`"):
        ResourceTypeRegistry.read(Configuration.of({"yarn.resource-types": name}))


@pytest.mark.parametrize("name", ["1a", "a b", "-a", "x.y/-a", "a/b/c", "-x/a", "x-/a", "/a", "a/"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="not a resource name"):
        ResourceTypeRegistry.read(Configuration.of({"yarn.resource-types": name}))


@pytest.mark.parametrize("name", ["a", "a-b_c.d9", "yarn.io/gpu", "x-1.y2/a", "9/a"])
def test_a_name_may_have_a_namespace(name: str) -> None:
    assert name in ResourceTypeRegistry.read(Configuration.of({"yarn.resource-types": name}))


def test_all_faults_are_told_together() -> None:
    configuration = Configuration.of(
        {
            "yarn.resource-types": "a,a,yarn.io/fpga",
            "yarn.resource-types.a.units": "GB",
            "yarn.resource-types.a.type": "UNCOUNTABLE",
            "yarn.resource-types.a.minimum-allocation": "few",
            "yarn.resource-types.yarn.io/fpga.units": "k",
            "yarn.scheduler.minimum-allocation-mb": "1g",
        }
    )
    with pytest.raises(ConfigurationError) as caught:
        ResourceTypeRegistry.read(configuration)
    assert [(fault.property, fault.value) for fault in caught.value.faults] == [
        ("yarn.scheduler.minimum-allocation-mb", "1g"),
        ("yarn.resource-types.a.units", "GB"),
        ("yarn.resource-types.a.type", "UNCOUNTABLE"),
        ("yarn.resource-types.a.minimum-allocation", "few"),
        ("yarn.resource-types", "a,a,yarn.io/fpga"),
        ("yarn.resource-types.yarn.io/fpga.units", "k"),
    ]


@pytest.mark.parametrize(
    "text, resource",
    [
        ("memory-mb=8Gi,vcores=4,yarn.io/gpu=2", Resource(8192, 4, (("yarn.io/gpu", 2),))),
        ("memory=2g, vcores=1", Resource(2048, 1)),
        ("memory-mb=512m", Resource(512)),
        ("memory-mb=512 M", Resource(512)),
        ("memory-mb=512", Resource(512)),
        ("memory=512", Resource(512)),
        ("gpu=3", Resource(0, 0, (("yarn.io/gpu", 3),))),
        ("vcores=1,vcores=2", Resource(0, 2)),
    ],
)
def test_the_grammar_of_command_lines(text: str, resource: Resource) -> None:
    assert ResourceTypeRegistry.read(RICH).parse(text) == resource


@pytest.mark.parametrize(
    "text, allowed",
    [
        ("", "pairs of type=amount"),
        ("memory-mb", "pairs of type=amount"),
        ("memory-mb=-1", "pairs of type=amount"),
        ("memory-mb=1.5g", "pairs of type=amount"),
        ("memory-mb=1,,vcores=1", "pairs of type=amount"),
        ("fpga=1", "known resource types"),
        ("memory-mb=1T", "amounts in M or G"),
    ],
)
def test_what_a_command_line_may_not_say(text: str, allowed: str) -> None:
    with pytest.raises(ValueError, match=allowed):
        ResourceTypeRegistry.read(RICH).parse(text)


@pytest.mark.parametrize(
    "text, resource, ignored",
    [
        ("[memory=10240,vcores=12]", Resource(10240, 12), []),
        ("[memory=10Gi,vcores=12]", Resource(10240, 12), []),
        ("[memory=10240,vcores=12,yarn.io/gpu=4]", Resource(10240, 12, (("yarn.io/gpu", 4),)), []),
        ("[memory-mb=10240]", Resource(10240), []),
        ("[memory=1024,bandwidth=2G]", Resource(1024, 0, (("bandwidth", 1907),)), []),
        ("[vcores=12]", NONE, []),
        (
            "[memory=1024, smell=2, vcores, bandwidth=3x]",
            Resource(1024),
            ["smell=2", "vcores", "bandwidth=3x"],
        ),
    ],
)
def test_the_grammar_of_absolute_capacities(text: str, resource: Resource, ignored: list[str]) -> None:
    passed_over: list[str] = []
    assert is_absolute(text)
    assert ResourceTypeRegistry.read(RICH).parse_absolute(text, passed_over) == resource
    assert passed_over == ignored


@pytest.mark.parametrize("text", ["50", "memory=1", "[]", "[memory=1", "[memory=1;vcores=2]", "[memory=one]"])
def test_what_is_no_absolute_capacity(text: str) -> None:
    with pytest.raises(ValueError, match=r"resources as|amounts that are integers"):
        ResourceTypeRegistry().parse_absolute(text)
