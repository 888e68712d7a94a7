"""The AM of one job: asks for all maps at once, and when all have ended, for all reduces.

It knows its tasks and what became of them; when it heartbeats and where its containers run is the player's
business. A task whose container did not end well is asked for again, together with all that are still
outstanding: counts in an ask are absolute. A new attempt asks for all unfinished tasks. Answers for
MRAMSimulator.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sim.masters import ANY, SimMaster
from sim.workload.jobs import Job, TaskGroup
from yarn.ids import ContainerId
from yarn.records.container import Container
from yarn.records.request import ResourceRequest

MAP_PRIORITY = 20
REDUCE_PRIORITY = 10


@dataclass(slots=True)
class _Stage:
    """The maps, or the reduces. Its tasks are equal, so that how many are where is all there is to know."""

    group: TaskGroup
    priority: int
    waiting: int = 0
    """Asked for, or to be asked for."""
    running: dict[ContainerId, None] = field(default_factory=dict)
    done: int = 0
    asked: int = 0
    """What the RM was last told and has not given since."""

    def ask(self) -> tuple[ResourceRequest, ...]:
        """What has to be said: nothing while the RM knows already."""
        if self.waiting == self.asked:
            return ()
        self.asked = self.waiting
        return (
            ResourceRequest(
                priority=self.priority,
                resource_name=ANY,
                capability=self.group.resource,
                num_containers=self.waiting,
            ),
        )


class JobMaster(SimMaster):
    """One job's AM."""

    def __init__(self, job: Job, master: SimMaster) -> None:
        super().__init__(master.application_id, is_managed=True)
        self.job = job
        self._stages = [_Stage(job.maps, MAP_PRIORITY), _Stage(job.reduces, REDUCE_PRIORITY)]

    @property
    def progress(self) -> float:
        """Of all tasks, those that have ended."""
        return sum(stage.done for stage in self._stages) / self.job.tasks

    @property
    def is_done(self) -> bool:
        """Whether every task has ended well."""
        return all(stage.done == stage.group.count for stage in self._stages)

    def begin(self) -> None:
        """A new attempt: what has not ended is to be done again."""
        for stage in self._stages:
            stage.running.clear()
            stage.waiting = stage.asked = 0

    def take(self, containers: tuple[Container, ...]) -> list[tuple[Container, int]]:
        """Gives containers to waiting tasks; each with its time to live. Those that nobody waits for are left
        out.
        """
        given = []
        for container in containers:
            stage = self._stages[0] if container.priority == MAP_PRIORITY else self._stages[1]
            assert container.id is not None
            stage.asked = max(0, stage.asked - 1)
            if stage.waiting:
                stage.waiting -= 1
                stage.running[container.id] = None
                given.append((container, stage.group.duration_ms))
        return given

    def ended(self, container_id: ContainerId, status: int) -> None:
        """A task's container has ended."""
        for stage in self._stages:
            if container_id in stage.running:
                del stage.running[container_id]
                if status == 0:
                    stage.done += 1

    def next_ask(self) -> tuple[ResourceRequest, ...]:
        """What it asks for now."""
        for stage in self._stages:
            if stage.done < stage.group.count:
                stage.waiting = stage.group.count - stage.done - len(stage.running)
                return stage.ask()
        return ()
