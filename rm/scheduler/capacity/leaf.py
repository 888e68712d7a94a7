"""A leaf queue: its applications, who of them may start, and which one is served next.

Answers for AbstractLeafQueue and LeafQueue. Limits are worked out in limits.py and users.py, one request
against one node in allocator.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rm.scheduler.application import Attempt
from rm.scheduler.capacity.allocator import assign_application
from rm.scheduler.capacity.application import CapacityAttempt
from rm.scheduler.capacity.assignment import NOTHING, Assignment, Limits, Pass, Skipped, SkipReason
from rm.scheduler.capacity.frame import Frame
from rm.scheduler.capacity.limits import (
    am_limit,
    headroom,
    maximum_applications,
    maximum_applications_per_user,
    user_am_limit,
)
from rm.scheduler.capacity.ordering import AppOrder, Ordered, pending_key
from rm.scheduler.capacity.queue import CapacityQueue
from rm.scheduler.capacity.settings import DEFAULT_PARTITION, CapacityMode, QueueKind, QueueSettings
from rm.scheduler.capacity.shares import Share
from rm.scheduler.capacity.users import User, Users
from rm.scheduler.usage import Path
from yarn.enums import QueueState
from yarn.errors import YarnError
from yarn.ids import ApplicationId
from yarn.resource import NONE, Resource

if TYPE_CHECKING:
    from rm.scheduler.capacity.parent import ParentQueue


class LeafQueue(CapacityQueue):
    """A queue that holds applications."""

    def __init__(self, frame: Frame, settings: QueueSettings, parent: ParentQueue | None) -> None:
        super().__init__(frame, settings, parent)
        self.users = Users(frame, settings, self.shares)
        self.order = AppOrder(settings)
        self.pending = Ordered(pending_key)
        self.applications: dict[ApplicationId, str] = {}
        """Applications admitted, whatever became of their attempts, and their users."""
        self.user_applications: dict[str, int] = {}
        self.waiting: dict[CapacityAttempt, None] = {}
        """Attempts that max-parallel-apps keeps back, in the order in which they came."""
        self.current_limit = NONE
        """What the leaf could use at most when an application was last looked at, or the cluster changed."""
        self.unconsidered: dict[CapacityAttempt, None] = {}
        """Activated applications that no pass has reached yet: they have no headroom."""
        self._considered_end: Any = None
        """Up to here in the order nobody is left of them."""
        self.maximum_applications = 0
        self.maximum_applications_per_user = 0
        self.borrowed: dict[str, dict[object, None]] = {}
        """Containers in a partition that was lent, by partition (ignore-exclusivity containers)."""

    @property
    def app_count(self) -> int:
        """Applications pending and active together."""
        return len(self.applications)

    @property
    def active_count(self) -> int:
        """Activated applications."""
        return self.order.count

    def walk(self) -> Iterator[CapacityQueue]:
        """Itself."""
        yield self

    def path_for(self, attempt: CapacityAttempt, user: User) -> Path:
        """The books that a container of the attempt stands in."""
        return (attempt.usage, user.usage, *(queue.usage for queue in self.ancestors()))

    # Admission

    def check_submission(self, application_id: ApplicationId, user: str) -> None:
        """YarnError when the leaf takes no application of this user now."""
        self._check_running(application_id)
        count = len(self.applications)
        is_limited = self.kind is not QueueKind.AUTO_LEAF
        if is_limited and count >= self.maximum_applications:
            raise YarnError(
                f"Queue {self.path} already has {count} applications, cannot accept submission of "
                f"application: {application_id}"
            )
        self.users.join(user)  # known from here on, even if refused
        if is_limited:
            of_user = self.user_applications.get(user, 0)
            if of_user >= self.maximum_applications_per_user:
                raise YarnError(
                    f"Queue {self.path} already has {of_user} applications from user {user} cannot accept "
                    f"submission of application: {application_id}"
                )
        parent = self.parent
        while parent is not None:
            if parent.state is not QueueState.RUNNING:
                raise YarnError(
                    f"Queue {parent.path} is STOPPED. Cannot accept submission of application: "
                    f"{application_id}"
                )
            parent = parent.parent

    def _check_running(self, application_id: ApplicationId) -> None:
        if self.state is not QueueState.RUNNING:
            raise YarnError(
                f"Queue {self.path} is STOPPED. Cannot accept submission of application: {application_id}"
            )

    def add_application(self, application_id: ApplicationId, user: str) -> None:
        """An application was admitted."""
        self.applications[application_id] = user
        self.user_applications[user] = self.user_applications.get(user, 0) + 1
        self.last_used_ms = self.frame.context.now_ms

    def remove_application(self, application_id: ApplicationId) -> None:
        """An application is over, or moved away."""
        user = self.applications.pop(application_id, None)
        if user is None:
            return
        self.users.count_out(user, application_id)
        self.user_applications[user] -= 1
        if not self.user_applications[user]:
            del self.user_applications[user]
        if not self.applications and self.state is QueueState.DRAINING:
            self.state = QueueState.STOPPED
            if self.parent is not None:
                self.parent.settle_state()

    # Attempts

    def add_attempt(self, attempt: CapacityAttempt) -> None:
        """An attempt that may run joins those that wait to be activated."""
        attempt.leaf = self
        attempt.member = user = self.users.join(attempt.user)
        attempt.queue_side = self
        attempt.move_books(self.path_for(attempt, user))
        if attempt.is_asking:
            self.users.count_in(user, attempt.application_id)
        if not attempt.is_runnable:
            attempt.waits_for = SkipReason.NOT_RUNNABLE
            self.waiting[attempt] = None
            user.waiting_apps += 1
            return
        self.enter(attempt)

    def enter(self, attempt: CapacityAttempt) -> None:
        """An attempt became runnable."""
        attempt.is_runnable = True
        if attempt in self.waiting:
            del self.waiting[attempt]
            attempt.member.waiting_apps -= 1
        self.users.settle_count()
        attempt.member.pending_apps += 1
        attempt.waits_for = SkipReason.CLUSTER_EMPTY
        self.pending.add(attempt)
        self.frame.pending_apps += 1
        # A cluster without nodes activates nothing as it comes; whatever happens later may.
        if self.frame.calculator.is_any_positive(self.frame.cluster):
            self.activate()

    def remove_attempt(self, attempt: CapacityAttempt) -> None:
        """An attempt is over, or moves away; what it has booked goes with it."""
        user = attempt.member
        if attempt in self.waiting:
            del self.waiting[attempt]
            user.waiting_apps -= 1
        self.unconsidered.pop(attempt, None)
        self.users.settle_count()
        if self.order.remove(attempt):
            user.active_apps -= 1
            self._book_am(attempt, -1)
        elif self.pending.remove(attempt):
            user.pending_apps -= 1
            self.frame.pending_apps -= 1
        attempt.is_activated = False
        attempt.queue_side = None
        self.users.forget_if_idle(user)
        self.activate()

    def reorder(self, attempt: CapacityAttempt) -> None:
        """The application's priority changed."""
        self.order.touch(attempt)
        self.pending.touch(attempt)
        self._considered_end = None

    def asking_changed(self, attempt: Attempt) -> None:
        """An application began to want containers, or wants none any more."""
        assert isinstance(attempt, CapacityAttempt)
        if not attempt.is_asking and not attempt.is_stopped:
            self.users.count_out(attempt.user, attempt.application_id)
        if attempt.is_activated:
            self.order.asking_changed(attempt)

    # Activation

    def activate(self) -> None:
        """Starts waiting applications, as far as the limits for AMs allow.

        A smaller one may overtake one that does not fit. See tests/scenarios/capacity/user-am-limit.yaml.
        """
        frame = self.frame
        calculator = frame.calculator
        for label in self._labels():
            self._update_am_limit(label)
        user_limits: dict[str, Resource] = {}
        for attempt in list(self.pending):
            partition = attempt.partition
            share = self.share(partition)
            user = attempt.member
            am_used = self.usage.am_used(partition)
            is_starved = self.order.count == 0 or not calculator.is_any_positive(am_used)
            if not is_starved and not calculator.fits_in(am_used + attempt.am_resource, share.am_limit):
                attempt.waits_for = SkipReason.AM_LIMIT
                continue
            limit = user_limits.get(partition)
            if limit is None:
                user_limits[partition] = limit = self.user_am_limit_of(partition, user)
            wanted = user.usage.am_used(partition) + attempt.am_resource
            if not is_starved and not calculator.fits_in(wanted, limit):
                attempt.waits_for = SkipReason.USER_AM_LIMIT
                continue
            user.am_limits[partition] = limit
            self._start(attempt, user)

    def _start(self, attempt: CapacityAttempt, user: User) -> None:
        self.pending.remove(attempt)
        self.frame.pending_apps -= 1
        self.users.settle_count()
        user.pending_apps -= 1
        user.active_apps += 1
        attempt.waits_for = None
        attempt.is_activated = True
        self.order.add(attempt)
        if not attempt.is_considered:
            self.unconsidered[attempt] = None
            self._considered_end = None
        self._book_am(attempt, 1)
        self.frame.version += 1

    def _book_am(self, attempt: CapacityAttempt, sign: int) -> None:
        amount = attempt.am_resource * sign
        for usage in (attempt.member.usage, self.usage):
            amounts = usage.of(attempt.partition)
            amounts.am_used = amounts.am_used + amount

    def move_am(self, attempt: CapacityAttempt, partition: str) -> None:
        """The node of the attempt's AM is in another partition now."""
        if attempt.is_activated:
            self._book_am(attempt, -1)
        attempt.partition = partition
        if attempt.is_activated:
            self._book_am(attempt, 1)

    def _labels(self) -> tuple[str, ...]:
        """The labels it lists, in the cluster or not; of one that may use all, those it has shares in."""
        labels = self.settings.accessible_labels
        wanted = self.shares if "*" in labels else labels
        return tuple(dict.fromkeys((DEFAULT_PARTITION, *wanted)))

    def am_percent(self, partition: str) -> float:
        """The fraction of the partition's share that AMs may use."""
        return self.share(partition).am_percent

    def _update_am_limit(self, partition: str) -> None:
        share = self.share(partition)
        limit = self.current_limit if partition == DEFAULT_PARTITION else NONE
        frame = self.frame
        share.am_limit = am_limit(
            share.effective_minimum, limit, self.am_percent(partition), frame.minimum, frame.calculator
        )

    def user_am_limit_of(self, partition: str, user: User) -> Resource:
        """What the AMs of that user may use in a partition; noted as the latest of the queue."""
        share, frame = self.share(partition), self.frame
        share.user_am_limit = limit = user_am_limit(
            share.effective_minimum,
            share.am_limit,
            self.am_percent(partition),
            self.settings.user_limit_percent,
            self.settings.user_limit_factor,
            self.users.active_count(),
            user.weight,
            frame.minimum,
            frame.cluster,
            frame.calculator,
        )
        return limit

    # Limits

    def cluster_changed(self, limit: Resource) -> None:
        """Limits of applications, users and AMs follow the new shares; some may be activated."""
        frame = self.frame
        settings, scheduler = self.settings, frame.settings
        default = self.share(DEFAULT_PARTITION)
        largest = max(share.absolute for share in self.shares.values())
        self.maximum_applications = maximum_applications(
            settings.maximum_applications,
            scheduler.maximum_applications,
            scheduler.global_queue_maximum,
            largest,
            is_absolute=default.capacity_value.mode is CapacityMode.ABSOLUTE,
        )
        self.maximum_applications_per_user = maximum_applications_per_user(
            self.maximum_applications, settings.user_limit_percent, settings.user_limit_factor
        )
        self.current_limit = frame.calculator.min_of(frame.cluster, default.down_maximum, limit)
        self.users.cluster_changed()
        self.activate()
        self.users.state += 1
        self._consider_all()
        if self.order.count:
            self.users.consult(DEFAULT_PARTITION)

    def headroom_of(self, attempt: CapacityAttempt) -> Resource:
        """What the application may still ask for, summed over the partitions that it ever asked for."""
        if not attempt.is_considered:
            return NONE
        partitions = tuple(attempt.asks.partitions) or (DEFAULT_PARTITION,)
        found = NONE
        for partition in partitions:
            self.users.consult(partition)
            found = found + self.user_headroom(attempt.member, partition)
        return found if found.memory_mb >= 0 else Resource(0, found.vcores, found.others)

    def consider(self, attempt: CapacityAttempt, partition: str) -> None:
        """Its limits are looked at, though no pass has reached it: from now on it has a headroom."""
        self.users.consult(partition)
        self.unconsidered.pop(attempt, None)
        attempt.is_considered = True

    def user_headroom(self, user: User, partition: str) -> Resource:
        """What a user may still have in a partition; below zero where limits have shrunk."""
        frame = self.frame
        share: Share = self.share(partition)
        root = next(queue for queue in self.ancestors() if queue.parent is None)
        return headroom(
            self.users.limit_of(user, partition),
            user.usage.used(partition),
            self.current_limit if partition == DEFAULT_PARTITION else share.effective_maximum,
            share.amounts.used,
            frame.partition_total(partition),
            root.usage.used(partition),
            frame.minimum,
            frame.calculator,
        )

    # Giving

    def assign(self, walk: Pass, limit: Resource) -> Assignment:
        """One container at most, to the first application in order that may have one."""
        frame = self.frame
        calculator = frame.calculator
        default = self.shares[DEFAULT_PARTITION]
        limit_now = calculator.min_of(walk.cluster, default.down_maximum, limit)
        if not walk.ignores_exclusivity and not self.can_access(walk.partition):
            self._note_all(walk, SkipReason.PARTITION_ACCESS)
            return NOTHING
        limits = Limits(limit)
        is_below = self.can_assign(walk, limits, NONE)
        if not is_below and not self._reservations_may_help(walk, limits):
            self._note_all(walk, SkipReason.QUEUE_AT_MAXIMUM)
            return NOTHING
        if self.order.count:
            self.current_limit = limit_now
            walk.current_limits.append((self, limit_now))
            self.users.consult(walk.partition, ignores_exclusivity=walk.ignores_exclusivity)
        last: CapacityAttempt | None = None
        outcome = NOTHING
        refused: dict[User, Resource] = {}
        candidates = self.order.asking(walk.partition).entries()
        if not is_below:
            candidates = self.order.active(walk.partition).entries()
        for _, _, attempt in candidates:
            reserved = attempt.reserved_resource(walk.partition)
            if not is_below and not self.can_assign(walk, limits, reserved):
                walk.note(attempt, SkipReason.QUEUE_AT_MAXIMUM)
                break
            last = attempt
            if walk.reasons is None and not attempt.asks_in(walk.pending_in):
                if walk.recorder is not None:
                    walk.recorder.note(attempt, SkipReason.NOTHING_ASKED)
                continue  # whatever its user may have: it wants nothing here
            if not self._user_ok(walk, attempt, reserved, limits, refused):
                walk.note(attempt, SkipReason.USER_LIMIT)
                continue
            if not attempt.is_asking:
                continue
            found = assign_application(self, attempt, walk, limits)
            if found.gives or found.skipped is Skipped.QUEUE_LIMIT:
                outcome = found
                break
        else:
            last = None
            self._consider_all()
        if last is not None and self.unconsidered:
            self._consider_up_to(last, walk.partition)
        return outcome

    def _reservations_may_help(self, walk: Pass, limits: Limits) -> bool:
        """Whether the first application in order could go on by giving up what is kept for it."""
        if not self.frame.settings.continue_looking or not self.usage.of(walk.partition).reserved:
            return False
        for attempt in self.order.active(walk.partition):
            return self.can_assign(walk, limits, attempt.reserved_resource(walk.partition))
        return False

    def _user_ok(
        self,
        walk: Pass,
        attempt: CapacityAttempt,
        reserved: Resource,
        limits: Limits,
        refused: dict[User, Resource],
    ) -> bool:
        """Whether the user is not above its limit; the new container does not count.

        See tests/scenarios/capacity/user-limit-factor-one.yaml.
        """
        calculator = self.frame.calculator
        user = attempt.member
        before = refused.get(user)
        if before is not None and reserved.fits_in(before):
            return False
        limit = self.users.limit_of(user, walk.partition, ignores_exclusivity=walk.ignores_exclusivity)
        amounts = user.usage.by_partition.get(walk.partition)
        used = amounts.used if amounts is not None else NONE
        limits.unreserve = NONE
        if calculator.compare(walk.cluster, used, limit) <= 0:
            return True
        if (
            self.frame.settings.continue_looking
            and calculator.compare(walk.cluster, used - reserved, limit) <= 0
        ):
            limits.unreserve = used - limit
            return True
        if before is None or before.fits_in(reserved):
            refused[user] = reserved
        return False

    def _consider_all(self) -> None:
        for attempt in self.unconsidered:
            attempt.is_considered = True
        self.unconsidered.clear()

    def _consider_up_to(self, last: CapacityAttempt, partition: str) -> None:
        """Every application before the one at which the pass ended was looked at, too."""
        order = self.order.active(partition)
        end = order.key_of(last)
        if self._considered_end is not None and end <= self._considered_end:
            return
        if not self.order.changes_with_use:
            self._considered_end = end
        for attempt in list(self.unconsidered):
            if attempt in order and order.key_of(attempt) <= end:
                attempt.is_considered = True
                del self.unconsidered[attempt]

    def _note_all(self, walk: Pass, reason: SkipReason) -> None:
        if walk.recorder is not None:
            walk.recorder.refuse_leaf(self, reason)
        if walk.reasons is not None:
            for attempt in self.order.asking(walk.partition):
                walk.reasons[attempt] = reason
