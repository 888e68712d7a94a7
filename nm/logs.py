"""What becomes of a container's logs: kept on the node for a while, or collected in one file per node and
application.

Decides which containers' logs are collected, when, and when local ones go; reading and writing them are
effects. Hadoop: NonAggregatingLogHandler, LogAggregationService, AppLogAggregatorImpl and the
ContainerLogAggregationPolicy classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from yarnbox.nm.application import Application
from yarnbox.nm.context import NMContext
from yarnbox.nm.effects import AggregateLogs, DeleteLogs, PrepareLogAggregation
from yarnbox.nm.events import (
    ApplicationLogHandlingFailed,
    ApplicationLogHandlingFinished,
    ApplicationLogHandlingInited,
    LogApplicationFinished,
    LogApplicationStarted,
    LogContainerFinished,
    LogEvent,
    LogRetentionOver,
    LogRollingDue,
)
from yarnbox.yarn.enums import ContainerType, LogAggregationStatus
from yarnbox.yarn.ids import ApplicationId, ContainerId
from yarnbox.yarn.records.basics import LogAggregationContext
from yarnbox.yarn.records.tracker import LogAggregationReport

EXCESS_LOGS = -109
KILLED_BY_SIGNAL = (137, 143)


class FinishedContainer(NamedTuple):
    """What a policy decides by."""

    container_id: ContainerId
    container_type: ContainerType
    exit_code: int

    @property
    def is_master(self) -> bool:
        """Whether it ran the AM."""
        return self.container_type is ContainerType.APPLICATION_MASTER

    @property
    def has_failed(self) -> bool:
        """Whether it ended badly by itself."""
        return self.exit_code != 0 and self.exit_code not in KILLED_BY_SIGNAL


Policy = Callable[[FinishedContainer], bool]


def policy_of(class_name: str, parameters: str) -> Policy:
    """The policy that a class name stands for, whatever its package; an unknown one collects everything."""
    name = class_name.rpartition(".")[2].removesuffix("LogAggregationPolicy")
    if name == "SampleContainer":
        return _sample(parameters)
    return _POLICIES.get(name, _POLICIES["AllContainer"])


_POLICIES: dict[str, Policy] = {
    "AllContainer": lambda container: True,
    "NoneContainer": lambda container: False,
    "AMOnly": lambda container: container.is_master,
    "FailedContainer": lambda container: container.has_failed,
    "FailedOrKilledContainer": lambda container: container.exit_code != 0,
    "AMOrFailedContainer": lambda container: container.is_master or container.has_failed,
    "LimitSizeContainer": lambda container: container.exit_code != EXCESS_LOGS,
}


def _sample(parameters: str) -> Policy:
    """`SR:0.2,MIN:20`: AMs, what ended badly, the first containers, and a share of the others."""
    given = dict(part.strip().split(":", 1) for part in parameters.split(",") if ":" in part)
    rate = _number(given.get("SR"), 0.2, 1.0)
    threshold = int(_number(given.get("MIN"), 20, float("inf")))

    def wants(container: FinishedContainer) -> bool:
        sequence = container.container_id.sequence
        if container.is_master or container.exit_code != 0 or sequence < threshold + 2:
            return True
        return rate > 0 and sequence % max(1, round(1 / rate)) == 0

    return wants


def _number(text: str | None, default: float, highest: float) -> float:
    try:
        value = float(text) if text is not None else default
    except ValueError:
        return default
    return value if 0 <= value <= highest else default


class _Aggregation:
    """The collecting of one application's logs."""

    __slots__ = (
        "acls",
        "application_id",
        "context",
        "cycle",
        "has_failed",
        "policy",
        "selected",
        "user",
    )

    def __init__(self, application: Application, context: LogAggregationContext, policy: Policy) -> None:
        self.application_id = application.application_id
        self.user = application.user
        self.acls = application.acls
        self.context = context
        self.policy = policy
        self.selected: dict[ContainerId, None] = {}
        self.cycle = 0
        self.has_failed = False


class LogHandler:
    """The logs of every application on this node."""

    def __init__(self, context: NMContext) -> None:
        self._context = context
        self._aggregations: dict[ApplicationId, _Aggregation] = {}
        self.reports: list[LogAggregationReport] = []
        """News for the RM, not yet sent."""
        context.dispatcher.register(LogEvent, self._handle)

    def inited(self, application_id: ApplicationId, fault: str | None) -> None:
        """The remote directory is there, or cannot be had."""
        if fault is None:
            self._context.post(ApplicationLogHandlingInited(application_id=application_id))
            return
        self._aggregations.pop(application_id, None)
        self._report(application_id, LogAggregationStatus.FAILED, fault)
        self._context.post(ApplicationLogHandlingFailed(application_id=application_id))

    def aggregated(self, application_id: ApplicationId, fault: str | None, *, is_final: bool) -> None:
        """A cycle is over."""
        aggregation = self._aggregations.get(application_id)
        if aggregation is None:
            return
        aggregation.has_failed |= fault is not None
        said = fault or f"Log uploaded successfully for Application: {application_id}"
        running = LogAggregationStatus.RUNNING if fault is None else LogAggregationStatus.RUNNING_WITH_FAILURE
        self._report(application_id, running, said)
        if not is_final:
            self._set_rolling_timer(aggregation)
            return
        failed = aggregation.has_failed
        final = LogAggregationStatus.FAILED if failed else LogAggregationStatus.SUCCEEDED
        self._report(application_id, final, "")
        del self._aggregations[application_id]
        if fault is None:
            self._context.order(DeleteLogs(application_id))
        self._context.post(ApplicationLogHandlingFinished(application_id=application_id))

    def _handle(self, event: LogEvent) -> None:
        match event:
            case LogApplicationStarted():
                self._start(event)
            case LogContainerFinished():
                self._container_finished(event)
            case LogApplicationFinished():
                self._finish(event.application_id)
            case LogRollingDue():
                self._roll(event.application_id)
            case _:
                assert isinstance(event, LogRetentionOver)
                self._context.order(DeleteLogs(event.application_id))

    def _start(self, event: LogApplicationStarted) -> None:
        logs = self._context.settings.logs
        application = self._context.applications.get(event.application_id)
        if not logs.aggregation_enabled or application is None:
            self._context.post(ApplicationLogHandlingInited(application_id=event.application_id))
            return
        wanted = event.log_aggregation_context or LogAggregationContext()
        class_name = wanted.log_aggregation_policy_class_name
        policy = (
            policy_of(class_name, wanted.log_aggregation_policy_parameters or "")
            if class_name
            else policy_of(logs.policy_class, logs.policy_parameters)
        )
        aggregation = _Aggregation(application, wanted, policy)
        self._aggregations[event.application_id] = aggregation
        self._context.order(PrepareLogAggregation(event.application_id, application.user))
        self._set_rolling_timer(aggregation)

    def _container_finished(self, event: LogContainerFinished) -> None:
        aggregation = self._aggregations.get(event.application_id)
        if aggregation is None:
            return
        if aggregation.policy(FinishedContainer(event.container_id, event.container_type, event.exit_code)):
            aggregation.selected[event.container_id] = None

    def _finish(self, application_id: ApplicationId) -> None:
        context, logs = self._context, self._context.settings.logs
        aggregation = self._aggregations.get(application_id)
        if aggregation is None:
            due_ms = context.now_ms + logs.retain_secs * 1000
            context.timers.at(
                due_ms, ("log retention", application_id), LogRetentionOver(application_id=application_id)
            )
            context.post(ApplicationLogHandlingFinished(application_id=application_id))
            return
        context.timers.cancel(("log rolling", application_id))
        self._ask(aggregation, tuple(aggregation.selected), aggregation.context, is_final=True)

    def _roll(self, application_id: ApplicationId) -> None:
        aggregation = self._aggregations.get(application_id)
        if aggregation is None:
            return
        context = aggregation.context
        rolled = replace(
            context,
            include_pattern=context.rolled_logs_include_pattern,
            exclude_pattern=context.rolled_logs_exclude_pattern,
        )
        running = [one for one in self._context.containers if one.application_id == application_id]
        containers = tuple(dict.fromkeys([*aggregation.selected, *running]))
        self._ask(aggregation, containers, rolled, is_final=False)

    def _ask(
        self,
        aggregation: _Aggregation,
        containers: tuple[ContainerId, ...],
        context: LogAggregationContext,
        *,
        is_final: bool,
    ) -> None:
        aggregation.cycle += 1
        self._context.order(
            AggregateLogs(
                aggregation.application_id,
                aggregation.user,
                containers,
                context,
                aggregation.cycle,
                is_final,
                aggregation.acls,
            )
        )

    def _set_rolling_timer(self, aggregation: _Aggregation) -> None:
        interval = self._context.settings.logs.rolling_interval_secs
        if interval > 0 and aggregation.context.rolled_logs_include_pattern:
            self._context.timers.at(
                self._context.now_ms + interval * 1000,
                ("log rolling", aggregation.application_id),
                LogRollingDue(application_id=aggregation.application_id),
            )

    def _report(self, application_id: ApplicationId, status: LogAggregationStatus, said: str) -> None:
        if self._context.settings.logs.aggregation_enabled:
            self.reports.append(
                LogAggregationReport(
                    application_id=application_id, log_aggregation_status=status, diagnostics=said
                )
            )
