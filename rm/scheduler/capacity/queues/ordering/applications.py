"""The applications of a leaf in the order of its policy: kept up to date, never sorted.

Two lists are kept by the same key: all activated applications, and those of them that want containers, which
are the only ones that a heartbeat looks at.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key
from yarnbox.rm.scheduler.capacity.queues.ordering.registry import policy_class
from yarnbox.yarn.ids import ApplicationAttemptId

KeyOf = Callable[[CapacityAttempt], Key]


class Ordered:
    """Applications by a key; one that changed is put in its new place before the next look."""

    __slots__ = ("_entries", "_key_of", "_keys", "_stale")

    def __init__(self, key_of: KeyOf) -> None:
        self._key_of = key_of
        self._entries: list[tuple[Key, ApplicationAttemptId, CapacityAttempt]] = []
        self._keys: dict[CapacityAttempt, tuple[Key, ApplicationAttemptId]] = {}
        self._stale: dict[CapacityAttempt, None] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, attempt: object) -> bool:
        return attempt in self._keys

    def __iter__(self) -> Iterator[CapacityAttempt]:
        for entry in self.entries():
            yield entry[2]

    def entries(self) -> list[tuple[Key, ApplicationAttemptId, CapacityAttempt]]:
        """Key, tie breaker and application, in order. Not to be changed while it is walked."""
        if self._stale:
            stale, self._stale = self._stale, {}
            for attempt in stale:
                if attempt in self._keys:
                    self._remove(attempt)
                    self.add(attempt)
        return self._entries

    def add(self, attempt: CapacityAttempt) -> None:
        """Takes one in."""
        key = (self._key_of(attempt), attempt.attempt_id)
        self._keys[attempt] = key
        # An attempt is in here once, so attempts themselves are never compared.
        insort(self._entries, (*key, attempt))

    def remove(self, attempt: CapacityAttempt) -> bool:
        """Takes one out; False when it was not in."""
        if attempt not in self._keys:
            return False
        self._stale.pop(attempt, None)
        self._remove(attempt)
        return True

    def touch(self, attempt: CapacityAttempt) -> None:
        """Its key may have changed."""
        if attempt in self._keys:
            self._stale[attempt] = None

    def key_of(self, attempt: CapacityAttempt) -> tuple[Key, ApplicationAttemptId]:
        """Where it stands."""
        self.entries()
        return self._keys[attempt]

    def _remove(self, attempt: CapacityAttempt) -> None:
        key = self._keys.pop(attempt)
        place = bisect_left(self._entries, key)
        assert self._entries[place][2] is attempt
        del self._entries[place]


class AppOrder:
    """The activated applications of a leaf, by its ordering policy."""

    def __init__(self, settings: QueueSettings) -> None:
        self.policy = policy_class(settings.leaf_order)(settings)
        self.exclusive = self.policy.exclusive_partitions
        self.changes_with_use = self.policy.changes_with_use
        self.changes_with_demand = self.policy.changes_with_demand
        self._changed: dict[CapacityAttempt, None] = {}
        """Applications that have changed since the last pass began."""
        self._all: dict[str, Ordered] = {}
        self._asking: dict[str, Ordered] = {}
        self._sets: dict[CapacityAttempt, str] = {}
        self._all_asking = self._of(self._asking, "")
        self.count = 0

    def active(self, partition: str = "") -> Ordered:
        """All activated applications that a node of that partition is offered to."""
        return self._of(self._all, partition if partition in self.exclusive else "")

    def asking(self, partition: str = "") -> Ordered:
        """Those of them that want containers."""
        if not self.exclusive:
            return self._all_asking
        return self._of(self._asking, partition if partition in self.exclusive else "")

    def __iter__(self) -> Iterator[CapacityAttempt]:
        for ordered in self._all.values():
            yield from ordered

    def __contains__(self, attempt: object) -> bool:
        return attempt in self._sets

    def add(self, attempt: CapacityAttempt) -> None:
        """An application was activated, or moved here. Its label decides, whichever its AM has. See
        tests/scenarios/labels/order-by-the-label-of-the-application.yaml.
        """
        label = attempt.application.label
        own = label if label and label in self.exclusive else ""
        self._sets[attempt] = own
        self._of(self._all, own).add(attempt)
        if attempt.is_asking:
            self._of(self._asking, own).add(attempt)
        self.count += 1

    def remove(self, attempt: CapacityAttempt) -> bool:
        """An application leaves; False when it was not activated."""
        own = self._sets.pop(attempt, None)
        self._changed.pop(attempt, None)
        if own is None:
            return False
        self._of(self._all, own).remove(attempt)
        self._of(self._asking, own).remove(attempt)
        self.count -= 1
        return True

    def asking_changed(self, attempt: CapacityAttempt) -> None:
        """It began to want containers, or wants none any more."""
        own = self._sets.get(attempt)
        if own is None:
            return
        if attempt.is_asking:
            self._of(self._asking, own).add(attempt)
        else:
            self._of(self._asking, own).remove(attempt)
        self.touch(attempt)

    def changed(self, attempt: CapacityAttempt) -> None:
        """What the policy goes by has changed; Hadoop puts it in its new place when the next pass begins, if
        it has been activated by then.

        See tests/scenarios/constraints/fair-order-of-who-was-served-while-waiting.yaml.
        """
        self._changed[attempt] = None

    def apply_changes(self) -> None:
        """A pass begins: those that have changed are put in their new places."""
        changed, self._changed = self._changed, {}
        for attempt in changed:
            if attempt in self._sets:
                self.policy.note(attempt)
                self.touch(attempt)

    def reinsert(self, attempt: CapacityAttempt) -> None:
        """Its priority is another one: Hadoop takes it out and puts it in again, and forgets what changed.

        See tests/scenarios/capacity/priority-forgets-changes-of-the-order.yaml.
        """
        self._changed.pop(attempt, None)
        self.touch(attempt)

    def forget_changes(self) -> None:
        """A refresh: those that have changed stay in their places until they change again."""
        self._changed.clear()

    def touch(self, attempt: CapacityAttempt) -> None:
        """Its key may have changed."""
        own = self._sets.get(attempt)
        if own is not None:
            self._of(self._all, own).touch(attempt)
            self._of(self._asking, own).touch(attempt)

    def _of(self, sets: dict[str, Ordered], name: str) -> Ordered:
        found = sets.get(name)
        if found is None:
            sets[name] = found = Ordered(self.policy.key)
        return found
