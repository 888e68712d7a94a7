"""An event of the RM as a line of the event log: what, about whom, and what it says.

Routine is what happens at every heartbeat or tick and says nothing by itself; logs for people leave it out.
"""

from __future__ import annotations

import dataclasses
from enum import Enum

from yarnbox.rm.events.app import AttemptContainerFinished, AttemptUnregistered
from yarnbox.rm.events.scheduler import PreemptionMark
from yarnbox.rm.scheduler.containers.statuses import (
    COMPLETED_APPLICATION,
    RELEASED_CONTAINER,
    UNRESERVED_CONTAINER,
    UPDATED_CONTAINER,
)
from yarnbox.rm.web.values import Answer
from yarnbox.yarn.enums import FinalApplicationStatus
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.records.container import ContainerStatus
from yarnbox.yarn.resources.resource import Resource
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.text.moments import iso8601

ROUTINE = dict.fromkeys(
    (
        "NodeStatusUpdate",
        "SchedulerNodeUpdate",
        "AttemptStatusUpdate",
        "NodeFinishedContainersPulledByAM",
        "MonitorLook",
        "SchedulerMonitorTick",
        "SchedulerMonitorStep",
        "SchedulerActivitiesCleanup",
        "SchedulerUpdateShares",
        "SchedulerCheckAllocations",
        "SchedulerScheduleAll",
        "SchedulerAsynchronousRound",
    )
)
_IDS = (ApplicationId, ApplicationAttemptId, ContainerId, NodeId)
_LONGEST = 300
TROUBLE = dict.fromkeys(
    (
        "AppKill",
        "AppRejected",
        "AppSaveFailed",
        "AppAttemptFailed",
        "AppAttemptKilled",
        "AttemptKill",
        "AttemptFail",
        "AttemptLaunchFailed",
        "AttemptExpire",
        "ContainerKill",
        "ContainerExpire",
        "NodeExpire",
        "NodeRebooting",
        "NodesListNodeUnusable",
        "SchedulerContainerExpired",
        "SchedulerMarkContainerForPreemption",
        "SchedulerMarkContainerForKillable",
        "SchedulerContainerPreempted",
        "SchedulerPreemptContainers",
        "SchedulerAllocationsRefused",
    )
)
"""The event types after which something has failed, was killed or lost, or will be."""
_PEACEFUL = (RELEASED_CONTAINER, COMPLETED_APPLICATION, UNRESERVED_CONTAINER, UPDATED_CONTAINER)
"""Why containers end that nobody misses."""


def row(time_ms: int, event: Event, *, shows_details: bool) -> Answer:
    """A row for the event; its details are shown only to callers with the right to see them."""
    subject = event.subject
    kind = type(event).__name__
    shown: Answer = {
        "time": time_ms,
        "type": kind,
        "subject": "" if subject is None else str(subject),
        "about": event.family.__name__.removesuffix("Event"),
    }
    if is_trouble(event):
        shown["isTrouble"] = True
    if shows_details:
        shown["details"] = details(event)
    return shown


def is_trouble(event: Event) -> bool:
    """Whether something has failed, was killed or lost, or will be."""
    if type(event).__name__ in TROUBLE:
        return True
    if isinstance(event, AttemptContainerFinished):
        return is_bad_end(event.status.exit_status, event.status.diagnostics)
    failed = (FinalApplicationStatus.FAILED, FinalApplicationStatus.KILLED)
    return isinstance(event, AttemptUnregistered) and event.final_status in failed


def is_bad_end(exit_status: int, diagnostics: str) -> bool:
    """Whether a container ended as it should not have."""
    return exit_status != 0 and diagnostics not in _PEACEFUL


def how_it_ended(exit_status: int, diagnostics: str) -> str:
    """The end of a container in words."""
    said = f"exit status {exit_status}"
    return f"{said}, {diagnostics.strip()}" if diagnostics else said


def details(event: Event) -> str:
    """The event's fields as text, without its subject and without long or empty ones."""
    subject = event.subject
    said = []
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        if value is subject or value in (None, "", False) or value == ():
            continue
        text = _text(value)
        if text:
            said.append(f"{field.name.replace('_', ' ')}: {text}")
    return shortened(", ".join(said))


def shortened(text: str) -> str:
    """As much of the text as a row shows."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _text(value: object) -> str:
    if value is True:
        return "yes"
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, PreemptionMark):
        return _mark(value)
    if isinstance(value, ContainerStatus):
        return f"{value.container_id}, {how_it_ended(value.exit_status, value.diagnostics)}"
    if isinstance(value, (*_IDS, Resource, str, int, float)):
        return str(value).strip()
    if isinstance(value, tuple):
        return ", ".join(filter(None, map(_text, value[:3]))) + (" …" if len(value) > 3 else "")
    return ""


def _mark(mark: PreemptionMark) -> str:
    words = [f"{key} {mark.details[key]}" for key in ("application", "user", "queue", "node")]
    words.append(f"resource {mark.resource}")
    if mark.for_whom:
        words.append(f"for {mark.for_whom}")
    if mark.kill_at_ms is not None:
        words.append(f"killed at {iso8601(mark.kill_at_ms)} or later")
    return ", ".join(words)
