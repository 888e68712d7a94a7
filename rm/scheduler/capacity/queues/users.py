"""The users of a leaf: what each has, who is active, and the user limit, worked out when it is asked for.

A user is active while one of its applications has pending requests that began when the user had an activated
application; an application that ended with pending requests counts until it has left the queue. The limit
changes with every booking, so it is kept with the version of the state it was worked out from, and sums over
users follow the one user that changed. Hadoop: UsersManager, User and UserInfo.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.limits import UserLimitInputs, user_limit
from yarnbox.rm.scheduler.capacity.queues.shares import Share
from yarnbox.rm.scheduler.usage import Usage, Watcher
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, exchanged
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash

_FOR_ALL: Final = 1
_IGNORING: Final = 2
_KINDS: Final = 4
"""Limits count all users as active or only those who are, and go by a partition lent or not."""
_NEVER: Final = -1


class CountedUse:
    """One user's part of the sums over the users of a leaf, in one partition."""

    __slots__ = ("active", "ratio")

    def __init__(self) -> None:
        self.active = NONE
        """Of the use of active users."""
        self.ratio = 0.0
        """What it has of the partition, as of its last booking there or the cluster's last change."""


class User(Watcher):
    """One user in one leaf."""

    __slots__ = (
        "active_apps",
        "am_limits",
        "counted",
        "in_default",
        "is_active",
        "is_fulfilling",
        "is_stale",
        "name",
        "pending_apps",
        "usage",
        "users",
        "weight",
    )

    def __init__(self, name: str, users: Users) -> None:
        self.name = name
        self.users = users
        self.weight = 1.0
        self.usage = Usage(self, is_told_each_ask=False)
        self.am_limits: dict[str, Resource] = {}
        """What its AMs may use, by partition, as of the last activation."""
        self.active_apps = 0
        self.pending_apps = 0
        self.is_active = False
        """Whether it shares the limit with others."""
        self.is_fulfilling = False
        """While something reserved becomes a container: it has no more and no less than before."""
        self.is_stale = False
        self.in_default = CountedUse()
        """What the sums of the default partition contain of it, at hand."""
        self.counted: dict[str, CountedUse] = {DEFAULT_PARTITION: self.in_default}
        """By partition."""

    def counted_in(self, partition: str) -> CountedUse:
        """What the sums contain of it; made when first asked for."""
        counted = self.counted.get(partition) if partition else self.in_default
        if counted is None:
            self.counted[partition] = counted = CountedUse()
        return counted

    def books_changed(self, partition: str) -> None:
        """Its sums are to be counted again; its ratio is added at once."""
        if not self.is_fulfilling:
            self.users.record_booking(self, partition)

    def pending_changed(self, partition: str) -> None:
        """Asks alone change no limit; activity does, and is told by the leaf."""
        return


class Sums:
    """The users of a leaf in one partition: sums over them, and the limits that were worked out last."""

    __slots__ = ("active_used", "decided", "inputs", "limits", "own_limits", "ratio", "scaled_limits")

    def __init__(self) -> None:
        self.active_used = NONE
        """What active users have."""
        self.ratio = 0.0
        """What all of them have, by the capacity of the partition."""
        self.decided = [_NEVER] * _KINDS
        """The state as of which each kind of limit was last worked out for a decision."""
        self.limits: list[CachedLimit | None] = [None] * _KINDS
        self.own_limits: list[CachedLimit | None] = [None] * _KINDS
        """The same for a user of weight 1, rounded down."""
        self.scaled_limits: dict[tuple[int, float], CachedLimit] = {}
        """For users of other weights."""
        self.inputs: UserLimitInputs | None = None


class CachedLimit:
    """A limit, and the version of the books from which it was computed."""

    __slots__ = ("limit", "version")

    def __init__(self, version: int, limit: Resource) -> None:
        self.version = version
        self.limit = limit


class Users:
    """All users of one leaf."""

    def __init__(self, context: QueueContext, settings: QueueSettings, shares: Mapping[str, Share]) -> None:
        self.context = context
        self.settings = settings
        self.shares = shares
        self.by_name: dict[str, User] = {}
        self.asking: dict[str, dict[ApplicationId, None]] = {}
        """The applications that count as asking, by the names of their users."""
        self.version = 0
        """Raised by whatever changes a limit."""
        self.stale: list[User] = []
        self.state = 0
        """Raised by what makes the next decision work limits out anew: bookings, users that become active."""
        self._only_pending = 0
        """Users whose applications all wait, as of the last computation: AM limits count them as active."""
        self._is_count_due = False
        """Whether these are to be counted again, as they are now."""
        self._in_default = Sums()
        self._sums: dict[str, Sums] = {DEFAULT_PARTITION: self._in_default}
        """By partition; those of the default partition at hand."""
        self._weights: tuple[float, float] | None = None
        """What `_count_users` found, until somebody comes, goes, or begins or ceases to ask."""

    # Who is there

    def join(self, name: str) -> User:
        """The user of that name, new if need be."""
        user = self.by_name.get(name)
        if user is None:
            held = self._limits_in_force()
            self.by_name[name] = user = User(name, self)
            user.weight = self.settings.user_weights.get(name, 1.0)
            self._users_changed(held)
        return user

    def leave(self, user: User) -> None:
        """Forgets a user without applications."""
        held = self._limits_in_force()
        self._recount(user)
        for partition, counted in user.counted.items():
            sums = self._sums_of(partition)
            sums.active_used = sums.active_used - counted.active
        del self.by_name[user.name]
        self._users_changed(held)

    def _limits_in_force(self) -> list[CachedLimit]:
        """The limits that Hadoop has worked out, and does not work out again because a user comes or goes.

        See tests/scenarios/queues/user-limit-outlives-a-user.yaml.
        """
        return [
            self._cached(sums, partition, kind)
            for partition, sums in self._sums.items()
            for kind, state in enumerate(sums.decided)
            if state == self.state
        ]

    def _users_changed(self, held: list[CachedLimit]) -> None:
        self.version += 1
        self._weights = None
        for each in held:
            each.version = self.version

    def forget_if_idle(self, name: str) -> None:
        """Forgets a user who has neither applications nor containers here any more.

        An application that max-parallel-apps keeps back does not count, whatever it asks for. See
        tests/scenarios/capacity/waiting-application-has-no-user.yaml.
        """
        user = self.by_name.get(name)
        if user is not None and not user.active_apps + user.pending_apps:
            if not any(amounts.used for amounts in user.usage.by_partition.values()):
                self.leave(user)

    def add_asking(self, name: str, application_id: ApplicationId) -> None:
        """An application asks for something new: it counts if one of its user's is activated, or if the user
        had been forgotten, who is there again unless others of that name count. Hadoop:
        UsersManager.activateApplication. See tests/scenarios/queues/asking-brings-a-user-back.yaml and
        asking-counts-for-the-user-of-now.yaml.
        """
        user = self.by_name.get(name)
        if user is not None and user.active_apps <= 0:
            return
        applications = self.asking.get(name)
        if applications is None:
            self.asking[name] = applications = {}
            self._activity_changed(self.join(name), is_active=True)
        applications[application_id] = None

    def remove_asking(self, name: str, application_id: ApplicationId) -> None:
        """An application wants nothing any more, or has left the queue."""
        applications = self.asking.get(name)
        if applications is None:
            return
        applications.pop(application_id, None)
        if not applications:
            del self.asking[name]
            self._activity_changed(self.by_name.get(name), is_active=False)

    def _activity_changed(self, user: User | None, *, is_active: bool) -> None:
        self.state += 1
        self.version += 1
        self._weights = None
        if user is not None:
            user.is_active = is_active
            self.touch(user)

    def touch(self, user: User) -> None:
        """The sums have to count the user again."""
        self.version += 1
        if not user.is_stale:
            user.is_stale = True
            self.stale.append(user)

    def set_settings(self, settings: QueueSettings) -> None:
        """A refresh: weights, percent and factor may be others."""
        self.settings = settings
        for user in self.by_name.values():
            user.weight = settings.user_weights.get(user.name, 1.0)
        self.version += 1
        self.state += 1
        self._weights = None

    def cluster_changed(self) -> None:
        """Ratios are of another total now: all sums afresh."""
        for sums in self._sums.values():
            sums.active_used = NONE
        self.stale = list(self.by_name.values())
        for user in self.stale:
            for counted in user.counted.values():
                counted.active = NONE
            user.is_stale = True
        self._sum_ratios()
        self.version += 1

    def record_booking(self, user: User, partition: str) -> None:
        """Something was booked for the user. Hadoop adds each difference to the sum, as 32-bit floats,
        which so drifts away from what the users have; limits go by the sum.
        """
        ratio = self._ratio_of(user, partition)
        counted = user.counted_in(partition) if partition else user.in_default
        sums = self._sums_of(partition) if partition else self._in_default
        if ratio != counted.ratio:
            sums.ratio = float32(sums.ratio + float32(ratio - counted.ratio))
            counted.ratio = ratio
        self.version += 1
        if not user.is_stale:
            user.is_stale = True
            self.stale.append(user)
        self.state = state = self.state + 1
        if self.context.settings.user_metrics:
            # Metrics tell what the user may still have, which is worked out at once. Without them it is left
            # to the next decision. See tests/scenarios/queues/booking-decides-no-limit.yaml.
            sums.decided[0] = state
            self._is_count_due = True

    def _sum_ratios(self) -> None:
        for sums in self._sums.values():
            sums.ratio = 0.0
        # Hadoop's map of users doubles one entry earlier than a HashMap.
        for name in in_hash_order(self.by_name, text_hash, len(self.by_name) + 1):
            user = self.by_name[name]
            for partition in user.usage.by_partition:
                user.counted_in(partition).ratio = ratio = self._ratio_of(user, partition)
                sums = self._sums_of(partition)
                sums.ratio = float32(sums.ratio + ratio)

    def _ratio_of(self, user: User, partition: str) -> float:
        context = self.context
        amounts = user.usage.find(partition)
        used = amounts.used if amounts is not None else NONE
        return context.calculator.ratio(used, context.partition_total(partition))

    def consumed_ratio(self, partition: str) -> float:
        """What all users have of a partition, as limits go by it."""
        return self._sums_of(partition).ratio

    def _sums_of(self, partition: str) -> Sums:
        sums = self._sums.get(partition) if partition else self._in_default
        if sums is None:
            self._sums[partition] = sums = Sums()
        return sums

    def active_count(self) -> int:
        """How many users AM limits are shared between."""
        self.count_waiting_users()
        return len(self.asking) + self._only_pending

    def record_decision(
        self, partition: str, *, ignores_exclusivity: bool = False, for_all: bool = False
    ) -> None:
        """A decision goes by this limit: if bookings have changed since the last time, users who have nothing
        but waiting applications are counted anew, too.

        Views ask for limits without saying so, and change nothing.
        """
        sums = self._sums_of(partition) if partition else self._in_default
        kind = _kind(ignores_exclusivity, for_all) if ignores_exclusivity or for_all else 0
        if sums.decided[kind] != self.state:
            sums.decided[kind] = self.state
            self._is_count_due = True

    def count_waiting_users(self) -> None:
        """Counts those who have nothing but waiting applications, if that is due; to be called before an
        application comes, is activated, or goes.
        """
        if self._is_count_due:
            self._is_count_due = False
            self._only_pending = sum(
                1 for user in self.by_name.values() if user.pending_apps > 0 and user.active_apps <= 0
            )

    # Limits

    def limit_of(self, user: User | None, partition: str, *, ignores_exclusivity: bool = False) -> Resource:
        """How much the user may have before it is passed over; None is one who is not known here (any more)
        and has the weight 1.
        """
        weight = user.weight if user is not None else 1.0
        kind = _kind(True, False) if ignores_exclusivity else 0
        sums = self._sums_of(partition) if partition else self._in_default
        known = sums.own_limits[kind] if weight == 1.0 else sums.scaled_limits.get((kind, weight))
        if known is not None and known.version == self.version:
            return known.limit
        whole = self._limit(sums, partition, ignores_exclusivity, False)
        limit = self.context.calculator.multiply_down(whole, weight, self.context.minimum)
        if known is not None:
            known.version, known.limit = self.version, limit
        elif weight == 1.0:
            sums.own_limits[kind] = CachedLimit(self.version, limit)
        else:
            sums.scaled_limits[kind, weight] = CachedLimit(self.version, limit)
        return limit

    def limit(self, partition: str, *, ignores_exclusivity: bool = False, for_all: bool = False) -> Resource:
        """The limit of a user of weight 1; `for_all`: with all users counted as active."""
        return self._limit(self._sums_of(partition), partition, ignores_exclusivity, for_all)

    def _limit(self, sums: Sums, partition: str, ignores_exclusivity: bool, for_all: bool) -> Resource:
        kind = _kind(ignores_exclusivity, for_all) if ignores_exclusivity or for_all else 0
        return self._cached(sums, partition, kind).limit

    def _cached(self, sums: Sums, partition: str, kind: int) -> CachedLimit:
        known = sums.limits[kind]
        if known is None:
            sums.limits[kind] = known = CachedLimit(_NEVER, NONE)
        if known.version != self.version:
            known.limit = user_limit(
                self._inputs(sums, partition),
                self.context.calculator,
                ignores_exclusivity=kind >= _IGNORING,
                for_all=kind % _IGNORING == _FOR_ALL,
            )
            known.version = self.version
        return known

    def _inputs(self, sums: Sums, partition: str) -> UserLimitInputs:
        if self.stale:
            stale, self.stale = self.stale, []
            for user in stale:
                self._recount(user)
        if self._weights is None:
            self._weights = self._count_users()
        active_weight, all_weight = self._weights
        share = self.shares.get(partition)
        context, settings = self.context, self.settings
        inputs = sums.inputs
        if inputs is None:
            sums.inputs = inputs = UserLimitInputs(
                total=NONE,
                effective_minimum=NONE,
                down_maximum=NONE,
                minimum=NONE,
                consumed_ratio=0.0,
                used_by_active=NONE,
                active_weight=0.0,
                all_weight=0.0,
                percent=0.0,
                factor=0.0,
            )
        inputs.total = context.partition_total(partition)
        inputs.effective_minimum = share.effective_minimum if share is not None else NONE
        inputs.down_maximum = share.down_maximum if share is not None else NONE
        inputs.minimum = context.minimum
        inputs.consumed_ratio = sums.ratio
        inputs.used_by_active = sums.active_used
        inputs.active_weight, inputs.all_weight = active_weight, all_weight
        inputs.percent, inputs.factor = settings.user_limit_percent, settings.user_limit_factor
        return inputs

    def _count_users(self) -> tuple[float, float]:
        """The weights of active users, and of all."""
        active_weight = all_weight = 0.0
        for user in self.by_name.values():
            all_weight = float32(all_weight + user.weight)
            if user.is_active:
                active_weight = float32(active_weight + user.weight)
        return active_weight, all_weight

    def _recount(self, user: User) -> None:
        """Puts the user's present use into the sums in place of the one that was counted last."""
        user.is_stale = False
        is_active = user.is_active
        for partition, amounts in user.usage.by_partition.items():
            counted = user.counted_in(partition) if partition else user.in_default
            used = amounts.used if is_active else NONE
            if used is not counted.active:
                sums = self._sums_of(partition) if partition else self._in_default
                sums.active_used = exchanged(sums.active_used, counted.active, used)
                counted.active = used


def _kind(ignores_exclusivity: bool, for_all: bool) -> int:
    """The place of such limits in the lists of a partition's sums."""
    return (_IGNORING if ignores_exclusivity else 0) + (_FOR_ALL if for_all else 0)
