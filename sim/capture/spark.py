"""Spark applications as the history server knows them: each executor is a container with its time.

Where it knows no executors its stages stand for them: as many containers as their tasks kept busy, modelled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from yarnbox.sim.capture.moments import date_ms
from yarnbox.sim.capture.source import Source, listed, of_spark
from yarnbox.sim.capture.traced import TracedTasks
from yarnbox.sim.load.jobs import DAG, MODELLED, TRACED, Task
from yarnbox.yarn.resources.resource import Resource

_EXECUTOR = "executor"
_NO_EXECUTORS = ("driver", "<driver>")
_LEAST_OVERHEAD_MB, _OVERHEAD = 384, 0.1
_SIZE = re.compile(r"(\d+)([bkmgt]?)b?", re.IGNORECASE)
_MB = {"b": 2**-20, "k": 2**-10, "": 1, "m": 1, "g": 2**10, "t": 2**20}


def spark_tasks(source: Source, application_id: str, launched_ms: int) -> TracedTasks | None:
    """None where the server does not know the application. Executors are asked for when they were added."""
    application = source.answer(of_spark(application_id, None))
    attempts = listed(application, "attempts")
    if not attempts:
        return None
    last = max(attempts, key=lambda one: _moment_ms(one, "startTime") or 0)
    attempt = str(last["attemptId"]) if last.get("attemptId") is not None else None
    began_ms = launched_ms or _moment_ms(last, "startTime") or 0
    ended_ms = _moment_ms(last, "endTime")
    environment = source.answer(of_spark(application_id, attempt, "environment"))
    conf = _properties(environment)
    size = _executor_size(conf)
    executors = listed(source.answer(of_spark(application_id, attempt, "allexecutors")))
    tasks = [
        _executor(one, began_ms, ended_ms, size) for one in executors if one.get("id") not in _NO_EXECUTORS
    ]
    fidelity = TRACED
    if not any(tasks):
        stages = listed(source.answer(of_spark(application_id, attempt, "stages")))
        tasks, fidelity = [_stage(one, began_ms, size) for one in stages], MODELLED
    known = sorted((task for task in tasks if task is not None), key=lambda task: task.delay_ms)
    if not known:
        return None
    am = _am_size(conf) if conf else None
    return TracedTasks(tasks=tuple(known), model=DAG, am=am, fidelity=fidelity)


def _executor(one: Mapping[str, Any], began_ms: int, ended_ms: int | None, size: Resource) -> Task | None:
    added_ms, removed_ms = _moment_ms(one, "addTime"), _moment_ms(one, "removeTime") or ended_ms
    if added_ms is None or removed_ms is None or removed_ms <= added_ms:
        return None
    cores = one.get("totalCores")
    vcores = cores if isinstance(cores, int) and cores > 0 else size.vcores
    return Task(
        stage=_EXECUTOR,
        duration_ms=removed_ms - added_ms,
        delay_ms=max(0, added_ms - began_ms),
        resource=Resource(size.memory_mb, vcores),
    )


def _stage(one: Mapping[str, Any], began_ms: int, size: Resource) -> Task | None:
    begun_ms, ended_ms = _moment_ms(one, "submissionTime"), _moment_ms(one, "completionTime")
    run_ms = one.get("executorRunTime")
    if begun_ms is None or ended_ms is None or ended_ms <= begun_ms or not isinstance(run_ms, int):
        return None
    span_ms = ended_ms - begun_ms
    busy = max(1, -(-run_ms // (span_ms * max(size.vcores, 1))))
    return Task(
        stage=f"stage{one.get('stageId', 0)}",
        count=busy,
        duration_ms=span_ms,
        delay_ms=max(0, begun_ms - began_ms),
        resource=size,
    )


def _properties(environment: Any) -> dict[str, str]:
    pairs = environment.get("sparkProperties") if isinstance(environment, dict) else None
    return {
        str(pair[0]): str(pair[1])
        for pair in (pairs if isinstance(pairs, list) else [])
        if isinstance(pair, list) and len(pair) == 2
    }


def _executor_size(conf: Mapping[str, str]) -> Resource:
    memory_mb = _with_overhead(conf, "spark.executor.memory", "1g", "spark.executor.memoryOverhead")
    memory_mb += _mb(conf.get("spark.executor.pyspark.memory", "0"))
    return Resource(memory_mb, _cores(conf, "spark.executor.cores"))


def _am_size(conf: Mapping[str, str]) -> Resource:
    if conf.get("spark.submit.deployMode") == "cluster":
        memory_mb = _with_overhead(conf, "spark.driver.memory", "1g", "spark.driver.memoryOverhead")
        return Resource(memory_mb, _cores(conf, "spark.driver.cores"))
    memory_mb = _with_overhead(conf, "spark.yarn.am.memory", "512m", "spark.yarn.am.memoryOverhead")
    return Resource(memory_mb, _cores(conf, "spark.yarn.am.cores"))


def _with_overhead(conf: Mapping[str, str], name: str, default: str, overhead: str) -> int:
    memory_mb = _mb(conf.get(name, default))
    more = conf.get(overhead)
    return memory_mb + (_mb(more) if more else max(_LEAST_OVERHEAD_MB, int(memory_mb * _OVERHEAD)))


def _cores(conf: Mapping[str, str], name: str) -> int:
    text = conf.get(name, "1")
    return max(1, int(text)) if text.isascii() and text.isdigit() else 1


def _mb(text: str) -> int:
    """`4g`, `512m`; a bare number is MiB, as for Spark's memory properties."""
    match = _SIZE.fullmatch(text.strip())
    return int(int(match[1]) * _MB[match[2].lower()]) if match else 0


def _moment_ms(one: Mapping[str, Any], key: str) -> int | None:
    """`startTimeEpoch`, else `2026-11-22T10:00:00.000GMT`; None before it has come about."""
    epoch_ms = one.get(f"{key}Epoch")
    if isinstance(epoch_ms, int):
        return epoch_ms if epoch_ms > 0 else None
    text = one.get(key)
    return date_ms(text) if isinstance(text, str) else None
