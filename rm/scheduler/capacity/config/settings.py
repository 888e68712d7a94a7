"""What capacity-scheduler.xml says, as frozen values: the scheduler's own settings and the tree of queues.

Nothing here reads a property or knows a live queue: reading.py makes these values, checks.py judges them, the
queues are built from them and get new ones at a refresh. Percents stay percents here; ratios are made in
shares.py. Hadoop: what CapacitySchedulerConfiguration gives out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum

from yarnbox.rm.scheduler.capacity.config.properties import Properties
from yarnbox.rm.scheduler.capacity.config.rules import NO_MAPPINGS, Mappings
from yarnbox.yarn.resources.resource import MEMORY_MB, NONE, Resource
from yarnbox.yarn.security.acl import NOBODY, AccessControlList

ROOT = "root"
ALL_LABELS = ("*",)
UNLIMITED = 2**31 - 1


class CapacityMode(Enum):
    """How a capacity is written."""

    PERCENT = "percent"
    WEIGHT = "weight"
    ABSOLUTE = "absolute"
    VECTOR = "vector"
    """A unit of its own for each resource type; only without the legacy queue mode."""


class Unit(Enum):
    """The unit of one type in a capacity vector."""

    PERCENT = "%"
    WEIGHT = "w"
    ABSOLUTE = ""


VectorEntry = tuple[str, Unit, float]


@dataclass(frozen=True, slots=True)
class CapacityValue:
    """A capacity or a maximum capacity as it is written."""

    mode: CapacityMode = CapacityMode.PERCENT
    number: float = 0.0
    """The percent (0 to 100) or the weight, a 32-bit float."""
    resource: Resource = NONE
    """Of an absolute one."""
    vector: tuple[VectorEntry, ...] = ()
    """Resource type, unit, amount, of a vector."""

    @property
    def amounts(self) -> Resource:
        """What it says in amounts; nothing where it gives no amount of memory, or a percentage of a type."""
        if self.mode is not CapacityMode.VECTOR:
            return self.resource
        if any(unit is Unit.PERCENT for _, unit, _ in self.vector):
            return NONE
        found = {name: int(number) for name, unit, number in self.vector if unit is Unit.ABSOLUTE}
        return Resource.of(found) if found.get(MEMORY_MB) else NONE

    @property
    def is_absolute(self) -> bool:
        """Whether it is an amount of each type."""
        if self.mode is CapacityMode.VECTOR:
            return all(unit is Unit.ABSOLUTE for _, unit, _ in self.vector)
        return self.mode is CapacityMode.ABSOLUTE

    def __str__(self) -> str:
        if self.mode is CapacityMode.ABSOLUTE:
            return "[" + ",".join(f"{name}={value}" for name, value in self.resource.items()) + "]"
        if self.mode is CapacityMode.VECTOR:
            return "[" + ",".join(f"{name}={value:g}{unit.value}" for name, unit, value in self.vector) + "]"
        return f"{self.number:g}" + ("w" if self.mode is CapacityMode.WEIGHT else "%")


NO_CAPACITY = CapacityValue()
NO_VECTOR = CapacityValue(CapacityMode.VECTOR)
"""A partition that is configured by other properties than its capacity: nothing is worked out there."""
WHOLE = CapacityValue(number=100.0)


class QueueKind(Enum):
    """What a queue may contain."""

    LEAF = "leaf"
    PARENT = "parent"
    MANAGED_PARENT = "managed parent"
    """A parent whose leaves are made from a template when a mapping needs them (auto-create-child-queue)."""
    AUTO_LEAF = "automatically created leaf"
    """A leaf of a managed parent."""
    PLAN = "plan"
    """A queue of the reservation system."""

    @property
    def is_leaf(self) -> bool:
        """Whether it holds applications."""
        return self in (QueueKind.LEAF, QueueKind.AUTO_LEAF)


class ParentOrder(Enum):
    """In which order a parent serves its children."""

    UTILIZATION = "utilization"
    PRIORITY_UTILIZATION = "priority-utilization"


@dataclass(frozen=True, slots=True)
class PriorityGroup:
    """Who may give an application which priority, in one queue."""

    acl: AccessControlList
    max_priority: int
    default_priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionSettings:
    """What a queue is configured for in one partition."""

    capacity: CapacityValue = NO_CAPACITY
    maximum: CapacityValue = WHOLE
    am_percent: float = 0.1
    """A fraction, 0 to 1."""
    is_inherited: bool = False
    """Whether a dynamic queue has a share there only because its parent has one: it may use nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCreationV1:
    """auto-create-child-queue.* of a managed parent."""

    max_queues: int = 1000
    fail_on_exceeding: bool = False
    policy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoCreationV2:
    """auto-queue-creation-v2.* of a parent."""

    is_enabled: bool = False
    max_queues: int = 1000
    max_depth: int = 2
    removes_idle: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSettings:
    """One queue as configured, its children below it."""

    path: str
    kind: QueueKind = QueueKind.LEAF
    is_dynamic: bool = False
    """Whether it was made by a submission, and not named in a file."""
    children: tuple[QueueSettings, ...] = ()
    partitions: Mapping[str, PartitionSettings] = field(default_factory=dict)
    """By label; the default partition is always there."""
    accessible_labels: tuple[str, ...] = ALL_LABELS
    default_label: str = ""
    user_limit_percent: float = 100.0
    user_limit_factor: float = 1.0
    user_weights: Mapping[str, float] = field(default_factory=dict)
    maximum_applications: int | None = None
    max_parallel_apps: int = UNLIMITED
    maximum_allocation: Resource = NONE
    state: str | None = None
    submit_acl: AccessControlList = NOBODY
    administer_acl: AccessControlList = NOBODY
    priority_groups: tuple[PriorityGroup, ...] | None = None
    """None: everybody, any priority."""
    default_priority: int = 0
    priority: int = 0
    leaf_order: str = "fifo"
    """The name of the ordering policy: see queues/ordering/registry.py."""
    size_based_weight: bool = False
    exclusive_partitions: tuple[str, ...] = ()
    parent_order: ParentOrder = ParentOrder.UTILIZATION
    parent_policy: str = ""
    """The dotted path of a user's own policy, which goes before `parent_order`."""
    maximum_lifetime_s: int = -1
    default_lifetime_s: int = -1
    is_lifetime_given: bool = False
    """Whether a default lifetime is written here or above."""
    multi_node_policy: str | None = None
    allow_zero_sum: bool = False
    v1: AutoCreationV1 | None = None
    v2: AutoCreationV2 = AutoCreationV2()
    is_preemption_disabled: bool | None = None
    """Its own switch; None inherits."""
    is_intra_queue_preemption_disabled: bool | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition(".")[2]

    @property
    def parent_path(self) -> str | None:
        """The path without its last part; None for the root."""
        return self.path.rpartition(".")[0] or None

    def subtree(self) -> Iterator[QueueSettings]:
        """The queue and all below it, a parent before its children, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.subtree()

    def stopped(self, *, is_below_stopped: bool = False) -> Iterator[str]:
        """The paths of those of them that begin as stopped: who says nothing begins as its parent."""
        is_stopped = self.state == "STOPPED" or (self.state is None and is_below_stopped)
        if is_stopped:
            yield self.path
        for child in self.children:
            yield from child.stopped(is_below_stopped=is_stopped)


@dataclass(frozen=True, slots=True, kw_only=True)
class MultiNodePolicy:
    """A policy by which the nodes of a partition are sorted."""

    name: str
    policy_class: str
    sorting_interval_ms: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class AsynchronousSettings:
    """schedule-asynchronously.*"""

    is_enabled: bool = False
    threads: int = 1
    pending_backlogs: int = 100
    interval_ms: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacitySettings:
    """A whole capacity-scheduler.xml."""

    root: QueueSettings
    properties: Properties
    """What it was read from: dynamic queues are read from the same source."""
    maximum_applications: int = 10_000
    global_queue_maximum: int | None = None
    user_max_parallel_apps: int = UNLIMITED
    user_max_parallel: Mapping[str, int] = field(default_factory=dict)
    node_locality_delay: int = 40
    rack_additional_delay: int = -1
    rack_full_reset: bool = True
    continue_looking: bool = True
    skip_reserved_nodes: bool = False
    assigns_multiple: bool = True
    maximum_assignments: int = 100
    maximum_off_switch: int = 1
    is_dominant: bool = False
    """Whether the DominantResourceCalculator is configured."""
    overrides_with_mappings: bool = False
    mappings: Mappings = field(default_factory=lambda: NO_MAPPINGS)
    workflow_priorities: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """By workflow, in lower case, and path of the queue."""
    workflow_priorities_override: bool = False
    asynchronous: AsynchronousSettings = AsynchronousSettings()
    is_multi_node: bool = False
    multi_node_policies: Mapping[str, MultiNodePolicy] = field(default_factory=dict)
    fails_fast: bool = False
    is_legacy: bool = True
    user_metrics: bool = False
    is_preemption_lazy: bool = False
    is_monitored: bool | None = None
    """Whether the scheduling monitor runs; None where yarn-site.xml or its default decides."""
    is_intra_queue_preemption_enabled: bool = False
    queue_expiry_s: int = 300
    labels: tuple[str, ...] = ()
    """Every label that any queue is configured for, in the order of the tree."""
    notices: tuple[str, ...] = ()
    """What an operator should know: unknown properties, ignored values."""
