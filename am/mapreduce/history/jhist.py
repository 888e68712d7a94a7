"""Hadoop's job history file: a line `Avro-Json`, a line with the schema, then an event each line.

Owns the records and their fields, how values are written in Avro's JSON, and reading up to where a file was
torn. Knows nothing of what the events mean. Hadoop: Events.avpr, EventWriter and EventReader.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

NAMESPACE = "org.apache.hadoop.mapreduce.jobhistory"
VERSION = "Avro-Json"

_ATTEMPT_END = "clockSplits:I cpuUsages:I vMemKbytes:I physMemKbytes:I"
_COUNTS = "failedMaps:n failedReduces:n killedMaps:n killedReduces:n"
_RECORDS = {
    "AMStarted": "applicationAttemptId:s startTime:l containerId:s nodeManagerHost:s nodeManagerPort:i"
    " nodeManagerHttpPort:i",
    "JobSubmitted": "jobid:s jobName:s userName:s submitTime:l jobConfPath:s acls:M jobQueueName:s"
    " workflowId:?s workflowName:?s workflowNodeName:?s workflowAdjacencies:?s workflowTags:?s",
    "JobInited": "jobid:s launchTime:l totalMaps:i totalReduces:i jobStatus:s uberized:b",
    "JobInfoChange": "jobid:s submitTime:l launchTime:l",
    "JobPriorityChange": "jobid:s priority:s",
    "JobQueueChange": "jobid:s jobQueueName:s",
    "JobStatusChanged": "jobid:s jobStatus:s",
    "JobFinished": "jobid:s finishTime:l finishedMaps:i finishedReduces:i failedMaps:i failedReduces:i"
    " totalCounters:C mapCounters:C reduceCounters:C killedMaps:n killedReduces:n",
    "JobUnsuccessfulCompletion": "jobid:s finishTime:l finishedMaps:i finishedReduces:i jobStatus:s"
    f" diagnostics:?s {_COUNTS}",
    "TaskStarted": "taskid:s taskType:s startTime:l splitLocations:s",
    "TaskFinished": "taskid:s taskType:s finishTime:l status:s counters:C successfulAttemptId:?s",
    "TaskFailed": "taskid:s taskType:s finishTime:l error:s failedDueToAttempt:?s status:s counters:?C",
    "TaskUpdated": "taskid:s finishTime:l",
    "TaskAttemptStarted": "taskid:s taskType:s attemptId:s startTime:l trackerName:s httpPort:i"
    " shufflePort:i containerId:s locality:?s avataar:?s",
    "MapAttemptFinished": "taskid:s attemptId:s taskType:s taskStatus:s mapFinishTime:l finishTime:l"
    f" hostname:s port:i rackname:s state:s counters:C {_ATTEMPT_END}",
    "ReduceAttemptFinished": "taskid:s attemptId:s taskType:s taskStatus:s shuffleFinishTime:l"
    f" sortFinishTime:l finishTime:l hostname:s port:i rackname:s state:s counters:C {_ATTEMPT_END}",
    "TaskAttemptFinished": "taskid:s attemptId:s taskType:s taskStatus:s finishTime:l rackname:s hostname:s"
    " state:s counters:C",
    "TaskAttemptUnsuccessfulCompletion": "taskid:s taskType:s attemptId:s finishTime:l hostname:s port:i"
    f" rackname:s status:s error:s counters:?C {_ATTEMPT_END}",
}
"""Fields in Hadoop's order: text, long, int, boolean, counters, arrays of int, a map of text; n is an int
with the default -1, and ? lets a field be null.
"""

FIELDS: dict[str, dict[str, str]] = {
    record: dict(field.split(":") for field in fields.split()) for record, fields in _RECORDS.items()
}

RECORD_OF: dict[str, str] = {
    "JOB_SUBMITTED": "JobSubmitted",
    "JOB_INITED": "JobInited",
    "JOB_FINISHED": "JobFinished",
    "JOB_PRIORITY_CHANGED": "JobPriorityChange",
    "JOB_STATUS_CHANGED": "JobStatusChanged",
    "JOB_QUEUE_CHANGED": "JobQueueChange",
    "JOB_FAILED": "JobUnsuccessfulCompletion",
    "JOB_KILLED": "JobUnsuccessfulCompletion",
    "JOB_ERROR": "JobUnsuccessfulCompletion",
    "JOB_INFO_CHANGED": "JobInfoChange",
    "TASK_STARTED": "TaskStarted",
    "TASK_FINISHED": "TaskFinished",
    "TASK_FAILED": "TaskFailed",
    "TASK_UPDATED": "TaskUpdated",
    **{
        f"{kind}_ATTEMPT_{end}": record
        for kind, finished in (
            ("MAP", "MapAttemptFinished"),
            ("REDUCE", "ReduceAttemptFinished"),
            ("SETUP", "TaskAttemptFinished"),
            ("CLEANUP", "TaskAttemptFinished"),
        )
        for end, record in (
            ("STARTED", "TaskAttemptStarted"),
            ("FINISHED", finished),
            ("FAILED", "TaskAttemptUnsuccessfulCompletion"),
            ("KILLED", "TaskAttemptUnsuccessfulCompletion"),
        )
    },
    "AM_STARTED": "AMStarted",
}
"""The record of each event type; NORMALIZED_RESOURCE, which nobody writes, has none."""

_PRIMITIVES = {"s": "string", "l": "long", "i": "int", "n": "int", "b": "boolean"}
_COUNTER_NAMES = {
    "totalCounters": "TOTAL_COUNTERS",
    "mapCounters": "MAP_COUNTERS",
    "reduceCounters": "REDUCE_COUNTERS",
}
_GROUP_NAMES = {
    "org.apache.hadoop.mapreduce.TaskCounter": "Map-Reduce Framework",
    "org.apache.hadoop.mapreduce.JobCounter": "Job Counters ",
    "org.apache.hadoop.mapreduce.FileSystemCounter": "File System Counters",
}

Event = tuple[str, dict[str, Any]]
"""Its type, and its fields by Hadoop's names: counters as amounts by group and name, null as None."""


class UnreadableHistoryError(Exception):
    """A file that is no job history, or one of a kind that cannot be read here."""


def schema() -> str:
    """The Avro schema of an event, in one line."""
    known: dict[str, None] = {}
    types = [*RECORD_OF]
    types.insert(types.index("TASK_UPDATED") + 1, "NORMALIZED_RESOURCE")
    event = {
        "type": "record",
        "name": "Event",
        "namespace": NAMESPACE,
        "fields": [
            {"name": "type", "type": {"type": "enum", "name": "EventType", "symbols": types}},
            {"name": "event", "type": [_record_schema(record, known) for record in sorted(FIELDS)]},
        ],
    }
    return json.dumps(event, separators=(",", ":"))


def _record_schema(record: str, known: dict[str, None]) -> dict[str, Any]:
    fields = [_field_schema(name, kind, known) for name, kind in FIELDS[record].items()]
    return {"type": "record", "name": record, "fields": fields}


def _field_schema(name: str, kind: str, known: dict[str, None]) -> dict[str, Any]:
    written = _type_schema(kind.removeprefix("?"), known)
    if kind.startswith("?"):
        return {"name": name, "type": ["null", written], "default": None}
    return {"name": name, "type": written, **({"default": -1} if kind == "n" else {})}


def _type_schema(kind: str, known: dict[str, None]) -> Any:
    if kind == "I":
        return {"type": "array", "items": "int"}
    if kind == "M":
        return {"type": "map", "values": "string"}
    if kind != "C":
        return _PRIMITIVES[kind]
    if "JhCounters" in known:
        return "JhCounters"
    known["JhCounters"] = None

    def record(of: str, **fields: Any) -> dict[str, Any]:
        listed = [{"name": field, "type": type_} for field, type_ in fields.items()]
        return {"type": "record", "name": of, "fields": listed}

    counter = record("JhCounter", name="string", displayName="string", value="long")
    counts = {"type": "array", "items": counter}
    group = record("JhCounterGroup", name="string", displayName="string", counts=counts)
    return record("JhCounters", name="string", groups={"type": "array", "items": group})


# Writing


class HistoryWriter:
    """Appends events; each is on disk before the next thing happens, for an AM may die at any moment."""

    def __init__(self, path: Path) -> None:
        self._stream: TextIO = path.open("w", encoding="utf-8")
        self._stream.write(f"{VERSION}\n{schema()}\n")
        self._stream.flush()

    def write(self, type_: str, fields: Mapping[str, Any]) -> None:
        self._stream.write(json.dumps(encoded(type_, fields), separators=(",", ":")) + "\n")
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()


def encoded(type_: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """The event as an object of Avro's JSON. KeyError for a field that it must have and has not."""
    record = RECORD_OF[type_]
    written = {name: _written(name, kind, fields) for name, kind in FIELDS[record].items()}
    return {"type": type_, "event": {f"{NAMESPACE}.{record}": written}}


def _written(name: str, kind: str, fields: Mapping[str, Any]) -> Any:
    if kind == "I":
        return list(fields.get(name, ()))
    if kind == "M":
        return dict(fields.get(name, {}))
    if kind == "n":
        return fields.get(name, -1)
    value = fields.get(name) if kind.startswith("?") else fields[name]
    if value is None:
        return None
    if kind == "C":
        return _counters(name, value)
    if kind == "?C":
        return {f"{NAMESPACE}.JhCounters": _counters(name, value)}
    return {"string": str(value)} if kind == "?s" else value


def _counters(field: str, counters: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    return {
        "name": _COUNTER_NAMES.get(field, "COUNTERS"),
        "groups": [
            {
                "name": group,
                "displayName": _GROUP_NAMES.get(group, group),
                "counts": [
                    {"name": name, "displayName": name.replace("_", " ").capitalize(), "value": value}
                    for name, value in amounts.items()
                ],
            }
            for group, amounts in counters.items()
        ],
    }


# Reading


def read_events(path: Path) -> list[Event]:
    """The events of a file up to its end, or to where it was torn. UnreadableHistoryError when it cannot be
    read from the beginning, OSError when it is not there.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    version, _, rest = text.partition("\n")
    if version != VERSION:
        hint = "; set mapreduce.jobhistory.jhist.format to json" if version == "Avro-Binary" else ""
        shown = version[:40] if version.isprintable() else "no text"
        raise UnreadableHistoryError(f"{path} is no {VERSION}: it begins with {shown!r}{hint}")
    return list(_events(rest.partition("\n")[2]))


def _events(text: str) -> Iterator[Event]:
    decoder = json.JSONDecoder()
    place = 0
    while True:
        while place < len(text) and text[place].isspace():
            place += 1
        try:
            found, place = decoder.raw_decode(text, place)
            yield decoded(found)
        except (ValueError, LookupError, TypeError, AttributeError):
            return


def decoded(written: Mapping[str, Any]) -> Event:
    """An event from its object; KeyError, TypeError or AttributeError when it is none."""
    ((record, fields),) = written["event"].items()
    kinds = FIELDS[record.rpartition(".")[2]]
    return written["type"], {
        name: _read(value, kinds[name]) for name, value in fields.items() if name in kinds
    }


def _read(value: Any, kind: str) -> Any:
    if kind.startswith("?"):
        if value is None:
            return None
        ((_, value),) = value.items()
    if kind.removeprefix("?") != "C":
        return value
    return {
        group["name"]: {count["name"]: count["value"] for count in group["counts"]}
        for group in value["groups"]
    }
