"""The leaf queue: its applications, those that may run in the order in which they are served.

It divides its share among the applications that may run, keeps AMs within their part of it, and says which of
its applications starve. Hadoop: FSLeafQueue.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from yarnbox.rm.container import SchedulerNode
from yarnbox.rm.scheduler.fair.application import FSAppAttempt
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.order import ServingOrder
from yarnbox.rm.scheduler.fair.queues.policies import capped_by_demand
from yarnbox.rm.scheduler.fair.queues.queue import Bounds, FairQueue, ParentQueue
from yarnbox.rm.scheduler.usage import change_am_used
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import (
    NONE,
    Resource,
    combine,
    componentwise_max,
    componentwise_min,
    less,
    map_values,
    total,
)

NO_AM_LIMIT = -1.0
_CLOSE_ENOUGH = 0.0001


class LeafQueue(FairQueue):
    """A queue with applications in it."""

    is_leaf = True

    def __init__(self, path: str, fair: FairContext, parent: ParentQueue, number: int) -> None:
        super().__init__(path, fair, parent, number)
        self.runnable: dict[FSAppAttempt, None] = {}
        self.waiting: dict[FSAppAttempt, None] = {}
        """Those over a limit of running applications, in the order of arrival."""
        self.assigned: dict[ApplicationId, None] = {}
        """Applications that were placed here and have no attempt yet."""
        self.line: ServingOrder[FSAppAttempt] = ServingOrder()
        self.last_at_min_share_ms = fair.rm.now_ms
        self._total_demand = NONE
        self._changed: dict[FSAppAttempt, None] = {}
        """Applications whose demand must be worked out anew."""
        self._membership = 0
        self._shared_out: object = None

    @property
    def am_used(self) -> Resource:
        """What counts as used by AMs: see FSAppAttempt.count_am."""
        return self.usage.am_used()

    @property
    def runnable_count(self) -> int:
        """Those that may run."""
        return len(self.runnable)

    def applications(self) -> Iterator[FSAppAttempt]:
        """All of them, those that may run first."""
        yield from self.runnable
        yield from self.waiting

    def queues(self) -> Iterator[FairQueue]:
        """Itself."""
        yield self

    def is_empty(self) -> bool:
        """Whether no application is in it or on its way to it."""
        return not (self.runnable or self.waiting or self.assigned)

    def has_unmet_demand(self) -> bool:
        """Whether an application does."""
        return not self.line.is_empty()

    # Applications

    def add(self, app: FSAppAttempt, *, is_runnable: bool) -> None:
        """An application came, or one that waited may run."""
        if app not in self.waiting:
            self._total_demand = self._total_demand + app.demand
            self._changed[app] = None
        self.waiting.pop(app, None)
        (self.runnable if is_runnable else self.waiting)[app] = None
        self.assigned.pop(app.application_id, None)
        self.line.mark_changed(app)
        if is_runnable:
            self.lower_bounds(app.bounds)
        self._applications_changed()

    def remove(self, app: FSAppAttempt) -> bool:
        """An application left; whether it was one that might run."""
        was_runnable = app in self.runnable
        self.runnable.pop(app, None)
        self.waiting.pop(app, None)
        self._changed.pop(app, None)
        self.line.drop(app)
        self._total_demand = self._total_demand - app.demand
        if was_runnable:
            # What its AM took is given back now, not when the AM's container ended.
            self.charge_am(NONE - app.am_resource)
        self._applications_changed()
        return was_runnable

    def _applications_changed(self) -> None:
        self._membership += 1
        self.mark_ancestors_changed()

    def application_changed(self, app: FSAppAttempt) -> None:
        """An application's books changed."""
        if app in self.runnable or app in self.waiting:
            self._changed[app] = None

    def charge_am(self, resource: Resource) -> None:
        """Books the container of an AM."""
        change_am_used((self.usage,), DEFAULT_PARTITION, resource)

    # The update

    def update_demand(self) -> None:
        """The sum over all applications, waiting ones too, not above the maximum."""
        has_weights = self.fair.settings.size_based_weight or self.fair.published.changes_weights
        if self.fair.published.changes_weights:
            self._renew_weights()
        memory = vcores = 0
        for app in self._changed:
            before = app.demand
            app.update_demand()
            after = app.demand
            if after != before:
                if after.others or before.others:
                    self._total_demand = self._total_demand - before + after
                else:
                    memory += after.memory_mb - before.memory_mb
                    vcores += after.vcores - before.vcores
                if has_weights:
                    self._membership += 1
        self.line.mark_all_changed(self._changed)
        self._total_demand = self._total_demand + Resource(memory, vcores)
        self._changed = {}
        self.bounds = Bounds()
        for app in self.runnable:
            self.bounds.join(app.bounds)
        self.demand = componentwise_min(self._total_demand, self.max_share)

    def _renew_weights(self) -> None:
        """Weights follow priority and age, which no booking tells."""
        renewed = [app for app in self.runnable if app.renew_weight()]
        if renewed:
            self._membership += 1
            self.line.mark_all_changed(renewed)

    def recompute_shares(self) -> None:
        """By its policy, among the applications that may run; not again while nothing changed that counts."""
        is_capped = self.fair.published.capped_by_demand
        inputs = (self.policy, self.fair_share, self._membership)
        if self._shared_out == inputs and not self.policy.shares_follow_use and not is_capped:
            return
        self._shared_out = inputs
        apps = list(self.runnable)
        if not apps:
            return
        before = [app.fair_share for app in apps]
        shares = None
        if not is_capped:
            weights = [app.weight for app in apps]
            shares = self.policy.application_shares(weights, before, self.fair_share)
        if shares is None:
            schedulables = [app.schedulable() for app in apps]
            if is_capped:
                schedulables = [capped_by_demand(one) for one in schedulables]
            shares = self.policy.shares(schedulables, self.fair_share)
        for app, share in zip(apps, shares, strict=True):
            app.fair_share = share

    def reorder(self) -> None:
        """Something changed that the order of all applications depends on."""
        self._shared_out = None
        self.line.mark_all_changed(self.runnable)
        self.mark_ancestors_changed()

    # Containers

    def assign(self, node: SchedulerNode) -> Resource | None:
        """The first application in the policy's order that has a use for the node."""
        if not self.is_within_max():
            return None
        free = node.available
        skips = self.fair.may_skip_offers
        if skips and self.bounds.exclude(free):
            return None
        for app in self.line.members():
            if (skips and app.bounds.exclude(free)) or app.is_blacklisted(node):
                continue
            given = app.assign(node)
            if given is not None:
                return given
        return None

    def am_limit(self) -> Resource:
        """What AMs may use: a part of the fair share; of what was free where the policy gives no share."""
        allowed = componentwise_min(self.fair.noted_free, self.max_share)
        base = combine(lambda share, instead: share or instead, self.uncapped_share, allowed)
        return map_values(lambda _, value: math.ceil(value * self.max_am_share), base)

    def may_run_am(self, resource: Resource) -> bool:
        """Whether an AM of this size fits the limit."""
        if abs(self.max_am_share - NO_AM_LIMIT) < _CLOSE_ENOUGH:
            return True
        return (self.am_used + resource).fits_in(self.am_limit())

    # Starvation

    def find_starved(self) -> Iterator[FSAppAttempt]:
        """Sets the starvation of its applications; those that starve, for the queue of the starved."""
        now_ms = self.fair.rm.now_ms
        apps = [app for app in self.line.members() if now_ms >= app.next_check_ms]
        fairly = NONE
        for app in apps:
            starvation = app.find_fair_starvation(self)
            if not starvation:
                break
            fairly = fairly + starvation
            yield app
        pending = less(self._min_share_lack(now_ms), fairly)
        is_exact = self.fair.published.exact_min_share
        if is_exact:
            pending = componentwise_max(pending - self._preempted_already(now_ms), NONE)
        cluster = self.fair.cluster_resource()
        for app in apps:
            if not pending:
                app.min_starvation = NONE
                continue
            wanted = less(app.demand - app.used, app.fair_starvation)
            if is_exact:
                wanted = componentwise_min(wanted, pending)
                pending = less(pending, wanted)
            elif self.policy.calculator.compare(cluster, wanted, pending) > 0:
                # Not the lack but what goes beyond it: so it is in FSLeafQueue.updateStarvedAppsMinshare.
                wanted, pending = less(wanted, pending), NONE
            else:
                pending = less(pending, wanted)
            app.min_starvation = wanted
            yield app

    def _preempted_already(self, now_ms: int) -> Resource:
        """What its applications were found to lack, and containers have been marked for since."""
        helped = (app for app in self.line.members() if now_ms < app.next_check_ms)
        return total(app.starvation() for app in helped)

    def _min_share_lack(self, now_ms: int) -> Resource:
        lack = less(componentwise_min(self.min_share, self.demand), self.used)
        if not lack:
            self.last_at_min_share_ms = now_ms
        if now_ms - self.last_at_min_share_ms < self.min_share_timeout_ms:
            return NONE
        return lack
