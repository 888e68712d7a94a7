"""Which containers a pass selects: what all selectors share, and the selectors between queues.

`Round` holds what one pass may still select, and what any selector has selected so far. Hadoop:
CapacitySchedulerPreemptionUtils, FifoCandidatesSelector and ReservedContainerCandidatesSelector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Final, Protocol

from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import without_zeros
from yarnbox.rm.scheduler.capacity.preemption.ideal import IdealAssignment
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.capacity.preemption.snapshot import AppView, QueueView, Snapshot, Steps
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.resources.resource import NONE, Resource, total

AT_ONCE: Final = 64
"""Containers that are looked at without a pause."""
Obtain = dict[str, Resource]
"""What is to be obtained from one leaf, by partition."""


class Decisions(Protocol):
    """Carries out the decisions of a pass."""

    def mark(self, container: RMContainer, kill_at_ms: int) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION: its AM is asked for it, and it is not killed before that moment."""
        ...

    def kill(self, container: RMContainer) -> None:
        """MARK_CONTAINER_FOR_KILLABLE: the wait is over."""
        ...

    def unreserve(self, container: RMContainer) -> None:
        """KILL_RESERVED_CONTAINER."""
        ...

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        """Lets a reservation wait on another node; False when it cannot."""
        ...


class Round:
    """One pass: what all its selectors share."""

    def __init__(
        self, snapshot: Snapshot, settings: PreemptionSettings, decisions: Decisions, allowed: Resource
    ) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.decisions = decisions
        self.allowed = allowed
        """What the pass may still select."""
        self.selected: dict[RMContainer, None] = {}
        self.underserved: dict[str, dict[str, QueueView]] = {name: {} for name in snapshot.partitions}

    def compute_ideals(self, *, counts_reserved: bool, is_balancing: bool = False) -> Steps[None]:
        """Computes ideal, to_preempt and to_obtain of every queue anew."""
        return IdealAssignment(
            self.snapshot,
            self.settings,
            self.allowed,
            self.underserved,
            counts_reserved=counts_reserved,
            is_balancing=is_balancing,
        ).compute()

    def deduct_selected(self) -> Steps[None]:
        """Takes what earlier selectors selected off what is to be obtained.

        An amount that is not larger than the container is not lowered at all: so in Hadoop.
        """
        compare = self.snapshot.arithmetic.compare
        for index, container in enumerate(self.selected):
            if index % AT_ONCE == 0:
                yield
            queue = self.snapshot.queue_of(container)
            if queue is None:
                continue
            partition = container.node.partition
            share, size = queue.share(partition), container.resource
            if compare(share.total, share.to_obtain, size) > 0:
                share.to_obtain = share.to_obtain - size
            share.to_obtain = self.snapshot.arithmetic.greater(share.total, share.to_obtain, NONE)
            for app_share in queue.app_shares.get(partition, ()):
                if compare(share.total, app_share.actual, size) > 0:
                    app_share.actual = app_share.actual - size

    def obtain_of(self, leaf: QueueView) -> Obtain:
        """What is to be obtained from the leaf, where it is anything."""
        if leaf.is_disabled:
            return {}
        arithmetic, cluster = self.snapshot.arithmetic, self.snapshot.cluster
        return {
            partition: leaf.share(partition).to_obtain
            for partition in self.snapshot.partitions
            if arithmetic.is_positive(cluster, leaf.share(partition).to_obtain)
        }

    def take(
        self,
        obtain: Obtain,
        container: RMContainer,
        *,
        is_conservative: bool,
    ) -> bool:
        """Selects the container if that comes nearer to what is to be obtained."""
        if container in self.selected:
            return False
        partition = container.node.partition
        wanted = obtain.get(partition)
        if wanted is None:
            return False
        arithmetic, cluster = self.snapshot.arithmetic, self.snapshot.cluster
        if arithmetic.is_dominant:
            lacking = without_zeros(wanted, arithmetic.types)
            if lacking is not wanted:
                obtain[partition] = wanted = lacking
        size = container.resource
        if not arithmetic.is_above_zero(wanted) or not arithmetic.fits(size, self.allowed):
            return False
        if is_conservative:
            is_taken = not arithmetic.is_any_zero_or_negative(wanted)
        else:
            is_taken = arithmetic.is_lowered(cluster, wanted, size)
        if not is_taken:
            return False
        self.allowed = self.allowed - size
        self.selected[container] = None
        obtain[partition] = after = wanted - size
        if not arithmetic.is_positive(cluster, after):
            del obtain[partition]
        return True

    def is_killable(self, container: RMContainer) -> bool:
        """Lazy preemption: whether it is free to be killed already."""
        return container.container_id in self.snapshot.killable


Selector = Callable[[Round], Steps[None]]
"""One way to select: it adds to `Round.selected` what no selector before it has selected."""


_ID, _KEY = attrgetter("container_id"), attrgetter("key")


def victims_first(app: AppView) -> Iterable[RMContainer]:
    """The live containers, less important requests first, then the newest."""
    found = list(app.live.values())
    found.reverse()
    if not _is_newest_first(found):  # they mostly came in the order of their numbers
        found.sort(key=_ID, reverse=True)
    for container in found:
        if container.key is not found[0].key:
            found.sort(key=_KEY, reverse=True)  # which leaves those of one key in their order
            break
    return found


def _is_newest_first(containers: list[RMContainer]) -> bool:
    later: ContainerId | None = None
    for container in containers:
        one = container.container_id
        if later is not None:
            is_of_same = one.application_attempt_id is later.application_attempt_id
            if not is_of_same or one.id > later.id:
                return False
        later = one
    return True


def running_on(node: SchedulerNode) -> list[RMContainer]:
    """The containers of a node that have not ended."""
    return [container for container in node.containers.values() if not container.is_finished]


# First in, last out; and its twin that balances satisfied queues.


def select_fifo(round_: Round) -> Steps[None]:
    """From each leaf above its ideal assignment: first containers on nodes that ignored exclusivity, then the
    youngest applications, AMs last.
    """
    yield from round_.compute_ideals(counts_reserved=round_.settings.counts_reserved_demand)
    yield from _select_fifo(round_)


def select_balance(round_: Round) -> Steps[None]:
    """The same between queues that have their guarantee."""
    yield from round_.compute_ideals(counts_reserved=False, is_balancing=True)
    yield from _select_fifo(round_)


def _select_fifo(round_: Round) -> Steps[None]:
    yield from round_.deduct_selected()
    for leaf in round_.snapshot.leaves():
        obtain = round_.obtain_of(leaf)
        if leaf.is_disabled:
            continue
        yield from _FifoLeaf(round_, leaf, obtain).select()


class _FifoLeaf:
    """The selection in one leaf."""

    def __init__(self, round_: Round, leaf: QueueView, obtain: Obtain) -> None:
        self.round = round_
        self.leaf = leaf
        self.obtain = obtain
        self._is_conservative = round_.settings.conservative_drf
        self.ams: list[RMContainer] = []
        self.am_size = NONE

    def select(self) -> Steps[None]:
        yield
        self._take_those_that_ignored_exclusivity()
        for app in reversed(self.leaf.active_apps):
            if not self.obtain:
                break
            yield from self._take_of(app)
        self._take_ams()

    def _take(self, container: RMContainer) -> bool:
        return self.round.take(self.obtain, container, is_conservative=self._is_conservative)

    def _take_those_that_ignored_exclusivity(self) -> None:
        # Neither AM containers nor killable ones are exempt here: so in Hadoop. See
        # tests/scenarios/preemption/relabelled-node-lends-nothing.yaml.
        for partition in list(self.obtain):
            if not partition:
                continue
            lent = [
                container
                for app in self.leaf.active_apps
                for container in app.live.values()
                if container.lent_by == partition
            ]
            for container in sorted(lent, key=lambda one: one.container_id, reverse=True):
                if partition not in self.obtain:
                    break
                self._take(container)

    def _take_of(self, app: AppView) -> Steps[None]:
        for reservation in app.reservations:
            if reservation in self.round.selected:
                continue
            if not self.obtain:
                return
            self._take(reservation)
            if not self.round.settings.observe_only:
                # Whether or not it counted towards what is needed: so in Hadoop.
                self.round.decisions.unreserve(reservation)
        killable = self.round.snapshot.killable
        for index, container in enumerate(victims_first(app)):
            if not self.obtain:
                return
            if index % AT_ONCE == 0:
                yield
            if killable and container.container_id in killable:
                continue
            if not container.is_am:
                self._take(container)
            elif container not in self.round.selected:
                self.ams.append(container)
                self.am_size = self.am_size + container.resource

    def _take_ams(self) -> None:
        arithmetic, cluster = self.round.snapshot.arithmetic, self.round.snapshot.cluster
        for container in self.ams:
            if not self.obtain or arithmetic.compare(cluster, self.am_size, self.leaf.am_limit) <= 0:
                break
            if self._take(container):
                self.am_size = self.am_size - container.resource


# By reservation: free the nodes that somebody waits for.


def select_for_reservations(round_: Round) -> Steps[None]:
    """On reserved nodes, the cheapest first, the containers that make room for the reservation."""
    yield from round_.compute_ideals(counts_reserved=True)
    quota = {leaf.path: round_.obtain_of(leaf) for leaf in round_.snapshot.leaves()}
    priced: list[tuple[float, int, SchedulerNode, RMContainer]] = []
    for index, node in enumerate(round_.snapshot.nodes):
        reservation = node.reserved_container
        if reservation is None:
            continue
        yield
        cost = _ReservedNode(round_, node, reservation, quota).dry_run()
        if cost is not None:
            priced.append((cost, index, node, reservation))
    for _, _, node, reservation in sorted(priced, key=lambda one: one[:2]):
        yield
        for container in _ReservedNode(round_, node, reservation, quota).run():
            round_.selected[container] = None


class _ReservedNode:
    """Makes room on one node for its reserved container."""

    def __init__(
        self, round_: Round, node: SchedulerNode, reservation: RMContainer, quota: dict[str, Obtain]
    ) -> None:
        self.round = round_
        self.node = node
        self.reservation = reservation
        self.quota = quota
        self.arithmetic = round_.snapshot.arithmetic

    def dry_run(self) -> float | None:
        """The cost as a multiple of the reserved resource; None when it is impossible or not needed."""
        picked = self._free(is_real=False)
        if picked is None:
            return None
        cost = total(container.resource for container in picked)
        return self.arithmetic.ratio(cost, self.reservation.resource)

    def run(self) -> Sequence[RMContainer]:
        """Selects the containers; none when it has become impossible."""
        return self._free(is_real=True) or ()

    def _free(self, *, is_real: bool) -> list[RMContainer] | None:
        """The containers to select that are not selected yet; None when there is not enough."""
        round_, node, wanted = self.round, self.node, self.reservation.resource
        on_node = sorted(running_on(node), key=lambda one: one.container_id, reverse=True)
        got = node.available + total(c.resource for c in on_node if round_.is_killable(c))
        if self.arithmetic.fits(wanted, got):
            return None
        picked: list[RMContainer] = []
        for container in on_node:
            if round_.is_killable(container) or container.is_am:
                continue
            quota = self._quota_of(container)
            if quota is None or not self._fits(container, quota):
                continue
            if is_real:
                quota[node.partition] = quota[node.partition] - container.resource
                round_.allowed = round_.allowed - container.resource
            if container not in round_.selected:
                picked.append(container)
            got = got + container.resource
            if self.arithmetic.fits(wanted, got):
                return picked
        if is_real:
            # What was taken off the quotas is given back, what was taken off the pass's pot is not: so in
            # Hadoop.
            for container in picked:
                quota = self._quota_of(container)
                if quota is not None:
                    quota[node.partition] = quota[node.partition] + container.resource
        return None

    def _quota_of(self, container: RMContainer) -> Obtain | None:
        queue = self.round.snapshot.queue_of(container)
        quota = self.quota.get(queue.path) if queue is not None else None
        return quota if quota is not None and self.node.partition in quota else None

    def _fits(self, container: RMContainer, quota: Obtain) -> bool:
        size = container.resource
        return self.arithmetic.fits(size, quota[self.node.partition]) and self.arithmetic.fits(
            size, self.round.allowed
        )
