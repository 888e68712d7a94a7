"""An application on this node: from its first container to its logs put away.

Owns which of its containers are here. Knows nothing of AMs, attempts or queues. Hadoop: ApplicationImpl.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Protocol

from yarnbox.nm.effects import StopAuxiliaryApplication
from yarnbox.nm.events import (
    ApplicationContainerFinished,
    ApplicationFinish,
    ApplicationInit,
    ApplicationInitContainer,
    ApplicationInited,
    ApplicationLogHandlingFailed,
    ApplicationLogHandlingFinished,
    ApplicationLogHandlingInited,
    ApplicationResourcesCleanedUp,
    ContainerInit,
    ContainerKill,
    LocalizationDestroyApplication,
    LocalizationInitApplication,
    LogApplicationFinished,
    LogApplicationStarted,
)
from yarnbox.nm.state import forget_application
from yarnbox.nm.turn import NMTurn
from yarnbox.yarn.enums import ApplicationAccessType
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.runtime.ordered import OrderedSet
from yarnbox.yarn.runtime.statemachine import Table, choose, ignore, stay, to

KILLED_AFTER_APP_COMPLETION = -107


class ApplicationState(Enum):
    """ApplicationState of the NM."""

    NEW = auto()
    INITING = auto()
    RUNNING = auto()
    FINISHING_CONTAINERS_WAIT = auto()
    APPLICATION_RESOURCES_CLEANINGUP = auto()
    FINISHED = auto()


State = ApplicationState
STOPPED = (State.FINISHING_CONTAINERS_WAIT, State.APPLICATION_RESOURCES_CLEANINGUP, State.FINISHED)
"""The states in which the RM waits for nothing more from it."""


class ApplicationContext(NMTurn, Protocol):
    """What an application reaches: it leaves the register when it is over."""

    @property
    def applications(self) -> dict[ApplicationId, Application]: ...


class Application:
    """One application's presence on this node."""

    def __init__(self, context: ApplicationContext, application_id: ApplicationId, user: str) -> None:
        self.context = context
        self.application_id = application_id
        self.user = user
        self.log_aggregation_context: LogAggregationContext | None = None
        self.state = State.NEW
        self.containers: OrderedSet[ContainerId] = OrderedSet()
        self.acls: Mapping[ApplicationAccessType, str] = {}
        """Who beside its user may look at it and change it."""

    @property
    def subject(self) -> ApplicationId:
        """Its id, for the story."""
        return self.application_id


def _init(application: Application, event: ApplicationInit) -> None:
    application.acls = event.application_acls
    application.context.post(
        LogApplicationStarted(
            application_id=application.application_id,
            application_acls=event.application_acls,
            log_aggregation_context=event.log_aggregation_context,
        )
    )


def _wait_for_init(application: Application, event: ApplicationInitContainer) -> None:
    application.containers.add(event.container_id)


def _prepare(application: Application, event: object) -> None:
    application.context.post(LocalizationInitApplication(application_id=application.application_id))


def _init_waiting(application: Application, event: ApplicationInited) -> None:
    for container_id in application.containers:
        application.context.post(ContainerInit(container_id=container_id))


def _init_container(application: Application, event: ApplicationInitContainer) -> None:
    application.containers.add(event.container_id)
    application.context.post(ContainerInit(container_id=event.container_id))


def _forget_container(application: Application, event: ApplicationContainerFinished) -> None:
    application.containers.discard(event.container_id)


def _finish(application: Application, event: ApplicationFinish) -> State:
    if not application.containers:
        _remove(application)
        return State.APPLICATION_RESOURCES_CLEANINGUP
    reason = f"Container killed on application-finish event: {event.diagnostics}"
    for container_id in application.containers:
        application.context.post(
            ContainerKill(
                container_id=container_id, exit_status=KILLED_AFTER_APP_COMPLETION, diagnostics=reason
            )
        )
    return State.FINISHING_CONTAINERS_WAIT


def _container_finished_at_last(application: Application, event: ApplicationContainerFinished) -> State:
    application.containers.discard(event.container_id)
    if application.containers:
        return State.FINISHING_CONTAINERS_WAIT
    _remove(application)
    return State.APPLICATION_RESOURCES_CLEANINGUP


def _remove(application: Application) -> None:
    application.context.post(LocalizationDestroyApplication(application_id=application.application_id))
    application.context.order(StopAuxiliaryApplication(application.application_id))


def _logs_complete(application: Application, event: ApplicationResourcesCleanedUp) -> None:
    context = application.context
    context.post(LogApplicationFinished(application_id=application.application_id))
    context.nm_tokens.application_finished(application.application_id)


def _forget(application: Application, event: object) -> None:
    application.context.applications.pop(application.application_id, None)
    forget_application(application.context, application.application_id)


def _refuse_container(application: Application, event: ApplicationInitContainer) -> None:
    application.containers.add(event.container_id)
    application.context.post(
        ContainerKill(
            container_id=event.container_id,
            exit_status=KILLED_AFTER_APP_COMPLETION,
            diagnostics="Application no longer running.\n",
        )
    )


_REFUSES = stay(ApplicationInitContainer, hook=_refuse_container)

APPLICATION = Table(
    "Application",
    initial=State.NEW,
    rows={
        State.NEW: {
            ApplicationInit: to(State.INITING, _init),
            **stay(ApplicationInitContainer, hook=_wait_for_init),
        },
        State.INITING: {
            **stay(ApplicationInitContainer, hook=_wait_for_init),
            **stay(ApplicationLogHandlingInited, ApplicationLogHandlingFailed, hook=_prepare),
            ApplicationInited: to(State.RUNNING, _init_waiting),
            **stay(ApplicationContainerFinished, hook=_forget_container),
            ApplicationFinish: choose(
                State.FINISHING_CONTAINERS_WAIT, State.APPLICATION_RESOURCES_CLEANINGUP, by=_finish
            ),
        },
        State.RUNNING: {
            **stay(ApplicationInitContainer, hook=_init_container),
            **stay(ApplicationContainerFinished, hook=_forget_container),
            ApplicationFinish: choose(
                State.FINISHING_CONTAINERS_WAIT, State.APPLICATION_RESOURCES_CLEANINGUP, by=_finish
            ),
        },
        State.FINISHING_CONTAINERS_WAIT: {
            ApplicationContainerFinished: choose(
                State.FINISHING_CONTAINERS_WAIT,
                State.APPLICATION_RESOURCES_CLEANINGUP,
                by=_container_finished_at_last,
            ),
            **_REFUSES,
            **ignore(
                ApplicationLogHandlingInited,
                ApplicationLogHandlingFailed,
                ApplicationInited,
                ApplicationFinish,
            ),
        },
        State.APPLICATION_RESOURCES_CLEANINGUP: {
            ApplicationResourcesCleanedUp: to(State.FINISHED, _logs_complete),
            **_REFUSES,
            **stay(ApplicationContainerFinished, hook=_forget_container),
            **ignore(
                ApplicationLogHandlingInited,
                ApplicationLogHandlingFailed,
                ApplicationLogHandlingFinished,
                ApplicationInited,
                ApplicationFinish,
            ),
        },
        State.FINISHED: {
            **stay(ApplicationLogHandlingFinished, ApplicationLogHandlingFailed, hook=_forget),
            **_REFUSES,
            **stay(ApplicationContainerFinished, hook=_forget_container),
            **ignore(ApplicationLogHandlingInited, ApplicationFinish),
        },
    },
)
"""After ApplicationImpl."""
