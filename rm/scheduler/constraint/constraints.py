"""Placement constraints as the rest of the RM reaches them: one object, held by the context.

It costs nothing while nobody uses it: tags are counted for containers that have some, and a constraint is
looked at where a request has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from yarnbox.rm.scheduler.constraint.algorithm import DefaultPlacementAlgorithm, PlacementAlgorithm
from yarnbox.rm.scheduler.constraint.context import ConstraintContext
from yarnbox.rm.scheduler.constraint.namespaces import InvalidAllocationTagsQueryError
from yarnbox.rm.scheduler.constraint.processor import PlacementProcessor
from yarnbox.rm.scheduler.constraint.registry import ConstraintRegistry
from yarnbox.rm.scheduler.constraint.satisfaction import Satisfaction
from yarnbox.rm.scheduler.constraint.tags import AllocationTags
from yarnbox.rm.scheduler.constraint.text import Part
from yarnbox.rm.scheduler.custom import object_named
from yarnbox.rm.settings.allocation import DEFAULT_ALGORITHM
from yarnbox.yarn.errors import YarnError
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.request import SchedulingRequest
from yarnbox.yarn.resources.resource import Resource

if TYPE_CHECKING:
    from yarnbox.rm.asks import Constrained
    from yarnbox.rm.container import SchedulerNode

PROCESSOR = "placement-processor"


class PlacementConstraints:
    """Tags, registered constraints, and who looks at them."""

    def __init__(self, context: ConstraintContext) -> None:
        self._context = context
        self.tags = AllocationTags(self._tags_of)
        self.registry = ConstraintRegistry(context)
        self._satisfaction = Satisfaction(self.tags, context.attributes)
        settings = context.settings.constraints
        self._looks = settings.retry_attempts
        self.processor: PlacementProcessor | None = None
        """Who places requests before the scheduler sees them; None with another handler."""
        if settings.handler == PROCESSOR:
            algorithm = algorithm_class(settings.algorithm_class)(self, settings.algorithm_iterator)
            self.processor = PlacementProcessor(context, algorithm, settings.retry_attempts)

    def _tags_of(self, application_id: ApplicationId) -> tuple[str, ...]:
        app = self._context.apps.get(application_id)
        return app.submission.application_tags if app is not None else ()

    def unmet(
        self, application_id: ApplicationId, request: SchedulingRequest, node: SchedulerNode
    ) -> Part | None:
        """The part of the request's constraints, or of those that stand for its tag, that the node does not
        satisfy; None when it satisfies all. InvalidAllocationTagsQueryError when that cannot be said.
        """
        own, tags = request.placement_constraint, request.allocation_tags
        for constraint in self.registry.effective(application_id, tags, own):
            part = self._satisfaction.unmet(constraint, application_id, node)
            if part is not None:
                return part
        return None

    def admits(self, application_id: ApplicationId, constrained: Constrained, node: SchedulerNode) -> bool:
        """Whether the scheduler may give the request a container there; counts the looks that failed, and
        looks no more when they were too many.
        """
        if constrained.failed_looks >= self._looks:
            return False
        try:
            return self.unmet(application_id, constrained.request, node) is None
        except InvalidAllocationTagsQueryError as error:
            self.warn(application_id, error)
            constrained.failed_looks += 1
            return False

    def would_admit(
        self, application_id: ApplicationId, constrained: Constrained, node: SchedulerNode
    ) -> bool:
        """What `admits` would answer; nothing is counted."""
        if constrained.failed_looks >= self._looks:
            return False
        try:
            return self.unmet(application_id, constrained.request, node) is None
        except InvalidAllocationTagsQueryError:
            return False

    def warn(self, application_id: ApplicationId, error: InvalidAllocationTagsQueryError) -> None:
        """A constraint cannot be looked up."""
        self._context.log("warning", "cannot look at a constraint", application=application_id, error=error)

    def fits_in(self, size: Resource, room: Resource) -> bool:
        """Whether the scheduler's calculator says so."""
        return self._context.scheduler.resource_calculator.fits_in(size, room)

    def forget(self, application_id: ApplicationId) -> None:
        """The application has gone, or is about to."""
        self.registry.unregister(application_id)
        if self.processor is not None:
            self.processor.forget(application_id)


def algorithm_class(name: str) -> type[PlacementAlgorithm]:
    """The placement algorithm of that name: Hadoop's default, or the dotted path of a Python class. YarnError
    when there is none.
    """
    name = name.partition(",")[0].strip()
    if name in ("", DEFAULT_ALGORITHM):
        return DefaultPlacementAlgorithm
    try:
        found = object_named(name)
    except LookupError as error:
        raise YarnError(
            f"yarn.resourcemanager.placement-constraints.algorithm.class: there is no {name}: {error}"
        ) from error
    if not (isinstance(found, type) and callable(getattr(found, "place", None))):
        raise YarnError(
            f"yarn.resourcemanager.placement-constraints.algorithm.class: {name} has no method `place`"
        )
    return found
