"""Properties to settings: the scheduler's own and the tree of queues, every fault collected.

The tree is read from the root down, since much is inherited: labels, the maximum allocation, ordering, user
weights, lifetimes. A queue made from a template is read in the same way, the template behind its own
properties. Judging the tree as a whole is the business of checks.py. Hadoop:
CapacitySchedulerConfiguration and the setupQueueConfigs of the queues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from yarnbox.rm.scheduler.capacity.config.mappings import read_mappings
from yarnbox.rm.scheduler.capacity.config.properties import MONITOR, PREFIX, Properties, QueueProperties
from yarnbox.rm.scheduler.capacity.config.property_names import unknown_properties
from yarnbox.rm.scheduler.capacity.config.queue_reading import QueueReader
from yarnbox.rm.scheduler.capacity.config.settings import (
    ROOT,
    UNLIMITED,
    WHOLE,
    AsynchronousSettings,
    CapacitySettings,
    MultiNodePolicy,
    PartitionSettings,
    QueueSettings,
)
from yarnbox.rm.scheduler.capacity.config.validation import NO_NODES, ClusterSize, check_tree
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import node_sorting
from yarnbox.yarn.configuration import Configuration, Fault, values
from yarnbox.yarn.records.node import DEFAULT_PARTITION
from yarnbox.yarn.resources.resource_types import ResourceTypeRegistry

FILE_NAME = "capacity-scheduler.xml"
PER_NODE = PREFIX + "per-node-heartbeat."
ASYNCHRONOUS = PREFIX + "schedule-asynchronously."
MULTI_NODE = PREFIX + "multi-node-sorting.policy"
INTRA_QUEUE_PREEMPTION = "yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled"
_CALCULATORS = {
    "default": False,
    "dominant": True,
    "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator": False,
    "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator": True,
}
_NODE_POLICY = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.ResourceUsageMultiNodeLookupPolicy"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingContext:
    """What reading the configuration needs of the rest of the RM."""

    types: ResourceTypeRegistry
    site: Configuration | None = None
    max_application_priority: int = 0
    read_text: Callable[[str], str | None] = lambda name: None
    """The text of a file of the configuration directory."""


def read_settings(
    file: Configuration, reading_context: ReadingContext, cluster: ClusterSize = NO_NODES
) -> CapacitySettings:
    """The settings in `file`; ConfigurationError with every fault if there is any.

    Rules that tie queues together are checked here, too; those about a running tree are not.
    """
    properties = Properties(file, reading_context.site)
    reader = queue_reader(properties, reading_context)
    root = reader.read_tree(ROOT)
    labels = _labels_of(root)
    root = replace(root, partitions=_root_partitions(reader, root, labels))
    settings = _scheduler_settings(properties, reading_context, root, labels)
    if not any(_is_of_the_tree(fault) for fault in properties.faults):
        check_tree(settings, cluster)
    properties.raise_faults()
    return settings


def _is_of_the_tree(fault: Fault) -> bool:
    """Whether sums would be wrong only because of it."""
    return fault.property is not None and fault.property.endswith(("capacity", ".queues"))


def queue_reader(properties: Properties, reading_context: ReadingContext) -> QueueReader:
    """A reader of queues for these properties."""
    return QueueReader(
        properties,
        reading_context.types,
        is_legacy=properties.boolean(PREFIX + "legacy-queue-mode.enabled", True),
        max_priority=reading_context.max_application_priority,
    )


def _labels_of(root: QueueSettings) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for queue in root.subtree():
        for label in queue.partitions:
            if label != DEFAULT_PARTITION:
                found[label] = None
    return tuple(found)


def _root_partitions(
    reader: QueueReader, root: QueueSettings, labels: tuple[str, ...]
) -> Mapping[str, PartitionSettings]:
    default = replace(root.partitions[DEFAULT_PARTITION], capacity=WHOLE, maximum=WHOLE)
    own = {
        label: replace(root.partitions.get(label, default), capacity=WHOLE, maximum=WHOLE) for label in labels
    }
    return {DEFAULT_PARTITION: default, **own}


def _scheduler_settings(
    properties: Properties, reading_context: ReadingContext, root: QueueSettings, labels: tuple[str, ...]
) -> CapacitySettings:
    p = properties
    user_default = p.integer(PREFIX + "user.max-parallel-apps", UNLIMITED)
    is_multi_node = p.boolean(PREFIX + "multi-node-placement-enabled", False)
    node_policies = _multi_node_policies(p, root)
    mappings = read_mappings(p, reading_context.read_text)
    return CapacitySettings(
        root=root,
        properties=p,
        maximum_applications=p.integer(PREFIX + "maximum-applications", 10_000),
        global_queue_maximum=p.read(PREFIX + "global-queue-max-application", values.integer, None),
        user_max_parallel_apps=user_default,
        user_max_parallel=_user_limits(p),
        node_locality_delay=p.integer(PREFIX + "node-locality-delay", 40),
        rack_additional_delay=p.integer(PREFIX + "rack-locality-additional-delay", -1),
        rack_full_reset=p.boolean(PREFIX + "rack-locality-full-reset", True),
        continue_looking=p.boolean(PREFIX + "reservations-continue-look-all-nodes", True),
        skip_reserved_nodes=p.boolean(PREFIX + "skip-allocate-on-nodes-with-reserved-containers", False),
        assigns_multiple=p.boolean(PER_NODE + "multiple-assignments-enabled", True),
        maximum_assignments=p.integer(PER_NODE + "maximum-container-assignments", 100),
        maximum_off_switch=max(1, p.integer(PER_NODE + "maximum-offswitch-assignments", 1)),
        is_dominant=_is_dominant(p, reading_context.types),
        overrides_with_mappings=p.boolean(PREFIX + "queue-mappings-override.enable", False),
        mappings=mappings,
        workflow_priorities=_workflow_priorities(p),
        workflow_priorities_override=p.boolean(PREFIX + "workflow-priority-mappings-override.enable", False),
        asynchronous=_asynchronous(p),
        is_multi_node=is_multi_node,
        multi_node_policies=node_policies if is_multi_node else {},
        fails_fast=p.boolean(PREFIX + "application.fail-fast", False),
        is_legacy=p.boolean(PREFIX + "legacy-queue-mode.enabled", True),
        user_metrics=p.boolean(PREFIX + "user-metrics.enable", False),
        is_preemption_lazy=p.boolean(PREFIX + "lazy-preemption-enabled", False),
        is_monitored=p.optional_boolean(MONITOR + "enable"),
        is_intra_queue_preemption_enabled=p.boolean(INTRA_QUEUE_PREEMPTION, False),
        queue_expiry_s=p.integer(PREFIX + "auto-queue-creation-v2.queue-expiration-time", 300),
        labels=labels,
        notices=tuple(unknown_properties(p)),
    )


def _user_limits(p: Properties) -> dict[str, int]:
    prefix, suffix = PREFIX + "user.", ".max-parallel-apps"
    return {
        name[len(prefix) : -len(suffix)]: p.integer(name, UNLIMITED)
        for name in p.names(prefix)
        if name.endswith(suffix) and len(name) > len(prefix) + len(suffix)
    }


def _is_dominant(p: Properties, types: ResourceTypeRegistry) -> bool:
    name = PREFIX + "resource-calculator"
    given = p.text(name) or "default"
    known = {key.lower(): value for key, value in _CALCULATORS.items()}
    short = (
        given.rpartition(".")[2].lower().removesuffix("resourcecalculator")
        if "." not in given
        else given.lower()
    )
    is_dominant = known.get(short, known.get(given.lower()))
    if is_dominant is None:
        p.fault(name, "must be DefaultResourceCalculator or DominantResourceCalculator")
        return False
    if not is_dominant and len(types) > 2:
        p.fault(
            name,
            "RM uses DefaultResourceCalculator which used only memory as resource-type but invalid "
            f"resource-types specified {{{', '.join(types.names)}}}. Use DominantResourceCalculator instead "
            "to "
            "make effective use of these resource-types",
        )
    return is_dominant


def _asynchronous(p: Properties) -> AsynchronousSettings:
    return AsynchronousSettings(
        is_enabled=p.boolean(ASYNCHRONOUS + "enable", False),
        threads=max(1, p.integer(ASYNCHRONOUS + "maximum-threads", 1)),
        pending_backlogs=p.integer(ASYNCHRONOUS + "maximum-pending-backlogs", 100),
        interval_ms=max(1, p.integer(ASYNCHRONOUS + "scheduling-interval-ms", 5)),
    )


def _multi_node_policies(p: Properties, root: QueueSettings) -> dict[str, MultiNodePolicy]:
    """What sorts the nodes for a queue that names a policy.

    A queue goes by its policy's class, and `names` says which classes sort at all; only there does `default`
    go without one. See tests/scenarios/queues/multi-node-policy-without-a-class.yaml.
    """
    classes = {
        name.removeprefix(MULTI_NODE + ".").removesuffix(".class"): p.text(name) or ""
        for name in p.names(MULTI_NODE + ".")
        if name.endswith(".class")
    }
    sorting_names = p.strings(MULTI_NODE + ".names")
    queue_names = [queue.multi_node_policy for queue in root.subtree() if queue.multi_node_policy]
    for name in dict.fromkeys((*sorting_names, *queue_names)):
        is_default = name == "default" and name not in queue_names
        policy = classes.get(name, _NODE_POLICY if is_default else "")
        if policy != _NODE_POLICY and node_sorting(policy) is None:
            p.fault(
                f"{MULTI_NODE}.{name}.class",
                f"{name} Class is not configured or not an instance of MultiNodeLookupPolicy",
            )
    intervals = {}
    for name in sorting_names:
        key = f"{MULTI_NODE}.{name}.sorting-interval.ms"
        interval_ms = p.integer(key, 1000)
        if interval_ms < 0:
            p.fault(key, f"{interval_ms} is invalid: must be 0 or more")
        intervals[classes.get(name, _NODE_POLICY)] = interval_ms
    return {
        name: MultiNodePolicy(
            name=name, policy_class=policy_class, sorting_interval_ms=intervals[policy_class]
        )
        for name, policy_class in classes.items()
        if policy_class in intervals
    }


def _workflow_priorities(p: Properties) -> dict[tuple[str, str], int]:
    """The priority by workflow and queue; of two entries for the same the later one counts."""
    name = PREFIX + "workflow-priority-mappings"
    found: dict[tuple[str, str], int] = {}
    for entry in p.strings(name):
        parts = [part.strip() for part in entry.split(":") if part.strip()]
        if len(parts) != 3:
            p.fault(name, f"Illegal workflow priority mapping {entry}")
            continue
        try:
            found[parts[0].lower(), parts[1]] = values.integer(parts[2])
        except ValueError:
            p.fault(name, f"Illegal workflow priority for mapping {entry}")
    return found


def read_dynamic_queue(
    settings: CapacitySettings,
    reading_context: ReadingContext,
    parent: QueueSettings,
    path: str,
    template: Mapping[str, str],
    *,
    is_leaf: bool,
    is_managed: bool = False,
) -> QueueSettings:
    """The settings of a dynamic queue: its own properties, if any, then those of the template.

    ConfigurationError when the template does not make a valid queue.
    """
    reader = queue_reader(settings.properties, reading_context)
    queue = reader.read_dynamic(
        QueueProperties(settings.properties, path, template), parent, is_leaf=is_leaf, is_managed=is_managed
    )
    settings.properties.raise_faults()
    return queue
