"""The law of a container: its states, what may happen in each, and what is done then.

The hooks come in the order of the table, which is at the end. What a container is stands in
nm/containers/container_state.py, what brings its processes up and down in nm/containers/launching.py; whether
it may start is the affair of nm/containers/scheduler.py. Hadoop: ContainerImpl.
"""

from __future__ import annotations

from yarnbox.nm.containers.container_state import INVALID_EXIT_CODE, Container, Launchable, Reinitialization
from yarnbox.nm.containers.container_state import ContainerState as State
from yarnbox.nm.containers.launching import (
    clean_up,
    give_back_resources,
    launch_reinitialized,
    reinitialize_now,
    start_monitoring,
    tell_end,
)
from yarnbox.nm.effects import (
    LinkResource,
    PauseContainer,
    ResumeContainer,
    StartAuxiliaryApplication,
    StopMonitoring,
)
from yarnbox.nm.events import (
    ContainerEvent,
    ContainerExitedWithFailure,
    ContainerExitedWithSuccess,
    ContainerInit,
    ContainerKill,
    ContainerKilledOnRequest,
    ContainerLaunched,
    ContainerPause,
    ContainerPaused,
    ContainerRecoverPaused,
    ContainerReinitialize,
    ContainerResourceFailed,
    ContainerResourceLocalized,
    ContainerResourcesCleanedUp,
    ContainerResume,
    ContainerResumed,
    ContainerRollbackReinit,
    ContainerUpdateDiagnostics,
    ContainerUpdateToken,
    LauncherRelaunchContainer,
    LocalizationRequestContainer,
    SchedulerContainerPaused,
    SchedulerScheduleContainer,
    SchedulerUpdateContainer,
)
from yarnbox.nm.localization.resources import ResourceSet, malformed
from yarnbox.nm.state import store_container_state, store_container_token
from yarnbox.yarn.runtime.statemachine import Arc, Table, choose, ignore, stay, to


def _init(container: Container, event: ContainerInit) -> State:
    context = container.context
    if container.ended_before_restart():
        tell_end(container)
        return State.DONE
    launch_context = container.launch_context
    for service, data in launch_context.service_data.items():
        context.order(StartAuxiliaryApplication(service, container.application_id, container.user, data))
    container.localization_started_ms = context.now_ms
    if not launch_context.local_resources:
        context.post(SchedulerScheduleContainer(container_id=container.container_id))
        return State.SCHEDULED
    complaint = malformed(launch_context.local_resources)
    if complaint is not None:
        container.say(f"{complaint}\n")
        give_back_resources(container)
        return State.LOCALIZATION_FAILED
    wanted = container.resources.add(launch_context.local_resources, container.user, container.application_id)
    context.post(LocalizationRequestContainer(container_id=container.container_id, wanted=wanted))
    return State.LOCALIZING


def _kill_before_init(container: Container, event: ContainerKill) -> None:
    container.exit_code = event.exit_status
    container.say(f"{event.diagnostics}\n", "Container is killed before being launched.\n")
    _done(container, event)


def _localized(container: Container, event: ContainerResourceLocalized) -> State:
    if container.resources.resource_localized(event.key, event.path) is None:
        return State.LOCALIZING
    if event.was_cached:
        container.files_cached += 1
        container.bytes_cached += event.size
    else:
        container.files_missed += 1
        container.bytes_missed += event.size
    if container.resources.pending:
        return State.LOCALIZING
    container.localization_ms = container.context.now_ms - container.localization_started_ms
    container.context.post(SchedulerScheduleContainer(container_id=container.container_id))
    return State.SCHEDULED


def _localization_failed(container: Container, event: ContainerResourceFailed) -> None:
    container.say(f"{event.diagnostics}\n")
    give_back_resources(container)


def _kill_while_localizing(container: Container, event: ContainerKill) -> None:
    give_back_resources(container)
    container.exit_code = event.exit_status
    container.say(f"{event.diagnostics}\n", "Container is killed before being launched.\n")


def _launched(container: Container, event: ContainerLaunched) -> None:
    container.was_launched = True
    store_container_state(container.context, container.container_id, "launched")
    start_monitoring(container)
    container.is_reinitializing = False
    if container.reinitialization is not None and not container.reinitialization.can_rollback:
        container.reinitialization = None
    if container.is_recovered_as_killed:
        container.say("Container recovered as killed.\n")
        clean_up(container)


def _recovered_paused(container: Container, event: ContainerRecoverPaused) -> None:
    container.was_launched = True
    container.has_process = True
    start_monitoring(container)


def _exited_with_success(container: Container, event: ContainerExitedWithSuccess) -> None:
    container.has_process = False
    container.is_reinitializing = False
    container.exit_code = 0
    give_back_resources(container)


def _exited_with_failure(
    container: Container, event: ContainerExitedWithFailure | ContainerKilledOnRequest
) -> None:
    container.has_process = False
    container.is_reinitializing = False
    container.exit_code = event.exit_code
    if event.diagnostics:
        container.say(f"{event.diagnostics}\n")
    give_back_resources(container)


def _failed_while_running(container: Container, event: ContainerExitedWithFailure) -> State:
    context = container.context
    container.has_process = False
    container.exit_code = event.exit_code
    if container.retries.should_retry(event.exit_code, context.now_ms):
        container.say("Diagnostic message from attempt : \n", f"{event.diagnostics}\n")
        container.retries.count_restart(context.now_ms)
        container.was_launched = False
        context.order(StopMonitoring(container.container_id))
        context.timers.at(
            context.now_ms + container.retries.context.retry_interval,
            ("relaunch", container.container_id),
            LauncherRelaunchContainer(container_id=container.container_id),
        )
        return State.RELAUNCHING
    change = container.reinitialization
    if change is not None and change.can_rollback:
        container.say(f"{event.diagnostics}\n", "Container Re-init Auto Rolled-Back.")
        container.reinitialization = change.rollback()
        launch_reinitialized(container)
        return State.SCHEDULED
    _exited_with_failure(container, event)
    return State.EXITED_WITH_FAILURE


def _reinitialize(container: Container, event: ContainerReinitialize) -> State:
    kept = container.reinitialization if container.can_rollback else None
    if event.launch_context is None:
        container.say("Container will be Restarted.\n")
        previous = kept.previous if kept else None
        container.reinitialization = Reinitialization(container.launch_context, container.resources, previous)
        return reinitialize_now(container)
    container.say("Container will be Re-initialized.\n")
    complaint = malformed(event.launch_context.local_resources)
    if complaint is not None:
        container.say(f"Error re-initializing due to [{complaint}]")
        container.is_reinitializing = False
        return State.RUNNING
    resources = ResourceSet()
    wanted = resources.add(event.launch_context.local_resources, container.user, container.application_id)
    previous = None if event.auto_commit else Launchable(container.launch_context, container.resources)
    container.reinitialization = Reinitialization(event.launch_context, resources, previous)
    if not wanted:
        return reinitialize_now(container)
    container.is_reinitializing = True
    container.context.post(LocalizationRequestContainer(container_id=container.container_id, wanted=wanted))
    return State.REINITIALIZING


def _rollback(container: Container, event: ContainerRollbackReinit) -> State:
    container.say("Container upgrade will be Rolled-back.\n")
    assert container.reinitialization is not None
    container.reinitialization = container.reinitialization.rollback()
    return reinitialize_now(container)


def _localized_while_running(container: Container, event: ContainerResourceLocalized) -> None:
    links = container.resources.resource_localized(event.key, event.path)
    if links:
        container.context.order(
            LinkResource(container.container_id, container.user, tuple(links), event.path)
        )


def _localization_failed_while_running(container: Container, event: ContainerResourceFailed) -> None:
    container.resources.resource_failed(event.key, event.diagnostics)
    container.say(event.diagnostics)


def _killed_externally(container: Container, event: ContainerKilledOnRequest) -> None:
    _exited_with_failure(container, event)
    container.say("Killed by external signal\n")


def _pause(container: Container, event: ContainerPause) -> None:
    container.context.order(PauseContainer(container.container_id))
    container.say(f"{event.diagnostics}\n")


def _paused(container: Container, event: ContainerPaused) -> None:
    container.context.post(SchedulerContainerPaused(container_id=container.container_id))


def _resume(container: Container, event: ContainerResume) -> None:
    container.context.order(ResumeContainer(container.container_id))
    container.say(f"{event.diagnostics}\n")


def _localized_while_reinitializing(container: Container, event: ContainerResourceLocalized) -> State:
    assert container.reinitialization is not None
    resources = container.reinitialization.new_resources
    resources.resource_localized(event.key, event.path)
    return State.REINITIALIZING if resources.pending else reinitialize_now(container)


def _localization_failed_while_reinitializing(container: Container, event: ContainerResourceFailed) -> None:
    assert container.reinitialization is not None
    container.reinitialization.new_resources.resource_failed(event.key, event.diagnostics)
    container.say(f"Container aborting re-initialization.. {event.diagnostics}")
    container.reinitialization = None
    container.is_reinitializing = False


def _killed_for_reinitialization(container: Container, event: ContainerKilledOnRequest) -> None:
    container.has_process = False
    launch_reinitialized(container)


def _kill(container: Container, event: ContainerKill) -> None:
    container.is_reinitializing = False
    container.say(f"{event.diagnostics}\n")
    container.exit_code = event.exit_status
    clean_up(container)


def _kill_instead_of_pause(container: Container, event: ContainerPause) -> None:
    container.is_reinitializing = False
    clean_up(container)


def _killed(container: Container, event: ContainerKilledOnRequest) -> None:
    container.has_process = False
    if container.exit_code == INVALID_EXIT_CODE:
        container.exit_code = event.exit_code
    if event.diagnostics:
        container.say(f"{event.diagnostics}\n")
    give_back_resources(container)


def _note_resource(container: Container, event: ContainerResourceLocalized) -> None:
    container.resources.resource_localized(event.key, event.path)


def _done(container: Container, event: ContainerEvent) -> None:
    tell_end(container)


def _remark(container: Container, event: ContainerUpdateDiagnostics) -> None:
    container.say(f"{event.diagnostics}\n")


def _update_token(container: Container, event: ContainerUpdateToken) -> None:
    container.token = event.token
    store_container_token(container.context, container.container_id, event.token)


def _update_token_and_room(container: Container, event: ContainerUpdateToken) -> None:
    original = container.token
    _update_token(container, event)
    container.context.post(
        SchedulerUpdateContainer(
            container_id=container.container_id,
            original=original,
            is_resource_change=event.is_resource_change,
            is_execution_type_update=event.is_execution_type_update,
            is_increase=event.is_increase,
        )
    )


# The law

_KEEPS_REMARKS = stay(ContainerUpdateDiagnostics, hook=_remark)
_TAKES_TOKEN = stay(ContainerUpdateToken, hook=_update_token)
_TELLS_SCHEDULER = stay(ContainerUpdateToken, hook=_update_token_and_room)
_NOTES_RESOURCES = {
    **stay(ContainerResourceLocalized, hook=_localized_while_running),
    **stay(ContainerResourceFailed, hook=_localization_failed_while_running),
}
_NOTES_RESOURCES_FOR_LATER = {
    **stay(ContainerResourceLocalized, hook=_note_resource),
    **stay(ContainerResourceFailed, hook=_localization_failed_while_running),
}
_ENDS: dict[type, Arc] = {
    ContainerExitedWithSuccess: to(State.EXITED_WITH_SUCCESS, _exited_with_success),
    ContainerExitedWithFailure: to(State.EXITED_WITH_FAILURE, _exited_with_failure),
}
_ENDED = {
    ContainerResourcesCleanedUp: to(State.DONE, _done),
    **_KEEPS_REMARKS,
    **ignore(ContainerKill, ContainerPause, ContainerResourceLocalized, ContainerResourceFailed),
}
_REINITIALIZED = (State.RUNNING, State.REINITIALIZING, State.REINITIALIZING_AWAITING_KILL)

CONTAINER = Table(
    "Container",
    initial=State.NEW,
    rows={
        State.NEW: {
            ContainerInit: choose(
                State.LOCALIZING, State.SCHEDULED, State.LOCALIZATION_FAILED, State.DONE, by=_init
            ),
            ContainerKill: to(State.DONE, _kill_before_init),
            **_KEEPS_REMARKS,
            **_TAKES_TOKEN,
        },
        State.LOCALIZING: {
            ContainerResourceLocalized: choose(State.LOCALIZING, State.SCHEDULED, by=_localized),
            ContainerResourceFailed: to(State.LOCALIZATION_FAILED, _localization_failed),
            ContainerKill: to(State.KILLING, _kill_while_localizing),
            **_KEEPS_REMARKS,
            **_TAKES_TOKEN,
        },
        State.LOCALIZATION_FAILED: {**_ENDED, **_TAKES_TOKEN},
        State.SCHEDULED: {
            ContainerLaunched: to(State.RUNNING, _launched),
            ContainerRecoverPaused: to(State.PAUSED, _recovered_paused),
            ContainerExitedWithFailure: to(State.EXITED_WITH_FAILURE, _exited_with_failure),
            ContainerPause: to(State.KILLING, _kill_instead_of_pause),
            ContainerKill: to(State.KILLING, _kill),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES_FOR_LATER,
        },
        State.RUNNING: {
            ContainerExitedWithSuccess: to(State.EXITED_WITH_SUCCESS, _exited_with_success),
            ContainerExitedWithFailure: choose(
                State.RELAUNCHING, State.SCHEDULED, State.EXITED_WITH_FAILURE, by=_failed_while_running
            ),
            ContainerKilledOnRequest: to(State.EXITED_WITH_FAILURE, _killed_externally),
            ContainerKill: to(State.KILLING, _kill),
            ContainerReinitialize: choose(*_REINITIALIZED, by=_reinitialize),
            ContainerRollbackReinit: choose(*_REINITIALIZED, by=_rollback),
            ContainerPause: to(State.PAUSING, _pause),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES,
        },
        State.PAUSING: {
            ContainerPaused: to(State.PAUSED, _paused),
            ContainerKill: to(State.KILLING, _kill),
            **_ENDS,
            ContainerKilledOnRequest: to(State.EXITED_WITH_FAILURE, _killed_externally),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES,
        },
        State.PAUSED: {
            ContainerResume: to(State.RESUMING, _resume),
            ContainerKill: to(State.KILLING, _kill),
            **_ENDS,
            ContainerKilledOnRequest: to(State.EXITED_WITH_FAILURE, _killed_externally),
            **ignore(ContainerPause),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES,
        },
        State.RESUMING: {
            ContainerResumed: to(State.RUNNING),
            ContainerKill: to(State.KILLING, _kill),
            **_ENDS,
            ContainerKilledOnRequest: to(State.EXITED_WITH_FAILURE, _killed_externally),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES,
        },
        State.REINITIALIZING: {
            ContainerResourceLocalized: choose(
                State.REINITIALIZING, State.REINITIALIZING_AWAITING_KILL, by=_localized_while_reinitializing
            ),
            ContainerResourceFailed: to(State.RUNNING, _localization_failed_while_reinitializing),
            ContainerPause: to(State.PAUSING, _pause),
            ContainerKill: to(State.KILLING, _kill),
            **_ENDS,
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
        },
        State.REINITIALIZING_AWAITING_KILL: {
            ContainerKilledOnRequest: to(State.SCHEDULED, _killed_for_reinitialization),
            ContainerKill: to(State.KILLING, _kill),
            **_ENDS,
            **ignore(ContainerPause),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES_FOR_LATER,
        },
        State.RELAUNCHING: {
            ContainerLaunched: to(State.RUNNING, _launched),
            ContainerExitedWithFailure: to(State.EXITED_WITH_FAILURE, _exited_with_failure),
            ContainerPause: to(State.KILLING, _kill_instead_of_pause),
            ContainerKill: to(State.KILLING, _kill),
            **_KEEPS_REMARKS,
            **_TELLS_SCHEDULER,
            **_NOTES_RESOURCES_FOR_LATER,
        },
        State.EXITED_WITH_SUCCESS: {**_ENDED, **ignore(ContainerUpdateToken, ContainerKilledOnRequest)},
        State.EXITED_WITH_FAILURE: {**_ENDED, **ignore(ContainerUpdateToken, ContainerKilledOnRequest)},
        State.KILLING: {
            ContainerKilledOnRequest: to(State.CONTAINER_CLEANEDUP_AFTER_KILL, _killed),
            ContainerResourcesCleanedUp: to(State.DONE, _done),
            **_ENDS,
            **stay(ContainerResourceLocalized, hook=_note_resource),
            **ignore(
                ContainerKill,
                ContainerPause,
                ContainerLaunched,
                ContainerResourceFailed,
                ContainerUpdateToken,
            ),
            **_KEEPS_REMARKS,
        },
        State.CONTAINER_CLEANEDUP_AFTER_KILL: {
            **_ENDED,
            **ignore(
                ContainerExitedWithSuccess,
                ContainerExitedWithFailure,
                ContainerKilledOnRequest,
                ContainerUpdateToken,
            ),
        },
        State.DONE: {
            **_KEEPS_REMARKS,
            **ignore(
                ContainerInit,
                ContainerKill,
                ContainerPause,
                ContainerResourceFailed,
                ContainerExitedWithSuccess,
                ContainerExitedWithFailure,
                ContainerKilledOnRequest,
                ContainerUpdateToken,
            ),
        },
    },
)
"""After ContainerImpl. Written out here, and left to chance there: a resource that arrives while the
container waits or has ended; a pause that reaches it before its process, which ends it; a pause while it
awaits its own end, which changes nothing.
"""
