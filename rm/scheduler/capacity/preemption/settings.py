"""The properties of the proportional preemption policy, with Hadoop's names and defaults.

They are read from yarn-site.xml overlaid by capacity-scheduler.xml, so either file may carry any of them.
"""

from __future__ import annotations

from enum import Enum

from yarnbox.rm.scheduler.calculator import float32
from yarnbox.yarn.configuration import Configuration
from yarnbox.yarn.settings import read, setting, settings

_PREFIX = "yarn.resourcemanager.monitor.capacity.preemption."
_BALANCE = _PREFIX + "preemption-to-balance-queue-after-satisfied."
_INTRA = _PREFIX + "intra-queue-preemption."
_UNDERUSED = "yarn.scheduler.capacity.ordering-policy.priority-utilization.underutilized-preemption."


class IntraQueueOrder(Enum):
    """Whether user limits or application priorities rule inside a queue."""

    USERLIMIT_FIRST = "userlimit_first"
    PRIORITY_FIRST = "priority_first"


@settings
class PreemptionSettings:
    """How the policy behaves; times in milliseconds, fractions from 0 to 1."""

    observe_only: bool = setting(_PREFIX + "observe_only", False)
    monitoring_interval_ms: int = setting(_PREFIX + "monitoring_interval", 3000, at_least=1)
    max_wait_before_kill_ms: int = setting(_PREFIX + "max_wait_before_kill", 15_000)
    total_per_round: float = setting(_PREFIX + "total_preemption_per_round", 0.1)
    max_ignored_over_capacity: float = setting(_PREFIX + "max_ignored_over_capacity", 0.1)
    natural_termination_factor: float = setting(_PREFIX + "natural_termination_factor", 0.2)
    by_reserved_containers: bool = setting(_PREFIX + "select_based_on_reserved_containers", False)
    counts_reserved_demand: bool = setting(
        _PREFIX + "additional_res_balance_based_on_reserved_containers", False
    )
    balances_satisfied: bool = setting(_BALANCE + "enabled", False)
    balance_wait_ms: int = setting(_BALANCE + "max-wait-before-kill", 300_000)
    conservative_drf: bool = setting(_PREFIX + "conservative-drf", False)
    intra_enabled: bool = setting(_INTRA + "enabled", False)
    intra_minimum_threshold: float = setting(_INTRA + "minimum-threshold", 0.5)
    intra_max_allowable_limit: float = setting(_INTRA + "max-allowable-limit", 0.2)
    intra_order: str = setting(
        _INTRA + "preemption-order-policy",
        IntraQueueOrder.USERLIMIT_FIRST.value,
        one_of=tuple(order.value for order in IntraQueueOrder),
    )
    intra_conservative_drf: bool = setting(_INTRA + "conservative-drf", True)
    by_queue_priority: bool = setting(_UNDERUSED + "enabled", False)
    reservation_delay_ms: int = setting(_UNDERUSED + "reserved-container-delay-ms", 60_000)
    may_move_reservations: bool = setting(_UNDERUSED + "allow-move-reservation", False)
    is_lazy: bool = setting("yarn.scheduler.capacity.lazy-preemption-enabled", False)

    @property
    def is_user_limit_first(self) -> bool:
        """Whether user limits rule inside a queue."""
        return self.intra_order == IntraQueueOrder.USERLIMIT_FIRST.value

    @property
    def round_fraction(self) -> float:
        """Of the cluster, what one pass may select: a 32-bit float used as a double, as in Hadoop."""
        return float32(self.total_per_round)


def read_settings(configuration: Configuration) -> PreemptionSettings:
    """The policy's settings; ConfigurationError with every fault."""
    return read(PreemptionSettings, configuration)
