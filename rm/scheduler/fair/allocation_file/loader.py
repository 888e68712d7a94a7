"""When the allocation file is read, and what becomes of one that cannot be used.

At the start a bad file is an error of the start. Later one is refused as a whole and the running allocations
stay: a refresh logs each error, the check every ten seconds logs the same error once. Hadoop:
AllocationFileLoaderService and the listener of FairScheduler.
"""

from __future__ import annotations

import re
from typing import Final

from yarnbox.rm.events.scheduler import SchedulerAllocationsLoaded, SchedulerAllocationsRefused
from yarnbox.rm.scheduler.fair.allocation_file.allocations import AllocationDraft, Allocations
from yarnbox.rm.scheduler.fair.context import FairContext
from yarnbox.rm.scheduler.fair.queues.placement import read_rules, rules_of_properties
from yarnbox.rm.scheduler.fair.queues.plans import FairPlans
from yarnbox.rm.scheduler.fair.queues.running import RunningApps
from yarnbox.rm.scheduler.fair.queues.tree import QueueTree
from yarnbox.rm.scheduler.fair.submission import Admission
from yarnbox.rm.scheduler.views import AllocationFile
from yarnbox.yarn.configuration import ConfigurationError
from yarnbox.yarn.errors import YarnError

RELOAD_INTERVAL_MS: Final = 10_000
RELOAD_WAIT_MS: Final = 5_000
"""A file that was written more recently may not be finished (ALLOC_RELOAD_WAIT_MS)."""
_LOCAL = re.compile(r"file:/*(?=/)", re.IGNORECASE)
_REMOTE = re.compile(r"(hdfs|s3a|viewfs):", re.IGNORECASE)


def local_path(configured: str) -> str:
    """The path that the property means; ConfigurationError for a filesystem that cannot be read here."""
    if _REMOTE.match(configured):
        raise ConfigurationError.of(
            configured, "lies on a filesystem that cannot be read here: give it a local path"
        )
    return _LOCAL.sub("", configured)


class AllocationLoader:
    """Reads the file and lets the queues, the placement and the limits follow it."""

    def __init__(
        self,
        fair: FairContext,
        tree: QueueTree,
        running: RunningApps,
        admission: Admission,
        plans: FairPlans,
    ) -> None:
        self._fair = fair
        self._tree = tree
        self._running = running
        self._admission = admission
        self._plans = plans
        self._context = fair.rm
        self._file_name = local_path(fair.settings.allocation_file)
        self.has_file = True
        """Whether there was a file at the start: if not, nothing is looked at again."""
        self._loaded_ms = 0
        self._has_failed = False
        self._is_running = False

    def start(self) -> None:
        """The first reading. ConfigurationError when the file is not valid."""
        name = self._file_name
        if not name.startswith("/") and self._context.provider.read_text(name) is None:
            self._context.log("warning", "no allocation file", file=name)
            self.has_file = False
            return
        self._load()

    def refresh(self) -> None:
        """Reads the file at once. A bad one is logged and changes nothing."""
        if not self.has_file:
            return
        try:
            self._load()
        except YarnError as error:
            self._refuse(error)

    def reload_if_changed(self) -> None:
        """Reads the file if it was modified since the last load and not within the last RELOAD_WAIT_MS."""
        if not self.has_file:
            return
        modified_ms = self._context.provider.modified_ms(self._file_name)
        if modified_ms is None:
            self._context.log("error", "the allocation file cannot be read", file=self._file_name)
            return
        if modified_ms <= self._loaded_ms:
            return
        if self._context.now_ms <= modified_ms + RELOAD_WAIT_MS:
            return
        try:
            self._load()
        except YarnError as error:
            if not self._has_failed:
                self._refuse(error)
            self._has_failed = True

    def _load(self) -> None:
        name = self._file_name
        text = self._context.provider.read_text(name)
        if text is None:
            raise ConfigurationError.of(name, "cannot be read: there is no such file")
        draft = AllocationDraft(text, name, self._fair.types)
        # The placement rules are in force before the defaults are read, as in Hadoop.
        self._take_rules(draft, name)
        allocations = draft.finish()
        if self._is_running:
            self._context.post(SchedulerAllocationsLoaded(file=name))
        self._loaded_ms = self._context.now_ms
        self._is_running = True
        self._has_failed = False
        for notice in allocations.notices:
            self._context.log("warning", "allocation file", notice=notice)
        self._context.tell("AllocationFile", name, "loaded")
        self._fair.file = AllocationFile(name=name, text=text)
        self._apply(allocations)

    def _take_rules(self, draft: AllocationDraft, source: str) -> None:
        settings = self._fair.settings
        if draft.placement_policy is None:
            self._admission.rules = rules_of_properties(
                settings.allow_undeclared_pools, settings.user_as_default_queue
            )
            return
        rules = read_rules(
            draft.placement_policy,
            source,
            draft.notices,
            skip_terminal_check=settings.migration_mode and settings.skip_terminal_rule_check,
        )
        self._admission.rules = rules or self._admission.rules

    def _apply(self, allocations: Allocations) -> None:
        """Lets the queues follow the file: what is running goes on."""
        tree = self._tree
        before = self._fair.allocations
        gone = [path for path in (*before.leaves, *before.parents) if not allocations.is_declared(path)]
        self._fair.allocations = allocations
        tree.apply(allocations)
        self._plans.reapply_weights()
        tree.make_dynamic(gone)
        tree.apply_child_limits(allocations)
        tree.reorder()
        self._running.update_runnability_on_reload()

    def _refuse(self, error: YarnError) -> None:
        name = self._file_name
        self._context.log(
            "error",
            "failed to reload the allocation file, will use existing allocations",
            file=name,
            error=error,
        )
        self._context.tell("AllocationFile", name, "refused", error.message)
        self._context.post(SchedulerAllocationsRefused(file=name, reason=error.message))
