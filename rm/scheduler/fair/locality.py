"""Delay for locality: how far from where it was asked for a container may be, and when that changes.

By opportunities as a part of the cluster's nodes; with continuous scheduling, which is deprecated, by time.
Answers for FSAppAttempt.getAllowedLocalityLevel and getAllowedLocalityLevelByTime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.asks import Locality, RequestKey

if TYPE_CHECKING:
    from rm.scheduler.fair.application import FSAppAttempt
    from rm.scheduler.fair.scheduler import FairScheduler
    from rm.scheduler.fair.settings import FairSettings

_NEXT = {Locality.NODE_LOCAL: Locality.RACK_LOCAL, Locality.RACK_LOCAL: Locality.OFF_SWITCH}


def is_delayed(settings: FairSettings) -> bool:
    """Whether applications wait for near places at all; so only if both limits are set."""
    if settings.continuous_scheduling:
        return settings.node_locality_delay_ms >= 0 and settings.rack_locality_delay_ms >= 0
    return settings.node_locality_threshold >= 0 and settings.rack_locality_threshold >= 0


def allowed_level(scheduler: FairScheduler, app: FSAppAttempt, key: RequestKey) -> Locality:
    """The level now; asking for it may change it. The opportunity at hand is counted already."""
    level = app.levels.get(key)
    if level is None:
        app.levels[key] = Locality.NODE_LOCAL
        app.level_since_ms[key] = app.context.now_ms
        return Locality.NODE_LOCAL
    if level is Locality.OFF_SWITCH or not _has_waited(scheduler, app, key, level):
        return level
    level = app.levels[key] = _NEXT[level]
    app.opportunities[key] = 0
    app.level_since_ms[key] = app.context.now_ms
    return level


def _has_waited(scheduler: FairScheduler, app: FSAppAttempt, key: RequestKey, level: Locality) -> bool:
    settings = scheduler.settings
    is_node = level is Locality.NODE_LOCAL
    if settings.continuous_scheduling:
        delay_ms = settings.node_locality_delay_ms if is_node else settings.rack_locality_delay_ms
        return app.context.now_ms - app.level_since_ms[key] > delay_ms
    threshold = settings.node_locality_threshold if is_node else settings.rack_locality_threshold
    return app.opportunities.get(key, 0) > len(scheduler.tracker) * min(threshold, 1.0)
