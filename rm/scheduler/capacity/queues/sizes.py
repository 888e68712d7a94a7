"""What sizes containers have in a queue: rounded by the calculator, cut to the queue's maximum allocation."""

from __future__ import annotations

from collections.abc import Callable

from yarnbox.rm.scheduler.admission import requests
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.records.request import ResourceRequest
from yarnbox.yarn.resources.resource import Resource, componentwise_min


class ContainerSizes:
    """`maximum` gives the largest container that may be asked for in any queue now."""

    def __init__(self, context: QueueContext, tree: QueueTree, maximum: Callable[[], Resource]) -> None:
        self._context = context
        self._tree = tree
        self._maximum = maximum

    def normalize(self, request: ResourceRequest, queue: str | None) -> ResourceRequest:
        """The request with its normalized size."""
        context = self._context
        return requests.normalize(
            request, context.calculator, context.minimum, self.maximum_in(queue), context.minimum
        )

    def maximum_in(self, queue: str | None) -> Resource:
        """The queue's own maximum, never more than the cluster's."""
        found = self._tree.find(queue) if queue else None
        maximum = self._maximum()
        return componentwise_min(found.settings.maximum_allocation, maximum) if found is not None else maximum
