"""The allocation file: every element with its default, and every way in which a file is refused."""

from __future__ import annotations

import pytest

from tests.rm.scheduler.fair.own_policy import LeastFirst
from yarnbox.rm.scheduler.fair.allocation_file.allocations import (
    NEVER,
    UNLIMITED_APPS,
    Allocations,
    read_allocations,
)
from yarnbox.rm.scheduler.fair.queues.policies import DominantResourceFairnessPolicy, FairPolicy, FifoPolicy
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.security.acl import EVERYBODY, NOBODY, AccessControlList

TYPES = ("memory-mb", "vcores")

FULL = """<?xml version="1.0"?>
<allocations>
  <!-- everything there is -->
  <queue name=" sales ">
    <minResources>1024 mb, 1 vcores</minResources>
    <maxResources>50%</maxResources>
    <maxChildResources>2048 mb, 2 vcores</maxChildResources>
    <maxContainerAllocation>memory-mb=4096, vcores=4</maxContainerAllocation>
    <maxRunningApps> 7 </maxRunningApps>
    <weight>2.5</weight>
    <schedulingPolicy>DRF</schedulingPolicy>
    <aclSubmitApps>alice,bob sellers</aclSubmitApps>
    <aclSubmitReservations>carol</aclSubmitReservations>
    <minSharePreemptionTimeout>30</minSharePreemptionTimeout>
    <fairSharePreemptionTimeout>60</fairSharePreemptionTimeout>
    <fairSharePreemptionThreshold>1.5</fairSharePreemptionThreshold>
    <allowPreemptionFrom>no</allowPreemptionFrom>
    <nobodyKnowsThis/>
    <pool name="north"><maxAMShare>7</maxAMShare><schedulingMode>fifo</schedulingMode></pool>
  </queue>
  <pool name="empty" type="parent"/>
  <queue name="plan"><reservation/></queue>
  <user name="alice"><maxRunningApps>3</maxRunningApps></user>
  <userMaxAppsDefault>5</userMaxAppsDefault>
  <queueMaxAppsDefault>40</queueMaxAppsDefault>
  <queueMaxResourcesDefault>memory-mb=100000</queueMaxResourcesDefault>
  <queueMaxAMShareDefault>0.25</queueMaxAMShareDefault>
  <defaultMinSharePreemptionTimeout>120</defaultMinSharePreemptionTimeout>
  <fairSharePreemptionTimeout>240</fairSharePreemptionTimeout>
  <defaultFairSharePreemptionThreshold>-3</defaultFairSharePreemptionThreshold>
  <defaultQueueSchedulingMode>tests.rm.scheduler.fair.own_policy.LeastFirst</defaultQueueSchedulingMode>
  <reservation-planner>a.Planner</reservation-planner>
  <reservation-agent>an.Agent</reservation-agent>
</allocations>
"""


def read(text: str) -> Allocations:
    """The allocations in that text."""
    return read_allocations(text, "fair.xml", TYPES)


def test_every_element_of_a_queue_is_read() -> None:
    sales = read(FULL).queue("root.sales")
    assert sales.min_resources == Resource(1024, 1)
    assert sales.max_resources is not None
    assert sales.max_resources.of(Resource(8000, 9)) == Resource(4000, 4)
    assert sales.max_child_resources is not None
    assert sales.max_child_resources.absolute == Resource(2048, 2)
    assert sales.max_container_allocation == Resource(4096, 4)
    assert (sales.max_running_apps, sales.weight) == (7, 2.5)
    assert isinstance(sales.policy, DominantResourceFairnessPolicy)
    assert (sales.min_share_timeout_ms, sales.fair_share_timeout_ms) == (30_000, 60_000)
    assert (sales.fair_share_threshold, sales.is_preemptable, sales.is_plan) == (1.0, False, False)
    assert sales.reservation_acls == {"SUBMIT_RESERVATIONS": AccessControlList(("carol",))}


def test_leaves_and_parents_are_told_apart_in_the_order_of_the_file() -> None:
    found = read(FULL)
    assert found.leaves == ("root.sales.north",)
    assert found.parents == ("root.sales", "root.empty", "root.plan")
    assert found.queue("root.plan").is_plan
    assert not found.is_declared("root.other")
    north = found.queue("root.sales.north")
    assert north.max_am_share == 1.0
    assert isinstance(north.policy, FifoPolicy)


def test_the_defaults_of_the_file_are_read() -> None:
    found = read(FULL)
    assert (found.max_apps_of_user("alice"), found.max_apps_of_user("bob")) == (3, 5)
    assert (found.queue_max_apps_default, found.queue_max_am_share_default) == (40, 0.25)
    assert found.queue_max_resources_default.absolute == Resource(100_000, found.unbounded.vcores)
    assert (found.root_min_share_timeout_ms, found.root_fair_share_timeout_ms) == (120_000, 240_000)
    assert found.root_fair_share_threshold == 0.0
    assert isinstance(found.policy_of("root.anything"), LeastFirst)
    assert found.reservation_classes["reservation-agent"] == "an.Agent"


def test_an_empty_file_has_hadoop_s_defaults() -> None:
    found = read("<allocations/>")
    assert (found.user_max_apps_default, found.queue_max_apps_default) == (UNLIMITED_APPS, UNLIMITED_APPS)
    assert (found.root_min_share_timeout_ms, found.root_fair_share_timeout_ms) == (NEVER, NEVER)
    assert (found.root_fair_share_threshold, found.queue_max_am_share_default) == (0.5, 0.5)
    assert isinstance(found.default_policy, FairPolicy)
    queue = found.queue("root.any")
    assert (queue.min_resources, queue.max_resources, queue.weight) == (NONE, None, 1.0)


def test_without_a_file_nothing_is_limited_and_nobody_starves() -> None:
    found = Allocations.without_file(TYPES)
    assert found.root_fair_share_threshold == -1.0
    assert found.acl("root", QueueACL.SUBMIT_APPLICATIONS) == EVERYBODY


def test_lists_default_to_nobody_below_root_and_to_everybody_at_root_one_by_one() -> None:
    found = read(
        '<allocations><queue name="ROOT"><aclSubmitApps> </aclSubmitApps>'
        '<queue name="a"/></queue></allocations>'
    )
    assert found.acl("root", QueueACL.SUBMIT_APPLICATIONS) == NOBODY
    assert found.acl("root", QueueACL.ADMINISTER_QUEUE) == EVERYBODY
    assert found.acl("root.a", QueueACL.SUBMIT_APPLICATIONS) == NOBODY
    assert found.acl("root.undeclared", QueueACL.SUBMIT_APPLICATIONS) is None


def test_percentages_are_ignored_where_only_amounts_make_sense() -> None:
    queue = read(
        '<allocations><queue name="a"><minResources>50%</minResources>'
        "<maxContainerAllocation>50%</maxContainerAllocation></queue></allocations>"
    ).queue("root.a")
    assert (queue.min_resources, queue.max_container_allocation) == (NONE, None)


def test_what_is_passed_over_is_noted_with_its_line() -> None:
    found = read(
        '<allocations>\n<foo/>\n<queue name="a"><minResources>2048 mb, 2 vcores</minResources>'
        "<maxResources>1024 mb, 2 vcores</maxResources></queue></allocations>"
    )
    assert found.notices[0] == "fair.xml:2: bad element in allocations file: foo"
    assert found.notices[1].startswith("fair.xml:3: Queue root.a has max resources")


def wrapped(inside: str) -> str:
    """A queue on line 2 with something in it."""
    return f'<allocations>\n<queue name="a">{inside}</queue></allocations>'


@pytest.mark.parametrize(
    "text, reason",
    [
        ("<queues/>", "fair.xml:1: Bad fair scheduler config file: top-level element not <allocations>"),
        ("<allocations>\n<queue name='a.b'/></allocations>", r"fair.xml:2: .*shouldn't contain period"),
        ("<allocations><queue name='\u00a0 '/></allocations>", "shouldn't be empty"),
        ("<allocations><queue/></allocations>", "shouldn't be empty"),
        ("<allocations><queue name='root'/><queue name='b'/></allocations>", "no other queues"),
        (wrapped("<maxAMShare>1</maxAMShare><queue name='b'/>"), "cannot also include a maxAMShare"),
        (wrapped("<reservation/><queue name='b'/>"), "cannot also include a reservation"),
        (wrapped("<weight>heavy</weight>"), "fair.xml:2: <weight>heavy</weight>"),
        (wrapped("<weight></weight>"), "<weight> must not be empty"),
        (wrapped("<aclSubmitApps></aclSubmitApps>"), "must not be empty"),
        (wrapped("<maxRunningApps>3.5</maxRunningApps>"), "must be an integer"),
        (wrapped("<fairSharePreemptionTimeout>5s</fairSharePreemptionTimeout>"), "number of seconds"),
        (wrapped("<schedulingPolicy>lottery</schedulingPolicy>"), "SchedulingPolicy class not found"),
        (wrapped("<schedulingPolicy>yarn.resources.resource.Resource</schedulingPolicy>"), "does not extend"),
        (wrapped("<maxResources>1024 mb</maxResources>"), "Cannot parse resource values"),
        ("<allocations><queueMaxAppsDefault/></allocations>", "must not be empty"),
        ("<allocations><userMaxAppsDefault>x</userMaxAppsDefault></allocations>", "must be an integer"),
        (
            "<allocations><defaultQueueSchedulingPolicy>Fifo</defaultQueueSchedulingPolicy></allocations>",
            "can't be FIFO",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_line_and_reason(text: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        read(text)


def test_what_root_says_itself_hides_the_default_and_its_faults() -> None:
    own = "".join(
        f"<{name}>1</{name}>"
        for name in (
            "minSharePreemptionTimeout",
            "fairSharePreemptionTimeout",
            "fairSharePreemptionThreshold",
        )
    )
    bad = "".join(
        f"<default{name}>soon</default{name}>"
        for name in (
            "MinSharePreemptionTimeout",
            "FairSharePreemptionTimeout",
            "FairSharePreemptionThreshold",
        )
    )
    read(f'<allocations><queue name="root">{own}</queue>{bad}</allocations>')
    with pytest.raises(ConfigurationError, match="soon"):
        read(f'<allocations><queue name="root"/>{bad}</allocations>')


def test_seconds_beyond_a_long_s_milliseconds_run_over() -> None:
    def timeout(seconds: int) -> int | None:
        queue = f"<queue name='q'><minSharePreemptionTimeout>{seconds}</minSharePreemptionTimeout></queue>"
        return read(f"<allocations>{queue}</allocations>").queue("root.q").min_share_timeout_ms

    assert timeout(9_223_372_036_854_775) == 9_223_372_036_854_775_000
    assert timeout(NEVER) == -1000
