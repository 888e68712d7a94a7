"""Policies of one's own, as a user writes them: one of each kind."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import Any

from yarnbox.rm.scheduler.capacity.config.settings import QueueSettings
from yarnbox.rm.scheduler.capacity.queues.application import CapacityAttempt
from yarnbox.rm.scheduler.capacity.queues.ordering.custom import (
    NodeForSorting,
    NodeSortingPolicy,
    QueueForSorting,
    QueueOrderingPolicy,
)
from yarnbox.rm.scheduler.capacity.queues.ordering.policy import Key, OrderingPolicy
from yarnbox.rm.scheduler.fifo import FifoScheduler


class LastComeFirstServed(OrderingPolicy):
    """Of applications."""

    def key(self, attempt: CapacityAttempt) -> Key:
        return (-attempt.application.application_id.id,)


class QuestionsFirst(QueueOrderingPolicy):
    """Of queues: adhoc goes before all others."""

    def key(self, queue: QueueForSorting) -> tuple[Any, ...]:
        return (queue.path != "root.adhoc", queue.used_capacity)


class FullestFirst(NodeSortingPolicy):
    """Of nodes: containers are packed."""

    def key(self, node: NodeForSorting) -> tuple[Any, ...]:
        return (-node.allocated.memory_mb,)


class MyScheduler(FifoScheduler):
    """A whole scheduler."""


class Halting(OrderingPolicy):
    """In a worker it prints who that is, and goes no further."""

    def __init__(self, settings: QueueSettings) -> None:
        super().__init__(settings)
        if multiprocessing.parent_process() is not None:
            print(os.getpid(), flush=True)
            signal.pause()

    def key(self, attempt: CapacityAttempt) -> Key:
        return ()
