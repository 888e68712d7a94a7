"""The nodes on which an application's AMs failed: its next AM does not start there.

When the list covers too much of the cluster it is disabled as a whole, since no node would be left. The other
containers of the application are not concerned. Hadoop: SimpleBlacklistManager, DisabledBlacklistManager and
Apps.
"""

from __future__ import annotations

from yarnbox.rm.scheduler.containers.statuses import (
    ABORTED,
    DISKS_FAILED,
    KILLED_BY_RESOURCEMANAGER,
    PREEMPTED,
)

SUCCESS = 0
NOT_THE_NODES_FAULT = (
    SUCCESS,
    KILLED_BY_RESOURCEMANAGER,
    -105,  # stopped by the AM
    -107,  # the application had ended
    PREEMPTED,
    ABORTED,
    DISKS_FAILED,
    -103,  # too much virtual memory
    -104,  # too much physical memory
)
"""Exit statuses of an AM for which its node is not blamed (Apps.shouldCountTowardsNodeBlacklisting)."""


class AMNodeBlacklist:
    """The hosts that are blacklisted for one application's AMs."""

    __slots__ = ("_hosts", "_is_enabled", "_threshold")

    def __init__(self, *, is_enabled: bool, threshold: float) -> None:
        self._is_enabled = is_enabled
        self._threshold = threshold
        """A 32-bit float, as Hadoop computes with one: 1 of 5 nodes is within 0.2."""
        self._hosts: dict[str, None] = {}

    def record_failure(self, host: str, exit_status: int) -> None:
        """An AM ended on that host."""
        if self._is_enabled and exit_status not in NOT_THE_NODES_FAULT:
            self._hosts[host] = None

    def updates(self, node_count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The additions and removals for the next AM: all hosts are in the one or in the other."""
        hosts = tuple(self._hosts)
        if len(hosts) < self._threshold * node_count:
            return hosts, ()
        return (), hosts
