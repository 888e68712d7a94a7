"""The preemption policy as the scheduling monitor runs it: its decisions become scheduler events.

Hadoop: ProportionalCapacityPreemptionPolicy's hold on the scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from yarnbox.rm.container import RMContainer, SchedulerNode
from yarnbox.rm.effects import LOGGER
from yarnbox.rm.events.scheduler import (
    SchedulerKillReservedContainer,
    SchedulerMarkContainerForKillable,
    SchedulerMarkContainerForPreemption,
    SchedulerPreemptionReport,
)
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings
from yarnbox.rm.scheduler.capacity.preemption.capture import SnapshotCapture
from yarnbox.rm.scheduler.capacity.preemption.marks import PreemptionMarks
from yarnbox.rm.scheduler.capacity.preemption.policy import PassReport, PreemptionPolicy
from yarnbox.rm.scheduler.capacity.preemption.selection import AT_ONCE
from yarnbox.rm.scheduler.capacity.preemption.settings import PreemptionSettings, read_settings
from yarnbox.rm.scheduler.capacity.preemption.snapshot import QueueView, Snapshot, Steps, whole
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.yarn.ids import ApplicationAttemptId


class ProportionalCapacityPreemptionPolicy:
    """One pass after another."""

    name: ClassVar[str] = "ProportionalCapacityPreemptionPolicy"

    def __init__(self, context: QueueContext, capture: SnapshotCapture, marks: PreemptionMarks) -> None:
        self._context = context
        self._capture = capture
        self._marks = marks
        self._read = context.settings
        self.policy = PreemptionPolicy(self.read(self._read))

    @staticmethod
    def read(settings: CapacitySettings) -> PreemptionSettings:
        """What either file says of the policy; ConfigurationError with every fault."""
        return read_settings(settings.properties.merged())

    @property
    def monitoring_interval_ms(self) -> int:
        """Between two passes; follows the configuration with the first pass after a refresh."""
        return self.policy.settings.monitoring_interval_ms

    def edit_schedule(self) -> None:
        """One pass, in one go."""
        whole(self.steps())

    def steps(self) -> Steps[None]:
        """One pass, in steps: what is decided goes out as events whenever it pauses."""
        self._reload()
        snapshot = yield from self._capture.take(is_lazy=self.policy.settings.is_lazy)
        before = list(self.policy.marked)
        report = yield from self.policy.steps(snapshot, _Decisions(self._context.rm, self._marks, snapshot))
        killed = dict.fromkeys(one.container_id for one in report.killed)
        for index, container_id in enumerate(before):
            if index % AT_ONCE == 0:
                yield
            if container_id not in self.policy.marked and container_id not in killed:
                self._marks.forget(container_id)
        yield from _report(self._context.rm, snapshot, report)

    def _reload(self) -> None:
        """After a refresh everything is read again; the marks survive."""
        if self._read is not self._context.settings:
            self._read = self._context.settings
            self.policy.settings = self.read(self._read)


class _Decisions:
    """Turns decisions into scheduler events."""

    def __init__(self, rm: SchedulerContext, marks: PreemptionMarks, snapshot: Snapshot) -> None:
        self._post = rm.post
        self._marks = marks
        self._snapshot = snapshot
        self._lacking: dict[str, str] = {}
        """By partition, the queues that are entitled to more than they use."""
        self._attempt_id: ApplicationAttemptId | None = None
        self._leaf: QueueView | None = None
        """The queue of that attempt: containers of one mostly come together."""

    def mark(self, container: RMContainer, kill_at_ms: int) -> None:
        """MARK_CONTAINER_FOR_PREEMPTION."""
        mark = container.preemption_mark(self._for_whom(container), kill_at_ms)
        self._post(
            SchedulerMarkContainerForPreemption(
                container_id=container.container_id, attempt_id=container.attempt_id, mark=mark
            )
        )

    def kill(self, container: RMContainer) -> None:
        """MARK_CONTAINER_FOR_KILLABLE."""
        mark = self._marks.mark_of(container) or container.preemption_mark(self._for_whom(container))
        self._post(SchedulerMarkContainerForKillable(container_id=container.container_id, mark=mark))

    def _for_whom(self, container: RMContainer) -> str:
        """The policy preempts for all queues below their ideal assignment, or within a queue for its own
        applications.
        """
        partition = container.node.partition
        if container.attempt_id is not self._attempt_id:
            self._attempt_id, self._leaf = container.attempt_id, self._snapshot.queue_of(container)
        queue = self._leaf
        if queue is not None and not queue.shares[partition].to_preempt:
            return f"other applications of queue {queue.path}"
        for_whom = self._lacking.get(partition)
        if for_whom is None:
            found = [
                one.path
                for one in _queues(self._snapshot.root)
                if one.is_leaf and not one.shares[partition].ideal.fits_in(one.shares[partition].used)
            ]
            for_whom = f"{'queue' if len(found) == 1 else 'queues'} {', '.join(found)}"
            self._lacking[partition] = for_whom
        return for_whom

    def unreserve(self, container: RMContainer) -> None:
        """KILL_RESERVED_CONTAINER."""
        self._post(SchedulerKillReservedContainer(container_id=container.container_id))

    def move_reservation(self, container: RMContainer, node: SchedulerNode) -> bool:
        """Lets the reservation wait on the other node, if its request would go there."""
        return self._marks.move_reservation(container, node)


def _report(rm: SchedulerContext, snapshot: Snapshot, report: PassReport) -> Steps[None]:
    """Posts and logs for each queue what it has, should have, and should give; of a pass that takes nothing
    only those who want more.
    """
    selected = yield from _selected_by_queue(snapshot, report)
    queues = list(_queues(snapshot.root))
    is_read = rm.logs_at(LOGGER, "info")
    takes = selected or any(share.to_preempt for queue in queues for share in queue.shares.values())
    for queue in queues:
        yield
        for partition, share in queue.shares.items():
            if not share.total or not (takes or share.pending):
                continue
            figures = SchedulerPreemptionReport(
                queue=queue.path,
                partition=partition,
                guaranteed=share.guaranteed,
                used=share.used,
                pending=share.pending,
                ideal=share.ideal,
                to_preempt=share.to_preempt,
                selected=selected.get((queue.path, partition), 0),
            )
            rm.post(figures)
            if is_read:
                shown = {"queue": queue.path, "partition": partition, **figures.amounts}
                rm.log("info", "preemption pass", **shown, selected=figures.selected)


def _selected_by_queue(snapshot: Snapshot, report: PassReport) -> Steps[Mapping[tuple[str, str], int]]:
    of_leaves: dict[tuple[QueueView, str], int] = {}
    selected, begin = report.selected, 0
    while begin < len(selected):
        yield
        first, end = selected[begin], begin + 1
        while end < len(selected) and selected[end].attempt_id is first.attempt_id:
            if selected[end].node.partition != first.node.partition:
                break
            end += 1  # those of an attempt mostly come together
        leaf = snapshot.queue_of(first)
        if leaf is not None:
            place = (leaf, first.node.partition)
            of_leaves[place] = of_leaves.get(place, 0) + end - begin
        begin = end
    counts: dict[tuple[str, str], int] = {}
    for (leaf, partition), count in of_leaves.items():
        queue: QueueView | None = leaf
        while queue is not None:
            counts[queue.path, partition] = counts.get((queue.path, partition), 0) + count
            queue = queue.parent
    return counts


def _queues(queue: QueueView) -> Iterator[QueueView]:
    yield queue
    for child in queue.children:
        yield from _queues(child)
