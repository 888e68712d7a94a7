"""Capacity vectors: absolute first, then percents of the rest, then weights, per type; nothing is refused."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.resources.resource import Resource

P = "yarn.scheduler.capacity."


def effective(capacities: dict[str, str], total: Resource, **maxima: str) -> dict[str, tuple[int, int]]:
    """Memory and vcores that each child of the root is guaranteed."""
    given = {P + "legacy-queue-mode.enabled": "false", P + "root.queues": ",".join(capacities)}
    given |= {f"{P}root.{name}.capacity": text for name, text in capacities.items()}
    given |= {f"{P}root.{name}.maximum-capacity": text for name, text in maxima.items()}
    rig = CapacityRig(given)
    rig.add_node("n1", total.memory_mb, total.vcores)
    found = {}
    for leaf in rig.scheduler.tree.leaves():
        minimum = leaf.share("").effective_minimum
        found[leaf.name] = (minimum.memory_mb, minimum.vcores)
    return found


TOTAL = Resource(10_000, 100)


@pytest.mark.parametrize(
    "capacities, expected",
    [
        ({"a": "50", "b": "50"}, {"a": (5000, 50), "b": (5000, 50)}),
        ({"a": "1w", "b": "3w"}, {"a": (2500, 25), "b": (7500, 75)}),
        ({"a": "0w", "b": "0w"}, {"a": (0, 0), "b": (0, 0)}),
        (
            {"a": "[memory=2000,vcores=10]", "b": "[memory=50%,vcores=50%]", "c": "[memory=1w,vcores=1w]"},
            {"a": (2000, 10), "b": (4000, 45), "c": (4000, 45)},
        ),
        ({"a": "[memory=50%,vcores=2w]", "b": "[memory=1w,vcores=2w]"}, {"a": (5000, 50), "b": (5000, 50)}),
        # Too much: all absolute ones shrink by one ratio, and who is left no memory has nothing.
        (
            {"a": "[memory=15000,vcores=10]", "b": "[memory=5000,vcores=10]", "c": "[memory=1w,vcores=1w]"},
            {"a": (7500, 10), "b": (2500, 10), "c": (0, 0)},
        ),
        # Percents need not add up to 100.
        ({"a": "30", "b": "30"}, {"a": (3000, 30), "b": (3000, 30)}),
    ],
)
def test_children_share(capacities: dict[str, str], expected: dict[str, tuple[int, int]]) -> None:
    assert effective(capacities, TOTAL) == expected


def test_a_minimum_above_its_maximum_is_cut() -> None:
    found = effective({"a": "60", "b": "40"}, TOTAL, a="[memory=5000,vcores=20]")
    assert found == {"a": (5000, 20), "b": (4000, 40)}


def test_capacities_are_shown_by_what_is_effective() -> None:
    given = {
        P + "legacy-queue-mode.enabled": "false",
        P + "root.queues": "a,b",
        P + "root.a.capacity": "[memory=2500,vcores=25]",
        P + "root.b.capacity": "1w",
    }
    rig = CapacityRig(given)
    rig.add_node("n1", 10_000, 100)
    assert rig.leaf("root.a").share("").absolute == 0.25
    assert rig.leaf("root.b").share("").absolute == 0.75


def test_an_amount_above_the_maximum_is_refused() -> None:
    """AbstractCSQueue.updateConfigurableResourceLimits looks at amounts in both modes."""
    with pytest.raises(ConfigurationError, match=r"Min resource configuration .* is greater than its max"):
        effective({"a": "[memory=5000,vcores=2w]", "b": "1w"}, TOTAL, a="[memory=4000,vcores=20]")


@pytest.mark.parametrize(
    "capacity, maximum",
    [
        ("[memory=50%,vcores=30]", "[memory=4000,vcores=20]"),
        ("[memory=5000,vcores=30%]", "[memory=4000,vcores=20]"),
        ("[memory=5000,vcores=30]", "[memory=4000,vcores=20%]"),
    ],
)
def test_with_a_percentage_of_any_type_nothing_is_compared(capacity: str, maximum: str) -> None:
    """CapacitySchedulerConfiguration.RESOURCE_PATTERN does not know the sign."""
    assert effective({"a": capacity, "b": "1w"}, TOTAL, a=maximum)["a"] == (4000, 20)


def test_an_amount_above_the_maximum_of_the_parent_is_refused() -> None:
    given = {
        P + "legacy-queue-mode.enabled": "false",
        P + "root.queues": "a",
        P + "root.a.capacity": "1w",
        P + "root.a.maximum-capacity": "[memory=4000,vcores=20]",
        P + "root.a.queues": "x",
        P + "root.a.x.capacity": "[memory=5000,vcores=1]",
    }
    with pytest.raises(ConfigurationError, match=r"greater than its max value:.* in queue:root.a.x"):
        CapacityRig(given)
