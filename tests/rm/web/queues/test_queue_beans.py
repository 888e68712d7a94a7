"""The metrics of queues, users and partitions; figures are what Hadoop 3.4.1 shows of the same cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from yarnbox.rm.web.beans import SERVICE, beans
from yarnbox.sim.scenario.playing.player import Player
from yarnbox.sim.scenario.reading.document import read_scenario

CAPACITY = """
name: metrics
conf:
  yarn.resourcemanager.scheduler.class: capacity
  yarn.node-labels.enabled: true
capacity-scheduler:
  yarn.scheduler.capacity.user-metrics.enable: {user_metrics}
  yarn.scheduler.capacity.root.queues: "default,lab,plan"
  yarn.scheduler.capacity.root.default.capacity: 40
  yarn.scheduler.capacity.root.lab.capacity: 40
  yarn.scheduler.capacity.root.plan.capacity: 20
  yarn.scheduler.capacity.root.lab.queues: "night,day"
  yarn.scheduler.capacity.root.lab.night.capacity: 50
  yarn.scheduler.capacity.root.lab.day.capacity: 50
  yarn.scheduler.capacity.root.accessible-node-labels: "*"
  yarn.scheduler.capacity.root.accessible-node-labels.gpu.capacity: 100
  yarn.scheduler.capacity.root.default.accessible-node-labels: gpu
  yarn.scheduler.capacity.root.default.accessible-node-labels.gpu.capacity: 100
labels: {{gpu: {{exclusive: true}}, ssd: {{exclusive: true}}}}
nodes:
  - {{name: n1, memory-mb: 8192, vcores: 8}}
steps:
"""
SUBMIT = (
    "  - submit: {app: a1, queue: root.default, user: mei, managed: true, am: {memory-mb: 1024, vcores: 1}}\n"
)
AGGREGATES = (
    "AggregateContainersPreempted",
    "AggregateMemoryMBPreempted",
    "AggregateMemoryMBSecondsPreempted",
    "AggregateNodeLocalContainersAllocated",
    "AggregateOffSwitchContainersAllocated",
    "AggregateRackLocalContainersAllocated",
    "AggregateVcoreSecondsPreempted",
    "AggregateVcoresPreempted",
    "AggregateContainersAllocated",
    "AggregateContainersReleased",
)
APPS = ("AppsCompleted", "AppsFailed", "AppsKilled", "AppsPending", "AppsRunning", "AppsSubmitted")
AMOUNTS = ("Allocated", "Available", "Pending", "Reserved")
OF_EVERY_QUEUE = {
    *(f"running_{minutes}" for minutes in (0, 60, 300, 1440)),
    *AGGREGATES,
    *APPS,
    *(f"Unmanaged{name}" for name in APPS),
    *(f"{amount}{unit}" for amount in AMOUNTS for unit in ("MB", "VCores")),
    *("AllocatedContainers", "PendingContainers", "ReservedContainers", "ActiveUsers", "ActiveApplications"),
    *(f"AppAttemptFirstContainerAllocationDelay{what}" for what in ("NumOps", "AvgTime")),
}
OF_CAPACITY = {
    *("AMResourceLimitMB", "AMResourceLimitVCores", "UsedAMResourceMB", "UsedAMResourceVCores"),
    *("GuaranteedMB", "GuaranteedVCores", "MaxCapacityMB", "MaxCapacityVCores"),
    *("UsedCapacity", "AbsoluteUsedCapacity", "GuaranteedCapacity", "GuaranteedAbsoluteCapacity"),
    *("MaxCapacity", "MaxAbsoluteCapacity"),
}
OF_FAIR = {
    *(f"{share}{unit}" for share in ("FairShare", "SteadyFairShare") for unit in ("MB", "VCores")),
    *(f"{share}{unit}" for share in ("MinShare", "MaxShare", "MaxAMShare") for unit in ("MB", "VCores")),
    *("MaxApps", "AmResourceUsageMB", "AmResourceUsageVCores"),
}


def play(tmp_path: Path, text: str) -> Player:
    path = tmp_path / "metrics.yaml"
    path.write_text(text)
    player = Player(read_scenario(path))
    outcome = player.play()
    assert outcome.is_ok, outcome.failures
    return player


def capacity(tmp_path: Path, steps: str, *, user_metrics: bool = True) -> Player:
    return play(tmp_path, CAPACITY.format(user_metrics=str(user_metrics).lower()) + steps)


def shown(player: Player) -> dict[str, dict[str, Any]]:
    found = {one["name"].removeprefix(SERVICE): one for one in beans(player.world.rm.context)}
    return {name: one for name, one in found.items() if "QueueMetrics" in name}


def attributes(bean: dict[str, Any]) -> set[str]:
    return {name for name in bean if not name.startswith(("tag.", "name", "modelerType"))}


def some(bean: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: bean[name] for name in names}


def test_a_capacity_queue_has_hadoop_s_attributes_and_figures(tmp_path: Path) -> None:
    found = shown(capacity(tmp_path, SUBMIT + "  - heartbeat: [n1, n1]\n"))
    queue = found["QueueMetrics,q0=root,q1=default"]
    assert attributes(queue) == OF_EVERY_QUEUE | OF_CAPACITY
    expected = {
        "running_0": 1,
        "AMResourceLimitMB": 1024,
        "AMResourceLimitVCores": 1,
        "AbsoluteUsedCapacity": 0.125,
        "GuaranteedAbsoluteCapacity": 0.4,
        "GuaranteedMB": 3072,
        "GuaranteedVCores": 1,
        "MaxCapacityMB": 8192,
        "MaxCapacityVCores": 1,
        "UsedAMResourceMB": 1024,
        "UsedAMResourceVCores": 1,
        "UsedCapacity": 0.31257632,
        "ActiveUsers": 0,
        "AggregateContainersAllocated": 1,
        "AggregateOffSwitchContainersAllocated": 1,
        "AllocatedContainers": 1,
        "AllocatedMB": 1024,
        "AllocatedVCores": 1,
        "AppsPending": 0,
        "AppsRunning": 1,
        "AppsSubmitted": 1,
        "AvailableMB": 2252,
        "AvailableVCores": 2,
        "PendingContainers": 0,
    }
    assert {name: queue[name] for name in expected} == expected
    root = found["QueueMetrics,q0=root"]
    assert some(root, "AvailableMB", "AvailableVCores", "UsedAMResourceMB") == {
        "AvailableMB": 7168,
        "AvailableVCores": 7,
        "UsedAMResourceMB": 0,
    }


def test_users_of_a_capacity_queue(tmp_path: Path) -> None:
    steps = SUBMIT + "  - heartbeat: [n1, n1]\n"
    found = shown(capacity(tmp_path, steps))
    user = found["QueueMetrics,q0=root,q1=default,user=mei"]
    assert attributes(user) == OF_EVERY_QUEUE | OF_CAPACITY
    expected = {
        "running_0": 1,
        "AMResourceLimitMB": 1024,
        "UsedAMResourceMB": 1024,
        "GuaranteedMB": 0,
        "AggregateContainersAllocated": 1,
        "AllocatedMB": 1024,
        "AppsRunning": 1,
        "AppsSubmitted": 1,
        "AvailableMB": 3072,
        "AvailableVCores": 1,
    }
    assert {name: user[name] for name in expected} == expected
    of_root = found["QueueMetrics,q0=root,user=mei"]
    assert some(of_root, "AppsRunning", "AllocatedMB", "AvailableMB", "UsedAMResourceMB") == {
        "AppsRunning": 1,
        "AllocatedMB": 1024,
        "AvailableMB": 0,
        "UsedAMResourceMB": 0,
    }
    in_partition = found["PartitionQueueMetrics,partition=,q0=root,q1=default,user=mei"]
    assert attributes(in_partition) == OF_EVERY_QUEUE
    assert some(in_partition, "AllocatedMB", "AvailableMB", "AppsRunning") == {
        "AllocatedMB": 1024,
        "AvailableMB": 3072,
        "AppsRunning": 0,
    }


def test_users_only_where_they_are_wanted(tmp_path: Path) -> None:
    found = shown(capacity(tmp_path, SUBMIT + "  - heartbeat: [n1, n1]\n", user_metrics=False))
    assert not [name for name in found if "user=" in name]


def test_partitions_where_a_queue_has_a_share(tmp_path: Path) -> None:
    found = shown(capacity(tmp_path, SUBMIT))
    labelled = [name for name in found if "partition=" in name and "partition=," not in name]
    assert labelled == [
        "PartitionQueueMetrics,partition=",
        "PartitionQueueMetrics,partition=gpu",
        "PartitionQueueMetrics,partition=gpu,q0=root",
        "PartitionQueueMetrics,partition=gpu,q0=root,q1=default",
    ]
    assert attributes(found["PartitionQueueMetrics,partition="]) == OF_EVERY_QUEUE


def test_an_application_is_pending_until_it_has_a_container(tmp_path: Path) -> None:
    steps = (
        "  - submit: {app: a1, queue: root.default, user: mei}\n"
        "  - submit: {app: a2, queue: root.lab.night, user: ada}\n"
        "  - ask: {app: a1, requests: [{count: 2, memory-mb: 1024}]}\n"
    )
    names = ("AppsPending", "AppsRunning", "UnmanagedAppsPending", "ActiveApplications", "ActiveUsers")
    found = shown(capacity(tmp_path, steps))
    assert some(found["QueueMetrics,q0=root"], *names) == dict(zip(names, (2, 0, 2, 1, 0), strict=True))
    default = found["QueueMetrics,q0=root,q1=default"]
    assert some(default, *names) == dict(zip(names, (1, 0, 1, 1, 1), strict=True))
    assert default["PendingContainers"] == 2
    default = shown(capacity(tmp_path, steps + "  - heartbeat: n1\n"))["QueueMetrics,q0=root,q1=default"]
    assert some(default, *names) == dict(zip(names, (0, 1, 0, 1, 1), strict=True))


def test_ends_are_counted_for_good(tmp_path: Path) -> None:
    """Also those of applications that nobody remembers: only two completed ones are kept."""
    steps = "".join(
        f"  - submit: {{app: a{number}, queue: root.default, user: mei}}\n  - {end}: a{number}\n"
        for number, end in enumerate(("kill", "finish", "finish", "finish", "kill"))
    )
    text = CAPACITY.format(user_metrics="true").replace(
        "conf:\n", "conf:\n  yarn.resourcemanager.max-completed-applications: 2\n"
    )
    player = play(tmp_path, text + steps)
    assert len(player.world.rm.context.apps) == 2
    found = shown(player)
    names = ("AppsSubmitted", "AppsCompleted", "AppsKilled", "AppsFailed", "AppsPending", "AppsRunning")
    for place in ("q0=root", "q0=root,q1=default", "q0=root,q1=default,user=mei"):
        counts = some(found[f"QueueMetrics,{place}"], *names, *(f"Unmanaged{name}" for name in names))
        assert list(counts.values()) == [5, 3, 2, 0, 0, 0] * 2, place


def test_an_application_that_moves_ends_where_it_is(tmp_path: Path) -> None:
    steps = (
        "  - submit: {app: a1, queue: root.default, user: mei}\n"
        "  - move: {app: a1, queue: root.lab.day}\n"
        "  - finish: a1\n"
    )
    found = shown(capacity(tmp_path, steps))
    left, reached = found["QueueMetrics,q0=root,q1=default"], found["QueueMetrics,q0=root,q1=lab,q2=day"]
    assert some(left, "AppsSubmitted", "AppsCompleted") == {"AppsSubmitted": 1, "AppsCompleted": 0}
    assert some(reached, "AppsSubmitted", "AppsCompleted") == {"AppsSubmitted": 0, "AppsCompleted": 1}


def test_a_refused_application_was_never_submitted(tmp_path: Path) -> None:
    steps = "  - submit: {app: a1, queue: root.nowhere, user: mei}\n"
    found = shown(capacity(tmp_path, steps))
    assert some(found["QueueMetrics,q0=root"], "AppsSubmitted", "AppsFailed") == {
        "AppsSubmitted": 0,
        "AppsFailed": 0,
    }


def test_reservations_and_old_applications(tmp_path: Path) -> None:
    steps = (
        "  - submit: {app: a1, queue: root.default, user: mei}\n"
        "  - ask: {app: a1, requests: [{count: 2, memory-mb: 5120}]}\n"
        "  - heartbeat: [n1, n1]\n"
        "  - advance: 61m\n"
    )
    text = CAPACITY.format(user_metrics="true").replace(
        "root.default.capacity: 40\n",
        "root.default.capacity: 40\n  yarn.scheduler.capacity.root.default.user-limit-factor: 5\n",
    )
    text = text.replace("- {name: n1,", "- {name: n%d, count: 2,")
    text = text.replace("conf:\n", "conf:\n  yarn.nm.liveness-monitor.expiry-interval-ms: 86400000\n")
    text = text.replace("conf:\n", "conf:\n  yarn.am.liveness-monitor.expiry-interval-ms: 86400000\n")
    text = text.replace(
        "conf:\n", "conf:\n  yarn.resourcemanager.rm.container-allocation.expiry-interval-ms: 86400000\n"
    )
    found = shown(play(tmp_path, text + steps))
    for name in ("QueueMetrics,q0=root,q1=default", "QueueMetrics,q0=root,q1=default,user=mei"):
        queue = found[name]
        assert some(queue, "ReservedContainers", "ReservedMB", "AllocatedMB", "AllocatedContainers") == {
            "ReservedContainers": 1,
            "ReservedMB": 5120,
            "AllocatedMB": 5120,
            "AllocatedContainers": 1,
        }
        assert (queue["running_0"], queue["running_60"]) == (0, 1)


FAIR = """
name: metrics
conf:
  yarn.resourcemanager.scheduler.class: fair
fair-scheduler: >-
  <allocations><queue name="lab"><maxRunningApps>5</maxRunningApps><queue name="night">
  <maxAMShare>0.5</maxAMShare></queue></queue><queue name="default"/></allocations>
nodes:
  - {name: n1, memory-mb: 8192, vcores: 8}
steps:
  - submit: {app: a1, queue: root.lab.night, user: mei, managed: true, am: {memory-mb: 1024, vcores: 1}}
  - update-shares: true
  - heartbeat: [n1, n1]
  - update-shares: true
"""


def test_a_fair_queue_has_hadoop_s_attributes_and_figures(tmp_path: Path) -> None:
    found = shown(play(tmp_path, FAIR))
    leaf = found["QueueMetrics,q0=root,q1=lab,q2=night"]
    assert attributes(leaf) == OF_EVERY_QUEUE | OF_FAIR
    assert leaf["tag.SchedulingPolicy"] == "fair"
    expected = {
        "running_0": 1,
        "AmResourceUsageMB": 1024,
        "AmResourceUsageVCores": 1,
        "FairShareMB": 8192,
        "MaxAMShareMB": 4096,
        "MaxAMShareVCores": 4,
        "MaxApps": 2147483647,
        "MaxShareMB": 9223372036854775807,
        "MaxShareVCores": 2147483647,
        "SteadyFairShareMB": 4096,
        "AggregateOffSwitchContainersAllocated": 1,
        "AppAttemptFirstContainerAllocationDelayNumOps": 1,
        "AppAttemptFirstContainerAllocationDelayAvgTime": 0.0,
        "AvailableMB": 0,
        "AllocatedMB": 1024,
        "AppsRunning": 1,
    }
    assert {name: leaf[name] for name in expected} == expected
    parent, root = found["QueueMetrics,q0=root,q1=lab"], found["QueueMetrics,q0=root"]
    assert some(parent, "MaxApps", "AmResourceUsageMB", "MaxAMShareMB") == {
        "MaxApps": 5,
        "AmResourceUsageMB": 0,
        "MaxAMShareMB": 0,
    }
    assert (root["AvailableMB"], root["AvailableVCores"]) == (7168, 7)
    assert root["AppAttemptFirstContainerAllocationDelayNumOps"] == 0
    assert found["PartitionQueueMetrics,partition="]["AvailableMB"] == 7168
    user = found["QueueMetrics,q0=root,q1=lab,q2=night,user=mei"]
    assert attributes(user) == OF_EVERY_QUEUE
    assert (user["AppsSubmitted"], user["AllocatedMB"]) == (1, 1024)


def test_fifo_has_one_queue(tmp_path: Path) -> None:
    before, _, behind = FAIR.partition("fair-scheduler:")
    text = before + behind[behind.index("nodes:") :]
    text = text.replace("class: fair", "class: fifo").replace("  - update-shares: true\n", "")
    found = shown(play(tmp_path, text.replace("root.lab.night", "default")))
    assert [name for name in found if "Partition" not in name] == ["QueueMetrics,q0=default"]
    queue = found["QueueMetrics,q0=default"]
    assert attributes(queue) == OF_EVERY_QUEUE
    assert some(queue, "AppsRunning", "AllocatedContainers", "AvailableMB") == {
        "AppsRunning": 1,
        "AllocatedContainers": 1,
        "AvailableMB": 7168,
    }


def test_other_resource_types(tmp_path: Path) -> None:
    text = CAPACITY.format(user_metrics="false").replace(
        "conf:\n", "conf:\n  yarn.resource-types: yarn.io/gpu\n"
    )
    text = text.replace(
        "capacity-scheduler:\n",
        "capacity-scheduler:\n  yarn.scheduler.capacity.resource-calculator: "
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator\n",
    )
    text = text.replace("vcores: 8}", "vcores: 8, resources: {yarn.io/gpu: 4}}")
    steps = (
        "  - submit: {app: a1, queue: root.default, user: mei}\n"
        "  - ask: {app: a1, requests: [{count: 1, memory-mb: 1024, resources: {yarn.io/gpu: 1}}]}\n"
        "  - heartbeat: n1\n"
    )
    queue = shown(play(tmp_path, text + steps))["QueueMetrics,q0=root,q1=default"]
    others = {name: value for name, value in queue.items() if name.endswith(".yarn.io/gpu")}
    assert others.pop("AllocatedResource.yarn.io/gpu") == 1
    assert set(others) == {
        f"{prefix}.yarn.io/gpu"
        for prefix in (
            *("AvailableResource", "PendingResource", "ReservedResource"),
            *("AggregatePreemptedSeconds", "GuaranteedCapacity", "MaxCapacity"),
        )
    }
