"""Rumen's traces: MapReduce jobs as a job history server knew them.

Of each task the last attempt counts. The first job's submission is 0, the others keep their distance and none
is earlier; with the baseline `job` each begins at 0, as Hadoop 3.4 has it. Hadoop: AMDefinitionRumen.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from yarnbox.sim.load.fields import Fields
from yarnbox.sim.load.jobs import (
    MAP,
    MAP_PRIORITY,
    REDUCE,
    REDUCE_PRIORITY,
    InvalidTraceError,
    Job,
    Nodes,
    Task,
    spec_of_place,
)
from yarnbox.sim.load.reading import Complaints, Defaults, Read
from yarnbox.sim.load.text import opened, sequence

FIRST, EACH = "first", "job"
BASELINES = (FIRST, EACH)
_KINDS = (("mapTasks", MAP, MAP_PRIORITY), ("reduceTasks", REDUCE, REDUCE_PRIORITY))


class RumenFile:
    """One trace file."""

    def __init__(self, path: Path, defaults: Defaults, baseline: str, *, every_attempt: bool = False) -> None:
        """`every_attempt`: each becomes a task, as rumen2sls has it; else a task's last one alone."""
        self._path, self._defaults, self._baseline = path, defaults, baseline
        self._every_attempt = every_attempt

    def nodes(self) -> Nodes:
        """None but those that tasks name."""
        return Nodes()

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, in the order of the file."""
        zero_ms: int | None = None
        with opened(self._path) as text:
            for number, (line, value) in enumerate(sequence(text, str(self._path))):
                where = f"{self._path}:{line}"
                try:
                    fields = Fields(value, where, is_lax=True)
                    submit_ms = fields.integer("submitTime")
                    if zero_ms is None or self._baseline == EACH:
                        zero_ms = submit_ms
                    job = self._job(fields, number, submit_ms, zero_ms)
                    yield Read(where, job, "jobID" not in fields)
                except InvalidTraceError as error:
                    complaints.drop(error)

    def _job(self, fields: Fields, number: int, submit_ms: int, zero_ms: int) -> Job:
        finish_ms = fields.integer("finishTime", submit_ms)
        if finish_ms < submit_ms:
            raise fields.fault("finishTime", f"is before submitTime, {finish_ms} before {submit_ms}")
        tasks = tuple(task for kind in _KINDS for task in self._tasks(fields, *kind))
        if not tasks:
            raise fields.fault("mapTasks", "No task for the job!")
        job_id = fields.text("jobID", str(number))
        start_ms = max(0, submit_ms - zero_ms)
        return Job(
            job_id=job_id,
            name=fields.text("jobName", job_id),
            submit_ms=start_ms,
            end_ms=start_ms + finish_ms - submit_ms,
            queue=fields.text("queue", "default"),
            user=fields.text("user", "default"),
            am_resource=self._defaults.am,
            tasks=tasks,
        )

    def _tasks(self, fields: Fields, key: str, stage: str, priority: int) -> Iterator[Task]:
        for task in fields.each(key):
            attempts = list(task.each("attempts"))
            if not attempts:
                raise task.fault("attempts", "the task has none")
            for attempt in attempts if self._every_attempt else attempts[-1:]:
                start_ms, end_ms = attempt.integer("startTime"), attempt.integer("finishTime")
                if end_ms <= start_ms:
                    said = "Duration of a task shouldn't be less or equal to 0! It comes to"
                    raise attempt.fault("finishTime", f"{said} {end_ms - start_ms}")
                yield Task(
                    stage=stage,
                    duration_ms=end_ms - start_ms,
                    resource=self._defaults.task,
                    priority=priority,
                    places=_places(attempt),
                )


def _places(attempt: Fields) -> tuple[str, ...]:
    host = attempt.optional_text("hostName")
    if host is None:
        return ()
    try:
        return (spec_of_place(host).place,)
    except ValueError:
        raise attempt.fault("hostName", f"has to be /rack/host, not {host!r}") from None
