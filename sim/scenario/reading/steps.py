"""The steps of a scenario as values: one frozen class a verb, everything in it checked and in one form.

A node is always named `host:port`, a time is always milliseconds, one name is a list of one. What a step does
is the player's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from yarnbox.sim.scenario.reading.checks import Check
from yarnbox.sim.scenario.reading.fields import Amounts
from yarnbox.sim.scenario.reading.names import ContainerName
from yarnbox.yarn.enums import ExecutionType, ReservationRequestInterpreter
from yarnbox.yarn.records.request import PlacementConstraint, PlacementConstraintMapEntry

DEFAULT_RACK = "/default-rack"
DEFAULT_PORT = 1234
ANY = "*"
NO_LINE = 0
"""Of a step that stands in no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """A NodeManager that registers. `labels` None: it says nothing about labels."""

    name: str
    rack: str = DEFAULT_RACK
    resource: Amounts
    labels: tuple[str, ...] | None = None
    labels_of_host: bool = True
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def host(self) -> str:
        return self.name.rpartition(":")[0]

    @property
    def port(self) -> int:
        return int(self.name.rpartition(":")[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSpec:
    """One request of an ask.

    A tuple in `at` stands for the requests that AMRMClient would write for those hosts. With
    `is_constrained` it is a SchedulingRequest.
    """

    line: int
    count: int = 1
    resource: Amounts
    priority: int = 1
    at: str | tuple[str, ...] = ANY
    relax: bool = True
    label: str | None = None
    allocation_id: int = 0
    execution: ExecutionType | None = None
    update: ContainerName | None = None
    is_constrained: bool = False
    tags: tuple[str, ...] = ()
    constraint: PlacementConstraint | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequestSpec:
    """One stage of a plan reservation."""

    count: int
    resource: Amounts
    duration_ms: int
    concurrency: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What every step has: the line it stands on. `verb` is its key in the file."""

    verb: ClassVar[str]
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit(Step):
    """An application is submitted."""

    verb: ClassVar[str] = "submit"
    app: str
    queue: str = "default"
    user: str = "user"
    is_managed: bool = False
    am: Amounts | None = None
    name: str | None = None
    priority: int | None = None
    label: str | None = None
    am_label: str | None = None
    tags: tuple[str, ...] = ()
    max_attempts: int | None = None
    keep_containers: bool = False
    attempt_failures_validity_ms: int | None = None
    lifetime_ms: int | None = None
    reservation: str | None = None
    constraints: tuple[PlacementConstraintMapEntry, ...] = ()
    task_ms: int | None = None
    """How long its containers run, within `advance`; None: until a step ends them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask(Step):
    """One allocate call with an ask, releases, blacklist changes."""

    verb: ClassVar[str] = "ask"
    app: str
    requests: tuple[RequestSpec, ...] = ()
    release: tuple[ContainerName, ...] = ()
    blacklist_add: tuple[str, ...] = ()
    blacklist_remove: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pull(Step):
    """An allocate call without an ask, one for each application."""

    verb: ClassVar[str] = "pull"
    apps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat(Step):
    """`nodes` in order, each name times `times`."""

    verb: ClassVar[str] = "heartbeat"
    nodes: tuple[str, ...]
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(Step):
    """The containers named, or, where an application is given, its first `count` running ones, on `node` if
    given."""

    verb: ClassVar[str] = "complete"
    containers: tuple[ContainerName, ...] = ()
    app: str | None = None
    count: int = 1
    node: str | None = None
    status: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish(Step):
    """The ApplicationMasters unregister."""

    verb: ClassVar[str] = "finish"
    apps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FailAm(Step):
    """The AM container ends with status 1; its node will say so."""

    verb: ClassVar[str] = "fail-am"
    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill(Step):
    """forceKillApplication."""

    verb: ClassVar[str] = "kill"
    app: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNode(Step):
    """NodeManagers register."""

    verb: ClassVar[str] = "add-node"
    nodes: tuple[NodeSpec, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveNode(Step):
    """A NodeManager is gone at once."""

    verb: ClassVar[str] = "remove-node"
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decommission(Step):
    """`graceful_ms` None: at once."""

    verb: ClassVar[str] = "decommission"
    node: str
    graceful_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommission(Step):
    """A NodeManager is wanted again."""

    verb: ClassVar[str] = "recommission"
    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unhealthy(Step):
    """An empty report: healthy again."""

    verb: ClassVar[str] = "unhealthy"
    node: str
    report: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeQueue(Step):
    """What NodeManagers report of their queues for opportunistic containers."""

    verb: ClassVar[str] = "node-queue"
    nodes: tuple[str, ...]
    capacity: int
    length: int
    wait_ms: int | None
    """None: unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResizeNode(Step):
    """`resource` holds only the types that change."""

    verb: ClassVar[str] = "resize-node"
    node: str
    resource: Amounts
    overcommit_timeout_ms: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLabels(Step):
    """Node labels are added, each with its exclusivity."""

    verb: ClassVar[str] = "add-labels"
    exclusive: Mapping[str, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveLabels(Step):
    """Node labels are removed."""

    verb: ClassVar[str] = "remove-labels"
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelNode(Step):
    """Keys are hosts, or `host:port` for one NodeManager, as written."""

    verb: ClassVar[str] = "label-node"
    labels: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh(Step):
    """Exactly one of the two files."""

    verb: ClassVar[str] = "refresh"
    capacity_scheduler: Mapping[str, str] | None = None
    fair_scheduler: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Step):
    """An application is moved to another queue."""

    verb: ClassVar[str] = "move"
    app: str
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPriority(Step):
    """An application's priority is changed."""

    verb: ClassVar[str] = "priority"
    app: str
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserve(Step):
    """Times count from the start of the scenario."""

    verb: ClassVar[str] = "reserve"
    name: str
    queue: str
    user: str = "user"
    arrival_ms: int
    deadline_ms: int
    requests: tuple[PlanRequestSpec, ...]
    interpreter: ReservationRequestInterpreter = ReservationRequestInterpreter.ALL
    recurrence_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateReservation(Reserve):
    """A plan reservation is replaced by another definition."""

    verb: ClassVar[str] = "update-reservation"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteReservation(Step):
    """A plan reservation is deleted."""

    verb: ClassVar[str] = "delete-reservation"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartRM(Step):
    """The ResourceManager ends, and another one recovers what it has stored."""

    verb: ClassVar[str] = "restart-rm"
    down_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateShares(Step):
    """The FairScheduler's update runs."""

    verb: ClassVar[str] = "update-shares"
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Preempt(Step):
    """The preemption policy runs."""

    verb: ClassVar[str] = "preempt"
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Advance(Step):
    """Virtual time passes."""

    verb: ClassVar[str] = "advance"
    span_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect(Step):
    """What must hold now."""

    verb: ClassVar[str] = "expect"
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectError(Step):
    """`step` must be refused with a message that `matching` finds something in."""

    verb: ClassVar[str] = "expect-error"
    step: Step
    matching: re.Pattern[str]
