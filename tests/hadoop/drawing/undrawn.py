"""Properties that the schedulers read and that no walk draws, each with its reason.

By shell patterns of names as property_names.py and the settings classes have them: what decides nothing, what
Hadoop does in threads of its own, what scenarios play instead. A test compares the list with what is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping

_SHOWS = "decides nothing"
_THREADS = "the work of a thread of Hadoop's, at a time that it chooses"
_SCENARIOS = "scenarios play it"
_PLANS = "one value of it is drawn by how walks of plans are made"
_PLACES = "where something is, and how it is reached"
_STORES = "the harness has a store of its own"
_ACCESS = "who may call is asked before a scheduler is"
_CLOCK = "when a timer is due, which the harness is told"

OF_CAPACITY: Mapping[str, str] = {
    "schedule-asynchronously.*": _THREADS,
    "queue.auto.refresh.monitoring-interval": _CLOCK,
    "user-metrics.enable": _SHOWS,
    "application.fail-fast": "what becomes of a recovered application whose queue is gone",
    "mapping-rule-*": _SCENARIOS + ": queues/json-mappings",
    "workflow-priority-mappings*": _SCENARIOS + ": queues/workflow-priorities",
    "auto-queue-creation-v2.queue-expiration-time": _SCENARIOS + ": queues/idle-queues-go",
    "auto-queue-creation-v2.queue-auto-removal.enable": _SCENARIOS + ": queues/idle-queues-go",
    "auto-create-child-queue.*": _SCENARIOS + ": queues/managed-parent",
    "acl_administer_queue": _ACCESS,
    "acl_*_reservations": _ACCESS,
    "reservation-planner": _PLANS,
    "reservation-enforcement-window": _PLANS,
    "reservation-move-on-expiry": _PLANS,
    "show-reservations-as-queues": _SHOWS,
}
"""After the prefix and the path of the queue."""

OF_PREEMPTION: Mapping[str, str] = {
    "yarn.resourcemanager.monitor.capacity.preemption.monitoring_interval": _CLOCK,
}
"""Of either file."""

OF_FAIR: Mapping[str, str] = {
    "yarn.scheduler.fair.allocation.file": _PLACES,
    "yarn.scheduler.fair.update-interval-ms": _CLOCK,
    "yarn.scheduler.fair.continuous-scheduling-*": _THREADS,
    "yarn.scheduler.fair.locality-delay-*-ms": "for continuous scheduling alone",
    "yarn.scheduler.fair.migration.mode": "for the converter of configurations",
    "yarn.scheduler.fair.no-terminal-rule.check": "for the converter of configurations",
}
"""Of yarn-site.xml."""

OF_RM: Mapping[str, str] = {
    "yarn.resourcemanager.application-timeouts.monitor.interval-ms": _CLOCK,
    "yarn.resourcemanager.nodemanagers.heartbeat-interval-*": "how often nodes call: a walk decides",
    "yarn.resourcemanager.nodes.*": _PLACES,
    "yarn.resourcemanager.nodemanager.minimum.version": _ACCESS,
    "yarn.resourcemanager.resource-tracker.*": _ACCESS,
    "yarn.resourcemanager.nodemanager-graceful-decommission-timeout-secs": "each step says it",
    "yarn.resourcemanager.decommissioning-nodes-watcher.*": _CLOCK,
    "yarn.resourcemanager.*untracked*": _SHOWS,
    "yarn.scheduler.include-port-in-node-name": "requests of walks name hosts",
    "yarn.app.attempt.diagnostics.limit.kc": _SHOWS,
    "yarn.resourcemanager.application.max-tag*": _ACCESS,
    "yarn.resourcemanager.*max-completed-applications": "how long what has ended is remembered",
    "yarn.log-aggregation*": _SHOWS,
    "yarn.resourcemanager.max-log-aggregation-*": _SHOWS,
    "yarn.nodemanager.remote-app-log-dir*": _SHOWS,
    "yarn.resourcemanager.application-tag-based-placement.*": _SCENARIOS + ": queues/tag-placement",
    "yarn.workflow-id.tag-prefix": _SCENARIOS + ": queues/workflow-priorities",
    "yarn.resourcemanager.work-preserving-recovery.enabled": "Hadoop's other way of recovery is not ours",
    "yarn.resourcemanager.store.class": _STORES,
    "yarn.resourcemanager.*state-store.*": _STORES,
    "yarn.resourcemanager.epoch.range": _STORES,
    "yarn.resourcemanager.scheduler.monitor.policies": _SCENARIOS + ": queues/idle-queues-go",
    "yarn.resourcemanager.scheduler.autocorrect.container.allocation": "Hadoop reads it from 3.5 on",
    "yarn.scheduler.skip.node.multiplier": _THREADS,
    "yarn.resourcemanager.reservation-system.class": _PLANS,
    "yarn.resourcemanager.reservation-system.plan.follower": _PLANS,
    "yarn.acl.reservation-enable": _ACCESS,
    "yarn.admin.acl": _ACCESS,
    "yarn.resourcemanager.ha.*": _STORES,
    "yarn.resourcemanager.cluster-id": _STORES,
    "yarn.resourcemanager.zk-address": _STORES,
    "hadoop.zk.*": _STORES,
    "yarn.resourcemanager.*address": _PLACES,
    "yarn.resourcemanager.bind-host": _PLACES,
    "yarnbox.*": "Hadoop does not know it",
    "yarn.resourcemanager.*tokens.*": _ACCESS,
    "yarn.resourcemanager.delegation-token.*": _ACCESS,
    "hadoop.http.*": _PLACES,
    "hadoop.prometheus.*": _SHOWS,
    "yarn.resourcemanager.proxy.*": _PLACES,
    "yarn.resourcemanager.webapp.*": _PLACES,
    "yarn.webapp.*": _ACCESS,
    "yarn.resourcemanager.metrics.*": _SHOWS,
    "yarn.scheduler.configuration.*": "changes by REST, which walks do not call",
    "yarn.resourcemanager.activities-manager.*": _SHOWS,
    "yarn.resourcemanager.resource-profiles.*": "names for sizes, which walks give themselves",
    "yarn.resourcemanager.placement-constraints.*class": "a class of one's own",
    "yarn.resourcemanager.placement-constraints.*pool-size": _THREADS,
    "yarn.node-labels.configuration-type": "who labels nodes, which in a walk is an administrator",
    "yarn.node-*.fs-store.*": _STORES,
    "yarn.resourcemanager.node-labels.provider*": "who labels nodes, which in a walk is an administrator",
}
"""Of yarn-site.xml."""
