"""What /ws/v1/history answers, and the report that a job's client reads: plain values of a past job.

Hadoop: HsWebServices and its dao classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from yarnbox.am.mapreduce.app.events import Counters
from yarnbox.am.mapreduce.history import sums
from yarnbox.am.mapreduce.history.files import IndexInfo
from yarnbox.am.mapreduce.history.parsed import PastAM, PastAttempt, PastJob, PastTask

STATES = (
    "NEW", "INITED", "RUNNING", "SUCCEEDED", "FAILED", "KILLED", "ERROR",
)  # fmt: skip
ENDS = {"failed": "FAILED", "killed": "KILLED", "successful": "SUCCEEDED"}
TASK_TYPES = {"m": "MAP", "r": "REDUCE"}


class BadQueryError(ValueError):
    """A parameter that is none; the message is Hadoop's where it has one."""


# Lists


def chosen(found: Iterable[IndexInfo], query: Mapping[str, str]) -> list[IndexInfo]:
    """Those that the parameters of a request leave. BadQueryError when one cannot be read."""
    state = query.get("state")
    if state is not None and state not in STATES:
        raise BadQueryError(f"No enum constant org.apache.hadoop.mapreduce.v2.api.records.JobState.{state}")
    limit = _limit(query)
    started, finished = _span(query, "started"), _span(query, "finished")
    kept: list[IndexInfo] = []
    for info in found:
        if len(kept) == limit:
            break
        if (
            query.get("user", info.user) == info.user
            and query.get("queue", info.queue) == info.queue
            and state in (None, info.state)
            and started[0] <= info.start_ms <= started[1]
            and finished[0] <= info.finish_ms <= finished[1]
        ):
            kept.append(info)
    return kept


def _limit(query: Mapping[str, str]) -> int | None:
    text = query.get("limit")
    if text is None:
        return None
    if not text.removeprefix("-").isdecimal():
        raise BadQueryError(f'For input string: "{text}"')
    if int(text) <= 0:
        raise BadQueryError("limit value must be greater then 0")
    return int(text)


def _span(query: Mapping[str, str], which: str) -> tuple[float, float]:
    begin, end = (_moment(query, f"{which}Time{part}") for part in ("Begin", "End"))
    if begin is not None and end is not None and begin > end:
        raise BadQueryError(f"{which}TimeEnd must be greater than {which}TimeBegin")
    return (0 if begin is None else begin), (float("inf") if end is None else end)


def _moment(query: Mapping[str, str], name: str) -> int | None:
    text = query.get(name)
    if text is None:
        return None
    if not text.removeprefix("-").isdecimal():
        raise BadQueryError(f"Invalid number format: {text}")
    if int(text) < 0:
        raise BadQueryError(f"{name} must be greater than 0")
    return int(text)


def tasks_of(past: PastJob, query: Mapping[str, str]) -> list[PastTask]:
    """The tasks of the type that is asked for, else all."""
    letter = query.get("type") or None
    if letter is not None and letter not in TASK_TYPES:
        raise BadQueryError("tasktype must be either m or r")
    return [task for task in past.tasks.values() if letter is None or task.type == TASK_TYPES[letter]]


# Values


def listed(info: IndexInfo) -> dict[str, Any]:
    """A job in the list: what its file name tells. As in Hadoop, all tasks are those that succeeded."""
    return {
        "submitTime": info.submit_ms,
        "startTime": info.start_ms,
        "finishTime": info.finish_ms,
        "id": str(info.job_id),
        "name": info.job_name,
        "queue": info.queue,
        "user": info.user,
        "state": info.state,
        "mapsTotal": info.maps,
        "mapsCompleted": info.maps,
        "reducesTotal": info.reduces,
        "reducesCompleted": info.reduces,
    }


def job(past: PastJob) -> dict[str, Any]:
    maps, reduces = past.attempts("MAP"), past.attempts("REDUCE")
    return {
        "submitTime": past.submit_ms,
        "startTime": past.launch_ms,
        "finishTime": past.finish_ms,
        "id": past.id,
        "name": past.name,
        "queue": past.queue,
        "user": past.user,
        "state": past.state,
        "mapsTotal": past.total_maps,
        "mapsCompleted": _completed(past, "MAP"),
        "reducesTotal": past.total_reduces,
        "reducesCompleted": _completed(past, "REDUCE"),
        "uberized": past.uberized,
        "diagnostics": past.diagnostics,
        **_averages(past),
        **{f"{end}MapAttempts": count for end, count in _counted(maps).items()},
        **{f"{end}ReduceAttempts": count for end, count in _counted(reduces).items()},
        "acls": [],
    }


def _completed(past: PastJob, type_: str) -> int:
    return sum(task.type == type_ and task.state == "SUCCEEDED" for task in past.tasks.values())


def _counted(attempts: Sequence[PastAttempt]) -> dict[str, int]:
    return {end: sum(one.state == state for one in attempts) for end, state in ENDS.items()}


def _averages(past: PastJob) -> dict[str, int]:
    maps, reduces = (
        [one for one in past.attempts(type_) if one.state == "SUCCEEDED"] for type_ in ("MAP", "REDUCE")
    )
    return {
        "avgMapTime": _mean([one.finish_ms - one.start_ms for one in maps]),
        "avgReduceTime": _mean([one.finish_ms - one.sort_finish_ms for one in reduces]),
        "avgShuffleTime": _mean([one.shuffle_finish_ms - one.start_ms for one in reduces]),
        "avgMergeTime": _mean([one.sort_finish_ms - one.shuffle_finish_ms for one in reduces]),
    }


def _mean(values: Sequence[int]) -> int:
    return sum(values) // len(values) if values else 0


def job_attempts(past: PastJob, server: str) -> list[dict[str, Any]]:
    """The lives of its AM."""
    return [_job_attempt(number, am, past, server) for number, am in enumerate(past.ams, 1)]


def _job_attempt(number: int, am: PastAM, past: PastJob, server: str) -> dict[str, Any]:
    node = f"{am.host}:{am.port}"
    return {
        "nodeHttpAddress": f"{am.host}:{am.http_port}",
        "nodeId": node,
        "id": number,
        "startTime": am.start_ms,
        "containerId": am.container_id,
        "logsLink": f"{server}/jobhistory/logs/{node}/{am.container_id}/{past.id}/{past.user}",
    }


def task(one: PastTask) -> dict[str, Any]:
    has_ended = one.finish_ms > 0
    return {
        "startTime": one.start_ms,
        "finishTime": one.finish_ms,
        "elapsedTime": one.finish_ms - one.start_ms if has_ended else 0,
        "progress": 100.0 if has_ended else 0.0,
        "id": one.id,
        "state": one.state,
        "type": one.type,
        "successfulAttempt": one.successful_attempt,
        "status": "",
    }


def attempt(one: PastAttempt) -> dict[str, Any]:
    """An attempt; one of a reduce tells its phases."""
    shown = {
        "startTime": one.start_ms,
        "finishTime": one.finish_ms,
        "elapsedTime": max(one.finish_ms - one.start_ms, 0),
        "progress": 100.0 if one.finish_ms else 0.0,
        "id": one.id,
        "rack": one.rack,
        "state": one.state,
        "status": "",
        "nodeHttpAddress": f"{one.host}:{one.http_port}",
        "diagnostics": one.diagnostics,
        "type": one.task_type,
        "assignedContainerId": one.container_id,
    }
    if one.task_type == "REDUCE":
        shuffled, merged = one.shuffle_finish_ms, one.sort_finish_ms
        shown |= {
            "shuffleFinishTime": shuffled,
            "mergeFinishTime": merged,
            "elapsedShuffleTime": max(shuffled - one.start_ms, 0),
            "elapsedMergeTime": max(merged - shuffled, 0),
            "elapsedReduceTime": max(one.finish_ms - merged, 0) if merged else 0,
        }
    return shown


def job_counters(past: PastJob) -> list[dict[str, Any]]:
    """The job's counters: in total, of the maps, of the reduces."""
    return [
        {
            "counterGroupName": group,
            "counter": [
                {
                    "name": name,
                    "totalCounterValue": value,
                    "mapCounterValue": past.map_counters.get(group, {}).get(name, 0),
                    "reduceCounterValue": past.reduce_counters.get(group, {}).get(name, 0),
                }
                for name, value in amounts.items()
            ],
        }
        for group, amounts in past.total_counters.items()
    ]


def counter_groups(counters: Counters) -> list[dict[str, Any]]:
    """The counters of a task or an attempt."""
    return [
        {
            "counterGroupName": group,
            "counter": [{"name": name, "value": value} for name, value in amounts.items()],
        }
        for group, amounts in counters.items()
    ]


def report(past: PastJob) -> dict[str, Any]:
    """The whole, for the client that followed the job."""
    lives = job_attempts(past, "")
    return {
        "job": job(past),
        "jobAttempts": [{**told, "nodeHost": am.host} for told, am in zip(lives, past.ams, strict=True)],
        "counters": past.total_counters or sums.job_counters(past),
        "tasks": [
            {
                **task(one),
                "attempts": [
                    {**attempt(each), "nodeHost": each.host, "counters": each.counters}
                    for each in one.attempts.values()
                ],
            }
            for one in past.tasks.values()
        ],
    }
