"""Liveness monitoring as Hadoop does it: who has not been heard of for longer than an interval.

A monitor looks every interval / 3, counted from its start; an entry is due when now > last ping + interval,
strictly. So an entry that is silent since 0 with an interval of 600 s is found at 800 s, not at 600 s.
Hadoop: AbstractLivelinessMonitor.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from yarnbox.yarn.runtime.java_order import in_hash_order

K = TypeVar("K", bound=Hashable)


class LivelinessMonitor(Generic[K]):
    """The last sign of life of each registered key, in milliseconds."""

    __slots__ = (
        "_all_ms",
        "_earlier",
        "_hash_of",
        "_last_ping_ms",
        "_most",
        "interval_ms",
        "look_interval_ms",
    )

    def __init__(
        self,
        interval_ms: int,
        look_interval_ms: int | None = None,
        *,
        hash_of: Callable[[K], int] | None = None,
    ) -> None:
        """`hash_of` gives a key's hash in Java, where it is always the same."""
        self.interval_ms = interval_ms
        self._hash_of = hash_of
        self._most = 0
        """How many keys there were at one time, at most."""
        self.look_interval_ms = interval_ms // 3 if look_interval_ms is None else look_interval_ms
        self._last_ping_ms: dict[K, int] = {}
        """Of each watched key, its own last sign of life."""
        self._all_ms = 0
        """When all were last noted together; no key is older than that but these."""
        self._earlier: dict[K, int] = {}
        """Those of which nothing has been heard since then, and when they were last heard of."""

    def __contains__(self, key: object) -> bool:
        return key in self._last_ping_ms

    def __len__(self) -> int:
        return len(self._last_ping_ms)

    def register(self, key: K, now_ms: int) -> None:
        """Watches `key` from now on."""
        self._note(key, now_ms)
        if len(self._last_ping_ms) > self._most:
            self._most = len(self._last_ping_ms)

    def ping(self, key: K, now_ms: int) -> None:
        """Notes a sign of life; of a key that is not watched nothing is noted."""
        if key in self._last_ping_ms:
            self._note(key, now_ms)

    def _note(self, key: K, now_ms: int) -> None:
        self._last_ping_ms[key] = now_ms
        if now_ms < self._all_ms:
            self._earlier[key] = now_ms
        elif self._earlier:
            self._earlier.pop(key, None)

    def ping_all(self, now_ms: int, silent: Iterable[K] = ()) -> None:
        """Notes a sign of life of each watched key but these, at no cost for each of the others."""
        self._earlier = {
            key: self._earlier.get(key, max(self._last_ping_ms[key], self._all_ms))
            for key in silent
            if key in self._last_ping_ms
        }
        self._all_ms = now_ms

    def unregister(self, key: K) -> None:
        """Watches `key` no longer."""
        self._last_ping_ms.pop(key, None)
        self._earlier.pop(key, None)

    def after_pause(self, gap_ms: int, now_ms: int) -> None:
        """Who watches heard nobody for so long. If it missed a look, all keys have one interval more."""
        if gap_ms >= self.look_interval_ms:
            self.ping_all(now_ms)

    def take_expired(self, now_ms: int) -> list[K]:
        """The keys due at this look, in the order of Java's map, or of their registration where they have no
        hash; they are watched no longer.
        """
        limit = now_ms - self.interval_ms
        if self._all_ms < limit:
            expired = [key for key, last_ms in self._last_ping_ms.items() if last_ms < limit]
        else:
            due = {key for key, last_ms in self._earlier.items() if last_ms < limit}
            expired = [key for key in self._last_ping_ms if key in due] if due else []
        for key in expired:
            self.unregister(key)
        if self._hash_of is None or len(expired) < 2:
            return expired
        return in_hash_order(expired, self._hash_of, self._most)
