"""The output directory of Hadoop's Scheduler Load Simulator: realtimetrack.json, jobruntime.csv, metrics/,
tableMapping.csv.

What Hadoop measures in real time (`scheduler.*.timecost`, the memory of the process) is left out, so that
everything is the same from run to run. Hadoop: SchedulerMetrics and SLSRunner.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from yarnbox.rm.reports import usage_report
from yarnbox.rm.scheduler.views import FairQueueView, QueueView
from yarnbox.rm.web import past
from yarnbox.sim.load.jobs import Job
from yarnbox.sim.reports.collector import Collector
from yarnbox.sim.reports.files import made, replacing
from yarnbox.sim.reports.result import Result
from yarnbox.sim.resourcemanager import SimulatedRM
from yarnbox.sim.workload.site import Site
from yarnbox.sim.workload.watching import Watcher
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, total

TRACK, JOBS, MAPPING, METRICS = "realtimetrack.json", "jobruntime.csv", "tableMapping.csv", "metrics"
JOB_COLUMNS = (
    "JobID",
    "real_start_time",
    "real_end_time",
    "simulate_start_time",
    "simulate_end_time",
    "queue",
    "user",
    "tasks",
    "first_container_ms",
    "wait_ms",
    "preempted",
)
_BUCKETS = (
    "unused",
    "1to19pctUsed",
    "20to39pctUsed",
    "40to59pctUsed",
    "60to79pctUsed",
    "80to99pctUsed",
    "full",
)
_GB = 1024


class SLSOutput(Watcher):
    """One run's directory. Used as a context: the files take their names when it ends without an error."""

    def __init__(
        self,
        directory: Path,
        rm: SimulatedRM,
        collector: Collector,
        site: Site,
        interval_ms: int | None,
        tracked: Collection[str] = (),
    ) -> None:
        """`interval_ms` between two records; None writes no records. `tracked`: ids of jobs in the trace of
        which the containers are counted over time.
        """
        self._directory, self._rm, self._collector, self._site = directory, rm, collector, site
        self._interval_ms = interval_ms
        self._tracked = tracked
        self._applications: dict[str, ApplicationId] = {}
        self._open = ExitStack()
        self._next_ms = 0
        self._track: TextIO | None = None
        self._metrics: dict[str, TextIO] = {}

    def __enter__(self) -> SLSOutput:
        self._open.enter_context(made(self._directory))
        if self._interval_ms is not None:
            self._open.enter_context(made(self._directory / METRICS))
            self._track = self._open.enter_context(replacing(self._directory / TRACK))
        return self

    def __exit__(self, *error: Any) -> None:
        if self._track is not None and error[0] is None:
            self._track.write("]\n" if self._next_ms else "[]\n")
        self._open.__exit__(*error)

    def submitted(self, application_id: ApplicationId, job: Job, now_ms: int) -> None:
        """A job that may be tracked."""
        if job.job_id in self._tracked:
            self._applications[job.job_id] = application_id

    def over(self, application_id: ApplicationId, state: str, why: str, now_ms: int) -> None:
        """Its figures end with it."""
        for name in [name for name, found in self._applications.items() if found == application_id]:
            del self._applications[name]

    def moment(self, now_ms: int) -> None:
        """Writes a record when its time has come."""
        if self._track is None or self._interval_ms is None or now_ms < self._next_ms:
            return
        self._track.write("," if self._next_ms else "[")
        self._next_ms = now_ms - now_ms % self._interval_ms + self._interval_ms
        record = self._record(now_ms)
        self._track.write(json.dumps(record) + "\n")
        gauges = [
            (name.removesuffix("s") if name.startswith("running.") else name, value)
            for name, value in record.items()
            if name.startswith(("running.", "cluster."))
        ]
        for name, value in [*gauges, *self._of_applications()]:
            self._write_metric(f"variable.{name}", "value", now_ms, value)
        for view in past.queues(self._rm.context):
            if view.is_leaf:
                for name, amount in self._amounts(view):
                    self._write_metric(f"counter.queue.{view.path}.{name}", "count", now_ms, amount)
            if isinstance(view, FairQueueView):
                for name, amount in _shares(view):
                    self._write_metric(f"variable.queue.{view.path}.{name}", "value", now_ms, amount)

    def _record(self, now_ms: int) -> dict[str, float]:
        tracker = self._rm.context.scheduler.tracker
        used = self._collector.used()
        cluster = tracker.total
        taken = total(amount for amount, _ in used.values())
        return {
            "time": now_ms,
            "running.applications": self._collector.running_jobs(),
            "running.containers": sum(count for _, count in used.values()),
            "cluster.allocated.memory": round(taken.memory_mb / _GB, 3),
            "cluster.allocated.vcores": taken.vcores,
            "cluster.available.memory": round((cluster.memory_mb - taken.memory_mb) / _GB, 3),
            "cluster.available.vcores": cluster.vcores - taken.vcores,
            **dict(self._of_queues()),
            **self._of_nodes(),
        }

    def _of_queues(self) -> Iterator[tuple[str, float]]:
        used = self._collector.used()
        for view in past.queues(self._rm.context):
            if view.is_leaf:
                amount = used.get(view.path, (NONE, 0))[0]
                yield f"queue.{view.path}.allocated.memory", round(amount.memory_mb / _GB, 3)
                yield f"queue.{view.path}.allocated.vcores", amount.vcores

    def _of_nodes(self) -> dict[str, float]:
        found: dict[str, float] = {
            f"nodes.{kind}.{bucket}": 0 for kind in ("memory", "vcores") for bucket in _BUCKETS
        }
        for node in self._rm.nodes.values():
            held = total(one.resource or NONE for one in node.running.values())
            found[f"nodes.memory.{_bucket(held.memory_mb, node.resource.memory_mb)}"] += 1
            found[f"nodes.vcores.{_bucket(held.vcores, node.resource.vcores)}"] += 1
        return found

    def _amounts(self, view: QueueView) -> Iterator[tuple[str, int]]:
        """Of a leaf queue, in MB."""
        used = self._collector.used().get(view.path, (NONE, 0))[0]
        pending = total(part.pending for part in view.partitions.values())
        for what, amount in (("pending", pending), ("allocated", used)):
            yield f"{what}.memory", amount.memory_mb
            yield f"{what}.cores", amount.vcores

    def _of_applications(self) -> Iterator[tuple[str, int]]:
        """Of the tracked jobs that run, by their ids in the trace."""
        context = self._rm.context
        for name, application_id in self._applications.items():
            app = context.apps[application_id]
            usage = usage_report(context, app, app.current)
            yield f"app.{name}.live.containers", max(usage.num_used_containers or 0, 0)
            yield f"app.{name}.reserved.containers", max(usage.num_reserved_containers or 0, 0)

    def _write_metric(self, name: str, kind: str, now_ms: int, value: float) -> None:
        file = self._metrics.get(name)
        if file is None:
            path = self._directory / METRICS / f"{name.replace('/', '_')}.csv"
            file = self._metrics[name] = self._open.enter_context(replacing(path))
            file.write(f"t,{kind}\n")
        file.write(f"{now_ms // 1000},{value}\n")

    def finish(self, result: Result) -> None:
        """The files that only the end can tell."""
        with replacing(self._directory / JOBS) as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(JOB_COLUMNS)
            for job in result.jobs:
                first_ms = None if job.wait_ms is None else job.submitted_ms + job.wait_ms
                rows.writerow(
                    (
                        job.application,
                        job.traced_start_ms,
                        job.traced_end_ms,
                        job.submitted_ms,
                        job.ended_ms,
                        job.queue,
                        job.user,
                        job.tasks,
                        first_ms,
                        job.wait_ms,
                        job.preempted,
                    )
                )
        with replacing(self._directory / MAPPING) as file:
            for spec in self._site.specs():
                file.write(f"{spec.host} {spec.rack}\n")


def _shares(view: FairQueueView) -> Iterator[tuple[str, int]]:
    """What the FairScheduler's metrics say of a queue, in MB. Hadoop: FairSchedulerMetrics."""
    used = total(part.used for part in view.partitions.values())
    for what, amount in (
        ("demand", view.demand),
        ("usage", used),
        ("minshare", view.min_share),
        ("maxshare", view.max_share),
        ("fairshare", view.fair_share),
    ):
        yield f"{what}.memory", amount.memory_mb
        yield f"{what}.vcores", amount.vcores


def _bucket(used: int, total: int) -> str:
    if used <= 0 or total <= 0:
        return _BUCKETS[0]
    share = 100 * used // total
    if share >= 100:
        return _BUCKETS[-1]
    return _BUCKETS[1 + share // 20]
