"""What reports say of an attempt whose AM has no container yet, in the words of Hadoop, numbers included.

Tools read these texts; what the scheduler knows beyond them, `explain` says. Hadoop: AMState,
CSAMContainerLaunchDiagnosticsConstants and the diagnostics of FiCaSchedulerApp.
"""

from __future__ import annotations

from collections.abc import Mapping

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.rm.scheduler.capacity.allocation.skip_reason import SkipReason
from yarnbox.rm.scheduler.capacity.config.validation import java_float
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.leaf import LeafQueue
from yarnbox.yarn.records.node import SHOWN_DEFAULT_PARTITION
from yarnbox.yarn.text.moments import weekday_first

_INACTIVATED = "Application is added to the scheduler and is not yet activated. "
_ACTIVATED = "Application is Activated, waiting for resources to be assigned for AM. "


def inactivated(leaf: LeafQueue, attempt: CapacityAttempt) -> str:
    """It waits for the limits of AMs."""
    label = attempt.partition
    share = leaf.share(label)
    reason = attempt.waits_for or SkipReason.NOT_ACTIVATED
    details = {
        "AM Partition": _shown(label),
        "AM Resource Request": attempt.am_resource,
        "Queue Resource Limit for AM": share.am_limit,
        "User AM Resource Limit of the queue": leaf.user_am_limit_of(label, attempt.queue_user),
        "Queue AM Resource Usage": leaf.usage.am_used(label),
    }
    return f"{_moment(leaf)}{_INACTIVATED}{reason.value}  Details : {_list(details, '; ')}"


def activated(leaf: LeafQueue, attempt: CapacityAttempt) -> str:
    """It waits for a node."""
    label = attempt.partition
    share = leaf.share(label)
    details = {
        "AM Partition": _shown(label),
        "Partition Resource": leaf.context.partition_total(label),
        "Queue's Absolute capacity": _percent(share.absolute),
        "Queue's Absolute used capacity": _percent(share.absolute_used),
        "Queue's Absolute max capacity": _percent(share.absolute_maximum),
        "Queue's capacity (absolute resource)": share.effective_minimum,
        "Queue's used capacity (absolute resource)": share.amounts.used,
        "Queue's max capacity (absolute resource)": share.effective_maximum,
    }
    return f"{_moment(leaf)}{_ACTIVATED} Details : {_list(details, ' ; ')}"


def _list(details: Mapping[str, object], end: str) -> str:
    return "".join(f"{name} = {value}{end}" for name, value in details.items())


def _moment(leaf: LeafQueue) -> str:
    return f"[{weekday_first(leaf.context.rm.now_ms)}] "


def _percent(ratio: float) -> str:
    return f"{java_float(float32(float32(ratio) * 100))} %"


def _shown(label: str) -> str:
    return label or SHOWN_DEFAULT_PARTITION
