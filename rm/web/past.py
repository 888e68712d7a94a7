"""What has been: containers that ended, the steps of applications' lives, the shares of queues and
the figures of the cluster over time.

Bounded memories for pages that are opened later than what they show. They are told (by the context's
watchers, by whoever samples) and asked; they know no clock and keep nothing over a restart of the RM. Hadoop
leaves this to the timeline server.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from sys import intern
from typing import TYPE_CHECKING, Literal, NamedTuple

from yarnbox.rm.app import RMApp
from yarnbox.rm.container import RMContainer, RMContainerState
from yarnbox.rm.scheduler.containers import statuses
from yarnbox.rm.scheduler.views import PartitionView, QueueView
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId
from yarnbox.yarn.resources.resource import NONE, Resource, total
from yarnbox.yarn.runtime.event import Event

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

MOST_QUEUES = 250
"""So many queues and partitions of them are sampled, in the order of the tree."""
_MOST_MARKS = 500
PREEMPTION_REQUESTED, PREEMPTED = "preemption requested", "preempted"
"""A scheduler wants a container back; the container was killed for it."""
MARKED = {
    "SchedulerMarkContainerForPreemption": PREEMPTION_REQUESTED,
    "NodeExpire": "node lost",
    "NodeDecommission": "node out",
    "NodeGracefulDecommission": "node drains",
    "NodeStarted": "node joined",
    "SchedulerAllocationsLoaded": "queues reloaded",
}
"""Events that are worth a mark, and its kind."""
Measure = Literal["used", "guaranteed", "fair", "maximum", "pending"]
"""What is shown of a queue over time."""
MEASURES: tuple[Measure, ...] = ("used", "guaranteed", "fair", "maximum", "pending")
CLUSTER = ("memory", "vcores", "containers", "pending", "appsRunning", "appsPending", "nodes")


# Containers


class ContainerRow(NamedTuple):
    """A container as the charts need it, times in ms; `finished` is 0 while it lives."""

    id: str
    app: str
    attempt: str
    node: str
    http: str
    queue: str
    user: str
    partition: str
    memory_mb: int
    vcores: int
    priority: int
    is_am: bool
    locality: str
    requested: str
    state: str
    started: int
    finished: int
    exit_status: int | None
    diagnostics: str

    def answer(self, now_ms: int) -> Answer:
        """The row by the names that pages know. When a container that was reserved at first was allocated,
        and since when it runs, is not known.
        """
        is_reserved = self.state == "RESERVED"
        return {
            **dict(zip(_NAMES_OF_ROW, self, strict=True)),
            "reserved": self.started if is_reserved else 0,
            "allocated": 0 if is_reserved else self.started,
            "running": 0,
            "elapsed": (self.finished or now_ms) - self.started,
        }


_NAMES_OF_ROW = tuple(
    {"memory_mb": "memoryMB", "is_am": "isAM", "exit_status": "exitStatus"}.get(name, name)
    for name in ContainerRow._fields
)


def container_row(one: RMContainer, *, is_over: bool = False) -> ContainerRow:
    """The row of a container; many rows share the names of applications and nodes."""
    return ContainerRow(
        id=str(one.container_id),
        app=intern(str(one.application_id)),
        attempt=intern(str(one.container_id.application_attempt_id)),
        node=intern(str(one.node_id)),
        http=one.node.http_address,
        queue=one.queue,
        user=one.user,
        partition=one.partition,
        memory_mb=one.resource.memory_mb,
        vcores=one.resource.vcores,
        priority=one.key.request_priority,
        is_am=one.is_am,
        locality=one.locality.name if one.locality is not None else "",
        requested=one.requested.name if one.requested is not None else "",
        state="COMPLETE" if is_over else one.state.name,
        started=one.creation_ms,
        finished=one.finish_ms if is_over else 0,
        exit_status=one.exit_status if is_over else None,
        diagnostics=one.reason_of_end[:400],
    )


class EndedContainers:
    """The containers that ended last."""

    def __init__(self, most: int) -> None:
        self._rows: deque[ContainerRow] = deque(maxlen=most or None)
        self._is_on = most > 0
        self.count = 0
        """How many have ended since the start."""

    def note(self, container: RMContainer) -> None:
        """Records a container that has ended."""
        self.count += 1
        if self._is_on:
            self._rows.append(container_row(container, is_over=True))

    def of(
        self, is_wanted: Callable[[ContainerRow], bool], most: int, since_ms: int = 0
    ) -> list[ContainerRow]:
        """Those wanted that ended at that moment or later, the newest `most` of them, oldest first."""
        late = takewhile(lambda row: row.finished >= since_ms, reversed(self._rows))
        return list(islice(filter(is_wanted, late), most))[::-1]


class LivingContainers:
    """Since when living containers are as they are, as far as somebody has looked: a change of state or size
    leaves no time. Whoever has looked at a moment is told everything that has changed since.
    """

    def __init__(self) -> None:
        self._known: dict[ContainerId, tuple[object, int]] = {}

    def look(self, living: Iterable[RMContainer], now_ms: int) -> None:
        """Notes how they are now."""
        for one in living:
            self._changed_ms(one, now_ms)

    def changed(self, living: Iterable[RMContainer], now_ms: int, since_ms: int) -> list[RMContainer]:
        """Those that are not as they were at that moment, and all that are reserved: these may end without
        a trace.
        """
        return [
            one
            for one in living
            if self._changed_ms(one, now_ms) >= since_ms or one.state is RMContainerState.RESERVED
        ]

    def forget(self, container: RMContainer) -> None:
        """It has ended."""
        self._known.pop(container.container_id, None)

    def _changed_ms(self, one: RMContainer, now_ms: int) -> int:
        state = (one.state, one.resource, one.queue, one.is_am)
        known = self._known.get(one.container_id)
        if known is None or known[0] != state:
            self._known[one.container_id] = known = (state, now_ms)
        return known[1]


# Series


class Series:
    """Numbers of one thing, one of each measure for every sample since `first`."""

    __slots__ = ("columns", "first")

    def __init__(self, first: int, measures: int) -> None:
        self.first = first
        self.columns = [array("f") for _ in range(measures)]

    def add(self, number: int, values: Sequence[float], most: int) -> None:
        """The values of sample `number`; what was left out since the last one is 0."""
        missing = number - self.first - len(self.columns[0])
        for column, value in zip(self.columns, values, strict=True):
            column.extend([0.0] * missing)
            column.append(value)
        surplus = len(self.columns[0]) - most
        if surplus > most // 4:  # not at each sample, for it moves all the rest
            for column in self.columns:
                del column[:surplus]
            self.first += surplus

    def at(self, measure: int, number: int) -> float | None:
        """The value of one measure at sample `number`; None when there is none."""
        index = number - self.first
        column = self.columns[measure]
        return column[index] if 0 <= index < len(column) else None


@dataclass(frozen=True, slots=True)
class Mark:
    """Something worth a mark in a chart."""

    time_ms: int
    kind: str
    text: str


def mark_of(now_ms: int, event: Event) -> Mark | None:
    """The mark that an event of the RM is worth; None for most."""
    kind = MARKED.get(type(event).__name__)
    if kind is None:
        return None
    return Mark(now_ms, kind, str(getattr(event, "container_id", None) or event.subject or ""))


def is_preempted(container: RMContainer) -> bool:
    """Whether an ended container was killed because a scheduler wanted its room for somebody else."""
    return container.exit_status == statuses.PREEMPTED


class History:
    """Samples of queues and of the cluster, the newest `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = max(2, most)
        self._times: deque[int] = deque(maxlen=self._most)
        self._number = 0
        """Of the next sample."""
        self._queues: dict[tuple[str, str], Series] = {}
        self._cluster = Series(0, len(CLUSTER))
        self.marks: deque[Mark] = deque(maxlen=_MOST_MARKS)

    def watch(self, now_ms: int, event: Event) -> None:
        """An event of the RM: some are worth a mark."""
        mark = mark_of(now_ms, event)
        if mark is not None:
            self.marks.append(mark)

    def mark(self, now_ms: int, kind: str, text: str) -> None:
        """Records a mark for something that a person did."""
        self.marks.append(Mark(now_ms, kind, text))

    def record_ended(self, now_ms: int, container: RMContainer) -> None:
        """A container has ended: a mark if it was preempted."""
        if is_preempted(container):
            self.marks.append(Mark(now_ms, PREEMPTED, str(container.container_id)))

    def sample(self, context: RMContext) -> None:
        """Takes a sample of the queues and the cluster."""
        number = self._number
        self._number += 1
        self._times.append(context.now_ms)
        self._cluster.add(number, cluster_figures(context), self._most)
        parts = ((view, name, part) for view in queues(context) for name, part in view.partitions.items())
        for view, name, part in islice(parts, MOST_QUEUES):
            series = self._queues.get((view.path, name))
            if series is None:
                self._queues[view.path, name] = series = Series(number, len(MEASURES))
            series.add(number, shares(context, view, name, part), self._most)
        self._forget(number)

    def _forget(self, number: int) -> None:
        """Queues that have been gone for as long as anything is remembered."""
        oldest = number - self._most
        for key, series in list(self._queues.items()):
            if series.first + len(series.columns[0]) < oldest:
                del self._queues[key]

    def since(self, from_ms: int, points: int) -> list[tuple[int, int]]:
        """The samples to show: their numbers and moments, at most about `points` from `from_ms` on."""
        first = self._number - len(self._times)
        wanted = [(first + index, time) for index, time in enumerate(self._times) if time >= from_ms]
        stride = max(1, -(-len(wanted) // max(1, points)))
        # Counted from the first sample ever, so that a chart does not tremble when one more comes.
        return [one for one in wanted if one[0] % stride == 0 or one is wanted[-1]]

    def queue_series(
        self, partition: str, paths: Sequence[str], shown: list[tuple[int, int]]
    ) -> list[Answer]:
        """The measures of these queues in one partition, in percent of it; None where nothing is known."""
        found = []
        for path in paths:
            series = self._queues.get((path, partition))
            if series is not None:
                columns: dict[str, list[float | None]] = {
                    name: [_percent(series.at(index, number)) for number, _ in shown]
                    for index, name in enumerate(MEASURES)
                }
                found.append({"path": path, **columns})
        return found

    def cluster_series(self, shown: list[tuple[int, int]]) -> Mapping[str, list[float | None]]:
        """The figures of the cluster."""
        return {
            name: [_rounded(self._cluster.at(index, number)) for number, _ in shown]
            for index, name in enumerate(CLUSTER)
        }

    def paths(self, parent: str) -> list[str]:
        """The queues directly below one, past ones included; the queue itself when it has none."""
        prefix = parent + "."
        below = dict.fromkeys(
            path for path, _ in self._queues if path.startswith(prefix) and "." not in path[len(prefix) :]
        )
        return list(below) or [parent]


def _percent(value: float | None) -> float | None:
    return None if value is None or value < 0 else round(100 * value, 2)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def queues(context: RMContext) -> Iterator[QueueView]:
    """Every queue from the root on, breadth first."""
    waiting = deque(["root"])
    while waiting:
        view = context.scheduler.views.queue_view(waiting.popleft())
        if view is not None:
            yield view
            waiting.extend(view.children)


def shares(context: RMContext, view: QueueView, name: str, part: PartitionView) -> tuple[float, ...]:
    """MEASURES of a queue in a partition, as parts of that partition; -1 for what its scheduler has not.

    The CapacityScheduler says what it uses by its own calculator; the others are measured by memory.
    """
    whole = context.scheduler.tracker.partition_total(name)
    pending = _part(part.pending, whole)
    if view.steady_fair_share is not None:
        fair = view.fair_share or NONE
        maximum = _part(view.max_share, whole) if view.max_share is not None else 1.0
        steady = _part(view.steady_fair_share, whole)
        return (_part(part.used, whole), steady, _part(fair, whole), min(1.0, maximum), pending)
    used = part.absolute_used_capacity
    return (
        _finite(used) if used is not None else _part(part.used, whole),
        _finite(part.absolute_capacity),
        -1.0,
        _finite(part.absolute_max_capacity),
        pending,
    )


def _part(amount: Resource, whole: Resource) -> float:
    return amount.memory_mb / whole.memory_mb if whole.memory_mb else 0.0


def _finite(value: float | None) -> float:
    return value if value is not None and 0 <= value < 1e6 else 0.0


def cluster_figures(context: RMContext) -> tuple[float, ...]:
    """CLUSTER, of this moment: percentages of the whole, and counts."""
    scheduler = context.scheduler
    root, whole = scheduler.views.queue_view("root"), scheduler.tracker.total
    parts = list(root.partitions.values()) if root is not None else []
    used = total(part.used for part in parts)
    pending = total(part.pending for part in parts)
    applications = scheduler.applications.values()
    running = sum(1 for one in applications if one.attempt is not None and one.attempt.live)
    return (
        100 * used.memory_mb / whole.memory_mb if whole.memory_mb else 0.0,
        100 * used.vcores / whole.vcores if whole.vcores else 0.0,
        float(root.containers if root is not None else 0),
        100 * pending.memory_mb / whole.memory_mb if whole.memory_mb else 0.0,
        float(running),
        float(len(applications) - running),
        float(len(scheduler.tracker)),
    )


_MOST_LIVES = 10_000
STEPS = {
    "AppAccepted": "accepted",
    "AttemptContainerAllocated": "AM allocated",
    "AttemptLaunched": "AM launched",
    "AttemptRegistered": "running",
}


class LifeEvents:
    """When each application was accepted and its AMs were allocated, launched and registered, for the
    applications that came last.
    """

    def __init__(self, most: int = _MOST_LIVES) -> None:
        self._most = most
        self._steps: OrderedDict[ApplicationId, dict[tuple[int, str], int]] = OrderedDict()

    def watch(self, now_ms: int, event: Event) -> None:
        """An event of the RM: the first of each step of each attempt counts."""
        step = STEPS.get(type(event).__name__)
        if step is None:
            return
        subject = event.subject
        if isinstance(subject, ApplicationAttemptId):
            application_id, attempt = subject.application_id, subject.attempt_id
        elif isinstance(subject, ApplicationId):
            application_id, attempt = subject, 0
        else:
            return
        steps = self._steps.get(application_id)
        if steps is None:
            self._steps[application_id] = steps = {}
            if len(self._steps) > self._most:
                self._steps.popitem(last=False)
        steps.setdefault((attempt, step), now_ms)

    def of(self, app: RMApp) -> list[Answer]:
        """Its steps, as far as they are known: of those of a past RM the state store keeps the first launch
        alone. An AM that such an RM launched registers again.
        """
        known = self._steps.get(app.application_id, {})
        is_inherited = (0, STEPS["AppAccepted"]) not in known
        found = [{"step": "submitted", "attempt": 0, "time": app.start_ms}]
        launched, running = STEPS["AttemptLaunched"], STEPS["AttemptRegistered"]
        if is_inherited and app.launch_ms and (1, launched) not in known:
            found.append({"step": launched, "attempt": 1, "time": app.launch_ms})
        for (attempt, step), time_ms in known.items():
            if app.is_unmanaged and step == STEPS["AttemptContainerAllocated"]:
                continue
            is_again = is_inherited and step == running and (attempt, launched) not in known
            shown = "registered again" if is_again else step
            found.append({"step": shown, "attempt": attempt, "time": time_ms})
        if app.finish_ms:
            found.append({"step": "finished", "attempt": 0, "time": app.finish_ms})
        return found
