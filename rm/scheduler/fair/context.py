"""What the FairScheduler's queues and applications have in common: settings, allocations, the cluster's size.

One object, held by all of them, so that a share is worked out from the same numbers everywhere.
"""

from __future__ import annotations

import math
from functools import cache

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.context import SchedulerContext
from yarnbox.rm.scheduler.fair.allocation_file.allocations import Allocations
from yarnbox.rm.scheduler.fair.locality import LocalityDelay
from yarnbox.rm.scheduler.fair.settings import FairConfiguration
from yarnbox.rm.scheduler.node import NodeTracker
from yarnbox.rm.scheduler.views import AllocationFile
from yarnbox.yarn.resources.resource import NONE, Resource, map_values


class FairContext:
    """The surroundings of all queues and applications."""

    def __init__(self, rm: SchedulerContext, tracker: NodeTracker) -> None:
        self.rm = rm
        self.tracker = tracker
        self.types = rm.resource_types.names
        self.configuration = FairConfiguration.read(rm.configuration, rm.resource_types)
        self.settings = settings = self.configuration.settings
        self.published = self.configuration.published
        multiple = settings.reservation_threshold_multiple
        self.reservation_threshold = map_values(
            lambda _, step: int(step * multiple), self.configuration.increment
        )
        """A node is reserved only for containers of at least this size."""
        self.locality = LocalityDelay(settings, tracker, rm)
        self.may_skip_offers = not self.locality.is_on
        """Without locality delay a refused offer changes nothing: offers that must fail can be skipped."""
        self.allocations = Allocations.without_file(self.types)
        """Replaced as a whole when the file is read."""
        self.file: AllocationFile | None = None
        self.noted_free = NONE
        """What of the cluster was free when that was noted last; AM limits go by it. Hadoop: the available
        resources in the root queue's metrics.
        """

    def cluster_resource(self) -> Resource:
        """The capacity of all nodes."""
        return self.tracker.total

    @staticmethod
    @cache
    def size_weight(memory_mb: int) -> float:
        """The weight of an application with so much demand, where size counts."""
        return float32(math.log1p(memory_mb) / math.log(2))
