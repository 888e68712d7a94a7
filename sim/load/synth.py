"""SYNTH: a file that says how to draw jobs.

Same file and seed, same jobs, on every machine; not the same as Hadoop's, whose generator is Java's. Order of
draws, per job: workload, time, class; then, in order of submission: duration, reservation, deadline factor,
and per entry of tasks count, memory, vcores, and per task its time. Places are drawn apart. Hadoop:
SynthTraceJobProducer, SynthJob and SynthUtils.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from yarnbox.sim.load.fields import LARGEST_INT, Fields
from yarnbox.sim.load.jobs import (
    MAP,
    MAP_PRIORITY,
    MAPREDUCE,
    MODELS,
    REDUCE,
    REDUCE_PRIORITY,
    InvalidTraceError,
    Job,
    Nodes,
    Task,
)
from yarnbox.sim.load.reading import Complaints, Defaults, Read
from yarnbox.sim.load.sls import MOST_NODES, numbered_nodes
from yarnbox.sim.load.text import opened, read_object, whole
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import Resource

Sample = Callable[[Random], float]
_SIXTH = 6
_LEAST_MB = 1024
_S = 1000
MOST_JOBS = 10_000_000
MOST_DRAWN = 1_000_000
"""Tasks of one job: each is an object, for each has a duration of its own."""


class _Bucket(NamedTuple):
    time_s: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of `tasks`."""

    stage: str
    count: Sample
    time: Sample
    memory: Sample
    vcores: Sample
    priority: int
    execution_type: ExecutionType


class _Class(NamedTuple):
    name: str
    user: str
    weight: float
    model: str
    duration: Sample
    reservation: Sample
    deadline_factor: Sample
    entries: tuple[_Entry, ...]
    unit_ms: int


class _Workload(NamedTuple):
    queue: str
    weight: float
    classes: tuple[_Class, ...]
    buckets: tuple[_Bucket, ...]


class SynthFile:
    """One file."""

    def __init__(self, path: Path, defaults: Defaults, unit: str | None, seed: int | None) -> None:
        """`unit` of task times, ms or s, and `seed` go before what the file says."""
        self._path, self._defaults, self._unit, self._seed = path, defaults, unit, seed
        self._nodes = Nodes()

    def nodes(self) -> Nodes:
        """Those of `num_nodes`."""
        return self._nodes

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, in order of submission."""
        where = str(self._path)
        with opened(self._path) as text:
            fields = Fields(read_object(whole(text, where), where), where)
        count = fields.integer("num_jobs", at_least=1, at_most=MOST_JOBS)
        nodes = fields.integer("num_nodes", at_least=1, at_most=MOST_NODES)
        per_rack = fields.integer("nodes_per_rack", nodes, at_least=1)
        self._nodes = numbered_nodes(nodes, max(1, nodes // per_rack))
        written = fields.integer("rand_seed", 0, at_least=-LARGEST_INT - 1)
        seed = written if self._seed is None else self._seed
        chance = Random(seed)
        workloads = [_workload(one, self._unit_of(fields)) for one in fields.each("workloads")]
        choose(fields, "workloads", [one.weight for one in workloads], Random(0))
        drawn = [self._draw(workloads, fields, chance) for _ in range(count)]
        drawn.sort(key=lambda one: one[0])
        places = [node.place for node in self._nodes.nodes]
        draws = Random(f"{seed}/places")
        for number, (submit_s, workload, kind) in enumerate(drawn):
            job = self._job(number, submit_s, workload, kind, chance, draws, places)
            yield Read(where, job, is_numbered=True)

    def _unit_of(self, fields: Fields) -> str | None:
        return self._unit or (
            fields.text("time_unit", choices=("ms", "s")) if "time_unit" in fields else None
        )

    def _draw(
        self, workloads: Sequence[_Workload], fields: Fields, chance: Random
    ) -> tuple[int, _Workload, _Class]:
        workload = workloads[choose(fields, "workloads", [one.weight for one in workloads], chance)]
        place = choose(fields, "time_distribution", [one.weight for one in workload.buckets], chance)
        submit_s = workload.buckets[place].time_s
        if place + 1 < len(workload.buckets):
            span_s = workload.buckets[place + 1].time_s - submit_s
            submit_s += int(chance.random() * span_s)
        kind = workload.classes[
            choose(fields, "job_classes", [one.weight for one in workload.classes], chance)
        ]
        return submit_s, workload, kind

    def _job(
        self,
        number: int,
        submit_s: int,
        workload: _Workload,
        kind: _Class,
        chance: Random,
        draws: Random,
        places: Sequence[str],
    ) -> Job:
        duration_s = max(0, _rounded(kind.duration(chance)))
        is_reserved = chance.random() <= kind.reservation(chance)
        factor = kind.deadline_factor(chance)
        tasks = tuple(
            task
            for place, entry in enumerate(kind.entries)
            for task in self._tasks(entry, place, kind, chance, draws, places)
        )
        job_id = f"job_mock_{kind.name}_{number:06d}"
        submit_ms = submit_s * _S
        return Job(
            job_id=job_id,
            name=job_id,
            submit_ms=submit_ms,
            end_ms=submit_ms + duration_s * _S,
            queue=workload.queue,
            user=kind.user,
            am_resource=self._defaults.am,
            model=kind.model,
            type=kind.model.upper(),
            tasks=tasks,
            deadline_ms=submit_ms + math.ceil(factor * duration_s) * _S if is_reserved else None,
        )

    def _tasks(
        self,
        entry: _Entry,
        place: int,
        kind: _Class,
        chance: Random,
        draws: Random,
        places: Sequence[str],
    ) -> Iterator[Task]:
        count = max(0, _rounded(entry.count(chance)))
        if count > MOST_DRAWN:
            where = f"{self._path}: job class {kind.name}, tasks {entry.stage}"
            raise InvalidTraceError(
                f"{where}: a job of {count} tasks was drawn; at most {MOST_DRAWN} are held"
            )
        memory_mb = max(_LEAST_MB, _rounded(entry.memory(chance)))
        vcores = max(1, _rounded(entry.vcores(chance)))
        for _ in range(count):
            yield Task(
                stage=entry.stage,
                duration_ms=max(1, _rounded(entry.time(chance) * kind.unit_ms)),
                resource=Resource(memory_mb, vcores),
                priority=entry.priority,
                places=(places[int(draws.random() * len(places))],),
                execution_type=entry.execution_type,
                # Entries of one priority may differ in size, which one request cannot say.
                allocation_id=place if kind.model != MAPREDUCE and len(kind.entries) > 1 else -1,
            )


def choose(fields: Fields, key: str, weights: Sequence[float], chance: Random) -> int:
    """The place of the first weight whose running sum exceeds a chance share of the whole."""
    whole = sum(weights)
    if whole <= 0:
        raise fields.fault(key, "all weights are 0, so that nothing can be chosen")
    drawn, running = chance.random() * whole, 0.0
    for place, weight in enumerate(weights):
        running += weight
        if running > drawn:
            return place
    return max(place for place, weight in enumerate(weights) if weight > 0)


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


# ---- the file


def _workload(fields: Fields, unit: str | None) -> _Workload:
    classes = tuple(_class(one, unit) for one in fields.each("job_classes"))
    buckets: list[_Bucket] = []
    for one in fields.each("time_distribution"):
        time_s = one.integer("time")
        if buckets and time_s < buckets[-1].time_s:
            raise one.fault("time", f"has to be at least {buckets[-1].time_s}, the time before, not {time_s}")
        buckets.append(_Bucket(time_s, one.number("weight", at_least=0)))
    for key, found in (("job_classes", classes), ("time_distribution", buckets)):
        if not found:
            raise fields.fault(key, "the list is empty")
        choose(fields, key, [one.weight for one in found], Random(0))
    return _Workload(
        fields.text("queue_name", "default"),
        fields.number("workload_weight", 1, at_least=0),
        classes,
        tuple(buckets),
    )


def _class(fields: Fields, unit: str | None) -> _Class:
    is_old = "tasks" not in fields
    if is_old:
        entries = tuple(_old_entry(fields, *kind) for kind in (("m", "map"), ("r", "reduce")))
    else:
        entries = tuple(_entry(one) for one in fields.each("tasks"))
    chance = "chance_of_reservation" if is_old else "reservation"
    return _Class(
        name=fields.text("class_name"),
        user=fields.text("user_name", "default"),
        weight=fields.number("class_weight", 1, at_least=0),
        model=fields.text("type", MAPREDUCE, choices=MODELS),
        duration=_old_sample(fields, "dur") if is_old else sample(fields, "duration", 0),
        reservation=_constant(fields.number(chance, 0)) if is_old else sample(fields, chance, 0),
        deadline_factor=_old_sample(fields, "deadline_factor")
        if is_old
        else sample(fields, "deadline_factor", 1),
        entries=entries,
        unit_ms=_S if (unit or ("s" if is_old else "ms")) == "s" else 1,
    )


def _entry(fields: Fields) -> _Entry:
    stage = fields.text("type", MAP)
    return _Entry(
        stage=stage,
        count=sample(fields, "count", 1),
        time=sample(fields, "time"),
        memory=sample(fields, "max_memory", _LEAST_MB),
        vcores=sample(fields, "max_vcores", 1),
        priority=fields.integer("priority", REDUCE_PRIORITY if stage == REDUCE else MAP_PRIORITY),
        execution_type=_execution_type(fields, "execution_type"),
    )


def _old_entry(fields: Fields, letter: str, stage: str) -> _Entry:
    return _Entry(
        stage=stage,
        count=_old_sample(fields, f"{letter}tasks"),
        time=_old_sample(fields, f"{letter}time"),
        memory=_old_sample(fields, f"{stage}_max_memory", _LEAST_MB),
        vcores=_old_sample(fields, f"{stage}_max_vcores", 1),
        priority=MAP_PRIORITY if stage == MAP else REDUCE_PRIORITY,
        execution_type=_execution_type(fields, f"{stage}_execution_type"),
    )


def _execution_type(fields: Fields, key: str) -> ExecutionType:
    return ExecutionType[fields.text(key, "GUARANTEED", choices=[one.name for one in ExecutionType])]


def _old_sample(fields: Fields, name: str, default: float = 0) -> Sample:
    mean = fields.number(f"{name}_avg", default)
    if f"{name}_stddev" not in fields:
        return _constant(mean)
    return _log_normal(mean, fields.number(f"{name}_stddev", at_least=0))


# ---- samples


def sample(fields: Fields, key: str, default: float | None = None) -> Sample:
    """The distribution at a key: a value, a mean with its deviation, or a list to choose from."""
    if fields.value(key) is None:
        if default is None:
            raise fields.fault(key, "is missing")
        return _constant(default)
    below = fields.below(key)
    if "discrete" in below:
        return _discrete(below)
    if "weights" in below:
        raise below.fault("weights", "stands beside `discrete` only")
    mean = below.number("val")
    kind = below.text("dist", "LOGNORM", choices=("LOGNORM", "NORM"))
    if "std" not in below:
        if "dist" in below:
            raise below.fault("dist", "needs `std`")
        return _constant(mean)
    deviation = below.number("std", at_least=0)
    return _normal(mean, deviation) if kind == "NORM" else _log_normal(mean, deviation)


def _discrete(fields: Fields) -> Sample:
    for key in ("val", "std", "dist"):
        if key in fields:
            raise fields.fault(key, "does not go with `discrete`")
    values = fields.numbers("discrete")
    weights = fields.numbers("weights") if "weights" in fields else [1.0] * len(values)
    if len(weights) != len(values):
        raise fields.fault("weights", f"has {len(weights)} numbers, `discrete` has {len(values)}")
    if min(weights) < 0:
        raise fields.fault("weights", f"has to be at least 0, not {min(weights):g}")
    choose(fields, "weights", weights, Random(0))
    return lambda chance: values[choose(fields, "weights", weights, chance)]


def _constant(value: float) -> Sample:
    return lambda chance: value


def _log_normal(mean: float, deviation: float) -> Sample:
    if mean <= 0:
        return _constant(0)
    variance = math.log(1 + ((deviation or mean / _SIXTH) / mean) ** 2)
    middle, spread = math.log(mean) - variance / 2, math.sqrt(variance)
    return lambda chance: math.exp(middle + spread * standard_normal(chance))


def _normal(mean: float, deviation: float) -> Sample:
    spread = deviation or abs(mean) / _SIXTH
    return lambda chance: mean + spread * standard_normal(chance)


def standard_normal(chance: Random) -> float:
    """A number of mean 0 and deviation 1, of two chance ones (Box and Muller)."""
    length = math.sqrt(-2 * math.log(1 - chance.random()))
    return length * math.cos(2 * math.pi * chance.random())
