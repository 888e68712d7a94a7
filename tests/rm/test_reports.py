"""Reports of applications, and what nodes are told: details that the comparison with Hadoop found."""

from __future__ import annotations

from tests.rig import Rig, ask
from yarnbox.rm.services.caller import Caller
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.records.client import GetApplicationReportRequest

CAPACITY = {
    "yarn.resourcemanager.scheduler.class": "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity"
    ".CapacityScheduler",
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
}

FAIR = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler"


def _report(rig: Rig, application_id: ApplicationId) -> ApplicationReport:
    request = GetApplicationReportRequest(application_id=application_id)
    answer = rig.turn(lambda: rig.core.client.get_application_report(request, Caller(user="user")))
    assert answer.application_report is not None
    return answer.application_report


def test_reserved_containers_are_counted_by_their_requests() -> None:
    """SchedulerApplicationAttempt counts the keys of its map of reservations, not the reservations."""
    rig = Rig(CAPACITY)
    rig.add_node("n1", memory_mb=4096)
    rig.add_node("n2", memory_mb=5120)
    rig.add_node("n3", memory_mb=65536)
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask(memory_mb=2048, count=6))
    rig.heartbeat("n1", "n2", "n1", "n2", "n1", "n2")
    attempt = rig.context.scheduler.applications[application_id].attempt
    assert attempt is not None
    assert len(attempt.reserved_containers()) == 2
    usage = _report(rig, application_id).app_resource_usage
    assert usage is not None
    assert usage.num_reserved_containers == 1


def test_an_am_of_a_queue_without_labels_is_in_the_default_partition() -> None:
    """SchedulerUtils gives the AM's request of a queue that exists no label; "<Not set>" is for others."""
    rig = Rig()
    assert _report(rig, rig.submit()).am_node_label_expression == "<DEFAULT_PARTITION>"


def test_the_partition_of_an_am_whose_queue_is_made_by_its_submission_is_not_set() -> None:
    """SchedulerUtils looks for a default before the queue is there, and gives the request no label."""
    created = {"yarn.scheduler.capacity.root.auto-queue-creation-v2.enabled": "true"}
    rig = Rig({**CAPACITY, "yarn.scheduler.capacity.root.default.capacity": "1w", **created})
    rig.add_node("n1")
    application_id = rig.submit(queue="root.new")
    rig.run(application_id, "n1")
    assert _report(rig, application_id).am_node_label_expression == "<Not set>"


def test_so_it_is_under_the_fair_scheduler() -> None:
    """FairScheduler.getQueueInfo throws for a queue that is not there yet; later it has no default label."""
    rig = Rig({"yarn.resourcemanager.scheduler.class": FAIR})
    first, second = rig.submit(queue="new"), rig.submit(queue="new")
    assert _report(rig, first).am_node_label_expression == "<Not set>"
    assert _report(rig, second).am_node_label_expression == "<DEFAULT_PARTITION>"


def test_a_node_may_forget_at_once_the_end_of_a_container_that_nobody_knows() -> None:
    """AbstractYarnScheduler acknowledges containers that it does not track any more."""
    rig = Rig()
    rig.add_node("n1")
    application_id = rig.submit()
    rig.run(application_id, "n1")
    rig.allocate(application_id, ask())
    rig.heartbeat("n1")
    (given,) = rig.allocate(application_id).allocated_containers
    rig.heartbeat("n1")
    rig.allocate(application_id, release=(given.id,))
    assert rig.heartbeat("n1").containers_to_be_removed_from_nm == ()
    rig.heartbeat("n1")
    assert rig.heartbeat("n1").containers_to_be_removed_from_nm == (given.id,)
