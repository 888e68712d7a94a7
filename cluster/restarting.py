"""`yarnbox up` restarts an RM that ended because its state store failed.

A store may fail for a while, most often because a disk is full. After each failed attempt the wait doubles.
An RM that ended for another reason, or by a command, is not restarted.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from yarnbox.cluster.cluster import Cluster
from yarnbox.cluster.directory import ClusterError, ClusterRecord

FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
STEADY_S = 30.0
"""An RM that has run for so long has not failed to start."""

_STORE = "state store"
_FOR_GOOD = ("is missing", "is that of cluster", "is using it", "has version")
"""What no waiting changes."""


class RMRestarts:
    """The attempts to start one cluster's RM again."""

    def __init__(self, cluster: Cluster, clock: Callable[[], float] = time.monotonic) -> None:
        self._cluster = cluster
        self._clock = clock
        self._delay_s = FIRST_DELAY_S
        self._due: float | None = None
        self._alive_since: float | None = None

    def look(self, record: ClusterRecord) -> str | None:
        """Starts the RM when its time has come; what was done or will be, if that is news."""
        now = self._clock()
        if record.rm is None or record.rm.is_alive():
            self._record_alive(now)
            return None
        self._alive_since = None
        if self._due is None:
            return self._plan(record, now)
        if now < self._due:
            return None
        self._due = None
        try:
            self._cluster.restart_rm()
        except ClusterError as error:
            return f"rm: {error}"
        return "rm: started again"

    def _record_alive(self, now: float) -> None:
        self._due = None
        if self._alive_since is None:
            self._alive_since = now
        elif now - self._alive_since > STEADY_S:
            self._delay_s = FIRST_DELAY_S

    def _plan(self, record: ClusterRecord, now: float) -> str | None:
        why = self._cluster.exit_reason("rm", record.rm)
        if _STORE not in why or any(word in why for word in _FOR_GOOD):
            return None
        delay_s, self._delay_s = self._delay_s, min(2 * self._delay_s, LONGEST_DELAY_S)
        self._due = now + delay_s
        return f"rm: {why}; it is started again in {delay_s:.0f} s"
