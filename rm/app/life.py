"""The hooks of an application's table: its start, its attempts, and its end."""

from __future__ import annotations

from yarnbox.rm.app.entity import (
    ACCEPTED,
    FAILED,
    FINAL_SAVING,
    FINISHED,
    FINISHING,
    KILLED,
    SUBMITTED,
    AfterSaving,
    RMApp,
    RMAppState,
    Todo,
    store_app,
)
from yarnbox.rm.attempt import RM_APP_ATTEMPT
from yarnbox.rm.events.app import (
    AppAccepted,
    AppAttemptFailed,
    AppAttemptFinished,
    AppAttemptKilled,
    AppAttemptLaunched,
    AppEvent,
    AppKill,
    AppManagerAppCompleted,
    AppNewSaved,
    AppNodeUpdate,
    AppRecover,
    AppRejected,
    AppRunningOnNode,
    AppSaveFailed,
    AppStart,
    AppUpdateSaved,
    AttemptKill,
    AttemptRecover,
    AttemptStart,
)
from yarnbox.rm.events.node import NodeCleanupApp
from yarnbox.rm.events.scheduler import SchedulerAppAdded, SchedulerAppRemoved
from yarnbox.yarn.records.application import ApplicationSubmissionContext
from yarnbox.yarn.runtime.statemachine import Arc, to

# Saving a final state


def save(target: RMAppState, todo: Todo, *, stored_as: RMAppState | None = None) -> Arc:
    """save(target): write the final state, remember what to do, and wait in FINAL_SAVING."""

    def remember(app: RMApp, event: AppEvent) -> None:
        _remember_and_store(app, event, target, todo, stored_as or target)

    return to(FINAL_SAVING, remember)


def _remember_and_store(
    app: RMApp, event: AppEvent, target: RMAppState, todo: Todo, stored_as: RMAppState
) -> None:
    app.after_saving = AfterSaving(target, todo, event)
    app.state_before_saving = app.state
    app.stored_finish_ms = app.context.now_ms
    diagnostics = app.diagnostics
    if target is FAILED and isinstance(event, AppAttemptFailed):
        diagnostics += _failure_diagnostics(app, event)
    elif isinstance(event, AppRejected | AppAttemptFinished | AppAttemptKilled | AppAttemptFailed | AppKill):
        diagnostics += event.diagnostics
    store_app(
        app,
        final_state=stored_as.name,
        diagnostics=diagnostics,
        acknowledgement=AppUpdateSaved(application_id=app.application_id),
    )


def final_state_saved(app: RMApp, event: AppUpdateSaved) -> RMAppState:
    """APP_UPDATE_SAVED: continues with the event that led to FINAL_SAVING."""
    app.context.monitors.lifetime.unregister(app.application_id)
    after = app.after_saving
    assert after is not None
    after.todo(app, after.cause)
    return after.target


def attempt_finished_while_saving(app: RMApp, event: AppAttemptFinished) -> None:
    """ATTEMPT_FINISHED in FINAL_SAVING."""
    # The AM was faster than the store: what FINISHING would wait for has happened already.
    if app.after_saving is None or app.after_saving.target is not FINISHING:
        return

    def finish(app: RMApp, event: AppAttemptFinished) -> None:
        record_finish(app, event)
        finished(app, event)

    app.after_saving = AfterSaving(FINISHED, finish, event)


# Beginning


def store_new(app: RMApp, event: AppStart) -> None:
    """START: the lifetime begins; the application is stored before anything else."""
    context = app.context
    lifetime_s = context.scheduler.application_lifetime(app.queue, _asked_lifetime(app.submission))
    if lifetime_s > 0:
        app.lifetime_end_ms = app.submit_ms + lifetime_s * 1000
        context.monitors.lifetime.register(app.application_id, app.lifetime_end_ms)
    store_app(app, acknowledgement=AppNewSaved(application_id=app.application_id))


def _asked_lifetime(submission: ApplicationSubmissionContext) -> int:
    lifetimes = [each.timeout for each in submission.application_timeouts if each.timeout is not None]
    return lifetimes[-1] if lifetimes else -1


def add_to_scheduler(app: RMApp, event: AppNewSaved) -> None:
    """APP_NEW_SAVED."""
    app.context.post(_scheduler_event(app, is_recovering=False))


def _scheduler_event(app: RMApp, *, is_recovering: bool) -> SchedulerAppAdded:
    return SchedulerAppAdded(
        application_id=app.application_id,
        queue=app.queue,
        user=app.user,
        context=app.submission,
        app_priority=app.app_priority,
        is_recovering=is_recovering,
    )


def start_first_attempt(app: RMApp, event: AppAccepted) -> None:
    """APP_ACCEPTED."""
    if event.app_priority is not None:
        app.app_priority = event.app_priority
    _start_attempt(app, transfer_state=False)


def _start_attempt(app: RMApp, *, transfer_state: bool) -> None:
    attempt = app.create_attempt(app.next_attempt)
    app.context.post(AttemptStart(attempt_id=attempt.attempt_id, transfer_state=transfer_state))


def record_launch(app: RMApp, event: AppAttemptLaunched) -> None:
    """ATTEMPT_LAUNCHED: the first time counts."""
    if not app.launch_ms:
        app.launch_ms = app.context.now_ms
        store_app(app)


def recover(app: RMApp, event: AppRecover) -> RMAppState:
    """RECOVER: the stored final state, or the state to continue from."""
    stored = app.recovered
    assert stored is not None
    context = app.context
    app.diagnostics = stored.diagnostics
    app.stored_finish_ms = stored.finish_ms
    app.launch_ms = stored.launch_ms
    app.lifetime_end_ms = stored.lifetime_end_ms
    for number, attempt in stored.attempts.items():
        app.create_attempt(number).recover(attempt, is_last=number == max(stored.attempts))
    if stored.final_state is not None:
        _recover_attempts(app)
        _final_actions(app, RMAppState[stored.final_state])
        return RMAppState[stored.final_state]
    if app.lifetime_end_ms is not None:
        context.monitors.lifetime.register(app.application_id, app.lifetime_end_ms)
    # The scheduler has to know the application before nodes and AMs come back: within this call.
    context.scheduler.handle(_scheduler_event(app, is_recovering=bool(app.attempts)))
    if not app.attempts:
        return SUBMITTED
    _recover_attempts(app)
    return ACCEPTED


def _recover_attempts(app: RMApp) -> None:
    for attempt in app.attempts.values():
        app.context.fire(RM_APP_ATTEMPT, attempt, AttemptRecover(attempt_id=attempt.attempt_id))


# Attempts


def attempt_failed(app: RMApp, event: AppAttemptFailed) -> RMAppState:
    """ATTEMPT_FAILED: starts another attempt, or ends the application."""
    if not app.will_retry():
        _remember_and_store(app, event, FAILED, _failed, FAILED)
        return FINAL_SAVING
    _start_attempt(app, transfer_state=event.transfer_state)
    app.finished.resend()
    return ACCEPTED


def attempt_failed_while_killing(app: RMApp, event: AppAttemptFailed) -> None:
    """ATTEMPT_FAILED in KILLING: no new attempt; killed, if one would have followed."""
    if app.will_retry():
        _remember_and_store(app, event, KILLED, killed, KILLED)
    else:
        _remember_and_store(app, event, FAILED, _failed, FAILED)


def _failure_diagnostics(app: RMApp, event: AppAttemptFailed) -> str:
    if app.is_unmanaged:
        return (
            f"Unmanaged application {app.application_id} failed due to {event.diagnostics}. "
            "Failing the application."
        )
    within_ms = app.submission.attempt_failures_validity_interval
    interval = f" in previous {within_ms} milliseconds" if within_ms > 0 else ""
    limit = app.context.settings.am_global_max_attempts
    limits = (
        "" if limit == app.max_attempts else f" (global limit ={limit}; local limit is ={app.max_attempts})"
    )
    return (
        f"Application {app.application_id} failed {app.max_attempts} times{interval}{limits} "
        f"due to {event.diagnostics}. Failing the application."
    )


def kill_attempt(app: RMApp, event: AppKill) -> None:
    """KILL: kills the current attempt."""
    app.state_before_killing = app.state
    assert app.current is not None
    app.context.post(AttemptKill(attempt_id=app.current.attempt_id, diagnostics=event.diagnostics))


# Ends


def record_finish(app: RMApp, event: AppEvent) -> None:
    """The AM has unregistered: finished as far as its client is concerned."""
    assert app.stored_finish_ms is not None
    app.finish_ms = app.stored_finish_ms


def finished(app: RMApp, event: AppAttemptFinished) -> None:
    """The attempt has finished, and the application with it."""
    app.diagnostics += event.diagnostics
    _final_actions(app, FINISHED)


def _failed(app: RMApp, event: AppAttemptFailed) -> None:
    app.diagnostics += _failure_diagnostics(app, event)
    _final_actions(app, FAILED)


def killed(app: RMApp, event: AppKill | AppAttemptKilled | AppAttemptFailed) -> None:
    """It is killed."""
    app.diagnostics += event.diagnostics
    _final_actions(app, KILLED)


def rejected(app: RMApp, event: AppRejected | AppSaveFailed) -> None:
    """The scheduler or the state store has rejected it."""
    app.diagnostics += event.diagnostics
    _final_actions(app, FAILED)


def _final_actions(app: RMApp, state: RMAppState) -> None:
    context = app.context
    for node_id in app.ran_nodes.take_all():
        context.post(NodeCleanupApp(node_id=node_id, application_id=app.application_id))
    if app.recovered is None or app.recovered.final_state is None:
        context.post(SchedulerAppRemoved(application_id=app.application_id, final_state=state.name))
    app.logs.start(context.now_ms)
    app.finish_ms = context.now_ms if app.stored_finish_ms is None else app.stored_finish_ms
    context.monitors.lifetime.unregister(app.application_id)
    context.constraints.forget(app.application_id)
    context.post(AppManagerAppCompleted(application_id=app.application_id))


# Nodes


def record_node_update(app: RMApp, event: AppNodeUpdate) -> None:
    """NODE_UPDATE: the answer to the AM's next allocate reports it."""
    node = app.context.find_node(event.node_id)
    if node is not None:
        app.updated_nodes[node] = event.update_type


def record_node(app: RMApp, event: AppRunningOnNode) -> None:
    """APP_RUNNING_ON_NODE."""
    app.ran_nodes.add(event.node_id)
    if event.is_reported:
        app.logs.expect(event.node_id)


def clean_node(app: RMApp, event: AppRunningOnNode) -> None:
    """APP_RUNNING_ON_NODE after the end: clean up there at once."""
    app.context.post(NodeCleanupApp(node_id=event.node_id, application_id=app.application_id))
