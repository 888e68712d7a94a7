"""Preemption between the users and applications of one queue, by user limit or by application priority.

Hadoop: IntraQueueCandidatesSelector and FifoIntraQueuePreemptionPlugin.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cmp_to_key

from yarnbox.rm.container import RMContainer
from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import truncate
from yarnbox.rm.scheduler.capacity.preemption.selection import Obtain, Round, victims_first
from yarnbox.rm.scheduler.capacity.preemption.snapshot import AppShare, AppView, QueueView, Steps
from yarnbox.yarn.ids import ApplicationAttemptId
from yarnbox.yarn.resources.resource import NONE, Resource, less, total


class _User:
    """One user's figures in one queue and partition."""

    __slots__ = ("am", "ideal", "is_done", "limit", "selected", "used")

    def __init__(self, used: Resource, am: Resource, limit: Resource) -> None:
        self.used = used
        self.am = am
        self.limit = limit
        """The user limit over all users, less what the user's AMs take."""
        self.ideal = NONE
        self.selected = NONE
        self.is_done = False


def select_within_queues(round_: Round) -> Steps[None]:
    """In each queue with unmet demand, selects containers of applications above their ideal assignment."""
    work: dict[tuple[str, str], _WithinQueue] = {}
    selected: dict[ApplicationAttemptId, list[RMContainer]] = defaultdict(list)
    for container in round_.selected:
        selected[container.attempt_id].append(container)
    for partition in round_.snapshot.partitions:
        for queue in round_.underserved[partition].values():
            if queue.is_leaf:
                part = _WithinQueue(round_, queue, partition, work)
                part.compute(selected)
                work[queue.path, partition] = part
                yield
    yield from round_.deduct_selected()
    for part in work.values():
        yield
        if not part.queue.is_intra_disabled:
            part.select()


class _WithinQueue:
    """One queue in one partition."""

    def __init__(
        self, round_: Round, queue: QueueView, partition: str, work: Mapping[tuple[str, str], _WithinQueue]
    ) -> None:
        self.round = round_
        self.queue = queue
        self.partition = partition
        self.work = work
        """All queues and partitions that are looked at, this one too."""
        self.arithmetic = round_.snapshot.arithmetic
        self.cluster = round_.snapshot.cluster
        self.is_user_limit_first = round_.settings.is_user_limit_first
        self.users: dict[str, _User] = {}
        self.high_to_low: list[AppShare] = []

    # What each application should have, take and give

    def compute(self, selected: Mapping[ApplicationAttemptId, Sequence[RMContainer]]) -> None:
        """Writes ideal, other, give and actual of the queue's applications."""
        queue, share, partition = self.queue, self.queue.share(self.partition), self.partition
        settings = self.round.settings
        reassignable = share.used - share.to_obtain
        # As everywhere, a guarantee counts for one minimum allocation at least (CSQueueUtils).
        guaranteed = self.arithmetic.greater(
            share.total, share.guaranteed, self.round.snapshot.minimum_allocation
        )
        used_capacity = self.arithmetic.divide(share.total, share.used, guaranteed)
        if used_capacity < float32(settings.intra_minimum_threshold):
            return
        reassignable = reassignable - total(app.charged_am.get(partition, NONE) for app in queue.active_apps)
        if len(queue.active_apps) + len(queue.waiting_apps) == 1:
            return
        for app in queue.active_apps:
            self._count_user(app.user, app.charged_am.get(partition, NONE))
        for app in queue.waiting_apps:
            self._count_user(app.user, NONE)
        self.high_to_low = [AppShare(app, partition) for app in self._ordered()]
        queue.app_shares[partition] = self.high_to_low
        self._compute_ideals(reassignable, selected)
        self._compute_give()
        self._match()

    def _count_user(self, name: str, am: Resource) -> None:
        user = self.users.get(name)
        if user is None:
            limit = self.queue.user_limit(name, self.partition)
            used = self.queue.user_used(name, self.partition)
            self.users[name] = _User(used, am, limit - am)
        else:
            user.am = user.am + am
            user.limit = user.limit - am

    def _ordered(self) -> list[AppView]:
        apps = [*self.queue.active_apps, *self.queue.waiting_apps]
        if not (self.queue.is_fair and self.is_user_limit_first):
            return sorted(apps, key=lambda app: (-app.priority, app.attempt_id))
        compare, cluster = self.arithmetic.compare, self.cluster

        def before(one: AppView, two: AppView) -> int:
            if one.user == two.user:
                return one.order - two.order
            mine, theirs = self.users[one.user], self.users[two.user]
            by_use = compare(cluster, mine.used - mine.am, theirs.used - theirs.am)
            return by_use or (one.attempt_id > two.attempt_id) - (one.attempt_id < two.attempt_id)

        return sorted(apps, key=cmp_to_key(before))

    def _compute_ideals(
        self, reassignable: Resource, earlier: Mapping[ApplicationAttemptId, Sequence[RMContainer]]
    ) -> None:
        arithmetic, cluster, partition = self.arithmetic, self.cluster, self.partition
        conservative = self.round.settings.intra_conservative_drf
        for app in self.high_to_low:
            if arithmetic.compare(cluster, reassignable, NONE) <= 0:
                continue
            if conservative and arithmetic.is_any_zero_or_negative(reassignable):
                continue
            user = self.users[app.app.user]
            selected = total(
                container.resource
                for container in earlier.get(app.app.attempt_id, ())
                if container.label == partition
            )
            app.selected = app.selected + selected
            user.selected = user.selected + selected
            own = app.used - app.am - app.selected
            want = own + app.pending
            if arithmetic.compare(cluster, user.ideal, user.limit) >= 0:
                continue
            app.ideal = arithmetic.lesser(
                cluster, reassignable, arithmetic.lesser(cluster, want, user.limit - user.ideal)
            )
            user.ideal = user.ideal + app.ideal
            if arithmetic.compare(cluster, app.ideal, own) > 0:
                app.other = app.ideal - own
            reassignable = less(reassignable, app.ideal)

    def _compute_give(self) -> None:
        arithmetic, cluster, partition = self.arithmetic, self.cluster, self.partition
        share = self.queue.share(partition)
        limit = truncate(share.guaranteed, float32(self.round.settings.intra_max_allowable_limit))
        limit = limit - share.to_obtain if arithmetic.compare(cluster, limit, share.to_obtain) > 0 else NONE
        limit = arithmetic.lesser(cluster, limit, self.round.allowed)
        for app in reversed(self.high_to_low):
            if not arithmetic.is_positive(cluster, limit) or not arithmetic.is_positive(cluster, app.used):
                continue
            spare = less(less(app.used - app.ideal, app.selected), app.am)
            if self.is_user_limit_first:
                spare = less(spare, self.round.snapshot.minimum_allocation)
            app.give = arithmetic.lesser(cluster, arithmetic.greater(cluster, spare, NONE), limit)
            limit = less(limit, app.give)

    # Who takes from whom

    def _match(self) -> None:
        positive = self.arithmetic.is_positive
        for high in self.high_to_low:
            if not positive(self.cluster, high.other):
                continue
            for low in reversed(self.high_to_low):
                if positive(self.cluster, low.give):
                    self._match_pair(high, low)

    def _match_pair(self, high: AppShare, low: AppShare) -> None:
        arithmetic, cluster = self.arithmetic, self.cluster
        is_same_user = high.app.user == low.app.user
        if is_same_user and low.app.priority >= high.app.priority:
            return
        if arithmetic.compare(cluster, low.give, low.actual) <= 0 or not high.other:
            return
        user = self.users[low.app.user]
        is_over_limit = arithmetic.compare(cluster, user.used - user.am, user.limit) > 0
        if not is_same_user and not is_over_limit and self.is_user_limit_first:
            return
        possible = low.give - low.actual
        if not is_same_user and low.app.priority == high.app.priority and is_over_limit:
            over = NONE if user.is_done else user.used - user.am - user.selected - user.limit
            if arithmetic.compare(cluster, over, possible) < 0:
                user.is_done = True
                possible = over
        if arithmetic.is_positive(cluster, possible):
            taken = arithmetic.lesser(cluster, high.other, possible)
            high.other = high.other - taken
            low.actual = low.actual + taken

    # Containers

    def select(self) -> None:
        """Selects containers of applications to preempt from, the one of the lowest priority first."""
        givers = [share for share in reversed(self.high_to_low) if share.actual]
        obtain: Obtain = {self.partition: total(share.actual for share in givers)}
        if not self.arithmetic.is_positive(self.cluster, obtain[self.partition]):
            return
        rolling: dict[str, Resource] = {}
        for giver in givers:
            if not obtain:
                return
            self._select_of(giver.app, obtain, rolling)

    def _select_of(self, app: AppView, obtain: Obtain, rolling: dict[str, Resource]) -> None:
        conservative = self.round.settings.intra_conservative_drf
        for container in victims_first(app):
            if not obtain:
                return
            if container in self.round.selected or container.is_am:
                continue
            if self.round.is_killable(container):
                continue
            if self.is_user_limit_first and not self._may_lose(app.user, container, rolling):
                return
            if self.round.take(obtain, container, is_conservative=conservative) and self.is_user_limit_first:
                rolling[app.user] = self._rolling(app.user, rolling) - container.resource

    def _rolling(self, name: str, rolling: dict[str, Resource]) -> Resource:
        return rolling.setdefault(name, self.queue.user_used(name, self.partition))

    def _may_lose(self, name: str, container: RMContainer, rolling: dict[str, Resource]) -> bool:
        """Whether the user stays above the limit: preemption never brings a user down to it."""
        there = self.work.get((self.queue.path, container.node.partition))
        user = there.users.get(name) if there is not None else None
        if user is None:
            return True
        rest = self._rolling(name, rolling) - container.resource
        return self.arithmetic.compare(self.cluster, rest, user.limit + user.am) > 0
