"""MapReduce jobs as the JobHistoryServer knows them: each task with its time, sizes by counters.

Maps prefer the host where they ran; that is only known where attempts are asked for, one request a task.
Hadoop: HsWebServices, JobCounter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from yarnbox.sim.capture.source import MAPREDUCE, Source, listed, of_job
from yarnbox.sim.capture.traced import TracedTasks
from yarnbox.sim.load.fields import Fields
from yarnbox.sim.load.jobs import MAP, MAP_PRIORITY, REDUCE, REDUCE_PRIORITY, Task
from yarnbox.yarn.resources.resource import Resource

_KINDS = {"MAP": (MAP, MAP_PRIORITY, "MAPS"), "REDUCE": (REDUCE, REDUCE_PRIORITY, "REDUCES")}
_DEFAULT = {MAP: Resource(1024, 1), REDUCE: Resource(1024, 1)}
_AM_MB, _AM_VCORES = "yarn.app.mapreduce.am.resource.mb", "yarn.app.mapreduce.am.resource.cpu-vcores"
_SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps"
_COPYING = 1 / 3
"""The share of a reduce that may pass before the last map has ended; see docs/workloads.md."""


def mapreduce_tasks(
    source: Source, application_id: str, places: Mapping[str, str] | None
) -> TracedTasks | None:
    """None where the server does not know the job, or it ran within its AM.

    `places` is `/rack/host` by a node's HTTP address where attempts are to be asked for.
    """
    job_id = application_id.replace("application_", "job_", 1)
    job = _object(source.answer(of_job(job_id)), "job")
    if not job or job.get("uberized") is True:
        return None
    conf = {
        str(one.get("name")): str(one.get("value"))
        for one in listed(source.answer(of_job(job_id, "conf")), "conf", "property")
    }
    sizes = _sizes(source.answer(of_job(job_id, "counters")), conf)
    where = f"{source.name}: {MAPREDUCE}: {job_id}"
    found = [
        _task(Fields(one, where, f"tasks.task[{number}]", is_lax=True), sizes)
        for number, one in enumerate(listed(source.answer(of_job(job_id, "tasks")), "tasks", "task"))
    ]
    known = [(task_id, task, end_ms) for task_id, task, end_ms in found if task is not None]
    tasks = [_without_waiting(task, end_ms, _last_map_ms(known)) for _, task, end_ms in known]
    if places is not None:
        for number, (task_id, _, _) in enumerate(known):
            answer = source.answer(of_job(job_id, f"tasks/{task_id}/attempts"))
            attempts = listed(answer, "taskAttempts", "taskAttempt")
            tasks[number] = _with_attempts(tasks[number], attempts, places)
    if not tasks:
        return None
    am = Resource(_whole(conf.get(_AM_MB), 1536), _whole(conf.get(_AM_VCORES), 1)) if conf else None
    return TracedTasks(tasks=tuple(tasks), am=am, slow_start=_share(conf.get(_SLOW_START), 0.05))


_Known = tuple[str, Task, int]


def _task(fields: Fields, sizes: Mapping[str, Resource]) -> tuple[str, Task | None, int]:
    task_id, kind = fields.text("id"), fields.text("type", "MAP")
    start_ms, end_ms = fields.integer("startTime", 0), fields.integer("finishTime", 0)
    if kind not in _KINDS or not 0 < start_ms < end_ms:
        return task_id, None, end_ms
    stage, priority, _ = _KINDS[kind]
    task = Task(stage=stage, duration_ms=end_ms - start_ms, priority=priority, resource=sizes[stage])
    return task_id, task, end_ms


def _last_map_ms(known: list[_Known]) -> int:
    return max((end_ms for _, task, end_ms in known if task.stage == MAP), default=0)


def _without_waiting(task: Task, end_ms: int, maps_ended_ms: int) -> Task:
    """A reduce that began before the last map had ended waited for it: what it would have taken without."""
    if task.stage != REDUCE or end_ms - task.duration_ms >= maps_ended_ms:
        return task
    after_ms = max(1, end_ms - maps_ended_ms)
    return replace(task, duration_ms=min(task.duration_ms, round(after_ms / (1 - _COPYING))))


def _with_attempts(task: Task, attempts: list[dict[str, Any]], places: Mapping[str, str]) -> Task:
    """With the attempts that failed, and for a map the host of the one that ended well."""
    failures, ended_well = [], None
    for one in attempts:
        start_ms, end_ms = one.get("startTime"), one.get("finishTime")
        if not (isinstance(start_ms, int) and isinstance(end_ms, int) and 0 < start_ms < end_ms):
            continue
        if one.get("state") == "FAILED":
            failures.append(end_ms - start_ms)
        elif one.get("state") == "SUCCEEDED":
            ended_well = one, end_ms - start_ms
    task = replace(task, failures_ms=tuple(failures))
    if ended_well is None:
        return task
    one, span_ms = ended_well
    place = places.get(str(one.get("nodeHttpAddress"))) if task.stage == MAP else None
    is_map = task.stage == MAP
    return replace(
        task,
        duration_ms=span_ms if is_map else min(task.duration_ms, span_ms),
        places=() if place is None else (place,),
    )


def _sizes(counters: Any, conf: Mapping[str, str]) -> dict[str, Resource]:
    """Of a map's and of a reduce's container: what the counters say, else the job's configuration."""
    values = dict(_counters(counters))
    found = {}
    for stage, _, name in _KINDS.values():
        millis = values.get(f"MILLIS_{name}", 0)
        memory_mb = _whole(conf.get(f"mapreduce.{stage}.memory.mb"), _DEFAULT[stage].memory_mb)
        vcores = _whole(conf.get(f"mapreduce.{stage}.cpu.vcores"), 1)
        if millis > 0:
            memory_mb = round(values.get(f"MB_MILLIS_{name}", 0) / millis) or memory_mb
            vcores = round(values.get(f"VCORES_MILLIS_{name}", 0) / millis) or vcores
        found[stage] = Resource(memory_mb, vcores)
    return found


def _counters(answer: Any) -> Iterator[tuple[str, int]]:
    for group in listed(answer, "jobCounters", "counterGroup"):
        for one in listed(group, "counter"):
            value = one.get("totalCounterValue")
            if isinstance(value, int):
                yield str(one.get("name")), value


def _object(answer: Any, key: str) -> dict[str, Any]:
    found = answer.get(key) if isinstance(answer, dict) else None
    return found if isinstance(found, dict) else {}


def _whole(text: str | None, default: int) -> int:
    """-1 is Hadoop's way to leave a size to a default."""
    return int(text) if text is not None and text.isascii() and text.isdigit() and int(text) else default


def _share(text: str | None, default: float) -> float:
    try:
        return min(max(float(text), 0.0), 1.0) if text is not None else default
    except ValueError:
        return default
