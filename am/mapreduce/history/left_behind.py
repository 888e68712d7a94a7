"""The history of a job whose AMs have all ended before the job had: what they wrote is closed and published.

Called by whoever learns that no other AM comes: the AM that is being ended, and the client that waits. Both
name the file alike, so that it is one history. Hadoop: the part of JobHistoryEventHandler.serviceStop that
closes jobs; there an AM that is killed from outside does so only when it knows itself to be the last one.
"""

from __future__ import annotations

import logging
from pathlib import Path

from yarnbox.am.mapreduce.history.files import SUFFIX, HistoryFiles, IndexInfo
from yarnbox.am.mapreduce.history.jhist import Event, HistoryWriter, UnreadableHistoryError, read_events
from yarnbox.am.mapreduce.history.parsed import PastJob, parse
from yarnbox.am.mapreduce.history.sums import ended_tasks
from yarnbox.am.mapreduce.ids import JobId
from yarnbox.am.mapreduce.settings import JOB_FILE
from yarnbox.yarn.enums import YarnApplicationState
from yarnbox.yarn.records.application import ApplicationReport

log = logging.getLogger("am.mapreduce.history")

_ENDS = {YarnApplicationState.KILLED: "KILLED", YarnApplicationState.FAILED: "FAILED"}
_CLOSED = f"closed{SUFFIX}"


def publish_left_behind(files: HistoryFiles, staging: Path, job_id: JobId, app: ApplicationReport) -> bool:
    """Whether there is a new history: of an application that was killed or has failed, in whose staging
    directory an AM has begun one, and that has none yet.
    """
    end = _ENDS.get(app.yarn_application_state or YarnApplicationState.RUNNING)
    if end is None or files.find(job_id) is not None:
        return False
    try:
        events = _events(staging, job_id)
        past = parse(events)
        if past.id != str(job_id):
            return False
        if past.state == "RUNNING":
            events.append(_last_event(past, end, app))
        closed = staging / _CLOSED
        writer = HistoryWriter(closed)
        for type_, fields in events:
            writer.write(type_, fields)
        writer.close()
        files.publish(IndexInfo.of(parse(events)), closed, staging / JOB_FILE)
    except OSError as error:
        log.warning("the history cannot be left behind: %s", error)
        return False
    return True


def _events(staging: Path, job_id: JobId) -> list[Event]:
    """What the last AM wrote that wrote anything: it has written down, too, what it took over."""
    for path in sorted(staging.glob(f"{job_id}_*{SUFFIX}"), key=_number, reverse=True):
        try:
            events = read_events(path)
        except UnreadableHistoryError:
            continue
        if any(type_ == "JOB_SUBMITTED" for type_, _ in events):
            return events
    return []


def _number(path: Path) -> int:
    number = path.name.removesuffix(SUFFIX).rpartition("_")[2]
    return int(number) if number.isdecimal() else 0


def _last_event(past: PastJob, end: str, app: ApplicationReport) -> Event:
    """JobUnsuccessfulCompletion."""
    fields = {"jobid": past.id, "finishTime": app.finish_time or 0, "jobStatus": end, **ended_tasks(past)}
    return f"JOB_{end}", {**fields, "diagnostics": app.diagnostics or ""}
