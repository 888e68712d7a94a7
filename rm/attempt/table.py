"""The state machine of attempts. Hadoop: RMAppAttemptImpl."""

from __future__ import annotations

from yarnbox.rm.attempt import beginning, ending
from yarnbox.rm.attempt.ending import save
from yarnbox.rm.attempt.entity import (
    ALLOCATED,
    ALLOCATED_SAVING,
    FAILED,
    FINAL_SAVING,
    FINISHED,
    FINISHING,
    KILLED,
    LAUNCHED,
    LAUNCHED_UNMANAGED_SAVING,
    NEW,
    RUNNING,
    SCHEDULED,
    SUBMITTED,
)
from yarnbox.rm.events.app import (
    AttemptAdded,
    AttemptContainerAllocated,
    AttemptContainerFinished,
    AttemptExpire,
    AttemptFail,
    AttemptKill,
    AttemptLaunched,
    AttemptLaunchFailed,
    AttemptNewSaved,
    AttemptRecover,
    AttemptRegistered,
    AttemptRetryAllocate,
    AttemptStart,
    AttemptStatusUpdate,
    AttemptUnregistered,
    AttemptUpdateSaved,
)
from yarnbox.yarn.runtime.statemachine import Cells, Table, choose, ignore, stay, to

_FAIL: Cells = {AttemptFail: save(FAILED, ending.failed)}
_KILL: Cells = {AttemptKill: save(KILLED, ending.killed)}
_REGISTERED_TOO_EARLY: Cells = {AttemptRegistered: save(FAILED, ending.failed)}
_AM_NEVER_RAN: Cells = {AttemptContainerFinished: save(FAILED, ending.ended_before_running)}
_FAIL_RUNNING: Cells = {AttemptFail: save(FAILED, ending.failed_when_running)}
_AM_EXPIRED: Cells = {AttemptExpire: save(FAILED, ending.expired)}
_KILL_RUNNING: Cells = {AttemptKill: save(KILLED, ending.killed_when_running)}
_TAKE_AM_CONTAINER = choose(ALLOCATED_SAVING, SCHEDULED, by=beginning.take_am_container)
_NOTE_FINISHED = stay(AttemptContainerFinished, hook=ending.record_finished_container)
_TOO_LATE = ignore(
    AttemptLaunched,
    AttemptLaunchFailed,
    AttemptRegistered,
    AttemptUnregistered,
    AttemptStatusUpdate,
    AttemptContainerAllocated,
    AttemptRetryAllocate,
    AttemptKill,
    AttemptFail,
)

RM_APP_ATTEMPT = Table(
    "RMAppAttempt",
    initial=NEW,
    rows={
        NEW: {
            AttemptStart: to(SUBMITTED, beginning.start),
            AttemptRecover: choose(FINISHED, KILLED, FAILED, LAUNCHED, by=beginning.recover),
            **_KILL,
            **_FAIL,
            **_REGISTERED_TOO_EARLY,
        },
        SUBMITTED: {
            AttemptAdded: choose(SCHEDULED, LAUNCHED_UNMANAGED_SAVING, by=beginning.schedule),
            **_KILL,
            **_FAIL,
            **_REGISTERED_TOO_EARLY,
        },
        SCHEDULED: {
            AttemptContainerAllocated: _TAKE_AM_CONTAINER,
            AttemptRetryAllocate: _TAKE_AM_CONTAINER,
            **_AM_NEVER_RAN,
            **_KILL,
            **_FAIL,
        },
        ALLOCATED_SAVING: {
            AttemptNewSaved: to(ALLOCATED, beginning.launch),
            **_AM_NEVER_RAN,
            **_KILL,
            **_FAIL,
        },
        ALLOCATED: {
            AttemptLaunched: to(LAUNCHED, beginning.record_launched),
            AttemptLaunchFailed: save(FAILED, ending.failed),
            AttemptRegistered: to(RUNNING, beginning.launch_and_register),
            **_AM_NEVER_RAN,
            AttemptKill: save(KILLED, ending.killed_when_allocated),
            **_FAIL,
        },
        LAUNCHED_UNMANAGED_SAVING: {
            AttemptNewSaved: to(LAUNCHED, beginning.unmanaged_saved),
            **_REGISTERED_TOO_EARLY,
            **_KILL,
            **_FAIL,
        },
        LAUNCHED: {
            AttemptRegistered: to(RUNNING, beginning.register),
            AttemptContainerFinished: choose(LAUNCHED, FINAL_SAVING, by=ending.container_finished),
            **_AM_EXPIRED,
            **_KILL_RUNNING,
            **_FAIL_RUNNING,
        },
        RUNNING: {
            **stay(AttemptStatusUpdate, hook=ending.update_status),
            AttemptUnregistered: to(FINAL_SAVING, ending.unregister),
            AttemptContainerFinished: choose(RUNNING, FINAL_SAVING, by=ending.container_finished),
            **_AM_EXPIRED,
            **_KILL_RUNNING,
            **_FAIL_RUNNING,
            # Registered: an unmanaged AM with keep-containers was started again.
            **ignore(AttemptLaunched, AttemptLaunchFailed, AttemptRegistered, AttemptContainerAllocated),
        },
        FINAL_SAVING: {
            AttemptUpdateSaved: choose(FINISHING, FINISHED, FAILED, KILLED, by=ending.final_state_saved),
            **stay(AttemptContainerFinished, hook=ending.container_finished_while_saving),
            **stay(AttemptExpire, hook=ending.expired_while_saving),
            **_TOO_LATE,
            **ignore(AttemptAdded, AttemptNewSaved),
        },
        FINISHING: {
            AttemptContainerFinished: choose(
                FINISHING, FINISHED, by=ending.container_finished_when_finishing
            ),
            AttemptExpire: to(FINISHED, ending.expired_when_finishing),
            **_TOO_LATE,
        },
        FINISHED: {**_NOTE_FINISHED, **_TOO_LATE, **ignore(AttemptExpire)},
        FAILED: {**_NOTE_FINISHED, **_TOO_LATE, **ignore(AttemptExpire, AttemptAdded)},
        KILLED: {**_NOTE_FINISHED, **_TOO_LATE, **ignore(AttemptExpire, AttemptAdded)},
    },
)
"""One row per state. See tests/scenarios/lifecycle/."""
