"""The state machine of applications. Hadoop: RMAppImpl."""

from __future__ import annotations

from yarnbox.rm.app import life
from yarnbox.rm.app.entity import (
    ACCEPTED,
    FAILED,
    FINAL_SAVING,
    FINISHED,
    FINISHING,
    KILLED,
    KILLING,
    NEW,
    NEW_SAVING,
    RUNNING,
    SUBMITTED,
)
from yarnbox.rm.events.app import (
    AppAccepted,
    AppAttemptFailed,
    AppAttemptFinished,
    AppAttemptKilled,
    AppAttemptLaunched,
    AppAttemptRegistered,
    AppAttemptUnregistered,
    AppKill,
    AppNewSaved,
    AppNodeUpdate,
    AppRecover,
    AppRejected,
    AppRunningOnNode,
    AppSaveFailed,
    AppStart,
    AppUpdateSaved,
)
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to

_HEAR_OF_NODES = stay(AppNodeUpdate, hook=life.record_node_update)
_REMEMBER_NODES = stay(AppRunningOnNode, hook=life.record_node)
_CLEAN_NODES = stay(AppRunningOnNode, hook=life.clean_node)
_SAVE_REJECTED = life.save(FAILED, life.rejected)
_SAVE_KILLED = life.save(KILLED, life.killed)
_SAVE_FINISHING = life.save(FINISHING, life.record_finish, stored_as=FINISHED)

RM_APP = Table(
    "RMApp",
    initial=NEW,
    rows={
        NEW: {
            AppStart: to(NEW_SAVING, life.store_new),
            AppRecover: choose(SUBMITTED, ACCEPTED, FINISHED, FAILED, KILLED, by=life.recover),
            AppKill: to(KILLED, life.killed),
            AppRejected: _SAVE_REJECTED,
            **_HEAR_OF_NODES,
        },
        NEW_SAVING: {
            AppNewSaved: to(SUBMITTED, life.add_to_scheduler),
            AppKill: _SAVE_KILLED,
            AppRejected: _SAVE_REJECTED,
            AppSaveFailed: to(FAILED, life.rejected),
            **_HEAR_OF_NODES,
        },
        SUBMITTED: {
            AppAccepted: to(ACCEPTED, life.start_first_attempt),
            AppRejected: _SAVE_REJECTED,
            AppKill: _SAVE_KILLED,
            **_HEAR_OF_NODES,
        },
        ACCEPTED: {
            **stay(AppAttemptLaunched, hook=life.record_launch),
            AppAttemptRegistered: to(RUNNING),
            AppAttemptFailed: choose(ACCEPTED, FINAL_SAVING, by=life.attempt_failed),
            AppAttemptFinished: life.save(FINISHED, life.finished),
            AppAttemptKilled: _SAVE_KILLED,
            AppKill: to(KILLING, life.kill_attempt),
            **_HEAR_OF_NODES,
            **_REMEMBER_NODES,
        },
        RUNNING: {
            AppAttemptUnregistered: _SAVE_FINISHING,
            AppAttemptFinished: to(FINISHED, life.finished),
            AppAttemptFailed: choose(ACCEPTED, FINAL_SAVING, by=life.attempt_failed),
            AppKill: to(KILLING, life.kill_attempt),
            **_HEAR_OF_NODES,
            **_REMEMBER_NODES,
        },
        FINAL_SAVING: {
            AppUpdateSaved: choose(FINISHING, FINISHED, FAILED, KILLED, by=life.final_state_saved),
            **stay(AppAttemptFinished, hook=life.attempt_finished_while_saving),
            **_REMEMBER_NODES,
            **ignore(AppNodeUpdate, AppKill, AppNewSaved, AppAccepted, AppRejected),
        },
        FINISHING: {
            AppAttemptFinished: to(FINISHED, life.finished),
            **_REMEMBER_NODES,
            **ignore(AppNodeUpdate, AppKill),
        },
        KILLING: {
            AppAttemptKilled: _SAVE_KILLED,
            AppAttemptUnregistered: _SAVE_FINISHING,
            AppAttemptFinished: to(FINISHED, life.finished),
            AppAttemptFailed: to(FINAL_SAVING, life.attempt_failed_while_killing),
            **_REMEMBER_NODES,
            **ignore(AppNodeUpdate, AppAttemptLaunched, AppAttemptRegistered, AppUpdateSaved, AppKill),
        },
        FINISHED: {
            **_CLEAN_NODES,
            **ignore(AppNodeUpdate, AppAttemptUnregistered, AppAttemptFinished, AppKill),
        },
        FAILED: {**_CLEAN_NODES, **ignore(AppNodeUpdate, AppKill, AppAccepted, AppRejected)},
        KILLED: {
            **_CLEAN_NODES,
            **ignore(
                AppNodeUpdate,
                AppKill,
                AppStart,
                AppAccepted,
                AppRejected,
                AppAttemptFinished,
                AppAttemptFailed,
            ),
        },
    },
)
"""Its law, after RMAppImpl. See tests/scenarios/lifecycle/."""
