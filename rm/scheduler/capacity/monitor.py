"""The scheduling monitor: policies that look at the scheduler from time to time, each by its own timer.

`yarn.resourcemanager.scheduler.monitor.policies` names them: Hadoop's classes, or the dotted path of a Python
class that is a SchedulingEditPolicy. The policies for automatic queues stand in upkeep.py. Answers for
SchedulingMonitor and SchedulingMonitorManager.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from rm.events.scheduler import SchedulerMonitorTick
from rm.scheduler.capacity import upkeep
from rm.scheduler.capacity.preempting import ProportionalCapacityPreemptionPolicy
from yarn.errors import YarnError

if TYPE_CHECKING:
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_HADOOP = "org.apache.hadoop.yarn.server.resourcemanager."
_BUILT_IN = {ProportionalCapacityPreemptionPolicy.name: ProportionalCapacityPreemptionPolicy}
_ELSEWHERE = (upkeep.MANAGEMENT, upkeep.DELETION)


class SchedulingEditPolicy(Protocol):
    """What the monitor runs. A user's own class is made with the scheduler as its only argument."""

    name: str

    @property
    def monitoring_interval_ms(self) -> int:
        """From one pass to the next."""
        ...

    def edit_schedule(self) -> None:
        """One pass; what it wants it posts as scheduler events."""
        ...


class SchedulingMonitor:
    """The policies that are configured, and their timers."""

    def __init__(self, scheduler: CapacityScheduler) -> None:
        self._scheduler = scheduler
        self.policies: dict[str, SchedulingEditPolicy] = {}
        self._intervals: dict[str, int] = {}

    def start(self) -> None:
        """Makes the policies and sets their first passes: at once. YarnError for an unknown class."""
        settings = self._scheduler.context.settings
        if not settings.scheduler_monitor_enabled:
            return
        for name in settings.scheduler_monitor_policies:
            short = name.rpartition(".")[2]
            if name not in self.policies and not (name.startswith(_HADOOP) and short in _ELSEWHERE):
                self.policies[name] = self._make(name)
        for name in self.policies:
            self._arm(name, self._scheduler.context.now_ms)

    def run_all(self) -> None:
        """One pass of every policy, now."""
        for policy in self.policies.values():
            policy.edit_schedule()

    def tick(self, event: SchedulerMonitorTick) -> None:
        """A policy's moment has come. With another interval than before there is no pass: the new period
        begins.
        """
        name = event.policy
        policy = self.policies.get(name)
        if policy is None:
            return
        now_ms = self._scheduler.context.now_ms
        if policy.monitoring_interval_ms != self._intervals[name]:
            self._arm(name, now_ms)
            return
        self._arm(name, now_ms + self._intervals[name])
        policy.edit_schedule()

    def _arm(self, name: str, due_ms: int) -> None:
        self._intervals[name] = self.policies[name].monitoring_interval_ms
        self._scheduler.context.timer_at(due_ms, ("monitor", name), SchedulerMonitorTick(policy=name))

    def _make(self, name: str) -> SchedulingEditPolicy:
        short = name.rpartition(".")[2]
        if name.startswith(_HADOOP) and short in _BUILT_IN:
            return _BUILT_IN[short](self._scheduler)
        module, _, attribute = name.rpartition(".")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise YarnError(f"Failed to find class of specified policy={name}: {error}") from error
        if not (callable(found) and hasattr(found, "edit_schedule")):
            raise YarnError(f"Specified policy={name} is not a SchedulingEditPolicy class.")
        factory = cast("Callable[[CapacityScheduler], SchedulingEditPolicy]", found)
        return factory(self._scheduler)
