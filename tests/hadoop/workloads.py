"""Whole loads played by ours and by Hadoop's ResourceManager: hours of virtual time, every answer compared.

The loads are drawn from seeds: lines of SWIM and a file of SYNTH, read by the same code as anybody's. Jobs
find their data on nodes, ask for partitions, compete for shares, and are preempted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from tests.hadoop.comparison import ACCIDENT, DIFFERENT, SAME, Comparison, Verdict, how_it_ends
from tests.hadoop.mirror import MirroredRM
from tests.hadoop.twin import Twin
from yarnbox.rm.ports import ConfigurationProvider
from yarnbox.sim.load.data import DataOptions, with_data
from yarnbox.sim.load.formats import Load, LoadOptions, read_load
from yarnbox.sim.load.jobs import Job, Nodes, NodeSpec
from yarnbox.sim.load.swim import SwimOptions
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.scenario.playing.files import ScenarioFiles
from yarnbox.sim.workload.files import CLASS
from yarnbox.sim.workload.player import WorkloadPlayer
from yarnbox.sim.workload.site import Site
from yarnbox.yarn.resources.resource import Resource

STRIDE = 50
"""Answers are compared in every turn, books every so many turns."""
HOUR_S, DAY_S = 3600, 86_400
MB = 1024 * 1024
_PREFIX = "yarn.scheduler.capacity."
_MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
_DOMINANT = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
_QUEUES, _USERS, LABEL = ("etl", "adhoc"), ("ann", "bob", "cem"), "x"
_PREEMPTS = {
    "yarn.resourcemanager.scheduler.monitor.enable": "true",
    _MONITOR + "max_wait_before_kill": "5000",
    _MONITOR + "total_preemption_per_round": "0.5",
    _MONITOR + "natural_termination_factor": "1.0",
}
_FAIR_FILE = """
<allocations>
  <defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
  <defaultFairSharePreemptionTimeout>10</defaultFairSharePreemptionTimeout>
  <queue name="etl"><weight>2.0</weight></queue>
  <queue name="adhoc"><weight>1.0</weight></queue>
</allocations>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """One load on one cluster."""

    name: str
    draw: Callable[[Path], Load]
    """Writes its trace into a directory, and reads it."""
    files: Callable[[], ScenarioFiles]
    nodes: int = 12
    labelled: int = 0
    """So many of the nodes are in the partition `x`, which lends."""


class MirroredWorkload(WorkloadPlayer):
    """Plays a load with the twin beside our ResourceManager."""

    def __init__(self, load: Load, site: Site, files: ScenarioFiles, twin: Twin, scratch: Path) -> None:
        self._twin, self._scratch = twin, scratch
        self.mirrored: MirroredRM
        super().__init__(load, site, files, ())

    def start_rm(
        self, files: ConfigurationProvider, groups: Mapping[str, tuple[str, ...]], yarn_files: object
    ) -> SimulatedRM:
        """Both."""
        assert isinstance(files, ScenarioFiles)
        self.mirrored = MirroredRM(files, groups, self._twin, self._scratch, STRIDE)
        return self.mirrored


def compare_workload(comparing: Comparison, workload: Workload) -> Verdict:
    """Plays it to its end, or to the first difference."""
    load = workload.draw(comparing.scratch)
    site = Site(nodes=_nodes(workload), node_resource=Resource(8192, 8))
    load = with_data(load, site.specs(), DataOptions(replication=3), seed=1)
    played: list[MirroredWorkload] = []

    def go() -> None:
        player = MirroredWorkload(load, site, workload.files(), comparing.take_twin(), comparing.scratch)
        played.append(player)
        outcome = player.play()
        assert outcome.finished + outcome.failed == load.count, outcome

    end = how_it_ends(go)
    name = f"workload {workload.name}"
    if not played:
        return Verdict(name, DIFFERENT, why="" if end is None else end[1])
    mirrored = played[0].mirrored
    accidents = tuple(mirrored.accidents.stepped_over)
    if end is not None:
        kind, why = end
        moment = "" if kind == ACCIDENT else f"after {mirrored.clock.now_ms()} ms: "
        return Verdict(name, kind, why=moment + why, accidents=accidents)
    return Verdict(name, SAME, accidents=accidents)


def _nodes(workload: Workload) -> Nodes:
    specs = [
        NodeSpec(
            host=f"n{number}",
            rack=f"/r{number % 3}",
            labels=(LABEL,) if number > workload.nodes - workload.labelled else (),
        )
        for number in range(1, workload.nodes + 1)
    ]
    return Nodes(nodes=tuple(specs), exclusive={LABEL: False} if workload.labelled else {})


# ---- loads


def _swim(directory: Path, *, seconds: int, gap_s: float, seed: int) -> Load:
    """Jobs that come at random; most are small, some a hundred times as large."""
    dice, now_s = Random(seed), 0
    lines: list[str] = []
    while True:
        gap = int(dice.expovariate(1 / gap_s))
        now_s += gap
        if now_s >= seconds:
            break
        given = int(dice.lognormvariate(6.0, 1.5)) * MB
        shuffle = given // dice.choice((2, 4, 8)) if dice.random() < 0.5 else 0
        sizes = (given, shuffle, given // 8)
        lines.append("\t".join(map(str, (f"job{len(lines)}", now_s, gap, *sizes))))
    path = directory / "load.tsv"
    path.write_text("\n".join(lines) + "\n")
    options = SwimOptions(
        rate=8 * MB, queues=_QUEUES, users=_USERS, max_maps=60, map_resource=Resource(1024, 2)
    )
    return read_load(path, "SWIM", LoadOptions(swim=options))


def _synth(directory: Path, *, seconds: int, jobs: int, seed: int, labelled: bool = False) -> Load:
    """Two tenants: waves of large jobs, and small ones at any time; labelled: some go into the partition."""
    document = {
        "num_nodes": 1,
        "num_jobs": jobs,
        "rand_seed": seed,
        "time_unit": "s",
        "workloads": [
            _tenant("etl", 0.3, "ann", range(0, seconds, 3 * HOUR_S), count=40, time_s=60, mb=2048),
            _tenant("adhoc", 0.7, "bob", (0,), count=6, time_s=20, mb=1024, until_s=seconds),
        ],
    }
    path = directory / "load.synth.json"
    path.write_text(json.dumps(document))
    load = read_load(path, "SYNTH")
    return Load.of(map(_in_partition, load.jobs())) if labelled else load


def _tenant(
    queue: str,
    weight: float,
    user: str,
    waves_s: range | tuple[int, ...],
    *,
    count: int,
    time_s: int,
    mb: int,
    until_s: int | None = None,
) -> Mapping[str, object]:
    times: list[Mapping[str, int]] = []
    for wave_s in waves_s:
        end_s = wave_s + 600 if until_s is None else until_s
        times += [{"time": wave_s, "weight": 1}, {"time": end_s, "weight": 0}]
    stages = (("map", 20, count), ("reduce", 10, max(count // 8, 1)))
    tasks = [
        {
            "type": stage,
            "priority": priority,
            "count": {"val": number, "std": number / 3},
            "time": {"val": time_s, "std": time_s / 4},
            "max_memory": {"val": mb},
            "max_vcores": {"discrete": [1, 3], "weights": [3, 1]},
        }
        for stage, priority, number in stages
    ]
    kind = {
        "class_name": queue,
        "user_name": user,
        "class_weight": 1,
        "type": "mapreduce",
        "deadline_factor": {"val": 3},
        "duration": {"val": time_s},
        "reservation": {"val": 0},
        "tasks": tasks,
    }
    return {
        "workload_name": queue,
        "workload_weight": weight,
        "queue_name": f"root.{queue}",
        "time_distribution": times,
        "job_classes": [kind],
    }


def _in_partition(job: Job) -> Job:
    """Every third job asks for nodes of the partition."""
    return replace(job, label=LABEL) if job.submit_ms // 1000 % 3 == 0 else job


# ---- configurations


def _capacity(*, labelled: bool = False) -> ScenarioFiles:
    properties = {
        "root.queues": ",".join(_QUEUES),
        "root.etl.capacity": "60",
        "root.adhoc.capacity": "40",
        "root.etl.ordering-policy": "fair",
        "root.adhoc.user-limit-factor": "3",
        "root.adhoc.minimum-user-limit-percent": "34",
        "resource-calculator": _DOMINANT,
        "maximum-am-resource-percent": "0.4",
        "node-locality-delay": "6",
        "rack-locality-additional-delay": "6",
    }
    conf = {CLASS: "capacity", **_PREEMPTS}
    if labelled:
        conf["yarn.node-labels.enabled"] = "true"
        properties[f"root.accessible-node-labels.{LABEL}.capacity"] = "100"
        for queue, share in zip(_QUEUES, ("30", "70"), strict=True):
            properties[f"root.{queue}.accessible-node-labels"] = LABEL
            properties[f"root.{queue}.accessible-node-labels.{LABEL}.capacity"] = share
    return ScenarioFiles(conf, {_PREFIX + name: value for name, value in properties.items()}, None)


def _fair() -> ScenarioFiles:
    conf = {
        CLASS: "fair",
        "yarn.scheduler.fair.preemption": "true",
        "yarn.scheduler.fair.preemption.cluster-utilization-threshold": "0.0",
        "yarn.scheduler.fair.locality.threshold.node": "0.3",
        "yarn.scheduler.fair.locality.threshold.rack": "0.6",
    }
    return ScenarioFiles(conf, None, _FAIR_FILE)


def _swim_of(seconds: int, seed: int) -> Callable[[Path], Load]:
    return lambda directory: _swim(directory, seconds=seconds, gap_s=12, seed=seed)


SHORT = (
    Workload(name="five minutes of SWIM, capacity", draw=_swim_of(300, 1), files=_capacity),
    Workload(name="five minutes of SWIM, fair", draw=_swim_of(300, 2), files=_fair),
)
"""Short enough for every run."""

WORKLOADS = (
    Workload(name="two hours of SWIM, capacity", draw=_swim_of(2 * HOUR_S, 3), files=_capacity),
    Workload(name="two hours of SWIM, fair", draw=_swim_of(2 * HOUR_S, 4), files=_fair),
    Workload(
        name="a day of SYNTH, capacity, with a partition",
        draw=lambda directory: _synth(directory, seconds=DAY_S, jobs=300, seed=5, labelled=True),
        files=lambda: _capacity(labelled=True),
        labelled=4,
    ),
    Workload(
        name="a day of SYNTH, fair",
        draw=lambda directory: _synth(directory, seconds=DAY_S, jobs=300, seed=6),
        files=_fair,
    ),
)
