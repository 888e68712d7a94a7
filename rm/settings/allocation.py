"""Settings of what one container may be, and of the two special ways to place containers."""

from __future__ import annotations

from collections.abc import Iterator

from yarnbox.yarn.configuration import values
from yarnbox.yarn.settings import Conflict, setting, settings

_RM = "yarn.resourcemanager."
_QUEUING = _RM + "nm-container-queuing."
_CONSTRAINTS = _RM + "placement-constraints."
DEFAULT_ALGORITHM = (
    "org.apache.hadoop.yarn.server.resourcemanager.scheduler.constraint.algorithm.DefaultPlacementAlgorithm"
)


@settings
class AllocationSettings:
    """Limits of memory and vcores; yarn.resource_types reads them together with those of the other types."""

    minimum_mb: int = setting(
        "yarn.scheduler.minimum-allocation-mb",
        1_024,
        "Least memory of a container; requests are rounded up to its multiples",
        unit="MiB",
        at_least=0,
    )
    maximum_mb: int = setting(
        "yarn.scheduler.maximum-allocation-mb", 8_192, "Most memory of a container", unit="MiB", at_least=1
    )
    minimum_vcores: int = setting(
        "yarn.scheduler.minimum-allocation-vcores", 1, "Least vcores of a container", at_least=0
    )
    maximum_vcores: int = setting(
        "yarn.scheduler.maximum-allocation-vcores", 4, "Most vcores of a container", at_least=1
    )
    resource_profiles_enabled: bool = setting(
        _RM + "resource-profiles.enabled", False, "Requests may name a profile instead of amounts"
    )
    resource_profiles_file: str = setting(
        _RM + "resource-profiles.source-file",
        "resource-profiles.json",
        "The profiles, in the configuration directory",
    )
    auto_update_containers: bool = setting(
        _RM + "auto-update.containers",
        False,
        "The RM itself tells the node of an updated container; otherwise the ApplicationMaster must",
    )

    def conflicts(self) -> Iterator[Conflict]:
        """A maximum below its minimum."""
        if self.maximum_mb < self.minimum_mb:
            allowed = f"at least yarn.scheduler.minimum-allocation-mb, which is {self.minimum_mb}"
            yield Conflict("yarn.scheduler.maximum-allocation-mb", allowed)
        if self.maximum_vcores < self.minimum_vcores:
            allowed = f"at least yarn.scheduler.minimum-allocation-vcores, which is {self.minimum_vcores}"
            yield Conflict("yarn.scheduler.maximum-allocation-vcores", allowed)


@settings
class OpportunisticSettings:
    """Containers that queue at nodes instead of waiting for capacity."""

    enabled: bool = setting(
        _RM + "opportunistic-container-allocation.enabled", False, "Hand out OPPORTUNISTIC containers"
    )
    nodes_used: int = setting(
        _RM + "opportunistic-container-allocation.nodes-used",
        10,
        "They go to so many of the least loaded nodes",
        at_least=1,
    )
    maximum_per_heartbeat: int = setting(
        _RM + "opportunistic.max.container-allocation.per.am.heartbeat",
        -1,
        "Most of them in one answer to an ApplicationMaster; 0 or -1: no limit",
        at_least=-1,
    )
    sorting_interval_ms: int = setting(
        _QUEUING + "sorting-nodes-interval-ms",
        1_000,
        "How often nodes are sorted by load",
        unit="ms",
        at_least=1,
    )
    load_comparator: str = setting(
        _QUEUING + "load-comparator",
        "QUEUE_LENGTH",
        "What load means",
        one_of=("QUEUE_LENGTH", "QUEUE_LENGTH_THEN_RESOURCES", "QUEUE_WAIT_TIME"),
    )
    queue_limit_stdev: float = setting(
        _QUEUING + "queue-limit-stdev",
        1.0,
        "How many standard deviations a queue may be longer than the mean",
        at_least=0,
        parse=values.single,
    )
    minimum_queue_length: int = setting(
        _QUEUING + "min-queue-length", 5, "Shortest limit of a node's queue", at_least=0
    )
    maximum_queue_length: int = setting(
        _QUEUING + "max-queue-length", 15, "Longest limit of a node's queue", at_least=0
    )
    minimum_queue_wait_ms: int = setting(
        _QUEUING + "min-queue-wait-time-ms", 10, "Shortest limit of the wait at a node", unit="ms", at_least=0
    )
    maximum_queue_wait_ms: int = setting(
        _QUEUING + "max-queue-wait-time-ms", 100, "Longest limit of the wait at a node", unit="ms", at_least=0
    )

    @property
    def compares_resources(self) -> bool:
        """Whether it is asked how much of a node its containers use."""
        return self.enabled and self.load_comparator == "QUEUE_LENGTH_THEN_RESOURCES"


@settings
class PlacementConstraintSettings:
    """Who serves SchedulingRequests."""

    handler: str = setting(
        _CONSTRAINTS + "handler",
        "disabled",
        "Who places requests with constraints",
        one_of=("disabled", "placement-processor", "scheduler"),
    )
    retry_attempts: int = setting(
        _CONSTRAINTS + "retry-attempts", 3, "The placement processor tries a request so often", at_least=0
    )
    algorithm_class: str = setting(
        _CONSTRAINTS + "algorithm.class", DEFAULT_ALGORITHM, "The placement processor's algorithm"
    )
    algorithm_iterator: str = setting(
        _CONSTRAINTS + "algorithm.iterator",
        "SERIAL",
        "Order in which the placement processor takes requests",
        one_of=("SERIAL", "POPULAR_TAGS"),
    )
    algorithm_pool_size: int = setting(
        _CONSTRAINTS + "algorithm.pool-size",
        1,
        "Threads that place requests in Hadoop; here the core has but one",
        at_least=1,
    )
    scheduler_pool_size: int = setting(
        _CONSTRAINTS + "scheduler.pool-size",
        1,
        "Threads that commit placements in Hadoop; here the core has but one",
        at_least=1,
    )
