"""What in an allocation file is allowed and hardly meant: limits that let nothing run, vain settings.

The live queues of a cluster of a given size are asked, so that nothing is worked out here in another way than
later. Has no twin in Hadoop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from yarnbox.rm.scheduler.fair.allocation_file.allocations import NEVER, UNLIMITED_APPS, Allocations
from yarnbox.rm.scheduler.fair.queues.placement import ROOT, Rule
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.scheduler.views import FairQueueView
from yarnbox.yarn.enums import QueueACL
from yarnbox.yarn.resources.resource import MEMORY_MB, VCORES, Resource

_ACL_ELEMENTS = {
    QueueACL.SUBMIT_APPLICATIONS: "aclSubmitApps",
    QueueACL.ADMINISTER_QUEUE: "aclAdministerApps",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A queue, or the element at the top of the file, and what is the matter with it."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FairCheck:
    """What was read, and what came of it."""

    allocations: Allocations
    rules: Sequence[Rule]
    has_policy: bool
    """Whether the rules are those of a queuePlacementPolicy."""
    queues: Sequence[FairQueueView]
    """The queues that there are."""
    settings: FairSettings
    given: frozenset[str]
    """The names of the properties that yarn-site.xml has."""
    minimum: Resource
    """The smallest container; and the largest."""
    maximum: Resource
    cluster: Resource

    def findings(self) -> list[Finding]:
        """Everything, the defaults of the file first, then queue by queue, then the rules."""
        found = [*self._of_defaults(), *self._of_lists(), *self._of_preemption()]
        for queue in self.queues:
            found.extend(self._of_limits(queue))
            found.extend(self._of_largest_container(queue))
        found.extend(self._of_places())
        found.extend(self._of_rules())
        return found

    def _of_defaults(self) -> Iterator[Finding]:
        allocations = self.allocations
        apps = allocations.queue_max_apps_default
        if apps != UNLIMITED_APPS and allocations.queue(ROOT).max_running_apps is None:
            what = "no application ever runs" if apps < 1 else f"{apps} applications run in the whole cluster"
            text = f"it holds for root too, which has no maxRunningApps of its own: {what}"
            yield Finding("queueMaxAppsDefault", text)
        if allocations.user_max_apps_default < 1:
            text = "no application runs of a user without a <user> element"
            yield Finding("userMaxAppsDefault", text)

    def _of_limits(self, queue: FairQueueView) -> Iterator[Finding]:
        said = self.allocations.queue(queue.path)
        origin = "queueMaxResourcesDefault" if said.max_resources is None else "maxResources"
        below = "" if queue.path in self.allocations.leaves else "in it or below it "
        most = queue.max_share
        zero = [name for name in (MEMORY_MB, VCORES) if not most.value(name)]
        if zero:
            what = " and ".join(zero)
            text = f"the maximum of {what} is 0 ({origin}): no application {below}gets a container"
            yield Finding(queue.path, text)
        elif not self.minimum.fits_in(most):
            yield Finding(
                queue.path, f"its maximum {most} ({origin}) is below one container of {self.minimum}"
            )
        if said.max_running_apps is not None and said.max_running_apps < 1:
            yield Finding(
                queue.path, f"maxRunningApps is {said.max_running_apps}: no application runs {below}"
            )
        if said.max_am_share is not None and -1 < said.max_am_share <= 0:
            text = (
                f"maxAMShare is {said.max_am_share:g}: no ApplicationMaster gets a container (no limit: -1)"
            )
            yield Finding(queue.path, text)
        if not said.min_resources.fits_in(self.cluster):
            text = f"minResources {said.min_resources} are more than the cluster has"
            yield Finding(queue.path, text)

    def _of_largest_container(self, queue: FairQueueView) -> Iterator[Finding]:
        largest = self.allocations.queue(queue.path).max_container_allocation
        if largest is None:
            return
        if queue.path == ROOT:
            text = "maxContainerAllocation is not meant for root: yarn.scheduler.maximum-allocation-* is"
            yield Finding(queue.path, text)
        named = {name: value for name, value in largest.items() if value < NEVER}
        over = [name for name, value in named.items() if value > queue.max_share.value(name)]
        for name in over:
            text = (
                f"maxContainerAllocation allows {named[name]} {name}, which never fits below the maximum "
                f"of {queue.max_share.value(name)}"
            )
            yield Finding(queue.path, text)
        if named and all(value >= self.maximum.value(name) for name, value in named.items()):
            text = (
                f"maxContainerAllocation has no effect: yarn.scheduler.maximum-allocation-* is {self.maximum}"
            )
            yield Finding(queue.path, text)

    def _of_lists(self) -> Iterator[Finding]:
        """Whoever may submit to root, or administer it, may submit everywhere."""
        open_lists = [
            element
            for acl, element in _ACL_ELEMENTS.items()
            if (own := self.allocations.acl(ROOT, acl)) is not None and own.everybody
        ]
        if not open_lists:
            return
        for path, said in self.allocations.queues.items():
            void = [_ACL_ELEMENTS[acl] for acl, own in said.acls.items() if not own.everybody]
            if path != ROOT and void:
                text = (
                    f"without effect: {' and '.join(void)}, because {' and '.join(open_lists)} of root "
                    "let everybody submit to every queue"
                )
                yield Finding(path, text)

    def _of_preemption(self) -> Iterator[Finding]:
        name = "yarn.scheduler.fair.preemption"
        root_ms = (self.allocations.root_min_share_timeout_ms, self.allocations.root_fair_share_timeout_ms)
        timed = [
            path
            for path, said in self.allocations.queues.items()
            if said.min_share_timeout_ms is not None or said.fair_share_timeout_ms is not None
        ]
        is_timed = bool(timed) or any(0 <= one < NEVER for one in root_ms)
        if self.settings.preemption and not is_timed:
            yield Finding(name, "nothing is ever preempted: no queue and no default has a timeout")
        elif not self.settings.preemption and is_timed:
            where = ", ".join(timed) or "the top of the file"
            yield Finding(name, f"it is false, so that the preemption timeouts of {where} have no effect")

    def _of_places(self) -> Iterator[Finding]:
        """Elements that mean nothing where they stand."""
        for path, said in self.allocations.queues.items():
            if said.max_child_resources is not None and path in self.allocations.leaves:
                yield Finding(path, "maxChildResources has no effect in a leaf")
            if path == ROOT and said.weight != 1.0:
                yield Finding(path, "weight has no effect in root, which has no siblings")
            elif said.weight <= 0:
                yield Finding(path, f"weight is {said.weight:g}: its siblings are served first")
            if path == ROOT and not said.is_preemptable:
                yield Finding(path, "allowPreemptionFrom is false for every queue then: nothing is preempted")

    def _of_rules(self) -> Iterator[Finding]:
        for number, rule in enumerate(self.rules, 1):
            where = f"placement rule {number} ({rule.name})"
            inner = rule.inner
            earlier = next((n for n, one in enumerate(self.rules[: number - 1], 1) if one.covers(rule)), None)
            if earlier is not None:
                text = f"it never answers: rule {earlier} is of the same kind and answers whenever it would"
                yield Finding(where, text)
            elif rule.name == "default":
                yield from self._of_default(where, rule.queue)
            elif inner is not None and inner.name == "default" and inner.queue in self.allocations.leaves:
                yield Finding(where, f"it never answers: {inner.queue} is a leaf")
        if self.has_policy:
            for name in ("user-as-default-queue", "allow-undeclared-pools"):
                if f"yarn.scheduler.fair.{name}" in self.given:
                    text = "it has no effect: the allocation file has a queuePlacementPolicy"
                    yield Finding(f"yarn.scheduler.fair.{name}", text)

    def _of_default(self, where: str, queue: str) -> Iterator[Finding]:
        if queue == ROOT or queue in self.allocations.parents:
            text = f"it leads to {queue}, which is a parent: every application that gets there is rejected"
            yield Finding(where, text)
        else:
            above = queue.rpartition(".")[0]
            while above and above not in self.allocations.leaves:
                above = above.rpartition(".")[0]
            if above:
                yield Finding(where, f"it leads to {queue}, and {above} is a leaf: applications are rejected")
