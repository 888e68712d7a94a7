"""What shares an allocation file gives in a cluster of a certain size while certain queues are active.

For operators who want to know before they change the file. The same policies and the same search as in the
scheduler, without nodes and applications. Has no twin in Hadoop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from yarnbox.rm.scheduler.fair.allocation_file.allocations import Allocations
from yarnbox.rm.scheduler.fair.queues.placement import ROOT, with_root
from yarnbox.rm.scheduler.fair.queues.policies import Schedulable
from yarnbox.yarn.resources.resource import NONE, Resource, componentwise_max, componentwise_min


@dataclass(frozen=True, slots=True)
class Share:
    """One queue's line."""

    path: str
    policy: str
    weight: float
    minimum: Resource
    maximum: Resource
    """Not more than the cluster has."""
    is_active: bool
    fair_share: Resource
    steady_fair_share: Resource


def refused(allocations: Allocations) -> dict[str, str]:
    """Declared queues that are never made, and why: their policy does not go with their place."""
    found: dict[str, str] = {}
    for path in allocations.queues:
        above = path.rpartition(".")[0]
        policy = allocations.policy_of(path)
        if above in found:
            found[path] = f"{above} is not made"
        elif above and not allocations.policy_of(above).allows_child(policy):
            name = allocations.policy_of(above).name
            found[path] = f"the policy {policy.name} is not allowed below {name}, the policy of {above}"
        elif above and policy.is_for_leaves_only and path in allocations.parents:
            found[path] = f"the policy {policy.name} is for leaf queues only"
    return found


def forecast(allocations: Allocations, cluster: Resource, active: Iterable[str] | None = None) -> list[Share]:
    """Every declared queue that can be made, from root down.

    `active` names leaves, declared or not; None means all of them.
    """
    paths: dict[str, None] = {ROOT: None}
    chosen = [with_root(name) for name in active] if active is not None else []
    never = refused(allocations)
    for path in (*allocations.queues, *chosen):
        if any(path == one or path.startswith(one + ".") for one in never):
            continue
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            paths[".".join(parts[:end])] = None
    tree = _Tree(allocations, cluster, list(paths))
    actives = dict.fromkeys(chosen if active is not None else tree.leaves())
    return list(tree.shares(ROOT, cluster, cluster, actives))


@dataclass(frozen=True, slots=True)
class _Tree:
    allocations: Allocations
    cluster: Resource
    paths: list[str]

    def children(self, path: str) -> list[str]:
        """In the order of the file."""
        return [one for one in self.paths if one.rpartition(".")[0] == path]

    def leaves(self) -> list[str]:
        """Queues without queues in them, declared parents left out."""
        return [one for one in self.paths if not self.children(one) and one not in self.allocations.parents]

    def maximum(self, path: str) -> Resource:
        """As the scheduler works it out."""
        allocations = self.allocations
        said = allocations.queue(path)
        amount = said.max_resources or allocations.queue_max_resources_default
        above = path.rpartition(".")[0]
        if above and not allocations.is_declared(path):
            amount = allocations.queue(above).max_child_resources or amount
        return componentwise_max(amount.of(self.cluster), said.min_resources)

    def schedulable(self, path: str, active: dict[str, None]) -> Schedulable:
        """The queue as its parent's policy sees it; nobody asks for anything here."""
        is_active = any(one == path or one.startswith(path + ".") for one in active)
        said = self.allocations.queue(path)
        name = path.encode("utf-16-be")
        least, most = said.min_resources, self.maximum(path)
        return Schedulable(said.weight, least, most, NONE, NONE, NONE, 0, name, is_active)

    def shares(self, path: str, fair: Resource, steady: Resource, active: dict[str, None]) -> Iterator[Share]:
        """The queue and all below it."""
        allocations = self.allocations
        policy = allocations.policy_of(path)
        here = self.schedulable(path, active)
        most = componentwise_min(here.max_share, self.cluster)
        yield Share(path, policy.name, here.weight, here.min_share, most, here.is_active, fair, steady)
        children = self.children(path)
        if not children:
            return
        schedulables = [self.schedulable(child, active) for child in children]
        fairs = policy.shares(schedulables, fair)
        steadies = policy.steady_shares(schedulables, steady)
        for child, child_fair, child_steady in zip(children, fairs, steadies, strict=True):
            yield from self.shares(child, child_fair, child_steady, active)
