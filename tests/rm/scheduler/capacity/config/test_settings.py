"""capacity-scheduler.xml read: every mode, inheritance, and every fault in words that operators know."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.config.property_names import without_effect
from yarnbox.rm.scheduler.capacity.config.reading import ReadingContext, read_settings
from yarnbox.rm.scheduler.capacity.config.settings import (
    CapacityMode,
    CapacitySettings,
    ParentOrder,
    QueueKind,
    QueueSettings,
)
from yarnbox.yarn.configuration import Configuration, ConfigurationError
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.resources.resource_types import ResourceType, ResourceTypeRegistry

P = "yarn.scheduler.capacity."
TWO = {"root.queues": "a,b", "root.a.capacity": "40", "root.b.capacity": "60"}


def read(properties: Mapping[str, str], types: ResourceTypeRegistry | None = None) -> CapacitySettings:
    """The settings of these properties, whose common prefix is left out."""
    names = {name if name.startswith("yarn.") else P + name: value for name, value in properties.items()}
    file = Configuration(defaults={}).overlaid(names, "capacity-scheduler.xml")
    reading_context = ReadingContext(types=types or ResourceTypeRegistry(), max_application_priority=10)
    return read_settings(file, reading_context)


def queue(settings: CapacitySettings, path: str) -> QueueSettings:
    return next(one for one in settings.root.subtree() if one.path == path)


def test_defaults() -> None:
    settings = read(TWO)
    leaf = queue(settings, "root.a")
    assert leaf.kind is QueueKind.LEAF
    assert leaf.partitions[""].capacity.number == 40
    assert leaf.partitions[""].maximum.number == 100
    assert leaf.partitions[""].am_percent == float32(0.1)
    assert (leaf.user_limit_percent, leaf.user_limit_factor, leaf.max_parallel_apps) == (100, 1, 2**31 - 1)
    assert leaf.leaf_order == "fifo"
    assert settings.root.parent_order is ParentOrder.UTILIZATION
    assert not leaf.submit_acl.allows("somebody")
    assert settings.root.submit_acl.allows("somebody")
    assert settings.node_locality_delay == 40
    assert settings.notices == ()


def test_numbers_are_32_bit_floats() -> None:
    settings = read({**TWO, "root.a.capacity": "10.5", "root.b.capacity": "89.5"})
    assert queue(settings, "root.a").partitions[""].capacity.number == float32(10.5)
    factor = queue(read({**TWO, "root.a.user-limit-factor": "0.7"}), "root.a").user_limit_factor
    assert factor != 0.7
    assert factor == float32(0.7)


def test_modes() -> None:
    weights = read({"root.queues": "a,b", "root.a.capacity": "3w", "root.b.capacity": "0.5w"})
    assert queue(weights, "root.b").partitions[""].capacity.mode is CapacityMode.WEIGHT
    absolute = read(
        {
            "root.queues": "a",
            "root.a.capacity": "[memory=10Gi, vcores=12]",
            "root.a.maximum-capacity": "[memory=20480,vcores=24]",
        }
    )
    partition = queue(absolute, "root.a").partitions[""]
    assert partition.capacity.resource == Resource(10240, 12)
    assert partition.maximum.resource == Resource(20480, 24)


def test_absolute_without_memory_is_nothing() -> None:
    settings = read({"root.queues": "a", "root.a.capacity": "[vcores=12]"})
    assert not queue(settings, "root.a").partitions[""].capacity.resource


def test_what_children_inherit() -> None:
    settings = read(
        {
            "root.queues": "a",
            "root.ordering-policy": "priority-utilization",
            "root.a.queues": "x,y",
            "root.a.capacity": "100",
            "root.a.x.capacity": "50",
            "root.a.y.capacity": "50",
            "root.a.user-settings.u1.weight": "0.5",
            "root.a.y.user-settings.u1.weight": "0.75",
            "root.a.maximum-allocation-mb": "4096",
            "root.a.maximum-application-lifetime": "100",
            "root.a.default-application-lifetime": "50",
            "root.a.y.maximum-application-lifetime": "20",
            "root.a.accessible-node-labels": "l,m",
            "root.a.minimum-user-limit-percent": "25",
        }
    )
    x, y = queue(settings, "root.a.x"), queue(settings, "root.a.y")
    assert queue(settings, "root.a").parent_order is ParentOrder.PRIORITY_UTILIZATION
    assert (x.user_weights["u1"], y.user_weights["u1"]) == (0.5, 0.75)
    assert x.maximum_allocation.memory_mb == 4096
    assert (x.maximum_lifetime_s, x.default_lifetime_s) == (100, 50)
    assert (y.maximum_lifetime_s, y.default_lifetime_s) == (20, 20)
    assert x.accessible_labels == ("l", "m")
    assert x.user_limit_percent == 100, "not inherited from the parent"


@pytest.mark.parametrize(
    "own, inherited, expected",
    [
        ({}, {}, (-1, -1)),
        ({"maximum-application-lifetime": "10"}, {}, (10, 10)),
        ({"default-application-lifetime": "5"}, {}, (-1, 5)),
        ({}, {"maximum-application-lifetime": "100"}, (100, 100)),
        ({"maximum-application-lifetime": "200"}, {"maximum-application-lifetime": "100"}, (200, 200)),
        ({"maximum-application-lifetime": "0"}, {"maximum-application-lifetime": "100"}, (0, 0)),
        # Without a maximum a default from above does not reach down: the lesser of it and -1 is none.
        ({}, {"default-application-lifetime": "30"}, (-1, -1)),
        ({"maximum-application-lifetime": "60"}, {"default-application-lifetime": "30"}, (60, 30)),
        ({"maximum-application-lifetime": "20"}, {"default-application-lifetime": "30"}, (20, 20)),
        (
            {"default-application-lifetime": "0"},
            {"default-application-lifetime": "30", "maximum-application-lifetime": "60"},
            (60, 60),
        ),
    ],
)
def test_lifetimes(own: dict[str, str], inherited: dict[str, str], expected: tuple[int, int]) -> None:
    names = {f"root.a.{key}": value for key, value in own.items()}
    above = {f"root.{key}": value for key, value in inherited.items()}
    found = queue(read({**TWO, **names, **above}), "root.a")
    assert (found.maximum_lifetime_s, found.default_lifetime_s) == expected


@pytest.mark.parametrize(
    "properties, message",
    [
        ({"root.a.capacity": "120"}, "Illegal capacity of 120 for queue root.a"),
        ({"root.a.capacity": "-2"}, "= '-2': Illegal capacity of -2 for queue root.a"),
        ({"root.a.capacity": "much"}, "Illegal capacity of much"),
        ({"root.a.capacity": "20000w"}, "Illegal weight="),
        ({"root.a.maximum-capacity": "101"}, "Illegal maximum-capacity"),
        ({"root.capacity": "50"}, "Illegal capacity of 50 for queue root"),
        ({"root.b.capacity": "50"}, "Illegal capacity sum of 0.9 for children of queue root for label="),
        ({"root.b.capacity": "1w"}, "mixed of weight mode, percentage and absolute mode"),
        ({"root.b.capacity": "[memory=1024]"}, "mixed of"),
        ({"root.a.state": "PAUSED"}, "Invalid queue state configuration"),
        ({"root.a.ordering-policy": "lifo"}, "Unable to construct ordering policy"),
        ({"root.ordering-policy": "lifo"}, "Unable to construct queue ordering policy"),
        ({"root.a.user-settings.u.weight": "2"}, r"Weight \(2\) for user u must be between 0 and 100 / 100"),
        ({"root.a.maximum-allocation-mb": "9000"}, "cannot be larger than the cluster setting"),
        ({"root.a.maximum-allocation": "memory-mb=9000"}, "cannot be larger than the cluster setting"),
        (
            {"root.a.maximum-application-lifetime": "5", "root.a.default-application-lifetime": "6"},
            "Default lifetime 6 can't exceed maximum lifetime 5",
        ),
        ({"queue-mappings": "x:u:q"}, "unknown mapping prefix x"),
        ({"queue-mappings": "u:q"}, "Illegal queue mapping u:q"),
        ({"mapping-rule-format": "yaml"}, "Illegal queue mapping format"),
        ({"mapping-rule-format": "json", "mapping-rule-json": "{"}, "not a JSON object"),
        ({"root.a.accessible-node-labels.l.capacity": "101"}, "for node-label=l in queue=root.a"),
        ({"resource-calculator": "Best"}, "must be DefaultResourceCalculator"),
        (
            {"yarn.scheduler.queue-placement-rules": "user-group,user-group"},
            "contains duplicate rule strings",
        ),
        (
            {"root.a.accessible-node-labels": "x", "root.a.default-node-label-expression": "y"},
            "Invalid default",
        ),
        ({"root.a.maximum-am-resource-percent": "10"}, "fraction from 0 to 1"),
    ],
)
def test_faults(properties: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message) as caught:
        read({**TWO, **properties})
    assert all(fault.source and fault.property for fault in caught.value.faults)


def test_a_tree_needs_children() -> None:
    with pytest.raises(ConfigurationError, match="missing child queue names for root"):
        read({})


def test_all_faults_together() -> None:
    with pytest.raises(ConfigurationError) as caught:
        read({**TWO, "root.a.state": "PAUSED", "root.b.capacity": "-3", "queue-mappings": "nonsense"})
    assert [fault.property for fault in caught.value.faults] == [
        P + "root.a.state",
        P + "root.b.capacity",
        P + "queue-mappings",
    ]


@pytest.mark.parametrize(
    "properties, is_right",
    [
        ({"root.a.x.capacity": "0", "root.a.y.capacity": "0"}, False),
        (
            {"root.a.x.capacity": "0", "root.a.y.capacity": "0", "root.a.allow-zero-capacity-sum": "true"},
            True,
        ),
        ({"root.a.capacity": "0", "root.b.capacity": "100", "root.a.x.capacity": "0"}, True),
        ({"root.a.capacity": "0", "root.b.capacity": "100", "root.a.x.capacity": "100"}, False),
        ({"root.a.x.capacity": "33.33", "root.a.y.capacity": "66.67"}, True),
        ({"root.a.x.capacity": "33.3", "root.a.y.capacity": "66.6"}, False),
        ({"root.a.x.capacity": "1w", "root.a.y.capacity": "7w"}, True),
        ({"root.a.capacity": "2w", "root.b.capacity": "3w", "root.a.x.capacity": "0"}, True),
        ({"root.a.x.capacity": "[memory=1024]"}, False),
    ],
)
def test_sums(properties: dict[str, str], is_right: bool) -> None:
    given = {**TWO, "root.a.queues": "x,y", **properties}
    if is_right:
        assert read(given).root.children
    else:
        with pytest.raises(ConfigurationError):
            read(given)


ABSOLUTE = {
    "root.queues": "a",
    "root.a.capacity": "[memory=10240,vcores=10]",
    "root.a.maximum-capacity": "[memory=20480,vcores=20]",
    "root.a.queues": "x",
}


@pytest.mark.parametrize(
    "properties, message",
    [
        ({"root.a.x.capacity": "[memory=10241,vcores=10]"}, "is less than to its children"),
        (
            {"root.a.x.capacity": "[memory=1024]", "root.a.x.maximum-capacity": "[memory=512]"},
            "Min resource configuration .* is greater than its max value",
        ),
        (
            {"root.a.x.capacity": "[memory=1024]", "root.a.x.maximum-capacity": "[memory=30720]"},
            "Max resource configuration .* is greater than parents max value",
        ),
        ({"root.a.x.capacity": "100"}, "we must make sure both parent and child all use absolute"),
    ],
)
def test_absolute_rules(properties: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read({**ABSOLUTE, **properties})


def test_the_percent_of_a_label_is_judged_by_itself() -> None:
    labels = {
        "root.a.accessible-node-labels.l.capacity": "50",
        "root.b.accessible-node-labels.l.capacity": "40",
    }
    with pytest.raises(ConfigurationError, match="for children of queue root for label=l"):
        read({**TWO, **labels})
    settings = read({**TWO, **labels, "root.b.accessible-node-labels.l.capacity": "50"})
    assert settings.labels == ("l",)
    assert settings.root.partitions["l"].capacity.number == 100


def test_a_child_may_not_access_more_than_its_parent() -> None:
    nested = {**TWO, "root.a.queues": "x", "root.a.x.capacity": "100", "root.a.accessible-node-labels": "l"}
    with pytest.raises(ConfigurationError, match="is not a subset of parent queue"):
        read({**nested, "root.a.x.accessible-node-labels": "l,m"})
    with pytest.raises(ConfigurationError, match="child's accessible queue is"):
        read({**nested, "root.a.x.accessible-node-labels": "*"})
    assert queue(read({**nested, "root.a.x.accessible-node-labels": " "}), "root.a.x").accessible_labels == ()


def test_an_unknown_property_is_told_once_by_its_name() -> None:
    settings = read({**TWO, "root.a.capacty": "10", "node-localty-delay": "3", "root.gone.state": "STOPPED"})
    assert len(settings.notices) == 2
    assert any("node-localty-delay" in notice for notice in settings.notices)
    assert any("root.a.capacty" in notice for notice in settings.notices)


def test_the_default_calculator_knows_memory_alone() -> None:
    types = ResourceTypeRegistry([ResourceType("yarn.io/gpu")])
    with pytest.raises(ConfigurationError, match="RM uses DefaultResourceCalculator which used only memory"):
        read(TWO, types)
    name = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    assert read({**TWO, "resource-calculator": name}, types).is_dominant


def test_vectors_refuse_nothing_but_what_cannot_be_read() -> None:
    settings = read(
        {
            "legacy-queue-mode.enabled": "false",
            "root.queues": "a,b",
            "root.a.capacity": "[memory=50%,vcores=2w]",
            "root.b.capacity": "[memory=1024,vcores=10%]",
        }
    )
    value = queue(settings, "root.a").partitions[""].capacity
    assert [(name, unit.value, number) for name, unit, number in value.vector] == [
        ("memory-mb", "%", 50.0),
        ("vcores", "w", 2.0),
    ]


def test_priority_groups() -> None:
    text = "[user=alice,bob group=devs max_priority=7 default_priority=4] [group=* max_priority=2]"
    groups = queue(read({**TWO, "root.a.acl_application_max_priority": text}), "root.a").priority_groups
    assert groups is not None
    assert [group.max_priority for group in groups] == [2, 7]
    assert groups[1].default_priority == 4
    assert groups[1].acl.allows("carol", ("devs",))
    with pytest.raises(ConfigurationError, match="groups of the form"):
        read({**TWO, "root.a.acl_application_max_priority": "[max_priority=7 user=alice]"})


NODE_POLICY = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
)


def test_multi_node_policies() -> None:
    sorting = {**TWO, "multi-node-placement-enabled": "true", "multi-node-sorting.policy.names": "default"}
    assert read(sorting).multi_node_policies == {}  # no queue goes by it: that takes the class
    on = {
        **sorting,
        "multi-node-sorting.policy": "default",
        "multi-node-sorting.policy.default.class": NODE_POLICY,
        "multi-node-sorting.policy.default.sorting-interval.ms": "7",
    }
    assert read(on).multi_node_policies["default"].sorting_interval_ms == 7
    assert read({**on, "multi-node-placement-enabled": "false"}).multi_node_policies == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"multi-node-sorting.policy": "default"},
        {"multi-node-sorting.policy.names": "mine"},
        {"root.a.multi-node-sorting.policy": "mine"},
        {"root.a.multi-node-sorting.policy": "mine", "multi-node-sorting.policy.mine.class": "Mine"},
    ],
)
def test_multi_node_policies_need_a_class_even_while_they_are_off(wrong: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="Class is not configured or not an instance of"):
        read({**TWO, **wrong})


def test_multi_node_sorting_interval() -> None:
    names = {"multi-node-sorting.policy.names": "default"}
    with pytest.raises(ConfigurationError, match="must be 0 or more"):
        read({**TWO, **names, "multi-node-sorting.policy.default.sorting-interval.ms": "-5"})


@pytest.mark.parametrize(
    "key, meant",
    [
        ("root.a.intra-queue-preemption.disable-preemption", "intra-queue-preemption.disable_preemption"),
        ("root.a.disable-preemption", "disable_preemption"),
        ("root.a.maximun-capacity", "maximum-capacity"),
        ("node-locality-dealy", "node-locality-delay"),
    ],
)
def test_a_misspelt_property_is_told_what_was_meant(key: str, meant: str) -> None:
    assert without_effect("yarn.scheduler.capacity." + key).endswith(f"(did you mean {meant}?)")
