"""What brings a container's processes up and down, as the law of containers and the container scheduler order
it.

Owns the question whether there is a process at all: to end a container that has none takes no effect. Hadoop:
ContainersLauncher and the senders of events in ContainerImpl.
"""

from __future__ import annotations

from yarnbox.nm.containers.container_state import Container, Recovered
from yarnbox.nm.containers.container_state import ContainerState as State
from yarnbox.nm.containers.retry import TERMINATED, Retries
from yarnbox.nm.effects import (
    CleanUpContainer,
    Launch,
    LaunchContainer,
    ReacquireContainer,
    SendHeartbeat,
    StartMonitoring,
    StopMonitoring,
)
from yarnbox.nm.events import (
    ApplicationContainerFinished,
    ContainerKilledOnRequest,
    ContainerResume,
    LocalizationCleanupContainer,
    LogContainerFinished,
    SchedulerContainerCompleted,
    SchedulerScheduleContainer,
)
from yarnbox.nm.state import store_container_state
from yarnbox.yarn.enums import ContainerType

MB = 1024 * 1024


def launch(container: Container, *, is_relaunch: bool = False) -> None:
    """The container may run: it is resumed, found again after a restart, or launched."""
    context = container.context
    if container.state is State.PAUSED:
        reason = "Container Resumed as some resources freed up"
        context.post(ContainerResume(container_id=container.container_id, diagnostics=reason))
        return
    container.has_process = True
    order = Launch(
        container_id=container.container_id,
        user=container.user,
        context=container.launch_context,
        resource=container.resource,
        links=dict(container.resources.localized),
        localization_counters=container.localization_counters,
        is_relaunch=is_relaunch,
    )
    is_lost = container.recovered is Recovered.LAUNCHED
    container.recovered = Recovered.NO
    context.order(ReacquireContainer(order) if is_lost else LaunchContainer(order))


def relaunch(container: Container) -> None:
    """The retry interval is over; if it was killed meanwhile, there is nothing to start."""
    if container.state is State.RELAUNCHING:
        launch(container, is_relaunch=True)


def clean_up(container: Container) -> None:
    """Ends the processes; without any, the end is reported at once."""
    context = container.context
    context.timers.cancel(("relaunch", container.container_id))
    if container.has_process:
        context.order(CleanUpContainer(container.container_id))
    else:
        context.post(
            ContainerKilledOnRequest(
                container_id=container.container_id,
                exit_code=TERMINATED,
                diagnostics="Container terminated before launch.",
            )
        )


def reinitialize_now(container: Container) -> State:
    """Ends the processes, for others to take their place."""
    container.is_reinitializing = True
    clean_up(container)
    return State.REINITIALIZING_AWAITING_KILL


def launch_reinitialized(container: Container) -> None:
    """Takes the new launch context, and gets in line for room once more."""
    context, change = container.context, container.reinitialization
    assert change is not None
    container.has_process = False
    container.was_launched = False
    context.order(StopMonitoring(container.container_id))
    container.launch_context = change.new_context
    container.retries = Retries(
        change.new_context.container_retry_context, context.settings.retry_minimum_interval_ms
    )
    container.resources = change.merged(container.resources)
    context.post(SchedulerContainerCompleted(container_id=container.container_id))
    context.post(SchedulerScheduleContainer(container_id=container.container_id))


def give_back_resources(container: Container) -> None:
    """Releases its resources, and orders its directories deleted."""
    wanted = list(container.resources.wanted)
    change = container.reinitialization
    if change is not None:
        wanted.extend(change.new_resources.wanted)
        if change.previous is not None:
            wanted.extend(change.previous.resources.wanted)
    container.context.post(
        LocalizationCleanupContainer(container_id=container.container_id, wanted=tuple(dict.fromkeys(wanted)))
    )


def tell_end(container: Container) -> None:
    """Nothing of it is left: its application, the scheduler, the monitor, the log handler and the RM hear of
    it.
    """
    context, container_id = container.context, container.container_id
    application_id = container.application_id
    store_container_state(context, container_id, "exitcode", str(container.exit_code))
    context.post(ApplicationContainerFinished(application_id=application_id, container_id=container_id))
    context.post(SchedulerContainerCompleted(container_id=container_id))
    context.order(StopMonitoring(container_id))
    context.post(
        LogContainerFinished(
            application_id=application_id,
            container_id=container_id,
            container_type=container.token.container_type or ContainerType.TASK,
            exit_code=container.exit_code,
        )
    )
    context.order(SendHeartbeat())


def start_monitoring(container: Container) -> None:
    """Starts monitoring its memory."""
    physical = container.resource.memory_mb * MB
    virtual = int(physical * container.context.settings.monitor.virtual_ratio)
    container.context.order(StartMonitoring(container.container_id, physical, virtual))
