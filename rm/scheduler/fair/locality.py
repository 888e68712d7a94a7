"""Delay for locality: how far from where it was asked for a container may be, and when that changes.

By opportunities as a part of the cluster's nodes; with continuous scheduling, which is deprecated, by time.
Hadoop: FSAppAttempt.getAllowedLocalityLevel and getAllowedLocalityLevelByTime.
"""

from __future__ import annotations

from typing import Protocol

from yarnbox.rm.asks import Locality, RequestKey
from yarnbox.rm.scheduler.fair.settings import FairSettings
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.yarn.runtime.turn import Turn

_NEXT = {Locality.NODE_LOCAL: Locality.RACK_LOCAL, Locality.RACK_LOCAL: Locality.OFF_SWITCH}


class DelayedApplication(Protocol):
    """An application, as far as it waits for near places; all by the key of a request."""

    levels: dict[RequestKey, Locality]
    """How far from where it was asked for a container may be."""
    level_since_ms: dict[RequestKey, int]
    opportunities: dict[RequestKey, int]
    """Nodes that were offered since the level is what it is."""


class LocalityDelay:
    """The limits of the wait, for all applications; how long each has waited, it remembers itself."""

    def __init__(self, settings: FairSettings, tracker: NodeTracker, turn: Turn) -> None:
        self._turn = turn
        self._tracker = tracker
        self._by_time = settings.continuous_scheduling
        if self._by_time:
            node, rack = float(settings.node_locality_delay_ms), float(settings.rack_locality_delay_ms)
        else:
            node, rack = settings.node_locality_threshold, settings.rack_locality_threshold
        self._limits = {Locality.NODE_LOCAL: node, Locality.RACK_LOCAL: rack}
        self.is_on = node >= 0 and rack >= 0
        """Whether applications wait for near places at all; so only if both limits are set."""

    def allowed_level(self, app: DelayedApplication, key: RequestKey) -> Locality:
        """The level now; asking for it may change it. The opportunity at hand is counted already."""
        before = app.levels.get(key)
        level = self.level_after(app, key, app.opportunities.get(key, 0))
        if level is not before:
            app.levels[key] = level
            app.level_since_ms[key] = self._turn.now_ms
            if before is not None:
                app.opportunities[key] = 0
        return level

    def level_after(self, app: DelayedApplication, key: RequestKey, opportunities: int) -> Locality:
        """The level after so many opportunities; changes nothing."""
        level = app.levels.get(key)
        if level is None:
            return Locality.NODE_LOCAL
        if level is Locality.OFF_SWITCH or not self._has_waited(app, key, level, opportunities):
            return level
        return _NEXT[level]

    def numbers(self, app: DelayedApplication, key: RequestKey) -> str:
        """How far the wait at the present level has come."""
        level = app.levels.get(key, Locality.NODE_LOCAL)
        if level is Locality.OFF_SWITCH:
            return ""
        if self._by_time:
            waited_ms = self._turn.now_ms - app.level_since_ms.get(key, self._turn.now_ms)
            return f"{level.value} only, waited {waited_ms} of {self._limits[level]:g} ms"
        missed, needed = app.opportunities.get(key, 0), self._opportunities(level)
        return f"{level.value} only, {missed} opportunities missed, more than {needed:g} needed"

    def _has_waited(
        self, app: DelayedApplication, key: RequestKey, level: Locality, opportunities: int
    ) -> bool:
        if self._by_time:
            return self._turn.now_ms - app.level_since_ms[key] > self._limits[level]
        return opportunities > self._opportunities(level)

    def _opportunities(self, level: Locality) -> float:
        """More than so many must be missed: a part of the cluster's nodes."""
        return len(self._tracker) * min(self._limits[level], 1.0)
