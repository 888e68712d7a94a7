"""The scheduling monitor: runs policies periodically, each by its own timer.

`yarn.resourcemanager.scheduler.monitor.policies` names them: Hadoop's classes, or the dotted path of a Python
class that is a SchedulingEditPolicy. A refresh may start and stop them. Hadoop: SchedulingMonitor and
SchedulingMonitorManager.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from yarnbox.rm.events.scheduler import SchedulerMonitorStep, SchedulerMonitorTick
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings
from yarnbox.rm.scheduler.capacity.preemption.proportional import ProportionalCapacityPreemptionPolicy
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.rm.scheduler.custom import object_named
from yarnbox.yarn.errors import YarnError

_HADOOP = "org.apache.hadoop.yarn.server.resourcemanager."
AT_A_TIME_MS = 10
"""How long a pass goes on before others have their turn, where time passes within a turn; in virtual time
every pass is made in one instant.
"""
EVENT_MS = 0.05
"""What an event that a pass posts takes to be handled, about: the end of a container is the longest story."""


class SchedulingEditPolicy(Protocol):
    """What the monitor runs. A user's own class is made with the scheduler as its only argument."""

    name: ClassVar[str]

    @property
    def monitoring_interval_ms(self) -> int:
        """From one pass to the next, more than nothing."""
        ...

    def edit_schedule(self) -> None:
        """One pass; its decisions are posted as scheduler events. A policy may also have `steps`, the same
        pass in several steps: see `Stepping`.
        """
        ...


@runtime_checkable
class Stepping(Protocol):
    """A policy whose passes may take long: the RM serves other calls whenever it pauses."""

    def steps(self) -> Iterator[None]:
        """One pass, with a pause at every yield."""
        ...


Factory = Callable[[], SchedulingEditPolicy]


class SchedulingMonitor:
    """The policies that are configured, and their timers."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        built_in: Mapping[str, Factory],
        make: Callable[[Callable[[Any], SchedulingEditPolicy]], SchedulingEditPolicy],
    ) -> None:
        """`built_in` makes Hadoop's policies by their short names, `make` one of a user's own class."""
        self._context = context
        self._rm = context.rm
        self._tree = tree
        self._built_in = built_in
        self._make = make
        self.policies: dict[str, SchedulingEditPolicy] = {}
        """What runs, by the name in the configuration."""
        self._rhythms: dict[str, _FixedRate] = {}
        self._passes: dict[str, Iterator[None]] = {}
        """Those that have begun and not ended."""

    def check(self, settings: CapacitySettings) -> None:
        """YarnError if these settings name an unknown policy, or configure one wrongly."""
        for name in self._context.monitor_policies(settings):
            self._find(name)
            if name.startswith(_HADOOP) and name.endswith(f".{ProportionalCapacityPreemptionPolicy.name}"):
                ProportionalCapacityPreemptionPolicy.read(settings)

    def follow(self) -> None:
        """Runs the policies that the configuration lists: stops those that are not listed any more, starts
        new ones with a pass at once, and leaves the others running. YarnError for an unknown class.
        """
        listed = self._context.monitor_policies(self._context.settings)
        for name in list(self.policies):
            if name not in listed:
                del self.policies[name]
                self._passes.pop(name, None)
                self._rm.timers.cancel(("monitor", name))
                self._rm.timers.cancel(("monitor step", name))
        for name in listed:
            if name not in self.policies:
                self.policies[name] = self._find(name)()
                self._begin(name)

    def run_all(self) -> None:
        """One pass of every policy, now."""
        self._tree.update_shares()
        for policy in self.policies.values():
            policy.edit_schedule()

    def tick(self, event: SchedulerMonitorTick) -> None:
        """A policy's timer has fired. After a change of its interval there is no pass: the new
        period begins.
        """
        policy = self.policies.get(event.policy)
        if policy is None:
            return
        rhythm = self._rhythms[event.policy]
        if policy.monitoring_interval_ms != rhythm.interval_ms:
            self._begin(event.policy)
            return
        late_ms = self._rm.now_ms - rhythm.due_ms
        self._arm(event.policy, rhythm.due_ms + (late_ms // rhythm.interval_ms + 1) * rhythm.interval_ms)
        if event.policy not in self._passes:  # passes never overlap
            self._passes[event.policy] = policy.steps() if isinstance(policy, Stepping) else _one_step(policy)
            self.resume(event.policy)

    def resume(self, name: str) -> None:
        """Continues the pass until it ends or has used up its time slice; then it pauses."""
        context, passing = self._rm, self._passes.get(name)
        if passing is None:
            return
        self._tree.update_shares()
        begun_ms, waiting = context.stopwatch(), sum(context.dispatcher.waiting)
        try:
            for _ in passing:
                taken_ms = context.stopwatch() - begun_ms
                posted = sum(context.dispatcher.waiting) - waiting
                if taken_ms and taken_ms + posted * EVENT_MS >= AT_A_TIME_MS:
                    step = SchedulerMonitorStep(policy=name)
                    context.timer_at(context.now_ms + 1, ("monitor step", name), step)
                    return
        except Exception as error:
            # A policy may be a user's own: what it gets wrong costs its pass, not the scheduler.
            del self._passes[name]
            if context.is_strict:
                raise
            context.log("error", "monitor pass failed", policy=name, why=f"{type(error).__name__}: {error}")
        else:
            del self._passes[name]

    def _begin(self, name: str) -> None:
        self._rhythms[name] = _FixedRate(self.policies[name].monitoring_interval_ms)
        self._arm(name, self._rm.now_ms)

    def _arm(self, name: str, due_ms: int) -> None:
        self._rhythms[name].due_ms = due_ms
        self._rm.timer_at(due_ms, ("monitor", name), SchedulerMonitorTick(policy=name))

    def _find(self, name: str) -> Factory:
        short = name.rpartition(".")[2]
        if name.startswith(_HADOOP) and short in self._built_in:
            return self._built_in[short]
        try:
            found = object_named(name)
        except LookupError as error:
            raise YarnError(f"Failed to find class of specified policy={name}: {error}") from error
        if not (callable(found) and hasattr(found, "edit_schedule")):
            raise YarnError(f"Specified policy={name} is not a SchedulingEditPolicy class.")
        return partial(self._make, found)


class _FixedRate:
    """A fixed rate: a pass that comes late does not delay those after it."""

    __slots__ = ("due_ms", "interval_ms")

    def __init__(self, interval_ms: int) -> None:
        self.interval_ms = interval_ms
        self.due_ms = 0


def _one_step(policy: SchedulingEditPolicy) -> Iterator[None]:
    policy.edit_schedule()
    yield
