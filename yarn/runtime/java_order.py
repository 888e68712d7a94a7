"""The order in which Java iterates over a HashMap, for the places where Hadoop's decisions depend on it.

Java's hashes of ids are plain arithmetic on their parts, and a HashMap walks its table from the first slot to
the last, entries of one slot in the order in which they came. The table has 16 slots, and doubles when more
than three quarters as many entries are in it; it never shrinks. Hadoop: hashCode of ContainerId,
ApplicationAttemptId, ApplicationId, NodeId, ReservationId, Priority, SchedulerRequestKey and
AllocationExpirationInfo; Java: String.hashCode, HashMap. A ConcurrentHashMap walks like a HashMap, and
doubles one entry earlier.

And the order in which a PriorityQueue gives out what compares as equal, or compares inconsistently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final, Generic, TypeVar

from yarnbox.yarn.ids import ApplicationAttemptId, ContainerId, NodeId, ReservationId

K = TypeVar("K")
T = TypeVar("T")

_LEAST_SLOTS: Final = 16
_INT: Final = 0xFFFFFFFF


def in_hash_order(keys: Iterable[K], hash_of: Callable[[K], int], most: int = 0) -> list[K]:
    """The keys of a map, given in the order in which they came, in Java's order.

    `most`: how many the map has held at one time, if it was more than now.
    """
    present = list(keys)
    slots = _slots(max(most, len(present)))
    return sorted(present, key=lambda key: _slot(hash_of(key), slots))


@lru_cache(maxsize=1 << 16)  # users and hosts are few, and sorted often
def text_hash(text: str) -> int:
    """String.hashCode, as an unsigned number of 32 bits."""
    found = 0
    units = text.encode("utf-16-be")
    for high, low in zip(units[::2], units[1::2], strict=True):
        found = (31 * found + (high << 8 | low)) & _INT
    return found


def node_hash(node_id: NodeId) -> int:
    """NodeId.hashCode."""
    return (493217 * (493217 * 8501 + text_hash(node_id.host)) + node_id.port) & _INT


def attempt_hash(attempt_id: ApplicationAttemptId) -> int:
    """ApplicationAttemptId.hashCode."""
    timestamp, number = attempt_id.application_id
    application = 371237 * (371237 * 6521 + (timestamp ^ timestamp >> 32)) + number
    return (347671 * (347671 * 5501 + application) + attempt_id.attempt_id) & _INT


def container_hash(container_id: ContainerId) -> int:
    """ContainerId.hashCode."""
    number = container_id.id
    return (31 * (number ^ number >> 32) + attempt_hash(container_id.application_attempt_id)) & _INT


def allocation_hash(container_id: ContainerId) -> int:
    """AllocationExpirationInfo.hashCode, of what becomes of a container that its AM has taken."""
    return container_hash(container_id) << 16 & _INT


def hash_order_of_containers(
    attempt_id: ApplicationAttemptId, containers: Sequence[ContainerId]
) -> list[int]:
    """Java's order of the containers of one attempt, by their positions: given as they came."""
    of_attempt, most = attempt_hash(attempt_id), _slots(len(containers))
    slots: list[int] = []
    for container_id in containers:
        number = container_id.id
        slots.append(_slot((31 * (number ^ number >> 32) + of_attempt) & _INT, most))
    return sorted(range(len(slots)), key=slots.__getitem__)


def reservation_hash(reservation_id: ReservationId) -> int:
    """ReservationId.hashCode."""
    timestamp, number = reservation_id
    return (31 * (31 + (timestamp ^ timestamp >> 32)) + (number ^ number >> 32)) & _INT


def request_key_hash(
    request_priority: int, allocation_request_id: int, update_of: ContainerId | tuple[()] = ()
) -> int:
    """SchedulerRequestKey.hashCode."""
    priority = 517861 * 9511 + request_priority
    unsigned = allocation_request_id & 0xFFFFFFFFFFFFFFFF
    found = 31 * priority + (unsigned ^ unsigned >> 32)
    return (31 * found + (container_hash(update_of) if update_of else 0)) & _INT


def _slots(entries: int) -> int:
    slots = _LEAST_SLOTS
    while entries * 4 > slots * 3:
        slots *= 2
    return slots


def _slot(code: int, slots: int) -> int:
    return (code ^ code >> 16) & (slots - 1)


class JavaHeap(Generic[T]):
    """A priority queue that compares as java.util.PriorityQueue and PriorityBlockingQueue do, step by step.

    `compare` answers as Java's compare does: the smaller one goes out first.
    """

    def __init__(self, compare: Callable[[T, T], int]) -> None:
        self._compare = compare
        self._items: list[T] = []

    def __len__(self) -> int:
        return len(self._items)

    def add(self, item: T) -> None:
        """Adds an item."""
        items, place = self._items, len(self._items)
        items.append(item)
        while place > 0:
            above = (place - 1) // 2
            if self._compare(item, items[above]) >= 0:
                break
            items[place] = items[above]
            place = above
        items[place] = item

    def take(self) -> T:
        """Removes the first and returns it."""
        items = self._items
        first, last = items[0], items.pop()
        if items:
            self._sift_down(last)
        return first

    def _sift_down(self, item: T) -> None:
        """Puts it into the place of the first, or as far below as it belongs."""
        items, place = self._items, 0
        count = len(items)
        while place < count // 2:
            below = 2 * place + 1
            if below + 1 < count and self._compare(items[below], items[below + 1]) > 0:
                below += 1
            if self._compare(item, items[below]) <= 0:
                break
            items[place] = items[below]
            place = below
        items[place] = item
