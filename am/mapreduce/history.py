"""The job's history: a line per event while it runs, and a report of the whole when it has ended.

The lines stand in the staging directory, one file per AM (`job_..._<AM attempt>.jhist`); a next AM reads from
them which tasks need not run again. The report is one JSON file in the history directory: each attempt with
its node, times and counters. Answers for JobHistoryEventHandler, JobHistoryParser and the history files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from am.mapreduce.effects import Record
from am.mapreduce.events import TaskRecover
from am.mapreduce.ids import JobId, TaskAttemptId
from yarn.ids import NodeId


def events_file(staging: Path, job_id: JobId, app_attempt: int) -> Path:
    """The lines of one AM."""
    return staging / f"{job_id}_{app_attempt}.jhist"


def report_file(history: Path, job_id: JobId) -> Path:
    """The report of a job that has ended."""
    return history / f"{job_id}.json"


class HistoryWriter:
    """Appends lines; each is on disk before the next thing happens, for an AM may die at any moment."""

    def __init__(self, path: Path) -> None:
        self._stream: TextIO = path.open("a", encoding="utf-8")

    def write(self, record: Record) -> None:
        """One line."""
        line = {"type": record.type, "time": record.time_ms, **record.fields}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    def close(self) -> None:
        """The end."""
        self._stream.close()


def read_events(path: Path) -> list[dict[str, Any]]:
    """The lines of a file; a torn last one is left out."""
    events: list[dict[str, Any]] = []
    if not path.exists():
        return events
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            events.append(json.loads(line))
        except ValueError:
            break
    return events


def completed_tasks(events: Iterable[dict[str, Any]]) -> list[TaskRecover]:
    """The tasks that had succeeded when the lines ended, each with the attempt that did it."""
    finished: dict[str, dict[str, Any]] = {}
    succeeded: dict[str, str] = {}
    for event in events:
        if event["type"] == "ATTEMPT_FINISHED":
            finished[event["attempt"]] = event
        elif event["type"] == "TASK_FINISHED" and event["status"] == "SUCCEEDED":
            succeeded[event["task"]] = event["attempt"]
    recovered = []
    for attempt in succeeded.values():
        last = finished.get(attempt)
        if last is not None and last["status"] == "SUCCEEDED":  # later ones say that its output was lost
            recovered.append(_recover(attempt, last))
    return recovered


def _recover(attempt: str, event: dict[str, Any]) -> TaskRecover:
    attempt_id = TaskAttemptId.parse(attempt)
    return TaskRecover(
        task_id=attempt_id.task_id,
        attempt_id=attempt_id,
        node_id=NodeId.parse(event["node"]),
        shuffle_port=event["shuffle_port"],
        counters=event["counters"],
        started_ms=event["started_ms"],
        finished_ms=event["finished_ms"],
    )


def write_report(path: Path, report: dict[str, Any]) -> None:
    """Writes the report in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}")
    draft.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    draft.replace(path)


def read_report(path: Path) -> dict[str, Any] | None:
    """The report of a job; None if there is none."""
    if not path.exists():
        return None
    report: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return report
