"""What is shown of a job: reads the core between turns, changes nothing.

The shapes are those of the MapReduce AM's REST API (`/ws/v1/mapreduce/...`). Hadoop: AMWebServices and its
info classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from yarnbox.am.mapreduce.app.attempt import Attempt
from yarnbox.am.mapreduce.app.core import Core
from yarnbox.am.mapreduce.app.job_counters import best_attempt, of_job, of_tasks
from yarnbox.am.mapreduce.app.task import Task, TaskState
from yarnbox.am.mapreduce.history.files import read_properties
from yarnbox.am.mapreduce.history.rest import counter_groups
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


class BadQueryError(ValueError):
    """A parameter that is none; the message is Hadoop's."""


class Pages:
    """The pages of one job."""

    def __init__(
        self,
        core: Core,
        settings: JobSettings,
        user: str,
        am: AMInfo | None = None,
        conf: Path | None = None,
    ) -> None:
        """`conf` is the file of the job's configuration."""
        self._am = am
        self._core = core
        self._settings = settings
        self.user = user
        self._conf = conf

    def answer(self, target: str) -> dict[str, Any] | None:
        """The page at a path of the REST API; None if there is none. The ResourceManager's proxy puts the
        path of the tracking URL, which is the job's, before the one that it was asked for. BadQueryError for
        a parameter that is none.
        """
        through_proxy = target.removeprefix(f"{PREFIX}/jobs/{self._core.job.id}")
        if through_proxy.startswith(PREFIX):
            target = through_proxy
        path, _, query = target.partition("?")
        parts = path.removeprefix(PREFIX).strip("/").split("/")
        job_id = str(self._core.job.id)
        if not target.startswith(PREFIX) or (len(parts) > 1 and parts[1] != job_id):
            return None
        match parts:
            case ["" | "info"]:
                return {"info": self.info()}
            case ["blacklistednodes"]:
                return {"blacklistednodesinfo": {"blacklistedNodes": [*self._core.allocator.blacklisted]}}
            case ["jobs"]:
                return {"jobs": {"job": [self.job()]}}
            case ["jobs", _]:
                return {"job": self.job()}
            case ["jobs", _, "jobattempts"]:
                return {"jobAttempts": {"jobAttempt": self.job_attempts()}}
            case ["jobs", _, "counters"]:
                return {"jobCounters": {"id": job_id, "counterGroup": self.job_counters()}}
            case ["jobs", _, "conf"]:
                properties = read_properties(self._conf) if self._conf is not None else None
                return (
                    None
                    if properties is None
                    else {"conf": {"path": str(self._conf), "property": properties}}
                )
            case ["jobs", _, "tasks"]:
                return {"tasks": {"task": [self.task(task) for task in self._tasks_of_type(query)]}}
            case ["jobs", _, "tasks", name, *more]:
                task = next((one for one in self._tasks() if str(one.id) == name), None)
                return None if task is None else self._about_task(task, more)
            case _:
                return None

    def _about_task(self, task: Task, more: Sequence[str]) -> dict[str, object] | None:
        match more:
            case []:
                return {"task": self.task(task)}
            case ["counters"]:
                groups = counter_groups(of_tasks([task]))
                return {"jobTaskCounters": {"id": str(task.id), "taskCounterGroup": groups}}
            case ["attempts"]:
                shown = [self.attempt(attempt) for attempt in task.attempts.values()]
                return {"taskAttempts": {"taskAttempt": shown}}
            case ["attempts", name, *rest]:
                attempt = next((one for one in task.attempts.values() if str(one.id) == name), None)
                return None if attempt is None else self._about_attempt(attempt, rest)
            case _:
                return None

    def _about_attempt(self, attempt: Attempt, more: Sequence[str]) -> dict[str, object] | None:
        match more:
            case []:
                return {"taskAttempt": self.attempt(attempt)}
            case ["state"]:
                return {"jobTaskAttemptState": {"state": attempt.state.told}}
            case ["counters"]:
                groups = counter_groups(attempt.counters)
                told = {"id": str(attempt.id), "taskAttemptCounterGroup": groups}
                return {"jobTaskAttemptCounters": told}
            case _:
                return None

    def info(self) -> dict[str, object]:
        started_ms = self._am.start_ms if self._am is not None else 0
        return {
            "appId": str(self._core.job.id.application_id),
            "name": self._settings.name,
            "user": self.user,
            "startedOn": started_ms,
            "elapsedTime": self._elapsed_ms(started_ms, 0),
        }

    def _elapsed_ms(self, started_ms: int, finished_ms: int) -> int:
        """How long something took, or has taken until now."""
        if not started_ms:
            return 0
        return max(0, (finished_ms or self._core.context.now_ms) - started_ms)

    def job(self) -> dict[str, object]:
        job = self._core.job
        return {
            "id": str(job.id),
            "name": self._settings.name,
            "user": self.user,
            "queue": self._settings.queue,
            "state": job.state.value,
            "startTime": job.started_ms,
            "finishTime": job.finished_ms,
            "elapsedTime": self._elapsed_ms(job.started_ms, job.finished_ms),
            "mapsTotal": len(job.maps),
            "mapsCompleted": job.count(TaskType.MAP, "SUCCEEDED"),
            "reducesTotal": len(job.reduces),
            "reducesCompleted": job.count(TaskType.REDUCE, "SUCCEEDED"),
            "mapProgress": 100 * job.progress(TaskType.MAP),
            "reduceProgress": 100 * job.progress(TaskType.REDUCE),
            **_task_counts("maps", job.maps),
            **_task_counts("reduces", job.reduces),
            "uberized": self._core.context.is_uber,
            "diagnostics": "\n".join(job.diagnostics),
            **_attempt_counts("Map", job.maps),
            **_attempt_counts("Reduce", job.reduces),
            "acls": [],
        }

    def job_attempts(self) -> list[dict[str, object]]:
        """The AM that tells this; earlier ones told their own."""
        am = self._am
        if am is None:
            return []
        http_address = f"{am.node_id.host}:{am.http_port}"
        logs = f"/node/containerlogs/{am.container_id}/{self.user}"
        return [
            {
                "nodeHttpAddress": http_address,
                "nodeId": str(am.node_id),
                "id": am.number,
                "startTime": am.start_ms,
                "containerId": str(am.container_id),
                "logsLink": f"http://{http_address}{logs}",
                "nodeHost": am.node_id.host,
            }
        ]

    def task(self, task: Task) -> dict[str, object]:
        return {
            "id": str(task.id),
            "type": task.id.type.name,
            "state": task.state.told,
            "progress": 100 * task.progress,
            "startTime": task.scheduled_ms,
            "finishTime": task.finished_ms,
            "elapsedTime": self._elapsed_ms(task.scheduled_ms, task.finished_ms),
            "status": best.status if (best := best_attempt(task)) is not None else "",
            "successfulAttempt": str(task.successful_attempt or ""),
        }

    def attempt(self, attempt: Attempt) -> dict[str, object]:
        """An attempt; one of a reduce tells its phases."""
        shown = {
            "id": str(attempt.id),
            "type": attempt.id.task_id.type.name,
            "state": attempt.state.told,
            "status": attempt.status,
            "progress": 100 * attempt.progress,
            "startTime": attempt.launched_ms,
            "finishTime": attempt.finished_ms,
            "elapsedTime": self._elapsed_ms(attempt.launched_ms, attempt.finished_ms),
            "assignedContainerId": str(attempt.container.id) if attempt.container else "",
            "nodeHttpAddress": f"{attempt.node_id.host}:{attempt.http_port}" if attempt.node_id else "",
            "nodeId": str(attempt.node_id or ""),
            "nodeHost": attempt.node_id.host if attempt.node_id else "",
            "diagnostics": "; ".join(attempt.diagnostics),
            "counters": attempt.counters,
        }
        if not attempt.id.is_map:
            shuffled_ms = attempt.shuffle_finished_ms
            reduce_ms = attempt.finished_ms - shuffled_ms if shuffled_ms and attempt.finished_ms else 0
            shown |= {
                "shuffleFinishTime": shuffled_ms,
                "mergeFinishTime": shuffled_ms,  # what is fetched is merged when it is read
                "elapsedShuffleTime": shuffled_ms - attempt.launched_ms if shuffled_ms else 0,
                "elapsedMergeTime": 0,
                "elapsedReduceTime": max(0, reduce_ms),
            }
        return shown

    def job_counters(self) -> list[dict[str, object]]:
        """The job's counters: in total, of the maps, of the reduces."""
        maps, reduces = of_tasks(self._core.job.maps), of_tasks(self._core.job.reduces)
        return [
            {
                "counterGroupName": group,
                "counter": [
                    {
                        "name": name,
                        "totalCounterValue": value,
                        "mapCounterValue": maps.get(group, {}).get(name, 0),
                        "reduceCounterValue": reduces.get(group, {}).get(name, 0),
                    }
                    for name, value in amounts.items()
                ],
            }
            for group, amounts in self.counters().items()
        ]

    def counters(self) -> dict[str, dict[str, int]]:
        """The sum of the tasks' counters, and the job's own."""
        return of_job(self._tasks())

    def _tasks(self) -> Iterable[Task]:
        return (*self._core.job.maps, *self._core.job.reduces)

    def _tasks_of_type(self, query: str) -> Iterable[Task]:
        """The tasks of the type that is asked for, else all."""
        letter = dict(parse_qsl(query)).get("type")
        if letter is None:
            return self._tasks()
        if letter not in ("m", "r"):
            raise BadQueryError("tasktype must be either m or r")
        return self._core.job.maps if letter == "m" else self._core.job.reduces


def _task_counts(kind: str, tasks: Iterable[Task]) -> dict[str, int]:
    states = [task.state for task in tasks]
    return {
        f"{kind}Pending": states.count(TaskState.SCHEDULED),
        f"{kind}Running": states.count(TaskState.RUNNING),
    }


def _attempt_counts(kind: str, tasks: Iterable[Task]) -> dict[str, int]:
    states = [attempt.state.told for task in tasks for attempt in task.attempts.values()]
    return {f"{name}{kind}Attempts": sum(map(states.count, counted)) for name, counted in _COUNTED.items()}


_COUNTED = {
    "new": ("NEW", "STARTING"),
    "running": ("RUNNING", "COMMIT_PENDING"),
    "failed": ("FAILED",),
    "killed": ("KILLED",),
    "successful": ("SUCCEEDED",),
}
