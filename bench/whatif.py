"""How near `yarnbox whatif` comes: the same jobs on a real cluster of ten NodeManagers and in virtual time.

Twelve jobs of sleeping tasks in two queues are run under two configurations, RUNS times each: processes, real
AMs, containers that sleep. Their sleeps end in different parts of a second: an AM hears of an end at its next
call, and where all sleep 30 s and it calls once in 1.00x s, it depends on the x whether that is at once or a
second later. Each run is then played in virtual time with the moments at which its jobs were
submitted, and with four times that depend on the machine and are measured in the run: what AMs took from
allocation to launch, from there to registration, and from unregistration to their end, and what containers
took beside the sleep.
Nothing is fitted. Compared are the makespan, and by queue the mean wait for the AM and the mean response; the
spread of the real runs stands beside them.

Takes about ten minutes, nearly all of them asleep. `python -m bench.whatif --runs N`.
"""

from __future__ import annotations

import argparse
import getpass
import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

from bench._report import report
from yarnbox.am.shell.client import ShellClient
from yarnbox.am.shell.spec import ShellSpec
from yarnbox.cluster.cluster import Cluster, Options
from yarnbox.cluster.directory import RunDirectory
from yarnbox.cluster.site import sample_configuration
from yarnbox.sim import Job, Result, Site, Task
from yarnbox.sim.load.formats import Load
from yarnbox.sim.reports.play import Play
from yarnbox.sim.workload.files import DirectoryFiles
from yarnbox.yarn.configuration import SITE_FILES, Configuration
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationReport
from yarnbox.yarn.resources.resource import Resource

NODES, NODE = 10, Resource(4096, 8)
TASKS, JOBS, APART_S = 8, 12, 1.0
NODES_APART_S = 1.1
"""Nodes that are started together heartbeat together; those of a real cluster do not."""
SLEEPS_S = [round(28 + 0.35 * (7 * number % JOBS), 2) for number in range(JOBS)]
"""By job: 28 to 31.85 s, long and short ones in both queues."""
QUEUES = ("a", "b")
BASE, CHANGE = (50, 50), (70, 30)
SEEDS = (1, 2, 3, 4, 5)
_ORDER = re.compile(r"(?P<moment>\S+ \S+) INFO nm\.core: container (?P<id>\S+) transitioned from NEW to ")
ENDED = (YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED)
SITE = {
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "1000",
    "yarn.nodemanager.resource.memory-mb": str(NODE.memory_mb),
    "yarn.nodemanager.resource.cpu-vcores": str(NODE.vcores),
    "yarn.log-aggregation-enable": "false",
}


class Machine(NamedTuple):
    """What depends on the machine, in ms: means over the AMs or tasks of a job, or of several."""

    am_launch: float = 0.0
    """From the allocation of an AM's container to its launch."""
    am_start: float = 0.0
    """From the launch of an AM to its registration."""
    am_end: float = 0.0
    """From its unregistration to the end of its container."""
    task_overhead: float = 0.0
    """What a task's container took beside its sleep, from the order to its NodeManager on."""

    @classmethod
    def mean(cls, several: Iterable[Machine]) -> Machine:
        return cls._make(map(statistics.fmean, zip(*several, strict=True)))


NO_TIME = Machine()


@dataclass(frozen=True, slots=True)
class Seen:
    """A job as the ResourceManager tells of it, in ms of its clock."""

    queue: str
    submitted_ms: int
    wait_ms: int
    ended_ms: int
    machine: Machine = NO_TIME


def configuration(directory: Path, shares: tuple[int, int]) -> Path:
    """The sample configuration with two queues that cannot lend each other anything."""
    shutil.copytree(sample_configuration(), directory)
    found = {"root.queues": ",".join(QUEUES)}
    for queue, share in zip(QUEUES, shares, strict=True):
        found |= {f"root.{queue}.capacity": str(share), f"root.{queue}.maximum-capacity": str(share)}
        found |= {f"root.{queue}.user-limit-factor": "10"}
    properties = {f"yarn.scheduler.capacity.{name}": value for name, value in found.items()}
    text = Configuration.of(properties).to_xml()
    (directory / "capacity-scheduler.xml").write_text(text, encoding="utf-8")
    return directory


# ---- the real thing


class RealCluster:
    """Ten NodeManagers under one configuration."""

    def __init__(self, run: RunDirectory, conf: Path) -> None:
        self._run, self._cluster, self._conf = run, Cluster(run, stays_with_us=True), conf

    def __enter__(self) -> RealCluster:
        definitions = {**SITE, "yarnbox.shell.am.resource.mb": "1024"}
        self._cluster.up(
            Options(nodes=1, port=0, web_port=0, configuration=self._conf, definitions=definitions)
        )
        for _ in range(NODES - 1):
            time.sleep(NODES_APART_S)
            self._cluster.add_node()
        self._cluster.wait_until_ready()
        return self

    def __exit__(self, *error: object) -> None:
        self._cluster.down()

    def submit(self, queue: str, tasks: int, sleep_s: float) -> tuple[ShellClient, ApplicationId]:
        """One job."""
        overrides = {"mapreduce.job.queuename": queue, "yarnbox.shell.am.resource.mb": "1024"}
        found = Configuration.of({}).with_files(self._run.path, SITE_FILES).overlaid(overrides)
        client = ShellClient(found, getpass.getuser())
        return client, client.submit(ShellSpec(command=f"sleep {sleep_s}", containers=tasks))

    def finished(self, jobs: Sequence[tuple[ShellClient, ApplicationId]]) -> list[Seen]:
        """What became of them, in their order, when all have ended."""
        found: list[ApplicationReport] = []
        for client, application_id in jobs:
            while (one := client.report(application_id)).yarn_application_state not in ENDED:
                time.sleep(1)
            if one.yarn_application_state is not YarnApplicationState.FINISHED:
                raise RuntimeError(f"{application_id}: {one.yarn_application_state}: {one.diagnostics}")
            found.append(one)
        return [self._seen(one, sleep_s) for one, sleep_s in zip(found, SLEEPS_S, strict=True)]

    def _seen(self, one: ApplicationReport, sleep_s: float) -> Seen:
        submitted_ms = one.start_time or 0
        return Seen(
            queue=f"root.{(one.queue or '').removeprefix('root.')}",
            submitted_ms=submitted_ms,
            wait_ms=(one.launch_time or 0) - submitted_ms,
            ended_ms=one.finish_time or 0,
            machine=self._machine(one, sleep_s),
        )

    def _machine(self, one: ApplicationReport, sleep_s: float) -> Machine:
        life = {
            each["step"]: each["time"] for each in self._asked(f"life/{one.application_id}")["life"]["moment"]
        }
        rows = self._asked(f"containers?app={one.application_id}")["containers"]["container"]
        ordered_ms = self._orders()
        tasks = [row for row in rows if row["id"] in ordered_ms and not row["isAM"]]  # others were released
        (am,) = (row for row in rows if row["isAM"])
        return Machine(
            am_launch=life["AM launched"] - life["AM allocated"],
            am_start=life["running"] - life["AM launched"],
            am_end=am["finished"] - (one.finish_time or 0),
            task_overhead=statistics.fmean(
                row["finished"] - ordered_ms[row["id"]] - 1000 * sleep_s for row in tasks
            ),
        )

    def _asked(self, path: str) -> dict[str, Any]:
        address = self._run.load().web_address
        with urlopen(f"http://{address}/ws/v1/cluster/ui/{path}") as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def _orders(self) -> dict[str, int]:
        """When NodeManagers were told to start each container, by their logs."""
        found = {}
        for log in self._run.path.glob("logs/nm*.log"):
            for line in log.read_text(encoding="utf-8").splitlines():
                if match := _ORDER.match(line):
                    moment = datetime.strptime(match["moment"], "%Y-%m-%d %H:%M:%S,%f").astimezone()
                    found[match["id"]] = round(1000 * moment.timestamp())
        return found

    def run_load(self) -> list[Seen]:
        """The twelve jobs."""
        jobs = []
        for number, sleep_s in enumerate(SLEEPS_S):
            jobs.append(self.submit(QUEUES[number % 2], TASKS, sleep_s))
            time.sleep(APART_S)
        return self.finished(jobs)


# ---- virtual time


def played(conf: Path, jobs: Sequence[Job], site: Site) -> Result:
    load = Load.of(jobs)
    return Play(DirectoryFiles(conf, SITE), load, site).run()


def job(number: int, queue: str, submit_ms: int, tasks: int, sleep_s: float) -> Job:
    task = Task(stage="shell", count=tasks, duration_ms=max(1, round(1000 * sleep_s)), priority=0)
    user = getpass.getuser()
    return Job(job_id=f"job{number}", submit_ms=submit_ms, queue=queue, user=user, model="dag", tasks=(task,))


def figures(jobs: Sequence[Seen]) -> dict[str, float]:
    """What is compared, in s."""
    found = {"makespan": (max(one.ended_ms for one in jobs) - min(one.submitted_ms for one in jobs)) / 1000}
    for queue in QUEUES:
        own = [one for one in jobs if one.queue == f"root.{queue}"]
        found[f"mean wait of {queue}"] = statistics.fmean(one.wait_ms for one in own) / 1000
        responses = (one.ended_ms - one.submitted_ms for one in own)
        found[f"mean response of {queue}"] = statistics.fmean(responses) / 1000
    return found


def simulated(conf: Path, real: Sequence[Seen], machine: Machine) -> dict[str, float]:
    """The same jobs in virtual time, submitted at the same moments: means over seeds."""
    first_ms = min(one.submitted_ms for one in real)
    jobs = [
        job(number, one.queue.removeprefix("root."), one.submitted_ms - first_ms, TASKS, sleep_s)
        for number, (one, sleep_s) in enumerate(zip(real, SLEEPS_S, strict=True))
    ]
    site = Site(
        nodes=NODES,
        node_resource=NODE,
        am_launch_ms=round(machine.am_launch),
        am_start_ms=round(machine.am_start),
        am_end_ms=round(machine.am_end),
        task_overhead_ms=round(machine.task_overhead),
        is_prompt=True,
        has_prompt_nodes=True,
    )
    every = []
    for seed in SEEDS:
        rows = played(conf, jobs, replace(site, seed=seed)).jobs
        every.append(
            figures(
                [Seen(one.queue, one.submitted_ms, one.am_wait_ms or 0, one.ended_ms or 0) for one in rows]
            )
        )
    return {name: statistics.fmean(one[name] for one in every) for name in every[0]}


def compared(
    name: str, real: Sequence[Mapping[str, float]], virtual: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """Means of real and simulated, the deviation in percent, and the spread of the real runs."""
    found = {}
    for key in real[0]:
        truth = statistics.fmean(one[key] for one in real)
        model = statistics.fmean(one[key] for one in virtual)
        found[f"{name}: {key}, real"] = truth
        found[f"{name}: {key}, in virtual time"] = model
        found[f"{name}: {key}, deviation"] = 100 * (model - truth) / truth if truth else 0.0
        spread = max(one[key] for one in real) - min(one[key] for one in real)
        found[f"{name}: {key}, spread of the real runs"] = 100 * spread / truth if truth else 0.0
    return found


def main() -> None:
    """Both configurations."""
    parser = argparse.ArgumentParser(description="What-if against a real cluster.")
    parser.add_argument("--runs", type=int, default=2)
    runs = parser.parse_args().runs
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as directory:
        for name, shares in (("base", BASE), ("change", CHANGE)):
            conf = configuration(Path(directory) / name, shares)
            real, virtual, machines = [], [], []
            with RealCluster(RunDirectory(Path(directory) / f"run-{name}"), conf) as cluster:
                for number in range(runs):
                    seen = cluster.run_load()
                    machine = Machine.mean(one.machine for one in seen)
                    print(f"{name}, run {number + 1}: {figures(seen)}; {machine}", file=sys.stderr)
                    real.append(figures(seen))
                    virtual.append(simulated(conf, seen, machine))
                    machines.append(machine)
            found |= compared(name, real, virtual)
            machine = Machine.mean(machines)
            found[f"{name}: launch of an AM"] = machine.am_launch / 1000
            found[f"{name}: start of an AM"] = machine.am_start / 1000
            found[f"{name}: end of an AM"] = machine.am_end / 1000
            found[f"{name}: a container beside its sleep"] = machine.task_overhead / 1000
    units = {name: "%" if name.endswith(("deviation", "runs")) else "s" for name in found}
    report("whatif", found, units)


if __name__ == "__main__":
    main()
