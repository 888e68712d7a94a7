"""The ideal assignment of each queue and what is to be preempted from it, level by level, partition by
partition.

Hadoop: AbstractPreemptableResourceCalculator and PreemptableResourceCalculator. Their behaviour is kept even
where it looks like a mistake; comments say where.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.preemption.arithmetic import componentwise, not_below_zero, truncate
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings
from yarnbox.rm.scheduler.capacity.preemption.snapshot import QueueView, Share, Snapshot, Steps
from yarnbox.yarn.resources.resource import NONE, Resource, total

NO_GUARANTEE = 2147483647.0
"""The share of a queue without a guarantee: behind everybody."""
_PLACE = itemgetter(0)


class IdealAssignment:
    """One computation of the ideals, for one selector."""

    def __init__(
        self,
        snapshot: Snapshot,
        settings: PreemptionSettings,
        allowed: Resource,
        underserved: dict[str, dict[str, QueueView]],
        *,
        counts_reserved: bool,
        is_balancing: bool,
    ) -> None:
        self.snapshot = snapshot
        self.settings = settings
        self.allowed = allowed
        self.underserved = underserved
        """By partition, the queues that wanted more, in the order in which they were met; by path."""
        self.counts_reserved = counts_reserved
        self.is_balancing = is_balancing
        self.arithmetic = snapshot.arithmetic

    def compute(self) -> Steps[None]:
        """Writes ideal, to_preempt and to_obtain of every queue, in steps."""
        for partition in self.snapshot.partitions:
            root = self.snapshot.root
            self._compute_extra(root, partition)
            share = root.share(partition)
            share.ideal = share.guaranteed
            yield
            yield from self._descend(root, partition)
        for leaf in self.snapshot.leaves():
            if not leaf.is_disabled:
                self._compute_to_obtain(leaf)
                yield

    # Bottom-up: what could be taken at all

    def _compute_extra(self, queue: QueueView, partition: str) -> None:
        share = queue.share(partition)
        base = share.total
        extra = share.used - share.guaranteed
        if self.arithmetic.compare(base, extra, NONE) < 0:
            extra = NONE
        if queue.is_leaf:
            share.untouchable = extra if queue.is_disabled else NONE
            share.preemptable = NONE if queue.is_disabled else extra
            return
        for child in queue.children:
            self._compute_extra(child, partition)
        from_children = total(child.share(partition).preemptable for child in queue.children)
        if self.arithmetic.compare(base, from_children, extra) >= 0:
            share.untouchable = NONE
        else:
            share.untouchable = extra - from_children
        share.preemptable = self.arithmetic.lesser(base, from_children, extra)

    # Top-down: what each should have, and give

    def _descend(self, parent: QueueView, partition: str) -> Steps[None]:
        if not parent.children:
            return
        base = parent.share(partition).ideal
        yield from self._distribute(parent.children, partition, base)
        self._compute_to_preempt(parent.children, partition, base)
        yield
        for child in parent.children:
            yield from self._descend(child, partition)

    def _distribute(self, children: Sequence[QueueView], partition: str, base: Resource) -> Steps[None]:
        is_positive = self.arithmetic.is_positive
        guaranteed = [child for child in children if is_positive(base, child.share(partition).guaranteed)]
        others = [child for child in children if not is_positive(base, child.share(partition).guaranteed)]
        rest = yield from self._fixpoint(guaranteed, partition, base, base, is_weighted=True)
        if others and is_positive(base, rest):
            yield from self._fixpoint(others, partition, rest, base, is_weighted=False)

    def _fixpoint(
        self,
        queues: Sequence[QueueView],
        partition: str,
        unassigned: Resource,
        base: Resource,
        *,
        is_weighted: bool,
    ) -> Steps[Resource]:
        """Offers what is unassigned to the neediest queues until none accepts more.

        Returns what was left after the first single offer, not at the end: so Hadoop hands it to the queues
        without a guarantee, which may thus keep more than the cluster has.
        """
        arithmetic = self.arithmetic
        need: list[QueueView] = []
        for queue in queues:
            share = queue.share(partition)
            if arithmetic.compare(base, share.used, share.guaranteed) > 0:
                share.ideal = componentwise(share.guaranteed, share.used) + share.untouchable
            else:
                share.ideal = share.used
            unassigned = unassigned - share.ideal
            if arithmetic.compare(base, share.ideal, share.used + share.pending) < 0:
                need.append(queue)
        returned = unassigned
        met = self.underserved[partition]
        place = {queue.path: index for index, queue in enumerate(queues)}
        offered = False
        while need and arithmetic.is_positive(base, unassigned):
            yield
            self._weigh(need, partition, is_weighted=is_weighted)
            head, first = self._take_head(need, partition, base, place)
            for _, queue in head:
                met[queue.path] = queue
            if first is not None:
                met[first.path] = first
            start = unassigned
            head.sort(key=_PLACE)
            for _, queue in head:
                if not arithmetic.is_above_zero(unassigned):
                    break
                share = queue.share(partition)
                available = componentwise(arithmetic.share(start, share.weights), unassigned)
                done = available - self._offer(queue, share, available, base)
                if arithmetic.is_positive(base, done):
                    need.append(queue)
                unassigned = unassigned - done
                if not offered:
                    offered, returned = True, unassigned
                unassigned = not_below_zero(unassigned)
        need.sort(key=lambda queue: (*self._order(queue, partition, base), place[queue.path]))
        met.update((queue.path, queue) for queue in need)
        return returned

    def _order(self, queue: QueueView, partition: str, base: Resource) -> tuple[bool, int, float]:
        share = queue.share(partition)
        if self.arithmetic.is_positive(base, share.guaranteed):
            part = self.arithmetic.divide(base, share.ideal, share.guaranteed)
        else:
            part = NO_GUARANTEE
        return part >= 1.0, -queue.priority, part

    def _take_head(
        self, need: list[QueueView], partition: str, base: Resource, place: dict[str, int]
    ) -> tuple[list[tuple[int, QueueView]], QueueView | None]:
        """Removes all queues that are as needy as the neediest one, and returns them with their places, and
        the first of those that stay.
        """
        orders = [self._order(queue, partition, base) for queue in need]
        least = min(orders)
        head: list[tuple[int, QueueView]] = []
        rest: list[QueueView] = []
        first: QueueView | None = None
        first_order, first_place = least, 0
        for queue, order in zip(need, orders, strict=True):
            its_place = place[queue.path]
            if order == least:
                head.append((its_place, queue))
                continue
            rest.append(queue)
            if first is None or order < first_order or (order == first_order and its_place < first_place):
                first, first_order, first_place = queue, order, its_place
        need[:] = rest
        return head, first

    def _weigh(self, need: Sequence[QueueView], partition: str, *, is_weighted: bool) -> None:
        types = self.arithmetic.types
        if not is_weighted:
            equal = float32(1.0 / len(need))
            for queue in need:
                queue.share(partition).weights = dict.fromkeys(types, equal)
            return
        shares = [queue.share(partition) for queue in need]
        sums = total(share.guaranteed for share in shares)
        absolute = 0.0
        for share in shares:
            absolute = float32(absolute + share.absolute)
        for name in types:
            whole = sums.value(name)
            by_absolute = whole and any(
                share.absolute and not share.guaranteed.value(name) for share in shares
            )
            for share in shares:
                if by_absolute:  # some guarantee of this type was rounded down to nothing
                    share.weights[name] = float32(share.absolute / absolute)
                elif not whole or not absolute:
                    share.weights[name] = float32(1.0 / len(need))
                else:
                    share.weights[name] = float32(share.guaranteed.value(name) / whole)

    def _offer(self, queue: QueueView, share: Share, available: Resource, base: Resource) -> Resource:
        """Offers the queue what is available; returns what it does not accept."""
        arithmetic = self.arithmetic
        room = not_below_zero(share.maximum - share.ideal)
        demand = share.pending if self.counts_reserved else share.pending_deducted
        want = share.used + demand - share.ideal
        accepted = componentwise(room, arithmetic.lesser(base, available, want))
        if queue.is_leaf and not self.is_balancing:
            # A leaf never grows beyond the larger of use and guarantee: the satisfied take nothing from
            # others.
            keep = arithmetic.greater(base, share.used, share.guaranteed) - share.ideal
            accepted = arithmetic.lesser(base, accepted, arithmetic.greater(base, keep, NONE))
        accepted = componentwise(not_below_zero(accepted), available)
        share.ideal = share.ideal + accepted
        return available - accepted

    def _compute_to_preempt(self, children: Sequence[QueueView], partition: str, base: Resource) -> None:
        arithmetic = self.arithmetic
        shares = [child.share(partition) for child in children]
        needed = total(
            share.used - share.ideal
            for share in shares
            if arithmetic.compare(base, share.used, share.ideal) > 0
        )
        factor = 1.0
        if arithmetic.compare(base, needed, self.allowed) > 0:
            factor = arithmetic.divide(base, self.allowed, needed)
        for share in shares:
            have = share.used - share.killable
            wanted = arithmetic.lesser(base, share.used + share.pending, share.guaranteed)
            keep = arithmetic.greater(base, wanted, share.ideal)
            over = arithmetic.compare(base, have, keep) > 0
            share.to_preempt = truncate(have - keep, factor) if over else NONE

    def _compute_to_obtain(self, leaf: QueueView) -> None:
        """Applies the dead zone and the natural termination factor."""
        arithmetic, cluster = self.arithmetic, self.snapshot.cluster
        for partition in self.snapshot.partitions:
            share = leaf.share(partition)
            zone = truncate(share.guaranteed, 1.0 + self.settings.max_ignored_over_capacity)
            if arithmetic.compare(cluster, share.used, zone) <= 0:
                share.to_obtain = NONE
                continue
            share.to_obtain = share.to_preempt
            if not self.counts_reserved and arithmetic.is_positive(cluster, share.to_preempt):
                factor = self.settings.natural_termination_factor
                share.to_obtain = arithmetic.scale(share.to_preempt, factor)
