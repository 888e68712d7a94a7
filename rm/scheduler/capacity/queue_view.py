"""A queue of the CapacityScheduler with all that REST shows of it: values of one moment.

Ratios are from 0 to 1. Hadoop: what CapacitySchedulerQueueInfo and CapacitySchedulerLeafQueueInfo read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from yarnbox.rm.scheduler.capacity.config.settings import CapacityValue, QueueKind, QueueSettings
from yarnbox.rm.scheduler.capacity.queues.limits import ApplicationsLimit
from yarnbox.yarn.enums import QueueState
from yarnbox.yarn.resources.resource import Resource


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountsView:
    """What is booked in one partition."""

    used: Resource
    pending: Resource
    reserved: Resource
    am_used: Resource
    containers: int
    pending_containers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """A queue in one partition."""

    capacity_value: CapacityValue
    """As configured; a template may have given another."""
    capacity: float
    maximum: float
    normalized_weight: float
    absolute: float
    absolute_maximum: float
    used_capacity: float
    absolute_used: float
    configured_minimum: Resource
    configured_maximum: Resource
    effective_minimum: Resource
    effective_maximum: Resource
    am_limit: Resource
    user_am_limit: Resource
    amounts: AmountsView


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityUserView:
    """A user of a leaf."""

    name: str
    weight: float
    is_active: bool
    active_apps: int
    pending_apps: int
    limit: Resource
    """In the default partition."""
    am_limits: Mapping[str, Resource]
    amounts: Mapping[str, AmountsView]
    """By partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityLeafView:
    """What only a leaf has."""

    active_apps: int
    pending_apps: int
    containers: int
    applications_limit: ApplicationsLimit
    maximum_applications_per_user: int
    users: tuple[CapacityUserView, ...]
    is_preemption_disabled: bool
    is_intra_queue_preemption_disabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CapacityQueueView:
    """A queue and all below it."""

    path: str
    name: str
    kind: QueueKind
    is_dynamic: bool
    state: QueueState
    settings: QueueSettings
    ordering_policy: str
    apps: int
    reserved_containers: int
    shares: Mapping[str, ShareView]
    maximum_allocation: Resource
    templates: Mapping[str, Mapping[str, str]]
    """What queues get that are made below it, by the prefix of the properties."""
    children: tuple[CapacityQueueView, ...]
    leaf: CapacityLeafView | None
    """None for a parent."""

    def share(self, partition: str) -> ShareView:
        """What it has in the partition."""
        return self.shares[partition]
