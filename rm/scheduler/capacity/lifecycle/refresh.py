"""Replaces the configuration of the running tree; the whole configuration is checked before anything changes.

Hadoop: CapacityScheduler.reinitialize.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.capacity.config.reading import FILE_NAME, ReadingContext, read_settings
from yarnbox.rm.scheduler.capacity.config.settings import CapacitySettings, QueueKind, QueueSettings
from yarnbox.rm.scheduler.capacity.config.validation import ClusterSize, check_refresh, check_states, fits
from yarnbox.rm.scheduler.capacity.lifecycle.dynamic_queues import QueueMaker, QueueTreeLookup
from yarnbox.rm.scheduler.capacity.lifecycle.maintenance import ManagedTemplates
from yarnbox.rm.scheduler.capacity.lifecycle.monitor import SchedulingMonitor
from yarnbox.rm.scheduler.capacity.lifecycle.parallel_applications import ParallelLimits
from yarnbox.rm.scheduler.capacity.lifecycle.plan_leaves import PlanLeaves
from yarnbox.rm.scheduler.capacity.lifecycle.submission import check_mappings
from yarnbox.rm.scheduler.capacity.queues.context import QueueContext
from yarnbox.rm.scheduler.capacity.queues.queue import CapacityQueue
from yarnbox.rm.scheduler.capacity.queues.tree import QueueTree
from yarnbox.yarn.configuration import Configuration, ConfigurationError, Fault
from yarnbox.yarn.errors import YarnError


class Refresh:
    """Checks configurations and applies them."""

    def __init__(
        self,
        context: QueueContext,
        tree: QueueTree,
        reading_context: ReadingContext,
        maker: QueueMaker,
        plan_leaves: PlanLeaves,
        monitor: SchedulingMonitor,
        templates: ManagedTemplates,
        parallel: ParallelLimits,
    ) -> None:
        self._context = context
        self._tree = tree
        self._surroundings = reading_context
        self._maker = maker
        self._plan_leaves = plan_leaves
        self._monitor = monitor
        self._templates = templates
        self._parallel = parallel
        self._logged: dict[str, None] = {}
        """Notices are logged once, however often the file is read."""

    def refresh(self) -> None:
        """refreshQueues: reads the file again and applies it atomically. YarnError when it is refused."""
        rm = self._context.rm
        if rm.settings.web.configuration_store != "file":
            raise YarnError(
                "Scheduler configuration is mutable. refreshQueues is not allowed in this scenario."
            )
        self.apply(rm.provider.load(FILE_NAME))

    def apply(self, file: Configuration) -> None:
        """Applies another configuration to the running scheduler. When it is refused, the present one is
        applied once more, as in Hadoop, unless the nodes that there are now speak against it: limits,
        headrooms and orders are worked out anew.

        See tests/scenarios/queues/refused-refresh-applies-the-old-file.yaml and
        tests/scenarios/queues/refused-refresh-when-the-old-file-does-not-fit.yaml.
        """
        try:
            settings = self.validate(file)
        except ConfigurationError as error:
            if fits(self._context.settings, self._cluster()):
                self._take_over(self._context.settings)
            reasons = "; ".join(_reason(fault) for fault in error.faults)  # clients print one line
            raise YarnError(f"Failed to re-init queues : {reasons}") from None
        self._take_over(settings)

    def validate(self, file: Configuration) -> CapacitySettings:
        """The settings of the file if the running tree may become them; ConfigurationError if not."""
        settings = read_settings(file, self._surroundings, self._cluster())
        live = self._tree.live()
        check_refresh(live, settings)
        check_states(settings, live)
        settings.properties.raise_faults()
        # The queues as they would be, for the mappings to be checked against.
        check_mappings(settings, QueueTreeLookup(QueueTree(self._context, settings.root)))
        settings.properties.raise_faults()
        self._monitor.check(settings)
        return settings

    def _cluster(self) -> ClusterSize:
        return ClusterSize(total=self._context.cluster, of_partition=self._context.partition_total)

    def restore(self, file: Configuration) -> None:
        """At a start: replaces the file's configuration by this one; no queue has applications yet, so the
        file's tree does not matter.
        """
        settings = read_settings(file, self._surroundings)
        check_states(settings, ())
        settings.properties.raise_faults()
        self._take_over(settings)
        self._tree.start_states()

    def _take_over(self, settings: CapacitySettings) -> None:
        self._context.settings = settings
        self._tree.replace(settings.root, self._settings_again)
        self.log_notices(settings)
        self._tree.derive_shares()
        self._templates.restore_after_refresh()
        self._monitor.follow()
        self._parallel.admit_waiting()

    def _settings_again(self, queue: CapacityQueue) -> QueueSettings:
        """The settings of a dynamic queue after the refresh."""
        parent = queue.parent
        if parent is not None and parent.kind is QueueKind.PLAN:
            return self._plan_leaves.settings_of(queue.path, parent)
        return self._maker.reread(queue)

    def log_notices(self, settings: CapacitySettings) -> None:
        """Logs notices about the configuration that were not logged before."""
        for notice in settings.notices:
            if notice not in self._logged:
                self._logged[notice] = None
                self._context.rm.log("warning", "unknown property", text=notice)


def _reason(fault: Fault) -> str:
    """What is wrong, which operators know in Hadoop's words, and where."""
    if fault.reason is None or fault.property is None:
        return str(fault)
    value = "" if fault.value is None else f" = {fault.value!r}"
    return f"{fault.reason} ({fault.source}: {fault.property}{value})"
