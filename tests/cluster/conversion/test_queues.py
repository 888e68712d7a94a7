"""From an allocation file to capacity-scheduler.xml: what is written, what is told, and that it is taken."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rm.scheduler.capacity.rig import CapacityRig
from yarnbox.cluster.conversion.outcome import Conversion, ConversionOptions, read_rule_actions
from yarnbox.cluster.conversion.queues import convert
from yarnbox.rm.scheduler.fair.allocation_file.allocations import AllocationDraft
from yarnbox.rm.scheduler.fair.queues.placement import read_rules, rules_of_properties
from yarnbox.rm.scheduler.fair.settings import FairConfiguration
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

Q = "yarn.scheduler.capacity."


def converted(
    inside: str,
    site: Mapping[str, str] | None = None,
    *,
    percentages: bool = False,
    options: ConversionOptions | None = None,
) -> Conversion:
    """The conversion of an allocation file with this inside."""
    options = options or ConversionOptions(percentages=percentages)
    properties = dict(site or {})
    configuration = Configuration.of(properties)
    types = ResourceTypeRegistry.read(configuration)
    draft = AllocationDraft(f"<allocations>{inside}</allocations>", "fair.xml", types.names)
    rules = rules_of_properties(True, True)
    if draft.placement_policy is not None:
        rules = read_rules(draft.placement_policy, "fair.xml", [])
    found = FairConfiguration.read(configuration, types)
    return convert(draft.finish(), rules, found, properties, options)


TREE = """
<queue name="a"><weight>2</weight><maxRunningApps>5</maxRunningApps><aclSubmitApps>ann ops</aclSubmitApps>
  <allowPreemptionFrom>false</allowPreemptionFrom>
  <maxContainerAllocation>memory-mb=4096, vcores=4</maxContainerAllocation>
  <queue name="x"><maxAMShare>0.2</maxAMShare></queue>
  <queue name="y"><schedulingPolicy>fifo</schedulingPolicy><maxAMShare>-1</maxAMShare></queue>
</queue>
<queue name="b"/>
<user name="ann"><maxRunningApps>3</maxRunningApps></user>
<userMaxAppsDefault>10</userMaxAppsDefault><queueMaxAppsDefault>50</queueMaxAppsDefault>
"""


def test_queues_keep_weights_limits_and_lists() -> None:
    out = converted(TREE, {"yarn.scheduler.fair.preemption": "true"}).capacity
    expected = {
        "root.queues": "a,b",
        "root.a.queues": "x,y",
        "root.a.capacity": "2.0w",
        "root.a.x.capacity": "1.0w",
        "root.a.auto-queue-creation-v2.enabled": "true",
        "root.a.max-parallel-apps": "5",
        "max-parallel-apps": "50",
        "user.max-parallel-apps": "10",
        "user.ann.max-parallel-apps": "3",
        "maximum-am-resource-percent": "0.5",
        "root.a.x.maximum-am-resource-percent": "0.2",
        "root.a.y.maximum-am-resource-percent": "1.0",
        "root.a.acl_submit_applications": "ann ops",
        "root.a.maximum-allocation-mb": "4096",
        "root.a.maximum-allocation-vcores": "4",
        "root.a.disable_preemption": "true",
        "root.a.x.disable_preemption": "true",
        "root.a.x.ordering-policy": "fair",
        "root.a.y.ordering-policy": "fifo",
        "root.a.y.user-limit-factor": "-1.0",
        "root.b.maximum-capacity": "100.0",
    }
    assert {name: out.get(Q + name) for name in expected} == expected
    for absent in ("root.a.ordering-policy", "root.a.x.maximum-allocation-mb", "root.b.disable_preemption"):
        assert Q + absent not in out


@pytest.mark.parametrize(
    "weights, expected",
    [
        ((1, 1, 1), ("33.334", "33.333", "33.333")),
        ((0.75, 0.25), ("75.000", "25.000")),
        ((3,), ("100.000",)),
        ((0, 0), ("0.000", "0.000")),
        ((2, 1), ("66.667", "33.333")),
    ],
)
def test_percentages_sum_to_a_hundred(weights: tuple[float, ...], expected: tuple[str, ...]) -> None:
    queues = "".join(
        f'<queue name="q{place}"><weight>{weight}</weight></queue>' for place, weight in enumerate(weights)
    )
    out = converted(queues, percentages=True).capacity
    assert tuple(out[f"{Q}root.q{place}.capacity"] for place in range(len(weights))) == expected
    assert (Q + "root.allow-zero-capacity-sum" in out) is (not any(weights))


def test_the_site_gets_the_capacity_scheduler_and_loses_the_fair_one_s_properties() -> None:
    fair = "yarn.scheduler.fair."
    site = {
        fair + "preemption": "true",
        fair + "waitTimeBeforeKill": "7000",
        fair + "assignmultiple": "true",
        fair + "max.assign": "4",
        fair + "continuous-scheduling-enabled": "true",
        "yarn.acl.enable": "true",
    }
    found = converted("<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>", site)
    assert found.site["yarn.resourcemanager.scheduler.class"].endswith("capacity.CapacityScheduler")
    assert found.site["yarn.resourcemanager.monitor.capacity.preemption.max_wait_before_kill"] == "7000"
    assert found.site[Q + "per-node-heartbeat.maximum-container-assignments"] == "4"
    assert found.site[Q + "schedule-asynchronously.enable"] == "true"
    assert found.site[Q + "resource-calculator"].endswith("DominantResourceCalculator")
    assert found.site_removed == tuple(name for name in site if name.startswith(fair))


@pytest.mark.parametrize(
    "rules, expected",
    [
        ('<rule name="user"/>', [("user", True)]),
        (
            '<rule name="specified" create="false"/><rule name="primaryGroup"/>',
            [("specified", False), ("primaryGroup", True)],
        ),
        (
            '<rule name="secondaryGroupExistingQueue"/><rule name="reject"/>',
            [("secondaryGroup", True), ("reject", False)],
        ),
        ('<rule name="default"/>', [("defaultQueue", True)]),
        ('<rule name="default" queue="x"/>', [("custom", True)]),
        (
            '<rule name="nestedUserQueue"><rule name="primaryGroup"/></rule>',
            [("primaryGroupUser", True)],
        ),
        ('<rule name="user"><rule name="default" queue="x"/></rule>', [("user", True)]),
    ],
)
def test_placement_rules_become_mapping_rules(rules: str, expected: list[tuple[str, bool]]) -> None:
    found = converted(f"<queuePlacementPolicy>{rules}</queuePlacementPolicy>").rules
    assert [(rule["policy"], rule["create"]) for rule in found] == expected


@pytest.mark.parametrize(
    "inside, site, sentence",
    [
        ('<queue name="a"><minResources>1 mb, 1 vcores</minResources></queue>', {}, "root.a: <minResources>"),
        ('<queue name="a"><maxResources>50%</maxResources></queue>', {}, "root.a: <maxResources>"),
        (
            '<queue name="a" type="parent"><maxChildResources>50%</maxChildResources></queue>',
            {},
            "root.a: <maxChildResources>",
        ),
        ("<queueMaxResourcesDefault>50%</queueMaxResourcesDefault>", {}, "<queueMaxResourcesDefault>"),
        ('<queue name="a"><reservation/></queue>', {}, "root.a: <reservation>"),
        (
            '<queue name="a"><fairSharePreemptionThreshold>1</fairSharePreemptionThreshold></queue>',
            {},
            "root.a: timeouts and thresholds",
        ),
        (
            (
                '<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy><queue name="a">'
                "<schedulingPolicy>fair</schedulingPolicy></queue>"
            ),
            {},
            "root.a will use DRF policy instead of Fair",
        ),
        (
            (
                '<queue name="a"><schedulingPolicy>'
                "tests.rm.scheduler.fair.own_policy.LeastFirst</schedulingPolicy></queue>"
            ),
            {},
            "root.a: the policy least",
        ),
        ("", {"yarn.scheduler.fair.preemption": "true"}, "cluster utilization threshold"),
        ("", {"yarn.scheduler.fair.am.preemption": "false"}, "am.preemption"),
        ("", {"yarn.scheduler.fair.locality.threshold.node": "0.5"}, "locality.threshold.node"),
        ("", {"yarn.scheduler.fair.assignmultiple": "true"}, "dynamic.max.assign"),
        ("", {"yarn.resourcemanager.reservation-system.enable": "true"}, "reservation system"),
        (
            (
                '<queuePlacementPolicy><rule name="nestedUserQueue"><rule name="specified"/></rule>'
                '<rule name="reject"/></queuePlacementPolicy>'
            ),
            {},
            "nestedUserQueue in specified is not supported",
        ),
    ],
)
def test_what_has_no_equivalent_is_told(inside: str, site: dict[str, str], sentence: str) -> None:
    assert any(sentence in told for told in converted(inside, site).without_equivalent)


@pytest.mark.parametrize("percentages", [False, True], ids=["weights", "percentages"])
def test_the_capacity_scheduler_takes_it(percentages: bool) -> None:
    found = converted(TREE, percentages=percentages)
    rig = CapacityRig({**found.capacity, **found.site})
    assert rig.scheduler.views.queue_view("root.a.y") is not None


@pytest.mark.parametrize(
    "options, name, value",
    [
        (ConversionOptions(is_asynchronous=True), "schedule-asynchronously.enable", "true"),
        (ConversionOptions(placement_file="/rules.json"), "mapping-rule-json-file", "/rules.json"),
        (ConversionOptions(placement_file="/rules.json"), "mapping-rule-json", None),
        (ConversionOptions(converts_placement=False), "mapping-rule-format", None),
    ],
)
def test_how_to_convert_can_be_said(options: ConversionOptions, name: str, value: str | None) -> None:
    found = converted(TREE, options=options)
    assert {**found.capacity, **found.site}.get(Q + name) == value


def test_preemption_can_be_left_out_or_left_at_observing() -> None:
    site = {"yarn.scheduler.fair.preemption": "true"}
    policies = "yarn.resourcemanager.scheduler.monitor.policies"
    with_policy = converted("", site)
    assert "ProportionalCapacityPreemptionPolicy" in with_policy.site[policies]
    without = converted("", site, options=ConversionOptions(has_preemption=False))
    assert "ProportionalCapacityPreemptionPolicy" not in without.site[policies]
    observing = converted("", site, options=ConversionOptions(only_observes=True))
    assert observing.capacity["yarn.resourcemanager.monitor.capacity.preemption.observe_only"] == "true"


def test_a_loss_is_a_fault_where_a_rule_says_so() -> None:
    inside = (
        '<queue name="a"><minResources>1 mb, 1 vcores</minResources><maxResources>50%</maxResources></queue>'
    )
    aborting, most = read_rule_actions({"maxResources.action": "ABORT", "minResources.action": "warning"})
    found = converted(inside, options=ConversionOptions(aborting=aborting, most_children=most))
    assert found.faults == ["Queue root.a: <maxResources> is not supported, the queue may grow to 100%"]
    assert any("<minResources>" in told for told in found.without_equivalent)


def test_a_queue_may_have_so_many_children() -> None:
    aborting, most = read_rule_actions({"maxChildQueue.limit": "1"})
    found = converted(TREE, options=ConversionOptions(aborting=aborting, most_children=most))
    assert found.faults == [f"Queue {path} has too many children: 2" for path in ("root", "root.a")]


@pytest.mark.parametrize(
    "properties, reason",
    [
        ({"maxResources.action": "shrug"}, "neither warning nor abort"),
        ({"maxResources": "abort"}, "no such rule"),
        ({"maxChildQueue.limit": "few"}, "is not an integer"),
    ],
)
def test_rules_that_make_no_sense_are_refused(properties: dict[str, str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_rule_actions(properties)
