"""The constraints that stand apart from a request: an application's for its tags, and the cluster's.

An application registers them with its ApplicationMaster, once; an entry that names no tag or several is
passed over. Hadoop: PlacementConstraintManagerService and MemoryPlacementConstraintManager.
"""

from __future__ import annotations

from collections.abc import Iterable

from yarnbox.rm.scheduler.constraint.context import ConstraintContext
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.request import PlacementConstraint, PlacementConstraintMapEntry


class ConstraintRegistry:
    """Constraints by source tag."""

    def __init__(self, context: ConstraintContext) -> None:
        self._context = context
        self._of_applications: dict[ApplicationId, dict[str, PlacementConstraint]] = {}
        self._of_cluster: dict[str, PlacementConstraint] = {}

    def register(self, application_id: ApplicationId, entries: Iterable[PlacementConstraintMapEntry]) -> None:
        """Takes what an AM registered; a later attempt of the application changes nothing."""
        if application_id in self._of_applications:
            self._context.log("warning", "constraints are registered already", application=application_id)
            return
        found: dict[str, PlacementConstraint] = {}
        for entry in entries:
            tag = self._source_tag(entry.allocation_tags)
            if tag is not None and entry.placement_constraint is not None:
                found[tag] = entry.placement_constraint
        self._of_applications[application_id] = found

    def unregister(self, application_id: ApplicationId) -> None:
        """The application has gone."""
        self._of_applications.pop(application_id, None)

    def set_of_cluster(self, tag: str, constraint: PlacementConstraint | None) -> None:
        """A constraint for every container of that tag, whoever's it is; None takes it back."""
        if constraint is None:
            self._of_cluster.pop(tag, None)
        else:
            self._of_cluster[tag] = constraint

    def effective(
        self, application_id: ApplicationId, tags: tuple[str, ...], own: PlacementConstraint | None
    ) -> list[PlacementConstraint]:
        """All that must hold for a container of these tags: the request's own constraint, the application's,
        the cluster's; each of them once.
        """
        found = [own] if own is not None else []
        if len(tags) == 1:
            for level in (self._of_applications.get(application_id), self._of_cluster):
                further = level.get(tags[0]) if level else None
                if further is not None and further not in found:
                    found.append(further)
        return found

    def _source_tag(self, tags: tuple[str, ...]) -> str | None:
        if len(tags) == 1:
            return tags[0]
        count = "an empty set of" if not tags else "more than one of the"
        self._context.log("warning", f"a constraint cannot be bound to {count} tags", tags=",".join(tags))
        return None
