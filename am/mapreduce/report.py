"""What is shown of a job: reads the core between turns, changes nothing.

The shapes are those of the MapReduce AM's REST API (`/ws/v1/mapreduce/...`); the report of an ended job is
made of the same parts. Answers for AMWebServices and its info classes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from am.asks import RackOf
from am.mapreduce.attempt import Attempt
from am.mapreduce.core import Core
from am.mapreduce.events import Counters
from am.mapreduce.http import Request, Response, json_response
from am.mapreduce.ids import TaskType
from am.mapreduce.settings import JobSettings
from am.mapreduce.task import Task
from yarn.ids import ContainerId, NodeId

JOB_COUNTERS = "org.apache.hadoop.mapreduce.JobCounter"
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

    def __init__(
        self, core: Core, settings: JobSettings, user: str, rack_of: RackOf, am: AMInfo | None = None
    ) -> None:
        self._rack_of = rack_of
        self._am = am
        self._core = core
        self._settings = settings
        self._user = user

    def answer(self, request: Request) -> Response:
        """One page."""
        if request.method != "GET":
            return json_response({"message": "only GET"}, 405)
        parts = request.target.partition("?")[0].removeprefix(PREFIX).strip("/").split("/")
        job_id = str(self._core.job.id)
        if not request.target.startswith(PREFIX) or (len(parts) > 1 and parts[1] != job_id):
            return json_response({"message": f"there is no page {request.target}"}, 404)
        match parts:
            case ["" | "info"]:
                application_id = str(self._core.job.id.application_id)
                return json_response({"info": {"appId": application_id, "user": self._user}})
            case ["jobs"]:
                return json_response({"jobs": {"job": [self.job()]}})
            case ["jobs", _]:
                return json_response({"job": self.job()})
            case ["jobs", _, "jobattempts"]:
                return json_response({"jobAttempts": {"jobAttempt": self.job_attempts()}})
            case ["jobs", _, "counters"]:
                return json_response({"jobCounters": {"id": job_id, "counterGroup": groups(self.counters())}})
            case ["jobs", _, "tasks"]:
                return json_response({"tasks": {"task": [self.task(task) for task in self._tasks()]}})
            case ["jobs", _, "tasks", name, "attempts"]:
                for task in self._tasks():
                    if str(task.id) == name:
                        shown = [self.attempt(attempt) for attempt in task.attempts.values()]
                        return json_response({"taskAttempts": {"taskAttempt": shown}})
            case _:
                pass
        return json_response({"message": f"there is no page {request.target}"}, 404)

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
        sums: dict[str, dict[str, int]] = {}
        for task in self._tasks():
            attempt = task.attempts.get(task.successful_attempt) if task.successful_attempt else None
            if attempt is not None:
                _add(sums, attempt.counters)
        _add(sums, {JOB_COUNTERS: self._job_counters()})
        return sums

    def report(self) -> dict[str, Any]:
        """The whole, for the history."""
        tasks = [
            {**self.task(task), "attempts": [self.attempt(attempt) for attempt in task.attempts.values()]}
            for task in self._tasks()
        ]
        return {
            "job": self.job(),
            "jobAttempts": self.job_attempts(),
            "counters": self.counters(),
            "tasks": tasks,
        }

    def _tasks(self) -> Iterable[Task]:
        return (*self._core.job.maps, *self._core.job.reduces)

    def _job_counters(self) -> dict[str, int]:
        found: dict[str, int] = {}

        def count(name: str) -> None:
            found[name] = found.get(name, 0) + 1

        for task in self._tasks():
            kind = "MAPS" if task.id.is_map else "REDUCES"
            for attempt in task.attempts.values():
                if attempt.launched_ms:
                    count(f"TOTAL_LAUNCHED_{kind}")
                if attempt.state.value in ("FAILED", "KILLED"):
                    count(f"NUM_{attempt.state.value}_{kind}")
                if task.id.is_map and attempt.launched_ms and attempt.node_id is not None:
                    count(_locality(attempt, self._rack_of(attempt.node_id.host)))
        return found


def groups(counters: Counters) -> list[dict[str, Any]]:
    """Counters as the REST API shows them."""
    return [
        {
            "counterGroupName": group,
            "counter": [{"name": name, "totalCounterValue": value} for name, value in amounts.items()],
        }
        for group, amounts in counters.items()
    ]


def _locality(attempt: Attempt, rack: str) -> str:
    if attempt.node_id is not None and attempt.node_id.host in attempt.hosts:
        return "DATA_LOCAL_MAPS"
    return "RACK_LOCAL_MAPS" if rack in attempt.racks else "OTHER_LOCAL_MAPS"


def _add(sums: dict[str, dict[str, int]], counters: Counters) -> None:
    for group, amounts in counters.items():
        into = sums.setdefault(group, {})
        for name, value in amounts.items():
            into[name] = into.get(name, 0) + value
