"""What every format becomes: jobs, their tasks, and the nodes that a load brings along, as values.

Times are milliseconds since the start of the run. What a job does with its tasks is its model's business:
`mapreduce`, `dag`, `stream` or `service`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.resources.resource import Resource

MAP, REDUCE = "map", "reduce"
MAP_PRIORITY, REDUCE_PRIORITY = 20, 10
MAPREDUCE, DAG, STREAM, SERVICE = "mapreduce", "dag", "stream", "service"
MODELS = (MAPREDUCE, DAG, STREAM, SERVICE)
TRACED, MODELLED = "traced", "modelled"
SMALL = Resource(1024, 1)
MOST_TASKS = 100_000_000
"""More of one kind than this is a mistake in a file, not a job."""


class InvalidTraceError(Exception):
    """A load cannot be read; the message names file, position and key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """So many equal tasks of a job."""

    stage: str = MAP
    """`map` or `reduce` under the model mapreduce, else a name of one's own."""
    count: int = 1
    duration_ms: int
    resource: Resource = SMALL
    priority: int = MAP_PRIORITY
    """Request priority; under mapreduce 20 for maps and 10 for reduces, whatever stands here."""
    places: tuple[str, ...] = ()
    """Where each of them finds its data: `/rack/host`, one for every replica; () is anywhere."""
    label: str | None = None
    """Node label expression of the requests; None: that of the job."""
    execution_type: ExecutionType = ExecutionType.GUARANTEED
    allocation_id: int = -1
    delay_ms: int = 0
    """They are asked for no sooner than so long after the AM began."""
    failures_ms: tuple[int, ...] = ()
    """Attempts that fail, each after so long, before the one that ends well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One application."""

    job_id: str
    submit_ms: int
    end_ms: int = 0
    """When it ended where it was recorded; a stream lives as long as from submit_ms to end_ms."""
    queue: str = "default"
    user: str = "default"
    groups: tuple[str, ...] = ()
    name: str = ""
    type: str = "MAPREDUCE"
    tags: tuple[str, ...] = ()
    priority: int | None = None
    label: str | None = None
    am_label: str | None = None
    am_resource: Resource = SMALL
    am_attempts: int = 1
    model: str = MAPREDUCE
    tasks: tuple[Task, ...]
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The stages that must have ended before a stage of a dag begins."""
    slow_start: float = 1.0
    """The share of maps that must have ended before reduces are asked for."""
    deadline_ms: int | None = None
    fidelity: str = TRACED
    """`modelled` where tasks were not known and were made up from sums."""

    @property
    def task_count(self) -> int:
        """How many tasks there are."""
        return sum(task.count for task in self.tasks)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """A node of the cluster that a load is played on."""

    host: str
    rack: str
    """With its slash."""
    resource: Resource | None = None
    """None: the size that the run gives to nodes."""
    labels: tuple[str, ...] = ()
    speed: float = 1.0
    """Tasks take their duration divided by it."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """By name with its prefix; written down, and asked for by no task."""

    @property
    def place(self) -> str:
        """`/rack/host`."""
        return f"{self.rack}/{self.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """The nodes that a load brings along, and the labels that they carry."""

    nodes: tuple[NodeSpec, ...] = ()
    exclusive: Mapping[str, bool] = field(default_factory=dict)
    """By label, whether other requests stay away from its nodes."""


def spec_of_place(place: str) -> NodeSpec:
    """The node at `/rack/host`; ValueError where that is no place."""
    rack, slash, host = place.rpartition("/")
    if not (slash and host and rack.startswith("/") and len(rack) > 1):
        raise ValueError(place)
    return NodeSpec(host=host, rack=rack)


def united(many: Iterable[Nodes]) -> Nodes:
    """The nodes of several files; the first that says something of a host holds."""
    found: dict[str, NodeSpec] = {}
    exclusive: dict[str, bool] = {}
    for one in many:
        for node in one.nodes:
            found.setdefault(node.host, node)
        for label, flag in one.exclusive.items():
            exclusive.setdefault(label, flag)
    return Nodes(nodes=tuple(found.values()), exclusive=exclusive)


def work_ms(jobs: Iterable[Job]) -> int:
    """The time that all tasks take together, one after the other."""
    return sum(task.count * task.duration_ms for job in jobs for task in job.tasks)
