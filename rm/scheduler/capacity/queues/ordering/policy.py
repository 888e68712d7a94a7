"""What an ordering policy is: the key that keeps a leaf's applications in order. Hadoop: OrderingPolicy."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt

Key = tuple[object, ...]


class OrderingPolicy(ABC):
    """In which order a leaf serves its applications; made for each leaf, and anew for new settings."""

    changes_with_use: ClassVar[bool] = False
    """Whether a booking may move an application to another place."""

    def __init__(self, settings: QueueSettings) -> None:
        self.changes_with_demand = self.changes_with_use
        """Whether that is so when it wants more or less, too."""
        self.exclusive_partitions: tuple[str, ...] = ()
        """Partitions whose nodes are offered only to applications that run there."""

    @abstractmethod
    def key(self, attempt: CapacityAttempt) -> Key:
        """The application with the smallest key is served first; of equal ones that with the smaller id."""

    def note(self, attempt: CapacityAttempt) -> None:
        """A pass begins, and the application has changed: what `key` goes by may be taken down here."""
        return
