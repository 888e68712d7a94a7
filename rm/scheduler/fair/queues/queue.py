"""Queues: what parent and leaf have in common, and the parent, which shares among its children.

A queue holds what the allocation file says of it and what follows from that now: its maximum in the present
cluster, its demand and shares as of the last update. It keeps its place in its parent's line. Hadoop:
FSQueue and FSParentQueue.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Final

from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.fair.allocation_file.allocations import NEVER, Allocations
from yarnbox.rm.scheduler.fair.allocation_file.amounts import Amount
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.order import FullKey, ServingOrder
from yarnbox.rm.scheduler.fair.queues.placement import ROOT
from yarnbox.rm.scheduler.fair.queues.policies import Schedulable, capped_by_demand
from yarnbox.rm.scheduler.usage import Usage, Watcher
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max, componentwise_min

RESERVED: Final = Resource(-1)
"""What an assignment answers that ended in a container reservation."""


class Bounds:
    """The least and the most that anybody below a queue asks for in one container; never too narrow.

    A node that has less free than the least, when nobody asks for enough to have it reserved, is of no use to
    the whole queue.
    """

    __slots__ = ("is_large", "least_mb", "least_vcores")

    def __init__(self) -> None:
        self.least_mb = NEVER
        self.least_vcores = NEVER
        self.is_large = False
        """Whether somebody may ask for enough to reserve a node."""

    def include(self, resource: Resource, threshold: Resource) -> None:
        """Somebody asks for containers of this size."""
        memory, vcores = resource.memory_mb, resource.vcores
        if memory < self.least_mb:
            self.least_mb = memory
        if vcores < self.least_vcores:
            self.least_vcores = vcores
        if memory >= threshold.memory_mb or vcores >= threshold.vcores:
            self.is_large = True
        elif resource.others:
            self.is_large |= any(value >= threshold.value(name) for name, value in resource.others)

    def join(self, other: Bounds) -> None:
        """All that the other one covers."""
        if other.least_mb < self.least_mb:
            self.least_mb = other.least_mb
        if other.least_vcores < self.least_vcores:
            self.least_vcores = other.least_vcores
        self.is_large = self.is_large or other.is_large

    def exclude(self, free: Resource) -> bool:
        """Whether that much free space is too little for every request."""
        return not self.is_large and (free.memory_mb < self.least_mb or free.vcores < self.least_vcores)


class FairQueue(Watcher):
    """A queue, parent or leaf."""

    is_leaf = False

    def __init__(self, path: str, fair: FairContext, parent: ParentQueue | None, number: int) -> None:
        self.path = path
        self.fair = fair
        self.parent = parent
        self.number = number
        self.name_key = path.encode("utf-16-be", "surrogatepass")
        self.usage = Usage(self, counts_reserved=False)
        self.ancestry: tuple[FairQueue, ...] = (self, *(parent.ancestry if parent else ()))
        """Itself, its parent, and so on to root."""
        self.is_dynamic = True
        """Whether it is ad hoc: not declared by the allocation file."""
        self.demand = NONE
        self.fair_share = NONE
        self.uncapped_share = NONE
        """The fair share without regard to demand, where shares are capped by it; else the same."""
        self.steady_fair_share = NONE
        self.bounds = Bounds()
        self.policy = fair.allocations.policy_of(path)
        self.weight = 1.0
        self.min_share = NONE
        self.raw_max = fair.allocations.queue_max_resources_default
        self.max_share = NONE
        self.has_max = False
        self.max_running_apps = 0
        self.is_max_running_apps_default = True
        self.max_am_share = 0.0
        self.max_child_resources: Amount | None = None
        self.max_container_allocation: Resource | None = None
        self.min_share_timeout_ms = NEVER
        self.fair_share_timeout_ms = NEVER
        self.fair_share_threshold = 0.0
        self.is_preemptable = True
        self.read_settings(fair.allocations)

    def __str__(self) -> str:
        return self.path

    @property
    def used(self) -> Resource:
        """What its applications hold."""
        return self.usage.used()

    # Settings

    def read_settings(self, allocations: Allocations) -> None:
        """Takes over what the file says; timeouts, threshold, protection and container size are inherited."""
        said = allocations.queue(self.path)
        parent = self.parent
        self.weight = said.weight
        self.min_share = said.min_resources
        self.raw_max = said.max_resources or allocations.queue_max_resources_default
        self.is_max_running_apps_default = said.max_running_apps is None
        self.max_running_apps = (
            allocations.queue_max_apps_default if said.max_running_apps is None else said.max_running_apps
        )
        self.max_am_share = (
            allocations.queue_max_am_share_default if said.max_am_share is None else said.max_am_share
        )
        self.max_child_resources = said.max_child_resources
        self.max_container_allocation = said.max_container_allocation
        if self.max_container_allocation is None and parent is not None:
            self.max_container_allocation = parent.max_container_allocation
        self.min_share_timeout_ms = _first(
            said.min_share_timeout_ms,
            parent.min_share_timeout_ms if parent else allocations.root_min_share_timeout_ms,
        )
        self.fair_share_timeout_ms = _first(
            said.fair_share_timeout_ms,
            parent.fair_share_timeout_ms if parent else allocations.root_fair_share_timeout_ms,
        )
        threshold = said.fair_share_threshold
        if threshold is None:
            threshold = parent.fair_share_threshold if parent else allocations.root_fair_share_threshold
        self.fair_share_threshold = threshold
        self.is_preemptable = said.is_preemptable and (parent is None or parent.is_preemptable)
        self.cluster_changed()

    def set_max(self, raw_max: Amount) -> None:
        """Another maximum than its own settings say: that of a parent for its ad hoc children."""
        self.raw_max = raw_max
        self.cluster_changed()

    def cluster_changed(self) -> None:
        """Works out the maximum for the present cluster: never below the minimum share."""
        allocations = self.fair.allocations
        self.max_share = componentwise_max(self.raw_max.of(self.fair.cluster_resource()), self.min_share)
        self.has_max = not allocations.unbounded.fits_in(self.max_share)

    # Its place among its siblings

    def books_changed(self, partition: str) -> None:
        """Its use has changed."""
        if self.parent is not None:
            self.parent.line.mark_changed(self)

    def pending_changed(self, partition: str) -> None:
        """Shares and order follow the demand of the last update alone."""
        return

    def mark_ancestors_changed(self) -> None:
        """Something other than its books has changed: its position, and perhaps those of its ancestors."""
        for queue in self.ancestry:
            if queue.parent is not None:
                queue.parent.line.mark_changed(queue)

    @abstractmethod
    def has_unmet_demand(self) -> bool:
        """Whether anybody in it wants a container."""

    def schedulable(self) -> Schedulable:
        """Its figures for its parent's policy."""
        return Schedulable(
            self.weight,
            self.min_share,
            self.max_share,
            self.demand,
            self.usage.used(),
            self.fair_share,
            0,
            self.name_key,
            self.runnable_count > 0,
        )

    def sort_key(self) -> FullKey | None:
        """What sorts it among its siblings."""
        assert self.parent is not None
        key = self.parent.policy.order_key(self.schedulable(), self.fair.cluster_resource())
        return None if key is None else (*key, self.name_key)

    def compare(self, other: FairQueue) -> float:
        """Negative, zero or positive as it is served before the other, alike, or after it."""
        assert self.parent is not None
        cluster = self.fair.cluster_resource()
        return self.parent.policy.compare(self.schedulable(), other.schedulable(), cluster)

    # Limits

    def is_within_max(self) -> bool:
        """Whether it does not hold more than its maximum."""
        return not self.has_max or self.usage.used().fits_in(self.max_share)

    def fits_in_max_share(self, resource: Resource) -> bool:
        """Whether it and all its ancestors may use that much more."""
        for queue in self.ancestry:  # noqa: SIM110 - asked for each application offered: a loop is faster
            if queue.has_max and not queue.fits_in_own_max(resource):
                return False
        return True

    def fits_in_own_max(self, resource: Resource) -> bool:
        """Whether its own maximum allows that much more."""
        return not self.has_max or (self.usage.used() + resource).fits_in(self.max_share)

    def lower_bounds(self, bounds: Bounds) -> None:
        """Containers of other sizes than before are requested in the queue."""
        for queue in self.ancestry:
            queue.bounds.join(bounds)

    def allows(self, user: str, acl: QueueACL) -> bool:
        """Whether its list or that of an ancestor lets the user."""
        groups = self.fair.rm.groups.groups_of(user)
        lists = (self.fair.allocations.acl(queue.path, acl) for queue in self.ancestry)
        return any(one is not None and one.allows(user, groups) for one in lists)

    # What parents and leaves do in ways of their own

    @property
    @abstractmethod
    def runnable_count(self) -> int:
        """How many applications in it may run."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no application is in it, on its way to it, or below it."""

    @abstractmethod
    def update_demand(self) -> None:
        """Works out the demand."""

    @abstractmethod
    def recompute_shares(self) -> None:
        """Divides the fair share."""

    @abstractmethod
    def assign(self, node: SchedulerNode) -> Resource | None:
        """Allocates one container on the node to an application in it: its resource, RESERVED, or None."""

    @abstractmethod
    def queues(self) -> Iterator[FairQueue]:
        """Itself and all below it, parents first."""


class ParentQueue(FairQueue):
    """A queue with queues in it."""

    def __init__(self, path: str, fair: FairContext, parent: ParentQueue | None, number: int) -> None:
        super().__init__(path, fair, parent, number)
        self.children: dict[str, FairQueue] = {}
        """By path, in the order of creation."""
        self.line: ServingOrder[FairQueue] = ServingOrder()
        self.runnable_below = 0

    @property
    def runnable_count(self) -> int:
        """Those of all leaves below."""
        return self.runnable_below

    def add_child(self, child: FairQueue) -> None:
        """A queue was made."""
        self.children[child.path] = child
        self.line.mark_changed(child)

    def remove_child(self, child: FairQueue) -> None:
        """A queue was removed."""
        del self.children[child.path]
        self.line.drop(child)

    def has_unmet_demand(self) -> bool:
        """Whether a child does."""
        return not self.line.is_empty()

    def is_empty(self) -> bool:
        """Whether all children are."""
        return all(child.is_empty() for child in self.children.values())

    def queues(self) -> Iterator[FairQueue]:
        """Itself and all below it, parents first."""
        yield self
        for child in self.children.values():
            yield from child.queues()

    def update_demand(self) -> None:
        """The sum over the children, memory and vcores alone, not above the maximum."""
        memory = vcores = 0
        self.bounds = Bounds()
        for child in self.children.values():
            child.update_demand()
            memory += child.demand.memory_mb
            vcores += child.demand.vcores
            self.bounds.join(child.bounds)
        self.demand = componentwise_min(Resource(memory, vcores), self.max_share)
        self.line.mark_all_changed(self.children.values())

    def recompute_shares(self) -> None:
        """By its policy, among the children that are active; then each child does the same."""
        children = list(self.children.values())
        if not children:
            return
        schedulables = [child.schedulable() for child in children]
        shares = uncapped = self.policy.shares(schedulables, self.uncapped_share)
        if self.fair.published.capped_by_demand:
            shares = self.policy.shares([capped_by_demand(one) for one in schedulables], self.fair_share)
        for child, share, full in zip(children, shares, uncapped, strict=True):
            child.fair_share, child.uncapped_share = share, full
            child.recompute_shares()

    def recompute_steady_shares(self) -> None:
        """The shares if all were active."""
        children = list(self.children.values())
        if not children:
            return
        schedulables = [
            child.schedulable()._replace(fair_share=child.steady_fair_share) for child in children
        ]
        shares = self.policy.steady_shares(schedulables, self.steady_fair_share)
        for child, share in zip(children, shares, strict=True):
            child.steady_fair_share = share
            if isinstance(child, ParentQueue):
                child.recompute_steady_shares()

    def assign(self, node: SchedulerNode) -> Resource | None:
        """The first child in the policy's order that has a use for the node."""
        if not self.is_within_max():
            return None
        if self.bounds.exclude(node.available) and self.fair.may_skip_offers:
            return None
        for child in self.line.members():
            given = child.assign(node)
            if given is not None:
                return given
        return None


def _first(said: int | None, inherited: int) -> int:
    return inherited if said is None else said


def lowest_common_ancestor(one: FairQueue, two: FairQueue) -> FairQueue:
    """The lowest queue that both are in."""
    for queue in one.ancestry:
        if queue in two.ancestry:
            return queue
    raise AssertionError(f"{one} and {two} are not both below {ROOT}")
