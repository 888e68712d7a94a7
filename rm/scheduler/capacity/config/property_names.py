"""Which properties a capacity-scheduler.xml may have; others are reported to the operator once.

Hadoop: the constants of CapacitySchedulerConfiguration.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from yarnbox.rm.scheduler.capacity.config.properties import PREFIX, Properties
from yarnbox.rm.scheduler.capacity.config.settings import ROOT
from yarnbox.yarn.text.words import did_you_mean

_UNDERUTILIZED = "ordering-policy.priority-utilization.underutilized-preemption."

SCHEDULER_KEYS = (
    "maximum-applications",
    "global-queue-max-application",
    "max-parallel-apps",
    "user.max-parallel-apps",
    "maximum-am-resource-percent",
    "minimum-user-limit-percent",
    "user-limit-factor",
    "node-locality-delay",
    "rack-locality-additional-delay",
    "rack-locality-full-reset",
    "reservations-continue-look-all-nodes",
    "skip-allocate-on-nodes-with-reserved-containers",
    "per-node-heartbeat.multiple-assignments-enabled",
    "per-node-heartbeat.maximum-container-assignments",
    "per-node-heartbeat.maximum-offswitch-assignments",
    "resource-calculator",
    "queue-mappings",
    "queue-mappings-override.enable",
    "mapping-rule-format",
    "mapping-rule-json",
    "mapping-rule-json-file",
    "workflow-priority-mappings",
    "workflow-priority-mappings-override.enable",
    "schedule-asynchronously.enable",
    "schedule-asynchronously.maximum-threads",
    "schedule-asynchronously.maximum-pending-backlogs",
    "schedule-asynchronously.scheduling-interval-ms",
    "multi-node-placement-enabled",
    "multi-node-sorting.policy",
    "multi-node-sorting.policy.names",
    "application.fail-fast",
    "legacy-queue-mode.enabled",
    "user-metrics.enable",
    "lazy-preemption-enabled",
    _UNDERUTILIZED + "enabled",
    _UNDERUTILIZED + "reserved-container-delay-ms",
    _UNDERUTILIZED + "allow-move-reservation",
    "queue.auto.refresh.monitoring-interval",
    "auto-queue-creation-v2.queue-expiration-time",
    "auto-queue-creation-v2.maximum-queue-depth",
)
SCHEDULER_PATTERNS = (
    r"user\.[^.]+\.max-parallel-apps",
    r"multi-node-sorting\.policy\.[^.]+\.(?:class|sorting-interval\.ms)",
)

QUEUE_KEYS = (
    "queues",
    "capacity",
    "maximum-capacity",
    "minimum-user-limit-percent",
    "user-limit-factor",
    "maximum-applications",
    "max-parallel-apps",
    "maximum-am-resource-percent",
    "maximum-allocation",
    "maximum-allocation-mb",
    "maximum-allocation-vcores",
    "state",
    "acl_submit_applications",
    "acl_administer_queue",
    "acl_application_max_priority",
    "acl_administer_reservations",
    "acl_list_reservations",
    "acl_submit_reservations",
    "default-application-priority",
    "priority",
    "ordering-policy",
    "ordering-policy.fair.enable-size-based-weight",
    "ordering-policy.exclusive-enforced-partitions",
    "maximum-application-lifetime",
    "default-application-lifetime",
    "multi-node-sorting.policy",
    "accessible-node-labels",
    "default-node-label-expression",
    "allow-zero-capacity-sum",
    "disable_preemption",
    "intra-queue-preemption.disable_preemption",
    "auto-create-child-queue.enabled",
    "auto-create-child-queue.max-queues",
    "auto-create-child-queue.management-policy",
    "auto-create-child-queue.fail-on-exceeding-parent-capacity",
    "auto-queue-creation-v2.enabled",
    "auto-queue-creation-v2.max-queues",
    "auto-queue-creation-v2.maximum-queue-depth",
    "auto-queue-creation-v2.queue-auto-removal.enable",
    "reservable",
    "reservation-window",
    "average-capacity",
    "instantaneous-max-capacity",
    "reservation-policy",
    "reservation-agent",
    "reservation-planner",
    "reservation-enforcement-window",
    "show-reservations-as-queues",
    "reservation-move-on-expiry",
)
QUEUE_PATTERNS = (
    r"user-settings\..+\.weight",
    r"accessible-node-labels\.[^.]+\.(?:capacity|maximum-capacity|maximum-am-resource-percent)",
)
_GROUPS = frozenset(key.partition(".")[0] for key in QUEUE_KEYS if "." in key)
_MAKES_QUEUES = ("auto-create-child-queue.enabled", "auto-queue-creation-v2.enabled", "reservable")
_TEMPLATES = r"(?:leaf-queue-template\.|auto-queue-creation-v2\.(?:leaf-|parent-)?template\.)?"


def _pattern() -> re.Pattern[str]:
    own = "|".join([*map(re.escape, SCHEDULER_KEYS), *SCHEDULER_PATTERNS])
    queue = "|".join([*map(re.escape, QUEUE_KEYS), *QUEUE_PATTERNS])
    return re.compile(rf"{re.escape(PREFIX)}(?:{own}|(?P<queue>root(?:\.[^.]+)*?)\.{_TEMPLATES}(?:{queue}))")


_KNOWN = _pattern()


def is_known(name: str) -> bool:
    """Whether the CapacityScheduler reads a property of this name, of whatever queue."""
    return _KNOWN.fullmatch(name) is not None


def queue_of(name: str) -> str:
    """The queue of whose properties this is one; empty where it is of none."""
    found = _KNOWN.fullmatch(name)
    return (found["queue"] or "") if found is not None else ""


def of_no_queue(properties: Properties, names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Those of the names that are properties of a queue which no parent lists and which no parent there may
    make: the name, the queue, and what to say of a queue that may be meant.
    """
    declared, makers = [ROOT], []
    for path in declared:  # which grows meanwhile
        declared += [f"{path}.{child}" for child in properties.strings(f"{PREFIX}{path}.queues")]
        if any(properties.boolean(f"{PREFIX}{path}.{key}", False) for key in _MAKES_QUEUES):
            makers.append(f"{path}.")
    known = frozenset(declared)
    for name in names:
        queue = queue_of(name)
        if queue and queue not in known and not queue.startswith(tuple(makers)):
            yield name, queue, did_you_mean(queue, declared)


def unknown_properties(properties: Properties) -> Iterator[str]:
    """A sentence for each property that nothing reads."""
    for name in properties.names(PREFIX):
        if not is_known(name):
            source = properties.file if name in properties.file else properties.site or properties.file
            yield f"{source.origin(name)}: {name}{without_effect(name)}"


def without_effect(name: str) -> str:
    """What to say about a property that nothing reads, after its name."""
    key = name.removeprefix(PREFIX)
    words = key.split(".")
    begin = next((place for place, word in enumerate(words) if word in _GROUPS), -1)
    hint = did_you_mean(key, SCHEDULER_KEYS) or did_you_mean(".".join(words[begin:]), QUEUE_KEYS)
    return f" is not a property of the CapacityScheduler and has no effect{hint}"
