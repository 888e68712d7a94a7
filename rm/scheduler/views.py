"""What a scheduler shows of its queues and applications: values of one moment, to be read between turns.

Pages, REST, the client service and scenarios read these, never a queue object. A scheduler leaves at None
what it has no notion of: only the CapacityScheduler knows capacities and AM limits, only the FairScheduler
shares. Ratios are from 0 to 1. Hadoop: what CapacitySchedulerQueueInfo, FairSchedulerQueueInfo and
QueueInfo are made from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from yarnbox.rm.asks import Locality, RequestKey
from yarnbox.rm.container import RMContainer
from yarnbox.rm.events.scheduler import PreemptionMark
from yarnbox.rm.scheduler.calculator import multiply
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.ids import ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationFile:
    """The FairScheduler's file as it was read last."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionView:
    """A queue in one partition."""

    used: Resource = NONE
    """Reservations included."""
    pending: Resource = NONE
    reserved: Resource = NONE
    containers: int = 0
    """Live ones."""
    pending_containers: int = 0
    capacity: float | None = None
    """Share of the parent."""
    max_capacity: float | None = None
    absolute_capacity: float | None = None
    """Share of the partition."""
    absolute_max_capacity: float | None = None
    used_capacity: float | None = None
    """Used over what the queue is guaranteed."""
    absolute_used_capacity: float | None = None
    """Used over the partition."""
    effective_min: Resource | None = None
    effective_max: Resource | None = None
    am_limit: Resource | None = None
    am_used: Resource | None = None
    user_limit: Resource | None = None
    """Of the most restrictive active user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserView:
    """A user of a leaf queue."""

    used: Resource = NONE
    active_apps: int = 0
    pending_apps: int = 0
    am_used: Resource = NONE
    """In the default partition, as the limit is."""
    am_limit: Resource = NONE
    available: Mapping[str, Resource] = field(default_factory=dict)
    """What it may still have, by partition; only the CapacityScheduler says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """A queue.

    `partitions` has an entry for each partition that the queue may use or has used, `""` first.
    """

    path: str
    """From root, `root.a.b`."""
    state: QueueState = QueueState.RUNNING
    is_leaf: bool = True
    children: tuple[str, ...] = ()
    """Paths of the child queues, in the scheduler's order."""
    apps: int = 0
    """Applications in the queue and below it."""
    active_apps: int = 0
    pending_apps: int = 0
    containers: int = 0
    partitions: Mapping[str, PartitionView] = field(default_factory=dict)
    users: Mapping[str, UserView] = field(default_factory=dict)
    fair_share: Resource | None = None
    steady_fair_share: Resource | None = None
    min_share: Resource | None = None
    max_share: Resource | None = None
    demand: Resource | None = None
    max_apps: int | None = None
    """Applications that may run at once."""
    policy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FairQueueView(QueueView):
    """A queue of the FairScheduler, with what no other scheduler has."""

    fair_share: Resource
    steady_fair_share: Resource
    min_share: Resource
    max_share: Resource
    demand: Resource
    max_apps: int
    is_max_apps_default: bool
    """Whether it is that of all queues that have none of their own."""
    policy: str
    reserved_containers: int
    am_share: float | None
    """The part of its share that AMs may use, negative without a limit; None for a parent."""
    max_container_allocation: Resource | None
    """None where the scheduler's own holds."""
    min_share_timeout_ms: int
    fair_share_timeout_ms: int
    fair_share_threshold: float
    is_preemptable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationView:
    """What a scheduler knows of an application beyond its books; a scheduler without shares leaves them
    None."""

    am_partition: str | None = None
    """Where its AM runs, and how large that is: only the CapacityScheduler says so."""
    am_resource: Resource = NONE

    fair_share: Resource | None = None
    steady_fair_share: Resource | None = None
    demand: Resource | None = None


class AmountsView(Protocol):
    """What an attempt has and asks for in one partition."""

    @property
    def killable(self) -> Resource: ...

    @property
    def used(self) -> Resource: ...

    @property
    def reserved(self) -> Resource: ...

    @property
    def pending(self) -> Resource: ...

    @property
    def containers(self) -> int: ...

    @property
    def pending_containers(self) -> int: ...


class BooksView(Protocol):
    """The same by partition, and over all of them."""

    @property
    def by_partition(self) -> Mapping[str, AmountsView]: ...

    def total_used(self) -> Resource: ...

    def total_reserved(self) -> Resource: ...

    def total_pending(self) -> Resource: ...


class AttemptView(Protocol):
    """What pages may read of an attempt: it is not copied for them, since they look at all attempts at once;
    nothing can be changed through it.
    """

    @property
    def application_id(self) -> ApplicationId: ...

    @property
    def is_stopped(self) -> bool: ...

    @property
    def is_asking(self) -> bool: ...

    @property
    def is_waiting_for_am(self) -> bool: ...

    @property
    def served_since_ms(self) -> int | None: ...

    @property
    def usage(self) -> BooksView: ...

    @property
    def live(self) -> Mapping[ContainerId, RMContainer]: ...

    @property
    def reserved(self) -> Mapping[RequestKey, Mapping[NodeId, RMContainer]]: ...

    @property
    def blacklist(self) -> Mapping[str, None]: ...

    @property
    def opportunities(self) -> Mapping[RequestKey, int]: ...

    @property
    def locality_counts(self) -> Mapping[Locality, int]: ...

    @property
    def marked_for_preemption(self) -> Mapping[ContainerId, PreemptionMark]: ...

    def reserved_containers(self) -> Sequence[RMContainer]: ...


class BookedApplicationView(Protocol):
    """What pages may read of an application in a scheduler."""

    @property
    def application_id(self) -> ApplicationId: ...

    @property
    def user(self) -> str: ...

    @property
    def queue(self) -> object:
        """Its text is the queue's path."""
        ...

    @property
    def is_unmanaged(self) -> bool: ...

    @property
    def attempt(self) -> AttemptView | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationView:
    """A configuration that can be changed by API, whose file was only the seed."""

    properties: Mapping[str, str]
    version: int
    """Counted from 1; every change raises it."""


def guarantee_of(queue: QueueView | None, total: Resource) -> Resource:
    """The effective capacity of a queue, or its share of `total` where it has none."""
    part = None if queue is None else queue.partitions.get(DEFAULT_PARTITION)
    if part is None:
        return NONE
    if part.effective_min is not None:
        return part.effective_min
    return NONE if part.capacity is None else multiply(total, part.capacity)


def is_within(queue: str, path: str) -> bool:
    """Whether that is the path of the queue, or of one above it."""
    return queue == path or queue.startswith(f"{path}.")
