"""Who listens to a play: what happens to jobs and tasks, told as it happens."""

from __future__ import annotations

from yarnbox.sim.load.jobs import Job
from yarnbox.sim.nodes import SimNode
from yarnbox.sim.workload.master import Running
from yarnbox.yarn.compiled import mypyc_attr
from yarnbox.yarn.ids import ApplicationId, ContainerId


@mypyc_attr(allow_interpreted_subclasses=True)
class Watcher:
    """Hears everything and does nothing: whoever wants something overrides it."""

    def submitted(self, application_id: ApplicationId, job: Job, now_ms: int) -> None:
        """The RM has taken a job."""

    def refused(self, application_id: ApplicationId, job: Job, why: str, now_ms: int) -> None:
        """The RM has refused it."""

    def am_started(self, application_id: ApplicationId, now_ms: int) -> None:
        """An AM was launched, of the first attempt or of a later one."""

    def task_started(
        self, application_id: ApplicationId, running: Running, node: SimNode, now_ms: int
    ) -> None:
        """A task runs in a container."""

    def task_ended(
        self,
        application_id: ApplicationId,
        container_id: ContainerId,
        running: Running,
        status: int,
        now_ms: int,
    ) -> None:
        """Its AM has heard that the container ended."""

    def over(self, application_id: ApplicationId, state: str, why: str, now_ms: int) -> None:
        """The job has come to its end: FINISHED, FAILED or KILLED."""

    def moment(self, now_ms: int) -> None:
        """An interval has passed."""
