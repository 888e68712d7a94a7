"""yarnbox's own format: JSON lines. The first says format and version, each of the others is a job.

Jobs stand in order of submission, so that a load of any length is played as it is read. What a job may say is
in docs/load.schema.json. Written files appear under their name when they are whole.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from yarnbox.sim.load.fields import LARGEST_INT, Fields
from yarnbox.sim.load.jobs import (
    DAG,
    MAP,
    MAP_PRIORITY,
    MAPREDUCE,
    MODELLED,
    MODELS,
    MOST_TASKS,
    REDUCE,
    SMALL,
    TRACED,
    InvalidTraceError,
    Job,
    Nodes,
    Task,
    spec_of_place,
)
from yarnbox.sim.load.reading import Complaints, Read
from yarnbox.sim.load.text import lines, opened, read_object
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.storage.drafts import draft_of

FORMAT, VERSION = "yarnbox-load", 1
_EXECUTION_TYPES = [one.name for one in ExecutionType]


class OwnFile:
    """One file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def nodes(self) -> Nodes:
        """They stand in a file of their own."""
        return Nodes()

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, in the order of the lines."""
        has_header, before_ms = False, 0
        with opened(self._path) as text:
            for number, line in enumerate(lines(text, str(self._path)), start=1):
                if not line.strip():
                    continue
                where = f"{self._path}:{number}"
                if not has_header:
                    check_header(Fields(read_object(line, where), where))
                    has_header = True
                    continue
                try:
                    fields = Fields(read_object(line, where), where)
                    job = job_of(fields)
                    if job.submit_ms < before_ms:
                        raise fields.fault(
                            "submitMs", f"{job.submit_ms} is before {before_ms}, the line above"
                        )
                except InvalidTraceError as error:
                    complaints.drop(error)
                    continue
                before_ms = job.submit_ms
                for key in fields.unknown():
                    complaints.warn(f"{where}: {key}: is not a key of a job, and has no effect")
                yield Read(where, job)
        if not has_header:
            raise InvalidTraceError(f"{self._path}: is empty; its first line has to name the format")


def check_header(fields: Fields) -> None:
    """Refuses a first line that is of another format or of a later version."""
    if fields.value("format") != FORMAT:
        raise fields.fault(
            "format", f'the first line has to be {{"format": "{FORMAT}", "version": {VERSION}}}'
        )
    if fields.integer("version", at_least=1) != VERSION:
        raise fields.fault("version", f"{fields.integer('version')} is not known; this reads {VERSION}")


def job_of(fields: Fields) -> Job:
    """The job that an object describes."""
    model = fields.text("model", MAPREDUCE, choices=MODELS)
    tasks = tuple(_task(one, model) for one in fields.each("tasks"))
    if not tasks:
        raise fields.fault("tasks", "the job has none")
    job_id = fields.text("job")
    submit_ms = fields.integer("submitMs")
    am = fields.below("am") if "am" in fields else Fields({}, fields.where)
    slow_start = fields.number("slowStart", 1.0, at_least=0)
    if slow_start > 1:
        raise fields.fault("slowStart", f"has to be at most 1, not {slow_start:g}")
    has_deadline = fields.value("deadlineMs") is not None
    job = Job(
        job_id=job_id,
        submit_ms=submit_ms,
        end_ms=fields.integer("endMs", 0),
        queue=fields.text("queue", "default"),
        user=fields.text("user", "default"),
        groups=fields.texts("groups"),
        name=fields.text("name", job_id),
        type=fields.text("type", model.upper()),
        tags=fields.texts("tags"),
        priority=None
        if fields.value("priority") is None
        else fields.integer("priority", at_most=LARGEST_INT),
        label=fields.label("label"),
        am_label=am.label("label"),
        am_resource=am.resource("resource", SMALL),
        am_attempts=am.integer("attempts", 1, at_least=1, at_most=LARGEST_INT),
        model=model,
        tasks=tasks,
        after=_after(fields, tasks, model),
        slow_start=slow_start,
        deadline_ms=fields.integer("deadlineMs") if has_deadline else None,
        fidelity=fields.text("fidelity", TRACED, choices=(TRACED, MODELLED)),
    )
    if am.unknown():
        raise am.fault(am.unknown()[0], "is not a key of am")
    return job


def _task(fields: Fields, model: str) -> Task:
    stage = fields.text("stage", MAP)
    if model == MAPREDUCE and stage not in (MAP, REDUCE):
        raise fields.fault("stage", f"is {MAP} or {REDUCE} under the model {MAPREDUCE}, not {stage!r}")
    places = []
    for place in fields.texts("places"):
        try:
            places.append(spec_of_place(place).place)
        except ValueError:
            raise fields.fault("places", f"has to be a list of /rack/host, not {place!r}") from None
    task = Task(
        stage=stage,
        count=fields.integer("count", 1, at_least=1, at_most=MOST_TASKS),
        duration_ms=fields.integer("durationMs", at_least=1),
        resource=fields.resource("resource", SMALL),
        priority=fields.integer("priority", MAP_PRIORITY, at_most=LARGEST_INT),
        places=tuple(places),
        label=fields.label("label"),
        execution_type=ExecutionType[fields.text("executionType", "GUARANTEED", choices=_EXECUTION_TYPES)],
        allocation_id=fields.integer("allocationId", -1, at_least=-1),
        delay_ms=fields.integer("delayMs", 0),
        failures_ms=fields.integers("failuresMs", at_least=1),
    )
    if fields.unknown():
        raise fields.fault(fields.unknown()[0], "is not a key of a task")
    return task


def _after(fields: Fields, tasks: tuple[Task, ...], model: str) -> Mapping[str, tuple[str, ...]]:
    if "after" not in fields:
        return {}
    if model != DAG:
        raise fields.fault("after", f"is for the model {DAG}, not for {model}")
    below = fields.below("after")
    stages = dict.fromkeys(task.stage for task in tasks)
    found = {stage: below.texts(stage) for stage in below.keys}
    for stage, earlier in found.items():
        for name in (stage, *earlier):
            if name not in stages:
                raise below.fault(stage, f"there is no task of a stage {name!r}")
    done: dict[str, None] = {}
    while len(done) < len(stages):
        ready = [
            one for one in stages if one not in done and all(name in done for name in found.get(one, ()))
        ]
        if not ready:
            left = ", ".join(one for one in stages if one not in done)
            raise fields.fault("after", f"these stages wait for one another: {left}")
        done.update(dict.fromkeys(ready))
    return found


# ---- writing


def as_object(job: Job) -> dict[str, Any]:
    """A job as a line has it; what is as it is by default is left out."""
    am = {
        "resource": job.am_resource.as_dict(),
        **_given(label=job.am_label),
        **({"attempts": job.am_attempts} if job.am_attempts != 1 else {}),
    }
    return {
        "job": job.job_id,
        "submitMs": job.submit_ms,
        **({"endMs": job.end_ms} if job.end_ms else {}),
        "queue": job.queue,
        "user": job.user,
        **({"groups": list(job.groups)} if job.groups else {}),
        **({"name": job.name} if job.name not in ("", job.job_id) else {}),
        **({"type": job.type} if job.type != job.model.upper() else {}),
        **({"tags": list(job.tags)} if job.tags else {}),
        **_given(priority=job.priority, label=job.label),
        "model": job.model,
        "am": am,
        **({"slowStart": job.slow_start} if job.slow_start != 1.0 else {}),
        **_given(deadlineMs=job.deadline_ms),
        **({"fidelity": job.fidelity} if job.fidelity != TRACED else {}),
        **({"after": {name: list(earlier) for name, earlier in job.after.items()}} if job.after else {}),
        "tasks": [_task_object(task) for task in job.tasks],
    }


def _task_object(task: Task) -> dict[str, Any]:
    is_usual = task.execution_type is ExecutionType.GUARANTEED
    return {
        "stage": task.stage,
        **({"count": task.count} if task.count != 1 else {}),
        "durationMs": task.duration_ms,
        "resource": task.resource.as_dict(),
        **({"priority": task.priority} if task.priority != MAP_PRIORITY else {}),
        **({"places": list(task.places)} if task.places else {}),
        **_given(label=task.label),
        **({} if is_usual else {"executionType": task.execution_type.name}),
        **({"allocationId": task.allocation_id} if task.allocation_id >= 0 else {}),
        **({"delayMs": task.delay_ms} if task.delay_ms else {}),
        **({"failuresMs": list(task.failures_ms)} if task.failures_ms else {}),
    }


def _given(**values: object) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def write_lines(out: TextIO, jobs: Iterable[Job]) -> int:
    """Header and jobs; how many there were. They have to be in order of submission."""
    print(json.dumps({"format": FORMAT, "version": VERSION}), file=out)
    count, before_ms = 0, 0
    for job in jobs:
        if job.submit_ms < before_ms:
            raise InvalidTraceError(f"{job.job_id} is submitted at {job.submit_ms}, before {before_ms}")
        before_ms = job.submit_ms
        print(json.dumps(as_object(job), ensure_ascii=False), file=out)
        count += 1
    return count


def write_load(path: Path | str, jobs: Iterable[Job]) -> int:
    """Writes a file, compressed where its name ends in .gz; how many jobs it holds."""
    path = Path(path)
    with draft_of(path) as draft, draft.open("wb") as raw:
        if path.suffix == ".gz":
            with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                return _write_through(packed, jobs)
        return _write_through(raw, jobs)


def _write_through(raw: Any, jobs: Iterable[Job]) -> int:
    text = io.TextIOWrapper(raw, encoding="utf-8", newline="\n")
    try:
        return write_lines(text, jobs)
    finally:
        text.flush()
        text.detach()
