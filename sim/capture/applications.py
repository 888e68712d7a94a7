"""Applications of a ResourceManager as jobs.

Where a history server knows an application its tasks are traced. Else there are only sums: memory-seconds,
vcore-seconds, when the application was submitted and launched, how long it ran. Tasks are modelled from
them, and the job says so. What the AM held is taken off; the rest becomes containers of one size, as many as
ran all the time from launch to end. What they mean is in docs/workloads.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from yarnbox.sim.capture.traced import TracedTasks
from yarnbox.sim.load.fields import Fields
from yarnbox.sim.load.jobs import DAG, MAPREDUCE, MODELLED, SMALL, InvalidTraceError, Job, Task
from yarnbox.sim.load.reading import Complaints
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import Resource

_STEP_MB = 512
_START_MS = 2000
"""What passes between the launch of an AM and that of its tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What else is known of an application."""

    traced: TracedTasks | None = None
    attempts: int = 1


Ask = Callable[["Application"], Known]


def _nothing(_: Application) -> Known:
    return Known()


def jobs_of(
    applications: list[dict[str, Any]],
    where: str,
    complaints: Complaints,
    *,
    am: Resource = SMALL,
    ask: Ask = _nothing,
    zero_ms: int | None = None,
) -> Iterator[Job]:
    """In order of submission; `zero_ms` becomes 0, or where it is None the first submission."""
    found = []
    for number, one in enumerate(applications):
        try:
            found.append(Application(Fields(one, where, f"apps.app[{number}]", is_lax=True)))
        except InvalidTraceError as error:
            complaints.drop(error)
    found.sort(key=lambda app: (app.started_ms, app.application_id))
    for app in found:
        zero_ms = app.started_ms if zero_ms is None else zero_ms
        try:
            job = app.job(zero_ms, am, ask(app))
        except InvalidTraceError as error:
            complaints.drop(error)
            continue
        if job is None:
            complaints.warn(f"{app.application_id}: used nothing, and is left out")
        else:
            yield job


class Application:
    """One answer of /apps."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self.application_id = fields.text("id")
        self.type = fields.text("applicationType", "YARN")
        self.started_ms = fields.integer("startedTime")
        self.launched_ms = fields.integer("launchTime", 0)
        self._elapsed_ms = fields.integer("elapsedTime", 0)
        self._waited_ms = max(0, self.launched_ms - self.started_ms) if self.launched_ms else 0

    def job(self, zero_ms: int, am: Resource, known: Known) -> Job | None:
        """None where it used nothing."""
        fields, traced = self._fields, known.traced
        if traced is None:
            task = self._task(max(self._elapsed_ms - self._waited_ms, 1), am)
            if task is None:
                return None
            traced = TracedTasks(tasks=(task,), model=MAPREDUCE, am=am, fidelity=MODELLED)
        start_ms = self.started_ms - zero_ms
        priority = fields.integer("priority", 0, at_least=-1)
        tags = tuple(tag for tag in (fields.label("applicationTags") or "").split(",") if tag)
        return Job(
            job_id=self.application_id,
            name=fields.text("name", self.application_id) if fields.label("name") else self.application_id,
            submit_ms=start_ms,
            end_ms=start_ms + self._elapsed_ms,
            queue=fields.text("queue", "default"),
            user=fields.text("user", "default"),
            type=self.type,
            tags=tags,
            priority=priority if priority > 0 else None,
            label=_label(fields, "appNodeLabelExpression"),
            am_label=_label(fields, "amNodeLabelExpression"),
            am_resource=traced.am or am,
            am_attempts=max(1, known.attempts),
            model=traced.model,
            tasks=traced.tasks,
            slow_start=traced.slow_start if traced.model != DAG else 1.0,
            fidelity=traced.fidelity,
        )

    def _task(self, run_ms: int, am: Resource) -> Task | None:
        span_ms = max(1, run_ms - min(_START_MS, run_ms // 2))
        memory_mb_s = self._fields.integer("memorySeconds", 0) - am.memory_mb * run_ms // 1000
        vcores_s = self._fields.integer("vcoreSeconds", 0) - am.vcores * run_ms // 1000
        if self._fields.integer("memorySeconds", 0) <= 0:
            return None
        if memory_mb_s <= 0:
            return Task(duration_ms=span_ms, resource=Resource(_STEP_MB, 1))
        memory_mb = memory_mb_s // max(vcores_s, 1) if vcores_s > 0 else am.memory_mb
        memory_mb = max(_STEP_MB, -(-memory_mb // _STEP_MB) * _STEP_MB)
        work_ms = memory_mb_s * 1000 // memory_mb
        count = max(1, round(work_ms / span_ms))
        return Task(count=count, duration_ms=max(1, work_ms // count), resource=Resource(memory_mb, 1))


def _label(fields: Fields, key: str) -> str | None:
    found = fields.label(key)
    return None if found in (None, "<Not set>", SHOWN_DEFAULT_PARTITION) else found
