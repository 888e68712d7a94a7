"""The RM's monitors: when they check, and what expires.

A monitor checks every third of its interval, first at the start of the RM or a while later; between two
checks it costs nothing. Hadoop: NMLivelinessMonitor, AMLivelinessMonitor (twice), RMAppLifetimeMonitor,
ContainerAllocationExpirer and the poll of DecommissioningNodesWatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from yarnbox.rm.events.app import AppKill, AttemptExpire
from yarnbox.rm.events.node import MonitorEvent, MonitorLook, NodeExpire
from yarnbox.rm.events.scheduler import SchedulerContainerExpired
from yarnbox.yarn.ids import ApplicationAttemptId, ApplicationId, ContainerId, NodeId
from yarnbox.yarn.runtime.event import Event
from yarnbox.yarn.runtime.liveliness import LivelinessMonitor

if TYPE_CHECKING:
    from yarnbox.rm.context import RMContext

K = TypeVar("K", bound=Hashable)

OUTLIVED = "Application is killed by ResourceManager as it has exceeded the lifetime period."


@dataclass(frozen=True, slots=True)
class _Watch:
    interval_ms: int
    look: Callable[[], None]
    wait_ms: int
    """From the start of the RM to the first check."""


class MonitorClock:
    """Runs each monitor periodically."""

    def __init__(self, context: RMContext) -> None:
        self._context = context
        self._watches: dict[str, _Watch] = {}
        monitors = context.monitors
        self._add_liveliness("nodes", monitors.node, _node_expired)
        self._add_liveliness("masters", monitors.am, _am_expired)
        self._add_liveliness("finishing masters", monitors.am_finishing, _am_expired)
        self._add_liveliness("containers", monitors.container, _container_expired)
        self._add_liveliness("increases", monitors.increase, _increase_expired)
        self._add_liveliness("lifetimes", monitors.lifetime, _lifetime_over)

    def add(self, name: str, interval_ms: int, look: Callable[[], None], wait_ms: int = 0) -> None:
        """Adds a monitor: `look` is called `wait_ms` after the start of the RM and every `interval_ms` from
        then on.
        """
        self._watches[name] = _Watch(interval_ms, look, wait_ms)

    def start(self) -> None:
        """Sets the timer of every monitor's first check."""
        for name, watch in self._watches.items():
            self._set(name, self._context.now_ms + watch.wait_ms)

    def after_pause(self, gap_ms: int) -> None:
        """The RM could not receive heartbeats for that long: whatever seems to be silent gets one interval
        more.
        """
        monitors, now_ms = self._context.monitors, self._context.now_ms
        for one in (monitors.node, monitors.am, monitors.am_finishing, monitors.container, monitors.increase):
            one.after_pause(gap_ms, now_ms)

    def handle(self, event: MonitorEvent) -> None:
        """A monitor's timer has fired."""
        assert isinstance(event, MonitorLook)
        watch = self._watches[event.name]
        watch.look()
        self._set(event.name, self._next_look_ms(watch))

    def _next_look_ms(self, watch: _Watch) -> int:
        first_ms = self._context.start_ms + watch.wait_ms
        passed = self._context.now_ms - first_ms
        return first_ms + (passed // watch.interval_ms + 1) * watch.interval_ms

    def _set(self, name: str, due_ms: int) -> None:
        self._context.timer_at(due_ms, ("monitor", name), MonitorLook(name=name))

    def _add_liveliness(
        self, name: str, monitor: LivelinessMonitor[K], expired: Callable[[K], Event]
    ) -> None:
        def look() -> None:
            for key in monitor.take_expired(self._context.now_ms):
                self._context.post(expired(key))

        self.add(name, max(monitor.look_interval_ms, 1), look)


def _node_expired(node_id: NodeId) -> Event:
    return NodeExpire(node_id=node_id)


def _am_expired(attempt_id: ApplicationAttemptId) -> Event:
    return AttemptExpire(attempt_id=attempt_id)


def _container_expired(container_id: ContainerId) -> Event:
    return SchedulerContainerExpired(container_id=container_id)


def _increase_expired(container_id: ContainerId) -> Event:
    return SchedulerContainerExpired(container_id=container_id, is_increase=True)


def _lifetime_over(application_id: ApplicationId) -> Event:
    return AppKill(application_id=application_id, diagnostics=OUTLIVED)
