"""The users of a leaf: what each has, who is active, and the user limit, worked out when it is asked for.

A user is active while one of its applications asks for something that it began to ask for when the user had
an activated one; an application that ended in the midst of it counts until it has left the queue. The limit
changes with every booking, so it is kept with the version of the state it was worked out from, and sums over
users follow the one user that changed. Hadoop: UsersManager, User and UserInfo.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.limits import UserLimitInputs, user_limit
from yarnbox.rm.scheduler.capacity.queues.shares import Share
from yarnbox.rm.scheduler.usage import Usage
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.resources.resource import NONE, Resource
from yarnbox.yarn.runtime.java_order import in_hash_order, text_hash


class User:
    """One user in one leaf."""

    __slots__ = (
        "active_apps",
        "am_limits",
        "counted_active",
        "is_active",
        "is_stale",
        "name",
        "pending_apps",
        "ratios",
        "usage",
        "users",
        "waiting_apps",
        "weight",
    )

    def __init__(self, name: str, users: Users) -> None:
        self.name = name
        self.users = users
        self.weight = 1.0
        self.usage = Usage(self)
        self.am_limits: dict[str, Resource] = {}
        """What its AMs may use, by partition, as of the last activation."""
        self.active_apps = 0
        self.pending_apps = 0
        self.waiting_apps = 0
        """Applications that max-parallel-apps keeps back."""
        self.is_active = False
        """Whether it shares the limit with others."""
        self.is_stale = False
        self.counted_active: dict[str, Resource] = {}
        """What the sum over active users contains of this user, by partition."""
        self.ratios: dict[str, float] = {}
        """What it has of each partition, as of its last booking there or the cluster's last change."""

    def books_changed(self, partition: str) -> None:
        """Its sums are to be counted again; its ratio is added at once."""
        users = self.users
        users.add_ratio(self, partition)
        users.touch(self)
        users.state += 1
        users.note_decision(partition)

    def pending_changed(self, partition: str) -> None:
        """Asks alone change no limit; activity does, and is told by the leaf."""
        return


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
        self._decided: dict[tuple[str, bool, bool], int] = {}
        """The state as of which each limit was last worked out for a decision."""
        self._active_used: dict[str, Resource] = {}
        self._ratio: dict[str, float] = {}
        self._weights: tuple[float, float] | None = None
        """What `_count_users` found, until somebody comes, goes, or begins or ceases to ask."""
        self._limits: dict[tuple[str, bool, bool], tuple[int, Resource]] = {}
        self._own_limits: dict[tuple[str, bool, float], tuple[int, Resource]] = {}

    # Who is there

    def join(self, name: str) -> User:
        """The user of that name, new if need be."""
        user = self.by_name.get(name)
        if user is None:
            self.by_name[name] = user = User(name, self)
            user.weight = self.settings.user_weights.get(name, 1.0)
            self.version += 1
            self._weights = None
        return user

    def leave(self, user: User) -> None:
        """Forgets a user without applications."""
        self._recount(user)
        for partition, used in user.counted_active.items():
            self._active_used[partition] = self._active_used.get(partition, NONE) - used
        del self.by_name[user.name]
        self.version += 1
        self._weights = None

    def forget_if_idle(self, user: User) -> None:
        """Forgets a user who has neither applications nor containers here any more."""
        if (
            self.by_name.get(user.name) is user
            and not user.active_apps + user.pending_apps + user.waiting_apps
        ):
            if all(amounts.is_zero() for amounts in user.usage.by_partition.values()):
                self.leave(user)

    def note_asking(self, user: User, application_id: ApplicationId) -> None:
        """An application asks for something new: it counts if one of its user's is activated."""
        if user.active_apps <= 0:
            return
        applications = self.asking.get(user.name)
        if applications is None:
            self.asking[user.name] = applications = {}
            self._activity_changed(user, is_active=True)
        applications[application_id] = None

    def note_satisfied(self, name: str, application_id: ApplicationId) -> None:
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
        self._active_used.clear()
        self.stale = list(self.by_name.values())
        for user in self.stale:
            user.counted_active.clear()
            user.is_stale = True
        self._sum_ratios()
        self.version += 1

    def add_ratio(self, user: User, partition: str) -> None:
        """Something was booked for the user. Hadoop adds each difference to the sum, as 32-bit floats,
        which so drifts away from what the users have; limits go by the sum.
        """
        ratio = self._ratio_of(user, partition)
        before = user.ratios.get(partition, 0.0)
        if ratio != before:
            user.ratios[partition] = ratio
            self._ratio[partition] = float32(self._ratio.get(partition, 0.0) + float32(ratio - before))

    def _sum_ratios(self) -> None:
        self._ratio.clear()
        # Hadoop's map of users doubles one entry earlier than a HashMap.
        for name in in_hash_order(self.by_name, text_hash, len(self.by_name) + 1):
            user = self.by_name[name]
            for partition in user.usage.by_partition:
                user.ratios[partition] = ratio = self._ratio_of(user, partition)
                self._ratio[partition] = float32(self._ratio.get(partition, 0.0) + ratio)

    def _ratio_of(self, user: User, partition: str) -> float:
        context = self.context
        return context.calculator.ratio(user.usage.used(partition), context.partition_total(partition))

    def active_count(self) -> int:
        """How many users AM limits are shared between."""
        self.count_waiting_users()
        return len(self.asking) + self._only_pending

    def note_decision(
        self, partition: str, *, ignores_exclusivity: bool = False, for_all: bool = False
    ) -> None:
        """A decision goes by this limit: if bookings have changed since the last time, users who have nothing
        but waiting applications are counted anew, too.

        Views ask for limits without saying so, and change nothing.
        """
        key = (partition, ignores_exclusivity, for_all)
        if self._decided.get(key) != self.state:
            self._decided[key] = self.state
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

    def limit_of(self, user: User, partition: str, *, ignores_exclusivity: bool = False) -> Resource:
        """How much the user may have before it is passed over."""
        weight = user.weight
        key = (partition, ignores_exclusivity, weight)
        known = self._own_limits.get(key)
        if known is not None and known[0] == self.version:
            return known[1]
        whole = self.limit(partition, ignores_exclusivity=ignores_exclusivity)
        limit = self.context.calculator.multiply_down(whole, weight, self.context.minimum)
        self._own_limits[key] = (self.version, limit)
        return limit

    def limit(self, partition: str, *, ignores_exclusivity: bool = False, for_all: bool = False) -> Resource:
        """The limit of a user of weight 1; `for_all`: with all users counted as active."""
        key = (partition, ignores_exclusivity, for_all)
        known = self._limits.get(key)
        if known is not None and known[0] == self.version:
            return known[1]
        limit = user_limit(
            self._inputs(partition),
            self.context.calculator,
            ignores_exclusivity=ignores_exclusivity,
            for_all=for_all,
        )
        self._limits[key] = (self.version, limit)
        return limit

    def _inputs(self, partition: str) -> UserLimitInputs:
        stale, self.stale = self.stale, []
        for user in stale:
            self._recount(user)
        if self._weights is None:
            self._weights = self._count_users()
        active_weight, all_weight = self._weights
        share = self.shares.get(partition)
        settings = self.settings
        return UserLimitInputs(
            total=self.context.partition_total(partition),
            effective_minimum=share.effective_minimum if share is not None else NONE,
            down_maximum=share.down_maximum if share is not None else NONE,
            minimum=self.context.minimum,
            consumed_ratio=self._ratio.get(partition, 0.0),
            used_by_active=self._active_used.get(partition, NONE),
            active_weight=active_weight,
            all_weight=all_weight,
            percent=settings.user_limit_percent,
            factor=settings.user_limit_factor,
        )

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
            counted = user.counted_active.get(partition, NONE)
            used = amounts.used if is_active else NONE
            if used is not counted:
                user.counted_active[partition] = used
                self._active_used[partition] = self._active_used.get(partition, NONE) - counted + used
