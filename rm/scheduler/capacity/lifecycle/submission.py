"""Which queue a submission goes to: that of a mapping rule, or the one that it names.

Hadoop: the placement part of RMAppManager, and CSMappingPlacementRule's hold on the scheduler.
"""

from __future__ import annotations

from functools import partial

from yarnbox.rm.scheduler.admission.submission import place_by_tags
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings
from yarnbox.rm.scheduler.capacity.lifecycle.access import QueueAccess
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueTreeLookup
from yarnbox.rm.scheduler.capacity.lifecycle.placement import (
    UNNAMED,
    QueueLookup,
    Submission,
    check_rules,
    place,
)
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.ids import ApplicationId
from yarnbox.yarn.records.application import ApplicationSubmissionContext


class SubmissionPlacement:
    """Places submissions, and remembers which of them a mapping placed until their APP_ADDED comes."""

    def __init__(self, context: QueueContext, tree: QueueTree, access: QueueAccess) -> None:
        self._context = context
        self._tree = tree
        self._queues = QueueTreeLookup(tree)
        self._access = access
        self._placed_by_mapping: dict[ApplicationId, None] = {}

    def place_application(self, submission: ApplicationSubmissionContext, user: str) -> str:
        """The queue for a submission: that of the first rule that places it, else the one it names; by its
        full path, if there is such a queue.
        """
        asked = submission.queue or UNNAMED
        named = self._tree.find(asked)
        path = named.path if named is not None else asked
        if asked != UNNAMED and not self._context.settings.overrides_with_mappings:
            return path
        found = place_by_tags(
            self._context.rm.settings,
            submission.application_tags,
            user,
            partial(self._place_for_user, submission),
            partial(self._access.may_submit, user),
        )
        if found is None:
            return path
        if submission.application_id is not None:
            self._placed_by_mapping[submission.application_id] = None
        return found

    def _place_for_user(self, submission: ApplicationSubmissionContext, user: str) -> str | None:
        wanted = Submission(
            user=user,
            groups=self._context.rm.groups.groups_of(user),
            application=submission.application_name,
            queue=submission.queue or UNNAMED,
        )
        return place(self._context.settings.mappings, wanted, self._queues)

    def take(self, application_id: ApplicationId) -> bool:
        """Whether a mapping placed the application; the record is removed."""
        if application_id not in self._placed_by_mapping:
            return False
        del self._placed_by_mapping[application_id]
        return True


def check_mappings(settings: CapacitySettings, queues: QueueLookup) -> None:
    """Collects the rules that can never place an application."""
    for rule, complaint in check_rules(settings.mappings.rules, queues):
        settings.properties.fault(rule.listed_in, f"{complaint} (mapping {rule.text})")
