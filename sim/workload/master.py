"""The AM of one job: which of its tasks are asked for when, which container each gets, when the job is done.

It knows its tasks and what became of them; when it heartbeats, where its containers run and how long they
take is the player's business. A task whose container did not end well is asked for again, together with all
that are still outstanding: counts in an ask are absolute. A new attempt asks for all unfinished tasks.
Hadoop: MRAMSimulator, DAGAMSimulator and StreamAMSimulator; the ramp-up of reduces is that of the
MapReduce AM (am.mapreduce.rampup).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil

from yarnbox.am.mapreduce.allocation.rampup import Amounts, reduces_to_add
from yarnbox.sim.load.jobs import (
    DAG,
    MAP,
    MAP_PRIORITY,
    MAPREDUCE,
    REDUCE,
    REDUCE_PRIORITY,
    SERVICE,
    STREAM,
    Job,
    Task,
)
from yarnbox.sim.masters import ANY, SimMaster
from yarnbox.sim.workload.requests import Batch, Key, Requests, Stage
from yarnbox.sim.workload.speculation import CHOICES, PAUSE_MS, Attempt, Tasks
from yarnbox.yarn.ids import ContainerId, NodeId
from yarnbox.yarn.records.container import Container
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource

RAMP_UP_LIMIT = 0.5
"""`yarn.app.mapreduce.am.job.reduce.rampup.limit`."""
FAILED = 1
"""The exit status of a task that fails by itself."""
COPY = "copy"
"""The stage of reduces that copy in containers of their own."""
COPY_PRIORITY = 15
COPY_LIMIT = 0.1
"""Of the job's memory, what such copies may have while maps wait."""
COPY_SIZE = 4
"""They hold the so many-th part of a reduce's container."""
PREEMPTION_LIMIT = 0.5
"""`yarn.app.mapreduce.am.job.reduce.preemption.limit`."""
UNCONDITIONAL_MS = 300_000
"""`mapreduce.job.reducer.unconditional-preempt.delay.sec`."""
COPY_SHARE = 1 / 3
"""Of a reduce's duration, what it spends copying what maps have put out, when all of them have ended."""


@dataclass(slots=True)
class Running:
    """A task in a container."""

    batch: Batch
    level: int
    """How many of the failures that were foreseen are behind it."""
    container: Container
    node_id: NodeId
    locality: str
    started_ms: int
    duration_ms: int | None = None
    """None while nobody knows: a reduce that copies while maps still run, a service."""
    ends_ms: int | None = None
    """When it ends if all goes well; None while nobody knows."""
    rival: ContainerId | None = None
    """The other attempt at the task."""
    is_second: bool = False
    is_beaten: bool = False
    """Whether its rival has ended well."""

    @property
    def fails(self) -> bool:
        """Whether this is one of the attempts that the load lets fail."""
        return self.level < len(self.batch.task.failures_ms)


@dataclass(frozen=True, slots=True)
class Moment:
    """What an AM can see when it looks around."""

    now_ms: int
    begun_ms: int
    """When this attempt of the AM registered."""
    headroom_mb: int


class JobMaster(SimMaster):
    """One job's AM."""

    def __init__(
        self,
        job: Job,
        master: SimMaster,
        *,
        in_order: bool = False,
        speculation: str | None = None,
        reduce_split: bool = False,
    ) -> None:
        """`in_order`: containers go to tasks in the tasks' order, wherever they lie, as in SLS. `speculation`
        is who chooses the attempts of MapReduce that get a second one; `reduce_split`: reduces copy and
        compute in containers of their own.
        """
        if reduce_split and job.model == MAPREDUCE:
            job = replace(job, tasks=tuple(each for task in job.tasks for each in _split(task)))
        super().__init__(master.application_id, is_managed=True)
        self.job = job
        self.speculation = speculation
        self._in_order = in_order
        self.stages: dict[str, Stage] = {task.stage: Stage() for task in job.tasks}
        self.batches = [
            Batch(
                task,
                Key(_priority_of(job, task.stage, task.priority), task.allocation_id),
                self.stages[task.stage],
                place,
            )
            for place, task in enumerate(job.tasks)
        ]
        self.fresh: dict[Batch, None] = dict.fromkeys(self.batches)
        """Those with tasks that were not asked for yet."""
        self._requests: dict[Key, Requests] = {}
        self.running: dict[ContainerId, Running] = {}
        self._surplus: list[ContainerId] = []
        self._model: Model = MODELS[job.model](self)

    @property
    def progress(self) -> float:
        """Of all tasks, those that have ended."""
        total = sum(stage.total for stage in self.stages.values())
        return sum(stage.done for stage in self.stages.values()) / total

    def is_done(self, moment: Moment) -> bool:
        """Whether the AM has nothing left to do."""
        return self._model.is_done(moment)

    def next_due_ms(self, moment: Moment) -> int | None:
        """When time alone will bring this job further; None where it will not."""
        return self._model.next_due_ms(moment)

    @property
    def follows_headroom(self) -> bool:
        """Whether what it asks for next depends on its headroom."""
        return self._model.follows_headroom

    @property
    def all_have_ended(self) -> bool:
        """Whether every task has ended well."""
        return all(stage.done == stage.total for stage in self.stages.values())

    def begin(self) -> None:
        """A new attempt: what has not ended is to be done again."""
        self.running.clear()
        self._requests.clear()
        self._surplus.clear()
        for batch in self.batches:
            batch.begin()
            if batch.unasked:
                self.fresh[batch] = None

    def take(self, container: Container, node_id: NodeId, rack: str, now_ms: int) -> Running | None:
        """Gives a container to a waiting task; None where nobody waits for it, and it goes back."""
        host = node_id.host
        key = Key(container.priority or 0, container.allocation_request_id)
        requests = self._requests.get(key)
        served = None if requests is None else requests.serve(host, rack, in_order=self._in_order)
        if served is None:
            self._surplus.append(container.id)
            return None
        batch, level = served
        running = Running(batch, level, container, node_id, batch.locality(host, rack), now_ms)
        self.running[container.id] = running
        first = batch.take_first()
        if first is not None:
            running.rival, running.is_second = first, True
            self.running[first].rival = container.id
        return running

    def is_open_ended(self, running: Running) -> bool:
        """Whether nobody can say yet how long the task will take."""
        return self._model.is_open_ended(running)

    def decided_ends(self, now_ms: int) -> list[tuple[ContainerId, int]]:
        """Tasks of which it is known now for how long they will go on."""
        return self._model.decided_ends(now_ms)

    def ended(self, container_id: ContainerId, status: int) -> Running | None:
        """A task's container has ended."""
        running = self.running.pop(container_id, None)
        if running is None:
            return None
        batch, level = running.batch, running.level
        has_failed = running.fails and status == FAILED
        if running.is_beaten:
            batch.drop_running()
        elif status != 0 and (running.rival is not None or container_id in batch.doubled):
            self._leave_to_rival(container_id, running)
        elif status != 0:
            batch.end(level + (1 if has_failed else 0))
        else:
            batch.end(0 if self._model.repeats else None)
            batch.stage.spent_ms += running.duration_ms or 0
            self._beat_rival(container_id, running)
        if batch.unasked:
            self.fresh[batch] = None
        return running

    def _leave_to_rival(self, container_id: ContainerId, running: Running) -> None:
        """One of two attempts has failed: no third one is made."""
        running.batch.drop_running()
        if running.rival is None:
            running.batch.doubled.remove(container_id)
        else:
            rival = self.running[running.rival]
            rival.rival, rival.is_second = None, False

    def _beat_rival(self, container_id: ContainerId, running: Running) -> None:
        """One of two attempts has ended well: the other goes, or is not asked for any more."""
        batch = running.batch
        if running.rival is not None:
            self.running[running.rival].is_beaten = True
            self.give_up(running.rival)
        elif container_id in batch.doubled:
            self._requests_of(batch).take_back(batch, 1, running.level)
            batch.drop_asked(container_id, running.level)

    def double(self, container_id: ContainerId) -> None:
        """A second attempt at the task of that one is asked for."""
        running = self.running[container_id]
        running.batch.double(container_id, running.level)
        self._requests_of(running.batch).ask_for(running.batch, running.level, 1)

    def next_ask(self, moment: Moment) -> tuple[ResourceRequest, ...]:
        """What it asks for now."""
        self._model.ask(moment)
        return tuple(one for requests in self._requests.values() for one in requests.ask())

    def next_release(self) -> tuple[ContainerId, ...]:
        """The containers that it gives back."""
        given, self._surplus = tuple(self._surplus), []
        return given

    def outstanding(self, ask: tuple[ResourceRequest, ...], given: tuple[Container, ...]) -> int:
        """How many containers the RM still has to allocate after a call that asked and was given these. What
        was given counts against earlier asks alone: an ask says how many there are to come.
        """
        asked = {
            Key(one.priority or 0, one.allocation_request_id): None for one in ask if one.resource_name == ANY
        }
        keys = (Key(one.priority or 0, one.allocation_request_id) for one in given)
        delivered = sum(key not in asked for key in keys)
        return max(0, sum(requests.wanted for requests in self._requests.values()) - delivered)

    # ---- for the models

    def ask_for(self, batch: Batch, most: int | None = None) -> int:
        """Tasks of the batch that were not asked for yet are; how many."""
        asked = 0
        for level, count in enumerate(batch.pending):
            count = count if most is None else min(count, most - asked)
            if count > 0:
                self._requests_of(batch).ask_for(batch, level, count)
                asked += count
        if not batch.unasked:
            self.fresh.pop(batch, None)
        return asked

    def take_back(self, batch: Batch, most: int) -> int:
        """Tasks of the batch that wait are not asked for any more; how many."""
        count = min(most, batch.waiting[0])
        if count > 0:
            self._requests_of(batch).take_back(batch, count)
            self.fresh[batch] = None
        return max(count, 0)

    def give_up(self, container_id: ContainerId) -> None:
        """A running task goes; it is told with the next call."""
        self._surplus.append(container_id)

    def _requests_of(self, batch: Batch) -> Requests:
        requests = self._requests.get(batch.key)
        if requests is None:
            requests = self._requests[batch.key] = Requests(batch.key, batch.task)
        return requests


def _priority_of(job: Job, stage: str, priority: int) -> int:
    if job.model == MAPREDUCE:
        return {MAP: MAP_PRIORITY, COPY: COPY_PRIORITY}.get(stage, REDUCE_PRIORITY)
    return MAP_PRIORITY if job.model == STREAM else priority


def _split(task: Task) -> Iterator[Task]:
    """A reduce in two halves: what copies, and what computes when that has ended."""
    if task.stage != REDUCE:
        yield task
        return
    copy_ms = max(1, round(task.duration_ms * COPY_SHARE))
    amounts = {name: -(-amount // COPY_SIZE) for name, amount in task.resource.items()}
    yield replace(
        task, stage=COPY, duration_ms=copy_ms, resource=Resource.of(amounts), failures_ms=(), places=()
    )
    yield replace(task, duration_ms=max(1, task.duration_ms - copy_ms))


# ---- models


class Model(ABC):
    """When the tasks of a job are asked for."""

    repeats = False
    """Whether a task that has ended well begins anew."""

    def __init__(self, master: JobMaster) -> None:
        self.master = master

    @abstractmethod
    def ask(self, moment: Moment) -> None:
        """Asks for what may be asked for now."""

    def is_done(self, moment: Moment) -> bool:
        """Whether the job is over."""
        return self.master.all_have_ended

    def next_due_ms(self, moment: Moment) -> int | None:
        """When time alone will bring this job further; None where it will not."""
        return None

    @property
    def follows_headroom(self) -> bool:
        """Whether what it asks for next depends on its headroom."""
        return False

    def is_open_ended(self, running: Running) -> bool:
        """Whether nobody can say yet how long this task will take."""
        return False

    def decided_ends(self, now_ms: int) -> list[tuple[ContainerId, int]]:
        """Tasks that were open-ended, with the moment of their end."""
        return []


class MapReduce(Model):
    """All maps at once; reduces from the slow start on, no more than the ramp-up allows. Reduces that are
    split copy from the slow start on, and compute when a copy has ended.
    """

    def __init__(self, master: JobMaster) -> None:
        super().__init__(master)
        self._maps = master.stages.get(MAP, Stage())
        self._reduces = master.stages.get(REDUCE, Stage())
        self._early_name = COPY if COPY in master.stages else REDUCE
        self._early = master.stages.get(self._early_name, Stage())
        """The stage whose tasks may begin before all maps have ended: copies, or else reduces."""
        sizes = dict.fromkeys((MAP, COPY, REDUCE), 0)
        for batch in master.batches:
            stage = batch.task.stage
            sizes[stage] = max(sizes[stage], batch.task.resource.memory_mb)
        self._map_mb, self._early_mb = sizes[MAP], sizes[self._early_name]
        self._first_reduces = ceil(master.job.slow_start * self._maps.total)
        self._has_decided_ends = False
        self._leaving: dict[ContainerId, None] = {}
        """Reduces that were given up and run until the RM says that they have gone."""
        self._asked_ms: int | None = None
        """Since when maps wait; None while none does."""
        self._choice = None if master.speculation is None else CHOICES[master.speculation]
        self._next_scan_ms = 0

    @property
    def _maps_are_done(self) -> bool:
        return self._maps.done == self._maps.total

    def ask(self, moment: Moment) -> None:
        self._ask(moment)
        if self._choice is not None and moment.now_ms >= self._next_scan_ms:
            doubled = [self._speculate(stage, moment.now_ms) for stage in (self._maps, self._reduces)]
            if any(doubled):
                self._next_scan_ms = moment.now_ms + PAUSE_MS

    def next_due_ms(self, moment: Moment) -> int | None:
        if self._choice is None or not self.master.running:
            return None
        return max(moment.now_ms + 1, self._next_scan_ms)

    def _speculate(self, stage: Stage, now_ms: int) -> bool:
        """At most one attempt of a type is doubled, and none while ordinary ones wait."""
        assert self._choice is not None
        if stage.asked or stage.unasked:
            return False
        attempts = [
            Attempt(
                container_id=container_id,
                started_ms=running.started_ms,
                ends_ms=running.ends_ms,
                is_doubled=running.rival is not None or container_id in running.batch.doubled,
            )
            for container_id, running in self.master.running.items()
            if running.batch.stage is stage
            and running.ends_ms is not None
            and not (running.is_second or running.is_beaten or running.fails)
        ]
        tasks = Tasks(
            total=stage.total,
            done=stage.done,
            spent_ms=stage.spent_ms,
            attempts=attempts,
            containers=len(self.master.running),
        )
        chosen = self._choice(tasks, now_ms)
        if chosen is not None:
            self.master.double(chosen)
        return chosen is not None

    def _ask(self, moment: Moment) -> None:
        if self._early is not self._reduces:
            self._compute()
        if self._maps_are_done:
            for batch in [one for one in self.master.fresh if one.stage is self._early]:
                self.master.ask_for(batch)
            return
        for batch in [one for one in self.master.fresh if one.task.stage == MAP]:
            self.master.ask_for(batch)
        if self._ramps_up:
            self._ramp_up(moment)
        self._record_waiting(moment)
        self._make_room(moment)

    def _compute(self) -> None:
        """As many reduces as have copied are asked for."""
        reduces = self._reduces
        ready = self._early.done - reduces.asked - reduces.running - reduces.done
        for batch in [one for one in self.master.fresh if one.stage is reduces]:
            if ready > 0:
                ready -= self.master.ask_for(batch, ready)

    @property
    def follows_headroom(self) -> bool:
        if self._maps_are_done:
            return False
        has_stalled = self._maps.asked > 0 and not self._maps.running and bool(self.master.running)
        return has_stalled or self._ramps_up

    @property
    def _ramps_up(self) -> bool:
        """Whether reduces may be asked for although maps have not ended."""
        is_early = self.master.job.slow_start < 1 and self._maps.done >= self._first_reduces
        return is_early and self._early.total > self._early.done + self._early.running

    def _ramp_up(self, moment: Moment) -> None:
        maps, early = self._maps, self._early
        amounts = Amounts(
            completed_maps=maps.done,
            total_maps=maps.total,
            waiting_maps=maps.asked,
            assigned_maps=maps.running,
            waiting_reduces=early.asked,
            assigned_reduces=early.running,
            pending_reduces=early.unasked,
            map_mb=self._map_mb,
            reduce_mb=self._early_mb,
            headroom_mb=moment.headroom_mb,
        )
        change = reduces_to_add(amounts, RAMP_UP_LIMIT if early is self._reduces else COPY_LIMIT)
        for batch in [one for one in self.master.batches if one.stage is early] if change else ():
            if change > 0:
                change -= self.master.ask_for(batch, change)
            elif change < 0:
                change += self.master.take_back(batch, -change)

    def _record_waiting(self, moment: Moment) -> None:
        if not self._maps.asked:
            self._asked_ms = None
        elif self._asked_ms is None or self._maps.running:
            self._asked_ms = moment.now_ms

    def _make_room(self, moment: Moment) -> None:
        """Where maps wait, none runs and there is no room for one, or they have waited for too long, reduces
        that were asked for are taken back and the youngest ones go. Hadoop:
        RMContainerAllocator.preemptReducesIfNeeded.
        """
        maps, early, early_mb = self._maps, self._early, max(self._early_mb, 1)
        if maps.running or not maps.asked or not early.total:
            return
        self._leaving = {one: None for one in self._leaving if one in self.master.running}
        free_mb = moment.headroom_mb + (len(self._leaving) - early.asked) * early_mb
        has_waited = self._asked_ms is not None and moment.now_ms - self._asked_ms > UNCONDITIONAL_MS
        if free_mb >= self._map_mb and not has_waited:
            return
        for batch in [one for one in self.master.batches if one.stage is early]:
            self.master.take_back(batch, batch.waiting[0])
        staying = [
            container_id
            for container_id, running in self.master.running.items()
            if running.batch.stage is early and container_id not in self._leaving
        ]
        total_mb = moment.headroom_mb + len(staying) * early_mb
        for_one = max(_up(self._map_mb, early_mb), _up(int(PREEMPTION_LIMIT * total_mb), early_mb))
        for container_id in reversed(staying[-min(for_one, _up(maps.asked * self._map_mb, early_mb)) :]):
            self._leaving[container_id] = None
            self.master.give_up(container_id)

    def is_open_ended(self, running: Running) -> bool:
        is_early = running.batch.stage is self._early and not running.fails
        return is_early and not self._maps_are_done

    def decided_ends(self, now_ms: int) -> list[tuple[ContainerId, int]]:
        if self._has_decided_ends or not self._maps_are_done:
            return []
        self._has_decided_ends = True
        found = []
        for container_id, running in self.master.running.items():
            if running.batch.stage is self._early and running.duration_ms is not None and not running.fails:
                copied = 1 if self._early_name == COPY else COPY_SHARE
                rest_ms = round(running.duration_ms * (1 - copied))
                end_ms = max(running.started_ms + running.duration_ms, now_ms + rest_ms)
                running.ends_ms = end_ms
                found.append((container_id, end_ms))
        return found


class Dag(Model):
    """Each task when its delay has passed and the stages before its own have ended."""

    def ask(self, moment: Moment) -> None:
        stages, after = self.master.stages, self.master.job.after
        for batch in list(self.master.fresh):
            is_due = moment.now_ms >= moment.begun_ms + batch.task.delay_ms
            earlier = (stages[name] for name in after.get(batch.task.stage, ()))
            if is_due and all(stage.done == stage.total for stage in earlier):
                self.master.ask_for(batch)

    def next_due_ms(self, moment: Moment) -> int | None:
        due = (moment.begun_ms + batch.task.delay_ms for batch in self.master.fresh)
        return min((one for one in due if one > moment.now_ms), default=None)


class Stream(Model):
    """All tasks at once, each again when it has ended, until the job's time has passed."""

    repeats = True

    def ask(self, moment: Moment) -> None:
        for batch in list(self.master.fresh):
            self.master.ask_for(batch)

    def is_done(self, moment: Moment) -> bool:
        return moment.now_ms >= self.master.job.end_ms

    def next_due_ms(self, moment: Moment) -> int | None:
        return self.master.job.end_ms


class Service(Model):
    """All tasks at once; each runs until the job's time has passed; one that is lost is asked for again."""

    def ask(self, moment: Moment) -> None:
        for batch in list(self.master.fresh):
            self.master.ask_for(batch)

    def is_open_ended(self, running: Running) -> bool:
        return not running.fails

    def is_done(self, moment: Moment) -> bool:
        return moment.now_ms >= self.next_due_ms(moment)

    def next_due_ms(self, moment: Moment) -> int:
        job = self.master.job
        if job.end_ms > job.submit_ms:
            return job.end_ms
        return moment.begun_ms + max(task.duration_ms for task in job.tasks)


def _up(amount: int, by: int) -> int:
    return -(-amount // by)


MODELS: Mapping[str, Callable[[JobMaster], Model]] = {
    MAPREDUCE: MapReduce,
    DAG: Dag,
    STREAM: Stream,
    SERVICE: Service,
}
