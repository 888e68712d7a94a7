"""Queues and attempts over REST: what was compared with Hadoop 3.4.1, field by field."""

from __future__ import annotations

from typing import Any

from tests.rig import Rig
from yarnbox.rm.scheduler.capacity.scheduler import CapacityScheduler
from yarnbox.rm.web.apps import attempt_in_list
from yarnbox.rm.web.queues.capacity import scheduler_info
from yarnbox.rm.web.values import Shapes


def _queue(shown: Any, *names: str) -> Any:
    for name in names:
        shown = next(one for one in shown["queues"]["queue"] if one["queueName"] == name)
    return shown


def _limits(resource: Any) -> tuple[int, int]:
    (memory, _) = resource["resourceInformations"]["resourceInformation"]
    return memory["minimumAllocation"], memory["maximumAllocation"]


def test_queues_with_weights_and_templates() -> None:
    before = "yarn.scheduler.capacity.root."
    rig = Rig(
        {
            "yarn.resourcemanager.scheduler.class": "capacity",
            f"{before}queues": "a,auto",
            f"{before}a.capacity": "2w",
            f"{before}a.minimum-user-limit-percent": "50",
            f"{before}a.user-settings.mei.weight": "1.5",
            f"{before}auto.capacity": "1w",
            f"{before}auto.auto-queue-creation-v2.enabled": "true",
            f"{before}auto.auto-queue-creation-v2.template.maximum-applications": "7",
            f"{before}auto.auto-queue-creation-v2.leaf-template.capacity": "3w",
            f"{before}auto.auto-queue-creation-v2.parent-template.capacity": "2w",
        }
    )
    rig.add_node("n1", 12288, 12)
    rig.submit(user="mei", queue="root.a", unmanaged_am=True)
    rig.submit(user="mei", queue="root.auto.x.y", unmanaged_am=True)
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    shown = scheduler_info(rig.context, Shapes(rig.context.resource_types))
    first = _queue(shown, "a")
    assert (first["capacity"], first["weight"], first["absoluteCapacity"]) == (0.0, 2.0, 66.66667)
    (user,) = first["users"]["user"]
    assert user["userResourceLimit"]["memory"] == 6144, "half of the queue, times 1.5"
    assert user["resources"]["resourceUsagesByPartition"][0]["amLimit"] == first["userAMResourceLimit"]
    auto = _queue(shown, "auto")
    for kind, name, value in (
        ("", "maximum-applications", "7"),
        ("Leaf", "capacity", "3w"),
        ("Parent", "capacity", "2w"),
    ):
        assert auto[f"autoQueue{kind}TemplateProperties"] == {"property": [{"name": name, "value": value}]}
    made = _queue(shown, "auto", "x")
    assert (made["autoCreationEligibility"], made["autoQueueTemplateProperties"]) == ("flexible", {})


def test_limits_of_containers_show_where_no_amount_is_configured() -> None:
    before = "yarn.scheduler.capacity.root."
    rig = Rig(
        {
            "yarn.resourcemanager.scheduler.class": "capacity",
            f"{before}queues": "a",
            f"{before}a.capacity": "[memory=4096,vcores=4]",
        }
    )
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    shown = scheduler_info(rig.context, Shapes(rig.context.resource_types))
    (part,) = _queue(shown, "a")["capacities"]["queueCapacitiesByPartition"]
    assert _limits(part["configuredMinResource"]) == (0, 2**63 - 1)
    assert _limits(part["configuredMaxResource"]) == (1024, 8192)


def test_the_template_of_leaves_has_its_prefix() -> None:
    before = "yarn.scheduler.capacity.root."
    rig = Rig(
        {
            "yarn.resourcemanager.scheduler.class": "capacity",
            f"{before}queues": "a",
            f"{before}a.capacity": "100",
            f"{before}a.auto-create-child-queue.enabled": "true",
            f"{before}a.leaf-queue-template.capacity": "10",
        }
    )
    scheduler = rig.context.scheduler
    assert isinstance(scheduler, CapacityScheduler)
    shown = scheduler_info(rig.context, Shapes(rig.context.resource_types))
    template = {"property": [{"name": "leaf-queue-template.capacity", "value": "10"}]}
    assert _queue(shown, "a")["leafQueueTemplate"] == template


def test_an_attempt_shows_the_container_of_its_am_to_those_who_may_look() -> None:
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.heartbeat("n1")
    (attempt,) = rig.context.apps[application_id].attempts.values()
    shown = attempt_in_list(rig.context, attempt, may_view=True)
    container_id = str(attempt.master_container_id)
    assert (shown["containerId"], shown["nodeId"]) == (container_id, "n1:1234")
    assert (shown["exportPorts"], shown["nodesBlacklistedBySystem"]) == ("null", ""), "as Hadoop writes them"
    hidden = attempt_in_list(rig.context, attempt, may_view=False)
    assert (hidden["containerId"], hidden["logsLink"], hidden["exportPorts"]) == ("", "", "")
    assert "nodesBlacklistedBySystem" not in hidden
