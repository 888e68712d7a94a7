"""What is shown of a job: reads the core between turns, changes nothing.

The shapes are those of the MapReduce AM's REST API (`/ws/v1/mapreduce/...`). Hadoop: AMWebServices and its
info classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from yarnbox.am.mapreduce.app.attempt import Attempt
from yarnbox.am.mapreduce.app.core import Core
from yarnbox.am.mapreduce.app.events import Counters
from yarnbox.am.mapreduce.app.job_counters import of_job
from yarnbox.am.mapreduce.app.task import Task
from yarnbox.am.mapreduce.ids import TaskType
from yarnbox.am.mapreduce.settings import JobSettings
from yarnbox.yarn.ids import ContainerId, NodeId

PREFIX = "/ws/v1/mapreduce"


class AMInfo(NamedTuple):
    """Where this life of the job's AM runs, and since when."""

    number: int
    container_id: ContainerId
    node_id: NodeId
    start_ms: int
    submit_ms: int = 0
    http_port: int = 0


class Pages:
    """The pages of one job."""

    def __init__(self, core: Core, settings: JobSettings, user: str, am: AMInfo | None = None) -> None:
        self._am = am
        self._core = core
        self._settings = settings
        self._user = user

    def answer(self, target: str) -> dict[str, Any] | None:
        """The page at a path of the REST API; None if there is none. The ResourceManager's proxy puts the
        path of the tracking URL, which is the job's, before the one that it was asked for.
        """
        through_proxy = target.removeprefix(f"{PREFIX}/jobs/{self._core.job.id}")
        if through_proxy.startswith(PREFIX):
            target = through_proxy
        parts = target.partition("?")[0].removeprefix(PREFIX).strip("/").split("/")
        job_id = str(self._core.job.id)
        if not target.startswith(PREFIX) or (len(parts) > 1 and parts[1] != job_id):
            return None
        match parts:
            case ["" | "info"]:
                application_id = str(self._core.job.id.application_id)
                return {"info": {"appId": application_id, "user": self._user}}
            case ["jobs"]:
                return {"jobs": {"job": [self.job()]}}
            case ["jobs", _]:
                return {"job": self.job()}
            case ["jobs", _, "jobattempts"]:
                return {"jobAttempts": {"jobAttempt": self.job_attempts()}}
            case ["jobs", _, "counters"]:
                return {"jobCounters": {"id": job_id, "counterGroup": groups(self.counters())}}
            case ["jobs", _, "tasks"]:
                return {"tasks": {"task": [self.task(task) for task in self._tasks()]}}
            case ["jobs", _, "tasks", name, "attempts"]:
                for task in self._tasks():
                    if str(task.id) == name:
                        shown = [self.attempt(attempt) for attempt in task.attempts.values()]
                        return {"taskAttempts": {"taskAttempt": shown}}
            case _:
                pass
        return None

    def job(self) -> dict[str, Any]:
        """The job."""
        job = self._core.job
        return {
            "id": str(job.id),
            "name": self._settings.name,
            "user": self._user,
            "queue": self._settings.queue,
            "state": job.state.value,
            "startTime": job.started_ms,
            "finishTime": job.finished_ms,
            "mapsTotal": len(job.maps),
            "mapsCompleted": job.count(TaskType.MAP, "SUCCEEDED"),
            "reducesTotal": len(job.reduces),
            "reducesCompleted": job.count(TaskType.REDUCE, "SUCCEEDED"),
            "mapProgress": 100 * job.progress(TaskType.MAP),
            "reduceProgress": 100 * job.progress(TaskType.REDUCE),
            "diagnostics": "\n".join(job.diagnostics),
        }

    def job_attempts(self) -> list[dict[str, Any]]:
        """The AM that tells this; earlier ones told their own."""
        am = self._am
        if am is None:
            return []
        return [
            {
                "id": am.number,
                "startTime": am.start_ms,
                "containerId": str(am.container_id),
                "nodeId": str(am.node_id),
                "nodeHost": am.node_id.host,
            }
        ]

    def task(self, task: Task) -> dict[str, Any]:
        """A task."""
        return {
            "id": str(task.id),
            "type": task.id.type.name,
            "state": task.state.value,
            "progress": 100 * task.progress,
            "startTime": task.scheduled_ms,
            "finishTime": task.finished_ms,
            "successfulAttempt": str(task.successful_attempt or ""),
        }

    def attempt(self, attempt: Attempt) -> dict[str, Any]:
        """An attempt."""
        return {
            "id": str(attempt.id),
            "type": attempt.id.task_id.type.name,
            "state": attempt.state.value,
            "status": attempt.status,
            "progress": 100 * attempt.progress,
            "startTime": attempt.launched_ms,
            "finishTime": attempt.finished_ms,
            "assignedContainerId": str(attempt.container.id) if attempt.container else "",
            "nodeId": str(attempt.node_id or ""),
            "nodeHost": attempt.node_id.host if attempt.node_id else "",
            "diagnostics": "; ".join(attempt.diagnostics),
            "counters": attempt.counters,
        }

    def counters(self) -> dict[str, dict[str, int]]:
        """The sum of the tasks' counters, and the job's own."""
        return of_job(self._tasks())

    def _tasks(self) -> Iterable[Task]:
        return (*self._core.job.maps, *self._core.job.reduces)


def groups(counters: Counters) -> list[dict[str, Any]]:
    """Counters as the REST API shows them."""
    return [
        {
            "counterGroupName": group,
            "counter": [{"name": name, "totalCounterValue": value} for name, value in amounts.items()],
        }
        for group, amounts in counters.items()
    ]
