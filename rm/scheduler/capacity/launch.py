"""What reports say of an attempt whose AM has no container yet, in the words of Hadoop, numbers included.

Tools read these texts; what the scheduler knows beyond them, `reasons` says. Answers for AMState,
CSAMContainerLaunchDiagnosticsConstants and the diagnostics of FiCaSchedulerApp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rm.scheduler.calculator import float32
from rm.scheduler.capacity.assignment import SkipReason
from rm.scheduler.capacity.checks import java_float
from yarn.moments import weekday_first

if TYPE_CHECKING:
    from rm.scheduler.capacity.application import CapacityAttempt
    from rm.scheduler.capacity.scheduler import CapacityScheduler

_INACTIVATED = "Application is added to the scheduler and is not yet activated. "
_ACTIVATED = "Application is Activated, waiting for resources to be assigned for AM. "


def inactivated(scheduler: CapacityScheduler, attempt: CapacityAttempt) -> str:
    """It waits for the limits of AMs."""
    leaf, label = attempt.leaf, attempt.partition
    share = leaf.share(label)
    reason = attempt.waits_for or SkipReason.NOT_ACTIVATED
    details = {
        "AM Partition": _shown(label),
        "AM Resource Request": attempt.am_resource,
        "Queue Resource Limit for AM": share.am_limit,
        "User AM Resource Limit of the queue": leaf.user_am_limit_of(label, attempt.member),
        "Queue AM Resource Usage": leaf.usage.am_used(label),
    }
    said = "".join(f"{name} = {value}; " for name, value in details.items())
    return f"{_moment(scheduler)}{_INACTIVATED}{reason.value}  Details : {said}"


def activated(scheduler: CapacityScheduler, attempt: CapacityAttempt) -> str:
    """It waits for a node."""
    leaf, label = attempt.leaf, attempt.partition
    share = leaf.share(label)
    details = {
        "AM Partition": _shown(label),
        "Partition Resource": scheduler.frame.partition_total(label),
        "Queue's Absolute capacity": _percent(share.absolute),
        "Queue's Absolute used capacity": _percent(share.absolute_used),
        "Queue's Absolute max capacity": _percent(share.absolute_maximum),
        "Queue's capacity (absolute resource)": share.effective_minimum,
        "Queue's used capacity (absolute resource)": share.amounts.used,
        "Queue's max capacity (absolute resource)": share.effective_maximum,
    }
    said = "".join(f"{name} = {value} ; " for name, value in details.items())
    return f"{_moment(scheduler)}{_ACTIVATED} Details : {said}"


def _moment(scheduler: CapacityScheduler) -> str:
    return f"[{weekday_first(scheduler.context.now_ms)}] "


def _percent(ratio: float) -> str:
    return f"{java_float(float32(float32(ratio) * 100))} %"


def _shown(label: str) -> str:
    return label or "<DEFAULT_PARTITION>"
