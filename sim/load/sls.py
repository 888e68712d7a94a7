"""SLS's own input: a sequence of JSON objects, one a job, and the nodes file.

Numbers may stand in strings. Where the manual and the code of Hadoop 3.4 disagree on the key of the AM's type
both keys are read. Hadoop: AMDefinitionSLS, TaskContainerDefinition and SLSUtils.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from yarnbox.sim.load.fields import LARGEST_INT, Fields
from yarnbox.sim.load.jobs import (
    DAG,
    MAP,
    MAP_PRIORITY,
    MAPREDUCE,
    MODELS,
    MOST_TASKS,
    REDUCE,
    SERVICE,
    InvalidTraceError,
    Job,
    Nodes,
    NodeSpec,
    Task,
    spec_of_place,
)
from yarnbox.sim.load.reading import Complaints, Defaults, Read
from yarnbox.sim.load.text import opened, sequence
from yarnbox.sim.load.yarnbox_format import as_object
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.storage.drafts import draft_of

MOST_NODES = 100_000
_EXECUTION_TYPES = tuple(one.name for one in ExecutionType)
_DURATIONS = ("container.duration.ms", "duration.ms")
_START, _END = "container.start.ms", "container.end.ms"
_NOT_AMOUNTS = (
    "container.host",
    "container.duration.ms",
    _START,
    _END,
    "container.priority",
    "container.type",
    "container.execution.type",
    "container.allocation.id",
    "container.request.delay",
)
_LABEL = re.compile(r"([A-Za-z0-9_][\w.-]*)(?:\(exclusive=(true|false)\))?", re.ASCII)


class SLSFile:
    """One trace file."""

    def __init__(self, path: Path, defaults: Defaults) -> None:
        self._path, self._defaults = path, defaults
        self._nodes = Nodes()

    def nodes(self) -> Nodes:
        """Those of `num.nodes`."""
        return self._nodes

    def jobs(self, complaints: Complaints) -> Iterator[Read]:
        """The jobs, in the order of the file."""
        number = 0
        with opened(self._path) as text:
            for line, value in sequence(text, str(self._path)):
                where = f"{self._path}:{line}"
                fields = Fields(value, where, is_lax=True)
                if "num.nodes" in fields:
                    self._nodes = _counted_nodes(fields)
                    if "job.tasks" not in fields:
                        continue
                try:
                    job, count = self._job(fields, number)
                except InvalidTraceError as error:
                    complaints.drop(error)
                    continue
                for key in fields.unknown():
                    complaints.warn(f"{where}: {key}: is not a key of a job, and has no effect")
                is_numbered = count > 1 or "job.id" not in fields
                for made in _copies(job, count, number):
                    yield Read(where, made, is_numbered)
                number += count

    def _job(self, fields: Fields, number: int) -> tuple[Job, int]:
        start_ms = fields.integer("job.start.ms", 0)
        count = fields.integer("job.count", 1, at_least=1, at_most=LARGEST_INT)
        tasks = tuple(self._task(one) for one in fields.each("job.tasks"))
        if not tasks:
            raise fields.fault("job.tasks", "No task for the job!")
        model = _model_of(fields)
        end_ms = fields.integer("job.end.ms", 0)
        job_id = fields.text("job.id", str(number))
        job = Job(
            job_id=job_id,
            name=job_id,
            submit_ms=start_ms,
            end_ms=end_ms,
            queue=fields.text("job.queue.name", "default"),
            user=fields.text("job.user", "default"),
            label=fields.label("job.label.expression"),
            am_resource=fields.amounts("am.", self._defaults.am, but=("am.type",)),
            model=model,
            type=model.upper(),
            tasks=tasks,
        )
        return job, count

    def _task(self, fields: Fields) -> Task:
        return Task(
            stage=fields.text("container.type", MAP),
            count=fields.integer("count", 1, at_least=1, at_most=MOST_TASKS),
            duration_ms=_duration_ms(fields),
            resource=fields.amounts("container.", self._defaults.task, but=_NOT_AMOUNTS),
            priority=fields.integer("container.priority", MAP_PRIORITY, at_most=LARGEST_INT),
            places=_places(fields),
            execution_type=ExecutionType[
                fields.text("container.execution.type", "GUARANTEED", choices=_EXECUTION_TYPES)
            ],
            allocation_id=fields.integer("container.allocation.id", -1, at_least=-1),
            delay_ms=fields.integer("container.request.delay", 0),
        )


def _copies(job: Job, count: int, number: int) -> Iterator[Job]:
    """`job.count` equal jobs; their ids are numbers then."""
    if count == 1:
        yield job
        return
    shared = {name: getattr(job, name) for name in Job.__slots__}
    for place in range(count):
        yield Job(**{**shared, "job_id": str(number + place), "name": str(number + place)})


def _model_of(fields: Fields) -> str:
    key = fields.first_of("am.type", "yarn.sls.am.type")
    if key is None:
        return MAPREDUCE
    model = fields.text(key, choices=MODELS)
    other = fields.optional_text("yarn.sls.am.type") or model
    if other != model:
        raise fields.fault("yarn.sls.am.type", f"is {other!r}, but am.type is {model!r}")
    return model


def _duration_ms(fields: Fields) -> int:
    key = fields.first_of(*_DURATIONS)
    if key is None:
        if _START not in fields or _END not in fields:
            raise fields.fault(_DURATIONS[0], "is missing")
        key, duration_ms = _END, fields.integer(_END) - fields.integer(_START)
    else:
        duration_ms = fields.integer(key, at_least=-(2**53))
        fields.first_of(_START, _END)
    if duration_ms <= 0:
        raise fields.fault(
            key, f"Duration of a task shouldn't be less or equal to 0! It comes to {duration_ms}"
        )
    return duration_ms


def _places(fields: Fields) -> tuple[str, ...]:
    host = fields.optional_text("container.host")
    if host is None:
        return ()
    try:
        return _checked_places(host)
    except ValueError:
        raise fields.fault("container.host", f"has to be /rack/host, not {host!r}") from None


@lru_cache(maxsize=1 << 16)  # hosts are few, and every task names one
def _checked_places(place: str) -> tuple[str, ...]:
    return (spec_of_place(place).place,)


def numbered_nodes(nodes: int, racks: int) -> Nodes:
    """Hosts node0, node1, ... in the racks in turn."""
    specs = (NodeSpec(host=f"node{number}", rack=f"/rack{number % racks}") for number in range(nodes))
    return Nodes(nodes=tuple(specs))


def _counted_nodes(fields: Fields) -> Nodes:
    nodes = fields.integer("num.nodes", at_least=1, at_most=MOST_NODES)
    racks = fields.integer("num.racks", 1, at_least=1)
    if racks > nodes:
        raise fields.fault("num.racks", f"has to be at most num.nodes, which is {nodes}, not {racks}")
    return numbered_nodes(nodes, racks)


# The nodes file


def read_nodes(path: Path, defaults: Defaults, complaints: Complaints) -> Nodes:
    """The nodes of a file: racks with their nodes, sizes and labels."""
    found: dict[str, NodeSpec] = {}
    exclusive: dict[str, bool] = {}
    with opened(path) as text:
        for line, value in sequence(text, str(path)):
            fields = Fields(value, f"{path}:{line}", is_lax=True)
            rack = "/" + fields.text("rack").strip("/")
            for one in fields.each("nodes"):
                node = _node(one, rack, defaults, exclusive, complaints)
                if node.host in found:
                    raise one.fault("node", f"{node.host} occurs twice in the file")
                found[node.host] = node
            for key in fields.unknown():
                complaints.warn(f"{path}:{line}: {key}: is not a key of a rack, and has no effect")
    if not found:
        raise InvalidTraceError(f"{path}: contains no nodes")
    return Nodes(nodes=tuple(found.values()), exclusive=exclusive)


def _node(
    fields: Fields, rack: str, defaults: Defaults, exclusive: dict[str, bool], complaints: Complaints
) -> NodeSpec:
    host = fields.text("node")
    labels = []
    for piece in filter(None, (fields.label("labels") or "").split(",")):
        match = _LABEL.fullmatch(piece.strip())
        if match is None:
            raise fields.fault(
                "labels", f"{piece.strip()!r} is not a label; expected NAME or NAME(exclusive=false)"
            )
        name, flag = match[1], match[2] != "false"
        if exclusive.setdefault(name, flag) != flag:
            raise fields.fault("labels", f"{name} is exclusive on one node and not on another")
        labels.append(name)
    if len(labels) > 1:
        complaints.warn(
            f"{fields.where}: {host} has {len(labels)} labels; a node of YARN carries one: {labels[0]}"
        )
    speed = fields.number("speed", 1.0)
    if speed <= 0:
        raise fields.fault("speed", f"has to be above 0, not {speed:g}")
    attributes = fields.below("attributes") if "attributes" in fields else Fields({}, fields.where)
    others = ("node", "labels", "speed", "attributes")
    return NodeSpec(
        host=host,
        rack=rack,
        resource=fields.amounts("", defaults.node, but=others),
        labels=tuple(labels),
        speed=speed,
        attributes={name: attributes.label(name) or "" for name in attributes.keys},
    )


# Writing


def job_as_sls(job: Job) -> dict[str, object]:
    """A job as SLS's files have it; what SLS has no key for is left out."""
    return {
        "am.type": job.model,
        "job.start.ms": job.submit_ms,
        "job.end.ms": job.end_ms,
        "job.queue.name": job.queue,
        "job.id": job.job_id,
        "job.user": job.user,
        **({} if job.label is None else {"job.label.expression": job.label}),
        **{f"am.{name}": amount for name, amount in job.am_resource.items()},
        "job.tasks": [_task_as_sls(task, job.model) for task in job.tasks],
    }


_SLS_JOB = ("job", "submitMs", "endMs", "queue", "user", "label", "model", "am", "tasks")
_SLS_TASK = (
    *("stage", "count", "durationMs", "resource", "priority", "places"),
    *("executionType", "allocationId", "delayMs"),
)


def lost_as_sls(job: Job) -> Iterator[str]:
    """What a job says, by the keys of our own format, that SLS has no key for."""
    ours = as_object(job)
    if job.model == SERVICE:
        yield f"model {SERVICE}"
    yield from (key for key in ours if key not in _SLS_JOB)
    yield from (f"am.{key}" for key in ours["am"] if key != "resource")
    keys = dict.fromkeys(key for task in ours["tasks"] for key in task)
    yield from (f"tasks.{key}" for key in keys if key not in _SLS_TASK)
    if any(len(task.places) > 1 for task in job.tasks):
        yield "second place of a task"


def _task_as_sls(task: Task, model: str) -> dict[str, object]:
    row: dict[str, object] = {"count": task.count} if task.count != 1 else {}
    if task.places:
        row["container.host"] = task.places[0]
    row |= {"container.duration.ms": task.duration_ms, "container.priority": task.priority}
    row |= {"container.type": task.stage if model in (MAPREDUCE, DAG) or task.stage == REDUCE else MAP}
    row |= {f"container.{name}": amount for name, amount in task.resource.items()}
    if task.execution_type is not ExecutionType.GUARANTEED:
        row["container.execution.type"] = task.execution_type.name
    if task.allocation_id >= 0:
        row["container.allocation.id"] = task.allocation_id
    if task.delay_ms:
        row["container.request.delay"] = task.delay_ms
    return row


def nodes_as_sls(nodes: Nodes) -> list[dict[str, object]]:
    """Nodes as a nodes file has them, rack by rack."""
    racks: dict[str, list[dict[str, object]]] = {}
    for node in nodes.nodes:
        row: dict[str, object] = {"node": node.host}
        if node.resource is not None:
            row |= node.resource.as_dict()
        if node.labels:
            row["labels"] = ", ".join(
                name if nodes.exclusive.get(name, True) else f"{name}(exclusive=false)"
                for name in node.labels
            )
        if node.speed != 1.0:
            row["speed"] = node.speed
        if node.attributes:
            row["attributes"] = dict(node.attributes)
        racks.setdefault(node.rack, []).append(row)
    return [{"rack": rack.removeprefix("/"), "nodes": rows} for rack, rows in racks.items()]


def write_objects(path: Path, objects: Iterable[object]) -> None:
    """Writes JSON objects one behind the other; the file appears under its name when it is complete."""
    with draft_of(path) as draft, draft.open("w", encoding="utf-8") as file:
        for one in objects:
            print(json.dumps(one, ensure_ascii=False), file=file)
