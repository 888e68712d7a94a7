"""The time for which an RM is sure to be the only active one.

ZooKeeper keeps a session, and with it the lock of the election, for the session's timeout after it has heard
of it last. So an RM may answer for as long after it asked for something that was answered, and not a moment
longer: not after it stood still, nor cut off from ZooKeeper. The clock goes on while the machine sleeps.
"""

from __future__ import annotations

import time


def now_s() -> float:
    """Seconds since the machine started, those asleep included."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ZooKeeperLease:
    """One period as the active RM; one thread extends it, another one checks it."""

    def __init__(self, session: int, until_s: float) -> None:
        self.session = session
        """The session of ZooKeeper's that it stands on."""
        self.why_lost = ""
        """Why it ended before its time; empty if it did not."""
        self._until_s = until_s

    @property
    def is_held(self) -> bool:
        """Whether nobody else can be active at this moment."""
        return self.left_s > 0

    @property
    def left_s(self) -> float:
        """Seconds for which it is still held."""
        return 0.0 if self.why_lost else max(0.0, self._until_s - now_s())

    def extend(self, until_s: float) -> None:
        """Extends it after an answer of ZooKeeper's."""
        self._until_s = max(self._until_s, until_s)

    def end(self, why: str) -> None:
        """Ends it at once."""
        self.why_lost = self.why_lost or why
