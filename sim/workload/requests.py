"""What one AM has asked for and what it still wants, per request key: counts at hosts, racks and `*`.

Counts in an ask are absolute, so an AM remembers what the RM was told and what it has been given since. Of
several tasks with one key the first one's size and label hold, as in SLS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from yarnbox.sim.load.jobs import Task
from yarnbox.sim.masters import ANY
from yarnbox.yarn.enums import ExecutionType
from yarnbox.yarn.ids import ContainerId
from yarnbox.yarn.records.request import ExecutionTypeRequest, ResourceRequest

NODE, RACK, OFF, ANYWHERE = "node", "rack", "off", "any"
"""Where a task came to lie, seen from its data; `any` for a task that has no place."""


class Key(NamedTuple):
    """By which the RM tells requests apart (SchedulerRequestKey)."""

    priority: int
    allocation_id: int


class Stage:
    """How many tasks of one stage are where."""

    __slots__ = ("asked", "done", "running", "spent_ms", "total", "unasked")

    def __init__(self) -> None:
        self.total = self.unasked = self.asked = self.running = self.done = 0
        self.spent_ms = 0
        """By the attempts that ended well, together."""


class Batch:
    """Equal tasks. A task that has failed n times waits at level n."""

    __slots__ = (
        "asked",
        "done",
        "doubled",
        "extra",
        "hosts",
        "key",
        "pending",
        "place",
        "racks",
        "running",
        "stage",
        "task",
        "waiting",
    )

    def __init__(self, task: Task, key: Key, stage: Stage, place: int = 0) -> None:
        """`place` is that of the task among those of its job."""
        self.task, self.key, self.stage, self.place = task, key, stage, place
        self.hosts = tuple(dict.fromkeys(place.rpartition("/")[2] for place in task.places))
        self.racks = tuple(dict.fromkeys(place.rpartition("/")[0] for place in task.places))
        self.pending = [task.count, *([0] * len(task.failures_ms))]
        """Not asked for yet, by level."""
        self.waiting = [0] * len(self.pending)
        """Asked for, by level."""
        self.asked = self.running = self.done = 0
        self.extra = 0
        """Second attempts of tasks, asked for or running."""
        self.doubled: deque[ContainerId] = deque()
        """First attempts whose second one is asked for and has no container yet."""
        stage.total += task.count
        stage.unasked += task.count

    @property
    def unasked(self) -> int:
        """How many were not asked for yet."""
        return self.task.count + self.extra - self.asked - self.running - self.done

    def begin(self) -> None:
        """A new AM: whatever has not ended well is to be asked for again, and nothing runs."""
        for level, count in enumerate(self.waiting):
            self.pending[level] += count
            self.waiting[level] = 0
        self.pending[0] += self.running
        self.stage.asked -= self.asked
        self.stage.running -= self.running
        self.stage.unasked += self.asked + self.running
        self.asked = self.running = 0
        for level in reversed(range(len(self.pending))):
            self._drop_pending(level, min(self.extra, self.pending[level]))
        self.doubled.clear()

    def _drop_pending(self, level: int, count: int) -> None:
        self.pending[level] -= count
        self.stage.unasked -= count
        self.extra -= count

    def double(self, first: ContainerId, level: int) -> None:
        """The task of that attempt is to have a second one."""
        self.extra += 1
        self.pending[level] += 1
        self.stage.unasked += 1
        self.doubled.append(first)

    def take_first(self) -> ContainerId | None:
        """The first attempt whose second one has just got a container; None where a task of its own did."""
        return self.doubled.popleft() if self.asked < len(self.doubled) else None

    def drop_running(self) -> None:
        """One of two attempts at a task is gone, and the other goes on, runs or is asked for."""
        self.running -= 1
        self.stage.running -= 1
        self.extra -= 1

    def drop_asked(self, first: ContainerId, level: int) -> None:
        """The second attempt is not needed any more, and was taken back."""
        self.doubled.remove(first)
        self._drop_pending(level, 1)

    def ask(self, level: int, count: int) -> None:
        """So many are asked for."""
        self.pending[level] -= count
        self.waiting[level] += count
        self.asked += count
        self.stage.unasked -= count
        self.stage.asked += count

    def start(self) -> int:
        """One of those that wait runs; its level."""
        level = next(place for place, count in enumerate(self.waiting) if count)
        self.waiting[level] -= 1
        self.asked -= 1
        self.running += 1
        self.stage.asked -= 1
        self.stage.running += 1
        return level

    def end(self, next_level: int | None) -> None:
        """One of those that run has ended well, or is to be asked for again at that level."""
        self.running -= 1
        self.stage.running -= 1
        if next_level is None:
            self.done += 1
            self.stage.done += 1
        else:
            self.pending[next_level] += 1
            self.stage.unasked += 1

    def locality(self, host: str, rack: str) -> str:
        """Where a container at that host lies, seen from the data of the tasks."""
        if not self.hosts:
            return ANYWHERE
        if host in self.hosts:
            return NODE
        return RACK if rack in self.racks else OFF


class Requests:
    """The requests of one key."""

    def __init__(self, key: Key, task: Task) -> None:
        self.key = key
        self._size = task.resource
        self._label = task.label
        self._execution = task.execution_type
        self._wanted: dict[str, int] = {ANY: 0}
        self._told: dict[str, int] = {ANY: 0}
        self._changed: dict[str, None] = {}
        self._lines: dict[str, deque[Batch]] = {ANY: deque()}
        """Batches that have tasks at a host or rack, in the order in which they were asked for."""

    @property
    def wanted(self) -> int:
        """How many containers of this key it waits for."""
        return self._wanted[ANY]

    def ask_for(self, batch: Batch, level: int, count: int) -> None:
        """So many more tasks of the batch wait."""
        is_new = batch.asked == 0
        batch.ask(level, count)
        for name in _names(batch):
            self._change(name, count)
            if is_new:
                self._lines.setdefault(name, deque()).append(batch)

    def take_back(self, batch: Batch, count: int, level: int = 0) -> None:
        """So many tasks of the batch wait no more; they can be asked for later."""
        batch.ask(level, -count)
        for name in _names(batch):
            self._change(name, -count)

    def serve(self, host: str, rack: str, *, in_order: bool) -> tuple[Batch, int] | None:
        """The task that a container at that host goes to, by batch and level: one with data there first,
        unless the order of tasks is all that counts; None where nobody waits.
        """
        self._given(host, rack)
        for name in (ANY,) if in_order else (host, rack, ANY):
            batch = self._first(name)
            if batch is not None:
                break
        else:
            return None
        level = batch.start()
        for name in _names(batch):
            self._change(name, -1)
        return batch, level

    def _first(self, name: str) -> Batch | None:
        line = self._lines.get(name)
        while line:
            if line[0].asked:
                return line[0]
            line.popleft()
        return None

    def _change(self, name: str, by: int) -> None:
        self._wanted[name] = self._wanted.get(name, 0) + by
        self._changed[name] = None

    def _given(self, host: str, rack: str) -> None:
        """The RM took a container at that host off what it was told."""
        if self._told.get(host, 0) > 0:
            names: tuple[str, ...] = (host, rack, ANY)
        elif self._told.get(rack, 0) > 0:
            names = (rack, ANY)
        else:
            names = (ANY,)
        for name in names:
            if self._told.get(name, 0) > 0:
                self._told[name] -= 1
                self._changed[name] = None

    def ask(self) -> Iterator[ResourceRequest]:
        """What the RM does not know yet."""
        for name in self._changed:
            wanted = self._wanted.get(name, 0)
            if wanted == self._told.get(name, 0):
                continue
            self._told[name] = wanted
            yield ResourceRequest(
                priority=self.key.priority,
                resource_name=name,
                capability=self._size,
                num_containers=wanted,
                node_label_expression=self._label if name == ANY else None,
                execution_type_request=None
                if self._execution is ExecutionType.GUARANTEED
                else ExecutionTypeRequest(execution_type=self._execution),
                allocation_request_id=self.key.allocation_id,
            )
        self._changed.clear()


def _names(batch: Batch) -> tuple[str, ...]:
    return (*batch.hosts, *batch.racks, ANY)
