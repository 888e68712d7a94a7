"""A leaf queue: its applications, which of them are activated, and which one is served next.

Hadoop: AbstractLeafQueue and LeafQueue. Limits are worked out in limits.py and users.py, one request
against one node in allocator.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from yarnbox.rm.scheduler.application import Attempt
from yarnbox.rm.scheduler.capacity.allocation.assignment import (
    NOTHING,
    AllocationPass,
    Assignment,
    Kind,
    Limits,
    Skipped,
)
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.settings import (
    QueueKind,
    QueueSettings,
)
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.limits import (
    ApplicationsLimit,
    ApplicationsRule,
    am_limit,
    headroom,
    maximum_applications,
    maximum_applications_per_user,
    user_am_limit,
)
from yarnbox.rm.scheduler.capacity.queues.ordering.applications import AppOrder, Ordered
from yarnbox.rm.scheduler.capacity.queues.ordering.fifo_for_pending_apps import pending_key
from yarnbox.rm.scheduler.capacity.queues.queue import AbstractParentQueue, CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.shares import EMPTY, Share
from yarnbox.rm.scheduler.capacity.queues.users import User, Users
from yarnbox.rm.scheduler.usage import Path, change_am_used
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource import NONE, Resource, total


class LeafQueue(CapacityQueue):
    """A queue that holds applications."""

    def __init__(
        self, context: QueueContext, settings: QueueSettings, parent: AbstractParentQueue | None
    ) -> None:
        super().__init__(context, settings, parent)
        self.users = Users(context, settings, self.shares)
        self.order = AppOrder(settings)
        self.pending = Ordered(pending_key)
        self.applications: dict[ApplicationId, str] = {}
        """Applications admitted, whatever became of their attempts, and their users."""
        self.waiting: dict[CapacityAttempt, None] = {}
        """Attempts that max-parallel-apps keeps back, in the order in which they came."""
        self.current_limit = NONE
        """The most that the leaf could use when a pass last reached it, or the cluster changed."""
        self.offered_limit = NONE
        """The same when a pass last came by, whether it asked for something or not: `current_limit` follows
        when the placement processor commits a container. Kept where that may be.
        """
        self.unreached: dict[CapacityAttempt, None] = {}
        """Activated applications that no pass has reached yet: they have no headroom."""
        self._reached_end: Any = None
        """No attempt with a key up to this one is unreached."""
        self._last_reached: CapacityAttempt | None = None
        """The attempt at which the last pass ended."""
        self.applications_limit = ApplicationsLimit(0, ApplicationsRule.QUEUE, 0)
        self.maximum_applications_per_user = 0

    @property
    def app_count(self) -> int:
        """Applications pending and active together."""
        return len(self.applications)

    @property
    def active_count(self) -> int:
        """Activated applications."""
        return self.order.count

    def subtree(self) -> Iterator[CapacityQueue]:
        """Itself."""
        yield self

    def path_for(self, attempt: CapacityAttempt, user: User) -> Path:
        """The books that a container of the attempt stands in."""
        return (attempt.usage, user.usage, *(queue.usage for queue in self.ancestors()))

    # Admission

    def check_submission(self, application_id: ApplicationId, user: str) -> None:
        """YarnError when the leaf does not accept an application of this user now."""
        self._check_running(application_id)
        count = len(self.applications)
        is_limited = self.kind is not QueueKind.AUTO_LEAF
        if is_limited and count >= self.applications_limit.most:
            raise YarnError(
                f"Queue {self.path} already has {count} applications, cannot accept submission of "
                f"application: {application_id}"
            )
        known = self.users.join(user)  # known from here on, even if refused
        if is_limited:
            # Those that max-parallel-apps keeps back count for the queue, and not for their user.
            # See tests/scenarios/capacity/limit-of-a-user-without-those-that-wait.yaml.
            of_user = known.active_apps + known.pending_apps
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
        self.last_used_ms = self.context.rm.now_ms

    def remove_application(self, application_id: ApplicationId) -> None:
        """An application is over, or moved away."""
        user = self.applications.pop(application_id, None)
        if user is None:
            return
        self.users.remove_asking(user, application_id)
        if not self.applications and self.state is QueueState.DRAINING:
            self.state = QueueState.STOPPED
            if self.parent is not None:
                self.parent.child_stopped()

    # Attempts

    def add_attempt(self, attempt: CapacityAttempt) -> None:
        """Adds a runnable attempt to those that wait for activation. One that was moved here asks once that
        has been tried. See tests/scenarios/queues/moved-user-is-active.yaml.
        """
        attempt.leaf = self
        attempt.queue_user = user = self.users.join(attempt.user)
        attempt.queue_side = self
        attempt.move_to(self, self.path_for(attempt, user))
        if attempt.is_runnable:
            self.make_runnable(attempt)
        else:
            attempt.waits_for = SkipReason.NOT_RUNNABLE
            self.waiting[attempt] = None
        if attempt.is_asking:
            self.users.add_asking(attempt.user, attempt.application_id)

    def take_over_containers(self, attempt: CapacityAttempt) -> None:
        """Takes over the containers of a stopped attempt that was moved here; the next attempt will
        own them.
        """
        attempt.leaf = self
        attempt.queue_user = user = self.users.join(attempt.user)
        attempt.move_to(self, self.path_for(attempt, user))

    def make_runnable(self, attempt: CapacityAttempt) -> None:
        """An attempt became runnable."""
        attempt.is_runnable = True
        if attempt in self.waiting:
            del self.waiting[attempt]
            self._rejoin(attempt)
        self.users.count_waiting_users()
        attempt.queue_user.pending_apps += 1
        attempt.waits_for = SkipReason.CLUSTER_EMPTY
        self.pending.add(attempt)
        self.context.pending_apps += 1
        # A cluster without nodes activates nothing as it comes; whatever happens later may.
        if self.context.calculator.is_any_positive(self.context.cluster):
            self.activate()

    def _rejoin(self, attempt: CapacityAttempt) -> None:
        """Its user may have been forgotten while it waited."""
        before = attempt.queue_user
        self.users.join(attempt.user)
        self.find_user_of(attempt)
        if attempt.queue_user is not before and attempt.is_asking:
            self.users.add_asking(attempt.user, attempt.application_id)

    def find_user_of(self, attempt: CapacityAttempt) -> bool:
        """Lets the attempt count for its user as the leaf knows the user now: one that was forgotten while
        the attempt waited may be back. Returns whether the user is known.

        See tests/scenarios/constraints/processor-serves-who-waits-for-a-user.yaml.
        """
        user = self.users.by_name.get(attempt.user)
        if user is not None and user is not attempt.queue_user:
            attempt.queue_user = user
            attempt.move_to(self, self.path_for(attempt, user))
        return user is not None

    def remove_attempt(self, attempt: CapacityAttempt) -> None:
        """Removes an attempt that has ended or is moved, with its bookings."""
        user = attempt.queue_user
        if attempt in self.waiting:
            del self.waiting[attempt]
        self.unreached.pop(attempt, None)
        self.users.count_waiting_users()
        if self.order.remove(attempt):
            user.active_apps -= 1
            self._book_am(attempt, -1)
        elif self.pending.remove(attempt):
            user.pending_apps -= 1
            self.context.pending_apps -= 1
        attempt.is_activated = False
        attempt.queue_side = None
        self.users.forget_if_idle(attempt.user)
        self.activate()

    def reorder(self, attempt: CapacityAttempt) -> None:
        """The application's priority changed."""
        self.context.version += 1
        self.order.reinsert(attempt)
        self.pending.touch(attempt)
        self._reached_end = None

    def asking_changed(self, attempt: Attempt) -> None:
        """An application has begun or ceased to have pending requests."""
        assert isinstance(attempt, CapacityAttempt)
        if not attempt.is_asking and not attempt.is_stopped:
            self.users.remove_asking(attempt.user, attempt.application_id)
        if attempt.is_activated:
            self.order.asking_changed(attempt)

    def start_asking(self, attempt: CapacityAttempt) -> None:
        """The attempt has requests for a key that had none pending."""
        if attempt.queue_side is self:
            was_forgotten = attempt.user not in self.users.by_name
            self.users.add_asking(attempt.user, attempt.application_id)
            if was_forgotten:
                self.find_user_of(attempt)

    # Activation

    def activate(self) -> None:
        """Activates waiting applications, as far as the limits for AMs allow.

        A smaller one may overtake one that does not fit. See tests/scenarios/capacity/user-am-limit.yaml.
        """
        self._update_am_limits()
        calculator = self.context.calculator
        user_limits: dict[str, Resource] = {}
        for attempt in list(self.pending):
            partition = attempt.partition
            share = self.share(partition)
            user = attempt.queue_user
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
        self.context.pending_apps -= 1
        self.users.count_waiting_users()
        user.pending_apps -= 1
        user.active_apps += 1
        attempt.waits_for = None
        attempt.is_activated = True
        self.order.add(attempt)
        if not attempt.is_reached:
            self.unreached[attempt] = None
            self._reached_end = None
        self._book_am(attempt, 1)
        self.context.version += 1

    def _book_am(self, attempt: CapacityAttempt, sign: int) -> None:
        path = (attempt.queue_user.usage, self.usage)
        change_am_used(path, attempt.partition, attempt.am_resource * sign)

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

    def _update_am_limits(self) -> None:
        context = self.context
        for partition in self._labels():
            share = self.share(partition)
            limit = self.current_limit if partition == DEFAULT_PARTITION else NONE
            share.am_limit = am_limit(
                share.effective_minimum,
                limit,
                self.am_percent(partition),
                context.minimum,
                context.calculator,
            )

    def user_am_limit_of(self, partition: str, user: User) -> Resource:
        """What the AMs of that user may use in a partition; noted as the latest of the queue."""
        share, context = self.share(partition), self.context
        share.user_am_limit = limit = user_am_limit(
            share.effective_minimum,
            share.am_limit,
            self.am_percent(partition),
            self.settings.user_limit_percent,
            self.settings.user_limit_factor,
            self.users.active_count(),
            user.weight,
            context.minimum,
            context.cluster,
            context.calculator,
        )
        return limit

    # Limits

    def cluster_changed(self, limit: Resource, *, activates: bool = True) -> None:
        """Limits of applications, users and AMs follow the new shares; some may be activated."""
        context = self.context
        settings, scheduler = self.settings, context.settings
        default = self.share(DEFAULT_PARTITION)
        partitions = settings.partitions
        largest: float | None = max(
            share.absolute
            for label, share in self.shares.items()
            if not partitions.get(label, EMPTY).is_inherited
        )
        if not scheduler.is_legacy and not context.cluster:
            largest = None  # vectors are compared with nothing: see maximum_applications
        self.applications_limit = maximum_applications(
            settings.maximum_applications,
            scheduler.maximum_applications,
            scheduler.global_queue_maximum,
            largest,
            is_absolute=default.capacity_value.is_absolute,
        )
        self.maximum_applications_per_user = maximum_applications_per_user(
            self.applications_limit.most, settings.user_limit_percent, settings.user_limit_factor
        )
        self.current_limit = context.calculator.min_of(context.cluster, default.down_maximum, limit)
        self.offered_limit = self.current_limit
        self.users.cluster_changed()
        if activates:
            self.activate()
        else:
            self._update_am_limits()
        self.users.state += 1
        self._mark_all_reached()
        if self.order.count:
            self.users.record_decision(DEFAULT_PARTITION)

    def headroom_of(self, attempt: CapacityAttempt, user: User) -> Resource:
        """The application's headroom, summed over the partitions that it has requested."""
        partitions = tuple(attempt.asks.partitions) or (DEFAULT_PARTITION,)
        found = NONE
        for partition in partitions:
            self.users.record_decision(partition)
            found = found + self.user_headroom(user, partition)
        return found if found.memory_mb >= 0 else Resource(0, found.vcores, found.others)

    def mark_reached(self, attempt: CapacityAttempt, partition: str) -> None:
        """Treats the attempt as if a pass had reached it: from now on it has a headroom.

        See tests/scenarios/constraints/processor-commit-takes-over-a-limit.yaml.
        """
        self.current_limit = self.offered_limit
        self.users.record_decision(partition)
        self.unreached.pop(attempt, None)
        attempt.is_reached = True

    def user_headroom(self, user: User, partition: str) -> Resource:
        """A user's headroom in a partition; negative where limits have shrunk. The user may have left: see
        tests/scenarios/queues/headroom-of-a-user-who-has-gone.yaml.
        """
        context = self.context
        share: Share = self.share(partition)
        root = next(queue for queue in self.ancestors() if queue.parent is None)
        return headroom(
            self.users.limit_of(self.users.by_name.get(user.name), partition),
            user.usage.used(partition),
            self.current_limit if partition == DEFAULT_PARTITION else share.effective_maximum,
            share.amounts.used,
            context.partition_total(partition),
            root.usage.used(partition),
            context.minimum,
            context.calculator,
        )

    # Giving

    def take_offer(self, limit: Resource) -> None:
        """A look at what is reserved for the queue tells it how much it may use, as a pass does. See
        tests/scenarios/constraints/processor-commit-after-a-look-at-a-reservation.yaml.
        """
        context = self.context
        if context.keeps_offers:
            self.offered_limit = context.calculator.min_of(
                context.cluster, self.in_default.down_maximum, limit
            )

    def assign(self, pass_: AllocationPass, limit: Resource) -> Assignment:
        """One container at most, to the first application in order that may have one."""
        context, partition = self.context, pass_.partition
        limit_now = context.calculator.min_of(pass_.cluster, self.in_default.down_maximum, limit)
        if context.keeps_offers and not pass_.is_question:
            self.offered_limit = limit_now
            pass_.current_limits.append((self, limit_now, False))
            if not self.has_pending(pass_.pending_in):
                return NOTHING
        if partition and not pass_.ignores_exclusivity and not self.can_access(partition):
            self._refuse_all(pass_, SkipReason.PARTITION_ACCESS)
            return NOTHING
        if self.order.changes_with_use and not pass_.is_question:
            self.order.apply_changes()
        limits = Limits(limit)
        is_below = self.can_assign(pass_, limits, NONE)
        if not is_below and not self.reservations_may_help(pass_, limits):
            self._refuse_all(pass_, SkipReason.QUEUE_AT_MAXIMUM)
            return NOTHING
        if self.order.count and not pass_.is_question and self._is_offered(partition):
            self.current_limit = limit_now
            pass_.current_limits.append((self, limit_now, True))
            self.users.record_decision(partition, ignores_exclusivity=pass_.ignores_exclusivity)
        last: CapacityAttempt | None = None
        outcome = NOTHING
        refused: dict[User, Resource] = {}
        order = self.order.asking(partition) if is_below else self.order.active(partition)
        for _, _, attempt in order.entries():
            reserved = attempt.reserved_resource(DEFAULT_PARTITION) if attempt.reserved else NONE
            if not is_below and not self.can_assign(pass_, limits, reserved):
                pass_.observer.note(attempt, SkipReason.QUEUE_AT_MAXIMUM)
                break
            last = attempt
            if not attempt.asks_in(pass_.pending_in):
                pass_.observer.note(attempt, SkipReason.NOTHING_ASKED)
                continue  # whatever its user may have: it wants nothing here
            # See tests/scenarios/capacity/user-limit-factor-one.yaml. Who was refused is not asked again for
            # an application of the same user that could give up no more.
            before = refused.get(attempt.queue_user)
            is_known = before is not None and reserved.fits_in(before)
            if is_known or not self.user_fits(pass_, attempt, reserved, limits):
                if before is None or before.fits_in(reserved):
                    refused[attempt.queue_user] = reserved
                pass_.observer.note(attempt, SkipReason.USER_LIMIT)
                continue
            if not attempt.is_asking:
                continue
            found = pass_.allocator.assign(self, attempt, pass_, limits)
            if found.gives or found.skipped is Skipped.QUEUE_LIMIT:
                outcome = found
                break
            if found.kind is not Kind.NOTHING:
                break  # See tests/scenarios/constraints/request-of-no-size-stops-its-queue.yaml.
        else:
            last = None
            if not pass_.is_question:
                self._mark_all_reached_in(partition)
        if last is not None and self.unreached and not pass_.is_question:
            self._mark_reached_up_to(last, partition)
        return outcome

    def _is_offered(self, partition: str) -> bool:
        """Whether one of the activated applications is offered nodes of that partition. See
        tests/scenarios/labels/limit-where-nobody-is-offered-the-partition.yaml.
        """
        order = self.order
        return not order.exclusive or bool(order.active(partition).entries())

    def _refuse_all(self, pass_: AllocationPass, reason: SkipReason) -> None:
        pass_.observer.refuse_leaf(self.path, reason, self.order.active(pass_.partition))

    def reservations_may_help(self, pass_: AllocationPass, limits: Limits) -> bool:
        """Whether the first application in order could be served if its reservations were dropped."""
        if not self.context.settings.continue_looking or not self.usage.of(DEFAULT_PARTITION).reserved:
            return False
        for attempt in self.order.active(pass_.partition):
            return self.can_assign(pass_, limits, attempt.reserved_resource(DEFAULT_PARTITION))
        return False

    def user_fits(
        self, pass_: AllocationPass, attempt: CapacityAttempt, reserved: Resource, limits: Limits
    ) -> bool:
        """Whether the user is not above its limit, or would not be without its reservations; stores in
        `limits` how much must be unreserved.

        Without what is reserved Hadoop looks at the user's use of the default partition, whichever partition
        the node is in. See tests/scenarios/labels/user-limit-looks-at-default-partition.yaml.
        """
        calculator, partition = self.context.calculator, pass_.partition
        user = attempt.queue_user
        limit = self.users.limit_of(user, partition, ignores_exclusivity=pass_.ignores_exclusivity)
        amounts = user.usage.find(partition)
        used = amounts.used if amounts is not None else NONE
        limits.unreserve = NONE
        if calculator.compare(pass_.cluster, used, limit) <= 0:
            return True
        if not self.context.settings.continue_looking:
            return False
        in_default = user.usage.used(DEFAULT_PARTITION)
        if calculator.compare(pass_.cluster, in_default - reserved, limit) > 0:
            return False
        limits.unreserve = used - limit
        return True

    def _mark_all_reached(self) -> None:
        for attempt in self.unreached:
            attempt.is_reached = True
        self.unreached.clear()

    def _mark_all_reached_in(self, partition: str) -> None:
        """See tests/scenarios/labels/headroom-of-who-is-not-offered-the-partition.yaml."""
        if not self.order.exclusive:
            self._mark_all_reached()
            return
        offered = self.order.active(partition)
        for attempt in [one for one in self.unreached if one in offered]:
            attempt.is_reached = True
            del self.unreached[attempt]

    def _mark_reached_up_to(self, last: CapacityAttempt, partition: str) -> None:
        """The pass has reached every attempt in order, up to the one at which it ended."""
        if last is self._last_reached and self._reached_end is not None:
            return
        self._last_reached = last
        order = self.order.active(partition)
        end = order.key_of(last)
        if self._reached_end is not None and end <= self._reached_end:
            return
        if not self.order.changes_with_use and not self.order.exclusive:
            self._reached_end = end
        for attempt in list(self.unreached):
            if attempt in order and order.key_of(attempt) <= end:
                attempt.is_reached = True
                del self.unreached[attempt]

    # Books

    def check_books(self) -> None:
        """AssertionError where its sums differ from those of its applications or users."""
        active = [*self.order]
        attempts = [*active, *self.pending, *self.waiting]
        for partition, amounts in self.usage.by_partition.items():
            found = [one.usage.by_partition.get(partition) for one in attempts]
            held = [one for one in found if one is not None]
            used = total([one.used for one in held]) + total([one.reserved for one in held])
            users = total([user.usage.used(partition) for user in self.users.by_name.values()])
            am_used = total([one.am_resource for one in active if one.partition == partition])
            assert users == amounts.used, self._off(partition, f"users have {users}, {amounts.used} booked")
            # An attempt that ended may have left containers to the one that comes after it.
            assert used.fits_in(amounts.used), self._off(
                partition, f"{used} of its applications, {amounts.used} booked"
            )
            assert not amounts.used.is_negative(), self._off(partition, f"used {amounts.used}")
            assert not amounts.pending.is_negative(), self._off(partition, f"pending {amounts.pending}")
            assert am_used == amounts.am_used, self._off(
                partition, f"AMs use {am_used}, {amounts.am_used} booked"
            )
        for attempt in attempts:
            charged: dict[str, list[Resource]] = {}
            for one in attempt.live.values():
                mine, its = one.partition, one.node.partition
                assert mine == its, f"{one.container_id} is in partition '{mine}', its node in '{its}'"
                charged.setdefault(mine, []).append(one.charged)
            for partition, amounts in attempt.usage.by_partition.items():
                live = total(charged.get(partition, ()))
                assert live == amounts.used, (
                    f"{attempt}, partition '{partition}': {live} alive, {amounts.used} booked"
                )

    def _off(self, partition: str, how: str) -> str:
        return f"{self}, partition '{partition}': {how}"

    @property
    def ordering_policy(self) -> str:
        """The word for the order in which it serves its applications."""
        return self.settings.leaf_order


def leaves_below(queue: CapacityQueue) -> Iterator[LeafQueue]:
    """The leaves below a queue, in the order of the file; of a leaf, itself."""
    return (each for each in queue.subtree() if isinstance(each, LeafQueue))
