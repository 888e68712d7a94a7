"""The last hooks of an attempt's table: the end of its AM or other containers, and of the attempt itself."""

from __future__ import annotations

from yarnbox.rm.attempt.entity import (
    FAILED,
    FINAL_SAVING,
    FINISHED,
    FINISHING,
    KILLED,
    NO_PORT,
    NOT_AVAILABLE,
    AfterSaving,
    RMAppAttempt,
    RMAppAttemptState,
    Todo,
    store_attempt,
)
from yarnbox.rm.effects import StopContainer
from yarnbox.rm.events.app import (
    AppAttemptFailed,
    AppAttemptFinished,
    AppAttemptKilled,
    AppAttemptUnregistered,
    AppEvent,
    AttemptContainerFinished,
    AttemptEvent,
    AttemptExpire,
    AttemptFail,
    AttemptKill,
    AttemptLaunchFailed,
    AttemptRegistered,
    AttemptStatusUpdate,
    AttemptUnregistered,
    AttemptUpdateSaved,
)
from yarnbox.rm.events.node import NodeFinishedContainersPulledByAM
from yarnbox.rm.events.scheduler import SchedulerAppAttemptRemoved
from yarnbox.rm.scheduler.containers.statuses import INVALID, PREEMPTED
from yarnbox.yarn.runtime.statemachine import Arc, to

# Saving a final state


def save(target: RMAppAttemptState, todo: Todo) -> Arc:
    """save(target): write the final state, remember what to do, and wait in FINAL_SAVING."""

    def remember(attempt: RMAppAttempt, event: AttemptEvent) -> None:
        _remember_and_store(attempt, event, target, todo)

    return to(FINAL_SAVING, remember)


def _remember_and_store(
    attempt: RMAppAttempt, event: AttemptEvent, target: RMAppAttemptState, todo: Todo
) -> None:
    attempt.after_saving = AfterSaving(target, todo, event)
    attempt.state_before_saving = attempt.state
    attempt.finish_ms = attempt.context.now_ms
    # No link may lead to an AM that is gone; one that unregisters names its own page once more.
    attempt.original_tracking_url = attempt.context.pages.application(attempt.application_id)
    exit_status, tracking_url, final_status = INVALID, attempt.original_tracking_url, None
    if isinstance(event, AttemptContainerFinished):
        exit_status = event.status.exit_status
    elif isinstance(event, AttemptUnregistered):
        tracking_url = event.tracking_url or NOT_AVAILABLE
        final_status = event.final_status
    store_attempt(
        attempt,
        final_state=(FINISHED if target is FINISHING else target).name,
        diagnostics=str(attempt.diagnostics) + _explanation(attempt, event),
        am_exit_status=exit_status,
        tracking_url=tracking_url,
        final_status=final_status,
        acknowledgement=AttemptUpdateSaved(attempt_id=attempt.attempt_id),
    )


def _explanation(attempt: RMAppAttempt, event: AttemptEvent) -> str:
    """What the diagnostics say about the event that ended the attempt."""
    match event:
        case AttemptContainerFinished():
            page = attempt.context.pages.application(attempt.application_id)
            return (
                f"AM Container for {attempt.attempt_id} exited with  exitCode: {event.status.exit_status}\n"
                f"Failing this attempt.Diagnostics: {event.status.diagnostics}"
                f"For more detailed output, check the application tracking page: {page} "
                "Then click on links to logs of each attempt.\n"
            )
        case AttemptExpire():
            return f"ApplicationMaster for attempt {attempt.attempt_id} timed out"
        case AttemptRegistered():
            return "Unmanaged AM must register after AM attempt reaches LAUNCHED state."
        case AttemptLaunchFailed() | AttemptFail() | AttemptUnregistered():
            return event.diagnostics
        case _:
            return ""


def final_state_saved(attempt: RMAppAttempt, event: AttemptUpdateSaved) -> RMAppAttemptState:
    """ATTEMPT_UPDATE_SAVED: continues with the event that led to FINAL_SAVING."""
    after = attempt.after_saving
    assert after is not None
    after.todo(attempt, after.cause)
    return after.target


def expired_while_saving(attempt: RMAppAttempt, event: AttemptExpire) -> None:
    """EXPIRE in FINAL_SAVING."""
    _finish_instead(attempt, event)


def container_finished_while_saving(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    """CONTAINER_FINISHED in FINAL_SAVING."""
    if _is_am(attempt, event):
        _record_usage(attempt, event)
        _am_container_finished(attempt, event)
        _finish_instead(attempt, event)
    else:
        record_finished_container(attempt, event)


def _finish_instead(attempt: RMAppAttempt, event: AttemptEvent) -> None:
    """The AM has exited before the store answered: FINISHING has nothing to wait for."""
    after = attempt.after_saving
    if after is None or after.target is not FINISHING or not isinstance(after.cause, AttemptUnregistered):
        return
    unregistered = after.cause

    def finish(attempt: RMAppAttempt, event: AttemptEvent) -> None:
        finish_unregistered(attempt, unregistered)

    attempt.after_saving = AfterSaving(FINISHED, finish, event)


# While the AM is there


def update_status(attempt: RMAppAttempt, event: AttemptStatusUpdate) -> None:
    """STATUS_UPDATE: notes the AM's progress."""
    attempt.progress = event.progress
    if event.tracking_url is not None and event.tracking_url != attempt.original_tracking_url:
        attempt.original_tracking_url = event.tracking_url
        store_attempt(attempt)
    attempt.context.monitors.am.ping(attempt.attempt_id, attempt.context.now_ms)


def unregister(attempt: RMAppAttempt, event: AttemptUnregistered) -> None:
    """UNREGISTERED: stores the final state, and notifies the application at once. An unmanaged AM has no
    container to wait for.
    """
    if attempt.app.is_unmanaged:
        _remember_and_store(attempt, event, FINISHED, finish_unregistered)
    else:
        _remember_and_store(attempt, event, FINISHING, _begin_finishing)
    attempt.context.post(AppAttemptUnregistered(application_id=attempt.application_id))


def _begin_finishing(attempt: RMAppAttempt, event: AttemptUnregistered) -> None:
    context = attempt.context
    context.monitors.am.unregister(attempt.attempt_id)
    context.monitors.am_finishing.register(attempt.attempt_id, context.now_ms)
    _record_unregistration(attempt, event)


def _record_unregistration(attempt: RMAppAttempt, event: AttemptUnregistered) -> None:
    attempt.progress = 1.0
    attempt.diagnostics.append(event.diagnostics)
    attempt.original_tracking_url = event.tracking_url or NOT_AVAILABLE
    attempt.final_status = event.final_status


def finish_unregistered(attempt: RMAppAttempt, event: AttemptUnregistered) -> None:
    """The AM has unregistered and exited, or is unmanaged."""
    _record_unregistration(attempt, event)
    end_running(attempt, FINISHED)


# Containers


def _is_am(attempt: RMAppAttempt, event: AttemptContainerFinished) -> bool:
    return attempt.master_container_id == event.status.container_id


def container_finished(attempt: RMAppAttempt, event: AttemptContainerFinished) -> RMAppAttemptState:
    """CONTAINER_FINISHED in LAUNCHED or RUNNING: the end of the AM is the end of the attempt."""
    if not _is_am(attempt, event):
        record_finished_container(attempt, event)
        return attempt.state
    _record_usage(attempt, event)
    _am_container_finished(attempt, event)
    _remember_and_store(attempt, event, FAILED, _crashed)
    return FINAL_SAVING


def container_finished_when_finishing(
    attempt: RMAppAttempt, event: AttemptContainerFinished
) -> RMAppAttemptState:
    """CONTAINER_FINISHED in FINISHING: the AM has exited, as it should."""
    if not _is_am(attempt, event):
        record_finished_container(attempt, event)
        return attempt.state
    _record_usage(attempt, event)
    end_running(attempt, FINISHED)
    _am_container_finished(attempt, event)
    return FINISHED


def record_finished_container(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    """Notes a completed container that is to be reported to this AM or the next one."""
    _record_usage(attempt, event)
    finished = attempt.app.finished
    finished.add(event.node_id, event.status)
    if attempt.is_am_gone:
        finished.acknowledge_all()


def _record_usage(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    attempt.add_usage(event.resource_seconds)
    if event.status.exit_status == PREEMPTED:
        attempt.add_preemption(event.resource, event.resource_seconds, is_master=_is_am(attempt, event))


def _am_container_finished(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    app = attempt.app
    node = attempt.context.scheduler.tracker.nodes.get(event.node_id)
    if node is not None:
        app.am_blacklist.record_failure(node.host, event.status.exit_status)
    if not app.keeps_containers:
        app.finished.add(event.node_id, event.status)
        app.finished.acknowledge_all()
        attempt.is_am_gone = True
    elif event.status.container_id is not None:
        ids = (event.status.container_id,)
        attempt.context.post(NodeFinishedContainersPulledByAM(node_id=event.node_id, container_ids=ids))


# Ends


def ended_before_running(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    """The AM's container ended before the AM ran."""
    _record_usage(attempt, event)
    attempt.context.monitors.am.unregister(attempt.attempt_id)
    attempt.diagnostics.append(_explanation(attempt, event))
    attempt.am_exit_status = event.status.exit_status
    end(attempt, FAILED)


def _crashed(attempt: RMAppAttempt, event: AttemptContainerFinished) -> None:
    attempt.diagnostics.append(_explanation(attempt, event))
    attempt.am_exit_status = event.status.exit_status
    end_running(attempt, FAILED)


def failed(attempt: RMAppAttempt, event: AttemptEvent) -> None:
    """It failed before its AM ran."""
    attempt.diagnostics.append(_explanation(attempt, event))
    end(attempt, FAILED)


def failed_when_running(attempt: RMAppAttempt, event: AttemptFail) -> None:
    """A user failed it while its AM was running."""
    attempt.diagnostics.append(event.diagnostics)
    end_running(attempt, FAILED)


def expired(attempt: RMAppAttempt, event: AttemptExpire) -> None:
    """EXPIRE in LAUNCHED or RUNNING: the AM was silent for too long."""
    attempt.diagnostics.append(_explanation(attempt, event))
    end_running(attempt, FAILED)


def expired_when_finishing(attempt: RMAppAttempt, event: AttemptExpire) -> None:
    """EXPIRE in FINISHING: the AM did not exit in time."""
    end_running(attempt, FINISHED)


def killed(attempt: RMAppAttempt, event: AttemptKill) -> None:
    """Killed before its AM ran."""
    end(attempt, KILLED, event.diagnostics)


def killed_when_allocated(attempt: RMAppAttempt, event: AttemptKill) -> None:
    """Killed while its AM may be starting."""
    end(attempt, KILLED, event.diagnostics)
    _stop_am(attempt)


def killed_when_running(attempt: RMAppAttempt, event: AttemptKill) -> None:
    """Killed with its AM."""
    end_running(attempt, KILLED, event.diagnostics)


def end_running(attempt: RMAppAttempt, state: RMAppAttemptState, diagnostics: str = "") -> None:
    """The final actions for an attempt whose AM was running."""
    attempt.progress = 1.0
    end(attempt, state, diagnostics)
    attempt.context.monitors.am.unregister(attempt.attempt_id)
    attempt.context.monitors.am_finishing.unregister(attempt.attempt_id)
    if not attempt.app.is_unmanaged:
        _stop_am(attempt)


def end(attempt: RMAppAttempt, state: RMAppAttemptState, diagnostics: str = "") -> None:
    """The final actions: its AM's session is closed; application and scheduler are notified."""
    context, app = attempt.context, attempt.app
    context.am_sessions.pop(attempt.attempt_id, None)
    application_id = attempt.application_id
    keep_containers = False
    told: AppEvent
    if state is FINISHED:
        told = AppAttemptFinished(application_id=application_id, diagnostics=str(attempt.diagnostics))
    else:
        attempt.host, attempt.rpc_port = NOT_AVAILABLE, NO_PORT
        if state is KILLED:
            told = AppAttemptKilled(application_id=application_id, diagnostics=diagnostics)
        else:
            keep_containers = app.keeps_containers and app.will_retry()
            told = AppAttemptFailed(
                application_id=application_id,
                diagnostics=str(attempt.diagnostics),
                transfer_state=keep_containers,
            )
    context.post(told)
    context.post(
        SchedulerAppAttemptRemoved(
            attempt_id=attempt.attempt_id, final_state=state.name, keep_containers=keep_containers
        )
    )
    context.tokens.forget_attempt(attempt.attempt_id)


def _stop_am(attempt: RMAppAttempt) -> None:
    container = attempt.master_container
    if container is not None and container.node_id is not None:
        attempt.context.order(
            StopContainer(attempt_id=attempt.attempt_id, node_id=container.node_id, container_id=container.id)
        )
